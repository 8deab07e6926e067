"""Runs under faults, and what a folder holds after them."""

import itertools
import json
import os
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.effort import FULL
from tests.hostile.commands import RUNS, texts
from tests.lint.conftest import pod

ROOT = Path(__file__).parents[2]

SHARE = "vke.volcengine.com/mgpu-core: 30\nvke.volcengine.com/mgpu-memory: 4096"
OLD = pod(SHARE)
"""A manifest that every translation to qGPU changes."""
FIXABLE = pod("aliyun.com/gpu-mem: 2Gi")
"""A manifest with one safe fix (K8S002)."""
SPEC = """\
apiVersion: gpuxlate.io/v1alpha1
kind: GPUShare
metadata: {name: a}
spec: {cores: 30, memoryMiB: 4096}
"""
MAIN = "from gpuxlate.cli import main; main()"
TRANSLATE = ("translate", "-i", ".", "--to", "tencent-qgpu")
FIX = ("lint", "--fix", ".")


@dataclass(frozen=True)
class Done:
    """How a run ended. ``code`` is negative for the signal that killed it."""

    code: int
    out: str
    err: str
    calls: list[str]
    stops: int
    memory: int


class Worker:
    """The process of ``tests.hostile.worker``."""

    def __init__(self, work: Path) -> None:
        self._work = work
        self._number = itertools.count()
        env = {k: v for k, v in os.environ.items() if k not in ("FORCE_COLOR", "COLUMNS", "GPUXLATE_DEBUG")}
        self._process = subprocess.Popen(
            [sys.executable, "-W", "error", "-m", "tests.hostile.worker"],
            cwd=ROOT,
            env=env | {"GITHUB_ACTIONS": ""},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    @property
    def pid(self) -> int:
        """Its process."""
        return self._process.pid

    @property
    def root(self) -> Path:
        """The file system as the process sees it, with mounts of its own."""
        return Path(f"/proc/{self.pid}/root")

    def ask(self, asked: dict[str, Any]) -> dict[str, Any]:
        """Send one request, and read its answer."""
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(json.dumps(asked) + "\n")
        self._process.stdin.flush()
        answer: dict[str, Any] = json.loads(self._process.stdout.readline())
        return answer

    def __call__(
        self,
        folder: Path,
        *arguments: str,
        stdin: str | None = os.devnull,
        stdout: str | None = "",
        stderr: str | None = "",
        **rest: Any,
    ) -> Done:
        """One run in a folder. A stream is a path, None for a closed one, "" to be read here."""
        number = next(self._number)
        given = {1: stdout, 2: stderr}
        kept = {n: self._work / f"{number}.{n}" for n, path in given.items() if path == ""}
        for path in kept.values():
            path.touch()  # a run may be killed before it opens them
        paths = [stdin, *(str(kept[n]) if n in kept else path for n, path in given.items())]
        answer = self.ask({"cwd": str(folder), "arguments": arguments, "streams": paths, **rest})
        said = {n: path.read_text(errors="surrogateescape") for n, path in kept.items()}
        for path in kept.values():
            path.unlink()
        assert "Traceback" not in said.get(2, ""), said[2]
        assert "internal error" not in said.get(2, ""), said[2]
        return Done(
            answer["code"],
            said.get(1, ""),
            said.get(2, ""),
            *(answer[k] for k in ("calls", "stops", "memory")),
        )

    def close(self) -> None:
        """End the process."""
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()


def program(
    folder: Path, *arguments: str, command: Sequence[str] = (), stdout: int = subprocess.DEVNULL, **env: str
) -> subprocess.Popen[bytes]:
    """The program, or another command, in a process of its own that has loaded nothing yet."""
    return subprocess.Popen(
        [*(command or (sys.executable, "-c", MAIN)), *arguments],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(ROOT)} | env,
        stdin=subprocess.DEVNULL,
        stdout=stdout,
        stderr=subprocess.PIPE,
    )


@pytest.fixture(scope="session")
def worker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Worker]:
    """Runs of gpuxlate in a folder, everything it may need loaded before."""
    made = loaded_worker(tmp_path_factory.mktemp("worker"))
    yield made
    made.close()


