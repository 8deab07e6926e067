"""Documents that differ in names alone are treated alike: what is remembered is what reading would give."""

from __future__ import annotations

import re
import sys
from itertools import count
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuxlate.backends import registry
from gpuxlate.cli.translating import translated_piece
from gpuxlate.lint import LintSettings, lint_piece, lint_source
from gpuxlate.manifest import alike as module
from gpuxlate.manifest.alike import Alike, shape_of
from gpuxlate.manifest.pieces import Piece
from gpuxlate.manifest.source import Source
from gpuxlate.translate import Settings, translate_source

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


def renamed(data: bytes) -> bytes:
    """The document under other names, of other lengths."""
    number = count(1)

    def other(match: re.Match[bytes]) -> bytes:
        text = match[0]
        for group in (1, 2, 3):
            if match[group] is not None:
                start, end = (edge - match.start() for edge in match.span(group))
                word = b"%d" % next(number) if group == 3 else b"other-name-%d" % next(number)
                return text[:start] + word + text[end:]
        return text

    return module._FREE.sub(other, data)


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
    alike: Alike[tuple[int, int]] = Alike()
    lint_piece(Piece("f", other), LintSettings(), alike)  # what is remembered is of the other one
    cold = lint_source(Source("f", data.decode()), LintSettings())
    warm = lint_piece(Piece("f", data), LintSettings(), alike)
    assert warm == cold


@pytest.mark.parametrize("to", TARGETS)
@pytest.mark.parametrize("path", FILES, ids=str)
def test_a_renamed_file_is_translated_the_same(path: Path, to: str) -> None:
    data = path.read_bytes()
    settings = Settings(to=registry.get(to))
    alike: Alike[object] = Alike()
    translated_piece(Piece("f", renamed(data)), settings, alike, items=False)
    warm = translated_piece(Piece("f", data), settings, alike, items=False)
    cold = translate_source(Source("f", data.decode()), settings)
    assert warm.diagnostics == list(cold.diagnostics)
    if not cold.refused:
        assert (warm.text or data) == cold.text.encode()
    assert warm.documents == cold.documents


def test_what_is_alike_is_not_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Counted, not timed."""
    read = []
    module = sys.modules["gpuxlate.lint"]  # the package has a function of that name
    monkeypatch.setattr(module, "lint_source", lambda *given: (read.append(1), lint_source(*given))[1])
    data = "".join(f"---\n{DEPLOYMENT}".replace("web", f"web-{n}") for n in range(50)).encode()
    found = lint_piece(Piece("f", data), LintSettings(), Alike())
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


def test_no_key_of_a_vendor_is_a_name() -> None:
    """Where one stands as the name of a variable, or of a label in an affinity, a rule may speak of it."""
    keys = [row.name.rstrip("*") for backend in registry.all_backends() for row in backend.keys]
    assert [key for key in keys if module._FREE.search(f"- name: {key}".encode())] == []


@given(st.text("-a1.: \n#{}[]|>&*!'\"", max_size=40))
def test_another_name_never_changes_the_structure(around: str) -> None:
    """Whatever stands around it: the same documents and nodes, or the same complaint."""
    text = f"{around}\nname: xx\n{around}\n  - name: yy # zz\n{around}"
    data = text.encode()
    other = renamed(data)
    one, two = shape_of(data), shape_of(other)
    assert one is not None
    assert two is not None
    assert one.rest == two.rest
    assert structure(data) == structure(other)


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
