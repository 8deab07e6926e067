"""The pictures of the documentation, drawn from what the code does."""

from __future__ import annotations

from collections.abc import Iterator

from docs.tools.inserts.pictures import house, share, terminal, way


def drawn() -> Iterator[tuple[str, str]]:
    """Every picture, by its name in ``docs/pictures``."""
    yield "share.svg", share.draw()
    yield "way.svg", way.draw()
    yield "house.svg", house.draw()
    for shot in terminal.SHOTS:
        yield f"{shot.name}.svg", terminal.draw(shot)
