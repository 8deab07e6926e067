"""Programs for editors from the npm registry, which tests run with node: installed once, into the cache.

Their versions are pinned here, those of what they need are not: a lock would name a registry. No script
of a package is run to install it.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path

import pytest

from tests.e2e.server.build import cache_folder

PACKAGES = ("ajv@8.20.0", "yaml-language-server@1.23.0")
PATIENCE = 120
"""Seconds for the registry."""


@cache
def modules() -> Path:
    """The folder ``node_modules`` with them. The test is skipped without it; in CI it fails."""
    folder = cache_folder() / "npm" / "-".join(one.replace("@", "-") for one in PACKAGES)
    why = None if (folder / "node_modules").is_dir() else _install(folder)
    if why and os.environ.get("CI"):
        pytest.fail(why)
    if why:
        pytest.skip(why)
    return folder / "node_modules"


def _install(folder: Path) -> str | None:
    """Install them as a whole or not at all; why not."""
    npm = shutil.which("npm")
    if npm is None or shutil.which("node") is None:
        return f"node and npm are not installed, which {' and '.join(PACKAGES)} need"
    folder.parent.mkdir(parents=True, exist_ok=True)
    options = ("--ignore-scripts", "--no-audit", "--no-fund", "--no-package-lock", "--silent")
    with tempfile.TemporaryDirectory(dir=folder.parent) as made:
        try:
            command = (npm, "install", *options, "--prefix", made, *PACKAGES)
            done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
        except subprocess.TimeoutExpired:
            return f"npm gave no {PACKAGES[0]} within {PATIENCE} s: no registry answers"
        if done.returncode:
            return f"npm gives no {' or '.join(PACKAGES)}: {done.stderr.strip()[-200:]}"
        if not folder.exists():  # another process may have been faster
            (Path(made) / "node_modules").rename(Path(made) / "kept")
            folder.mkdir(exist_ok=True)
            (Path(made) / "kept").rename(folder / "node_modules")
    return None
