"""The difference between the keys of a pod and the wanted keys, as edits.

Entries for the same field of the share are replaced in place, so that a comment on the line stays
with it; the others are added and removed.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

from gpuxlate.model.edits import Append, Edit, Put, Remove, Rename
from gpuxlate.model.pod import ContainerKeys, Kind, NodeRequirement, Path, PodKeys, Value
from gpuxlate.model.sheet import Place

Owned = Callable[[str, Place], bool]
"""The key belongs, in this place, to a dialect that is being replaced."""
Role = Callable[[str], str | None]
"""The field of the share that a key sets, None where it sets none."""


def pod_edits(
    pod: PodKeys,
    wanted: PodKeys,
    *,
    owned: Owned,
    role: Role,
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
    ``schedulers``: those of the replaced dialects, which are removed too; ``emptied``: their field stays.
    ``gone``: the names of claims that are replaced.
    ``quoted_source``: the replaced dialect usually writes its numbers as strings.
    """
    new = {(c.init, c.index): c for c in wanted.all_containers()}
    for container in pod.all_containers():
        made = new.get((container.init, container.index), ContainerKeys())
        yield from _container_edits(
            container,
            made,
            owned,
            role,
            (*container.path, resources_key),
            mirror_requests,
            quoted_source,
            any(one.name in gone for one in container.claims),
        )
    for place, own, above, stray, made_values in (
        (Place.LABEL, pod.labels, pod.owner_labels, pod.stray_labels, wanted.labels),
        (
            Place.ANNOTATION,
            pod.annotations,
            pod.owner_annotations,
            pod.stray_annotations,
            wanted.annotations,
        ),
    ):
        mapping = pod.metadata_of(f"{place}s")
        yield from _paired(_owned(own, owned, place), made_values, mapping, role, own)
        for values in (above, stray):
            yield from (Remove(value.path) for _, value in _owned(values, owned, place))
    yield from _paired(
        _owned(pod.node_selector, owned, Place.NODE_SELECTOR),
        wanted.node_selector,
        (*pod.path, "nodeSelector"),
        role,
        pod.node_selector,
    )
    yield from _affinity_edits(pod, wanted, owned, affinity_path)
    if gone or wanted.claims:
        yield from _claim_edits(pod, wanted, gone, resources_key)
    yield from _scheduler_edits(pod, wanted, schedulers, emptied)


def _scheduler_edits(
    pod: PodKeys, wanted: PodKeys, schedulers: Sequence[str], emptied: bool
) -> Iterator[Edit]:
    """``schedulerName`` of the pod itself; that of a job, which its pods get, stays."""
    now, new = pod.scheduler_name, wanted.scheduler_name
    if new is not None and (now is None or now.text != new.text):
        yield Put((*pod.path, "schedulerName"), new.text)
    elif new is None and now is not None and now.text in schedulers and now.path[:-1] == pod.path:
        yield Put(now.path, "") if emptied else Remove(now.path)


def _owned(values: Mapping[str, Value], owned: Owned, place: Place) -> list[tuple[str, Value]]:
    return [(name, value) for name, value in values.items() if owned(name, place)]


def _container_edits(
    container: ContainerKeys,
    made: ContainerKeys,
    owned: Owned,
    role: Role,
    path: Path,
    mirror_requests: bool,
    quoted_source: bool,
    claimed: bool,
) -> Iterator[Edit]:
    requested = _owned(container.requests, owned, Place.RESOURCE)
    limited = _owned(container.limits, owned, Place.RESOURCE)
    if not (requested or limited or made.limits or made.requests or container.env or made.env):
        return
    yield from _paired(limited, made.limits, (*path, "limits"), role, container.limits, quoted_source, True)
    requests = made.requests if requested or not (mirror_requests and (limited or claimed)) else {}
    yield from _paired(
        requested, requests, (*path, "requests"), role, container.requests, quoted_source, True
    )
    yield from _env_edits(container, made, owned)


