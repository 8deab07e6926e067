"""Cambricon's own device plug-in: whole cards, also by their model, and parts that the node divides."""

from gpuxlate.backends.base import Backend
from gpuxlate.backends.rows import cards, for_models, unread, written

NAME = "cambricon-mlu"
SHARED = "clients of a card, whose number only the node gives"


class CambriconMlu(Backend):
    name = NAME
    title = "Cambricon's device plug-in"
    rule_prefix = "CAMB"
    vendor = "cambricon"
    names_vendor = True
    documents = {
        "README": "Cambricon/cambricon-k8s-device-plugin, device-plugin/README.md (2025-12-25)",
        "CODE": "Cambricon/cambricon-k8s-device-plugin, pkg/mlu/server.go (2025-12-25)",
    }
    keys = (
        cards("cambricon.com/mlu", source="README, CODE"),
        unread("cambricon.com/mlu.share", SHARED, source="README, CODE"),
        *for_models(
            NAME,
            cards("cambricon.com/mlu{model}", source="README, CODE"),
            unread("cambricon.com/mlu{model}.share", SHARED, source="README, CODE"),
        ),
        written("cambricon.com/real-mlu-counts", meaning="cards of the node", source="CODE"),
    )


BACKEND = CambriconMlu()
