"""Compute and memory of a container that shares one card or has whole ones."""

from __future__ import annotations

from gpuxlate.backends.numbers import both_places, outside
from gpuxlate.backends.volcengine import keys as k
from gpuxlate.backends.volcengine.rules import containers as c
from gpuxlate.model.diagnostics import Diagnostic, Fix, Severity
from gpuxlate.model.edits import Remove
from gpuxlate.model.messages import say
from gpuxlate.model.pod import PodKeys
from gpuxlate.model.sheet import Range
from gpuxlate.rules.base import Context, Rule, rule
from gpuxlate.rules.predicates.conditions import Amount, Asks
from gpuxlate.rules.predicates.predicate import Breach, Predicate

PART = c.ONE_CARD & c.compute(Range(1, k.FULL - 1))
JUST_ENOUGH = Amount(k.MEMORY, Range(k.SINGLE_CARD_MIN_MIB, k.SINGLE_CARD_MIN_MIB))
LEAST = {k.CORE: 1, k.RECLAIMED_CORE: 1, k.MEMORY: 0}


@rule(
    "VKE003",
    Severity.ERROR,
    predicate=tuple(
        Predicate(Amount(name, Range(least)), c.ORDINARY & Amount(name), (name,))
        for name, least in LEAST.items()
    ),
    page=c.page(c.shown(c.part(0)), c.shown(), "V"),
)
def numbers_are_positive(this: Rule, breach: Breach, pod: PodKeys, _: Context) -> Diagnostic:
    """Compute is above zero and memory is not negative.

    ## What it does
    Reports `mgpu-core` or `reclaimed-mgpu-core` of zero or less, and a negative `mgpu-memory`.

    ## Why
    The vendor's webhook rejects the pod. A container that needs no GPU omits the keys.
    """
    hint = say(
        "write a number above 0, or remove the GPU keys of container {name}", name=c.name_of(breach.inside)
    )
    return this.at(breach.there, outside(breach.name, breach.number, LEAST[breach.name]), hint)


@rule(
    "VKE012",
    Severity.ERROR,
    predicate=(
        Predicate(Asks(k.MEMORY), PART, c.COMPUTE),
        Predicate(~Amount(k.MEMORY, Range(0, k.SINGLE_CARD_MIN_MIB - 1)), PART, (k.MEMORY,)),
        Predicate(~JUST_ENOUGH, PART, (k.MEMORY,), severity=Severity.WARNING),
    ),
    page=c.page(c.shown(c.part(memory=4)), c.shown(), "V, S0"),
)
def part_of_a_card_has_enough_memory(this: Rule, breach: Breach, pod: PodKeys, _: Context) -> Diagnostic:
    """A part of one card comes with more than 256 MiB of memory.

    ## What it does
    Reports compute of 1 to 99 without `mgpu-memory`, or with less than 256 MiB. Exactly 256 MiB is a
    warning: the code accepts it, one page says "greater than 256". With a card list it is VKE024.

    ## Why
    The vendor's webhook rejects the pod. A small number is often one in GiB: the unit is MiB.
    """
    low, mib = k.SINGLE_CARD_MIN_MIB, breach.number
    if breach.name != k.MEMORY:
        message = say(
            "container {container} requests {cores} % of a card without mgpu-memory",
            container=c.name_of(breach.inside),
            cores=mib,
        )
        hint = say("add {key} in MiB, more than {low}: 4 GiB is 4096", key=k.MEMORY, low=low)
        return this.at(breach.there, message, hint, on_key=True, missing=True)
    if mib == low:
        message = say("mgpu-memory is exactly {low} MiB; the vendor's page says more than {low}", low=low)
        hint = say("write {value} or more", value=low + 1)
        return this.at(breach.there, message, hint)
    message = say(
        "mgpu-memory {mib} is below the minimum of {low} MiB for a part of a card", mib=mib, low=low
    )
    hint = say("write a number above {low}, in MiB", low=low)
    if 0 < mib <= 80:
        hint = say("write {mib} for {gib} GiB, or a number above {low}", mib=mib * 1024, gib=mib, low=low)
    return this.at(breach.there, message, hint)


