"""Intel Gaudi accelerators, counted whole."""

from gpuxlate.backends import target as t


class IntelGaudi(t.Backend):
    """Gaudi accelerators, counted whole (PLUGIN)."""

    title = "Intel Gaudi"
    aliases = ("gaudi",)
    vendor = "habana"  # Intel's GPUs are other cards
    names_vendor = True
    documents = {
        "PLUGIN": 'Intel Gaudi, "Intel Gaudi Device Plugin for Kubernetes" and its quick start (1.24)'
    }
    keys = (t.cards("habana.ai/gaudi"),)
