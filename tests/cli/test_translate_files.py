"""What ``translate`` writes holds the whole input, whatever a part of it is."""

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
MADE = POD.replace("gpuxlate.io/cores", "vke.volcengine.com/mgpu-core").replace(
    "gpuxlate.io/memory-mib", "vke.volcengine.com/mgpu-memory"
)
TEMPLATE = "kind: Pod\nmetadata: {{ toYaml .Values.metadata }}: x {{ .y }}\n"
"""A line that YAML cannot read, and that Helm has not written yet: passed on with an info (GX012)."""


@pytest.mark.parametrize("tail", ["a: 1\n", POD])
def test_what_stands_behind_a_template_stays(tail: str, tmp_path: Path) -> None:
    path = tmp_path / "f.yaml"
    text = "---\n".join([POD, TEMPLATE, tail, "b: 2\n"])
    expected = "---\n".join([MADE, TEMPLATE, tail, "b: 2\n"]).encode()
    path.write_text(text)
    refused = run("translate", str(path), "--to", "vke")
    assert (refused.code, refused.out) == ((1, b"") if tail == POD else (0, expected))
    printed = run("translate", str(path), "--to", "vke", "--allow-leftovers")
    assert (printed.code, printed.out) == (0, expected)
    assert b"GX012" in printed.err
    assert run("translate", "-i", str(path), "--to", "vke", "--allow-leftovers").code == 0
    assert path.read_bytes() == expected
