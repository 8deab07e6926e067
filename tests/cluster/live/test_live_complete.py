"""Completion as kubectl asks for it, without a server."""

from pathlib import Path

import pytest

from gpuxlate.backends import registry
from gpuxlate.cli.app import LIVE_COMMANDS, LIVE_GROUPS
from gpuxlate.cli.complete import kubectl_complete
from gpuxlate.rules import catalog

KUBECONFIG = """\
current-context: ack-prod
contexts:
- {name: ack-prod, context: {cluster: a, user: a, namespace: ml}}
- {name: tke-prod, context: {cluster: b, user: b, namespace: web}}
"""


@pytest.fixture(autouse=True)
def kubeconfig(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "config"
    path.write_text(KUBECONFIG)
    monkeypatch.setenv("KUBECONFIG", str(path))
    return path


CODES = list(catalog.all_rules(registry.all_backends()))


def values(*words: str) -> tuple[list[str], str]:
    """The values, and the directive."""
    *lines, directive = kubectl_complete(words).split("\n")
    return [line.partition("\t")[0] for line in lines], directive


def test_commands_with_what_they_do() -> None:
    found, directive = values("")
    assert found == [name for commands in LIVE_GROUPS.values() for name in commands]
    assert set(LIVE_COMMANDS) <= set(found)
    assert directive == ":4"
    assert "translate\tTranslate manifests to another dialect" in kubectl_complete([""])
    assert all("\t" in line for line in kubectl_complete([""]).split("\n")[:-1])


FITTING = {
    "tra": ["translate"], "--context ": ["ack-prod", "tke-prod"], "--context ack-prod tra": ["translate"],
    "-A lin": ["lint"], "lint --cont": ["--context"], "lint --context t": ["tke-prod"],
    "lint --context=t": ["--context=tke-prod"], "lint -n ": ["ml", "web"], "lint deploy -n m": ["ml"],
    "translate --to tenc": ["tencent-qgpu"], "translate --to=vk": ["--to=vke"],
    "translate --to gpu-": [],  # it is only read
    "translate --from gpu-": ["gpu-manager"], "lint --select VKE001,TKE001": ["VKE001,TKE001"],
    "lint --select TKE00": [code for code in CODES if code.startswith("TKE00")],
    "explain GX00": [f"GX00{number}" for number in range(1, 10)], "lint dep": ["deploy", "deployments"],
    "lint --format s": ["sarif"], "parse -o ": ["yaml", "json"], "schema p": ["profile", "plan", "preflight"],
    "nosuch ": [], "lint --nosuch x": [],
}  # fmt: skip


def test_what_fits() -> None:
    assert {line: values(*line.split(" "))[0] for line in FITTING} == FITTING


def test_where_files_fit() -> None:
    files = ("lint --profile ", "lint --kubeconfig ", "render ", "lint ./man")
    none = ("lint dep", "lint --to", "")
    found = {line: values(*line.split(" "))[1] for line in (*files, *none)}
    assert found == dict.fromkeys(files, ":0") | dict.fromkeys(none, ":4")


def test_the_kubeconfig_of_the_line_counts(tmp_path: Path, kubeconfig: Path) -> None:
    other = tmp_path / "other"
    other.write_text(KUBECONFIG.replace("prod", "test"))
    assert values("lint", "--kubeconfig", str(other), "--context", "")[0] == ["ack-test", "tke-test"]
    assert values("lint", f"--kubeconfig={other}", "--context", "")[0] == ["ack-test", "tke-test"]
    kubeconfig.write_text("[")
    assert values("lint", "--context", "") == ([], ":4")
