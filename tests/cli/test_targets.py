"""``targets`` and ``compare`` with all targets, those that are only read too."""

from __future__ import annotations

import json
import re
from pathlib import Path

from gpuxlate.backends import registry
from gpuxlate.cli.render import written_manifests
from tests.running import run

SHARE = """\
apiVersion: gpuxlate.io/v1alpha1
kind: GPUShare
metadata: {name: bert}
spec: {cores: 30, memoryMiB: 4096}
"""
READ_ONLY = {"elastic-gpu", "gpu-manager", "nos"}


def test_targets_as_json() -> None:
    found = json.loads(run("targets", "-o", "json").out)["targets"]
    assert [one["name"] for one in found] == [one.name for one in registry.all_backends()]
    assert {"gpu-manager", "elastic-gpu", "nos"} == READ_ONLY
    assert {one["name"] for one in found if one["readOnly"]} == READ_ONLY
    assert {one.name for one in registry.all_backends() if one.reads_only} == READ_ONLY
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


def test_shares_are_written_for_no_target_that_is_only_read(tmp_path: Path) -> None:
    share = tmp_path / "share.yaml"
    share.write_text(SHARE)
    text = run("compare", str(share)).out.decode()
    compared = {line.split()[0] for line in text.splitlines() if line and not line.startswith((" ", "bert"))}
    assert compared == {"TARGET", *(one.name for one in registry.all_writable())}
    titles = re.findall(r"-- ([\w-]+)", run("compare", str(share), "--manifests").out.decode())
    assert {"volcengine-mgpu", "hami"} <= {*titles} <= {one.name for one in registry.all_writable()}
    of_pods = {one.name for one in registry.pod_backends()}
    assert {one.name for one in written_manifests()} == of_pods - READ_ONLY


def test_a_key_that_names_the_container_is_compared_as_it_is_rendered(tmp_path: Path) -> None:
    share = tmp_path / "share.yaml"
    share.write_text(SHARE.replace("cores: 30, memoryMiB: 4096", "memoryMiB: 4096, memoryLimitMiB: 8192"))
    compared = json.loads(run("compare", str(share), "-o", "json").out)["items"][0]["targets"]
    [kai] = [one for one in compared if one["target"] == "kai"]
    rendered = run("render", str(share), "--to", "kai").out.decode()
    assert kai["verdict"] == "exact"
    assert any("probe" in key for key in kai["keys"])
    for key in kai["keys"]:
        assert key.removeprefix("annotation ") in rendered
