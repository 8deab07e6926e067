"""Compute and memory of a container that shares the cards of container-multiple-gpu, and its policy."""

from __future__ import annotations

from gpuxlate.backends.volcengine import keys as k
from gpuxlate.backends.volcengine.rules import containers as c
from gpuxlate.model.diagnostics import Diagnostic, Severity
from gpuxlate.model.messages import say
from gpuxlate.model.pod import PodKeys
from gpuxlate.model.quantity import round_up
from gpuxlate.model.sheet import Range
from gpuxlate.rules.base import Context, Rule, rule
from gpuxlate.rules.predicates import conditions as of
from gpuxlate.rules.predicates.conditions import Listed
from gpuxlate.rules.predicates.predicate import Breach, Predicate

ENOUGH = of.AtLeast(k.MEMORY, k.MULTI_CARD_MIN_MIB, k.LISTED)
LISTED_MEMORY = c.SHARES_LISTED & of.Amount(k.MEMORY, Range(0))
EQUAL = c.of_compute(lambda name: of.Divides(name, k.LISTED))
OTHERS = tuple(one for one in k.POLICIES.values() if one != c.NATIVE)
FITS = c.of_compute(lambda name: of.AtMost(name, k.FULL, k.LISTED))


@rule(
    "VKE022",
    Severity.ERROR,
    predicate=(
        Predicate(EQUAL, c.SHARES_LISTED & c.compute(Range(1)) & FITS, c.COMPUTE),
        Predicate(of.Divides(k.MEMORY, k.LISTED), c.SHARES_LISTED & ENOUGH, (k.MEMORY,)),
    ),
    page=c.page(c.several("2", 31), c.several("2", 32), "V, Q"),
)
def cards_give_equal_parts(this: Rule, breach: Breach, pod: PodKeys, _: Context) -> Diagnostic:
    """Compute and memory are multiples of the number of cards.

    ## What it does
    Reports `mgpu-core` or `mgpu-memory` that is not a multiple of the number in `container-multiple-gpu`.

    ## Why
    Both are totals: every card gives an equal part, in whole percent and MiB. The webhook rejects others.
    """
    cards, of_memory = c.listed(breach, pod), breach.name == k.MEMORY
    above = round_up(breach.number, cards)
    least = k.MULTI_CARD_MIN_MIB * cards if of_memory else cards
    message = say(
        "{key} {amount} is not a multiple of {cards}, the number of cards",
        key="mgpu-memory" if of_memory else "mgpu-core",
        amount=breach.number,
        cards=cards,
    )
    hint = say("write {value}", value=above)
    if above - cards >= least:
        hint = say("write {low} or {high}", low=above - cards, high=above)
    return this.at(breach.there, message, hint)


@rule(
    "VKE023",
    Severity.ERROR,
    predicate=Predicate(FITS, c.SHARES_LISTED & c.compute(), c.COMPUTE),
    page=c.page(c.several("2", 202), c.several("4", 240), "V, VD"),
)
def compute_fits_the_listed_cards(this: Rule, breach: Breach, pod: PodKeys, _: Context) -> Diagnostic:
    """Compute is at most 100 percent of each listed card.

    ## What it does
    Reports `mgpu-core` above 100 times the container's number in `container-multiple-gpu`.

    ## Why
    `mgpu-core` is a total over the cards, and a card has 100. The vendor's webhook rejects the pod.
    """
    cores, most = breach.number, k.FULL * c.listed(breach, pod)
    message = say(
        "mgpu-core {cores} is above the maximum of {most} (100 per listed card)", cores=cores, most=most
    )
    hint = say(
        "write less than {most}, or list at least {cards} cards for container {container}",
        most=most,
        cards=round_up(cores, k.FULL) // k.FULL,
        container=c.name_of(breach.inside),
    )
    return this.at(breach.there, message, hint)


