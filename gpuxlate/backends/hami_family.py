"""What the dialects of HAMi have in common, for cards of any vendor: how its scheduler places pods.

And HAMi-core, the library that limits containers under HAMi and under Volcano, whose plugins both mount it.
The rules of these dialects are in ``hami_rules``, the functions that read their nodes in ``hami_nodes``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from enum import IntEnum
from functools import cached_property
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

from gpuxlate.backends.pod_reader import written_name
from gpuxlate.backends.rows import KeyGroup, choice, choices, coming, written
from gpuxlate.backends.scheduling_limits import Pick, Scheduling
from gpuxlate.backends.target import Backend, KeySpec, PodWriter, RuleKind, ShareWriter, key
from gpuxlate.model import quantity
from gpuxlate.model.keys import INT32, By, Place, Range
from gpuxlate.model.limits import FULL_CARD_CORES
from gpuxlate.model.messages import Message, join_and, msg
from gpuxlate.model.pod import PodKeys, Value
from gpuxlate.model.profile import ChangeKind, Component, Profile, all_cards
from gpuxlate.model.share import Isolation, Policy
from gpuxlate.rules.predicates import Constraint, EnvIs, InRange, IsAnnotated, Violation

HAMI = Component("hami", "HAMi")
SCHEDULER = "hami-scheduler"
WEBHOOK, IGNORE = "hami.io/webhook", "ignore"
"""The label, with its value, of pods that HAMi's webhook skips (HOOKS)."""
DOCUMENTS = {
    "TYPES": "Project-HAMi/HAMi, pkg/util/types.go (2026-08-21)",
    "DEVICES": "Project-HAMi/HAMi, pkg/device/devices.go and the folders beside it (2026-08-21)",
    "ALIGNMENT": "Project-HAMi/HAMi, pull requests 2080, 2729 and 2731 (2026-10)",
    "OVERWRITE": "Project-HAMi/HAMi, pkg/util/overwrite_env.go (2026-10)",
    "HOOKS": "Project-HAMi/HAMi, charts/hami/templates/scheduler/webhook.yaml (2026-08-21)",
}
SCHEDULING = Scheduling(
    Pick.FULLEST,
    Pick.EMPTIEST,
    "Project-HAMi/HAMi, charts/hami/values.yaml, defaultSchedulerPolicy (2026-08-21)",
    keeps_quotas=True,
)
"""A pod may say otherwise (TYPES). Quotas: pkg/device/quota.go, AddQuota and FitQuota (2026-10)."""
NODE_POLICIES = ("binpack", "spread")
NUMA_WORDS = ("best-effort", "strict")
CARD_POLICIES = (*NODE_POLICIES, "topology-aware", "mutex", "numa")
CHAIN = re.compile(r" *({0}) *(, *({0}) *)*".format("|".join(CARD_POLICIES)))
"""Card policies with commas, since 2026-08 (TYPES)."""

PLACEMENT = (
    choice(
        "hami.io/node-scheduler-policy",
        meaning="node scheduling policy",
        values=NODE_POLICIES,
        source="TYPES",
    ),
    choice(
        "hami.io/gpu-scheduler-policy",
        meaning="card scheduling policy",
        values=(*CARD_POLICIES, CHAIN),
        source="TYPES",
    ),
    choice(
        "hami.io/device-scoring-weights",
        meaning="weights of slots, compute and memory in the choice of a card",
        source="TYPES",
    ),
    *map(
        coming,
        (
            choice(
                "hami.io/numa-alignment",
                meaning="whether all cards are on one NUMA node",
                values=NUMA_WORDS,
                no_op_values=NUMA_WORDS,
                component=HAMI,
                source="ALIGNMENT",
            ),
            *(
                choice(name, meaning=meaning, component=HAMI, source="OVERWRITE")
                for name, meaning in {
                    "hami.io/overwrite-env": "whether HAMi's variables take the place of the pod's",
                    "hami.io/overwrite-env-containers": "the same for each container, as JSON",
                }.items()
            ),
        ),
    ),
    choice(WEBHOOK, Place.LABEL, meaning="hides the pod from the webhook", hides=(IGNORE,), source="HOOKS"),
    written("hami.io/vgpu-*", meaning="assigned cards", source="TYPES"),
    written("hami.io/*-devices-to-allocate", meaning="cards to assign", source="DEVICES"),
    written("hami.io/*-devices-allocated", meaning="assigned cards", source="DEVICES"),
    written("hami.io/bind-*", meaning="binding", source="TYPES"),
)


