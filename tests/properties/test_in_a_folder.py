"""One document, one result, by the commands: a file alone, in a folder, in a stream, in two processes.

What may differ, beside what ``test_alone_and_together`` lists, and nothing else does:

- the counts, sums and exit code of a run, which are those of its parts together;
- the index of a rule in SARIF: a run lists the rules of its findings (``indexed``);
- in a stream, the number of the document, and the fingerprint of a finding (SARIF, GitLab): findings of
  objects that cannot be told apart are numbered in their order (``IN_A_STREAM``).

No two documents name one claim: a pod of one file then has the claims of another, which ``test_split`` is on.
"""

import json
import math
import os
import random
import re
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from gpuxlate.backends import registry
from gpuxlate.cli import parallel
from tests.effort import number, some
from tests.properties.mutated import BASES, MUTATIONS, claims_apart, mutated
from tests.properties.test_alone_and_together import Stream, takes_a_share
from tests.running import Ran, run

FILES = max(number(160), 20)
"""In fewer none may have a safe fix."""
STREAMS, LENGTH = number(10), 8
FORMATS = ("text", "json", "sarif", "github", "gitlab")
TARGETS = [one.name for one in registry.pod_backends() if not one.read_only]
ACCEPTING = (
    *("--round", "up", "--fill", "cores=30", "--fill", "memoryMiB=8192"),
    *("--drop", "cores,policy,qos,selector"),
)
CLASH = "DRA015"
"""Two files are translated to objects of one name: found of the later one, and never of one alone."""
IN_A_STREAM = ("document", "fingerprint", "partialFingerprints")


def texts(seed: int, count: int) -> list[str]:
    """The same documents on every run; a claim is in one of them."""
    chance = random.Random(seed)
    made: list[str] = []

    def step() -> tuple[Any, int, int]:
        return chance.choice(MUTATIONS), chance.randrange(1000), chance.randrange(10000)

    while len(made) < count:
        made = claims_apart(
            [*made, mutated(chance.choice(BASES), [step() for _ in range(chance.randrange(5))])]
        )
    return made


COMMAND = "from gpuxlate.cli import main, parallel; parallel.WORTH = 0; main()"
"""As it is installed, but for how much is worth a second process."""


def together(*arguments: str, cores: int) -> Ran:
    """In this process alone, or in so many."""
    if cores == 1:
        with patch.object(parallel, "WORTH", math.inf):
            return run(*arguments)
    done = subprocess.run(
        [sys.executable, "-c", COMMAND, *arguments],
        env={**os.environ, "GPUXLATE_CORES": str(cores), "NO_COLOR": "1"},
        capture_output=True,
        check=False,
        timeout=300,
    )
    assert b"Traceback" not in done.stderr
    return Ran(done.returncode, done.stdout, done.stderr)


# --- what a run says, in parts --------------------------------------------------------------------


def blocks(text: bytes) -> list[str]:
    """The findings for people, without the notes before them and the counts after them."""
    found = re.split(r"\n\n|^(?=(?:error|warning|info)\[)", text.decode(), flags=re.M)
    return [one.strip("\n") for one in found if "= see: " in one]


def findings(format_: str, out: bytes) -> list[Any]:
    """The findings in an output of lint, without what counts them and what is said of a run."""
    if format_ == "text":
        return blocks(out)
    if format_ == "github":
        return out.decode().splitlines()
    data = json.loads(out)
    if format_ == "sarif":
        return [indexed(one, data["runs"][0]) for one in data["runs"][0]["results"]]
    return list(data["diagnostics"] if format_ == "json" else data)


def indexed(result: dict[str, Any], whole: dict[str, Any]) -> Any:
    return result | {"ruleIndex": whole["tool"]["driver"]["rules"][result["ruleIndex"]]}


def items(out: bytes) -> list[Any]:
    """The items of a report, of ``inspect`` and of ``assess``."""
    return list(json.loads(out)["items"])


# --- in a folder ----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file for each document."""
    made = tmp_path_factory.mktemp("documents")
    for index, text in enumerate(texts(2, FILES)):
        (made / f"{index:03}.yaml").write_bytes(text.encode())
    return made


