"""Cambricon MLU under HAMi. A part of a card is a part of one: with several, they do not count."""

from gpuxlate.backends import target as t
from gpuxlate.backends.hami_family import HAMI, HamiDialect, PodRecord, SummedNodes, in_int32

COUNT = "cambricon.com/vmlu"
UNIT = 256
"""MiB of one unit of memory (CODE)."""
ENDED = "cards or a part of them, by a name that HAMi reads up to 2.2"


class HamiCambricon(HamiDialect):
    """A number of MLUs, and of one MLU units of 256 MiB and percent of compute (CODE)."""

    title = "Cambricon MLU under HAMi"
    rule_prefix = "MLU"
    aliases = ("cambricon",)
    vendor = "cambricon"
    several_cards = t.SeveralCards.REFUSED
    pod_record = PodRecord("CAMBRICON_DSMLU_PROFILE", of="first")  # (CODE)
    summed_nodes = SummedNodes(
        "hami.io/cambricon-mlu-devices-allocated", id="{node}-cambricon-mlu-{index}"
    )  # (CODE)
    limits = t.Limits(per_card=100, source="CODE")
    documents = {
        "CODE": "Project-HAMi/HAMi, pkg/device/cambricon (2026-08-21)",
        "OLD": "Project-HAMi/HAMi, examples/mlu: the key family before smlu had no model",
        "OLDER": "Project-HAMi/HAMi, v2.2, whose names later tags have no more (2022-09-09)",
    }
    gpu_prefixes = ("cambricon.com/vmlu", "cambricon.com/mlu.smlu.")
    keys = (
        t.cards(COUNT, values=in_int32(), source="CODE"),
        t.memory(
            "cambricon.com/mlu.smlu.vmemory",
            unit=UNIT,
            values=in_int32(UNIT),
            aliases=("cambricon.com/mlu370.smlu.vmemory",),
            needs=(COUNT,),
            source="CODE, OLD",
        ),
        t.cores(
            "cambricon.com/mlu.smlu.vcore",
            values=(t.Range(0, 100),),
            aliases=("cambricon.com/mlu370.smlu.vcore",),
            needs=(COUNT,),
            default=t.Absent.ALL,
            uncertain_values={"0": "no document says whether it is no cap or no compute"},
            source="CODE, OLD",
        ),
        # the code names the lists of models, and reads those of UUIDs alone
        *t.choices(
            "cambricon.com/{no}use-mlutype", t.By.MODEL, source="CODE", confidence=t.Confidence.MEDIUM
        ),
        *t.choices("cambricon.com/{no}use-gpuuuid", t.By.UUID, source="CODE"),
        t.written("CAMBRICON_DSMLU_PROFILE", meaning="assigned part", source="CODE"),
        t.written("CAMBRICON_DSMLU_ASSIGNED", meaning="assigned", source="CODE"),
        *(
            t.unread(f"cambricon.com/{name}", ENDED, component=HAMI, source="OLDER")
            for name in ("mlunum", "mlumem")
        ),
    )
