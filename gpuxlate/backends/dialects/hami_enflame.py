"""Enflame GCU under HAMi: hard partitions of three sizes, whose memory and compute come together."""

from collections.abc import Mapping
from dataclasses import replace

from gpuxlate.backends import target as t
from gpuxlate.backends.hami_family import HAMI, HamiDialect, SummedNodes, in_int32

MEMORY, CORES, SLICES = "enflame.com/gcu-memory", "enflame.com/gcu-core", "enflame.com/drs-gcu"
SIZES = {
    1: t.PartSize(6 * t.GIB, 17, "1g.6gb"),
    3: t.PartSize(20 * t.GIB, 50, "3g.20gb"),
    6: t.PartSize(40 * t.GIB, 100, "6g.40gb"),
}
"""By slices of six; their compute is rounded up (CODE)."""
LARGEST_MIB = SIZES[6].memory_mib
LARGEST_COUNT = 2 * LARGEST_MIB // t.GIB
"""The largest number of memory that counts GB, of 1024 MiB: twice the largest size (CODE)."""


class HamiEnflame(HamiDialect):
    """One GCU whole, or MiB (small numbers: GiB) and percent of one, raised to a partition of it (CODE)."""

    title = "Enflame GCU under HAMi"
    aliases = ("enflame",)
    vendor = "enflame"
    isolation = t.Isolation.HARDWARE  # "hard-partition mode" (CONFIG)
    several_cards = t.SeveralCards.REFUSED
    summed_nodes = SummedNodes("hami.io/enflame-gcu-devices-allocated", id="{node}-GCU-{index}")  # (CODE)
    sizes = tuple(SIZES.values())
    rule_reasons = {
        t.RuleKind.NUMBERS: (
            "HAMi's webhook refuses the number, or its scheduler finds no part that holds it."
        ),
        t.RuleKind.EXCLUDES: "HAMi looks at the slices alone.",
        t.RuleKind.SIZES: (
            "HAMi takes the smallest part that holds the memory and the compute of a container."
        ),
    }
    documents = {
        "CODE": "Project-HAMi/HAMi, pkg/device/enflame (2026-08-21)",
        "CONFIG": "Project-HAMi/HAMi, pkg/device/enflame/config.go (2026-08-21)",
        "RELEASED": "Project-HAMi/HAMi, charts/hami/values.yaml of v2.9.0, without these names (2026-05-19)",
    }
    gpu_prefixes = ("enflame.com/gcu", "enflame.com/drs-gcu")
    keys = (
        t.memory(
            MEMORY,
            values=(t.Range(1, LARGEST_MIB // t.GIB), t.Range(LARGEST_COUNT + 1, LARGEST_MIB)),
            gib_up_to=LARGEST_COUNT,
            overridden_by=(SLICES,),
            limit_by_webhook=True,
            component=HAMI,
            source="CODE, CONFIG, RELEASED",
        ),
        t.cores(
            CORES,
            overridden_by=(SLICES,),
            limit_by_webhook=True,
            component=HAMI,
            source="CODE, CONFIG, RELEASED",
        ),
        t.whole("enflame.com/gcu", values=in_int32(), source="CODE"),
        t.key(
            SLICES,
            t.Place.RESOURCE,
            meaning="slices of a card, six of which are all of it",
            values=tuple(t.Range(n, n) for n in SIZES),
            limit_by_webhook=True,
            source="CODE",
        ),
        *t.choices("enflame.com/{no}use-gpuuuid", t.By.UUID, source="CODE"),
        t.written("enflame.com/gcu-assigned*", meaning="assigned cards", source="CODE"),
        t.written("enflame.com/gcu-request-size", meaning="slices of a card", source="CODE"),
    )

    def after_admission(
        self, pod: t.PodReader, container: t.ContainerKeys, _profile: t.Profile | None
    ) -> t.ContainerKeys:
        """Slices as the memory and the compute that come with them: nothing else is looked at then."""
        slices = pod.resource(container, SLICES)
        if slices is None:
            return container
        for name in (MEMORY, CORES):
            pod.resource(container, name)
        size = SIZES.get(t.number(slices) or 0)
        amounts = {MEMORY: size.memory_mib, CORES: size.cores} if size else {}
        limits = {name: replace(slices, text=f"{amount}") for name, amount in amounts.items()}

        def without_parts(values: Mapping[str, t.Value]) -> dict[str, t.Value]:
            return {name: value for name, value in values.items() if name not in (MEMORY, CORES, SLICES)}

        return replace(
            container,
            limits=without_parts(container.limits) | limits,
            requests=without_parts(container.requests),
        )
