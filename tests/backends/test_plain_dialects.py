"""The dialects that are rows: what is special in each. Facts: hami-family (its section in a comment),
huawei-baidu-legacy 2 and 3, other-dialects 1.6 and 1.13."""

from __future__ import annotations

import pytest

from gpuxlate.lint.check import LintSettings, lint_source
from gpuxlate.model.share import Device, Policy, Qos, Share
from gpuxlate.translation.pods.fit import Accept
from gpuxlate.yamltext.source import Source

from .test_hami import pod, read, to

METAX, HYGON, MLU, MTHREADS = "metax-tech.com/", "hygon.com/", "cambricon.com/", "mthreads.com/"
CLASS, POLICY = f"{METAX}sgpu-app-class", f"{METAX}sgpu-qos-policy"
BI = "iluvatar.ai/BI-V150"
KUNLUN, GCU, AMD = "kunlunxin.com/vxpu", "enflame.com/", "amd.com/"
NPU, NUMBERS = "huawei.com/Ascend310P", "huawei.com/vnpu-mode: hami-core"
A10, VOLCANO = "baidu.com/a10_24g_cgpu", "  schedulerName: volcano\n"
VCUDA, ELASTIC = "tencent.com/vcuda-", "elasticgpu.io/gpu-"


def write(**fields: object) -> str:
    """Neutral keys of a pod."""
    return ", ".join(f"gpuxlate.io/{name.replace('_', '-')}: {value}" for name, value in fields.items())


def annotated(text: str) -> str:
    return f", annotations: {{{text}}}" if text else ""


def card(vendor: str, model: str) -> Device:
    return Device(vendor, (model,))


def npu(cards: int, cores: int | None = None, memory: int | None = None) -> Share:
    return Share(cards, cores, memory, device=card("huawei", "Ascend310P"))


