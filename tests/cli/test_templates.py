"""An unrendered template where something has to be read: refused, never passed over with exit 0."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.running import run

SHARE = "apiVersion: gpuxlate.io/v1alpha1\nkind: GPUShare\nmetadata: {name: a}\nspec: {cores: 30}\n"
BROKEN = "kind: GPUShare\nmetadata: {name: {{ .x }}-a}\n"
LIST = "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n- kind: {{ .x }}-a\n"


@pytest.mark.parametrize(
    ("command", "stdin"),
    [
        ("render broken.yaml --to tke", ""),
        ("compare broken.yaml", ""),
        ("render share.yaml --to tke --workload broken.yaml", ""),
        ("krm", LIST),
    ],
)
def test_a_template_is_refused(
    command: str, stdin: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("broken.yaml").write_text(BROKEN)
    Path("share.yaml").write_text(SHARE)
    ran = run(*command.split(), stdin=stdin.encode())
    assert (ran.code, ran.out) == (1, stdin.encode())
    assert b"error[GX001]: invalid YAML near a template's {{" in ran.err


def test_a_folder_may_hold_templates_of_something_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("other.yaml").write_text(BROKEN)
    Path("share.yaml").write_text(SHARE)
    ran = run("render", ".", "--to", "neutral")
    assert ran.code == 0
    assert b"info[GX012]" in ran.err
    assert b"gpuxlate.io/cores: 30" in ran.out