def _claim_edits(pod: PodKeys, wanted: PodKeys, gone: Collection[str], resources_key: str) -> Iterator[Edit]:
    """Claims are items of lists: those of other devices keep their places, new ones are appended."""
    new = {(one.init, one.index): one for one in wanted.all_containers()}
    for claim in pod.claims:
        if claim.name in gone:
            yield Remove(claim.path)
    for claim in wanted.claims:
        if claim.template is not None:
            named = {"name": claim.name, "resourceClaimTemplateName": claim.template.text}
            yield Append((*pod.path, "resourceClaims"), named)
    for container in pod.all_containers():
        yield from (Remove(use.path) for use in container.claims if use.name in gone)
        made = new.get((container.init, container.index), ContainerKeys())
        for use in made.claims:
            yield Append((*container.path, resources_key, "claims"), {"name": use.name})


def _env_edits(container: ContainerKeys, made: ContainerKeys, owned: Owned) -> Iterator[Edit]:
    """Variables are items of a list: those that stay keep their place, new ones are appended."""
    for name, value in container.env.items():
        wanted = made.env.get(name)
        if wanted is None:
            yield from [Remove(value.path)] if owned(name, Place.ENV) else []
        elif wanted.text != value.text:
            yield Put((*value.path, "value"), wanted.text)
    for name, wanted in made.env.items():
        if name not in container.env:
            yield Append((*container.path, "env"), {"name": name, "value": wanted.text})


def _paired(
    old: Sequence[tuple[str, Value]],
    new: Mapping[str, Value],
    path: Path,
    role: Role,
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
    there = {name for name in new if name in existing and name not in gone}
    left = {name: value for name, value in new.items() if name not in there}
    unpaired: list[Value] = []
    for name, value in old:
        partner = name if name in left else next((n for n in left if role(n) == role(name) is not None), None)
        if partner is None:
            unpaired.append(value)
        else:
            yield from _replaced(value, partner, left.pop(partner), quoted_source)
    for value in unpaired:
        if left and any_role:
            partner = next(iter(left))
            yield Rename(value.path, partner, _written(left.pop(partner), value, quoted_source))
        else:
            yield Remove(value.path)
    for name in sorted(there):
        if existing[name].text != new[name].text:
            yield Put(existing[name].path, new[name].plain)
    for name, wanted in left.items():
        yield Put((*path, name), wanted.plain)


def _replaced(value: Value, partner: str, new: Value, quoted_source: bool) -> Iterator[Edit]:
    wanted = _written(new, value, quoted_source)
    if partner != value.path[-1]:  # the name that is written may be an alias
        yield Rename(value.path, partner, wanted)
    elif value.text != str(wanted):
        yield Put(value.path, wanted)


def _written(wanted: Value, replaced: Value, quoted_source: bool) -> int | str | None:
    """A number keeps the quotes of the one it replaces, where the dialect does not require them."""
    if wanted.kind is Kind.INT and replaced.kind is Kind.STR and not quoted_source:
        return wanted.text
    return wanted.plain


def _affinity_edits(pod: PodKeys, wanted: PodKeys, owned: Owned, affinity_path: Path) -> Iterator[Edit]:
    already = [{(r.key, r.operator, r.values) for r in term} for term in pod.affinity]
    added = [r for term in wanted.affinity for r in term]
    keep = {(r.key, r.operator, r.values) for r in added}
    for requirement in pod.requirements():
        if (
            owned(requirement.key, Place.NODE_SELECTOR)
            and (requirement.key, requirement.operator, requirement.values) not in keep
        ):
            yield Remove(requirement.path)
    for term in pod.preferred:
        removed = [one for one in term if owned(one.key, Place.NODE_SELECTOR)]
        if removed and len(removed) == len(term):
            yield Remove(removed[0].path[:-3])  # an empty preference would match every node
        else:
            yield from (Remove(one.path) for one in removed)
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


def terms_left_empty(pod: PodKeys, owned: Owned) -> bool:
    """Removing the owned requirements would empty some affinity terms but not all.

    Terms are alternatives, so that would change which nodes the pod may use.
    """
    left = [any(not owned(r.key, Place.NODE_SELECTOR) for r in term) for term in pod.affinity if term]
    return any(left) and not all(left)
