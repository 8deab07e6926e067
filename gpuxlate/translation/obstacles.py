"""Reasons why the object of a pod cannot have the new keys of a share that the target can express.

Its kind lacks a field, a selector matches a label that would go, terms of its affinity are alternatives, its
scheduler does not read the keys, pods share what they need otherwise, or another dialect would count.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from gpuxlate.backends import registry
from gpuxlate.backends.base import Backend
from gpuxlate.manifest.kinds import VALUES
from gpuxlate.manifest.pods import CLAIMS, ENV, Pod
from gpuxlate.model.diagnostics import Diagnostic, Path, Put, Remove, Rename, Severity
from gpuxlate.model.keys import Place
from gpuxlate.model.messages import join_or, msg
from gpuxlate.model.pod import DEFAULT_SCHEDULER, ContainerKeys, PodKeys, Value, in_lists, names_in
from gpuxlate.overlays.values import EMPTY_FIELDS
from gpuxlate.rules.base import Context
from gpuxlate.rules.translation import (
    ON_POD_TEMPLATE,
    nothing_is_left_behind,
    scheduler_is_the_same,
    share_is_expressible,
)
from gpuxlate.translation.edits import Owned, replaced_keys, replaced_schedulers, scheduler_to_name
from gpuxlate.translation.fit import PodFit
from gpuxlate.translation.leftovers import RENDERED
from gpuxlate.translation.pod_run import PodRun


def _leaves_terms_empty(pod: PodKeys, owned: Owned) -> bool:
    """Whether removing the owned requirements would empty some affinity terms but not all.

    Terms are alternatives, so that would change which nodes the pod may use.
    """
    keeps_some = [any(not owned(r.key, Place.NODE_SELECTOR) for r in term) for term in pod.affinity if term]
    return any(keeps_some) and not all(keeps_some)


# Fields that a target needs for a share, and that the object of the pod has not (GX023).
def _needed(keys: PodKeys) -> Iterator[str]:
    """The fields of a pod that the keys need; ``_rescheduled`` checks ``schedulerName``."""
    yield from ["labels"] if keys.labels else []
    yield from ["annotations"] if keys.annotations else []
    yield from ["nodeSelector"] if keys.node_selector else []
    yield from ["affinity"] if keys.affinity else []
    yield from [CLAIMS] if keys.claims else []
    yield from [ENV] if any(container.env for container in keys.all_containers()) else []


def no_field(pod: Pod, field: str, target: Backend) -> Diagnostic:
    """The finding that the kind of a pod lacks a field. In values of a chart, templates may not read it."""
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
        empty=EMPTY_FIELDS.get(field, "{}"),
    )
    if field == CLAIMS:
        hint = msg(RENDERED, target=target.name)
    missing: Diagnostic = share_is_expressible(pod.keys.path, message, hint)
    return missing


NO_EFFECT = "schedulerName is {name}; keys of {target} have effect with {allowed} only"

CHANGE = "remove schedulerName first, or choose another target"


def _rescheduled(pod: Pod, fit: PodFit, replaced: Sequence[Backend], target: Backend) -> Iterator[Diagnostic]:
    """A changed scheduler (GX018), and one with which the target's keys have no effect (GX023)."""
    now = pod.keys.scheduler_name
    new = fit.keys.scheduler_name or scheduler_to_name(pod, fit.keys, replaced, target)
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
    is_replaced = now.text in replaced_schedulers(replaced, target)
    if is_replaced or (now.text == DEFAULT_SCHEDULER and new is not None):
        yield scheduler_is_the_same(now.text, new.text if new else None, now.path)
    elif target.schedulers and now.text != DEFAULT_SCHEDULER:
        allowed = join_or(target.schedulers)
        message = msg(
            NO_EFFECT,
            name=now.text,
            target=target.name,
            allowed=allowed,
        )
        yield share_is_expressible(now.path, message, CHANGE)


def find_obstacles(
    pod: Pod, fit: PodFit, replaced: Sequence[Backend], target: Backend, context: Context
) -> Iterator[Diagnostic]:
    """Find why the object of a pod cannot have the new keys: it has no field for them (GX023), a selector
    matches a label that is removed (GX026), the target refuses whole cards that stay beside them, or its
    scheduler does not read them."""
    kind = pod.object.kind or "document"
    owned = replaced_keys(replaced, target, pod.keys)
    if pod.lacks:
        yield from (no_field(pod, name, target) for name in _needed(fit.keys) if name in pod.lacks)
    common = target.whole_card_key or ""
    if common in names_in(pod.keys) and not owned(common, Place.RESOURCE):
        containers = pod.keys.all_containers()
        staying = {keys.resources[common].path for keys in containers if common in keys.resources}
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


def other_dialects_after(run: PodRun, target: Backend) -> tuple[Backend, ...]:
    """The dialects, beside the target, in which the pod requests GPUs once it has the new keys."""
    pod, keys, replaced = run.pod, run.new_keys, run.dialects or ()
    if keys is None:
        return ()
    stays = pod.keys.scheduler_name
    if stays is not None and stays.text in replaced_schedulers(replaced, target):
        stays = scheduler_to_name(pod, keys, replaced, target)
    claims = tuple(claim for claim in pod.keys.claims if not registry.has_devices_of(claim, replaced))
    staying_keys = replace(pod.keys, scheduler_name=stays, claims=claims)
    after = _after(staying_keys, keys, replaced_keys(replaced, target, pod.keys))
    return tuple(backend for backend in registry.backends_of(after) if backend is not target)


def _after(pod: PodKeys, keys: PodKeys, owned: Owned) -> PodKeys:
    """The keys of the pod with the new keys in place of those that are replaced."""

    def merge(old: Mapping[str, Value], new: Mapping[str, Value], place: Place) -> dict[str, Value]:
        return {**{name: value for name, value in old.items() if not owned(name, place)}, **new}

    new_containers = {(container.init, container.index): container for container in keys.all_containers()}
    containers = []
    for container in pod.all_containers():
        new = new_containers.get((container.init, container.index), ContainerKeys())
        limits = merge(container.limits, new.limits, Place.RESOURCE)
        requests, env = (
            merge(container.requests, {}, Place.RESOURCE),
            merge(container.env, new.env, Place.ENV),
        )
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
        labels=merge(pod.labels, keys.labels, Place.LABEL),
        annotations=merge(pod.annotations, keys.annotations, Place.ANNOTATION),
        node_selector=merge(pod.node_selector, keys.node_selector, Place.NODE_SELECTOR),
        affinity=(*terms, *keys.affinity),
        scheduler_name=keys.scheduler_name or pod.scheduler_name,
    )


def disagreements(written: Sequence[PodRun]) -> Iterator[tuple[Pod, Diagnostic]]:
    """Pods that would get other labels or annotations than they need, since they share metadata (GX023)."""
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
        keys = run.new_keys or PodKeys()
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
