"""Taking the keys of a pod, one by one, and making shares of them."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from gpuxlate.backends.numbers import number
from gpuxlate.backends.results import ContainerShare, Reading, Selector
from gpuxlate.model.catalogue import unknown_partition
from gpuxlate.model.claims import ClaimUse, PodClaim
from gpuxlate.model.diagnostics import Diagnostic, Loss, Severity
from gpuxlate.model.messages import say
from gpuxlate.model.parts import Partition, Replica
from gpuxlate.model.pod import ContainerKeys, NodeRequirement, Path, PodKeys, Value
from gpuxlate.model.profile import Profile
from gpuxlate.model.share import JSON_NAMES, Device, Isolation, Policy, Qos, Share
from gpuxlate.model.share_problems import ShareError
from gpuxlate.model.sheet import Choice, Chosen
from gpuxlate.rules import numerals


class Taking:
    """The keys of a pod. What the backend takes is known; the caller reports the rest.

    A reader returns shares, or "no share here": what is wrong with a manifest, rules report.
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
        if numerals.written(value).form is numerals.Form.ODD:  # GX008 only warns; the key would be lost
            message = say("{key} {text} is not translated", key=name, text=value.text)
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
        chosen = (one.values for one in self.pod.choices(name) if one.operator == "In")
        return tuple(dict.fromkeys(text for values in chosen for text in values))

    def take_node(self, name: str) -> None:
        """Take every choice of nodes by a label; the backend reads it itself."""
        self.taken.update(one.path for one in self.pod.choices(name))

    def _select(self, requirement: NodeRequirement) -> None:
        self.taken.add(requirement.path)
        text = f"{requirement.operator} {', '.join(requirement.values)}".strip()
        self.selectors.append(Selector(requirement.key, text, requirement.path))

    def claim(self, use: ClaimUse, claim: PodClaim) -> None:
        """Take what a container gets by a claim."""
        self.taken.update((use.path, claim.path))

    def selector(self, name: str, known: Collection[str] = ()) -> None:
        """Take a choice of nodes. Other targets do not have it, unless its values are all ``known``: a
        field of the share holds them, or every share of the dialect implies them."""
        chosen = self._take(self.pod.node_selector.get(name))
        if chosen and chosen.text not in known:
            self.selectors.append(Selector(name, chosen.text, chosen.path))
        for requirement in self.pod.requirements():
            if requirement.key != name:
                continue
            if requirement.operator == "In" and {*requirement.values} <= {*known}:
                self.taken.add(requirement.path)
            else:
                self._select(requirement)

    def choice(self, value: Value | None, name: str, what: str, choice: Choice | None = None) -> None:
        """Take an annotation, a variable or a resource that chooses what no share holds."""
        if self._take(value) is not None and value is not None:
            chosen = Chosen.of(choice, value.text.split(","))
            self.selectors.append(Selector(name, value.text, value.path, what, chosen))

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

    def problem(self, code: str, message: str, path: Path, hint: str | None = None) -> None:
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

        ``granted``: what the vendor gives beyond what the keys ask for (``results.granted``).
        """
        if container.path in self._unread:
            return self.none(container)
        found = None
        where = dict(origins or {})
        try:
            numbers = (cards, cores, memory_mib, policy, qos, memory_percent, memory_limit_mib)
            found = Share(*numbers, device, isolation, partition, replica)
        except ShareError as error:
            attributes = {name: attribute for attribute, name in JSON_NAMES.items()}
            for one in error.problems:
                path = where.get(attributes[one.field], container.path)
                # no key says the number of cards: it is one, or follows from the compute
                assumed = where.get("cards", container.path) in (container.path, where.get("cores"))
                self.invalid.append(
                    Diagnostic("GX011", Severity.ERROR, one.message, one.hint, path, missing=assumed)
                )
        if partition is not None and (unknown := unknown_partition(partition.profile, self.profile)):
            path = where.get("partition", container.path)
            self.invalid.append(Diagnostic("GX011", unknown.severity, unknown.message, unknown.hint, path))
        return ContainerShare(
            container.name, container.index, container.init, found, where, container.path, granted
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
