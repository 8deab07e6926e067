"""Claims for cards of AMD and of Intel.

AMD: ROCm/k8s-gpu-dra-driver, docs/driver-attributes.md, docs/device-plugin-to-dra-partitions.md and example
(2026-08). Intel: intel/intel-resource-drivers-for-kubernetes, cmd/kubelet-gpu-plugin/node_state.go and
deployments/gpu/examples (2026-08).
"""

from typing import Any

import pytest
import yaml

import gpuxlate
from gpuxlate import Refused
from tests.claims.objects import HAMI, capacity, claim, pod, requested

AMD, INTEL = "gpu.amd.com", "gpu.intel.com"


def attribute(name: str, value: str, driver: str = AMD) -> str:
    return f'device.attributes["{driver}"].{name} == "{value}"'


def asking(driver: str, *expressions: str, **fields: Any) -> str:
    """A pod, and the template that it names."""
    selectors = [{"cel": {"expression": one}} for one in expressions]
    given = {"selectors": selectors, **fields} if selectors else fields
    return f"{pod()}---\n{claim('t', requested(driver, **given))}"


CPX = attribute("computePartition", "cpx"), attribute("memoryPartition", "nps4")
PROFILE = attribute("partitionProfile", "cpx_nps4")
OF_TYPE, OF_PARTITION = attribute("type", "amdgpu"), attribute("type", "amdgpu-partition")
OF_AMD, OF_INTEL = {"device": {"vendor": "amd"}}, {"device": {"vendor": "intel"}}
"""What the driver of a claim says of its devices: their maker."""
TWO = {"partition": {"profile": "cpx_nps4", "count": 2}} | OF_AMD
ONE = {"partition": {"profile": "cpx_nps4"}} | OF_AMD
GETS: dict[str, tuple[str, dict[str, Any]]] = {
    "of no kind": (asking(AMD), {"cards": 1} | OF_AMD),
    "of the class of whole cards": (asking("gpu.amd.com-spx", count=2), {"cards": 2} | OF_AMD),
    "a whole card by its type": (asking(AMD, OF_TYPE), {"cards": 1} | OF_AMD),
    "not divided": (asking(AMD, attribute("computePartition", "spx")), {"cards": 1} | OF_AMD),
    "not divided, as the driver's example": (
        asking(
            AMD,
            f"{attribute('computePartition', 'spx')} &&\n{attribute('memoryPartition', 'nps1')}",
            capacity=capacity(partitions="1"),
        ),
        {"cards": 1} | OF_AMD,
    ),
    "the profile of a whole card": (
        asking(AMD, attribute("partitionProfile", "spx_nps1")),
        {"cards": 1} | OF_AMD,
    ),
    "two expressions": (asking(AMD, *CPX), ONE),
    "one expression": (asking(AMD, " && ".join(CPX), capacity=capacity(partitions="1")), ONE),
    "its driver as well": (asking(AMD, f"device.driver == '{AMD}' && {PROFILE}"), ONE),
    "partitions that are there": (asking(AMD, OF_PARTITION, PROFILE, count=2), TWO),
    "by capacity": (asking(AMD, *CPX, capacity=capacity(**{f"{AMD}/partitions": "2"})), TWO),
    "Intel": (asking(INTEL, count=2), {"cards": 2} | OF_INTEL),
}


@pytest.mark.parametrize("case", GETS)
def test_what_a_claim_gets(case: str) -> None:
    text, share = GETS[case]
    [made] = gpuxlate.parse(text).objects
    assert made["spec"] == share
    assert not [one for one in gpuxlate.lint(text).diagnostics if one.severity != "info"]


