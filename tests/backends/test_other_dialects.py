"""KAI, Koordinator, Huawei CCE, and the dialects that are rows: what finds them, what they grant, mistakes.

Facts: hami-family (its section in a comment), huawei-baidu-legacy 1 to 3, other-dialects 1.6 and 1.13;
kai-scheduler/KAI-Scheduler, gpu_request_validator.go and docs/gpu-sharing (2026-08-07 and 2026-09);
koordinator-sh/koordinator at a7a1b76b.
"""

from itertools import chain, combinations

from gpuxlate.backends import registry
from gpuxlate.backends.kai import DeviceMode, KaiProfile
from gpuxlate.backends.koordinator import BOTH, CORE, MEMORY, RATIO, SHARED
from gpuxlate.backends.pod_reader import ContainerShare
from gpuxlate.backends.pod_writer import Accept
from gpuxlate.model.keys import key
from gpuxlate.model.profile import CardProfile, Profile
from gpuxlate.model.share import Device, Share
from gpuxlate.translation.fit import fit_pod
from tests.backends.pods import codes, lint, pod, read, speaks, to

METAX, HYGON, MLU, MTHREADS = "metax-tech.com/", "hygon.com/", "cambricon.com/", "mthreads.com/"
SGPU = f"{MTHREADS}vgpu: 1, {MTHREADS}sgpu-memory: 32"
FIXED, ONLINE = (
    f"annotations: {{{METAX}sgpu-qos-policy: fixed}}",
    f"annotations: {{{METAX}sgpu-app-class: online}}",
)
BI = "iluvatar.ai/BI-V150"
KUNLUN, GCU, AMD = "kunlunxin.com/vxpu", "enflame.com/", "amd.com/"
NPU, A10 = "huawei.com/Ascend310P", "baidu.com/a10_24g_cgpu"
VCUDA, ELASTIC = "tencent.com/vcuda-", "elasticgpu.io/gpu-"
LABEL = "labels: {koordinator.sh/gpu-isolation-provider: HAMi-core}"
NV, VMEM = "nvidia.com/container.web.gpu-memory", f"{MLU}mlu.smlu.vmemory"


def with_metadata(limits: str, metadata: str) -> str:
    return pod(limits, metadata=f", {metadata}" if metadata else "")


# (limits, metadata, field, asked, given, code): hami-family 1 and 2; KAI's fraction in other-dialects 1.7
GRANTED = [
    # compute has sixteenths
    (f"{SGPU}, {MTHREADS}sgpu-core: 3", "", "cores", "18.75 %", 19, "MTHREADS001"),
    (f"{SGPU}, {MTHREADS}sgpu-core: 14", "", "cores", "87.5 %", 88, "MTHREADS001"),
    # parts of 24576, 49152 and 98304 MiB
    (f"{KUNLUN}: 1, {KUNLUN}-memory: 128", "", "memoryMiB", 128, 24576, "KUNLUN010"),
    (f"{KUNLUN}: 1, {KUNLUN}-memory: 24577", "", "memoryMiB", 24577, 49152, "KUNLUN010"),
    # templates; above them it is the card
    (f"{NPU}: 1, {NPU}-memory: 2000", "", "memoryMiB", 2000, 3072, "ASCEND022"),
    (f"{NPU}: 1, {NPU}-memory: 12289", "", "memoryMiB", 12289, None, "ASCEND022"),
    # an amount in parts of a MiB, of each of two cards
    (f"{METAX}sgpu: 2, {METAX}vmemory: 2560Ki", "", "memoryMiB", "5 MiB", 6, "METAX016"),
    ("cpu: 1", "annotations: {gpu-fraction: '0.125'}", "memoryPercent", "12.5 %", 13, "KAI001"),
    ("cpu: 1", f"annotations: {{{NV}.request: 2560Ki}}", "memoryMiB", "2.5 MiB", 3, "KAI002"),
]


# these are granted as requested
EXACTLY = [
    f"{SGPU}, {MTHREADS}sgpu-core: 8",
    f"{KUNLUN}: 1, {KUNLUN}-memory: 24576",
    f"{NPU}: 1, {NPU}-memory: 3072",
    f"{NPU}: 1, {NPU}-memory: 21527",  # what can be allocated of the card, and what it has in name
    f"{NPU}: 1, {NPU}-memory: 24576",
    f"{METAX}sgpu: 1, {METAX}vmemory: 4",
]


