"""The reader that takes the keys of a pod, and messages about their numbers that several vendors share.

The functions that end a sentence return message and hint, so that a rule and a writer say the same.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping
from dataclasses import field
from fractions import Fraction
from typing import NamedTuple

from gpuxlate.model import quantity
from gpuxlate.model.declarations import record
from gpuxlate.model.diagnostics import Diagnostic, Edit, Loss, LossKind, Path, Put, Severity
from gpuxlate.model.keys import BYTE, CardChoice, Chosen, KeySpec, LegalNumbers
from gpuxlate.model.messages import Message, msg
from gpuxlate.model.pod import (
    ClaimUse,
    ContainerKeys,
    NodeRequirement,
    PodClaim,
    PodKeys,
    ScalarKind,
    Value,
    keep_last,
)
from gpuxlate.model.profile import Card, Profile, all_cards, unknown_partition
from gpuxlate.model.quantity import GIB
from gpuxlate.model.share import (
    JSON_NAMES,
    Device,
    Isolation,
    Partition,
    Policy,
    Qos,
    Replica,
    Share,
    ShareError,
)
from gpuxlate.rules import number_format

MOST_MIB = GIB * GIB
"""1 TiB: more than any card has."""


def number(value: Value | None) -> int | None:
    """The value as a whole number; None where there is no value, or K8S001 or K8S002 reports it."""
    return None if value is None else quantity.parse_integer(value.text)


def in_mib(row: KeySpec, text: str) -> Fraction | None:
    """MiB of an amount that may have a unit; None where it is no quantity."""
    try:
        parsed = quantity.parse(text)
    except quantity.QuantityError:
        return None
    return parsed.amount * (BYTE if parsed.suffix else Fraction(row.unit))


def requesting(pod: PodKeys, *names: str) -> list[ContainerKeys]:
    """The containers that request any of the resources, in their order."""
    return [
        container for container in pod.all_containers() if any(name in container.resources for name in names)
    ]


def whole_numbers(pod: PodKeys, name: str) -> Iterator[tuple[ContainerKeys, Value, int]]:
    """Each container's amount of a resource, where it is a whole number."""
    for container in pod.all_containers():
        value = container.resources.get(name)
        amount = number(value)
        if value is not None and amount is not None:
            yield container, value, amount


def both_places(container: ContainerKeys, name: str) -> list[Value]:
    """The values of a resource in limits and in requests, where it is there."""
    return [values[name] for values in (container.limits, container.requests) if name in values]


def put_number(container: ContainerKeys, name: str, amount: int) -> tuple[Edit, ...]:
    """Edits that give a resource another number in limits, and in requests where both are equal (K8S003).

    It is quoted where it was quoted.
    """
    return tuple(
        Put(value.path, str(amount) if value.kind is ScalarKind.STR else amount)
        for value in both_places(container, name)
        if number(value) == number(container.resources[name])
    )


def second_names(pod: PodKeys, names: Mapping[str, str]) -> Iterator[tuple[Value, str, str]]:
    """Resources that a container has under two names: the value, its name, and the key's own name.

    ``names``: aliases, to the keys' own names.
    """
    for container in pod.all_containers():
        resources = container.resources
        names_meant = [names.get(name, name) for name in resources]
        for name, value in resources.items():
            if name in names and names_meant.count(names[name]) > 1:
                yield value, name, names[name]


# --- sentences --------------------------------------------------------------------------------
def written_name(value: Value, name: str) -> str:
    """The name under which a key of the data sheet is written: an alias, or its own."""
    return str(value.path[-1]) if value.path else name


def named_twice(name: str, standard: str) -> tuple[Message, Message]:
    """A resource under two names in one container."""
    message = msg("{name} is {own} under another name, and the container has both", name=name, own=standard)
    return message, msg("keep one of them: the name that the cluster has")


def outside(name: str, amount: int, low: int, high: int | None = None) -> str:
    """A number out of its range; without ``high`` only the minimum counts."""
    if high is None or amount < low:
        return msg("{key} {amount} is below the minimum of {low}", key=name, amount=amount, low=low)
    return msg("{key} {amount} is above the maximum of {high}", key=name, amount=amount, high=high)


def off_step(name: str, amount: int, step: int) -> str:
    """A number that is not a multiple of the step of its key."""
    return msg("{key} {amount} is not a multiple of {step}", key=name, amount=amount, step=step)


