"""How much code there is, and how much of it one share goes through. Run: python -m bench.structure

It needs nothing but an installed gpuxlate, so that another version is measured with
``ITS/python bench/structure.py``.
"""

from __future__ import annotations

import io
import subprocess
import sys
import tempfile
from collections import Counter
from contextlib import redirect_stderr, redirect_stdout, suppress
from pathlib import Path
from types import CodeType, FrameType

import gpuxlate
from gpuxlate.cli import main as gpuxlate_main

PACKAGE = Path(gpuxlate.__file__).parent
SHARE = """\
apiVersion: gpuxlate.io/v1alpha1
kind: GPUShare
metadata: {name: web}
spec: {cores: 30, memoryMiB: 4096}
"""
POD = """\
apiVersion: v1
kind: Pod
metadata: {name: web}
spec:
  containers:
  - name: web
    image: registry.example.com/web:1
    resources:
      limits:
        vke.volcengine.com/mgpu-core: 30
        vke.volcengine.com/mgpu-memory: 4096
"""
FIRST_CHECKS = ("lint_source", "run_source")
"""The functions that check and translate the first source of a run."""
APART = ("backends", "rules", "locale")
"""Vendors, rules and translations of messages, counted apart."""


def run(*arguments: str) -> None:
    """One command in this process; what it prints is thrown away."""
    out, err = (io.TextIOWrapper(io.BytesIO()) for _ in range(2))
    with redirect_stdout(out), redirect_stderr(err), suppress(SystemExit):
        gpuxlate_main(arguments)


class Entered:
    """What of the package a command goes through, as sys.setprofile tells.

    Functions are those with a name: comprehensions and lambdas are parts of theirs. A move is a call from a
    function of one module to one of another; a generator that goes on is no call.
    """

    def __init__(self, *arguments: str) -> None:
        self.codes: set[CodeType] = set()
        self.moves = 0
        self._frames: set[FrameType] = set()
        run(*arguments)  # imports, and what is kept from then on
        sys.setprofile(self._event)
        try:
            run(*arguments)
        finally:
            sys.setprofile(None)

    def _event(self, frame: FrameType, event: str, _: object) -> None:
        code, before = frame.f_code, frame.f_back
        if event != "call" or frame in self._frames or not _is_ours(code):
            return
        self._frames.add(frame)
        self.codes.add(code)
        if before and _is_ours(before.f_code) and before.f_code.co_filename != code.co_filename:
            self.moves += 1

    def __str__(self) -> str:
        functions = sum(not code.co_name.startswith("<") for code in self.codes)
        modules = len({code.co_filename for code in self.codes})
        return f"| {functions} | {modules} | {self.moves} |"


def frames_to_first_check(*arguments: str) -> int:
    """How many functions of the package, ``main`` included, are on the stack below the first check."""
    frames: list[FrameType] = []

    def event(frame: FrameType, kind: str, _: object) -> None:
        if not frames and kind == "call" and frame.f_code.co_name in FIRST_CHECKS:
            above = frame.f_back
            while above:
                if _is_ours(above.f_code):
                    frames.append(above)
                above = above.f_back

    sys.setprofile(event)
    try:
        run(*arguments)
    finally:
        sys.setprofile(None)
    return len(frames)


def modules_at_start() -> int:
    """How many modules of the package a lint without GPU keys loads."""
    code = (
        "import sys; from gpuxlate.cli import main\n"
        "try: main(['lint', sys.argv[1]])\n"
        "except SystemExit: print(sum(name.startswith('gpuxlate') for name in sys.modules))"
    )
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
        file.write("a: 1\n")
        file.flush()
        done = subprocess.run([sys.executable, "-c", code, file.name], capture_output=True, check=True)
    return int(done.stdout.split()[-1])


def _is_ours(code: CodeType) -> bool:
    return code.co_filename.startswith(str(PACKAGE))


def rooms() -> tuple[Counter[str], Counter[str]]:
    """Files and lines of Python by folder of the package; "" is the package itself."""
    files: Counter[str] = Counter()
    lines: Counter[str] = Counter()
    for path in PACKAGE.rglob("*.py"):
        parts = path.relative_to(PACKAGE).parts
        room = parts[0] if len(parts) > 1 else ""
        files[room] += 1
        lines[room] += len(path.read_bytes().splitlines())
    return files, lines


def main() -> None:
    print("| one share | functions | modules | moves |\n| --- | ---: | ---: | ---: |")
    with tempfile.TemporaryDirectory() as folder:
        share, pod = Path(folder, "share.yaml"), Path(folder, "pod.yaml")
        share.write_text(SHARE)
        pod.write_text(POD)
        to = ("--to", "tencent-qgpu")
        for command in (("render", str(share), *to), ("parse", str(pod)), ("translate", str(pod), *to)):
            print(f"| `{command[0]}` {Entered(*command)}")
        print("\n| frames to the first check | |\n| --- | ---: |")
        for command in (("lint", str(pod)), ("translate", str(pod), *to)):
            print(f"| `{command[0]}` | {frames_to_first_check(*command)} |")
    print(f"\nModules at the start: {modules_at_start()}")
    files, lines = rooms()
    print("\n| folder | files | lines |\n| --- | ---: | ---: |")
    for room in sorted(files):
        print(f"| {f'`{room}`' if room else 'the package itself'} | {files[room]} | {lines[room]:,} |")
    print(f"| all | {files.total()} | {lines.total():,} |")
    rest = [sum(counts[room] for room in files if room not in APART) for counts in (files, lines)]
    print(f"| without {', '.join(APART)} | {rest[0]} | {rest[1]:,} |")


if __name__ == "__main__":
    main()