# (dialect, limits, annotations, the share)
READ = [
    # MetaX (1): a bare number counts GiB, one with a unit says it; per card
    ("metax-sgpu", f"{METAX}sgpu: 1, {METAX}vmemory: 4, {METAX}vcore: 60", "", Share(1, 60, 4096)),
    ("metax-sgpu", f"{METAX}sgpu: 1, {METAX}vmemory: 2048Mi, {METAX}vcore: 60", "", Share(1, 60, 2048)),
    ("metax-sgpu", f"{METAX}sgpu: 2, {METAX}vmemory: 4, {METAX}vcore: 60", "", Share(2, 120, 8192)),
    ("metax-sgpu", f"{METAX}sgpu: 1, {METAX}vmemory: 4", "", Share(1, 100, 4096)),  # all compute
    ("metax-sgpu", f"{METAX}sgpu: 1", "", Share()),
    ("metax-sgpu", f"{METAX}gpu: 2", "", Share(2)),
    # online pods compete for compute, whatever vcore says
    (
        "metax-sgpu",
        f"{METAX}sgpu: 1, {METAX}vmemory: 4, {METAX}vcore: 60",
        f"{CLASS}: online",
        Share(1, None, 4096, qos=Qos.ONLINE),
    ),
    *(
        (
            "metax-sgpu",
            f"{METAX}sgpu: 1, {METAX}vmemory: 4Gi, {METAX}vcore: 60",
            f"{POLICY}: {policy}, {CLASS}: offline",
            Share(1, 60, 4096, policy, Qos.OFFLINE),
        )
        for policy in Policy
    ),
    # Hygon (1): the names before dcu became hcu; the scheduler reserves no compute for 0
    ("hami-hygon", f"{HYGON}dcunum: 1, {HYGON}dcumem: 2000, {HYGON}dcucores: 60", "", Share(1, 60, 2000)),
    ("hami-hygon", f"{HYGON}hcunum: 1, {HYGON}hcumem: 2000, {HYGON}hcucores: 0", "", Share(1, None, 2000)),
    # Cambricon and Iluvatar (1): units of 256 MiB
    (
        "hami-cambricon",
        f"{MLU}vmlu: 1, {MLU}mlu.smlu.vmemory: 20, {MLU}mlu.smlu.vcore: 10",
        "",
        Share(1, 10, 5120),
    ),
    (
        "hami-iluvatar",
        f"{BI}-vgpu: 1, {BI}.vMem: 64, {BI}.vCore: 50",
        "",
        Share(1, 50, 16384, device=card("iluvatar", "BI-V150")),
    ),
    (
        "hami-iluvatar",
        f"{BI}-vgpu: 1, {BI}.vMem: 64, {BI}.vCore: 0",
        "",
        Share(1, None, 16384, device=card("iluvatar", "BI-V150")),
    ),
    # several are whole: the webhook overwrites the other numbers
    (
        "hami-iluvatar",
        f"{BI}-vgpu: 2, {BI}.vMem: 64, {BI}.vCore: 50",
        "",
        Share(2, device=card("iluvatar", "BI-V150")),
    ),
    (
        "hami-mthreads",
        f"{MTHREADS}vgpu: 2, {MTHREADS}sgpu-memory: 32, {MTHREADS}sgpu-core: 8",
        "",
        Share(2),
    ),
    # Moore Threads (1): units of 512 MiB, sixteenths of compute: 3 are 18.75 %
    (
        "hami-mthreads",
        f"{MTHREADS}vgpu: 1, {MTHREADS}sgpu-memory: 32, {MTHREADS}sgpu-core: 8",
        "",
        Share(1, 50, 16384),
    ),
    (
        "hami-mthreads",
        f"{MTHREADS}vgpu: 1, {MTHREADS}sgpu-memory: 32, {MTHREADS}sgpu-core: 3",
        "",
        Share(1, 19, 16384),
    ),
    # Kunlun (1): rounded up to a size, compute is memory x 100 / 98304
    ("hami-kunlun", f"{KUNLUN}: 1, {KUNLUN}-memory: 24576", "", Share(1, 25, 24576)),
    ("hami-kunlun", f"{KUNLUN}: 1, {KUNLUN}-memory: 24577", "", Share(1, 50, 49152)),
    ("hami-kunlun", f"{KUNLUN}: 1, {KUNLUN}-memory: 98304", "", Share(1, 100, 98304)),
    ("hami-kunlun", "kunlunxin.com/xpu: 2", "", Share(2)),
    # Enflame (1): either may stand alone
    ("hami-enflame", f"{GCU}gcu-memory: 20480, {GCU}gcu-core: 40", "", Share(1, 40, 20480)),
    ("hami-enflame", f"{GCU}gcu-core: 40", "", Share(1, 40)),
    ("hami-enflame", f"{GCU}gcu: 2", "", Share(2)),
    # Ascend (2): 2000 MiB are vir01, 3072 MiB and 1 of 8 AI cores; above 12288 it is the card
    ("hami-ascend", f"{NPU}: 1, {NPU}-memory: 2000", "", npu(1, 13, 3072)),
    ("hami-ascend", f"{NPU}: 1, {NPU}-memory: 12289", "", npu(1)),
    ("hami-ascend", f"{NPU}: 1, {NPU}-memory: 2000, {NPU}-core: 40", NUMBERS, npu(1, 40, 2000)),
    ("hami-ascend", f"{NPU}: 2, {NPU}-memory: 2000, {NPU}-core: 40", NUMBERS, npu(2, 80, 4000)),
    ("hami-ascend", f"{NPU}: 2", "", npu(2)),
    # AMD (1): per card; compute that is not set is all of it
    ("hami-amd", f"{AMD}gpu: 2, {AMD}gpumem: 8192, {AMD}gpucores: 50", "", Share(2, 100, 16384)),
    ("hami-amd", f"{AMD}gpu: 1, {AMD}gpumem: 8192", "", Share(1, 100, 8192)),
    # Baidu (huawei-baidu-legacy 2): totals; 25 % and 5 GiB of each
    (
        "baidu-cce",
        f"{A10}: 2, {A10}_core: 50, {A10}_memory: 10",
        "",
        Share(2, 50, 10240, device=card("nvidia", "A10-24GB")),
    ),
    (
        "baidu-cce",
        f"{A10}: 1, {A10}_memory_percent: 50",
        "",
        Share(1, memory_percent=50, device=card("nvidia", "A10-24GB")),
    ),
    # GPU manager (3; other-dialects 1.6): 100 N are N whole cards, memory beside them is ignored
    ("gpu-manager", f"{VCUDA}core: 50, {VCUDA}memory: 30", f'{VCUDA}core-limit: "80"', Share(1, 50, 7680)),
    ("gpu-manager", f"{VCUDA}core: 300", "", Share(3)),
    ("gpu-manager", f"{VCUDA}core: 100, {VCUDA}memory: 20", "", Share()),
    # Elastic GPU (other-dialects 1.6): MiB; the project has both domains
    ("elastic-gpu", f"{ELASTIC}core: 50, {ELASTIC}memory: 1024", "", Share(1, 50, 1024)),
    ("elastic-gpu", "elasticgpu.com/gpu-core: 50, elasticgpu.com/gpu-memory: 1024", "", Share(1, 50, 1024)),
    ("elastic-gpu", f"{ELASTIC}core: 200", "", Share(2)),
    # nos (3): the size in the name
    ("nos", "nvidia.com/gpu-10gb: 1", "", Share(1, None, 10240)),
]


