"""The annotation container-multiple-gpu, and the containers that share the cards which it lists."""

from __future__ import annotations

import re
from collections.abc import Iterator

from gpuxlate.backends.volcengine import keys as k
from gpuxlate.backends.volcengine.rules.containers import (
    COMPUTE,
    HAS_LIST,
    NATIVE,
    ORDINARY,
    SHARES_LISTED,
    SHORT,
    Mgpu,
    compute,
    name_of,
    of_compute,
    part,
    policy_text,
    shown,
)
from gpuxlate.model.diagnostics import Diagnostic, Fix, Severity
from gpuxlate.model.edits import Put
from gpuxlate.model.messages import Message, say
from gpuxlate.model.pod import Kind, PodKeys
from gpuxlate.model.quantity import round_up
from gpuxlate.model.sheet import Range
from gpuxlate.rules.base import Context, Rule, rule
from gpuxlate.rules.predicates.conditions import (
    Amount,
    Annotated,
    Asks,
    AtLeast,
    AtMost,
    Divides,
    SomeContainer,
)
from gpuxlate.rules.predicates.lists import Listed, ListIsComplete
from gpuxlate.rules.predicates.predicate import Breach, Predicate

AT_LIST = (k.MULTIPLE_GPU,)
FORM = k.LISTED.FORM
ZERO = Listed(k.LISTED, Range(0, 0))
SHOWN = shown(part(), {}, cards="2,0", policy=NATIVE)


@rule(
    "VKE016",
    Severity.ERROR,
    fix="safe",
    predicate=Predicate(Annotated(k.MULTIPLE_GPU, FORM), HAS_LIST, AT_LIST, each=False),
    bad=shown(part(), {}, cards="2, 0"),
    good=SHOWN,
)
def card_list_is_well_formed(
    this: Rule, breach: Breach, pod: PodKeys, context: Context
) -> Iterator[Diagnostic]:
    """The card list is whole numbers joined by commas, without spaces.

    ## What it does
    Reports a value of `vke.volcengine.com/container-multiple-gpu` that is empty, or contains spaces,
    signs or anything else than whole numbers and commas.

    ## Why
    The vendor's code parses each part without trimming it, and rejects the pod.

    ## Fix
    Safe: removes the spaces, where nothing else is wrong.

    ## Source
    volcano-sh/volcano pull request 3030, `pkg/scheduler/api/devices/nvidia/mgpu` (2024-03).
    """
    listed = breach.there
    closed_up = re.sub(r"\s*,\s*", ",", listed.text.strip())
    if FORM.fullmatch(closed_up):
        hint = _write(closed_up)
        message = say("{key} {text} contains spaces", key=SHORT, text=repr(listed.text))
        yield this.at(listed, message, hint, fix=Fix(hint, (Put(listed.path, closed_up),)))
    elif listed.kind is not Kind.NODE:  # a mapping or list in place of a string is K8S008
        message = say("{key} {text} is not a list of whole numbers", key=SHORT, text=repr(listed.text))
        hint = say(
            'write the number of cards of each container ({names}), joined by commas, such as "{shape}"',
            names=_names(pod),
            shape=_shape(pod),
        )
        yield this.at(listed, message, hint)


@rule(
    "VKE017",
    Severity.ERROR,
    fix="unsafe",
    missing=True,
    predicate=Predicate(ListIsComplete(k.LISTED), Annotated(k.MULTIPLE_GPU, FORM), AT_LIST, each=False),
    bad=shown(part(), {}, cards="2"),
    good=SHOWN,
)
def card_list_covers_every_container(
    this: Rule, breach: Breach, pod: PodKeys, context: Context
) -> Diagnostic:
    """The card list has one number for each container.

    ## What it does
    Compares the length of `container-multiple-gpu` with the number of `spec.containers`; init
    containers do not count.

    ## Why
    The numbers belong to the containers in their order, and the vendor's webhook rejects a list of
    another length. A container without a share has 0. Knative, KServe, Argo, Istio, Linkerd and Dapr add
    containers that are not in the manifest: there a longer list is right, where it has as many numbers
    above 0 as there are containers with a share.

    ## Fix
    Unsafe: writes a list with the same numbers and a 0 for each container without a share, where it is
    certain which number belongs to which container.

    ## Source
    volcano-sh/volcano pull request 3030, `pkg/webhooks/admission/pods/validate` (2024-03).
    """
    listed = breach.there
    message = say(
        '{key} "{text}" does not have one number per container ({names})',
        key=SHORT,
        text=listed.text,
        names=_names(pod),
    )
    right = ",".join(map(str, k.LISTED.spread(pod, [int(one) for one in listed.text.split(",")])))
    if not right:
        return this.at(listed, message, say("write it in this form: {shape}", shape=_shape(pod)))
    hint = _write(right)
    return this.at(listed, message, hint, fix=Fix(hint, (Put(listed.path, right),), safe=False))


def _write(text: str) -> Message:
    return say('write "{text}"', text=text)


def _names(pod: PodKeys) -> str:
    return ", ".join(map(name_of, pod.containers))


