"""What reading, writing and the rules of ACK look up in a pod and in the profile."""

from __future__ import annotations

from gpuxlate.backends.alibaba import keys as k
from gpuxlate.backends.alibaba.profile import AlibabaProfile
from gpuxlate.model import quantity
from gpuxlate.model.pod import PodKeys, Value
from gpuxlate.model.profile import Profile, card_of


def count(label: Value | None) -> int | None:
    """The cards that the label counts: 1 without it, None where it is not a positive whole number."""
    if label is None:
        return 1
    return int(label.text) if quantity.is_plain(label.text) and label.text != "0" else None


def cards_of(pod: PodKeys) -> int:
    """The cards of a shared pod; 1 where the label is not a number (ACK002)."""
    return count(pod.labels.get(k.COUNT)) or 1


def units_of_card(profile: Profile | None) -> int | None:
    """Units of ``gpu-mem`` of a card in the profile, None where it gives no memory.

    The remainder of a card is spread over its units: 22731 MiB are 22 units.
    """
    memory_mib = card_of(profile, k.NAMES).memory_mib
    return None if memory_mib is None else memory_mib // AlibabaProfile.of(profile).memory_unit_mib
