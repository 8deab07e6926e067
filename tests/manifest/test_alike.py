"""Documents that differ in names alone are treated alike: what is remembered is what reading would give."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuxlate.backends import registry
from gpuxlate.cli.translating import translated_piece
from gpuxlate.lint.check import LintSettings, lint_source
from gpuxlate.lint.lint_marks import text_marks
from gpuxlate.lint.lint_repeated import lint_repeated
from gpuxlate.model.sheet import Place
from gpuxlate.translation.fit import Accept
from gpuxlate.translation.repeated import Repeated
from gpuxlate.translation.translate import Settings, translate_source
from gpuxlate.yamltext import alike as module
from gpuxlate.yamltext.alike import Alike, Shape
from gpuxlate.yamltext.pieces import Piece
from gpuxlate.yamltext.source import Source

FILES = [
    path
    for folder in ("fixtures", "examples")
    for path in sorted(Path(folder).rglob("*.y*ml"))
    if path.read_bytes().isascii()
]
TARGETS = ("volcengine-mgpu", "alibaba-gpushare", "tencent-qgpu")
DEPLOYMENT = """\
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web   # the first
  namespace: team-1
spec:
  replicas: 2
  template:
    metadata:
      labels:
        app: web
    spec:
      containers:
      - name: main
        image: registry.example.com/team-1/web:1.2
        resources: {limits: {vke.volcengine.com/mgpu-core: 30, vke.volcengine.com/mgpu-memory: 4096}}
"""


def new_alike() -> Alike[Any, Any]:
    return Alike(text_marks)


def shape_of(data: bytes) -> Shape | None:
    return new_alike().shape_of(data)


def renamed(data: bytes) -> bytes:
    """The document with other values in place of those that are left out, of other lengths."""
    shape = shape_of(data)
    if shape is None:
        return data
    number = count(1)

    def other(word: bytes) -> bytes:
        kind = module._kind(word)
        if kind == module._STRING:
            return b"other/name:%d" % next(number)
        if kind.endswith(b"str"):
            return b"other-name-%d" % next(number)
        return b"1%d" % next(number) if kind.endswith(b"int") else word

    lines = []
    for line in shape.lines:
        match = module._FREE.fullmatch(line)
        if match is not None and line in shape._known.spans and line not in shape._known.numbers:
            start, end = match.span("value")
            behind = line[end:]
            if match["comment"] is not None:
                behind = line[end : match.start("comment")] + b" another one"
            before = line[:start]
            if line in shape._known.foreign:
                first, last = match.span("key")
                before = line[:first] + b"other.org/key-%d" % next(number) + line[last:start]
            line = before + module._ITEM.sub(lambda item: other(item[0]), match["value"]) + behind
        lines.append(line)
    return b"\n".join(lines)


def renumbered(data: bytes) -> Iterator[bytes]:
    """The document with other numbers: good ones and bad ones."""
    shape = shape_of(data)
    if shape is None or not shape.numbers:
        return
    for factor, more in OTHER_NUMBERS:
        yield shape.with_numbers([b"%d" % (factor * int(number) + more) for number in shape.numbers])


OTHER_NUMBERS = ((2, 0), (1, 1), (1, 5), (0, 1), (0, 20), (0, 100), (0, 10240))
"""Factors, and what is added."""


@pytest.mark.parametrize("path", FILES, ids=str)
def test_a_renamed_file_has_the_shape_and_the_findings(path: Path) -> None:
    data = path.read_bytes()
    other = renamed(data)
    for one, two in zip(Piece("f", data).single(), Piece("f", other).single(), strict=True):
        shapes = shape_of(one.data), shape_of(two.data)
        if shapes[0] is None:
            continue
        assert shapes[1] is not None
        assert shapes[0].rest == shapes[1].rest
        assert shapes[0].numbers == shapes[1].numbers
    alike = new_alike()
    lint_repeated(Piece("f", other), LintSettings(), alike)  # what is remembered is of the other one
    cold = lint_source(Source("f", data.decode()), LintSettings())
    warm = lint_repeated(Piece("f", data), LintSettings(), alike)
    assert warm == cold


@pytest.mark.parametrize("to", TARGETS)
@pytest.mark.parametrize("path", FILES, ids=str)
def test_a_renamed_file_is_translated_the_same(path: Path, to: str) -> None:
    data = path.read_bytes()
    settings = Settings(to=registry.get(to))
    repeated = Repeated(settings)
    translated_piece(Piece("f", renamed(data)), settings, repeated, items=False)
    assert_translated_the_same(data, settings, repeated)


def assert_translated_the_same(data: bytes, settings: Settings, repeated: Repeated) -> None:
    warm = translated_piece(Piece("f", data), settings, repeated, items=False)
    cold = translate_source(Source("f", data.decode()), settings)
    assert warm.diagnostics == list(cold.diagnostics)
    if not cold.refused:
        assert (warm.text or data) == cold.text.encode()
    assert warm.documents == cold.documents


@pytest.mark.parametrize("path", FILES, ids=str)
def test_other_numbers_have_their_own_findings(path: Path) -> None:
    for part in Piece("f", path.read_bytes()).single():
        alike = new_alike()
        for data in (part.data, renamed(part.data)):  # twice: then there is a pattern
            lint_repeated(Piece("f", data), LintSettings(), alike)
        for data in renumbered(part.data):
            warm = lint_repeated(Piece("f", data), LintSettings(), alike)
            assert warm == lint_source(Source("f", data.decode()), LintSettings())


@pytest.mark.parametrize("to", TARGETS)
@pytest.mark.parametrize("path", FILES, ids=str)
def test_other_numbers_are_translated_by_themselves(path: Path, to: str) -> None:
    settings = Settings(to=registry.get(to), accept=Accept(round_up=True))
    for part in Piece("f", path.read_bytes()).single():
        repeated = Repeated(settings)
        numbers = [part.data, *renumbered(part.data)]
        for data in numbers:
            translated_piece(Piece("f", renamed(data)), settings, repeated, items=False)
        for data in numbers:
            assert_translated_the_same(data, settings, repeated)


def test_what_is_alike_is_not_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Counted, not timed."""
    read = []
    module = sys.modules["gpuxlate.lint.lint_repeated"]
    monkeypatch.setattr(module, "lint_source", lambda *given: (read.append(1), lint_source(*given))[1])
    data = "".join(f"---\n{DEPLOYMENT}".replace("web", f"web-{n}") for n in range(50)).encode()
    found = lint_repeated(Piece("f", data), LintSettings(), new_alike())
    assert (found.documents, found.shares, found.diagnostics) == (50, 50, [])
    assert len(read) == 1


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("mgpu-core: 30", "mgpu-core: 33"),
        ("name: main", "name: MAIN"),
        ("name: main", "name: nvidia.com/gpu"),
        ("name: main", "name: qgpu-device-enable"),
        ("image: registry.example.com/team-1/web:1.2", "image: *image"),
        ("  name: web", "  name: |"),
        ("app: web", "app: {a: b}"),
        ("# the first", "# gpuxlate: ignore[VKE001]"),
        ("replicas: 2", "replicas: two"),
        ("kind: Deployment", "kind: deployment"),
    ],
)
def test_other_differences_are_another_shape(old: str, new: str) -> None:
    one, two = shape_of(DEPLOYMENT.encode()), shape_of(DEPLOYMENT.replace(old, new).encode())
    assert one is not None
    assert two is None or two.rest != one.rest


