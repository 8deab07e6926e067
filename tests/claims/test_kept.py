"""A template that something else than a translated pod names stays, and is said; the run is a folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpuxlate.cli.common import Exit
from tests.running import run

POD = """\
apiVersion: v1
kind: Pod
metadata: {name: p}
spec:
  resourceClaims: [{name: g, resourceClaimTemplateName: t}]
  containers: [{name: c, image: x, resources: {claims: [{name: g}]}}]
"""
TEMPLATE = """\
apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {name: t}
spec:
  spec:
    devices:
      requests:
      - name: gpu
        exactly: {deviceClassName: hami-core-gpu.project-hami.io, capacity: {requests: {cores: "30"}}}
"""
NAMED = "resourceClaims: [{name: g, resourceClaimTemplateName: t}]"
PATCHED = "resources: [pod.yaml, t.yaml]\npatches: [{path: more.yaml, target: {kind: Pod, name: p}}]\n"
OUTSIDE, IN_HELM = "more.yaml names it, in a place outside any pod", "more.yaml names it, in a Helm template"
OTHER_POD = POD.replace("resourceClaimTemplateName: t", "resourceClaimTemplateName: other")
CONFIG_MAP = f"kind: ConfigMap\nmetadata: {{name: g}}\ndata:\n  pod: |\n    {NAMED}\n"
TEMPLATED = f"kind: Pod\nmetadata: {{name: {{{{ .n }}}}}}\nspec:\n  {NAMED}\n  containers: []\n"
ADDED = "- op: add\n  path: /spec/resourceClaims/-\n  value: {name: h, resourceClaimTemplateName: t}\n"
PATCH = f"kind: Pod\nmetadata: {{name: p}}\nspec:\n  {NAMED}\n"
NOT_THERE = "ResourceClaimTemplate other is not in the input"
GROUP = f"kind: PodGroup\nmetadata: {{name: g}}\nspec:\n  {NAMED}\n"
BROKEN = f"kind: Pod\n{{{{ if .x }}}}\nspec:\n  {NAMED}\n"
ESCAPED = 'kind: PodGroup\nspec: {"resourceCl\\x61imTemplateName": t}\n'
CHART = {"Chart.yaml": "name: x\n"}
VALUES = {**CHART, "values.yaml": f"extra:\n  {NAMED}\n"}
OTHERS: dict[str, tuple[dict[str, str], str]] = {
    "nothing else": ({}, ""),
    "a pod that is not of the dialect": ({"more.yaml": OTHER_POD}, NOT_THERE),
    "an object of another kind": ({"more.yaml": GROUP}, OUTSIDE),
    "a text": ({"more.yaml": CONFIG_MAP}, OUTSIDE),
    "a pod that is not rendered": ({"more.yaml": TEMPLATED}, IN_HELM),
    "a text that is no YAML before it is rendered": ({"more.yaml": BROKEN}, IN_HELM),
    "the template of a chart": ({**CHART, "templates/more.yaml": POD}, f"templates/{IN_HELM}"),
    "the values of a chart": (VALUES, "values.yaml names it, in the values of a chart"),
    "a patch": ({"kustomization.yaml": PATCHED, "more.yaml": PATCH}, "more.yaml names it, in a patch"),
    "an operation": ({"kustomization.yaml": PATCHED, "more.yaml": ADDED}, "more.yaml names it, in a patch"),
    "a key with an escape": ({"more.yaml": ESCAPED}, OUTSIDE),
}


@pytest.mark.parametrize("title", OTHERS)
def test_a_template_that_is_named_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, title: str) -> None:
    others, said = OTHERS[title]
    monkeypatch.chdir(tmp_path)
    files = {"pod.yaml": POD, "t.yaml": TEMPLATE, **others}
    for name, text in files.items():
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).write_text(text, encoding="utf-8")
    ran = run("translate", "-i", ".", "--to", "hami")
    assert said in ran.err.decode()
    if said:
        assert ran.code == Exit.FINDINGS
        assert {name: Path(name).read_text(encoding="utf-8") for name in files} == files
        run("translate", "-i", ".", "--to", "hami", "--allow-leftovers")
        assert Path("t.yaml").read_text(encoding="utf-8") == TEMPLATE
    else:
        assert ran.code == Exit.CLEAN
        assert Path("t.yaml").read_text(encoding="utf-8") == ""
        assert "nvidia.com/gpucores: 30" in Path("pod.yaml").read_text(encoding="utf-8")


def test_a_new_template_has_a_name_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Beside an object of that name in another file, as in the same file."""
    monkeypatch.chdir(tmp_path)
    share = "limits: {nvidia.com/gpu: 1, nvidia.com/gpumem: 4096}"
    pod = "kind: Pod\napiVersion: v1\nmetadata: {name: p}\nspec:\n  containers:\n  - name: c\n"
    pod += f"    resources:\n      {share}\n"
    Path("pod.yaml").write_text(pod, encoding="utf-8")
    Path("t.yaml").write_text(TEMPLATE.replace("{name: t}", "{name: p-gpu}"), encoding="utf-8")
    ran = run("translate", "-i", ".", "--to", "dra-hami")
    assert ran.code == Exit.FINDINGS
    assert b"DRA015" in ran.err
    assert Path("pod.yaml").read_text(encoding="utf-8") == pod
