"""The worst case: every document has a share. Beside the bare C events of the same text, the floor.

Run: python -m bench.worst
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from bench import corpus, measure

ROUND_TRIP = """
import sys
from ruamel.yaml import YAML
yaml = YAML()
for name in sys.argv[1:]:
    with open(name) as stream:
        found = list(yaml.load_all(stream))
    with open("/dev/null", "w") as out:
        yaml.dump_all(found, out)
"""

EVENTS = """
import sys
from pathlib import Path
from yaml._yaml import CParser
from yaml.events import StreamEndEvent
for name in sys.argv[1:]:
    for path in [Path(name)] if Path(name).is_file() else Path(name).rglob("*.yaml"):
        parser = CParser(path.read_bytes())
        while not isinstance(parser.get_event(), StreamEndEvent):
            pass
"""
FLOOR = "C events of the same text, the floor"
LARGE = 10_000_000


def main() -> None:
    """One large file and a thousand small ones, by how much of them differs."""
    tool = measure.program("gpuxlate") or sys.exit("install gpuxlate first")
    ruamel = measure.has_module("ruamel.yaml")
    if not ruamel:
        print("not installed, left out: ruamel.yaml")
    with tempfile.TemporaryDirectory() as folder:
        where = Path(folder)
        for title, kind in corpus.WITH_SHARES:
            large, tenth, tree = where / "large.yaml", where / "tenth.yaml", where / kind.__name__
            documents = LARGE // len(kind(1, gpu=True))
            large.write_text(corpus.stream(documents, kind))
            tenth.write_text(corpus.stream(documents // 10, kind))
            corpus.tree(tree, 1000, 1, kind)
            side_by_side(tool, f"one file of 10 MB, {documents} documents; {title}", large)
            side_by_side(tool, f"1,000 files; {title}", tree)
            if ruamel:
                name = "translate, 1 MB in one file"
                rows = {
                    name: [*translate(tool, 1), str(tenth)],
                    "ruamel.yaml round trip of it": [sys.executable, "-c", ROUND_TRIP, str(tenth)],
                }
                print(measure.table(f"round trip; {title}", measure.together(rows, 1), name))


def side_by_side(tool: str, title: str, path: Path) -> None:
    """Both commands, on one core and on two, and the floor."""
    rows = {FLOOR: [sys.executable, "-c", EVENTS, str(path)]}
    for cores, name in ((1, "one core"), (2, "two cores")):
        rows[f"lint, {name}"] = ["env", f"GPUXLATE_CORES={cores}", tool, "lint", str(path)]
        rows[f"translate, {name}"] = [*translate(tool, cores), str(path)]
    found = measure.together(rows, 3)
    print(measure.table(title, found, FLOOR))
    for what in ("lint", "translate"):
        one, two = found[f"{what}, one core"], found[f"{what}, two cores"]
        print(f"{what}: {one.seconds / two.seconds:.1f} times as fast on two cores (wall)")


def translate(tool: str, cores: int) -> list[str]:
    return ["env", f"GPUXLATE_CORES={cores}", tool, "translate", "--to", "tke"]


if __name__ == "__main__":
    main()
