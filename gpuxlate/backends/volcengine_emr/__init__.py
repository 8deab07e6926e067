"""Parameters in a text: what a syntax reads and writes, and their places."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Mapping as AbcMapping
from fractions import Fraction
from itertools import groupby
from os.path import splitext
from typing import Protocol

from gpuxlate.backends.base import (
    ANY,
    ContainerShare,
    JobBackend,
    KeySpec,
    Place,
    PodReader,
    PodWriter,
    Reading,
    ShareWriter,
    key,
)
from gpuxlate.backends.billing import BilledCard, CostError, PodCounts, Price
from gpuxlate.backends.form import MergeError, WrongFileError, json_object, values_of
from gpuxlate.manifest.pods import JobRow
from gpuxlate.model.declarations import record, regex
from gpuxlate.model.diagnostics import Edit, Path, Put
from gpuxlate.model.limits import FULL_CARD_CORES
from gpuxlate.model.messages import message_of, msg
from gpuxlate.model.pod import ContainerKeys, PodKeys, Value, in_lists
from gpuxlate.model.profile import Profile
from gpuxlate.yamltext.edit import edit_document
from gpuxlate.yamltext.nodes import Mapping, Scalar, get
from gpuxlate.yamltext.parse import Document, DocumentReader, NotYamlError, documents
from gpuxlate.yamltext.plan import EditError
from gpuxlate.yamltext.source import Source
from gpuxlate.yamltext.splices import apply


@record
class Parameter:
    """One parameter, and the characters of its key, its value and its statement.

    The value's characters are those to replace, quotes included. ``end`` is the end of the statement
    with its terminator; ``closed``: the statement has its terminator, or the syntax needs none.
    ``quoted``: an entry of a mapping of Python, whose quotes are around the places of key and value.
    """

    key: str
    value: str
    key_start: int
    key_end: int
    value_start: int
    value_end: int
    end: int
    closed: bool = True
    quoted: bool = False


class Syntax(Protocol):
    """One way to write parameters in a text."""

    suffix: str
    comments: tuple[str, ...]  # what a comment begins with

    def read(self, text: str) -> list[Parameter]:
        """Every parameter, in the order of the text; all other text is skipped."""

    def write(self, key: str, value: str) -> str:
        """One parameter as a line, without its line break."""

    def place(self, text: str, parameters: Sequence[Parameter]) -> int | None:
        """Where new parameters go if none of them is there; None is the end of the text."""


def as_document(source: Source, parameters: Sequence[Parameter]) -> Document:
    """The parameters as a document: one mapping, its keys and values at their places in the text."""
    root = Mapping(0, None, None, False)
    document = Document(source, 0, 0, len(source.text), root)
    seen: set[str] = set()
    for one in parameters:
        key = Scalar.at(one.key_start, one.key_end, one.key)
        root.entries.append((key, Scalar.at(one.value_start, one.value_end, one.value)))
        if one.key in seen:
            document.repeated.append((root, key))
        seen.add(one.key)
    return document


# Statements that end with a semicolon: Ray's ``key=value;`` and the ``set key=value;`` of a CustomJob.
# Ray, default compute group: one or several on a line; ``#`` begins a comment where a statement could
# begin. A line break ends a statement too, so that one forgotten semicolon does not swallow the next
# parameter.
# CustomJob: among other statements of SQL, which are left alone. ``--`` and ``/* */`` are comments; quoted
# text may hold semicolons. ``set`` is read in any letter case, with blanks round the sign.
# Source: Volcengine, EMR Serverless "mGPU".
_QUOTES = "'\"`"
_BLANK = regex(r"\s*")
_LINE = regex(r"[^\r\n]*")
_ENDS = regex(r"[ \t]*(?:[;\r\n]|\Z)")
_SET = regex(r"set\s+", re.IGNORECASE)


class RayStatements:
    """Statements of Ray."""

    suffix = ".conf"
    comments: tuple[str, ...] = ("#",)

    def read(self, text: str) -> list[Parameter]:
        found: list[Parameter] = []
        at = _past_blank(text, 0)
        while at < len(text):
            if text[at] == "#":
                at = _past_blank(text, past_line(text, at))
                continue
            stop = _ray_stop(text, at)
            closed = text[stop : stop + 1] == ";"
            one = _assignment(text, at, stop, stop + closed, closed)
            if one:
                found.append(one)
            at = _past_blank(text, stop + closed)
        return found

    def write(self, key: str, value: str) -> str:
        return f"{key}={value};"

    def place(self, _text: str, _parameters: Sequence[Parameter]) -> int | None:
        return None


def _ray_stop(text: str, at: int) -> int:
    """The semicolon or line break that ends the statement; a quoted value may hold both."""
    quotable = False  # a quote counts where a value begins
    while at < len(text):
        letter = text[at]
        if letter in ";\r\n":
            return at
        if quotable and letter in "'\"":
            after = _past_quoted(text, at, doubled=False)
            closes = text[after - 1] == letter and after - 1 > at and _ENDS.match(text, after)
            at, quotable = after if closes else at + 1, False
            continue
        quotable = letter == "=" or (quotable and letter in " \t")
        at += 1
    return len(text)


class SetStatements:
    """``set`` statements in SQL."""

    suffix = ".sql"
    comments: tuple[str, ...] = ("--",)

    def read(self, text: str) -> list[Parameter]:
        found: list[Parameter] = []
        at = _past_comments(text, 0)
        while at < len(text):
            stop, content = _set_stop(text, at)
            closed = text[stop : stop + 1] == ";"
            word = _SET.match(text, at, content)
            one = _assignment(text, word.end(), content, stop + closed, closed) if word else None
            if one:
                found.append(one)
            at = _past_comments(text, stop + closed)
        return found

    def write(self, key: str, value: str) -> str:
        return f"set {key}={value};"

    def place(self, text: str, parameters: Sequence[Parameter]) -> int | None:
        """After the parameters that the text begins with: they must be set before the job's own SQL."""
        at, start = 0, _past_comments(text, 0)
        for one in parameters:
            if not _SET.match(text, start) or one.key_start != _past_blank(text, start + len("set")):
                break
            at, start = one.end, _past_comments(text, one.end)
        return at


