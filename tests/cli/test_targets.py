"""``targets`` and ``compare`` with all targets, those that are only read too."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gpuxlate.backends import registry
from tests.running import run

SHARE = """\
apiVersion: gpuxlate.io/v1alpha1
kind: GPUShare
metadata: {name: bert}
spec: {cores: 30, memoryMiB: 4096}
"""
READ_ONLY = {one.name for one in registry.all_backends() if one.reads_only}


def test_targets_as_json() -> None:
    found = json.loads(run("targets", "-o", "json").out)["targets"]
    assert [one["name"] for one in found] == [one.name for one in registry.all_backends()]
    assert (
        {one["name"] for one in found if one["readOnly"]}
        == READ_ONLY
        == {"gpu-manager", "elastic-gpu", "nos"}
    )
    units = {row["name"]: row["unit"] for one in found for row in one["keys"]}
    assert units["nvidia.com/gpumem"] == "MiB of each card"
    assert units["mthreads.com/sgpu-core"] == "units of 6.25 % of each card"


def test_targets_in_a_table() -> None:
    lines = run("targets").out.decode().splitlines()
    at = next(number for number, line in enumerate(lines) if line.startswith("gpu-manager "))
    assert lines[at + 1].startswith("  (read only)")
    block = lines[next(n for n, line in enumerate(lines) if line.startswith("volcano-vgpu ")) :]
    missing = next(line for line in block if "not supported: " in line)
    assert "not supported: policy, qos, memoryLimitMiB" in missing


@pytest.mark.parametrize("arguments", [("compare",), ("compare", "--manifests"), ("render", "--to", "all")])
def test_shares_are_written_for_no_target_that_is_only_read(
    tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    share = tmp_path / "share.yaml"
    share.write_text(SHARE)
    folder = tmp_path / "out"
    more = ("--output-dir", str(folder), "--round", "up") if "render" in arguments else ()
    done = run(arguments[0], str(share), *arguments[1:], *more)
    text = (done.out + done.err).decode()
    named = text + " ".join(one.name for one in folder.glob("*"))
    assert [name for name in READ_ONLY if f"{name} " in named or f"{name}\n" in named] == []
    if arguments == ("compare",):
        compared = {
            line.split()[0] for line in text.splitlines() if line and not line.startswith((" ", "bert"))
        }
        assert compared == {"TARGET", *(one.name for one in registry.all_writable())}
