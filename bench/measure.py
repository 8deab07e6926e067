"""Timing whole processes side by side: A B A B ..., medians and ratios. Figures of one run only."""

from __future__ import annotations

import importlib.util
import os
import shutil
import statistics
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Timing:
    """Median wall and CPU seconds of a command, and the most memory (MiB) that it took.

    CPU seconds are the steadier ones where other work runs beside.
    """

    seconds: float
    cpu: float
    memory: float


# The peak that Linux reports for a process is at least that of the one which started it: a small one.
_LAUNCHER = """
import os, subprocess, sys, time
null = subprocess.DEVNULL
started = time.perf_counter()
child = subprocess.Popen(sys.argv[1:], stdin=null, stdout=null, stderr=null)
_, status, usage = os.wait4(child.pid, 0)
wall = time.perf_counter() - started
print(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss, os.waitstatus_to_exitcode(status))
child.returncode = 0
"""


def together(commands: Mapping[str, Sequence[str]], runs: int = 5) -> dict[str, Timing]:
    """Run each command ``runs`` times in turn, after one warm-up each."""
    found: dict[str, list[Timing]] = {name: [] for name in commands}
    for turn in range(runs + 1):
        for name, command in commands.items():
            timing, code = once(command)
            if code not in (0, 1):  # 1 is findings
                sys.exit(f"{name}: exit {code}, so its time says nothing: {' '.join(command)[:200]}")
            if turn:
                found[name].append(timing)
    return {
        name: Timing(
            statistics.median(one.seconds for one in several),
            statistics.median(one.cpu for one in several),
            max(one.memory for one in several),
        )
        for name, several in found.items()
    }


def once(command: Sequence[str]) -> tuple[Timing, int]:
    """One run and its exit code; output is thrown away."""
    done = subprocess.run(
        [sys.executable, "-IS", "-c", _LAUNCHER, *command], env=environment(), capture_output=True, check=True
    )
    wall, cpu, peak, code = done.stdout.split()
    return Timing(float(wall), float(cpu), int(peak) / 1024), int(code)


def environment() -> dict[str, str]:
    """Byte code is kept, as on a user's machine."""
    return {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}


def program(name: str) -> str | None:
    """A program beside this interpreter, else on PATH; None where it is not installed."""
    beside = Path(sys.executable).parent / name
    return str(beside) if beside.exists() else shutil.which(name)


def has_module(name: str) -> bool:
    """The interpreter of the benchmarks can import it."""
    return importlib.util.find_spec(name.partition(".")[0]) is not None


def table(title: str, timings: Mapping[str, Timing], base: str) -> str:
    """Rows of seconds, of the ratios to ``base``, and of memory."""
    lines = [f"\n{title}", f"{'':34}{'seconds':>9}{'ratio':>9}{'CPU s':>9}{'ratio':>9}{'MiB':>7}"]
    for name, one in timings.items():
        ratio, cpu = one.seconds / timings[base].seconds, one.cpu / timings[base].cpu
        lines.append(f"{name:34}{one.seconds:9.3f}{ratio:9.2f}{one.cpu:9.3f}{cpu:9.2f}{one.memory:7.0f}")
    return "\n".join(lines)
