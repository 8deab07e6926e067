"""What the containers of a pod ask of mGPU, as the rules of this folder look at it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from gpuxlate.backends.volcengine import keys as k
from gpuxlate.model import quantity
from gpuxlate.model.diagnostics import Fix
from gpuxlate.model.edits import Put, Remove
from gpuxlate.model.limits import MAX_NAME
from gpuxlate.model.pod import ContainerKeys, Path, PodKeys, Value
from gpuxlate.model.profile import Profile
from gpuxlate.rules.base import Context, asked_again, letters

RESOURCES = (k.CORE, k.RECLAIMED_CORE, k.MEMORY)
DEFAULT_POLICY = k.POLICIES[k.DEFAULT_POLICY]


def annotation(pod: PodKeys, name: str) -> Value | None:
    """An annotation of the pod, wherever it stands: one on the workload alone counts too (K8S005)."""
    return pod.annotations.get(name) or pod.owner_annotations.get(name)


def policy_of(pod: PodKeys) -> str:
    """The policy that the pod asks for, the vendor's default where it says nothing."""
    policy = annotation(pod, k.POLICY)
    return policy.text if policy else DEFAULT_POLICY


def is_offline(pod: PodKeys) -> bool:
    """The pod is marked as offline work."""
    qos = annotation(pod, k.QOS)
    return qos is not None and qos.text == "reclaimed_cores"


def cluster(context: Context) -> Profile | None:
    """The profile, where it is one of a cluster of this vendor."""
    profile = context.profile
    return profile if profile and profile.target in k.NAMES else None


def has_mgpu(container: ContainerKeys) -> bool:
    return any(name in container.limits or name in container.requests for name in RESOURCES)


@dataclass(frozen=True, slots=True)
class Asked:
    """One ordinary container that has a key of mGPU.

    ``multi``: the pod has the annotation container-multiple-gpu. ``listed``: the container's number
    there, None where the list is absent, malformed or of the wrong length.
    """

    container: ContainerKeys
    multi: bool = False
    listed: int | None = None

    @property
    def core(self) -> Value | None:
        """Compute, online or offline."""
        return self.container.resources.get(k.CORE) or self.container.resources.get(k.RECLAIMED_CORE)

    @property
    def memory(self) -> Value | None:
        return self.container.resources.get(k.MEMORY)

    @property
    def cores(self) -> int:
        """Percent of one card, in total; 0 where absent or no whole number (K8S001)."""
        return quantity.whole(self.core.text) or 0 if self.core else 0

    @property
    def mib(self) -> int | None:
        """MiB in total; None where absent or no whole number (K8S001)."""
        return quantity.whole(self.memory.text) if self.memory else None

    @property
    def name(self) -> str:
        return self.container.name or f"number {self.container.index + 1}"

    @property
    def first(self) -> Path:
        """Where its first key of mGPU stands."""
        return next(
            self.container.resources[name].path for name in RESOURCES if name in self.container.resources
        )

    @property
    def whole_cards(self) -> int:
        """How many cards it has to itself, 0 where it shares."""
        if self.cores < k.FULL or self.cores % k.FULL:
            return 0
        cards = self.cores // k.FULL
        shared = self.multi and self.listed != cards
        return 0 if shared else cards

    @property
    def cards(self) -> int:
        """How many cards it uses, shared or whole."""
        return self.listed or self.whole_cards or 1

    def everywhere(self, name: str) -> tuple[Path, ...]:
        """Where a key stands: in limits, in requests, or both."""
        both = (self.container.limits.get(name), self.container.requests.get(name))
        return tuple(value.path for value in both if value)

    def without_memory(self) -> Fix:
        """Whole cards, with all of their memory."""
        edits = tuple(Remove(path) for path in self.everywhere(k.MEMORY))
        return Fix("remove mgpu-memory: whole cards come with all of theirs", edits, safe=False)


@asked_again
def asked(pod: PodKeys) -> Iterator[Asked]:
    """The ordinary containers that have a key of mGPU, in their order."""
    listed = annotation(pod, k.MULTIPLE_GPU)
    counts = k.card_counts(listed.text) if listed else None
    fits = counts is not None and len(counts) == len(pod.containers)
    for place, container in enumerate(pod.containers):
        if has_mgpu(container):
            yield Asked(container, listed is not None, counts[place] if counts and fits else None)


def sharing_several(pod: PodKeys) -> Iterator[tuple[Asked, int]]:
    """The containers that share the cards which container-multiple-gpu lists for them."""
    for one in asked(pod):
        if one.listed and not one.whole_cards:
            yield one, one.listed


def nearest_of(value: Value, accepted: Mapping[str, str]) -> tuple[str, Fix | None]:
    """A hint for a name that is none of the accepted; a fix where only case or joints differ.

    ``accepted`` is by gpuxlate's own name, which somebody may have written in place of the vendor's.
    """
    names = list(accepted.values())
    same = next((name for name in names if letters(name) == letters(value.text)), None)
    if same:
        return f"write {same}", Fix(f"write {same}", (Put(value.path, same),))
    if value.text in accepted:
        return f"write {accepted[value.text]}", None
    from difflib import get_close_matches  # only where something was found: start-up counts

    near = get_close_matches(value.text[:MAX_NAME], names, 1, 0.6)
    return (f"did you mean {near[0]}?" if near else f"write {', '.join(names[:-1])} or {names[-1]}"), None


def cards_text(count: int) -> str:
    """``1 whole card``, ``2 whole cards``."""
    return f"{count or 'no'} whole {'card' if count == 1 else 'cards'}"