def not_legal(legal: LegalNumbers, name: str, number: int) -> str:
    """A number that a key may not have: below, above, or between those that it may."""
    if number < legal.least:
        return outside(name, number, legal.least)
    if legal.ends_below(number):
        return outside(name, number, legal.least, legal.most)
    if len(legal.ranges) == 1:
        return off_step(name, number, legal.ranges[0].step)
    return msg("{key} {amount} is not one of {numbers}", key=name, amount=number, numbers=legal.text)


def too_many_cards(cards: int, per_node: int) -> tuple[str, str]:
    """More cards than a node of the profile has."""
    message = msg("requests {cards} GPUs; nodes in this profile have {there}", cards=cards, there=per_node)
    return message, msg("request at most {most} GPUs, and more of each", most=per_node)


def too_large(each_mib: int, card_mib: int) -> tuple[str, str]:
    """More memory of each card than a card of the profile has, both in MiB."""
    message = msg(
        "requests {each} MiB per GPU; GPUs in this profile have {there} MiB", each=each_mib, there=card_mib
    )
    return message, msg("request at most {most} MiB per GPU, or omit memoryMiB", most=card_mib)


def beyond_every_card(
    share: Share, origins: Mapping[str, Path], profile: Profile | None
) -> Iterator[Diagnostic]:
    """GX011, a warning, for more memory of each card than any card of the catalogue has.

    ``origins``: by attribute of the share, the path of the value."""
    path = origins.get("memory_mib")
    if share.memory_mib is None or path is None:
        return
    (largest,) = _largest_card(profile)
    max_mib = largest.most_mib or 0
    if share.memory_mib > max_mib * share.cards:
        message = msg(
            "requests {each} MiB per GPU; the largest card of the catalogue, {card}, has {most} MiB",
            each=share.memory_mib // share.cards,
            card=largest.name,
            most=max_mib,
        )
        hint = msg("request at most {most} MiB per GPU, or add the card to a profile", most=max_mib)
        # in a patch, the number of cards may be elsewhere
        yield Diagnostic("GX011", Severity.WARNING, message, hint, path, missing=True)


@keep_last
def _largest_card(profile: Profile | None) -> Iterator[Card]:
    """The card of the catalogue with the most memory: one for all shares of a run."""
    yield max(all_cards(profile), key=lambda card: card.most_mib or 0)


# What a backend returns for a pod: shares, and choices that no share holds.
NODE_SELECTOR_TEXT = "node selector"


class Selector(NamedTuple):
    """A choice of nodes or cards that is in no field of a share. ``chosen``: the cards that it chooses, where
    it chooses cards."""

    key: str
    text: str
    path: Path
    what: str = NODE_SELECTOR_TEXT  # where it is set
    chosen: Chosen | None = None


def granted(
    attribute: str, code: str, why: Message, path: Path, *, asked: int | str, given: int | None
) -> Loss:
    """An accepted loss that says that the vendor gives more of a field than the keys request.

    ``why`` is a clause of its own.

    ``asked`` and ``given`` are totals over the cards; ``given`` None: all of them.
    """
    field = JSON_NAMES[attribute]
    gets = msg("all of the card") if given is None else given
    message = msg(
        "{field} {asked} is granted as {given}: {why}", field=field, asked=asked, given=gets, why=why
    )
    return Loss(LossKind.ROUNDED, field, code, message, asked=asked, given=given, accepted=True, path=path)


def rounded_up(
    attribute: str, code: str, path: Path, requested: Fraction | int, given: int
) -> tuple[Loss, ...]:
    """``granted`` where a requested number is not whole in percent or MiB of a share; else empty."""
    if requested == given:
        return ()
    unit = "MiB" if attribute.endswith("_mib") else "%"
    why = msg("a share counts whole {unit} of each card", unit=unit)
    return (granted(attribute, code, why, path, asked=f"{float(requested):.10g} {unit}", given=given),)


@record
class ContainerShare:
    """One container of a pod and its share, None where it requests no GPU.

    ``origins``: where each field was read from, by attribute name. ``granted``: where the share is more than
    the keys ask for, since the vendor gives more; of the kind rounded, and accepted: nobody can choose.
    ``shared_with``: other containers of the pod that use the same devices, which are one share.
    ``allocation``: what identifies devices that other pods have too, such as those of a ResourceClaim; empty
    where each pod has its own.
    """

    name: str
    index: int
    init: bool = False
    share: Share | None = None
    origins: Mapping[str, Path] = field(default_factory=dict)
    path: Path = ()
    granted: tuple[Loss, ...] = ()
    shared_with: tuple[str, ...] = ()
    allocation: frozenset[Hashable] = frozenset()


