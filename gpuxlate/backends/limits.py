"""What one card and one node of a target run at once: the limits that a packing of shares keeps."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from gpuxlate.model.profile import Profile
from gpuxlate.model.share import Share

ANY = ""
"""What a share or a pod has in common with every other one."""


def _any_share(_share: Share) -> str:
    return ANY


def _any_pod(_shares: Sequence[Share], _profile: Profile | None) -> str:
    return ANY


def _no_number(_profile: Profile | None) -> int | None:
    return None


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of a target beside compute (100 percent a card) and memory.

    ``per_card``: the most shares on one card; None where no document has a bound. ``certain``: the documents
    agree on it. ``default``: a cluster may set another number, and its nodes show it; ``per_card_in``: that
    number in the cluster of a profile, None where it is ``per_card``. ``source``: the document.
    ``card_mode``: what all shares of one card have in common, by share; ``node_mode``: what all pods of one
    node have in common, by the shares of a pod. Two that differ never meet there; ANY goes with all.
    ``uncapped_percent``: percent of a card that are free where a share without compute joins it.
    """

    per_card: int | None = None
    certain: bool = True
    default: bool = False
    source: str = ""
    card_mode: Callable[[Share], str] = _any_share
    node_mode: Callable[[Sequence[Share], Profile | None], str] = _any_pod
    uncapped_percent: int = 0
    per_card_in: Callable[[Profile | None], int | None] = _no_number


UNBOUND = Limits()
"""No document has a limit."""