def loaded_worker(work: Path) -> Worker:
    """A worker that has run every command: its children find everything loaded."""
    work.chmod(0o777)
    made = Worker(work)
    fill(work / "warm", texts() | {"fix.yaml": FIXABLE})
    commands = [*RUNS.values(), "lint --fix fix.yaml", "translate -i pod.yaml --to tke --round up"]
    made.ask({"folder": str(work / "warm"), "load": [one.split() for one in commands]})
    return made


def fill(folder: Path, files: dict[str, str]) -> None:
    """Write files, with their folders."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def holds(folder: Path) -> dict[str, str]:
    """The files of a tree by their names; of a link, where it leads."""
    found = {}
    for path in sorted(folder.rglob("*")):
        mode = path.lstat().st_mode
        if stat.S_ISLNK(mode):
            found[str(path.relative_to(folder))] = f"-> {path.readlink()}"
        elif stat.S_ISREG(mode):
            found[str(path.relative_to(folder))] = path.read_text()
    return found


def left_over(name: str) -> bool:
    """The name is that of a temporary file."""
    last = name.rpartition("/")[2]
    return last.startswith(".") and last.endswith(".gpuxlate")


def moments(calls: list[str], *hows: str, at_a_write: str = "") -> list[tuple[int, str]]:
    """Each call with each way to disturb it; in quick each kind of call once with each way."""
    every = [
        (at, how)
        for at, name in enumerate(calls)
        for how in (*hows, *([at_a_write] if at_a_write and name == "write" else []))
    ]
    kinds: dict[tuple[str, str], list[tuple[int, str]]] = {}
    for at, how in every:
        kinds.setdefault((calls[at], how), []).append((at, how))
    return every if FULL else [found[-1 - n % len(found)] for n, found in enumerate(kinds.values())]


@dataclass(frozen=True)
class Case:
    """A command that changes files, a tree for it, and the tree as it is when all is done."""

    arguments: tuple[str, ...]
    old: dict[str, str]
    new: dict[str, str]
    code: int

    @property
    def refused(self) -> str:
        """What is said of a file that stays as it was."""
        return "not translated" if self.arguments[0] == "translate" else "not fixed"

    def judge(self, folder: Path) -> int:
        """Every file is whole, old or new, and there is nothing beside. How many are new."""
        found = holds(folder)
        assert {name for name in found if not left_over(name)} == set(self.old)
        for name, text in self.old.items():
            assert found[name] in (text, self.new[name]), f"{name} is neither old nor new"
        return sum(found[name] == self.new[name] != self.old[name] for name in self.old)


@pytest.fixture(scope="session", params=["translate -i", "lint --fix"])
def case(request: pytest.FixtureRequest, worker: Worker, tmp_path_factory: pytest.TempPathFactory) -> Case:
    """The two commands that change files."""
    return case_of(request.param, worker, tmp_path_factory.mktemp("done"))


def case_of(name: str, worker: Worker, folder: Path) -> Case:
    """A command over a tree of files, some of them to be left alone; it is run once in the folder."""
    text, arguments = (OLD, TRANSLATE) if name == "translate -i" else (FIXABLE, FIX)
    long = text + "---\n" + "---\n".join(pod("cpu: 1", name=f"other-{n}") for n in range(12))
    old = {
        "a.yaml": text,
        "b/long.yaml": long,
        "b/other.yaml": pod("cpu: 1"),
        "c.yml": text.replace("web", "api"),
        "notes.txt": "not a manifest\n",
    }
    fill(folder, old)
    done = worker(folder, *arguments)
    new = holds(folder)
    changed = {name for name in old if new[name] != old[name]}
    assert changed == {"a.yaml", "b/long.yaml", "c.yml"}
    return Case(arguments, old, new, done.code)


Tree = Callable[[], Path]


@pytest.fixture
def tree(case: Case, tmp_path: Path) -> Tree:
    """A new folder with the tree of the case, each time."""
    number = itertools.count()

    def made() -> Path:
        folder = tmp_path / str(next(number))
        fill(folder, case.old)
        return folder

    return made
