"""KAI Scheduler and Run:ai as a target: the sheet, with a reader and a writer of its own."""

from __future__ import annotations

from gpuxlate.backends.base import Backend, PodPlacing, Reading, RuleKind, RuleRow, Taking
from gpuxlate.backends.kai import keys as k
from gpuxlate.backends.kai.profile import KaiProfile
from gpuxlate.backends.kai.reading import SPEAKS, read
from gpuxlate.backends.kai.writing import NAMES, write
from gpuxlate.model.pod import PodKeys
from gpuxlate.model.profile import Profile


class Kai(Backend):
    name = NAMES[0]
    title = "KAI Scheduler"
    rule_prefix = "KAI"
    aliases = NAMES[1:]
    vendor = "nvidia"
    scheduler = k.SCHEDULER
    other_schedulers = (k.RUNAI_SCHEDULER,)
    whole_card_key = k.WHOLE
    one_share_per_pod = True
    documents = {
        "CODE": "kai-scheduler/KAI-Scheduler, gpu_request_validator.go and constants.go (2026-08-07)",
        "README": "kai-scheduler/KAI-Scheduler docs/gpu-sharing/README.md (2026-08-07)",
        "NVFRACTIONS": "kai-scheduler/KAI-Scheduler docs/gpu-sharing/nv-fraction (2026-09)",
        "RUNAI": "NVIDIA Run:ai documentation, GPU fractions (2026)",
    }
    gpu_prefixes = (k.OF_CONTAINERS, "kai.scheduler/gpu-", k.FRACTION)
    keys = k.KEYS
    field_docs = {
        "cards": f"annotation {k.DEVICES}; whole cards: {k.WHOLE}",
        "memoryMiB": f"annotation {k.MEMORY}, MiB of each card",
        "memoryPercent": f"annotation {k.FRACTION}: 0.25",
        "memoryLimitMiB": "annotation nvidia.com/container.NAME.gpu-memory.limit, of each card",
        "isolation": "by the mode of the cluster: soft with HamiCore and NvFractions",
    }
    detected_by = SPEAKS
    known_typos = frozenset(k.MISTAKEN)
    extension = KaiProfile
    rule_reasons = {
        RuleKind.SCHEDULER: (
            "Only KAI's binder reads the annotations: with another scheduler they have no effect."
        )
    }
    row_rules = (
        RuleRow(RuleKind.SCHEDULER, "KAI010", keys=(k.FRACTION, k.MEMORY, k.REQUEST, k.LIMIT)),
        RuleRow(RuleKind.WORDS, "KAI014"),
    )

    def read(self, pod: Taking, profile: Profile | None) -> Reading:
        """Annotations to shares; whole cards are counted in resources."""
        return read(pod, profile)

    def write(self, pod: PodPlacing, profile: Profile | None) -> PodKeys:
        """Shares to annotations of the pod, or of one container."""
        return write(pod, profile)


BACKEND = Kai()
