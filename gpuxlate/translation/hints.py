"""Hints in the keys of the file at hand, in place of the fields of a share.

What a target says of a share that it does not take names fields: ``write memoryMiB: 4096``. In a manifest
these are keys of its dialect, so the dialect writes the share with the other number. Where it cannot, the
hint names what accepts the loss alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from gpuxlate.backends.base import Backend, ContainerShare, Reading
from gpuxlate.backends.pod_writer import ACCEPTED_BY, ADD, OMIT, REMOVE, Accept
from gpuxlate.model.diagnostics import Path
from gpuxlate.model.messages import Message, msg
from gpuxlate.model.pod import PodKeys
from gpuxlate.model.profile import Profile
from gpuxlate.model.share import JSON_NAMES, Share, ShareError
from gpuxlate.translation.fit import Outcome, PodFit, fit_pod

_ATTRIBUTES = {name: attribute for attribute, name in JSON_NAMES.items()}


def in_keys(
    fit: PodFit, pod: PodKeys, readings: Sequence[tuple[Backend, Reading]], profile: Profile | None
) -> PodFit:
    """The same with hints in the keys of the pod."""
    return replace(fit, outcomes=tuple(_outcome(one, pod, readings, profile) for one in fit.outcomes))


def _outcome(
    one: Outcome, pod: PodKeys, readings: Sequence[tuple[Backend, Reading]], profile: Profile | None
) -> Outcome:
    for source, reading in readings:
        for each in reading.containers:
            if each.share and (each.init, each.index) == (one.container.init, one.container.index):
                hint = _Dialect(pod, source, reading.containers, each, each.share, profile).hint
                losses = (replace(loss, hint=hint(loss.hint, loss.path)) for loss in one.losses)
                found = (replace(said, hint=hint(said.hint, said.path)) for said in one.diagnostics)
                return replace(one, losses=tuple(losses), diagnostics=tuple(found))
    return one


@dataclass(frozen=True, slots=True)
class _Dialect:
    """One container of a pod, and its share in a dialect."""

    pod: PodKeys
    source: Backend
    containers: Sequence[ContainerShare]
    container: ContainerShare
    share: Share
    profile: Profile | None

    def hint(self, hint: str | None, path: Path) -> str | None:
        """A hint that names a field, in keys; without them, what accepts the loss."""
        if not isinstance(hint, Message) or hint.template not in ACCEPTED_BY:
            return hint
        key = str(path[-1]) if path else ""
        values: dict[str, Any] = dict(hint.values)
        found = None
        if hint.template == ADD:
            found = self._added(values)
        elif key in self._texts(self.pod):
            found = self._changed(hint.template, key, values)
        accepted = ACCEPTED_BY[hint.template]
        return found or (msg(accepted, **values) if accepted else None)

    def _changed(self, template: str, key: str, values: Mapping[str, Any]) -> Message | None:
        """The key with the number that the target takes, or without it."""
        if template == REMOVE:
            return msg("remove {key}, or pass --drop {field}", key=key, field=values["field"])
        if template == OMIT:
            return msg(OMIT, field=key)
        text = self._with(values["field"], values["given"]).get(key)
        if text is None or text == self._texts(self.pod)[key]:
            return None
        return msg(template, field=key, given=text)

    def _added(self, values: Mapping[str, Any]) -> Message | None:
        """The keys that make the field, where the others stay."""
        there = self._texts(self.pod)
        made = self._with(values["field"], values["example"] * self.share.cards)
        new = ", ".join(f"{key}: {text}" for key, text in made.items() if key not in there)
        if not new or any(made.get(key, text) != text for key, text in there.items()):
            return None
        return msg("add {keys}, or pass --fill {field}={example} ({unit} per card)", keys=new, **values)

    def _with(self, field: str, number: object) -> Mapping[str, str]:
        """The keys of the share with another number; none where the dialect does not take it."""
        if self.source.read_only or not self.source.writes_pods:
            return {}
        number_of: dict[str, Any] = {_ATTRIBUTES[field]: number}
        try:
            changed = replace(self.share, **number_of)
        except ShareError:  # it would have two meanings, such as memory in MiB and in percent
            return {}
        containers = [
            replace(one, share=changed if one is self.container else one.share, granted=())
            for one in self.containers
        ]
        fit = fit_pod(containers, self.source, Accept(), self.profile)
        return self._texts(fit.keys) if fit.accepted else {}

    def _texts(self, pod: PodKeys) -> dict[str, str]:
        """The values of a pod that may be of the container, by key."""
        place = self.container.init, self.container.index
        resources = [one.resources for one in pod.all_containers() if (one.init, one.index) == place]
        every = (pod.labels, pod.annotations, pod.node_selector, *resources)
        return {key: value.text for values in every for key, value in values.items()}
