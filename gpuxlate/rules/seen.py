"""All that rules can see of a pod: two pods that look the same are judged the same."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping

from gpuxlate.claims import Path, PodClaims, Value
from gpuxlate.diagnostics import Diagnostic
from gpuxlate.rules.base import Context

NAMES = frozenset({"app", "component", "k8s-app", "name", "pod-template-hash", "release", "team", "version"})
DOMAINS = ("app.kubernetes.io/", "argocd.argoproj.io/", "helm.sh/", "prometheus.io/")
"""Labels and annotations that say what a workload is called or who made it: no rule looks at their values."""


CLEAN = 4096
"""So many looks of clean pods are remembered. Workloads of one chart, or of many environments, look alike."""
_clean: tuple[Context | None, dict[str, set[Hashable]]] = (None, {})
"""In which context, by whom they were judged, and how they look."""


def judged(
    pod: PodClaims, context: Context, by: str, judge: Callable[[PodClaims, Context], Iterable[Diagnostic]]
) -> list[Diagnostic]:
    """What ``judge`` says of a pod; nothing where it said nothing of one that looks the same.

    ``by`` names the judge, which looks at the pod and the context alone.
    """
    global _clean
    if (
        _clean[0] is None
        or _clean[0].profile is not context.profile
        or _clean[0].dialects is not context.dialects
    ):
        _clean = (context, {})
    looks = _clean[1].setdefault(by, set())
    look = seen(pod)
    if look in looks:
        return []
    found = list(judge(pod, context))
    if not found and len(looks) < CLEAN:
        looks.add(look)
    return found


def seen(pod: PodClaims) -> Hashable:
    """What rules can see of a pod, beside where it stands and what it is called."""

    def plain(values: Mapping[str, Value]) -> tuple[Hashable, ...]:
        return tuple(
            [
                (name, value.text, value.kind)
                for name, value in values.items()
                if not (name in NAMES or name.startswith(DOMAINS))
            ]
        )

    def placed(value: Value | None, base: Path) -> Hashable:
        return None if value is None else (value.text, value.kind, value.path[len(base) :])

    containers = tuple(
        [
            (
                one.init,
                one.path[len(pod.path) :],
                _everything(one.limits, one.path),
                _everything(one.requests, one.path),
                tuple([(name, value.text) for name, value in one.env.items()]),
                placed(one.privileged, one.path),
            )
            for one in pod.all_containers()
        ]
    )
    return (
        containers,
        pod.metadata_path == pod.path,
        *(
            plain(values)
            for values in (
                pod.labels,
                pod.annotations,
                pod.node_selector,
                pod.owner_labels,
                pod.owner_annotations,
                pod.stray_labels,
                pod.stray_annotations,
            )
        ),
        tuple([tuple([(r.key, r.operator, r.values) for r in term]) for term in pod.affinity]),
        placed(pod.scheduler_name, pod.path),
        placed(pod.node_name, pod.path),
    )


def _everything(values: Mapping[str, Value], base: Path) -> tuple[Hashable, ...]:
    """Resources: every one, and the field of the container that holds them."""
    start = len(base)
    return tuple([(value.path[start:], value.text, value.kind) for value in values.values()])