@pytest.fixture
def names(folder: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The files, in the working directory."""
    monkeypatch.chdir(folder)
    return sorted(path.name for path in folder.iterdir())


def orders(names: list[str]) -> list[tuple[int, list[str]]]:
    """Processes, and the paths to give: in their order to one, shuffled to two."""
    return [(1, names), (2, random.Random(2).sample(names, len(names)))]


@pytest.mark.parametrize("format_", FORMATS)
def test_lint(names: list[str], format_: str) -> None:
    options = ("lint", "-v", "--format", format_)  # every info
    apart = [one for name in names for one in findings(format_, run(*options, name).out)]
    assert apart
    for cores, paths in orders(names):
        assert findings(format_, together(*options, *paths, cores=cores).out) == apart


@pytest.mark.parametrize("option", ["--fix", "--unsafe-fixes"])
def test_fixes(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, option: str) -> None:
    def fixed(name: str) -> Path:
        return Path(shutil.copytree(folder, tmp_path / name))

    apart = fixed("apart")
    monkeypatch.chdir(apart)
    for path in sorted(apart.iterdir()):
        run("lint", option, path.name)
    changed = [path for path in apart.iterdir() if path.read_bytes() != (folder / path.name).read_bytes()]
    assert changed
    for cores, paths in orders(sorted(one.name for one in apart.iterdir())):
        made = fixed(f"together-{cores}")
        monkeypatch.chdir(made)
        together("lint", option, *paths, cores=cores)
        for path in apart.iterdir():
            assert (made / path.name).read_bytes() == path.read_bytes()


@pytest.mark.parametrize("target", some(TARGETS))
def test_translate(names: list[str], tmp_path: Path, target: str) -> None:
    options = ("translate", "-v", "--to", target, *ACCEPTING)  # every info
    reports = [tmp_path / f"{name}.json" for name in names]
    apart = [run(*options, name, "--report", str(at)) for name, at in zip(names, reports, strict=True)]
    said = {name: blocks(ran.err) for name, ran in zip(names, apart, strict=True)}
    listed = {name: items(at.read_bytes()) for name, at in zip(names, reports, strict=True)}
    accepted = {name: ran.out for name, ran in zip(names, apart, strict=True) if ran.code == 0}
    assert len(accepted) < len(names)
    assert accepted or not takes_a_share(registry.get(target))
    for cores, paths in orders(names):
        report = tmp_path / "all.json"
        ran = together(*options, *paths, "--report", str(report), cores=cores)
        assert (ran.code, ran.out) == (1, b"")
        clashes = [one for one in blocks(ran.err) if f"[{CLASH}]" in one]
        found = [one for one in blocks(ran.err) if one not in clashes]
        assert sorted(found) == sorted(one for name in paths for one in said[name])
        assert items(report.read_bytes()) == [one for name in paths for one in listed[name]]
        kept = [one for one in paths if one in accepted and not any(f"--> {one}:" in c for c in clashes)]
        assert bool(kept) == bool(accepted)
        if not kept:
            continue
        into = tmp_path / str(cores)
        ran = together(*options, *kept, "--output-dir", str(into), cores=cores)
        assert ran.code == 0, ran.err
        made = {path.name: path.read_bytes() for path in into.iterdir()}
        assert made == {one: accepted[one] for one in kept}


@pytest.mark.parametrize("command", [("inspect",), *(("assess", "--to", name) for name in some(TARGETS))])
def test_items(names: list[str], command: tuple[str, ...]) -> None:
    apart = {name: items(run(*command, "-o", "json", name).out) for name in names}
    for cores, paths in orders(names):
        ran = together(*command, "-o", "json", *paths, cores=cores)
        assert items(ran.out) == [one for name in paths for one in apart[name]]


def test_parse(names: list[str]) -> None:
    apart = {name: run("parse", "-o", "json", name) for name in names}
    read = {name: json.loads(ran.out)["items"] for name, ran in apart.items() if ran.code == 0}
    for cores, paths in orders(sorted(read)):
        ran = together("parse", "-o", "json", *paths, cores=cores)
        made = json.loads(ran.out)["items"]
        assert [one["spec"] for one in made] == [one["spec"] for name in paths for one in read[name]]
        given = [one["metadata"]["name"] for one in made]
        assert len(set(given)) == len(given)


# --- in a stream ----------------------------------------------------------------------------------


@cache
def streams() -> list[Stream]:
    made = texts(3, STREAMS * LENGTH)
    return [Stream(made[n : n + LENGTH]) for n in range(0, len(made), LENGTH)]


def in_a_stream(found: list[Any]) -> list[Any]:
    return [
        {k: v for k, v in one.items() if k not in IN_A_STREAM} if isinstance(one, dict) else one
        for one in found
    ]


@pytest.mark.parametrize("format_", FORMATS)
def test_a_stream(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, format_: str) -> None:
    """Alone, a document is below as many blank lines as it has lines before it in the stream."""
    monkeypatch.chdir(tmp_path)
    for stream in streams():
        apart = []
        for text, before in zip(stream.texts, stream.offsets, strict=False):
            (tmp_path / "f.yaml").write_bytes(("\n" * before + text).encode())
            apart += findings(format_, run("lint", "-v", "f.yaml", "--format", format_).out)
        (tmp_path / "f.yaml").write_bytes(stream.text.encode())
        found = findings(format_, run("lint", "-v", "f.yaml", "--format", format_).out)
        assert in_a_stream(found) == in_a_stream(apart)
