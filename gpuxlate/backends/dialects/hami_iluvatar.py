"""Iluvatar under HAMi. The names of keys hold the card; parts of several have all of their compute."""

from gpuxlate.backends import target as t
from gpuxlate.backends.hami_family import HAMI, HamiDialect, by_uuid, in_int32

NAME = "hami-iluvatar"
COUNT = "iluvatar.ai/{model}-vgpu"
UNIT = 256
"""MiB of one unit of memory (CODE)."""
OLDER = ("vgpu", "vcuda-core", "vcuda-memory", "mrv100-vgpu", "mrv100-memory")
"""Names without the card, or with it in small letters (OLD, CN)."""
UP_TO = "cards or a part of them, by a name that HAMi reads up to 2.7.0"


class HamiIluvatar(HamiDialect):
    """A number of cards of one model, and of each units of 256 MiB and percent of compute (CODE)."""

    title = "Iluvatar vGPU under HAMi"
    aliases = ("iluvatar",)
    vendor = "iluvatar"
    node_annotations = {
        f"hami.io/node-{name}-register": f"hami.io/{name}-devices-allocated" for name in t.names_of(NAME)
    }  # (CODE)
    rule_reasons = {
        t.RuleKind.SEVERAL: (
            "HAMi's webhook writes the limit of all compute in a container with several cards, and leaves "
            "the request: the API server refuses the pod where they differ."
        )
    }
    documents = {
        "CODE": "Project-HAMi/HAMi, pkg/device/iluvatar (2026-08-21)",
        "OLD": "Project-HAMi/HAMi, pkg/device/iluvatar at v2.7.0, the last with these names (2025-11-07)",
        "CN": "Project-HAMi/HAMi, docs/iluvatar-gpu-support_cn.md",
    }
    gpu_prefixes = ("iluvatar.ai/",)
    keys = (
        *t.for_models(
            NAME,
            t.cards(COUNT, values=in_int32(), source="CODE"),
            t.memory(
                "iluvatar.ai/{model}.vMem",
                unit=UNIT,
                values=in_int32(UNIT),
                needs=(COUNT,),
                source="CODE",
            ),
            t.cores(
                "iluvatar.ai/{model}.vCore",
                values=(t.Range(0, 100),),
                no_op_values=("0",),
                forced=100,
                needs=(COUNT,),
                source="CODE",
            ),
            *by_uuid("{model}"),
        ),
        *(t.unread(f"iluvatar.ai/{name}", UP_TO, component=HAMI, source="OLD, CN") for name in OLDER),
        t.unread("iluvatar.ai/gpu", "whole cards of the maker's device plugin", source="OLD"),
    )
