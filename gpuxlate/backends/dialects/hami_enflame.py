"""Enflame GCU under HAMi: hard partitions of three sizes, whose memory and compute come together."""

from collections.abc import Mapping
from dataclasses import replace

from gpuxlate.backends.base import PartSize, Range, RuleKind, SeveralCards
from gpuxlate.backends.hami_family import HAMI, HamiDialect, in_int32
from gpuxlate.backends.pod_reader import PodReader, number
from gpuxlate.backends.rows import choices, cores, memory, whole, written
from gpuxlate.model.keys import GIB, By, Place, key
from gpuxlate.model.pod import ContainerKeys, Value
from gpuxlate.model.profile import Profile
from gpuxlate.model.share import Isolation

MEMORY, CORES, SLICES = "enflame.com/gcu-memory", "enflame.com/gcu-core", "enflame.com/drs-gcu"
SIZES = {
    1: PartSize(6 * GIB, 17, "1g.6gb"),
    3: PartSize(20 * GIB, 50, "3g.20gb"),
    6: PartSize(40 * GIB, 100, "6g.40gb"),
}
"""By slices of six; their compute is rounded up (CODE)."""
MOST = SIZES[6].memory_mib
MOST_GB = 2 * MOST // GIB
"""The largest number of memory that counts GB, of 1024 MiB: twice the largest size (CODE)."""


class HamiEnflame(HamiDialect):
    name = "hami-enflame"
    title = "Enflame GCU under HAMi"
    rule_prefix = "ENFLAME"
    aliases = ("enflame",)
    vendor = "enflame"
    isolation = Isolation.HARDWARE  # "hard-partition mode" (CONFIG)
    several_cards = SeveralCards.REFUSED
    sizes = tuple(SIZES.values())
    rule_reasons = {
        RuleKind.NUMBERS: "HAMi's webhook refuses the number, or its scheduler finds no part that holds it.",
        RuleKind.EXCLUDES: "HAMi looks at the slices alone.",
        RuleKind.SIZES: "HAMi takes the smallest part that holds the memory and the compute of a container.",
    }
    documents = {
        "CODE": "Project-HAMi/HAMi, pkg/device/enflame (2026-08-21)",
        "CONFIG": "Project-HAMi/HAMi, pkg/device/enflame/config.go (2026-08-21)",
        "RELEASED": "Project-HAMi/HAMi, charts/hami/values.yaml of v2.9.0, without these names (2026-05-19)",
    }
    gpu_prefixes = ("enflame.com/gcu", "enflame.com/drs-gcu")
    keys = (
        memory(
            MEMORY,
            values=(Range(1, MOST // GIB), Range(MOST_GB + 1, MOST)),
            gib_up_to=MOST_GB,
            overridden_by=(SLICES,),
            limit_by_webhook=True,
            component=HAMI,
            source="CODE, CONFIG, RELEASED",
        ),
        cores(
            CORES,
            overridden_by=(SLICES,),
            limit_by_webhook=True,
            component=HAMI,
            source="CODE, CONFIG, RELEASED",
        ),
        whole("enflame.com/gcu", values=in_int32(), source="CODE"),
        key(
            SLICES,
            Place.RESOURCE,
            meaning="slices of a card, six of which are all of it",
            values=tuple(Range(n, n) for n in SIZES),
            limit_by_webhook=True,
            source="CODE",
        ),
        *choices("enflame.com/{0}use-gpuuuid", By.UUID, source="CODE"),
        written("enflame.com/gcu-assigned*", meaning="assigned cards", source="CODE"),
        written("enflame.com/gcu-request-size", meaning="slices of a card", source="CODE"),
    )

    def after_admission(
        self, pod: PodReader, container: ContainerKeys, _profile: Profile | None
    ) -> ContainerKeys:
        """Slices as the memory and the compute that come with them: nothing else is looked at then."""
        slices = pod.resource(container, SLICES)
        if slices is None:
            return container
        for name in (MEMORY, CORES):
            pod.resource(container, name)
        size = SIZES.get(number(slices) or 0)
        given = {MEMORY: size.memory_mib, CORES: size.cores} if size else {}
        limits = {name: replace(slices, text=f"{amount}") for name, amount in given.items()}

        def beside(values: Mapping[str, Value]) -> dict[str, Value]:
            return {name: one for name, one in values.items() if name not in (MEMORY, CORES, SLICES)}

        return replace(
            container, limits=beside(container.limits) | limits, requests=beside(container.requests)
        )


BACKEND = HamiEnflame()
