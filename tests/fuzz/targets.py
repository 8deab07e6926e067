"""What is fed with any bytes at all, and what must hold then: the targets of ``tests.fuzz.guided``.

Each raises AssertionError, or whatever else is no documented answer to bad input. The files of
``corpus/`` go through the same functions in every run of the tests.
"""

import json
import re
from collections.abc import Callable, Iterator
from decimal import Decimal, InvalidOperation, localcontext
from fractions import Fraction

from gpuxlate.backends import job_targets, registry
from gpuxlate.backends import volcengine_emr as emr
from gpuxlate.backends.job_parameters import MergeError
from gpuxlate.backends.pod_writer import Accept
from gpuxlate.backends.volcengine_emr.merge import merge_parameters
from gpuxlate.lint.check import lint_source
from gpuxlate.lint.fix import fix_source
from gpuxlate.lint.settings import LintSettings
from gpuxlate.manifest.facts import document_keys
from gpuxlate.manifest.jobs import jobs_in
from gpuxlate.manifest.pods import pods_in
from gpuxlate.model import quantity
from gpuxlate.model.diagnostics import Append, Edit, Path, Put, Remove, Rename
from gpuxlate.model.pod import ScalarKind, Value
from gpuxlate.rules import number_format
from gpuxlate.translation.options import Settings
from gpuxlate.translation.translate import translate_source
from gpuxlate.yamltext.edit import edit_document
from gpuxlate.yamltext.nodes import Alias, Mapping, Node, Scalar, deref, get
from gpuxlate.yamltext.nodes import Sequence as List
from gpuxlate.yamltext.parse import Document, NotYamlError, documents, locate
from gpuxlate.yamltext.plain import dump_yaml, plain_document, to_python
from gpuxlate.yamltext.plan import EditError
from gpuxlate.yamltext.source import DecodeError, Source
from gpuxlate.yamltext.splices import apply
from tests.fuzz import model

NAME = "f.yaml"


def source_of(data: bytes, name: str = NAME) -> Source | None:
    """The text, None where the bytes are none."""
    try:
        source = Source.from_bytes(name, data)
    except DecodeError:
        return None
    assert source.encode(source.text) == data
    return source


def documents_of(source: Source) -> tuple[list[Document], bool]:
    """The documents up to where the text ends to be YAML, and whether it does."""
    found: list[Document] = []
    broken = None
    try:
        found.extend(documents(source))
    except NotYamlError as error:
        broken = error.index
    assert broken is None or 0 <= broken <= len(source.text)
    return found, broken is not None


# --- reader -------------------------------------------------------------------------------------


def reader(data: bytes) -> None:
    """Any bytes are read or refused; what is read stands where it is said to stand."""
    source = source_of(data)
    if source is None:
        return
    at = 0
    found, broken = documents_of(source)
    for document in found:
        assert (document.start, document.start <= document.end) == (at, True)
        at = document.end
        if document.root is not None:
            _tree(document, document.root)
            _plain(document.root)
        pods = list(pods_in(document))
        for pod in pods:
            for values in _values(pod.keys):
                for value in values.values():
                    node = get(document.root, *value.path)
                    assert node is not None
                    assert not isinstance(node, Scalar) or (node.text, node.kind) == (value.text, value.kind)
        list(jobs_in(document, job_targets.rows_of(document)))
        facts = document_keys(document, pods, registry.is_gpu_key)
        for path in (*(key.path for key in facts.outside), *facts.repeated, *facts.shared):
            start, end = locate(document.root, path, on_key=True) if document.root else (0, 0)
            assert document.start <= start <= end <= len(source.text)
    assert at <= len(source.text)
    assert broken or not found or at == len(source.text)


def _values(keys: object) -> Iterator[dict[str, Value]]:
    for name in ("labels", "annotations", "node_selector", "owner_labels", "owner_annotations"):
        yield getattr(keys, name)
    for container in keys.all_containers():  # type: ignore[attr-defined]
        yield from (container.limits, container.requests)


def _tree(document: Document, root: Node) -> None:
    """Every node stands inside its document, and a plain scalar is the text that stands there."""
    text = document.source.text
    pending = [root]
    while pending:
        node = pending.pop()
        assert document.start <= node.start <= node.end <= document.end, (node.start, node.end)
        if isinstance(node, Mapping):
            pending.extend(part for entry in node.entries for part in entry)
        elif isinstance(node, List):
            pending.extend(node.items)
        elif isinstance(node, Scalar):
            written = text[node.start : node.end]
            if node.style is None and not (node.anchor or node.tag) and written.isprintable():
                assert node.text == written
            assert node.kind in ScalarKind
        else:
            assert isinstance(node, Alias)
            assert deref(node) is not node


