"""The pictures of the documentation, drawn from what the code does: ``make docs`` writes them anew."""

from __future__ import annotations

from collections.abc import Iterator

from tools.pictures import house, share, terminal, way


def files() -> Iterator[tuple[str, str]]:
    """Every picture, by its path in the repository."""
    yield "docs/pictures/share.svg", share.draw()
    yield "docs/pictures/way.svg", way.draw()
    yield "docs/pictures/house.svg", house.draw()
    for shot in terminal.SHOTS:
        yield f"docs/pictures/{shot.name}.svg", terminal.draw(shot)
