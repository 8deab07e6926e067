"""The commands as they are typed: what a user of ruff and kubectl types first, the standard streams of a
process of its own, targets that are only read, and templates that are not rendered.

What is said of anything else that goes wrong stands in ``tests/errors``.
"""

import json
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest

from gpuxlate.backends import registry
from tests.running import run
from tests.tables import read_table

SOUND = (
    "apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec:\n  containers:\n  - name: web\n    resources:\n"
)
SHARE = "apiVersion: gpuxlate.io/v1alpha1\nkind: GPUShare\nmetadata: {name: a}\nspec: "
FILES = {
    "web.yaml": SOUND
    + "      limits: {nvidia.com/gpu: 1, nvidia.com/gpumem: 4096, nvidia.com/gpucores: 30}\n",
    "wrong.yaml": SOUND + '      limits: {aliyun.com/gpu-mem: 2Gi}  # "<&>"\n',
    "fixable.yaml": SOUND + "      limits:\n        tke.cloud.tencent.com/qgpu-core: 100\n"
    "        tke.cloud.tencent.com/qgpu-memory: 5Gi\n",
    "share.yaml": f"{SHARE}{{cores: 30, memoryMiB: 4096}}\n",
    ".ci/gpuxlate.yaml": "fail-on: warning\n",
    ".ci/warned.yaml": f"{SOUND}      limits: {{aliyun.com/gpu-mem: 4096}}\n",
}
GUESSES = read_table(__file__, "guesses.yaml")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / ".ci").mkdir()
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(("words", "code", "says"), GUESSES, ids=[one for one, _, _ in GUESSES])
def test_a_guess(words: str, code: int, says: str) -> None:
    said = run(*words.split(), stdin=FILES["wrong.yaml"].encode())
    assert (said.code, says in (said.out + said.err).decode()) == (code, True), said


def test_every_command_lists_its_formats() -> None:
    from gpuxlate.cli.app import COMMANDS, LIVE_COMMANDS, build_app

    group = build_app(live=True)
    without = {"completion", "server"}  # a script for a shell, and a protocol for editors
    for name in {*COMMANDS, *LIVE_COMMANDS} - without:
        options = [one for one in group.commands[name].command.params if "--output" in one.opts]
        assert len(options) == 1, name
        assert {"-o", "--format"} <= {*options[0].opts}, name
        assert options[0].default is None or options[0].default in options[0].type.choices, name


def test_a_diff_writes_nothing(folder: Path) -> None:
    def contents() -> dict[Path, bytes]:
        return {one: one.read_bytes() for one in folder.rglob("*") if one.is_file()}

    before = contents()
    said = run("lint", "--diff")
    assert said.out.startswith(b"--- a/fixable.yaml\n+++ b/fixable.yaml\n")
    assert said.err == b"would fix 2 findings\n"
    assert contents() == before
    assert run("lint", "--diff", "-", stdin=FILES["web.yaml"].encode()).out == b""


def test_junit_is_xml() -> None:
    root = ET.fromstring(run("lint", "-o", "junit", "--ignore", "HAMI016").out)
    assert (root.get("tests"), root.get("failures")) == ("3", "3")
    [case] = root.findall("./testsuite[@name='wrong.yaml']/testcase")
    assert case.get("name") == "K8S002 wrong.yaml:8:36"
    assert [one.get("type") for one in case.findall("failure")] == ["error"]
    clean = ET.fromstring(run("lint", "web.yaml", "-o", "junit", "--ignore", "HAMI016").out)
    assert (clean.get("tests"), clean.get("failures")) == ("1", "0")


def test_a_list_of_json(folder: Path) -> None:
    (folder / "more.yaml").write_text(FILES["web.yaml"] + "---\n" + FILES["web.yaml"])
    made = json.loads(run("translate", "more.yaml", "--to", "tke", "-o", "json").out)
    assert (made["kind"], len(made["items"])) == ("List", 2)
    for words in ("-i", "--diff", "--check", "--output-dir out"):
        said = run("translate", "web.yaml", "--to", "tke", "-o", "json", *words.split())
        assert (said.code, b"-o json prints all on stdout" in said.err) == (2, True)


# --- streams: closed, left by their reader, full --------------------------------------------------

PROGRAM = [sys.executable, "-W", "error", "-c", "from gpuxlate.cli import main; main()"]
STDIN = "error: <stdin>: it is closed\nhelp: pipe a text to it, or name a file\n"
STDOUT = "error: stdout is closed\nhelp: to discard the result, redirect it to /dev/null\n"


