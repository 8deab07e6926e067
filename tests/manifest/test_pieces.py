"""A text in pieces says the same as the whole: documents, findings, positions, and every byte."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from io import BytesIO
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuxlate.backends import registry
from gpuxlate.inputs.files import Input
from gpuxlate.lint.check import LintSettings, lint_source
from gpuxlate.lint.lint_marks import text_marks
from gpuxlate.lint.marks import may_hold
from gpuxlate.model.diagnostics import Diagnostic
from gpuxlate.translation.translate import Settings, translate_source
from gpuxlate.yamltext import pieces as module
from gpuxlate.yamltext.compose import NotYamlError, documents
from gpuxlate.yamltext.pieces import Piece, parts, pieces
from gpuxlate.yamltext.source import Source

FIXTURES = sorted(Path("fixtures").rglob("*.yaml"))
POD = """\
apiVersion: v1
kind: Pod
metadata: {{name: {name}}}
spec:
  containers:
  - name: main
    resources: {{limits: {{vke.volcengine.com/mgpu-core: {cores}, vke.volcengine.com/mgpu-memory: 4096}}}}
"""
LINES = st.sampled_from(
    [
        *("---\n", "--- \n", "---\r\n", "--- |\n", "---a\n", " ---\n", "...\n", "%YAML 1.1\n", "%TAG ! !x\n"),
        *("a: 1\n", "a: |\n", "  text\n", "# comment\n", "\n", "- b\n", '"open\n', "{\n", "}\n", "\ufeff"),
        *("kind: Pod\n", "x: &a 1\n", "y: *a\n", "{{ .Values }}\n", "vke.volcengine.com/mgpu-core: 5\r"),
        POD.format(name="good", cores=30),
        POD.format(name="bad", cores=33),
    ]
)


@pytest.fixture(params=[1, 120, 256 * 1024], ids=lambda size: f"{size} bytes")
def small(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    """Pieces and blocks of a few bytes, so that any text has many of them."""
    for name in ("PART", "PIECE", "BLOCK"):
        monkeypatch.setattr(module, name, request.param)
    return int(request.param)


def cut(data: bytes, matters: Callable[[bytes], bool]) -> list[Piece]:
    stream = BytesIO(data)
    found = pieces("f.yaml", stream.read(module.PIECE), stream.read)
    return [part for piece in found for part in parts(piece, matters)]


def gpu(data: bytes) -> bool:
    return may_hold(data, text_marks())


def outcome(sources: Iterator[Source]) -> list[object]:
    """Every document with its number, place and content; the last is what breaks."""
    seen: list[object] = []
    try:
        for source in sources:
            for one in documents(source):
                at = source.position(one.start)
                seen.append((one.index, at, one.text, one.root is None))
    except NotYamlError as error:
        seen.append((error.message, source.position(error.index)))
    return seen


def in_pieces(data: bytes) -> Iterator[Source]:
    number = 0
    for piece in cut(data, lambda _: True):
        source = piece.source(number)
        yield source
        number += sum(1 for _ in documents(source))


@given(st.lists(LINES, max_size=12).map("".join))
def test_cut_anywhere_it_reads_the_same(text: str) -> None:
    data = text.encode()
    with pytest.MonkeyPatch.context() as patch:
        for size in (1, 40):
            for name in ("PART", "PIECE", "BLOCK"):
                patch.setattr(module, name, size)
            found = cut(data, lambda _: True)
            assert b"".join(one.data for one in found) == data
            assert outcome(in_pieces(data)) == outcome(iter([Source("f.yaml", text)]))


@given(st.lists(LINES, max_size=12).map("".join))
def test_what_does_not_matter_is_yaml_without_findings(text: str) -> None:
    """The sound test: passed over is only what reading would have passed over too."""
    settings = LintSettings()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "PIECE", 1)
        for piece in cut(text.encode(), gpu):
            if not piece.matters:
                whole = lint_source(piece.source(), settings)
                assert (whole.documents, whole.diagnostics) == (piece.documents, [])


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("path", FIXTURES, ids=str)
def test_fixtures_in_pieces(path: Path) -> None:
    data = path.read_bytes()
    whole = lint_source(Source("f.yaml", data.decode()), LintSettings())
    found: list[Diagnostic] = []
    number = 0
    for piece in cut(data, gpu):
        linted = lint_source(piece.source(number), LintSettings())
        found += linted.diagnostics
        number += linted.documents
        if linted.broken:
            break
    assert found == whole.diagnostics
    assert number == whole.documents


@pytest.mark.usefixtures("small")
def test_translated_pieces_are_the_translated_whole() -> None:
    text = "---\n".join(POD.format(name=f"p{n}", cores=5 + 5 * (n % 9)) for n in range(40))
    settings = Settings(to=registry.get("tke"))
    whole = translate_source(Source("f.yaml", text), settings)
    made = [translate_source(one.source(), settings) for one in cut(text.encode(), gpu)]
    assert "".join(one.text for one in made) == whole.text
    assert [item.share for one in made for item in one.items] == [item.share for item in whole.items]


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("head", ["\x85\n", "\u2028", "\r", "# c\r", " \t\r\n\u2029"])
def test_line_breaks_of_every_kind_are_no_document(head: str) -> None:
    text = f"{head}\n--- \na: 1\n---\nb: 1\n"
    assert outcome(in_pieces(text.encode())) == outcome(iter([Source("f.yaml", text)]))


def test_memory_is_bounded_by_the_largest_document() -> None:
    """Counted, not timed: no piece is larger than the limit, and no more is read than was asked for."""
    text = POD.format(name="p", cores=30).encode() + b"---\n"
    blocks = iter([text * 3000] * 4)
    ahead = 0

    def read(_: int) -> bytes:
        nonlocal ahead
        block = next(blocks, b"")
        ahead += len(block)
        return block

    seen = 0
    for piece in pieces("f.yaml", read(0), read):
        ahead -= len(piece.data)
        seen += len(piece.data)
        assert len(piece.data) < module.PART + 2 * len(text)
        assert ahead <= 2 * 3000 * len(text)
        assert all(len(part.data) <= module.PIECE for part in parts(piece, gpu))
    assert seen == 4 * 3000 * len(text)


@pytest.mark.usefixtures("small")
def test_of_a_folder_s_file_without_keys_nothing_matters(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_text("a: [1\n---\nb: 2\n" * 50)  # no YAML, and nobody asked
    found = list(Input(str(path), path, named=False).pieces(text_marks))
    assert b"".join(one.data for one in found) == path.read_bytes()
    assert not any(one.matters for one in found)


def test_a_key_over_the_edge_of_two_blocks_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.yaml"
    for before in range(20, 60):
        path.write_text("#" * before + "\n---\n" + POD.format(name="p", cores=33))
        monkeypatch.setattr(module, "PIECE", 64)
        found = list(Input(str(path), path, named=False).pieces(text_marks))
        assert any(one.matters for one in found)
