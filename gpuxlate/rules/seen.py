"""All that rules can see of a pod: two pods that look the same are judged the same."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping

from gpuxlate.model.pod import Path, PodKeys, Value


def seen(pod: PodKeys, foreign: Callable[[str], bool]) -> Hashable:
    """What rules can see of a pod, beside where it stands and what it is called.

    ``foreign``: labels, annotations and variables of which no rule has anything to say.
    """

    def plain(values: Mapping[str, Value]) -> tuple[Hashable, ...]:
        return tuple([(name, value.text, value.kind) for name, value in values.items() if not foreign(name)])

    def placed(value: Value | None, base: Path) -> Hashable:
        return None if value is None else (value.text, value.kind, value.path[len(base) :])

    containers = tuple(
        [
            (
                one.init,
                one.path[len(pod.path) :],
                _everything(one.limits, one.path),
                _everything(one.requests, one.path),
                tuple(
                    [
                        (name, value.text, value.kind, value.path[len(one.path) :])  # an item of a list
                        for name, value in one.env.items()
                        if not foreign(name)
                    ]
                ),
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
