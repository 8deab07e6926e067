"""What ``gpuxlate sync`` costs beside ``translate``: one tree to three clouds. Run: python -m bench.sync

Three runs of ``translate``, a first ``sync``, and a second one without a change take turns, on two cores.
"""

from __future__ import annotations

import argparse
import json
import math
import statistics
import sys
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path

import gpuxlate
from bench import corpus, measure

TARGETS = ("volcengine-mgpu", "alibaba-gpushare", "tencent-qgpu")
FILES = 2000
FIRST_AIM, SECOND_AIM = 1.3, 0.3
"""What ``sync`` may take of three runs of ``translate``, and a second one of the first."""
ACCEPTED = "round: up, fill: {cores: 30, memoryMiB: 4096}, drop: [policy, qos, selector]"


@dataclass(frozen=True, slots=True)
class Row:
    """A tree of so many files. ``first`` is to three runs of ``translate``, ``second`` to the first.

    Seconds of CPU of all processes, and MiB of the largest, are medians; ratios are of medians.
    """

    files: int
    translate_seconds: float
    first_seconds: float
    second_seconds: float
    first: float
    first_elapsed: float
    second: float
    second_elapsed: float
    translate_mib: float
    first_mib: float
    second_mib: float


def translated() -> Iterator[str]:
    """Documents of the corpus that all targets take."""
    for text in corpus.documents():
        with suppress(gpuxlate.Refused):
            for name in TARGETS:
                gpuxlate.translate(
                    text,
                    to=name,
                    round="up",
                    fill={"cores": 30, "memoryMiB": 4096},
                    drop=("policy", "qos", "selector"),
                )
            yield text


def row(folder: Path, texts: list[str], program: str, runs: int) -> Row:
    """Measure a tree of these files."""
    corpus.tree(folder / "base", texts)
    (folder / ".git").mkdir()
    targets = ", ".join(f"{name}: {{dir: clusters/{name}, {ACCEPTED}}}" for name in TARGETS)
    (folder / ".gpuxlate.yaml").write_text(f"sync: [{{source: base, targets: {{{targets}}}}}]\n")
    each = (
        f"$0 translate base --to {name} {' '.join(corpus.ALLOW)} --output-dir out-{name}" for name in TARGETS
    )

    def shell(*lines: str) -> list[str]:
        script = " && ".join((f"cd {folder}", "export GPUXLATE_CORES=2", *lines))
        return ["sh", "-c", script, program]

    commands = {
        "translate": shell("rm -rf out-*", *each),
        "first": shell("rm -rf clusters", "$0 sync"),
        "second": shell("$0 sync"),
    }
    found = measure.together(commands, runs, codes=(0,))
    cpu = {name: statistics.median(one.cpu) for name, one in found.items()}
    wall = {name: statistics.median(one.wall) for name, one in found.items()}
    mib = {name: statistics.median(one.memory) for name, one in found.items()}
    return Row(
        files=len(texts),
        translate_seconds=cpu["translate"],
        first_seconds=cpu["first"],
        second_seconds=cpu["second"],
        first=cpu["first"] / cpu["translate"],
        first_elapsed=wall["first"] / wall["translate"],
        second=cpu["second"] / cpu["first"],
        second_elapsed=wall["second"] / wall["first"],
        translate_mib=mib["translate"],
        first_mib=mib["first"],
        second_mib=mib["second"],
    )


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.sync", description=__doc__)
    option = parser.add_argument
    option("--runs", type=int, default=3, help="runs of each command, after one that does not count")
    option(
        "--files", type=int, default=FILES, help="files of the larger tree; the other one has half of them"
    )
    option("--bin", type=Path, default=Path(sys.executable).parent, help="the folder of gpuxlate")
    option("--json", action="store_true")
    asked = parser.parse_args()
    texts = list(islice(translated(), asked.files))
    rows = []
    for count in (len(texts) // 2, len(texts)):
        with tempfile.TemporaryDirectory() as folder:
            rows.append(row(Path(folder), texts[:count], str(asked.bin / "gpuxlate"), asked.runs))
    half, whole = rows
    growth = [
        math.log2(after / before)
        for before, after in (
            (half.first_seconds, whole.first_seconds),
            (half.second_seconds, whole.second_seconds),
        )
    ]
    if asked.json:
        print(json.dumps({"rows": [asdict(one) for one in rows], "exponents": growth}, indent=2))
    else:
        print("| files | first to three translate | elapsed | second to first | elapsed | MiB |")
        print("| ---: " * 6 + "|")
        for one in rows:
            print(
                f"| {one.files:,} | {one.first:.2f} | {one.first_elapsed:.2f} | {one.second:.2f} "
                f"| {one.second_elapsed:.2f} | {one.translate_mib:.0f}, {one.first_mib:.0f}, "
                f"{one.second_mib:.0f} |"
            )
        print(f"from half to whole: first sync {growth[0]:.2f}, second {growth[1]:.2f}")
    sys.exit(
        max(whole.first, whole.first_elapsed) > FIRST_AIM
        or max(whole.second, whole.second_elapsed) > SECOND_AIM
    )


if __name__ == "__main__":
    main()
