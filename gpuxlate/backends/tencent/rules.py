"""The rules of qGPU: on the numbers of a share, on online and offline pods, on the nodes that a pod needs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from gpuxlate.backends import tencent as k  # k: the keys, numbers and texts of qGPU
from gpuxlate.backends.pod_reader import not_legal, number, outside, put_number
from gpuxlate.backends.tencent import old_addon, too_old
from gpuxlate.model.diagnostics import Diagnostic, Fix, Severity
from gpuxlate.model.keys import LegalNumbers, Range
from gpuxlate.model.messages import join_or, msg
from gpuxlate.model.pod import ContainerKeys, NodeRequirement, PodKeys, Value
from gpuxlate.model.profile import Profile
from gpuxlate.model.quantity import GIB, round_up
from gpuxlate.rules.base import Context, PodExample, Rule, RuleDoc, rule
from gpuxlate.rules.predicates import (
    NEEDS_CARDS,
    NEEDS_MODES,
    NEVER,
    AnyOf,
    AtMostParameter,
    Constraint,
    InRange,
    IsAnnotated,
    NodeLabelAmong,
    Requests,
    SomeContainer,
    Violation,
    WithProfile,
    Word,
    card_memory,
    matches_word,
)

HAS_CORE, HAS_GREEDY, HAS_MEMORY = Requests(k.CORE), Requests(k.GREEDY), Requests(k.MEMORY)
HAS_CLASS, IS_OFFLINE = IsAnnotated(k.APP_CLASS), IsAnnotated(k.APP_CLASS, "offline")
ORDINARY, NOT_OFFLINE = ~HAS_CLASS & ~HAS_GREEDY, ~IS_OFFLINE & ~HAS_GREEDY
HAS_WHOLE_CARDS = InRange(k.CORE, k.WHOLE_CARDS)
SHARES_TWO_CARDS = InRange(k.CORE, Range(101, 199))
SHARES_SEVERAL_CARDS = InRange(k.CORE, Range(101, 1600)) & ~HAS_WHOLE_CARDS
"""A part of each card; no node has more than 16."""


def example_pod(app_class: str = "", policy: str = "", profile: str = "", **numbers: int) -> PodExample:
    """A pod of one container, its keys by short names: ``core=30``."""
    names = {"core": k.CORE, "memory": k.MEMORY, "greedy": k.GREEDY}
    return PodExample(
        ({names[name]: Value.of(str(number)) for name, number in numbers.items()},),
        {k.APP_CLASS: Value.of(app_class)} if app_class else {},
        selector={k.POLICY: Value.of(policy)} if policy else {},
        profile=f"target: {k.NAMES[0]}\n{profile}" if profile else "",
    )


def compute_of(container: ContainerKeys) -> int:
    """``qgpu-core`` of a container, percent of one card in all; 0 where it has none, or no whole number."""
    return number(container.resources.get(k.CORE)) or 0


def _within_a_card(profile: Profile) -> tuple[Constraint, ...]:
    """Of one card, and of two; more are TKE005, and the memory of whole cards is ignored (TKE008)."""
    constraints = []
    for cards, compute in ((1, ~InRange(k.CORE, Range(k.FULL))), (2, SHARES_TWO_CARDS)):
        maximum = card_memory(profile, k.NAMES, GIB)
        if maximum is not None:
            within = AtMostParameter(k.MEMORY, replace(maximum, times=cards))
            constraints.append(
                Constraint(within, InRange(k.MEMORY) & compute, (k.MEMORY,), report=_more_than_a_card)
            )
    return tuple(constraints)


def _more_than_a_card(this: Rule, violation: Violation, pod: PodKeys, context: Context) -> Diagnostic:
    card, container = k.card_gib(context.profile), violation.container
    each = -(-violation.number // k.cards_for(compute_of(container)))
    text = "requests {each} GiB per GPU; GPUs in this profile have {there} GiB"
    hint = msg("request at most {most} GiB per GPU", most=card)
    missing = k.CORE not in container.resources
    return this.diagnostic(violation.value_at, msg(text, each=each, there=card), hint, missing=missing)


@rule(
    "TKE001",
    Severity.ERROR,
    constraint=Constraint(InRange(k.MEMORY, Range()), InRange(k.MEMORY), (k.MEMORY,)),
    with_profile=WithProfile(_within_a_card, NEEDS_CARDS),
    page=RuleDoc(example_pod(core=30, memory=0), example_pod(core=30, memory=1)),
)
def memory_is_positive(this: Rule, violation: Violation, pod: PodKeys, context: Context) -> Diagnostic:
    """`tke.cloud.tencent.com/qgpu-memory` is at least 1 GiB, and no more than a card has.

    ## What it does
    Reports zero and negative `tke.cloud.tencent.com/qgpu-memory`. With a profile that sets `cards.memoryMiB`,
    also a share with more memory of one card than a card has. In a translation, memory that `--round up`
    raises to the next multiple of 1024 MiB.

    ## Why
    qGPU allocates memory in multiples of 1 G. A card has its GiB rounded down: a T4 of 15109 MiB has 14.

    ## Source
    Tencent Cloud, GPU sharing: using qGPU (2024-11-25); tencentyun/qcloud-documents, managing GPU resources
    by CRD: capacity of a T4.
    """
    hint = k.format_keys('write {memory}: "1" or more, or remove it and request whole cards')
    return this.diagnostic(violation.value_at, outside(k.MEMORY, violation.number, 1), hint)


@rule(
    "TKE002",
    Severity.ERROR,
    fix="unsafe",
    constraint=Constraint(InRange(k.CORE, k.ONE_CARD, Range(101)), InRange(k.CORE) & ORDINARY, (k.CORE,)),
    page=RuleDoc(example_pod(core=33, memory=5), example_pod(core=35, memory=5)),
)
def compute_on_the_step(this: Rule, violation: Violation, pod: PodKeys, context: Context) -> Diagnostic:
    """`tke.cloud.tencent.com/qgpu-core` of one card is 5 to 100, in multiples of 5.

    ## What it does
    Reports `tke.cloud.tencent.com/qgpu-core` up to 100 that is below 5 or not a multiple of 5, in pods
    without `app-class`. `qgpu-core-greedy` of offline pods has no such step. In a translation, compute that
    `--round up` raises to the next multiple of 5.

    ## Why
    qGPU allocates compute in multiples of 5 % of a card.

    ## Fix
    Rounds up to the next multiple of 5. Unsafe: the share takes more of the card, and 96 to 99 become a
    whole card.

    ## Source
    Tencent Cloud, GPU sharing: using qGPU (2024-11-25); Tencent docs 457/65734, using qGPU (2026-01-16).
    """
    core = violation.number
    message = not_legal(LegalNumbers((k.ONE_CARD,)), k.CORE, core)
    if core < 1:
        hint = msg("write a multiple of {step}, at most {most}", step=k.CORE_STEP, most=k.FULL)
        return this.diagnostic(violation.value_at, message, hint)
    above = round_up(core, k.CORE_STEP)
    near = join_or(f'"{number}"' for number in (above - k.CORE_STEP, above) if number)
    fix = Fix(
        msg("round {text} up to {up}", text=core, up=above),
        put_number(violation.container, k.CORE, above),
        safe=False,
    )
    return this.diagnostic(violation.value_at, message, msg("write {numbers}", numbers=near), fix=fix)


def _without_compute(this: Rule, violation: Violation, pod: PodKeys, context: Context) -> Diagnostic:
    hint = k.format_keys("add {core} (percent of one card), or annotate the pod template {app_class}: online")
    return this.diagnostic(violation.value_at, k.format_keys("{memory} is set without {core}"), hint)


@rule(
    "TKE003",
    Severity.ERROR,
    missing=True,
    constraint=(
        Constraint(HAS_MEMORY, InRange(k.CORE, Range(1, 99)) & ORDINARY, (k.CORE,)),
        Constraint(HAS_CORE, ORDINARY, (k.MEMORY,), severity=Severity.WARNING, report=_without_compute),
    ),
    page=RuleDoc(example_pod(core=30), example_pod(core=30, memory=5)),
)
def compute_and_memory_together(
    this: Rule, violation: Violation, pod: PodKeys, context: Context
) -> Diagnostic:
    """A part of a card is requested with both `tke.cloud.tencent.com/qgpu-core` and
    `tke.cloud.tencent.com/qgpu-memory`.

    ## What it does
    Reports `qgpu-core` below 100 without `qgpu-memory` (error), and `qgpu-memory` without `qgpu-core`
    (warning), in pods without `app-class`.

    ## Why
    A shared card needs both its part of compute and its memory; only whole cards come with all of their
    memory, and only online pods omit compute.

    ## Source
    Tencent Cloud, GPU sharing: using qGPU, note on whole and fractional cards (2024-11-25).
    """
    hint = k.format_keys('add {memory} (GiB), or request a whole card: {core}: "100"')
    return this.diagnostic(violation.value_at, k.format_keys("{core} is set without {memory}"), hint)


def _one_card(profile: Profile) -> tuple[Constraint, ...]:
    """No two shared cards, with an add-on of the profile that has one only."""
    old = old_addon(profile)
    if old is None:
        return ()

    def report(this: Rule, violation: Violation, pod: PodKeys, context: Context) -> Diagnostic:
        return this.diagnostic(violation.value_at, *old)

    return (
        Constraint(
            NEVER, SHARES_TWO_CARDS & NOT_OFFLINE, (k.CORE,), severity=Severity.WARNING, report=report
        ),
    )


@rule(
    "TKE005",
    Severity.ERROR,
    constraint=Constraint(HAS_WHOLE_CARDS, InRange(k.CORE, Range(201)) & NOT_OFFLINE, (k.CORE,)),
    with_profile=WithProfile(_one_card, NEEDS_MODES),
    page=RuleDoc(example_pod(core=240, memory=60), example_pod(core=160, memory=60)),
)
def two_shared_cards_at_most(this: Rule, violation: Violation, pod: PodKeys, context: Context) -> Diagnostic:
    """A container shares at most two cards: `tke.cloud.tencent.com/qgpu-core` is at most 200, or a multiple
    of 100.

    ## What it does
    Reports `qgpu-core` above 200 that is not a multiple of 100. With a profile whose qGPU add-on is older
    than 1.1.1, also two shared cards (warning).

    ## Why
    The number of cards has no key: above 100 it is `qgpu-core` / 100, rounded up. A container may share
    two cards from add-on 1.1.1 and kernel module 3.0.5 on.

    ## Source
    Tencent docs 457/127667, qGPU on several cards; Tencent docs 457/117759, changes of the qGPU add-on
    (2026-01-16).
    """
    numbers = {"number": violation.number, "cards": k.cards_for(violation.number), "most": k.MAX_SHARED_CARDS}
    message = "{core} {number} is a part of {cards} cards; a container shares at most {most}"
    hint = 'write at most {most}00, or request {cards} whole cards: "{cards}00" without {memory}'
    return this.diagnostic(
        violation.value_at, k.format_keys(message, **numbers), k.format_keys(hint, **numbers)
    )


DIVIDES_EVENLY = AnyOf(
    *(
        InRange(k.CORE, Range(k.FULL * (cards - 1) + 1, k.FULL * cards, cards))
        & (InRange(k.MEMORY, Range(cards, None, cards)) | ~InRange(k.MEMORY, Range()))
        for cards in range(2, 17)
    )
)
"""Compute and memory are multiples of the cards."""


def _part_without_memory(this: Rule, violation: Violation, pod: PodKeys, context: Context) -> Diagnostic:
    cards = k.cards_for(violation.number)
    text = "{core} {number} is a part of {cards} cards, without {memory}"
    message = k.format_keys(text, number=violation.number, cards=cards)
    hint = k.format_keys("add {memory} (GiB, total of the {cards} cards)", cards=cards)
    return this.diagnostic(violation.value_at, message, hint, missing=True)


@rule(
    "TKE006",
    Severity.WARNING,
    constraint=(
        Constraint(
            HAS_MEMORY,
            SHARES_TWO_CARDS & NOT_OFFLINE,
            (k.CORE,),
            severity=Severity.ERROR,
            report=_part_without_memory,
        ),
        Constraint(DIVIDES_EVENLY, SHARES_SEVERAL_CARDS & NOT_OFFLINE, (k.CORE,)),
    ),
    page=RuleDoc(example_pod(core=121, memory=31), example_pod(core=120, memory=30)),
)
def even_parts(this: Rule, violation: Violation, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """For two shared cards, `tke.cloud.tencent.com/qgpu-core` and `tke.cloud.tencent.com/qgpu-memory` are
    both set, and even.

    ## What it does
    Reports `qgpu-core` and `qgpu-memory` of two cards that are odd (warning), and a missing `qgpu-memory`
    (error). In a translation, numbers that `--round up` raises to the next that divide evenly.

    ## Why
    Each card gives half of the total, rounded down: 121 and 31 become 60 % and 15 GiB of each card, so
    the container gets less than it requests.

    ## Source
    Tencent docs 457/127667, qGPU on several cards.
    """
    # One constraint, so that a policy refuses a pod once; here each of the two odd numbers has its place.
    memory, cards = violation.container.resources.get(k.MEMORY), k.cards_for(violation.number)
    for name, spot in ((k.CORE, violation.value_at), (k.MEMORY, memory)):
        total = number(spot) or 0
        if spot is not None and total > 0 and total % cards:
            text = "{key} {total} is not a multiple of the {cards} cards; each card gives {each}"
            message = msg(text, key=name, total=total, cards=cards, each=total // cards)
            yield this.diagnostic(spot, message, msg("write a multiple of {cards}", cards=cards))


HALVES_ON_STEP = tuple(Range(core, core) for core in range(101, 200) if not core // 2 % k.CORE_STEP)


@rule(
    "TKE007",
    Severity.WARNING,
    constraint=Constraint(InRange(k.CORE, *HALVES_ON_STEP), SHARES_TWO_CARDS & ORDINARY, (k.CORE,)),
    page=RuleDoc(example_pod(core=124, memory=30), example_pod(core=130, memory=30)),
)
def shared_cards_on_the_step(this: Rule, violation: Violation, pod: PodKeys, context: Context) -> Diagnostic:
    """`tke.cloud.tencent.com/qgpu-core` of two shared cards is a multiple of 5 on each card.

    ## What it does
    Reports `qgpu-core` of two shared cards where the part of each card, rounded down, is not a multiple
    of 5 %.

    ## Why
    qGPU allocates multiples of 5 % of one card. Whether this holds for two cards is not documented; the
    vendor's example of two cards (121) gives 60 % of each.

    ## Source
    Tencent docs 457/127667, qGPU on several cards; Tencent Cloud, GPU sharing: using qGPU (2024-11-25).
    """
    text = "{core} {number} is {each} % of each card, not a multiple of {step} %"
    message = k.format_keys(text, number=violation.number, each=violation.number // 2, step=k.CORE_STEP)
    return this.diagnostic(
        violation.value_at, message, msg("write a multiple of {step}", step=k.CORE_STEP * 2)
    )


@rule(
    "TKE008",
    Severity.WARNING,
    constraint=Constraint(~HAS_WHOLE_CARDS, NOT_OFFLINE, (k.MEMORY,)),
    page=RuleDoc(example_pod(core=100, memory=46), example_pod(core=100)),
)
def whole_cards_without_memory(
    this: Rule, violation: Violation, pod: PodKeys, context: Context
) -> Diagnostic:
    """Whole cards are requested without `tke.cloud.tencent.com/qgpu-memory`.

    ## What it does
    Reports `qgpu-memory` in a container with a `qgpu-core` of 100, 200, and so on. In a translation, memory
    of whole cards that `--round up` raises to all that they have.

    ## Why
    Whole cards come with all of their memory, and the documentation says to omit it. The open code
    ignores the number; with more than a card has, the pod may never be scheduled.

    ## Source
    Tencent Cloud, GPU sharing: using qGPU, note on whole cards (2024-11-25);
    elastic-ai/elastic-gpu-scheduler, `pkg/scheduler/pod.go` (2022).
    """
    text = "{memory} {units} is ignored: {core} {number} is whole cards, with all of their memory"
    message = k.format_keys(text, units=violation.value_at.text, number=compute_of(violation.container))
    return this.diagnostic(violation.value_at, message, k.format_keys("remove {memory}"))


# --- online and offline pods, and the nodes that a pod needs -----------------------------------
IS_ONLINE, HAS_KNOWN_CLASS = IsAnnotated(k.APP_CLASS, "online"), IsAnnotated(k.APP_CLASS, *k.CLASSES)
GENERATED = re.compile("[Tt][Rr][Uu][Ee]")  # a boolean of a generator, which GX013 reports
POLICY_WORDS: tuple[Word, ...] = (*k.POLICY_OF, GENERATED)
OF_QGPU = (k.CORE, k.GREEDY, k.MEMORY)


GREEDY_IN_RANGE = InRange(k.GREEDY, Range(1, 100)) | ~InRange(k.GREEDY)


def _greedy_out_of_range(this: Rule, violation: Violation, pod: PodKeys, context: Context) -> Diagnostic:
    hint = msg("write 1 to {most}, in percent of one card", most=k.FULL)
    message = outside(k.GREEDY, violation.number, 1, k.FULL)
    return this.diagnostic(violation.value_at, message, hint)


def _greedy_beside_core(this: Rule, violation: Violation, pod: PodKeys, context: Context) -> Diagnostic:
    message = k.format_keys("{core} and {greedy} are both set; offline pods have {greedy} only")
    core = violation.container.resources[k.CORE]
    return this.diagnostic(core, message, k.format_keys("remove {core}"), on_key=True)


@rule(
    "TKE010",
    Severity.ERROR,
    constraint=Constraint(
        GREEDY_IN_RANGE & HAS_MEMORY & ~HAS_CORE,
        IS_OFFLINE,
        (k.GREEDY,),
        cases=(
            (~GREEDY_IN_RANGE, _greedy_out_of_range),
            (~HAS_MEMORY, None),
            (HAS_CORE, _greedy_beside_core),
        ),
    ),
    page=RuleDoc(example_pod("offline", greedy=160, memory=5), example_pod("offline", greedy=30, memory=5)),
)
def offline_asks_for_greedy_and_memory(
    this: Rule, violation: Violation, pod: PodKeys, context: Context
) -> Diagnostic:
    """A container of an offline pod sets `tke.cloud.tencent.com/qgpu-core-greedy`, 1 to 100, and memory,
    nothing else.

    ## What it does
    Reports, in pods with `app-class: offline`, a `qgpu-core-greedy` outside 1 to 100 and one without
    `qgpu-memory` or beside `qgpu-core`.

    ## Why
    Offline compute is a part of one card that online pods leave unused; its memory is fixed.

    ## Source
    Tencent docs 457/81034, online/offline colocation (2025-09-15).
    """
    message, hint = k.format_keys("{greedy} is set without {memory}"), k.format_keys("add {memory} (GiB)")
    return this.diagnostic(violation.value_at, message, hint, missing=True)


def _online_without_memory(this: Rule, violation: Violation, pod: PodKeys, context: Context) -> Diagnostic:
    message, hint = k.format_keys("{memory} is not set in an online pod"), k.format_keys("add {memory} (GiB)")
    return this.diagnostic(violation.value_at, message, hint, on_key=True, missing=True)


@rule(
    "TKE011",
    Severity.WARNING,
    constraint=(
        Constraint(~IS_ONLINE, keys=(k.CORE,)),
        Constraint(HAS_MEMORY, IS_ONLINE, (k.CORE,), severity=Severity.ERROR, report=_online_without_memory),
    ),
    page=RuleDoc(example_pod("online", core=30, memory=5), example_pod("online", memory=5)),
)
def online_asks_for_memory_alone(
    this: Rule, violation: Violation, pod: PodKeys, context: Context
) -> Diagnostic:
    """A container of an online pod sets `tke.cloud.tencent.com/qgpu-memory` and no compute.

    ## What it does
    Reports, in pods with `app-class: online`, a `qgpu-core` (warning) and missing memory (error).

    ## Why
    Online pods compete for compute and pre-empt offline pods. Whether their `qgpu-core` is ignored or
    refused is not documented; it guarantees nothing.

    ## Source
    Tencent docs 457/81034, online/offline colocation (2025-09-15).
    """
    message = k.format_keys("{core} is set in an online pod, which competes for compute")
    hint = k.format_keys("remove {core}, or the annotation {app_class}")
    return this.diagnostic(violation.value_at, message, hint, on_key=True)


def _unknown_class(this: Rule, violation: Violation, pod: PodKeys, context: Context) -> Diagnostic:
    app_class = violation.value_at
    message = k.format_keys("{app_class} is {value!r}, neither online nor offline", value=app_class.text)
    return this.diagnostic(app_class, message, "write online or offline, in lower case")


def _core_in_offline_pod(this: Rule, violation: Violation, pod: PodKeys, context: Context) -> Diagnostic:
    return _no_greedy(this, violation, "replace {core} by {greedy}, or remove {app_class}")


def _no_greedy(this: Rule, violation: Violation, hint: str) -> Diagnostic:
    message = k.format_keys("{greedy} is not set in an offline pod")
    return this.diagnostic(violation.value_at, message, k.format_keys(hint), on_key=True, missing=True)


def _greedy_elsewhere(this: Rule, violation: Violation, pod: PodKeys, context: Context) -> Diagnostic:
    message = k.format_keys("{greedy} is set in a pod that is not offline")
    hint = k.format_keys("annotate the pod template {app_class}: offline, or request {core}")
    missing = k.APP_CLASS not in pod.annotations
    return this.diagnostic(violation.value_at, message, hint, on_key=True, missing=missing)


@rule(
    "TKE012",
    Severity.ERROR,
    constraint=(
        Constraint(HAS_KNOWN_CLASS, HAS_CLASS, (k.APP_CLASS,), per_container=False, report=_unknown_class),
        Constraint(IS_OFFLINE, HAS_KNOWN_CLASS | ~HAS_CLASS, (k.GREEDY,), report=_greedy_elsewhere),
        Constraint(
            HAS_GREEDY,
            IS_OFFLINE,
            (k.CORE, k.MEMORY),
            cases=((HAS_CORE, _core_in_offline_pod), (~HAS_CORE, None)),
        ),
    ),
    page=RuleDoc(example_pod(greedy=30, memory=5), example_pod("offline", greedy=30, memory=5)),
)
def compute_goes_with_app_class(
    this: Rule, violation: Violation, pod: PodKeys, context: Context
) -> Diagnostic:
    """`tke.cloud.tencent.com/app-class` is `online` or `offline`; offline pods set `qgpu-core-greedy`, other
    pods do not.

    ## What it does
    Reports a `tke.cloud.tencent.com/app-class` other than `online` and `offline`, `qgpu-core-greedy` in a
    pod that is not offline, and an offline pod's container without it.

    ## Why
    Offline work needs both the annotation and the resource: with one alone, the pod is not scheduled as
    offline work.

    ## Source
    Tencent docs 457/81034, online/offline colocation (2025-09-15).
    """
    return _no_greedy(this, violation, "add {greedy}, or remove {app_class}")


def beside_others(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """ "true" beside other values, and policies that no node of the profile has."""
    for requirement in pod.choices(k.POLICY):
        for text in requirement.values if len(requirement.values) > 1 else ():
            if GENERATED.fullmatch(text):
                yield _no_policy(this, text, requirement)
    yield from _no_such_node(this, pod, context)


def _no_policy(this: Rule, text: str, where: NodeRequirement) -> Diagnostic:
    message = k.format_keys("{policy} is {value!r}, which is not a policy of qGPU", value=text)
    return this.diagnostic(where, message, msg("write one of {names}", names=k.POLICY_NAMES))


def _no_such_node(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    on_nodes = k.node_policy(context.profile)
    for requirement in pod.choices(k.POLICY):
        policies = {k.POLICY_OF.get(text) for text in requirement.values if requirement.operator == "In"}
        if on_nodes and policies and not policies & {None, on_nodes}:
            message = k.other_policy(", ".join(sorted(map(str, policies))), on_nodes)
            hint = msg("label a node pool with the policy, or choose {policy}", policy=on_nodes)
            yield this.diagnostic(requirement, message, hint, severity=Severity.WARNING)


@rule(
    "TKE014",
    Severity.ERROR,
    constraint=Constraint(NodeLabelAmong(k.POLICY, *POLICY_WORDS), keys=(k.POLICY,), per_container=False),
    also=beside_others,
    no_policy="lint alone checks several values of one selector, and the nodes of a profile",
    page=RuleDoc(
        example_pod(policy="fixed", core=30, memory=5), example_pod(policy="fixed-share", core=30, memory=5)
    ),
)
def policy_is_known(this: Rule, violation: Violation, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """`tke.cloud.tencent.com/qgpu-schedule-policy` in a node selector is one of the three policies of qGPU.

    ## What it does
    Reports a value of `tke.cloud.tencent.com/qgpu-schedule-policy` in `nodeSelector` or the required node
    affinity that is not a policy. With a profile that sets `policy`, also a choice that its nodes do not
    meet (warning).

    ## Why
    The label of a node pool is `best-effort`, `fixed-share` or `burst-share`, or an abbreviation of these
    (`be`, `fs`, `bs`); no node has another value, so the pod stays Pending.

    ## Source
    Tencent Cloud, GPU sharing: using qGPU, table of policies (2024-11-25).
    """
    for requirement in pod.choices(k.POLICY):
        for text in requirement.values:
            if not matches_word(text, POLICY_WORDS):
                yield _no_policy(this, text, requirement)


def _not_too_many(profile: Profile) -> tuple[Constraint, ...]:
    """One share more than qGPU creates does not fit a card."""
    shares = k.MAX_SHARES + 1
    room = card_memory(profile, k.NAMES, GIB * shares)
    if room is None:
        return ()
    when = InRange(k.CORE, Range(1, k.FULL // shares)) & InRange(k.MEMORY, Range(1)) & ORDINARY
    return (Constraint(~AtMostParameter(k.MEMORY, room), when, (k.MEMORY,)),)


@rule(
    "TKE016",
    Severity.WARNING,
    with_profile=WithProfile(_not_too_many, NEEDS_CARDS),
    page=RuleDoc(
        example_pod(profile="cards: {memoryMiB: 22731}", core=5, memory=1), example_pod(core=10, memory=2)
    ),
)
def card_fills_before_the_limit(
    this: Rule, violation: Violation, pod: PodKeys, context: Context
) -> Diagnostic:
    """`tke.cloud.tencent.com/qgpu-core` and `tke.cloud.tencent.com/qgpu-memory` are so large that at most 16
    shares fit a card.

    ## What it does
    With a profile that sets `cards.memoryMiB`, reports a share of which more than 16 fit a card by
    compute and memory.

    ## Why
    qGPU creates at most 16 devices on a card. With smaller shares, the rest of the card is unused.

    ## Source
    Tencent Cloud, GPU sharing: using qGPU, limit of devices (2024-11-25); Tencent docs 457/65734, using qGPU
    (2026-01-16).
    """
    card = k.card_gib(context.profile) or 0
    fit = min(k.FULL // compute_of(violation.container), card // violation.number)
    text = "{fit} such shares fit a card of {card} GiB; qGPU creates at most {most} on it"
    message = msg(text, fit=fit, card=card, most=k.MAX_SHARES)
    return this.diagnostic(
        violation.value_at, message, "request more compute or memory, or plan for an unused rest"
    )


HAS_QGPU = Requests(*OF_QGPU)


def _recent(profile: Profile) -> tuple[Constraint, ...]:
    none = Constraint(~SomeContainer(HAS_QGPU), per_container=False)
    return (none,) if too_old(profile, "kubernetesVersion") else ()


@rule(
    "TKE018",
    Severity.WARNING,
    with_profile=WithProfile(_recent, NEEDS_MODES),
    page=RuleDoc(
        example_pod(profile="kubernetesVersion: v1.12.4-tke.30", core=30, memory=5),
        example_pod(profile="kubernetesVersion: v1.28.3-tke.2", core=30, memory=5),
    ),
)
def cluster_is_recent(this: Rule, violation: Violation, pod: PodKeys, context: Context) -> Diagnostic:
    """A cluster for pods with `tke.cloud.tencent.com/qgpu-core` runs Kubernetes 1.14 or later.

    ## What it does
    With a profile that sets `kubernetesVersion`, reports a pod with keys of qGPU on an older version.
    qGPU also needs native nodes (pages of 2024 and 2026), which no profile holds.

    ## Why
    The add-on supports TKE from 1.14 on.

    ## Source
    Tencent Cloud, GPU sharing: using qGPU, supported versions (2024-11-25); Tencent docs 457/65734, using
    qGPU (2026-01-16).
    """
    versions = too_old(context.profile, "kubernetesVersion") or {}
    resources = HAS_QGPU.containers(pod)[0].resources
    value = next(resources[name] for name in OF_QGPU if name in resources)
    message = msg("qGPU needs Kubernetes {least}; this profile has {version}", **versions)
    hint = msg("use a cluster with Kubernetes {least} or later", **versions)
    return this.diagnostic(value, message, hint, on_key=True)
