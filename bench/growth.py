"""How time and memory grow with the size of the input. Run: python -m bench.growth"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from bench import corpus, measure

SIZES = {"1 MB": 1_000_000, "10 MB": 10_000_000, "100 MB": 100_000_000}
COUNTS = (10, 1_000, 100_000)


def main() -> None:
    """Bytes, then documents. On one core, so that the peak is that of the process which does the work."""
    tool = measure.program("gpuxlate") or sys.exit("install gpuxlate first")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "stream.yaml"
        made = len(corpus.unlike_deployment(1, gpu=True))
        sizes = {name: size // made for name, size in SIZES.items()} | {f"{n:,} documents": n for n in COUNTS}
        for what in (["lint"], ["translate", "--to", "tke"]):
            print(f"\n{what[0]}, no document like another\n{'':18}{'CPU s':>9}{'us/document':>14}{'MiB':>7}")
            for name, documents in sizes.items():
                path.write_text(corpus.stream(documents, corpus.unlike_deployment))
                timing, _ = measure.once(["env", "GPUXLATE_CORES=1", tool, *what, str(path)])
                each = 1e6 * timing.cpu / documents
                print(f"{name:18}{timing.cpu:9.2f}{each:14.0f}{timing.memory:7.0f}")


if __name__ == "__main__":
    main()
