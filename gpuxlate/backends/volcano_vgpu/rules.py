"""The rules of Volcano vGPU. Codes are this tool's own. What stands in requests alone is K8S004."""

from gpuxlate.backends.volcano_vgpu.rules_numbers import (
    card_count_fits,
    compute_within_a_card,
    memory_fits,
    memory_is_said_once,
    percentage_is_one,
)
from gpuxlate.backends.volcano_vgpu.rules_pods import mode_is_known, scheduler_is_volcano, share_is_seen

__all__ = [
    "card_count_fits",
    "compute_within_a_card",
    "memory_fits",
    "memory_is_said_once",
    "mode_is_known",
    "percentage_is_one",
    "scheduler_is_volcano",
    "share_is_seen",
]
