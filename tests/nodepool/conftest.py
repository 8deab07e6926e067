"""``gpuxlate nodepool`` on small files, for its tests."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from gpuxlate.cli import main

Run = Callable[[str], tuple[int, str, str]]

HEAD = "apiVersion: gpuxlate.io/v1alpha1\nkind: GPUShare\nmetadata: {name: bert}\n"
FILES = {
    "part": HEAD + "spec: {cores: 30, memoryMiB: 4096, policy: fixed-share}\n",
    "two": HEAD + "spec: {cards: 3, cores: 180, memoryMiB: 12288}\n",
    "memory": HEAD + "spec: {memoryMiB: 4096}\n",
    "bad": HEAD + "spec: {cores: 300}\n",
    "old": "target: vke\npolicy: burst-share\n",
    "good": "target: vke\npolicy: fixed-share\ncards: {memoryMiB: 22731}\n",
    "ten": "target: vke\npolicy: fixed-share\ncards: {perNode: 4, memoryMiB: 22731}\n",
    "pascal": "target: tke\ncards: {model: P40}\n",
    "whole": HEAD + "spec: {cards: 2}\n",
    "slice": HEAD + "spec: {replica: {of: 4, strategy: time-slicing}}\n",
    "some": HEAD + "spec: {replica: {strategy: time-slicing}}\n",
    "mps": HEAD + "spec: {replica: {of: 4, strategy: mps}, device: {models: [L4]}}\n",
    "mig": HEAD + "spec: {partition: {profile: 1g.10gb}}\n",
    **{
        f"{target}.h100": f"target: {target}\ncards: {{model: H100-80GB, perNode: 4}}\n"
        for target in ("gke", "nvidia-mig", "nvidia-shared", "dra-nvidia", "dra-hami")
    },
    "same-name": "target: nvidia-shared\ncards: {perNode: 4, memoryMiB: 22731}\n"
    "nvidia: {sharing: {strategy: time-slicing, replicas: 4, renamed: false}}\n",
    "single": "target: nvidia-mig\ncards: {model: H100-80GB, perNode: 4}\nnvidia: {migStrategy: single}\n",
}


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]) -> Run:
    monkeypatch.chdir(tmp_path)
    for name in ("FORCE_COLOR", "COLUMNS", "GPUXLATE_DEBUG"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(sys, "argv", ["gpuxlate"])
    for name, text in FILES.items():
        (tmp_path / f"{name}.yaml").write_text(text)

    def called(command: str) -> tuple[int, str, str]:
        code = 0
        try:
            main(["nodepool", *command.split()])
        except SystemExit as stop:
            code = int(stop.code or 0)
        out, err = capfdbinary.readouterr()
        return code, out.decode(), err.decode()

    return called
