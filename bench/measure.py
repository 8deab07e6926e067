"""Timing whole processes side by side: A B A B ..., so that only ratios of one run are compared."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(slots=True)
class Timing:
    """Wall seconds, CPU seconds (user and system, of all its processes) and peak MiB of each run."""

    wall: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)
    memory: list[float] = field(default_factory=list)


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


def together(
    commands: Mapping[str, Sequence[str]], runs: int, *, warm: bool = True, codes: Sequence[int] = (0, 1)
) -> dict[str, Timing]:
    """Run each command ``runs`` times in turn, after one warm-up each (``warm``). Output is thrown away.

    Exits where a command ends with a code other than ``codes`` (1: findings): its time says nothing then.
    """
    found = {name: Timing() for name in commands}
    # byte code is kept, as on a user's machine
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    for turn in range(-warm, runs):
        for name, command in commands.items():
            launched = [sys.executable, "-IS", "-c", _LAUNCHER, *command]
            done = subprocess.run(launched, env=environment, capture_output=True, check=True)
            wall, cpu, peak, code = done.stdout.split()
            if int(code) not in codes:
                sys.exit(f"{name}: exit code {int(code)}: {' '.join(command)[:200]}")
            if turn >= 0:
                found[name].wall.append(float(wall))
                found[name].cpu.append(float(cpu))
                found[name].memory.append(int(peak) / 1024)
    return found
