"""The difference between the keys of a pod and the wanted keys, as edits.

Entries for the same field of the share are replaced in place, so that a comment on the line stays
with it; the others are added and removed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace

from gpuxlate.backends import registry
from gpuxlate.backends.base import Backend
from gpuxlate.manifest.kinds import VALUES
from gpuxlate.manifest.objects import REQUIRED_AFFINITY
from gpuxlate.manifest.pods import CLAIMS, ENV, Pod
from gpuxlate.model import quantity
from gpuxlate.model.diagnostics import Append, Diagnostic, Edit, Path, Put, Remove, Rename, Severity
from gpuxlate.model.keys import Place
from gpuxlate.model.messages import join_or, msg
from gpuxlate.model.pod import ContainerKeys, NodeRequirement, PodKeys, ScalarKind, Value, in_lists, names_in
from gpuxlate.overlays.values import EMPTY
from gpuxlate.rules.base import Context
from gpuxlate.rules.translation import (
    ON_POD_TEMPLATE,
    nothing_is_left_behind,
    scheduler_is_the_same,
    share_is_expressible,
)
from gpuxlate.translation.fit import PodFit
from gpuxlate.translation.leftovers import RENDERED
from gpuxlate.translation.pod_run import PodRun

Owned = Callable[[str, Place], bool]
"""The key belongs, in this place, to a dialect that is being replaced."""
Role = Callable[[str], str | None]
"""The field of the share that a key sets, None where it sets none."""


def pod_edits(
    pod: PodKeys,
    keys: PodKeys,
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
    # that of a job, which its pods get, stays
    now, scheduler = pod.scheduler_name, keys.scheduler_name
    if scheduler is not None and (now is None or now.text != scheduler.text):
        yield Put((*pod.path, "schedulerName"), scheduler.text)
    elif scheduler is None and now is not None and now.text in schedulers and now.path[:-1] == pod.path:
        yield Put(now.path, "") if emptied else Remove(now.path)


def _owned(values: Mapping[str, Value], owned: Owned, place: Place) -> list[tuple[str, Value]]:
    return [(name, value) for name, value in values.items() if owned(name, place)]


def _container_edits(
    container: ContainerKeys,
    new_container: ContainerKeys,
    owned: Owned,
    role: Role,
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
    staying = {name for name in new if name in existing and name not in gone}
    left = {name: value for name, value in new.items() if name not in staying}
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
    for name in sorted(staying):
        if existing[name].text != new[name].text:
            yield Put(existing[name].path, new[name].plain)
    for name, new_value in left.items():
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


def _leaves_terms_empty(pod: PodKeys, owned: Owned) -> bool:
    """Removing the owned requirements would empty some affinity terms but not all.

    Terms are alternatives, so that would change which nodes the pod may use.
    """
    left = [any(not owned(r.key, Place.NODE_SELECTOR) for r in term) for term in pod.affinity if term]
    return any(left) and not all(left)


# Fields that a target needs for a share, and that the object of the pod has not (GX023).
def _needed(keys: PodKeys) -> Iterator[str]:
    """The fields that keys go to; ``schedulerName`` is in ``_rescheduled``."""
    yield from ["labels"] if keys.labels else []
    yield from ["annotations"] if keys.annotations else []
    yield from ["nodeSelector"] if keys.node_selector else []
    yield from ["affinity"] if keys.affinity else []
    yield from [CLAIMS] if keys.claims else []
    yield from [ENV] if any(container.env for container in keys.all_containers()) else []


def no_field(pod: Pod, field: str, target: Backend) -> Diagnostic:
    """A field of a pod that its kind has not; beside the resources of a chart, templates may not read it."""
    name = pod.keys.fields.get(field, field)
    if pod.object.kind != VALUES:
        message = msg(
            "a {kind} has no {field} for its pods, which {target} needs for this share",
            kind=pod.object.kind or "document",
            field=name,
            target=target.name,
        )
        finding: Diagnostic = share_is_expressible(pod.keys.path, message, ON_POD_TEMPLATE)
        return finding
    message = msg(
        "{target} needs {field} for this share, and these values have no {field} beside resources",
        field=name,
        target=target.name,
    )
    hint = msg(
        "if the templates render .{field}, add {field}: {empty} next to resources:; otherwise edit them, "
        "or leave this file out: --exclude FILE",
        field=name,
        empty=EMPTY.get(field, "{}"),
    )
    if field == CLAIMS:
        hint = msg(RENDERED, target=target.name)
    missing: Diagnostic = share_is_expressible(pod.keys.path, message, hint)
    return missing


# ``schedulerName`` in a translation, where a dialect requires a scheduler.
DEFAULT = "default-scheduler"
"""The scheduler of a pod that names none."""
NO_EFFECT = "schedulerName is {name}; keys of {target} have effect with {allowed} only"
CHANGE = "remove schedulerName first, or choose another target"


def left_schedulers(replaced: Sequence[Backend], target: Backend) -> tuple[str, ...]:
    """The schedulers that belong to the replaced dialects only."""
    gone = [name for backend in replaced for name in backend.schedulers]
    return tuple(name for name in gone if name not in target.schedulers)


def own_scheduler(pod: Pod, keys: PodKeys, replaced: Sequence[Backend], target: Backend) -> Value | None:
    """What a pod has to name where its scheduler goes and its object passes one; None where it need not."""
    now, passed = pod.keys.scheduler_name, pod.passed_scheduler
    if now is None or keys.scheduler_name is not None or passed in (None, DEFAULT, *target.schedulers):
        return None
    return Value.of(DEFAULT) if now.text in left_schedulers(replaced, target) else None


def _rescheduled(pod: Pod, fit: PodFit, replaced: Sequence[Backend], target: Backend) -> Iterator[Diagnostic]:
    """A changed scheduler (GX018), and one with which the target's keys have no effect (GX023)."""
    now = pod.keys.scheduler_name
    new = fit.keys.scheduler_name or own_scheduler(pod, fit.keys, replaced, target)
    kind = pod.object.kind or "document"
    if new is not None and (now is None or now.text != new.text):
        if "schedulerName" in pod.lacks:
            yield no_field(pod, "schedulerName", target)
            return
        if now is not None and not pod.names_scheduler:
            message = msg("schedulerName is {name} for all pods of this {kind}", name=now.text, kind=kind)
            yield share_is_expressible(now.path, message, CHANGE)
            return
    if now is None or now.text in target.schedulers:
        return
    left = now.text in left_schedulers(replaced, target)
    if left or (now.text == DEFAULT and new is not None):
        yield scheduler_is_the_same(now.text, new.text if new else None, now.path)
    elif target.schedulers and now.text != DEFAULT:
        allowed = join_or(target.schedulers)
        message = msg(
            NO_EFFECT,
            name=now.text,
            target=target.name,
            allowed=allowed,
        )
        yield share_is_expressible(now.path, message, CHANGE)


