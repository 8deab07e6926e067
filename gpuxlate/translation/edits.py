"""The difference between the keys of a pod and the wanted keys, as edits.

Entries for the same field of the share are replaced in place, so that a comment on the line stays
with it; the others are added and removed.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace

from gpuxlate.backends import registry
from gpuxlate.backends.base import Backend
from gpuxlate.manifest.kinds import VALUES
from gpuxlate.manifest.objects import REQUIRED_AFFINITY
from gpuxlate.manifest.pods import Pod
from gpuxlate.model import quantity
from gpuxlate.model.diagnostics import Append, Edit, Path, Put, Remove, Rename
from gpuxlate.model.keys import KeyRole, Place
from gpuxlate.model.pod import (
    DEFAULT_SCHEDULER,
    ContainerKeys,
    NodeRequirement,
    PodKeys,
    ScalarKind,
    Value,
    names_in,
)

Owned = Callable[[str, Place], bool]
"""Whether a key in a place belongs to a dialect that is being replaced."""


def pod_edits(
    pod: PodKeys,
    keys: PodKeys,
    *,
    owned: Owned,
    role: KeyRole,
    affinity_path: Path,
    resources_key: str = "resources",
    mirror_requests: bool,
    quoted_source: bool = False,
    schedulers: Sequence[str] = (),
    emptied: bool = False,
    gone: Collection[str] = (),
) -> Iterator[Edit]:
    """Edits that replace every owned key of a pod by the wanted ones.

    ``mirror_requests``: write requests only where the container had its share in requests too.
    ``resources_key``: the field of a container that has its limits. ``schedulers``: those of the replaced
    dialects, which are removed too; ``emptied``: ``schedulerName`` stays, with an empty value. ``gone``: the
    names of claims that are replaced.
    ``quoted_source``: the replaced dialect usually writes its numbers as strings.
    """
    new = {(c.init, c.index): c for c in keys.all_containers()}
    for container in pod.all_containers():
        new_container = new.get((container.init, container.index), ContainerKeys())
        yield from _container_edits(
            container,
            new_container,
            owned,
            role,
            (*container.path, resources_key),
            mirror_requests,
            quoted_source,
            any(use.name in gone for use in container.claims),
        )
    for place, pod_values, above, stray, made_values in (
        (Place.LABEL, pod.labels, pod.owner_labels, pod.stray_labels, keys.labels),
        (
            Place.ANNOTATION,
            pod.annotations,
            pod.owner_annotations,
            pod.stray_annotations,
            keys.annotations,
        ),
    ):
        if not (pod_values or above or stray or made_values):
            continue
        mapping = pod.metadata_of(f"{place}s")
        yield from _paired(_owned(pod_values, owned, place), made_values, mapping, role, pod_values)
        for values in (above, stray):
            yield from (Remove(value.path) for _, value in _owned(values, owned, place))
    if pod.node_selector or keys.node_selector:
        yield from _paired(
            _owned(pod.node_selector, owned, Place.NODE_SELECTOR),
            keys.node_selector,
            (*pod.path, "nodeSelector"),
            role,
            pod.node_selector,
        )
    if pod.affinity or pod.preferred or keys.affinity:
        yield from _affinity_edits(pod, keys, owned, affinity_path)
    if gone or keys.claims:
        yield from _claim_edits(pod, keys, gone, resources_key)
    # where a job names the scheduler, it stays there, and its pods name another: scheduler_to_name
    now, scheduler = pod.scheduler_name, keys.scheduler_name
    if scheduler is not None and (now is None or now.text != scheduler.text):
        yield Put((*pod.path, "schedulerName"), scheduler.text)
    elif scheduler is None and now is not None and now.text in schedulers:
        yield Put(now.path, "") if emptied else Remove(now.path)


def _owned(values: Mapping[str, Value], owned: Owned, place: Place) -> list[tuple[str, Value]]:
    return [(name, value) for name, value in values.items() if owned(name, place)]


def _container_edits(
    container: ContainerKeys,
    new_container: ContainerKeys,
    owned: Owned,
    role: KeyRole,
    path: Path,
    mirror_requests: bool,
    quoted_source: bool,
    claimed: bool,
) -> Iterator[Edit]:
    requested = _owned(container.requests, owned, Place.RESOURCE)
    limited = _owned(container.limits, owned, Place.RESOURCE)
    if not (
        requested
        or limited
        or new_container.limits
        or new_container.requests
        or container.env
        or new_container.env
    ):
        return
    if limited or new_container.limits:
        limits = (*path, "limits")
        yield from _paired(limited, new_container.limits, limits, role, container.limits, quoted_source, True)
    requests = new_container.requests if requested or not (mirror_requests and (limited or claimed)) else {}
    if requested or requests:
        requests_path = (*path, "requests")
        yield from _paired(requested, requests, requests_path, role, container.requests, quoted_source, True)
    if container.env or new_container.env:
        yield from _env_edits(container, new_container, owned)


def _claim_edits(pod: PodKeys, keys: PodKeys, gone: Collection[str], resources_key: str) -> Iterator[Edit]:
    """Claims are items of lists: those of other devices keep their places, new ones are appended."""
    new = {(container.init, container.index): container for container in keys.all_containers()}
    for claim in pod.claims:
        if claim.name in gone:
            yield Remove(claim.path)
    for claim in keys.claims:
        if claim.template is not None:
            named = {"name": claim.name, "resourceClaimTemplateName": claim.template.text}
            yield Append((*pod.path, "resourceClaims"), named)
    for container in pod.all_containers():
        yield from (Remove(use.path) for use in container.claims if use.name in gone)
        new_container = new.get((container.init, container.index), ContainerKeys())
        for use in new_container.claims:
            yield Append((*container.path, resources_key, "claims"), {"name": use.name})


def _env_edits(container: ContainerKeys, new_container: ContainerKeys, owned: Owned) -> Iterator[Edit]:
    """Variables are items of a list: those that stay keep their place, new ones are appended."""
    for name, value in container.env.items():
        new_value = new_container.env.get(name)
        if new_value is None:
            yield from [Remove(value.path)] if owned(name, Place.ENV) else []
        elif new_value.text != value.text:
            yield Put((*value.path, "value"), new_value.text)
    for name, new_value in new_container.env.items():
        if name not in container.env:
            yield Append((*container.path, "env"), {"name": name, "value": new_value.text})


def _paired(
    old: Sequence[tuple[str, Value]],
    new: Mapping[str, Value],
    path: Path,
    role: KeyRole,
    existing: Mapping[str, Value],
    quoted_source: bool = True,
    any_role: bool = False,
) -> Iterator[Edit]:
    """Replace old entries of one mapping by new ones, those of one role in place.

    ``any_role``: what is left of both is replaced in place too, as in limits, where every entry is
    a quantity of the same share.
    """
    gone = {name for name, _ in old}
    # an entry that is there already and is not removed is set in place
    staying = {name for name in new if name in existing and name not in gone}
    unwritten = {name: value for name, value in new.items() if name not in staying}
    unpaired: list[Value] = []
    for name, value in old:
        partner = (
            name
            if name in unwritten
            else next((n for n in unwritten if role(n) == role(name) is not None), None)
        )
        if partner is None:
            unpaired.append(value)
        else:
            yield from _replaced(value, partner, unwritten.pop(partner), quoted_source)
    for value in unpaired:
        if unwritten and any_role:
            partner = next(iter(unwritten))
            yield Rename(value.path, partner, _written(unwritten.pop(partner), value, quoted_source))
        else:
            yield Remove(value.path)
    for name in sorted(staying):
        if existing[name].text != new[name].text:
            yield Put(existing[name].path, new[name].plain)
    for name, new_value in unwritten.items():
        yield Put((*path, name), new_value.plain)


def _replaced(value: Value, partner: str, new: Value, quoted_source: bool) -> Iterator[Edit]:
    text = _written(new, value, quoted_source)
    if partner != value.path[-1]:  # the name that is written may be an alias
        yield Rename(value.path, partner, text)
    elif value.text != str(text):
        yield Put(value.path, text)


def _written(value: Value, replaced: Value, quoted_source: bool) -> int | str | None:
    """A number keeps the quotes of the one it replaces, where the dialect does not require them."""
    if value.kind is ScalarKind.INT and replaced.kind is ScalarKind.STR and not quoted_source:
        return value.text
    return value.plain


def _affinity_edits(pod: PodKeys, keys: PodKeys, owned: Owned, affinity_path: Path) -> Iterator[Edit]:
    already = [{(r.key, r.operator, r.values) for r in term} for term in pod.affinity]
    added = [r for term in keys.affinity for r in term]
    keep = {(r.key, r.operator, r.values) for r in added}
    for requirement in pod.requirements():
        if (
            owned(requirement.key, Place.NODE_SELECTOR)
            and (requirement.key, requirement.operator, requirement.values) not in keep
        ):
            yield Remove(requirement.path)
    for term in pod.preferred:
        removed = [requirement for requirement in term if owned(requirement.key, Place.NODE_SELECTOR)]
        if removed and len(removed) == len(term):
            yield Remove(removed[0].path[:-3])  # an empty preference would match every node
        else:
            yield from (Remove(requirement.path) for requirement in removed)
    if not added:
        return
    if not pod.affinity:
        yield Append(affinity_path, {"matchExpressions": [_expression(r) for r in added]})
        return
    for number, present in enumerate(already):
        for requirement in added:
            if (requirement.key, requirement.operator, requirement.values) not in present:
                yield Append((*affinity_path, number, "matchExpressions"), _expression(requirement))


def _expression(requirement: NodeRequirement) -> dict[str, object]:
    return {
        "key": requirement.key,
        "operator": requirement.operator,
        "values": list(requirement.values),
    }


# ``schedulerName`` in a translation, where a dialect requires a scheduler.
def replaced_schedulers(replaced: Sequence[Backend], target: Backend) -> tuple[str, ...]:
    """The schedulers that belong to the replaced dialects only."""
    gone = [name for backend in replaced for name in backend.schedulers]
    return tuple(name for name in gone if name not in target.schedulers)


def scheduler_to_name(pod: Pod, keys: PodKeys, replaced: Sequence[Backend], target: Backend) -> Value | None:
    """The scheduler that a pod has to name where its own is removed and its object sets one; else None."""
    now, passed = pod.keys.scheduler_name, pod.passed_scheduler
    if (
        now is None
        or keys.scheduler_name is not None
        or passed in (None, DEFAULT_SCHEDULER, *target.schedulers)
    ):
        return None
    return Value.of(DEFAULT_SCHEDULER) if now.text in replaced_schedulers(replaced, target) else None


# Which keys go, and the edits of a pod.
def replaced_keys(replaced: Sequence[Backend], target: Backend, pod: PodKeys) -> Owned:
    """Whether a translation removes a key: it is of a replaced dialect, and not of the target too.

    Keys of whole cards of the target are removed where the pod requests 0 of them: a webhook may refuse a
    share beside such a key.
    """
    common = {b.whole_card_key for b in replaced if b.whole_card_key}
    whole = target.whole_card_key or ""
    none = (
        bool(whole)
        and whole in names_in(pod)
        and not any(
            quantity.parse_integer(container.resources[whole].text)
            for container in pod.all_containers()
            if whole in container.resources
        )
    )
    dialects = [(dialect, dialect.owned_names(pod)) for dialect in replaced]

    def owned(name: str, place: Place) -> bool:
        if name not in common and not (none and name == whole and place is Place.RESOURCE):
            for dialect, names in dialects:
                if name in names and dialect.owns_at(name, place):
                    break
            else:
                return False
        return not target.chooses(name)  # what both dialects have stays as it is

    return owned


def share_edits(
    pod: Pod,
    new_keys: PodKeys,
    replaced: Sequence[Backend],
    target: Backend,
    *,
    mirror_requests: bool,
) -> list[Edit]:
    """The edits that put the wanted keys in place of those of the replaced dialects."""
    owned, keys = replaced_keys(replaced, target, pod.keys), pod.keys
    schedulers: Sequence[str] = ()
    if keys.scheduler_name is not None:
        schedulers = replaced_schedulers(replaced, target)
        scheduler = scheduler_to_name(pod, new_keys, replaced, target)
        new_keys = new_keys if scheduler is None else replace(new_keys, scheduler_name=scheduler)
    steered = _steered_at(keys, owned)
    if steered != keys.metadata_path:
        keys = replace(keys, metadata_path=steered)
    return list(
        pod_edits(
            keys,
            new_keys,
            owned=owned,
            role=role_of_key((*replaced, target)),
            emptied=pod.object.kind == VALUES,
            affinity_path=(*keys.path, *REQUIRED_AFFINITY),
            resources_key=pod.resources_key,
            mirror_requests=mirror_requests,
            quoted_source=any(backend.quotes_numbers for backend in replaced),
            schedulers=schedulers,
            gone={claim.name for claim in keys.claims if registry.has_devices_of(claim, replaced)},
        )
    )


def role_of_key(dialects: Sequence[Backend]) -> KeyRole:
    """The field of a share that a key of some dialects sets."""

    def role(name: str) -> str | None:
        rows = (dialect.find(name) for dialect in dialects)
        row = next((row for row in rows if row is not None and row.sets), None)
        return f"{row.sets} {row.chooses[:2]}" if row and row.chooses else row and row.sets

    return role


def _steered_at(pod: PodKeys, owned: Owned) -> Path:
    """The path of the mapping for new labels and annotations: the metadata of the object where the replaced
    keys are there, else that of the pod."""
    steering = [
        value.path[:-2]
        for values, place in ((pod.labels, Place.LABEL), (pod.annotations, Place.ANNOTATION))
        for name, value in values.items()
        if owned(name, place)
    ]
    return pod.metadata_path if pod.metadata_path in steering or not steering else steering[0]
