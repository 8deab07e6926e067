"""Rules on online and offline pods, and on the nodes that a pod needs: TKE010 to TKE018."""

from __future__ import annotations

import re
from collections.abc import Iterator

from gpuxlate.backends.numbers import number, outside, requesting
from gpuxlate.backends.tencent import keys as k
from gpuxlate.backends.tencent.backend import too_old
from gpuxlate.backends.tencent.rules.shares import CLASS, GREEDY, OFFLINE, ORDINARY, compute_of, shown
from gpuxlate.model.diagnostics import Diagnostic, Severity
from gpuxlate.model.messages import say
from gpuxlate.model.pod import NodeRequirement, PodKeys
from gpuxlate.model.profile import Profile
from gpuxlate.model.sheet import GIB, Range
from gpuxlate.rules.base import Context, Page, Rule, rule
from gpuxlate.rules.predicates.conditions import Amount, Annotated, Asks, ChoosesAmong, SomeContainer
from gpuxlate.rules.predicates.parameters import Within
from gpuxlate.rules.predicates.predicate import Breach, Predicate
from gpuxlate.rules.predicates.with_profile import CARDS, MODES, WithProfile, card_memory

ONLINE, KNOWN = Annotated(k.APP_CLASS, "online"), Annotated(k.APP_CLASS, *k.CLASSES)
IN_RANGE = Amount(k.GREEDY, Range(1, 100)) | ~Amount(k.GREEDY)
OFFLINE_GREEDY = Predicate(IN_RANGE & Asks(k.MEMORY) & ~Asks(k.CORE), OFFLINE, (k.GREEDY,))
NO_COMPUTE = Predicate(~ONLINE, at=(k.CORE,))
ONLINE_MEMORY = Predicate(Asks(k.MEMORY), ONLINE, (k.CORE,), severity=Severity.ERROR)
KNOWN_CLASS = Predicate(KNOWN, CLASS, (k.APP_CLASS,), each=False)
GREEDY_IS_OFFLINE = Predicate(OFFLINE, KNOWN | ~CLASS, (k.GREEDY,))
OFFLINE_IS_GREEDY = Predicate(GREEDY, OFFLINE, (k.CORE, k.MEMORY))
GENERATED = re.compile("[Tt][Rr][Uu][Ee]")
KNOWN_POLICY = Predicate(ChoosesAmong(k.POLICY, *k.POLICY_OF, GENERATED), at=(k.POLICY,), each=False)
OF_QGPU = (k.CORE, k.GREEDY, k.MEMORY)
Found = Iterator[Diagnostic]


