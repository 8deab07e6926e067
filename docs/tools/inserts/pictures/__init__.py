"""The pictures of the documentation, drawn from what the code does."""

from __future__ import annotations

from collections.abc import Iterator

from docs.tools.inserts.chinese import PICTURES
from docs.tools.inserts.pictures import house, share, terminal, tree, way


def drawn() -> Iterator[tuple[str, str]]:
    """Every picture, by its name in ``docs/pictures``: ``share.zh.svg`` is ``share.svg`` in Chinese."""
    yield "house.svg", house.draw()
    for name, draw in (("share", share.draw), ("tree", tree.draw), ("way", way.draw)):
        yield f"{name}.svg", draw()
        yield f"{name}.zh.svg", draw(PICTURES)
    for shot in terminal.SHOTS:
        yield f"{shot.name}.svg", terminal.draw(shot)
