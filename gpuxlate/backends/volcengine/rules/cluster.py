"""Rules that compare a pod with the profile: cards of the nodes, versions of components."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from gpuxlate.backends.numbers import too_many_cards
from gpuxlate.backends.volcengine import keys as k
from gpuxlate.backends.volcengine.rules import containers as c
from gpuxlate.model.diagnostics import Diagnostic, Severity
from gpuxlate.model.messages import Message, say
from gpuxlate.model.pod import PodKeys
from gpuxlate.model.quantity import round_up
from gpuxlate.rules.base import Context, Rule, rule

if TYPE_CHECKING:
    from gpuxlate.backends.requirements import Requirement


@rule(
    "VKE010",
    Severity.WARNING,
    no_policy="the cards of a node are in a profile",
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
    no_policy="the cards of a node are in a profile",
    page=c.page(c.several("4", 200, 8192, "cards: {perNode: 2}"), c.several("2", 100, 8192), "V, VD"),
)
def node_has_the_cards(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """A container requests at most the cards of one node.

    ## What it does
    Compares the cards of each container, shared or whole, with those of a node in the profile.

    ## Why
    All cards of a container are on one node, so the pod is never scheduled.
    """
    profile, pod = c.cluster(context), pod.with_workload()
    most = profile.cards.per_node if profile else None
    for one in c.mgpu_containers(pod):
        if most is not None and one.cards > most and one.listed <= k.MAX_CARDS:  # else VKE019
            problem, hint = too_many_cards(one.cards, most)
            message = say("container {container} {problem}", container=c.name_of(one.keys), problem=problem)
            yield this.at(pod.annotations[k.MULTIPLE_GPU] if one.listed else one.first, message, hint)


@rule(
    "VKE033",
    Severity.WARNING,
    no_policy="the versions of a cluster are in a profile",
    page=c.page(c.offline(profile="kubernetesVersion: v1.28.15-vke.18"), c.shown(), "S1"),
)
def cluster_can_colocate(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """The cluster has the versions that online and offline work on one card requires.

    ## What it does
    Compares Kubernetes, the mGPU driver and component, general-webhook and the node image of the
    profile with the vendor's table, for a pod with a QoS level or offline compute.

    ## Why
    Older components, and the node images velinux2.0 and ubuntu22.04, do not support offline compute.
    """
    pod = pod.with_workload()
    every = c.mgpu_containers(pod)
    reclaimed = (one.keys.resources.get(k.RECLAIMED_CORE) for one in every)
    where = pod.annotations.get(k.QOS) or next((value for value in reclaimed if value), None)
    if every and where:
        hint = "have the vendor's support upgrade the cluster, or use another cluster"
        for message in _unmet(context, lambda needs: needs.COLOCATION):
            yield this.at(where, message, hint)


def _unmet(context: Context, needed: Callable[[Any], Iterable[Requirement]]) -> Iterator[Message]:
    """What a profile lacks of the prerequisites, which are loaded when there is one."""
    profile = c.cluster(context)
    if profile is not None:
        from gpuxlate.backends.requirements import unmet
        from gpuxlate.backends.volcengine import prerequisites

        for lack in unmet(profile, tuple(needed(prerequisites))):
            need = lack.requirement
            yield say(
                "{component} is {found}; required for {feature}: {bound}",
                feature=need.when,
                component=need.what,
                bound=need.bound,
                found=lack.found,
            )


@rule(
    "VKE034",
    Severity.WARNING,
    no_policy="the versions of a cluster are in a profile",
    page=c.page(c.shown(cards="2", profile="components: {mgpu: v0.1.9}"), c.shown(c.part(15, 2048)), "R"),
)
def component_knows_the_cards(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """The mgpu component is new enough for several cards, and for large cards.

    ## What it does
    Compares the mgpu component of the profile with v0.2.0 for a pod with `container-multiple-gpu`,
    and with v0.6.1 where the cards are H20 or have as much memory.

    ## Why
    Older components do not support the annotation, or such cards.
    """
    pod = pod.with_workload()
    every, listed = c.mgpu_containers(pod), pod.annotations.get(k.MULTIPLE_GPU)
    hint = "upgrade the component on the console's component page"
    if every and listed:
        for message in _unmet(context, lambda needs: [needs.SEVERAL_CARDS]):
            yield this.at(listed, message, hint, on_key=True)
    if every and context.profile:
        large = context.profile.cards
        for message in _unmet(context, lambda needs: [needs.LARGE_CARDS] if needs.is_large(large) else []):
            yield this.at(every[0].first, message, hint, on_key=True)
