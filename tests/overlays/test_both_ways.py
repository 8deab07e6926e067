"""Operations edited for another dialect, over a base in it, build what the old ones build, in it.

The dialect is one of this test: a key with another name and unit, a key that has no counterpart, and an
annotation of the pod that depends on all containers.
"""

from __future__ import annotations

import json
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import yaml
from hypothesis import HealthCheck, Phase, event, given, settings
from hypothesis import strategies as st

from gpuxlate.inputs.bases import Layer, bases_of
from gpuxlate.manifest.operation_edits import op_edits, presence
from gpuxlate.manifest.patches import laid_over
from gpuxlate.model.edits import Edit, Put, Remove, Rename
from gpuxlate.model.pod import ContainerKeys, Kind, PodKeys, Value
from gpuxlate.yamltext.compose import documents
from gpuxlate.yamltext.edit import EditError, apply, edit_document
from gpuxlate.yamltext.source import Source
from tests.overlays.apps import build, needs_kubectl, objects, operations, written

OLD, NEW, LOST, SUM = (
    "aliyun.com/gpu-mem",
    "new.example/mem",
    "aliyun.com/gpu-core.percentage",
    "new.example/sum",
)


def in_dialect(workload: dict[str, Any]) -> dict[str, Any]:
    """A workload in the other dialect."""
    made: dict[str, Any] = json.loads(json.dumps(workload))
    template = made["spec"]["template"]
    total = 0
    for one in template["spec"]["containers"]:
        resources = one.get("resources") or {}
        for name, values in list(resources.items()):
            held = bool(values)
            if OLD in values:
                values[NEW] = int(values.pop(OLD)) * 2
            values.pop(LOST, None)
            if held and not values:  # as a translation leaves no mapping that it has emptied
                del resources[name]
        if one.get("resources") == {} and workload_resources(workload, one["name"]):
            del one["resources"]
        total += (resources.get("limits") or {}).get(NEW, 0)
    if total:
        metadata = template.setdefault("metadata", {})
        metadata["annotations"] = {**(metadata.get("annotations") or {}), SUM: str(total)}
    return made


def workload_resources(workload: dict[str, Any], name: str) -> Any:
    containers = workload["spec"]["template"]["spec"]["containers"]
    return next(one.get("resources") for one in containers if one["name"] == name)


def full(workload: dict[str, Any]) -> dict[str, Any]:
    """With mappings that operations may be in."""
    made: dict[str, Any] = json.loads(json.dumps(workload))
    template = made["spec"]["template"]
    for one in template["spec"]["containers"]:
        limits = one.setdefault("resources", {}).setdefault("limits", {OLD: 8, LOST: 30})
        limits.setdefault(OLD, 4)
    template["metadata"].setdefault("annotations", {"a": "b"})
    return made


def total_of(keys: PodKeys) -> str | None:
    return (
        str(sum(int(one.limits[OLD].text) * 2 for one in keys.containers if OLD in one.limits) or "") or None
    )


def keys_in_dialect(keys: PodKeys) -> PodKeys:
    def of(one: ContainerKeys) -> ContainerKeys:
        limits, requests = (
            {NEW if name == OLD else name: value for name, value in values.items() if name != LOST}
            for values in (one.limits, one.requests)
        )
        return replace(one, limits=limits, requests=requests)

    total = total_of(keys)
    notes = {**keys.annotations, **({SUM: Value(total)} if total else {})}
    return replace(keys, containers=tuple(map(of, keys.containers)), annotations=notes)


def edits_of(layer: Layer) -> list[Edit]:
    found: list[Edit] = []
    part, base = layer.part.keys, layer.base.keys
    for one in part.containers:
        for values in (one.limits, one.requests):
            for name, value in values.items():
                if name == OLD:
                    found.append(
                        Rename(value.path, NEW, None if value.kind is Kind.NULL else int(value.text) * 2)
                    )
                elif name == LOST:
                    found.append(Remove(value.path))
    before, after = total_of(base), total_of(laid_over(base, part))
    given_anew = any(
        operation_path in ((*part.metadata_path, "annotations"), part.metadata_path)
        for operation_path in (value.path[:-1] for value in part.annotations.values())
    )
    if before != after or (after and given_anew):
        found.append(Put((*part.metadata_path, "annotations", SUM), after))
    return found


def tidy(value: Any) -> Any:
    """Without empty mappings: a translation leaves none, and they ask for nothing."""
    if isinstance(value, dict):
        made = {name: tidy(one) for name, one in value.items()}
        return {name: one for name, one in made.items() if one not in ({}, None)}
    return [tidy(one) for one in value] if isinstance(value, list) else value


@needs_kubectl
@settings(
    max_examples=80,
    deadline=None,
    phases=(Phase.explicit, Phase.generate),
    suppress_health_check=list(HealthCheck),
)
@given(objects("Deployment", "one", part=False), operations("Deployment"), st.booleans())
def test_build_of_edits_is_edit_of_build(
    workload: dict[str, Any], patch: list[dict[str, Any]], bare: bool
) -> None:
    workload = workload if bare else full(workload)
    files: dict[str, Any] = {
        "base/kustomization.yaml": "resources: [w.yaml]",
        "base/w.yaml": workload,
        "over/kustomization.yaml": "resources: [../base]\npatches: [{path: p.yaml, target: {kind: .*}}]",
        "over/p.yaml": patch,
    }
    with tempfile.TemporaryDirectory() as folder:
        root = written(Path(folder), files)
        text = build(root / "over")
        path = root / "over" / "p.yaml"
        document = next(iter(documents(Source.from_bytes(str(path), path.read_bytes()))))
        found = [layer for one in bases_of(path, document) for layer in one.layers]
        if text is None or not found:
            event("refused" if text is None else "not known")
            return
        (layer,) = found
        new = keys_in_dialect(layer.base.keys)
        try:
            edits = op_edits(document, edits_of(layer), presence(layer.root, layer.base.keys, new))
            made = apply(document.source.text, edit_document(document, edits))
        except EditError as error:
            event(f"refused: {error.message}")
            return
        json.loads(made)
        event(f"edits: {bool(edits)}")
        path.write_text(made)
        (root / "base" / "w.yaml").write_text(json.dumps(in_dialect(workload)))
        built = build(root / "over")
        assert built is not None, made
        assert tidy(yaml.safe_load(built)) == tidy(in_dialect(yaml.safe_load(text)))
