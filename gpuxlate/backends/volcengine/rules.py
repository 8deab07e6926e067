"""The rules of mGPU: on the list of cards, on compute and memory, on policies and levels, on a profile."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from gpuxlate.backends import volcengine as k
from gpuxlate.backends.pod_reader import both_places, number, outside, too_many_cards
from gpuxlate.model.diagnostics import Diagnostic, Fix, Put, Remove, Rename, Severity
from gpuxlate.model.keys import NVIDIA_GPU, Range
from gpuxlate.model.messages import Message, join_or, msg
from gpuxlate.model.pod import ContainerKeys, PodKeys, ScalarKind, Value
from gpuxlate.model.profile import CardProfile, Profile
from gpuxlate.model.quantity import round_up
from gpuxlate.model.share import Qos
from gpuxlate.rules import predicates as of
from gpuxlate.rules.base import Context, PodExample, Rule, RuleDoc, rule
from gpuxlate.rules.predicates import (
    NEEDS_CARDS,
    NEEDS_MODES,
    AtMostParameter,
    Constraint,
    InRange,
    IsAnnotated,
    ListCoversContainers,
    ListEntryIs,
    MayRunOnNodeLabel,
    Requests,
    SomeContainer,
    Violation,
    WithProfile,
    cards_per_node,
    number_of,
    resource,
)

if TYPE_CHECKING:
    from gpuxlate.backends.requirements import Requirement

SHORT = "container-multiple-gpu"
DEFAULT_POLICY = k.POLICIES[k.DEFAULT_POLICY]
COMPUTE = (k.CORE, k.RECLAIMED_CORE)
WHOLE = Range(k.FULL, None, k.FULL)  # percent of one card


def of_compute(true_of: Callable[[str], of.Predicate]) -> of.Predicate:
    """True of the key of compute that counts: offline compute where there is no other."""
    return true_of(k.CORE) | (~of.Requests(k.CORE) & true_of(k.RECLAIMED_CORE))


def compute(*ranges: Range) -> of.Predicate:
    """Compute, online or offline, is in one of the ranges."""
    return of_compute(lambda name: of.InRange(name, *ranges))


def _is_all(name: str) -> of.Predicate:
    return of.InRange(name, WHOLE) & of.Divides(name, k.LISTED, k.FULL) & of.AtMost(name, k.FULL, k.LISTED)


ORDINARY = ~of.IsInit()  # the others are VKE009, and have no number in the list
HAS_LIST = of.IsAnnotated(k.MULTIPLE_GPU)
ONE_CARD = ORDINARY & ~HAS_LIST
HAS_LISTED_CARDS = of_compute(_is_all)  # whole
SHARES_LISTED = ORDINARY & ListEntryIs(k.LISTED, Range(1)) & ~HAS_LISTED_CARDS
POD_HAS_MGPU = of.SomeContainer(ORDINARY & of.Requests(*k.RESOURCES))
OFFLINE = of.IsAnnotated(k.QOS, k.QOS_LEVELS[Qos.OFFLINE])


def cores_of(container: ContainerKeys) -> int:
    """Percent of one card, in total; 0 where absent or not a whole number (K8S001)."""
    return number(resource(container, k.CORE) or resource(container, k.RECLAIMED_CORE)) or 0


class Mgpu(NamedTuple):
    """A container that requests mGPU. ``multi``: its pod has a list of cards; ``listed``: its number there, 0
    without one."""

    keys: ContainerKeys
    multi: bool
    listed: int

    @classmethod
    def of(cls, container: ContainerKeys, pod: PodKeys) -> Mgpu:
        """The container with what the annotation of its pod says of it."""
        return cls(container, k.MULTIPLE_GPU in pod.annotations, number_of(pod, container, k.LISTED) or 0)

    @property
    def cores(self) -> int:
        """Its percent of one card, in total over its cards; 0 where it has no valid number."""
        return cores_of(self.keys)

    @property
    def first(self) -> Value:
        """Its first key of mGPU."""
        return next(self.keys.resources[name] for name in k.RESOURCES if name in self.keys.resources)

    @property
    def whole_cards(self) -> int:
        """How many whole cards it has, 0 where it shares."""
        cards, part = divmod(self.cores, k.FULL)
        return 0 if part or cards < 1 or (self.multi and self.listed != cards) else cards

    @property
    def cards(self) -> int:
        """How many cards it uses, shared or whole."""
        return self.listed or self.whole_cards or 1


def listed_cards(violation: Violation, pod: PodKeys) -> int:
    """The cards that the list has for the container of a violation, 0 without one."""
    return number_of(pod, violation.container, k.LISTED) or 0


def mgpu_containers(pod: PodKeys) -> list[Mgpu]:
    """The ordinary containers that have a key of mGPU, in their order."""
    return [Mgpu.of(container, pod) for container in pod.containers if k.LISTED.asked_by(container)]


def policy_text(pod: PodKeys) -> str:
    """The policy that the pod requests, with a remark where it is the default."""
    policy = pod.annotations.get(k.POLICY)
    return policy.text if policy else msg("not set (default: {policy})", policy=DEFAULT_POLICY)


def cluster(context: Context) -> Profile | None:
    """The profile, where it is one of a cluster of this vendor."""
    profile = context.profile
    return profile if profile and profile.is_of(k.NAMES) else None


def name_of(container: ContainerKeys) -> str:
    """Its name, or its place where it has none."""
    return container.name or msg("number {place}", place=container.index + 1)


def whole_cards_text(count: int) -> Message:
    """``1 whole card``, ``2 whole cards``."""
    return msg("1 whole card") if count == 1 else msg("{count} whole cards", count=count)


# --- manifests of the pages -----------------------------------------------------------------------
_NOTES = {"cards": k.MULTIPLE_GPU, "policy": k.POLICY, "qos": k.QOS, "vci": k.BURST_TO_VCI}
NATIVE = "native-burst-share"


def limits_of_part(cores: int = 30, memory: int | None = 4096, name: str = k.CORE) -> Mapping[str, Value]:
    """Limits of a container: a part of a card or of several, or whole cards without memory."""
    return {name: Value.of(cores), **({} if memory is None else {k.MEMORY: Value.of(memory)})}


def example_pod(*limits: Mapping[str, Value], profile: str = "", **notes: str) -> PodExample:
    """A pod: the limits of its containers, its annotations by their short names, a profile."""
    annotations = {_NOTES[name]: Value.of(text) for name, text in notes.items()}
    text = f"target: volcengine-mgpu\n{profile}" if profile else ""
    return PodExample(limits or (limits_of_part(),), annotations, profile=text)


def offline(**notes: str) -> PodExample:
    """An offline pod."""
    return example_pod(limits_of_part(name=k.RECLAIMED_CORE), qos=k.QOS_LEVELS[Qos.OFFLINE], **notes)


def several_cards_pod(cards: str, cores: int, memory: int = 4096, profile: str = "") -> PodExample:
    """A pod that shares several cards as the vendor's code wants it."""
    return example_pod(limits_of_part(cores, memory), cards=cards, policy=NATIVE, profile=profile)


def page_of(bad: PodExample, good: PodExample, sources: str) -> RuleDoc:
    """The examples and sources of the page of a rule; ``sources``: short names of documents."""
    return RuleDoc(bad, good, "; ".join(k.DOCUMENTS[tag] for tag in sources.split(", ")))


