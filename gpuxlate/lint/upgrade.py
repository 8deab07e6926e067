"""What an upgrade of a component changes for a pod: its keys, read and judged by two releases (GX038)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fnmatch import fnmatchcase

from gpuxlate.backends.base import Backend
from gpuxlate.backends.pod_reader import PodReader
from gpuxlate.backends.rows import releases_between
from gpuxlate.model.diagnostics import Diagnostic, Path, Severity
from gpuxlate.model.messages import Message, msg
from gpuxlate.model.pod import PodKeys, Value
from gpuxlate.model.profile import ChangeKind, Profile, ReleaseChange
from gpuxlate.model.share import JSON_NAMES, Share
from gpuxlate.rules.base import Context
from gpuxlate.rules.translation import upgrade_changes_nothing


def changes(backend: Backend, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """What differs for the keys of one dialect, each with what to write."""
    before, after = context.before, context.profile
    assert before is not None
    assert after is not None
    old, new = backend.in_cluster(before), backend.in_cluster(after)
    between = releases_between(backend, before, after)
    if not between:
        return
    names = [*_names(old, new, pod)]
    yield from names
    yield from _denied(pod, between)
    yield from _refused(old, new, pod, context, between)
    if not names:
        yield from _amounts(old, new, pod, before, after, between)


def _values(pod: PodKeys) -> Iterator[Value]:
    """Every key of a pod that may be a vendor's, once."""
    seen: set[Path] = set()
    for values in (
        *(one.resources for one in pod.all_containers()),
        *(one.env for one in pod.all_containers()),
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
            yield upgrade_changes_nothing(value.path, new.lack_text(name), hint)
        elif gained is not None and lost is None and not gained.ended:
            message = msg(
                "{release} reads {key}, which nothing reads before it", release=str(gained.release), key=name
            )
            hint = msg("remove {key} where the pod is to stay as it is", key=name)
            yield upgrade_changes_nothing(value.path, message, hint)


def _denied(pod: PodKeys, between: tuple[ReleaseChange, ...]) -> Iterator[Diagnostic]:
    """Keys with which only the newer release refuses a pod."""
    denied = [one for one in between if one.change is ChangeKind.DENIED]
    for value in _values(pod) if denied else ():
        name = str(value.path[-1])
        change = next((one for one in denied if fnmatchcase(name, one.key)), None)
        if change is not None:
            message = msg(
                "{release} refuses pods that are made with {name}", release=str(change.release), name=name
            )
            told: Diagnostic = upgrade_changes_nothing(value.path, message, "remove it")
            yield replace(told, severity=Severity.ERROR)


def _refused(
    old: Backend, new: Backend, pod: PodKeys, context: Context, between: tuple[ReleaseChange, ...]
) -> Iterator[Diagnostic]:
    """What only the newer release refuses: what its rules call an error and those of the older one do not,
    and what the older one dropped without a word."""
    here, there = context._replace(profile=context.before, before=None), context._replace(before=None)
    known = {(one.code, one.path) for one in old.check(pod, here) if one.severity is Severity.ERROR}
    refusing = [one for one in between if one.change is ChangeKind.REFUSED]
    for found in new.check(pod, there):
        if found.severity is not Severity.ERROR:
            continue
        name = str(found.path[-1]) if found.path else ""
        release = next((one.release for one in refusing if fnmatchcase(name, one.key)), None)
        if (found.code, found.path) not in known:
            text = msg("{code} from the newer release on: {message}", code=found.code, message=found.message)
        elif release is not None:
            text = msg(
                "{release} refuses the pod, older releases drop the request: {message}",
                release=str(release),
                message=found.message,
            )
        else:
            continue
        told: Diagnostic = upgrade_changes_nothing(found.path, text, found.hint)
        yield replace(told, severity=Severity.ERROR, on_key=found.on_key)


def _amounts(
    old: Backend,
    new: Backend,
    pod: PodKeys,
    before: Profile,
    after: Profile,
    between: tuple[ReleaseChange, ...],
) -> Iterator[Diagnostic]:
    """Containers that get another share."""
    given = old.read(PodReader(pod, before), before).containers
    shares = new.read(PodReader(pod, after), after).containers
    for one, other in zip(given, shares, strict=True):
        if one.share == other.share or one.share is None or other.share is None:
            continue
        message = msg("the container gets another share: {fields}", fields=_different(one.share, other.share))
        container = next(c for c in pod.all_containers() if (c.init, c.index) == (one.init, one.index))
        value = next(value for name, value in container.resources.items() if new.owns(name))
        rows = [row for name in container.resources if (row := new.find(name)) is not None]
        asked = {name for row in rows for name in (row.name, row.template)}
        texts = [one.text for one in between if one.change is ChangeKind.AMOUNT and one.key in asked]
        hint: Message | str = "; ".join(texts) or "write what the container needs in the newer release"
        yield upgrade_changes_nothing(value.path, message, hint)


def _different(one: Share, other: Share) -> str:
    """The fields that differ: ``memoryMiB 2000 -> 3072``."""
    both = ((name, getattr(one, field), getattr(other, field)) for field, name in JSON_NAMES.items())
    return ", ".join(f"{name} {old or '-'} -> {new or '-'}" for name, old, new in both if old != new)