def test_what_the_vendor_grants_beyond_the_request_is_listed() -> None:
    """As rounded at the source, which no option has to accept; as large elsewhere, never less."""

    def granted(limits: str, metadata: str, code: str) -> object:
        done = to(with_metadata(limits, metadata), "neutral")
        assert not done.refused, done.diagnostics
        [item] = done.items
        said = [str(one.severity) for one in done.diagnostics if one.code == code]
        return str(item.verdict), item.to_json()["changes"], said

    found = {(limits, ""): granted(limits, "", "") for limits in EXACTLY}
    expected: dict[tuple[str, str], object] = dict.fromkeys(found, ("exact", [], []))
    for limits, metadata, field, asked, given, code in GRANTED:
        change = {"field": field, "asked": asked, "given": given, "code": code}
        found[limits, metadata] = granted(limits, metadata, code)
        expected[limits, metadata] = ("rounded", [change], ["info"])
    assert found == expected


# (limits, metadata, code, what the finding says, what to write)
MISTAKES = [
    # numbers off a legal set
    (f"{METAX}sgpu: 1, {METAX}vmemory: 4, {METAX}vcore: 101", "", "METAX001", "maximum of 100", "1 to 100"),
    (f"{METAX}sgpu: 1, {METAX}vmemory: 4096, {METAX}vcore: 60", "", "METAX016", "is 4194304 MiB", "8192Mi"),
    (f"{METAX}sgpu: 1, {METAX}vmemory: 1k, {METAX}vcore: 60", "", "METAX016", "1k", "8192Mi"),
    (
        f"{METAX}sgpu: 1, {METAX}vmemory: 4",
        FIXED,
        "METAX004",
        "'fixed'",
        "fixed-share",
    ),
    (f"{METAX}sgpu: 1, {METAX}vmemory: 4", "", "METAX009", "vcore is not set", f"add {METAX}vcore"),
    (
        f"{METAX}sgpu: 2, {METAX}vcore: 60",
        ONLINE,
        "METAX020",
        "one card",
        "request one card",
    ),
    (f"{HYGON}hcunum: 1, {HYGON}hcucores: 101", "", "HYGON001", "maximum of 100", "0 to 100"),
    (f"{HYGON}hcunum: 1, {HYGON}hcucores: 0", "", "HYGON014", "no document", "documented"),
    (f"{HYGON}hcunum: 2, {HYGON}hcumem: 2000", "", "HYGON007", "takes several", "one card"),
    (f"{MLU}vmlu: 2, {MLU}mlu.smlu.vmemory: 20", "", "MLU007", "no share", "one card"),
    (f"{BI}-vgpu: 2, {BI}.vCore: 64", "", "ILUVATAR007", "sets its limit to 200", "write 200"),
    (f"{MTHREADS}vgpu: 1, {MTHREADS}sgpu-memory: 5", "", "MTHREADS001", "5 is not one of", "2, 4, 8, 16"),
    (f"{MTHREADS}vgpu: 1, {MTHREADS}sgpu-memory: 161", "", "MTHREADS001", "161 is above", "64, 96"),
    (f"{SGPU}, {MTHREADS}sgpu-core: 17", "", "MTHREADS001", "maximum of 16", "1 to 16"),
    (f"{MTHREADS}vgpu: 2, {MTHREADS}sgpu-core: 8", "", "MTHREADS007", "sets its limit to 32", "write 32"),
    (f"{KUNLUN}: 1, {KUNLUN}-memory: 30000", "", "KUNLUN010", "49152 MiB with 50 %", "write 49152"),
    (f"{KUNLUN}: 1, {KUNLUN}-memory: 98305", "", "KUNLUN001", "maximum of 98304", "1 to 98304"),
    (f"{KUNLUN}-memory: 24576", "", "KUNLUN002", "no effect", f"add {KUNLUN}: 1"),
    (f"{GCU}gcu-core: 101", "", "ENFLAME001", "maximum of 100", "1 to 100"),
    (f"{AMD}gpu: 1, {AMD}gpumem: 8192, {AMD}gpucores: 0", "", "AMD001", "minimum of 1", "1 to 100"),
    (f"{A10}: 2, {A10}_core: 55, {A10}_memory: 10", "", "BAIDU001", "multiple of 10", "multiples of 10"),
    (f"{A10}: 2, {A10}_core: 50, {A10}_memory: 11", "", "BAIDU001", "multiple of 2", "multiples of 2"),
    (f"{A10}: 1, {A10}_core: 50", "", "BAIDU002", "no effect", f"{A10}_memory"),
    (f"{A10}: 1, {A10}_memory: 10, {A10}_memory_percent: 50", "", "BAIDU003", "both set", "one of them"),
    (f"{A10}: 1, {A10}_memory: 10", "", "BAIDU006", "volcano", "schedulerName: volcano"),
    (f"{VCUDA}core: 150, {VCUDA}memory: 20", "", "VCUDA001", "150 is not one of", "multiples of 100"),
    (f"{VCUDA}core: 50", "", "VCUDA020", "no effect", f"{VCUDA}memory"),
    (f"{VCUDA}memory: 20", "", "VCUDA002", "no effect", f"{VCUDA}core"),
    (f"{VCUDA}core: 100, {VCUDA}memory: 20", "", "VCUDA015", "ignored", "remove it"),
    (f"{ELASTIC}core: 150", "", "ELASTIC001", "150 is not one of", "multiples of 100"),
    ("nvidia.com/gpu-10gb: 1", "", "NOS020", "10 GiB", "check the memory"),
    # an old name beside the new
    (f"{HYGON}hcunum: 1, {HYGON}dcunum: 1", "", "HYGON005", f"{HYGON}dcunum under another name", "keep one"),
    (f"{MLU}vmlu: 1, {VMEM}: 20, {MLU}mlu370.smlu.vmemory: 20", "", "MLU005", f"{VMEM} under", "keep one"),
    (f"{ELASTIC}core: 50, elasticgpu.com/gpu-core: 50", "", "ELASTIC005", "under another name", "keep one"),
    # a card that the catalogue does not know: the names that the keys of the vendor have
    ("baidu.com/a99_24g_cgpu: 1", "", "BAIDU012", "a99_24g_cgpu names a card", "a10_24g, a30_24g"),
    ("iluvatar.ai/BI-V999-vgpu: 1", "", "ILUVATAR012", "BI-V999-vgpu names a card", "BI-V100, BI-V150"),
    ("huawei.com/Ascend999-memory: 1024", "", "ASCEND012", "Ascend999-memory names a card", "310P, 910A"),
    # Koordinator; its own page of 2024-12 had both spellings of the first
    (f"koordinator.sh/gpu-shared: 1, {MEMORY}: 8Gi", "", "GX003", "", SHARED),
    (f"{MEMORY}: 8Gi", LABEL.replace("HAMi", "hami"), "KOORD004", "", "HAMi-core"),
    (f"{MEMORY}: 4096", LABEL, "KOORD016", "", "8192Mi"),
    (f"{MEMORY}: 4GB", LABEL, "K8S002", "", "4Gi"),
    (f"{MEMORY}: much", LABEL, "K8S001", "", "whole number"),
    (f"{MEMORY}: 1.5", LABEL, "K8S001", "", "write 2"),
    # two vendors of one family
    (f"{METAX}sgpu: 1, {HYGON}hcunum: 1", "", "K8S007", "Hygon DCU under HAMi", "keep the keys of one"),
    (f"{NPU}: 1, {METAX}sgpu: 1", "", "K8S007", "MetaX sGPU", "keep the keys of one"),
]


