"""Products and accelerators that gpuxlate knows by name and does not read: their keys and units.

A key that a dialect reads is not in these tables.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from functools import lru_cache
from itertools import chain
from typing import NamedTuple

from gpuxlate.model.declarations import regex
from gpuxlate.model.keys import Place


class Product(NamedTuple):
    """One product. ``keys``: its keys with a domain, in any place; ``*`` stands for any text after the slash.

    ``local``: its keys without a domain, each in one place of a pod only. ``numbers``: what the keys count.
    ``source``: citations, as in the docstrings of rules.
    """

    title: str
    keys: tuple[str, ...]
    numbers: str
    source: str
    local: Mapping[Place, tuple[str, ...]] = {}


_OF_CLASSES = "deviceclass.resource.kubernetes.io/"
"""The domain of resources that count devices of a class of claims."""
_HAMI = "Project-HAMi/HAMi, `pkg/device` and its chart (2026-08-21)"

# facts other-dialects 1.6, alibaba-tencent: taken for keys of the clouds that are read
GPU_MANAGER = Product(
    "GPU manager (vCUDA), TKE's older GPU sharing",
    ("tencent.com/vcuda-*", "tencent.com/gpu-assigned", "tencent.com/predicate-*", "gaia.tencent.com/*"),
    "compute in percent of one card, memory in units of 256 MiB",
    "tkestack/gpu-manager, README",
)
ELASTIC_GPU = Product(
    "the open-source Elastic GPU scheduler",
    ("elasticgpu.io/gpu-*", "elasticgpu.com/gpu-*", "egpuc.elasticgpu.io/*"),
    "compute in percent of one card, memory in MB",
    "elastic-ai/elastic-gpu-scheduler and elastic-ai/elastic-gpu (2022)",
)
SUPER_NODES = Product(
    "super nodes of TKE Serverless, which have no qGPU",
    ("eks.tke.cloud.tencent.com/gpu-type", "eks.tke.cloud.tencent.com/gpu-count"),
    "the card model, and cards",
    "Tencent Cloud, super nodes",
)
SIMULATORS = Product(
    "Alibaba's scheduling simulators",
    ("alibabacloud.com/gpu-mem", "alibabacloud.com/gpu-milli", "alibabacloud.com/gpu-count"),
    "memory of each card, compute in thousandths of a card",
    "alibaba/open-simulator, `pkg/utils/const.go`",
)
ACS = Product(
    "ACS, GPU-HPN nodes of Alibaba Cloud",
    ("alibabacloud.com/gpu-core.percentage", "alibabacloud.com/gpu-memory.percentage"),
    "compute and memory in percent of one card",
    'ACS, "GPU shared scheduling on GPU-HPN nodes"',
)
VOLCANO_GPU_SHARE = Product(
    "Volcano's older GPU sharing without isolation, deprecated since v1.9",
    ("volcano.sh/gpu-memory", "volcano.sh/gpu-number"),
    "memory of one card in MiB, or whole cards",
    "volcano-sh/volcano, `docs/user-guide/how_to_use_gpu_number.md`",
)
NOS = Product(  # facts huawei-baidu-legacy 3
    "nos (Nebuly)",
    ("nvidia.com/gpu-*gb", "nos.nebuly.com/gpu-*"),
    "slices of a card, their memory in GB in the name",
    "nebuly-ai/nos (2024-04)",
)

PRODUCTS: tuple[Product, ...] = (
    # facts hami-family 1: what the dialects of these vendors do not read
    Product(
        "Enflame GCU sharing of older charts",
        ("enflame.com/vgcu*", "enflame.com/shared-gcu"),
        "slices of a card, or percent of one",
        _HAMI,
    ),
    Product(
        "Cambricon MIM partitions",
        ("cambricon.com/mlu*.mim*",),
        "partitions with their profile in the name",
        _HAMI,
    ),
    # facts hami-family 1
    Product(  # facts hami-family 3
        "Ascend vNPU under Volcano and MindCluster",
        ("huawei.com/npu-*", "huawei.com/Ascend*-*c", "huawei.com/Ascend*-*c.*"),
        "AI cores of a card, or partitions with their cores in the name",
        "volcano-sh/volcano, `docs/user-guide/how_to_use_vnpu.md`",
    ),
    Product(
        "Biren SVI",
        ("birentech.com/1-*-gpu",),
        "halves or quarters of a card",
        "BirenTechnology/k8s-device-plugin",
    ),
    Product(
        "remote GPUs of HAMi",
        ("nvidia.com/remote-gpu", "nvidia.com/remote-gpu-memory"),
        "cards of other nodes, and memory",
        _HAMI,
    ),
    # facts huawei-baidu-legacy 1 to 3
    Product(
        "the virtual GPU plug-in of AWS",
        ("k8s.amazonaws.com/vgpu",),
        "clients of a card, whose size only the node gives",
        "awslabs/aws-virtual-gpu-device-plugin (2022-09)",
    ),
    # facts other-dialects 1.11 and 1.14
    Product(
        "AMD partitions",
        ("amd.com/*_nps*",),
        "partitions with their profile in the name",
        "ROCm/k8s-device-plugin, `docs/user-guide/configuration.md` (2026-08-11)",
    ),
    Product(
        "VirtAI OrionX",
        ("virtaitech.com/gpu",),
        "virtual GPUs, compute in percent, memory in MB",
        "VirtAI OrionX, in public manifests",
        {Place.ENV: ("ORION_VGPU", "ORION_GMEM", "ORION_RATIO", "ORION_RESERVED", "ORION_CROSS_NODE")},
    ),
    Product(
        "nvshare",
        ("nvshare.com/gpu",),
        "clients of a card, each with all of its memory in turn",
        "grgalex/nvshare, README",
    ),
    Product(
        "KubeShare",
        ("sharedgpu/gpu_*",),
        "fractions of a card, memory in bytes",
        "NTHU-LSALAB/KubeShare, README",
    ),
    Product(
        "Alnair",
        ("alnair/vgpu-*",),
        "memory of one card in GiB, compute in percent of one card",
        "CentaurusInfra/alnair, alnair-device-plugin (2022)",
    ),
    Product(
        "NVIDIA vGPU of virtual machines",
        ("nvidia.com/GRID_*", "nvidia.com/NVIDIA_*"),
        "parts of a card with their profile in the name",
        'NVIDIA GPU Operator, "GPU Operator with KubeVirt"',
    ),
    Product(
        "totals of HAMi shares in Kueue",
        ("nvidia.com/total-gpumem", "nvidia.com/total-gpucores"),
        "MiB and percent over all cards of a pod",
        'Project-HAMi/website, "How to use Kueue on HAMi"',
    ),
    Product(
        "HAMi's forerunner",
        ("mthreads.com/vcuda-*",),
        "compute and memory in units of the vendor",
        "4paradigm/k8s-vgpu-scheduler, README",
    ),
    *(SUPER_NODES, SIMULATORS, ACS, VOLCANO_GPU_SHARE),
)
ACCELERATORS: dict[str, tuple[str, ...]] = {
    # READMEs of the device plug-ins of their makers; Huawei Cloud CCE, "NPU scheduling"
    "Ascend NPUs": ("huawei.com/ascend-*",),
    "Biren cards": ("birentech.com/gpu",),
    "Hygon DCUs": ("hygon.com/dcu", "dcu.com/gpu"),
    "Iluvatar cards": ("iluvatar.com/gpu",),
    "Moore Threads cards": ("mthreads.com/gpu",),
    "Vastai accelerators and dies": ("vastaitech.com/va", "vastaitech.com/die"),
    "Intel NPUs": ("npu.intel.com/accel",),
    "Habana inference cards": ("habana.ai/goya", "habana.ai/greco"),
    # Google Kubernetes Engine before 1.20, "Use TPUs": chips of one version
    "Cloud TPUs of old clusters": ("cloud-tpus.google.com/*",),
    "Furiosa NPUs": ("furiosa.ai/*", "alpha.furiosa.ai/*"),
    "Rebellions NPUs": ("rebellions.ai/*",),
    "Cloud AI 100 cards of Qualcomm": ("qualcomm.com/qaic*",),
    # tenstorrent/k8s-device-plugin README (2026): by the name of the card
    "Tenstorrent cards": ("tenstorrent.com/*",),
    "Hailo accelerators": ("hailo.ai/h*",),
    "tiles of SambaNova RDUs": ("sambanova.ai/rdu*",),
    # NVIDIA GPU Operator, "GPU Operator with KubeVirt"
    "NVIDIA cards that are passed through to virtual machines": (
        *("nvidia.com/G????*_*", "nvidia.com/TU1*_*", "nvidia.com/AD1*_*", "nvidia.com/pgpu"),
    ),
    # kubernetes/enhancements KEP-5004
    "devices of the class in its name": (f"{_OF_CLASSES}*",),
    # Kubernetes 1.11, changelog
    "GPUs of old Kubernetes": ("alpha.kubernetes.io/nvidia-gpu",),
}
"""Resources that count whole accelerators which no dialect reads, by what they count."""
UNKNOWN = ""
"""In place of the accelerators that a resource counts: only its name reads like an accelerator's."""
_KINDS = ("npu", "tpu", "xpu", "mlu", "dcu", "gcu", "hpu", "ppu", "ipu")
ACCELERATOR_WORDS = tuple(f"/{kind}" for kind in _KINDS)
"""Each name that reads like an accelerator's has one of these, or "gpu"."""
_ACCELERATOR_NAME = regex(rf"[^/]*\.[^/]*/(?:.*gpu.*|(?:{'|'.join(_KINDS)})(?:[-._0-9].*)?)")
NO_DOMAIN = "nvidia"
"""A word, besides "gpu", in names of GPU resources without a domain."""
_GPU_NAME_WITHOUT_DOMAIN = regex(rf"[^/]*(?:gpu|{NO_DOMAIN})[^/]*")
_OTHER_DEVICES = regex(
    r"dra\.net|.*(?:(?<![a-z])(?:nets|netdev|network|nic|rdma|mrdma|sriov\w*|cni|dpu|qat|dsa|fpga|imex|"
    r"cpus?|nvme|storage|disks?|volumes?|usb|audio|video)(?![a-z])|dranet|compute-domain).*"
)
"""Names of resources and device classes for networks, processors, storage, and channels between nodes."""
_NAMES_ACCELERATOR = regex(rf".*(?<![a-z])(?:gpu|{'|'.join(_KINDS)})s?(?![a-z]).*")
"""Names of device classes with a word for an accelerator."""


