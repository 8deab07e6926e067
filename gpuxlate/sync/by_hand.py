"""Lines of a target's file that somebody changed, and the lines of the source that wrote them."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from gpuxlate.sync.files import file_bytes
from gpuxlate.sync.source import SourceTree
from gpuxlate.sync.target import WantedFile
from gpuxlate.yamltext.parse import locate
from gpuxlate.yamltext.source import LINE_BREAK, Source
from gpuxlate.yamltext.splices import Origins


def changed_lines(written: str, on_disk: str) -> Iterator[tuple[int, list[str], list[str]]]:
    """The lines that somebody changed in a text that sync wrote: the number of the first (from 1), the old
    lines and the new ones."""
    from gpuxlate.model.windows import differences

    old, new = LINE_BREAK.split(written), LINE_BREAK.split(on_disk)
    for tag, start, end, new_start, new_end in differences(old, new):
        if tag != "equal":
            yield min(start + 1, len(old)), old[start:end], new[new_start:new_end]


def line_writers(
    tree: SourceTree, file: WantedFile, written: str
) -> Callable[[int], Iterator[tuple[str, int, str]]]:
    """A function from the number of a line (from 1) of a text that sync wrote to the lines of the source it
    was made from: file, number from 1, and text. A line of a share comes from its GPUShare document."""
    old = Source(file.source.place, file_bytes(file.source.place).decode(errors="replace"))
    new = Source(file.source.place, written)
    translated, left_out, with_shares = map(Origins, file.steps)

    def of_line(number: int) -> Iterator[tuple[str, int, str]]:
        start = new.line_start(number)
        if with_shares.are_copied(start, start + len(new.line_text(number))):
            line, _ = old.position(translated.of(left_out.of(with_shares.of(start))))
            yield old.name, line, old.line_text(line)
            return
        for document, _ in tree.shares[file.source.path]:
            assert document.root is not None
            first = document.source.span(*locate(document.root, ("spec",))).line
            yield document.source.name, first, document.source.line_text(first)

    return of_line
