"""Fit the shares of a pod to a target: each exact, rounded, filled, dropped or refused."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from enum import StrEnum
from typing import Any

from gpuxlate.backends.base import Backend
from gpuxlate.backends.pod_reader import NODE_SELECTOR_TEXT, ContainerShare, Selector
from gpuxlate.backends.pod_writer import Accept, PodWriter, ShareWriter
from gpuxlate.model.amounts import Amount, amount_of
from gpuxlate.model.declarations import record
from gpuxlate.model.diagnostics import Diagnostic, Loss, LossKind
from gpuxlate.model.keys import INT32
from gpuxlate.model.messages import Message, msg
from gpuxlate.model.pod import PodKeys
from gpuxlate.model.profile import Profile
from gpuxlate.model.share import JSON_NAMES, Share, limit_beside
from gpuxlate.rules.kubernetes import a_node_has_the_cards
from gpuxlate.rules.translation import (
    field_is_supported,
    shares_of_a_pod_agree,
)
from gpuxlate.translation.target_units import PART_FIELDS, to_target_units

FIELDS_OF_POD = ("policy", "qos", "device", "isolation")
"""Fields that belong to the pod."""


class Verdict(StrEnum):
    """The result for a share. Where several apply, the last of them counts."""

    EXACT = "exact"
    ROUNDED = "rounded"
    FILLED = "filled"
    DROPPED = "dropped"
    REFUSED = "refused"


_RANK = {verdict: rank for rank, verdict in enumerate(Verdict)}


def worst_verdict(losses: Iterable[Loss]) -> Verdict:
    """The verdict on a share with these losses: the last that applies."""
    verdicts = (Verdict(loss.kind.value) for loss in losses)
    return max(verdicts, key=_RANK.__getitem__, default=Verdict.EXACT)


@record
class Outcome:
    """The result for one container's share at one target."""

    container: ContainerShare
    share: Share
    losses: tuple[Loss, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    implied: frozenset[str] = frozenset()  # attributes that the target gives without a key
    fitted: Share | None = None  # the share in the target's terms, where they are others
    derived: Amount | None = None  # what the parts of a card amount to, as asked or as given
    comes_with: Mapping[str, Any] = field(default_factory=dict)  # what was not asked for, by attribute

    @property
    def verdict(self) -> Verdict:
        """The verdict on the share, from its losses."""
        return worst_verdict(self.losses)

    @property
    def accepted(self) -> bool:
        """Whether the user accepts every loss."""
        return all(loss.accepted for loss in self.losses)

    @property
    def granted(self) -> Share:
        """The share as the target gets it: the request with each loss applied. A field that was to be
        filled and was not stays unset."""
        attributes = {name: attribute for attribute, name in JSON_NAMES.items()}
        changed: dict[str, Any] = {
            attributes[loss.field]: loss.given
            for loss in self.losses
            if loss.kind is not LossKind.REFUSED and not (loss.field in PART_FIELDS and loss.given)
        }
        share = self.fitted or self.share
        if share.is_part:  # numbers became one on the way
            changed = {name: value for name, value in changed.items() if name in FIELDS_OF_POD}
        changed |= self.comes_with
        if "memory_mib" in changed:
            changed["memory_percent"] = None  # memory is in MiB, or that of whole cards
            limit = changed.get("memory_limit_mib", share.memory_limit_mib)
            changed["memory_limit_mib"] = limit_beside(changed["memory_mib"], limit)
        return replace(share, **changed)

    @property
    def declared(self) -> Share:
        """``granted`` as the keys of the target declare it: a field that is implied has no key."""
        without: dict[str, Any] = dict.fromkeys(self.implied)
        return replace(self.granted, **without)

    def findings(self) -> Iterator[Diagnostic]:
        """Its losses as findings, and what else was found."""
        for loss in self.losses:
            yield loss.diagnostic()
        yield from self.diagnostics


@record
class PodFit:
    """One pod at one target: an outcome for each share, and the keys to write.

    ``keys`` are meaningful only where everything was accepted.
    """

    outcomes: tuple[Outcome, ...]
    keys: PodKeys
    selectors: tuple[Loss, ...] = field(default=())

    @property
    def accepted(self) -> bool:
        """Whether every loss of every share and selector is accepted."""
        return all(outcome.accepted for outcome in self.outcomes) and all(
            loss.accepted for loss in self.selectors
        )

    def findings(self) -> Iterator[Diagnostic]:
        """The findings of all shares, then those of selectors."""
        for outcome in self.outcomes:
            yield from outcome.findings()
        for loss in self.selectors:
            yield loss.diagnostic()


def fit_pod(
    containers: Sequence[ContainerShare],
    backend: Backend,
    accept: Accept,
    profile: Profile | None = None,
    selectors: Sequence[Selector] = (),
) -> PodFit:
    """Fit every share of a pod to a target. A pure function."""
    shared = [(container, container.share) for container in containers if container.share is not None]
    fitted = [to_target_units(container, share, backend, accept, profile) for container, share in shared]
    placings = tuple(
        ShareWriter(
            terms.share,
            accept,
            target=backend.name,
            name=container.name,
            index=container.index,
            init=container.init,
            origins=container.origins,
            path=container.path,
        )
        for (container, _), terms in zip(shared, fitted, strict=True)
    )
    for placing in placings:
        if placing.cards > INT32:
            message = msg("{number} cards: no node has so many", number=placing.cards)
            placing.refuse("cards", a_node_has_the_cards.code, message, "request fewer cards")
    if len(placings) > 1:
        _refuse_disagreements(placings, backend)
    ordinary = tuple(container.name for container in containers if not container.init)
    pod = PodWriter(placings, ordinary, selectors)
    keys = backend.write(pod, profile)
    for placing in placings:
        if backend.vendor:
            placing.take_device_if_made_by(backend.vendor)
        placing.drop_rest()
    outcomes = tuple(
        Outcome(
            container,
            share,
            tuple(
                accept.settle(loss, container.name)
                for loss in (*container.granted, *terms.with_losses(placing.losses))
            ),
            tuple(placing.diagnostics),
            frozenset(placing.implied),
            terms.share,
            (amount_of(share, profile) if share.is_part else None) or terms.amount or placing.derived,
            placing.comes_with,
        )
        for (container, share), terms, placing in zip(shared, fitted, placings, strict=True)
    )
    lost = (_selector_loss(selector, backend) for selector in selectors if selector.chosen not in pod.taken)
    return PodFit(outcomes, keys, tuple(accept.settle(loss, None) for loss in lost))


def as_read(
    containers: Sequence[ContainerShare], profile: Profile | None = None, sources: Sequence[Backend] = ()
) -> PodFit:
    """The shares of a pod in gpuxlate's own terms. Each is exact, but for those that differ in a field that
    belongs to the pod in the dialects that it is read in."""
    shared = [(container, container.share) for container in containers if container.share is not None]
    differ = list(_differences([share for _, share in shared], sources)) if len(shared) > 1 else []
    return PodFit(
        tuple(
            Outcome(
                container,
                share,
                (*container.granted, *(_differs(container, share, *difference) for difference in differ)),
                derived=amount_of(share, profile) if share.is_part else None,
            )
            for container, share in shared
        ),
        PodKeys(),
    )


def _differs(container: ContainerShare, share: Share, attribute: str, message: str, hint: str | None) -> Loss:
    placing = ShareWriter(share, Accept(), target="", origins=container.origins, path=container.path)
    placing.refuse(attribute, "GX022", message, hint)
    return placing.losses[0]


def _refuse_disagreements(placings: tuple[ShareWriter, ...], backend: Backend) -> None:
    """Refuse the shares of a pod that differ in a field that belongs to the pod."""
    for attribute, message, hint in _differences([placing.asked for placing in placings], (backend,)):
        for placing in placings:
            placing.refuse(attribute, "GX022", message, hint)


def _differences(
    shares: Sequence[Share], backends: Sequence[Backend]
) -> Iterator[tuple[str, str, str | None]]:
    """The fields of a pod in which its shares differ, with message and hint, but for fields that each
    container has by itself in all of the dialects."""
    of_containers = (
        frozenset(FIELDS_OF_POD).intersection(*(backend.of_containers for backend in backends))
        if backends
        else ()
    )
    for attribute in FIELDS_OF_POD:
        if attribute in of_containers:
            continue
        values = {str(value) if (value := getattr(share, attribute)) else None for share in shares}
        if len(values) > 1:
            texts = sorted(value or msg("none") for value in values)
            yield attribute, *shares_of_a_pod_agree(JSON_NAMES[attribute], texts)


def _selector_loss(selector: Selector, backend: Backend) -> Loss:
    return Loss(
        LossKind.DROPPED,
        "selector",
        "GX020",
        field_is_supported(
            msg("{what} {key} ({value})", what=msg(selector.what), key=selector.key, value=selector.text),
            backend.name,
        ),
        _without(selector, backend),
        asked=f"{selector.key}={selector.text}",
        given=None,
        path=selector.path,
    )


def _without(selector: Selector, backend: Backend) -> Message:
    """What to do about a selector that the target does not have."""
    if selector.what != NODE_SELECTOR_TEXT:
        return msg(
            "remove the {what}: nothing at {target} reads it, or pass --drop selector",
            what=msg(selector.what),
            target=backend.name,
        )
    if backend.model_label is None:
        return msg("choose the nodes at {target} by hand, or pass --drop selector", target=backend.name)
    return msg(
        "choose the nodes at {target} by hand, card models by {label}, or pass --drop selector",
        target=backend.name,
        label=backend.model_label,
    )
