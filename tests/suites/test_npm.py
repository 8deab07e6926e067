"""Without a suite its tests say why: skipped on a machine without npm, failed in CI."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.suites.npm import Package, members

NOBODY = Package("no-such-suite", "0.0.0", "sha512-nothing")


def failing(*_: object, **__: object) -> subprocess.CompletedProcess[str]:
    return subprocess.CompletedProcess([], 1, "", "npm error code E404\n")


def silent(*_: object, **__: object) -> subprocess.CompletedProcess[str]:
    raise subprocess.TimeoutExpired("npm", 120)


def another_file(*_: object, cwd: str, **__: object) -> subprocess.CompletedProcess[str]:
    (Path(cwd) / NOBODY.file).write_bytes(b"something else")
    return subprocess.CompletedProcess([], 0, "", "")


@pytest.mark.parametrize(
    ("npm", "reason"),
    [
        (None, "npm is not installed, and no-such-suite@0.0.0 comes from its registry"),
        (failing, "npm gives no no-such-suite@0.0.0: npm error code E404"),
        (silent, "npm gave no no-such-suite@0.0.0 within 120 s: no registry answers"),
        (another_file, "no-such-suite@0.0.0 is not the file that was meant: sha512-"),
    ],
)
def test_no_suite(
    npm: Callable[..., Any] | None, reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GPUXLATE_CACHE", str(tmp_path))
    monkeypatch.setattr(shutil, "which", lambda _: npm and "npm")
    if npm is not None:
        monkeypatch.setattr(subprocess, "run", npm)
    for ci, outcome in (("", pytest.skip.Exception), ("true", pytest.fail.Exception)):
        monkeypatch.setenv("CI", ci)
        with pytest.raises(outcome, match=reason.replace(".", "[.]")):
            members(NOBODY)
        assert not (tmp_path / "npm" / NOBODY.file).exists()
