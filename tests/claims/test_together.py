"""Devices that several containers or pods use together: one share, which is counted once.

Pods are as in kubernetes-sigs/dra-driver-nvidia-gpu, demo/specs/quickstart/v1: gpu-test2 and gpu-test3.
"""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from gpuxlate.model.errors import Exit
from tests.claims.objects import capacity, claim, pod, requested
from tests.running import run


def half(name: str) -> dict[str, Any]:
    return requested(name=name, capacity=capacity(cores="30", memory="4Gi"))


TEMPLATE = claim("t", half("a"), half("b")) + "---\n"
CLAIM = claim("one", half("a"), half("b"), kind="ResourceClaim") + "---\n"
PROFILE = "target: dra-hami\ncards: {perNode: 8, memoryMiB: 16384}\n"

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


def planned(path: Path) -> tuple[int, int, int]:
    """Pods, shares and cards."""
    profile = path.parent / f"{path.name}.profile"
    profile.write_text(PROFILE)
    plan = said_in_json("plan", path, "--to", "dra-hami", "--profile", profile, "-o", "json")
    [target] = plan["targets"]
    return target["pods"], target["shares"], target["cards"]


@pytest.mark.parametrize(("containers", "shares"), SAME)
def test_containers_with_the_same_devices(tmp_path: Path, containers: dict[str, str], shares: Shares) -> None:
    file = tmp_path / "pod.yaml"
    file.write_text(TEMPLATE + pod(**containers))
    read = said_in_json("inspect", file, "-o", "json")
    found = [(one["container"], one.get("sharedWith"), one["share"]["cards"]) for one in read["items"]]
    assert found == shares
    total = sum(cards for *_, cards in shares)
    of_all = read["totals"]["dra-hami"]
    assert (of_all["cards"], of_all["cores"], of_all["memoryMiB"]) == (total, 30 * total, 4096 * total)
    linted = said_in_json("lint", file, "--format", "json")
    assert linted["summary"]["shares"] == len(shares)

    together = [one for one in shares if one[1]]
    done = run("translate", str(file), "--to", "hami")
    assert done.code == (Exit.FINDINGS if together else Exit.CLEAN)
    assert done.err.decode().count("error[GX023]") == len(together)
    assessed = said_in_json("assess", file, "--to", "hami", "-o", "json")
    verdict = "refused" if together else "exact"
    assert [one["verdict"] for one in assessed["items"]] == [verdict] * len(shares)
    assert planned(file) == (1, len(shares), max(cards for *_, cards in shares))  # cards that hold both


@pytest.mark.parametrize(("files", "pods"), [(1, 2), (1, 3), (3, 3)])
def test_a_claim_of_several_pods_counts_once(tmp_path: Path, files: int, pods: int) -> None:
    """In one file or in several; a template beside it counts for each pod."""
    texts = [CLAIM + pod("web-0", "resourceClaimName: one", ctr="")]
    texts += [pod(f"web-{number}", "resourceClaimName: one", ctr="") for number in range(1, pods)]
    named = [[text] for text in texts] if files > 1 else [texts]
    for number, one in enumerate(named):
        (tmp_path / f"{number}.yaml").write_text("---\n".join(one))
    read = said_in_json("inspect", tmp_path, "-o", "json")
    assert len(read["items"]) == pods
    totals = read["totals"]["dra-hami"]
    assert (totals["pods"], totals["cards"], totals["memoryMiB"]) == (pods, 2, 8192)
    assert planned(tmp_path)[1:] == (1, 2)
    assert b"1 share" in run("assess", str(tmp_path), "--to", "hami").out
    refused = run("translate", str(tmp_path), "--to", "hami")
    assert refused.code == Exit.FINDINGS
    assert refused.out == b""
    assert refused.err.count(b"error[GX023]: all pods that name ResourceClaim one share its devices") == pods


def test_replicas_that_name_one_claim_have_one_share(tmp_path: Path) -> None:
    template = {"metadata": {"labels": {"app": "web"}}}
    template["spec"] = yaml.safe_load(pod("web", "resourceClaimName: one", ctr=""))["spec"]
    spec = {"replicas": 3, "selector": {"matchLabels": {"app": "web"}}, "template": template}
    workload = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}, "spec": spec}
    file = tmp_path / "web.yaml"
    file.write_text(CLAIM + yaml.safe_dump(workload))
    totals = said_in_json("inspect", file, "-o", "json")["totals"]["dra-hami"]
    assert (totals["pods"], totals["cards"]) == (3, 2)
