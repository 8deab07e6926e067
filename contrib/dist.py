"""What is published: ``python contrib/dist.py [FOLDER]`` (``make dist``) writes into ``dist/``

- the sdist and the wheel, checked by twine,
- ``gpuxlate-VERSION-PLATFORM.pyz``, one file that runs with python3 and nothing else, for each platform,
- the archives for krew with the same inside, and the manifest ``gpuxlate.yaml`` with their checksums; below
  ``RELEASE_URL``, if the environment has it,
- ``gpuxlate-VERSION.cdx.json``, the packages in it (CycloneDX), and ``SHA256SUMS`` of all these.

The same sources give the same bytes, wherever and whenever they are built: compiled packages are the wheels
that the index has for each platform. What goes in is that of ``requirements/app.txt`` and no other. Needs
``requirements/dist.txt`` installed, and a package index.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import io
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import zipapp
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import sbom

ROOT = Path(__file__).resolve().parent.parent
PYTHONS = ("3.11", "3.12", "3.13")
"""The versions of Python that the zipapp runs on."""
NO_DATE = 1577836800
"""2020-01-01: where neither the changelog nor git tells a time."""


class Platform(NamedTuple):
    """What an archive is for: the system and machine that Python names, krew's machine, the tag of wheels."""

    system: str
    machine: str
    arch: str
    tag: str

    @property
    def name(self) -> str:
        return f"{self.system}-{self.machine}"


