"""The containers of a pod that request mGPU, and texts that several rules share."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from gpuxlate.backends.numbers import both_places, number
from gpuxlate.backends.volcengine import keys as k
from gpuxlate.model.diagnostics import Fix
from gpuxlate.model.edits import Put, Remove
from gpuxlate.model.kept import keep_last
from gpuxlate.model.limits import MAX_NAME
from gpuxlate.model.messages import Message, say
from gpuxlate.model.pod import ContainerKeys, Path, PodKeys, Value
from gpuxlate.model.profile import Profile
from gpuxlate.rules.base import Context, letters

RESOURCES = (k.CORE, k.RECLAIMED_CORE, k.MEMORY)
DEFAULT_POLICY = k.POLICIES[k.DEFAULT_POLICY]


def annotation(pod: PodKeys, name: str) -> Value | None:
    """An annotation of the pod; one on the workload alone counts too (K8S005)."""
    return pod.annotations.get(name) or pod.owner_annotations.get(name)


def policy_of(pod: PodKeys) -> str:
    """The policy that the pod requests, the vendor's default where it sets none."""
    policy = annotation(pod, k.POLICY)
    return policy.text if policy else DEFAULT_POLICY


def policy_text(pod: PodKeys) -> str:
    """The policy that the pod requests, with a remark where it is the default."""
    policy = annotation(pod, k.POLICY)
    return policy.text if policy else say("not set (default: {policy})", policy=DEFAULT_POLICY)


def is_offline(pod: PodKeys) -> bool:
    """The pod is marked as offline work."""
    qos = annotation(pod, k.QOS)
    return qos is not None and qos.text == "reclaimed_cores"


def cluster(context: Context) -> Profile | None:
    """The profile, where it is one of a cluster of this vendor."""
    profile = context.profile
    return profile if profile and profile.target in k.NAMES else None


def name_of(container: ContainerKeys) -> str:
    """Its name, or its place where it has none."""
    return container.name or say("number {place}", place=container.index + 1)


class MgpuContainer(NamedTuple):
    """One ordinary container that has a key of mGPU.

    ``multi``: the pod has the annotation container-multiple-gpu. ``listed``: the container's number
    there, None where the list is absent, malformed or of the wrong length.
    """

    keys: ContainerKeys
    multi: bool = False
    listed: int | None = None

    @property
    def core(self) -> Value | None:
        """Compute, online or offline."""
        return self.keys.resources.get(k.CORE) or self.keys.resources.get(k.RECLAIMED_CORE)

    @property
    def memory(self) -> Value | None:
        return self.keys.resources.get(k.MEMORY)

    @property
    def cores(self) -> int:
        """Percent of one card, in total; 0 where absent or not a whole number (K8S001)."""
        return number(self.core) or 0

    @property
    def mib(self) -> int | None:
        """MiB in total; None where absent or not a whole number (K8S001)."""
        return number(self.memory)

    @property
    def name(self) -> str:
        return name_of(self.keys)

    @property
    def first(self) -> Path:
        """Where its first key of mGPU is."""
        return next(self.keys.resources[name].path for name in RESOURCES if name in self.keys.resources)

    @property
    def whole_cards(self) -> int:
        """How many whole cards it has, 0 where it shares."""
        if self.cores < k.FULL or self.cores % k.FULL:
            return 0
        cards = self.cores // k.FULL
        shared = self.multi and self.listed != cards
        return 0 if shared else cards

    @property
    def cards(self) -> int:
        """How many cards it uses, shared or whole."""
        return self.listed or self.whole_cards or 1

    def without_memory(self) -> Fix:
        """Whole cards, with all of their memory."""
        edits = tuple(Remove(value.path) for value in both_places(self.keys, k.MEMORY))
        return Fix("remove mgpu-memory: whole cards come with all of their memory", edits, safe=False)


@keep_last
def mgpu_containers(pod: PodKeys) -> Iterator[MgpuContainer]:
    """The ordinary containers that have a key of mGPU, in their order."""
    listed = annotation(pod, k.MULTIPLE_GPU)
    counts = k.listed_cards(pod, listed)
    for place, container in enumerate(pod.containers):
        if k.asks_mgpu(container):
            yield MgpuContainer(container, listed is not None, counts[place] if counts else None)


def sharing_several(pod: PodKeys) -> Iterator[tuple[MgpuContainer, int]]:
    """The containers that share the cards which container-multiple-gpu lists for them."""
    for one in mgpu_containers(pod):
        if one.listed and not one.whole_cards:
            yield one, one.listed


def nearest_of(value: Value, accepted: Mapping[str, str]) -> tuple[Message, Fix | None]:
    """A hint for a name that is not accepted; a fix where only letter case or separators differ.

    ``accepted`` is by gpuxlate's own name, which may be written in place of the vendor's.
    """
    names = list(accepted.values())
    same = next((name for name in names if letters(name) == letters(value.text)), None)
    if same:
        hint = say("write {value}", value=same)
        return hint, Fix(hint, (Put(value.path, same),))
    if value.text in accepted:
        return say("write {value}", value=accepted[value.text]), None
    from difflib import get_close_matches  # only where something was found: start-up counts

    near = get_close_matches(value.text[:MAX_NAME], names, 1, 0.6)
    if near:
        return say("did you mean {value}?", value=near[0]), None
    return say("write {values} or {last}", values=", ".join(names[:-1]), last=names[-1]), None


def cards_text(count: int) -> Message:
    """``1 whole card``, ``2 whole cards``."""
    return say("1 whole card") if count == 1 else say("{count} whole cards", count=count)
