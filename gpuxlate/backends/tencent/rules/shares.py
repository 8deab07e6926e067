"""Rules on the numbers of a share: TKE001 to TKE008."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from gpuxlate.backends.numbers import number, off_step, outside, put_number
from gpuxlate.backends.row_rules import Example
from gpuxlate.backends.tencent import keys as k
from gpuxlate.model.diagnostics import Diagnostic, Fix, Severity
from gpuxlate.model.messages import either, say
from gpuxlate.model.pod import ContainerKeys, PodKeys, Value
from gpuxlate.model.profile import Profile
from gpuxlate.model.quantity import round_up
from gpuxlate.model.sheet import GIB, Range
from gpuxlate.rules.base import Context, Page, Rule, rule
from gpuxlate.rules.predicates.conditions import NEVER, Amount, Annotated, Any, Asks
from gpuxlate.rules.predicates.parameters import Within
from gpuxlate.rules.predicates.predicate import Breach, Predicate
from gpuxlate.rules.predicates.with_profile import CARDS, MODES, WithProfile, card_memory

CLASS, OFFLINE, GREEDY = Annotated(k.APP_CLASS), Annotated(k.APP_CLASS, "offline"), Asks(k.GREEDY)
ORDINARY, NOT_OFFLINE = ~CLASS & ~GREEDY, ~OFFLINE & ~GREEDY
WHOLE = Amount(k.CORE, k.WHOLE_CARDS)
OF_TWO, OF_SEVERAL = Amount(k.CORE, Range(101, 199)), Amount(k.CORE, Range(101, 1600)) & ~WHOLE
"""A part of each card; no node has more than 16."""
EVENLY = Any(
    *(
        Amount(k.CORE, Range(k.FULL * (cards - 1) + 1, k.FULL * cards, cards))
        & (Amount(k.MEMORY, Range(cards, None, cards)) | ~Amount(k.MEMORY, Range()))
        for cards in range(2, 17)
    )
)
"""Compute and memory are multiples of the cards."""
EACH_ON_STEP = tuple(Range(core, core) for core in range(101, 200) if not core // 2 % k.CORE_STEP)

POSITIVE = Predicate(Amount(k.MEMORY, Range()), Amount(k.MEMORY), (k.MEMORY,))
ON_STEP = Predicate(Amount(k.CORE, k.ONE_CARD, Range(101)), Amount(k.CORE) & ORDINARY, (k.CORE,))
WITH_MEMORY = Predicate(Asks(k.MEMORY), Amount(k.CORE, Range(1, 99)) & ORDINARY, (k.CORE,))
WITH_COMPUTE = Predicate(Asks(k.CORE), ORDINARY, (k.MEMORY,), severity=Severity.WARNING)
AT_MOST_TWO = Predicate(WHOLE, Amount(k.CORE, Range(201)) & NOT_OFFLINE, (k.CORE,))
EVEN = Predicate(EVENLY, OF_SEVERAL & NOT_OFFLINE, (k.CORE,))
MEMORY_OF_TWO = Predicate(Asks(k.MEMORY), OF_TWO & NOT_OFFLINE, (k.CORE,), severity=Severity.ERROR)
TWO_ON_STEP = Predicate(Amount(k.CORE, *EACH_ON_STEP), OF_TWO & ORDINARY, (k.CORE,))
NOT_WHOLE = Predicate(~WHOLE, NOT_OFFLINE, (k.MEMORY,))


def shown(app_class: str = "", policy: str = "", profile: str = "", **numbers: int) -> Example:
    """A pod of one container, its keys by short names: ``core=30``."""
    names = {"core": k.CORE, "memory": k.MEMORY, "greedy": k.GREEDY}
    return Example(
        ({names[name]: Value.of(str(number)) for name, number in numbers.items()},),
        {k.APP_CLASS: Value.of(app_class)} if app_class else {},
        selector={k.POLICY: Value.of(policy)} if policy else {},
        profile=f"target: {k.NAMES[0]}\n{profile}" if profile else "",
    )


def compute_of(container: ContainerKeys) -> int:
    return number(container.resources.get(k.CORE)) or 0


def _within_a_card(profile: Profile) -> tuple[Predicate, ...]:
    """Of one card, and of two; more are TKE005, and the memory of whole cards is ignored (TKE008)."""
    found = []
    for cards, compute in ((1, ~Amount(k.CORE, Range(k.FULL))), (2, OF_TWO)):
        most = card_memory(profile, k.NAMES, GIB)
        if most is not None:
            within = Within(k.MEMORY, replace(most, times=cards))
            found.append(Predicate(within, Amount(k.MEMORY) & compute, (k.MEMORY,)))
    return tuple(found)


def _more_than_a_card(this: Rule, breach: Breach, pod: PodKeys, context: Context) -> Diagnostic:
    card, container = k.card_gib(context.profile), breach.inside
    each = -(-breach.number // k.cards_of(compute_of(container)))
    text = "requests {each} GiB per GPU; GPUs in this profile have {there} GiB"
    hint = say("request at most {most} GiB per GPU", most=card)
    missing = k.CORE not in container.resources
    return this.at(breach.there, say(text, each=each, there=card), hint, missing=missing)


@rule(
    "TKE001",
    Severity.ERROR,
    predicate=POSITIVE,
    with_profile=WithProfile(_within_a_card, CARDS, _more_than_a_card),
    page=Page(shown(core=30, memory=0), shown(core=30, memory=1)),
)
def memory_is_positive(this: Rule, breach: Breach, pod: PodKeys, context: Context) -> Diagnostic:
    """`qgpu-memory` is at least 1 GiB, and no more than a card has.

    ## What it does
    Reports zero and negative `tke.cloud.tencent.com/qgpu-memory`. With a profile that sets
    `cards.memoryMiB`, also a share with more memory of one card than a card has.

    ## Why
    qGPU allocates memory in multiples of 1 G. A card has its GiB rounded down: a T4 of 15109 MiB has 14.

    ## Source
    Tencent Cloud, "GPU sharing: using qGPU" (2024-11-25); "managing GPU resources by CRD" (capacity of a
    T4), mirror of the TKE documents.
    """
    hint = k.tell('write {memory}: "1" or more, or remove it and request whole cards')
    return this.at(breach.there, outside(k.MEMORY, breach.number, 1), hint)


@rule(
    "TKE002",
    Severity.ERROR,
    fix="unsafe",
    predicate=ON_STEP,
    page=Page(shown(core=33, memory=5), shown(core=35, memory=5)),
)
def compute_on_the_step(this: Rule, breach: Breach, pod: PodKeys, context: Context) -> Diagnostic:
    """`qgpu-core` of one card is 5 to 100, in multiples of 5.

    ## What it does
    Reports `tke.cloud.tencent.com/qgpu-core` up to 100 that is below 5 or not a multiple of 5, in pods
    without `app-class`. `qgpu-core-greedy` of offline pods has no such step.

    ## Why
    qGPU allocates compute in multiples of 5 % of a card.

    ## Fix
    Rounds up to the next multiple of 5. Unsafe: the share takes more of the card, and 96 to 99 become a
    whole card.

    ## Source
    Tencent Cloud, "GPU sharing: using qGPU" (2024-11-25); docs 457/65734 (2026-01-16).
    """
    core = breach.number
    low = core < k.CORE_STEP
    message = outside(k.CORE, core, k.CORE_STEP) if low else off_step(k.CORE, core, k.CORE_STEP)
    if core < 1:
        hint = say("write a multiple of {step}, at most {most}", step=k.CORE_STEP, most=k.FULL)
        return this.at(breach.there, message, hint)
    above = round_up(core, k.CORE_STEP)
    near = either(f'"{one}"' for one in (above - k.CORE_STEP, above) if one)
    fix = Fix(
        say("Round qgpu-core up to {above}", above=above),
        put_number(breach.inside, k.CORE, above),
        safe=False,
    )
    return this.at(breach.there, message, say("write {numbers}", numbers=near), fix=fix)


@rule(
    "TKE003",
    Severity.ERROR,
    missing=True,
    predicate=(WITH_MEMORY, WITH_COMPUTE),
    page=Page(shown(core=30), shown(core=30, memory=5)),
)
def compute_and_memory_together(this: Rule, breach: Breach, pod: PodKeys, context: Context) -> Diagnostic:
    """A part of a card is requested with both compute and memory.

    ## What it does
    Reports `qgpu-core` below 100 without `qgpu-memory` (error), and `qgpu-memory` without `qgpu-core`
    (warning), in pods without `app-class`.

    ## Why
    A shared card needs both its part of compute and its memory; only whole cards come with all of their
    memory, and only online pods omit compute.

    ## Source
    Tencent Cloud, "GPU sharing: using qGPU", note on whole and fractional cards (2024-11-25).
    """
    if breach.name == k.CORE:
        hint = k.tell('add {memory} (GiB), or request a whole card: {core}: "100"')
        return this.at(breach.there, k.tell("{core} is set without {memory}"), hint)
    hint = k.tell("add {core} (percent of one card), or annotate the pod template {app_class}: online")
    return this.at(breach.there, k.tell("{memory} is set without {core}"), hint)


def _one_card(profile: Profile) -> tuple[Predicate, ...]:
    """No two shared cards, with an add-on of the profile that has one only."""
    one = Predicate(NEVER, OF_TWO & NOT_OFFLINE, (k.CORE,), severity=Severity.WARNING)
    return (one,) if k.old_addon(profile) else ()


def _old_addon(this: Rule, breach: Breach, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    old = k.old_addon(context.profile)
    if old is not None:
        yield this.at(breach.there, *old)


@rule(
    "TKE005",
    Severity.ERROR,
    predicate=AT_MOST_TWO,
    with_profile=WithProfile(_one_card, MODES, _old_addon),
    page=Page(shown(core=240, memory=60), shown(core=160, memory=60)),
)
def two_shared_cards_at_most(this: Rule, breach: Breach, pod: PodKeys, context: Context) -> Diagnostic:
    """A container shares at most two cards.

    ## What it does
    Reports `qgpu-core` above 200 that is not a multiple of 100. With a profile whose qGPU add-on is older
    than 1.1.1, also two shared cards (warning).

    ## Why
    The number of cards has no key: above 100 it is `qgpu-core` / 100, rounded up. A container may share
    two cards from add-on 1.1.1 and kernel module 3.0.5 on.

    ## Source
    Tencent Cloud, docs 457/127667 "several cards" and 457/117759, changes of the add-on (2026-01-13).
    """
    numbers = {"number": breach.number, "cards": k.cards_of(breach.number), "most": k.MAX_SHARED_CARDS}
    message = "{core} {number} is a part of {cards} cards; a container shares at most {most}"
    hint = 'write at most {most}00, or request {cards} whole cards: "{cards}00" without {memory}'
    return this.at(breach.there, k.tell(message, **numbers), k.tell(hint, **numbers))


@rule(
    "TKE006",
    Severity.WARNING,
    predicate=(MEMORY_OF_TWO, EVEN),
    page=Page(shown(core=121, memory=31), shown(core=120, memory=30)),
)
def even_parts(this: Rule, breach: Breach, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """Compute and memory of two shared cards divide evenly, and memory is set.

    ## What it does
    Reports `qgpu-core` and `qgpu-memory` of two cards that are odd (warning), and a missing `qgpu-memory`
    (error).

    ## Why
    Each card gives half of the total, rounded down: 121 and 31 become 60 % and 15 GiB of each card, so
    the container gets less than it requests.

    ## Source
    Tencent Cloud, docs 457/127667 "several cards".
    """
    memory, cards = breach.inside.resources.get(k.MEMORY), k.cards_of(breach.number)
    if this.severity is Severity.ERROR:
        text = "{core} {number} is a part of {cards} cards, without {memory}"
        message = k.tell(text, number=breach.number, cards=cards)
        hint = k.tell("add {memory} (GiB, total of the {cards} cards)", cards=cards)
        yield this.at(breach.there, message, hint, missing=True)
        return
    for name, spot in ((k.CORE, breach.there), (k.MEMORY, memory)):
        total = number(spot) or 0
        if spot is not None and total > 0 and total % cards:
            text = "{key} {total} is not a multiple of the {cards} cards; each card gives {each}"
            message = say(text, key=name, total=total, cards=cards, each=total // cards)
            yield this.at(spot, message, say("write a multiple of {cards}", cards=cards))


@rule(
    "TKE007",
    Severity.WARNING,
    predicate=TWO_ON_STEP,
    page=Page(shown(core=124, memory=30), shown(core=130, memory=30)),
)
def shared_cards_on_the_step(this: Rule, breach: Breach, pod: PodKeys, context: Context) -> Diagnostic:
    """Each of two shared cards gives a multiple of 5 percent.

    ## What it does
    Reports `qgpu-core` of two shared cards where the part of each card, rounded down, is not a multiple
    of 5 %.

    ## Why
    qGPU allocates multiples of 5 % of one card. Whether this holds for two cards is not documented; the
    vendor's example of two cards (121) gives 60 % of each.

    ## Source
    Tencent Cloud, docs 457/127667 "several cards"; "GPU sharing: using qGPU" (2024-11-25).
    """
    text = "{core} {number} is {each} % of each card, not a multiple of {step} %"
    message = k.tell(text, number=breach.number, each=breach.number // 2, step=k.CORE_STEP)
    return this.at(breach.there, message, say("write a multiple of {step}", step=k.CORE_STEP * 2))


@rule("TKE008", Severity.WARNING, predicate=NOT_WHOLE, page=Page(shown(core=100, memory=46), shown(core=100)))
def whole_cards_without_memory(this: Rule, breach: Breach, pod: PodKeys, context: Context) -> Diagnostic:
    """Whole cards are requested without `qgpu-memory`.

    ## What it does
    Reports `qgpu-memory` in a container with a `qgpu-core` of 100, 200, and so on.

    ## Why
    Whole cards come with all of their memory, and the documentation says to omit it. The open code
    ignores the number; with more than a card has, the pod may never be scheduled.

    ## Source
    Tencent Cloud, "GPU sharing: using qGPU", note on whole cards (2024-11-25);
    elastic-ai/elastic-gpu-scheduler, `pkg/scheduler/pod.go` (2022).
    """
    text = "{memory} {units} is ignored: {core} {number} is whole cards, with all of their memory"
    message = k.tell(text, units=breach.there.text, number=compute_of(breach.inside))
    return this.at(breach.there, message, k.tell("remove {memory}"))
