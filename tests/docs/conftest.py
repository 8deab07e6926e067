"""All pages, with the generated ones, as the site has them; and the site, built once for all processes."""

import fcntl
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from docs.tools.staging import ROOT, stage


@pytest.hookimpl(tryfirst=True)  # before -m selects
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Making all pages takes longer than most folders of tests: what needs them is asked in full."""
    for item in items:
        if {"pages", "site"} & {*getattr(item, "fixturenames", ())}:
            item.add_marker("full")


def once(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], None]) -> Path:
    """A folder that the first process of a run makes, and the others wait for."""
    base = factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / name
    with folder.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.exists():
            part = folder.with_suffix(".part")
            part.mkdir()
            make(part)
            part.rename(folder)
    return folder


@pytest.fixture(scope="session")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return once(tmp_path_factory, "pages", lambda folder: stage(folder, playground=False))


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """As ``make site`` builds it: strictly, and without a word."""
    pytest.importorskip("mkdocs", reason="the extra for the site is not installed")

    def build(folder: Path) -> None:
        command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(folder)]
        env = os.environ | {"NO_MKDOCS_2_WARNING": "1", "NO_COLOR": "1"}
        done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, check=False)
        assert (done.stdout, done.stderr, done.returncode) == ("", "", 0)

    return once(tmp_path_factory, "site", build)
