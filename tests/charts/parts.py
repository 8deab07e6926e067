"""One pod in two forms: a manifest, and a part of the values of a chart with all siblings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import yaml

from gpuxlate.manifest.layers import Kind, Laid, Layer
from gpuxlate.manifest.values import Chart, values_pods

VALUES = Layer(Kind.VALUES, lambda document: [Laid(pod) for pod in values_pods(document, Chart("c"))])
IN_METADATA = {"podLabels": "labels", "podAnnotations": "annotations"}
IN_SPEC = ("nodeSelector", "affinity", "schedulerName")
IN_CONTAINER = ("env", "resources")
EMPTY: dict[str, Any] = {"schedulerName": "", "env": []}

Part = Mapping[str, Any]
"""What charts take from values, of one pod with one container: all of it, even empty."""


def parts_in(text: str) -> Iterator[Part]:
    """The pods of a manifest that have one container."""
    for document in yaml.safe_load_all(text):
        spec = document.get("spec", {})
        pod = document if "containers" in spec else spec.get("template")
        inside = pod.get("spec", {}) if isinstance(pod, dict) else {}
        if len(inside.get("containers", ())) == 1 and not inside.get("initContainers"):
            yield part_of(pod)


def part_of(pod: Mapping[str, Any]) -> Part:
    """A pod as values."""
    metadata, spec = pod.get("metadata") or {}, pod["spec"]
    [container] = spec["containers"]
    found = {name: metadata.get(field) for name, field in IN_METADATA.items()}
    found |= {name: spec.get(name) for name in IN_SPEC}
    found |= {name: container.get(name) for name in IN_CONTAINER}
    return {name: value or EMPTY.get(name, {}) for name, value in found.items()}


def as_manifest(part: Part) -> str:
    """As a Pod, without what is empty."""
    metadata = {"name": "c"} | {field: part[name] for name, field in IN_METADATA.items() if part[name]}
    container = {"name": "main"} | {name: part[name] for name in IN_CONTAINER if part[name]}
    spec = {name: part[name] for name in IN_SPEC if part[name]} | {"containers": [container]}
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}
    return yaml.safe_dump(pod, sort_keys=False)


def as_values(part: Part) -> str:
    """As values, two levels deep."""
    return yaml.safe_dump({"tiers": {"main": dict(part)}}, sort_keys=False)


def from_values(text: str) -> Part:
    """What ``as_values`` wrote."""
    found: Part = yaml.safe_load(text)["tiers"]["main"]
    return found
