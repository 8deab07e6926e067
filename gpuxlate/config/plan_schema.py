"""JSON Schema of ``gpuxlate-plan/v1``, written by hand. Within v1 fields may be added."""

from __future__ import annotations

from gpuxlate.config.output_schemas import REPORT, Schema, a, count, list_of, object_of, or_null, place

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
        "leftovers": list_of({"$ref": "#/$defs/Leftover"}, "What is left behind of the source."),
        "unclear": list_of({"type": "string"}, "Workloads whose number of pods depends on the cluster."),
        "layout": list_of(
            object_of("One node.", {"cards": list_of({"$ref": "#/$defs/Card"}, "Its cards.")}), "The nodes."
        ),
    },
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