def counting(**resources: Any) -> str:
    """A pod whose containers count devices of classes (KEP-5004)."""
    limits = {
        name: {f"deviceclass.resource.kubernetes.io/{c}": n for c, n in one.items()}
        for name, one in resources.items()
    }
    containers = [
        {"name": name, "image": "web", "resources": {"limits": one}} for name, one in limits.items()
    ]
    return yaml.safe_dump(
        {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web"}, "spec": {"containers": containers}}
    )


COUNTED: dict[str, tuple[str, dict[str, Any], str]] = {
    "HAMi": (counting(web={"hami-core-gpu.project-hami.io": 2}), {"cards": 2}, "dra-hami"),
    "NVIDIA": (counting(web={"gpu.nvidia.com": 1}), {"cards": 1}, "dra-nvidia"),
    "AMD": (counting(web={"gpu.amd.com": 2}), {"cards": 2} | OF_AMD, "dra-amd"),
    "AMD, undivided": (counting(web={"gpu.amd.com-spx": 1}), {"cards": 1} | OF_AMD, "dra-amd"),
    "Intel, deployments/gpu/examples": (counting(web={INTEL: 1}), {"cards": 1} | OF_INTEL, "dra-intel"),
    "Intel, the name of the chart": (
        counting(web={INTEL: 1}).replace("deviceclass.resource.kubernetes.io/gpu.intel.com", "intel.com/gpu"),
        {"cards": 1} | OF_INTEL,
        "dra-intel",
    ),
    "two classes": (counting(web={AMD: 1, "gpu.amd.com-spx": 1}), {"cards": 2} | OF_AMD, "dra-amd"),
}


@pytest.mark.parametrize("case", COUNTED)
def test_devices_as_resources(case: str) -> None:
    """They are whole cards; a translation takes the resource away, and one to its own dialect nothing."""
    text, share, target = COUNTED[case]
    [made] = gpuxlate.parse(text).objects
    assert made["spec"] == share
    assert not gpuxlate.lint(text).diagnostics
    assert gpuxlate.translate(text, target).text == text
    there = gpuxlate.translate(text, "neutral").text
    assert f"gpuxlate.io/cards: {share['cards']}" in there
    assert "deviceclass" not in there


def test_containers_that_count_devices_have_devices_of_their_own() -> None:
    made = gpuxlate.translate(counting(a={INTEL: 1}, b={INTEL: 2}), "neutral").text
    assert [line.strip() for line in made.splitlines() if "cards" in line] == [
        f"gpuxlate.io/cards: {count}" for count in (1, 2)
    ]


NOT_HELD = {
    "partitions as a resource": (counting(web={"mig.nvidia.com": 1}), {"GX023"}),
    "a card for a machine as a resource": (counting(web={"vfio.gpu.nvidia.com": 1}), {"GX023"}),
    "Gaudi, deployments/gaudi/examples": (
        counting(web={"gaudi.intel.com": 1}).replace(
            "deviceclass.resource.kubernetes.io/gaudi.intel.com", "intel.com/gaudi"
        ),
        {"GX023"},
    ),
    "no devices": (counting(web={INTEL: 0}), {"DRA004"}),
    "no whole number of devices": (counting(web={INTEL: "0.5"}), {"K8S001"}),
    "partitions of no profile": (asking(AMD, OF_PARTITION), {"GX023"}),
    "compute without memory": (asking(AMD, CPX[0]), {"GX023"}),
    "a profile that no card has": (
        asking(AMD, attribute("partitionProfile", "cpx_nps8")),
        {"DRA019", "GX011"},
    ),
    "a profile of MIG": (asking(AMD, attribute("partitionProfile", "1g.10gb")), {"DRA019"}),
    "no number of partitions": (asking(AMD, *CPX, capacity=capacity(partitions="all")), {"DRA004"}),
    "no capacity of AMD": (asking(AMD, capacity=capacity(cores="30")), {"DRA017"}),
    "no capacity of Intel": (asking(INTEL, capacity=capacity(cores="30")), {"DRA017"}),
    "a card for a machine": (asking("gpu-vfio.intel.com"), {"GX023"}),
    "no GPU": (asking("gaudi.intel.com"), {"GX023"}),
}
CHOICES = {
    "as much memory": asking(
        INTEL, 'device.capacity["gpu.intel.com"].memory.compareTo(quantity("4Gi")) >= 0'
    ),
    "a driver of the kernel": asking(INTEL, attribute("driver", "i915", INTEL)),
    "a model": asking(INTEL, attribute("model", "Flex 170", INTEL)),
    "capacity, which no claim shares": asking(INTEL, capacity=capacity(memory="4Gi", millicores="100")),
    "capacity of AMD": asking(AMD, OF_TYPE, capacity=capacity(memory="4Gi", computeUnits="38")),
}


def errors_of(text: str, **options: Any) -> set[str]:
    with pytest.raises(Refused) as refused:
        gpuxlate.translate(text, "neutral", **options)
    return {one.code for one in refused.value.diagnostics if one.severity == "error"}


@pytest.mark.parametrize("case", NOT_HELD)
def test_what_no_share_holds(case: str) -> None:
    text, codes = NOT_HELD[case]
    found = errors_of(text)
    assert found
    assert found <= codes


@pytest.mark.parametrize("case", CHOICES)
def test_what_chooses_whole_cards(case: str) -> None:
    assert errors_of(CHOICES[case]) == {"GX020"}
    made = gpuxlate.translate(CHOICES[case], "neutral", drop=["selector"]).text
    assert "gpuxlate.io/cards: 1" in made


SHARE = {"apiVersion": "gpuxlate.io/v1alpha1", "kind": "GPUShare", "metadata": {"name": "web"}}
DIVIDES = {"target": "dra-amd", "dra": {"amdAutoPartition": True}}
OF_MI300X = {"target": "dra-amd", "cards": {"model": "MI300X", "perNode": 8}}
WRITTEN: list[tuple[str, dict[str, Any], dict[str, Any] | None, dict[str, Any]]] = [
    ("dra-amd", {"cards": 2}, None, {"count": 2, "selectors": [OF_TYPE]}),
    ("dra-amd", TWO, None, {"count": 2, "selectors": [PROFILE]}),
    ("dra-amd", ONE, DIVIDES, {"selectors": [" && ".join(CPX)]}),
    # 38 of 304 compute units and an eighth of 196592 MiB: docs/demo.md, docs/driver-attributes.md
    (
        "dra-amd",
        {"cores": 13, "memoryMiB": 24574},
        OF_MI300X,
        {"selectors": [attribute("partitionProfile", "cpx_nps1")]},
    ),
    (
        "dra-amd",
        {"cards": 1, "device": {"vendor": "amd", "models": ["MI300X"]}},
        None,
        {
            "selectors": [
                OF_TYPE,
                'device.attributes["gpu.amd.com"].productName in ["AMD_Instinct_MI300X_OAM"]',
            ]
        },
    ),
    ("dra-intel", {"cards": 1}, None, {}),
    ("dra-intel", {"cards": 2}, None, {"count": 2}),
]


@pytest.mark.parametrize(("target", "spec", "profile", "fields"), WRITTEN)
def test_what_is_written(
    target: str, spec: dict[str, Any], profile: dict[str, Any] | None, fields: dict[str, Any]
) -> None:
    made = gpuxlate.render({**SHARE, "spec": spec}, target, profile=profile, round="up")
    [request] = made.objects[1]["spec"]["spec"]["devices"]["requests"]
    expressions = [one["cel"]["expression"] for one in request["exactly"].pop("selectors", [])]
    found = {**request["exactly"], **({"selectors": expressions} if expressions else {})}
    assert found == {"deviceClassName": AMD if target == "dra-amd" else INTEL, **fields}
    back = gpuxlate.parse(made.text, profile=profile).objects
    vendor = {} if target not in ("dra-amd", "dra-intel") else OF_AMD if target == "dra-amd" else OF_INTEL
    assert "partition" in spec or "cores" in spec or [one["spec"] for one in back] == [vendor | spec]


NOT_GIVEN = [
    ("dra-amd", {"cores": 30, "memoryMiB": 4096}, "GX023"),  # of no card that is known
    ("dra-amd", {"partition": {"profile": "1g.10gb"}}, "DRA019"),
    ("dra-intel", {"cores": 30}, "GX023"),
    ("dra-intel", {"memoryMiB": 4096}, "GX023"),
]


@pytest.mark.parametrize(("target", "spec", "code"), NOT_GIVEN)
def test_what_is_not_given(target: str, spec: dict[str, Any], code: str) -> None:
    with pytest.raises(Refused) as refused:
        gpuxlate.render({**SHARE, "spec": spec}, target)
    assert {one.code for one in refused.value.diagnostics if one.severity == "error"} == {code}


MIG = {
    "deviceClassName": "mig.nvidia.com",
    "selectors": [{"cel": {"expression": attribute("profile", "1g.10gb", "gpu.nvidia.com")}}],
}
PART = {"deviceClassName": HAMI, "capacity": capacity(cores="30", memory="4Gi")}
WHOLE_INTEL, GAUDI = {"deviceClassName": INTEL, "count": 2}, {"deviceClassName": "gaudi.intel.com"}
NETWORK = {"deviceClassName": "rdma-net"}
ALTERNATIVES: dict[str, tuple[list[dict[str, Any]], dict[str, Any], str]] = {
    "HAMi's first": ([PART, MIG], {"cores": 30, "memoryMiB": 4096}, "a0 is read, and not a1 (1g.10gb)"),
    "NVIDIA's first": (
        [MIG, PART],
        {"partition": {"profile": "1g.10gb"}},
        "a0 is read, and not a1 (cores 30, memory 4Gi)",
    ),
    "several devices": ([PART, WHOLE_INTEL], {"cores": 30, "memoryMiB": 4096}, f"not a1 (2 x {INTEL})"),
    "what no share holds comes later": (
        [GAUDI, WHOLE_INTEL],
        {"cards": 2} | OF_INTEL,
        "a1 is read, and not a0 (gaudi",
    ),
    "other devices too": (
        [NETWORK, WHOLE_INTEL],
        {"cards": 2} | OF_INTEL,
        "a1 is read, and not a0 (rdma-net)",
    ),
}


@pytest.mark.parametrize("case", ALTERNATIVES)
def test_the_first_alternative_is_the_share(case: str) -> None:
    """Whichever driver has it; what the others are for is said."""
    ways, share, said = ALTERNATIVES[case]
    request = {"name": "gpu", "firstAvailable": [{"name": f"a{n}", **one} for n, one in enumerate(ways)]}
    found = gpuxlate.parse(f"{pod()}---\n{claim('t', request)}")
    assert [one["spec"] for one in found.objects] == [share]
    [message] = [str(one.message) for one in found.diagnostics if one.code == "GX020"]
    assert said in message


DOMAIN = """\
apiVersion: resource.nvidia.com/v1beta1
kind: ComputeDomain
metadata: {name: domain}
spec: {numNodes: 2, channel: {resourceClaimTemplate: {name: channel}}}
"""


def test_claims_on_other_devices_stay() -> None:
    """DRA020. The template of a ComputeDomain is made by its controller (NVIDIA, demo/specs/imex)."""
    web = yaml.safe_load(pod())
    web["spec"]["containers"][0]["resources"]["claims"] += [{"name": "channel"}, {"name": "net"}]
    web["spec"]["resourceClaims"] += [
        {"name": "channel", "resourceClaimTemplateName": "channel"},
        {"name": "net", "resourceClaimTemplateName": "n"},
    ]
    templates = (claim("t", requested(INTEL)), claim("n", requested("rdma-net", "nic")))
    text = "---\n".join((DOMAIN, yaml.safe_dump(web), *templates))
    assert not gpuxlate.lint(text).diagnostics
    made = gpuxlate.translate(text, "neutral")
    said = [str(one.message) for one in made.diagnostics if one.code == "DRA020"]
    assert said == [
        "claim channel is for what ComputeDomain makes, which is not a share: it is kept",
        "claim net is for rdma-net, which is not a share: it is kept",
    ]
    kept = [one for one in yaml.safe_load_all(made.text) if one["kind"] == "Pod"]
    assert [one["name"] for one in kept[0]["spec"]["resourceClaims"]] == ["channel", "net"]
    assert not [one for one in gpuxlate.translate(text, "dra-intel").diagnostics if one.code == "DRA020"]
