"""What is published: ``python contrib/dist.py [FOLDER]`` (``make dist``) writes into ``dist/``

- the sdist and the wheel, checked by twine,
- ``gpuxlate-VERSION-PLATFORM.pyz``, one file that runs with python3 and nothing else,
- the archive for krew with the same inside, and the manifest ``gpuxlate.yaml`` with its checksum,
- ``gpuxlate-VERSION.cdx.json``, the packages in it (CycloneDX), and ``SHA256SUMS`` of all these.

The same sources give the same bytes, wherever and whenever they are built. What goes in is that of
``requirements/app.txt`` and no other. Needs ``requirements/dist.txt`` installed, and a package index.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import io
import os
import platform
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import zipapp
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path

import sbom

ROOT = Path(__file__).resolve().parent.parent
PYTHONS = ("3.11", "3.12", "3.13")
"""The versions of Python that the zipapp runs on."""
NO_DATE = 1577836800
"""2020-01-01: where neither the changelog nor git tells a time."""
MACHINES = {"x86_64": "amd64", "aarch64": "arm64", "arm64": "arm64"}


def main(arguments: Sequence[str] | None = None) -> int:
    """Build everything."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("folder", nargs="?", type=Path, default=ROOT / "dist")
    parser.add_argument("--python", action="append", metavar="3.N", help=f"default: {', '.join(PYTHONS)}")
    given = parser.parse_args(arguments)
    folder: Path = given.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    os.umask(0o022)
    os.environ |= {"SOURCE_DATE_EPOCH": str(epoch(version())), "TZ": "UTC"}
    time.tzset()  # an archive says local times
    build(folder, given.python or PYTHONS)
    for path in sorted(folder.iterdir()):
        print(path.name)
    return 0


def build(folder: Path, pythons: Sequence[str]) -> None:
    """Everything, into a folder."""
    wheel, sdist = packages(folder)
    system, machine = platform.system().lower(), platform.machine()
    app = folder / f"gpuxlate-{version()}-{system}-{machine}.pyz"
    inventory = folder / f"gpuxlate-{version()}.cdx.json"
    zipped(wheel, app, inventory, pythons)
    made = krew(app, folder, system, MACHINES.get(machine, machine))
    checksums(folder / "SHA256SUMS", [wheel, sdist, app, inventory, *made])


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


def zipped(wheel: Path, app: Path, inventory: Path, pythons: Iterable[str]) -> None:
    """The wheel and what it needs, for each Python, in one file that can be run; and the list of it."""
    with tempfile.TemporaryDirectory() as name:
        stage = Path(name)
        for python in pythons:
            lib = stage / "lib" / f"cp{python.replace('.', '')}"
            # the plug-in of kubectl is in it too
            install(lib, python, "--require-hashes", "--requirement", str(ROOT / "requirements" / "app.txt"))
            install(lib, python, "--no-deps", str(wheel))
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


def install(lib: Path, python: str, *what: str) -> None:
    """Packages for a Python into a folder, without what pip notes of this run and this machine."""
    run(
        *("-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-compile"),
        *("--only-binary", ":all:", "--python-version", python, "--target", str(lib), *what),
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


def krew(app: Path, folder: Path, system: str, machine: str) -> tuple[Path, Path]:
    """The archive that krew unpacks, and the manifest that names it."""
    moment = int(os.environ["SOURCE_DATE_EPOCH"])
    archive = folder / f"kubectl-gpuxlate-{version()}-{system}-{machine}.tar.gz"
    names = {"kubectl-gpuxlate": app, "LICENSE": ROOT / "LICENSE"}
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as tar:
        for name, path in names.items():
            info = tarfile.TarInfo(name)
            info.size, info.mtime = path.stat().st_size, moment
            info.mode = 0o755 if path == app else 0o644
            tar.addfile(info, io.BytesIO(path.read_bytes()))
    archive.write_bytes(gzip.compress(packed.getvalue(), mtime=moment))
    values = {
        "VERSION": version(),
        "ARCHIVE": archive.name,
        "SHA256": digest(archive),
        "OS": system,
        "ARCH": machine,
    }
    template = (ROOT / "contrib" / "krew" / "gpuxlate.yaml.in").read_text(encoding="utf-8")
    text = re.sub("@([A-Z0-9]+)@", lambda match: values[match[1]], template)
    manifest = folder / "gpuxlate.yaml"
    manifest.write_text(text, encoding="utf-8")
    return archive, manifest


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
