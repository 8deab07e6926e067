"""Fuzzing guided by coverage: ``python -m tests.fuzz.guided TARGET [--seconds N]``; needs atheris.

What it learns goes into ``.cache/fuzz``, which is no part of the repository; an input that breaks
something is written there as ``TARGET/crash-...``. ``--minimise`` writes the fewest files that reach
as much into ``tests/fuzz/corpus``.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["gpuxlate"]):
    from tests.fuzz.targets import TARGETS

HERE = Path(__file__).parent
KNOWN = HERE / "corpus"
LEARNT = HERE.parent.parent / ".cache" / "fuzz"
LONGEST = 2048
"""Bytes of an input: what breaks something is short."""

YAML = (
    *(
        "- ",
        "? ",
        ": ",
        "# ",
        "--- ",
        "\n---\n",
        "\n...\n",
        "%YAML 1.1\n",
        "%TAG ! !a\n",
        "\r\n",
        "\ufeff",
        "\t",
    ),
    *(
        "&a ",
        "*a",
        "<<: *a",
        "!!str ",
        "!!int ",
        "!x ",
        "|+\n ",
        "|2-\n  ",
        ">-\n ",
        "'",
        '"',
        "{",
        "}",
        "[",
        "]",
    ),
    *(
        "\\ud83d\\ude00",
        "\\x85",
        "\\u2028",
        "\x85",
        "\u2028",
        "null",
        "~",
        "true",
        "0x1F",
        "0o7",
        "1_0",
        "1e9",
    ),
    *(
        "apiVersion: v1\n",
        "kind: Pod\n",
        "kind: List\nitems:\n",
        "kind: ",
        "metadata: ",
        "name: ",
        "labels: ",
    ),
    *("annotations: ", "spec: ", "template: ", "containers: ", "initContainers: ", "resources: ", "limits: "),
    *("requests: ", "nodeSelector: ", "env: ", "aliyun.com/gpu-mem: ", "aliyun.com/gpu-core.percentage: "),
    *("aliyun.com/gpu-count: ", "vke.volcengine.com/mgpu-core: ", "vke.volcengine.com/mgpu-memory: "),
    *("tke.cloud.tencent.com/qgpu-core: ", "tke.cloud.tencent.com/qgpu-memory: ", "gpuxlate.io/cores: "),
    *(
        "gpuxlate.io/memory-mib: ",
        "nvidia.com/gpu: ",
        "kind: GPUShare\n",
        "gpuxlate: ignore[GX003]",
        "{{ .x }}",
    ),
)
PARAMETERS = (
    *(
        "=",
        " = ",
        ": ",
        ";",
        ";\n",
        "\\\n",
        "\\\r\n",
        "\\u0041",
        "\\ ",
        "#",
        "!",
        "--",
        "/*",
        "*/",
        "'",
        '"',
        "`",
    ),
    *("set ", "SET\n", "emr.serverless.mgpu.core", "emr.serverless.mgpu.memory", "spark.", "serverless.ray."),
    *(
        "serverless.custom.job.",
        "SELECT 1;",
        '{"',
        '": "',
        '", "',
        "kind: ",
        "\x0b",
        "\xa0",
        "\x1c",
        "\u2028",
    ),
)
QUANTITIES = (
    "Ki",
    "Mi",
    "Gi",
    "Ei",
    "e3",
    "E-3",
    "0x",
    "0o",
    "0b",
    "_",
    ".",
    "-",
    "+",
    "%",
    "9223372036854775807",
)
WORDS = {"quantities": QUANTITIES, "parameters": PARAMETERS}
"""Pieces of text that chance alone would not find; YAML's where nothing else is said."""


def _entry(word: str) -> str:
    """A line of libFuzzer's dictionary."""
    return '"' + "".join(f"\\x{byte:02x}" for byte in word.encode()) + '"\n'


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.guided", description=__doc__)
    parser.add_argument("target", choices=sorted(TARGETS))
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--minimise", action="store_true")
    given = parser.parse_args()
    known, learnt = KNOWN / given.target, LEARNT / given.target
    learnt.mkdir(parents=True, exist_ok=True)
    options = [f"-max_len={LONGEST}", "-timeout=20", "-rss_limit_mb=2048", f"-artifact_prefix={learnt}/"]
    words = learnt.with_suffix(".words")
    words.write_text("".join(map(_entry, WORDS.get(given.target, YAML))), encoding="ascii")
    options.append(f"-dict={words}")
    if given.minimise:
        options += ["-merge=1", str(known), str(learnt)]
    else:
        options += [f"-max_total_time={given.seconds}", "-print_final_stats=1", str(learnt), str(known)]
    atheris.Setup([sys.argv[0], *options], TARGETS[given.target])
    atheris.Fuzz()


if __name__ == "__main__":
    main()
