"""A set of documents says the same however it is split into files, named one by one or as their folder.

What may differ, and nothing else does: files, lines and numbers of documents. No claim or template that a
pod names is taken away by a translation.
"""

import json
import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.effort import SEED, number
from tests.properties.sets import Set, drawn
from tests.running import Ran, run

SETS = int(os.environ.get("GPUXLATE_SETS", number(150)))
"""2,000 were run for the release in which claims across files came."""
FIRST = int(os.environ.get("GPUXLATE_FIRST_SET", SEED))
GROUPS = 10
ACCEPTING = (
    *("--round", "up", "--fill", "cores=30", "--fill", "memoryMiB=8192"),
    *("--drop", "cores,policy,qos,selector,device,isolation"),
)
TARGETS = ("hami", "tencent-qgpu", "dra-hami", "neutral")
PLANNED = "hami"
PROFILE = "target: hami\ncards: {perNode: 4, memoryMiB: 24576}\n"
PLACES = frozenset({"file", "document", "line", "column", "endLine", "endColumn", "at"})
_FILE = re.compile(r"\b(?:part|patch)-\d+\.yaml(?::\d+)*|<stdin>(?::\d+)*")


def normal(value: Any) -> Any:
    """A result without places."""
    if isinstance(value, Mapping):
        return {name: normal(one) for name, one in value.items() if name not in PLACES}
    if isinstance(value, list):
        return [normal(one) for one in value]
    return _FILE.sub("FILE", value) if isinstance(value, str) else value


def counted(values: Sequence[Any]) -> Counter[str]:
    return Counter(json.dumps(normal(one), sort_keys=True) for one in values)


def lists(data: Mapping[str, Any]) -> dict[str, Counter[str]]:
    """The lists of a result, each in any order."""
    return {name: counted(value) for name, value in data.items() if isinstance(value, list)}


def loaded(folder: Path) -> list[Any]:
    """The documents of a folder; one that is a template is its text."""
    files = (one for one in folder.iterdir() if one.name != "kustomization.yaml")
    read = (one.read_text(encoding="utf-8") for one in files)
    texts = (text for one in read for text in re.split(r"^---\n", one, flags=re.MULTILINE))
    return [text if "{{" in text else yaml.safe_load(text) for text in texts if text.strip()]


def answers(folder: Path, paths: Sequence[str], target: str) -> Iterator[tuple[str, Any]]:
    """What each command says of the files of a folder, the working directory."""
    linted = run("lint", "-o", "json", *paths)
    yield "lint", (linted.code, lists(json.loads(linted.out)))
    yield "inspect", _json(run("inspect", "-o", "json", *paths))
    yield (
        "plan",
        _plan(run("plan", "--to", PLANNED, "--profile", "../profile", "-o", "json", *ACCEPTING, *paths)),
    )
    options = ("--to", target, *ACCEPTING)
    yield "assess", _json(run("assess", *options, "-o", "json", *paths))
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    for accepted in ((), ("--allow-leftovers",)):
        ran = run("translate", "-i", *options, *accepted, "--report", "../report", *paths)
        report = json.loads(Path("../report").read_bytes())
        made = loaded(folder)
        if ran.code:
            assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
        assert_claims_are_there(before, made)
        yield f"translate {accepted}", (ran.code, lists(report), counted(made))
        for name, data in before.items():
            (folder / name).write_bytes(data)


def _json(ran: Ran) -> Any:
    return ran.code, lists(json.loads(ran.out)) if ran.out else None


def _plan(ran: Ran) -> Any:
    """A plan without its places: the order of pods decides between equal packings."""
    if not ran.out:
        return ran.code, None
    data = json.loads(ran.out)
    targets = [
        {name: one[name] for name in ("target", "cards", "nodes", "lowerBound")} for one in data["targets"]
    ]
    return ran.code, targets, counted(data["uncounted"])


def assert_claims_are_there(before: Mapping[str, bytes], made: Sequence[Any]) -> None:
    """Every claim and template that was there and is still named is still there."""
    there = {
        name for data in before.values() for name in re.findall(rb"^  name: (t-\d)$", data, re.MULTILINE)
    }
    texts = [one if isinstance(one, str) else json.dumps(one) for one in made]
    named = {name for text in texts for name in re.findall(r'(?:TemplateName|ClaimName)"?: "?(t-\d)', text)}
    kept = {one["metadata"]["name"] for one in made if isinstance(one, dict) and "Claim" in one["kind"]}
    assert not (named & {one.decode() for one in there}) - kept


def differences(number: int, root: Path) -> Iterator[str]:
    """How the layouts of a set differ from its documents in one file, for one of the targets."""
    one: Set = drawn(number)
    target = TARGETS[number // GROUPS % len(TARGETS)]
    wanted: dict[str, Any] = {}
    for index, files in enumerate(one.layouts()):
        folder = root / f"{number}-{index}"
        names = one.write(folder, files)
        os.chdir(folder)
        for how, paths in (("named", names), ("folder", ["."])):
            for command, said in answers(folder, paths, target):
                if wanted.setdefault(command, said) != said:
                    yield f"set {number}, {len(files)} files, {how}: {command} {target}"
                    yield f"{wanted[command]}\n{said}"


@pytest.mark.parametrize("group", range(GROUPS))
def test_split(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, group: int) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "profile").write_text(PROFILE, encoding="utf-8")
    numbers = range(FIRST + group, FIRST + SETS, GROUPS)
    found = [line for one in numbers for line in differences(one, tmp_path)]
    assert not found, "\n\n".join(found[:5])
