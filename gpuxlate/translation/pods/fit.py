"""The one place that decides: exact, rounded, filled, dropped or refused."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

from gpuxlate.backends.base import Backend, ContainerShare, Selector
from gpuxlate.backends.placing import Accept, Placing
from gpuxlate.backends.pod_placing import PodPlacing
from gpuxlate.backends.results import NODE_SELECTOR
from gpuxlate.model.amounts import Amount, amount_of
from gpuxlate.model.diagnostics import Diagnostic, Loss, LossKind
from gpuxlate.model.messages import Message, say
from gpuxlate.model.pod import PodKeys
from gpuxlate.model.profile import Profile
from gpuxlate.model.share import JSON_NAMES, Share, limit_beside
from gpuxlate.rules.translation import field_is_supported, shares_of_a_pod_agree
from gpuxlate.translation.pods.terms import PARTS, in_terms

__all__ = ["Accept", "Outcome", "PodFit", "Verdict", "fit_pod"]


OF_POD = ("policy", "qos", "device", "isolation")
"""Fields that belong to the pod."""


class Verdict(StrEnum):
    """The result for a share. Where several apply, the last of them counts."""

    EXACT = "exact"
    ROUNDED = "rounded"
    FILLED = "filled"
    DROPPED = "dropped"
    REFUSED = "refused"


_RANK = {verdict: rank for rank, verdict in enumerate(Verdict)}


def worst(losses: Iterable[Loss]) -> Verdict:
    """The verdict on these losses together."""
    verdicts = (Verdict(loss.kind.value) for loss in losses)
    return max(verdicts, key=_RANK.__getitem__, default=Verdict.EXACT)


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result for one container's share at one target."""

    container: ContainerShare
    share: Share
    losses: tuple[Loss, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    implied: frozenset[str] = frozenset()  # attributes that the target gives without a key
    fitted: Share | None = None  # the share in the target's terms, where they are others
    derived: Amount | None = None  # what the partitions or replicas amount to, as asked or as given

    @property
    def verdict(self) -> Verdict:
        return worst(self.losses)

    @property
    def accepted(self) -> bool:
        """Every loss was allowed by the user."""
        return all(loss.accepted for loss in self.losses)

    @property
    def given(self) -> Share:
        """The share as the target gets it: the request with each loss applied. A field that was to be
        filled and was not stays unset."""
        attributes = {name: attribute for attribute, name in JSON_NAMES.items()}
        changed: dict[str, Any] = {
            attributes[loss.field]: loss.given
            for loss in self.losses
            if loss.kind is not LossKind.REFUSED and not (loss.field in PARTS and loss.given)
        }
        share = self.fitted or self.share
        if share.is_part:  # numbers became one on the way
            return replace(share, **{name: value for name, value in changed.items() if name in OF_POD})
        if "memory_mib" in changed:
            changed["memory_percent"] = None  # memory is in MiB, or that of whole cards
            limit = changed.get("memory_limit_mib", share.memory_limit_mib)
            changed["memory_limit_mib"] = limit_beside(changed["memory_mib"], limit)
        return replace(share, **changed)

    @property
    def told(self) -> Share:
        """What the keys of the target tell of ``given``: a field that is implied has no key."""
        without: dict[str, Any] = dict.fromkeys(self.implied)
        return replace(self.given, **without)

    def findings(self) -> Iterator[Diagnostic]:
        for loss in self.losses:
            yield loss.diagnostic()
        yield from self.diagnostics


@dataclass(frozen=True, slots=True)
class PodFit:
    """One pod at one target: an outcome for each share, and the keys to write.

    ``keys`` are meaningful only where everything was accepted.
    """

    outcomes: tuple[Outcome, ...]
    keys: PodKeys
    selectors: tuple[Loss, ...] = field(default=())

    @property
    def accepted(self) -> bool:
        return all(one.accepted for one in self.outcomes) and all(one.accepted for one in self.selectors)

    def findings(self) -> Iterator[Diagnostic]:
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
    """Fit every share of a pod to a target. Pure: the same input has the same outcome."""
    shared = [(one, one.share) for one in containers if one.share is not None]
    fitted = [in_terms(one, share, backend, accept, profile) for one, share in shared]
    placings = tuple(
        Placing(
            terms.share,
            accept,
            target=backend.name,
            name=one.name,
            index=one.index,
            init=one.init,
            origins=one.origins,
            path=one.path,
        )
        for (one, _), terms in zip(shared, fitted, strict=True)
    )
    _agree(placings)
    ordinary = tuple(one.name for one in containers if not one.init)
    pod = PodPlacing(placings, ordinary, selectors)
    keys = backend.write(pod, profile)
    for placing in placings:
        if backend.vendor:
            placing.made_by(backend.vendor)
        placing.drop_rest()
    outcomes = tuple(
        Outcome(
            one,
            share,
            (*one.granted, *terms.with_losses(placing.losses)),
            tuple(placing.diagnostics),
            frozenset(placing.implied),
            terms.share,
            amount_of(share, profile) or terms.amount,
        )
        for (one, share), terms, placing in zip(shared, fitted, placings, strict=True)
    )
    lost = [one for one in selectors if one.chosen not in pod.taken]
    return PodFit(outcomes, keys, tuple(_selector_loss(one, accept, backend) for one in lost))


def as_read(containers: Sequence[ContainerShare], profile: Profile | None = None) -> PodFit:
    """The shares of a pod in gpuxlate's own terms, each exact, but for those that differ in what belongs to
    the pod."""
    shared = [(one, one.share) for one in containers if one.share is not None]
    differ = list(_differences([share for _, share in shared])) if len(shared) > 1 else []
    return PodFit(
        tuple(
            Outcome(
                one,
                share,
                (*one.granted, *(_differs(one, share, *each) for each in differ)),
                derived=amount_of(share, profile),
            )
            for one, share in shared
        ),
        PodKeys(),
    )


def _differs(container: ContainerShare, share: Share, attribute: str, message: str, hint: str | None) -> Loss:
    placing = Placing(share, Accept(), target="", origins=container.origins, path=container.path)
    placing.refuse(attribute, "GX022", message, hint)
    return placing.losses[0]


def _agree(placings: tuple[Placing, ...]) -> None:
    """Two shares in one pod may not differ in what belongs to the pod."""
    if len(placings) > 1:
        for attribute, message, hint in _differences([one.asked for one in placings]):
            for placing in placings:
                placing.refuse(attribute, "GX022", message, hint)


def _differences(shares: Sequence[Share]) -> Iterator[tuple[str, str, str | None]]:
    """The fields of a pod in which its shares differ, with message and hint."""
    for attribute in OF_POD:
        values = {str(value) if (value := getattr(one, attribute)) else None for one in shares}
        if len(values) > 1:
            found = sorted(one or "none" for one in values)
            yield attribute, *shares_of_a_pod_agree(JSON_NAMES[attribute], found)


def _selector_loss(selector: Selector, accept: Accept, backend: Backend) -> Loss:
    accepted = "selector" in accept.drop
    return Loss(
        LossKind.DROPPED,
        "selector",
        "GX020",
        field_is_supported(
            say("{what} {key} ({value})", what=selector.what, key=selector.key, value=selector.text),
            backend.name,
        ),
        _without(selector, backend),
        asked=f"{selector.key}={selector.text}",
        given=None,
        accepted=accepted,
        path=selector.path,
    )


def _without(selector: Selector, backend: Backend) -> Message:
    """What to do about a selector that the target does not have."""
    if selector.what != NODE_SELECTOR:
        return say(
            "remove the {what}: nothing at {target} reads it, or pass --drop selector",
            what=selector.what,
            target=backend.name,
        )
    if backend.model_label is None:
        return say("choose the nodes at {target} by hand, or pass --drop selector", target=backend.name)
    return say(
        "choose the nodes at {target} by hand, card models by {label}, or pass --drop selector",
        target=backend.name,
        label=backend.model_label,
    )