def in_int32(unit: int = 1) -> tuple[Range, ...]:
    """The numbers that HAMi accepts, in cards or in units of MiB: with a larger one it drops the request of
    the container (GenerateResourceRequests in DEVICES)."""
    return (Range(1, INT32 // unit),)


def by_uuid(word: str) -> Iterator[KeySpec]:
    """The lists of cards by UUID of the vendor for which HAMi has this word: ``hami.io/no-use-xpu-uuid``
    (DEVICES)."""
    return choices(f"hami.io/{{no}}use-{word}-uuid", By.UUID, "no-", source="DEVICES")


class HamiRuleKind(IntEnum):
    """The kinds of rules that follow from rows and that HAMi's dialects alone have, by their numbers."""

    POD_RECORD = 20
    ONE_CARD = 30
    SKIPPED_BY_WEBHOOK = 31


class PodRecord(NamedTuple):
    """The annotation that the scheduler writes on a pod for the device plugin, with the cards of one
    container.

    ``of``: whether this is the first or the last container with cards.
    """

    name: str
    of: Literal["first", "last"]

    def message(self, count: int) -> tuple[Message, str]:
        """Message and hint for a pod of which ``count`` containers have cards."""
        message = msg(
            "{count} containers of the pod request cards, and {record} has those of the {which} one alone",
            count=count,
            record=self.name,
            which=msg(self.of),
        )
        return message, "use a separate pod for each container"


CORDON = "hami.io/device-cordon"
"""The annotation of nodes that lists, with commas, the cards that take no new containers."""


class SummedNodes(NamedTuple):
    """Nodes whose resources are the sums of compute and memory over their cards, or count whole cards.

    ``record``: the annotation of pods with the cards of each container; ``id``: the form of a card's name in
    it.
    """

    record: str
    id: str


class HamiDialect(Backend):
    """A dialect whose cards HAMi's scheduler places, with the keys and documents that all of them have."""

    row_rule_module = "gpuxlate.backends.hami_rules"
    node_module = "gpuxlate.backends.hami_nodes"
    isolation: Isolation | None = Isolation.SOFT  # by a library, or by the vendor's driver (DEVICES)
    other_schedulers: tuple[str, ...] = (SCHEDULER,)
    scheduling = SCHEDULING
    components: tuple[Component, ...] = (HAMI,)
    several_doubt: str = ""
    """The reason why it is not certain what a container with a part of several cards gets."""
    pod_record: PodRecord | None = None
    """The record that its scheduler writes of one container of a pod."""
    on_one_card: tuple[str, ...] = ()
    """The keys of counts of cards for which all ordinary containers of a pod share one card."""
    node_annotations: Mapping[str, str] = MappingProxyType({})
    """The annotations of nodes that list their cards, each with that of pods which records the cards of
    containers."""
    cordoning: ChangeKind = ChangeKind.AMOUNT
    """The kind of the release change by which cards in ``CORDON`` are left out."""
    summed_nodes: SummedNodes | None = None
    """How nodes are read that have no list of their cards."""

    def __init_subclass__(cls, **settings: Any) -> None:
        """Add the keys and documents of all; where a class lists them itself, they stay at their place."""
        super().__init_subclass__(**settings)
        names = {row.name for row in cls.keys}
        cls.keys = (*cls.keys, *(row for row in PLACEMENT if row.name not in names))
        cls.documents = {**cls.documents, **DOCUMENTS}

    # --- writing ----------------------------------------------------------------------------------

    def before_write(self, placing: ShareWriter) -> frozenset[str]:
        """Warn of a part of several cards where it is not certain what the container gets."""
        if self.several_doubt and placing.cards > 1 and not (placing.asked.whole_cards or placing.refused):
            message = msg("a part of {cards} cards: {why}", cards=placing.cards, why=self.several_doubt)
            placing.warn(self.code(RuleKind.SEVERAL), message, "request one card, or whole cards")
        return frozenset()

    def after_write(self, pod: PodWriter, keys: PodKeys) -> PodKeys:
        """Check the containers of a pod together: those that are recorded, and those on one card."""
        if len(pod.placings) > 1:
            if self.pod_record is not None:
                for placing in pod.placings:
                    placing.warn(
                        self.code(HamiRuleKind.POD_RECORD), *self.pod_record.message(len(pod.placings))
                    )
            if self.on_one_card:
                self._refuse_beyond_one_card(pod, keys)
        return keys

    @cached_property
    def shared_counts(self) -> tuple[tuple[KeyGroup, KeySpec], ...]:
        """The rows of ``on_one_card``, each with the rows of its model."""
        return tuple(
            (rows, row)
            for rows in self.keys_by_model
            for row in (rows.cards, *rows.whole)
            if row is not None and row.name in self.on_one_card
        )

    def on_one_card_message(self, row: KeySpec, count: int) -> tuple[Message, str]:
        """Message and hint where ``count`` containers of a pod have cards that have to be one card."""
        message = msg(
            "{count} containers of the pod request {key}, and {target} places all of them on one card, which "
            "does not hold them",
            count=count,
            key=row.name,
            target=self.sentence_name,
        )
        return message, "use a separate pod for each container"

    def _refuse_beyond_one_card(self, pod: PodWriter, keys: PodKeys) -> None:
        """Refuse containers that are to be on one card, which has no room for all of them."""
        containers = {(container.init, container.index): container for container in keys.all_containers()}
        for rows, row in self.shared_counts:
            counted = [
                (placing, container.limits)
                for placing in pod.placings
                if row.name in (container := containers[placing.init, placing.index]).limits
                and not container.init
            ]
            parts = [
                limits
                for _, limits in counted
                if rows.memory is not None and rows.memory.name in limits and limits[row.name].text == "1"
            ]
            if len(counted) < 2 or (len(parts) == len(counted) and not beyond_one_card(rows, parts)):
                continue
            for placing, _ in counted:
                placing.refuse(
                    "cards", self.code(HamiRuleKind.ONE_CARD), *self.on_one_card_message(row, len(counted))
                )


def beyond_one_card(rows: KeyGroup, containers: Sequence[Mapping[str, Value]]) -> KeySpec | None:
    """The row in which containers together request more than one card has; None where they fit. After
    containers that have all of the compute, in their order, HAMi places none without compute."""
    for row in rows.parts:
        maximum, used = row.legal.most, 0
        for resources in containers if maximum is not None else ():
            cores = (quantity.parse_integer(resources[row.name].text) or 0) if row.name in resources else 0
            exhausted = row.sets == "cores" and not cores and used == maximum
            used += cores
            if exhausted or used > (maximum or 0):
                return row
    return None


# --- HAMi-core --------------------------------------------------------------------------------
CORE_POLICY = "GPU_CORE_UTILIZATION_POLICY"
LIBRARY = {
    "LIBRARY": (
        "Project-HAMi/HAMi-core, src/multiprocess/multiprocess_memory_limit.c, set_env_utilization_switch "
        "(2026-08-21)"
    )
}


def core_policy() -> KeySpec:
    """The row of the variable that says whether compute has a hard cap. DEFAULT caps only while other
    containers use the card; a word in mixed letter case is unknown, and the default counts (LIBRARY)."""
    return key(
        CORE_POLICY,
        Place.ENV,
        meaning="whether compute has a hard cap",
        sets="policy",
        words={"force": Policy.FIXED_SHARE, "FORCE": Policy.FIXED_SHARE},
        values=("default", "disable", "DISABLE"),
        no_op_values=("default",),
        source="LIBRARY",
    )


def is_capped_alone(cores: str) -> Constraint:
    """The constraint that a container with a part of the compute of its cards sets whether it is a hard
    cap."""
    return Constraint(EnvIs(CORE_POLICY), InRange(cores, Range(1, FULL_CARD_CORES - 1)), (cores,))


def not_capped_alone(violation: Violation) -> tuple[Message, Message]:
    """Message and hint for a violation of ``is_capped_alone``."""
    text = "{key} {number} limits compute only while other containers use the card"
    hint = "for a cap that always holds, set the variable {variable}: force"
    name = written_name(violation.value_at, violation.name)
    return msg(text, key=name, number=violation.number), msg(hint, variable=CORE_POLICY)


# --- choices of card models -----------------------------------------------------------------------
USE_TYPE, AVOID_TYPE = "nvidia.com/use-gputype", "nvidia.com/nouse-gputype"
CHOOSES_MODELS = Constraint(IsAnnotated(AVOID_TYPE), IsAnnotated(USE_TYPE), (USE_TYPE,), per_container=False)
"""A pod that lists card models also lists models to avoid; ``other_models`` says where it need not."""
_NOT_IN_MODELS = re.compile("[^a-z0-9]+")


def other_models(pod: PodKeys, profile: Profile | None) -> Iterator[tuple[Message, Message]]:
    """Message and hint for each listed model by which a pod takes other models too, such as A100 for A10: the
    list has parts of names, in any letter case (CheckType in DEVICES)."""
    parts = [part.strip().casefold() for part in pod.annotations[USE_TYPE].text.split(",")]
    models = dict.fromkeys(
        card.name.casefold().partition("-")[0] for card in all_cards(profile) if card.vendor == "nvidia"
    )
    for model in dict.fromkeys(_NOT_IN_MODELS.split(part)[-1] for part in parts):
        others = [other for other in models if model in models and model in other]
        longer = [other for other in others if other != model and other not in parts]
        shortest = [other for other in longer if not any(part in other for part in longer if part != other)]
        if shortest:
            names = [other.upper() for other in shortest]
            yield (
                msg(
                    "{model} is also a part of the name of {others}: the pod may get these cards too",
                    model=model.upper(),
                    others=join_and(names),
                ),
                msg("to avoid them, add {key}: {names}", key=AVOID_TYPE, names=",".join(names)),
            )