@rule(
    "VKE013",
    Severity.ERROR,
    missing=True,
    predicate=Predicate(c.compute(c.WHOLE), c.ONE_CARD & c.compute(Range(k.FULL + 1)), c.COMPUTE),
    page=c.page(c.shown(c.part(120, None)), c.shown(c.part(200, None)), "V, VD"),
)
def compute_above_one_card_is_whole_cards(this: Rule, breach: Breach, pod: PodKeys, _: Context) -> Diagnostic:
    """Compute above 100 is a multiple of 100, unless an annotation spreads it over several cards.

    ## What it does
    Reports compute of 101 to 199, 201 to 299 and so on in a pod without `container-multiple-gpu`.

    ## Why
    Without the annotation a container has a part of one card (1 to 99) or whole cards (100, 200).
    The vendor's webhook rejects any other value.
    """
    cores = breach.number
    low, cards = cores // k.FULL * k.FULL, cores // k.FULL + 1
    hint = say("write {low} or {high} for whole cards", low=low, high=cards * k.FULL)
    if k.MEMORY in breach.inside.resources:
        hint = say("{hint}, without mgpu-memory", hint=hint)
    hint = say("{hint}; or 1 to 99 to share one card", hint=hint)
    if cores % cards == 0:
        hint = say(
            "{hint}; for {each} % of each of {cards} cards, list the cards in the annotation {key}",
            hint=hint,
            each=cores // cards,
            cards=cards,
            key=k.MULTIPLE_GPU,
        )
    message = say(
        "mgpu-core {cores} is neither a part of one card (1 to 99) nor whole cards (100, 200, ...)",
        cores=cores,
    )
    return this.at(breach.there, message, hint)


def _capped(this: Rule, breach: Breach, cores: int, hint: str) -> Diagnostic:
    cards = c.cards_text(cores // k.FULL)
    message = say("mgpu-memory is not allowed with {cards} (mgpu-core {cores})", cards=cards, cores=cores)
    edits = tuple(Remove(value.path) for value in both_places(breach.inside, k.MEMORY))
    fix = Fix("remove mgpu-memory: whole cards come with all of their memory", edits, safe=False)
    return this.at(breach.there, message, hint, on_key=True, fix=fix)


@rule(
    "VKE014",
    Severity.ERROR,
    fix="unsafe",
    missing=True,
    # whole cards of offline work are not documented
    predicate=Predicate(~Amount(k.CORE, c.WHOLE), c.ONE_CARD, (k.MEMORY,)),
    page=c.page(c.shown(c.part(100)), c.shown(c.part(100, None)), "V"),
)
def whole_cards_have_no_memory_cap(this: Rule, breach: Breach, pod: PodKeys, _: Context) -> Diagnostic:
    """A container with whole cards has no mgpu-memory.

    ## What it does
    Reports `mgpu-memory`, even 0, beside `mgpu-core` of 100, 200, ... without `container-multiple-gpu`.

    ## Why
    Whole cards come with all of their memory, and the vendor's webhook rejects a number for it.

    ## Fix
    Unsafe: removes `mgpu-memory`, so that the container has the cards with all of their memory.
    """
    hint = "remove mgpu-memory, or write mgpu-core: 99 to share one card"
    return _capped(this, breach, c.cores_of(breach.inside), hint)


@rule(
    "VKE021",
    Severity.ERROR,
    fix="unsafe",
    predicate=Predicate(~c.HAS_LISTED_CARDS, c.ORDINARY & c.HAS_LIST, (k.MEMORY,)),
    page=c.page(c.shown(c.part(200, 8192), cards="2"), c.shown(c.part(200, None), cards="2"), "V, VD"),
)
def listed_whole_cards_have_no_memory_cap(this: Rule, breach: Breach, pod: PodKeys, _: Context) -> Diagnostic:
    """A container that uses its listed cards whole has no mgpu-memory.

    ## What it does
    Reports `mgpu-memory` where `mgpu-core` is 100 times the number in `container-multiple-gpu`.

    ## Why
    That is all compute of the cards: the container has them alone, with all of their memory, and the
    vendor's webhook rejects a number for it. Half of two cards (100 with "2") is a shared part.

    ## Fix
    Unsafe: removes `mgpu-memory`, so that the container has the cards with all of their memory.
    """
    cores = c.cores_of(breach.inside)
    most = (k.FULL - 1) * (cores // k.FULL)
    hint = say("remove mgpu-memory, or write mgpu-core: {most} or less to share the cards", most=most)
    return _capped(this, breach, cores, hint)
