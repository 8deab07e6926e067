"""JSON Schemas of what gpuxlate prints, such as ``gpuxlate-diagnostics/v1`` and ``gpuxlate-report/v1``.

Written by hand. They name what a reader can count on; within v1 fields may be added.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gpuxlate.model.share import JSON_NAMES, Isolation, Policy, Qos, Strategy

if TYPE_CHECKING:
    from pydantic import BaseModel

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
    "A place where something of the source is not translated.",
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
            "leftovers": list_of({"$ref": "#/$defs/Leftover"}, "Every place that is not translated."),
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

# JSON Schema of ``gpuxlate-plan/v1``, written by hand. Within v1 fields may be added.
_ON_CARD = {
    "cores": count("Compute in percent of one card."),
    "memoryMiB": count("Memory in MiB."),
}
_HELD = object_of(
    "One container on a card.",
    {
        "workload": a("string", "Namespace, kind and name of the object."),
        "container": a("string", "The container."),
        "part": a(["string", "null"], "The part of a card that it is; null for numbers."),
        **_ON_CARD,
        "whole": a("boolean", "It has the whole card."),
    },
    {"init": a("boolean", "It ends before the containers start: the card has room for the larger of both.")},
)
_CARD = object_of(
    "One card and what is on it.", {**_ON_CARD, "held": list_of(_HELD, "The containers on the card.")}
)
_USE = object_of(
    "One number of all cards that run something.",
    {
        "there": count("What they have."),
        "taken": count("What is requested of it."),
        "stranded": count("Free on cards where no share of the fleet fits any more."),
    },
)
_VALUE = object_of(
    "A value that the target rounds, in total over the cards of a share.",
    {
        "field": a("string", "Field of the share."),
        "asked": a(["integer", "string", "null"], "What was asked."),
        "given": a(["integer", "string", "null"], "What is given; null: whole cards."),
        "shares": count("Shares with this value."),
    },
)
_BETTER = object_of(
    "One value that packs better, of each card.",
    {
        "workload": a("string", "Namespace, kind and name of the object."),
        "container": a("string", "The container."),
        "field": a("string", "Field of the share."),
        "value": count("The value to write."),
        "insteadOf": count("The value now."),
        "perCard": count("Shares of this size on one card."),
        "perCardBefore": count("The same with the value now."),
        "cardsSaved": count("Cards that the fleet needs less."),
    },
)
_NOWHERE = object_of(
    "Pods that are not packed.",
    {
        "workload": a("string", "Namespace, kind and name of the object."),
        "file": a("string", "The file."),
        "pods": count("How many."),
        "reason": a("string", "Why."),
    },
)
_SCHEDULED = object_of(
    "What its scheduler makes of the pods, one at a time in the order of the manifests. With --as scheduled.",
    {
        "nodes": count(
            "Nodes that the cluster needs: those of the packing, and what is added for pods that wait."
        ),
        "waiting": list_of(
            object_of(
                "Pods that wait on the nodes of the packing.",
                {
                    "workload": a("string", "Namespace, kind and name of the object."),
                    "file": a("string", "The file."),
                    "pods": count("How many."),
                },
            ),
            "What waits.",
        ),
        "waitingLargestFirst": count("Pods that wait where the largest are applied first."),
        "picksNode": a("string", "Of the nodes with room, which one.", examples=["spread", "fewest pods"]),
        "picksCard": a("string", "Of the cards with room, which one.", examples=["binpack", "first"]),
        "source": a(
            ["string", "null"], "The document that says how it picks; null: none, as kube-scheduler."
        ),
        "remarks": list_of({"type": "string"}, "What comes of it, in sentences."),
    },
)
_TARGET = object_of(
    "One target.",
    {
        "target": a("string", "Name of the target."),
        "node": object_of(
            "The nodes, by the profile.",
            {
                "model": a(["string", "null"], "Card model."),
                "cards": a("integer", "Cards of a node.", minimum=1),
                "memoryMiB": a("integer", "MiB of a card.", minimum=1),
                "usableMiB": count("MiB of a card in whole units of the target."),
                "sharesPerCard": a(
                    ["integer", "null"], "The most shares on a card; null: no document has one."
                ),
            },
        ),
        "pods": count("Pods that are packed."),
        "shares": count("Containers with a share that are packed."),
        "cards": count("Cards that run something."),
        "nodes": count("Nodes."),
        "lowerBound": object_of(
            "No packing has fewer.", {"cards": count("Cards."), "nodes": count("Nodes.")}
        ),
        "proved": a("boolean", "No packing has fewer nodes, nor fewer cards on so many nodes."),
        "binds": a(["string", "null"], "What the bound on cards follows from.", examples=["memory"]),
        "use": object_of("Compute in percent of a card, and memory.", {"cores": _USE, "memoryMiB": _USE}),
        "rounding": object_of(
            "What the target rounds.",
            {"cards": count("Cards that only rounding needs."), "values": list_of(_VALUE, "The values.")},
        ),
        "better": list_of(_BETTER, "Values that pack better, each alone."),
        "refused": list_of({"$ref": "#/$defs/Item"}, "Shares that are not packed."),
        "nowhere": list_of(_NOWHERE, "Pods that fit no empty node, or of which nothing says how many fit."),
        "remarks": list_of({"type": "string"}, "What the numbers mean, in sentences."),
        "leftovers": list_of({"$ref": "#/$defs/Leftover"}, "What is not translated of the source."),
        "unclear": list_of({"type": "string"}, "Workloads whose number of pods depends on the cluster."),
        "layout": list_of(
            object_of("One node.", {"cards": list_of({"$ref": "#/$defs/Card"}, "Its cards.")}), "The nodes."
        ),
    },
    {"scheduled": _SCHEDULED},
)
PLAN: Schema = {
    "title": "Plan of gpuxlate",
    **object_of(
        "What plan -o json prints.",
        {
            "format": {"const": "gpuxlate-plan/v1", "description": "Name and version of this format."},
            "targets": list_of({"$ref": "#/$defs/Target"}, "The targets, in the order of --to."),
            "before": list_of(
                {"$ref": "#/$defs/Target"},
                "The same shares in the dialects they are written for, by profile.",
            ),
            "uncounted": list_of(
                object_of(
                    "Whole cards of no dialect, which are not in the plan.",
                    {
                        "file": or_null(a("string", "The file.")),
                        "line": place("Line, from 1."),
                        "message": a("string", "What they are."),
                    },
                ),
                "What is not counted.",
            ),
        },
    ),
    "$defs": {**REPORT["$defs"], "Target": _TARGET, "Card": _CARD},
}

# JSON Schemas of ``gpuxlate-sync/v1`` and of its lock, written by hand. Within v1 fields may be added.
_PATHS = {"type": "string"}
SYNC: Schema = {
    "title": "Result of gpuxlate sync",
    **object_of(
        "What sync -o json prints, on a refusal too.",
        {
            "format": {"const": "gpuxlate-sync/v1", "description": "Name and version of this format."},
            "targets": list_of({"$ref": "#/$defs/Target"}, "The targets, in the order of the configuration."),
        },
    ),
    "$defs": {
        "Diagnostic": _DIAGNOSTIC,
        "ObjectRef": _REF,
        "Target": object_of(
            "One target and its folder. Paths are from there.",
            {
                "target": a("string", "Name of the target."),
                "dir": a("string", "Its folder, as the configuration has it."),
                "written": list_of(_PATHS, "Files that are written, or would be with --check and --diff."),
                "removed": list_of(_PATHS, "Files that go, since their source is gone."),
                "unchanged": list_of(_PATHS, "Files that are in step."),
                "refused": a("boolean", "Nothing of it is written: a loss, a conflict or a change by hand."),
            },
            {
                "changedByHand": list_of(_PATHS, "Files that somebody changed since sync wrote them."),
                "conflicts": list_of({"type": "string"}, "What stands in the way, in sentences."),
                "diagnostics": list_of({"$ref": "#/$defs/Diagnostic"}, "The errors of its translation."),
            },
        ),
    },
}
_SHA256 = a(
    "string",
    "SHA-256 of the file as it was written; of a link, of what it leads to.",
    pattern="^[0-9a-f]{64}$",
)
SYNC_LOCK: Schema = {
    "title": "Lock of a folder of gpuxlate sync",
    **object_of(
        "What sync wrote into the folder: it changes and removes nothing else.",
        {
            "format": {"const": "gpuxlate-sync-lock/v1", "description": "Name and version of this format."},
            "target": a("string", "Name of the target."),
            "source": a("string", "Folder of the source, from that of the configuration."),
            "files": {
                "type": "object",
                "description": "The files by their paths from this folder.",
                "additionalProperties": {"$ref": "#/$defs/File"},
            },
        },
        {"options": a("string", "Of all that the texts of all files depend on, decisions among them.")},
    ),
    "$defs": {
        "File": object_of(
            "One file.",
            {"source": a("string", "The file of the source."), "sha256": _SHA256},
            {
                "link": a("boolean", "It is a symbolic link."),
                "before": _SHA256
                | {"description": "SHA-256 of what it replaces; in the lock of a run that has not ended."},
                "made": a(
                    "string",
                    "Of all that its text alone depends on: with the same, it is not translated again.",
                ),
            },
        )
    },
}

# What the commands print that only look: shares, rules, targets, nodes, cost. Closed lists of words are taken
# from where they are declared, which is imported when a schema is wanted. Within v1 fields may be added.
_DEFS: dict[str, Schema] = REPORT["$defs"]
_OF_REPORT = _DEFS["Item"]["properties"]
_OF_FINDING = _DEFS["Diagnostic"]["properties"]
_TEXT = ["string", "null"]
_NAME = a("string", "Name of the share.")
_TARGET = a("string", "The target.")


def _words(words: Any, description: str) -> Schema:
    return {"enum": [*map(str, words)], "description": description}


def _printed(
    name: str,
    title: str,
    about: str,
    properties: dict[str, Schema],
    *named: str,
    sometimes: dict[str, Schema] | None = None,
    **defs: Schema,
) -> Schema:
    """The schema of ``gpuxlate-NAME/v1``; ``named``: definitions of the report that it has too."""
    form = {"const": f"gpuxlate-{name}/v1", "description": "Name and version of this format."}
    definitions = {**{one: _DEFS[one] for one in named}, **defs}
    whole = {"title": title, **object_of(about, {"format": form, **properties}, sometimes)}
    return {**whole, "$defs": definitions} if definitions else whole


# --- what is there ----------------------------------------------------------------------------------
def _shares() -> Schema:
    document = {name: one for name, one in schema("spec").items() if name[0] != "$"}
    return _printed(
        "shares",
        "Shares of gpuxlate",
        "What parse -o json prints.",
        {"items": list_of({"$ref": "#/$defs/Document"}, "A GPUShare document for each share.")},
        Document=document,
        **schema("spec").get("$defs", {}),
    )


_SUMS = object_of(
    "The shares of one target, over all replicas; what parts of cards amount to is in no sum.",
    {
        "pods": count("Pods."),
        "cards": count("Cards that are shared."),
        "wholeCards": count("Whole cards."),
        "cores": count("Compute in percent of one card."),
        "memoryMiB": count("GPU memory in MiB."),
    },
    {"parts": count("Partitions and replicas of cards.")},
)


def _inspect() -> Schema:
    item = object_of(
        "One share.",
        {
            "file": _OF_REPORT["file"],
            "kind": a("string", "kind of the object; empty where it has none."),
            "namespace": a(_TEXT, "metadata.namespace of the object."),
            "name": a("string", "metadata.name of the object; empty where it has none."),
            "container": _OF_REPORT["container"],
            "target": a("string", "The target that the share is of."),
            "share": or_null({"$ref": "#/$defs/Share"}),
            "wholeCards": a(["boolean", "null"], "It is of whole cards; null: the share is not known."),
            "replicas": a(["integer", "null"], "How many of the pod; null: one for each node.", minimum=0),
        },
        {
            "init": a("boolean", "Its container ends before the others start."),
            "kustomization": _OF_REPORT["kustomization"],
            "sharedWith": list_of({"type": "string"}, "Other containers that use the same claim."),
            "oneClaim": a("boolean", "All replicas use one claim."),
            "derived": {"$ref": "#/$defs/Derived"},
        },
    )
    read = _DEFS["Quota"]["properties"]
    of_target = ("to", "verdict", "given", "newKey", "newValue")
    quota = object_of(
        "An amount of a resource in a quota, a range of limits or a queue.",
        {name: one for name, one in read.items() if name not in of_target},
    )
    sums = {
        "type": "object",
        "description": "The sums by target.",
        "additionalProperties": {"$ref": "#/$defs/Sums"},
    }
    return _printed(
        "inspect",
        "Shares and totals of gpuxlate",
        "What inspect -o json prints.",
        {
            "items": list_of({"$ref": "#/$defs/Item"}, "Every share."),
            "totals": sums,
            "quotas": list_of({"$ref": "#/$defs/Quota"}, "Every amount of a quota that is read."),
            "leftovers": list_of({"$ref": "#/$defs/Leftover"}, "Every place that is not counted."),
        },
        "Share",
        "Derived",
        "Leftover",
        "ObjectRef",
        Item=item,
        Quota=quota,
        Sums=_SUMS,
    )


# --- what is known ----------------------------------------------------------------------------------
def _rules() -> Schema:
    from gpuxlate.model.diagnostics import Severity
    from gpuxlate.rules.base import Scope

    rule = object_of(
        "One rule.",
        {
            "code": _OF_FINDING["code"],
            "name": a("string", "What the rule requires, in words with dashes."),
            "severity": _words(Severity, "How bad a finding is."),
            "scope": _words(Scope, "What the rule looks at."),
            "fix": {"enum": ["safe", "unsafe", None], "description": "The kind of its fix; null: none."},
            "summary": a("string", "What the rule requires, in a sentence."),
            "sections": {
                "type": "object",
                "description": "The sections of its page by title.",
                "additionalProperties": {"type": "string"},
            },
        },
    )
    every = {"rules": list_of({"$ref": "#/$defs/Rule"}, "The rules that were asked for.")}
    return _printed("rules", "Rules of gpuxlate", "What rules -o json prints.", every, Rule=rule)


def _targets() -> Schema:
    from gpuxlate.model.keys import Place

    fields = {
        name: a(_TEXT, "How it is represented; null: it is not supported.") for name in JSON_NAMES.values()
    }
    key = object_of(
        "One key of a target.",
        {
            "name": a("string", "The key."),
            "places": list_of(_words([*Place, "parameter"], "Where a key stands."), "Where it may stand."),
            "meaning": a("string", "What it sets."),
            "unit": a(_TEXT, "What its number counts; null: it has none."),
            "source": a(_TEXT, "The document that says so; null: that of the target."),
        },
    )
    target = object_of(
        "One target.",
        {
            "name": a("string", "Name of the target."),
            "aliases": list_of({"type": "string"}, "Other names that are taken for it."),
            "title": a("string", "The product."),
            "readOnly": a("boolean", "It is read, and not written."),
            "fields": object_of("The fields of a share.", fields),
            "keys": list_of({"$ref": "#/$defs/Key"}, "Its keys."),
        },
    )
    every = {"targets": list_of({"$ref": "#/$defs/Target"}, "Every target.")}
    about = "What targets -o json prints."
    return _printed("targets", "Targets of gpuxlate", about, every, Target=target, Key=key)


# --- what becomes of a share ------------------------------------------------------------------------
def _compare() -> Schema:
    finding = {name: _OF_FINDING[name] for name in ("code", "severity", "message", "hint")}
    at_target = object_of(
        "The share at one target.",
        {
            "target": _TARGET,
            "verdict": _OF_REPORT["verdict"],
            "accepted": a("boolean", "Nothing refuses it: all that changes was accepted."),
            "keys": {
                "type": "object",
                "description": "What the manifest has, by key; empty where the share is refused.",
                "additionalProperties": {"type": "string"},
            },
            "changes": list_of({"$ref": "#/$defs/Change"}, "Values off the target's grid."),
            "diagnostics": list_of(object_of("One finding.", finding), "Findings on the share."),
        },
    )
    item = object_of(
        "One share.",
        {"name": _NAME, "targets": list_of({"$ref": "#/$defs/AtTarget"}, "The share at each target.")},
        {"derived": {"$ref": "#/$defs/Derived"}},
    )
    return _printed(
        "compare",
        "Comparison of gpuxlate",
        "What compare -o json prints.",
        {"items": list_of({"$ref": "#/$defs/Item"}, "Every share.")},
        "Change",
        "Derived",
        Item=item,
        AtTarget=at_target,
    )


def _nodepool() -> Schema:
    from gpuxlate.backends.requirements import RequirementState, Setter
    from gpuxlate.model.diagnostics import Severity

    source = {"$ref": "#/$defs/Source"}
    label = object_of(
        "One label of the nodes.",
        {
            "key": a("string", "The label."),
            "value": a(_TEXT, "Its value; null: any."),
            "setBy": _words(Setter, "Who sets it."),
            "note": a(_TEXT, "What else is to know."),
            "source": source,
        },
    )
    need = object_of(
        "One prerequisite.",
        {
            "what": a("string", "What is needed, such as a component."),
            "wanted": a("string", "What it has to be."),
            "when": a(_TEXT, "When it is needed; null: always."),
            "severity": _words(Severity, "How bad it is where it is not met."),
            "fact": a("string", "What the document says."),
            "source": source,
        },
        {
            "state": _words(RequirementState, "Whether the profile meets it. With --check."),
            "found": a(_TEXT, "The value of the profile; null: it has none. With --check."),
        },
    )
    remark = object_of("One remark.", {"text": a("string", "What to know."), "source": source})
    item = object_of(
        "The nodes for one share.",
        {
            "name": _NAME,
            "share": {"$ref": "#/$defs/Share"},
            "labels": list_of({"$ref": "#/$defs/Label"}, "Labels of the nodes."),
            "remarks": list_of({"$ref": "#/$defs/Remark"}, "What to know."),
            "warnings": list_of({"$ref": "#/$defs/Remark"}, "What may go wrong."),
            "requirements": list_of({"$ref": "#/$defs/Requirement"}, "Prerequisites."),
        },
        {"documents": list_of({"type": "object"}, "Objects to apply to the cluster.")},
    )
    cited = object_of(
        "The document of a vendor.",
        {"title": a("string", "Its title."), "date": a(_TEXT, "Its date; null: it has none.")},
    )
    form: Schema = {"const": "gpuxlate-nodepool/v1", "description": "Name and version of this format."}
    at_target = object_of(
        "The nodes at one target.",
        {
            "format": form,
            "target": _TARGET,
            "items": list_of({"$ref": "#/$defs/Item"}, "The nodes for each share."),
        },
    )
    one = _printed(
        "nodepool",
        "Nodes of gpuxlate",
        "What nodepool -o json prints.",
        {},
        "Share",
        Item=item,
        Label=label,
        Remark=remark,
        Requirement=need,
        Source=cited,
        Target=at_target,
    )
    form = {"enum": ["gpuxlate-nodepool/v1", "gpuxlate-results/v1"], "description": _OF_SEVERAL}
    properties = {
        **at_target["properties"],
        "format": form,
        "targets": list_of({"$ref": "#/$defs/Target"}, "Several targets, in place of target and items."),
    }
    apart = [{"required": ["target", "items"]}, {"required": ["targets"]}]
    return {**one, "properties": properties, "anyOf": apart}


_OF_SEVERAL = "Name and version of this format; gpuxlate-results/v1 where several targets are asked for."


def _cost() -> Schema:
    from gpuxlate.backends.billing import Decides

    number = {"$ref": "#/$defs/Number"}
    share = object_of(
        "The share as the formula has it.",
        {
            "compute": number,
            "memory": number,
            "billed": number,
            "decides": _words(Decides, "Which of both the price follows."),
        },
    )
    pods = object_of(
        "The pods of one role.",
        {
            "role": a("string", "What they are in the job."),
            "count": count("How many."),
            "gpuHoursEach": number,
            "gpuHours": number,
        },
    )
    even = object_of(
        "Up to where the other part of a card costs nothing more.",
        {
            "memoryMiB": number,
            "freeMemoryMiB": a("integer", "Memory that costs nothing more, in MiB."),
            "cores": number,
            "freeCores": a("integer", "Compute that costs nothing more, in percent of one card."),
        },
    )
    item = object_of(
        "One share.",
        {
            "name": _NAME,
            "cores": count("Compute in percent of one card."),
            "memoryMiB": count("GPU memory in MiB."),
            "share": share,
            "pods": list_of({"$ref": "#/$defs/Pods"}, "Its pods by role."),
            "gpuHours": number,
            "breakEven": even,
        },
    )
    card = object_of(
        "The card.",
        {
            "name": a(_TEXT, "Its name; null: it was given in numbers."),
            "units": number,
            "memoryMiB": count("Its memory in MiB."),
        },
    )
    exact = object_of(
        "A number.",
        {
            "exact": a("string", "As a fraction.", examples=["1/3"]),
            "decimal": a("number", "Rounded to six places."),
        },
    )
    return _printed(
        "cost",
        "Cost of gpuxlate",
        "What cost -o json prints.",
        {
            "target": _TARGET,
            "billing": a("string", "The billing plan."),
            "card": card,
            "hours": number,
            "items": list_of({"$ref": "#/$defs/Item"}, "Every share."),
            "gpuHours": number,
        },
        Item=item,
        Pods=pods,
        Number=exact,
    )


def _verify() -> Schema:
    number = a(["number", "null"], "Memory in MiB; null: it is not known.")
    card = object_of(
        "One card that nvidia-smi printed.",
        {
            "index": a("integer", "Its index.", minimum=0),
            "name": a(_TEXT, "Its name; null: nvidia-smi did not print it."),
            "askedMiB": {**number, "description": "The memory of the request; null: all of the card."},
            "expectedMiB": {**number, "description": "What the target makes of it; null: it is not known."},
            "foundMiB": {**number, "description": "What the card has for the container."},
            "usedMiB": {**number, "description": "What of it is in use; null: nvidia-smi did not print it."},
            "within": a(["boolean", "null"], "It is within the bounds; null: there are none."),
        },
    )
    bounds = object_of(
        "From where to where the memory of a card is right.",
        {"leastMiB": a("number", "The least."), "mostMiB": a("number", "The most.")},
    )
    return _printed(
        "verify",
        "Verification of gpuxlate",
        "What verify -o json prints.",
        {
            "name": _NAME,
            "target": a(_TEXT, "The target that the container runs at; null: it was not named."),
            "match": a("boolean", "The cards are as requested."),
            "cardsAsked": count("Cards of the share."),
            "cardsFound": count("Cards that were printed."),
            "bounds": or_null(bounds),
            "cards": list_of({"$ref": "#/$defs/Card"}, "Every card."),
            "problems": list_of({"type": "string"}, "What is not as requested."),
            "notes": list_of({"type": "string"}, "What could not be checked."),
        },
        Card=card,
    )


PRINTED = {
    "shares": _shares,
    "rules": _rules,
    "targets": _targets,
    "compare": _compare,
    "inspect": _inspect,
    "nodepool": _nodepool,
    "cost": _cost,
    "verify": _verify,
}

# JSON Schemas (draft 2020-12) of everything that gpuxlate reads of its own and prints for programs.
# ``python -m gpuxlate.cli.schemas [FOLDER]`` refreshes ``schemas/``.
VERSIONS = {
    "spec": "v1alpha1",
    "config": "v1alpha1",
    "profile": "v1alpha1",
    "diagnostics": "v1",
    "report": "v1",
    "plan": "v1",
    "shares": "v1",
    "rules": "v1",
    "targets": "v1",
    "compare": "v1",
    "inspect": "v1",
    "nodepool": "v1",
    "cost": "v1",
    "verify": "v1",
    "catalogue": "v1alpha1",
    "decisions": "v1alpha1",
    "sync": "v1",
    "sync-lock": "v1",
    "kubernetes-overlay": "v1",
}
"""The kinds of schema, and the version of each."""
KEYWORDS = (
    *("title", "description", "$ref", "type", "const", "enum", "default", "examples"),
    *("minimum", "maximum", "minLength", "maxLength", "pattern", "minItems", "items"),
    *("additionalProperties", "propertyNames", "required", "properties", "anyOf", "allOf", "$defs"),
)
"""The order of keywords in a schema."""
DIALECT = "https://json-schema.org/draft/2020-12/schema"


def schema_url(kind: str) -> str:
    """Where the schema of a kind is published: its ``$id``."""
    return f"https://gpuxlate.io/schemas/{kind}.{VERSIONS[kind]}.json"


def editor_line(kind: str) -> str:
    """The first line of a document, which names its schema for editors."""
    return f"# yaml-language-server: $schema={schema_url(kind)}\n"


def schema(kind: str) -> dict[str, Any]:
    """The schema of a kind, one of VERSIONS."""
    body = _body(kind)
    definitions = body.pop("$defs", {})
    whole = {
        "$schema": DIALECT,
        "$id": schema_url(kind),
        "title": body.pop("title"),
        "description": body.pop("description"),
        **body,
    }
    return {**whole, "$defs": definitions} if definitions else whole


def _body(kind: str) -> dict[str, Any]:
    if kind in ("diagnostics", "report"):
        return dict(DIAGNOSTICS if kind == "diagnostics" else REPORT)
    if kind == "plan":
        return dict(PLAN)
    if kind in ("sync", "sync-lock"):
        return dict(SYNC if kind == "sync" else SYNC_LOCK)
    if kind in PRINTED:
        return PRINTED[kind]()
    if kind == "kubernetes-overlay":
        from gpuxlate.config.manifest_schema import overlay

        return overlay()
    from gpuxlate.config.models import (
        CatalogueModel,
        DecisionsModel,
        DocumentModel,
        InOrder,
        config_model,
        profile_model,
    )

    models: dict[str, type[BaseModel]] = {
        "spec": DocumentModel,
        "config": config_model(),
        "profile": profile_model(),
        "catalogue": CatalogueModel,
        "decisions": DecisionsModel,
    }
    return _tidy(models[kind].model_json_schema(schema_generator=InOrder))


def _tidy(node: dict[str, Any]) -> dict[str, Any]:
    """A schema in one order of keywords, without what pydantic adds for Python's sake.

    That is titles made of field names, and null as the default of fields that may be omitted.
    """
    kept: dict[str, Any] = {}
    for key in sorted(node, key=lambda one: KEYWORDS.index(one) if one in KEYWORDS else len(KEYWORDS)):
        value = node[key]
        if key == "$defs":  # by name, since pydantic's order changes with its version
            kept[key] = {name: _tidy(value[name]) for name in sorted(value)}
        elif key == "properties":
            kept[key] = {
                name: _tidy({k: v for k, v in one.items() if k != "title"}) for name, one in value.items()
            }
        elif key in ("items", "additionalProperties") and isinstance(value, dict):
            kept[key] = _tidy(value)
        elif key in ("anyOf", "oneOf"):
            kept["anyOf"] = [_tidy(one) for one in value]
        elif key == "description":
            kept[key] = " ".join(value.split())
        elif key == "exclusiveMinimum":
            kept[key] = int(value) if value == int(value) else value  # 0.0 in older versions of pydantic
        elif not (key == "default" and value is None):
            kept[key] = value
    return kept


def write_schemas(folder: Path) -> list[Path]:
    """Write every schema into a folder: the same bytes each time."""
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for kind in VERSIONS:
        path = folder / f"{kind}.json"
        path.write_text(json.dumps(schema(kind), indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
        written.append(path)
    return written


if __name__ == "__main__":
    for refreshed in write_schemas(Path(sys.argv[1] if len(sys.argv) > 1 else "schemas")):
        print(refreshed)