@pytest.mark.parametrize(("dialect", "limits", "annotations", "share"), READ, ids=lambda one: str(one)[:60])
def test_reading(dialect: str, limits: str, annotations: str, share: Share) -> None:
    spec = VOLCANO if dialect == "baidu-cce" else ""
    done = read(pod(limits, metadata=annotated(annotations), spec=spec))
    assert not done.refused, done.diagnostics
    assert [(one.share, one.source) for one in done.items] == [(share, dialect)]


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


@pytest.mark.parametrize(("limits", "annotations", "field", "asked", "given", "code"), GRANTED)
def test_what_the_vendor_grants_beyond_the_request_is_listed(
    limits: str, annotations: str, field: str, asked: int | str, given: int | None, code: str
) -> None:
    """As rounded at the source, which no option has to accept; as large elsewhere, never less."""
    done = to(pod(limits, metadata=annotated(annotations)), "neutral")
    assert not done.refused, done.diagnostics
    [item] = done.items
    assert str(item.verdict) == "rounded"
    assert item.to_json()["changes"] == [{"field": field, "asked": asked, "given": given, "code": code}]
    assert [one.severity for one in done.diagnostics if one.code == code] == ["info"]


EXACTLY = [
    f"{MTHREADS}vgpu: 1, {MTHREADS}sgpu-core: 8",
    f"{KUNLUN}: 1, {KUNLUN}-memory: 24576",
    f"{NPU}: 1, {NPU}-memory: 3072",
    f"{NPU}: 1, {NPU}-memory: 21527",  # what can be allocated of the card, and what it has in name
    f"{NPU}: 1, {NPU}-memory: 24576",
    f"{METAX}sgpu: 1, {METAX}vmemory: 4",
]


@pytest.mark.parametrize("limits", EXACTLY)
def test_what_is_granted_as_requested_is_exact(limits: str) -> None:
    assert [str(one.verdict) for one in to(pod(limits), "neutral").items] == ["exact"]


