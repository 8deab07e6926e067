"""Ascend vNPU under HAMi: parts by template or, with ``vnpu-mode: hami-core``, by memory and compute.

Templates are parts of a card in hardware. In the mode hami-core a library keeps a container within an amount
of memory, and compute is a weight at run time; nodes have to be set up for it. Both are read; shares are
written for hami-core, unless the profile says that nodes have templates.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from typing import Annotated, ClassVar, Literal

from gpuxlate.backends.hami_family import HAMI, SCHEDULER, HamiDialect, by_uuid, in_int32
from gpuxlate.backends.pod_reader import granted, number
from gpuxlate.backends.rows import (
    PartSize,
    ShareFields,
    cards,
    choice,
    coming,
    cores,
    first_size,
    for_models,
    memory,
    release_of,
)
from gpuxlate.backends.scheduling_limits import Limits
from gpuxlate.backends.target import PodReader, PodWriter, ShareWriter
from gpuxlate.model.declarations import record
from gpuxlate.model.diagnostics import Diagnostic, Severity
from gpuxlate.model.keys import KeySpec, Place, Range, key
from gpuxlate.model.limits import FULL_CARD_CORES
from gpuxlate.model.messages import Message, msg
from gpuxlate.model.pod import PodKeys, Value
from gpuxlate.model.profile import (
    Card,
    ChangeKind,
    Component,
    Extension,
    Profile,
    Setting,
    card_named,
    names_of,
)
from gpuxlate.model.share import JSON_NAMES, Isolation, Policy
from gpuxlate.rules import releases
from gpuxlate.rules.base import Context, Rule, rule
from gpuxlate.rules.predicates import (
    NEEDS_MODES,
    Constraint,
    InRange,
    IsAnnotated,
    Not,
    Violation,
    WithProfile,
)

NAME = "hami-ascend"
COUNT = "huawei.com/Ascend{model}"
MODE, HAMI_CORE, TEMPLATE = "huawei.com/vnpu-mode", "hami-core", "template"
ASCEND_DRIVER = Component("ascendDriver", "the Ascend driver")
IN_PAIRS = "Ascend910C"
PAIRED = f"huawei.com/{IN_PAIRS}"
ENPU = ("enpu", "ubs-virt", "vcann-rt")
"""The modes in which ENPU keeps a container within a part of one die (ENPU)."""
ENPU_POLICY, ENPU_LIMIT = "huawei.com/enpu-policy", "huawei.com/enpu-memory-limit"
OTHER_POLICY = "huawei.com/scheduler.softShareDev.policy"
"""Without that policy this is read, an annotation before a label; MindCluster has the same name (ENPU)."""
ENPU_POLICIES = {
    **dict.fromkeys(("fixed-share", "fixed_share", "FIXED_SHARE", "fixed", "1"), Policy.FIXED_SHARE),
    **dict.fromkeys(("elastic", "ELASTIC", "2"), Policy.BURST_SHARE),
    **dict.fromkeys(("best-effort", "best_effort", "BEST_EFFORT", "3"), Policy.BEST_EFFORT),
}
OLD_910B3 = "huawei.com/Ascend910B"
"""The names that releases before 2.7 have for the keys of a 910B3 (OLD)."""


@record
class AscendProfile(Extension):
    """What only clusters with Ascend cards under HAMi have."""

    key: ClassVar[str] = "ascend"

    parts: Annotated[
        Literal["hami-core", "templates", "enpu", "unknown"],
        Setting(
            "parts",
            "What nodes divide cards with: hami-core or enpu where hamiVnpuMode of the chart is that, "
            "hami-core too where hamiVnpuCore, as it was called before HAMi 2.11, or the annotation "
            "hami-vnpu-core of the node is true, else templates.",
        ),
    ] = "unknown"
    split_count: Annotated[
        int,
        Setting(
            "vnpuDeviceSplitCount",
            "vnpuDeviceSplitCount of the chart: the most containers on one card with hami-core.",
        ),
    ] = 10
    super_pod: Annotated[
        bool, Setting("superPod", "superPod of the chart: the devices of a 910C come in pairs.")
    ] = True


def split_count(profile: Profile | None) -> int | None:
    """The most containers on one card of the cluster of a profile; None where no document has a number
    (CHART)."""
    cluster = AscendProfile.of(profile)
    first = release_of(releases.chart_changes(HAMI), ChangeKind.NEW)
    reached = first is not None and profile is not None and first.reached(profile.components)
    return cluster.split_count if cluster.parts == HAMI_CORE and reached else None


def most_mib(card: Card) -> int:
    """MiB above which the webhook refuses (CODE)."""
    return card.nominal_mib or card.memory_mib or 0


def by_numbers_mib(card: Card) -> int:
    """MiB of which hami-core gives parts: those that can be allocated (CODE, Fit)."""
    return card.memory_mib or most_mib(card)


def sizes_of(card: Card) -> tuple[PartSize, ...]:
    """The templates of a card, the smallest first."""
    sized_templates = ((template, card.cores_of(template)) for template in card.templates)
    return tuple(
        PartSize(template.least_mib, cores, template.name)
        for template, cores in sized_templates
        if cores is not None
    )


def known_before(row: KeySpec) -> KeySpec:
    """The row of a 910B3 with the name that it had before; other rows as they are."""
    if row.model != "Ascend910B3" or Place.RESOURCE not in row.places:
        return row
    return row._replace(aliases=(row.name.replace(f"{OLD_910B3}3", OLD_910B3),), component=HAMI)


class HamiAscend(HamiDialect):
    """Ascend NPUs (CODE, TEMPLATES): cards of one model, which keys name, and MiB of each, rounded up
    to a template; with hami-core also percent of compute."""

    name = NAME
    title = "Ascend vNPU under HAMi"
    node_module = "gpuxlate.backends.ascend_nodes"
    aliases = ("ascend",)
    vendor = "huawei"
    other_schedulers = (SCHEDULER, "volcano")  # Volcano reads the same keys in its mode for HAMi (VNPU)
    with_hami_core = True
    """Parts of its cards are for hami-core, and their pods say so."""
    written_mode = HAMI_CORE
    """The mode of the parts that are written."""
    extension = AscendProfile
    limits = Limits(source="CHART", per_card_in=split_count)
    components = (
        HAMI,
        Component("ascendDevicePlugin", "Ascend device plugin"),
        ASCEND_DRIVER,
    )
    node_annotations = {
        f"hami.io/node-register-Ascend{name}": f"hami.io/Ascend{name}-devices-allocated"
        for name in names_of(NAME)
    }  # (CODE)
    documents = {
        "CODE": "Project-HAMi/HAMi, pkg/device/ascend (2026-08-21)",
        "TEMPLATES": "Project-HAMi/HAMi, charts/hami/templates/scheduler/device-configmap.yaml (2026-08-21)",
        "PLUGIN": (
            "Project-HAMi/ascend-device-plugin, internal/server/allocate.go and docs/hami.md (2026-07-24)"
        ),
        "WEIGHT": "Project-HAMi/hami-vnpu-core, README.md (2026-08)",
        "OLD": "Project-HAMi/HAMi, device-configmap.yaml of v2.4.0 to v2.6.1 (2025-06)",
        "ENPU": "Project-HAMi/HAMi, pkg/device/ascend/enpu_test.go, pull request 3110; ascend-device-plugin, "
        "issue 140 (2026-10)",
        "CHART": "Project-HAMi/HAMi, charts/hami/README.md at 00160eb9 (2026-10)",
        "V2.9": "Project-HAMi/HAMi, pkg/device/ascend of v2.9.0 (2026-05-19)",
        "VNPU": "volcano-sh/volcano, docs/user-guide/how_to_use_vnpu.md (2026-08)",
    }
    gpu_prefixes = ("huawei.com/vnpu-", "huawei.com/enpu-")
    keys = (
        *map(
            known_before,
            for_models(
                NAME,
                cards(COUNT, values=in_int32(), source="CODE, OLD"),
                memory(f"{COUNT}-memory", needs=(COUNT,), source="CODE, TEMPLATES, PLUGIN"),
                cores(  # 0 and none reserve nothing; more is read as 100 (CODE)
                    f"{COUNT}-core",
                    meaning="compute that the scheduler reserves, and a weight at run time",
                    needs=(COUNT,),
                    values=(Range(0, 100),),
                    clamped=True,
                    no_op_values=("0",),
                    component=HAMI,
                    source="CODE, PLUGIN, WEIGHT",
                ),
                *by_uuid("Ascend{model}"),
            ),
        ),
        choice(
            MODE,
            meaning="parts by numbers",
            values=(HAMI_CORE, TEMPLATE),
            no_op_values=(HAMI_CORE, TEMPLATE, *ENPU),
            component=HAMI,
            source="CODE",
        ),
        coming(
            key(
                ENPU_POLICY,
                Place.ANNOTATION,
                meaning="policy of ENPU",
                sets="policy",
                words=ENPU_POLICIES,
                component=HAMI,
                source="ENPU",
            )
        ),
        coming(
            key(
                ENPU_LIMIT,
                Place.ANNOTATION,
                meaning="how far memory may burst with ENPU",
                sets="memory_limit_mib",
                unit=1,
                values=(Range(1),),
                component=HAMI,
                source="ENPU",
            )
        ),
        choice(
            OTHER_POLICY,
            Place.ANNOTATION,
            Place.LABEL,
            meaning="policy of ENPU, where the pod has no other",
            values=tuple(ENPU_POLICIES),
            no_op_values=tuple(ENPU_POLICIES),
            source="ENPU",
        ),
        coming(
            choice(
                "huawei.com/enpu-memory-request",
                meaning="the memory of the container once more, for ENPU",
                component=HAMI,
                source="ENPU",
            )
        ),
    )

    # --- reading ----------------------------------------------------------------------------------

    @cached_property
    def field_docs(self) -> Mapping[str, str]:
        """As of other targets; compute is a weight, and not a cap (WEIGHT)."""
        compute = f"{COUNT}-core, percent of each card that the scheduler reserves; a weight at run time"
        return {**super().field_docs, "cores": compute}

    def normalize(self, pod: PodReader, fields: ShareFields) -> ShareFields:
        """A part is a template, unless the pod has the mode hami-core, or compute, which goes with that mode
        alone (the base of a patch may have it); of a 910C there are two (CODE)."""
        mode = pod.pod.annotations.get(MODE)
        if mode is not None and mode.text in self.enpu_words:
            return self._of_enpu(pod, fields)
        if "policy" in fields.others:  # which ENPU alone has
            fields = replace(fields, others={k: v for k, v in fields.others.items() if k != "policy"})
        card = card_named(fields.others["device"].models[0])
        by_numbers = (mode is not None and mode.text == HAMI_CORE) or fields.cores is not None
        by_numbers = by_numbers and not self.lacks_mode
        if card is not None and fields.memory_mib is not None:
            part = self._of_library if by_numbers else self._of_template
            fields = part(fields, card)
        return self._in_pairs(fields, card, by_numbers, AscendProfile.of(pod.profile))

    @cached_property
    def enpu_words(self) -> tuple[str, ...]:
        """The modes of ENPU that its HAMi knows."""
        row = self.find(MODE)
        return tuple(word for word in ENPU if row is not None and word in row.texts)

    def _of_enpu(self, pod: PodReader, fields: ShareFields) -> ShareFields:
        """The fields as ENPU reads them: numbers of one die; missing compute is all of it (ENPU)."""
        others, origins = {**fields.others}, {**fields.origins}
        enpu_policy = pod.annotation(ENPU_POLICY)
        places = (pod.annotation(OTHER_POLICY), pod.label(OTHER_POLICY))
        policy = next((value for value in places if value is not None and value.text.strip()), None)
        if (
            (enpu_policy is None or not enpu_policy.text.strip())
            and policy is not None
            and policy.text in ENPU_POLICIES
        ):
            others["policy"], origins["policy"] = ENPU_POLICIES[policy.text], policy.path
        if fields.memory_mib is None and fields.cores is None:
            return replace(fields, others={k: v for k, v in fields.others.items() if k != "policy"})
        limit = pod.annotation(ENPU_LIMIT)
        limit_mib = None if limit is None else number(limit)
        if limit is not None and limit_mib is not None and limit_mib > (fields.memory_mib or limit_mib):
            others["memory_limit_mib"], origins["memory_limit_mib"] = limit_mib, limit.path
        return replace(
            fields,
            cores=fields.cores or FULL_CARD_CORES * (fields.cards or 1),
            others=others,
            origins=origins,
        )

    def _of_template(self, fields: ShareFields, card: Card) -> ShareFields:
        """The fields as a template grants them: all of the card where no template has the memory."""
        memory, sizes = fields.memory_mib or 0, sizes_of(card)
        if first_size(sizes, memory // (fields.cards or 1), None) is not None and (fields.cards or 1) > 1:
            return fields  # which the webhook refuses
        from gpuxlate.backends.row_reader import grow_to_sizes

        granted_fields = grow_to_sizes(replace(fields, cores=None), sizes, "ASCEND022")
        if granted_fields.memory_mib or memory >= (card.memory_mib or 0) * (fields.cards or 1):
            return granted_fields
        path, why = fields.origins["memory_mib"], msg("no template of the card has as much")
        more = granted("memory_mib", "ASCEND022", why, path, asked=memory, given=None)
        return replace(granted_fields, granted=(more,))

    def _of_library(self, fields: ShareFields, card: Card) -> ShareFields:
        """The library takes the number, which was multiplied by the cards, for the total of the container
        (PLUGIN). Without compute, HAMi 2.9 reserves a template (V2.9)."""
        count = fields.cards or 1
        number = (fields.memory_mib or 0) // count
        size = self._reserved(card, number, with_compute="cores" in fields.origins)
        if size is None or count > 1:
            return replace(fields, memory_mib=-(-number // count) * count)
        why, path = msg("HAMi reserves a template"), fields.origins["memory_mib"]
        more = granted("memory_mib", "ASCEND022", why, path, asked=number, given=size.memory_mib)
        return replace(fields, memory_mib=size.memory_mib, granted=(more,))

    def _reserved(self, card: Card, memory_mib: int | None, *, with_compute: bool) -> PartSize | None:
        """The template that HAMi 2.9 reserves in place of less memory without compute (V2.9)."""
        if with_compute or memory_mib is None or not self.is_before_change(HAMI, f"{COUNT}-memory"):
            return None
        size = first_size(sizes_of(card), memory_mib, None)
        return size if size is not None and size.memory_mib > memory_mib else None

    def _in_pairs(
        self, fields: ShareFields, card: Card | None, by_numbers: bool, cluster: AscendProfile
    ) -> ShareFields:
        """One device of a 910C becomes two: templates of both; with hami-core the memory is the total."""
        if fields.cards != 1 or not self.has_pairs(card, cluster):
            return fields
        why = msg("the devices of the card come in pairs")
        more = granted("cards", "ASCEND024", why, fields.origins["cards"], asked=1, given=2)
        times = 1 if by_numbers else 2
        memory = None if fields.memory_mib is None else -(-fields.memory_mib * times // 2) * 2
        cores = None if fields.cores is None else fields.cores * 2
        return replace(fields, cards=2, memory_mib=memory, cores=cores, granted=(more, *fields.granted))

    def has_pairs(self, card: Card | None, cluster: AscendProfile) -> bool:
        """Whether the devices of the card come in pairs: those of a 910C where the chart says so, always in
        HAMi 2.9."""
        paired = card is not None and card.name == IN_PAIRS
        return paired and (cluster.super_pod or self.is_before_change(HAMI, PAIRED))

    @property
    def lacks_mode(self) -> bool:
        """Whether its HAMi is older than the mode hami-core."""
        return any(row.name == MODE for row in self.absent)

    # --- writing ----------------------------------------------------------------------------------

    def write(self, pod: PodWriter, profile: Profile | None) -> PodKeys:
        """Write shares as keys: for hami-core, or for templates where the cluster has these alone."""
        from gpuxlate.backends.row_writer import card_in_key_names, write_rows

        cluster, table = AscendProfile.of(profile), self
        if profile is not None:
            table = self.in_cluster(profile)
        if cluster.parts == "templates" or table.lacks_mode:
            table = table.with_templates
        needs_enpu = any(placing.asked.policy or placing.asked.memory_limit_mib for placing in pod.placings)
        if table.enpu_words and (cluster.parts == "enpu" or (needs_enpu and cluster.parts == "unknown")):
            table = table.with_enpu
        elif table.enpu_words:
            table = table.without_enpu
        for placing in pod.placings:
            card = card_named(card_in_key_names(table, placing, profile) or "")
            if card is not None:  # else it is refused
                table.fit(placing, card, cluster)
        return write_rows(table, pod, profile)

    def after_write(self, pod: PodWriter, keys: PodKeys) -> PodKeys:
        """Add the annotation of the mode to parts for hami-core."""
        keys = super().after_write(pod, keys)
        if not self.with_hami_core or all(placing.whole_cards for placing in pod.placings):
            return keys
        limits = {placing.asked.memory_limit_mib for placing in pod.placings if not placing.whole_cards}
        of_enpu = {MODE: Value.of(self.written_mode)}
        if self.written_mode in ENPU and any(limits):
            of_enpu[ENPU_LIMIT] = Value.of(str(max(limit for limit in limits if limit)))
        return replace(keys, annotations={**of_enpu, **keys.annotations})

    @cached_property
    def with_enpu(self) -> HamiAscend:
        """This target with parts for ENPU, which its pods say."""
        return self.with_changes(written_mode=ENPU[0])

    @cached_property
    def without_enpu(self) -> HamiAscend:
        """This target with parts for hami-core, where no pod has a policy."""
        rows = (row._replace(words={}, sets=None) if row.name == ENPU_POLICY else row for row in self.keys)
        return self.with_changes(keys=tuple(rows))

    @cached_property
    def with_templates(self) -> HamiAscend:
        """This target for clusters that have templates alone: no compute is written, and no mode."""
        keys = tuple(row._replace(sets=None, unit=0) if row.sets == "cores" else row for row in self.keys)
        return self.with_changes(keys=keys, with_hami_core=False, isolation=Isolation.HARDWARE, absent=())

    def fit(self, placing: ShareWriter, card: Card, cluster: AscendProfile) -> None:
        """Round a share up to what a card has, and refuse fields that it does not have."""
        if self.written_mode in ENPU and not placing.asked.whole_cards:
            self._by_enpu(placing, card)
            return
        if self.has_pairs(card, cluster) and placing.cards % 2:
            why = msg("the devices of the card come in pairs")
            if placing.asked.whole_cards:
                placing.round("cards", placing.cards + 1, "ASCEND024", why)
            else:
                placing.refuse("cards", "ASCEND024", why, "request whole cards, or another card")
        if placing.asked.whole_cards:
            return
        maximum = by_numbers_mib(card) if self.with_hami_core else most_mib(card)
        memory = placing.peek("memory_mib")
        if memory is not None and memory > maximum * placing.cards:
            each = -(-memory // placing.cards)
            message = msg(
                "{key} {number} is above the {most} MiB of the card",
                key="memoryMiB",
                number=each,
                most=maximum,
            )
            placing.refuse("memory_mib", "ASCEND023", message, "request less, or whole cards")
        elif self.with_hami_core:
            self._by_numbers(placing, card, cluster)
        else:
            self._by_template(placing, card)

    def _by_enpu(self, placing: ShareWriter, card: Card) -> None:
        """A part of one die for ENPU."""
        if placing.cards > 1:
            why = of_one_die(placing.cards)
            placing.refuse("cards", "ASCEND027", why, "request one card, or whole cards")
        memory, limit = placing.peek("memory_mib"), placing.take("memory_limit_mib")
        maximum = by_numbers_mib(card)
        for attribute, amount in (("memory_mib", memory), ("memory_limit_mib", limit)):
            if amount is not None and amount > maximum:
                message = msg(
                    "{key} {number} is above the {most} MiB of the card",
                    key=JSON_NAMES[attribute],
                    number=amount,
                    most=maximum,
                )
                placing.refuse(attribute, "ASCEND023", message, "request less, or whole cards")
        if limit is not None and placing.asked.policy is Policy.FIXED_SHARE:
            message = msg("ENPU's policy fixed-share has no memory above the reserved")
            placing.refuse("memory_limit_mib", "GX023", message, "choose another policy, or no limit")

    def _by_numbers(self, placing: ShareWriter, card: Card, cluster: AscendProfile) -> None:
        """A part of one card for hami-core."""
        if placing.cards > 1:
            placing.refuse(
                "cards", "ASCEND025", why_not_several(placing.cards), "request one card, or whole cards"
            )
        if cluster.parts == "unknown" and not placing.refused:
            placing.warn("ASCEND026", needs_hami_core(), IN_CHART)
        memory, with_compute = placing.peek("memory_mib"), placing.peek("cores") is not None
        size = self._reserved(card, memory, with_compute=with_compute)
        if size is not None:
            placing.round("memory_mib", size.memory_mib, "ASCEND022", msg("HAMi reserves a template"))

    def _by_template(self, placing: ShareWriter, card: Card) -> None:
        """A template of one card, or the card where none is large enough."""
        memory, compute, sizes = placing.peek("memory_mib"), placing.peek("cores"), sizes_of(card)
        if placing.cards > 1:
            why = msg("{count} cards have no templates", count=placing.cards)
            placing.refuse("cards", "ASCEND021", why, "request one card, or whole cards")
            placing.take("cores")
            return
        if memory is None:
            placing.need("memory_mib", "GX021", msg("{target} shares cards by memory", target=self.title))
        elif first_size(sizes, memory, compute) is None:
            why = msg("no template of the card has as much")
            placing.round("memory_mib", None, "ASCEND022", why)
            if compute is not None:
                placing.round("cores", None, "ASCEND022", why)
            return
        from gpuxlate.backends.row_writer import fit_size

        fit_size(self, placing, sizes, "ASCEND022")


IN_CHART = (
    "set devices.ascend.hamiVnpuMode: hami-core in the chart, before HAMi 2.11 hamiVnpuCore: true, and "
    "ascend: {parts: hami-core} in the profile"
)


def needs_hami_core() -> Message:
    """The note on what the mode hami-core needs of nodes (CODE)."""
    return msg(
        "no node takes the pod where neither hamiVnpuMode of the chart nor, before HAMi 2.11, hamiVnpuCore "
        "turns on its mode, hami-core"
    )


def of_one_die(count: int) -> Message:
    """The reason why a part of several dies is no share for ENPU (ENPU)."""
    return msg("a part for ENPU is of one die, and the container requests {count}", count=count)


def why_not_several(count: int) -> Message:
    """The reason why a part of several cards is not written (CODE, PLUGIN)."""
    return msg(
        "memory of {count} cards is one total for the container, and HAMi's scheduler reserves it on each",
        count=count,
    )


# The rules of Ascend vNPU that no row says: ASCEND020 to ASCEND026. Templates are those of the catalogue.
BY_NUMBERS = IsAnnotated(MODE, HAMI_CORE, *ENPU)
WITH_ENPU = IsAnnotated(MODE, *ENPU)
ROWS = HamiAscend().keys_by_model


def _memory() -> Iterator[tuple[KeySpec, KeySpec, Card]]:
    """The rows of count and memory of each card, with the card."""
    for rows in ROWS:
        card = card_named(rows.model)
        if rows.cards is not None and rows.memory is not None and card is not None:
            yield rows.cards, rows.memory, card


CARD_OF_MEMORY = {memory.name: card for _, memory, card in _memory()}


@rule(
    "ASCEND020",
    Severity.ERROR,
    missing=True,
    constraint=tuple(
        Constraint(BY_NUMBERS, InRange(rows.cores.name, Range(1)), (rows.cores.name,))
        for rows in ROWS
        if rows.cores
    ),
)
def compute_needs_hami_core(
    this: Rule, violation: Violation, pod: PodKeys, context: Context
) -> Iterator[Diagnostic]:
    """`huawei.com/<card>-core` is set only beside `huawei.com/vnpu-mode: hami-core`.

    ## What it does
    Reports `huawei.com/<card>-core` in a pod without the annotation.

    ## Why
    Templates bring their own AI cores: the webhook refuses a percentage beside them.

    ## Source
    Project-HAMi/HAMi, pkg/device/ascend (2026-08-21).
    """
    message = msg("{key} is refused without {mode}: {value}", key=violation.name, mode=MODE, value=HAMI_CORE)
    yield this.diagnostic(
        violation.value_at, message, "add the annotation to the pod, or remove the key", on_key=True
    )


@rule(
    "ASCEND021",
    Severity.ERROR,
    missing=True,
    constraint=tuple(
        Constraint(
            Not(InRange(count.name, Range(2))),
            InRange(memory.name, Range(1, card.templates[-1].least_mib)) & Not(BY_NUMBERS),
            (memory.name,),
        )
        for count, memory, card in _memory()
    ),
)
def template_is_of_one_card(
    this: Rule, violation: Violation, pod: PodKeys, context: Context
) -> Iterator[Diagnostic]:
    """`huawei.com/<card>-memory` of a template is requested on one card, unless the pod has
    `huawei.com/vnpu-mode: hami-core`.

    ## What it does
    Reports `huawei.com/<card>-memory` of a template in a container with several cards, without
    `huawei.com/vnpu-mode: hami-core`. All memory of the card is right: it is the same as none.

    ## Why
    The webhook refuses it: "vNPU not supported for multiple devices".

    ## Source
    Project-HAMi/HAMi, pkg/device/ascend (2026-08-21).
    """
    message = msg("{key} is for one card; several have no templates", key=violation.name)
    yield this.diagnostic(
        violation.value_at, message, "request one card, or whole cards without memory", on_key=True
    )


@rule(
    "ASCEND022",
    Severity.INFO,
    missing=True,
    constraint=tuple(
        Constraint(
            InRange(
                memory.name,
                *(Range(template.least_mib, template.least_mib) for template in card.templates),
                Range(card.memory_mib or most_mib(card)),
            ),
            InRange(memory.name, Range(1)) & Not(BY_NUMBERS),
            (memory.name,),
        )
        for _, memory, card in _memory()
    ),
)
def memory_is_a_template(this: Rule, violation: Violation, pod: PodKeys, context: Context) -> Diagnostic:
    """`huawei.com/<card>-memory` without `huawei.com/vnpu-mode: hami-core` is that of a template.

    ## What it does
    Reports an amount between two templates: the container gets the next larger one, with its AI cores.

    ## Why
    The hardware divides a card into templates. Where none is large enough, the container gets the card.
    Without `huawei.com/vnpu-mode` the node decides: HAMi rounds when it places the pod, by the mode of the
    node that it tries, and a node with hami-core gives the number as it is.

    ## Source
    Project-HAMi/HAMi, charts/hami/templates/scheduler/device-configmap.yaml (2026-08-21); Project-HAMi/HAMi,
    pull request 3107 (2026-10).
    """
    number, card = violation.number, CARD_OF_MEMORY[violation.name]
    template = next((template for template in card.templates if template.least_mib >= number), None)
    gets = (
        msg(
            "{name}, {memory} MiB and {cores} of {all} AI cores",
            name=template.name,
            memory=template.memory_mib,
            cores=template.ai_cores,
            all=card.ai_cores,
        )
        if template
        else "the whole card"
    )
    message = msg(
        "{key} {number}: on a node with templates the container gets {what}",
        key=violation.name,
        number=number,
        what=gets,
    )
    hint = msg("write {number}", number=template.memory_mib if template else card.memory_mib)
    return this.diagnostic(violation.value_at, message, hint)


def _memory_beyond(this: Rule, violation: Violation, maximum: int) -> Diagnostic:
    message = msg(
        "{key} {number} is above the {most} MiB of the card",
        key=violation.name,
        number=violation.value_at.text,
        most=maximum,
    )
    return this.diagnostic(violation.value_at, message, msg("write {most} or less", most=maximum))


def _memory_beyond_numbers(this: Rule, violation: Violation, pod: PodKeys, context: Context) -> Diagnostic:
    return _memory_beyond(this, violation, by_numbers_mib(CARD_OF_MEMORY[violation.name]))


@rule(
    "ASCEND023",
    Severity.ERROR,
    constraint=tuple(
        Constraint(Not(InRange(memory.name, Range(maximum(card) + 1))), when, (memory.name,), report=report)
        for _, memory, card in _memory()
        for when, maximum, report in (
            (~BY_NUMBERS, most_mib, None),
            (BY_NUMBERS, by_numbers_mib, _memory_beyond_numbers),
        )
    ),
)
def memory_is_within_the_card(this: Rule, violation: Violation, pod: PodKeys, context: Context) -> Diagnostic:
    """`huawei.com/<card>-memory` is at most the memory of the card in its name.

    ## What it does
    Reports `huawei.com/<card>-memory` above the memory of the card that its name says; with
    `huawei.com/vnpu-mode: hami-core` above what containers can have of it.

    ## Why
    The webhook refuses it, or no card has as much: of 24576 MiB of an Ascend310P 21527 can be allocated.

    ## Source
    Project-HAMi/HAMi, charts/hami/templates/scheduler/device-configmap.yaml (2026-08-21).
    """
    return _memory_beyond(this, violation, most_mib(CARD_OF_MEMORY[violation.name]))


@rule(
    "ASCEND024",
    Severity.ERROR,
    constraint=(
        Constraint(InRange(PAIRED, Range(2, None, 2)), InRange(PAIRED, Range(2)) & ~WITH_ENPU, (PAIRED,)),
        Constraint(
            Not(InRange(PAIRED, Range(1, 1))), InRange(PAIRED) & ~WITH_ENPU, (PAIRED,), severity=Severity.INFO
        ),
    ),
)
def devices_come_in_pairs(
    this: Rule, violation: Violation, pod: PodKeys, context: Context
) -> Iterator[Diagnostic]:
    """`huawei.com/Ascend910C` is an even number.

    ## What it does
    Reports an odd `huawei.com/Ascend910C`: one as an info, more as an error. With a profile that says
    `ascend: {superPod: false}` it reports nothing.

    ## Why
    With `superPod: true`, which the chart has unless told otherwise, the devices of a 910C come in pairs: one
    becomes two, with a template of each where there is memory, and the webhook refuses other odd numbers.

    ## Source
    Project-HAMi/HAMi, pkg/device/ascend, charts/hami/templates/scheduler/device-configmap.yaml (2026-08-21).
    """
    if AscendProfile.of(context.profile).super_pod:
        number = violation.number
        message = msg("{key} {number}: devices come in pairs", key=violation.name, number=number)
        hint, is_one = msg("write {even}", even=number + 1), number == 1
        yield this.diagnostic(violation.value_at, message, hint, missing=is_one)  # ENPU takes one


def _reserved_on_each(this: Rule, violation: Violation) -> Diagnostic:
    message = msg(
        "{key} {number} is the total of the container, and reserved on each of its cards",
        key=violation.name,
        number=violation.value_at.text,
    )
    return this.diagnostic(violation.value_at, message, "request one card, or whole cards")


def _memory_of_one_paired_device(
    this: Rule, violation: Violation, pod: PodKeys, context: Context
) -> Iterator[Diagnostic]:
    if AscendProfile.of(context.profile).super_pod:  # one becomes two
        yield _reserved_on_each(this, violation)


@rule(
    "ASCEND025",
    Severity.WARNING,
    constraint=tuple(
        Constraint(
            Not(InRange(count.name, Range(1 if count.name == PAIRED else 2))),
            InRange(memory.name, Range(1)) & IsAnnotated(MODE, HAMI_CORE),
            (memory.name,),
            cases=((InRange(PAIRED, Range(1, 1)), _memory_of_one_paired_device),)
            if count.name == PAIRED
            else (),
        )
        for count, memory, _ in _memory()
    ),
)
def memory_is_of_one_card(this: Rule, violation: Violation, pod: PodKeys, context: Context) -> Diagnostic:
    """`huawei.com/<card>-memory` with `huawei.com/vnpu-mode: hami-core` is requested on one card.

    ## What it does
    Reports `huawei.com/<card>-memory` in a container with several cards and that mode. One device of a 910C
    becomes two, unless a profile says `ascend: {superPod: false}`.

    ## Why
    The library takes the number for the total of the container, and HAMi's scheduler reserves it on each
    card: 65536 for two cards of 64 GiB takes both of them, and the container gets half.

    ## Source
    Project-HAMi/ascend-device-plugin, internal/server/allocate.go and docs/hami.md (2026-07-24).
    """
    return _reserved_on_each(this, violation)


@rule(
    "ASCEND026",
    Severity.ERROR,
    with_profile=WithProfile(
        lambda profile: (
            (Constraint(Not(BY_NUMBERS), keys=(MODE,), per_container=False),)
            if AscendProfile.of(profile).parts == "templates"
            else ()
        ),
        NEEDS_MODES,
    ),
)
def nodes_have_the_mode(
    this: Rule, violation: Violation, pod: PodKeys, context: Context
) -> Iterator[Diagnostic]:
    """Some node has the mode of `huawei.com/vnpu-mode`.

    ## What it does
    With a profile that says `ascend: {parts: templates}`, reports the mode hami-core.

    ## Why
    No node takes the pod (ModeNotFit), so it stays Pending. Nodes have the mode where `hamiVnpuCore` of the
    chart is true, which is false unless set, or the node has the annotation `hami-vnpu-core: "true"`. Pods
    without the annotation take what the node has, from HAMi 2.10.

    ## Source
    Project-HAMi/HAMi, pkg/device/ascend, charts/hami/values.yaml (2026-08-21).
    """
    message = msg("no node takes the pod: its mode is hami-core, and nodes have templates")
    yield this.diagnostic(violation.value_at, message, "remove the annotation", on_key=True)


@rule(
    "ASCEND027",
    Severity.ERROR,
    constraint=tuple(
        Constraint(Not(InRange(count.name, Range(2))), InRange(count.name) & WITH_ENPU, (count.name,))
        for count, _, _ in _memory()
    ),
)
def enpu_is_of_one_die(
    this: Rule, violation: Violation, pod: PodKeys, context: Context
) -> Iterator[Diagnostic]:
    """With `huawei.com/vnpu-mode: enpu` a container requests one die.

    ## What it does
    Reports `huawei.com/<card>` above 1 in a pod with that mode, or `ubs-virt` or `vcann-rt`, its other names.

    ## Why
    HAMi's webhook refuses the pod: ENPU divides one die, and the pairs of a 910C do not apply.

    ## Source
    Project-HAMi/HAMi, pkg/device/ascend/enpu_test.go, pull request 3110 (2026-10).
    """
    count = number(violation.value_at) or 0
    yield this.diagnostic(violation.value_at, of_one_die(count), "write 1")