def _past_comments(text: str, at: int) -> int:
    """The place where the next statement begins."""
    while True:
        at = _past_blank(text, at)
        if text.startswith("--", at):
            at = past_line(text, at)
        elif text.startswith("/*", at):
            at = _past_block(text, at)
        else:
            return at


def _past_block(text: str, at: int) -> int:
    end = text.find("*/", at + 2)
    return len(text) if end < 0 else end + 2


def _set_stop(text: str, at: int) -> tuple[int, int]:
    """The end of a statement, and the end of its content: before a comment behind it."""
    content = at
    while at < len(text):
        letter = text[at]
        if letter == ";":
            break
        if letter in "'\"`":
            at = content = _past_quoted(text, at, doubled=True)
        elif text.startswith("--", at) and (at == 0 or text[at - 1].isspace()):
            at = past_line(text, at)
        elif text.startswith("/*", at):
            at = _past_block(text, at)
        else:
            at += 1
            content = content if letter.isspace() else at
    return min(at, len(text)), min(content, len(text))


def _past_quoted(text: str, at: int, *, doubled: bool) -> int:
    """The place after the quoted text that begins at ``at``; the end of the text where it is not closed.

    A backslash keeps a quote inside it, and with ``doubled`` so do two quotes in a row.
    """
    quote = text[at]
    at += 1
    while at < len(text):
        if text[at] == "\\" and quote != "`":
            at += 2
        elif text[at] != quote:
            at += 1
        elif doubled and text[at + 1 : at + 2] == quote:
            at += 2
        else:
            return at + 1
    return len(text)


def _past_blank(text: str, at: int) -> int:
    """The place of the next character that is not blank."""
    match = _BLANK.match(text, at)
    return match.end() if match else at


def past_line(text: str, at: int) -> int:
    """The end of the line."""
    match = _LINE.match(text, at)
    return match.end() if match else at


def _assignment(text: str, start: int, stop: int, end: int, closed: bool) -> Parameter | None:
    """``key = value`` between ``start`` and ``stop``, None where it is something else.

    ``end`` is the end of the statement with its terminator.
    """
    sign = text.find("=", start, stop)
    if sign < 0:
        return None
    key = text[start:sign].rstrip()
    if not key or re.search(r"\s", key):
        return None
    first = sign + 1
    while first < stop and text[first].isspace():
        first += 1
    last = stop
    while last > first and text[last - 1].isspace():
        last -= 1
    value = text[first:last]
    if len(value) > 1 and value[0] == value[-1] and value[0] in _QUOTES:
        value = value[1:-1]
    return Parameter(key, value, start, start + len(key), first, last, end, closed)