Index = Mapping[str, list[tuple[str, Product]]]
MAX_NAME_LENGTH = 63
"""The maximum length after the slash of a name in Kubernetes."""


def index(products: Iterable[Product]) -> Index:
    """Products with each of their keys, by the key; a key with ``*`` is under its domain."""
    by_key: dict[str, list[tuple[str, Product]]] = defaultdict(list)
    for product in products:
        for key in product.keys:
            by_key[key.partition("/")[0] if "*" in key else key].append((key, product))
    return by_key


_BY_KEY = index(PRODUCTS)
_WHOLE_BY_KEY = index(Product(title, keys, "", "") for title, keys in ACCELERATORS.items())
_BY_LOCAL_NAME = {
    (place, name): product for product in PRODUCTS for place, names in product.local.items() for name in names
}
LOCAL_NAMES = frozenset(name for _, name in _BY_LOCAL_NAME)
"""Every name without a domain that is some product's key in some place."""


def product_in(name: str, products: Index) -> Product | None:
    """The product of an index that a key with a domain belongs to, None if there is none."""
    domain, _, rest = name.partition("/")
    if "/" in rest or not 0 < len(rest) <= MAX_NAME_LENGTH:
        return None
    candidates = chain(products.get(name, ()), products.get(domain, ()))
    return next((product for key, product in candidates if fnmatchcase(name, key)), None)


