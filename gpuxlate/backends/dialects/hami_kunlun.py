"""Kunlunxin vXPU under HAMi: parts of three sizes, whose memory and compute come together."""

from gpuxlate.backends import target as t
from gpuxlate.backends.hami_family import HamiDialect, by_uuid

COUNT = "kunlunxin.com/vxpu"
CARD = 98304
"""MiB that the code divides by to get the part of compute (CODE)."""
COUNTS = tuple(t.Range(count, count) for count in (1, 2, 4, 8))
SIX = {"6": "HAMi's page on vXPU shows it, and its scheduler (pkg/device/kunlun/topo.go) never places it"}


class HamiKunlun(HamiDialect):
    """A number of XPUs, whole or with MiB of each, raised to a part of 24576, 49152 or 98304 MiB (CODE)."""

    title = "Kunlunxin vXPU under HAMi"
    aliases = ("kunlun",)
    vendor = "kunlunxin"
    isolation = None
    sizes = tuple(t.PartSize(mib, mib * 100 // CARD) for mib in (24576, 49152, CARD))
    node_annotations = {"hami.io/node-register-xpu": "hami.io/xpu-devices-allocated"}  # (CODE)
    documents = {
        "CODE": "Project-HAMi/HAMi, pkg/device/kunlun (2026-08-21)",
        "PAGE": "Project-HAMi/website, enable-kunlunxin-vxpu.md (2026-08)",
    }
    gpu_prefixes = ("kunlunxin.com/vxpu", "kunlunxin.com/xpu")
    keys = (
        t.cards(COUNT, values=COUNTS, uncertain_values=SIX, source="CODE, PAGE"),
        t.memory("kunlunxin.com/vxpu-memory", values=(t.Range(1, CARD),), needs=(COUNT,), source="CODE"),
        t.whole("kunlunxin.com/xpu", values=COUNTS, uncertain_values=SIX, source="CODE, PAGE"),
        *by_uuid("xpu"),
        *t.choices("baidu.com/{no}use-gpuuuid", t.By.UUID, source="CODE"),
        t.written("hami.io/kunlun-allocated", meaning="assigned cards", source="CODE"),
    )