def process(command: str, **streams: Any) -> tuple[int, str, str]:
    piped: dict[str, Any] = {
        "stdout": subprocess.PIPE,
        "stderr": subprocess.PIPE,
        "text": True,
        "check": False,
    }
    done = subprocess.run([*PROGRAM, *command.split()], **piped | streams)
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize(
    ("stream", "command", "says"),
    [
        (0, "render - --to vke", STDIN),
        (1, "render share.yaml --to vke", STDOUT),
        (2, "render gone --to vke", ""),
    ],
)
def test_a_closed_stream(stream: int, command: str, says: str) -> None:
    given = {} if stream == 0 else {"stdin": subprocess.DEVNULL}
    assert process(command, **given, preexec_fn=lambda: os.close(stream)) == (3, "", says)


def test_a_reader_that_has_gone() -> None:
    """As in ``gpuxlate rules | head``: no complaint, and no failure."""
    ours, theirs = os.pipe()
    os.close(ours)
    with os.fdopen(theirs, "wb") as gone:
        assert process("rules -o json", stdout=gone) == (0, None, "")


def test_a_full_disk() -> None:
    with Path("/dev/full").open("wb") as full:
        said = "error: no space left on device\n"
        assert process("render share.yaml --to vke", stdout=full) == (3, None, said)


# --- targets, those that are only read too --------------------------------------------------------

READ_ONLY = {"elastic-gpu", "gpu-manager", "nos", "vgpu-manager"}


def printed(command: str) -> str:
    return run(*command.split()).out.decode()


def test_targets_as_json_and_in_a_table() -> None:
    found = json.loads(printed("targets -o json"))["targets"]
    assert [one["name"] for one in found] == [one.name for one in registry.all_backends()]
    assert {one["name"] for one in found if one["readOnly"]} == READ_ONLY
    assert {one.name for one in registry.all_backends() if one.read_only} == READ_ONLY
    units = {row["name"]: row["unit"] for one in found for row in one["keys"]}
    assert units["nvidia.com/gpumem"] == "MiB of each card"
    assert units["mthreads.com/sgpu-core"] == "units of 6.25 % of each card"
    table = printed("targets")
    assert re.search(r"^gpu-manager .*\n  \(read only\)", table, re.MULTILINE)
    missing = re.search(r"^volcano-vgpu (?:.*\n)*?.*(not supported: .*)", table, re.MULTILINE)
    assert missing
    assert "not supported: qos, memoryLimitMiB" in missing[1]


def test_shares_are_written_for_no_target_that_is_only_read() -> None:
    lines = printed("compare share.yaml --to all").splitlines()
    compared = {line.split()[0] for line in lines if line and not line.startswith((" ", "a:", "a "))}
    assert compared == {"TARGET", *(one.name for one in registry.all_writable())}
    items = json.loads(printed("compare share.yaml --to all -o json"))["items"][0]["targets"]
    assert [one["target"] for one in items if not one["keys"] and one["verdict"] != "refused"] == []
    titles = re.findall(r"-- ([\w-]+)", printed("compare share.yaml --to all --manifests"))
    assert {"volcengine-mgpu", "hami"} <= {*titles} <= {one.name for one in registry.all_writable()}
    of_pods = {one.name for one in registry.pod_backends()}
    assert {one.name for one in registry.written_manifests()} == of_pods - READ_ONLY


def test_a_key_that_names_the_container_is_compared_as_it_is_rendered(folder: Path) -> None:
    (folder / "share.yaml").write_text(f"{SHARE}{{memoryMiB: 4096, memoryLimitMiB: 8192}}\n")
    compared = json.loads(printed("compare share.yaml --to kai -o json"))["items"][0]["targets"]
    [kai] = [one for one in compared if one["target"] == "kai"]
    assert kai["verdict"] == "exact"
    assert any("probe" in key for key in kai["keys"])
    rendered = printed("render share.yaml --to kai")
    assert [key for key in kai["keys"] if key.removeprefix("annotation ") not in rendered] == []


# --- an unrendered template: refused where it has to be read, never passed over with exit 0, and passed on
# where ``translate`` writes what stands beside it