def _plain(root: Node) -> None:
    """Data written anew says the same."""
    try:
        model.said(root)  # nobody writes out what aliases of aliases stand for
        data = to_python(root)
    except (RecursionError, model.TooMuchError):
        return
    if "nan" not in repr(data):
        text = dump_yaml(data)
        assert plain_document(Source(NAME, text)) == data, text


# --- edits --------------------------------------------------------------------------------------

VALUES: tuple[object, ...] = (
    1, 30, "30", "a", "", "a: b", "x # y", "'", '"', "\n", "é", "\U0001f600", "\x1b", "\x85", "null", True,
    "0x1F", "- a", "{", "*a", "a\tb", " a", "a ", {"k": 1}, {"k": {"l": "m"}}, ["x"], [{"k": "v"}], [], {},
)  # fmt: skip
KEYS = ("a", "b", "new", "vke.volcengine.com/mgpu-core", "x y", "a: b", "é", "<<", "1", "null", "{a}", "#")


def edits(data: bytes) -> None:
    """What an edit writes is read back as intended, and nothing else changes; or nothing is written.

    The first line says the edits, three letters each: what, where, which value. The rest is the text.
    """
    line, _, rest = data.partition(b"\n")
    source = source_of(rest)
    if source is None:
        return
    found, broken = documents_of(source)
    before = [document for document in found if document.root is not None]
    if not before or len(line) > 30:
        return
    document = before[len(line) // 3 % len(before)]
    try:
        data_before = model.said(document.root)
        wanted = list(edits_of(line, data_before))
        made = _edited(source, document, wanted)
        if made is not None and not broken:
            _compare(made, found, document, wanted, data_before)
    except model.TooMuchError:
        return


def edits_of(line: bytes, data: object) -> Iterator[Edit]:
    """The edits that a line says on a document that says the data."""
    places = list(model.paths(data))
    for what, where, which in zip(*[iter(line)] * 3, strict=False):
        path: Path = places[where % len(places)] if places and where < 224 else (KEYS[where % len(KEYS)],)
        value, key = VALUES[which % len(VALUES)], KEYS[which % len(KEYS)]
        match what % 7:
            case 0:
                yield Remove(path)
            case 1:
                yield Put(path, value)
            case 2:
                yield Put((*path, key), VALUES[where % len(VALUES)])
            case 3:
                scalar = value if isinstance(value, (int, str)) else 1
                if isinstance(path[-1], str):
                    yield Rename(path, KEYS[where % len(KEYS)], scalar)
            case 4:
                yield Append(path, value)
            case 5:
                yield Put((*path, key, "deep"), value)
            case _:
                yield Put((*path, which % 3, key), value)


def _edited(source: Source, document: Document, wanted: list[Edit]) -> str | None:
    """The text with the edits, None where they cannot be made."""
    try:
        made = edit_document(document, wanted)
    except EditError:
        return None
    assert all(document.start <= one.start <= one.end <= document.end for one in made)
    return apply(source.text, made)


def _compare(text: str, found: list[Document], document: Document, wanted: list[Edit], data: object) -> None:
    """The new text says what the edits ask for, and all else as before."""
    after, broken = documents_of(Source(NAME, text))
    assert (len(after), broken) == (len(found), False), text
    for old, new in zip(found, after, strict=True):
        if old is not document:
            assert old.text == new.text
    if model.independent(wanted):
        got = model.said(after[document.index].root)
        want = model.edited(data, wanted)
        assert got == want or model.without_empty(got) == model.without_empty(want), (wanted, text, got, want)


# --- quantities ---------------------------------------------------------------------------------

_SUFFIXES = {
    "n": Fraction(1, 10**9), "u": Fraction(1, 10**6), "m": Fraction(1, 10**3), "": Fraction(1),
    **{letter: Fraction(1000**power) for power, letter in enumerate("kMGTPE", 1)},
    **{f"{letter}i": Fraction(1024**power) for power, letter in enumerate("KMGTPE", 1)},
}  # fmt: skip
"""Suffixes of k8s.io/apimachinery, pkg/api/resource, suffix.go."""


def quantities(data: bytes) -> None:
    """A quantity is what the grammar says and no other text is one, however hostile the number."""
    text = data.decode("utf-8", "replace")
    try:
        found: quantity.Quantity | None = quantity.parse(text)
    except quantity.QuantityError:
        found = None
    assert quantity.parse_integer(text) == (found.whole if found else None)
    if found is not None:
        assert found.amount == _by_decimal(text)
    elif len(text) <= quantity.MAX_QUANTITY_LENGTH:
        other = _by_decimal(text)
        assert other is None or abs(other) > quantity.LIMIT, text
    assert not quantity.is_plain(text) or str(int(text[:4000])) == text[:4000]
    for kind in ScalarKind:
        value = Value(text, kind)
        one = number_format.number_as_written(value)
        assert one.form in number_format.NumberForm
        for unit in ("MiB", "GiB", "percent", ""):
            number_format.intended_number(one, unit)
        assert value.plain is None if kind is ScalarKind.NULL else str(value.plain) == text


def _by_decimal(text: str) -> Fraction | None:
    """A second reading of a quantity, by the decimal module; None where it is none."""
    if not text.isascii() or re.search(r"[_\s]", text):
        return None
    number = text.rstrip("numkKMGTPEi") if text[-1:].isalpha() else text
    suffix = text[len(number) :]
    if suffix not in _SUFFIXES or number[-1:] in ("e", "E"):
        return None
    exponent = number.lower().partition("e")[2]
    if (exponent and suffix) or len(exponent.strip("+-")) > 3 or number.strip("+-")[:1] not in "0123456789.":
        return None
    with localcontext() as context:
        context.prec = 4000
        try:
            return Fraction(Decimal(number)) * _SUFFIXES[suffix]
        except (InvalidOperation, ValueError, OverflowError):
            return None


# --- parameters ---------------------------------------------------------------------------------

WANTED = {"emr.serverless.mgpu.core": "30", "emr.serverless.mgpu.memory": "4096"}


def parameters(data: bytes) -> None:
    """Parameters of jobs in any text: read where they stand; ours go in and every other one stays."""
    source = source_of(data, "job.conf")
    if source is None:
        return
    for name in ("job.conf", "job.sql", "job.json"):
        given = Source(name, source.text)
        emr.engine_in(given)
        chosen = job_targets.reader_of(given)
        if chosen is not None:
            try:
                found = list(chosen(given))
            except NotYamlError:
                continue
            for document in found:
                list(jobs_in(document, job_targets.rows_of(document)))
    for syntax in (job.syntax for job in (emr.EmrSpark, emr.EmrRay, emr.EmrCustomjob)):
        before = syntax.read(source.text)
        at = 0
        for one in before:
            assert at <= one.key_start <= one.key_end <= one.value_start <= one.value_end <= one.end
            at = one.end
        assert at <= len(source.text)
        try:
            text = merge_parameters(source, syntax, WANTED)
        except MergeError:
            continue
        after = syntax.read(text)
        others = [(one.key, one.value) for one in before if one.key not in WANTED]
        assert [(one.key, one.value) for one in after if one.key not in WANTED] == others
        assert {one.key: one.value for one in after if one.key in WANTED} == WANTED
        assert merge_parameters(Source(source.name, text), syntax, WANTED) == text


# --- commands -----------------------------------------------------------------------------------


def speaks(source: Source) -> bool:
    """Some pod of the text has a key of some vendor."""
    found, _ = documents_of(source)
    return any(registry.backends_of(pod.keys) for document in found for pod in pods_in(document))


def commands(data: bytes) -> None:
    """Lint, its fixes and translate on any text: an answer, and no byte changed without a share."""
    source = source_of(data)
    if source is None:
        return
    settings = LintSettings()
    linted = lint_source(source, settings)
    json.dumps([one.to_json() for one in linted.diagnostics]).encode()
    fixed = fix_source(source, settings, unsafe=bool(len(data) % 2))
    assert fixed.fixes or fixed.text == source.text
    again = fix_source(Source(NAME, fixed.text), settings, unsafe=bool(len(data) % 2))
    assert (again.fixes, again.text) == (0, fixed.text)
    any_share = speaks(source)
    accept = Accept(True, {"cores": 30, "memoryMiB": 8192}, frozenset({"cores", "policy", "qos", "selector"}))
    for backend in (one for one in registry.pod_backends() if not one.read_only):
        made = translate_source(source, Settings(backend, accept=accept))
        if made.refused or not any_share:
            assert made.text == source.text
        elif made.changed:
            back = translate_source(Source(NAME, made.text), Settings(backend, accept=accept))
            assert not back.changed


Target = Callable[[bytes], None]
TARGETS: dict[str, Target] = {
    "reader": reader,
    "edits": edits,
    "quantities": quantities,
    "parameters": parameters,
    "commands": commands,
}
