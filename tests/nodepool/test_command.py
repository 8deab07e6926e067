"""``gpuxlate nodepool``: its formats, its messages, its exit codes, and what it writes for autoscalers."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml
from jsonschema import Draft202012Validator

from tests import running
from tests.cluster.asking import share

Run = Callable[[str], tuple[int, str, str]]

SHARES = {
    "part": "{cores: 30, memoryMiB: 4096, policy: fixed-share}",
    "memory": "{memoryMiB: 4096}", "bad": "{cores: 300}", "whole": "{cards: 2}",
    "two": "{cards: 3, cores: 180, memoryMiB: 12288}", "slice": "{replica: {of: 4, strategy: time-slicing}}",
    "mps": "{replica: {of: 4, strategy: mps}, device: {models: [L4]}}",
    "mig": "{partition: {profile: 1g.10gb}}",
}  # fmt: skip
H100_CARDS = "cards: {model: H100-80GB, perNode: 4}"
WITH_H100 = ("gke", "nvidia-mig", "nvidia-shared", "dra-nvidia")
PROFILES = {
    "old": "target: vke\npolicy: burst-share\n",
    "good": "target: vke\npolicy: fixed-share\ncards: {memoryMiB: 22731}\n",
    "ten": "target: vke\npolicy: fixed-share\ncards: {perNode: 4, memoryMiB: 22731}\n",
    "pascal": "target: tke\ncards: {model: P40}\n",
    **{f"{name}.h100": f"target: {name}\n{H100_CARDS}\n" for name in WITH_H100},
    "same-name": "target: nvidia-shared\ncards: {perNode: 4, memoryMiB: 22731}\n"
    "nvidia: {sharing: {strategy: time-slicing, replicas: 4, renamed: false}}\n",
    "single": f"target: nvidia-mig\n{H100_CARDS}\nnvidia: {{migStrategy: single}}\n",
}


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """The command on a share, in a folder with these shares and profiles: ``part --to vke``."""
    monkeypatch.chdir(tmp_path)
    for name, text in (PROFILES | {name: share(spec, "bert") for name, spec in SHARES.items()}).items():
        Path(f"{name}.yaml").write_text(text)

    def called(command: str) -> tuple[int, str, str]:
        document, *others = command.split()
        ran = running.run("nodepool", f"{document}.yaml", *others)
        return ran.code, ran.out.decode(), ran.err.decode()

    return called


POLICY = "vke.volcengine.com/mgpu-compute-policy=fixed-share"


def test_text(run: Run) -> None:
    code, out, err = run("part --to vke")
    assert (code, err) == (0, "")
    assert out.startswith(f"bert at volcengine-mgpu\n\nlabels\n  {POLICY}\n      set by you: ")
    heads = [line for line in out.splitlines() if line and not line.startswith(" ")]
    assert heads == ["bert at volcengine-mgpu", "labels", "warnings", "prerequisites", "sources"]
    assert "  [1] Volcengine docs 6461/1581673, AI apps on shared GPUs, 2025-06-04\n" in out
    assert all(len(line) <= 100 for line in out.splitlines())


def test_lines_for_kubectl(run: Run) -> None:
    code, out, err = run("part --to vke -o kubectl --node gpu-1 --node gpu-2")
    assert (code, err) == (0, "")
    commands = [f"kubectl label node gpu-{number} {POLICY}" for number in (1, 2)]
    assert [line for line in out.splitlines() if not line.startswith("#")] == commands
    assert "# set by the cloud:\n# kubectl label node gpu-1 vke.node.gpu.schedule=mgpu\n" in out
    assert f"\nkubectl label node <node> {POLICY}\n" in run("part --to vke -o kubectl")[1]
    # a name is quoted for the shell
    assert f"\nkubectl label node ';ls' {POLICY}\n" in run("part --to vke -o kubectl --node ;ls")[1]


def test_core_mem_is_never_put_on_a_node_with_kubectl(run: Run) -> None:
    # developer.aliyun.com/article/1685728: remove the node, and add it again
    code, out, _ = run("part --to ack -o kubectl")
    assert code == 0
    assert all(line.startswith("#") for line in out.splitlines())
    assert "# kubectl label node <node> ack.node.gpu.schedule=core_mem\n" in out


def test_json(run: Run) -> None:
    code, out, _ = run("part --to tke -o json")
    data = json.loads(out)
    assert (code, data["format"], data["target"]) == (0, "gpuxlate-nodepool/v1", "tencent-qgpu")
    [item] = data["items"]
    source = {"title": "Tencent Cloud, GPU sharing: using qGPU", "date": "2024-11-25"}
    note = "the pod chooses nodes with it; the abbreviation fs is valid too"
    key = "tke.cloud.tencent.com/qgpu-schedule-policy"
    label = {"key": key, "value": "fixed-share", "setBy": "you", "note": note, "source": source}
    requirement = {"what": "Kubernetes", "wanted": "1.14 or later", "when": None, "severity": "error"}
    assert item["labels"][0] == label
    assert item["requirements"][0] == requirement | {"fact": "kubernetesVersion", "source": source}
    code, out, _ = run("part --to vke --check good.yaml -o json")
    found = {one["fact"]: (one["state"], one["found"]) for one in json.loads(out)["items"][0]["requirements"]}
    assert (code, found) == (0, {"policy": ("met", "fixed-share"), "cards.memoryMiB": ("met", "22731")})


def test_prerequisites_that_are_not_met(run: Run) -> None:
    code, out, err = run("part --to vke --check old.yaml")
    assert (code, err) == (1, "")
    unmet = "- not met: the policy of the nodes: fixed-share; the profile has burst-share"
    assert f"  {unmet} [1]\n" in out
    assert "  - not known: memory of a card: 4096 MiB or more; the profile does not set" in out
    code, out, _ = run("part --to vke --check old.yaml -o kubectl")
    assert code == 1
    assert f"# {unmet}\n" in out
    code, out, _ = run("part --to tke --check pascal.yaml")  # an advice, which fails nothing
    assert code == 0
    assert "  - not met (warning): the architecture of the cards: Volta" in out


def test_what_the_target_leaves_out_or_needs_is_told(run: Run) -> None:
    code, out, err = run("part --to ack")
    assert code == 0
    assert "ack.node.gpu.schedule=core_mem" in out
    assert err.startswith("info[GX020]: policy fixed-share is not supported by alibaba-gpushare")
    code, out, err = run("memory --to vke")
    assert (code, err[:13]) == (0, "info[VKE011]:")
    assert out.startswith("bert at volcengine-mgpu\n")


# what is wrong about the options and files is in tests/errors/cases/01-command-line.yaml
DRA = "memory --to dra-hami -o asg-tags"
OVERLAY = "slice --to nvidia-shared -o karpenter --instance-type g6 --check same-name.yaml"
WRONG = [
    ("two --to tke", 1, "error[TKE005]: requests 3 GPUs; a container of TKE shares at most 2"),
    ("bad --to tke", 1, "error[GX011]: cores is 300"),
    ("part --to vke --check none.yaml", 2, "error: there is no profile 'none.yaml'"),
    (OVERLAY, 2, "error: Karpenter takes nvidia.com/gpu from the type of the machine"),
    (DRA, 2, "error: no document says what nodes of dra-hami have allocatable"),
]


@pytest.mark.parametrize(("command", "code", "first"), WRONG)
def test_wrong_input(run: Run, command: str, code: int, first: str) -> None:
    found, out, err = run(command)
    assert (found, out) == (code, "")
    assert err.startswith(first)


# --- autoscalers ----------------------------------------------------------------------------------

TAG, ANNOTATION = "k8s.io/cluster-autoscaler/node-template", "capacity.cluster-autoscaler.kubernetes.io"
REPLICAS, STRATEGY = "nvidia.com/gpu.replicas", "nvidia.com/gpu.sharing-strategy"
SCALED = {
    "part --to vke -o asg-tags --check ten.yaml": {
        f"{TAG}/resources/vke.volcengine.com/mgpu-core": "400",
        f"{TAG}/resources/vke.volcengine.com/mgpu-memory": str(4 * 22731),
        f"{TAG}/label/vke.volcengine.com/mgpu-compute-policy": "fixed-share",
    },
    # pods choose these nodes by labels that GPU feature discovery sets: the template has them too
    "slice --to nvidia-shared -o asg-tags --check nvidia-shared.h100.yaml": {
        f"{TAG}/resources/nvidia.com/gpu.shared": "16",
        f"{TAG}/label/nvidia.com/device-plugin.config": "shared",
        f"{TAG}/label/{STRATEGY}": "time-slicing", f"{TAG}/label/{REPLICAS}": "4",
    },
    "mig --to nvidia-mig -o asg-tags --check single.yaml": {
        f"{TAG}/resources/nvidia.com/gpu": "28", f"{TAG}/label/nvidia.com/mig.config": "all-1g.10gb",
    },
    "mig --to nvidia-mig -o cluster-api --check nvidia-mig.h100.yaml": {
        f"{ANNOTATION}/gpu-type": "nvidia.com/mig-1g.10gb", f"{ANNOTATION}/gpu-count": "28",
        f"{ANNOTATION}/labels": "nvidia.com/mig.config=all-1g.10gb",
    },
    "whole --to dra-nvidia -o cluster-api --check dra-nvidia.h100.yaml": {
        f"{ANNOTATION}/dra-driver": "gpu.nvidia.com", f"{ANNOTATION}/gpu-count": "4",
    },
}  # fmt: skip


@pytest.mark.parametrize("command", SCALED)
def test_what_an_autoscaler_is_told(run: Run, command: str) -> None:
    code, out, err = run(command)
    assert (code, err, yaml.safe_load(out)) == (0, "", SCALED[command])


def test_an_overlay_of_karpenter(run: Run) -> None:
    code, out, _ = run("part --to vke -o karpenter --check ten.yaml --instance-type a --instance-type b")
    overlay = yaml.safe_load(out)
    assert (overlay["kind"], overlay["spec"]["requirements"][0]["values"]) == ("NodeOverlay", ["a", "b"])
    assert (code, overlay["spec"]["capacity"]["vke.volcengine.com/mgpu-core"]) == (0, "400")


WARNED = [
    ("part --to hami", "Cluster Autoscaler adds no node for them"),
    ("memory --to kai", "node-scale-adjuster"),
    ("slice --to nvidia-shared --check same-name.yaml", "adds one node for each pending pod first"),
    ("mig --to nvidia-mig --check single.yaml", "adds one node for each pending pod first"),
    ("part --to dra-hami", "a pool without nodes has no ResourceSlices"),
    ("part --to dra-hami", "make up whole cards alone"),
]


def test_warnings_about_autoscalers(run: Run) -> None:
    texts = {command: " ".join(run(command)[1].split()) for command, _ in WARNED}
    assert [(command, words) for command, words in WARNED if words not in texts[command]] == []
    # nodes that show all clients need no warning
    assert [command for command in ("slice --to nvidia-shared", "mig --to nvidia-mig")
            if "pending pod" in run(command)[1]] == []  # fmt: skip


COMPUTE_CLASS = yaml.safe_load((Path(__file__).parent / "compute-class.yaml").read_text(encoding="utf-8"))
MPS = {"sharingStrategy": "MPS", "maxSharedClientsPerGPU": 4}
H100 = {"type": "nvidia-h100-80gb", "count": 4}


GPUS = {
    "mps": {"type": "nvidia-l4", "count": 1, "gpuSharing": MPS},
    "mig --check gke.h100.yaml": {**H100, "gpuSharing": {"gpuPartitionSize": "1g.10gb"}},
    "whole --check gke.h100.yaml": H100,
}


@pytest.mark.parametrize("command", GPUS)
def test_a_compute_class(run: Run, command: str) -> None:
    code, out, _ = run(f"{command} --to gke -o yaml")
    document = yaml.safe_load(out)
    assert list(Draft202012Validator(COMPUTE_CLASS).iter_errors(document)) == []
    assert (code, document["spec"]["priorities"]) == (0, [{"gpu": GPUS[command]}])
    text = "".join(run(f"{command} --to gke")[1].split())
    assert f"compute-class={document['metadata']['name']}" in text


def test_a_compute_class_is_of_one_card_model(run: Run) -> None:
    code, out, err = run("mig --to gke -o yaml")
    assert (code, out, err) == (0, "", "gke has no documents to apply: see -o text\n")
    assert "name the card in device.models" in run("mig --to gke")[1]
