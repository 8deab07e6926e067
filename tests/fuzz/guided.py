"""Fuzzing guided by coverage: ``python -m tests.fuzz.guided TARGET [--seconds N]``; needs atheris.

What it learns goes into ``.cache/fuzz``, which is no part of the repository; an input that breaks
something is written there as ``TARGET/crash-...``. ``--keep N`` takes those N files of it into
``tests/fuzz/corpus`` that reach most of what nothing there reaches yet.
"""

import argparse
import hashlib
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType

import atheris

with atheris.instrument_imports(include=["gpuxlate"]):
    from tests.fuzz.targets import TARGETS

HERE = Path(__file__).parent
KNOWN = HERE / "corpus"
LEARNT = HERE.parent.parent / ".cache" / "fuzz"
LONGEST = 2048
"""Bytes of an input: what breaks something is short."""
SHORT = 300
"""Bytes of a file that is kept."""

YAML = (
    "- ", "? ", ": ", "# ", "--- ", "\n---\n", "\n...\n", "%YAML 1.1\n", "%TAG ! !a\n", "\r\n", "\ufeff",
    "\t", "&a ", "*a", "<<: *a", "!!str ", "!!int ", "!x ", "|+\n ", "|2-\n  ", ">-\n ", "'", '"', "{", "}",
    "[", "]", "\\ud83d\\ude00", "\\x85", "\\u2028", "\x85", "\u2028", "null", "~", "true", "0x1F", "0o7",
    "1_0", "1e9", "apiVersion: v1\n", "kind: Pod\n", "kind: List\nitems:\n", "kind: ", "metadata: ",
    "name: ", "labels: ", "annotations: ", "spec: ", "template: ", "containers: ", "initContainers: ",
    "resources: ", "limits: ", "requests: ", "nodeSelector: ", "env: ", "aliyun.com/gpu-mem: ",
    "aliyun.com/gpu-core.percentage: ", "aliyun.com/gpu-count: ", "vke.volcengine.com/mgpu-core: ",
    "vke.volcengine.com/mgpu-memory: ", "tke.cloud.tencent.com/qgpu-core: ",
    "tke.cloud.tencent.com/qgpu-memory: ", "gpuxlate.io/cores: ", "gpuxlate.io/memory-mib: ",
    "nvidia.com/gpu: ", "kind: GPUShare\n", "gpuxlate: ignore[GX003]", "{{ .x }}",
)  # fmt: skip
PARAMETERS = (
    "=", " = ", ": ", ";", ";\n", "\\\n", "\\\r\n", "\\u0041", "\\ ", "#", "!", "--", "/*", "*/", "'", '"',
    "`", "set ", "SET\n", "emr.serverless.mgpu.core", "emr.serverless.mgpu.memory", "spark.",
    "serverless.ray.", "serverless.custom.job.", "SELECT 1;", '{"', '": "', '", "', "kind: ", "\x0b", "\xa0",
    "\x1c", "\u2028",
)  # fmt: skip
QUANTITIES = (
    "Ki", "Mi", "Gi", "Ei", "e3", "E-3", "0x", "0o", "0b", "_", ".", "-", "+", "%", "9223372036854775807",
)  # fmt: skip
WORDS = {"quantities": QUANTITIES, "parameters": PARAMETERS}
"""Pieces of text that chance alone would not find; YAML's where nothing else is said."""


def _entry(word: str) -> str:
    """A line of libFuzzer's dictionary."""
    return '"' + "".join(f"\\x{byte:02x}" for byte in word.encode()) + '"\n'


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.guided", description=__doc__)
    parser.add_argument("target", choices=sorted(TARGETS))
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--keep", type=int, metavar="N")
    given = parser.parse_args()
    known, learnt = KNOWN / given.target, LEARNT / given.target
    learnt.mkdir(parents=True, exist_ok=True)
    if given.keep is not None:
        keep(given.target, known, learnt, given.keep)
        return
    words = learnt.with_suffix(".words")
    words.write_text("".join(map(_entry, WORDS.get(given.target, YAML))), encoding="ascii")
    limits = (f"-max_len={LONGEST}", "-timeout=20", "-rss_limit_mb=2048", f"-max_total_time={given.seconds}")
    options = (f"-dict={words}", f"-artifact_prefix={learnt}/", "-print_final_stats=1")
    atheris.Setup([sys.argv[0], *limits, *options, str(learnt), str(known)], TARGETS[given.target])
    atheris.Fuzz()


def keep(target: str, known: Path, learnt: Path, count: int) -> None:
    """Take over the files that reach most lines anew, the shorter one of two alike; one after the other."""
    reached = set().union(*(lines(target, path.read_bytes()) for path in known.iterdir()))
    found = [path.read_bytes() for path in learnt.iterdir() if path.stat().st_size <= SHORT]
    reach = {data: lines(target, data) for data in found}
    for _ in range(count):
        best = max(reach, key=lambda data: (len(reach[data] - reached), -len(data), data), default=b"")
        if not reach.get(best, set()) - reached:
            break
        (known / hashlib.sha256(best).hexdigest()[:8]).write_bytes(best)
        reached |= reach.pop(best)


def lines(target: str, data: bytes) -> set[tuple[str, int, int]]:
    """The steps from line to line of the package that a target takes with these bytes."""
    found: set[tuple[str, int, int]] = set()

    def trace(frame: FrameType, _event: str, _argument: object) -> Callable[..., object] | None:
        name = frame.f_code.co_filename
        if "gpuxlate/" not in name:
            return None
        before = frame.f_lineno

        def step(inner: FrameType, _event: str, _argument: object) -> Callable[..., object]:
            nonlocal before
            found.add((name, before, inner.f_lineno))
            before = inner.f_lineno
            return step

        return step

    sys.settrace(trace)
    try:
        TARGETS[target](data)
    finally:
        sys.settrace(None)
    return found


if __name__ == "__main__":
    main()
