"""The locks in ``requirements/`` are those of pyproject.toml, with hashes; make takes no others. And what
``make audit`` says of them and how it ends, for what pip-audit may answer."""

import json
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.tables import read_table

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
LOCKS = {
    "dev": ("", "cluster", "dev", "docs", "editor", "watch", "build"),
    "run": ("", "build"),
    "app": ("", "cluster"),
    "dist": ("", "dist", "build"),
    "bench": ("", "cluster", "dev", "docs", "editor", "watch", "bench", "build"),
    "fuzz": ("", "cluster", "dev", "docs", "editor", "watch", "fuzz", "build"),
    "lowest": ("", "cluster", "dev", "docs", "editor", "watch", "build"),
}
"""Which parts of pyproject.toml a lock answers; "" is what gpuxlate needs to run."""
BLOCK = re.compile(
    r"^(?P<pin>[^\s#][^\\\n]*?) \\\n(?P<hashes>(?:    --hash=sha256:[0-9a-f]{64}(?: \\)?\n)+)", re.M
)


def text(name: str) -> str:
    return (ROOT / "requirements" / f"{name}.txt").read_text(encoding="utf-8")


def pins(name: str) -> dict[str, Requirement]:
    found = [Requirement(block["pin"]) for block in BLOCK.finditer(text(name))]
    return {canonicalize_name(one.name): one for one in found}


def version(pin: Requirement) -> str:
    [specifier] = pin.specifier
    assert specifier.operator == "=="
    return specifier.version


def asked(*parts: str) -> Iterator[Requirement]:
    known = {"": PROJECT["project"]["dependencies"], "build": PROJECT["build-system"]["requires"]}
    known |= PROJECT["project"]["optional-dependencies"]
    for part in parts:
        yield from map(Requirement, known[part])


def test_every_extra_has_a_lock() -> None:
    locked = {part for parts in LOCKS.values() for part in parts} - {"", "build"}
    assert locked == set(PROJECT["project"]["optional-dependencies"])
    assert {one.stem for one in (ROOT / "requirements").iterdir()} == set(LOCKS)


@pytest.mark.parametrize("name", LOCKS)
def test_a_lock(name: str) -> None:
    """Everything that pyproject.toml asks for is in it, in a version that it allows: else ``make lock``.

    It holds versions with hashes and nothing else: no index, no address, no option. All but the lowest agree
    with that for development: one environment takes several of them.
    """
    locked = pins(name)
    for one in asked(*LOCKS[name]):
        pin = locked.get(canonicalize_name(one.name))
        assert pin is not None, f"requirements/{name}.txt has no {one.name}: run make lock"
        assert one.specifier.contains(version(pin)), f"{pin} is not {one}: run make lock"
    rest = BLOCK.sub("", text(name))
    assert rest.startswith("# ")
    assert rest.count("\n") == 1, rest
    widest = pins("dev") if name != "lowest" else {}
    both = locked.keys() & widest
    assert {key: version(locked[key]) for key in both} == {key: version(widest[key]) for key in both}


def test_the_lowest_are_the_lowest_that_are_allowed() -> None:
    """Nothing else asks for more: the bounds in pyproject.toml are those that make test-lowest tries."""
    locked = pins("lowest")
    for one in asked(*LOCKS["lowest"]):
        [bound] = [each.version for each in one.specifier if each.operator == ">="]
        [exactly] = Requirement(f"x=={bound}").specifier
        assert exactly.contains(version(locked[canonicalize_name(one.name)])), one


def test_one_list_for_every_python_in_the_zipapp() -> None:
    """pip takes the markers of the Python that it runs on, whatever ``--python-version`` says."""
    assert [str(one) for one in pins("app").values() if "python" in str(one.marker)] == []


def test_make_installs_from_locks_alone() -> None:
    installs = [line.strip() for line in MAKEFILE.splitlines() if re.search(r"pip.* install|install ", line)]
    assert [line for line in installs if not line.startswith(("LOCKED :=", "ITSELF :=", "#"))] == []
    assert "--require-hashes --only-binary :all:" in MAKEFILE
    assert "--no-deps --no-build-isolation" in MAKEFILE


CASES = read_table(__file__, "audit.yaml")


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case["name"]))
def test_an_answer(tmp_path: Path, case: dict[str, Any]) -> None:
    """A module in place of pip-audit, which looks at nothing but that it is asked about the locks."""
    asked = [f"requirements/{name}.txt" for name in ("app", "bench", "dev", "dist", "fuzz", "run")]
    gives = f"print({json.dumps({'dependencies': case.get('packages'), 'fixes': []})!r})"
    if "stderr" in case:
        gives = f"sys.stderr.write({case['stderr']!r}); sys.exit(1)"
    (tmp_path / "pip_audit.py").write_text(
        "import sys\n"
        f"assert [one for one in sys.argv if one.endswith({tuple(asked)!r})] != []\n"
        f"assert len([one for one in sys.argv if one.endswith('.txt')]) == {len(asked)}\n{gives}\n"
    )
    env = {**os.environ, "PYTHONPATH": str(tmp_path)}
    command = [sys.executable, ROOT / "contrib" / "audit.py"]
    done = subprocess.run(command, env=env, input="", capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr, done.returncode) == (case["says"], "", case["exit"])
