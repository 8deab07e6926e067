"""Documents of every dialect with the oddities of real files: what the properties of this folder try.

A document is a manifest of ``fixtures/`` with a few mutations of its text, and is one document of valid
YAML, alone or in a stream: what it is wrong about, it is wrong about by itself.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import yaml
from hypothesis import strategies as st

from gpuxlate.backends import registry
from gpuxlate.claims.index import claim_text_of
from gpuxlate.model.keys import Place
from gpuxlate.testing.strategies import KEY_WORDS
from gpuxlate.yamltext.parse import NotYamlError, documents
from gpuxlate.yamltext.source import Source
from tests.fuzz.trees import NUMBERS as ODD
from tests.fuzz.trees import keys, of_catalog, texts, workloads
from tests.lint.cases import cases

ROOT = Path(__file__).parents[2]
OFTEN = 3
"""Mutations that make most of a difference are drawn so many times as often."""

_ENTRY = re.compile(
    r"""(?P<quote>["']?)(?P<key>[A-Za-z0-9.-]+/[A-Za-z0-9._-]+)(?P=quote)(?P<colon>\s*:\s+)(?P<value>"[^"\n]*"|'[^'\n]*'|[^,}\s#][^,}\s]*)"""
)
"""A key with a domain and its value, in block and flow style."""
# fmt: off
NUMBERS = (
    "900000002", "900000000", "10", "100", "0", "1", "2", "33", "30.0", "5.5", "0.5", "500m", "3000m", "2Gi",
    "6k", "4096", "0030", "0x10", "1e3", "1_000", "+5", "-5", "9223372036854775807", "9223372036854775808",
    "true", "null", "~", "''", "\"33\"", "'33'", "!!str 33", "!!int '33'", "\"\\u0033\\u0033\"", "[1]",
    "{a: 1}", "2,0", "\"2,0\"", "\u0663\u0660", "best-effort", "fixed-share", "offline",
)
SCHEDULERS = (
    "volcano", "\"volcano\"", "'volcano'", "hami-scheduler", "default-scheduler", "mine", "''",
    "\"vol\\x63ano\"", "!!str volcano", "volcano  # which",
)
COMMENTS = (
    "# gpuxlate: ignore[{code}] why", "# gpuxlate: ignore", "# a comment", "#", "# {{{{ .Values.x }}}}",
    "# 900000002", "# \u4e2d\u6587 \U0001f600",
)
CODES = ("GX003", "GX013", "K8S001", "K8S004", "HAMI003", "TKE002", "VKE011", "ACK001", "GX016", "NONE001")
# fmt: on
KEYS = tuple(
    dict.fromkeys(
        row.name.replace("*", "web")
        for one in registry.pod_backends()
        for row in one.keys
        if Place.NODE not in row.places or len(row.places) > 1
    )
)


def _texts() -> list[str]:
    """One document each, as it is in the fixtures and tests."""
    first = ("input", "share", "to", "workload")
    paths = [
        path
        for path in sorted((ROOT / "fixtures").rglob("*.yaml"))
        if path.parent.name != "lint" and re.split(r"[-.]", path.name)[0] in first
    ]
    paths += sorted((ROOT / "tests/manifest/kinds").iterdir())
    texts = [case.text for case in cases() if not case.name.endswith(".json")]
    texts += [path.read_text(encoding="utf-8") for path in paths]
    found = [part for text in texts for part in re.split(r"(?m)^---[ \t]*\n", text)]
    return [one for one in dict.fromkeys(map(_ended, found)) if is_one(one)]


def _ended(text: str) -> str:
    return text if text.endswith("\n") else text + "\n"


def is_one(text: str) -> bool:
    """The text is one document of YAML, not empty, and cannot change what is read before and after it."""
    if re.search(r"(?m)^(---|\.\.\.|%|\ufeff)", text):
        return False
    try:
        found = list(documents(Source("one.yaml", text)))
    except NotYamlError:
        return False
    return len(found) == 1 and found[0].root is not None


# --- mutations ------------------------------------------------------------------------------------
# Each takes a text and two numbers that choose: where, and what.


def _entry(text: str, where: int) -> re.Match[str] | None:
    found = list(_ENTRY.finditer(text))
    return found[where % len(found)] if found else None


def _spliced(text: str, match: re.Match[str], group: str | int, new: str) -> str:
    return text[: match.start(group)] + new + text[match.end(group) :]


def number(text: str, where: int, what: int) -> str:
    entry = _entry(text, where)
    return _spliced(text, entry, "value", NUMBERS[what % len(NUMBERS)]) if entry else text


def quoted_value(text: str, where: int, what: int) -> str:
    entry = _entry(text, where)
    if entry is None or entry["value"][0] in "\"'!&*[{":
        return text
    value = entry["value"]
    return _spliced(
        text, entry, "value", (f'"{value}"', f"'{value}'", f"!!str {value}", f"&v {value}")[what % 4]
    )


def quoted_key(text: str, where: int, what: int) -> str:
    """Quotes around a key, or an escape in it: YAML reads the same key."""
    entry = _entry(text, where)
    if entry is None or entry["quote"]:
        return text
    key = entry["key"]
    at = what // 4 % len(key)
    escaped = f'"{key[:at]}\\x{ord(key[at]):02x}{key[at + 1 :]}"'
    longer = f'"{key[:at]}\\u{ord(key[at]):04x}{key[at + 1 :]}"'
    return _spliced(text, entry, "key", (f'"{key}"', f"'{key}'", escaped, longer)[what % 4])


def misspelt(text: str, where: int, what: int) -> str:
    entry = _entry(text, where)
    if entry is None:
        return text
    key, at = entry["key"], what // 3 % len(entry["key"])
    made = (key[:at] + key[at + 1 :], key[:at] + "x" + key[at + 1 :], key[:at] + "s" + key[at:])[what % 3]
    return _spliced(text, entry, "key", made)


def other_key(text: str, where: int, what: int) -> str:
    """The key of another dialect, or of another place, with the same value."""
    entry = _entry(text, where)
    return _spliced(text, entry, "key", KEYS[what % len(KEYS)]) if entry else text


def one_more(text: str, where: int, what: int) -> str:
    """A key beside another: the same again, or one of any dialect."""
    entry = _entry(text, where)
    if entry is None:
        return text
    name = entry["key"] if what % 4 == 0 else KEYS[what // 4 % len(KEYS)]
    start = text.rfind("\n", 0, entry.start()) + 1
    if text[start : entry.start()].strip(" "):  # flow style
        return f"{text[: entry.start()]}{name}: {entry['value']}, {text[entry.start() :]}"
    return f"{text[:start]}{text[start : entry.start()]}{name}: {entry['value']}\n{text[start:]}"


def scheduler(text: str, _: int, what: int) -> str:
    """``schedulerName`` of the pod."""
    containers = re.search(r"(?m)^( *)containers:", text)
    if containers is None:
        return text
    line = f"{containers[1]}schedulerName: {SCHEDULERS[what % len(SCHEDULERS)]}\n"
    return text[: containers.start()] + line + text[containers.start() :]


def comment(text: str, where: int, what: int) -> str:
    """A comment on a line of its own, or behind one."""
    lines = text.split("\n")
    at = where % len(lines)
    said = COMMENTS[what % len(COMMENTS)].format(code=CODES[what // len(COMMENTS) % len(CODES)])
    if where % 2:
        lines[at] += f"  {said}"
    else:
        indent = len(lines[at]) - len(lines[at].lstrip(" "))
        lines.insert(at, " " * indent + said)
    return "\n".join(lines)


def line_twice(text: str, where: int, what: int) -> str:
    lines = text.split("\n")
    at = where % len(lines)
    return "\n".join([*lines[: at + 1], *lines[at : at + what % 2], *lines[at + 1 :]])


def line_gone(text: str, where: int, _: int) -> str:
    lines = text.split("\n")
    del lines[where % len(lines)]
    return "\n".join(lines)


def blank_lines(text: str, where: int, what: int) -> str:
    lines = text.split("\n")
    lines[where % len(lines) : 0] = ["", "   ", "\t"][: what % 3 + 1]
    return "\n".join(lines)


def other_breaks(text: str, _: int, what: int) -> str:
    return text.replace("\r\n", "\n").replace("\n", ("\r\n", "\r\n", "\n")[what % 3])


def written_anew(text: str, _: int, what: int) -> str:
    """The same data as somebody else writes it: JSON, flow style, limits that are shared by an anchor."""
    try:
        data = yaml.safe_load(text)
    except (yaml.YAMLError, ValueError, OverflowError, IndexError):  # the last of `!!int ''`
        return text
    try:
        match what % 5:
            case 0:
                return json.dumps(data) + "\n"
            case 1:
                return json.dumps(data, indent=2) + "\n"
            case 2:
                return str(yaml.safe_dump(data, default_flow_style=True, width=60))
            case 3:
                return str(yaml.safe_dump(data, sort_keys=False, default_style='"'))
        return str(yaml.safe_dump(_shared(data), sort_keys=False))
    except (TypeError, yaml.YAMLError):  # a date, a mapping as a key
        return text


def _shared(data: Any) -> Any:
    if isinstance(data, list):
        return [_shared(one) for one in data]
    if not isinstance(data, dict):
        return data
    made = {name: _shared(one) for name, one in data.items()}
    return made | {"requests": made["limits"]} if "limits" in made else made


Mutation = Callable[[str, int, int], str]
MUTATIONS: tuple[Mutation, ...] = (
    *([number, scheduler, other_key] * OFTEN),
    *(quoted_value, quoted_key, misspelt, one_more, comment, line_twice, line_gone, blank_lines),
    *(other_breaks, written_anew),
)


def mutated(text: str, steps: list[tuple[Mutation, int, int]]) -> str:
    """A text with the mutations after which it is still one document."""
    for mutation, where, what in steps:
        made = _ended(mutation(text, where, what))
        text = made if is_one(made) else text
    return text


BASES = _texts()
_steps = st.lists(
    st.tuples(st.sampled_from(MUTATIONS), st.integers(0, 999), st.integers(0, 9999)), max_size=4
)


def documents_of_any_dialect() -> st.SearchStrategy[str]:
    """One mutated document."""
    return st.builds(mutated, st.sampled_from(BASES), _steps)


@st.composite
def neighbours(draw: st.DrawFn) -> list[str]:
    """Up to six documents; often some that differ in one mutation only, or not at all."""
    base = draw(st.sampled_from(BASES))
    some = st.one_of(documents_of_any_dialect(), st.builds(mutated, st.just(base), _steps))
    return claims_apart(draw(st.lists(some, min_size=2, max_size=6)))


def claims_apart(texts: Iterable[str]) -> list[str]:
    """The documents without those that name a claim of another one: a pod has what its claims request."""
    apart: list[str] = []
    named: set[str] = set()
    for text in texts:
        names = set(_claims_in(text))
        if named.isdisjoint(names):
            apart.append(text)
            named |= names
    return apart


def _claims_in(text: str) -> Iterator[str]:
    """The names of claims and templates that a document has or uses."""
    found = claim_text_of(Source("", text))
    yield from (one.name for one in found.objects)
    claims = (one for pod in found.pods for one in pod.keys.claims)
    yield from (one.reference.text for one in claims if one.reference)
    yield from (word for one in found.unread for word in one.words())


@st.composite
def similar_products(draw: st.DrawFn) -> list[str]:
    """Generated documents that differ in one place: a name, a value, a key."""
    first = json.dumps(draw(st.one_of(workloads(), of_catalog())))
    words = [match.span() for match in re.finditer(r'"([^"\\]|\\.)*"', first)]
    made = [first]
    for _ in range(draw(st.integers(1, 3))):
        start, end = draw(st.sampled_from(words))
        other = draw(st.one_of(keys, st.sampled_from(KEY_WORDS), st.sampled_from(ODD), texts))
        made.append(first[:start] + json.dumps(other) + first[end:])
    return [one + "\n" for one in made]