PLATFORMS = (
    Platform("linux", "x86_64", "amd64", "manylinux2014_x86_64"),
    Platform("linux", "aarch64", "arm64", "manylinux2014_aarch64"),
    Platform("darwin", "x86_64", "amd64", "macosx_11_0_x86_64"),
    Platform("darwin", "arm64", "arm64", "macosx_11_0_arm64"),
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Build everything."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("folder", nargs="?", type=Path, default=ROOT / "dist")
    parser.add_argument("--python", action="append", metavar="3.N", help=f"default: {', '.join(PYTHONS)}")
    names = [one.name for one in PLATFORMS]
    parser.add_argument("--platform", action="append", choices=names, help="default: all of them")
    given = parser.parse_args(arguments)
    folder: Path = given.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    os.umask(0o022)
    os.environ |= {"SOURCE_DATE_EPOCH": str(epoch(version())), "TZ": "UTC"}
    time.tzset()  # an archive says local times
    wanted = [one for one in PLATFORMS if one.name in (given.platform or names)]
    left_out = build(folder, given.python or PYTHONS, wanted)
    for path in sorted(folder.iterdir()):
        print(path.name)
    for platform in left_out:
        print(f"error: no zipapp for {platform.name}: pip could not install its wheels", file=sys.stderr)
    return 1 if left_out else 0


def build(folder: Path, pythons: Sequence[str], platforms: Sequence[Platform]) -> list[Platform]:
    """Everything, into a folder. Platforms whose wheels cannot be had are left out, and are the result."""
    wheel, sdist = packages(folder)
    inventory = folder / f"gpuxlate-{version()}.cdx.json"
    apps = {one: folder / f"gpuxlate-{version()}-{one.name}.pyz" for one in platforms}
    left_out = []
    for platform, app in list(apps.items()):
        try:
            # the same packages for all: the inventory is the same too
            zipped(wheel, app, inventory, pythons, platform)
        except subprocess.CalledProcessError:
            left_out.append(platform)
            del apps[platform]
    made = [inventory, *apps.values(), *krew(apps, folder)] if apps else []
    checksums(folder / "SHA256SUMS", [wheel, sdist, *made])
    return left_out


def version() -> str:
    """The version of the sources, as the package says it."""
    text = (ROOT / "gpuxlate" / "__init__.py").read_text(encoding="utf-8")
    found = re.search('^__version__ = "(.+)"$', text, re.MULTILINE)
    assert found
    return found[1]


def epoch(released: str) -> int:
    """The time of every file in an archive, in seconds.

    What the caller says (``SOURCE_DATE_EPOCH``), else the day that the changelog gives this version, which
    an sdist has too, else the last commit.
    """
    if said := os.environ.get("SOURCE_DATE_EPOCH"):
        return int(said)
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    if day := re.search(rf"^## \[{re.escape(released)}\] - (\d{{4}}-\d\d-\d\d)$", changes, re.MULTILINE):
        return int(datetime.fromisoformat(day[1]).replace(tzinfo=UTC).timestamp())
    if (ROOT / ".git").exists():
        done = subprocess.run(
            ["git", "log", "-1", "--format=%ct"], cwd=ROOT, capture_output=True, text=True, check=False
        )
        if done.returncode == 0:
            return int(done.stdout)
    return NO_DATE


def packages(folder: Path) -> tuple[Path, Path]:
    """The wheel and the sdist, checked."""
    with tempfile.TemporaryDirectory() as built:
        run("-m", "build", "--no-isolation", "--outdir", built, str(ROOT))
        found = sorted(Path(built).iterdir())
        run("-m", "twine", "check", "--strict", *map(str, found))
        wheel, sdist = sorted(
            (Path(shutil.copy(one, folder)) for one in found), key=lambda one: one.suffix != ".whl"
        )
    return wheel, sdist


def zipped(wheel: Path, app: Path, inventory: Path, pythons: Iterable[str], on: Platform) -> None:
    """The wheel and what it needs, for each Python, in one file that can be run; and the list of it."""
    with tempfile.TemporaryDirectory() as name:
        stage = Path(name)
        for python in pythons:
            lib = stage / "lib" / f"cp{python.replace('.', '')}"
            # the plug-in of kubectl is in it too
            locked = ("--require-hashes", "--requirement", str(ROOT / "requirements" / "app.txt"))
            install(lib, python, on, *locked)
            install(lib, python, on, "--no-deps", str(wheel))
        inventory.write_text(sbom.of(sorted((stage / "lib").iterdir())[0]), encoding="utf-8")
        share(stage / "lib")
        shutil.copyfile(ROOT / "contrib" / "zipapp_main.py", stage / "__main__.py")
        (stage / "BUILD").write_text(digest_of(stage)[:16])
        moment = int(os.environ["SOURCE_DATE_EPOCH"])
        for path in stage.rglob("*"):
            path.chmod(0o755 if path.is_dir() else 0o644)
            os.utime(path, (moment, moment))
        zipapp.create_archive(stage, app, "/usr/bin/env python3", compressed=True)
    app.chmod(0o755)


def install(lib: Path, python: str, on: Platform, *what: str) -> None:
    """Packages for a Python on a platform into a folder, without what pip notes of this run."""
    run(
        *("-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-compile"),
        *("--only-binary", ":all:", "--python-version", python, "--platform", on.tag),
        *("--target", str(lib), *what),
    )
    shutil.rmtree(lib / "bin", ignore_errors=True)
    for name in ("RECORD", "REQUESTED", "direct_url.json"):  # RECORD names the scripts, which differ
        for note in lib.glob(f"*.dist-info/{name}"):
            note.unlink()


def share(lib: Path) -> None:
    """Packages that are the same for every Python go to one folder."""
    first, *others = sorted(lib.iterdir())
    (lib / "any").mkdir()
    for path in sorted(first.iterdir()):
        copies = [one / path.name for one in others]
        if all(one.exists() and digest_of(one) == digest_of(path) for one in copies):
            path.rename(lib / "any" / path.name)
            for one in copies:
                shutil.rmtree(one) if one.is_dir() else one.unlink()


def digest_of(folder: Path) -> str:
    """One for all files of a folder, or for one file."""
    found = hashlib.sha256()
    for path in sorted(one for one in (folder, *folder.rglob("*")) if one.is_file()):
        found.update(f"{path.relative_to(folder).as_posix()}\0".encode() + path.read_bytes())
    return found.hexdigest()


def krew(apps: Mapping[Platform, Path], folder: Path) -> list[Path]:
    """The archives that krew unpacks, and the manifest that names them."""
    template = (ROOT / "contrib" / "krew" / "gpuxlate.yaml.in").read_text(encoding="utf-8")
    head, each = template.split("@EACH@\n")
    text, archives = head.replace("@VERSION@", version()), []
    for one, app in apps.items():
        archive = packed(app, folder / f"kubectl-gpuxlate-{version()}-{one.system}-{one.arch}.tar.gz")
        values = {
            "VERSION": version(),
            "RELEASE": os.environ.get("RELEASE_URL", ""),
            "ARCHIVE": archive.name,
            "SHA256": digest(archive),
            "OS": one.system,
            "ARCH": one.arch,
        }
        text += re.sub("@([A-Z0-9]+)@", lambda match, known=values: known[match[1]], each)
        archives.append(archive)
    manifest = folder / "gpuxlate.yaml"
    manifest.write_text(text, encoding="utf-8")
    return [*archives, manifest]


def packed(app: Path, archive: Path) -> Path:
    """The archive with the zipapp as the plug-in, and the licence."""
    moment = int(os.environ["SOURCE_DATE_EPOCH"])
    names = {"kubectl-gpuxlate": app, "LICENSE": ROOT / "LICENSE"}
    whole = io.BytesIO()
    with tarfile.open(fileobj=whole, mode="w") as tar:
        for name, path in names.items():
            info = tarfile.TarInfo(name)
            info.size, info.mtime = path.stat().st_size, moment
            info.mode = 0o755 if path == app else 0o644
            tar.addfile(info, io.BytesIO(path.read_bytes()))
    archive.write_bytes(gzip.compress(whole.getvalue(), mtime=moment))
    return archive


def checksums(path: Path, files: Sequence[Path]) -> None:
    """As ``sha256sum --check`` reads them."""
    lines = [f"{digest(one)}  {one.name}\n" for one in sorted(files)]
    path.write_text("".join(lines), encoding="utf-8")


def digest(path: Path) -> str:
    """SHA-256 of one file, in hexadecimal."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def run(*arguments: str) -> None:
    """A module of this Python. What it says goes to stderr."""
    subprocess.run([sys.executable, *arguments], check=True, stdout=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
