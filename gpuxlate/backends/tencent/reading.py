"""Tencent TKE qGPU: reading shares. The rules report wrong keys; a reader returns what they give."""

from __future__ import annotations

from gpuxlate.backends.base import GIB, ContainerShare, Reading, Taking
from gpuxlate.backends.tencent import keys as k
from gpuxlate.model.messages import Message, say
from gpuxlate.model.pod import ContainerKeys, Path
from gpuxlate.model.profile import Profile
from gpuxlate.model.share import Policy, Qos


def read(pod: Taking, profile: Profile | None) -> Reading:
    """Keys to shares."""
    pod.selector(k.DEVICE_ENABLE, (k.ENABLED,))
    for name in (k.MIXED_ENABLE, k.VERSION):
        pod.selector(name)
    app_class = pod.annotation(k.APP_CLASS)
    origins = {"qos": app_class.path} if app_class else {}
    qos = k.CLASSES.get(app_class.text) if app_class else None
    policy = _policy(pod, origins)
    return pod.reading([_container(pod, one, policy, qos, origins) for one in pod.pod.all_containers()])


def _policy(pod: Taking, origins: dict[str, Path]) -> Policy | None:
    """The one policy of every node that the pod can run on; best-effort where they lack the label (S003)."""
    pod.take_node(k.POLICY)
    chosen = tuple(pod.pod.choices(k.POLICY))
    if any(text not in k.POLICY_OF for one in chosen for text in one.values):
        return None  # TKE014 or GX013
    found: list[tuple[Policy, Path]] = []
    several: list[tuple[Message, Path]] = []
    for one in chosen:
        if one.operator == "In" and one.values:
            found += [(k.POLICY_OF[text], one.path) for text in one.values]
        elif one.operator == "DoesNotExist":
            found.append((Policy.BEST_EFFORT, one.path))
        else:
            choice = " ".join((k.POLICY, one.operator, ", ".join(one.values))).rstrip()
            several.append((say("{choice} does not select one policy", choice=choice), one.path))
    different = next((path for policy, path in found if policy is not found[0][0]), None)
    if different is not None:
        names = ", ".join(dict.fromkeys(str(policy) for policy, _ in found))
        message = say("the pod chooses nodes with {names}; a share has one policy", names=names)
        several.append((message, different))
    if chosen and k.POLICY not in pod.pod.node_selector and not pod.pod.required_by_all_terms(k.POLICY):
        message = say("only some terms of the node affinity require {label}", label=k.POLICY)
        several.append((message, chosen[0].path))
    for message, path in several:
        hint = say("require one policy in every term, operator In: {names}", names=k.POLICY_NAMES)
        pod.note("TKE014", message, path, hint)
    if not found or several:
        return None
    policy, origins["policy"] = found[0]
    return policy


def _container(
    pod: Taking, container: ContainerKeys, policy: Policy | None, qos: Qos | None, of_pod: dict[str, Path]
) -> ContainerShare:
    keys = (("memory_mib", k.MEMORY), ("cores", k.CORE), ("cores", k.GREEDY))
    there = {field: container.resources[name].path for field, name in keys if name in container.resources}
    units, core, greedy = (pod.number(container, name) for _, name in keys)
    if core is None and greedy is None and units is None:
        return pod.none(container)
    cards, cores = 1, core if greedy is None else greedy
    if greedy is None and core is not None and core >= k.FULL:
        # the vendor rounds down on each card (TC127667: 121 gives 60 each), TKE006
        cards = k.cards_of(core)
        cores = core // cards * cards
        units = None if units is None else units // cards * cards
        if k.is_whole(core):
            cores = units = None  # TKE008
    return pod.share(
        container,
        cards=cards,
        cores=cores,
        memory_mib=None if units is None else units * GIB,
        policy=policy,
        qos=qos,
        origins={**of_pod, "cards": there.get("cores", container.path), **there},
    )
