"""What a real server takes and refuses, so that the linter knows what it adds.

The same table was measured on Kubernetes 1.32; 1.20 decides alike.
"""

from __future__ import annotations

import json
import re
import subprocess

import pytest

from .server.cluster import Cluster

MEMORY = "vke.volcengine.com/mgpu-memory"
ACCEPTED: dict[str, str] = {
    "whole number": f"limits: {{{MEMORY}: 4096}}",
    "string": f"limits: {{{MEMORY}: '4096'}}",
    "whole decimal": f"limits: {{{MEMORY}: 30.0}}",
    "exponent": f"limits: {{{MEMORY}: 1e3}}",
    "decimal suffix": f"limits: {{{MEMORY}: 1k}}",
    "binary suffix": f"limits: {{{MEMORY}: 30Gi}}",
    "zero": f"limits: {{{MEMORY}: 0}}",
    "equal requests": f"{{limits: {{{MEMORY}: 4096}}, requests: {{{MEMORY}: 4096}}}}",
}
REFUSED: dict[str, tuple[str, str]] = {
    "fraction": (f"limits: {{{MEMORY}: 0.5}}", "must be an integer"),
    "milli": (f"limits: {{{MEMORY}: 500m}}", "must be an integer"),
    "negative": (f"limits: {{{MEMORY}: -1}}", "must be greater than or equal to 0"),
    "no number": (f"limits: {{{MEMORY}: abc}}", "quantities must match"),
    "no quantity": (f"limits: {{{MEMORY}: 4GB}}", "quantities must match|unable to parse quantity"),
    "other requests": (f"{{limits: {{{MEMORY}: 4096}}, requests: {{{MEMORY}: 2048}}}}", "must be equal to"),
    "requests alone": (f"requests: {{{MEMORY}: 4096}}", "Limit must be set"),
    "no domain": ("limits: {gpu-core: 30}", "must be a standard resource"),
    "requests prefix": ("limits: {requests.x.com/gpu: 1}", "doesn't follow extended resource name standard"),
}


def _pod(resources: str, metadata: str = "{name: probe}") -> str:
    flow = resources if resources.startswith("{") else f"{{{resources}}}"
    return (
        f"apiVersion: v1\nkind: Pod\nmetadata: {metadata}\n"
        f"spec: {{containers: [{{name: main, image: x, resources: {flow}}}]}}\n"
    )


def _dry_run(cluster: Cluster, manifest: str) -> subprocess.CompletedProcess[str]:
    return cluster.kubectl("create", "--dry-run=server", "-o", "json", "-f", "-", stdin=manifest, check=False)


@pytest.mark.parametrize("resources", ACCEPTED.values(), ids=list(ACCEPTED))
def test_accepted(cluster: Cluster, resources: str) -> None:
    done = _dry_run(cluster, _pod(resources))
    assert done.returncode == 0, done.stderr
    got = json.loads(done.stdout)["spec"]["containers"][0]["resources"]
    assert got["requests"] == got["limits"]  # defaulted from the limits


@pytest.mark.parametrize(("resources", "problem"), REFUSED.values(), ids=list(REFUSED))
def test_refused(cluster: Cluster, resources: str, problem: str) -> None:
    done = _dry_run(cluster, _pod(resources))
    assert done.returncode == 1
    assert re.search(problem, done.stderr), done.stderr


@pytest.mark.parametrize("kind", ["annotations", "labels"])
def test_an_integer_is_no_annotation(cluster: Cluster, kind: str) -> None:
    manifest = _pod(ACCEPTED["whole number"], f"{{name: probe, {kind}: {{aliyun.com/gpu-count: 2}}}}")
    done = _dry_run(cluster, manifest)
    assert done.returncode == 1
    assert re.search('cannot unmarshal number|got "integer"', done.stderr), done.stderr


def test_the_last_of_two_equal_keys_wins(cluster: Cluster) -> None:
    done = _dry_run(cluster, _pod(f"limits: {{{MEMORY}: 1, {MEMORY}: 2}}"))
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["spec"]["containers"][0]["resources"]["limits"] == {MEMORY: "2"}


def test_an_unknown_field_is_refused(cluster: Cluster) -> None:
    manifest = _pod(ACCEPTED["whole number"]).replace("image: x", "image: x, imagePullSecret: y")
    done = _dry_run(cluster, manifest)
    assert done.returncode == 1
    assert 'unknown field "imagePullSecret"' in done.stderr, done.stderr