def test_mistakes() -> None:
    wrong = {}
    for limits, metadata, code, said, instead in MISTAKES:
        found = [one for one in lint(with_metadata(limits, metadata)) if one.code == code]
        if not any(said in one.message and instead in str(one.hint) for one in found):
            wrong[limits, metadata] = found
    assert wrong == {}


# --- KAI ------------------------------------------------------------------------------------------


def kai(
    annotations: str = "", labels: str = "kai.scheduler/queue: team", scheduler: str = "kai-scheduler",
    limits: str = "",
) -> str:  # fmt: skip
    """A pod of two containers."""
    spec = f"  schedulerName: {scheduler}\n" if scheduler else ""
    metadata = f", labels: {{{labels}}}, annotations: {{{annotations}}}"
    return pod(limits, metadata=metadata, spec=spec) + "  - name: api\n"


def profile(mode: DeviceMode) -> Profile:
    return Profile("kai", extensions=(KaiProfile(mode),))


def test_finding_the_dialect() -> None:
    found = {
        kai('gpu-memory: "80"', labels="", scheduler=""): False,  # a word that anybody may use
        kai('mps: "true"', labels="", scheduler=""): False,
        kai(limits="nvidia.com/gpu: 1", labels="", scheduler=""): False,
        kai(labels="gpu-fraction: half", scheduler=""): False,
        kai(): False,
        kai('gpu-memory: "80"', labels=""): True,
        kai('gpu-memory: "80"', scheduler="", labels="runai/queue: team"): True,
        kai('gpu-fraction: "0.5"', labels="", scheduler=""): True,
        kai(f"{NV}.request: 4Gi", labels="", scheduler=""): True,
        kai(limits="nvidia.com/gpu: 1"): True,
    }
    assert {text: speaks(text, "kai") for text in found} == found


