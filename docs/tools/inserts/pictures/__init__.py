"""The pictures of the documentation, drawn from what the code does."""

from __future__ import annotations

from collections.abc import Iterator

from docs.tools.inserts.chinese import PICTURES
from docs.tools.inserts.pictures import house, share, tree, way


def drawn() -> Iterator[tuple[str, str]]:
    """Every picture, by its name in ``docs/pictures``: ``share.zh.svg`` is ``share.svg`` in Chinese, and
    ``share.narrow.svg`` what the site shows on a narrow screen."""
    yield "house.svg", house.draw()
    yield "way.svg", way.draw()
    yield "way.narrow.svg", way.draw_narrow()
    for language, words in ((".", str), (".zh.", PICTURES)):
        yield f"share{language}svg", share.draw(words)
        yield f"share.narrow{language}svg", share.draw(words, share.NARROW)
        yield f"tree{language}svg", tree.draw(words)
