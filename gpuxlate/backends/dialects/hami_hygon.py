"""Hygon DCU under HAMi. Everything is per card; a part of a card is a part of one."""

from typing import Any

from gpuxlate.backends import target as t
from gpuxlate.backends.hami_family import HAMI, HamiDialect, in_int32

COUNT, MEMORY, CORES = "hygon.com/dcunum", "hygon.com/dcumem", "hygon.com/dcucores"


def with_later_name(name: str) -> dict[str, Any]:
    """The name of a key that a release changes, with ``hcu`` in place of ``dcu``."""
    return {"aliases": (name.replace("dcu", "hcu"),), "component": HAMI}


class HamiHygon(HamiDialect):
    """A number of DCUs, and MiB and percent of compute of each (RELEASED)."""

    title = "Hygon DCU under HAMi"
    aliases = ("hygon",)
    vendor = "hygon"
    several_doubt = "HAMi's page gives a part of one card a container, and its scheduler takes several"
    node_annotations = {
        "hami.io/node-hcu-register": "hami.io/hcu-devices-allocated",
        "hami.io/node-dcu-register": "hami.io/dcu-devices-allocated",
    }  # (CODE)
    documents = {
        "CODE": "Project-HAMi/HAMi, pkg/device/hygon (2026-08-21)",
        "RELEASED": "Project-HAMi/HAMi, charts/hami/values.yaml of v2.8.3 to v2.10.0 (2026-08-21)",
        "PART": "Project-HAMi/dcu-vgpu-device-plugin, server.go at 8160fc0 (2026-08)",
        "RENAMED": "HYGON-AI/k8s-hcu-device-plugin; Project-HAMi/HAMi, pull request 2969",
    }
    gpu_prefixes = tuple(
        f"hygon.com/{card}{unit}" for card in ("hcu", "dcu") for unit in ("num", "mem", "core")
    )
    rule_reasons = {
        t.RuleKind.NEEDS: (
            "Without a count {title} sees no share. A part of a card is made only where memory is below that "
            "of the card: with compute alone the container gets the card."
        ),
        t.RuleKind.SEVERAL: f"{several_doubt}.",
    }
    keys = (
        t.cards(COUNT, values=in_int32(), **with_later_name(COUNT), source="RELEASED, RENAMED"),
        t.memory(
            MEMORY,
            values=in_int32(),
            **with_later_name(MEMORY),
            needs=(COUNT,),
            source="RELEASED, RENAMED",
        ),
        t.cores(
            CORES,
            **with_later_name(CORES),
            needs=(MEMORY,),
            values=(t.Range(0, 100),),
            no_op_values=("100",),
            default=t.Absent.ALL,
            uncertain_values={
                "0": "the scheduler reserves no compute; no document says whether the driver caps it"
            },
            source="RELEASED, RENAMED, PART",
        ),
        *t.choices("hygon.com/{no}use-gpuuuid", t.By.UUID, source="CODE"),
        *(
            row._replace(**with_later_name(row.name))
            for row in t.choices("hygon.com/{no}use-dcutype", t.By.MODEL, source="CODE, RENAMED")
        ),
    )
