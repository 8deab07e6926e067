"""Translate throughput beside a ruamel round trip of the same text. Run: python -m bench.translate"""

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
from yaml._yaml import CParser
from yaml.events import StreamEndEvent
for name in sys.argv[1:]:
    parser = CParser(open(name).read())
    while not isinstance(parser.get_event(), StreamEndEvent):
        pass
"""


def main() -> None:
    """One large file and a thousand small ones; the round trip is timed on a tenth and scaled."""
    tool = measure.program("gpuxlate") or sys.exit("install gpuxlate first")
    with tempfile.TemporaryDirectory() as folder:
        where = Path(folder)
        large, tenth = where / "large.yaml", where / "tenth.yaml"
        documents = 10_000_000 // len(corpus.deployment(1, gpu=True))
        large.write_text(corpus.stream(documents))
        tenth.write_text(corpus.stream(documents // 10))
        small = where / "tree"
        corpus.tree(small, 1000, 1)
        some = [str(path) for path in sorted(small.rglob("*.yaml"))[:100]]
        python = sys.executable
        timings = measure.together(
            {
                "translate, 10 MB in one file": [tool, "translate", str(large), "--to", "tke"],
                "C events of the same text": [python, "-c", EVENTS, str(large)],
                "translate, a tenth of it": [tool, "translate", str(tenth), "--to", "tke"],
                "ruamel round trip of the tenth": [python, "-c", ROUND_TRIP, str(tenth)],
                "translate, 1,000 files": [tool, "translate", str(small), "--to", "tke"],
                "ruamel round trip of 100 of them": [python, "-c", ROUND_TRIP, *some],
            },
            runs=3,
        )
    print(measure.table("translate", timings, "C events of the same text"))
    whole, part = timings["translate, a tenth of it"], timings["ruamel round trip of the tenth"]
    print(f"\none file: {part.seconds / whole.seconds:.1f} times the speed of the round trip")
    files, hundred = timings["translate, 1,000 files"], timings["ruamel round trip of 100 of them"]
    print(f"1,000 files: {10 * hundred.seconds / files.seconds:.1f} times the speed of the round trip")


if __name__ == "__main__":
    main()
