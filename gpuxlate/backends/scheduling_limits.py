"""The limits of the shares that one card and one node of a target run at once, and how its scheduler
picks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import Enum, StrEnum

from gpuxlate.model.declarations import record
from gpuxlate.model.profile import Profile
from gpuxlate.model.share import Share

ANY_MODE = ""
"""The mode of a share or a pod that can be on one card or node with any other."""


def _any_share(_share: Share) -> str:
    return ANY_MODE


def _any_pod(_shares: Sequence[Share], _profile: Profile | None) -> str:
    return ANY_MODE


def _no_number(_profile: Profile | None) -> int | None:
    return None


class InitContainers(Enum):
    """What a scheduler reserves for a pod whose init containers request shares. Sidecars are containers."""

    LARGEST = "largest"
    """The larger of all containers together and each init container, on a card and in all (Kubernetes, "Init
    containers", "Resource sharing within containers")."""
    ADDED = "added"
    """All together, since what they get is theirs until the pod ends."""
    IGNORED = "ignored"
    """Containers alone: it looks at no init container, and at no sidecar."""


def sum_reserved(
    containers: Iterable[tuple[bool, bool, Mapping[str, int]]], rule: InitContainers
) -> Counter[str]:
    """The amounts that a scheduler reserves for one pod. ``containers``: for each whether it is an init
    container, whether it is a sidecar, and its amounts; init containers come first.
    """
    steady, sidecars, peak = Counter[str](), Counter[str](), Counter[str]()
    for init, sidecar, numbers in containers:
        if init and rule is InitContainers.IGNORED:
            continue
        if init and not sidecar and rule is InitContainers.LARGEST:
            peak |= sidecars + Counter(numbers)
            continue
        steady.update(numbers)
        if init:
            sidecars.update(numbers)
    return steady | peak


@record
class Limits:
    """The limits of a target beside compute (100 percent a card) and memory.

    ``per_card``: the most shares on one card; None where no document has a bound. ``certain``: the documents
    agree on it. ``default``: a cluster may set another number, and its nodes show it; ``per_card_in``: that
    number in the cluster of a profile, None where it is ``per_card``. ``source``: the document.
    ``card_mode``: the mode of a share; all shares of one card have the same. ``node_mode``: the mode of a pod
    by its shares; all pods of one node have the same. ANY_MODE is compatible with all modes.
    ``uncapped_percent``: percent of a card that must be free for a share without compute. ``init``: how init
    containers count; where no document says it, as the scheduler of Kubernetes has it, which filters nodes by
    their resources.
    """

    per_card: int | None = None
    certain: bool = True
    default: bool = False
    source: str = ""
    card_mode: Callable[[Share], str] = _any_share
    node_mode: Callable[[Sequence[Share], Profile | None], str] = _any_pod
    uncapped_percent: int = 0
    per_card_in: Callable[[Profile | None], int | None] = _no_number
    init: InitContainers = InitContainers.LARGEST


class Pick(StrEnum):
    """Which of the nodes that take a pod, or of their cards, a scheduler picks. Of equal ones, the first."""

    FULLEST = "binpack"
    EMPTIEST = "spread"
    FEWEST_PODS = "fewest pods"
    """Of nodes alone."""
    FIRST = "first"
    """The order that they have; of nodes, only a packing tries it."""


@record
class Scheduling:
    """How the scheduler of a target picks nodes, and cards of them, for one pod at a time.

    ``source``: the document; without one, the picks are those of kube-scheduler. ``keeps_quotas``: it
    enforces the ``limits.`` of memory and compute in a ResourceQuota, as sums over the cards of containers.
    """

    nodes: Pick = Pick.FEWEST_PODS
    cards: Pick = Pick.FIRST
    source: str = ""
    keeps_quotas: bool = False


UNDOCUMENTED = Scheduling()
KUBE_SCHEDULER = Scheduling(source="Kubernetes, kube-scheduler configuration (v1), NodeResourcesFitArgs")
"""kube-scheduler. Its scores count the CPU and memory of pods, which are assumed to be equal, and no devices:
devices are taken in their order."""
UNBOUND = Limits()
"""No document has a limit."""