# Spark's configuration files: lines of Java properties, as ``spark-defaults.conf`` has them.
# ``key=value``, ``key value`` and ``key: value``; ``#`` and ``!`` begin a comment line; a backslash at the
# end of a line goes on with the next one. Spark trims values and, of a key given twice, takes the last.
# Source: java.util.Properties.load; Spark, Utils.getPropertiesFromFile.
# Lines of a mapping in Python, ``'key': 'value',``, are read too: the vendor's own example of a job has
# them. Source: Volcengine, EMR Serverless "mGPU".
_BREAK = regex(r"\r\n|\n|\r")
_BLANK_PROPERTY = " \t\f"
_ESCAPE = regex(r"\\(?:u([0-9a-fA-F]{4})|(?:\r\n|\n|\r)[ \t\f]*|(.)|\Z)", re.DOTALL)
_ENTRY = regex(
    r"(?P<q>['\"])(?P<key>[^'\"\\\s]+)(?P=q)[ \t]*:[ \t]*"
    r"(?P<r>['\"])(?P<value>[^'\"\\]*)(?P=r)[ \t]*,?[ \t]*(?:#.*)?"
)
"""One entry of a mapping in Python, without escapes."""
_CONTROL = {"t": "\t", "n": "\n", "r": "\r", "f": "\f"}


class Properties:
    """Lines of properties."""

    suffix = ".conf"
    comments: tuple[str, ...] = ("#", "!")

    def read(self, text: str) -> list[Parameter]:
        return [
            _parameter(text, start, end) for start, end in _logical_lines(text) if text[start] not in "#!"
        ]

    def write(self, key: str, value: str) -> str:
        return f"{_escaped(key)}={_escaped(value, whole=False)}"

    def place(self, _text: str, _parameters: Sequence[Parameter]) -> int | None:
        return None


def _logical_lines(text: str) -> Iterator[tuple[int, int]]:
    """Start and end of each logical line that is not blank; a continued line includes the next ones."""
    at = 0
    while at < len(text):
        line = _LINE.match(text, at)
        assert line is not None
        start = line.start()
        while start < line.end() and text[start] in _BLANK_PROPERTY:
            start += 1
        comment = text[start : start + 1] in ("#", "!")
        end = line.end()
        while not comment and start < end and _goes_on(text, start, end) and end < len(text):
            following = _BREAK.match(text, end)
            assert following is not None
            more = _LINE.match(text, following.end())
            assert more is not None
            end = more.end()
        if start < end:
            yield start, end
        following = _BREAK.match(text, end)
        at = following.end() if following else len(text)


def _goes_on(text: str, start: int, end: int) -> bool:
    """An odd number of backslashes ends the line."""
    at = end
    while at > start and text[at - 1] == "\\":
        at -= 1
    return (end - at) % 2 == 1


def _parameter(text: str, start: int, end: int) -> Parameter:
    entry = _ENTRY.fullmatch(text, start, end)
    if entry:
        places = (*entry.span("key"), *entry.span("value"))
        return Parameter(entry["key"], entry["value"].strip(), *places, end, quoted=True)
    at = start
    while at < end and text[at] not in "=: \t\f":
        at = _past(text, at, end)
    key_end = at
    at = _skip(text, at, end)
    if at < end and text[at] in "=:":
        at = _skip(text, at + 1, end)
    value_end = end
    while value_end > at and text[value_end - 1] in " \t\f":
        value_end -= 1
    if _goes_on(text, at, value_end) and value_end < end:
        value_end += 1  # an escaped blank is part of the value
    key, value = _unescaped(text[start:key_end]), _unescaped(text[at:value_end])
    return Parameter(key, value.strip(), start, key_end, at, value_end, end)


def _past(text: str, at: int, end: int) -> int:
    """The place after one character or one escape."""
    if text[at] != "\\" or at + 1 >= end:
        return at + 1
    return at + (3 if text[at + 1 : at + 3] == "\r\n" else 2)


def _skip(text: str, at: int, end: int) -> int:
    """The place after blanks, and after lines that end in the middle of them."""
    while at < end:
        if text[at] in _BLANK_PROPERTY:
            at += 1
        elif text[at] == "\\" and (following := _BREAK.match(text, at + 1, end)):
            at = following.end()
        else:
            break
    return at


