"""Trees that are refused: what would be built is wrong or not known, or kustomize builds nothing."""

from pathlib import Path

import pytest

from tests.overlays.apps import KUBECTL, build, cases, written
from tests.running import run

CASES = cases("refused.yaml")
OPTIONS = ["--round=up", "--drop=cores,policy,qos,selector", "--fill=cores=30"]


@pytest.mark.parametrize("title", CASES["different"])
def test_what_would_be_built_is_not_the_translation(
    title: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An error at the place of what changes it, and nothing is written; no leftover to accept."""
    case = CASES["different"][title]
    monkeypatch.chdir(written(tmp_path, case["files"]))
    before = {path: Path(path).read_text() for path in case["files"]}
    command = ["translate", ".", "--to", case["to"], "-i", *OPTIONS]
    done = run(*command)
    said = done.err.decode()
    assert done.code == 1
    assert case["why"] in said
    assert f" --> {case['at']}" in said
    assert {path: Path(path).read_text() for path in before} == before
    if "its translation has" in case["why"]:
        assert "kubectl kustomize over | gpuxlate translate -" in said
        assert run(*command, "--allow-leftovers").code == 1


@pytest.mark.parametrize("title", CASES["unbuilt"])
def test_what_kustomize_refuses(title: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing of it is counted or written, and its line is said."""
    case = CASES["unbuilt"][title]
    more = {case["also"]: "{}"} if "also" in case else {}
    monkeypatch.chdir(written(tmp_path, {**case["files"], **more}))
    at = f"{case.get('at', 'over/kustomization.yaml')}:{case['line']}"
    for command in (["inspect", "-k", "over"], ["translate", ".", "--to", "ack", "-i", *OPTIONS]):
        done = run(*command)
        said = done.err.decode()
        assert done.code == 1, command
        assert at in said, said
        assert case["why"] in said
        assert "kustomize refuses it" in said
    if KUBECTL and "is not read" not in case["why"]:
        assert build(Path("over")) is None


def test_an_operation_that_does_not_apply(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No help leads to a build that kustomize refuses."""
    key = "/spec/template/spec/containers/0/resources/limits/vke.volcengine.com~1mgpu-core"
    patch = f"[{{op: test, path: /spec/replicas, value: 7}}, {{op: replace, path: {key}, value: 60}}]"
    files = CASES["unbuilt"]["a base that is not there"]["files"]
    over = "resources: [../base]\npatches: [{path: p.yaml, target: {kind: Deployment}}]\n"
    monkeypatch.chdir(written(tmp_path, {**files, "over/kustomization.yaml": over, "over/p.yaml": patch}))
    for command in (["inspect", "-k", "over"], ["translate", ".", "--to", "ack", "-i", *OPTIONS]):
        done = run(*command)
        assert done.code == 1, command
        assert "operation 0 (test /spec/replicas) does not apply" in done.err.decode()
        assert "help: correct it: kustomize builds nothing of it" in done.err.decode()
    if KUBECTL:
        assert build(Path("over")) is None
