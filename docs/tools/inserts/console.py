"""The output of commands in pages: in a block, each line after a ``$`` is run, and what it prints follows."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from docs.tools.markdown import fenced, with_blocks

ROOT = Path(__file__).resolve().parents[3]

HIDDEN = ("COLUMNS", "FORCE_COLOR", "GITHUB_ACTIONS", "GPUXLATE_DEBUG", "GPUXLATE_LANG")
"""Variables that change what is printed."""


def with_output(text: str, fence: str = "console", variables: Mapping[str, str] | None = None) -> str:
    """The page with what the commands of its ``fence`` blocks print now, one after the other."""

    def current(kind: str, body: str) -> str:
        return fenced(kind, _run_all(body, variables or {}) if kind == fence else body)

    return with_blocks(text, current)


def _run_all(block: str, variables: Mapping[str, str]) -> str:
    commands = [line[2:] for line in block.splitlines() if line.startswith("$ ")]
    return "".join(f"$ {command}\n{run(command, variables)}" for command in commands)


def run(command: str, variables: Mapping[str, str]) -> str:
    """What a command prints where nobody looks: no colour, no width, messages where they come."""
    env = {name: value for name, value in os.environ.items() if name not in HIDDEN}
    env["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), env.get("PATH", os.defpath)])
    done = subprocess.run(
        ["/bin/sh", "-c", command],
        cwd=ROOT,
        env=env | {"NO_COLOR": "1"} | dict(variables),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if "internal error" in done.stdout or done.returncode > 3:
        raise SystemExit(f"{command}: {done.stdout}")
    return done.stdout
