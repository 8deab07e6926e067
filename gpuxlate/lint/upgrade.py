"""What an upgrade of a component changes (GX038): the keys of a pod, read and judged by two releases, amounts
of quotas, and the values of its chart."""

from __future__ import annotations

import os
from collections.abc import Iterator
from collections.abc import Mapping as Map
from fnmatch import fnmatchcase

from gpuxlate.backends import registry
from gpuxlate.backends.base import Backend
from gpuxlate.backends.pod_reader import PodReader
from gpuxlate.backends.rows import releases_between
from gpuxlate.manifest.quotas import quotas_in
from gpuxlate.model.diagnostics import Diagnostic, Path, Severity
from gpuxlate.model.messages import Message, msg
from gpuxlate.model.pod import PodKeys, Value
from gpuxlate.model.profile import ChangeKind, Profile, ReleaseChange
from gpuxlate.model.quantity import parse_integer
from gpuxlate.model.share import JSON_NAMES, Share
from gpuxlate.overlays.values import chart_name, names_of_dependency
from gpuxlate.rules import releases
from gpuxlate.rules.base import Context
from gpuxlate.rules.translation import upgrade_changes_nothing
from gpuxlate.yamltext.nodes import Mapping, Node, get, get_text
from gpuxlate.yamltext.parse import Document

_INSTALLING = (
    (("spec", "chart", "spec", "chart"), ("spec", "values")),  # HelmRelease of Flux
    (("spec", "source", "chart"), ("spec", "source", "helm", "valuesObject")),  # Application of Argo CD
)
"""Where objects that install a chart have its name, and its values."""