# --- the annotation container-multiple-gpu: its syntax, its length, its numbers ------------------

AT_LIST = (k.MULTIPLE_GPU,)
LIST_FORM = k.LISTED.FORM
LISTED_AS_ZERO = ListEntryIs(k.LISTED, Range(0, 0))
LIST_OF_TWO = example_pod(limits_of_part(), {}, cards="2,0", policy=NATIVE)


@rule(
    "VKE016",
    Severity.ERROR,
    fix="safe",
    constraint=Constraint(IsAnnotated(k.MULTIPLE_GPU, LIST_FORM), HAS_LIST, AT_LIST, per_container=False),
    page=page_of(example_pod(limits_of_part(), {}, cards="2, 0"), LIST_OF_TWO, "V"),
)
def card_list_is_well_formed(
    this: Rule, violation: Violation, pod: PodKeys, _: Context
) -> Iterator[Diagnostic]:
    """`vke.volcengine.com/container-multiple-gpu` is whole numbers joined by commas, without spaces.

    ## What it does
    Reports `container-multiple-gpu` that is empty, or has anything else than whole numbers and commas.

    ## Why
    The vendor's code parses each part without trimming it, and rejects the pod.

    ## Fix
    Safe: removes the spaces, where nothing else is wrong.
    """
    listed = violation.value_at
    closed_up = re.sub(r"\s*,\s*", ",", listed.text.strip())
    if LIST_FORM.fullmatch(closed_up):
        hint = _write(closed_up)
        message = msg("{key} {text} contains spaces", key=SHORT, text=repr(listed.text))
        yield this.diagnostic(listed, message, hint, fix=Fix(hint, (Put(listed.path, closed_up),)))
    elif listed.kind is not ScalarKind.NODE:  # a mapping or list in place of a string is K8S008
        message = msg("{key} {text} is not a list of whole numbers", key=SHORT, text=repr(listed.text))
        hint = msg(
            'write the number of cards of each container ({names}), joined by commas, such as "{shape}"',
            names=_names(pod),
            shape=_shape(pod),
        )
        yield this.diagnostic(listed, message, hint)


@rule(
    "VKE017",
    Severity.ERROR,
    fix="unsafe",
    missing=True,
    constraint=Constraint(
        ListCoversContainers(k.LISTED), IsAnnotated(k.MULTIPLE_GPU, LIST_FORM), AT_LIST, per_container=False
    ),
    page=page_of(example_pod(limits_of_part(), {}, cards="2"), LIST_OF_TWO, "V"),
)
def card_list_covers_every_container(
    this: Rule, violation: Violation, pod: PodKeys, _: Context
) -> Diagnostic:
    """`vke.volcengine.com/container-multiple-gpu` has one number for each container.

    ## What it does
    Compares the length of `container-multiple-gpu` with `spec.containers`; init containers do not count.

    ## Why
    The numbers belong to the containers in their order, 0 to one without a share; the vendor's webhook
    rejects another length. Knative, KServe, Argo, Istio, Linkerd and Dapr add containers: there a longer
    list is right, with as many numbers above 0 as there are containers with a share.

    ## Fix
    Unsafe: writes a list with the same numbers and a 0 for each container without a share, where it is
    certain which number belongs to which container.
    """
    listed = violation.value_at
    message = msg(
        '{key} "{text}" does not have one number per container ({names})',
        key=SHORT,
        text=listed.text,
        names=_names(pod),
    )
    right = ",".join(map(str, k.LISTED.spread(pod, [int(part) for part in listed.text.split(",")])))
    if not right:
        return this.diagnostic(listed, message, msg("write it in this form: {shape}", shape=_shape(pod)))
    hint = _write(right)
    return this.diagnostic(listed, message, hint, fix=Fix(hint, (Put(listed.path, right),), safe=False))


def _write(text: str) -> Message:
    return msg('write "{text}"', text=text)


def _names(pod: PodKeys) -> str:
    return ", ".join(map(name_of, pod.containers))


def _shape(pod: PodKeys) -> str:
    """The list with a placeholder for each container that has a share."""
    return ",".join(
        f"<cards of {name_of(container)}>" if k.LISTED.asked_by(container) else "0"
        for container in pod.containers
    )


REQUESTS_MGPU = Requests(*k.RESOURCES)


def _place_in_list(violation: Violation, listed: Value) -> Message:
    place = violation.container.index + 1
    return msg('number {place} of {key} "{text}"', place=place, key=SHORT, text=listed.text)


def _listed_without_mgpu(this: Rule, violation: Violation, pod: PodKeys, context: Context) -> Diagnostic:
    listed = pod.annotations[k.MULTIPLE_GPU]
    message = msg(
        "{number} is {count}, but container {container} requests no mGPU",
        number=_place_in_list(violation, listed),
        count=listed_cards(violation, pod),
        container=violation.container.name,
    )
    return this.diagnostic(
        listed, message, "write 0 there, or add mgpu-core and mgpu-memory to the container"
    )


@rule(
    "VKE018",
    Severity.ERROR,
    missing=True,
    constraint=Constraint(
        (REQUESTS_MGPU & ~LISTED_AS_ZERO) | (~REQUESTS_MGPU & LISTED_AS_ZERO),
        ORDINARY & ListEntryIs(k.LISTED),
        cases=((REQUESTS_MGPU, None), (~REQUESTS_MGPU, _listed_without_mgpu)),
    ),
    page=page_of(example_pod(limits_of_part(), {}, cards="2,1"), LIST_OF_TWO, "V"),
)
def card_list_matches_the_shares(this: Rule, violation: Violation, pod: PodKeys, _: Context) -> Diagnostic:
    """`vke.volcengine.com/container-multiple-gpu` has 0 for a container exactly when it requests no mGPU.

    ## What it does
    Reports a container with a share and 0 cards, and one without a share but with cards.

    ## Why
    The vendor's webhook rejects both.
    """
    name, listed = violation.container.name, pod.annotations[k.MULTIPLE_GPU]
    place = _place_in_list(violation, listed)
    message = msg("{number} is 0, but container {container} requests mGPU", number=place, container=name)
    hint = msg("write the number of cards of {container}: 1 to {most}", container=name, most=k.MAX_CARDS)
    return this.diagnostic(listed, message, hint)


@rule(
    "VKE019",
    Severity.ERROR,
    constraint=Constraint(~ListEntryIs(k.LISTED, Range(k.MAX_CARDS + 1)), ORDINARY, k.RESOURCES),
    page=page_of(several_cards_pod("10", 300, 40960), several_cards_pod("8", 320, 40960), "Q"),
)
def card_counts_are_in_range(this: Rule, violation: Violation, pod: PodKeys, _: Context) -> Diagnostic:
    """`vke.volcengine.com/container-multiple-gpu` has at most 8 for a container.

    ## What it does
    Reports a number above 8 in `container-multiple-gpu`.

    ## Why
    The vendor's table and its console accept 1 to 8.
    """
    message = msg(
        "container {container} shares {cards} cards, more than the maximum of {most}",
        container=name_of(violation.container),
        cards=listed_cards(violation, pod),
        most=k.MAX_CARDS,
    )
    hint = msg("write {most} or less, or split the work over several pods", most=k.MAX_CARDS)
    return this.diagnostic(pod.annotations[k.MULTIPLE_GPU], message, hint)