@rule(
    "VKE024",
    Severity.ERROR,
    predicate=(
        Predicate(of.Asks(k.MEMORY), c.SHARES_LISTED & c.compute(Range(1)), c.COMPUTE),
        Predicate(ENOUGH, LISTED_MEMORY, (k.MEMORY,)),
        Predicate(
            of.AtMost(k.MEMORY, k.MULTI_CARD_MAX_MIB, k.LISTED),
            LISTED_MEMORY & ENOUGH,
            (k.MEMORY,),
            severity=Severity.WARNING,
        ),
    ),
    page=c.page(c.several("2", 30, 1024), c.several("2", 30, 2048), "Q, V, R"),
)
def memory_on_each_listed_card_is_in_range(
    this: Rule, breach: Breach, pod: PodKeys, _: Context
) -> Diagnostic:
    """A share of listed cards has 1024 to 81920 MiB per card.

    ## What it does
    Reports `mgpu-memory` that is missing or below 1024 MiB per card of `container-multiple-gpu`, even
    for one card. More than 81920 MiB per card is a warning: newer components support larger cards.

    ## Why
    `mgpu-memory` is a total over the cards. Pods with the annotation have a minimum of their own, and
    the vendor's webhook rejects less.
    """
    cards, mib = c.listed(breach, pod), breach.number
    low = k.MULTI_CARD_MIN_MIB * cards
    least = say("{low} MiB", low=low)
    if cards > 1:
        least = say("{total} ({each} MiB per card)", total=least, each=k.MULTI_CARD_MIN_MIB)
    if breach.name != k.MEMORY:
        message = say(
            "container {container} shares listed cards without mgpu-memory",
            container=c.name_of(breach.inside),
        )
        hint = say("add {key}: at least {low}", key=k.MEMORY, low=least)
        return this.at(breach.there, message, hint, on_key=True, missing=True)
    if mib < low:
        message = say("mgpu-memory {mib} is below the minimum of {low}", mib=mib, low=least)
        return this.at(
            breach.there, message, say("write {low} or more: the value is the total over the cards", low=low)
        )
    message = say(
        "mgpu-memory {mib} is above the documented maximum of {most} MiB per card",
        mib=mib,
        most=k.MULTI_CARD_MAX_MIB,
    )
    hint = say(
        "write {most} or less, or check on the cluster: component v0.6.1 supports larger cards",
        most=k.MULTI_CARD_MAX_MIB * cards,
    )
    return this.at(breach.there, message, hint)


@rule(
    "VKE025",
    Severity.INFO,
    predicate=Predicate(
        c.compute(Range(0, None, 10)),
        c.SHARES_LISTED & c.compute(Range(k.FULL + 1)) & FITS & EQUAL,
        c.COMPUTE,
    ),
    page=c.page(c.several("3", 123, 6144), c.several("3", 120, 6144), "Q"),
)
def console_can_show_the_compute(this: Rule, breach: Breach, pod: PodKeys, _: Context) -> Diagnostic:
    """Compute above one card is a multiple of 10, as in the console's form.

    ## What it does
    Reports `mgpu-core` above 100 that is not a multiple of 10, on several listed cards.

    ## Why
    Above one card the form accepts compute in cards with one decimal. The manifest is valid, but the
    console cannot edit it without changing the number.
    """
    cores = breach.number
    above = round_up(cores, 10)
    return this.at(
        breach.there,
        say("the console's form does not accept {cards} cards of compute", cards=f"{cores / k.FULL:.2f}"),
        say(
            "no change is needed in a manifest; in the form, write {low} or {high}",
            low=(above - 10) / k.FULL,
            high=above / k.FULL,
        ),
    )


@rule(
    "VKE026",
    Severity.WARNING,
    predicate=Predicate(
        of.Annotated(k.POLICY) & ~of.Annotated(k.POLICY, *OTHERS),
        of.SomeContainer(c.SHARES_LISTED & of.Asks(*k.RESOURCES) & Listed(k.LISTED, Range(2))),
        (k.MULTIPLE_GPU,),
        each=False,
    ),
    page=c.page(c.shown(cards="2", policy="fixed-share"), c.shown(cards="2", policy=c.NATIVE), "V, S0, Q"),
)
def several_shared_cards_use_native_burst(this: Rule, breach: Breach, pod: PodKeys, _: Context) -> Diagnostic:
    """A pod that shares several cards has the policy native-burst-share.

    ## What it does
    Reports a pod in which a container shares more than one card under another policy, or under none,
    which means `fixed-share`.

    ## Why
    The vendor's scheduler code places such a pod only on nodes with `native-burst-share`, and requires
    the policy on the pod too. Its console and an older page allow any policy: test it on the cluster.
    """
    policy = pod.annotations.get(k.POLICY)
    message = say(
        "the policy of the pod is {policy}, but the vendor's scheduler code requires {native} "
        "for several shared cards",
        policy=c.policy_text(pod),
        native=c.NATIVE,
    )
    hint = say(
        "write {key}: {policy} on the pod and its nodes, or test it on the cluster",
        key=k.POLICY,
        policy=c.NATIVE,
    )
    return this.at(policy or breach.there, message, hint, missing=policy is None)
