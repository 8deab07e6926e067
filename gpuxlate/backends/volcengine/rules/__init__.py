"""The rules of Volcengine VKE mGPU.

Rows 1, 2 and 8 of the vendor's rules are K8S001 to K8S005; rows 15 and 27 are no predicates.
"""

from gpuxlate.backends.volcengine.rules.card_list import (
    card_counts_are_in_range,
    card_list_covers_every_container,
    card_list_is_well_formed,
    card_list_matches_the_shares,
)
from gpuxlate.backends.volcengine.rules.cluster import (
    cluster_can_colocate,
    component_knows_the_cards,
    node_has_the_cards,
    policy_is_that_of_the_node,
    shares_fit_the_cards_of_a_node,
)
from gpuxlate.backends.volcengine.rules.colocation import (
    colocation_policy_is_supported,
    memory_can_be_preempted,
    offline_compute_is_reclaimed,
    offline_shares_one_card,
    qos_level_is_known,
)
from gpuxlate.backends.volcengine.rules.pods import (
    init_containers_ask_for_no_mgpu,
    no_mgpu_on_vci,
    pod_uses_one_device_stack,
    policy_is_known,
)
from gpuxlate.backends.volcengine.rules.quantities import (
    compute_above_one_card_is_whole_cards,
    listed_whole_cards_have_no_memory_cap,
    memory_comes_with_compute,
    numbers_are_positive,
    part_of_a_card_has_enough_memory,
    whole_cards_have_no_memory_cap,
)
from gpuxlate.backends.volcengine.rules.several_cards import (
    cards_give_equal_parts,
    compute_fits_the_listed_cards,
    console_can_show_the_compute,
    memory_on_each_listed_card_is_in_range,
    several_shared_cards_use_native_burst,
)

__all__ = [
    "card_counts_are_in_range",
    "card_list_covers_every_container",
    "card_list_is_well_formed",
    "card_list_matches_the_shares",
    "cards_give_equal_parts",
    "cluster_can_colocate",
    "colocation_policy_is_supported",
    "component_knows_the_cards",
    "compute_above_one_card_is_whole_cards",
    "compute_fits_the_listed_cards",
    "console_can_show_the_compute",
    "init_containers_ask_for_no_mgpu",
    "listed_whole_cards_have_no_memory_cap",
    "memory_can_be_preempted",
    "memory_comes_with_compute",
    "memory_on_each_listed_card_is_in_range",
    "no_mgpu_on_vci",
    "node_has_the_cards",
    "numbers_are_positive",
    "offline_compute_is_reclaimed",
    "offline_shares_one_card",
    "part_of_a_card_has_enough_memory",
    "pod_uses_one_device_stack",
    "policy_is_known",
    "policy_is_that_of_the_node",
    "qos_level_is_known",
    "several_shared_cards_use_native_burst",
    "shares_fit_the_cards_of_a_node",
    "whole_cards_have_no_memory_cap",
]