def _unescaped(text: str) -> str:
    if "\\" not in text:
        return text

    def replaced(match: re.Match[str]) -> str:
        code, letter = match.groups()
        if code:
            return chr(int(code, 16))
        return _CONTROL.get(letter, letter) if letter else ""

    return _ESCAPE.sub(replaced, text)


def _escaped(text: str, whole: bool = True) -> str:
    """The text so that it reads as itself; a value needs less than a key."""
    special = r"[\\=:\s#!]" if whole else r"\\|[\t\n\r\f]|^[ ]"
    names = {value: f"\\{name}" for name, value in _CONTROL.items()}
    return re.sub(special, lambda m: names.get(m.group(), f"\\{m.group()}"), text)


# Putting parameters into a text that somebody wrote: our lines change, every other byte stays.
@record
class _TextChange:
    """The text from ``start`` up to ``end`` becomes ``text``."""

    start: int
    end: int
    text: str


def merge(source: Source, syntax: Syntax, wanted: AbcMapping[str, str]) -> str:
    """The text with the wanted parameters. Raises MergeError.

    A key that is there gets its value in place, at each place where it is given; the others
    come after the last of ours, else where the syntax puts them.
    """
    text = source.text
    found = syntax.read(text)
    changes = [
        _TextChange(one.value_start, one.value_end, _as_value(syntax, one, wanted[one.key]))
        for one in found
        if one.key in wanted and one.value != wanted[one.key]
    ]
    there = {one.key for one in found}
    missing = {key: value for key, value in wanted.items() if key not in there}
    if missing:
        if any(one.quoted for one in found):
            raise MergeError(
                msg(
                    "{name} has the lines of a program; {names} cannot be added to them",
                    name=source.name,
                    names=", ".join(missing),
                )
            )
        lines = [syntax.write(key, value) for key, value in missing.items()]
        changes += _added(source, syntax, found, wanted, lines)
    result = _applied(text, changes)
    _verify(syntax, found, syntax.read(result), wanted, missing)
    return result


def _as_value(syntax: Syntax, replaced: Parameter, value: str) -> str:
    """The value as the syntax writes it; a key without a sign gets its sign first."""
    line = syntax.write(replaced.key, value)
    one = syntax.read(line)[0]
    start = one.key_end if replaced.value_start == replaced.key_end else one.value_start
    return line[start : one.value_end]


def _added(
    source: Source, syntax: Syntax, found: Sequence[Parameter], wanted: AbcMapping[str, str], lines: list[str]
) -> list[_TextChange]:
    text, newline = source.text, source.newline()
    ours = [one for one in found if one.key in wanted]
    after = max(ours, key=lambda one: one.end, default=None)
    at = after.end if after else syntax.place(text, found)
    block = newline.join(lines)
    if at == 0:
        return [_TextChange(0, 0, block + newline)]
    if at is None:
        at = len(text)
        after = found[-1] if found else None
        changes = [] if after is None or after.closed else [_TextChange(after.end, after.end, ";")]
        begun = bool(text) and text[-1] not in "\r\n"
        return [*changes, _TextChange(at, at, (newline if begun else "") + block + newline)]
    last = after or next(one for one in found if one.end == at)
    changes = [] if last.closed else [_TextChange(at, at, ";")]
    place = _line_end(text, at, syntax)
    ending = newline if place == len(text) else ""
    return [*changes, _TextChange(place, place, newline + block + ending)]


def _line_end(text: str, at: int, syntax: Syntax) -> int:
    """The end of the line where nothing but a comment follows a statement, else its own end."""
    end = past_line(text, at)
    rest = text[at:end].strip()
    return end if not rest or rest.startswith(syntax.comments) else at


def _applied(text: str, changes: Sequence[_TextChange]) -> str:
    parts: list[str] = []
    at = 0
    for change in sorted(changes, key=lambda one: (one.start, one.end)):
        parts += [text[at : change.start], change.text]
        at = change.end
    return "".join([*parts, text[at:]])


