"""Numbers in the keys of containers, and the findings about them that several vendors share.

The functions that end a sentence return message and hint, so that a rule and a writer say the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from gpuxlate.model import quantity
from gpuxlate.model.edits import Edit, Put
from gpuxlate.model.messages import Message, say
from gpuxlate.model.pod import ContainerKeys, Kind, PodKeys, Value


def number(value: Value | None) -> int | None:
    """The value as a whole number; None where there is no value, or K8S001 or K8S002 reports it."""
    return None if value is None else quantity.whole(value.text)


def requesting(pod: PodKeys, *names: str) -> list[ContainerKeys]:
    """The containers that request any of the resources, in their order."""
    return [one for one in pod.all_containers() if any(name in one.resources for name in names)]


def whole_numbers(pod: PodKeys, name: str) -> Iterator[tuple[ContainerKeys, Value, int]]:
    """Each container's amount of a resource, where it is a whole number."""
    for container in pod.all_containers():
        value = container.resources.get(name)
        amount = number(value)
        if value is not None and amount is not None:
            yield container, value, amount


def both_places(container: ContainerKeys, name: str) -> list[Value]:
    """The resource in limits and in requests."""
    return [values[name] for values in (container.limits, container.requests) if name in values]


def put_number(container: ContainerKeys, name: str, amount: int) -> tuple[Edit, ...]:
    """Edits that give a resource another number in limits, and in requests where both are equal (K8S003).

    It is quoted where it was quoted.
    """
    return tuple(
        Put(value.path, str(amount) if value.kind is Kind.STR else amount)
        for value in both_places(container, name)
        if number(value) == number(container.resources[name])
    )


def second_names(pod: PodKeys, names: Mapping[str, str]) -> Iterator[tuple[Value, str, str]]:
    """Resources that a container has under two names: the value, its name, and the key's own name.

    ``names``: aliases, to the keys' own names.
    """
    for container in pod.all_containers():
        there = container.resources
        known = [names.get(name, name) for name in there]
        for name, value in there.items():
            if name in names and known.count(names[name]) > 1:
                yield value, name, names[name]


# --- sentences --------------------------------------------------------------------------------


def written_name(value: Value, name: str) -> str:
    """The name under which a key of the data sheet is written: an alias, or its own."""
    return str(value.path[-1]) if value.path else name


def named_twice(name: str, own: str) -> tuple[Message, Message]:
    """A resource under two names in one container."""
    message = say("{name} is {own} under another name, and the container has both", name=name, own=own)
    return message, say("keep one of them: the name that the cluster has")


def outside(name: str, amount: int, low: int, high: int | None = None) -> str:
    """A number out of its range; without ``high`` only the minimum counts."""
    if high is None or amount < low:
        return say("{key} {amount} is below the minimum of {low}", key=name, amount=amount, low=low)
    return say("{key} {amount} is above the maximum of {high}", key=name, amount=amount, high=high)


def off_step(name: str, amount: int, step: int) -> str:
    """A number that is not a multiple of the step of its key."""
    return say("{key} {amount} is not a multiple of {step}", key=name, amount=amount, step=step)


def too_many_cards(cards: int, per_node: int) -> tuple[str, str]:
    """More cards than a node of the profile has."""
    message = say("requests {cards} GPUs; nodes in this profile have {there}", cards=cards, there=per_node)
    return message, say("request at most {most} GPUs, and more of each", most=per_node)


def too_large(each_mib: int, card_mib: int) -> tuple[str, str]:
    """More memory of each card than a card of the profile has, both in MiB."""
    message = say(
        "requests {each} MiB per GPU; GPUs in this profile have {there} MiB", each=each_mib, there=card_mib
    )
    return message, say("request at most {most} MiB per GPU, or omit memoryMiB", most=card_mib)