# --- compute and memory of a container that shares one card or has whole ones --------------------

PART_OF_ONE_CARD = ONE_CARD & compute(Range(1, k.FULL - 1))
HAS_LEAST_MEMORY = InRange(k.MEMORY, Range(k.SINGLE_CARD_MIN_MIB, k.SINGLE_CARD_MIN_MIB))
LEAST_NUMBERS = {k.CORE: 1, k.RECLAIMED_CORE: 1, k.MEMORY: 0}


@rule(
    "VKE003",
    Severity.ERROR,
    constraint=tuple(
        Constraint(InRange(name, Range(least)), ORDINARY & InRange(name), (name,))
        for name, least in LEAST_NUMBERS.items()
    ),
    page=page_of(example_pod(limits_of_part(0)), example_pod(), "V"),
)
def numbers_are_positive(this: Rule, violation: Violation, pod: PodKeys, _: Context) -> Diagnostic:
    """`vke.volcengine.com/mgpu-core` and `reclaimed-mgpu-core` are at least 1, and
    `vke.volcengine.com/mgpu-memory` is not negative.

    ## What it does
    Reports `mgpu-core` or `reclaimed-mgpu-core` of zero or less, and a negative `mgpu-memory`.

    ## Why
    The vendor's webhook rejects the pod. A container that needs no GPU omits the keys.
    """
    hint = msg(
        "write a number above 0, or remove the GPU keys of container {name}",
        name=name_of(violation.container),
    )
    return this.diagnostic(
        violation.value_at, outside(violation.name, violation.number, LEAST_NUMBERS[violation.name]), hint
    )


def _part_without_memory(this: Rule, violation: Violation, pod: PodKeys, context: Context) -> Diagnostic:
    message = msg(
        "container {container} requests {cores} % of a card without mgpu-memory",
        container=name_of(violation.container),
        cores=violation.number,
    )
    hint = msg("add {key} in MiB, at least {low}: 4 GiB is 4096", key=k.MEMORY, low=k.SINGLE_CARD_MIN_MIB)
    return this.diagnostic(violation.value_at, message, hint, on_key=True, missing=True)


def _just_enough_memory(this: Rule, violation: Violation, pod: PodKeys, context: Context) -> Diagnostic:
    message = msg(
        "mgpu-memory is exactly {low} MiB, which {page} excludes: greater than {low}",
        low=k.SINGLE_CARD_MIN_MIB,
        page=k.GREATER,
    )
    return this.diagnostic(violation.value_at, message, k.TEST_OR_MORE)


@rule(
    "VKE012",
    Severity.ERROR,
    constraint=(
        Constraint(Requests(k.MEMORY), PART_OF_ONE_CARD, COMPUTE, report=_part_without_memory),
        Constraint(~InRange(k.MEMORY, Range(0, k.SINGLE_CARD_MIN_MIB - 1)), PART_OF_ONE_CARD, (k.MEMORY,)),
        Constraint(
            ~HAS_LEAST_MEMORY,
            PART_OF_ONE_CARD,
            (k.MEMORY,),
            severity=Severity.WARNING,
            report=_just_enough_memory,
        ),
    ),
    page=page_of(example_pod(limits_of_part(memory=4)), example_pod(), "V, S0"),
)
def part_of_a_card_has_enough_memory(
    this: Rule, violation: Violation, pod: PodKeys, _: Context
) -> Diagnostic:
    """`vke.volcengine.com/mgpu-core` of 1 to 99 comes with `vke.volcengine.com/mgpu-memory` of at least 256
    MiB.

    ## What it does
    Reports compute of 1 to 99 without `mgpu-memory`, or with less than 256 MiB. Exactly 256 MiB is a warning:
    the code accepts it, volcengine.com/docs/6461/1581673 says "greater than 256". With a card list it is
    VKE024. In a translation, memory that `--round up` raises to the least.

    ## Why
    The vendor's webhook rejects the pod. A small number is often one in GiB: the unit is MiB.
    """
    low, mib = k.SINGLE_CARD_MIN_MIB, violation.number
    message = msg("mgpu-memory {mib}: a part of a card has at least {low} MiB", mib=mib, low=low)
    hint = msg("write {low} or more, in MiB", low=low)
    if 0 < mib <= 80:
        hint = msg("write {mib} for {gib} GiB, or {low} or more", mib=mib * 1024, gib=mib, low=low)
    return this.diagnostic(violation.value_at, message, hint)


@rule(
    "VKE013",
    Severity.ERROR,
    missing=True,
    constraint=Constraint(compute(WHOLE), ONE_CARD & compute(Range(k.FULL + 1)), COMPUTE),
    page=page_of(example_pod(limits_of_part(120, None)), example_pod(limits_of_part(200, None)), "V, VD"),
)
def compute_above_one_card_is_whole_cards(
    this: Rule, violation: Violation, pod: PodKeys, _: Context
) -> Diagnostic:
    """`vke.volcengine.com/mgpu-core` above 100 is a multiple of 100, unless `container-multiple-gpu` spreads
    it over several cards.

    ## What it does
    Reports compute of 101 to 199, 201 to 299 and so on in a pod without `container-multiple-gpu`.

    ## Why
    Without the annotation a container has a part of one card (1 to 99) or whole cards (100, 200).
    The vendor's webhook rejects any other value.
    """
    cores = violation.number
    low, cards = cores // k.FULL * k.FULL, cores // k.FULL + 1
    hint = msg("write {low} or {high} for whole cards", low=low, high=cards * k.FULL)
    if k.MEMORY in violation.container.resources:
        hint = msg("{hint}, without mgpu-memory", hint=hint)
    hint = msg("{hint}; or 1 to 99 to share one card", hint=hint)
    if cores % cards == 0:
        hint = msg(
            "{hint}; for {each} % of each of {cards} cards, list the cards in the annotation {key}",
            hint=hint,
            each=cores // cards,
            cards=cards,
            key=k.MULTIPLE_GPU,
        )
    message = msg(
        "mgpu-core {cores} is neither a part of one card (1 to 99) nor whole cards (100, 200, ...)",
        cores=cores,
    )
    return this.diagnostic(violation.value_at, message, hint)


