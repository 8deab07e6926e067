"""What a pod with mGPU requests beside, its policy, and online and offline work on one card."""

from __future__ import annotations

from collections.abc import Iterator

from gpuxlate.backends.numbers import both_places
from gpuxlate.backends.volcengine import keys as k
from gpuxlate.backends.volcengine.rules import containers as c
from gpuxlate.model.diagnostics import Diagnostic, Fix, Severity
from gpuxlate.model.edits import Rename
from gpuxlate.model.messages import either, say
from gpuxlate.model.pod import PodKeys, Value
from gpuxlate.model.profile import Profile
from gpuxlate.model.sheet import Range
from gpuxlate.rules.base import Context, Rule, rule
from gpuxlate.rules.predicates import conditions as of
from gpuxlate.rules.predicates.conditions import Allows
from gpuxlate.rules.predicates.predicate import Breach, Predicate
from gpuxlate.rules.predicates.with_profile import MODES, WithProfile

WHOLE_CARDS_OF_NVIDIA = "nvidia.com/gpu"
ASKS = of.Asks(*k.RESOURCES)
LEVELS = tuple(k.QOS_LEVELS.values())
LEVEL, NOT_NATIVE = of.Annotated(k.QOS, *LEVELS), ~of.Annotated(k.POLICY, c.NATIVE)
BURST = "guaranteed-burst-share"
SHARING = of.SomeContainer(
    c.ORDINARY & c.of_compute(lambda name: of.Amount(name) & ~of.Amount(name, Range(0, None, k.FULL)))
)
CHOSEN = of.Selects(k.POLICY)


def _asking_for(policy: str) -> of.Condition:
    """A pod with a part of a card asks for a policy, by its annotation or by having none."""
    asked = of.Annotated(k.POLICY, policy)
    return SHARING & (asked | ~of.Annotated(k.POLICY) if policy == c.DEFAULT_POLICY else asked)


OWN_NODES = tuple(
    Predicate(Allows(k.POLICY, one), _asking_for(one) & CHOSEN, (k.POLICY,), each=False)
    for one in k.POLICIES.values()
)


def _of_profile(profile: Profile) -> tuple[Predicate, ...]:
    """Pods that do not choose their nodes go to those of the profile."""
    if profile.target not in k.NAMES or profile.policy is None:
        return ()
    there = k.POLICY_NAMES.get(profile.policy, profile.policy)
    others = [one for one in k.POLICIES.values() if one != there]
    return tuple(Predicate(of.NEVER, _asking_for(one) & ~CHOSEN, (k.POLICY,), each=False) for one in others)


@rule(
    "VKE005",
    Severity.ERROR,
    predicate=OWN_NODES,
    with_profile=WithProfile(_of_profile, MODES),
    page=c.page(c.shown(policy=c.NATIVE, profile="policy: burst-share"), c.shown(policy=BURST), "S0, V"),
)
def policy_is_that_of_the_node(this: Rule, breach: Breach, pod: PodKeys, context: Context) -> Diagnostic:
    """The pod requests the policy of its nodes.

    ## What it does
    Compares the policy of the pod, `fixed-share` where it sets none, with the policy of the nodes:
    from the pod's own nodeSelector or required affinity, else from the profile. A pod with whole
    cards runs on nodes of any policy.

    ## Why
    The policy is a property of the node. A pod that requests another policy stays pending.
    """
    sharing = [one for one in c.mgpu_containers(pod) if one.cores % k.FULL]
    given, own, nodes = pod.annotations.get(k.POLICY), _node_policies(pod), _node_policies(pod, context)
    policy = given.text if given else c.DEFAULT_POLICY
    named, there = c.policy_text(pod), either(nodes) or "none"
    hint = say("select nodes with {policy}", policy=policy)
    if nodes:
        hint = say(
            "write the annotation {key}: {node}, or select nodes with {policy}",
            key=k.POLICY,
            node=nodes[0],
            policy=policy,
        )
    return this.at(
        given or sharing[0].first,
        say("the policy of the pod is {policy}, but its nodes have {nodes}", policy=named, nodes=there),
        hint,
        on_key=given is None,
        missing=given is None or not own,
    )