def _verify(
    syntax: Syntax,
    before: Sequence[Parameter],
    after: Sequence[Parameter],
    wanted: AbcMapping[str, str],
    missing: AbcMapping[str, str],
) -> None:
    """The result reads as what was there, with the wanted values, and the missing ones beside it."""
    kept = [(one.key, wanted.get(one.key, one.value)) for one in before]
    left = [(one.key, one.value) for one in after]
    added = [pair for pair in left if pair[0] in missing]
    if added != list(missing.items()) or [pair for pair in left if pair[0] not in missing] != kept:
        raise MergeError(
            msg("the parameters would not read as intended in {suffix} syntax", suffix=syntax.suffix)
        )


# The data sheet of EMR Serverless on mGPU: the parameters of a job of each engine, each with its source.
# Sources: S4 = Volcengine, EMR Serverless "mGPU"; RAY = docs 6491/1439757 "Serverless Ray parameters"
# (2025-01-22). ``spark.task.resource.gpu.*`` and ``serverless.ray.head.gpu.*`` are not part of a share:
# they are not listed, so nothing changes them.
CORE = "emr.serverless.mgpu.core"
"""Percent of one card, for each pod of the job (S4)."""
MEMORY = "emr.serverless.mgpu.memory"
"""MiB, for each pod of the job (S4)."""
GPU_PREFIXES = ("emr.serverless.mgpu",)
CORE_MIN = 5
CORE_MAX = 99
"""S4: "the range is 5 to 99"."""
VENDOR = "nvidia.com"
DISCOVERY_SCRIPT = "/opt/emr/current/spark/examples/src/main/scripts/getGpusResources.sh"
"""S4."""
OF_PODS = ("vke.volcengine.com/", "katalyst.kubewharf.io/")
"""Keys of VKE, which nothing reads in a job (S4 knows no policy and no colocation)."""


@record
class Engine:
    """One engine of EMR Serverless. ``gpu`` holds its own GPU keys with what mGPU needs them to be.

    ``counts``: those of them that count cards. ``roles``: beginnings of the keys of each kind of pod.
    """

    name: str
    title: str
    gpu: dict[str, str]
    counts: tuple[str, ...]
    roles: tuple[str, ...]

    @property
    def target(self) -> str:
        return f"volcengine-emr-{self.name}"

    @property
    def in_words(self) -> str:
        """The title of the target."""
        return f"Volcengine EMR Serverless, {self.title} on mGPU"

    @property
    def keys(self) -> tuple[KeySpec, ...]:
        """The rows of the data sheet."""
        return (
            key(
                CORE,
                Place.RESOURCE,
                sets="cores",
                meaning="compute of each pod",
                unit=1,
                source="S4",
            ),
            key(
                MEMORY,
                Place.RESOURCE,
                sets="memory_mib",
                meaning="GPU memory of each pod",
                unit=1,
                source="S4",
            ),
            # they say that a job has GPUs, and nothing of their shares
            *(
                key(name, Place.RESOURCE, meaning="GPU of the engine", source="S4", no_op_values=(ANY,))
                for name in self.gpu
            ),
        )

    def by_role(self) -> list[tuple[str, list[str]]]:
        """The GPU keys of each kind of pod."""

        def role(name: str) -> str:
            return next(one for one in self.roles if name.startswith(one))

        return [(one, list(names)) for one, names in groupby(self.gpu, key=role)]


def _spark_role(role: str) -> dict[str, str]:
    return {
        f"{role}.resource.gpu.discoveryScript": DISCOVERY_SCRIPT,
        f"{role}.resource.gpu.vendor": VENDOR,
        f"{role}.resource.gpu.amount": "1",
    }


SPARK_ENGINE = Engine(
    "spark",
    "Spark",
    {**_spark_role("spark.driver"), **_spark_role("spark.executor")},
    ("spark.driver.resource.gpu.amount", "spark.executor.resource.gpu.amount"),
    ("spark.driver", "spark.executor"),
)
RAY_ENGINE = Engine(
    "ray",
    "Ray",
    {"serverless.ray.worker.gpu.vendor": VENDOR, "serverless.ray.worker.gpu.amount": "1"},
    ("serverless.ray.worker.gpu.amount",),
    ("serverless.ray.worker",),
)
CUSTOMJOB_ENGINE = Engine(
    "customjob",
    "CustomJob",
    {"serverless.custom.job.gpu.enabled": "true", "serverless.custom.job.task.gpus": "1"},
    ("serverless.custom.job.task.gpus",),
    ("serverless.custom.job",),
)
ENABLED = "serverless.custom.job.gpu.enabled"
ENGINES = {one.target: one for one in (SPARK_ENGINE, RAY_ENGINE, CUSTOMJOB_ENGINE)}


