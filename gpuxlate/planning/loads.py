"""What pods of manifests request at a target, as the packing counts it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from gpuxlate.backends.base import Backend
from gpuxlate.backends.pod_reader import ContainerShare
from gpuxlate.backends.scheduling_limits import ANY_MODE, InitContainers
from gpuxlate.model.declarations import record
from gpuxlate.model.diagnostics import LossKind
from gpuxlate.model.profile import Profile
from gpuxlate.model.share import Share
from gpuxlate.planning.ledger import ask_of
from gpuxlate.planning.parts import asks_of_part
from gpuxlate.planning.requests import Asks, ContainerRequest
from gpuxlate.translation.fit import Verdict
from gpuxlate.translation.items import Item, counted_once


@record
class Load:
    """The pods of one template. ``items``: their containers, init containers first; ``count``: None for one a
    cluster node. ``shares``: their shares as the target gets them.
    """

    items: tuple[Item, ...]
    shares: tuple[Share, ...]
    count: int | None

    @property
    def name(self) -> str:
        """``NAMESPACE/KIND/NAME`` of the workload, without what it does not have."""
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
        shares = self.shares if shares is None else shares
        pool = backend.limits.node_mode(self.shares, profile) if shares else ANY_MODE
        requests: list[ContainerRequest] = []
        for number, (item, share) in enumerate(zip(self.items, shares, strict=True)):
            init, rule = item.init, backend.init_reserved
            if init and rule is InitContainers.IGNORED:
                continue
            ends = item.ends and rule is InitContainers.LARGEST
            if share.is_part:
                parts = asks_of_part(number, share, profile, pool)
                requests += (replace(request, init=init, ends=ends) for request in parts)
            else:
                # without names: pods that request the same are one kind
                container = ContainerShare("", number, init)
                requests.append(
                    replace(ask_of(container, share, backend, profile.cards.memory_mib, pool), ends=ends)
                )
        return tuple(requests)

    def unrounded(self) -> tuple[Share, ...]:
        """The shares with the requested values in place of the rounded ones."""
        return tuple(map(_unrounded_share, self.items, self.shares))


def _unrounded_share(item: Item, share: Share) -> Share:
    names = {"cores": "cores", "memoryMiB": "memory_mib"}
    rounded = {
        names[loss.field] for loss in item.losses if loss.kind is LossKind.ROUNDED and loss.field in names
    }
    if item.share is not None and share.is_part and not item.share.is_part:
        return replace(item.share, memory_limit_mib=None)
    if item.share is None or not rounded:
        return share
    original = {name: getattr(item.share, name) for name in rounded}
    if "memory_mib" in rounded and item.share.memory_percent is not None:
        return share
    return replace(share, **{**original, "memory_limit_mib": None})


def loads_of(items: Iterable[Item]) -> tuple[list[Load], list[Item]]:
    """The pods whose shares are all accepted, by template; and the items of the other pods."""
    pods: dict[tuple[object, ...], list[Item]] = {}
    for item in counted_once(items):
        # a claim that pods have together is there once, whatever their number
        pods.setdefault((*item.template, bool(item.allocation)), []).append(item)
    loads: list[Load] = []
    refused: list[Item] = []
    for of_pod in pods.values():
        if any(item.verdict is Verdict.REFUSED or item.granted is None for item in of_pod):
            refused += of_pod
            continue
        shares = tuple(item.granted for item in of_pod if item.granted is not None)
        loads.append(Load(tuple(of_pod), shares, 1 if of_pod[0].allocation else of_pod[0].replicas))
    return loads, refused