def _shape(pod: PodKeys) -> str:
    """The list with a placeholder for each container that has a share."""
    return ",".join(f"<cards of {name_of(c)}>" if k.LISTED.asked_by(c) else "0" for c in pod.containers)


@rule(
    "VKE018",
    Severity.ERROR,
    missing=True,
    predicate=Predicate(
        (Asks(*k.RESOURCES) & ~ZERO) | (~Asks(*k.RESOURCES) & ZERO), ORDINARY & Listed(k.LISTED)
    ),
    bad=shown(part(), {}, cards="2,1"),
    good=SHOWN,
)
def card_list_matches_the_shares(this: Rule, breach: Breach, pod: PodKeys, context: Context) -> Diagnostic:
    """A container has 0 in the card list exactly when it requests no mGPU.

    ## What it does
    Reports a container with a share and 0 cards, and one without a share but with cards.

    ## Why
    The vendor's webhook rejects both.

    ## Source
    volcano-sh/volcano pull request 3030, `pkg/webhooks/admission/pods/validate` (2024-03).
    """
    one, listed = Mgpu.of(breach.inside, pod), pod.annotations[k.MULTIPLE_GPU]
    place = say('number {place} of {key} "{text}"', place=one.keys.index + 1, key=SHORT, text=listed.text)
    if one.listed:
        message = say(
            "{number} is {count}, but container {container} requests no mGPU",
            number=place,
            count=one.listed,
            container=one.keys.name,
        )
        return this.at(listed, message, "write 0 there, or add mgpu-core and mgpu-memory to the container")
    message = say(
        "{number} is 0, but container {container} requests mGPU", number=place, container=one.keys.name
    )
    hint = say(
        "write the number of cards of {container}: 1 to {most}", container=one.keys.name, most=k.MAX_CARDS
    )
    return this.at(listed, message, hint)


@rule(
    "VKE019",
    Severity.ERROR,
    predicate=Predicate(~Listed(k.LISTED, Range(k.MAX_CARDS + 1)), ORDINARY, k.RESOURCES),
    bad=shown(part(300, 40960), cards="10"),
    good=shown(part(320, 40960), cards="8", policy=NATIVE),
)
def card_counts_are_in_range(this: Rule, breach: Breach, pod: PodKeys, context: Context) -> Diagnostic:
    """A container has at most eight cards in the card list.

    ## What it does
    Reports a number above 8 in `container-multiple-gpu`.

    ## Why
    The vendor's table and its console accept 1 to 8.

    ## Source
    Copy of docs 6460/182418, table and screenshot (2024-09).
    """
    one = Mgpu.of(breach.inside, pod)
    message = say(
        "container {container} shares {cards} cards, more than the maximum of {most}",
        container=one.name,
        cards=one.listed,
        most=k.MAX_CARDS,
    )
    hint = say("write {most} or less, or split the work over several pods", most=k.MAX_CARDS)
    return this.at(pod.annotations[k.MULTIPLE_GPU], message, hint)


@rule(
    "VKE022",
    Severity.ERROR,
    predicate=(
        Predicate(
            of_compute(lambda name: Divides(name, k.LISTED)),
            SHARES_LISTED & of_compute(lambda name: Amount(name, Range(1)) & AtMost(name, k.FULL, k.LISTED)),
            COMPUTE,
        ),
        Predicate(
            Divides(k.MEMORY, k.LISTED),
            SHARES_LISTED & AtLeast(k.MEMORY, k.MULTI_CARD_MIN_MIB, k.LISTED),
            (k.MEMORY,),
        ),
    ),
    bad=shown(part(31), cards="2"),
    good=shown(part(32), cards="2", policy=NATIVE),
)
def cards_give_equal_parts(this: Rule, breach: Breach, pod: PodKeys, context: Context) -> Diagnostic:
    """Compute and memory are multiples of the number of cards.

    ## What it does
    Reports `mgpu-core` or `mgpu-memory` that is not a multiple of the container's number in
    `container-multiple-gpu`.

    ## Why
    Both are totals of the container and every card gives an equal part, in whole percent and whole
    MiB. The vendor's webhook rejects the pod.

    ## Source
    volcano-sh/volcano pull request 3030 (2024-03); copy of docs 6460/182418 (2024-09).
    """
    cards, of_memory = Mgpu.of(breach.inside, pod).listed, breach.name == k.MEMORY
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
    predicate=Predicate(
        of_compute(lambda name: AtMost(name, k.FULL, k.LISTED)), SHARES_LISTED & compute(), COMPUTE
    ),
    bad=shown(part(202), cards="2"),
    good=shown(part(240), cards="4", policy=NATIVE),
)
def compute_fits_the_listed_cards(this: Rule, breach: Breach, pod: PodKeys, context: Context) -> Diagnostic:
    """Compute is at most 100 percent of each listed card.

    ## What it does
    Reports `mgpu-core` above 100 times the container's number in `container-multiple-gpu`.

    ## Why
    `mgpu-core` is a total over the cards, and a card has 100. The vendor's webhook rejects the pod.

    ## Source
    volcano-sh/volcano pull request 3030, webhook and design document (2024-03).
    """
    one = Mgpu.of(breach.inside, pod)
    most = k.FULL * one.listed
    message = say(
        "mgpu-core {cores} is above the maximum of {most} (100 per listed card)", cores=one.cores, most=most
    )
    hint = say(
        "write less than {most}, or list at least {cards} cards for container {container}",
        most=most,
        cards=round_up(one.cores, k.FULL) // k.FULL,
        container=one.name,
    )
    return this.at(breach.there, message, hint)


