"""Claims that no share holds are counted, by every command alike: as a share that is refused, or as what is
left."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.claims.objects import claim, pod, requested
from tests.running import run


def partition(name: str, profile: str) -> dict[str, Any]:
    expression = f"device.attributes['gpu.nvidia.com'].profile == '{profile}'"
    return requested("mig.nvidia.com", name, selectors=[{"cel": {"expression": expression}}])


# kubernetes-sigs/dra-driver-nvidia-gpu issue 897 and demo/specs/quickstart: several requests in one template
DIFFERENT = claim("t", partition("big", "4g.40gb"), partition("small", "1g.10gb"))
# intel/intel-resource-drivers-for-kubernetes: Gaudi has a class of its own
GAUDI = claim("t", requested("gaudi.intel.com"))
# a HelmRelease that names a template in its values, as in home-ops repositories
RELEASE = """\
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: ollama}
spec:
  values:
    defaultPodOptions: {resourceClaims: [{name: gpu, resourceClaimTemplateName: t}]}
    controllers: {ollama: {containers: {app: {resources: {claims: [{name: gpu}]}}}}}
"""
WHOLE = claim("t", requested("gpu.nvidia.com"))

# documents; shares that are refused, leftovers, and the codes of the errors of a translation
CASES: dict[str, tuple[list[str], int, int, list[str]]] = {
    "different requests": ([DIFFERENT, pod()], 1, 0, ["GX023"]),
    "different requests of two containers": ([DIFFERENT, pod(a="", b="")], 1, 0, ["GX023"]),
    "a class that no share holds": ([GAUDI, pod()], 1, 0, ["GX023"]),
    "a template that values name": ([RELEASE, WHOLE], 0, 1, ["GX026"]),
    "a template of no pod": ([WHOLE], 0, 1, ["GX026"]),
    "a claim without its template": ([pod()], 0, 1, ["DRA014"]),
}


@pytest.mark.parametrize("title", CASES)
def test_what_no_share_holds_is_counted(title: str, tmp_path: Path) -> None:
    texts, refused, left, codes = CASES[title]
    file = tmp_path / "a.yaml"
    file.write_text("---\n".join(texts))
    inspected = json.loads(run("inspect", str(file), "-o", "json").out)
    assert ([one["share"] for one in inspected["items"]], len(inspected["leftovers"])) == (
        [None] * refused,
        left,
    )
    assessed = run("assess", str(file), "--to", "tke", "-o", "json")
    data = json.loads(assessed.out)
    assert ([one["verdict"] for one in data["items"]], len(data["leftovers"])) == (
        ["refused"] * refused,
        left,
    )
    assert assessed.code == int(codes != ["GX026"])  # leftovers can be accepted
    done = run("translate", str(file), "--to", "tke")
    assert [
        line[6:].partition("]")[0] for line in done.err.decode().split("\n") if line[:6] == "error["
    ] == codes
    shares = "1 share: 1 refused" if refused else "0 shares; 1 leftover"
    assert (done.code, f"{shares}; no file written" in done.err.decode()) == (1, True)


# what a translation finds wrong beside the keys of a share
WRONG = {
    "a key twice": "metadata: {name: a, labels: {b: c, b: d}}",
    "a list where a mapping belongs": "metadata: {name: a}\n  nodeSelector: [gpu]",
}
KEYS = "{vke.volcengine.com/mgpu-core: 30, vke.volcengine.com/mgpu-memory: 4096}"


@pytest.mark.parametrize("title", WRONG)
def test_what_cannot_be_written_is_refused_by_assess_too(title: str) -> None:
    metadata, _, more = WRONG[title].partition("\n")
    text = f"apiVersion: v1\nkind: Pod\n{metadata}\nspec:\n{more}\n  containers:\n  - name: a\n"
    text = f"{text}    resources: {{limits: {KEYS}}}\n".replace("\n\n", "\n")
    done = run("assess", "-", "--to", "ack", "-o", "json", stdin=text.encode())
    assert ([one["verdict"] for one in json.loads(done.out)["items"]], done.code) == (["refused"], 1)
    assert run("translate", "-", "--to", "ack", stdin=text.encode()).code == 1
