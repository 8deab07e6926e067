"""Pods of TKE as keys, with the paths that the reader of manifests would give."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gpuxlate.model.pod import ContainerKeys, Kind, NodeRequirement, Path, PodKeys, Value

PREFIX = "tke.cloud.tencent.com/"
CORE, MEMORY, GREEDY = PREFIX + "qgpu-core", PREFIX + "qgpu-memory", PREFIX + "qgpu-core-greedy"
APP_CLASS, POLICY = PREFIX + "app-class", PREFIX + "qgpu-schedule-policy"
SHORT = {"core": CORE, "memory": MEMORY, "greedy": GREEDY}

SELECTOR: Path = ("spec", "nodeSelector", POLICY)
CLASS: Path = ("metadata", "annotations", APP_CLASS)

Numbers = Mapping[str, str | int]
Term = Sequence[tuple[str, str, Sequence[str]]]
"""Key, operator, values of each match expression."""


def limit(name: str, container: int = 0, place: str = "limits") -> Path:
    """Where a resource of a container stands."""
    return ("spec", "containers", container, "resources", place, SHORT[name])


def expression(term: int, index: int) -> Path:
    """Where a match expression of the required node affinity stands."""
    required = "requiredDuringSchedulingIgnoredDuringExecution"
    terms: Path = ("spec", "affinity", "nodeAffinity", required, "nodeSelectorTerms")
    return (*terms, term, "matchExpressions", index)


def _value(raw: str | int, path: Path) -> Value:
    return Value(str(raw), Kind.INT if isinstance(raw, int) else Kind.STR, path)


def pod(
    *containers: Numbers,
    requests: Numbers | None = None,
    app_class: str | None = None,
    stray_class: str | None = None,
    owner_class: str | None = None,
    policy: str | None = None,
    terms: Sequence[Term] = (),
) -> PodKeys:
    """A pod; a container is {"core": "30", "memory": "5"}. ``requests`` are those of the first."""

    def resources(index: int, place: str, numbers: Numbers) -> dict[str, Value]:
        return {SHORT[n]: _value(raw, limit(n, index, place)) for n, raw in numbers.items()}

    def annotated(text: str | None, *path: str) -> dict[str, Value]:
        return {APP_CLASS: _value(text, (*path, "annotations", APP_CLASS))} if text else {}

    return PodKeys(
        containers=tuple(
            ContainerKeys(
                f"c{n}",
                n,
                limits=resources(n, "limits", numbers),
                requests=resources(n, "requests", requests or {}) if n == 0 else {},
                path=("spec", "containers", n),
            )
            for n, numbers in enumerate(containers)
        ),
        annotations=annotated(app_class, "metadata"),
        stray_annotations=annotated(stray_class),
        owner_annotations=annotated(owner_class, "owner", "metadata"),
        node_selector={POLICY: _value(policy, SELECTOR)} if policy else {},
        affinity=tuple(
            tuple(
                NodeRequirement(name, operator, tuple(values), expression(t, e))
                for e, (name, operator, values) in enumerate(term)
            )
            for t, term in enumerate(terms)
        ),
    )
