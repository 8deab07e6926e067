"""How the work grows with the input: CPU seconds beyond the start on n, 2n and 4n units of every kind.

The start is the same command on one unit. Run: python -m bench.growth [--only TEXT]
"""

from __future__ import annotations

import argparse
import json
import math
import re
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import groupby
from pathlib import Path

from bench import measure
from bench.kinds import FOLDER, INPUT, KINDS, OUTPUT, Kind

MOST = 1.15
"""The exponent of what grows in step with its input, and of what clocks differ by."""
LEAST = 0.5
"""CPU seconds beyond the start that n units take: less says nothing."""
FIRST = 64
"""Units of the first try."""
_PLACES = re.compile(f"{INPUT}|{FOLDER}|{OUTPUT}")


@dataclass(frozen=True, slots=True)
class Row:
    """One command on one kind of input. ``seconds``: the least, beyond the start, on n, 2n and 4n units."""

    kind: str
    command: str
    n: int
    seconds: tuple[float, float, float]
    why: str

    @property
    def exponents(self) -> tuple[float, float]:
        """From n to 2n, and from 2n to 4n."""
        once, twice, fourfold = (max(one, 1e-3) for one in self.seconds)
        return math.log2(twice / once), math.log2(fourfold / twice)

    @property
    def grows(self) -> bool:
        """It grows faster than its input, and nothing says that it should."""
        return self.exponents[1] > MOST and not self.why


def line(kind: str, found: Sequence[Row]) -> str:
    """A row of the table: from 2n to 4n, by command."""
    each = (f"{one.command} {one.exponents[1]:.2f}" for one in found)
    said = (f"**{text}**" if one.grows else text for one, text in zip(found, each, strict=True))
    return f"| {kind} | {', '.join(said)} | {found[0].why} |"


class Written:
    """Inputs of one kind by their number of units, each written once."""

    def __init__(self, kind: Kind, folder: Path) -> None:
        self._kind = kind
        self._folder = folder
        self._paths: dict[int, Path] = {}

    def command(self, program: str, label: str, count: int) -> list[str]:
        """The command on so many units, on one core."""
        if count not in self._paths:
            inside = self._folder / f"{count}"
            inside.mkdir()
            self._paths[count] = self._kind.write(inside, count)
        path = self._paths[count]
        places = {INPUT: str(path), FOLDER: str(self._folder / f"{count}"), OUTPUT: str(self._folder / "out")}
        given = self._kind.commands[label]
        words = [_PLACES.sub(lambda found: places[found[0]], one) for one in given]
        run = ["env", "GPUXLATE_CORES=1", program, *words]
        named = any(INPUT in one for one in given)
        return run if named else ["sh", "-c", 'exec "$@" < "$0"', str(path), *run]


def row(kind: Kind, label: str, program: str, runs: int) -> Row:
    """Measure one command on one kind, on as many units as take long enough."""
    with tempfile.TemporaryDirectory() as folder:
        written = Written(kind, Path(folder))

        def least(counts: Sequence[int], runs: int, warm: bool) -> list[float]:
            commands = {str(one): written.command(program, label, one) for one in (1, *counts)}
            found = measure.together(commands, runs, warm=warm, codes=kind.codes)
            start, *rest = (min(one.cpu) for one in found.values())
            return [one - start for one in rest]

        count = min(FIRST, kind.most // 4)
        while 8 * count <= kind.most and least([count], 1, warm=False)[0] < LEAST:
            count *= 2
        once, twice, fourfold = least([count, 2 * count, 4 * count], runs, warm=False)
        return Row(kind.name, label, count, (once, twice, fourfold), kind.why)


def rows(program: str, runs: int, only: str) -> Iterator[Row]:
    """Every command on every kind whose names contain a text; what grows too fast is measured again."""
    for kind in KINDS:
        for label in kind.commands:
            if only in f"{kind.name}: {label}":
                found = row(kind, label, program, runs)
                yield row(kind, label, program, 2 * runs) if found.grows else found


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.growth", description=__doc__)
    option = parser.add_argument
    option("--runs", type=int, default=3, help="runs of each command, of which the least counts")
    option("--only", default="", metavar="TEXT", help='only rows whose "KIND: COMMAND" contains this text')
    option("--bin", type=Path, default=Path(sys.executable).parent, help="the folder of gpuxlate")
    option("--json", action="store_true")
    asked = parser.parse_args()
    measured: list[Row] = []
    if not asked.json:
        print("| input | exponents from 2n to 4n | |\n| --- | --- | --- |")
    for kind, each in groupby(
        rows(str(asked.bin / "gpuxlate"), asked.runs, asked.only), lambda one: one.kind
    ):
        found = list(each)
        measured += found
        if not asked.json:
            print(line(kind, found), flush=True)
    if asked.json:
        print(json.dumps([asdict(one) | {"exponents": one.exponents} for one in measured], indent=2))
    sys.exit(any(one.grows for one in measured))


if __name__ == "__main__":
    main()