def _capped(this: Rule, violation: Violation, cores: int, hint: str) -> Diagnostic:
    cards = whole_cards_text(cores // k.FULL)
    message = msg("mgpu-memory is not allowed with {cards} (mgpu-core {cores})", cards=cards, cores=cores)
    edits = tuple(Remove(value.path) for value in both_places(violation.container, k.MEMORY))
    fix = Fix("remove mgpu-memory: whole cards come with all of their memory", edits, safe=False)
    return this.diagnostic(violation.value_at, message, hint, on_key=True, fix=fix)


@rule(
    "VKE014",
    Severity.ERROR,
    fix="unsafe",
    missing=True,
    # whole cards of offline work are not documented
    constraint=Constraint(~InRange(k.CORE, WHOLE), ONE_CARD, (k.MEMORY,)),
    page=page_of(example_pod(limits_of_part(100)), example_pod(limits_of_part(100, None)), "V"),
)
def whole_cards_have_no_memory_cap(this: Rule, violation: Violation, pod: PodKeys, _: Context) -> Diagnostic:
    """Without `container-multiple-gpu`, a container with `vke.volcengine.com/mgpu-core` of 100 or more has no
    `vke.volcengine.com/mgpu-memory`.

    ## What it does
    Reports `mgpu-memory`, even 0, beside `mgpu-core` of 100, 200, ... without `container-multiple-gpu`. In a
    translation, memory of whole cards that `--round up` raises to all that they have.

    ## Why
    Whole cards come with all of their memory, and the vendor's webhook rejects a number for it.

    ## Fix
    Unsafe: removes `mgpu-memory`, so that the container has the cards with all of their memory.
    """
    hint = "remove mgpu-memory, or write mgpu-core: 99 to share one card"
    return _capped(this, violation, cores_of(violation.container), hint)


@rule(
    "VKE021",
    Severity.ERROR,
    fix="unsafe",
    constraint=Constraint(~HAS_LISTED_CARDS, ORDINARY & HAS_LIST, (k.MEMORY,)),
    page=page_of(
        example_pod(limits_of_part(200, 8192), cards="2"),
        example_pod(limits_of_part(200, None), cards="2"),
        "V, VD",
    ),
)
def listed_whole_cards_have_no_memory_cap(
    this: Rule, violation: Violation, pod: PodKeys, _: Context
) -> Diagnostic:
    """`vke.volcengine.com/mgpu-memory` is not set beside `vke.volcengine.com/mgpu-core` of 100 for each card
    of `container-multiple-gpu`.

    ## What it does
    Reports `mgpu-memory` where `mgpu-core` is 100 times the number in `container-multiple-gpu`.

    ## Why
    That is all compute of the cards: the container has them alone, with all of their memory, and the
    vendor's webhook rejects a number for it. Half of two cards (100 with "2") is a shared part.

    ## Fix
    Unsafe: removes `mgpu-memory`, so that the container has the cards with all of their memory.
    """
    cores = cores_of(violation.container)
    maximum = (k.FULL - 1) * (cores // k.FULL)
    hint = msg("remove mgpu-memory, or write mgpu-core: {most} or less to share the cards", most=maximum)
    return _capped(this, violation, cores, hint)


# --- compute and memory of a container that shares listed cards, and its policy ------------------

LISTED_CARDS_HAVE_MEMORY = of.AtLeast(k.MEMORY, k.MULTI_CARD_MIN_MIB, k.LISTED)
SHARES_LISTED_MEMORY = SHARES_LISTED & of.InRange(k.MEMORY, Range(0))
EQUAL_COMPUTE = of_compute(lambda name: of.Divides(name, k.LISTED))
POD_SHARES_SEVERAL = of.SomeContainer(
    SHARES_LISTED & of.Requests(*k.RESOURCES) & ListEntryIs(k.LISTED, Range(2))
)
OTHER_POLICIES = tuple(policy for policy in k.POLICIES.values() if policy != NATIVE)
COMPUTE_FITS_LISTED_CARDS = of_compute(lambda name: of.AtMost(name, k.FULL, k.LISTED))


def _unequal(this: Rule, violation: Violation, pod: PodKeys, key: str, least: int) -> Diagnostic:
    """A total that is not a multiple of the cards; ``least``: of it on each card."""
    cards = listed_cards(violation, pod)
    above = round_up(violation.number, cards)
    message = msg(
        "{key} {amount} is not a multiple of {cards}, the number of cards",
        key=key,
        amount=violation.number,
        cards=cards,
    )
    hint = msg("write {value}", value=above)
    if above - cards >= least * cards:
        hint = msg("write {low} or {high}", low=above - cards, high=above)
    return this.diagnostic(violation.value_at, message, hint)


def _unequal_memory(this: Rule, violation: Violation, pod: PodKeys, context: Context) -> Diagnostic:
    return _unequal(this, violation, pod, "mgpu-memory", k.MULTI_CARD_MIN_MIB)


@rule(
    "VKE022",
    Severity.ERROR,
    constraint=(
        Constraint(EQUAL_COMPUTE, SHARES_LISTED & compute(Range(1)) & COMPUTE_FITS_LISTED_CARDS, COMPUTE),
        Constraint(
            of.Divides(k.MEMORY, k.LISTED),
            SHARES_LISTED & LISTED_CARDS_HAVE_MEMORY,
            (k.MEMORY,),
            report=_unequal_memory,
        ),
    ),
    page=page_of(several_cards_pod("2", 31), several_cards_pod("2", 32), "V, Q"),
)
def cards_give_equal_parts(this: Rule, violation: Violation, pod: PodKeys, _: Context) -> Diagnostic:
    """`vke.volcengine.com/mgpu-core` and `vke.volcengine.com/mgpu-memory` are multiples of the number of
    cards in `container-multiple-gpu`.

    ## What it does
    Reports `mgpu-core` or `mgpu-memory` that is not a multiple of the number in `container-multiple-gpu`.

    ## Why
    Both are totals: every card gives an equal part, in whole percent and MiB. The webhook rejects others.
    """
    return _unequal(this, violation, pod, "mgpu-core", 1)


@rule(
    "VKE023",
    Severity.ERROR,
    constraint=Constraint(COMPUTE_FITS_LISTED_CARDS, SHARES_LISTED & compute(), COMPUTE),
    page=page_of(several_cards_pod("2", 202), several_cards_pod("4", 240), "V, VD"),
)
def compute_fits_the_listed_cards(this: Rule, violation: Violation, pod: PodKeys, _: Context) -> Diagnostic:
    """`vke.volcengine.com/mgpu-core` is at most 100 for each card of `container-multiple-gpu`.

    ## What it does
    Reports `mgpu-core` above 100 times the container's number in `container-multiple-gpu`.

    ## Why
    `mgpu-core` is a total over the cards, and a card has 100. The vendor's webhook rejects the pod.
    """
    cores, maximum = violation.number, k.FULL * listed_cards(violation, pod)
    message = msg(
        "mgpu-core {cores} is above the maximum of {most} (100 per listed card)", cores=cores, most=maximum
    )
    hint = msg(
        "write less than {most}, or list at least {cards} cards for container {container}",
        most=maximum,
        cards=round_up(cores, k.FULL) // k.FULL,
        container=name_of(violation.container),
    )
    return this.diagnostic(violation.value_at, message, hint)


def _least_memory(violation: Violation, pod: PodKeys) -> Message:
    """The least memory of the listed cards of a container, in words."""
    cards = listed_cards(violation, pod)
    least = msg("{low} MiB", low=k.MULTI_CARD_MIN_MIB * cards)
    if cards > 1:
        least = msg("{total} ({each} MiB per card)", total=least, each=k.MULTI_CARD_MIN_MIB)
    return least


def _listed_without_memory(this: Rule, violation: Violation, pod: PodKeys, context: Context) -> Diagnostic:
    message = msg(
        "container {container} shares listed cards without mgpu-memory",
        container=name_of(violation.container),
    )
    hint = msg("add {key}: at least {low}", key=k.MEMORY, low=_least_memory(violation, pod))
    return this.diagnostic(violation.value_at, message, hint, on_key=True, missing=True)


def _above_documented_memory(this: Rule, violation: Violation, pod: PodKeys, context: Context) -> Diagnostic:
    message = msg(
        "mgpu-memory {mib} is above the documented maximum of {most} MiB per card",
        mib=violation.number,
        most=k.MULTI_CARD_MAX_MIB,
    )
    hint = msg(
        "write {most} or less, or check on the cluster: component v0.6.1 supports larger cards",
        most=k.MULTI_CARD_MAX_MIB * listed_cards(violation, pod),
    )
    return this.diagnostic(violation.value_at, message, hint)


@rule(
    "VKE024",
    Severity.ERROR,
    constraint=(
        Constraint(
            of.Requests(k.MEMORY),
            SHARES_LISTED & compute(Range(1)),
            COMPUTE,
            report=_listed_without_memory,
        ),
        Constraint(LISTED_CARDS_HAVE_MEMORY, SHARES_LISTED_MEMORY, (k.MEMORY,)),
        Constraint(
            of.AtMost(k.MEMORY, k.MULTI_CARD_MAX_MIB, k.LISTED),
            SHARES_LISTED_MEMORY & LISTED_CARDS_HAVE_MEMORY,
            (k.MEMORY,),
            severity=Severity.WARNING,
            report=_above_documented_memory,
        ),
    ),
    page=page_of(several_cards_pod("2", 30, 1024), several_cards_pod("2", 30, 2048), "Q, V, R"),
)
def memory_on_each_listed_card_is_in_range(
    this: Rule, violation: Violation, pod: PodKeys, _: Context
) -> Diagnostic:
    """`vke.volcengine.com/mgpu-memory` is 1024 to 81920 MiB for each card of `container-multiple-gpu`.

    ## What it does
    Reports `mgpu-memory` that is missing or below 1024 MiB per card of `container-multiple-gpu`, even for one
    card. More than 81920 MiB per card is a warning: newer components support larger cards. In a translation,
    memory that `--round up` raises to the least.

    ## Why
    `mgpu-memory` is a total over the cards. Pods with the annotation have a minimum of their own, and
    the vendor's webhook rejects less.
    """
    message = msg(
        "mgpu-memory {mib} is below the minimum of {low}",
        mib=violation.number,
        low=_least_memory(violation, pod),
    )
    low = k.MULTI_CARD_MIN_MIB * listed_cards(violation, pod)
    return this.diagnostic(
        violation.value_at,
        message,
        msg("write {low} or more: the value is the total over the cards", low=low),
    )


@rule(
    "VKE025",
    Severity.INFO,
    constraint=Constraint(
        compute(Range(0, None, 10)),
        SHARES_LISTED & compute(Range(k.FULL + 1)) & COMPUTE_FITS_LISTED_CARDS & EQUAL_COMPUTE,
        COMPUTE,
    ),
    page=page_of(several_cards_pod("3", 123, 6144), several_cards_pod("3", 120, 6144), "Q"),
)
def console_can_show_the_compute(this: Rule, violation: Violation, pod: PodKeys, _: Context) -> Diagnostic:
    """`vke.volcengine.com/mgpu-core` above 100 is a multiple of 10 beside `container-multiple-gpu`, as in the
    console's form.

    ## What it does
    Reports `mgpu-core` above 100 that is not a multiple of 10, on several listed cards. In a translation to
    the console's form, compute that `--round up` raises to whole cards.

    ## Why
    Above one card the form accepts compute in cards with one decimal. The manifest is valid, but the
    console cannot edit it without changing the number.
    """
    cores = violation.number
    above = round_up(cores, 10)
    return this.diagnostic(
        violation.value_at,
        msg("the console's form does not accept {cards} cards of compute", cards=f"{cores / k.FULL:.2f}"),
        msg(
            "no change is needed in a manifest; in the form, write {low} or {high}",
            low=(above - 10) / k.FULL,
            high=above / k.FULL,
        ),
    )


@rule(
    "VKE026",
    Severity.WARNING,
    constraint=Constraint(
        of.IsAnnotated(k.POLICY) & ~of.IsAnnotated(k.POLICY, *OTHER_POLICIES),
        POD_SHARES_SEVERAL,
        (k.MULTIPLE_GPU,),
        per_container=False,
    ),
    page=page_of(
        example_pod(cards="2", policy="fixed-share"), example_pod(cards="2", policy=NATIVE), "V, S0, Q"
    ),
)
def several_shared_cards_use_native_burst(
    this: Rule, violation: Violation, pod: PodKeys, _: Context
) -> Diagnostic:
    """A pod that shares several cards has `vke.volcengine.com/mgpu-compute-policy: native-burst-share`.

    ## What it does
    Reports a pod in which a container shares more than one card under another policy, or under none,
    which means `fixed-share`.

    ## Why
    The vendor's scheduler code places such a pod only on nodes with `native-burst-share`, and requires
    the policy on the pod too. Its console and an older page allow any policy: test it on the cluster.
    """
    policy = pod.annotations.get(k.POLICY)
    message = msg(
        "the policy of the pod is {policy}, but the vendor's scheduler code requires {native} "
        "for several shared cards",
        policy=policy_text(pod),
        native=NATIVE,
    )
    text = "write {key}: {policy} on the pod and its nodes, or test it on the cluster"
    if HAS_LEVEL.holds(pod):
        text = (
            "several cards have no level: remove {level}, and write {key}: {policy} on the pod and its "
            "nodes, or test it on the cluster"
        )
    hint = msg(text, key=k.POLICY, policy=NATIVE, level=k.QOS)
    return this.diagnostic(policy or violation.value_at, message, hint, missing=policy is None)


# --- what a pod with mGPU requests beside, its policy, and online and offline work on one card ---

LEVELS = tuple(k.QOS_LEVELS.values())
HAS_LEVEL, NOT_NATIVE = of.IsAnnotated(k.QOS, *LEVELS), ~of.IsAnnotated(k.POLICY, NATIVE)
BURST = "guaranteed-burst-share"
SHARES_CARDS = ORDINARY & of_compute(
    lambda name: of.InRange(name) & ~of.InRange(name, Range(0, None, k.FULL))
)
SHARING = of.SomeContainer(SHARES_CARDS)
CHOOSES_POLICY = of.RequiresNodeLabel(k.POLICY)


def _asking_for(policy: str) -> of.Predicate:
    """A pod with a part of a card asks for a policy, by its annotation or by having none."""
    annotated = of.IsAnnotated(k.POLICY, policy)
    return SHARING & (annotated | ~of.IsAnnotated(k.POLICY) if policy == DEFAULT_POLICY else annotated)


OWN_NODES = tuple(
    Constraint(
        MayRunOnNodeLabel(k.POLICY, policy),
        _asking_for(policy) & CHOOSES_POLICY,
        (k.POLICY,),
        per_container=False,
    )
    for policy in k.POLICIES.values()
)


def _policy_of(profile: Profile | None) -> tuple[str, ...]:
    """The policy of the nodes of a profile, in the word of the annotation; empty where it does not say."""
    if profile is None or not profile.is_of(k.NAMES) or profile.policy is None:
        return ()
    return (k.POLICY_NAMES.get(profile.policy, profile.policy),)


def _of_profile(profile: Profile) -> tuple[Constraint, ...]:
    """Pods that do not choose their nodes go to those of the profile."""
    on_nodes = _policy_of(profile) if profile.target in k.NAMES else ()
    return tuple(
        Constraint(
            of.NEVER,
            _asking_for(policy) & ~CHOOSES_POLICY,
            (k.POLICY,),
            per_container=False,
            report=_policy_of_profile,
        )
        for policy in k.POLICIES.values()
        if on_nodes and policy not in on_nodes
    )


def _policy_of_profile(this: Rule, violation: Violation, pod: PodKeys, context: Context) -> Diagnostic:
    return _other_policy(this, pod, _policy_of(context.profile), missing=True)


def _other_policy(this: Rule, pod: PodKeys, on_nodes: tuple[str, ...], *, missing: bool) -> Diagnostic:
    """The finding that nodes have another policy than the pod, or that their policy is not known."""
    annotation = pod.annotations.get(k.POLICY)
    policy = annotation.text if annotation else DEFAULT_POLICY
    hint = msg("select nodes with {policy}", policy=policy)
    if on_nodes:
        hint = msg(
            "write the annotation {key}: {node}, or select nodes with {policy}",
            key=k.POLICY,
            node=on_nodes[0],
            policy=policy,
        )
    return this.diagnostic(
        annotation or Mgpu.of(SHARES_CARDS.containers(pod)[0], pod).first,
        msg(
            "the policy of the pod is {policy}, but its nodes have {nodes}",
            policy=policy_text(pod),
            nodes=join_or(on_nodes) or "none",
        ),
        hint,
        on_key=annotation is None,
        missing=missing or annotation is None,
    )


@rule(
    "VKE005",
    Severity.ERROR,
    constraint=OWN_NODES,
    with_profile=WithProfile(_of_profile, NEEDS_MODES),
    page=page_of(
        example_pod(policy=NATIVE, profile="policy: burst-share"), example_pod(policy=BURST), "S0, V"
    ),
)
def policy_is_that_of_the_node(
    this: Rule, violation: Violation, pod: PodKeys, context: Context
) -> Diagnostic:
    """`vke.volcengine.com/mgpu-compute-policy` of a pod is the policy of its nodes.

    ## What it does
    Compares the policy of the pod, `fixed-share` where it sets none, with the policy of the nodes:
    from the pod's own nodeSelector or required affinity, else from the profile. A pod with whole
    cards runs on nodes of any policy.

    ## Why
    The policy is a property of the node. A pod that requests another policy stays pending.
    """
    on_nodes = _chosen_policies(pod)
    return _other_policy(this, pod, on_nodes or _policy_of(context.profile), missing=not on_nodes)


def _chosen_policies(pod: PodKeys) -> tuple[str, ...]:
    """The policies of the nodes that the pod chooses; empty where it does not say all of them."""
    if k.POLICY in pod.node_selector:
        return (pod.node_selector[k.POLICY].text,)
    required = pod.required_by_all_terms(k.POLICY)
    if all(requirement.operator == "In" for requirement in required):
        return tuple(dict.fromkeys(text for requirement in required for text in requirement.values))
    return ()


ANNOTATED_TO_VCI = of.IsAnnotated(k.BURST_TO_VCI, "enforce")
LABELLED_TO_VCI = of.Labelled(k.BURST_TO_VCI, "enforce")


def _sent_to_vci(this: Rule, value: Value) -> Diagnostic:
    hint = msg("remove {key}, or request whole cards that VCI offers", key=k.BURST_TO_VCI)
    return this.diagnostic(
        value, "the pod requests mGPU, but is sent to VCI, which does not support it", hint
    )


def _labelled_to_vci(this: Rule, violation: Violation, pod: PodKeys, context: Context) -> Diagnostic:
    return _sent_to_vci(this, pod.labels[k.BURST_TO_VCI])


@rule(
    "VKE006",
    Severity.ERROR,
    constraint=Constraint(
        ~ANNOTATED_TO_VCI & ~LABELLED_TO_VCI,
        of.SomeContainer(REQUESTS_MGPU),
        (k.BURST_TO_VCI,),
        per_container=False,
        cases=((ANNOTATED_TO_VCI, None), (LABELLED_TO_VCI, _labelled_to_vci)),
    ),
    page=page_of(example_pod(vci="enforce"), example_pod(), "S0, VCI"),
)
def no_mgpu_on_vci(this: Rule, violation: Violation, pod: PodKeys, _: Context) -> Diagnostic:
    """A pod with `vke.volcengine.com/mgpu-core` has no `vke.volcengine.com/burst-to-vci: enforce`.

    ## What it does
    Reports `vke.volcengine.com/burst-to-vci: enforce`, as annotation or label, on a pod that requests
    mGPU.

    ## Why
    mGPU runs on ECS nodes only; VCI does not support it.
    """
    return _sent_to_vci(this, pod.annotations[k.BURST_TO_VCI])


@rule(
    "VKE007",
    Severity.WARNING,
    constraint=Constraint(
        ~of.SomeContainer(REQUESTS_MGPU), ~REQUESTS_MGPU & of.InRange(NVIDIA_GPU, Range(1)), (NVIDIA_GPU,)
    ),
    page=page_of(
        example_pod(limits_of_part(), {NVIDIA_GPU: Value.of(1)}),
        example_pod(limits_of_part(), limits_of_part(100, None)),
        "V, Q",
    ),
)
def pod_uses_one_device_stack(this: Rule, violation: Violation, pod: PodKeys, _: Context) -> Diagnostic:
    """In a pod with `vke.volcengine.com/mgpu-core`, no other container requests `nvidia.com/gpu`.

    ## What it does
    Reports `nvidia.com/gpu` in one container while another container of the pod requests mGPU. Both
    in one container are K8S007.

    ## Why
    A node runs either the mGPU device plug-in or NVIDIA's, so it is unlikely to offer both.
    """
    hint = msg(
        "write {key}: {cores} for {cards}, or use separate pods",
        key=k.CORE,
        cores=k.FULL * violation.number,
        cards=whole_cards_text(violation.number),
    )
    message = "the pod requests mGPU and nvidia.com/gpu, but a node offers only one of them"
    return this.diagnostic(violation.value_at, message, hint, on_key=True)


ONLINE_COMPUTE, OFFLINE_COMPUTE = Requests(k.CORE), Requests(k.RECLAIMED_CORE)


def _online_and_offline_compute(
    this: Rule, violation: Violation, pod: PodKeys, context: Context
) -> Diagnostic:
    message = msg("container {name} requests online and offline compute", name=name_of(violation.container))
    hint = "keep reclaimed-mgpu-core if qos_level is reclaimed_cores, otherwise mgpu-core"
    name = k.CORE if OFFLINE.holds(pod) else k.RECLAIMED_CORE
    return this.diagnostic(violation.container.resources[name], message, hint, on_key=True)


def _offline_compute_online(this: Rule, violation: Violation, pod: PodKeys, context: Context) -> Diagnostic:
    message = msg(
        "container {container} of an online pod requests offline compute",
        container=name_of(violation.container),
    )
    hint = msg("add the annotation {key}: reclaimed_cores to the pod, or write mgpu-core", key=k.QOS)
    missing = k.QOS not in pod.annotations
    return this.diagnostic(violation.value_at, message, hint, on_key=True, missing=missing)


@rule(
    "VKE029",
    Severity.ERROR,
    fix="unsafe",
    constraint=Constraint(
        ~(ONLINE_COMPUTE & (OFFLINE | OFFLINE_COMPUTE))
        & ~(OFFLINE_COMPUTE & ~OFFLINE & (~of.IsAnnotated(k.QOS) | of.IsAnnotated(k.QOS, *LEVELS))),
        ORDINARY,
        COMPUTE,
        cases=(
            (ONLINE_COMPUTE & ~OFFLINE_COMPUTE, None),
            (ONLINE_COMPUTE & OFFLINE_COMPUTE, _online_and_offline_compute),
            (OFFLINE_COMPUTE & ~ONLINE_COMPUTE, _offline_compute_online),
        ),
    ),
    page=page_of(example_pod(qos="reclaimed_cores"), offline(), "S1"),
)
def offline_compute_is_reclaimed(this: Rule, violation: Violation, pod: PodKeys, _: Context) -> Diagnostic:
    """Pods with `qos_level: reclaimed_cores`, and no others, request compute as
    `vke.volcengine.com/reclaimed-mgpu-core`.

    ## What it does
    Reports `mgpu-core` in a pod whose level is `reclaimed_cores`, and `reclaimed-mgpu-core` in any
    other pod.

    ## Why
    The level marks the pod as offline, and the key requests offline compute: the vendor's guide always
    uses both together. With only one of them, level and compute contradict each other.

    ## Fix
    Unsafe: renames `mgpu-core` of an offline pod to `reclaimed-mgpu-core`. The pod may be meant as
    online work.
    """
    container, fix = violation.container, None
    if 0 < cores_of(container) < k.FULL:  # whole cards of offline work are not documented
        edits = (Rename(at.path, k.RECLAIMED_CORE, at.plain) for at in both_places(container, k.CORE))
        fix = Fix("rename mgpu-core to reclaimed-mgpu-core", tuple(edits), safe=False)
    message = msg(
        "container {container} of an offline pod requests online compute", container=name_of(container)
    )
    hint = "write reclaimed-mgpu-core, or remove qos_level reclaimed_cores from the pod"
    return this.diagnostic(violation.value_at, message, hint, on_key=True, fix=fix)


UNSUPPORTED = msg("online and offline work on one card does not support {policy}", policy=NATIVE)


@rule(
    "VKE030",
    Severity.ERROR,
    constraint=(
        Constraint(NOT_NATIVE, POD_HAS_MGPU & HAS_LEVEL & OFFLINE, (k.POLICY,), per_container=False),
        Constraint(
            NOT_NATIVE,
            POD_HAS_MGPU & HAS_LEVEL & ~OFFLINE,
            (k.POLICY,),
            per_container=False,
            severity=Severity.WARNING,
        ),
    ),
    page=page_of(offline(policy=NATIVE), offline(policy=BURST), "S1"),
)
def colocation_policy_is_supported(this: Rule, violation: Violation, pod: PodKeys, _: Context) -> Diagnostic:
    """A pod with `katalyst.kubewharf.io/qos_level` has the policy `fixed-share` or `guaranteed-burst-share`.

    ## What it does
    Reports `native-burst-share` on an offline pod, and as a warning on a pod that is marked online. A
    pod without a level may have any policy.

    ## Why
    Colocation supports the other two policies only; the vendor recommends `guaranteed-burst-share`.
    """
    hint = "write guaranteed-burst-share"
    if POD_SHARES_SEVERAL.holds(pod):
        hint = "remove the QoS level from the pod: several cards have none"
    elif not OFFLINE.holds(pod):
        hint = "write guaranteed-burst-share, or remove the QoS level from the pod"
    return this.diagnostic(violation.value_at, UNSUPPORTED, hint)


@rule(
    "VKE042",
    Severity.INFO,
    missing=True,
    constraint=Constraint(
        of.IsAnnotated(k.POLICY),
        POD_HAS_MGPU & OFFLINE & ~HAS_LIST,
        (k.QOS,),
        per_container=False,
    ),
    page=page_of(offline(), offline(policy=BURST), "S1"),
)
def offline_pod_says_its_policy(this: Rule, violation: Violation, pod: PodKeys, _: Context) -> Diagnostic:
    """A pod with `qos_level: reclaimed_cores` names `vke.volcengine.com/mgpu-compute-policy`, best
    `guaranteed-burst-share`.

    ## What it does
    Reports an offline pod without the annotation, which means `fixed-share`.

    ## Why
    Colocation supports `fixed-share` too; the vendor recommends `guaranteed-burst-share`: offline work then
    uses the compute that online work leaves free.
    """
    message = msg("the offline pod names no policy, which means {policy}", policy=DEFAULT_POLICY)
    hint = msg("write {key}: {policy} where its nodes have it", key=k.POLICY, policy=BURST)
    return this.diagnostic(violation.value_at, message, hint, missing=True)


@rule(
    "VKE031",
    Severity.ERROR,
    constraint=Constraint(~of.IsAnnotated(k.MULTIPLE_GPU), OFFLINE, (k.MULTIPLE_GPU,), per_container=False),
    page=page_of(offline(cards="2"), offline(), "S1"),
)
def offline_shares_one_card(this: Rule, violation: Violation, pod: PodKeys, _: Context) -> Diagnostic:
    """A pod with `qos_level: reclaimed_cores` has no `vke.volcengine.com/container-multiple-gpu`.

    ## What it does
    Reports `container-multiple-gpu` on a pod whose level is `reclaimed_cores`.

    ## Why
    Colocation does not support sharing of several cards.
    """
    hint = "remove the annotation, and request a part of one card"
    return this.diagnostic(violation.value_at, "an offline pod cannot share several cards", hint, on_key=True)


@rule(
    "VKE032",
    Severity.INFO,
    constraint=Constraint(of.NEVER, OFFLINE & ORDINARY, (k.MEMORY,)),
    page=page_of(offline(), example_pod(qos="shared_cores"), "S1"),
)
def memory_can_be_preempted(this: Rule, violation: Violation, pod: PodKeys, _: Context) -> Diagnostic:
    """Offline containers have no `vke.volcengine.com/mgpu-memory`, which online work cannot preempt.

    ## What it does
    Reports `mgpu-memory` of each offline container.

    ## Why
    Online work preempts compute, not memory: the offline container keeps its memory, so both must fit
    on the card at the same time. If they do, no change is needed.
    """
    message = "online work cannot preempt this memory, only compute"
    return this.diagnostic(
        violation.value_at, message, "make sure that it fits on the card beside the online work"
    )


# --- the cards of the nodes and the versions of components of a profile ---------------------------


def _unmet(profile: Profile | None, needed: Callable[[Any], Iterable[Requirement]]) -> Iterator[Message]:
    """The texts of the prerequisites that a profile does not meet. The module that has these is loaded only
    with a profile."""
    if profile is not None and profile.is_of(k.NAMES):
        from gpuxlate.backends.requirements import unmet
        from gpuxlate.backends.volcengine import nodes

        for lack in unmet(profile, tuple(needed(nodes))):
            need = lack.requirement
            yield msg(
                "{component} is {found}; required for {feature}: {bound}",
                feature=need.when,
                component=need.title,
                bound=need.bound,
                found=lack.value,
            )


def _of_the_list(profile: Profile | None) -> Iterator[Message]:
    return _unmet(profile, lambda needs: [needs.SEVERAL_CARDS])


def _of_large_cards(profile: Profile | None) -> Iterator[Message]:
    large = profile.cards if profile else CardProfile()
    return _unmet(profile, lambda needs: [needs.LARGE_CARDS] if needs.is_large(large) else [])


@rule(
    "VKE010",
    Severity.WARNING,
    no_policy="it adds up the cards of the containers",
    page=page_of(
        example_pod(limits_of_part(100, None), limits_of_part(), profile="cards: {perNode: 1}"),
        example_pod(limits_of_part(60, 8192), limits_of_part()),
        "V, W",
    ),
)
def shares_fit_the_cards_of_a_node(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """`vke.volcengine.com/mgpu-core` and `vke.volcengine.com/mgpu-memory` of a pod fit on the cards of one
    node, at most 16 shares per card.

    ## What it does
    Counts the whole cards of the pod and its shares of others, and compares with a node of the profile.

    ## Why
    A card holds at most 16 containers, and all containers of a pod run on one node.
    """
    profile, pod = cluster(context), pod.with_workload()
    cards = profile.cards.per_node if profile else None
    containers = mgpu_containers(pod)
    if cards is None or not containers:
        return
    whole = sum(share.whole_cards for share in containers)
    shares = sum(share.cards for share in containers if not share.whole_cards)
    needed = whole + round_up(shares, k.INSTANCES_PER_CARD) // k.INSTANCES_PER_CARD
    if needed > cards >= max(share.cards for share in containers):  # one container above the node: VKE020
        message = msg(
            "the pod needs {needed} cards (whole: {whole}; shared parts: {shares}, at most {most} per card); "
            "nodes in this profile have {cards}",
            needed=needed,
            whole=whole,
            shares=shares,
            most=k.INSTANCES_PER_CARD,
            cards=cards,
        )
        hint = "spread the containers over several pods"
        unlisted = k.MULTIPLE_GPU not in pod.annotations
        yield this.diagnostic(containers[0].first, message, hint, on_key=True, missing=unlisted)


def _of_a_node(profile: Profile) -> tuple[Constraint, ...]:
    """The cards in the list; without a list, whole cards. More than VKE019 allows is that rule's."""
    maximum = cards_per_node(profile, k.NAMES)
    if maximum is None:
        return ()
    listed = ORDINARY & ListEntryIs(k.LISTED, Range(1, k.MAX_CARDS))
    percent = replace(maximum, times=k.FULL)
    whole = [(name, ONE_CARD & InRange(name, WHOLE)) for name in COMPUTE]
    return (
        Constraint(AtMostParameter(k.LISTED, maximum), listed, k.RESOURCES),
        *(
            Constraint(
                AtMostParameter(name, percent), when if name == k.CORE else when & ~Requests(k.CORE), (name,)
            )
            for name, when in whole
        ),
    )


@rule(
    "VKE020",
    Severity.ERROR,
    with_profile=WithProfile(_of_a_node, NEEDS_CARDS),
    page=page_of(
        several_cards_pod("4", 200, 8192, "cards: {perNode: 2}"),
        several_cards_pod("2", 100, 8192),
        "V, VD",
    ),
)
def node_has_the_cards(this: Rule, violation: Violation, pod: PodKeys, context: Context) -> Diagnostic:
    """A container requests at most the cards of one node, with `vke.volcengine.com/mgpu-core` and
    `container-multiple-gpu`.

    ## What it does
    Compares the cards of each container, shared or whole, with those of a node in the profile.

    ## Why
    All cards of a container are on one node, so the pod is never scheduled.
    """
    profile, mgpu = cluster(context), Mgpu.of(violation.container, pod)
    problem, hint = too_many_cards(mgpu.cards, (profile.cards.per_node if profile else 0) or 0)
    message = msg("container {container} {problem}", container=name_of(mgpu.keys), problem=problem)
    return this.diagnostic(pod.annotations[k.MULTIPLE_GPU] if mgpu.listed else mgpu.first, message, hint)


HAS_OFFLINE_COMPUTE = ORDINARY & Requests(k.RECLAIMED_CORE)
OFFLINE_KEYS = IsAnnotated(k.QOS) | SomeContainer(HAS_OFFLINE_COMPUTE)


def _can_colocate(profile: Profile) -> tuple[Constraint, ...]:
    lacks = [*_unmet(profile, lambda needs: needs.COLOCATION)]
    return (Constraint(~(POD_HAS_MGPU & OFFLINE_KEYS), keys=(k.QOS,), per_container=False),) if lacks else ()


@rule(
    "VKE033",
    Severity.WARNING,
    with_profile=WithProfile(_can_colocate, NEEDS_MODES),
    page=page_of(offline(profile="kubernetesVersion: v1.28.15-vke.18"), example_pod(), "S1"),
)
def cluster_can_colocate(
    this: Rule, violation: Violation, pod: PodKeys, context: Context
) -> Iterator[Diagnostic]:
    """The cluster has the versions that `katalyst.kubewharf.io/qos_level` requires, for online and offline
    work on one card.

    ## What it does
    Compares Kubernetes, the mGPU driver and component, general-webhook and the node image of the
    profile with the vendor's table, for a pod with a QoS level or offline compute.

    ## Why
    Older components, and the node images velinux2.0 and ubuntu22.04, do not support offline compute.
    """
    qos, offline = pod.annotations.get(k.QOS), HAS_OFFLINE_COMPUTE.containers(pod)
    text = "without colocation: write {new} instead of {old}"
    if qos:
        both = "without colocation: remove {qos}, and write {new} instead of {old}"
        text = both if offline else "without colocation: remove {qos}"
    hint = msg(text, qos=k.QOS, new=k.CORE, old=k.RECLAIMED_CORE)
    for message in _unmet(context.profile, lambda needs: needs.COLOCATION):
        yield this.diagnostic(qos or offline[0].resources[k.RECLAIMED_CORE], message, hint)


def _knows_the_cards(profile: Profile) -> tuple[Constraint, ...]:
    several = Constraint(~(POD_HAS_MGPU & HAS_LIST), keys=(k.MULTIPLE_GPU,), per_container=False)
    options = [several] if any(_of_the_list(profile)) else []
    large = Constraint(~POD_HAS_MGPU, per_container=False, report=_no_large_cards)
    return (*options, *([large] if any(_of_large_cards(profile)) else []))


UPGRADE = "upgrade the component on the console's component page"


def _no_large_cards(this: Rule, violation: Violation, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    for message in _of_large_cards(context.profile):
        yield this.diagnostic(mgpu_containers(pod)[0].first, message, UPGRADE, on_key=True)


@rule(
    "VKE034",
    Severity.WARNING,
    with_profile=WithProfile(_knows_the_cards, NEEDS_MODES),
    page=page_of(
        example_pod(cards="2", profile="components: {mgpu: v0.1.9}"),
        example_pod(limits_of_part(15, 2048)),
        "R",
    ),
)
def component_knows_the_cards(
    this: Rule, violation: Violation, pod: PodKeys, context: Context
) -> Iterator[Diagnostic]:
    """The mgpu component is new enough for `vke.volcengine.com/container-multiple-gpu`, and for large cards.

    ## What it does
    Compares the mgpu component of the profile with v0.2.0 for a pod with `container-multiple-gpu`,
    and with v0.6.1 where the cards are H20 or have as much memory.

    ## Why
    Older components do not support the annotation, or such cards.
    """
    for message in _of_the_list(context.profile):
        yield this.diagnostic(pod.annotations[k.MULTIPLE_GPU], message, UPGRADE, on_key=True)
