"""A process that runs gpuxlate again and again in children of its own, each under one fault.

It loads the commands once and forks: a run costs a few milliseconds, so that faults can be tried at
every call. Requests and answers are lines of JSON. Run: python -m tests.hostile.worker
"""

import ctypes
import io
import json
import os
import resource
import signal
import socket
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import redirect_stderr, redirect_stdout, suppress
from importlib import import_module
from pathlib import Path
from typing import Any

LIBC = ctypes.CDLL(None, use_errno=True)
CLONE_NEWNS, MS_REC, MS_PRIVATE = 0x20000, 0x4000, 0x40000
PTRACE_TRACEME, PTRACE_SYSCALL = 0, 24

CHANGES = (
    *("write", "fsync", "fchmod", "fchown", "setxattr", "replace", "unlink", "close", "mkdir"),
    *("chmod", "rmdir", "symlink"),
)
"""What the program does to the disk through ``os``, beside opening for writing."""


class Faults:
    """Wraps the functions of ``os``: counts the calls that change the disk, and acts at one of them."""

    def __init__(self, asked: dict[str, Any]) -> None:
        self.at: int = asked.get("at", -1)
        self.how: str = asked.get("how", "")
        self.error: int = asked.get("errno", 0)
        self.command: str = asked.get("command", "")
        self.calls: list[str] = []
        self._ours: set[int] = set()
        self._open = os.open
        for name in CHANGES:
            setattr(os, name, self._wrapped(name, getattr(os, name)))
        if asked.get("reads"):
            from gpuxlate.files import read

            read.read_at_most = self._wrapped("read", read.read_at_most)
        os.open = self._opened  # type: ignore[assignment]

    def _opened(self, path: Any, flags: int, mode: int = 0o777, **rest: Any) -> int:
        if not flags & (os.O_WRONLY | os.O_RDWR):
            return self._open(path, flags, mode, **rest)
        handle: int = self._act("open", lambda: self._open(path, flags, mode, **rest), None)
        self._ours.add(handle)
        return handle

    def _wrapped(self, name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def called(*arguments: Any, **named: Any) -> Any:
            if name in ("write", "close", "fsync", "fchmod", "fchown") and arguments[0] not in self._ours:
                return real(*arguments, **named)
            if name == "close":
                self._ours.discard(arguments[0])  # the number is another file's from here on

            def half() -> Any:
                return real(arguments[0], bytes(arguments[1])[: len(arguments[1]) // 2])

            return self._act(name, lambda: real(*arguments, **named), half if name == "write" else None)

        return called

    def _act(self, name: str, run: Callable[[], Any], half: Callable[[], Any] | None) -> Any:
        self.calls.append(name)
        if len(self.calls) - 1 != self.at:
            return run()
        match self.how:
            case "error":
                raise OSError(self.error, os.strerror(self.error))
            case "error half" if half:
                half()
                raise OSError(self.error, os.strerror(self.error))
            case "short" if half:
                return half()
            case "shell":
                os.system(self.command)
                return run()
            case "kill before":
                os.kill(os.getpid(), signal.SIGKILL)
            case "kill half" if half:
                half()
                os.kill(os.getpid(), signal.SIGKILL)
            case "kill after":
                with suppress(OSError):
                    run()
                os.kill(os.getpid(), signal.SIGKILL)
            case "terminate" | "interrupt" | "hang up":
                number = {"terminate": signal.SIGTERM, "interrupt": signal.SIGINT, "hang up": signal.SIGHUP}
                os.kill(os.getpid(), number[self.how])
                return run()
        return run()


def main() -> None:
    """Serve requests until stdin ends."""
    from gpuxlate.cli import main as command

    for line in sys.stdin:
        asked = json.loads(line)
        answer: dict[str, Any] = {}
        if "namespace" in asked:
            answer = {"errno": private_mounts()}
        elif "load" in asked:
            load(command, asked["folder"], asked["load"])
        else:
            answer = run(command, asked)
        print(json.dumps(answer), flush=True)


def load(command: Callable[[Sequence[str]], None], folder: str, runs: Sequence[Sequence[str]]) -> None:
    """Run commands in this very process, so that its children find everything loaded."""
    here = Path.cwd()
    os.chdir(folder)
    given, sys.stdin = sys.stdin, io.TextIOWrapper(io.BytesIO())
    for arguments in runs:
        with (
            redirect_stdout(io.TextIOWrapper(io.BytesIO())),
            redirect_stderr(io.StringIO()),
            suppress(SystemExit),
        ):
            command(arguments)
    sys.stdin = given
    os.chdir(here)


def private_mounts() -> int:
    """Mounts of this process and its children are theirs alone from here on. 0, or why not."""
    if LIBC.unshare(CLONE_NEWNS) or LIBC.mount(b"none", b"/", None, MS_REC | MS_PRIVATE, None):
        return ctypes.get_errno() or -1
    return 0


def run(command: Callable[..., None], asked: dict[str, Any]) -> dict[str, Any]:
    """One run in a child."""
    told, tell = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(told)
        code = 70
        try:
            code = in_child(command, asked, tell)
        finally:
            os._exit(code)
    os.close(tell)
    stops = traced(child, asked["trace"]) if "trace" in asked else 0
    if "after" in asked:
        time.sleep(asked["after"])
        os.kill(child, signal.SIGKILL)
    with os.fdopen(told) as stream:
        calls = stream.read()
    _, status, usage = os.wait4(child, 0)
    return {
        "code": os.waitstatus_to_exitcode(status),
        "calls": calls.split(),
        "stops": stops,
        "memory": usage.ru_maxrss,
    }


def in_child(command: Callable[..., None], asked: dict[str, Any], tell: int) -> int:
    """Everything that the run asks for, then the run itself; its exit code."""
    os.chdir(asked["cwd"])
    os.environ.update(asked.get("env", {}))
    streams(asked)
    for name, value in asked.get("limits", {}).items():
        resource.setrlimit(getattr(resource, f"RLIMIT_{name}"), (value, value))
    if "uid" in asked:
        os.setgroups([])
        os.setgid(asked["uid"])
        os.setuid(asked["uid"])
    if "umask" in asked:
        os.umask(asked["umask"])
    for name, value in asked.get("set", {}).items():
        module, _, attribute = name.rpartition(".")
        setattr(import_module(module), attribute, value)
    sys.argv = ["gpuxlate", *asked["arguments"]]
    if not asked.get("network", True):
        no_network()
    if asked.get("connect"):
        socket.create_connection(("127.0.0.1", 9))
    if "trace" in asked:
        trace_from_first_write()
    faults = Faults(asked["fault"]) if "fault" in asked else None
    code = 0
    try:
        command()
    except SystemExit as stop:
        code = stop.code if isinstance(stop.code, int) else 0 if stop.code is None else 1
    if faults:
        os.write(tell, " ".join(faults.calls).encode())
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.flush()
    return code


def streams(asked: dict[str, Any]) -> None:
    """Standard streams as asked for: a path for each, None for a closed one, ``:gone`` for a pipe
    without a reader."""
    modes = (
        (0, os.O_RDONLY),
        (1, os.O_WRONLY | os.O_CREAT | os.O_TRUNC),
        (2, os.O_WRONLY | os.O_CREAT | os.O_TRUNC),
    )
    for number, flags in modes:
        path = asked["streams"][number]
        if path is None:
            os.close(number)
        elif path == ":gone":
            reader, writer = os.pipe()
            os.close(reader)
            os.dup2(writer, number)
            os.close(writer)
        else:
            handle = os.open(path, flags, 0o666)
            os.dup2(handle, number)
            os.close(handle)
    opened: list[io.TextIOWrapper | None] = []
    for number, path in enumerate(asked["streams"]):
        mode = "rb" if number == 0 else "wb"
        raw = None if path is None else os.fdopen(number, mode, closefd=False)
        opened.append(
            raw and io.TextIOWrapper(raw, encoding="utf-8", errors="surrogateescape", line_buffering=True)
        )
    sys.stdin, sys.stdout, sys.stderr = opened  # type: ignore[assignment]


def no_network() -> None:
    """Making a socket, or asking for the address of a name, is an error from here on.

    The ends of a pipe within this process (asyncio has one) are none.
    """
    real = socket.socket

    def refuse(*arguments: Any, **_named: Any) -> Any:
        if len(arguments) == 4 and arguments[0] is socket.AF_UNIX:
            return real(*arguments)
        raise RuntimeError("no network")

    socket.socket = refuse  # type: ignore[assignment, misc]
    socket.create_connection = refuse
    socket.getaddrinfo = refuse


def trace_from_first_write() -> None:
    """Stop at every system call, from the first temporary file on."""
    from gpuxlate.files import write as writing

    real = writing._temporary
    begun: list[bool] = []

    def called(target: Any, mode: int) -> Any:
        if not begun:
            begun.append(True)
            LIBC.ptrace(PTRACE_TRACEME, 0, None, None)
            os.kill(os.getpid(), signal.SIGSTOP)
        return real(target, mode)

    writing._temporary = called


def traced(child: int, last: int) -> int:
    """Let a traced child go on from stop to stop, and kill it at the ``last``; how many it came to."""
    stops = 0
    while True:
        found = os.waitid(os.P_PID, child, os.WEXITED | os.WSTOPPED | os.WNOWAIT)
        if found is None or found.si_code not in (os.CLD_TRAPPED, os.CLD_STOPPED):
            return stops
        os.waitpid(child, os.WUNTRACED)
        if stops == last:
            os.kill(child, signal.SIGKILL)
            return stops
        stops += 1
        LIBC.ptrace(PTRACE_SYSCALL, child, None, None)


if __name__ == "__main__":
    main()
