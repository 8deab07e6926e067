"""Devices that several containers or pods use together: one share, which is counted once.

Pods are as in kubernetes-sigs/dra-driver-nvidia-gpu, demo/specs/quickstart/v1: gpu-test2 and gpu-test3.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from gpuxlate.cli.common import Exit
from tests.running import run

TEMPLATE = """\
apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {name: single-gpu}
spec:
  spec:
    devices:
      requests:
      - name: a
        exactly:
          deviceClassName: hami-core-gpu.project-hami.io
          capacity: {requests: {cores: "30", memory: 4Gi}}
      - name: b
        exactly:
          deviceClassName: hami-core-gpu.project-hami.io
          capacity: {requests: {cores: "30", memory: 4Gi}}
---
"""
CLAIM = TEMPLATE.replace("Template", "").replace("  spec:\n    ", "    ").replace("single-gpu", "one")
PROFILE = "target: dra-hami\ncards: {perNode: 8, memoryMiB: 16384}\n"


def pod(name: str = "web", by: str = "resourceClaimTemplateName: single-gpu", **containers: Any) -> str:
    """``containers``: the requests that each uses; the name of an init container begins with ``init``."""
    lists: dict[str, list[Any]] = {}
    for container, requests in containers.items():
        uses = [{"name": "gpu", "request": one} for one in requests] or [{"name": "gpu"}]
        kind = "initContainers" if container.startswith("init") else "containers"
        lists.setdefault(kind, []).append({"name": container, "image": "web", "resources": {"claims": uses}})
    field, _, claim = by.partition(": ")
    spec = {**lists, "resourceClaims": [{"name": "gpu", field: claim}]}
    return yaml.safe_dump({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": spec})


Shares = list[tuple[str, list[str] | None, int]]
# the requests that each container uses; each share with those that use it too, and its cards
SAME: list[tuple[dict[str, str], Shares]] = [
    ({"ctr0": "", "ctr1": ""}, [("ctr0", ["ctr1"], 2)]),
    ({"ctr0": "a", "ctr1": "b"}, [("ctr0", None, 1), ("ctr1", None, 1)]),
    ({"ctr0": "a", "ctr1": "", "ctr2": "b"}, [("ctr0", ["ctr1", "ctr2"], 2)]),
    ({"init": "", "ctr0": ""}, [("ctr0", ["init"], 2)]),
    ({"init": "a", "init2": "a", "ctr0": "b"}, [("init", ["init2"], 1), ("ctr0", None, 1)]),
]


def said_in_json(*arguments: object) -> Any:
    return json.loads(run(*map(str, arguments)).out)


@pytest.mark.parametrize(("containers", "shares"), SAME)
def test_containers_with_the_same_devices(tmp_path: Path, containers: dict[str, str], shares: Shares) -> None:
    file = tmp_path / "pod.yaml"
    file.write_text(TEMPLATE + pod(**containers))
    read = said_in_json("inspect", file, "-o", "json")
    found = [(one["container"], one.get("sharedWith"), one["share"]["cards"]) for one in read["items"]]
    assert found == shares
    total = sum(cards for *_, cards in shares)
    assert read["totals"]["dra-hami"]["cards"] == total
    assert read["totals"]["dra-hami"]["memoryMiB"] == 4096 * total
    linted = said_in_json("lint", file, "--format", "json")
    assert linted["summary"]["shares"] == len(shares)

    together = [one for one in shares if one[1]]
    done = run("translate", str(file), "--to", "hami")
    assert done.code == (Exit.FINDINGS if together else Exit.CLEAN)
    assert done.err.decode().count("error[GX023]") == len(together)


def test_a_share_of_two_containers_is_assessed_and_planned_once(tmp_path: Path) -> None:
    file, profile = tmp_path / "pod.yaml", tmp_path / "profile.yaml"
    file.write_text(TEMPLATE + pod(ctr0="", ctr1=""))
    profile.write_text(PROFILE)
    assessed = said_in_json("assess", file, "--to", "hami", "-o", "json")
    assert [one["verdict"] for one in assessed["items"]] == ["refused"]
    planned = said_in_json("plan", file, "--to", "dra-hami", "--profile", profile, "-o", "json")
    [target] = planned["targets"]
    assert (target["pods"], target["shares"], target["cards"]) == (1, 1, 2)


@pytest.mark.parametrize("files", [1, 3])
def test_a_claim_of_several_pods_counts_once(tmp_path: Path, files: int) -> None:
    """In one file or in several; a template beside it counts for each pod."""
    texts = [CLAIM + pod("web-0", "resourceClaimName: one", ctr="")]
    texts += [pod(f"web-{number}", "resourceClaimName: one", ctr="") for number in (1, 2)]
    named = [[text] for text in texts] if files > 1 else [texts]
    for number, one in enumerate(named):
        (tmp_path / f"{number}.yaml").write_text("---\n".join(one))
    profile = tmp_path / "hami.profile"
    profile.write_text(PROFILE)
    read = said_in_json("inspect", tmp_path, "-o", "json")
    assert len(read["items"]) == 3
    totals = read["totals"]["dra-hami"]
    assert (totals["pods"], totals["cards"], totals["memoryMiB"]) == (3, 2, 8192)
    planned = said_in_json("plan", tmp_path, "--to", "dra-hami", "--profile", profile, "-o", "json")
    [target] = planned["targets"]
    assert (target["shares"], target["cards"]) == (1, 2)
    assert b"1 share" in run("assess", str(tmp_path), "--to", "hami").out
    refused = run("translate", str(tmp_path), "--to", "hami")
    assert refused.code == Exit.FINDINGS
    assert refused.out == b""
    assert refused.err.count(b"error[GX023]: all pods that name ResourceClaim one share its devices") == 3


def test_replicas_that_name_one_claim_have_one_share(tmp_path: Path) -> None:
    template = {"metadata": {"labels": {"app": "web"}}}
    template["spec"] = yaml.safe_load(pod("web", "resourceClaimName: one", ctr=""))["spec"]
    spec = {"replicas": 3, "selector": {"matchLabels": {"app": "web"}}, "template": template}
    workload = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}, "spec": spec}
    file = tmp_path / "web.yaml"
    file.write_text(CLAIM + yaml.safe_dump(workload))
    read = said_in_json("inspect", file, "-o", "json")
    totals = read["totals"]["dra-hami"]
    assert (totals["pods"], totals["cards"]) == (3, 2)
