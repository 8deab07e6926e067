"""What a user of ruff and kubectl types first: each guess, and how it ends."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
import yaml

from tests.running import run

SOUND = (
    "apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec:\n  containers:\n  - name: web\n    resources:\n"
)
FILES = {
    "web.yaml": SOUND
    + "      limits: {nvidia.com/gpu: 1, nvidia.com/gpumem: 4096, nvidia.com/gpucores: 30}\n",
    "wrong.yaml": SOUND + '      limits: {aliyun.com/gpu-mem: 2Gi}  # "<&>"\n',
    "fixable.yaml": SOUND + "      limits:\n        tke.cloud.tencent.com/qgpu-core: 100\n"
    "        tke.cloud.tencent.com/qgpu-memory: 5Gi\n",
    "share.yaml": "apiVersion: gpuxlate.io/v1alpha1\nkind: GPUShare\nmetadata: {name: a}\n"
    "spec: {cores: 30, memoryMiB: 4096}\n",
}
GUESSES = yaml.safe_load(Path(__file__).with_name("guesses.yaml").read_text(encoding="utf-8"))


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(("words", "code", "says"), GUESSES, ids=[one for one, _, _ in GUESSES])
def test_a_guess(words: str, code: int, says: str) -> None:
    said = run(*words.split(), stdin=FILES["wrong.yaml"].encode())
    assert (said.code, says in (said.out + said.err).decode()) == (code, True), said


def test_every_command_lists_its_formats() -> None:
    from gpuxlate.cli.app import COMMANDS, LIVE_COMMANDS, build

    group = build(live=True)
    without = {"completion", "server"}  # a script for a shell, and a protocol for editors
    for name in {*COMMANDS, *LIVE_COMMANDS} - without:
        options = [one for one in group.get_command(None, name).params if "--output" in one.opts]
        assert len(options) == 1, name
        assert "-o" in options[0].opts
        assert options[0].default is None or options[0].default in options[0].help, name


def test_a_diff_writes_nothing(folder: Path) -> None:
    before = {one.name: one.read_bytes() for one in folder.iterdir()}
    said = run("lint", "--diff")
    assert said.out.startswith(b"--- a/fixable.yaml\n+++ b/fixable.yaml\n")
    assert said.err == b"would fix 2 findings\n"
    assert {one.name: one.read_bytes() for one in folder.iterdir()} == before
    assert run("lint", "--diff", "-", stdin=FILES["web.yaml"].encode()).out == b""


def test_junit_is_xml() -> None:
    said = run("lint", "-o", "junit")
    root = ET.fromstring(said.out)
    assert (root.get("tests"), root.get("failures")) == ("3", "3")
    [case] = root.findall("./testsuite[@name='wrong.yaml']/testcase")
    assert case.get("name") == "K8S002 wrong.yaml:8:36"
    failure = case.find("failure")
    assert failure is not None
    assert failure.get("type") == "error"
    clean = ET.fromstring(run("lint", "web.yaml", "-o", "junit").out)
    assert (clean.get("tests"), clean.get("failures")) == ("1", "0")


def test_a_list_of_json(folder: Path) -> None:
    (folder / "more.yaml").write_text(FILES["web.yaml"] + "---\n" + FILES["web.yaml"])
    made = json.loads(run("translate", "more.yaml", "--to", "tke", "-o", "json").out)
    assert (made["kind"], len(made["items"])) == ("List", 2)
    for words in ("-i", "--diff", "--check", "--output-dir out"):
        said = run("translate", "web.yaml", "--to", "tke", "-o", "json", *words.split())
        assert (said.code, b"-o json prints all on stdout" in said.err) == (2, True)


def test_a_template_is_not_json(folder: Path) -> None:
    (folder / "c/templates").mkdir(parents=True)
    (folder / "c/Chart.yaml").write_text("name: c\n")
    (folder / "c/templates/a.yaml").write_text("{{ if }}\na: b\n")
    said = run("translate", "c", "--to", "tke", "-o", "json")
    assert (said.code, said.out) == (1, b"")
    assert b"error: -o json: invalid YAML" in said.err
