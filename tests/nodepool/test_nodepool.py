"""``gpuxlate nodepool``: what each cloud needs of nodes, versions, the formats, and autoscalers."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from gpuxlate.backends import registry
from gpuxlate.backends.alibaba import AlibabaProfile
from gpuxlate.backends.requirements import CardsOf, NodeNeeds, RequirementState, Setter, fact_of
from gpuxlate.model import profile as versions
from gpuxlate.model.diagnostics import Severity
from gpuxlate.model.profile import CardProfile, Profile
from gpuxlate.model.share import Policy, Qos, Share
from tests import running
from tests.backends.pods import profile_of
from tests.cluster.asking import share
from tests.tables import read_table

VKE, ACK, TKE = "volcengine-mgpu", "alibaba-gpushare", "tencent-qgpu"
FIXED, BURST, BEST = Policy.FIXED_SHARE, Policy.BURST_SHARE, Policy.BEST_EFFORT

PART = Share(cores=30, memory_mib=4096)
MEMORY = Share(memory_mib=4096)
WHOLE = Share(cards=2)


def needs(target: str, share: Share, profile: Profile | None = None) -> NodeNeeds:
    found = registry.get(target).node_requirements(share, profile)
    assert found is not None
    return found


def ack(**values: object) -> Profile:
    return Profile(ACK, extensions=(AlibabaProfile(**values),))  # type: ignore[arg-type]


def part(policy: Policy | None = None, qos: Qos | None = None) -> Share:
    return Share(1, 30, 4096, policy, qos)


MGPU_POLICY = "vke.volcengine.com/mgpu-compute-policy"
MGPU = ("vke.node.gpu.schedule=mgpu", Setter.CLOUD)
QGPU = ("qgpu-device-enable=enable", Setter.CLOUD)
BINPACK = ("ack.node.gpu.placement=binpack", Setter.OPTIONAL)

LABELS: list[tuple[str, Share, Profile | None, list[tuple[str, Setter]]]] = [
    # docs 6461/1581673: the three values; a node without the label is fixed-share
    (VKE, part(FIXED), None, [(f"{MGPU_POLICY}=fixed-share", Setter.YOU), MGPU]),
    (VKE, part(BURST), None, [(f"{MGPU_POLICY}=guaranteed-burst-share", Setter.YOU), MGPU]),
    (VKE, part(BEST), None, [(f"{MGPU_POLICY}=native-burst-share", Setter.YOU), MGPU]),
    (VKE, PART, None, [MGPU]),
    # the vendor's scheduler: whole cards are placed whatever the policy
    (VKE, Share(2, policy=BEST), None, [MGPU]),
    # ACK, enable-scheduling (2026-01-12): one mode for a node, compute on core_mem alone
    (ACK, PART, None, [("ack.node.gpu.schedule=core_mem", Setter.POOL), BINPACK]),
    (ACK, MEMORY, None, [("ack.node.gpu.schedule=cgpu", Setter.YOU), BINPACK]),
    (ACK, MEMORY, ack(isolation="share"), [("ack.node.gpu.schedule=share", Setter.YOU), BINPACK]),
    (ACK, MEMORY, ack(isolation="mps"), [("ack.node.gpu.schedule=mps", Setter.YOU), BINPACK]),
    (ACK, PART, ack(isolation="mps"), [("ack.node.gpu.schedule=core_mem", Setter.POOL), BINPACK]),
    (ACK, WHOLE, None, [("ack.node.gpu.schedule=default", Setter.OPTIONAL)]),
    (ACK, MEMORY, ack(open_source=True), [("gpushare=true", Setter.YOU)]),
    (ACK, WHOLE, ack(open_source=True), []),
    # "GPU sharing: using qGPU" (2024-11-25): the full name, or an abbreviation
    (TKE, part(FIXED), None, [("tke.cloud.tencent.com/qgpu-schedule-policy=fixed-share", Setter.YOU), QGPU]),
    (TKE, part(BEST), None, [("tke.cloud.tencent.com/qgpu-schedule-policy=best-effort", Setter.YOU), QGPU]),
    (TKE, PART, None, [QGPU]),
    (TKE, part(qos=Qos.OFFLINE), None, [QGPU, ("mixed-qgpu-enable=enable", Setter.OPTIONAL)]),
]


def test_labels() -> None:
    wrong = [
        (target, share, profile, found)
        for target, share, profile, expected in LABELS
        if (found := [(str(one), one.setter) for one in needs(target, share, profile).labels]) != expected
    ]
    assert wrong == []


WARNINGS: list[tuple[str, Share, Profile | None, str, bool]] = [
    # docs 6461/1581673 (2025-06-04)
    (VKE, part(FIXED), None, "restart every mGPU node", True),
    (VKE, part(FIXED), None, "value cannot be edited", True),
    (VKE, part(FIXED), None, "updating labels and taints", True),
    (VKE, PART, None, "restart", False),
    (VKE, WHOLE, None, "ECS nodes only", True),
    (VKE, PART, None, "velinux2.0", False),
    # the colocation page (2025-03-13)
    (VKE, part(FIXED, Qos.OFFLINE), None, "velinux2.0 or ubuntu22.04", True),
    (VKE, Share(2, 60, 8192), None, "native-burst-share", True),
    (VKE, Share(2, 60, 8192, BEST), None, "need native-burst-share", False),
    (ACK, PART, None, "use one policy (cGPU POLICY)", True),
    (ACK, PART, None, "do not label an existing node with kubectl", True),
    (ACK, MEMORY, None, "do not label an existing node with kubectl", False),
    (ACK, MEMORY, None, "does not restore exclusive cards", True),
    (ACK, WHOLE, None, "does not restore exclusive cards", True),
    (ACK, MEMORY, ack(isolation="share"), "until its kernel module is uninstalled", True),
    (ACK, MEMORY, None, "until its kernel module is uninstalled", False),
    (ACK, MEMORY, ack(isolation="share", memory_unit_mib=128), "autoscaling does not work", True),
    (TKE, PART, None, "use native nodes", True),
    (TKE, PART, None, "16 qGPU devices", True),
    (TKE, part(qos=Qos.ONLINE), None, "rebuilds the qgpu-manager and qgpu-scheduler pods", True),
]


def test_warnings() -> None:
    wrong = [
        (target, share, profile, words)
        for target, share, profile, words, expected in WARNINGS
        if any(words in one.text for one in needs(target, share, profile).warnings) is not expected
    ]
    assert wrong == []


def test_without_a_policy_the_default_is_told() -> None:
    for target, words in ((VKE, "are fixed-share"), (TKE, "are best-effort")):
        assert [words in one.text for one in needs(target, PART).remarks] == [True], target
        assert needs(target, part(FIXED)).remarks == (), target


def test_the_label_of_a_card_model_is_named() -> None:
    """Samples of aibrix on VKE, which choose ``NVIDIA-A10`` by it."""
    card = Profile(VKE, cards=CardProfile(model="A10"))
    words = "machine.cluster.vke.volcengine.com/gpu-name"
    assert [words in one.text for one in needs(VKE, part(FIXED), card).remarks] == [True]


MET, UNMET, UNKNOWN = RequirementState.MET, RequirementState.UNMET, RequirementState.UNKNOWN
ROWS = read_table(__file__, "prerequisites.yaml")
ASKED = {
    "online": part(FIXED, Qos.ONLINE), "part": PART, "burst": part(BURST), "memory": MEMORY, "whole": WHOLE,
    "two": Share(2, 60, 8192, BEST), "two large": Share(2, 160, 61440),
}  # fmt: skip


@pytest.mark.parametrize("row", ROWS, ids=str)
def test_prerequisites(row: dict[str, Any]) -> None:
    profile = profile_of(row, row["profile"]["target"])
    assert profile is not None
    worst: dict[str, RequirementState] = {}
    for one in needs(profile.target, ASKED[row["share"]], profile).check(profile):
        fact = one.requirement.fact + "*" * (one.requirement.severity is not Severity.ERROR)
        worst[fact] = UNMET if UNMET in (worst.get(fact), one.state) else one.state
    states = {"met": MET, "unmet": UNMET, "unknown": UNKNOWN}
    assert worst == {fact: state for name, state in states.items() for fact in row.get(name, "").split()}


def test_architectures() -> None:
    bound = next(one.bound for one in registry.get(TKE).requirements if isinstance(one.bound, CardsOf))
    held = {"Tesla-T4": True, "NVIDIA-A10": True, "A100-SXM4-80GB": True, "P4": False, "L20": None}
    held |= {"NVIDIA-L40": True, "NVIDIA-L40S": True}  # page 457/65734 of 2026-01-16: Pnv5i and Pnv5
    assert {model: bound.holds(model) for model in held} == held


@pytest.mark.parametrize("target", [VKE, ACK, TKE])
def test_every_need_of_a_cloud(target: str) -> None:
    """It has a source, a key of the data sheet, a fact of a profile; without a profile none is known."""
    backend = registry.get(target)
    found = needs(target, part(FIXED, Qos.OFFLINE))
    sources = [one.source for one in (*found.requirements, *backend.requirements)]
    sources += [*(one.source for one in found.labels), *(one.source for one in found.warnings)]
    assert all(one.title for one in sources)
    assert all(one.date is None or re.fullmatch(r"20\d\d(-\d\d){0,2}", one.date) for one in sources)
    assert {fact_of(Profile(target), one.fact) for one in backend.requirements} == {None}
    assert [one.key for one in found.labels if backend.find(one.key) is None] == []
    assert {one.state for one in found.check(None)} == {UNKNOWN}


def test_a_target_without_nodes_needs_none() -> None:
    assert registry.get("neutral").node_requirements(PART) is None
    assert registry.get("neutral").requirements == ()


# --- versions -------------------------------------------------------------------------------------

AT_LEAST = [
    ("v1.28.15-vke.19", "v1.28.15-vke.19", True), ("v1.28.15-vke.18", "v1.28.15-vke.19", False),
    ("v1.28.15-vke.100", "v1.28.15-vke.19", True),  # numbers, not text
    ("v1.28.16-vke.1", "v1.28.15-vke.19", True), ("v1.28.3-vke.99", "v1.28.15-vke.19", False),
    ("1.28.15", "v1.28.15-vke.19", None), ("1.28.16", "v1.28.15-vke.19", True),  # the build is not told
    # another vendor's builds
    ("v1.28.9-aliyun.1", "v1.28.15-vke.19", None), ("v1.30.1-aliyun.1", "v1.28.15-vke.19", None),
    ("v1.28.9-aliyun.1", "1.20", True), ("v1.18.8-aliyun.1", "1.20", False),
    ("v1.24.4-tke.5", "1.14", True), ("v1.14.0-tke.30", "1.14", True), ("v1.12.4-tke.30", "1.14", False),
    ("0.07.35.23", "0.07.35.23", True), ("0.7.36", "0.07.35.23", True), ("0.07.35", "0.07.35.23", False),
    ("v0.6", "v0.6.0", True), ("v0.10.0", "v0.6.1", True), (" 1.1.1\n", "1.1.1", True),
    # older or newer, the form does not tell
    ("1.1.1-rc.1", "1.1.1", None), ("1.1.1+build", "1.1.1", None), ("v1.28.15-eks-1234", "1.14", None),
    ("latest", "v0.6.1", None), ("", "v0.6.1", None), ("١.٢", "1.0", None),
]  # fmt: skip


def test_at_least() -> None:
    said = {(found, least): versions.at_least(found, least) for found, least, _ in AT_LEAST}
    assert said == {(found, least): expected for found, least, expected in AT_LEAST}


BUILDS = ("v1.24.17-vke.38", "v1.26.15-vke.26", "v1.28.15-vke.19", "v1.30.4-vke.3")

IN_MINOR = {  # the colocation page of VKE, 2025-03-13
    True: "v1.24.17-vke.38 v1.26.15-vke.26 v1.28.15-vke.19 v1.30.4-vke.3 v1.32.0-vke.1",
    # of 1.25: "and above, of 1.24"
    False: "v1.24.17-vke.37 v1.25.16-vke.99 v1.26.15-vke.25 v1.29.1-vke.1 v1.30.4-vke.2 v1.20.15-vke.1",
    None: "v1.28.15 v1.28 v1.32.1-aliyun.1 unknown",
}


def test_at_least_in_minor() -> None:
    wanted = {found: expected for expected, texts in IN_MINOR.items() for found in texts.split()}
    assert {found: versions.at_least_in_minor(found, BUILDS) for found in wanted} == wanted


@given(st.text(alphabet="v0123456789.-vketaliyun x", max_size=20), st.text(max_size=20))
def test_no_text_is_too_much(one: str, other: str) -> None:
    forward, back = versions.at_least(one, other), versions.at_least(other, one)
    assert {forward, back} != {False}  # of two versions one is the later, or they are the same
    assert versions.at_least_in_minor(one, BUILDS) in (True, False, None)


# --- the command ----------------------------------------------------------------------------------

Run = Callable[[str], tuple[int, str, str]]

SHARES = {
    "part": "{cores: 30, memoryMiB: 4096, policy: fixed-share}",
    "memory": "{memoryMiB: 4096}", "bad": "{cores: 300}", "whole": "{cards: 2}",
    "two": "{cards: 3, cores: 180, memoryMiB: 12288}", "slice": "{replica: {of: 4, strategy: time-slicing}}",
    "mps": "{replica: {of: 4, strategy: mps}, device: {models: [L4]}}",
    "mig": "{partition: {profile: 1g.10gb}}", "large": "{partition: {profile: 1g.20gb}}",
    "newest": "{partition: {profile: 1g.23gb}}",
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
    "a100": "target: nvidia-mig\ncards: {model: A100-40GB, perNode: 8}\n",
    "b200": "target: nvidia-mig\ncards: {model: B200-180GB, perNode: 8}\n",
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
    ("whole --to nvidia-mig -o aks", 2, "error: no document says what -o aks is for bert"),
    ("part --to vke -o eks", 2, "error: no document says what -o eks is for bert"),
    # on an A100 of 40 GB a pool of MIG1g has 1g.5gb, and 1g.20gb is the larger one of a slice everywhere
    (
        "mig --to nvidia-mig -o aks --check a100.yaml",
        2,
        "error: AKS divides A100, H100, H200 only into the smallest",
    ),
    ("large --to nvidia-mig -o aks", 2, "error: AKS divides A100, H100, H200 only into the smallest"),
    ("mig --to nvidia-mig -o aks --check b200.yaml", 1, "error[NVIDIA003]: 1g.10gb is not a profile of B200"),
    ("newest --to nvidia-mig -o aks --check b200.yaml", 2, "error: AKS divides A100, H100, H200 only into"),
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


# MicrosoftDocs/azure-aks-docs, gpu-multi-instance.md (2026-05-22), HTTP request; AWS, CreateNodegroup
DIVIDED, SHARED = {"nvidia.com/mig.config": "all-1g.10gb"}, {"nvidia.com/device-plugin.config": "shared"}
CLOUDS = {
    "mig --to nvidia-mig -o aks": {"properties": {"gpuInstanceProfile": "MIG1g"}},
    # of strategy single pods choose their nodes by the label, which no MIG manager needs to set there
    "mig --to nvidia-mig -o aks --check single.yaml": {
        "properties": {"gpuInstanceProfile": "MIG1g", "nodeLabels": DIVIDED}
    },
    # nvidia-gpu-operator.md (2025-07-02): the driver is left to the operator
    "slice --to nvidia-shared -o aks": {
        "properties": {"gpuProfile": {"driver": "None"}, "nodeLabels": SHARED}
    },
    "mig --to nvidia-mig -o eks": {"labels": DIVIDED},
    "mps --to nvidia-shared -o eks": {"labels": SHARED},
}


@pytest.mark.parametrize("command", CLOUDS)
def test_node_pools_of_azure_and_aws(run: Run, command: str) -> None:
    code, out, err = run(command)
    assert (code, err, yaml.safe_load(out)) == (0, "", CLOUDS[command])
    assert "GPU Operator" in out or "migStrategy" in out


# awsdocs/amazon-eks-user-guide, device-management-nvidia-mig.adoc (2026)
TOLD = [
    ("mig --to nvidia-mig -o eks", "driver.enabled=false, toolkit.enabled=false"),
    ("mps --to nvidia-shared -o eks", "not on EKS Auto Mode"),
    ("mig --to nvidia-mig -o yaml", "all-disabled: - devices: all mig-enabled: false"),
]


@pytest.mark.parametrize(("command", "words"), TOLD)
def test_what_the_operator_is_told_on_eks(run: Run, command: str, words: str) -> None:
    assert words in " ".join(run(command)[1].split())


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


COMPUTE_CLASS = read_table(__file__, "compute-class.yaml")
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