@record
class Reading:
    """The shares that a backend reads from a pod: its containers in their order, init containers first.

    Rules report mistakes in a manifest. ``invalid`` is GX011 alone: numbers that each are valid and together
    are not a share, and partitions and memory that no card has. ``notes``: findings about what a translation
    cannot keep and lint does not report. ``taken``: the paths of the keys that the backend has read.
    """

    containers: tuple[ContainerShare, ...]
    selectors: tuple[Selector, ...] = ()
    isolation: str | None = None  # ACK's mode, which is not a field of the share
    invalid: tuple[Diagnostic, ...] = ()
    notes: tuple[Diagnostic, ...] = ()
    taken: frozenset[Path] = frozenset()

    @property
    def shares(self) -> tuple[ContainerShare, ...]:
        """The containers that have a share, in the order of the pod."""
        return tuple(container for container in self.containers if container.share)

    def invalid_beside(self, findings: Iterable[Diagnostic]) -> Iterator[Diagnostic]:
        """``invalid``, without what a rule reports already, and without values on which it has a finding as
        severe."""
        if not self.invalid:
            return iter(())
        reported = list(findings)
        messages = {finding.message for finding in reported}
        errors = {finding.path for finding in reported if finding.severity is Severity.ERROR}
        warnings = {finding.path for finding in reported if finding.severity is Severity.WARNING}
        return (
            finding
            for finding in self.invalid
            if finding.message not in messages
            and finding.path not in errors
            and not (finding.severity is Severity.WARNING and finding.path in warnings)
        )


