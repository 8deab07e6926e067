"""What a user of ruff and kubectl types first: each guess, and how it ends."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

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
GUESSES: list[tuple[str, int, str]] = [
    # as of ruff
    ("lint", 1, "K8S002"),
    ("lint .", 1, "K8S002"),
    ("lint web.yaml -q", 0, ""),
    ("-q lint web.yaml", 0, ""),
    ("lint web.yaml --quiet", 0, ""),
    ("lint web.yaml -v", 0, "file: web.yaml"),
    ("--verbose lint web.yaml", 0, "file: web.yaml"),
    ("lint wrong.yaml --output concise", 1, "wrong.yaml:8:36: error K8S002"),
    ("lint wrong.yaml --format json", 1, '"gpuxlate-diagnostics/v1"'),
    ("lint wrong.yaml -o sarif", 0, '"2.1.0"'),
    ("lint wrong.yaml -o junit", 1, "<testsuites"),
    ("lint wrong.yaml -o xml", 2, "invalid value 'xml' for --format\nhelp: formats: text, concise, json"),
    ("lint wrong.yaml --select TKE", 0, "no findings"),
    ("lint wrong.yaml --ignore K8S002", 0, "no findings"),
    ("lint wrong.yaml --isolated", 1, "K8S002"),
    ("lint wrong.yaml --config none.yaml", 2, "none.yaml"),
    ("lint . --exclude wrong.yaml,fixable.yaml", 0, "no findings in 2 files"),
    ("lint wrong.yaml --exclude wrong.yaml --force-exclude", 0, "no findings in 0 files"),
    ("lint fixable.yaml --diff", 1, "+        tke.cloud.tencent.com/qgpu-memory: 5"),
    ("lint web.yaml --diff", 0, ""),
    ("lint --statistics", 1, "K8S002"),
    ("lint wrong.yaml --color never", 1, "K8S002"),
    ("lint nope.yaml", 3, "error: nope.yaml: no such file or directory"),
    ("lint - --stdin-filename wrong.yaml", 1, "wrong.yaml:8:36"),
    ("explain TKE002", 0, "TKE002"),
    ("explain TKE002 -o json", 0, '"gpuxlate-rule/v1"'),
    ("rules", 0, "GX001"),
    ("rules TKE", 0, "TKE001"),
    ("rules --to tke --fixable", 0, "TKE002"),
    ("rules --severity warning", 0, "GX009"),
    ("rules NOPE", 2, "no rule 'NOPE'"),
    ("version", 2, "no such command 'version'; write gpuxlate --version"),
    ("check .", 2, "no such command 'check'; write gpuxlate lint"),
    ("rule TKE002", 2, "write gpuxlate explain CODE"),
    ("nodepool share.yaml --to tke --profile p.yaml", 2, "no such option: --profile; write --check PROFILE"),
    ("lint --exit-zero", 2, "no such option: --exit-zero; write --fail-on never"),
    ("translate . --exit-zero", 2, "no such option: --exit-zero\n"),
    ("lint --output-format json", 2, "write -o FORMAT"),
    ("lint --extend-select TKE", 2, "no such option: --extend-select; --select takes the place of"),
    ("lint --show-files", 2, "write -v"),
    ("lint --no-fix", 2, "nothing is fixed without --fix"),
    ("lint --statistic", 2, "(Possible options: --statistics)"),
    ("lint -j 2", 2, "write GPUXLATE_CORES=N"),
    ("--no-color lint", 2, "write --color never"),
    ("-o json lint", 2, "no such option: -o; write gpuxlate COMMAND -o"),
    ("lint -k .", 2, "write kubectl kustomize DIR | gpuxlate lint -"),
    ("server --stdio", 2, "the server uses stdin and stdout without it"),
    ("--version", 0, "gpuxlate "),
    ("-V", 0, "gpuxlate "),
    ("-h", 0, "Usage"),
    ("lint -h", 0, "Global options"),
    # as of kubectl
    ("completion bash", 0, "complete -o"),
    ("completion zsh", 0, "#compdef gpuxlate"),
    ("completion fish", 0, "complete --command gpuxlate"),
    ("completion powershell", 0, "Register-ArgumentCompleter"),
    ("--show-completion zsh", 0, "#compdef gpuxlate"),
    ("get pods", 2, "no such command 'get'; write gpuxlate inspect"),
    ("capacity", 2, "no such command 'capacity'; write kubectl gpuxlate capacity"),
    ("lint -A", 2, "no such option: -A; kubectl gpuxlate has it, for live objects"),
    ("translate -f web.yaml --to tke", 2, "no such option: -f; files are arguments"),
    ("translate web.yaml --to tke --dry-run", 2, "write --diff"),
    ("completion csh", 2, "shells: bash, zsh, fish, powershell"),
    ("translate web.yaml --to tke", 0, "qgpu-memory"),
    ("translate web.yaml --to tke -o json", 0, '"kind": "Pod"'),
    ("translate wrong.yaml --to tke -o json", 1, "K8S002"),
    ("translate web.yaml --to tke -o yaml", 0, "qgpu-memory"),
    ("translate web.yaml --to tke --diff", 0, "+"),
    ("translate web.yaml --to tke --report -", 2, "invalid value '-' for --report: stdout has the result"),
    ("assess web.yaml --to tke --report -", 2, "gpuxlate assess -o json"),
    ("parse web.yaml -o json", 0, '"gpuxlate-shares/v1"'),
    ("inspect", 1, "Pod/web"),
    ("inspect -o json", 1, '"gpuxlate-inspect/v1"'),
    ("assess --to tke web.yaml", 0, "exact"),
    ("assess . --to tke -o json", 1, '"gpuxlate-report/v1"'),
    ("render share.yaml --to tke -o yaml", 0, "qgpu-core"),
    ("render share.yaml --to tke -o json", 0, '"kind": "Pod"'),
    ("compare share.yaml --to tke", 0, "tencent-qgpu"),
    ("compare share.yaml --to tke --to vke --manifests", 0, "vke.volcengine.com"),
    ("targets -o json", 0, '"gpuxlate-targets/v1"'),
    ("targets -o yaml", 2, "formats: table, json"),
    ("schema spec -o json", 0, '"$schema"'),
    ("policy --to tke -o kyverno", 0, "kyverno"),
]


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


def test_nothing_is_said_of_files_that_are_not_there() -> None:
    said = run("lint", "nope.yaml")
    assert (said.out, said.err) == (b"", b"error: nope.yaml: no such file or directory\n")


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
