"""The dialects that are rows: what the vendor grants beyond a request, and mistakes.

Facts: hami-family (its section in a comment), huawei-baidu-legacy 2 and 3, other-dialects 1.6 and 1.13.
"""

from __future__ import annotations

from tests.backends.pods import lint, pod, to

METAX, HYGON, MLU, MTHREADS = "metax-tech.com/", "hygon.com/", "cambricon.com/", "mthreads.com/"
CLASS, POLICY = f"{METAX}sgpu-app-class", f"{METAX}sgpu-qos-policy"
BI = "iluvatar.ai/BI-V150"
KUNLUN, GCU, AMD = "kunlunxin.com/vxpu", "enflame.com/", "amd.com/"
NPU, A10 = "huawei.com/Ascend310P", "baidu.com/a10_24g_cgpu"
VCUDA, ELASTIC = "tencent.com/vcuda-", "elasticgpu.io/gpu-"


def annotated(text: str) -> str:
    return f", annotations: {{{text}}}" if text else ""


# (limits, annotations, field, asked, given, code): hami-family 1 and 2; KAI's fraction in other-dialects 1.7
GRANTED = [
    # compute has sixteenths
    (f"{MTHREADS}vgpu: 1, {MTHREADS}sgpu-core: 3", "", "cores", "18.75 %", 19, "MTHREADS001"),
    (f"{MTHREADS}vgpu: 1, {MTHREADS}sgpu-core: 14", "", "cores", "87.5 %", 88, "MTHREADS001"),
    # parts of 24576, 49152 and 98304 MiB
    (f"{KUNLUN}: 1, {KUNLUN}-memory: 128", "", "memoryMiB", 128, 24576, "KUNLUN010"),
    (f"{KUNLUN}: 1, {KUNLUN}-memory: 24577", "", "memoryMiB", 24577, 49152, "KUNLUN010"),
    # templates; above them it is the card
    (f"{NPU}: 1, {NPU}-memory: 2000", "", "memoryMiB", 2000, 3072, "ASCEND022"),
    (f"{NPU}: 1, {NPU}-memory: 12289", "", "memoryMiB", 12289, None, "ASCEND022"),
    # an amount in parts of a MiB, of each of two cards
    (f"{METAX}sgpu: 2, {METAX}vmemory: 2560Ki", "", "memoryMiB", "5 MiB", 6, "METAX016"),
    ("cpu: 1", "gpu-fraction: '0.125'", "memoryPercent", "12.5 %", 13, "KAI001"),
    (
        "cpu: 1",
        "nvidia.com/container.web.gpu-memory.request: 2560Ki",
        "memoryMiB",
        "2.5 MiB",
        3,
        "KAI002",
    ),
]


def test_what_the_vendor_grants_beyond_the_request_is_listed() -> None:
    """As rounded at the source, which no option has to accept; as large elsewhere, never less."""

    def granted(limits: str, notes: str, code: str) -> object:
        done = to(pod(limits, metadata=annotated(notes)), "neutral")
        assert not done.refused, done.diagnostics
        [item] = done.items
        said = [str(one.severity) for one in done.diagnostics if one.code == code]
        return str(item.verdict), item.to_json()["changes"], said

    found, expected = {}, {}
    for limits, notes, field, asked, given, code in GRANTED:
        change = {"field": field, "asked": asked, "given": given, "code": code}
        found[limits, notes] = granted(limits, notes, code)
        expected[limits, notes] = ("rounded", [change], ["info"])
    assert found == expected


EXACTLY = [
    f"{MTHREADS}vgpu: 1, {MTHREADS}sgpu-core: 8",
    f"{KUNLUN}: 1, {KUNLUN}-memory: 24576",
    f"{NPU}: 1, {NPU}-memory: 3072",
    f"{NPU}: 1, {NPU}-memory: 21527",  # what can be allocated of the card, and what it has in name
    f"{NPU}: 1, {NPU}-memory: 24576",
    f"{METAX}sgpu: 1, {METAX}vmemory: 4",
]


def test_what_is_granted_as_requested_is_exact() -> None:
    verdicts = {limits: [str(one.verdict) for one in to(pod(limits), "neutral").items] for limits in EXACTLY}
    assert verdicts == {limits: ["exact"] for limits in EXACTLY}