def whole(text: str) -> int | None:
    """A parameter as a number; None where it is not digits alone."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else None


def of_emr(profile: Profile) -> bool:
    """The profile is of this target; one of another target does not describe these queues."""
    return profile.target.removeprefix("volcengine-").startswith("emr-")


def usable_mib(profile: Profile | None) -> int | None:
    """MiB that mGPU can use of a card, None where no profile of this target gives it."""
    return profile.cards.memory_mib if profile and of_emr(profile) else None


# EMR Serverless on mGPU: the parameters of a job, which give each of its pods a part of a card.
# Which texts hold them, for which engine, and how they are written; shares of them; what a share costs.
# Source of the price: EMR Serverless, mGPU (seed 004), for pay-as-you-go GPUs only:
# GPU-hours of a pod = 1 * GPU-hours of the card * max(core / 100, memory / memory of the card)
# The page leaves out the time; its example runs one hour. It writes "memory of the whole card" and uses
# what mGPU leaves of it (22731 MiB of an A10): the usable memory is meant. The vendor's rounding and its
# least charge are not documented, so nothing is rounded here.
BEGINNINGS = {
    "spark.": SPARK_ENGINE,
    "serverless.ray.": RAY_ENGINE,
    "serverless.custom.job.": CUSTOMJOB_ENGINE,
}
"""Keys that name their engine."""
OURS = "emr.serverless."
_MANIFEST = regex(r"^(apiVersion|kind)[ \t]*:", re.MULTILINE)
KNOWN_CARDS = {"A10": BilledCard(Fraction(10), 22731)}
"""The only card whose figures the vendor's page gives (seed 004)."""


