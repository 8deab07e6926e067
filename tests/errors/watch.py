"""Runs the whole table and prints the places that it came by, as JSON."""

import json
import tempfile
from pathlib import Path

from .running import run
from .sites import came_by, watched
from .table import sections


def main() -> None:
    """Every command of every row, each in a folder of its own."""
    seen: set[tuple[str, int]] = set()
    for section in sections():
        for case in (one for row in section.cases for one in row):
            with tempfile.TemporaryDirectory() as folder, watched(seen):
                run(case, Path(folder).resolve())
    print(json.dumps(sorted(came_by(seen))))


if __name__ == "__main__":
    main()
