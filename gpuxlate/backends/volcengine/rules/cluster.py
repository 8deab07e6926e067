"""Rules that compare a pod with the profile: cards of the nodes, versions of components."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from gpuxlate.backends.numbers import too_many_cards
from gpuxlate.backends.volcengine import keys as k
from gpuxlate.backends.volcengine.rules import containers as c
from gpuxlate.model.diagnostics import Diagnostic, Severity
from gpuxlate.model.messages import Message, say
from gpuxlate.model.pod import PodKeys
from gpuxlate.model.profile import CardProfile, Profile
from gpuxlate.model.quantity import round_up
from gpuxlate.model.sheet import Range
from gpuxlate.rules.base import Context, Rule, rule
from gpuxlate.rules.predicates.conditions import Amount, Annotated, Asks, Listed, SomeContainer
from gpuxlate.rules.predicates.parameters import Within
from gpuxlate.rules.predicates.predicate import Breach, Predicate
from gpuxlate.rules.predicates.with_profile import CARDS, MODES, WithProfile, cards_per_node

if TYPE_CHECKING:
    from gpuxlate.backends.requirements import Requirement


def _unmet(profile: Profile | None, needed: Callable[[Any], Iterable[Requirement]]) -> Iterator[Message]:
    """What a profile lacks of the prerequisites, which are loaded when there is one."""
    if profile is not None and profile.target in k.NAMES:
        from gpuxlate.backends.requirements import unmet
        from gpuxlate.backends.volcengine import nodes

        for lack in unmet(profile, tuple(needed(nodes))):
            need = lack.requirement
            yield say(
                "{component} is {found}; required for {feature}: {bound}",
                feature=need.when,
                component=need.what,
                bound=need.bound,
                found=lack.found,
            )


def _of_the_list(profile: Profile | None) -> Iterator[Message]:
    return _unmet(profile, lambda needs: [needs.SEVERAL_CARDS])


def _of_large_cards(profile: Profile | None) -> Iterator[Message]:
    large = profile.cards if profile else CardProfile()
    return _unmet(profile, lambda needs: [needs.LARGE_CARDS] if needs.is_large(large) else [])


def _of_a_node(profile: Profile) -> tuple[Predicate, ...]:
    """The cards in the list; without a list, whole cards. More than VKE019 allows is that rule's."""
    most = cards_per_node(profile, k.NAMES)
    if most is None:
        return ()
    listed = c.ORDINARY & Listed(k.LISTED, Range(1, k.MAX_CARDS))
    percent = replace(most, times=k.FULL)
    whole = [(name, c.ONE_CARD & Amount(name, c.WHOLE)) for name in c.COMPUTE]
    return (
        Predicate(Within(k.LISTED, most), listed, k.RESOURCES),
        *(
            Predicate(Within(name, percent), when if name == k.CORE else when & ~Asks(k.CORE), (name,))
            for name, when in whole
        ),
    )


OFFLINE_KEYS = Annotated(k.QOS) | SomeContainer(c.ORDINARY & Asks(k.RECLAIMED_CORE))


def _can_colocate(profile: Profile) -> tuple[Predicate, ...]:
    lacks = [*_unmet(profile, lambda needs: needs.COLOCATION)]
    return (Predicate(~(c.MGPU & OFFLINE_KEYS), at=(k.QOS,), each=False),) if lacks else ()


def _knows_the_cards(profile: Profile) -> tuple[Predicate, ...]:
    several = Predicate(~(c.MGPU & c.HAS_LIST), at=(k.MULTIPLE_GPU,), each=False)
    found = [several] if any(_of_the_list(profile)) else []
    return (*found, *([Predicate(~c.MGPU, each=False)] if any(_of_large_cards(profile)) else []))


