"""What the playground needs in a browser: Pyodide from its npm package, and gpuxlate in one archive.

Pyodide is fetched when the site is built, at one version, and its hash is checked; it is in no
repository. Where npm cannot give it, the site is built without the playground.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import shutil
import subprocess
import tarfile
import tempfile
import zipfile
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
CACHE = ROOT / "build" / "npm"

VERSION = "314.0.7"
INTEGRITY = "0YvXxEhfEdpLfb/XkM2BFAeMROq0iMUX2bzzH9pOttyMcWkwq+HbE5uyuGD82LN7y2q+SNvi/6V5JEsOlD2R1A=="
"""SHA-512 of the package, as the registry publishes it."""

USED = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip")
LOCK = "pyodide-lock.json"
LEFT_OUT = {"cli", "cluster", "testing"}
"""Parts of gpuxlate that have no use in a browser."""


class NotThereError(Exception):
    """Pyodide cannot be had here: why."""


def package() -> Path:
    """The npm package of Pyodide, checked; from the cache, or from npm. Raises NotThereError."""
    path = CACHE / f"pyodide-{VERSION}.tgz"
    if path.is_file() and _is_whole(path):
        return path
    npm = shutil.which("npm")
    if npm is None:
        raise NotThereError("there is no npm")
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [
                npm,
                "pack",
                f"pyodide@{VERSION}",
                "--silent",
                "--fetch-retries=1",
                "--pack-destination",
                folder,
            ],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        fetched = Path(folder) / path.name
        if done.returncode or not fetched.is_file():
            raise NotThereError(f"npm does not give pyodide {VERSION}: {done.stderr.strip()}")
        if not _is_whole(fetched):
            raise NotThereError(f"pyodide {VERSION} is not the package whose hash is written in {__file__}")
        CACHE.mkdir(parents=True, exist_ok=True)
        # whole or not at all, whoever else builds the site at this moment
        shutil.copyfile(fetched, path.with_name(f"{path.name}.{os.getpid()}")).replace(path)
    return path


def _is_whole(path: Path) -> bool:
    return base64.b64encode(hashlib.sha512(path.read_bytes()).digest()).decode() == INTEGRITY


def publish(packed: Path, folder: Path) -> None:
    """Write what the playground loads into a folder of the site."""
    folder.mkdir(parents=True, exist_ok=True)
    with tarfile.open(packed) as archive:
        for name in (*USED, LOCK):
            member = archive.extractfile(f"package/{name}")
            assert member is not None, name
            content = member.read()
            if name == LOCK:  # without the packages, which would come from another host
                content = json.dumps({"info": json.loads(content)["info"], "packages": {}}).encode()
            (folder / name).write_bytes(content)
    with zipfile.ZipFile(folder / "gpuxlate.zip", "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for inside, path in _modules():
            # the same bytes from the same sources, whenever it is built
            archive.writestr(zipfile.ZipInfo(inside), path.read_bytes(), zipfile.ZIP_DEFLATED)


def _modules() -> list[tuple[str, Path]]:
    """gpuxlate from here, and the Python part of PyYAML as it is installed."""
    yaml = find_spec("yaml")
    assert yaml is not None
    assert yaml.origin is not None
    package = ROOT / "gpuxlate"
    files = (*package.rglob("*.py"), *package.rglob("*.json"), *package.rglob("*.mo"))
    ours = [path for path in files if path.relative_to(package).parts[0] not in LEFT_OUT]
    files_by_name = [(path.relative_to(ROOT).as_posix(), path) for path in ours]
    files_by_name += [(f"yaml/{path.name}", path) for path in Path(yaml.origin).parent.glob("*.py")]
    files_by_name.append(("in_browser.py", Path(__file__).with_name("in_browser.py")))
    return sorted(files_by_name)
