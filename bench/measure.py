"""Timing whole processes side by side: A B A B ..., medians and ratios. Figures of one run only."""

from __future__ import annotations

import os
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Timing:
    """Median wall seconds of a command, and the most memory (MiB) that it took."""

    seconds: float
    memory: float


def together(commands: Mapping[str, Sequence[str]], runs: int = 5) -> dict[str, Timing]:
    """Run each command ``runs`` times in turn, after one warm-up each."""
    walls: dict[str, list[float]] = {name: [] for name in commands}
    memory: dict[str, float] = {}
    for turn in range(runs + 1):
        for name, command in commands.items():
            wall, peak = once(command)
            if turn:
                walls[name].append(wall)
                memory[name] = max(memory.get(name, 0.0), peak)
    return {name: Timing(statistics.median(walls[name]), memory[name]) for name in commands}


def once(command: Sequence[str]) -> tuple[float, float]:
    """Wall seconds and peak memory (MiB) of one run; output is thrown away, exit codes are not judged."""
    started = time.perf_counter()
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment())
    _, _, usage = os.wait4(child.pid, 0)
    child.returncode = 0
    return time.perf_counter() - started, usage.ru_maxrss / 1024


def environment() -> dict[str, str]:
    """Byte code is kept, as on a user's machine."""
    return {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}


def program(name: str) -> str | None:
    """A program beside this interpreter, else on PATH; None where it is not installed."""
    beside = Path(sys.executable).parent / name
    return str(beside) if beside.exists() else shutil.which(name)


def table(title: str, timings: Mapping[str, Timing], base: str) -> str:
    """Rows of seconds, memory, and the ratio to ``base``."""
    lines = [f"\n{title}", f"{'':34}{'seconds':>9}{'ratio':>9}{'MiB':>7}"]
    for name, one in timings.items():
        ratio = one.seconds / timings[base].seconds
        lines.append(f"{name:34}{one.seconds:9.3f}{ratio:9.2f}{one.memory:7.0f}")
    return "\n".join(lines)