@rule(
    "VKE010",
    Severity.WARNING,
    no_policy="it adds up the cards of the containers",
    page=c.page(
        c.shown(c.part(100, None), c.part(), profile="cards: {perNode: 1}"),
        c.shown(c.part(60, 8192), c.part()),
        "V, W",
    ),
)
def shares_fit_the_cards_of_a_node(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """The shares of a pod fit on the cards of one node, at most 16 per card.

    ## What it does
    Counts the whole cards of the pod and its shares of others, and compares with a node of the profile.

    ## Why
    A card holds at most 16 containers, and all containers of a pod run on one node.
    """
    profile, pod = c.cluster(context), pod.with_workload()
    cards = profile.cards.per_node if profile else None
    every = c.mgpu_containers(pod)
    if cards is None or not every:
        return
    whole = sum(one.whole_cards for one in every)
    shares = sum(one.cards for one in every if not one.whole_cards)
    needed = whole + round_up(shares, k.INSTANCES_PER_CARD) // k.INSTANCES_PER_CARD
    if needed > cards >= max(one.cards for one in every):  # one container above the node: VKE020
        message = say(
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
        yield this.at(every[0].first, message, hint, on_key=True, missing=unlisted)


@rule(
    "VKE020",
    Severity.ERROR,
    with_profile=WithProfile(_of_a_node, CARDS),
    page=c.page(c.several("4", 200, 8192, "cards: {perNode: 2}"), c.several("2", 100, 8192), "V, VD"),
)
def node_has_the_cards(this: Rule, breach: Breach, pod: PodKeys, context: Context) -> Diagnostic:
    """A container requests at most the cards of one node.

    ## What it does
    Compares the cards of each container, shared or whole, with those of a node in the profile.

    ## Why
    All cards of a container are on one node, so the pod is never scheduled.
    """
    profile, one = c.cluster(context), c.Mgpu.of(breach.inside, pod)
    problem, hint = too_many_cards(one.cards, (profile.cards.per_node if profile else 0) or 0)
    message = say("container {container} {problem}", container=c.name_of(one.keys), problem=problem)
    return this.at(pod.annotations[k.MULTIPLE_GPU] if one.listed else one.first, message, hint)


@rule(
    "VKE033",
    Severity.WARNING,
    with_profile=WithProfile(_can_colocate, MODES),
    page=c.page(c.offline(profile="kubernetesVersion: v1.28.15-vke.18"), c.shown(), "S1"),
)
def cluster_can_colocate(this: Rule, breach: Breach, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """The cluster has the versions that online and offline work on one card requires.

    ## What it does
    Compares Kubernetes, the mGPU driver and component, general-webhook and the node image of the
    profile with the vendor's table, for a pod with a QoS level or offline compute.

    ## Why
    Older components, and the node images velinux2.0 and ubuntu22.04, do not support offline compute.
    """
    reclaimed = (one.keys.resources.get(k.RECLAIMED_CORE) for one in c.mgpu_containers(pod))
    where = pod.annotations.get(k.QOS) or next((value for value in reclaimed if value), None)
    if where is not None:
        hint = "have the vendor's support upgrade the cluster, or use another cluster"
        for message in _unmet(context.profile, lambda needs: needs.COLOCATION):
            yield this.at(where, message, hint)


@rule(
    "VKE034",
    Severity.WARNING,
    with_profile=WithProfile(_knows_the_cards, MODES),
    page=c.page(c.shown(cards="2", profile="components: {mgpu: v0.1.9}"), c.shown(c.part(15, 2048)), "R"),
)
def component_knows_the_cards(
    this: Rule, breach: Breach, pod: PodKeys, context: Context
) -> Iterator[Diagnostic]:
    """The mgpu component is new enough for several cards, and for large cards.

    ## What it does
    Compares the mgpu component of the profile with v0.2.0 for a pod with `container-multiple-gpu`,
    and with v0.6.1 where the cards are H20 or have as much memory.

    ## Why
    Older components do not support the annotation, or such cards.
    """
    listed, needed = pod.annotations.get(k.MULTIPLE_GPU), _of_the_list if breach.name else _of_large_cards
    where = listed if breach.name and listed else c.mgpu_containers(pod)[0].first
    for message in needed(context.profile):
        yield this.at(where, message, "upgrade the component on the console's component page", on_key=True)
