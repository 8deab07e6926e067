"""JSON Schemas of what gpuxlate prints: ``gpuxlate-diagnostics/v1`` and ``gpuxlate-report/v1``.

Written by hand. They name what a reader can count on; within v1 fields may be added.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gpuxlate.model.parts import Strategy
from gpuxlate.model.share import JSON_NAMES, Isolation, Policy, Qos

Schema = dict[str, Any]


def object_of(
    description: str, properties: Mapping[str, Schema], sometimes: Mapping[str, Schema] | None = None
) -> Schema:
    """A mapping in which every field is always there, but for those that are ``sometimes``."""
    return {
        "type": "object",
        "description": description,
        "required": list(properties),
        "properties": {**properties, **(sometimes or {})},
    }


def a(kind: str | list[str], description: str, **more: Any) -> Schema:
    return {"type": kind, "description": description, **more}


def list_of(items: Schema, description: str) -> Schema:
    return {"type": "array", "description": description, "items": items}


def or_null(schema: Schema) -> Schema:
    return {"anyOf": [schema, {"type": "null"}]}


def count(description: str) -> Schema:
    return a("integer", description, minimum=0)


def place(description: str) -> Schema:
    return a(["integer", "null"], description, minimum=1)


_CODE = a("string", "Code of the rule.", pattern="^[A-Z][A-Z0-9]*[0-9]{3}$", examples=["TKE002"])
_FILE = a(["string", "null"], "The file as it was given; <stdin> for standard input.")
_DOCUMENT = a(["integer", "null"], "Document in the file, from 0.", minimum=0)

_REF = object_of(
    "The Kubernetes object that the document holds.",
    {
        "apiVersion": a(["string", "null"], "apiVersion of the object."),
        "kind": a(["string", "null"], "kind of the object."),
        "namespace": a(["string", "null"], "metadata.namespace of the object."),
        "name": a(["string", "null"], "metadata.name of the object."),
    },
)

_DIAGNOSTIC = object_of(
    "One finding.",
    {
        "code": _CODE,
        "severity": {"enum": ["error", "warning", "info"], "description": "How bad it is."},
        "message": a("string", "What is wrong."),
        "hint": a(["string", "null"], "What to write instead."),
        "file": _FILE,
        "document": _DOCUMENT,
        "line": place("First line of the offending key or value, from 1."),
        "column": place("Its first column, from 1, in characters."),
        "endLine": place("Its last line, from 1."),
        "endColumn": place("The column after its last character, from 1."),
        "path": list_of({"type": ["string", "integer"]}, "Keys and indices from the root of the document."),
        "object": or_null({"$ref": "#/$defs/ObjectRef"}),
        "fix": or_null(
            object_of(
                "What lint --fix (safe) or --unsafe-fixes would do.",
                {
                    "safe": a("boolean", "The fix keeps what was meant."),
                    "title": a("string", "What it does."),
                },
            )
        ),
        "url": a("string", "Where the rule is explained.", format="uri"),
    },
)

_SKIPPED = object_of(
    "A file that was not looked at.",
    {"file": a("string", "The file."), "reason": a("string", "Why.", examples=["Helm template"])},
)

DIAGNOSTICS: Schema = {
    "title": "Diagnostics of gpuxlate",
    **object_of(
        "What lint --format json prints.",
        {
            "format": {"const": "gpuxlate-diagnostics/v1", "description": "Name and version of this format."},
            "diagnostics": list_of(
                {"$ref": "#/$defs/Diagnostic"}, "Every finding, in the order of the files."
            ),
            "summary": object_of(
                "Counts of the run.",
                {
                    "files": count("Files read."),
                    "documents": count("Documents in them."),
                    "shares": count("Shares found."),
                    "errors": count("Findings of severity error."),
                    "warnings": count("Findings of severity warning."),
                    "infos": count("Findings of severity info."),
                    "suppressed": count("Findings that an ignore kept back."),
                    "skipped": list_of(
                        {"$ref": "#/$defs/Skipped"}, "Files that were not looked at, and why."
                    ),
                },
            ),
        },
    ),
    "$defs": {"Diagnostic": _DIAGNOSTIC, "ObjectRef": _REF, "Skipped": _SKIPPED},
}

_VERDICTS = ("exact", "rounded", "filled", "dropped", "refused")

_FIELD = {"enum": [*JSON_NAMES.values(), "selector"], "description": "Field of the share, or selector."}
_AMOUNT = ["integer", "string", "null"]


def _one_of(values: type[Policy] | type[Qos], description: str) -> Schema:
    return {"enum": [*map(str, values), None], "description": description}


_SHARE = object_of(
    "The share as it was asked. Numbers are totals over the cards.",
    {
        "cards": a(
            ["integer", "null"],
            "Physical cards; null: a partition or replica has no number.",
            minimum=1,
        ),
        "cores": a(["integer", "null"], "Compute in percent of one card; null: not capped.", minimum=1),
        "memoryMiB": a(["integer", "null"], "GPU memory in MiB; null: all of the cards.", minimum=1),
        "policy": _one_of(Policy, "How compute is divided; null: whatever the cluster does."),
        "qos": _one_of(Qos, "Colocation class; null: none."),
    },
    {
        "memoryPercent": a(
            "integer",
            "Memory in percent of each card, where it is said so.",
            minimum=1,
            maximum=99,
        ),
        "memoryLimitMiB": a("integer", "How far memory may burst, in MiB, where it is said so.", minimum=2),
        "device": object_of(
            "Which cards will do, where it is said so.",
            {},
            {
                "vendor": a("string", "Who makes the cards."),
                "models": {
                    "type": "array",
                    "items": {"type": "string"},
                    "description": "Card models, one of them.",
                },
            },
        ),
        "isolation": {
            "enum": [*map(str, Isolation)],
            "description": "The least acceptable isolation, where it is said so.",
        },
        "partition": object_of(
            "Hardware partitions of a card, where the share is said so.",
            {"profile": a("string", "Name of the partition.", examples=["1g.10gb"])},
            {"count": a("integer", "Instances, where there is more than one.", minimum=2)},
        ),
        "replica": object_of(
            "Clients of a card that others use too, where the share is said so.",
            {},
            {
                "of": a("integer", "How many clients the card has; absent: the nodes know.", minimum=2),
                "strategy": {"enum": [*map(str, Strategy)], "description": "How they share the card."},
                "count": a("integer", "How many of the clients.", minimum=1),
            },
        ),
    },
)

_DERIVED = object_of(
    "What the partitions or replicas of a share amount to, as asked, or as the target gives them in place of "
    "numbers; absent where nothing says it.",
    {
        "cores": a(["integer", "null"], "Compute in percent of one card, in total; null: not known."),
        "memoryMiB": a(["integer", "null"], "GPU memory in MiB, in total; null: not known."),
        "card": a("string", "The card and the part of it that the numbers are those of."),
        "source": a("string", "The documents of that row of the catalogue of cards, or the profile."),
        "certain": a(
            "boolean",
            "The numbers are measured and the same for every card that may be meant; else no part has more.",
        ),
    },
)

_CHANGE = object_of(
    "A field and what became of it.",
    {
        "field": _FIELD,
        "asked": a(_AMOUNT, "What the share says."),
        "given": a(_AMOUNT, "What the target gets; null: nothing."),
        "code": _CODE,
    },
)

_FILLED = object_of(
    "A field that the share leaves open and the target needs.",
    {"field": _FIELD, "given": a(_AMOUNT, "What the target gets; null where nothing was said.")},
)

_ITEM = object_of(
    "One share and what became of it at one target.",
    {
        "file": _FILE,
        "document": _DOCUMENT,
        "object": or_null({"$ref": "#/$defs/ObjectRef"}),
        "container": a(["string", "null"], "The container that the share is put on."),
        "from": a(["string", "null"], "The target that the share was read from; null: a GPUShare document."),
        "to": a("string", "The target."),
        "verdict": {"enum": list(_VERDICTS), "description": "The last that applies, in this order."},
        "share": or_null({"$ref": "#/$defs/Share"}),
        "changes": list_of({"$ref": "#/$defs/Change"}, "Values off the target's grid."),
        "filled": list_of({"$ref": "#/$defs/Filled"}, "Fields that were open."),
        "dropped": list_of({"$ref": "#/$defs/Change"}, "Fields that have no place at the target."),
        "diagnostics": list_of({"$ref": "#/$defs/Diagnostic"}, "Findings on this share."),
    },
    {
        "derived": {"$ref": "#/$defs/Derived"},
        "kustomization": a("string", "The folder of the kustomization, where one builds the object."),
    },
)

_LEFTOVER = object_of(
    "A place where something of the source is left behind.",
    {
        "file": _FILE,
        "line": place("Line of the key, from 1."),
        "column": place("Its column, from 1, in characters."),
        "key": a("string", "The key."),
        "code": _CODE,
        "message": a("string", "Why it is left."),
        "hint": a(["string", "null"], "What to do."),
    },
)

_NUMBER = ["number", "null"]
_QUOTA = object_of(
    "An amount of a resource in a quota, a range of limits or a queue, and what became of it.",
    {
        "file": _FILE,
        "document": _DOCUMENT,
        "line": place("Line of the amount, from 1."),
        "column": place("Its column, from 1, in characters."),
        "object": or_null({"$ref": "#/$defs/ObjectRef"}),
        "place": a("string", "Where it is in the object.", examples=["spec.hard", "spec.limits[0].max"]),
        "key": a("string", "The resource as it is written, with its prefix."),
        "value": a("string", "The amount as it is written."),
        "from": a("string", "The target that it was read from."),
        "field": {
            "enum": ["cards", "cores", "memoryMiB", "memoryPercent", None],
            "description": "What it counts, as in a share; null: no share says it.",
        },
        "amount": a(_NUMBER, "Cards, percent or MiB; null where it is not known."),
        "perCard": a(["boolean", "null"], "It counts each card, and is no total over the cards."),
        "perContainer": a("boolean", "It is an amount of one container, not of all together."),
        "to": a("string", "The target."),
        "verdict": {
            "enum": ["exact", "rounded", "left"],
            "description": "Whether the target has a number for it: the same, a larger one, or none.",
        },
        "given": a(_NUMBER, "Cards, percent or MiB at the target; null: it is left."),
        "newKey": a(["string", "null"], "The resource of the target."),
        "newValue": a(["string", "null"], "Its number."),
    },
)

REPORT: Schema = {
    "title": "Report of gpuxlate",
    **object_of(
        "What --report of translate and render writes, and assess -o json prints.",
        {
            "format": {"const": "gpuxlate-report/v1", "description": "Name and version of this format."},
            "items": list_of({"$ref": "#/$defs/Item"}, "Every share, once for each target."),
            "summary": object_of(
                "How many shares ended in each way.",
                {one: count(f"Shares that are {one}.") for one in _VERDICTS},
            ),
        },
        {
            "quotas": list_of({"$ref": "#/$defs/Quota"}, "Every amount of a quota that is read."),
            "leftovers": list_of({"$ref": "#/$defs/Leftover"}, "Every place that is left behind."),
        },
    ),
    "$defs": {
        "Item": _ITEM,
        "Leftover": _LEFTOVER,
        "Quota": _QUOTA,
        "Share": _SHARE,
        "Change": _CHANGE,
        "Derived": _DERIVED,
        "Filled": _FILLED,
        "Diagnostic": _DIAGNOSTIC,
        "ObjectRef": _REF,
    },
}
