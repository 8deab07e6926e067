"""Broken charts: a finding at its place, nothing half written, and no traceback."""

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gpuxlate.model.limits import MAX_CONFIG_BYTES
from tests.running import Ran, run
from tests.tables import read_table

CASES = read_table(__file__, "broken.yaml")
CHART = "apiVersion: v2\nname: c\nversion: 0.1.0\n"
VALUES = "resources: {limits: {gpuxlate.io/cores: 30, gpuxlate.io/memory-mib: 1024}}\n"
_ERROR = re.compile(r"error\[(\w+)\]: (.*)\n *--> (\S+)")


@pytest.fixture
def chart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "Chart.yaml").write_text(CHART)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def put(folder: Path, case: dict[str, Any]) -> None:
    for name, text in ({"values.yaml": case["values"]} | case.get("files", {})).items():
        (folder / name).write_text(text, encoding="utf-8")


def errors(ran: Ran) -> list[str]:
    found = _ERROR.findall(ran.err.decode())
    return [f"{place} {code} {message}" for code, message, place in sorted(found, key=_place)]


def _place(found: tuple[str, str, str]) -> list[int]:
    return list(map(int, re.findall(r"\d+", found[2])))


@pytest.mark.parametrize("case", CASES, ids=[one["name"] for one in CASES])
def test_each_is_reported_at_its_place(case: dict[str, Any], chart: Path) -> None:
    put(chart, case)
    ran = run("translate", ".", "--to", case["to"], "-i")
    found = errors(ran)
    assert len(found) == len(case["errors"]), found
    for one, parts in zip(found, case["errors"], strict=True):
        assert all(part in one for part in parts.split(" ")), found
    assert ran.code == bool(found)
    assert ((chart / "values.yaml").read_text() == case["values"]) == bool(found)
    for command in ("lint", "inspect", "assess"):
        assert run(command, ".", *(["--to", case["to"]] if command == "assess" else [])).code in (0, 1)
    if found and b"to accept: " not in ran.err:  # no flag takes it: nothing is half done
        flags = ("--allow-leftovers", "--round", "up", "--fill", "cores=30", "--fill", "memoryMiB=8192")
        again = run("translate", ".", "--to", case["to"], "-i", *flags, "--drop", "policy,qos,cores,selector")
        assert again.code == 1
        assert (chart / "values.yaml").read_text() == case["values"]


NO_FILES: dict[str, Callable[[Path], object]] = {
    "link": lambda path: path.symlink_to("/etc/hostname"),
    "nowhere": lambda path: path.symlink_to("nowhere"),
    "huge": lambda path: path.write_bytes(b"#" * (MAX_CONFIG_BYTES + 1)),
    "pipe": os.mkfifo,
    "folder": Path.mkdir,
}


@pytest.mark.parametrize("made", NO_FILES)
@pytest.mark.parametrize("name", ["Chart.yaml", "values.yaml"])
def test_what_is_no_file_says_nothing(made: str, name: str, chart: Path) -> None:
    (chart / name).unlink(missing_ok=True)
    NO_FILES[made](chart / name)
    (chart / "values-prod.yaml").write_text(VALUES)
    ran = run("translate", "values-prod.yaml", "--to", "hami")
    translated = b"nvidia.com/gpumem" in ran.out
    assert (translated, ran.code) == (b"GX026" not in ran.err, int(not translated))
    assert translated == (name == "values.yaml" or made in ("link", "huge"))


VALUES_FILES = (
    "values.yaml",
    "values.yml",
    "values-prod.yaml",
    "values_a.yaml",
    "prod-values.yaml",
    "nv-values.yaml",
)
OTHERS = ("templates/values.yaml", "ci/values.yaml")


@pytest.mark.parametrize("name", [*VALUES_FILES, *OTHERS])
def test_which_files_are_values(name: str, chart: Path) -> None:
    read = name in VALUES_FILES
    (chart / name).parent.mkdir(exist_ok=True)
    (chart / name).write_text(VALUES)
    ran = run("translate", name, "--to", "hami", "-i")
    assert ((chart / name).read_text() != VALUES) == read
    assert (b"GX026" in ran.err) == (not read)
    hinted = b"name this file values*.yaml beside the Chart.yaml" in ran.err
    assert hinted == (not read and "templates" not in name)
