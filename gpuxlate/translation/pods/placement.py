"""Write shares into a pod of a manifest: whether its kind has the fields, and the edits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from gpuxlate.backends import registry
from gpuxlate.backends.base import Backend
from gpuxlate.manifest.kinds import VALUES
from gpuxlate.manifest.objects import REQUIRED_AFFINITY
from gpuxlate.manifest.pods import Pod
from gpuxlate.model.diagnostics import Diagnostic
from gpuxlate.model.edits import Edit, Put, Remove, Rename
from gpuxlate.model.messages import say
from gpuxlate.model.pod import ContainerKeys, Path, PodKeys, Value, in_lists
from gpuxlate.model.sheet import Place
from gpuxlate.rules.translation import nothing_is_left_behind, share_is_expressible
from gpuxlate.translation.claims import goes
from gpuxlate.translation.pods.difference import Owned, Role, pod_edits, terms_left_empty
from gpuxlate.translation.pods.fields import lacking
from gpuxlate.translation.pods.fit import PodFit
from gpuxlate.translation.pods.scheduling import left_schedulers, own_scheduler


def replaced_keys(replaced: Sequence[Backend], target: Backend) -> Owned:
    """Whether a key goes in a translation: it is of a replaced dialect, and not of the target too."""
    common = {b.whole_card_key for b in replaced if b.whole_card_key}

    def owned(name: str, place: Place) -> bool:
        if target.chooses(name):  # both dialects have it: it stays as it is
            return False
        return name in common or any(backend.owns_at(name, place) for backend in replaced)

    return owned


def writable(pod: Pod, fit: PodFit, replaced: Sequence[Backend], target: Backend) -> Iterator[Diagnostic]:
    """What the manifest has no field for, though the target can express it (GX023), and what would leave a
    selector without its label (GX026)."""
    kind = pod.object.kind or "document"
    owned = replaced_keys(replaced, target)
    yield from lacking(pod, fit.keys, target)
    for name, path in pod.keys.selected.items():
        label = pod.keys.labels.get(name)
        if label is not None and owned(name, Place.LABEL) and fit.keys.labels.get(name) != label:
            message = say("a selector of this {kind} matches the label {name}", kind=kind, name=name)
            hint = say(
                "remove {name} from the selector and from the labels of the pods first; the selector of a "
                "running workload cannot be changed: create it anew",
                name=name,
            )
            yield nothing_is_left_behind(path, message, hint)
    if terms_left_empty(pod.keys, owned):
        found = (
            "one of several alternative affinity terms has only this vendor's labels: "
            "without it the pod could run on other nodes than before"
        )
        yield share_is_expressible(pod.keys.path, found, "write the affinity without alternatives")


def awakened(pod: Pod, wanted: PodKeys, replaced: Sequence[Backend], target: Backend) -> tuple[Backend, ...]:
    """The dialects in which the pod asks for GPUs once it has the wanted keys, beside that of the target."""
    stays = pod.keys.scheduler_name
    if stays is not None and stays.text in left_schedulers(replaced, target):
        stays = own_scheduler(pod, wanted, replaced, target)
    claims = tuple(one for one in pod.keys.claims if not goes(one, replaced))
    left = replace(pod.keys, scheduler_name=stays, claims=claims)
    after = _after(left, wanted, replaced_keys(replaced, target))
    return tuple(one for one in registry.backends_of(after) if one is not target)


def _after(pod: PodKeys, wanted: PodKeys, owned: Owned) -> PodKeys:
    """The keys of the pod with the wanted ones in place of those that are replaced."""

    def over(old: Mapping[str, Value], new: Mapping[str, Value], place: Place) -> dict[str, Value]:
        return {**{name: value for name, value in old.items() if not owned(name, place)}, **new}

    made = {(one.init, one.index): one for one in wanted.all_containers()}
    containers = []
    for one in pod.all_containers():
        new = made.get((one.init, one.index), ContainerKeys())
        limits = over(one.limits, new.limits, Place.RESOURCE)
        requests, env = over(one.requests, {}, Place.RESOURCE), over(one.env, new.env, Place.ENV)
        containers.append(replace(one, limits=limits, requests=requests, env=env))
    ordinary, init = in_lists(containers)
    terms = (tuple(one for one in term if not owned(one.key, Place.NODE_SELECTOR)) for term in pod.affinity)
    return replace(
        pod,
        containers=ordinary,
        init_containers=init,
        labels=over(pod.labels, wanted.labels, Place.LABEL),
        annotations=over(pod.annotations, wanted.annotations, Place.ANNOTATION),
        node_selector=over(pod.node_selector, wanted.node_selector, Place.NODE_SELECTOR),
        affinity=(*terms, *wanted.affinity),
        scheduler_name=wanted.scheduler_name or pod.scheduler_name,
    )


def share_edits(
    pod: Pod,
    wanted: PodKeys,
    replaced: Sequence[Backend],
    target: Backend,
    *,
    mirror_requests: bool,
) -> list[Edit]:
    """The edits that put the wanted keys in place of those of the replaced dialects."""
    owned = replaced_keys(replaced, target)
    scheduler = own_scheduler(pod, wanted, replaced, target)
    return list(
        pod_edits(
            replace(pod.keys, metadata_path=_steered_at(pod.keys, owned)),
            wanted if scheduler is None else replace(wanted, scheduler_name=scheduler),
            owned=owned,
            role=role_of((*replaced, target)),
            emptied=pod.object.kind == VALUES,
            affinity_path=(*pod.keys.path, *REQUIRED_AFFINITY),
            resources_key=pod.resources_key,
            mirror_requests=mirror_requests,
            quoted_source=any(backend.quotes_numbers for backend in replaced),
            schedulers=left_schedulers(replaced, target),
            gone={one.name for one in pod.keys.claims if goes(one, replaced)},
        )
    )


def role_of(dialects: Sequence[Backend]) -> Role:
    """The field of a share that a key of some dialects sets."""

    def role(name: str) -> str | None:
        rows = (one.find(name) for one in dialects)
        row = next((one for one in rows if one is not None and one.says), None)
        return f"{row.says} {row.chooses[:2]}" if row and row.chooses else row and row.says

    return role


def _steered_at(pod: PodKeys, owned: Owned) -> Path:
    """The mapping for new labels and annotations: that of the object where the replaced ones are there."""
    steering = [
        value.path[:-2]
        for values, place in ((pod.labels, Place.LABEL), (pod.annotations, Place.ANNOTATION))
        for name, value in values.items()
        if owned(name, place)
    ]
    return pod.metadata_path if pod.metadata_path in steering or not steering else steering[0]


class Written(NamedTuple):
    """A pod, the keys that it is to have, and the edits for them."""

    pod: Pod
    wanted: PodKeys
    edits: list[Edit]


def disagreements(written: Sequence[Written]) -> Iterator[tuple[Pod, Diagnostic]]:
    """Pods that would get other labels or annotations than they need, from what they share (GX023)."""
    uses = Counter(place for one in written for place in one.pod.places)
    shared = [one for one in written if any(uses[place] > 1 for place in one.pod.places)]
    texts: dict[Path, str | None] = {}
    for one in shared:
        for values in (one.pod.keys.labels, one.pod.keys.annotations):
            texts.update((value.path, value.text) for value in values.values())
    made: set[str] = set()
    for one in shared:
        for edit in one.edits:
            if edit.path[:-2] not in one.pod.places:
                continue
            if isinstance(edit, (Remove, Rename)):
                texts[edit.path] = None
            if isinstance(edit, (Put, Rename)):
                name = edit.key if isinstance(edit, Rename) else str(edit.path[-1])
                texts[(*edit.path[:-1], name)] = str(edit.value)
                made.add(name)
    for one in shared:
        for field, wanted in (("labels", one.wanted.labels), ("annotations", one.wanted.annotations)):
            yield from _unlike(one, field, wanted, made, texts)


def _unlike(
    one: Written, field: str, wanted: Mapping[str, Value], made: set[str], texts: Mapping[Path, str | None]
) -> Iterator[tuple[Pod, Diagnostic]]:
    for name in sorted(made):
        given = [(place, texts.get((*place, field, name))) for place in one.pod.places]
        place, text = next((found for found in reversed(given) if found[1] is not None), (None, None))
        need = wanted.get(name)
        if text != (need.text if need else None):
            where = ".".join(map(str, place or one.pod.keys.metadata_path))
            message = say(
                "all pods of this {kind} have the {field} of {where}, and need different values of {name}",
                kind=one.pod.object.kind or "document",
                field=field,
                where=where,
                name=name,
            )
            hint = say("move the {field} of the share to each component first", field=field)
            yield one.pod, share_is_expressible(one.pod.keys.path, message, hint)