def left_out(line: bytes) -> bool:
    shape = shape_of(line)
    return shape is not None and line in shape._known.spans and not shape.numbers


def test_no_key_of_a_vendor_is_left_out() -> None:
    """Where one stands as the name of a variable, or of a label in an affinity, a rule may speak of it."""
    keys = [row.name.rstrip("*") for backend in registry.all_backends() for row in backend.keys]
    for line in ("- name: {}", "image: {}", "{}: web", '{}: "web"', 'args: ["{}"]', 'value: "{}"'):
        assert [key for key in keys if left_out(line.format(key).encode()) and "/" in key] == []


def test_variables_that_something_looks_at_keep_their_values() -> None:
    keys = {row.name for one in registry.all_backends() for row in one.keys if Place.ENV in row.places}
    assert keys
    for key in keys:
        data = f"- name: {key}\n  value: full\n- name: OTHER\n  value: full\n".encode()
        shape = shape_of(data)
        assert shape is not None
        assert shape.rest.count(b"full") == 2
    assert left_out(b"  value: full")


def test_foreign_keys_that_are_given_twice_are_kept() -> None:
    once = shape_of(b"a.example.com/x: web\nb.example.com/x: web\n")
    twice = shape_of(b"a.example.com/x: web\na.example.com/x: web\n")
    quoted = shape_of(b'a.example.com/x: web\n"a.example.com/x": web\n')
    assert once is not None
    assert twice is not None
    assert quoted is not None
    assert b"example" not in once.rest
    assert b"a.example.com" in twice.rest
    assert quoted.rest.count(b"a.example.com") == 2


@pytest.mark.parametrize(
    "line", ["name: {}", "image: {}", "value: {}", "port: {}", "a.b/c: {}", 'args: ["{}"]', 'value: "{}"']
)
def test_what_stands_in_for_a_word_says_its_kind(line: str) -> None:
    """How neighbours are written is the habit that new values follow: numbers say nothing of it."""
    words = ("web", "1", "true", "null", "1.5")
    shapes = [shape_of(line.format(word).encode()) for word in words]
    assert len({shape.rest for shape in shapes if shape}) == len(words)


FREE = st.sampled_from(
    [
        "name: yy # zz",
        "image: r/a:1",
        "port: 80",
        'args: ["--a=b", "c"]',
        "value: one",
        'value: "1"',
        "x.example.com/y: z",
    ]
)


@given(st.text("-a1.: \n#{}[]|>&*!'\",?\\/", max_size=40), FREE, st.sampled_from(["", "- ", "  ", "  - "]))
def test_another_value_never_changes_the_structure(around: str, free: str, before: str) -> None:
    """Whatever stands around it: the same documents and nodes, or the same complaint."""
    text = f"{around}\n{before}{free}\n{around}\n  - name: yy # zz\n{around}"
    data = text.encode()
    other = renamed(data)
    one, two = shape_of(data), shape_of(other)
    assert one is not None
    assert two is not None
    assert one.rest == two.rest
    assert structure(data) == structure(other)


@given(st.text("-a1.: \n#{}[]|>&*!'\",?\\/", max_size=40), st.sampled_from(["30", '"30"', "30 # a"]))
def test_another_number_never_changes_the_structure(around: str, written: str) -> None:
    data = f"{around}\n  vke.volcengine.com/mgpu-core: {written}\n{around}".encode()
    shape = shape_of(data)
    assert shape is not None
    assert shape.numbers == (b"30",)
    assert structure(data) == structure(shape.with_numbers([b"7000"]))


def structure(data: bytes) -> list[str]:
    from yaml._yaml import CParser
    from yaml.error import YAMLError

    parser = CParser(data)
    seen: list[str] = []
    try:
        while (event := parser.get_event()) is not None:
            seen.append(type(event).__name__)
    except YAMLError as error:
        seen.append(str(getattr(error, "problem", error)))
    return seen