# Write shares into a pod of a manifest: whether its kind has the fields, and the edits.
def replaced_keys(replaced: Sequence[Backend], target: Backend, pod: PodKeys) -> Owned:
    """Whether a key goes in a translation: it is of a replaced dialect, and not of the target too.

    Whole cards of the target go where the pod requests none of them: a webhook may refuse a share beside 0.
    """
    common = {b.whole_card_key for b in replaced if b.whole_card_key}
    whole = target.whole_card_key or ""
    none = (
        bool(whole)
        and whole in names_in(pod)
        and not any(quantity.whole(value.text) for value in _counts(pod, whole))
    )

    def owned(name: str, place: Place) -> bool:
        if name not in common and not (none and name == whole and place is Place.RESOURCE):
            for backend in replaced:
                if backend.owns_at(name, place):
                    break
            else:
                return False
        return not target.chooses(name)  # what both dialects have stays as it is

    return owned


def _counts(pod: PodKeys, name: str) -> list[Value]:
    """The numbers of a resource that containers of a pod request."""
    return [container.resources[name] for container in pod.all_containers() if name in container.resources]


def writable(
    pod: Pod, fit: PodFit, replaced: Sequence[Backend], target: Backend, context: Context
) -> Iterator[Diagnostic]:
    """What the manifest has no field for, though the target can express it (GX023), what would leave a
    selector without its label (GX026), whole cards that the target takes beside none of the shares, and what
    becomes of the scheduler."""
    kind = pod.object.kind or "document"
    owned = replaced_keys(replaced, target, pod.keys)
    if pod.lacks:
        yield from (no_field(pod, name, target) for name in _needed(fit.keys) if name in pod.lacks)
    common = target.whole_card_key or ""
    if common in names_in(pod.keys) and not owned(common, Place.RESOURCE):
        staying = {value.path for value in _counts(pod.keys, common)}
        for refused in target.check(_after(pod.keys, fit.keys, owned), context, remarks=False):
            if refused.severity is Severity.ERROR and refused.path in staying:
                yield refused.located(fix=None)
    for name, path in pod.keys.selected.items():
        label = pod.keys.labels.get(name)
        if label is not None and owned(name, Place.LABEL) and fit.keys.labels.get(name) != label:
            message = msg("a selector of this {kind} matches the label {name}", kind=kind, name=name)
            hint = msg(
                "remove {name} from the selector and from the labels of the pods first; the selector of a "
                "running workload cannot be changed: create it anew",
                name=name,
            )
            yield nothing_is_left_behind(path, message, hint)
    if len(pod.keys.affinity) > 1 and _leaves_terms_empty(pod.keys, owned):
        clause = (
            "one of several alternative affinity terms has only this vendor's labels: "
            "without it the pod could run on other nodes than before"
        )
        yield share_is_expressible(pod.keys.path, clause, "write the affinity without alternatives")
    if pod.keys.scheduler_name or fit.keys.scheduler_name:
        yield from _rescheduled(pod, fit, replaced, target)