def _not_too_many(profile: Profile) -> tuple[Predicate, ...]:
    """One share more than qGPU creates does not fit a card."""
    most = k.MAX_SHARES + 1
    room = card_memory(profile, k.NAMES, GIB * most)
    if room is None:
        return ()
    asked = Amount(k.CORE, Range(1, k.FULL // most)) & Amount(k.MEMORY, Range(1)) & ORDINARY
    return (Predicate(~Within(k.MEMORY, room), asked, (k.MEMORY,)),)


def _recent(profile: Profile) -> tuple[Predicate, ...]:
    none = Predicate(~SomeContainer(Asks(*OF_QGPU)), each=False)
    return (none,) if too_old(profile, "kubernetesVersion") else ()


@rule(
    "TKE010",
    Severity.ERROR,
    predicate=OFFLINE_GREEDY,
    page=Page(shown("offline", greedy=160, memory=5), shown("offline", greedy=30, memory=5)),
)
def offline_asks_for_greedy_and_memory(this: Rule, breach: Breach, pod: PodKeys, context: Context) -> Found:
    """A container of an offline pod sets `qgpu-core-greedy`, 1 to 100, and memory, nothing else.

    ## What it does
    Reports, in pods with `app-class: offline`, a `qgpu-core-greedy` outside 1 to 100 and one without
    `qgpu-memory` or beside `qgpu-core`.

    ## Why
    Offline compute is a part of one card that online pods leave unused; its memory is fixed.

    ## Source
    Tencent Cloud, docs 457/81034 "qGPU online/offline colocation" (2025-09-15).
    """
    there, greedy = breach.inside.resources, number(breach.there)
    if greedy is not None and not 1 <= greedy <= k.FULL:
        hint = say("write 1 to {most}, in percent of one card", most=k.FULL)
        yield this.at(breach.there, outside(k.GREEDY, greedy, 1, k.FULL), hint)
    if k.MEMORY not in there:
        message = k.tell("{greedy} is set without {memory}")
        yield this.at(breach.there, message, k.tell("add {memory} (GiB)"), missing=True)
    if k.CORE in there:
        message = k.tell("{core} and {greedy} are both set; offline pods have {greedy} only")
        yield this.at(there[k.CORE], message, k.tell("remove {core}"), on_key=True)


@rule(
    "TKE011",
    Severity.WARNING,
    predicate=(NO_COMPUTE, ONLINE_MEMORY),
    page=Page(shown("online", core=30, memory=5), shown("online", memory=5)),
)
def online_asks_for_memory_alone(this: Rule, breach: Breach, pod: PodKeys, context: Context) -> Diagnostic:
    """A container of an online pod sets `qgpu-memory` and no compute.

    ## What it does
    Reports, in pods with `app-class: online`, a `qgpu-core` (warning) and missing memory (error).

    ## Why
    Online pods compete for compute and pre-empt offline pods. Whether their `qgpu-core` is ignored or
    refused is not documented; it guarantees nothing.

    ## Source
    Tencent Cloud, docs 457/81034 "qGPU online/offline colocation" (2025-09-15).
    """
    if this.severity is Severity.ERROR:
        message, hint = k.tell("{memory} is not set in an online pod"), k.tell("add {memory} (GiB)")
        return this.at(breach.there, message, hint, on_key=True, missing=True)
    message = k.tell("{core} is set in an online pod, which competes for compute")
    hint = k.tell("remove {core}, or the annotation {app_class}")
    return this.at(breach.there, message, hint, on_key=True)


@rule(
    "TKE012",
    Severity.ERROR,
    predicate=(KNOWN_CLASS, GREEDY_IS_OFFLINE, OFFLINE_IS_GREEDY),
    page=Page(shown(greedy=30, memory=5), shown("offline", greedy=30, memory=5)),
)
def compute_goes_with_app_class(this: Rule, breach: Breach, pod: PodKeys, context: Context) -> Diagnostic:
    """`app-class` is online or offline; offline pods set `qgpu-core-greedy`, other pods do not.

    ## What it does
    Reports a `tke.cloud.tencent.com/app-class` other than `online` and `offline`, `qgpu-core-greedy` in a
    pod that is not offline, and an offline pod's container without it.

    ## Why
    Offline work needs both the annotation and the resource: with one alone, the pod is not scheduled as
    offline work.

    ## Source
    Tencent Cloud, docs 457/81034 "qGPU online/offline colocation" (2025-09-15).
    """
    found = pod.annotations.get(k.APP_CLASS)
    if found is not None and breach.container is None:
        message = k.tell("{app_class} is {value!r}, neither online nor offline", value=found.text)
        return this.at(found, message, "write online or offline, in lower case")
    text, hint = "{greedy} is not set in an offline pod", "add {greedy}, or remove {app_class}"
    if breach.name == k.CORE:
        hint = "replace {core} by {greedy}, or remove {app_class}"
    elif breach.name == k.GREEDY:
        text = "{greedy} is set in a pod that is not offline"
        hint = "annotate the pod template {app_class}: offline, or request {core}"
    missing = breach.name != k.GREEDY or found is None
    return this.at(breach.there, k.tell(text), k.tell(hint), on_key=True, missing=missing)


def beside_others(this: Rule, pod: PodKeys, context: Context) -> Found:
    """ "true" beside other values, and policies that no node of the profile has."""
    for one in pod.choices(k.POLICY):
        for text in one.values if len(one.values) > 1 else ():
            if GENERATED.fullmatch(text):
                yield _no_policy(this, text, one)
    yield from _no_such_node(this, pod, context)


def _no_policy(this: Rule, text: str, where: NodeRequirement) -> Diagnostic:
    message = k.tell("{policy} is {value!r}, which is not a policy of qGPU", value=text)
    return this.at(where, message, say("write one of {names}", names=k.POLICY_NAMES))


def _no_such_node(this: Rule, pod: PodKeys, context: Context) -> Found:
    on_nodes = k.node_policy(context.profile)
    for one in pod.choices(k.POLICY):
        policies = {k.POLICY_OF.get(text) for text in one.values if one.operator == "In"}
        if on_nodes and policies and not policies & {None, on_nodes}:
            message = k.other_policy(", ".join(sorted(map(str, policies))), on_nodes)
            hint = say("label a node pool with the policy, or choose {policy}", policy=on_nodes)
            yield this.at(one, message, hint, severity=Severity.WARNING)


@rule(
    "TKE014",
    Severity.ERROR,
    predicate=KNOWN_POLICY,
    also=beside_others,
    page=Page(shown(policy="fixed", core=30, memory=5), shown(policy="fixed-share", core=30, memory=5)),
)
def policy_is_known(this: Rule, breach: Breach, pod: PodKeys, context: Context) -> Found:
    """The pod chooses nodes by one of the three policies.

    ## What it does
    Reports a value of `tke.cloud.tencent.com/qgpu-schedule-policy` in `nodeSelector` or the required node
    affinity that is not a policy. With a profile that sets `policy`, also a choice that its nodes do not
    meet (warning).

    ## Why
    The label of a node pool is `best-effort`, `fixed-share` or `burst-share`, or an abbreviation of these
    (`be`, `fs`, `bs`); no node has another value, so the pod stays Pending.

    ## Source
    Tencent Cloud, "GPU sharing: using qGPU", table of policies (2024-11-25).
    """
    for one in pod.choices(k.POLICY):
        for text in one.values:
            if text not in k.POLICY_OF and not GENERATED.fullmatch(text):  # GX013
                yield _no_policy(this, text, one)


@rule(
    "TKE016",
    Severity.WARNING,
    with_profile=WithProfile(_not_too_many, CARDS),
    page=Page(shown(profile="cards: {memoryMiB: 22731}", core=5, memory=1), shown(core=10, memory=2)),
)
def card_fills_before_the_limit(this: Rule, breach: Breach, pod: PodKeys, context: Context) -> Diagnostic:
    """A share is large enough that 16 of them fill a card.

    ## What it does
    With a profile that sets `cards.memoryMiB`, reports a share of which more than 16 fit a card by
    compute and memory.

    ## Why
    qGPU creates at most 16 devices on a card. With smaller shares, the rest of the card is unused.

    ## Source
    Tencent Cloud, "GPU sharing: using qGPU", limit of devices (2024-11-25); docs 457/65734 (2026-01-16).
    """
    card = k.card_gib(context.profile) or 0
    fit = min(k.FULL // compute_of(breach.inside), card // breach.number)
    text = "{fit} such shares fit a card of {card} GiB; qGPU creates at most {most} on it"
    message = say(text, fit=fit, card=card, most=k.MAX_SHARES)
    return this.at(breach.there, message, "request more compute or memory, or plan for an unused rest")


@rule(
    "TKE018",
    Severity.WARNING,
    with_profile=WithProfile(_recent, MODES),
    page=Page(
        shown(profile="kubernetesVersion: v1.12.4-tke.30", core=30, memory=5),
        shown(profile="kubernetesVersion: v1.28.3-tke.2", core=30, memory=5),
    ),
)
def cluster_is_recent(this: Rule, breach: Breach, pod: PodKeys, context: Context) -> Found:
    """The cluster runs Kubernetes 1.14 or later.

    ## What it does
    With a profile that sets `kubernetesVersion`, reports a pod with keys of qGPU on an older version.
    qGPU also needs native nodes (pages of 2024 and 2026), which no profile holds.

    ## Why
    The add-on supports TKE from 1.14 on.

    ## Source
    Tencent Cloud, "GPU sharing: using qGPU", supported versions (2024-11-25); docs 457/65734 (2026-01-16).
    """
    version = too_old(context.profile, "kubernetesVersion")
    for container in requesting(pod, *OF_QGPU)[:1]:
        value = next(container.resources[name] for name in OF_QGPU if name in container.resources)
        message = say("qGPU needs Kubernetes 1.14 or later; this profile has {version}", version=version)
        yield this.at(value, message, "upgrade the cluster, or use another", on_key=True)
