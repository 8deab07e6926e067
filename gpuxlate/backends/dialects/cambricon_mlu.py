"""Cambricon's own device plug-in: whole cards, also by their model, and parts that the node divides."""

from gpuxlate.backends import target as t

NAME = "cambricon-mlu"
SHARED = "clients of a card, whose number only the node gives"


class CambriconMlu(t.Backend):
    """Whole MLUs, of any model or of the one in the key; the parts of a node are not read (CODE)."""

    title = "Cambricon's device plug-in"
    rule_prefix = "CAMB"
    vendor = "cambricon"
    names_vendor = True
    documents = {
        "README": "Cambricon/cambricon-k8s-device-plugin, device-plugin/README.md (2025-12-25)",
        "CODE": "Cambricon/cambricon-k8s-device-plugin, pkg/mlu/server.go (2025-12-25)",
    }
    gpu_prefixes = ()  # other names of the domain are those of HAMi
    keys = (
        t.cards("cambricon.com/mlu", source="README, CODE"),
        t.unread("cambricon.com/mlu.share", SHARED, source="README, CODE"),
        *t.for_models(
            NAME,
            t.cards("cambricon.com/mlu{model}", source="README, CODE"),
            t.unread("cambricon.com/mlu{model}.share", SHARED, source="README, CODE"),
        ),
        t.written("cambricon.com/real-mlu-counts", meaning="cards of the node", source="CODE"),
    )
