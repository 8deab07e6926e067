"""Tencent TKE qGPU: reading shares. What would be a guess is reported instead."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gpuxlate.backends.base import ContainerShare, Reading, Taking
from gpuxlate.backends.tencent import keys as k
from gpuxlate.model.diagnostics import Diagnostic, Severity
from gpuxlate.model.pod import ContainerKeys, NodeRequirement, Path, PodKeys
from gpuxlate.model.profile import Profile
from gpuxlate.model.share import Policy, Qos


@dataclass(frozen=True, slots=True)
class PodWords:
    """What the pod says for all of its containers, and where."""

    policy: Policy | None
    qos: Qos | None
    understood: bool  # app-class is absent or one of the two
    origins: dict[str, Path]


def read(pod: Taking, profile: Profile | None) -> Reading:
    """Claims to shares."""
    pod.node_values(k.DEVICE_ENABLE)
    words = _read_pod(pod)
    return pod.reading([_read_container(pod, one, words) for one in pod.pod.all_containers()])


def _read_pod(pod: Taking) -> PodWords:
    origins: dict[str, Path] = {}
    app_class = pod.annotation(k.APP_CLASS)
    qos = k.CLASSES.get(app_class.text) if app_class else None
    if app_class:
        origins["qos"] = app_class.path
        if qos is None:
            pod.problem(
                "TKE012",
                f"{k.APP_CLASS} is {app_class.text!r}, neither online nor offline",
                app_class.path,
                "write online or offline",
            )
    policy, where = _read_policy(pod)
    if policy:
        origins["policy"] = where
    return PodWords(policy, qos, app_class is None or qos is not None, origins)


def _read_policy(pod: Taking) -> tuple[Policy | None, Path]:
    """The policy that every node the pod can go to has, and where it is said.

    A choice of nodes that is no single policy could neither be kept nor removed honestly: TKE014.
    """
    pod.take_node(k.POLICY)
    problems = tuple(_policy_problems(pod.pod))
    pod.diagnostics.extend(problems)
    said = _policies(pod.pod)
    if problems or not said:
        return None, ()
    return said[0]


def _policies(pod: PodKeys) -> list[tuple[Policy, Path]]:
    """Every policy that nodeSelector or affinity names. Nodes without the label are best-effort (S003)."""
    chosen = pod.node_selector.get(k.POLICY)
    texts = [(chosen.text, chosen.path)] if chosen else []
    for one in pod.requirements():
        if one.key == k.POLICY and one.operator == "In":
            texts.extend((text, one.path) for text in one.values)
        elif one.key == k.POLICY and one.operator == "DoesNotExist":
            texts.append((Policy.BEST_EFFORT, one.path))
    return [(k.POLICY_OF[text], path) for text, path in texts if text in k.POLICY_OF]


def _policy_problems(pod: PodKeys) -> Iterator[Diagnostic]:
    chosen = pod.node_selector.get(k.POLICY)
    required = [one for one in pod.requirements() if one.key == k.POLICY]
    if chosen:
        yield from _unknown((chosen.text,), chosen.path)
    for one in required:
        yield from _requirement_problems(one)
    said = _policies(pod)
    different = next((path for policy, path in said if policy is not said[0][0]), None)
    if different is not None:
        names = ", ".join(dict.fromkeys(str(policy) for policy, _ in said))
        yield _not_understood(
            f"the pod chooses nodes of several policies ({names}), a share has one", different
        )
    if required and not chosen and not pod.required_by_all_terms(k.POLICY):
        yield _not_understood(
            f"only some terms of the node affinity require {k.POLICY}, so the pod has no one policy",
            required[0].path,
        )


def _requirement_problems(one: NodeRequirement) -> Iterator[Diagnostic]:
    if one.operator == "DoesNotExist":
        return
    if one.operator != "In" or not one.values:
        values = ", ".join(one.values)
        yield _not_understood(
            f"{k.POLICY} {one.operator} {values}".rstrip() + " names no one policy", one.path
        )
    else:
        yield from _unknown(one.values, one.path)


def _unknown(texts: tuple[str, ...], path: Path) -> Iterator[Diagnostic]:
    code = "GX013" if k.is_misused(texts) else "TKE014"
    for text in texts:
        if text not in k.POLICY_OF:
            yield _not_understood(f"{k.POLICY} is {text!r}, which is no policy", path, code)


def _not_understood(message: str, path: Path, code: str = "TKE014") -> Diagnostic:
    hint = f"require one policy in every term, operator In: {k.POLICY_NAMES}"
    return Diagnostic(code, Severity.ERROR, message, hint, path)


def _read_container(pod: Taking, container: ContainerKeys, words: PodWords) -> ContainerShare:
    origins = dict(words.origins)
    named = (("cores", k.CORE), ("cores", k.GREEDY), ("memory_mib", k.MEMORY))
    for attribute, name in named:
        value = container.resources.get(name)
        if value:
            origins[attribute] = value.path
    core, greedy, units = (pod.number(container, name) for name in (k.CORE, k.GREEDY, k.MEMORY))
    if core is None and greedy is None and units is None:
        return pod.none(container)
    if words.understood:
        _contradictions(pod, container, words.qos)
    origins["cards"] = origins.get("cores", container.path)
    cards, cores = 1, core
    if greedy is not None:
        cores = greedy
    elif core is not None and k.is_whole(core):
        cards, cores = k.cards_of(core), None
        if units is not None:
            units = None
            _memory_not_kept(pod, core, container.resources[k.MEMORY].text, origins["memory_mib"])
    elif core is not None and core > k.FULL:
        cards = _shared_cards(pod, core, origins["cores"])
        cores = _even(pod, k.CORE, core, cards, origins["cores"])
        units = None if units is None else _even(pod, k.MEMORY, units, cards, origins["memory_mib"])
    return pod.share(
        container,
        cards=cards,
        cores=cores,
        memory_mib=None if units is None else units * k.GIB,
        policy=words.policy,
        qos=words.qos,
        origins=origins,
    )


def _contradictions(pod: Taking, container: ContainerKeys, qos: Qos | None) -> None:
    """Compute that does not go with the class of the pod: what it asks for would be a guess."""
    core, greedy = container.resources.get(k.CORE), container.resources.get(k.GREEDY)
    if greedy and qos is not Qos.OFFLINE:
        pod.problem(
            "TKE012",
            f"{k.GREEDY} is offline compute, and the pod is not offline",
            greedy.path,
            f"annotate the pod template {k.APP_CLASS}: offline, or ask for {k.CORE}",
        )
    elif core and greedy:
        pod.problem(
            "TKE010",
            "an offline pod asks for qgpu-core-greedy, not for qgpu-core",
            core.path,
            f"remove {k.CORE}",
        )
    elif core and qos is Qos.OFFLINE:
        pod.problem(
            "TKE012",
            f"the pod is offline, {k.CORE} is the compute of an ordinary one",
            core.path,
            f"ask for {k.GREEDY} instead, or remove {k.APP_CLASS}",
        )
    elif core and qos is Qos.ONLINE:
        _warn(pod, "TKE011", "an online pod asks for memory alone; TKE may ignore its qgpu-core", core.path)


def _memory_not_kept(pod: Taking, core: int, memory: str, path: Path) -> None:
    _warn(
        pod,
        "TKE008",
        f"qgpu-core {core} is whole cards, which come with all of their memory: "
        f"qgpu-memory {memory} is not kept",
        path,
        f"remove {k.MEMORY}",
    )


def _shared_cards(pod: Taking, core: int, path: Path) -> int:
    cards = k.cards_of(core)
    if cards > k.MAX_SHARED_CARDS:
        pod.problem(
            "TKE005",
            f"qgpu-core {core} is a part of {cards} cards, a container shares at most {k.MAX_SHARED_CARDS}",
            path,
            f"ask for at most {k.MAX_SHARED_CARDS * k.FULL}, or for whole cards ({cards * k.FULL})",
        )
    return cards


def _even(pod: Taking, name: str, total: int, cards: int, path: Path) -> int:
    """The total that the cards really give: the vendor rounds down on each (TC127667: 121 -> 60)."""
    each = total // cards
    if each * cards != total:
        _warn(
            pod,
            "TKE006",
            f"{name} {total} does not divide by {cards} cards, each gives {each}: read as {each * cards}",
            path,
            f"use a multiple of {cards}",
        )
    return each * cards


def _warn(pod: Taking, code: str, message: str, path: Path, hint: str | None = None) -> None:
    pod.diagnostics.append(Diagnostic(code, Severity.WARNING, message, hint, path))