UP = Accept(round_up=True)
# (target, neutral keys, neutral annotations, what is accepted, the limits)
WRITE = [
    # always with a unit: a bare number counts GiB, and 1000 is stored as 1k (hami-family 1)
    (
        "metax-sgpu",
        write(cards=2, memory_mib=8192, cores=60),
        "",
        None,
        f"{METAX}sgpu: 2, {METAX}vmemory: 4096Mi, {METAX}vcore: 30",
    ),
    (
        "metax-sgpu",
        write(memory_mib=4096),
        write(qos="online"),
        None,
        f"{METAX}sgpu: 1, {METAX}vmemory: 4096Mi",
    ),
    ("metax-sgpu", write(cards=2), "", None, f"{METAX}sgpu: 2"),
    # the names that the plug-in has now
    (
        "hami-hygon",
        write(memory_mib=2000, cores=60),
        "",
        None,
        f"{HYGON}hcunum: 1, {HYGON}hcumem: 2000, {HYGON}hcucores: 60",
    ),
    (
        "hami-cambricon",
        write(memory_mib=5000, cores=10),
        "",
        UP,
        f"{MLU}vmlu: 1, {MLU}mlu.smlu.vmemory: 20, {MLU}mlu.smlu.vcore: 10",
    ),
    (
        "hami-iluvatar",
        write(memory_mib=5000, cores=50),
        write(device_models="BI-V150"),
        UP,
        f"{BI}-vgpu: 1, {BI}.vMem: 20, {BI}.vCore: 50",
    ),
    # 5000 MiB are 10 units, of which the list has 16; 30 % are 5 sixteenths
    (
        "hami-mthreads",
        write(memory_mib=5000, cores=30),
        "",
        UP,
        f"{MTHREADS}vgpu: 1, {MTHREADS}sgpu-memory: 16, {MTHREADS}sgpu-core: 5",
    ),
    ("hami-mthreads", write(cores=98), "", UP, f"{MTHREADS}vgpu: 1"),  # all sixteenths: the card
    # the size that holds both: 30 % come with 49152 MiB
    ("hami-kunlun", write(memory_mib=20000, cores=30), "", UP, f"{KUNLUN}: 1, {KUNLUN}-memory: 49152"),
    (
        "hami-enflame",
        write(memory_mib=20480, cores=40),
        "",
        None,
        f"{GCU}gcu-memory: 20480, {GCU}gcu-core: 40",
    ),
    (
        "hami-ascend",
        write(memory_mib=2000, cores=40),
        write(device_models="Ascend310P"),
        None,
        f"{NPU}: 1, {NPU}-memory: 2000, {NPU}-core: 40",
    ),
    ("hami-ascend", write(cards=2), write(device_models="Ascend310P"), None, f"{NPU}: 2"),
    (
        "hami-amd",
        write(cards=2, cores=100, memory_mib=16384),
        "",
        None,
        f"{AMD}gpu: 2, {AMD}gpumem: 8192, {AMD}gpucores: 50",
    ),
    (
        "baidu-cce",
        write(cards=2, cores=50, memory_mib=10240),
        write(device_models="A10-24GB"),
        None,
        f"{A10}: 2, {A10}_core: 50, {A10}_memory: 10",
    ),
    # compute needs memory beside it: all of the card is 100 percent of it
    (
        "baidu-cce",
        write(cores=50),
        write(device_models="A10-24GB"),
        None,
        f"{A10}: 1, {A10}_core: 50, {A10}_memory_percent: 100",
    ),
]


@pytest.mark.parametrize(
    ("target", "keys", "annotations", "accept", "limits"), WRITE, ids=[f"{one[0]} {one[1]}" for one in WRITE]
)
def test_writing(target: str, keys: str, annotations: str, accept: Accept | None, limits: str) -> None:
    done = to(pod(keys, metadata=annotated(annotations)), target, accept)
    assert not done.refused, done.diagnostics
    found = done.text.partition("limits: {")[2].partition("}")[0]
    assert {one.strip() for one in found.split(",")} == {one.strip() for one in limits.split(",")}
    whole = target == "hami-ascend" and "-core" not in limits
    assert (NUMBERS in done.text) == (target == "hami-ascend" and not whole)


@pytest.mark.parametrize("policy", Policy)
def test_metax_has_the_three_policies(policy: Policy) -> None:
    asked = pod(write(memory_mib=4096, cores=60), metadata=annotated(write(policy=policy)))
    assert f"{POLICY}: {policy}" in to(asked, "metax-sgpu").text