def changes_in_pod(backend: Backend, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """GX038 for each difference between the two releases for the keys of one dialect."""
    before, after = context.before, context.profile
    assert before is not None
    assert after is not None
    old, new = backend.in_cluster(before), backend.in_cluster(after)
    changes = releases_between(backend, before, after)
    if not changes:
        return
    names = [*_names(old, new, pod)]
    yield from names
    yield from _denied(pod, changes)
    yield from _refused(old, new, pod, context, changes)
    if not names:
        yield from _amounts(old, new, pod, before, after, changes)


def _values(pod: PodKeys) -> Iterator[Value]:
    """Every key of a pod that may be a vendor's, once."""
    seen: set[Path] = set()
    for values in (
        *(container.resources for container in pod.all_containers()),
        *(container.env for container in pod.all_containers()),
        *(pod.labels, pod.annotations, pod.node_selector),
    ):
        for value in values.values():
            if value.path and value.path not in seen:
                seen.add(value.path)
                yield value


def _names(old: Backend, new: Backend, pod: PodKeys) -> Iterator[Diagnostic]:
    """Names that only one of the two releases reads."""
    for value in _values(pod):
        name = str(value.path[-1])
        lost, gained = new.lacks.get(name), old.lacks.get(name)
        if lost is not None and gained is None:
            hint = msg("write {name}", name=lost.instead) if lost.instead else msg("remove {key}", key=name)
            message = msg("{release} no longer reads {key}", release=str(lost.release), key=name)
            yield upgrade_changes_nothing(value.path, message, hint)
        elif gained is not None and lost is None:
            message = msg(
                "{release} reads {key}, which nothing reads before it", release=str(gained.release), key=name
            )
            hint = msg("remove {key} where the pod is to stay as it is", key=name)
            yield upgrade_changes_nothing(value.path, message, hint)


def _denied(pod: PodKeys, changes: tuple[ReleaseChange, ...]) -> Iterator[Diagnostic]:
    """Keys with which only the newer release refuses a pod."""
    denied = [change for change in changes if change.change is ChangeKind.DENIED]
    for value in _values(pod) if denied else ():
        name = str(value.path[-1])
        change = next((change for change in denied if fnmatchcase(name, change.key)), None)
        if change is not None:
            message = msg(
                "{release} refuses pods that are made with {name}", release=str(change.release), name=name
            )
            yield upgrade_changes_nothing.diagnostic(
                value, message, "remove it", severity=Severity.ERROR, on_key=True
            )


def _refused(
    old: Backend, new: Backend, pod: PodKeys, context: Context, changes: tuple[ReleaseChange, ...]
) -> Iterator[Diagnostic]:
    """GX038 for what only the newer release refuses: new errors of its rules and of its reader."""
    in_old, in_new = context._replace(profile=context.before, before=None), context._replace(before=None)
    findings = (finding for finding in old.check(pod, in_old) if finding.severity is Severity.ERROR)
    refused_before = {(finding.code, finding.path) for finding in findings}
    numbers = {value.path: parse_integer(value.text) for value in _values(pod)}
    for finding in new.check(pod, in_new):
        name, number = str(finding.path[-1]) if finding.path else "", numbers.get(finding.path)
        if finding.severity is not Severity.ERROR or name in new.lacks:
            continue
        release = next((change.release for change in changes if change.refuses(name, number)), None)
        if (finding.code, finding.path) not in refused_before:
            text = msg(
                "{code} from the newer release on: {message}", code=finding.code, message=finding.message
            )
        elif release is not None:
            text = msg(
                "{release} refuses the pod, older releases do not: {message}",
                release=str(release),
                message=finding.message,
            )
        else:
            continue
        yield upgrade_changes_nothing.diagnostic(
            finding.path, text, finding.hint, severity=Severity.ERROR, on_key=finding.on_key
        )


def _amounts(
    old: Backend,
    new: Backend,
    pod: PodKeys,
    before: Profile,
    after: Profile,
    changes: tuple[ReleaseChange, ...],
) -> Iterator[Diagnostic]:
    """Containers that get another share."""
    shares_before = old.read(PodReader(pod, before), before).containers
    shares_after = new.read(PodReader(pod, after), after).containers
    for share_before, share_after in zip(shares_before, shares_after, strict=True):
        old_share, new_share = share_before.share, share_after.share
        if old_share == new_share or old_share is None or new_share is None:
            continue
        message = msg("the container gets another share: {fields}", fields=_different(old_share, new_share))
        place = share_after.init, share_after.index
        container = next(keys for keys in pod.all_containers() if (keys.init, keys.index) == place)
        value = next(value for name, value in container.resources.items() if new.owns(name))
        rows = [row for name in container.resources if (row := new.find(name)) is not None]
        names = {name for row in rows for name in (row.name, row.template)}
        amounts = (change for change in changes if change.change is ChangeKind.AMOUNT)
        texts = [change.text for change in amounts if change.key in names]
        hint: Message | str = "; ".join(texts) or "write what the container needs in the newer release"
        yield upgrade_changes_nothing(value.path, message, hint)


def changes_in_quotas(document: Document, context: Context) -> Iterator[Diagnostic]:
    """GX038 for amounts of quotas in a dialect whose unit changes by an upgrade."""
    from gpuxlate.translation.quotas.counting import keeps_limits

    assert context.before is not None
    assert context.profile is not None
    for quota in quotas_in(document):
        backends = (
            backend
            for backend in registry.pod_backends()
            if (row := backend.find(quota.resource)) is not None and keeps_limits(backend, row, quota)
        )
        backend = next(backends, None)
        for change in releases_between(backend, context.before, context.profile) if backend else ():
            if change.change is ChangeKind.AMOUNT and fnmatchcase(quota.written, change.key):
                message = msg(
                    "{release} counts {key} otherwise", release=str(change.release), key=quota.written
                )
                yield from (upgrade_changes_nothing(path, message, change.text) for path in quota.names)


def chart_findings(before: Profile, after: Profile) -> list[ReleaseChange]:
    """What an upgrade changes in the values of charts."""
    return [
        change
        for component in registry.components().values()
        for change in releases.chart_changes(component)
        if change.comes_between(before.components, after.components)
    ]


def changes_in_values(document: Document, context: Context) -> Iterator[Diagnostic]:
    """The values of charts in a document that an upgrade changes, each with what to write."""
    assert context.before is not None
    assert context.profile is not None
    for change in chart_findings(context.before, context.profile):
        steps = change.key.split(".")
        for base, values in _values_in(document, change.chart):
            if get(values, *steps) is None:
                continue
            named = {"release": str(change.release), "key": change.key}
            message, hint = _about_value(change, named)
            severity = Severity.ERROR if change.change is ChangeKind.DENIED else None
            path = (*base, *steps)
            yield upgrade_changes_nothing.diagnostic(path, message, hint, severity=severity, on_key=True)


def _about_value(change: ReleaseChange, named: Map[str, str]) -> tuple[Message, Message | str]:
    """What a release does with a value of its chart, and what to write."""
    if change.change is ChangeKind.NEW:
        return (
            msg("{release}: its chart is the first with {key}", **named),
            msg("remove {key} where the chart is to stay as it is", **named),
        )
    hint = change.text or msg("write {name}", name=change.replacement)
    if change.change is ChangeKind.DENIED:
        return msg("{release}: its chart is not rendered with {key}", **named), hint
    if change.change is ChangeKind.RENAMED:
        return msg("{release}: its chart has {new} in place of {key}", new=change.replacement, **named), hint
    return msg("{release}: its chart reads {key} otherwise", **named), hint


def _values_in(document: Document, chart: str) -> Iterator[tuple[Path, Node]]:
    """Where a document has values of a chart: all of it, or those of a dependency; or of an object that
    installs the chart."""
    root = document.root
    if get(root, "kind") is None:
        folder = os.path.dirname(os.path.abspath(document.source.name))
        of_chart: tuple[Path, ...] = ((),) if chart_name(folder) in (chart, None) else ()
        places = [*of_chart, *((name,) for name in names_of_dependency(folder, chart))]
    else:
        places = [values for named, values in _INSTALLING if get_text(root, *named) == chart]
    for path in places:
        values = get(root, *path)
        if isinstance(values, Mapping):
            yield path, values


def _different(before: Share, after: Share) -> str:
    """The fields that differ: ``memoryMiB 2000 -> 3072``."""
    fields = ((name, getattr(before, field), getattr(after, field)) for field, name in JSON_NAMES.items())
    return ", ".join(f"{name} {old or '-'} -> {new or '-'}" for name, old, new in fields if old != new)
