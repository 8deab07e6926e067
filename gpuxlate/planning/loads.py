"""What pods of manifests request at a target, as the packing counts it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from gpuxlate.backends.base import Backend, ContainerShare
from gpuxlate.backends.limits import ANY, InitContainers
from gpuxlate.model.diagnostics import LossKind
from gpuxlate.model.profile import Profile
from gpuxlate.model.share import Share
from gpuxlate.planning.ledger import ask_of
from gpuxlate.planning.packing.parts import asks_of_part
from gpuxlate.planning.packing.spaces import Ask, Asks
from gpuxlate.translation.pods.fit import Verdict
from gpuxlate.translation.pods.item import Item, counted_once


@dataclass(frozen=True, slots=True)
class Load:
    """The pods of one template. ``items``: their containers, init containers first; ``count``: None for one a
    cluster node. ``given``: their shares as the target gets them.
    """

    items: tuple[Item, ...]
    given: tuple[Share, ...]
    count: int | None

    @property
    def name(self) -> str:
        ref = self.items[0].object
        return "/".join(part for part in (ref.namespace, ref.kind, ref.name) if part)

    @property
    def pods(self) -> int:
        """Pods that are packed; one where their number depends on the cluster."""
        return 1 if self.count is None else self.count

    def asks(self, backend: Backend, profile: Profile, shares: Sequence[Share] | None = None) -> Asks:
        """What the containers request, with other shares in place of those given where there are some.

        ``index`` of each: its container in ``items``. Raises UnknownPartError.
        """
        shares = self.given if shares is None else shares
        pool = backend.limits.node_mode(self.given, profile) if shares else ANY
        found: list[Ask] = []
        for number, (item, share) in enumerate(zip(self.items, shares, strict=True)):
            init, rule = item.init, backend.limits.init
            if init and rule is InitContainers.IGNORED:
                continue
            ends = item.ends and rule is InitContainers.LARGEST
            if share.is_part:
                parts = asks_of_part(number, share, profile, pool)
                found += (replace(one, init=init, ends=ends) for one in parts)
            else:
                # without names: pods that request the same are one kind
                one = ContainerShare("", number, init)
                found.append(replace(ask_of(one, share, backend, profile.cards.memory_mib, pool), ends=ends))
        return tuple(found)

    def unrounded(self) -> tuple[Share, ...]:
        """The shares with what was asked in place of what it was rounded to."""
        return tuple(map(_unrounded, self.items, self.given))


def _unrounded(item: Item, given: Share) -> Share:
    names = {"cores": "cores", "memoryMiB": "memory_mib"}
    rounded = {names[one.field] for one in item.losses if one.kind is LossKind.ROUNDED and one.field in names}
    if item.share is not None and given.is_part and not item.share.is_part:
        return replace(item.share, memory_limit_mib=None)
    if item.share is None or not rounded:
        return given
    asked = {name: getattr(item.share, name) for name in rounded}
    if "memory_mib" in rounded and item.share.memory_percent is not None:
        return given
    return replace(given, **{**asked, "memory_limit_mib": None})


def loads_of(items: Iterable[Item]) -> tuple[list[Load], list[Item]]:
    """Pods of which every share is accepted; and the items of the others."""
    pods: dict[tuple[object, ...], list[Item]] = {}
    for one in counted_once(items):
        # a claim that pods have together is there once, whatever their number
        pods.setdefault((*one.template, bool(one.allocation)), []).append(one)
    loads: list[Load] = []
    refused: list[Item] = []
    for found in pods.values():
        if any(one.verdict is Verdict.REFUSED or one.given is None for one in found):
            refused += found
            continue
        given = tuple(one.given for one in found if one.given is not None)
        loads.append(Load(tuple(found), given, 1 if found[0].allocation else found[0].replicas))
    return loads, refused
