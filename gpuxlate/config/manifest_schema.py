"""A JSON Schema over Kubernetes manifests: the vendors' keys, and what their data sheets say of them.

It knows nothing else of Kubernetes, so it goes beside the schema of the kind. What a schema can say is
what one container, one pod template or one value shows; the rest is for ``gpuxlate lint``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, groupby
from operator import itemgetter
from typing import Any

from gpuxlate.backends import registry
from gpuxlate.backends.base import Backend
from gpuxlate.config.number_schema import as_integer, as_pattern, as_string
from gpuxlate.manifest.kinds import BUILT_IN_KINDS
from gpuxlate.model import quantity
from gpuxlate.model.keys import KeySpec, LegalNumbers, Per, Place, Range
from gpuxlate.rules.key_index import PLACES_OF_REQUESTS
from gpuxlate.rules.kubernetes import NATIVE_DOMAIN

Schema = dict[str, Any]

POD_TEMPLATES = {kind.kind: kind.templates[0] for kind in BUILT_IN_KINDS}
"""Where the pod template of a usual kind stands."""
NO_PODS = (
    "CustomResourceDefinition",
    "ConfigMap",
    "Secret",
    "GPUShare",
    "Node",
    "ResourceQuota",
    "LimitRange",
)
"""Kinds that hold none, whatever their fields are called."""
EXAMPLE_POD = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "web"},
    "spec": {
        "containers": [
            {
                "name": "web",
                "resources": {"limits": {"gpuxlate.io/cores": 30, "gpuxlate.io/memory-mib": 4096}},
            }
        ]
    },
}
ANY_WHOLE_NUMBER = Range(0)
"""A resource whose data sheet bounds nothing."""


AMOUNT = rf"^\+?({quantity.DECIMAL_DIGITS})({quantity.UNIT_SUFFIX})$"
"""A quantity with a suffix."""


def overlay() -> Schema:
    """The schema, made from the data sheets of the targets that write manifests."""
    backends = registry.pod_backends()
    return {
        "title": "GPU shares in Kubernetes manifests",
        "description": "Checks the keys and values with which vendors share GPUs, and nothing else.",
        "type": "object",
        "properties": {"kind": {"description": "Kind of the object.", "type": "string"}},
        "required": ["kind"],
        "examples": [EXAMPLE_POD],
        "allOf": [*_by_kind()],
        "$defs": _definitions(backends),
    }


def _by_kind() -> Iterator[Schema]:
    for path in dict.fromkeys(POD_TEMPLATES.values()):
        kinds = [kind for kind, template in POD_TEMPLATES.items() if template == path]
        of_kind = {"properties": {"kind": {"enum": kinds}}, "required": ["kind"]}
        yield {"if": of_kind, "then": _at(path, {"$ref": "#/$defs/PodTemplate"})}
    # a List holds objects of any kind, each judged by its own
    yield {
        "if": {"properties": {"kind": {"pattern": "List$"}}, "required": ["kind", "items"]},
        "then": {"properties": {"items": {"items": {"$ref": "#"}}}},
    }
    others = {"properties": {"kind": {"not": {"enum": [*POD_TEMPLATES, *NO_PODS]}}}, "required": ["kind"]}
    no_list = {"not": {"properties": {"kind": {"pattern": "List$"}}}}
    yield {"if": {"allOf": [others, no_list]}, "then": {"$ref": "#/$defs/Anything"}}


def _at(path: tuple[str, ...], schema: Schema) -> Schema:
    for step in reversed(path):
        schema = {"properties": {step: schema}}
    return schema


def _definitions(backends: Iterable[Backend]) -> dict[str, Schema]:
    every_backend = list(backends)
    containers = {
        "description": "Containers of the pod.",
        "type": "array",
        "items": {"$ref": "#/$defs/Container"},
    }
    term = {
        "properties": {"matchExpressions": {"type": "array", "items": {"$ref": "#/$defs/NodeRequirement"}}}
    }
    terms = ("nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution", "nodeSelectorTerms")
    pod_spec = {
        "containers": containers,
        "initContainers": containers,
        "nodeSelector": {"$ref": "#/$defs/NodeSelector"},
        "affinity": {
            "description": "Where the pod may run.",
            **_at(terms, {"type": "array", "items": term}),
        },
    }
    stray = {name: _stray(every_backend, name) for name in ("labels", "annotations")}
    return {
        "Anything": {
            "description": "Whatever holds containers in a kind of its own.",
            "type": ["object", "array", "string", "number", "boolean", "null"],
            "properties": {"resources": {"$ref": "#/$defs/Resources"}},
            "additionalProperties": {"$ref": "#/$defs/Anything"},
            "items": {"$ref": "#/$defs/Anything"},
        },
        "PodTemplate": {
            "description": "Metadata and spec of pods.",
            "properties": {
                "metadata": {
                    "description": "Labels and annotations of the pods.",
                    "properties": {
                        "labels": {"$ref": "#/$defs/Labels"},
                        "annotations": {"$ref": "#/$defs/Annotations"},
                    },
                },
                "spec": {"$ref": "#/$defs/PodSpec"},
                **stray,
            },
        },
        "PodSpec": {"description": "Spec of a pod.", "properties": {**pod_spec, **stray}},
        "Container": {
            "description": "A container.",
            "properties": {"resources": {"$ref": "#/$defs/Resources"}},
        },
        "Resources": _resources(every_backend),
        **{
            name: {
                "type": "object",
                "properties": {"limits": {"type": "object", "anyOf": [{"required": [key]} for key in keys]}},
                "required": ["limits"],
            }
            for name, keys in _groups(every_backend).items()
        },
        "Limits": _place(every_backend, Place.RESOURCE, "What a container asks for.", together=True),
        "Requests": _place(every_backend, Place.RESOURCE, "The same as limits, where it is given at all."),
        "Labels": _place(every_backend, Place.LABEL, "Labels of a pod."),
        "Annotations": _place(every_backend, Place.ANNOTATION, "Annotations of a pod."),
        "NodeSelector": _place(
            every_backend, Place.NODE_SELECTOR, "Labels of the nodes that a pod may run on."
        ),
        "NodeRequirement": _requirement(every_backend),
        "TwoVendors": _never("keys of two vendors: a container asks one vendor for GPUs"),
    }


# --- places ---------------------------------------------------------------------------------------


def _place(backends: list[Backend], place: Place, description: str, *, together: bool = False) -> Schema:
    """A mapping of one place: keys that may stand in it, with their values; all others of a vendor not."""
    properties: dict[str, Schema] = {}
    patterns: dict[str, bool] = {}
    for backend in backends:
        exact = backend.exact_keys
        for name, row in exact.items():
            if name == backend.whole_card_key or row.is_word:
                continue  # every cloud knows it, or anybody may use it
            if row.places == {Place.ENV}:
                continue  # anybody's name, and of no effect in these places
            if _may_stand(row, place):
                properties[name] = _value(backend, row, place)
            elif all(other is backend or name not in other.exact_keys for other in backends):
                properties[name] = _never(f"{name} has no effect here: {row.meaning}")
        for prefix in backend.gpu_prefixes:
            patterns[_unknown(backends, prefix)] = False  # editors then name the key
    schema: Schema = {"description": description, "type": "object"}
    schema |= {"properties": properties, "patternProperties": patterns}
    if together:
        needs = [*_needs(backends)]
        if needs:
            schema["allOf"] = needs
    return schema


def _may_stand(row: KeySpec, place: Place) -> bool:
    """Whether a key may be at a place: keys that schedulers write may, and labels of nodes in selectors."""
    if Place.WRITTEN_BY_SCHEDULER in row.places and place not in PLACES_OF_REQUESTS:
        return True
    return place in row.places or (place is Place.NODE_SELECTOR and Place.NODE in row.places)


def _unknown(backends: Sequence[Backend], prefix: str) -> str:
    """The pattern of names under a GPU prefix that no data sheet holds."""
    rows = (row for backend in backends for row in backend.keys)
    names_after_prefix = list(
        dict.fromkeys(row.name[len(prefix) :] for row in rows if row.name.startswith(prefix))
    )
    patterns_of_others = [f"{_escaped(name)}$".replace(r"\*", "[^/]*") for name in names_after_prefix]
    patterns_of_others += [
        f"{_escaped(name[len(prefix) :])}$" for name in OWN_KEYS if name.startswith(prefix)
    ]
    return f"^{_escaped(prefix)}(?!{'|'.join(patterns_of_others)})"


def _escaped(text: str) -> str:
    """A text as a pattern. ``re.escape`` escapes more than ECMA 262 takes with the flag u."""
    return re.sub(r"[\^$.*+?()\[\]{}|\\]", r"\\\g<0>", text)


OWN_KEYS = ("gpuxlate.io/ignore",)
"""Keys of gpuxlate itself that ask for nothing."""


def _never(message: str) -> Schema:
    """A schema that accepts no value. It uses a type, since editors replace the message of ``not``."""
    wrong = {"type": "null", "enum": ["-"]}
    return {**wrong, "description": message, "errorMessage": message, "doNotSuggest": True}


def _stray(backends: list[Backend], field: str) -> Schema:
    """Labels and annotations outside ``metadata``, where Kubernetes reads none (K8S006)."""
    names = sorted(
        {n for b in backends for n, row in b.exact_keys.items() if row.places & _STEERING and not row.is_word}
    )
    message = f"{field} belong inside metadata"
    return {"description": f"{message}.", "properties": {name: _never(message) for name in names}}


_STEERING = {Place.LABEL, Place.ANNOTATION}


def _needs(backends: list[Backend]) -> Iterator[Schema]:
    """The rules for resources that need another resource beside them."""
    for backend in backends:
        for row in backend.keys:
            if row.needs:
                needed = [{"required": [name]} for name in row.needs]
                yield {"if": {"required": [row.name]}, "then": {"anyOf": needed}}


def _resources(backends: list[Backend]) -> Schema:
    """Limits and requests of one container: in limits too, and of one vendor."""
    groups = _groups(backends)
    rules: list[Schema] = [
        {
            "if": {
                "type": "object",
                "required": ["requests"],
                "properties": {"requests": {"required": [name]}},
            },
            "then": {"required": ["limits"], "properties": {"limits": {"required": [name]}}},
        }
        for group in groups.values()
        for name in group
        if NATIVE_DOMAIN not in name
    ]
    apart = (
        (first, other)
        for first, other in combinations(groups, 2)
        if not _counts_with(backends, groups[first], groups[other])
    )
    for first, others in groupby(apart, key=itemgetter(0)):
        other_groups = {"anyOf": [{"$ref": f"#/$defs/{other}"} for _, other in others]}
        two = {"if": other_groups, "then": {"$ref": "#/$defs/TwoVendors"}}
        rules.append({"if": {"$ref": f"#/$defs/{first}"}, "then": two})
    return {
        "description": "Limits and requests of a container.",
        "properties": {"limits": {"$ref": "#/$defs/Limits"}, "requests": {"$ref": "#/$defs/Requests"}},
        "allOf": rules,
    }


def _groups(backends: list[Backend]) -> dict[str, list[str]]:
    """The resources of one vendor, by the name of the definition for a container that requests some."""
    keys_by_backend = {
        backend.name: [name for name in backend.resource_keys if name != backend.whole_card_key]
        for backend in backends
    }
    common = {b.whole_card_key.replace("/", "-"): [b.whole_card_key] for b in backends if b.whole_card_key}
    # annotations and patterns are no group
    return {f"Requests-{name}": names for name, names in (*keys_by_backend.items(), *common.items()) if names}


def _counts_with(backends: list[Backend], first: list[str], second: list[str]) -> bool:
    """A dialect that has the keys of one group counts its cards with the key of the other (K8S007)."""
    for backend in backends:
        row = backend.find(second[0]) if first[0] in backend.resource_keys else None
        if row is not None and second[0] == backend.whole_card_key:
            return not row.meaning.startswith("whole cards")
    return False


def _requirement(backends: list[Backend]) -> Schema:
    """A match expression on a node label whose values are words."""
    rules = []
    for backend in backends:
        for name, row in backend.exact_keys.items():
            words = list(row.texts)
            if words and _may_stand(row, Place.NODE_SELECTOR):
                chosen = {"properties": {"key": {"const": name}, "operator": {"const": "In"}}}
                values = {"properties": {"values": {"items": {"enum": words}}}}
                rules.append({"if": {**chosen, "required": ["key", "operator"]}, "then": values})
    return {"description": "What a label of nodes has to be.", "allOf": rules}


# --- values ---------------------------------------------------------------------------------------


def _value(backend: Backend, row: KeySpec, place: Place) -> Schema:
    """One value: a whole number, bare or quoted, in limits; a string elsewhere."""
    description = f"{backend.title}: {row.meaning}{f' ({row.unit_text})' if row.unit_text else ''}."
    if Place.WRITTEN_BY_SCHEDULER in row.places:
        return {"description": f"{description} Written by the scheduler.", "doNotSuggest": True}
    if place is Place.RESOURCE:
        ranges = row.ranges or (ANY_WHOLE_NUMBER,)
        counts = (key for key in backend.keys if key.sets == "cards" and row.name not in key.excludes)
        if row.per is Per.TOTAL and row.sets not in (None, "cards") and any(counts):
            ranges = tuple(
                number_range._replace(most=None) for number_range in ranges
            )  # of each card: how many is not here
        return {"description": description, **_number(row, ranges)}
    return {"description": description, **_text(row)}


def _number(row: KeySpec, ranges: Sequence[Range]) -> Schema:
    """Whole numbers, bare or in quotes, in one schema: of several, editors report on the first one."""
    patterns = [as_pattern(number_range) for number_range in ranges] + ([AMOUNT] if row.quantity else [])
    message = f"write {LegalNumbers(tuple(ranges)).text}" if row.ranges else "write a whole number"
    schema: Schema = {"type": ["integer", "string"], "pattern": "|".join(patterns), "errorMessage": message}
    bare = [
        {name: value for name, value in as_integer(number_range).items() if name != "type"}
        for number_range in ranges
    ]
    if len(bare) == 1:
        return schema | bare[0]
    return schema | {"if": {"type": "integer"}, "then": {"anyOf": bare}}


def _text(row: KeySpec) -> Schema:
    words = list(row.texts)
    if words:
        return {"type": "string", "enum": words}
    patterns = [pattern.pattern for pattern in row.values if isinstance(pattern, re.Pattern)]
    if patterns:
        return {"type": "string", "pattern": f"^({'|'.join(patterns)})$"}
    ranges = [as_string(number_range) for number_range in row.values if isinstance(number_range, Range)]
    return ranges[0] if ranges else {"type": "string"}
