"""What a translation makes of ``schedulerName``, where a dialect goes with a scheduler."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gpuxlate.backends.base import Backend
from gpuxlate.manifest.pods import Pod
from gpuxlate.model.diagnostics import Diagnostic, Severity
from gpuxlate.rules.translation import scheduler_changes
from gpuxlate.translation.fit import PodFit

DEFAULT = "default-scheduler"
"""What a pod that names no scheduler gets."""


def left_schedulers(replaced: Sequence[Backend], target: Backend) -> tuple[str, ...]:
    """The schedulers that go with the replaced dialects."""
    gone = [name for backend in replaced for name in backend.schedulers]
    return tuple(name for name in gone if name not in target.schedulers)


def rescheduled(pod: Pod, fit: PodFit, replaced: Sequence[Backend], target: Backend) -> Iterator[Diagnostic]:
    """What changes (GX018), and with which scheduler the target's keys would have no effect (GX023)."""
    now, new = pod.keys.scheduler_name, fit.keys.scheduler_name
    if new is not None and not pod.takes_nodes:
        yield Diagnostic(
            "GX023",
            Severity.ERROR,
            f"a {pod.object.kind or 'document'} has no place for schedulerName, "
            f"and {target.name} needs {new.text}",
            "put the share on a pod template",
            pod.keys.path,
        )
    if now is None or now.text in target.schedulers:
        return
    own = now.path[:-1] == pod.keys.path  # else a job hands it down
    if (own and now.text in left_schedulers(replaced, target)) or (now.text == DEFAULT and new is not None):
        message = scheduler_changes(now.text, new.text if new else None)
        yield Diagnostic("GX018", Severity.INFO, message, path=now.path)
    elif target.schedulers and now.text != DEFAULT:
        yield Diagnostic(
            "GX023",
            Severity.ERROR,
            f"the scheduler is {now.text}, and the keys of {target.name} have effect with "
            f"{' or '.join(target.schedulers)} alone",
            "take schedulerName out first, or choose another target",
            now.path,
        )
