"""Write shares into a pod of a manifest: whether its kind has the fields, and the edits."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from gpuxlate.backends.base import Backend
from gpuxlate.manifest.pods import REQUIRED_AFFINITY, Pod
from gpuxlate.model.diagnostics import Diagnostic
from gpuxlate.model.edits import Edit
from gpuxlate.model.messages import say
from gpuxlate.model.pod import PodKeys
from gpuxlate.rules.translation import ON_POD_TEMPLATE, share_is_expressible
from gpuxlate.translation.difference import pod_edits, terms_left_empty
from gpuxlate.translation.fit import PodFit
from gpuxlate.translation.scheduling import left_schedulers


def writable(pod: Pod, fit: PodFit, owned: Callable[[str], bool]) -> Iterator[Diagnostic]:
    """What the manifest has no field for, though the target can express it (GX023)."""
    kind = pod.object.kind or "document"
    if (fit.keys.labels or fit.keys.annotations) and not pod.has_metadata:
        message = say(
            "a {kind} has no labels and annotations for its pods, which the target needs for this share",
            kind=kind,
        )
        yield share_is_expressible(pod.keys.path, message, ON_POD_TEMPLATE)
    if (fit.keys.node_selector or fit.keys.affinity) and not pod.takes_nodes:
        message = say(
            "a {kind} has no node selector for its pods, which the target needs for this share", kind=kind
        )
        yield share_is_expressible(pod.keys.path, message, ON_POD_TEMPLATE)
    if terms_left_empty(pod.keys, owned):
        found = (
            "one of several alternative affinity terms has only this vendor's labels: "
            "without it the pod could run on other nodes than before"
        )
        yield share_is_expressible(pod.keys.path, found, "write the affinity without alternatives")


def share_edits(
    pod: Pod,
    wanted: PodKeys,
    replaced: Sequence[Backend],
    target: Backend,
    *,
    mirror_requests: bool,
) -> list[Edit]:
    """The edits that put the wanted keys in place of those of the replaced dialects."""
    dialects = (*replaced, target)
    common = {b.whole_card_key for b in replaced if b.whole_card_key}

    def owned(name: str) -> bool:
        if target.chooses(name):  # both dialects have it: it stays as it is
            return False
        return name in common or any(backend.owns(name) for backend in replaced)

    def role(name: str) -> str | None:
        return next((found for found in (b.role(name) for b in dialects) if found), None)

    return list(
        pod_edits(
            pod.keys,
            wanted,
            owned=owned,
            role=role,
            affinity_path=(*pod.keys.path, *REQUIRED_AFFINITY),
            resources_key=pod.resources_key,
            mirror_requests=mirror_requests,
            quoted_source=any(backend.quotes_numbers for backend in replaced),
            schedulers=left_schedulers(replaced, target),
        )
    )