def test_a_word_is_read_where_the_dialect_is_named() -> None:
    text = kai('gpu-memory: "2000"', labels="", scheduler="")
    assert read(text).items == []
    assert [one.share for one in read(text, from_="runai").items] == [Share(memory_mib=2000)]


def test_a_label_that_is_only_a_word_stays() -> None:
    done = to(kai('gpu-memory: "2000"', labels='kai.scheduler/queue: team, gpu-memory: "80"'), "hami")
    assert not done.refused, done.diagnostics
    assert 'gpu-memory: "80"' in done.text
    assert "queue" not in done.text


def test_a_name_that_fits_in_no_key() -> None:
    """63 characters after the slash, of which ``container.`` and ``.gpu-memory.request`` take 29."""

    def lost(name: str) -> set[str]:
        share = Share(memory_mib=2000, memory_limit_mib=3000)
        found = fit_pod([ContainerShare(name, 0, share=share)], registry.get("kai"), Accept())
        return {one.code for outcome in found.outcomes for one in outcome.losses}

    assert [lost("a" * length) for length in (34, 35)] == [set(), {"GX023"}]


def test_rules_read_the_keys_of_containers() -> None:
    expected = {
        kai(f'{NV}.request: "4096"'): ["KAI002"],  # bytes
        kai(f"{NV}.request: much"): ["KAI002"],
        kai(f'{NV}.request: 4Gi, gpu-memory: "2000"'): ["KAI003"],
        kai(f"{NV}.request: 4Gi", limits="nvidia.com/gpu: 1"): ["KAI004"],
        kai(f"{NV}.request: 4Gi, gpu-fraction-container-name: web"): ["KAI005"],
        kai("nvidia.com/container.worker.gpu-memory.request: 4Gi"): ["KAI006"],
        kai(f"{NV}.request: 4Gi", scheduler="volcano"): ["KAI010"],
        kai(f"{NV}.request: 4Gi", labels=""): ["KAI011"],
    }
    assert {text: codes(lint(text, profile("NvFractions"))) for text in expected} == expected


def test_what_the_scheduler_writes_is_removed() -> None:
    text = kai('gpu-memory: "2000", nvidia.com/container.web.gpus.devices: "0"')
    assert codes(lint(text, profile("HamiCore"))) == ["GX004"]
    assert "devices" not in to(text, "hami").text


def test_a_star_is_any_text_without_a_slash() -> None:
    matched = {
        ("a/x.*.y", "a/x.web.y"): True,
        ("a/x.*.y", "a/x..y"): True,
        ("a/x.*.y", "a/x.y"): False,
        ("a/x.*.y", "a/x.w/b.y"): False,
        ("a/x.*.y", "a/x.web.y.z"): False,
        ("a/x*", "a/x"): True,
        ("a/x*", "a/xyz"): True,
        ("a/x*", "a/x/y"): False,
    }
    assert {(name, other): key(name, meaning="").matches(other) for name, other in matched} == matched


# --- Koordinator ----------------------------------------------------------------------------------

KOORD = "  schedulerName: koord-scheduler\n"
SETS = [{MEMORY}, {RATIO}, {CORE, MEMORY}, {CORE, RATIO}]
LEGAL = [*SETS, *({SHARED} | one for one in SETS), {BOTH}, {SHARED, BOTH}]
"""What the scheduler takes (deviceshare/utils.go), or its webhook makes so (device_resource_spec.go)."""
KEYS = {SHARED: "1", CORE: "50", MEMORY: "8Gi", RATIO: "50", BOTH: "50"}