# (limits, annotations, code, what the finding says, what to write)
MISTAKES = [
    # numbers off a legal set
    (f"{METAX}sgpu: 1, {METAX}vmemory: 4, {METAX}vcore: 101", "", "METAX001", "maximum of 100", "1 to 100"),
    (f"{METAX}sgpu: 1, {METAX}vmemory: 4096, {METAX}vcore: 60", "", "METAX016", "is 4194304 MiB", "8192Mi"),
    (f"{METAX}sgpu: 1, {METAX}vmemory: 1k, {METAX}vcore: 60", "", "METAX016", "1k", "8192Mi"),
    (f"{METAX}sgpu: 1, {METAX}vmemory: 4", f"{POLICY}: fixed", "METAX004", "'fixed'", "fixed-share"),
    (f"{METAX}sgpu: 1, {METAX}vmemory: 4", "", "METAX009", "vcore is not set", f"add {METAX}vcore"),
    (f"{METAX}sgpu: 2, {METAX}vcore: 60", f"{CLASS}: online", "METAX020", "one card", "request one card"),
    (f"{HYGON}hcunum: 1, {HYGON}hcucores: 101", "", "HYGON001", "maximum of 100", "0 to 100"),
    (f"{HYGON}hcunum: 1, {HYGON}hcucores: 0", "", "HYGON014", "no document", "documented"),
    (f"{HYGON}hcunum: 2, {HYGON}hcumem: 2000", "", "HYGON007", "no share", "one card"),
    (f"{MLU}vmlu: 2, {MLU}mlu.smlu.vmemory: 20", "", "MLU007", "no share", "one card"),
    (f"{BI}-vgpu: 2, {BI}.vMem: 64", "", "ILUVATAR007", "whole cards", "one card"),
    (f"{MTHREADS}vgpu: 1, {MTHREADS}sgpu-memory: 5", "", "MTHREADS001", "5 is not one of", "2, 4, 8, 16"),
    (f"{MTHREADS}vgpu: 1, {MTHREADS}sgpu-memory: 161", "", "MTHREADS001", "161 is above", "128, 160"),
    (f"{MTHREADS}vgpu: 1, {MTHREADS}sgpu-core: 17", "", "MTHREADS001", "maximum of 16", "1 to 16"),
    (f"{MTHREADS}vgpu: 2, {MTHREADS}sgpu-core: 8", "", "MTHREADS007", "whole cards", "one card"),
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
    (f"{HYGON}hcunum: 1, {HYGON}dcunum: 1", "", "HYGON005", f"{HYGON}hcunum under another name", "keep one"),
    (
        f"{MLU}vmlu: 1, {MLU}mlu.smlu.vmemory: 20, {MLU}mlu370.smlu.vmemory: 20",
        "",
        "MLU005",
        f"{MLU}mlu.smlu.vmemory under another name",
        "keep one",
    ),
    (f"{ELASTIC}core: 50, elasticgpu.com/gpu-core: 50", "", "ELASTIC005", "under another name", "keep one"),
    # a card that the catalogue does not know: the names that the keys of the vendor have
    ("baidu.com/a99_24g_cgpu: 1", "", "BAIDU012", "a99_24g_cgpu names a card", "a10_24g, a30_24g"),
    ("iluvatar.ai/BI-V999-vgpu: 1", "", "ILUVATAR012", "BI-V999-vgpu names a card", "BI-V100, BI-V150"),
    ("huawei.com/Ascend999-memory: 1024", "", "ASCEND012", "Ascend999-memory names a card", "310P, 910A"),
    # two vendors of one family
    (f"{METAX}sgpu: 1, {HYGON}hcunum: 1", "", "K8S007", "Hygon DCU under HAMi", "keep the keys of one"),
    (f"{NPU}: 1, {METAX}sgpu: 1", "", "K8S007", "MetaX sGPU", "keep the keys of one"),
]


def test_mistakes() -> None:
    wrong = {}
    for limits, notes, code, said, instead in MISTAKES:
        found = [one for one in lint(pod(limits, metadata=annotated(notes))) if one.code == code]
        if not any(said in one.message and instead in str(one.hint) for one in found):
            wrong[limits] = found
    assert wrong == {}
