"""An unrendered template: refused where it has to be read, never passed over with exit 0, and passed on where
``translate`` writes what stands beside it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.running import run

POD = """\
kind: Pod
metadata: {name: web}
spec:
  containers:
  - name: web
    resources: {limits: {gpuxlate.io/cores: 30, gpuxlate.io/memory-mib: 4096}}
"""
VKE = POD.replace("gpuxlate.io/cores", "vke.volcengine.com/mgpu-core")
MADE = VKE.replace("gpuxlate.io/memory-mib", "vke.volcengine.com/mgpu-memory")
TEMPLATE = "kind: Pod\nmetadata: {{ toYaml .Values.metadata }}: x {{ .y }}\n"
"""A line that YAML cannot read, and that Helm has not written yet: passed on with an info (GX012)."""
LIST = "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n- kind: {{ .x }}-a\n"


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("broken.yaml").write_text("kind: GPUShare\nmetadata: {name: {{ .x }}-a}\n")
    share = "apiVersion: gpuxlate.io/v1alpha1\nkind: GPUShare\nmetadata: {name: a}\nspec: {cores: 30}\n"
    Path("share.yaml").write_text(share)


@pytest.mark.parametrize(
    ("command", "stdin"),
    [
        ("render broken.yaml --to tke", ""),
        ("compare broken.yaml", ""),
        ("render share.yaml --to tke --workload broken.yaml", ""),
        ("krm", LIST),
    ],
)
def test_a_template_is_refused(command: str, stdin: str) -> None:
    ran = run(*command.split(), stdin=stdin.encode())
    assert (ran.code, ran.out) == (1, stdin.encode())
    assert b"error[GX001]: invalid YAML near a template's {{" in ran.err


def test_a_folder_may_hold_templates_of_something_else() -> None:
    ran = run("render", ".", "--to", "neutral")
    assert ran.code == 0
    assert b"info[GX012]" in ran.err
    assert b"gpuxlate.io/cores: 30" in ran.out


@pytest.mark.parametrize("tail", ["a: 1\n", POD])
def test_what_stands_behind_a_template_stays(tail: str, tmp_path: Path) -> None:
    path = tmp_path / "f.yaml"
    path.write_text("---\n".join([POD, TEMPLATE, tail, "b: 2\n"]))
    expected = "---\n".join([MADE, TEMPLATE, tail, "b: 2\n"]).encode()
    refused = run("translate", str(path), "--to", "vke")
    assert (refused.code, refused.out) == ((1, b"") if tail == POD else (0, expected))
    printed = run("translate", str(path), "--to", "vke", "--allow-leftovers")
    assert (printed.code, printed.out) == (0, expected)
    assert b"GX012" in printed.err
    assert run("translate", "-i", str(path), "--to", "vke", "--allow-leftovers").code == 0
    assert path.read_bytes() == expected
