"""The rules of ACK, gathered from their modules. No rule is here for what another code reports
(ACK009: GX013, ACK012: K8S003) or no manifest can show (ACK018).
"""

from gpuxlate.backends.alibaba.rules_compute import (
    compute_goes_with_memory,
    compute_key_is_spelled_out,
    compute_on_grid,
    compute_on_one_card,
)
from gpuxlate.backends.alibaba.rules_memory import (
    count_divides_memory,
    memory_is_positive,
    one_mode_for_a_pod,
)
from gpuxlate.backends.alibaba.rules_node import (
    compute_runs_on_core_mem,
    known_mode_and_placement,
    memory_is_isolated,
    small_unit_on_share_nodes,
)
from gpuxlate.backends.alibaba.rules_profile import (
    cards_fit_node,
    memory_fits_card,
    one_card_in_open_source,
    one_sharing_container_in_open_source,
    pods_fit_card,
)

__all__ = [
    "cards_fit_node",
    "compute_goes_with_memory",
    "compute_key_is_spelled_out",
    "compute_on_grid",
    "compute_on_one_card",
    "compute_runs_on_core_mem",
    "count_divides_memory",
    "known_mode_and_placement",
    "memory_fits_card",
    "memory_is_isolated",
    "memory_is_positive",
    "one_card_in_open_source",
    "one_mode_for_a_pod",
    "one_sharing_container_in_open_source",
    "pods_fit_card",
    "small_unit_on_share_nodes",
]
