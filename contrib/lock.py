"""The locks in ``requirements/``: ``python contrib/lock.py`` (``make lock``) writes them anew.

Each is one set of packages with a version and the hashes of its files, the same for every Python that
gpuxlate supports. ``pip install --require-hashes`` takes nothing else. No index stands in them: the
caller's pip decides where files come from, and the hashes what they may hold.

``--keep`` changes only what pyproject.toml no longer allows. ``--newest LOCK FILE`` writes what one of them
would be, and no other file. Needs ``uv`` (the extra ``dist``).
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
EDITABLE = "editables>=0.5"
"""What hatchling asks for beside itself where a package is installed with ``--editable``."""
FOLDER = ROOT / "requirements"


@dataclass(frozen=True, slots=True)
class Lock:
    """One file: what is in it of pyproject.toml, and how uv is to choose.

    ``build``: with what builds gpuxlate. ``lowest``: the oldest versions that pyproject.toml allows of
    what it names; of what those need, the newest.
    """

    name: str
    use: str
    extras: tuple[str, ...] = ()
    build: bool = True
    lowest: bool = False

    @property
    def path(self) -> Path:
        return FOLDER / f"{self.name}.txt"


LOCKS = (
    Lock("dev", "make test, make lint, make site, make e2e", ("dev", "docs", "cluster", "editor", "watch")),
    Lock("run", "make demo, make docs, make schemas"),
    Lock("app", "what is in the zipapp and in the SBOM", ("cluster",), build=False),
    Lock("dist", "make dist, make lock, make audit", ("dist",)),
    Lock("bench", "make bench", ("dev", "docs", "cluster", "editor", "watch", "bench")),
    Lock("fuzz", "make fuzz", ("dev", "docs", "cluster", "editor", "watch", "fuzz")),
    Lock("lowest", "make test-lowest", ("dev", "docs", "cluster", "editor", "watch"), lowest=True),
)
"""The first is the widest: the others have its versions of what they share, but for the lowest."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Write every lock."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--keep", action="store_true", help="keep the versions that are still allowed")
    parser.add_argument(
        "--newest", nargs=2, metavar=("LOCK", "FILE"), help="only dev, say, as it would be, into a file"
    )
    given = parser.parse_args(arguments)
    if given.newest:
        name, file = given.newest
        lock = next(one for one in LOCKS if one.name == name)
        Path(file).write_text(resolved(lock, keep=False, alone=True), encoding="utf-8")
        return 0
    FOLDER.mkdir(exist_ok=True)
    for one in LOCKS:
        one.path.write_text(resolved(one, keep=given.keep), encoding="utf-8")
        print(f"wrote {one.path.relative_to(ROOT).as_posix()}")
    return 0


def resolved(lock: Lock, *, keep: bool, alone: bool = False) -> str:
    """The text of a lock, with a head that says what it is; ``alone``: whatever versions the widest has."""
    widest = LOCKS[0].path
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder) / "lock.txt"
        if keep and not lock.lowest and lock.path.exists():
            made.write_bytes(lock.path.read_bytes())
        options = [word for extra in lock.extras for word in ("--extra", extra)]
        if lock.lowest:
            options += ["--resolution", "lowest-direct"]
        elif lock.path != widest and not alone:
            options += ["--constraint", str(widest)]
        if not keep:
            options += ["--upgrade"]
        uv(
            *("pip", "compile", "--universal", "--python-version", lowest_python(), "--generate-hashes"),
            *("--no-header", "--no-annotate", "--quiet", "--output-file", str(made), *options),
            *("pyproject.toml", *(["-"] if lock.build else [])),
            given="\n".join([*project()["build-system"]["requires"], EDITABLE]),
        )
        pins = made.read_text(encoding="utf-8")
    return f"# {lock.use}. Written by make lock from pyproject.toml; do not edit.\n{pins}"


def project() -> dict[str, dict[str, list[str]]]:
    """pyproject.toml as it stands."""
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def lowest_python() -> str:
    """``3.11`` of ``requires-python = ">=3.11"``."""
    return str(project()["project"]["requires-python"]).removeprefix(">=")


def uv(*arguments: str, given: str) -> None:
    """A command of uv in the folder of the project; ``given`` is its stdin."""
    subprocess.run([sys.executable, "-m", "uv", *arguments], check=True, cwd=ROOT, input=given, text=True)


if __name__ == "__main__":
    sys.exit(main())
