"""``gpuxlate nodepool``: its formats, its messages and its exit codes."""

from __future__ import annotations

import json

import pytest

from tests.nodepool.conftest import Run

POLICY = "vke.volcengine.com/mgpu-compute-policy=fixed-share"


def test_text(run: Run) -> None:
    code, out, err = run("part.yaml --to vke")
    assert (code, err) == (0, "")
    assert out.startswith(f"bert at volcengine-mgpu\n\nlabels\n  {POLICY}\n      set by you: ")
    assert [line for line in out.splitlines() if line and not line.startswith(" ")] == [
        "bert at volcengine-mgpu",
        "labels",
        "warnings",
        "prerequisites",
        "sources",
    ]
    assert "  [1] Volcengine docs 6461/1581673, AI apps on shared GPUs, 2025-06-04\n" in out
    assert all(len(line) <= 100 for line in out.splitlines())


def test_kubectl_lines_stand_alone(run: Run) -> None:
    code, out, err = run("part.yaml --to vke -o kubectl --node gpu-1 --node gpu-2")
    assert (code, err) == (0, "")
    assert [line for line in out.splitlines() if not line.startswith("#")] == [
        f"kubectl label node gpu-1 {POLICY}",
        f"kubectl label node gpu-2 {POLICY}",
    ]
    assert "# set by the cloud:\n# kubectl label node gpu-1 vke.node.gpu.schedule=mgpu\n" in out


def test_kubectl_without_a_node(run: Run) -> None:
    assert f"\nkubectl label node <node> {POLICY}\n" in run("part.yaml --to vke -o kubectl")[1]


def test_a_name_is_quoted_for_the_shell(run: Run) -> None:
    assert f"\nkubectl label node ';ls' {POLICY}\n" in run("part.yaml --to vke -o kubectl --node ;ls")[1]


def test_core_mem_is_never_put_on_a_node_with_kubectl(run: Run) -> None:
    # developer.aliyun.com/article/1685728: remove the node, and add it again
    code, out, _ = run("part.yaml --to ack -o kubectl")
    assert code == 0
    assert all(line.startswith("#") for line in out.splitlines())
    assert "# kubectl label node <node> ack.node.gpu.schedule=core_mem\n" in out


def test_json(run: Run) -> None:
    code, out, _ = run("part.yaml --to tke -o json")
    data = json.loads(out)
    assert (code, data["format"], data["target"]) == (0, "gpuxlate-nodepool/v1", "tencent-qgpu")
    [item] = data["items"]
    assert item["labels"][0] == {
        "key": "tke.cloud.tencent.com/qgpu-schedule-policy",
        "value": "fixed-share",
        "setBy": "you",
        "note": "the pod chooses nodes with it; the abbreviation fs is valid too",
        "source": {"title": "Tencent Cloud, GPU sharing: using qGPU", "date": "2024-11-25"},
    }
    assert item["requirements"][0] == {
        "what": "Kubernetes",
        "wanted": "1.14 or later",
        "when": None,
        "severity": "error",
        "fact": "kubernetesVersion",
        "source": {"title": "Tencent Cloud, GPU sharing: using qGPU", "date": "2024-11-25"},
    }


def test_the_check_is_in_the_json(run: Run) -> None:
    code, out, _ = run("part.yaml --to vke --check good.yaml -o json")
    found = {one["fact"]: (one["state"], one["found"]) for one in json.loads(out)["items"][0]["requirements"]}
    assert (code, found) == (0, {"policy": ("met", "fixed-share"), "cards.memoryMiB": ("met", "22731")})


def test_an_unmet_prerequisite(run: Run) -> None:
    code, out, err = run("part.yaml --to vke --check old.yaml")
    assert (code, err) == (1, "")
    assert "  - not met: the policy of the nodes: fixed-share; the profile has burst-share [1]\n" in out
    assert "  - not known: memory of a card: 4096 MiB or more; the profile does not set" in out
    code, out, _ = run("part.yaml --to vke --check old.yaml -o kubectl")
    assert code == 1
    assert "# - not met: the policy of the nodes: fixed-share; the profile has burst-share\n" in out


def test_an_unmet_advice_does_not_fail(run: Run) -> None:
    code, out, _ = run("part.yaml --to tke --check pascal.yaml")
    assert code == 0
    assert "  - not met (warning): the architecture of the cards: Volta" in out


def test_what_the_target_leaves_out_is_told(run: Run) -> None:
    code, out, err = run("part.yaml --to ack")
    assert code == 0
    assert "ack.node.gpu.schedule=core_mem" in out
    assert err.startswith("info[GX020]: policy fixed-share is not supported by alibaba-gpushare")


def test_a_field_that_the_target_needs_is_told(run: Run) -> None:
    code, out, err = run("memory.yaml --to vke")
    assert (code, err[:13]) == (0, "info[VKE011]:")
    assert out.startswith("bert at volcengine-mgpu\n")


@pytest.mark.parametrize(
    ("command", "code", "first"),
    [
        ("two.yaml --to tke", 1, "error[TKE005]: requests 3 GPUs; a container of TKE shares at most 2"),
        ("bad.yaml --to tke", 1, "error[GX011]: cores is 300"),
        ("part.yaml --to neutral", 2, "error: neutral has no node pools\nhelp: targets: volcengine-mgpu, "),
        (
            "part.yaml --to ack --check good.yaml",
            2,
            "error: the profile is for vke, but --to is alibaba-gpushare",
        ),
        ("part.yaml --to vke --check none.yaml", 2, "error: there is no profile 'none.yaml'"),
        (
            "part.yaml --to vke -o xml",
            2,
            "error: invalid value 'xml' for -o\nhelp: formats: text, kubectl, yaml, json",
        ),
        ("part.yaml --to vke --node a", 2, "error: --node needs -o kubectl"),
        ("none.yaml --to vke", 3, "error: none.yaml: "),
    ],
)
def test_wrong_input(run: Run, command: str, code: int, first: str) -> None:
    found, out, err = run(command)
    assert (found, out) == (code, "")
    assert err.startswith(first)
