"""Generated tables inside pages that people write.

``<!-- table: NAME ARGUMENTS -->`` and ``<!-- /table -->`` stand around each; what is between them is
written anew by ``make docs``.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from tools import becomes, sources

TABLES: dict[str, Callable[[str], list[str]]] = {
    "documents": sources.documents,
    "becomes": becomes.rows,
}
"""What makes each table; it is handed the arguments as they stand."""

_PLACE = re.compile(r"(<!-- table: (\w+) ?(.*?) -->\n).*?(<!-- /table -->)", re.DOTALL)


def with_tables(text: str, as_row: Callable[[str], str] = str) -> str:
    """The page with its tables as they are now, each row in the words of the page."""

    def made(place: re.Match[str]) -> str:
        rows = map(as_row, TABLES[place[2]](place[3]))
        return "\n".join([place[1].rstrip("\n"), *rows, place[4]])

    return _PLACE.sub(made, text)
