"""One case of the table, run in a folder of its own, in this process."""

import io
import json
import os
import re
import shlex
import shutil
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from importlib.metadata import Distribution
from pathlib import Path
from unittest import mock

import pytest

from gpuxlate.backends import plugins, registry
from gpuxlate.cli import kubectl, main
from gpuxlate.cluster import connection
from gpuxlate.files import extras

from .server import kubeconfig, served
from .table import ABSENT, FILES, Case

KUBECTL = "kubectl gpuxlate"
LOUD = ("COLUMNS", "FORCE_COLOR", "GITHUB_ACTIONS", "GPUXLATE_DEBUG", "KUBECONFIG", "KUBERNETES_SERVICE_HOST")


@dataclass(frozen=True, slots=True)
class Said:
    """What a command left."""

    exit: int
    err: str
    out: str


def run(case: Case, folder: Path) -> Said:
    """Run it. ``folder`` is empty, and is full afterwards."""
    write_files(case, folder)
    with ExitStack() as stack:
        server = stack.enter_context(served(case.cluster)) if case.cluster is not None else None
        if server and case.cluster is not None:
            text = kubeconfig(server, case.cluster).replace("HERE", str(folder))
            (folder / ".kube").mkdir(exist_ok=True)
            (folder / ".kube" / "config").write_text(text)
        stack.enter_context(surroundings(case, folder))
        out, err = Stream(), Stream()
        stack.enter_context(mock.patch.object(sys, "stdin", stream_of(case.stdin)))
        stack.enter_context(mock.patch.object(sys, "stdout", out if case.stdout == ABSENT else None))
        stack.enter_context(mock.patch.object(sys, "stderr", err))
        code = called(case.run)
        said = err.text().replace(str(folder), "HERE")
        if server:
            said = re.sub(re.escape(server.url).replace("http", "https?"), "SERVER", said)
    return Said(code, said, out.text())


def called(command: str) -> int:
    """The exit code of ``gpuxlate ...`` or ``kubectl gpuxlate ...``."""
    live = command.startswith(KUBECTL)
    words = shlex.split(command)[2 if live else 1 :]
    program = kubectl.main if live else main
    try:
        with mock.patch.object(sys, "argv", ["kubectl-gpuxlate" if live else "gpuxlate"]):
            program(words)
    except SystemExit as stop:
        return int(stop.code or 0)
    return 0


class Stream(io.TextIOWrapper):
    """Something to write to, as a program has it."""

    def __init__(self) -> None:
        super().__init__(io.BytesIO(), encoding="utf-8", write_through=True)

    def text(self) -> str:
        """All that was written."""
        self.flush()
        found = self.buffer
        assert isinstance(found, io.BytesIO)
        return found.getvalue().decode()


def stream_of(text: str | None) -> io.TextIOWrapper | None:
    """What stands on stdin; None where it is closed."""
    if text is None:
        return None
    return io.TextIOWrapper(io.BytesIO(b"" if text == ABSENT else text.encode()), encoding="utf-8")


def write_files(case: Case, folder: Path) -> None:
    """The files that all cases have, and those of this one."""
    shutil.copytree(FILES, folder, dirs_exist_ok=True)
    (folder / ".git").mkdir()  # no configuration is looked for above
    for name, text in case.files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if text is None:
            path.unlink()
        elif name.endswith("/"):
            path.mkdir()
        elif isinstance(text, int):
            path.touch()
            os.truncate(path, text)
        else:
            path.write_text(text)
            path.chmod(0o755 if text.startswith("#!") else 0o644)
    for name, text in case.bytes.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode("latin-1"))


@contextmanager
def surroundings(case: Case, folder: Path) -> Iterator[None]:
    """The folder, the variables, the libraries, and no waiting."""
    env = {name: value for name, value in os.environ.items() if name not in LOUD}
    env |= {"HOME": str(folder), "NO_COLOR": "1"}
    env |= {name: value.replace("HERE", str(folder)) for name, value in case.env.items()}
    before = Path.cwd()
    with ExitStack() as stack:
        stack.enter_context(mock.patch.dict(os.environ, env, clear=True))
        stack.enter_context(mock.patch.object(connection, "sleep"))
        if case.without == "kubernetes":
            here = Distribution.from_name(extras.DISTRIBUTION)
            origin = json.dumps({"url": folder.as_uri()})  # installed from a checkout there
            stack.enter_context(mock.patch.object(type(here), "read_text", return_value=origin))
            stack.enter_context(pytest.MonkeyPatch.context()).setitem(sys.modules, "kubernetes", None)
        if "PYTHONPATH" in case.env:
            stack.enter_context(plugins_of(env["PYTHONPATH"]))
        os.chdir(folder)
        try:
            yield
        finally:
            os.chdir(before)


@contextmanager
def plugins_of(folder: str) -> Iterator[None]:
    """The packages of a folder, as if installed; what is known of plug-ins is forgotten before and after."""
    path = [folder, *sys.path]
    with mock.patch.object(sys, "path", path), mock.patch.dict(sys.modules):
        forget()
        try:
            yield
        finally:
            forget()


def forget() -> None:
    for module in (plugins, registry):
        for one in vars(module).values():
            if hasattr(one, "cache_clear") and one is not registry.load:  # a target is one object
                one.cache_clear()


def commands_in(text: str) -> list[str]:
    """The commands of gpuxlate in a text, in backticks; what has a placeholder is none."""
    found = re.findall(r"`((?:kubectl )?gpuxlate [^`]+)`", text)
    return [one for one in found if not re.search(r"[A-Z]{3,}|\.\.\.|[|<>]", one)]