def text_of(limits: str) -> str:
    return pod(limits, metadata=f", {LABEL}", spec=KOORD)


def test_the_legal_sets() -> None:
    sets = chain.from_iterable(combinations(KEYS, count) for count in range(1, 6))
    found = {names: codes(lint(text_of(", ".join(f"{one}: {KEYS[one]}" for one in names)))) for names in sets}
    assert len(found) == 31
    assert {names for names, some in found.items() if bool(some) == ({*names} in LEGAL)} == set()
    assert {code for some in found.values() for code in some} <= {"KOORD002", "KOORD003"}


def test_amounts_with_a_unit_are_right() -> None:
    amounts = ("8Gi", "1.5Gi", "8000M", "8e9", '"8589934592"')
    assert {amount: lint(text_of(f"{MEMORY}: {amount}")) for amount in amounts} == {
        amount: [] for amount in amounts
    }


# --- Huawei ---------------------------------------------------------------------------------------

VOLCANO = "  schedulerName: volcano\n"


def test_a_part_elsewhere_is_no_whole_number() -> None:
    others = [("", "0.1"), ("  schedulerName: hami-scheduler\n", "0.1"), (VOLCANO, "1.5"), (VOLCANO, "-0.1")]
    pods = [pod(f"nvidia.com/gpu: {amount}", spec=spec) for spec, amount in others]
    assert {text: codes(lint(text)) for text in pods} == {text: ["K8S001"] for text in pods}


def test_a_part_becomes_keys_of_the_target() -> None:
    card = Profile("huawei-cce", cards=CardProfile(memory_mib=24258))
    done = to(pod("nvidia.com/gpu: 0.1", spec=VOLCANO), "neutral", profile=card)
    assert "gpuxlate.io/memory-mib: 2304" in done.text
    assert "nvidia.com/gpu" not in done.text


def test_a_policy_of_the_pod_beside_that_of_a_container() -> None:
    """HAMi has one for each container, MetaX one for the pod: together they are not one share's."""
    hami = "env: [{name: GPU_CORE_UTILIZATION_POLICY, value: force}]"
    limits = f"{METAX}sgpu: 1, {METAX}vcore: 30, {METAX}vmemory: 4"
    text = with_metadata("nvidia.com/gpu: 1", FIXED.replace("fixed", "burst-share"))
    text += f"    {hami}\n  - name: b\n    resources: {{limits: {{{limits}}}}}\n"
    found = [one.message for one in read(text).diagnostics if one.code == "GX022"]
    assert "shares of one pod differ in policy (burst-share, fixed-share), which belongs to the pod" in found


def test_a_choice_is_lost_once_and_where_it_is() -> None:
    """A key that may be in two places; MindCluster has the label too."""
    name = "huawei.com/scheduler.softShareDev.policy"
    for what in ("annotation", "label"):
        text = with_metadata(f"{NPU}: 1, {NPU}-memory: 3072", f"{what}s: {{{name}: even}}")
        lost = [one.message for one in to(text, "neutral").diagnostics if one.code == "GX020"]
        assert lost == [f"{what} {name} (even) is not supported by neutral"]


def test_keys_of_volcano_stay_a_look_alike() -> None:
    assert codes(lint(pod("volcano.sh/gpu-memory: 1024", spec=VOLCANO))) == ["GX006"]


def test_the_card_of_a_profile_is_that_of_the_keys() -> None:
    """Where names of keys hold a card, and the share names none; defect D24."""
    for target, model, name in (
        ("baidu-cce", "A10-24GB", A10),
        ("hami-ascend", "Ascend310P", NPU),
        ("hami-iluvatar", "BI-V150", f"{BI}-vgpu"),
    ):
        profile = Profile(target, cards=CardProfile(model))
        done = fit_pod([ContainerShare("web", 0, share=Share(1))], registry.get(target), Accept(), profile)
        assert done.accepted
        assert name in done.keys.containers[0].limits
        other = [ContainerShare("web", 0, share=Share(1, device=Device(None, ("A30",))))]
        assert not fit_pod(other, registry.get(target), Accept(), profile).accepted
