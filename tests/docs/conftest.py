"""All pages, with the generated ones, as the site has them; and the site, built once for all processes."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
from pathlib import Path

import pytest

from docs.tools.staging import ROOT, stage


@pytest.fixture(scope="session")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("docs")
    stage(folder, playground=False)
    return folder


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """As ``make site`` builds it: strictly, and without a word."""
    pytest.importorskip("mkdocs", reason="the extra for the site is not installed")
    made = tmp_path_factory.getbasetemp()
    folder = (made.parent if "PYTEST_XDIST_WORKER" in os.environ else made) / "site"
    with folder.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.exists():
            command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir"]
            env = os.environ | {"NO_MKDOCS_2_WARNING": "1", "NO_COLOR": "1"}
            done = subprocess.run(
                [*command, f"{folder}.part"], cwd=ROOT, env=env, capture_output=True, text=True, check=False
            )
            assert (done.stdout, done.stderr, done.returncode) == ("", "", 0)
            Path(f"{folder}.part").rename(folder)
    return folder
