"""The kinds of rules that follow from what a sheet says of words, of the pod, and of cards."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from fnmatch import fnmatchcase

from gpuxlate.backends.base import Key, Place
from gpuxlate.backends.numbers import written_name
from gpuxlate.backends.sheet import examples
from gpuxlate.backends.sheet.examples import Example
from gpuxlate.backends.sheet.kinds import Kind
from gpuxlate.model import quantity
from gpuxlate.model.diagnostics import Diagnostic, Fix, Severity
from gpuxlate.model.edits import Put
from gpuxlate.model.messages import say
from gpuxlate.model.pod import PodKeys, Value
from gpuxlate.model.sheet import Range
from gpuxlate.rules.base import Context, Rule
from gpuxlate.rules.predicates.conditions import (
    Amount,
    Annotated,
    Any,
    Asks,
    Condition,
    ContainersAtMost,
    EnvIs,
    IsInit,
    Labelled,
    Not,
    SchedulerIs,
    SomeContainer,
)
from gpuxlate.rules.predicates.predicate import Breach, Predicate

DEFAULT_SCHEDULER = "default-scheduler"


def _by_pattern(rows: Iterable[Key], pod: PodKeys) -> Iterator[tuple[Key, str, Value]]:
    """The annotations with the name of a container in their own, each with its row."""
    for row in rows:
        if row.is_pattern and Place.ANNOTATION in row.places:
            found = ((name, value) for name, value in pod.annotations.items() if row.matches(name))
            yield from ((row, name, value) for name, value in found)


class Words(Kind):
    """Annotations, labels and variables that have a list of values."""

    number, name = 4, "choice-is-known"
    summary = "A choice of {title} has a value that it knows."
    what = "Reports other values of {keys}."
    usual_why = "The pod is refused, or the value is ignored and the default counts."

    def rows(self) -> Iterable[Key]:
        return (row for row in self.sheet.keys if self._known(row) and Place.RESOURCE not in row.places)

    @staticmethod
    def _known(row: Key) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*row.words, *(one for one in row.values if isinstance(one, str)))))

    def predicates(self) -> Iterable[Predicate]:
        for row in self.mine:
            words = self._known(row)
            if row.is_pattern:
                continue
            if Place.ENV in row.places:
                yield Predicate(EnvIs(row.name, *words), EnvIs(row.name), (row.name,))
            elif Place.LABEL in row.places:
                yield Predicate(Labelled(row.name, *words), Labelled(row.name), (row.name,), each=False)
            else:
                yield Predicate(Annotated(row.name, *words), Annotated(row.name), (row.name,), each=False)

    def findings(self, this: Rule, breach: Breach, pod: PodKeys) -> Iterator[Diagnostic]:
        row = next(row for row in self.mine if row.name == breach.name)
        if breach.value is not None:
            yield self._unknown(this, row, breach.name, breach.value)

    def also(self, this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
        for row, name, value in _by_pattern(self.mine, pod):
            if value.text not in self._known(row):
                yield self._unknown(this, row, name, value)

    def _unknown(self, this: Rule, row: Key, name: str, value: Value) -> Diagnostic:
        message = say(
            "{key} is {value!r}, which {title} does not know",
            key=name,
            value=value.text,
            title=self.sheet.title,
        )
        return this.at(value, message, say("write one of {known}", known=", ".join(self._known(row))))

    def example(self) -> Example:
        return self._with(lambda word: f"{word}s")

    def instead(self) -> Example:
        return self._with(str)

    def _with(self, make: type[str] | object) -> Example:
        good, row = examples.share(self.sheet), self.mine[0]
        value = {row.name: Value.of(make(self._known(row)[0]))}  # type: ignore[operator]
        if Place.LABEL in row.places:
            return replace(good, labels={**good.labels, **value})
        return replace(good, annotations={**good.annotations, **value})


class Scheduler(Kind):
    """The scheduler that the keys have effect with."""

    number, name, fix = 6, "scheduler-places-the-share", "unsafe"
    summary = "`schedulerName` is one with which the keys of {title} have effect."
    what = "Reports another `schedulerName` as an error and, where one has to be named, a missing one as a warning."
    usual_why = "Only that scheduler places the share: with another one the keys have no effect."
    fixing = "Writes the scheduler. Unsafe: the pod goes to another scheduler."

    def rows(self) -> Iterable[Key]:
        named = self.sheet.scheduler or self.sheet.schedulers
        return (row for row in self.sheet.keys if named and row.unit and Place.SCHEDULER not in row.places)

    def predicates(self) -> Iterable[Predicate]:
        yield Predicate(SchedulerIs(*self._known()), self._asks(), ("schedulerName",), each=False)

    def _known(self) -> tuple[str, ...]:
        backend = self.sheet.backend
        return backend.schedulers if self.sheet.scheduler else ("", DEFAULT_SCHEDULER, *backend.schedulers)

    def _asks(self) -> Condition:
        resources = tuple(row.name for row in self.mine if Place.RESOURCE in row.places)
        exact = (row for row in self.mine if Place.ANNOTATION in row.places and not row.is_pattern)
        on_pod = [Annotated(row.name) for row in exact]
        return Any(*([SomeContainer(Asks(*resources))] if resources else []), *on_pod)

    def also(self, this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
        if not SchedulerIs(*self._known()).holds(pod) and not self._asks().holds(pod):
            yield from self.findings(this, Breach(None, "schedulerName", pod.scheduler_name), pod)

    def findings(self, this: Rule, breach: Breach, pod: PodKeys) -> Iterator[Diagnostic]:
        value = self._asking(pod)
        if value is None:
            return
        name = self.sheet.backend.schedulers[0]
        hint = say("write schedulerName: {name}", name=name)
        if breach.value is not None and breach.value.text:
            message = say(
                "schedulerName is {named}; only {name} places this share", named=breach.value.text, name=name
            )
            fix = Fix(hint, (Put(breach.value.path, name),), safe=False)
            yield this.at(breach.value, message, hint, fix=fix)
            return
        fix = Fix(hint, (Put((*pod.path, "schedulerName"), name),), safe=False)
        message = say("schedulerName is not set; only {name} places this share", name=name)
        yield this.at(value, message, hint, severity=Severity.WARNING, on_key=True, fix=fix, missing=True)

    def _asking(self, pod: PodKeys) -> Value | None:
        for row in self.mine:
            for container in pod.all_containers():
                if row.name in container.resources:
                    return container.resources[row.name]
            if row.name in pod.annotations:
                return pod.annotations[row.name]
        return next((value for _, _, value in _by_pattern(self.mine, pod)), None)

    def example(self) -> Example:
        return replace(self.instead(), scheduler="another-scheduler")


class Sizes(Kind):
    """Memory that the vendor rounds up to the next part that it has."""

    number, name = 10, "memory-is-a-size"
    severity = Severity.INFO
    summary = "The memory of a part of a card is one that {title} has."
    what = "Reports {keys} between two sizes: the container gets the next larger one, and the compute that comes with it."
    usual_why = "Cards are divided into parts of fixed sizes."

    def rows(self) -> Iterable[Key]:
        return (row for row in self.sheet.keys if self.sheet.sizes and row.says == "memory_mib")

    def predicates(self) -> Iterable[Predicate]:
        largest = self.sheet.sizes[-1].memory_mib
        known = tuple(Range(one.memory_mib, one.memory_mib) for one in self.sheet.sizes)
        for row in self.mine:
            yield Predicate(Amount(row.name, *known, Range(largest + 1)), Amount(row.name), (row.name,))

    def findings(self, this: Rule, breach: Breach, pod: PodKeys) -> Iterator[Diagnostic]:
        number = None if breach.value is None else quantity.whole(breach.value.text)
        if breach.value is None or number is None:
            return
        size = next(one for one in self.sheet.sizes if one.memory_mib >= number)
        message = say(
            "{key} {amount} becomes {memory} MiB with {cores} % of compute",
            key=written_name(breach.value, breach.name),
            amount=number,
            memory=size.memory_mib,
            cores=size.cores,
        )
        yield this.at(breach.value, message, say("write {number}", number=size.memory_mib))

    def example(self) -> Example:
        good = self.instead()
        row = next(row for row in self.mine if row.name in good.limits[0])
        return good.setting(row.name, int(good.limits[0][row.name].text) - 1)


class Init(Kind):
    """Init containers, where they can have no share."""

    number, name = 11, "init-containers-have-no-share"
    summary = "An init container requests no share of {title}."
    what = "Reports {keys} in an init container."
    usual_why = "{title} does not divide cards among init containers."

    def rows(self) -> Iterable[Key]:
        return (
            row
            for row in self.sheet.keys
            if not self.sheet.init and row.unit and Place.RESOURCE in row.places
        )

    def predicates(self) -> Iterable[Predicate]:
        yield Predicate(Not(IsInit()), at=tuple(row.name for row in self.mine))

    def findings(self, this: Rule, breach: Breach, pod: PodKeys) -> Iterator[Diagnostic]:
        if breach.value is not None:
            message = say("an init container cannot request a share of {target}", target=self.sheet.title)
            yield this.at(breach.value, message, "request the share in an ordinary container", on_key=True)

    def example(self) -> Example:
        good = self.instead()
        return replace(good, limits=({},), init=good.limits[0])


class Models(Kind):
    """Card models in the names of keys that the catalogue does not know."""

    number, name = 12, "card-model-is-known"
    no_policy = "the names of cards are open: a profile adds some"
    summary = "The card in the name of a key of {title} is one of the catalogue."
    what = "Reports keys that have the form of {keys}, with a card that gpuxlate does not know."
    usual_why = "A name that no node has never schedules. A new card can be added in a profile."

    def rows(self) -> Iterable[Key]:
        return (row for row in self.sheet.keys if row.model)

    def of_profile(self, this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
        patterns = {row.template.replace("{model}", "*"): row for row in self.mine}
        known = ", ".join(dict.fromkeys(row.model for row in self.mine))
        for container in pod.all_containers():
            for name, value in container.resources.items():
                row = next((row for text, row in patterns.items() if fnmatchcase(name, text)), None)
                if row is not None and self.sheet.backend.find(name) is None:
                    message = say("{key} names a card that is not in the catalogue", key=name)
                    yield this.at(value, message, say("known cards: {known}", known=known), on_key=True)

    def example(self) -> Example:
        good = self.instead()
        row = next(row for row in self.mine if row.name in good.limits[0])
        value = good.limits[0][row.name]
        return good.without(row.name).setting(row.template.replace("{model}", "unknown"), value.plain)


class OneShare(Kind):
    """Pods whose containers have one share together."""

    number, name = 13, "one-container-has-the-share"
    summary = "One container of a pod requests the share of {title}."
    what = "Reports {keys} in a second container of the pod."
    usual_why = (
        "The pod gets one share, and every container of it the same limits: two requests are not two parts."
    )

    def rows(self) -> Iterable[Key]:
        return (
            row
            for row in self.sheet.keys
            if self.sheet.one_share and row.unit and Place.RESOURCE in row.places
        )

    def predicates(self) -> Iterable[Predicate]:
        names = tuple(row.name for row in self.mine if not row.whole)
        yield Predicate(ContainersAtMost(Asks(*names), 1), at=names, each=False)

    def findings(self, this: Rule, breach: Breach, pod: PodKeys) -> Iterator[Diagnostic]:
        names = [row.name for row in self.mine if not row.whole]
        sharing = [one for one in pod.all_containers() if any(name in one.resources for name in names)]
        for container in sharing[1:]:
            value = next(container.resources[name] for name in names if name in container.resources)
            message = say(
                "{count} containers of the pod request a share, which is the pod's", count=len(sharing)
            )
            yield this.at(value, message, "use a separate pod for each container", on_key=True)

    def example(self) -> Example:
        good = self.instead()
        return replace(good, limits=(good.limits[0], good.limits[0]))


class Doubts(Kind):
    """Values whose effect no document makes certain."""

    number, name = 14, "value-is-documented"
    severity = Severity.WARNING
    summary = "A value of {title} has an effect that is documented."
    what = "Reports values of {keys} whose effect is not certain."
    usual_why = "Sources contradict each other, or say nothing."

    def rows(self) -> Iterable[Key]:
        return (row for row in self.sheet.keys if row.doubts and Place.RESOURCE in row.places)

    def predicates(self) -> Iterable[Predicate]:
        for row in self.mine:
            doubtful = tuple(Range(int(text), int(text)) for text in row.doubts)
            yield Predicate(Not(Amount(row.name, *doubtful)), Amount(row.name), (row.name,))

    def findings(self, this: Rule, breach: Breach, pod: PodKeys) -> Iterator[Diagnostic]:
        row = next(row for row in self.mine if row.name == breach.name)
        number = None if breach.value is None else quantity.whole(breach.value.text)
        if breach.value is not None and number is not None:
            name = written_name(breach.value, row.name)
            message = say("{key} is {number}: {why}", key=name, number=number, why=row.doubts[str(number)])
            yield this.at(breach.value, message, "write a value whose effect is documented")

    def example(self) -> Example:
        row = self.mine[0]
        return self.instead().setting(row.name, int(next(iter(row.doubts))))