POD = f"{SOUND}      limits: {{gpuxlate.io/cores: 30, gpuxlate.io/memory-mib: 4096}}\n"
VKE = POD.replace("gpuxlate.io/cores", "vke.volcengine.com/mgpu-core")
MADE = VKE.replace("gpuxlate.io/memory-mib", "vke.volcengine.com/mgpu-memory")
TEMPLATE = "kind: Pod\nmetadata: {{ toYaml .Values.metadata }}: x {{ .y }}\n"
"""A line that YAML cannot read, and that Helm has not written yet: passed on with an info (GX012)."""
BROKEN = "kind: GPUShare\nmetadata: {name: {{ .x }}-a}\n"
LIST = "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n- kind: {{ .x }}-a\n"
OF_A_SHARE = ("render b.yaml --to tke", "compare b.yaml", "render share.yaml --to tke --workload b.yaml")


@pytest.mark.parametrize(("command", "stdin"), [*((one, "") for one in OF_A_SHARE), ("krm", LIST)])
def test_a_template_is_refused(command: str, stdin: str, folder: Path) -> None:
    (folder / "b.yaml").write_text(BROKEN)
    ran = run(*command.split(), stdin=stdin.encode())
    assert (ran.code, ran.out) == (1, stdin.encode())
    assert b"error[GX001]: invalid YAML near a template's {{" in ran.err


def test_a_folder_may_hold_templates_of_something_else(folder: Path) -> None:
    (folder / "b.yaml").write_text(BROKEN)
    ran = run("render", ".", "--to", "neutral")
    assert ran.code == 0
    assert b"info[GX012]" in ran.err
    assert b"gpuxlate.io/cores: 30" in ran.out


def test_what_stands_behind_a_template_stays(folder: Path) -> None:
    path = folder / "f.yaml"
    path.write_text("---\n".join([POD, TEMPLATE, "a: 1\n", "b: 2\n"]))
    expected = "---\n".join([MADE, TEMPLATE, "a: 1\n", "b: 2\n"]).encode()
    passed = run("translate", "f.yaml", "--to", "vke")
    assert (passed.code, passed.out, b"GX012" in passed.err) == (0, expected, True)
    assert run("translate", "-i", "f.yaml", "--to", "vke").code == 0
    assert path.read_bytes() == expected


def test_a_share_behind_a_template_refuses_the_file(folder: Path) -> None:
    """It is not read, and no file ends in two dialects, whatever is accepted."""
    path = folder / "f.yaml"
    path.write_text("---\n".join([POD, TEMPLATE, POD]))
    before = path.read_bytes()
    for more in ((), ("--allow-leftovers",)):
        refused = run("translate", "-i", "f.yaml", "--to", "vke", *more)
        assert (refused.code, b"f.yaml would be in two dialects" in refused.err) == (1, True)
        assert path.read_bytes() == before


def test_a_template_is_not_json(folder: Path) -> None:
    (folder / "c/templates").mkdir(parents=True)
    (folder / "c/Chart.yaml").write_text("name: c\n")
    (folder / "c/templates/a.yaml").write_text("{{ if }}\na: b\n")
    said = run("translate", "c", "--to", "tke", "-o", "json")
    assert (said.code, said.out) == (1, b"")
    assert b"error: -o json: invalid YAML" in said.err


@pytest.mark.parametrize("command", ["assess web.yaml", "nodepool share.yaml"])
def test_several_targets_are_each_as_one_alone(command: str) -> None:
    alone = [
        {"target": name, **json.loads(printed(f"{command} -o json --to {name}"))}
        for name in ("alibaba-gpushare", "volcengine-mgpu")
    ]
    several = json.loads(printed(f"{command} -o json --to ack,vke --to alibaba"))
    assert several == {"format": "gpuxlate-results/v1", "targets": alone}


def test_targets_at_hand(folder: Path) -> None:
    """Three clouds and the workload's dialects; with ``targets`` in the configuration, those alone."""

    def compared(command: str = "compare placed.yaml -o json") -> list[str]:
        return [one["target"] for one in json.loads(printed(command))["items"][0]["targets"]]

    clouds = ["volcengine-mgpu", "alibaba-gpushare", "tencent-qgpu"]
    assert compared("compare share.yaml -o json") == clouds
    (folder / "placed.yaml").write_text(f"{SHARE}{{cores: 30, workload: {{file: web.yaml}}}}\n")
    assert compared() == [*clouds, "hami"]
    (folder / ".gpuxlate.yaml").write_text("targets: [tke, metax, tencent]\n")
    assert compared() == ["tencent-qgpu", "metax-sgpu"]
