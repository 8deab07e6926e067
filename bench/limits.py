"""CPU seconds and memory of inputs made to blow up, or at the limits. Run: python -m bench.limits"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from bench import corpus, measure
from gpuxlate.model import limits

KEY = "vke.volcengine.com/mgpu-core"
MAP = f"kind: ConfigMap\ndata: {{{KEY}: 1}}\n"
POD = "kind: Pod\nspec:\n  containers:\n"


def laughs(levels: int) -> str:
    """Each level stands for ten times as much as the last."""
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, levels)]
    return MAP + "\n".join(lines) + "\n"


def inputs() -> Iterator[tuple[str, str]]:
    """What it is, and the text."""
    one = "{name: c, resources: {limits: {aliyun.com/gpu-mem: 2Gi}}}"
    yield "one Pod with a share, for comparison", corpus.deployment(1, gpu=True)
    yield "alias bomb of 10^10 nodes", laughs(10)
    yield "aliases just below their limit", laughs(5) + "b: [" + ", ".join(["*a4"] * 7) + "]\n"
    yield (
        "500 merges of merges",
        MAP
        + "m0: &m0 {k: 1}\n"
        + "".join(f"m{n}: &m{n} {{<<: *m{n - 1}, k{n}: 1}}\n" for n in range(1, 500)),
    )
    yield "1,000,000 open brackets", f"# {KEY}\n" + "[" * 1_000_000
    yield "a document of 2,000,000 nodes", MAP + "x: [" + "a, " * (limits.MAX_NODES - 20) + "a]\n"
    yield "100,000 documents", "---\n".join(["a: 1\n"] * (limits.MAX_DOCUMENTS - 1)) + f"# {KEY}\n"
    yield (
        "one line of 10 MB with a finding",
        (
            '{"kind": "Pod", "x": "' + "y" * 10_000_000 + f'", "spec": {{"containers": [{{"name": "c", '
            f'"resources": {{"limits": {{"{KEY}": "3.5"}}}}}}]}}}}'
        ),
    )
    yield "a number of 10,000,000 digits", f"{POD}  - resources: {{limits: {{{KEY}: {'9' * 10_000_000}}}}}\n"
    yield (
        "20,000 keys outside of pods",
        "kind: ConfigMap\ndata:\n" + "".join(f"  {KEY}{n}: 1\n" for n in range(20_000)),
    )
    yield "10,000 ignores in a row", "# gpuxlate: ignore[GX001] none\n" * limits.MAX_IGNORES + MAP
    yield "a string of 1,000,000 dots", MAP + f'x: "{"a." * 1_000_000}\\n/"\n'
    yield "10,000 findings with a fix", POD + f"  - {one}\n" * 10_000
    yield "128 MiB of comments", MAP + "#" * (limits.MAX_TEXT - len(MAP))


def main() -> None:
    """A table for lint, with the fixes of SARIF, and for translate."""
    tool = measure.program("gpuxlate") or sys.exit("install gpuxlate first")
    commands = {"lint": ["lint", "--format", "sarif"], "translate": ["translate", "--to", "tke"]}
    print(f"{'':38}{'MB':>7}" + "".join(f"{name:>11}{'CPU s':>6}{'MiB':>6}" for name in commands))
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "a.yaml"
        for what, text in inputs():
            file.write_text(text)
            row = f"{what:38}{len(text) / 1e6:7.2f}"
            for arguments in commands.values():
                timing, code = measure.once([tool, *arguments, str(file)])
                row += f"{f'exit {code}':>11}{timing.cpu:6.1f}{timing.memory:6.0f}"
            print(row, flush=True)


if __name__ == "__main__":
    main()
