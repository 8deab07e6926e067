"""Tencent TKE qGPU: reading shares. The rules report wrong keys; a reader returns what they give."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from gpuxlate.backends.base import GIB, ContainerShare, Reading, Taking
from gpuxlate.backends.tencent import keys as k
from gpuxlate.model.messages import say
from gpuxlate.model.pod import ContainerKeys, Path, PodKeys
from gpuxlate.model.profile import Profile
from gpuxlate.model.share import Policy, Qos


class PodFields(NamedTuple):
    """The fields that a pod sets for all of its containers, and where."""

    policy: Policy | None
    qos: Qos | None
    origins: dict[str, Path]


def read(pod: Taking, profile: Profile | None) -> Reading:
    """Keys to shares."""
    pod.selector(k.DEVICE_ENABLE, k.QGPU_NODES)
    for name in (k.MIXED_ENABLE, k.VERSION):
        pod.selector(name)
    fields = _read_pod(pod)
    return pod.reading([_read_container(pod, one, fields) for one in pod.pod.all_containers()])


def _read_pod(pod: Taking) -> PodFields:
    origins: dict[str, Path] = {}
    app_class = pod.annotation(k.APP_CLASS)
    if app_class:
        origins["qos"] = app_class.path
    policy, where = _read_policy(pod)
    if policy:
        origins["policy"] = where
    return PodFields(policy, k.CLASSES.get(app_class.text) if app_class else None, origins)


def _read_policy(pod: Taking) -> tuple[Policy | None, Path]:
    """The one policy of every node that the pod can run on, and where it is set."""
    pod.take_node(k.POLICY)
    if any(text not in k.POLICY_OF for text in _texts(pod.pod)):
        return None, ()  # TKE014 or GX013
    several = tuple(_not_one_policy(pod.pod))
    for message, path in several:
        hint = say("require one policy in every term, operator In: {names}", names=k.POLICY_NAMES)
        pod.note("TKE014", message, path, hint)
    found = _policies(pod.pod)
    return found[0] if found and not several else (None, ())


def _texts(pod: PodKeys) -> Iterator[str]:
    """The values of every choice of policies."""
    if k.POLICY in pod.node_selector:
        yield pod.node_selector[k.POLICY].text
    for one in pod.requirements():
        if one.key == k.POLICY:
            yield from one.values


def _policies(pod: PodKeys) -> list[tuple[Policy, Path]]:
    """Every policy in nodeSelector or affinity. Nodes without the label are best-effort (S003)."""
    chosen = pod.node_selector.get(k.POLICY)
    texts = [(chosen.text, chosen.path)] if chosen else []
    for one in pod.requirements():
        if one.key == k.POLICY and one.operator == "In":
            texts.extend((text, one.path) for text in one.values)
        elif one.key == k.POLICY and one.operator == "DoesNotExist":
            texts.append((Policy.BEST_EFFORT, one.path))
    return [(k.POLICY_OF[text], path) for text, path in texts if text in k.POLICY_OF]


def _not_one_policy(pod: PodKeys) -> Iterator[tuple[str, Path]]:
    """Valid choices of nodes that a share, which has one policy, does not hold."""
    required = [one for one in pod.requirements() if one.key == k.POLICY]
    for one in required:
        if one.operator != "DoesNotExist" and (one.operator != "In" or not one.values):
            choice = " ".join((k.POLICY, one.operator, ", ".join(one.values))).rstrip()
            yield say("{choice} does not select one policy", choice=choice), one.path
    found = _policies(pod)
    different = next((path for policy, path in found if policy is not found[0][0]), None)
    if different is not None:
        names = ", ".join(dict.fromkeys(str(policy) for policy, _ in found))
        yield say("the pod chooses nodes with {names}; a share has one policy", names=names), different
    if required and k.POLICY not in pod.node_selector and not pod.required_by_all_terms(k.POLICY):
        yield say("only some terms of the node affinity require {label}", label=k.POLICY), required[0].path


def _read_container(pod: Taking, container: ContainerKeys, fields: PodFields) -> ContainerShare:
    origins = dict(fields.origins)
    for attribute, name in (("cores", k.CORE), ("cores", k.GREEDY), ("memory_mib", k.MEMORY)):
        value = container.resources.get(name)
        if value:
            origins[attribute] = value.path
    core, greedy, units = (pod.number(container, name) for name in (k.CORE, k.GREEDY, k.MEMORY))
    if core is None and greedy is None and units is None:
        return pod.none(container)
    origins["cards"] = origins.get("cores", container.path)
    cards, cores = 1, core
    if greedy is not None:
        cores = greedy
    elif core is not None and k.is_whole(core):
        cards, cores, units = k.cards_of(core), None, None  # TKE008
    elif core is not None and core > k.FULL:
        # the vendor rounds down on each card (TC127667: 121 gives 60 each), TKE006
        cards = k.cards_of(core)
        cores = core // cards * cards
        units = None if units is None else units // cards * cards
    return pod.share(
        container,
        cards=cards,
        cores=cores,
        memory_mib=None if units is None else units * GIB,
        policy=fields.policy,
        qos=fields.qos,
        origins=origins,
    )
