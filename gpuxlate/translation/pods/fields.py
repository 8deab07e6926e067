"""Fields that a target needs for a share, and that the object of the pod has not (GX023)."""

from __future__ import annotations

from collections.abc import Iterator

from gpuxlate.backends.base import Backend
from gpuxlate.manifest.kinds import VALUES
from gpuxlate.manifest.pods import CLAIMS, ENV, Pod
from gpuxlate.model.diagnostics import Diagnostic
from gpuxlate.model.messages import say
from gpuxlate.model.pod import PodKeys
from gpuxlate.overlays.values import EMPTY
from gpuxlate.rules.translation import ON_POD_TEMPLATE, share_is_expressible
from gpuxlate.translation.leftovers import RENDERED


def lacking(pod: Pod, wanted: PodKeys, target: Backend) -> Iterator[Diagnostic]:
    """Every field that keys go to and that the manifest has not; ``schedulerName`` is in ``scheduling``."""
    yield from (no_field(pod, name, target) for name in _needed(wanted) if name in pod.lacks)


def _needed(wanted: PodKeys) -> Iterator[str]:
    yield from ["labels"] if wanted.labels else []
    yield from ["annotations"] if wanted.annotations else []
    yield from ["nodeSelector"] if wanted.node_selector else []
    yield from ["affinity"] if wanted.affinity else []
    yield from [CLAIMS] if wanted.claims else []
    yield from [ENV] if any(one.env for one in wanted.all_containers()) else []


def no_field(pod: Pod, field: str, target: Backend) -> Diagnostic:
    """A field of a pod that its kind has not; beside the resources of a chart, templates may not read it."""
    name = pod.keys.fields.get(field, field)
    if pod.object.kind != VALUES:
        message = say(
            "a {kind} has no {field} for its pods, which {target} needs for this share",
            kind=pod.object.kind or "document",
            field=name,
            target=target.name,
        )
        found: Diagnostic = share_is_expressible(pod.keys.path, message, ON_POD_TEMPLATE)
        return found
    message = say(
        "{target} needs {field} for this share: no {field} beside resources can hold it",
        field=name,
        target=target.name,
    )
    hint = say(
        "add {field}: {empty} beside resources if the templates of the chart use it, else change them",
        field=name,
        empty=EMPTY.get(field, "{}"),
    )
    if field == CLAIMS:
        hint = say(RENDERED, target=target.name)
    missing: Diagnostic = share_is_expressible(pod.keys.path, message, hint)
    return missing