class EmrBackend(JobBackend):
    """The jobs of one engine, in its own syntax or as one JSON object.

    ``pod_role``: what the pods of its jobs are called; None where there are two.
    """

    engine: Engine
    syntax: Syntax
    pod_role: str | None = None
    gpu_prefixes = GPU_PREFIXES
    rule_prefix = "EMR"
    row_rules = ()
    field_docs = {
        "cards": "one for each pod of the job",
        "cores": f"{CORE}: {CORE_MIN}..{CORE_MAX} % of the card of each pod; required",
        "memoryMiB": f"{MEMORY}: MiB of each pod; required",
    }
    suffixes = (".conf", ".properties", ".sql", ".json")
    billing_plan = "pay-as-you-go"
    billing_note = (
        "Billed so with pay-as-you-go GPUs only. The vendor's rounding and least charge are not documented."
    )
    billed_cards = KNOWN_CARDS

    def read(self, pod: PodReader, profile: Profile | None) -> Reading:
        """Parameters to a share. The engine's own GPU keys are taken: the rules check their values."""
        return pod.reading([_read_job(self.engine, pod, job) for job in pod.pod.all_containers()])

    def write(self, pod: PodWriter, profile: Profile | None) -> PodKeys:
        """Shares to parameters: the two of mGPU, and the engine's own for one card."""
        return PodKeys(*in_lists([_write_job(self.engine, placing, profile) for placing in pod.placings]))

    def reader(self, source: Source, *, chosen: bool) -> DocumentReader | None:
        """Without a chosen target, what names no engine is read as Spark's."""
        if splitext(source.name)[1] == ".json":
            found = _object(source)
            keys = _keys(found[1]) if found else []
            said = engine_of(keys)
            if found is None or not (chosen or said or any(key.startswith(OURS) for key in keys)):
                return None
        elif _MANIFEST.search(source.text):
            return None
        else:
            said = None if chosen else engine_said(source)
        return self._read if chosen or (said or SPARK_ENGINE) is self.engine else None

    def _read(self, source: Source) -> Iterator[Document]:
        as_json = splitext(source.name)[1] == ".json"
        for document in (
            documents(source) if as_json else (as_document(source, self.syntax.read(source.text)),)
        ):
            document.job = self.name
            yield document

    def render(self, keys: PodKeys, output: str) -> str:
        """A line for each parameter, or one JSON object of strings."""
        values = _texts(keys)
        if output == "json":
            return json_object(values)
        return "".join(f"{self.syntax.write(name, text)}\n" for name, text in values.items())

    def merge(self, base: Source, keys: PodKeys) -> str:
        if splitext(base.name)[1] == ".json":
            return self._merged_object(base, _texts(keys))
        if _MANIFEST.search(base.text):
            raise self._no_job(base)
        self._judge(base, engine_said(base))
        return merge(base, self.syntax, _texts(keys))

    def _merged_object(self, base: Source, wanted: dict[str, str]) -> str:
        found = _object(base)
        if found is None:
            raise self._no_job(base)
        document, root = found
        self._judge(base, engine_of(_keys(root)))
        edits: list[Edit] = [Put((name,), text) for name, text in wanted.items()]
        try:
            return apply(base.text, edit_document(document, edits))
        except EditError as error:
            raise MergeError(message_of(error)) from error

    def _no_job(self, base: Source) -> WrongFileError:
        return WrongFileError(
            msg(
                "{name} is a manifest or invalid JSON, and {target} writes parameters of a job",
                name=base.name,
                target=self.name,
            ),
            "name a .conf, .properties, .sql or .json file of the job",
        )

    def _judge(self, base: Source, said: Engine | None) -> None:
        if said not in (None, self.engine):
            raise WrongFileError(
                msg("{name} holds parameters of {target}", name=base.name, target=said.target),
                msg("pass --to {target}", target=said.target),
            )

    def billed_pods(self, counts: PodCounts) -> Sequence[tuple[str, int]]:
        by_role = counts.executors is not None or counts.driver is not None
        if self.pod_role is not None:
            if by_role:
                raise CostError(
                    msg("--executors and --driver are of Spark, not of {target}", target=self.name),
                    "use --pods N",
                )
            return ((self.pod_role, 1 if counts.pods is None else counts.pods),)
        if counts.pods is not None:
            if by_role:
                raise CostError(
                    "--pods counts the driver and the executors already", "give --pods, or --executors"
                )
            return (("driver or executor", counts.pods),)
        if counts.executors is None:
            raise CostError(
                "how many pods a Spark job has is not given",
                "give --executors N (the driver is added, but for --no-driver), or --pods N",
            )
        counted = (("driver", 0 if counts.driver is False else 1), ("executor", counts.executors))
        if not any(count for _, count in counted):
            raise CostError("no pod of the job has a GPU", "give --executors N, or leave out --no-driver")
        return tuple((role, count) for role, count in counted if count)

    def price(self, card: BilledCard, cores: int, memory_mib: int, hours: Fraction) -> Price:
        if not 1 <= cores <= FULL_CARD_CORES:
            raise CostError(msg("{cores} % of a card cannot be billed", cores=cores))
        if not 1 <= memory_mib <= card.memory_mib:
            raise CostError(
                msg(
                    "{memory_mib} MiB: the card has {memory_mib_2} MiB for use",
                    memory_mib=memory_mib,
                    memory_mib_2=card.memory_mib,
                )
            )
        if hours <= 0:
            raise CostError("the hours must be more than 0")
        compute, memory = Fraction(cores, FULL_CARD_CORES), Fraction(memory_mib, card.memory_mib)
        part = max(compute, memory)
        return Price(
            card,
            cores,
            memory_mib,
            hours,
            compute,
            memory,
            part,
            gpu_hours=hours * card.units * part,
            break_even_memory_mib=compute * card.memory_mib,
            break_even_cores=memory * FULL_CARD_CORES,
        )


def _read_job(engine: Engine, pod: PodReader, job: ContainerKeys) -> ContainerShare:
    for name in engine.gpu:
        pod.resource(job, name)
    values = {"cores": pod.resource(job, CORE), "memory_mib": pod.resource(job, MEMORY)}
    numbers = {attribute: whole(value.text) for attribute, value in values.items() if value}
    if all(number is None for number in numbers.values()):
        return pod.none(job)  # EMR035 and EMR036 report the values
    origins: dict[str, Path] = {attribute: value.path for attribute, value in values.items() if value}
    return pod.share(job, cores=numbers.get("cores"), memory_mib=numbers.get("memory_mib"), origins=origins)


