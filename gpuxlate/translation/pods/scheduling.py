"""``schedulerName`` in a translation, where a dialect requires a scheduler."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gpuxlate.backends.base import Backend
from gpuxlate.manifest.pods import Pod
from gpuxlate.model.diagnostics import Diagnostic
from gpuxlate.model.messages import either, say
from gpuxlate.model.pod import PodKeys, Value
from gpuxlate.rules.translation import scheduler_is_the_same, share_is_expressible
from gpuxlate.translation.pods.fields import no_field
from gpuxlate.translation.pods.fit import PodFit

DEFAULT = "default-scheduler"
"""The scheduler of a pod that names none."""
NO_EFFECT = "schedulerName is {name}; keys of {target} have effect with {allowed} only"
CHANGE = "remove schedulerName first, or choose another target"


def left_schedulers(replaced: Sequence[Backend], target: Backend) -> tuple[str, ...]:
    """The schedulers that belong to the replaced dialects only."""
    gone = [name for backend in replaced for name in backend.schedulers]
    return tuple(name for name in gone if name not in target.schedulers)


def own_scheduler(pod: Pod, wanted: PodKeys, replaced: Sequence[Backend], target: Backend) -> Value | None:
    """What a pod has to name where its scheduler goes and its object passes one; None where it need not."""
    now, passed = pod.keys.scheduler_name, pod.passed_scheduler
    if now is None or wanted.scheduler_name is not None or passed in (None, DEFAULT, *target.schedulers):
        return None
    return Value.of(DEFAULT) if now.text in left_schedulers(replaced, target) else None


def rescheduled(pod: Pod, fit: PodFit, replaced: Sequence[Backend], target: Backend) -> Iterator[Diagnostic]:
    """A changed scheduler (GX018), and one with which the target's keys have no effect (GX023)."""
    now = pod.keys.scheduler_name
    new = fit.keys.scheduler_name or own_scheduler(pod, fit.keys, replaced, target)
    kind = pod.object.kind or "document"
    if now is None and new is None:
        return
    if new is not None and (now is None or now.text != new.text):
        if "schedulerName" in pod.lacks:
            yield no_field(pod, "schedulerName", target)
            return
        if now is not None and not pod.names_scheduler:
            message = say("schedulerName is {name} for all pods of this {kind}", name=now.text, kind=kind)
            yield share_is_expressible(now.path, message, CHANGE)
            return
    if now is None or now.text in target.schedulers:
        return
    left = now.text in left_schedulers(replaced, target)
    if left or (now.text == DEFAULT and new is not None):
        yield scheduler_is_the_same(now.text, new.text if new else None, now.path)
    elif target.schedulers and now.text != DEFAULT:
        allowed = either(target.schedulers)
        message = say(
            NO_EFFECT,
            name=now.text,
            target=target.name,
            allowed=allowed,
        )
        yield share_is_expressible(now.path, message, CHANGE)