def awakened(run: PodRun, target: Backend) -> tuple[Backend, ...]:
    """The dialects in which the pod asks for GPUs once it has the wanted keys, beside that of the target."""
    pod, keys, replaced = run.pod, run.wanted, run.dialects or ()
    if keys is None:
        return ()
    stays = pod.keys.scheduler_name
    if stays is not None and stays.text in left_schedulers(replaced, target):
        stays = own_scheduler(pod, keys, replaced, target)
    claims = tuple(claim for claim in pod.keys.claims if not registry.has_devices_of(claim, replaced))
    left = replace(pod.keys, scheduler_name=stays, claims=claims)
    after = _after(left, keys, replaced_keys(replaced, target, pod.keys))
    return tuple(backend for backend in registry.backends_of(after) if backend is not target)


def _after(pod: PodKeys, keys: PodKeys, owned: Owned) -> PodKeys:
    """The keys of the pod with the wanted ones in place of those that are replaced."""

    def over(old: Mapping[str, Value], new: Mapping[str, Value], place: Place) -> dict[str, Value]:
        return {**{name: value for name, value in old.items() if not owned(name, place)}, **new}

    new_containers = {(container.init, container.index): container for container in keys.all_containers()}
    containers = []
    for container in pod.all_containers():
        new = new_containers.get((container.init, container.index), ContainerKeys())
        limits = over(container.limits, new.limits, Place.RESOURCE)
        requests, env = over(container.requests, {}, Place.RESOURCE), over(container.env, new.env, Place.ENV)
        containers.append(replace(container, limits=limits, requests=requests, env=env))
    ordinary, init = in_lists(containers)
    terms = (
        tuple(requirement for requirement in term if not owned(requirement.key, Place.NODE_SELECTOR))
        for term in pod.affinity
    )
    return replace(
        pod,
        containers=ordinary,
        init_containers=init,
        labels=over(pod.labels, keys.labels, Place.LABEL),
        annotations=over(pod.annotations, keys.annotations, Place.ANNOTATION),
        node_selector=over(pod.node_selector, keys.node_selector, Place.NODE_SELECTOR),
        affinity=(*terms, *keys.affinity),
        scheduler_name=keys.scheduler_name or pod.scheduler_name,
    )


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
        schedulers = left_schedulers(replaced, target)
        scheduler = own_scheduler(pod, new_keys, replaced, target)
        new_keys = new_keys if scheduler is None else replace(new_keys, scheduler_name=scheduler)
    steered = _steered_at(keys, owned)
    if steered != keys.metadata_path:
        keys = replace(keys, metadata_path=steered)
    return list(
        pod_edits(
            keys,
            new_keys,
            owned=owned,
            role=role_of((*replaced, target)),
            emptied=pod.object.kind == VALUES,
            affinity_path=(*keys.path, *REQUIRED_AFFINITY),
            resources_key=pod.resources_key,
            mirror_requests=mirror_requests,
            quoted_source=any(backend.quotes_numbers for backend in replaced),
            schedulers=schedulers,
            gone={claim.name for claim in keys.claims if registry.has_devices_of(claim, replaced)},
        )
    )