def _node_policies(pod: PodKeys, context: Context | None = None) -> tuple[str, ...]:
    """The policies of the pod's nodes; empty where neither the pod nor the profile says."""
    if k.POLICY in pod.node_selector:
        return (pod.node_selector[k.POLICY].text,)
    required = pod.required_by_all_terms(k.POLICY)
    if required and all(requirement.operator == "In" for requirement in required):
        return tuple(dict.fromkeys(text for requirement in required for text in requirement.values))
    profile = c.cluster(context) if context else None
    if profile is None or profile.policy is None:
        return ()
    return (k.POLICY_NAMES.get(profile.policy, profile.policy),)


@rule(
    "VKE006",
    Severity.ERROR,
    predicate=Predicate(
        ~of.Annotated(k.BURST_TO_VCI, "enforce") & ~of.Labelled(k.BURST_TO_VCI, "enforce"),
        of.SomeContainer(ASKS),
        (k.BURST_TO_VCI,),
        each=False,
    ),
    page=c.page(c.shown(vci="enforce"), c.shown(), "S0, VCI"),
)
def no_mgpu_on_vci(this: Rule, breach: Breach, pod: PodKeys, _: Context) -> Iterator[Diagnostic]:
    """A pod with mGPU is not sent to elastic container instances (VCI).

    ## What it does
    Reports `vke.volcengine.com/burst-to-vci: enforce`, as annotation or label, on a pod that requests
    mGPU.

    ## Why
    mGPU runs on ECS nodes only; VCI does not support it.
    """
    for value in (pod.annotations.get(k.BURST_TO_VCI), pod.labels.get(k.BURST_TO_VCI)):
        if value and value.text == "enforce":
            hint = say("remove {key}, or request whole cards that VCI offers", key=k.BURST_TO_VCI)
            yield this.at(value, "the pod requests mGPU, but is sent to VCI, which does not support it", hint)


@rule(
    "VKE007",
    Severity.WARNING,
    predicate=Predicate(
        ~of.SomeContainer(ASKS), ~ASKS & of.Amount(WHOLE_CARDS_OF_NVIDIA, Range(1)), (WHOLE_CARDS_OF_NVIDIA,)
    ),
    page=c.page(
        c.shown(c.part(), {WHOLE_CARDS_OF_NVIDIA: Value.of(1)}), c.shown(c.part(), c.part(100, None)), "V, Q"
    ),
)
def pod_uses_one_device_stack(this: Rule, breach: Breach, pod: PodKeys, _: Context) -> Diagnostic:
    """No other container of a pod with mGPU requests nvidia.com/gpu.

    ## What it does
    Reports `nvidia.com/gpu` in one container while another container of the pod requests mGPU. Both
    in one container are K8S007.

    ## Why
    A node runs either the mGPU device plug-in or NVIDIA's, so it is unlikely to offer both.
    """
    hint = say(
        "write {key}: {cores} for {cards}, or use separate pods",
        key=k.CORE,
        cores=k.FULL * breach.number,
        cards=c.cards_text(breach.number),
    )
    message = "the pod requests mGPU and nvidia.com/gpu, but a node offers only one of them"
    return this.at(breach.there, message, hint, on_key=True)


