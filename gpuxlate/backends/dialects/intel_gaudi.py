"""Intel Gaudi accelerators, counted whole."""

from gpuxlate.backends.base import Backend
from gpuxlate.backends.rows import cards


class IntelGaudi(Backend):
    name = "intel-gaudi"
    title = "Intel Gaudi"
    rule_prefix = "GAUDI"
    aliases = ("gaudi",)
    vendor = "habana"  # Intel's GPUs are other cards
    names_vendor = True
    documents = {
        "PLUGIN": 'Intel Gaudi, "Intel Gaudi Device Plugin for Kubernetes" and its quick start (1.24)'
    }
    gpu_prefixes = ("habana.ai/gaudi",)
    keys = (cards("habana.ai/gaudi", source="PLUGIN"),)


BACKEND = IntelGaudi()