@lru_cache(maxsize=4096)
def product_of(name: str) -> Product | None:
    """The product that a key with a domain belongs to, in any place of a document; None if there is none."""
    return product_in(name, _BY_KEY)


def product_at(name: str, place: Place) -> Product | None:
    """The product that a key in a place of a pod belongs to, with or without a domain; None without one."""
    return _BY_LOCAL_NAME.get((place, name)) or product_of(name)


def accelerators_of(name: str) -> str | None:
    """The whole accelerators that a resource counts by ``ACCELERATORS``; None if it is not in the table."""
    product = product_in(name, _WHOLE_BY_KEY)
    if product is None or (name.startswith(_OF_CLASSES) and is_of_other_devices(name[len(_OF_CLASSES) :])):
        return None
    return product.title


def has_accelerator_name(name: str) -> bool:
    """The name of an unknown resource with a domain reads like an accelerator's."""
    return _ACCELERATOR_NAME.fullmatch(name) is not None and not _OTHER_DEVICES.fullmatch(
        name.partition("/")[2]
    )


def has_gpu_name_without_domain(name: str) -> bool:
    """The name of a resource without a domain reads like a GPU's."""
    return _GPU_NAME_WITHOUT_DOMAIN.fullmatch(name.lower()) is not None


def is_of_other_devices(name: str) -> bool:
    """By its name, a device class is for networks, processors or storage, and not for accelerators."""
    return _OTHER_DEVICES.fullmatch(name) is not None and not _NAMES_ACCELERATOR.fullmatch(name)