def _write_job(engine: Engine, placing: ShareWriter, profile: Profile | None) -> ContainerKeys:
    if placing.take("cards") > 1:
        placing.refuse(
            "cards",
            "EMR039",
            msg("{cards} cards: a pod of a job on mGPU gets a part of one card", cards=placing.cards),
            "ask for one card, and for more pods in the job",
        )
    cores, memory = _numbers(placing)
    full = FULL_CARD_CORES * placing.cards
    if placing.whole_cards or (cores is not None and cores >= full):
        placing.refuse(
            "cores",
            "GX023",
            msg(
                "whole cards are not supported: {why}",
                why=msg("a job on mGPU takes {low} to {high} % of a card", low=CORE_MIN, high=CORE_MAX),
            ),
            msg("ask for at most {high} %, or run the job on a GPU queue, without mGPU", high=CORE_MAX),
        )
    card = usable_mib(profile)
    if memory is not None and card is not None and memory > card * placing.cards:
        placing.refuse(
            "memory_mib",
            "EMR036",
            msg(
                "memoryMiB {memory} is more than mGPU can use of a card ({card} MiB)",
                memory=memory,
                card=card,
            ),
            msg("ask for at most {card}", card=card),
        )
    mgpu = {CORE: cores, MEMORY: memory}
    limits = {name: Value.of(text) for name, text in engine.gpu.items()}
    limits |= {name: Value.of(number) for name, number in mgpu.items() if number is not None}
    return ContainerKeys(placing.name, placing.index, placing.init, limits)


def _numbers(placing: ShareWriter) -> tuple[int | None, int | None]:
    """Compute and memory, both of which a part of a card needs."""
    if placing.whole_cards:
        return placing.take("cores"), placing.take("memory_mib")
    for attribute, name in (("cores", CORE), ("memory_mib", MEMORY)):
        if placing.peek(attribute) is None:
            placing.need(
                attribute, "EMR037", msg("{key} is set together with the other key of mGPU", key=name)
            )
    return placing.on_grid("cores", "EMR035", low=CORE_MIN, unit="%"), placing.take("memory_mib")


def engine_of(keys: Iterable[str]) -> Engine | None:
    """The engine that one of the keys names."""
    return next((one for key in keys for start, one in BEGINNINGS.items() if key.startswith(start)), None)


def engine_said(source: Source) -> Engine | None:
    """The engine that a text names, by its suffix, its keys or its syntax."""
    if splitext(source.name)[1] == ".sql":
        return CUSTOMJOB_ENGINE
    for form in (RAY, CUSTOMJOB, SPARK):
        keys = [one.key for one in form.syntax.read(source.text)]
        ours = form is CUSTOMJOB and any(key.startswith(OURS) for key in keys)
        if ours or engine_of(keys) is form.engine:
            return form.engine
    statements = RAY.syntax.read(source.text)
    return RAY_ENGINE if any(one.closed and one.key.startswith(OURS) for one in statements) else None


def _object(source: Source) -> tuple[Document, Mapping] | None:
    """The document of a JSON file that holds one object, with that object; None for a manifest."""
    try:
        found = list(documents(source))
    except NotYamlError:
        return None
    root = found[0].root if len(found) == 1 else None
    if not isinstance(root, Mapping) or not root.flow:
        return None
    manifest = get(root, "kind") is not None or get(root, "apiVersion") is not None
    return None if manifest else (found[0], root)


def _keys(root: Mapping) -> list[str]:
    return [getattr(key, "text", "") for key, _ in root.entries]


def _texts(keys: PodKeys) -> dict[str, str]:
    return {name: value.text for name, value in values_of(keys).items()}


class EmrSpark(EmrBackend):
    engine = SPARK_ENGINE
    name, title, keys = engine.target, engine.in_words, engine.keys
    aliases = ("emr-spark",)
    syntax = Properties()
    suffix = syntax.suffix
    job_rows = (
        JobRow(("SparkApplication",), ("spec", "sparkConf"), name, GPU_PREFIXES[0]),
        JobRow(("ScheduledSparkApplication",), ("spec", "template", "sparkConf"), name, GPU_PREFIXES[0]),
    )


class EmrRay(EmrBackend):
    engine = RAY_ENGINE
    name, title, keys = engine.target, engine.in_words, engine.keys
    aliases = ("emr-ray",)
    syntax = RayStatements()
    suffix = syntax.suffix
    pod_role = "worker"


class EmrCustomjob(EmrBackend):
    engine = CUSTOMJOB_ENGINE
    name, title, keys = engine.target, engine.in_words, engine.keys
    aliases = ("emr-customjob",)
    syntax = SetStatements()
    suffix = syntax.suffix
    pod_role = "task"


SPARK, RAY, CUSTOMJOB = EmrSpark(), EmrRay(), EmrCustomjob()
