"""The annotation container-multiple-gpu: its syntax, its length, its numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator

from gpuxlate.backends.volcengine import keys as k
from gpuxlate.backends.volcengine.rules import containers as c
from gpuxlate.model.diagnostics import Diagnostic, Fix, Severity
from gpuxlate.model.edits import Put
from gpuxlate.model.messages import Message, say
from gpuxlate.model.pod import Kind, PodKeys
from gpuxlate.model.sheet import Range
from gpuxlate.rules.base import Context, Rule, rule
from gpuxlate.rules.predicates.conditions import (
    Annotated,
    Asks,
    Listed,
    ListIsComplete,
)
from gpuxlate.rules.predicates.predicate import Breach, Predicate

AT_LIST = (k.MULTIPLE_GPU,)
FORM = k.LISTED.FORM
ZERO = Listed(k.LISTED, Range(0, 0))
SHOWN = c.shown(c.part(), {}, cards="2,0", policy=c.NATIVE)


@rule(
    "VKE016",
    Severity.ERROR,
    fix="safe",
    predicate=Predicate(Annotated(k.MULTIPLE_GPU, FORM), c.HAS_LIST, AT_LIST, each=False),
    page=c.page(c.shown(c.part(), {}, cards="2, 0"), SHOWN, "V"),
)
def card_list_is_well_formed(this: Rule, breach: Breach, pod: PodKeys, _: Context) -> Iterator[Diagnostic]:
    """The card list is whole numbers joined by commas, without spaces.

    ## What it does
    Reports `container-multiple-gpu` that is empty, or has anything else than whole numbers and commas.

    ## Why
    The vendor's code parses each part without trimming it, and rejects the pod.

    ## Fix
    Safe: removes the spaces, where nothing else is wrong.
    """
    listed = breach.there
    closed_up = re.sub(r"\s*,\s*", ",", listed.text.strip())
    if FORM.fullmatch(closed_up):
        hint = _write(closed_up)
        message = say("{key} {text} contains spaces", key=c.SHORT, text=repr(listed.text))
        yield this.at(listed, message, hint, fix=Fix(hint, (Put(listed.path, closed_up),)))
    elif listed.kind is not Kind.NODE:  # a mapping or list in place of a string is K8S008
        message = say("{key} {text} is not a list of whole numbers", key=c.SHORT, text=repr(listed.text))
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
    page=c.page(c.shown(c.part(), {}, cards="2"), SHOWN, "V"),
)
def card_list_covers_every_container(this: Rule, breach: Breach, pod: PodKeys, _: Context) -> Diagnostic:
    """The card list has one number for each container.

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
    listed = breach.there
    message = say(
        '{key} "{text}" does not have one number per container ({names})',
        key=c.SHORT,
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
    return ", ".join(map(c.name_of, pod.containers))


def _shape(pod: PodKeys) -> str:
    """The list with a placeholder for each container that has a share."""
    return ",".join(
        f"<cards of {c.name_of(one)}>" if k.LISTED.asked_by(one) else "0" for one in pod.containers
    )


@rule(
    "VKE018",
    Severity.ERROR,
    missing=True,
    predicate=Predicate(
        (Asks(*k.RESOURCES) & ~ZERO) | (~Asks(*k.RESOURCES) & ZERO), c.ORDINARY & Listed(k.LISTED)
    ),
    page=c.page(c.shown(c.part(), {}, cards="2,1"), SHOWN, "V"),
)
def card_list_matches_the_shares(this: Rule, breach: Breach, pod: PodKeys, _: Context) -> Diagnostic:
    """A container has 0 in the card list exactly when it requests no mGPU.

    ## What it does
    Reports a container with a share and 0 cards, and one without a share but with cards.

    ## Why
    The vendor's webhook rejects both.
    """
    name, count, listed = breach.inside.name, c.listed(breach, pod), pod.annotations[k.MULTIPLE_GPU]
    place = say(
        'number {place} of {key} "{text}"', place=breach.inside.index + 1, key=c.SHORT, text=listed.text
    )
    if count:
        message = say(
            "{number} is {count}, but container {container} requests no mGPU",
            number=place,
            count=count,
            container=name,
        )
        return this.at(listed, message, "write 0 there, or add mgpu-core and mgpu-memory to the container")
    message = say("{number} is 0, but container {container} requests mGPU", number=place, container=name)
    hint = say("write the number of cards of {container}: 1 to {most}", container=name, most=k.MAX_CARDS)
    return this.at(listed, message, hint)


@rule(
    "VKE019",
    Severity.ERROR,
    predicate=Predicate(~Listed(k.LISTED, Range(k.MAX_CARDS + 1)), c.ORDINARY, k.RESOURCES),
    page=c.page(c.several("10", 300, 40960), c.several("8", 320, 40960), "Q"),
)
def card_counts_are_in_range(this: Rule, breach: Breach, pod: PodKeys, _: Context) -> Diagnostic:
    """A container has at most eight cards in the card list.

    ## What it does
    Reports a number above 8 in `container-multiple-gpu`.

    ## Why
    The vendor's table and its console accept 1 to 8.
    """
    message = say(
        "container {container} shares {cards} cards, more than the maximum of {most}",
        container=c.name_of(breach.inside),
        cards=c.listed(breach, pod),
        most=k.MAX_CARDS,
    )
    hint = say("write {most} or less, or split the work over several pods", most=k.MAX_CARDS)
    return this.at(pod.annotations[k.MULTIPLE_GPU], message, hint)
