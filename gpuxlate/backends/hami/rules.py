"""The rules of HAMi. Codes are this tool's own."""

from gpuxlate.backends.hami.rules_numbers import (
    card_count_fits,
    compute_within_a_card,
    memory_fits,
    memory_is_said_once,
    percentage_is_one,
)
from gpuxlate.backends.hami.rules_pods import (
    cards_are_shared,
    choice_is_known,
    container_is_not_privileged,
    isolation_is_on,
    mig_counts_memory,
    node_is_not_named,
    scheduler_is_hamis,
)

__all__ = [
    "card_count_fits",
    "cards_are_shared",
    "choice_is_known",
    "compute_within_a_card",
    "container_is_not_privileged",
    "isolation_is_on",
    "memory_fits",
    "memory_is_said_once",
    "mig_counts_memory",
    "node_is_not_named",
    "percentage_is_one",
    "scheduler_is_hamis",
]