@rule(
    "VKE024",
    Severity.ERROR,
    predicate=(
        Predicate(Asks(k.MEMORY), SHARES_LISTED & compute(Range(1)), COMPUTE),
        Predicate(
            AtLeast(k.MEMORY, k.MULTI_CARD_MIN_MIB, k.LISTED)
            & AtMost(k.MEMORY, k.MULTI_CARD_MAX_MIB, k.LISTED),
            SHARES_LISTED & Amount(k.MEMORY, Range(0)),
            (k.MEMORY,),
        ),
    ),
    bad=shown(part(memory=1024), cards="2"),
    good=shown(part(memory=2048), cards="2", policy=NATIVE),
)
def memory_on_each_listed_card_is_in_range(
    this: Rule, breach: Breach, pod: PodKeys, context: Context
) -> Diagnostic:
    """A share of listed cards has 1024 to 81920 MiB per card.

    ## What it does
    Reports `mgpu-memory` that is missing or below 1024 MiB per card of `container-multiple-gpu`, even
    for one card. More than 81920 MiB per card is a warning: newer components support larger cards.

    ## Why
    `mgpu-memory` is a total over the cards. Pods with the annotation have a minimum of their own, and
    the vendor's webhook rejects less.

    ## Source
    Copy of docs 6460/182418 (2024-09); volcano-sh/volcano pull request 3030 (2024-03); docs
    6460/159262 on larger cards.
    """
    cards, mib = Mgpu.of(breach.inside, pod).listed, breach.number
    low = k.MULTI_CARD_MIN_MIB * cards
    least = say("{low} MiB", low=low)
    if cards > 1:
        least = say("{total} ({each} MiB per card)", total=least, each=k.MULTI_CARD_MIN_MIB)
    if breach.name != k.MEMORY:
        message = say(
            "container {container} shares listed cards without mgpu-memory", container=name_of(breach.inside)
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
    return this.at(breach.there, message, hint, severity=Severity.WARNING)


@rule(
    "VKE025",
    Severity.INFO,
    predicate=Predicate(
        compute(Range(0, None, 10)),
        SHARES_LISTED
        & compute(Range(k.FULL + 1))
        & of_compute(lambda name: AtMost(name, k.FULL, k.LISTED) & Divides(name, k.LISTED)),
        COMPUTE,
    ),
    bad=shown(part(123, 6144), cards="3"),
    good=shown(part(120, 6144), cards="3", policy=NATIVE),
)
def console_can_show_the_compute(this: Rule, breach: Breach, pod: PodKeys, context: Context) -> Diagnostic:
    """Compute above one card is a multiple of 10, as in the console's form.

    ## What it does
    Reports `mgpu-core` above 100 that is not a multiple of 10, on several listed cards.

    ## Why
    Above one card the form accepts compute in cards with one decimal. The manifest is valid, but the
    console cannot edit it without changing the number.

    ## Source
    Copy of docs 6460/182418, table and screenshot of the form (2024-09).
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
        # another value is VKE004
        ~(~Annotated(k.POLICY) | Annotated(k.POLICY, *(one for one in k.POLICIES.values() if one != NATIVE))),
        SomeContainer(SHARES_LISTED & Asks(*k.RESOURCES) & Listed(k.LISTED, Range(2))),
        AT_LIST,
        each=False,
    ),
    bad=shown(cards="2", policy="fixed-share"),
    good=shown(cards="2", policy=NATIVE),
)
def several_shared_cards_use_native_burst(
    this: Rule, breach: Breach, pod: PodKeys, context: Context
) -> Diagnostic:
    """A pod that shares several cards has the policy native-burst-share.

    ## What it does
    Reports a pod in which a container shares more than one card under another policy, or under none,
    which means `fixed-share`.

    ## Why
    The vendor's scheduler code places such a pod only on nodes with `native-burst-share`, and requires
    the policy on the pod too. Its console and an older page allow any policy: test it on the cluster.

    ## Source
    volcano-sh/volcano pull request 3030 (2024-03); against it docs 6461/1581673 (2025-06-04) and a
    copy of docs 6460/182418 (2024-09).
    """
    policy = pod.annotations.get(k.POLICY)
    message = say(
        "the policy of the pod is {policy}, but the vendor's scheduler code requires {native} "
        "for several shared cards",
        policy=policy_text(pod),
        native=NATIVE,
    )
    hint = say(
        "write {key}: {policy} on the pod and its nodes, or test it on the cluster",
        key=k.POLICY,
        policy=NATIVE,
    )
    return this.at(policy or breach.there, message, hint, missing=policy is None)
