"""What rules of mGPU have in common: conditions on containers, their numbers, and manifests for the pages."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from gpuxlate.backends.numbers import number
from gpuxlate.backends.row_rules import Example
from gpuxlate.backends.volcengine import keys as k
from gpuxlate.model.messages import Message, say
from gpuxlate.model.pod import ContainerKeys, PodKeys, Value
from gpuxlate.model.profile import Profile
from gpuxlate.model.share import Qos
from gpuxlate.model.sheet import Range
from gpuxlate.rules.base import Context, Page
from gpuxlate.rules.predicates import conditions as of
from gpuxlate.rules.predicates.conditions import Listed, number_of, resource
from gpuxlate.rules.predicates.predicate import Breach

SHORT = "container-multiple-gpu"
DEFAULT_POLICY = k.POLICIES[k.DEFAULT_POLICY]
COMPUTE = (k.CORE, k.RECLAIMED_CORE)
WHOLE = Range(k.FULL, None, k.FULL)  # percent of one card


def of_compute(true_of: Callable[[str], of.Condition]) -> of.Condition:
    """True of the key of compute that counts: offline compute where there is no other."""
    return true_of(k.CORE) | (~of.Asks(k.CORE) & true_of(k.RECLAIMED_CORE))


def compute(*ranges: Range) -> of.Condition:
    """Compute, online or offline, is in one of the ranges."""
    return of_compute(lambda name: of.Amount(name, *ranges))


def _is_all(name: str) -> of.Condition:
    return of.Amount(name, WHOLE) & of.Divides(name, k.LISTED, k.FULL) & of.AtMost(name, k.FULL, k.LISTED)


ORDINARY = ~of.IsInit()  # the others are VKE009, and have no number in the list
HAS_LIST = of.Annotated(k.MULTIPLE_GPU)
ONE_CARD = ORDINARY & ~HAS_LIST
HAS_LISTED_CARDS = of_compute(_is_all)  # whole
SHARES_LISTED = ORDINARY & Listed(k.LISTED, Range(1)) & ~HAS_LISTED_CARDS
MGPU = of.SomeContainer(ORDINARY & of.Asks(*k.RESOURCES))
OFFLINE = of.Annotated(k.QOS, k.QOS_LEVELS[Qos.OFFLINE])


def cores_of(container: ContainerKeys) -> int:
    """Percent of one card, in total; 0 where absent or not a whole number (K8S001)."""
    return number(resource(container, k.CORE) or resource(container, k.RECLAIMED_CORE)) or 0


class Mgpu(NamedTuple):
    """A container that requests mGPU; ``listed``: its number in the list of cards, 0 without one."""

    keys: ContainerKeys
    multi: bool
    listed: int

    @classmethod
    def of(cls, container: ContainerKeys, pod: PodKeys) -> Mgpu:
        return cls(container, k.MULTIPLE_GPU in pod.annotations, number_of(pod, container, k.LISTED) or 0)

    @property
    def cores(self) -> int:
        return cores_of(self.keys)

    @property
    def first(self) -> Value:
        """Its first key of mGPU."""
        return next(self.keys.resources[name] for name in k.RESOURCES if name in self.keys.resources)

    @property
    def whole_cards(self) -> int:
        """How many whole cards it has, 0 where it shares."""
        cards, part = divmod(self.cores, k.FULL)
        return 0 if part or cards < 1 or (self.multi and self.listed != cards) else cards

    @property
    def cards(self) -> int:
        """How many cards it uses, shared or whole."""
        return self.listed or self.whole_cards or 1


def listed(breach: Breach, pod: PodKeys) -> int:
    """The cards that the list has for the container of a breach, 0 without one."""
    return number_of(pod, breach.inside, k.LISTED) or 0


def mgpu_containers(pod: PodKeys) -> list[Mgpu]:
    """The ordinary containers that have a key of mGPU, in their order."""
    return [Mgpu.of(one, pod) for one in pod.containers if k.LISTED.asked_by(one)]


def policy_text(pod: PodKeys) -> str:
    """The policy that the pod requests, with a remark where it is the default."""
    policy = pod.annotations.get(k.POLICY)
    return policy.text if policy else say("not set (default: {policy})", policy=DEFAULT_POLICY)


def cluster(context: Context) -> Profile | None:
    """The profile, where it is one of a cluster of this vendor."""
    profile = context.profile
    return profile if profile and profile.target in k.NAMES else None


def name_of(container: ContainerKeys) -> str:
    """Its name, or its place where it has none."""
    return container.name or say("number {place}", place=container.index + 1)


def cards_text(count: int) -> Message:
    """``1 whole card``, ``2 whole cards``."""
    return say("1 whole card") if count == 1 else say("{count} whole cards", count=count)


# --- manifests of the pages -----------------------------------------------------------------------

_NOTES = {"cards": k.MULTIPLE_GPU, "policy": k.POLICY, "qos": k.QOS, "vci": k.BURST_TO_VCI}
NATIVE = "native-burst-share"


def part(cores: int = 30, memory: int | None = 4096, name: str = k.CORE) -> Mapping[str, Value]:
    """Limits of a container: a part of a card or of several, or whole cards without memory."""
    return {name: Value.of(cores), **({} if memory is None else {k.MEMORY: Value.of(memory)})}


def shown(*limits: Mapping[str, Value], profile: str = "", **notes: str) -> Example:
    """A pod: the limits of its containers, its annotations by their short names, a profile."""
    annotations = {_NOTES[name]: Value.of(text) for name, text in notes.items()}
    text = f"target: volcengine-mgpu\n{profile}" if profile else ""
    return Example(limits or (part(),), annotations, profile=text)


def offline(**notes: str) -> Example:
    """An offline pod."""
    return shown(part(name=k.RECLAIMED_CORE), qos=k.QOS_LEVELS[Qos.OFFLINE], **notes)


def several(cards: str, cores: int, memory: int = 4096, profile: str = "") -> Example:
    """A pod that shares several cards as the vendor's code wants it."""
    return shown(part(cores, memory), cards=cards, policy=NATIVE, profile=profile)


def page(bad: Example, good: Example, sources: str) -> Page:
    """What the page of a rule shows; ``sources`` by their short names."""
    return Page(bad, good, "; ".join(k.DOCUMENTS[tag] for tag in sources.split(", ")))
