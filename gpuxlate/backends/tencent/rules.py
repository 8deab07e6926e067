"""The rules of TKE qGPU. A code is the number of its row in the facts.

These rows have no function of their own: TKE004 and TKE019 say what 100 x N means, so there is
nothing to check; TKE009 is K8S003, TKE013 is K8S006, TKE015 is GX013, TKE017 is K8S007.
"""

from __future__ import annotations

from gpuxlate.backends.tencent.rules_cards import (
    even_parts,
    shared_cards_on_the_step,
    two_shared_cards_at_most,
    whole_cards_without_memory,
)
from gpuxlate.backends.tencent.rules_colocation import (
    compute_goes_with_app_class,
    offline_asks_for_greedy_and_memory,
    online_asks_for_memory_alone,
)
from gpuxlate.backends.tencent.rules_node import (
    card_fills_before_the_limit,
    cluster_is_recent,
    policy_is_known,
)
from gpuxlate.backends.tencent.rules_share import (
    compute_and_memory_together,
    compute_on_the_step,
    memory_is_positive,
)

__all__ = [
    "card_fills_before_the_limit",
    "cluster_is_recent",
    "compute_and_memory_together",
    "compute_goes_with_app_class",
    "compute_on_the_step",
    "even_parts",
    "memory_is_positive",
    "offline_asks_for_greedy_and_memory",
    "online_asks_for_memory_alone",
    "policy_is_known",
    "shared_cards_on_the_step",
    "two_shared_cards_at_most",
    "whole_cards_without_memory",
]
