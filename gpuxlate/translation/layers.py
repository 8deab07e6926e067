"""Translate what is laid over other files: a patch over its object, values over those of every release.

Both are read alone and laid over what is below them; the part is the difference of the two translations.
So the translated file, laid over the translated files below, gives the translation of the whole.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from gpuxlate.backends.base import Backend
from gpuxlate.manifest.objects import Pod
from gpuxlate.model.diagnostics import Diagnostic, LossKind
from gpuxlate.model.messages import say
from gpuxlate.model.pod import ContainerKeys, Kind, NodeRequirement, PodKeys, Value
from gpuxlate.model.sheet import Place
from gpuxlate.translation.difference import Owned, Role
from gpuxlate.translation.leftovers import Leftover
from gpuxlate.translation.placement import replaced_keys, role_of, share_edits
from gpuxlate.translation.pods import Part, dialects_of, fitted, is_refusal, refuses
from gpuxlate.translation.settings import Settings
from gpuxlate.yamltext.compose import Document
from gpuxlate.yamltext.place import placed

NULL = Value("null", Kind.NULL)
"""Deletes a key in a patch, and in the values of a chart."""


class Over(NamedTuple):
    """The result, and the dialects that were read. ``left``: why the part cannot be translated, None where
    it was, or where an error says it."""

    part: Part
    sources: tuple[Backend, ...]
    left: str | None = None


class _CannotError(Exception):
    """The part has no place for what changes."""


def translate_over(document: Document, pod: Pod, below: Sequence[Pod], settings: Settings) -> Over:
    """The edits of a part of a pod that is laid over the same pod of other files; several must agree."""
    from gpuxlate.manifest.patches import laid_over, strangers

    part = Part()
    wanted: list[PodKeys] = []
    sources = dialects_of(pod.keys, settings)
    for base in below:
        new = strangers(base.keys, pod.keys)
        if new:
            message = say("what it is laid over has no container {name}", name=new[0].name)
            return Over(part, sources, message)
        keys = laid_over(base.keys, pod.keys)
        whole = pod._replace(keys=keys, lacks=pod.lacks & base.lacks)
        sources = tuple(dict.fromkeys((*sources, *dialects_of(keys, settings))))
        before = fitted(document, base, dialects_of(base.keys, settings), settings)
        after = fitted(document, whole, dialects_of(keys, settings), settings)
        known = set(map(_words, before.found))
        fresh = [one for one in after.found if _words(one) not in known]
        part.diagnostics += [placed(document, one, pod.object) for one in fresh]
        if refuses(before.found):
            return Over(part, sources, say("what it is laid over cannot be translated"))
        if refuses(after.found):
            return Over(part, sources)
        try:
            made = _Difference(replaced_keys(sources, settings.to), role_of((*sources, settings.to)))
            wanted.append(made.of_pods((base.keys, before.fit.keys), (keys, after.fit.keys), pod.keys))
        except _CannotError as error:
            return Over(part, sources, str(error))
    if any(one != wanted[0] for one in wanted[1:]):
        return Over(part, sources, say("the objects that it is laid over need different values"))
    part.edits = share_edits(pod, wanted[0], sources, settings.to, mirror_requests=True)
    part.kept = list(pod.siblings)
    return Over(part, sources)


def left_part(made: Part, pod: Pod, settings: Settings) -> Part:
    """A part whose share the target cannot express is left behind, under the code of the reason.

    Losses that an option accepts are errors as they are of any pod; those that were accepted are none.
    """
    losses = [loss for item in made.items for loss in item.losses]
    refused = {_words(loss.diagnostic()) for loss in losses if loss.kind is LossKind.REFUSED}
    accepted = {_words(loss.diagnostic()) for loss in losses if loss.accepted}
    left = [one for one in made.diagnostics if is_refusal(one) or _words(one) in refused]
    if left:
        severity = settings.scope.severity
        made.leftovers = [
            Leftover(pod.keys.containers[0].name, replace(one, severity=severity)) for one in left
        ]
        others = [one for one in made.diagnostics if one not in left and _words(one) not in accepted]
        made.diagnostics = [*others, *(one.found for one in made.leftovers)]
    return made


def _words(found: Diagnostic) -> tuple[str, str]:
    return found.code, str(found.message)


Pair = tuple[PodKeys, PodKeys]
"""The keys of a pod in the source's dialects, and those to write."""


class _Difference(NamedTuple):
    """What a part has to say so that the pod below it becomes the whole pod, both translated."""

    owned: Owned
    role: Role

    def of_pods(self, below: Pair, whole: Pair, own: PodKeys) -> PodKeys:
        """``own``: the part. Raises _CannotError."""
        (base, before), (merged, after) = below, whole
        old, new = _by_name(base, before), _by_name(merged, after)
        mine = {(one.init, one.name) for one in own.all_containers()}
        for place in (old.keys() | new.keys()) - mine:
            if old.get(place) != new.get(place):
                raise _CannotError(say("container {name} would change too", name=place[1]))
        made = [
            self._container(old.get((c.init, c.name)), new.get((c.init, c.name)), c)
            for c in own.all_containers()
        ]
        return PodKeys(
            tuple(one for one in made if not one.init),
            tuple(one for one in made if one.init),
            self._changed(before.labels, after.labels, own.labels, Place.LABEL),
            self._changed(before.annotations, after.annotations, own.annotations, Place.ANNOTATION),
            self._changed(before.node_selector, after.node_selector, own.node_selector, Place.NODE_SELECTOR),
            affinity=self._affinity(before, after, own),
            scheduler_name=after.scheduler_name
            if own.scheduler_name or after.scheduler_name != before.scheduler_name
            else None,
        )

    def _container(
        self, old: ContainerKeys | None, new: ContainerKeys | None, own: ContainerKeys
    ) -> ContainerKeys:
        old, new = old or ContainerKeys(), new or ContainerKeys()
        requests = self._changed(old.requests, new.requests, own.requests, Place.RESOURCE)
        return replace(
            own,
            limits=self._changed(old.limits, new.limits, own.limits, Place.RESOURCE),
            requests=requests if any(self.owned(name, Place.RESOURCE) for name in own.requests) else {},
            env={
                name: value
                for name, value in new.env.items()
                if old.env.get(name) != value or name in own.env
            },
        )

    def _changed(
        self, before: Mapping[str, Value], after: Mapping[str, Value], own: Mapping[str, Value], place: Place
    ) -> dict[str, Value]:
        """What changes, and what the part said before of the same fields; NULL for what goes."""
        said = {self.role(name) for name in own if self.owned(name, place)} - {None}
        made = {
            name: value
            for name, value in after.items()
            if before.get(name) != value or name in own or self.role(name) in said
        }
        return made | {name: NULL for name in before if name not in after}

    @staticmethod
    def _affinity(before: PodKeys, after: PodKeys, own: PodKeys) -> tuple[tuple[NodeRequirement, ...], ...]:
        """The terms of a part replace those below it, since lists are not merged."""
        if own.affinity or own.preferred:
            return after.affinity
        if before.affinity != after.affinity:
            raise _CannotError(say("it would replace the affinity of the whole pod"))
        return ()


def _by_name(pod: PodKeys, wanted: PodKeys) -> dict[tuple[bool, str], ContainerKeys]:
    """The keys to write into each container of a pod, without its place."""
    made = {(one.init, one.index): one for one in wanted.all_containers()}
    return {
        (one.init, one.name): replace(made.get((one.init, one.index), ContainerKeys()), name="", index=0)
        for one in pod.all_containers()
    }