# (target, neutral keys, neutral annotations, code, what the refusal says)
REFUSED = [
    ("metax-sgpu", write(memory_mib=4096), "", "GX021", "all compute"),
    ("metax-sgpu", write(memory_mib=4096, cores=60), write(qos="online"), "METAX021", "compete"),
    ("metax-sgpu", write(cards=2, memory_mib=4096, cores=60), write(qos="offline"), "METAX020", "one card"),
    ("metax-sgpu", write(cards=2), write(qos="offline"), "METAX020", "one card"),
    ("hami-hygon", write(cards=2, memory_mib=4096, cores=60), "", "HYGON007", "part of 2 cards"),
    ("hami-cambricon", write(cards=2, memory_mib=5120, cores=60), "", "MLU007", "part of 2 cards"),
    ("hami-mthreads", write(cards=2, memory_mib=16384, cores=50), "", "MTHREADS007", "part of 2 cards"),
    ("hami-mthreads", write(memory_mib=90000, cores=50), "", "MTHREADS001", "maximum of 160"),
    ("hami-kunlun", write(memory_mib=24576), "", "GX021", "all compute"),
    ("hami-kunlun", write(memory_mib=98305, cores=50), "", "KUNLUN001", "maximum of 98304"),
    ("hami-enflame", write(cards=2, memory_mib=20480), "", "GX023", "part of 2 cards"),
    ("hami-ascend", write(memory_mib=2000, cores=40), "", "ASCEND012", "device.models is not set"),
    (
        "hami-ascend",
        write(memory_mib=24577, cores=40),
        write(device_models="Ascend310P"),
        "ASCEND023",
        "24576 MiB of the card",
    ),
    ("hami-iluvatar", write(memory_mib=5120), write(device_models="A10-24GB"), "ILUVATAR012", "A10-24GB"),
    ("baidu-cce", write(memory_mib=10240, cores=50), "", "BAIDU012", "device.models is not set"),
    ("baidu-cce", write(cards=2, cores=50), write(device_models="A10-24GB"), "BAIDU002", "_memory"),
]


@pytest.mark.parametrize(
    ("target", "keys", "annotations", "code", "said"), REFUSED, ids=[f"{one[0]} {one[1]}" for one in REFUSED]
)
def test_what_cannot_be_written(target: str, keys: str, annotations: str, code: str, said: str) -> None:
    done = to(pod(keys, metadata=annotated(annotations)), target, UP)
    [error] = [one for one in done.diagnostics if one.severity == "error"]
    assert done.refused
    assert error.code == code
    assert said in error.message
    assert error.hint


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


@pytest.mark.parametrize(
    ("limits", "annotations", "code", "said", "instead"), MISTAKES, ids=[f"{m[2]} {m[0]}" for m in MISTAKES]
)
def test_mistakes(limits: str, annotations: str, code: str, said: str, instead: str) -> None:
    text = pod(limits, metadata=annotated(annotations))
    found = [
        one for one in lint_source(Source("p.yaml", text), LintSettings()).diagnostics if one.code == code
    ]
    assert found
    assert any(said in one.message and instead in str(one.hint) for one in found), found


@pytest.mark.parametrize(
    ("limits", "code"),
    [
        (f"{GCU}drs-gcu: 3", "GX023"),  # slices, whose size the node sets
        (f"{HYGON}hcunum: 2, {HYGON}hcumem: 2000", "HYGON007"),
        (f"{NPU}: 2, {NPU}-memory: 6144", "ASCEND021"),  # "vNPU not supported for multiple devices"
        (f"{NPU}: 1, huawei.com/Ascend910B3: 1", "GX013"),  # cards of two models: nothing of one is lost
        (f"{A10}: 1, {A10}_core: 50", "BAIDU002"),
    ],
)
def test_what_cannot_be_read(limits: str, code: str) -> None:
    done = read(pod(limits, spec=VOLCANO if A10 in limits else ""))
    assert done.refused
    assert code in {one.code for one in done.diagnostics}


def test_what_one_key_needs_has_to_have_effect_too() -> None:
    """Compute needs memory, and memory the count of cards: without it there is no share."""
    assert [one.share for one in read(pod(f"{A10}_core: 50, {A10}_memory: 8", spec=VOLCANO)).items] == [None]
