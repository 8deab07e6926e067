"""What is published: ``python contrib/dist.py [FOLDER]`` (``make dist``) writes into ``dist/``

- the sdist and the wheel, checked by twine,
- ``gpuxlate-VERSION-PLATFORM.pyz``, one file that runs with python3 and nothing else,
- the archive for krew with the same inside, and the manifest ``gpuxlate.yaml`` with its checksum.

Needs ``build`` and ``twine`` (the extra ``dist``), and a package index.
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
import zipapp
from collections.abc import Iterable, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PYTHONS = ("3.11", "3.12", "3.13")
"""The versions of Python that the zipapp runs on."""
EPOCH = int(os.environ.get("SOURCE_DATE_EPOCH", "1577836800"))
"""The time of every file in an archive: the same bytes from the same sources."""
MACHINES = {"x86_64": "amd64", "aarch64": "arm64", "arm64": "arm64"}


def main(arguments: Sequence[str] | None = None) -> int:
    """Build everything."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("folder", nargs="?", type=Path, default=ROOT / "dist")
    parser.add_argument("--python", action="append", metavar="3.N", help=f"default: {', '.join(PYTHONS)}")
    given = parser.parse_args(arguments)
    folder: Path = given.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    wheel = packages(folder)
    version = wheel.name.split("-")[1]
    system, machine = platform.system().lower(), platform.machine()
    app = folder / f"gpuxlate-{version}-{system}-{machine}.pyz"
    zipped(wheel, app, given.python or PYTHONS)
    krew(app, folder, version, system, MACHINES.get(machine, machine))
    for path in sorted(folder.iterdir()):
        print(path.name)
    return 0


def packages(folder: Path) -> Path:
    """The sdist and the wheel, checked. Gives the wheel."""
    with tempfile.TemporaryDirectory() as built:
        run("-m", "build", "--outdir", built, str(ROOT))
        found = sorted(Path(built).iterdir())
        run("-m", "twine", "check", "--strict", *map(str, found))
        copies = [Path(shutil.copy(one, folder)) for one in found]
    return next(one for one in copies if one.suffix == ".whl")


def zipped(wheel: Path, app: Path, pythons: Iterable[str]) -> None:
    """The wheel and what it needs, for each Python, in one file that can be run."""
    with tempfile.TemporaryDirectory() as name:
        stage = Path(name)
        for version in pythons:
            lib = stage / "lib" / f"cp{version.replace('.', '')}"
            # the plug-in of kubectl is in it too
            run(
                *("-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-compile"),
                *("--only-binary", ":all:", "--python-version", version),
                *("--target", str(lib), f"{wheel}[cluster]"),
            )
            shutil.rmtree(lib / "bin", ignore_errors=True)
            for record in lib.glob("*.dist-info/RECORD"):  # it names the scripts, which differ
                record.unlink()
        share(stage / "lib")
        shutil.copy(ROOT / "contrib" / "zipapp_main.py", stage / "__main__.py")
        (stage / "BUILD").write_text(digest_of(stage)[:16])
        for path in stage.rglob("*"):
            os.utime(path, (EPOCH, EPOCH))
        zipapp.create_archive(stage, app, "/usr/bin/env python3", compressed=True)
    app.chmod(0o755)


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


def krew(app: Path, folder: Path, version: str, system: str, machine: str) -> None:
    """The archive that krew unpacks, and the manifest that names it."""
    archive = folder / f"kubectl-gpuxlate-{version}-{system}-{machine}.tar.gz"
    names = {"kubectl-gpuxlate": app, "LICENSE": ROOT / "LICENSE"}
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as tar:
        for name, path in names.items():
            info = tarfile.TarInfo(name)
            info.size, info.mtime = path.stat().st_size, EPOCH
            info.mode = 0o755 if path == app else 0o644
            tar.addfile(info, io.BytesIO(path.read_bytes()))
    archive.write_bytes(gzip.compress(packed.getvalue(), mtime=EPOCH))
    values = {
        "VERSION": version,
        "ARCHIVE": archive.name,
        "SHA256": hashlib.sha256(archive.read_bytes()).hexdigest(),
        "OS": system,
        "ARCH": machine,
    }
    template = (ROOT / "contrib" / "krew" / "gpuxlate.yaml.in").read_text(encoding="utf-8")
    text = re.sub("@([A-Z0-9]+)@", lambda match: values[match[1]], template)
    (folder / "gpuxlate.yaml").write_text(text, encoding="utf-8")


def run(*arguments: str) -> None:
    """A module of this Python. What it says goes to stderr."""
    subprocess.run([sys.executable, *arguments], check=True, stdout=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
