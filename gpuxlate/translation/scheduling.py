"""What a translation makes of ``schedulerName``, where a dialect goes with a scheduler."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gpuxlate.backends.base import Backend
from gpuxlate.manifest.pods import Pod
from gpuxlate.model.diagnostics import Diagnostic
from gpuxlate.rules.translation import ON_POD_TEMPLATE, scheduler_is_the_same, share_is_expressible
from gpuxlate.translation.fit import PodFit

DEFAULT = "default-scheduler"
"""What a pod that names no scheduler gets."""


def left_schedulers(replaced: Sequence[Backend], target: Backend) -> tuple[str, ...]:
    """The schedulers that go with the replaced dialects."""
    gone = [name for backend in replaced for name in backend.schedulers]
    return tuple(name for name in gone if name not in target.schedulers)


def rescheduled(pod: Pod, fit: PodFit, replaced: Sequence[Backend], target: Backend) -> Iterator[Diagnostic]:
    """What changes (GX018), and a scheduler with which the target's keys have no effect (GX023)."""
    now, new = pod.keys.scheduler_name, fit.keys.scheduler_name
    if new is not None and not pod.takes_nodes:
        kind = pod.object.kind or "document"
        message = f"a {kind} does not take schedulerName, and {target.name} needs {new.text}"
        yield share_is_expressible(pod.keys.path, message, ON_POD_TEMPLATE)
    if now is None or now.text in target.schedulers:
        return
    own = now.path[:-1] == pod.keys.path  # else a job hands it down
    if (own and now.text in left_schedulers(replaced, target)) or (now.text == DEFAULT and new is not None):
        yield scheduler_is_the_same(now.text, new.text if new else None, now.path)
    elif target.schedulers and now.text != DEFAULT:
        allowed = " or ".join(target.schedulers)
        message = f"schedulerName is {now.text}; keys of {target.name} have effect with {allowed} only"
        yield share_is_expressible(now.path, message, "remove schedulerName first, or choose another target")
