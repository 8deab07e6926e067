"""Predicates on a pod, or on a container in its pod, and the constraints that rules build from them.

A number is a whole number as Kubernetes reads it (``quantity.parse_integer``). A predicate on any other value
is false, so a constraint on numbers says ``when`` the value is a number. A resource is read from limits, else
from requests. No predicate raises an error on any pod.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from functools import cached_property
from itertools import product
from typing import Any, NamedTuple, TypeAlias

from gpuxlate.model import quantity
from gpuxlate.model.declarations import record
from gpuxlate.model.diagnostics import Severity
from gpuxlate.model.keys import Place, Range
from gpuxlate.model.pod import (
    NODE_NAME,
    SCHEDULER_NAME,
    ContainerKeys,
    NodeRequirement,
    PodKeys,
    ScalarKind,
    Value,
)
from gpuxlate.model.profile import Profile, card_of


# --- where numbers are -----------------------------------------------------------------------------
@record
class LabelNumber:
    """The number in a label of the pod."""

    name: str


@record
class AnnotationNumber:
    """The number in an annotation of the pod."""

    name: str


@record
class PerContainerList:
    """The container's number in an annotation that has one for each of ``spec.containers``, in their order.

    ``asking``: a container with one of these resources has a number above 0. If a cluster adds containers,
    the list is longer, and their positions are unknown. Then the numbers above 0 belong to the
    containers with such a resource, in their order.
    """

    name: str
    asking: tuple[str, ...] = ()

    FORM = re.compile("[0-9]{1,9}(,[0-9]{1,9})*")
    """Whole numbers and commas alone, without spaces."""

    def asked_by(self, container: ContainerKeys) -> bool:
        """The container has one of the resources."""
        return any(resource(container, name) for name in self.asking)

    def numbers(self, pod: PodKeys) -> Sequence[int]:
        """The number of each container; empty where the list is absent, malformed, or of another length."""
        value = pod.annotations.get(self.name)
        if value is None or not self.FORM.fullmatch(value.text):
            return ()
        card_numbers = [int(part) for part in value.text.split(",")]
        if pod.grows and len(card_numbers) > len(pod.containers):
            card_numbers = self.spread(pod, card_numbers)
        return card_numbers if len(card_numbers) == len(pod.containers) else ()

    def spread(self, pod: PodKeys, numbers: Sequence[int]) -> list[int]:
        """The numbers above 0 for the containers with a resource of ``asking``, 0 for the others.

        Empty if there are not as many such containers as numbers above 0.
        """
        asking = [self.asked_by(container) for container in pod.containers]
        positive = [number for number in numbers if number]
        if len(positive) != sum(asking):
            return []
        numbers_in_order = iter(positive)
        return [next(numbers_in_order) if asks else 0 for asks in asking]


@record
class ClusterParameter:
    """A number of the cluster, such as MiB of a card, in its profile.

    ``per``: how much of ``value`` is one unit of the key that is compared, such as the MiB of one unit of
    memory. ``times``: the factor of the compared number, such as 2 for the sum of two cards. ``read``: a
    policy reads the number from its parameters when a pod is created, in place of the number in the profile.
    """

    name: str
    value: int
    per: int = 1
    times: int = 1
    read: bool = False

    @property
    def units(self) -> int:
        """The number that is compared, in units of the key, rounded down."""
        return self.value // self.per * self.times


Term: TypeAlias = str | LabelNumber | AnnotationNumber | PerContainerList
"""Where a number is; a bare name is a resource of the container."""


def resource(container: ContainerKeys | None, name: str) -> Value | None:
    """The value of a resource of a container: its limit, else its request; None without either."""
    if container is None:
        return None
    return container.limits.get(name) or container.requests.get(name)


def number_of(pod: PodKeys, container: ContainerKeys | None, term: Term) -> int | None:
    """The whole number of a term; None where there is none."""
    if isinstance(term, str):
        value = resource(container, term)
    elif isinstance(term, PerContainerList):
        numbers = () if container is None or container.init else term.numbers(pod)
        return numbers[container.index] if numbers and container is not None else None
    else:
        value = (pod.labels if isinstance(term, LabelNumber) else pod.annotations).get(term.name)
    return None if value is None else quantity.parse_integer(value.text)


# --- predicates -----------------------------------------------------------------------------------
Word: TypeAlias = str | re.Pattern[str] | Range
"""What a text may be: these letters, a pattern of all of it, or a number in a range."""
Reporter: TypeAlias = Callable[..., Any]
"""What words a violation, with the parameters of the function of a rule."""
Needs: TypeAlias = tuple[frozenset[str], ...]
"""Sets of names of keys. A pod must have a key of each set for a predicate to be true (or to be false)."""


class Predicate:
    """True or false of a container in its pod, or of a pod."""

    @property
    def of_pod(self) -> bool:
        """Whether the predicate is on the pod alone, without a container."""
        return False

    def holds(self, pod: PodKeys, container: ContainerKeys | None = None) -> bool:
        """Whether the predicate is true. Without a container, only predicates ``of_pod`` can be."""
        raise NotImplementedError

    def containers(self, pod: PodKeys) -> list[ContainerKeys]:
        """The containers for which the predicate is true, init containers first."""
        return [container for container in pod.all_containers() if self.holds(pod, container)]

    def needs(self, *, truth: bool = True) -> Needs:
        """The keys that a pod must have for the predicate to be ``truth``; empty if that is not known."""
        return ()

    def __call__(self, pod: PodKeys) -> bool:
        """Whether a predicate ``of_pod`` is true, so that it can be used as a function of a pod."""
        return self.holds(pod)

    def __and__(self, other: Predicate) -> Predicate:
        return AllOf(self, other)

    def __or__(self, other: Predicate) -> Predicate:
        return AnyOf(self, other)

    def __invert__(self) -> Predicate:
        return Not(self)


# --- values ---------------------------------------------------------------------------------------
def _matches(value: Value | None, words: tuple[Word, ...]) -> bool:
    """The value exists and, if there are words, matches one of them."""
    if value is None or not words:
        return value is not None
    return value.kind not in (ScalarKind.NULL, ScalarKind.NODE) and matches_word(value.text, words)


def matches_word(text: str, words: tuple[Word, ...]) -> bool:
    """The text is one of the words, matches a pattern, or is a number in a range."""
    number = quantity.parse_integer(text)
    for word in words:
        if isinstance(word, Range):
            if number is not None and word.allows(number):
                return True
        elif text == word if isinstance(word, str) else word.fullmatch(text):
            return True
    return False


def _names(*terms: Term) -> Needs:
    """The needs of a predicate on numbers: the key of each."""
    return tuple(frozenset({term if isinstance(term, str) else term.name}) for term in terms)


# --- of a container -------------------------------------------------------------------------------
@record
class Requests(Predicate):
    """Any of the resources is in limits or requests of the container, whatever its amount."""

    names: tuple[str, ...]

    def __init__(self, *names: str) -> None:
        object.__setattr__(self, "names", names)

    def holds(self, pod: PodKeys, container: ContainerKeys | None = None) -> bool:
        return any(resource(container, name) is not None for name in self.names)

    def needs(self, *, truth: bool = True) -> Needs:
        return (frozenset(self.names),) if truth else ()


@record
class InRange(Predicate):
    """The resource is a whole number in one of the ranges; without ranges, any whole number."""

    name: str
    ranges: tuple[Range, ...]

    def __init__(self, name: str, *ranges: Range) -> None:
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "ranges", ranges)

    def holds(self, pod: PodKeys, container: ContainerKeys | None = None) -> bool:
        number = number_of(pod, container, self.name)
        if number is None:
            return False
        return not self.ranges or any(range_.allows(number) for range_ in self.ranges)

    def needs(self, *, truth: bool = True) -> Needs:
        return _names(self.name) if truth else ()


@record
class IsFraction(Predicate):
    """The resource exists and is above 0 and below 1."""

    name: str

    def holds(self, pod: PodKeys, container: ContainerKeys | None = None) -> bool:
        value = resource(container, self.name)
        if value is None or value.kind in (ScalarKind.NODE, ScalarKind.NULL, ScalarKind.BOOL):
            return False
        return quantity.is_amount(value.text) and 0 < quantity.parse(value.text).amount < 1

    def needs(self, *, truth: bool = True) -> Needs:
        return _names(self.name) if truth else ()


@record
class Divides(Predicate):
    """Both numbers exist, ``by`` is at least 1, and ``name`` is a multiple of ``by * step``."""

    name: str
    by: Term
    step: int = 1

    def holds(self, pod: PodKeys, container: ContainerKeys | None = None) -> bool:
        number, by = (number_of(pod, container, term) for term in (self.name, self.by))
        return number is not None and by is not None and by >= 1 and number % (by * self.step) == 0

    def needs(self, *, truth: bool = True) -> Needs:
        return _names(self.name, self.by) if truth else ()


@record
class AtMost(Predicate):
    """The number exists and is at most ``maximum * by``; a ``by`` that is missing or below 1 counts as 1."""

    name: str
    maximum: int
    by: Term | None = None

    def holds(self, pod: PodKeys, container: ContainerKeys | None = None) -> bool:
        number = number_of(pod, container, self.name)
        by = None if self.by is None else number_of(pod, container, self.by)
        return number is not None and number <= self.maximum * max(by or 1, 1)

    def needs(self, *, truth: bool = True) -> Needs:
        return _names(self.name) if truth else ()


@record
class AtLeast(Predicate):
    """Both numbers exist, ``by`` is at least 1, and ``name`` is at least ``minimum * by``."""

    name: str
    minimum: int
    by: Term

    def holds(self, pod: PodKeys, container: ContainerKeys | None = None) -> bool:
        number, by = (number_of(pod, container, term) for term in (self.name, self.by))
        return number is not None and by is not None and by >= 1 and number >= self.minimum * by

    def needs(self, *, truth: bool = True) -> Needs:
        return _names(self.name, self.by) if truth else ()


@record
class EnvIs(Predicate):
    """The container sets the variable; with words, to one of them. ``any_case``: in any letter case."""

    name: str
    words: tuple[str, ...]
    any_case: bool

    def __init__(self, name: str, *words: str, any_case: bool = False) -> None:
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "words", tuple(word.lower() for word in words) if any_case else words)
        object.__setattr__(self, "any_case", any_case)

    def holds(self, pod: PodKeys, container: ContainerKeys | None = None) -> bool:
        value = None if container is None else container.env.get(self.name)
        if value is not None and self.any_case:
            value = Value(value.text.lower(), value.kind)
        return _matches(value, self.words)

    def needs(self, *, truth: bool = True) -> Needs:
        return _names(self.name) if truth else ()


@record
class Privileged(Predicate):
    """``securityContext.privileged`` of the container is true."""

    def holds(self, pod: PodKeys, container: ContainerKeys | None = None) -> bool:
        value = None if container is None else container.privileged
        return value is not None and value.text.lower() == "true"


@record
class IsInit(Predicate):
    """The container is an init container."""

    def holds(self, pod: PodKeys, container: ContainerKeys | None = None) -> bool:
        return container is not None and container.init


# --- of a pod -------------------------------------------------------------------------------------
class OfPod(Predicate):
    """A predicate on the pod alone."""

    @property
    def of_pod(self) -> bool:
        return True


@record
class HasKey(OfPod):
    """The pod has a key; with words, its value is one of them."""

    name: str
    words: tuple[Word, ...]

    def __init__(self, name: str, *words: Word) -> None:
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "words", words)

    def needs(self, *, truth: bool = True) -> Needs:
        return _names(self.name) if truth else ()


class Labelled(HasKey):
    """The pod itself has the label; with words, its value is one of them."""

    def holds(self, pod: PodKeys, container: ContainerKeys | None = None) -> bool:
        return _matches(pod.labels.get(self.name), self.words)


class PodItselfLabelled(Labelled):
    """The pod template itself has the label; a label of its workload alone does not count."""

    def holds(self, pod: PodKeys, container: ContainerKeys | None = None) -> bool:
        return self.name not in pod.only_above and super().holds(pod, container)


class IsAnnotated(HasKey):
    """The pod itself has the annotation; with words, its value is one of them."""

    def holds(self, pod: PodKeys, container: ContainerKeys | None = None) -> bool:
        return _matches(pod.annotations.get(self.name), self.words)


class RequiresNodeLabel(HasKey):
    """The pod runs on nodes with the label; with words, only on those where it is one of them.

    By nodeSelector, or by a requirement with the operator In in every term of its node affinity.
    """

    def holds(self, pod: PodKeys, container: ContainerKeys | None = None) -> bool:
        if _matches(pod.node_selector.get(self.name), self.words):
            return True
        return bool(pod.affinity) and all(any(map(self._chooses, term)) for term in pod.affinity)

    def _chooses(self, requirement: NodeRequirement) -> bool:
        if requirement.key != self.name or requirement.operator != "In":
            return False
        return not self.words or all(matches_word(text, self.words) for text in requirement.values)


@record
class SchedulerIs(OfPod):
    """``schedulerName`` is one of the names; "" stands for a pod without ``schedulerName``."""

    names: tuple[str, ...]

    def __init__(self, *names: str) -> None:
        object.__setattr__(self, "names", names)

    def holds(self, pod: PodKeys, container: ContainerKeys | None = None) -> bool:
        return _text(pod.scheduler_name) in self.names

    def needs(self, *, truth: bool = True) -> Needs:
        return _names(SCHEDULER_NAME) if ("" not in self.names) is truth else ()


@record
class NodeIsNamed(OfPod):
    """The manifest sets ``nodeName``. Only for pods as they are created: a scheduler sets it later."""

    def holds(self, pod: PodKeys, container: ContainerKeys | None = None) -> bool:
        return bool(_text(pod.node_name))

    def needs(self, *, truth: bool = True) -> Needs:
        return _names(NODE_NAME) if truth else ()


def _text(value: Value | None) -> str:
    return "" if value is None or value.kind in (ScalarKind.NULL, ScalarKind.NODE) else value.text


@record
class SomeContainer(OfPod):
    """The predicate is true of some container, init containers too."""

    predicate: Predicate

    def holds(self, pod: PodKeys, container: ContainerKeys | None = None) -> bool:
        return any(self.predicate.holds(pod, container) for container in pod.all_containers())

    def needs(self, *, truth: bool = True) -> Needs:
        return self.predicate.needs() if truth else ()


@record
class ContainersAtMost(OfPod):
    """The predicate is true of at most so many containers, init containers too."""

    predicate: Predicate
    maximum: int

    def holds(self, pod: PodKeys, container: ContainerKeys | None = None) -> bool:
        return len(self.predicate.containers(pod)) <= self.maximum

    def needs(self, *, truth: bool = True) -> Needs:
        return () if truth else self.predicate.needs()


class NodeLabelAmong(HasKey):
    """Whatever value nodeSelector or the required node affinity gives the label, it is one of the words."""

    def holds(self, pod: PodKeys, container: ContainerKeys | None = None) -> bool:
        return all(
            matches_word(text, self.words)
            for requirement in pod.choices(self.name)
            for text in requirement.values
        )

    def needs(self, *, truth: bool = True) -> Needs:
        return super().needs(truth=not truth)


class MayRunOnNodeLabel(HasKey):
    """The nodes of the pod may have the label with one of the words.

    nodeSelector decides. Without it, every term of the required node affinity must name the label, and one of
    them must have a word in the values of an ``In``.
    """

    def holds(self, pod: PodKeys, container: ContainerKeys | None = None) -> bool:
        return any(matches_word(text, self.words) for text, _ in pod.allowed(self.name))


@record
class HasKeyLike(Predicate):
    """The pod has a label or annotation, or the container has a variable, whose whole name matches."""

    place: Place
    pattern: re.Pattern[str]

    @property
    def of_pod(self) -> bool:
        return self.place is not Place.ENV

    def holds(self, pod: PodKeys, container: ContainerKeys | None = None) -> bool:
        if self.place is Place.ENV:
            names = container.env if container is not None else {}
        else:
            names = pod.labels if self.place is Place.LABEL else pod.annotations
        return any(map(self.pattern.fullmatch, names))


@record
class ListEntryIs(Predicate):
    """A list of the pod has a number for the container; with ranges, in one of them."""

    by: PerContainerList
    ranges: tuple[Range, ...]

    def __init__(self, by: PerContainerList, *ranges: Range) -> None:
        object.__setattr__(self, "by", by)
        object.__setattr__(self, "ranges", ranges)

    def holds(self, pod: PodKeys, container: ContainerKeys | None = None) -> bool:
        number = number_of(pod, container, self.by)
        return number is not None and (
            not self.ranges or any(range_.allows(number) for range_ in self.ranges)
        )

    def needs(self, *, truth: bool = True) -> Needs:
        return (frozenset({self.by.name}),) if truth else ()


@record
class ListCoversContainers(OfPod):
    """The annotation is a list of whole numbers, one for each of ``spec.containers``."""

    list: PerContainerList

    def holds(self, pod: PodKeys, container: ContainerKeys | None = None) -> bool:
        return bool(self.list.numbers(pod))

    def needs(self, *, truth: bool = True) -> Needs:
        return (frozenset({self.list.name}),) if truth else ()


# --- together -------------------------------------------------------------------------------------
@record
class _Combination(Predicate):
    parts: tuple[Predicate, ...]

    def __init__(self, *parts: Predicate) -> None:
        object.__setattr__(self, "parts", parts)

    @property
    def of_pod(self) -> bool:
        return all(part.of_pod for part in self.parts)

    def _each(self, truth: bool) -> Needs:
        """The needs if every part is ``truth``."""
        return tuple(names for part in self.parts for names in part.needs(truth=truth))

    def _some(self, truth: bool) -> Needs:
        """The needs if some part is ``truth``: the names of all parts together, if each has some."""
        needs = [part.needs(truth=truth) for part in self.parts]
        return (frozenset().union(*(names[0] for names in needs)),) if all(needs) else ()


class AllOf(_Combination):
    """Each of the predicates is true; of none, true."""

    def holds(self, pod: PodKeys, container: ContainerKeys | None = None) -> bool:
        for part in self.parts:  # noqa: SIM110 - all() of a generator takes twice as long
            if not part.holds(pod, container):
                return False
        return True

    def needs(self, *, truth: bool = True) -> Needs:
        return self._each(truth) if truth else self._some(truth)


class AnyOf(_Combination):
    """One of the predicates is true at least; of none, false."""

    def holds(self, pod: PodKeys, container: ContainerKeys | None = None) -> bool:
        for part in self.parts:  # noqa: SIM110
            if part.holds(pod, container):
                return True
        return False

    def needs(self, *, truth: bool = True) -> Needs:
        return self._some(truth) if truth else self._each(truth)


@record
class Not(Predicate):
    """The predicate is false."""

    predicate: Predicate

    @property
    def of_pod(self) -> bool:
        return self.predicate.of_pod

    def holds(self, pod: PodKeys, container: ContainerKeys | None = None) -> bool:
        return not self.predicate.holds(pod, container)

    def needs(self, *, truth: bool = True) -> Needs:
        return self.predicate.needs(truth=not truth)


ALWAYS = AllOf()
NEVER = AnyOf()


# Numbers of the cluster in predicates. They have no form in JSON Schema: an editor knows no cluster.
@record
class ParameterIsSet(OfPod):
    """The number is known. In lint always; in a policy that reads it, if its parameters have it."""

    parameter: ClusterParameter

    def holds(self, pod: PodKeys, container: ContainerKeys | None = None) -> bool:
        return True


@record
class AtMostParameter(Predicate):
    """The number exists and is at most ``maximum * by``; a ``by`` that is missing or below 1 counts as 1."""

    name: Term
    maximum: ClusterParameter
    by: Term | None = None

    @property
    def of_pod(self) -> bool:
        return all(isinstance(term, LabelNumber | AnnotationNumber | None) for term in (self.name, self.by))

    def holds(self, pod: PodKeys, container: ContainerKeys | None = None) -> bool:
        number = number_of(pod, container, self.name)
        by = None if self.by is None else number_of(pod, container, self.by)
        return number is not None and number <= self.maximum.units * max(by or 1, 1)


def parts_of(structure: object) -> Iterator[object]:
    """A predicate, a constraint or a tuple of them, and everything inside, at any depth."""
    yield structure
    if is_dataclass(structure) and not isinstance(structure, type):
        for field in fields(structure):
            yield from parts_of(getattr(structure, field.name))
    elif isinstance(structure, tuple):
        for part in structure:
            yield from parts_of(part)


def numbers_in(structure: object) -> tuple[ClusterParameter, ...]:
    """The numbers of the cluster in a predicate, a constraint or a tuple of them, each name once."""
    by_name = {part.name: part for part in parts_of(structure) if isinstance(part, ClusterParameter)}
    return tuple(by_name.values())


def parameters_in(structure: object) -> tuple[ClusterParameter, ...]:
    """The numbers of the cluster that a policy reads from its parameters."""
    return tuple(parameter for parameter in numbers_in(structure) if parameter.read)


def with_parameters(predicate: Predicate) -> Predicate:
    """The predicate for a policy that reads the numbers of the cluster from its parameters."""
    match predicate:
        case AllOf() | AnyOf():
            return type(predicate)(*map(with_parameters, predicate.parts))
        case Not() | SomeContainer() | ContainersAtMost():
            return replace(predicate, predicate=with_parameters(predicate.predicate))
        case AtMostParameter():
            return replace(predicate, maximum=replace(predicate.maximum, read=True))
    return predicate


# Predicates on resources with several names are true under any of them. A container with two names of one
# resource has a finding of a rule on names; the predicates on it may then be true or false.
Aliases = Mapping[str, tuple[str, ...]]
"""The other names of resources, by their own names."""


def under_any_name(predicate: Predicate, aliases: Aliases) -> Predicate:
    """The predicate that is true if it holds under any combination of the names of its resources."""
    if isinstance(predicate, AllOf | AnyOf):
        return type(predicate)(*(under_any_name(part, aliases) for part in predicate.parts))
    if isinstance(predicate, Not | SomeContainer | ContainersAtMost):
        return replace(predicate, predicate=under_any_name(predicate.predicate, aliases))
    if isinstance(predicate, Requests):
        return Requests(
            *(
                name
                for resource_name in predicate.names
                for name in (resource_name, *aliases.get(resource_name, ()))
            )
        )
    names = [(resource_name, *aliases.get(resource_name, ())) for resource_name in resources_in(predicate)]
    cases = [_with_names(predicate, chosen) for chosen in product(*names)]
    return cases[0] if len(cases) == 1 else AnyOf(*cases)


def resources_in(predicate: Predicate) -> Iterator[str]:
    """The resources that a predicate looks at."""
    if isinstance(predicate, AllOf | AnyOf):
        for part in predicate.parts:
            yield from resources_in(part)
    elif isinstance(predicate, Not | SomeContainer | ContainersAtMost):
        yield from resources_in(predicate.predicate)
    elif isinstance(predicate, Requests):
        yield from predicate.names
    elif isinstance(predicate, InRange):
        yield predicate.name
    elif isinstance(predicate, Divides | AtMost | AtLeast):
        yield predicate.name
        if isinstance(predicate.by, str):
            yield predicate.by
    elif isinstance(predicate, AtMostParameter):
        yield from (term for term in (predicate.name, predicate.by) if isinstance(term, str))


def _with_names(predicate: Predicate, chosen: tuple[str, ...]) -> Predicate:
    """A predicate on numbers with other names for its resources, in the order of ``resources_in``."""
    if isinstance(predicate, InRange):
        return InRange(chosen[0], *predicate.ranges)
    if isinstance(predicate, Divides | AtMost | AtLeast):
        by = chosen[1] if len(chosen) > 1 else predicate.by
        return replace(predicate, name=chosen[0], by=by)  # type: ignore[arg-type]
    if isinstance(predicate, AtMostParameter):
        names = iter(chosen)
        name, by = (next(names) if isinstance(term, str) else term for term in (predicate.name, predicate.by))
        return replace(predicate, name=name or "", by=by)
    return predicate


class Violation(NamedTuple):
    """One place where a constraint does not hold: the container, empty for a pod, and the key there.

    ``name`` is "" where the constraint names no keys, ``value`` None where the key is not there.
    """

    constraint: Constraint
    container: ContainerKeys
    name: str
    value: Value | None

    @property
    def value_at(self) -> Value:
        """The value of the key; if the key is missing, an empty value at the path of the container."""
        return self.value or Value("", path=self.container.path)

    @property
    def number(self) -> int:
        """The value as a whole number; 0 if it is none."""
        return quantity.parse_integer(self.value_at.text) or 0


@record
class Constraint:
    """``must`` is true wherever ``when`` is.

    ``per_container``: the constraint is on every container with one of the resources ``keys`` (without
    ``keys``, on every container), and a violation is at the first of ``keys`` that the container has. Else
    the constraint is on the pod, and a violation is at the first of ``keys`` that it has: an annotation, a
    label, a node selector, ``schedulerName`` or ``nodeName``.
    ``aliases``: other names of resources, which a policy accepts too; lint checks a pod under the own names.
    ``severity``: of a violation, if not the rule's. ``report``: words a violation in place of the function of
    the rule. ``cases``: for a constraint with several sentences, pairs of a predicate and the function that
    words a violation where it is true (None: the function of the rule).
    Raises ValueError if the constraint is on the pod and a predicate is on containers.
    """

    must: Predicate
    when: Predicate = ALWAYS
    keys: tuple[str, ...] = ()
    per_container: bool = True
    aliases: tuple[tuple[str, tuple[str, ...]], ...] = ()
    severity: Severity | None = None
    report: Reporter | None = None
    cases: tuple[tuple[Predicate, Reporter | None], ...] = ()

    def __post_init__(self) -> None:
        if not self.per_container and not (self.must.of_pod and self.when.of_pod):
            raise ValueError(f"a constraint on pods has a predicate of containers: {self}")

    def violations(self, pod: PodKeys) -> Sequence[Violation]:
        """Where the pod violates the constraint, init containers first."""
        if not self.per_container:
            broken = self.when.holds(pod) and not self.must.holds(pod)
            return (Violation(self, ContainerKeys(), *self._at_pod(pod)),) if broken else ()
        result: list[Violation] = []
        for container in (*pod.init_containers, *pod.containers):
            name = ""
            if self.keys:
                limits, requests = container.limits, container.requests
                for name in self.keys:
                    if name in limits or name in requests:
                        break
                else:
                    continue
            if self.when.holds(pod, container) and not self.must.holds(pod, container):
                result.append(Violation(self, container, name, resource(container, name)))
        return result

    def reports(self, pod: PodKeys, container: ContainerKeys) -> Sequence[Reporter | None]:
        """The functions that word a violation in a container; None: the function of the rule."""
        return [report for case, report in self.cases if case.holds(pod, container)] or (self.report,)

    @cached_property
    def needs(self) -> Needs:
        """Sets of names: a pod that violates the constraint has a key of each. May have too few, never too
        many."""
        keys = (frozenset(self.keys),) if self.per_container and self.keys else ()
        return (*keys, *self.when.needs(), *self.must.needs(truth=False))

    @property
    def demand(self) -> Predicate:
        """The constraint as one predicate, which must be true of the pod, or of each of its containers."""
        first = self.when.parts[0] if isinstance(self.when, AllOf) and self.when.parts else self.when
        counted = isinstance(first, InRange) and self.keys == (first.name,)  # a number is there
        keys = [Requests(*self.keys)] if self.per_container and self.keys and not counted else []
        only = [
            *keys,
            *map(ParameterIsSet, parameters_in((self.must, self.when))),
            *([] if self.when == ALWAYS else [self.when]),
        ]
        demand = AnyOf(Not(only[0] if len(only) == 1 else AllOf(*only)), self.must) if only else self.must
        return under_any_name(demand, dict(self.aliases)) if self.aliases else demand

    def with_aliases(self, aliases: Aliases) -> Constraint:
        """The constraint with the other names of its resources; unchanged if it is on such a name itself."""
        names = {*self.keys, *resources_in(self.must), *resources_in(self.when)}
        others = {other for alias in aliases.values() for other in alias}
        own_aliases = tuple((name, others) for name, others in aliases.items() if name in names)
        return self if names & others or not own_aliases else replace(self, aliases=own_aliases)

    def _at_pod(self, pod: PodKeys) -> tuple[str, Value | None]:
        fields = {"schedulerName": pod.scheduler_name, "nodeName": pod.node_name}
        for name in self.keys:
            for values in (fields, pod.annotations, pod.labels, pod.node_selector):
                value = values.get(name)
                if value is not None:
                    return name, value
        return next(iter(self.keys), ""), None


# What a rule demands in a cluster with a profile: numbers of its cards, its versions and modes.
NEEDS_CARDS = "it compares with the cards of a profile (--profile) or of the nodes"
"""``why`` of rules with numbers that a policy reads from its parameters."""
NEEDS_MODES = "a profile (--profile) or the nodes have the versions and modes of the cluster"
"""``why`` of rules that are in the policies of some clusters, and not of others."""
CARDS_PER_NODE, CARD_MEMORY_MIB = "cardsPerNode", "cardMemoryMiB"
"""The names of the parameters of a policy."""


class WithProfile(NamedTuple):
    """What a rule demands in a cluster that has a profile.

    ``constraints``: computes them from a profile, of any target. ``why``: why the rule needs a profile.
    """

    constraints: Callable[[Profile], tuple[Constraint, ...]]
    why: str

    def with_aliases(self, aliases: Aliases) -> WithProfile:
        """The same with constraints that hold under all names of resources: see ``Rule.with_aliases``."""
        return self._replace(
            constraints=lambda profile: tuple(
                constraint.with_aliases(aliases) for constraint in self.constraints(profile)
            )
        )


def cards_per_node(profile: Profile, names: Collection[str]) -> ClusterParameter | None:
    """The number of cards of a node, from a profile of a target with one of the names.

    None if the profile does not say.
    """
    number = card_of(profile, names).per_node
    return None if number is None else ClusterParameter(CARDS_PER_NODE, number)


def card_memory(profile: Profile, names: Collection[str], unit_mib: int = 1) -> ClusterParameter | None:
    """The memory of one card in units of ``unit_mib`` MiB, from a profile of a target with one of the names.

    None if the profile does not say.
    """
    memory_mib = card_of(profile, names).memory_mib
    return None if memory_mib is None else ClusterParameter(CARD_MEMORY_MIB, memory_mib, unit_mib)