# Taking the keys of a pod, one by one, and making shares of them.
class PodReader:
    """The keys of a pod. What the backend takes is known; the caller reports the rest.

    A reader returns shares, or "no share here": rules report what is wrong with a manifest.
    """

    def __init__(self, pod: PodKeys, profile: Profile | None = None) -> None:
        self.pod = pod
        self.profile = profile  # which may add cards with partitions of their own
        self.taken: set[Path] = set()
        self.invalid: list[Diagnostic] = []
        self.notes: list[Diagnostic] = []
        self.selectors: list[Selector] = []
        self._unread: set[Path] = set()  # containers with a value that is not a whole number

    def _take(self, value: Value | None) -> Value | None:
        if value is not None:
            self.taken.add(value.path)
        return value

    def resource(self, container: ContainerKeys, name: str) -> Value | None:
        """The value in limits, else in requests; both are taken."""
        requested = self._take(container.requests.get(name))
        return self._take(container.limits.get(name)) or requested

    def number(self, container: ContainerKeys, name: str) -> int | None:
        """A resource as a whole number; None where it is absent, or not a whole number (K8S001, K8S002).

        A number such as ``0x10`` is only a warning of lint (GX008), but no translation reads it.
        """
        value = self.resource(container, name)
        amount = number(value)
        if value is not None and amount is None:
            self.unread(container, name, value)
        return amount

    def unread(self, container: ContainerKeys, name: str, value: Value) -> None:
        """A value that is no number, for which the container has no share (K8S001, K8S002)."""
        self._unread.add(container.path)
        if (
            number_format.number_as_written(value).form is number_format.NumberForm.ODD
        ):  # GX008 only warns; the key would be lost
            message = msg("{key} {text} is not translated", key=name, text=value.text)
            self.note("K8S001", message, value.path, "write the number in plain decimal digits")

    def label(self, name: str) -> Value | None:
        """A label of the pod, else of the workload (K8S005); both are taken."""
        owner = self._take(self.pod.owner_labels.get(name))
        return self._take(self.pod.labels.get(name)) or owner

    def annotation(self, name: str) -> Value | None:
        """An annotation of the pod, else of the workload (K8S005); both are taken."""
        owner = self._take(self.pod.owner_annotations.get(name))
        return self._take(self.pod.annotations.get(name)) or owner

    def env(self, container: ContainerKeys, name: str) -> Value | None:
        """A variable of the container; it is taken."""
        return self._take(container.env.get(name))

    def node_values(self, name: str) -> tuple[str, ...]:
        """The values that nodeSelector or the required node affinity (operator In) gives a node label.

        They are not taken: ``selector`` takes them, and is told which of them the share holds.
        """
        chosen = (
            requirement.values for requirement in self.pod.choices(name) if requirement.operator == "In"
        )
        return tuple(dict.fromkeys(text for values in chosen for text in values))

    def take_node(self, name: str) -> None:
        """Take every choice of nodes by a label; the backend reads it itself."""
        self.taken.update(requirement.path for requirement in self.pod.choices(name))

    def _select(self, requirement: NodeRequirement) -> None:
        self.taken.add(requirement.path)
        text = f"{requirement.operator} {', '.join(requirement.values)}".strip()
        self.selectors.append(Selector(requirement.key, text, requirement.path))

    def claim(self, use: ClaimUse, claim: PodClaim) -> None:
        """Take what a container gets by a claim."""
        self.taken.update((use.path, claim.path))

    def read_selector(self, name: str, readable: Collection[str] = ()) -> None:
        """Take a choice of nodes. Other targets do not have it, unless its values are all ``readable``: a
        field of the share holds them, or every share of the dialect implies them."""
        chosen = self._take(self.pod.node_selector.get(name))
        if chosen and chosen.text not in readable:
            self.selectors.append(Selector(name, chosen.text, chosen.path))
        for requirement in self.pod.requirements():
            if requirement.key != name:
                continue
            if requirement.operator == "In" and {*requirement.values} <= {*readable}:
                self.taken.add(requirement.path)
            else:
                self._select(requirement)

    def read_choice(
        self, value: Value | None, name: str, kind: str, choice: CardChoice | None = None
    ) -> None:
        """Take an annotation, a variable or a resource that chooses what no share holds."""
        if self._take(value) is not None and value is not None:
            chosen = Chosen.of(choice, value.text.split(","))
            self.selectors.append(Selector(name, value.text, value.path, kind, chosen))

    def note(
        self,
        code: str,
        message: str,
        path: Path,
        hint: str | None = None,
        severity: Severity = Severity.ERROR,
    ) -> None:
        """Record what a translation cannot keep, though the manifest is valid."""
        self.notes.append(Diagnostic(code, severity, message, hint, path))

    def report(self, code: str, message: str, path: Path, hint: str | None = None) -> None:
        """Record a wrong value of a form that has no rules of its own."""
        self.note(code, message, path, hint)

    def share(
        self,
        container: ContainerKeys,
        *,
        cards: int = 1,
        cores: int | None = None,
        memory_mib: int | None = None,
        policy: Policy | None = None,
        qos: Qos | None = None,
        memory_percent: int | None = None,
        memory_limit_mib: int | None = None,
        device: Device | None = None,
        isolation: Isolation | None = None,
        partition: Partition | None = None,
        replica: Replica | None = None,
        origins: Mapping[str, Path] | None = None,
        granted: tuple[Loss, ...] = (),
    ) -> ContainerShare:
        """The container with its share; GX011 where the numbers together are not a share.

        ``granted``: what the vendor gives beyond what the keys ask for.
        """
        if container.path in self._unread:
            return self.none(container)
        read_share = None
        where = dict(origins or {})
        try:
            numbers = (cards, cores, memory_mib, policy, qos, memory_percent, memory_limit_mib)
            read_share = Share(*numbers, device, isolation, partition, replica)
            self.invalid += beyond_every_card(read_share, where, self.profile)
        except ShareError as error:
            attributes = {name: attribute for attribute, name in JSON_NAMES.items()}
            for problem in error.problems:
                path = where.get(attributes[problem.field], container.path)
                # no key says the number of cards: it is one, or follows from the compute
                assumed = where.get("cards", container.path) in (container.path, where.get("cores"))
                self.invalid.append(
                    Diagnostic("GX011", Severity.ERROR, problem.message, problem.hint, path, missing=assumed)
                )
        if partition is not None and (unknown := unknown_partition(partition.profile, self.profile)):
            path = where.get("partition", container.path)
            self.invalid.append(Diagnostic("GX011", unknown.severity, unknown.message, unknown.hint, path))
        return ContainerShare(
            container.name, container.index, container.init, read_share, where, container.path, granted
        )

    def none(self, container: ContainerKeys) -> ContainerShare:
        """The container without a share."""
        return ContainerShare(container.name, container.index, container.init, path=container.path)

    def reading(self, containers: list[ContainerShare], isolation: str | None = None) -> Reading:
        """The result of a reader."""
        return Reading(
            tuple(containers),
            tuple(self.selectors),
            isolation,
            tuple(self.invalid),
            tuple(self.notes),
            frozenset(self.taken),
        )
