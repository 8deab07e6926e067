"""Hints in the keys of a manifest, in place of the fields of a share.

The hint of a target names fields of the share: ``write memoryMiB: 4096``. In a manifest these are keys of its
dialect, so the dialect writes the share with the other number. Where it cannot, the hint only names the
option that accepts the loss. Findings are made of the losses after that.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from gpuxlate.backends.base import Backend
from gpuxlate.backends.pod_reader import ContainerShare, Reading
from gpuxlate.backends.pod_writer import ACCEPTED_BY, ADD, OMIT, REMOVE, WRITE, Accept
from gpuxlate.model.diagnostics import Diagnostic, Path
from gpuxlate.model.keys import Place
from gpuxlate.model.messages import Message, msg
from gpuxlate.model.pod import ContainerKeys, PodKeys
from gpuxlate.model.profile import Profile
from gpuxlate.model.share import JSON_NAMES, ShareError
from gpuxlate.translation.fit import Outcome, PodFit, fit_pod
from gpuxlate.translation.leftovers import ALLOWED

_ATTRIBUTES = {name: attribute for attribute, name in JSON_NAMES.items()}
TextsByKey = Mapping[str, str]
"""Values by key."""
_PLACES = {
    Place.LABEL: "label {key}",
    Place.ANNOTATION: "annotation {key}",
    Place.NODE_SELECTOR: "nodeSelector {key}",
}
REMOVE_KEY = "remove {key}, or pass --drop {field}"
ADD_KEYS = "add {keys}, or pass --fill {field}={example} ({unit} per card)"
WITHOUT_OPTIONS: Mapping[str, str | None] = {
    WRITE: "write {field}: {given}",
    OMIT: "omit {field}",
    ADD: "add {field} to the share",
    REMOVE: "remove {field} from the share",
    REMOVE_KEY: "remove {key}",
    ADD_KEYS: "add {keys}",
    **dict.fromkeys(ACCEPTED_BY.values()),
    **ALLOWED,
}
"""Hints for a command whose configuration accepts losses, and that has no option for it."""


def without_options(finding: Diagnostic) -> Diagnostic:
    """The finding without the option that would accept it."""
    hint = finding.hint
    if not isinstance(hint, Message) or hint.template not in WITHOUT_OPTIONS:
        return finding
    template = WITHOUT_OPTIONS[hint.template]
    return replace(finding, hint=msg(template, **hint.values) if template else None)


def name_keys_in_hints(
    fit: PodFit, pod: PodKeys, readings: Sequence[tuple[Backend, Reading]], profile: Profile | None
) -> PodFit:
    """The fit of a pod with hints in the keys of the pod. ``readings``: its shares, by dialect."""
    texts = _texts(pod)
    dialects = {
        place: dialect
        for source, reading in readings
        for dialect in [_Dialect(source, reading.containers, fit.outcomes, texts, profile)]
        for place in dialect.shares
    }
    outcomes = (
        _with_hints(outcome, dialect) if (dialect := dialects.get(_place(outcome.container))) else outcome
        for outcome in fit.outcomes
    )
    return replace(fit, outcomes=tuple(outcomes))


def _with_hints(outcome: Outcome, dialect: _Dialect) -> Outcome:
    def hint(hint: str | None, path: Path) -> str | None:
        return dialect.hint(_place(outcome.container), hint, path)

    losses = (replace(loss, hint=hint(loss.hint, loss.path)) for loss in outcome.losses)
    return replace(outcome, losses=tuple(losses))


class _Place(NamedTuple):
    """A container of a pod."""

    init: bool
    number: int


def _place(container: ContainerShare | ContainerKeys) -> _Place:
    return _Place(container.init, container.index)


def _texts(pod: PodKeys) -> Mapping[_Place, TextsByKey]:
    """For each container the values by key that may be of its share: its resources, and the keys of the
    pod."""
    every = (pod.labels, pod.annotations, pod.node_selector)
    of_pod = {key: value.text for values in every for key, value in values.items()}
    return {
        _place(container): ChainMap({key: value.text for key, value in container.resources.items()}, of_pod)
        for container in pod.all_containers()
    }


class _Dialect:
    """The containers of a pod that have a share in a dialect, with their keys as they are and as hints would
    change them."""

    def __init__(
        self,
        source: Backend,
        containers: Sequence[ContainerShare],
        outcomes: Sequence[Outcome],
        texts: Mapping[_Place, TextsByKey],
        profile: Profile | None,
    ) -> None:
        self.source, self.containers, self.texts, self.profile = source, containers, texts, profile
        self.shares = {_place(container): container.share for container in containers if container.share}
        self.numbers: dict[str, dict[_Place, Any]] = {}
        """The numbers that the hints say to write, by field."""
        self.written: dict[str, Mapping[_Place, TextsByKey]] = {}
        """The keys with these numbers, by field: one pod for all containers, as keys of a pod count these."""
        for outcome in outcomes:
            place = _place(outcome.container)
            for hint in (loss.hint for loss in outcome.losses):
                if place not in self.shares or not isinstance(hint, Message):
                    continue
                values = hint.values
                if hint.template == ADD:
                    number: Any = values["example"] * self.shares[place].cards
                elif hint.template in ACCEPTED_BY:
                    number = values.get("given")
                else:
                    continue
                self.numbers.setdefault(values["field"], {}).setdefault(place, number)

    def hint(self, place: _Place, hint: str | None, path: Path) -> str | None:
        """The hint in keys where it names a field; without such keys, the option that accepts the loss."""
        if not isinstance(hint, Message) or hint.template not in ACCEPTED_BY:
            return hint
        texts, key = self.texts.get(place, {}), str(path[-1]) if path else ""
        values: dict[str, Any] = dict(hint.values)
        in_keys_of_pod = None
        if hint.template == ADD:
            in_keys_of_pod = self._added(place, texts, values)
        elif key in texts:
            in_keys_of_pod = self._changed(place, hint.template, key, values)
        accepted = ACCEPTED_BY[hint.template]
        return in_keys_of_pod or (msg(accepted, **values) if accepted else None)

    def _changed(self, place: _Place, template: str, key: str, values: Mapping[str, Any]) -> Message | None:
        """The hint to change the number of a key, or to remove the key; None where the key stays the same."""
        if template == REMOVE:
            return msg(REMOVE_KEY, key=key, field=values["field"])
        if template == OMIT:
            return msg(OMIT, field=key)
        text = self._with(place, values["field"], values["given"]).get(key)
        if text is None or text == self.texts[place][key]:
            return None
        return msg(template, field=key, given=text)

    def _added(self, place: _Place, texts: TextsByKey, values: Mapping[str, Any]) -> Message | None:
        """The hint to add the keys of a field; None where other keys would change too."""
        new_texts = self._with(place, values["field"], values["example"] * self.shares[place].cards)
        new = ", ".join(f"{self._at(key)}: {text}" for key, text in new_texts.items() if key not in texts)
        if not new or any(new_texts.get(key, text) != text for key, text in texts.items()):
            return None
        return msg(ADD_KEYS, keys=new, **values)

    def _at(self, key: str) -> str:
        """The key in words, with its place where that is not the resources."""
        row = self.source.find(key)
        if row is None or Place.RESOURCE in row.places:
            return key
        text = next((text for place, text in _PLACES.items() if place in row.places), None)
        return msg(text, key=key) if text else key

    def _with(self, place: _Place, field: str, number: object) -> TextsByKey:
        """The keys of a share with the other number; empty where the dialect does not accept it."""
        if self.source.read_only or not self.source.writes_pods or self.numbers[field][place] != number:
            return {}
        if field not in self.written:
            self.written[field] = self._written(field)
        return self.written[field].get(place, {})

    def _written(self, field: str) -> Mapping[_Place, TextsByKey]:
        numbers, wrong = self.numbers[field], set()
        containers = []
        for container in self.containers:
            share, place = container.share, _place(container)
            if share and place in numbers:
                number_of: dict[str, Any] = {_ATTRIBUTES[field]: numbers[place]}
                try:
                    share = replace(share, **number_of)
                except ShareError:  # it would have two meanings, such as memory in MiB and in percent
                    wrong.add(place)
            containers.append(replace(container, share=share, granted=()))
        fit = fit_pod(containers, self.source, Accept(), self.profile)
        refused = {_place(outcome.container) for outcome in fit.outcomes if not outcome.accepted}
        return {place: texts for place, texts in _texts(fit.keys).items() if place not in refused | wrong}
