"""What reading, writing and the rules of ACK look up in keys and in the profile."""

from __future__ import annotations

from collections.abc import Iterator

from gpuxlate.backends.alibaba import keys as k
from gpuxlate.backends.alibaba.profile import AlibabaProfile
from gpuxlate.model import quantity
from gpuxlate.model.edits import Edit, Put
from gpuxlate.model.pod import ContainerKeys, Kind, Path, PodKeys, Value
from gpuxlate.model.profile import CardProfile, Profile


def whole_numbers(pod: PodKeys, name: str) -> Iterator[tuple[ContainerKeys, Value, int]]:
    """Each container's amount of a resource, where it is a whole number (else K8S001 says so)."""
    for container in pod.all_containers():
        value = container.resources.get(name)
        amount = quantity.whole(value.text) if value else None
        if value is not None and amount is not None:
            yield container, value, amount


def asking(pod: PodKeys, *names: str) -> list[ContainerKeys]:
    """The containers that ask for any of the resources."""
    return [c for c in pod.all_containers() if any(name in c.resources for name in names)]


def count_label(pod: PodKeys) -> Value | None:
    """The label that counts cards. One on the workload alone is read too; K8S005 says it is misplaced."""
    return pod.labels.get(k.COUNT) or pod.owner_labels.get(k.COUNT)


def count(label: Value | None) -> int | None:
    """The cards that the label counts: 1 without it, None where it is no positive whole number."""
    if label is None:
        return 1
    return int(label.text) if quantity.is_plain(label.text) and label.text != "0" else None


def cards_of(pod: PodKeys) -> int:
    """The cards of a shared pod; 1 where the label is no number (ACK002 says so)."""
    return count(count_label(pod)) or 1


def both_places(container: ContainerKeys, name: str) -> list[Value]:
    """The resource in limits and in requests."""
    return [values[name] for values in (container.limits, container.requests) if name in values]


def put_number(container: ContainerKeys, name: str, number: int) -> tuple[Edit, ...]:
    """Edits that give a resource another number, quoted where it was quoted."""
    return tuple(
        Put(value.path, str(number) if value.kind is Kind.STR else number)
        for value in both_places(container, name)
    )


def modes(pod: PodKeys) -> list[tuple[str, Path]]:
    """The modes that a pod chooses among, by nodeSelector or a required affinity of every term."""
    chosen = pod.node_selector.get(k.SCHEDULE)
    if chosen:
        return [(chosen.text, chosen.path)]
    required = pod.required_by_all_terms(k.SCHEDULE)
    return [(value, one.path) for one in required if one.operator == "In" for value in one.values]


def own_cards(profile: Profile | None) -> CardProfile:
    """The cards of a profile of this target. One of another target says nothing about these nodes."""
    return profile.cards if profile and profile.target in k.NAMES else CardProfile()


def units_of_card(profile: Profile | None) -> int | None:
    """How many units of ``gpu-mem`` a card of the profile has, None where it does not say.

    The remainder of the card is spread over its units: 22731 MiB are 22 units.
    """
    memory_mib = own_cards(profile).memory_mib
    return None if memory_mib is None else memory_mib // AlibabaProfile.of(profile).memory_unit_mib
