"""Manifests in one dialect, from random shares: what the properties of pairs translate.

They are written here, by hand and as text, so that nothing of the pipeline has a part in what it is given.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import permutations
from typing import Any

from hypothesis import Phase, settings
from hypothesis import strategies as st

from gpuxlate.backends import registry
from gpuxlate.backends.alibaba import AlibabaProfile
from gpuxlate.backends.base import Backend
from gpuxlate.backends.pod_reader import ContainerShare
from gpuxlate.backends.pod_writer import Accept
from gpuxlate.model.pod import (
    ContainerKeys,
    DeviceRequest,
    Devices,
    NodeRequirement,
    PodClaim,
    PodKeys,
    Value,
)
from gpuxlate.model.profile import CardProfile, Profile
from gpuxlate.model.share import Policy, Share
from gpuxlate.testing import strategies
from gpuxlate.translation.acceptance import DROPPABLE
from gpuxlate.translation.fit import fit_pod
from tests.effort import FULL, some, tries
from tests.pairs.manifests import deployment
from tests.tables import to_yaml

EVERYTHING = Accept(True, {"cores": 60, "memoryMiB": 8192}, frozenset(DROPPABLE))
"""All that a user can allow."""
STYLES = ("limits", "limits", "both", "both", "requests")
"""Where the amounts of a source stand; in requests alone Kubernetes does not take them (K8S004)."""
A10_MIB = 22731
"""Of an A10 mGPU can use so much (Volcengine, EMR Serverless "mGPU")."""


PODS = tuple(one for one in registry.pod_backends() if not one.read_only)
FIRST = ("volcengine-mgpu", "alibaba-gpushare", "tencent-qgpu", "hami", "volcano-vgpu", "neutral")
"""The dialects whose pairs get the whole budget; there are twenty times as many others."""
OTHERS_GET = 16
"""The part of the budget of any other pair."""


DRAWN = {*some(permutations((one.name for one in registry.all_backends()), 2))}
"""The pairs of other dialects that quick draws for."""


def are_first(source: Backend, target: Backend) -> bool:
    """Whether a pair gets the whole budget: those that write no pods are no dialects."""
    return all(backend.name in FIRST for backend in (source, target) if backend.writes_pods)


def is_tried(source: Backend, target: Backend) -> bool:
    """Whether a pair is tried: quick tries those with one of FIRST, and those that are drawn. A pair of two
    others goes through the same share as both do with the neutral keys."""
    names = (source.name, target.name)
    return FULL or names in DRAWN or any(name in FIRST for name in names)


def of_pair(examples: int, source: Backend, target: Backend) -> settings:
    """How many examples of a pair are drawn."""
    if are_first(source, target):
        return tries(examples)
    others = tries(max(examples // OTHERS_GET, 4))
    is_drawn = FULL or (source.name, target.name) in DRAWN
    return others if is_drawn else settings(others, phases=[Phase.explicit])


def names_cards(backend: Backend) -> bool:
    """Its keys name cards, so that it takes no share of any other card."""
    return any(row.model for row in backend.keys)


@dataclass(frozen=True, slots=True)
class Manifest:
    """A Deployment in one dialect: its text, and the share of each container that asks."""

    text: str
    shares: Mapping[str, Share]


@dataclass(frozen=True, slots=True)
class Question:
    """What to translate, and what the user allows."""

    pod: list[ContainerShare]
    style: str
    replicas: int
    accept: Accept
    profile: Profile | None


def questions(*names: str) -> st.SearchStrategy[Question]:
    """Random pods and flags; the profile is none, or one of these targets."""
    return st.builds(
        Question,
        strategies.pods(),
        st.sampled_from(STYLES),
        st.integers(1, 5),
        st.one_of(st.just(Accept()), strategies.accepts(), strategies.generous(), strategies.generous()),
        st.one_of(
            st.none(), st.builds(_profile, st.sampled_from(names), UNIT, CARD, PER_NODE, strategies.POLICIES)
        ),
    )


UNIT = st.sampled_from((1024, 1024, 128))
"""MiB of one unit of memory, where a cluster counts in units."""
CARD = st.sampled_from((None, A10_MIB, 81920))
"""MiB of one card."""
PER_NODE = st.sampled_from((None, 1, 8))
"""Cards of one node."""


def _profile(
    name: str, unit_mib: int, card_mib: int | None, per_node: int | None, policy: Policy | None
) -> Profile:
    """A unit of 128 MiB is for nodes of mode share only (ACK015)."""
    isolation = "share" if unit_mib == 128 else "cgpu"
    return Profile(
        name,
        policy=policy,
        cards=CardProfile(per_node=per_node, memory_mib=card_mib),
        extensions=(AlibabaProfile(unit_mib, isolation),),
        memory_unit_mib=unit_mib if unit_mib == 128 else 1,
    )


def manifest(question: Question, backend: Backend) -> Manifest | None:
    """The pod in a dialect, with what it cannot say made to fit; None where nothing makes it fit."""
    pod = [replace(one, share=strategies.naming_a_card(one.share, backend)) for one in question.pod]
    fit = fit_pod(pod, backend, EVERYTHING, question.profile)
    if not fit.accepted:
        return None
    shares = {one.container.name: one.declared for one in fit.outcomes}
    return Manifest(document(fit.keys, question), shares)


def document(keys: PodKeys, question: Question) -> str:
    """A Deployment with these keys, as YAML."""
    made = {(one.init, one.index): one for one in keys.all_containers()}
    pod: dict[str, Any] = {
        "containers": {},
        "init": {},
        "labels": _plain(keys.labels),
        "annotations": _plain(keys.annotations),
    }
    for one in question.pod:
        parts = _parts(made.get((one.init, one.index)) or ContainerKeys(), question.style)
        pod["init" if one.init else "containers"][one.name] = parts
    claims = [{"name": one.name, "resourceClaimTemplateName": f"web-{one.name}"} for one in keys.claims]
    whole = deployment(
        pod,
        terms=[[_expression(one) for one in term] for term in keys.affinity],
        replicas=question.replicas,
        schedulerName=keys.scheduler_name and keys.scheduler_name.text,
        nodeSelector=_plain(keys.node_selector),
        resourceClaims=claims,
    )
    return "---\n".join(map(to_yaml, [whole, *map(_template, keys.claims)]))


def _template(claim: PodClaim) -> dict[str, Any]:
    """A template of claims of a workload that is called web."""
    devices = claim.devices or Devices()
    asked: dict[str, Any] = {"requests": [_request(one) for one in devices.requests]}
    if devices.constraints:
        asked["constraints"] = [
            {"requests": [*one.requests], "distinctAttribute": one.distinct.text}
            for one in devices.constraints
            if one.distinct
        ]
    return {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaimTemplate",
        "metadata": {"name": f"web-{claim.name}"},
        "spec": {"spec": {"devices": asked}},
    }


def _request(one: DeviceRequest) -> dict[str, Any]:
    exactly: dict[str, Any] = {"deviceClassName": one.device_class and one.device_class.text}
    if one.count:
        exactly["count"] = one.count.plain
    if one.capacity:
        exactly["capacity"] = {"requests": {name: value.text for name, value in one.capacity.items()}}
    return {"name": one.name, "exactly": exactly}


def _parts(keys: ContainerKeys, style: str) -> dict[str, Any]:
    amounts = _plain(keys.limits)
    return {
        **dict.fromkeys(("limits", "requests") if style == "both" else (style,), amounts),
        "env": {name: value.text for name, value in keys.env.items()},
        "claims": [{"name": one.name} for one in keys.claims],
    }


def _plain(values: Mapping[str, Value]) -> dict[str, int | str]:
    return {name: value.plain for name, value in values.items()}


def _expression(one: NodeRequirement) -> dict[str, Any]:
    return {"key": one.key, "operator": one.operator, "values": list(one.values)}


def one_container(question: Question) -> Question:
    """The same question with a share of one container, for what holds a single one."""
    share = next(one.share for one in question.pod if one.share and not one.init)
    return replace(question, pod=[ContainerShare("main-0", 0, share=share)])
