"""AMD GPUs under HAMi. Everything is per card; of an RDNA card compute is in pairs of compute units."""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple, Self

from gpuxlate.backends import target as t
from gpuxlate.backends.hami_family import HAMI, HamiDialect, in_int32
from gpuxlate.model.limits import FULL_CARD_CORES
from gpuxlate.model.messages import Message
from gpuxlate.model.profile import Card, ChangeKind, card_meant, card_of
from gpuxlate.model.quantity import round_up
from gpuxlate.rules import releases

COUNT, CORES = "amd.com/gpu", "amd.com/gpucores"
NAMES = ("hami-amd", "amd")
RDNA, RDNA4 = 10, 12
"""Generations from which on compute units come in pairs, and that of which few processes share a card."""
PAIR = 2
MOST_ON_CARD, MOST_ON_RDNA4 = 10, 2
_OF_NODES = (t.Place.NODE_SELECTOR, t.Place.NODE)
_LABELS = {
    "product-name": "card model",
    "device-id": "card model, by its number",
    "family": "family of the cards",
    "vram": "memory of the cards",
    "cu-count": "compute units of the cards",
    "simd-count": "SIMD units of the cards",
}
"""Labels of nodes (LABELLER)."""


def _card(profile: t.Profile | None) -> Card | None:
    """The card of a cluster whose HAMi knows what its plug-in gives of it (UNITS)."""
    cluster = card_of(profile, NAMES)
    paired = releases.first(HAMI, CORES, ChangeKind.AMOUNT)
    if profile is None or cluster.model is None or not paired.reached(profile.components):
        return None
    return card_meant(cluster.model, cluster.memory_mib, profile)


def _generation(card: Card) -> int:
    """The first number of its architecture: 12 of gfx1201, 9 of gfx90a; 0 where none is known."""
    match = re.fullmatch(r"gfx(\d+)[0-9a-f]{2}", card.architecture or "")
    return int(match[1]) if match else 0


def _most_on_card(profile: t.Profile | None) -> int | None:
    """The most containers on a card of the cluster (UNITS)."""
    card = _card(profile)
    generation = _generation(card) if card else 0
    return (MOST_ON_RDNA4 if generation == RDNA4 else MOST_ON_CARD) if generation else None