def role_of(dialects: Sequence[Backend]) -> Role:
    """The field of a share that a key of some dialects sets."""

    def role(name: str) -> str | None:
        rows = (dialect.find(name) for dialect in dialects)
        row = next((row for row in rows if row is not None and row.sets), None)
        return f"{row.sets} {row.chooses[:2]}" if row and row.chooses else row and row.sets

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


def disagreements(written: Sequence[PodRun]) -> Iterator[tuple[Pod, Diagnostic]]:
    """Pods that would get other labels or annotations than they need, from what they share (GX023)."""
    uses = Counter(place for run in written for place in run.pod.places)
    shared = [run for run in written if any(uses[place] > 1 for place in run.pod.places)]
    texts: dict[Path, str | None] = {}
    for run in shared:
        for values in (run.pod.keys.labels, run.pod.keys.annotations):
            texts.update((value.path, value.text) for value in values.values())
    names: set[str] = set()
    for run in shared:
        for edit in run.edits:
            if edit.path[:-2] not in run.pod.places:
                continue
            if isinstance(edit, (Remove, Rename)):
                texts[edit.path] = None
            if isinstance(edit, (Put, Rename)):
                name = edit.key if isinstance(edit, Rename) else str(edit.path[-1])
                texts[(*edit.path[:-1], name)] = str(edit.value)
                names.add(name)
    for run in shared:
        keys = run.wanted or PodKeys()
        for field, new_values in (("labels", keys.labels), ("annotations", keys.annotations)):
            yield from _unlike(run, field, new_values, names, texts)


def _unlike(
    run: PodRun,
    field: str,
    new_values: Mapping[str, Value],
    names: set[str],
    texts: Mapping[Path, str | None],
) -> Iterator[tuple[Pod, Diagnostic]]:
    for name in sorted(names):
        texts_at = [(place, texts.get((*place, field, name))) for place in run.pod.places]
        place, text = next((pair for pair in reversed(texts_at) if pair[1] is not None), (None, None))
        need = new_values.get(name)
        if text != (need.text if need else None):
            where = ".".join(map(str, place or run.pod.keys.metadata_path))
            message = msg(
                "all pods of this {kind} have the {field} of {where}, and need different values of {name}",
                kind=run.pod.object.kind or "document",
                field=field,
                where=where,
                name=name,
            )
            hint = msg("move the {field} of the share to each component first", field=field)
            yield run.pod, share_is_expressible(run.pod.keys.path, message, hint)
