"""Running a command in this process, as often as one likes: no fixture, no file descriptor."""

import io
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from unittest.mock import patch

from gpuxlate.cli import main

SETTINGS = ("FORCE_COLOR", "COLUMNS", "GITHUB_ACTIONS", "GPUXLATE_CORES")


@dataclass(frozen=True)
class Ran:
    """How a command ended, and what it wrote."""

    code: int
    out: bytes
    err: bytes


def run(*arguments: str, stdin: bytes = b"", program: Callable[[Sequence[str]], None] = main) -> Ran:
    """``gpuxlate``, or another ``program``. What it calls an internal error is raised."""
    streams = [io.TextIOWrapper(io.BytesIO(data), encoding="utf-8") for data in (stdin, b"", b"")]
    environment = {name: value for name, value in os.environ.items() if name not in SETTINGS}
    code: object = 0
    with (
        patch.dict(os.environ, environment | {"GPUXLATE_DEBUG": "1", "NO_COLOR": "1"}, clear=True),
        patch.multiple(sys, stdin=streams[0], stdout=streams[1], stderr=streams[2], argv=["gpuxlate"]),
    ):
        try:
            program(arguments)
        except SystemExit as stop:
            code = stop.code
        streams[1].flush()
        streams[2].flush()
    written = [stream.buffer.getvalue() for stream in streams[1:]]  # type: ignore[attr-defined]
    return Ran(int(code or 0), *written)  # type: ignore[call-overload]
