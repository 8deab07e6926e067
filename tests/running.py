"""Running a command in this process, as often as one likes: no fixture, no file descriptor."""

import contextlib
import io
import os
import re
import shlex
import shutil
import sys
import tempfile
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
    """``gpuxlate``, or another ``program``. What it calls an internal error is raised.

    Where a refusal prints a line "to accept", that is run too: it has to end without a refusal.
    """
    ran = _run(*arguments, stdin=stdin, program=program)
    if program is main and (line := _ACCEPTING.search(ran.err.decode(errors="replace"))):
        _check_accepting(shlex.split(line[1]), stdin)
    return ran


_ACCEPTING = re.compile(r"^to accept: gpuxlate (.*)$", re.MULTILINE)
_NUMBERS = {"cores=N": "cores=30", "memoryMiB=N": "memoryMiB=8192"}
_WRITES = {"-i", "--in-place", "--output-dir", "--report", "--write-decisions", "--prune-decisions", "--html"}
_COMPARES = {"--diff", "--check"}


def _check_accepting(words: Sequence[str], stdin: bytes) -> None:
    """Run a line "to accept" as it is printed, with numbers for N; what writes files does so in a copy."""
    words = [_NUMBERS.get(word, word) for word in words]
    writes = any(word.partition("=")[0] in _WRITES for word in words)
    temporary = os.path.realpath(tempfile.gettempdir())
    if writes and (not os.getcwd().startswith(temporary) or any(map(os.path.isabs, words))):
        return  # it would change the files of the caller
    with contextlib.ExitStack() as stack:
        if writes:
            copy = os.path.join(stack.enter_context(tempfile.TemporaryDirectory()), "copy")
            shutil.copytree(os.getcwd(), copy, symlinks=True)
            stack.enter_context(contextlib.chdir(copy))
        accepted = _run(*words, stdin=stdin, program=main)
    said = accepted.err.decode(errors="replace")
    assert accepted.code == 0 or (accepted.code == 1 and _COMPARES.intersection(words)), (words, said)
    assert not re.search(r"^error|\brefused\b.*; no file written", said, re.MULTILINE), (words, said)


def _run(*arguments: str, stdin: bytes, program: Callable[[Sequence[str]], None]) -> Ran:
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
