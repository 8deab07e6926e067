"""``lint --watch``: what is checked again after which change, and how it ends. No step waits for a clock."""

import os
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace

import pytest

from gpuxlate.files.extras import install_command
from tests.running import run

BOUND = 20.0
"""Seconds for what comes at once; only a failure takes so long."""
POD = (
    "apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec:\n  containers:\n  - name: web\n    resources:\n"
    "      limits: {aliyun.com/gpu-mem: 2Gi}\n"
)
END = "watching for changes; Ctrl-C ends"


@contextmanager
def watching(folder: Path, *options: str) -> Iterator[Callable[[], list[str]]]:
    """A watch in a folder; calling what is given waits for the next run, and returns its lines."""
    command = [sys.executable, "-m", "gpuxlate", "lint", "--watch", "-o", "concise", *options]
    lines: queue.Queue[str] = queue.Queue()
    with subprocess.Popen(
        command, cwd=folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    ) as process:
        assert process.stdout is not None
        reading = threading.Thread(target=lambda: [lines.put(one.rstrip()) for one in process.stdout or ()])
        reading.start()

        def next_run() -> list[str]:
            found: list[str] = []
            while not found or found[-1] != END:
                found.append(lines.get(timeout=BOUND))
            return [one.split(" aliyun")[0] for one in found[:-1]]

        try:
            yield next_run
            process.send_signal(signal.SIGINT)
            assert process.wait(BOUND) == 130
        finally:
            process.kill()
            reading.join()
        assert lines.empty(), lines.get()


def written(path: Path, text: str) -> None:
    """Save as editors do: a new file in place of the old one."""
    path.parent.mkdir(exist_ok=True)
    other = path.with_name(f".{path.name}.part")
    other.write_text(text)
    other.rename(path)


def test_what_changed_is_checked_again_until_ctrl_c(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    written(tmp_path / "a.yaml", POD)
    written(tmp_path / "build" / "left-out.yaml", POD)
    written(tmp_path / ".gitignore", "build/\n")
    finding = "{}:8:36: error K8S002 [*]".format
    written(tmp_path / "profiles" / "p.yaml", "target: alibaba-gpushare\n")
    with watching(tmp_path, "--profile", "profiles/p.yaml", "--select", "K8S002") as next_run:
        assert next_run() == [finding("a.yaml")]
        written(tmp_path / "a.yaml", POD.replace("2Gi", "2"))
        assert next_run() == ["changed: a.yaml"]
        # a file that is left out, and one that nobody reads, change nothing: the next run is of another
        written(tmp_path / "build" / "left-out.yaml", f"{POD}\n")
        written(tmp_path / "notes.txt", "")
        written(tmp_path / "new" / "b.yaml", POD)
        found = next_run()
        while finding("new/b.yaml") not in found:  # the folder may be seen before its file
            found = next_run()
        for name, text, found in (
            (".gpuxlate.yaml", "exclude: [new/]\n", []),
            (".gpuxlate.yaml", "ignore: [", ["error: "]),
            (".gpuxlate.yaml", "ignore: [K8S002]\n", []),
            (".gpuxlate.yaml", "{}\n", [finding("new/b.yaml")]),
            (".gitignore", "new/\n", ["build/left-out.yaml:8:36: error "]),
            (".gitignore", "new/\nbuild/\n", []),
            ("profiles/p.yaml", "target: [\n", ["error: "]),
        ):
            written(tmp_path / name, text)
            changed, *rest = next_run()
            assert name in changed
            assert len(rest) == len(found), (name, rest)
            assert all(one.startswith(start) for one, start in zip(rest, found, strict=True)), (name, rest)


def test_fixes_are_written_as_files_change(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    written(path, POD.replace("2Gi", "2"))
    with watching(tmp_path, "--fix", "a.yaml") as next_run:
        assert next_run() == []
        written(path, POD)
        assert next_run() == ["changed: a.yaml", "fixed 1 finding"]
        assert next_run() == ["changed: a.yaml"]  # the fix itself
    assert path.read_text() == POD.replace("2Gi", "2")


def refused(*_folders: str, **_options: object) -> None:
    raise RuntimeError("OS file watch limit reached")


EXTRA = f"help: install gpuxlate with the extra watch: {install_command('watch')}\n"
LIMIT = "error: the folders cannot be watched: OS file watch limit reached\n"
ADVICE = "help: name fewer folders, or set WATCHFILES_FORCE_POLLING=1\n"


@pytest.mark.parametrize(
    ("library", "code", "says"),
    [
        (None, 2, f"error: --watch needs watchfiles: watchfiles is missing\n{EXTRA}"),
        (SimpleNamespace(watch=refused), 3, f"{LIMIT}{ADVICE}"),
    ],
    ids=["without the extra", "the system does not allow it"],
)
def test_what_cannot_be_watched(
    library: object, code: int, says: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "watchfiles", library)
    said = run("lint", os.devnull, "--watch")
    assert (said.code, said.out, said.err.decode()) == (code, b"", says)