class PairedUnits(NamedTuple):
    """The compute units of a card that gives them in pairs (CODE, UNITS)."""

    card: str
    number: int

    @classmethod
    def of(cls, profile: t.Profile | None) -> Self | None:
        """The units of the card of a cluster; None where they are not in pairs, or not known."""
        card = _card(profile)
        if card is None or card.multiprocessors is None or _generation(card) < RDNA:
            return None
        return cls(card.name, card.multiprocessors)

    def units_for(self, percent: int) -> int:
        """The number of units that a container gets for a percentage: whole pairs, at least one."""
        whole = max(self.number * percent // FULL_CARD_CORES, 1)
        return min(round_up(whole, PAIR), self.number)

    def percent(self, units: int) -> int:
        """The percentage of the card for a number of units, rounded up; it never grants more units."""
        return -(-units * FULL_CARD_CORES // self.number)

    def granted(self, percent: int) -> int:
        """The percentage that a container gets for a requested one."""
        return self.percent(self.units_for(percent))

    def least(self, percent: int) -> int:
        """The next percentage that is granted as it is requested."""
        return next(more for more in range(percent, FULL_CARD_CORES + 1) if self.granted(more) == more)

    def text(self, percent: int) -> Message:
        """The text that says what a container gets for a percentage."""
        return t.msg(
            "the container gets {count} of the {all} compute units of the {card}, which come in pairs",
            count=self.units_for(percent),
            all=self.number,
            card=self.card,
        )


class HamiAmd(HamiDialect):
    """A number of AMD cards, and MiB and percent of compute of each (CODE)."""

    title = "AMD GPUs under HAMi"
    aliases = NAMES[1:]
    vendor = "amd"
    node_annotations = {"hami.io/node-amd-register": "hami.io/amd-devices-allocated"}  # (CODE)
    documents = {
        "CODE": "Project-HAMi/HAMi, pkg/device/amd (2026-08-21)",
        "PERCENT": "Project-HAMi/HAMi, pkg/device/amd/device_test.go, pull requests 3179 and 3186 (2026-10)",
        "UNITS": "Project-HAMi/amd-device-plugin, docs/user-guide/resource-allocation.md (2026-10)",
        "LABELLER": "ROCm/k8s-device-plugin, cmd/k8s-node-labeller (2022-10-19)",
        "RELEASED": "Project-HAMi/HAMi, pkg/device/amd of v2.9.0, which has the count alone (2026-05-19)",
    }
    gpu_prefixes = ("amd.com/gpumem", "amd.com/gpucore")
    limits = t.Limits(source="UNITS", per_card_in=_most_on_card)
    whole_card_key = COUNT  # every cluster with AMD's own plug-in has it
    keys = (
        t.cards(COUNT, values=in_int32(), source="CODE"),
        t.memory(
            "amd.com/gpumem",
            values=in_int32(),
            needs=(COUNT,),
            component=HAMI,
            source="CODE, RELEASED",
        ),
        t.cores(CORES, needs=(COUNT,), default=t.Absent.ALL, component=HAMI, source="CODE, RELEASED"),
        t.coming(
            t.percent(
                "amd.com/gpumem-percentage",
                needs=(COUNT,),
                overridden_by=("amd.com/gpumem",),
                no_op_values=("0",),
                component=HAMI,
                source="PERCENT",
            )
        ),
        t.coming(
            t.choice("amd.com/numa-bind", meaning="all on one NUMA node", component=HAMI, source="PERCENT")
        ),
        *t.choices("amd.com/{no}use-gputype", t.By.MODEL, source="CODE"),
        *t.choices("amd.com/{no}use-gpu-uuid", t.By.UUID, source="CODE"),
        *(
            t.choice(f"{domain}/gpu.{name}", *_OF_NODES, meaning=meaning, general=True, source="LABELLER")
            for domain in ("amd.com", "beta.amd.com")
            for name, meaning in _LABELS.items()
        ),
        t.written("amd.com/gpu-index", meaning="assigned cards", source="CODE"),
        t.written("amd.com/predicate-node", meaning="assigned node", source="CODE"),
    )

    def normalize(self, pod: t.PodReader, fields: t.ShareFields) -> t.ShareFields:
        """Compute of an RDNA card is that of pairs of its units."""
        units, cards = PairedUnits.of(pod.profile), fields.cards or 1
        each = (fields.cores or 0) // cards
        if units is None or not 0 < each <= FULL_CARD_CORES or units.granted(each) == each:
            return fields
        path, cores = fields.origins["cores"], units.granted(each) * cards
        more = t.granted("cores", "AMD020", units.text(each), path, asked=each * cards, given=cores)
        return replace(fields, cores=cores, granted=(*fields.granted, more))

    def write(self, pod: t.PodWriter, profile: t.Profile | None) -> t.PodKeys:
        """Write shares as keys: of an RDNA card percentages that are pairs of its units."""
        units = PairedUnits.of(profile)
        for placing in pod.placings if units else ():
            each = (placing.peek("cores") or 0) // placing.cards
            if units and 0 < each <= FULL_CARD_CORES and units.least(each) != each:
                least = units.least(each)
                placing.round("cores", least * placing.cards, "AMD020", units.text(least))
        return super().write(pod, profile)


@t.rule("AMD020", t.Severity.INFO, no_policy="the API server does not know the card")
def compute_is_in_pairs(this: t.Rule, pod: t.PodKeys, context: t.Context) -> Iterator[t.Diagnostic]:
    """With a profile whose card is RDNA, `amd.com/gpucores` is a number of pairs of its compute units.

    ## What it does
    With a profile for HAMi 2.11 or later that names an RDNA card (`cards.model`), reports a percentage that
    is no number of pairs of the card's compute units.

    ## Why
    The card ignores a mask that splits a pair, so HAMi counts whole units, rounded down, and then whole
    pairs, rounded up: of 32 units 10 % is 3, and the container gets 4.

    ## Source
    Project-HAMi/HAMi, pkg/device/amd/device_test.go, pull requests 3179 and 3186 (2026-10);
    Project-HAMi/amd-device-plugin, docs/user-guide/resource-allocation.md (2026-10).
    """
    units = PairedUnits.of(context.profile)
    for container in pod.all_containers() if units else ():
        value = container.resources.get(CORES)
        percent = t.number(value) if value is not None else None
        if units and value and percent and percent <= FULL_CARD_CORES and units.granted(percent) != percent:
            message = t.msg("{key} {number}: {what}", key=CORES, number=percent, what=units.text(percent))
            hint = t.msg("write {number}", number=units.least(percent))
            yield this.diagnostic(value, message, hint)