@rule(
    "VKE029",
    Severity.ERROR,
    fix="unsafe",
    predicate=Predicate(
        ~(of.Asks(k.CORE) & (c.OFFLINE | of.Asks(k.RECLAIMED_CORE)))
        & ~(of.Asks(k.RECLAIMED_CORE) & ~c.OFFLINE & (~of.Annotated(k.QOS) | of.Annotated(k.QOS, *LEVELS))),
        c.ORDINARY,
        c.COMPUTE,
    ),
    page=c.page(c.shown(qos="reclaimed_cores"), c.offline(), "S1"),
)
def offline_compute_is_reclaimed(this: Rule, breach: Breach, pod: PodKeys, _: Context) -> Diagnostic:
    """Offline pods, and no others, request compute as reclaimed-mgpu-core.

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
    one, name = breach.inside, c.name_of(breach.inside)
    reclaimed = one.resources.get(k.RECLAIMED_CORE)
    if reclaimed and breach.name == k.CORE:
        message = say("container {name} requests online and offline compute", name=name)
        hint = "keep reclaimed-mgpu-core if qos_level is reclaimed_cores, otherwise mgpu-core"
        return this.at(breach.there if c.OFFLINE.holds(pod) else reclaimed, message, hint, on_key=True)
    if reclaimed:
        message = say("container {container} of an online pod requests offline compute", container=name)
        hint = say("add the annotation {key}: reclaimed_cores to the pod, or write mgpu-core", key=k.QOS)
        return this.at(breach.there, message, hint, on_key=True, missing=k.QOS not in pod.annotations)
    fix = None
    if 0 < c.cores_of(one) < k.FULL:  # whole cards of offline work are not documented
        edits = (Rename(at.path, k.RECLAIMED_CORE, at.plain) for at in both_places(one, k.CORE))
        fix = Fix("rename mgpu-core to reclaimed-mgpu-core", tuple(edits), safe=False)
    message = say("container {container} of an offline pod requests online compute", container=name)
    hint = "write reclaimed-mgpu-core, or remove qos_level reclaimed_cores from the pod"
    return this.at(breach.there, message, hint, on_key=True, fix=fix)


@rule(
    "VKE030",
    Severity.ERROR,
    predicate=(
        Predicate(NOT_NATIVE, c.MGPU & LEVEL & c.OFFLINE, (k.POLICY,), each=False),
        Predicate(
            NOT_NATIVE, c.MGPU & LEVEL & ~c.OFFLINE, (k.POLICY,), each=False, severity=Severity.WARNING
        ),
    ),
    page=c.page(c.offline(policy=c.NATIVE), c.offline(policy=BURST), "S1"),
)
def colocation_policy_is_supported(this: Rule, breach: Breach, pod: PodKeys, _: Context) -> Diagnostic:
    """A pod with a QoS level has the policy fixed-share or guaranteed-burst-share.

    ## What it does
    Reports `native-burst-share` on an offline pod, and as a warning on a pod that is marked online. A
    pod without a level may have any policy.

    ## Why
    Colocation supports the other two policies only; the vendor recommends `guaranteed-burst-share`.
    """
    message = say("online and offline work on one card does not support {policy}", policy=c.NATIVE)
    if c.OFFLINE.holds(pod):
        return this.at(breach.there, message, "write guaranteed-burst-share")
    hint = "write guaranteed-burst-share, or remove the QoS level from the pod"
    return this.at(breach.there, message, hint)


@rule(
    "VKE031",
    Severity.ERROR,
    predicate=Predicate(~of.Annotated(k.MULTIPLE_GPU), c.OFFLINE, (k.MULTIPLE_GPU,), each=False),
    page=c.page(c.offline(cards="2"), c.offline(), "S1"),
)
def offline_shares_one_card(this: Rule, breach: Breach, pod: PodKeys, _: Context) -> Diagnostic:
    """An offline pod has no card list.

    ## What it does
    Reports `container-multiple-gpu` on a pod whose level is `reclaimed_cores`.

    ## Why
    Colocation does not support sharing of several cards.
    """
    hint = "remove the annotation, and request a part of one card"
    return this.at(breach.there, "an offline pod cannot share several cards", hint, on_key=True)


@rule(
    "VKE032",
    Severity.INFO,
    predicate=Predicate(of.NEVER, c.OFFLINE & c.ORDINARY, (k.MEMORY,)),
    page=c.page(c.offline(), c.shown(qos="shared_cores"), "S1"),
)
def memory_can_be_preempted(this: Rule, breach: Breach, pod: PodKeys, _: Context) -> Diagnostic:
    """Offline containers request no GPU memory, which online work cannot preempt.

    ## What it does
    Reports `mgpu-memory` of each offline container.

    ## Why
    Online work preempts compute, not memory: the offline container keeps its memory, so both must fit
    on the card at the same time. If they do, no change is needed.
    """
    message = "online work cannot preempt this memory, only compute"
    return this.at(breach.there, message, "make sure that it fits on the card beside the online work")
