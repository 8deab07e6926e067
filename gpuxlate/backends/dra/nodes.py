"""The nodes of DRA drivers: the cards in ResourceSlices, and the parts of them that claims have."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import ceil

from gpuxlate.backends.cluster_nodes import CardUse, LiveDevice, LiveNode, NodeOffer, NodeView, Taken
from gpuxlate.backends.dra import DraBackend
from gpuxlate.backends.dra.driver import CORES, MEMORY, Driver
from gpuxlate.backends.requirements import NodeNeeds, NodeWarning, VendorDocument, cards_of_a_node
from gpuxlate.backends.target import BYTE, Backend
from gpuxlate.model import quantity
from gpuxlate.model.keys import By
from gpuxlate.model.limits import FULL_CARD_CORES
from gpuxlate.model.profile import Profile
from gpuxlate.model.share import Share


def node_view(backend: DraBackend, node: LiveNode) -> NodeView | None:
    """The cards of the driver that take claims, in the order of their names.

    The amounts are those of the smallest card, so that each share that fits them fits on every card.
    """
    driver = backend.driver
    devices = [device for device in node.devices if device.driver == driver.device_class]
    if not devices:
        return None
    cards = [d for d in devices if _value(driver, d.attributes, "type") in (None, driver.card_type)]
    shared = [device for device in cards if device.shared] or cards
    taken_whole = not (driver.parts and shared and shared[0].shared)
    whole = [device for device in shared if not _is_divided(device, devices)]
    open_ = [device for device in whole if not device.tainted]
    notes = tuple(_notes(driver, node, devices, cards, shared, whole, open_))
    if not open_:
        return NodeView(driver.name, NodeOffer.NOTHING, notes=notes)
    sizes = [_mib(driver, device.capacity) for device in open_]
    known_sizes = [size for size in sizes if size is not None]
    size = min(known_sizes) if len(known_sizes) == len(sizes) else None
    if size is not None and size != max(known_sizes):
        notes = (*notes, f"its cards differ: {size} to {max(known_sizes)} MiB; the smallest is counted")
    model = driver.chosen_by[By.MODEL]
    models = {_value(driver, device.attributes, model) for device in open_}
    return NodeView(
        driver.name,
        NodeOffer.SHARES,
        mode="exclusive" if taken_whole else None,
        cards=len(open_),
        card_mib=size,
        physical_mib=size,
        cores=FULL_CARD_CORES * len(open_) if driver.cores else None,
        memory_mib=None if size is None else size * len(open_),
        model=models.pop() if len(models) == 1 else None,
        notes=notes,
        ids=tuple(device.name for device in open_),
        instances=1 if taken_whole else None,
        uses=tuple(
            _use(driver, number, device, taken)
            for number, device in enumerate(open_)
            for taken in device.taken
        ),
    )


def _notes(driver: Driver, node: LiveNode, *kinds: list[LiveDevice]) -> Iterator[str]:
    """Notes on devices that are not counted. ``kinds``: all devices; of these the cards; the counted cards;
    of these the undivided ones; of these the ones without a taint."""
    whys = (
        *("no cards", "not shared, beside cards that are"),
        *("a claim has a partition of the card", "tainted"),
    )
    for kept, rest, why in zip(kinds, kinds[1:], whys, strict=False):
        if len(kept) > len(rest):
            count = len(kept) - len(rest)
            yield f"{count} {'device is' if count == 1 else 'devices are'} not counted: {why}"
    if node.classes.isdisjoint({driver.device_class}):
        yield f"the cluster has no DeviceClass {driver.device_class}, which claims would name"


def _is_divided(card: LiveDevice, devices: Sequence[LiveDevice]) -> bool:
    """Whether a claim has another device of the same card, so that no claim gets the card: both consume one
    set of counters (KEP-4815)."""
    return any(
        device.taken and device.name != card.name and not card.counters.isdisjoint(device.counters)
        for device in devices
    )


def _use(driver: Driver, card: int, device: LiveDevice, taken: Taken) -> CardUse:
    """The part of a card that a claim has. All compute and memory of it is the whole card."""
    if not (driver.parts and device.shared) or taken.consumed is None:
        return CardUse(card, taken.namespace, taken.pods, taken.claim)
    memory = _mib(driver, taken.consumed)
    cores = quantity.parse_integer(_value(driver, taken.consumed, CORES) or "0") or 0
    whole = memory == _mib(driver, device.capacity) and cores == (FULL_CARD_CORES if driver.cores else 0)
    return CardUse(card, taken.namespace, taken.pods, taken.claim, cores, None if whole else memory or 0)


def _mib(driver: Driver, amounts: Mapping[str, str]) -> int | None:
    """The memory in MiB, rounded up; None where the driver does not show it."""
    text = _value(driver, amounts, MEMORY)
    return ceil(quantity.parse(text).amount * BYTE) if text and quantity.is_amount(text) else None


def _value(driver: Driver, values: Mapping[str, str], name: str) -> str | None:
    """A value by its short or its qualified name."""
    return values.get(name, values.get(driver.attribute(name)))


# --- what a share needs of them ---------------------------------------------------------------

API = VendorDocument.of("Kubernetes, API reference of resource.k8s.io (2026-08)")
EMPTY = VendorDocument.of("modelplaneai/modelplane, issue 306 (2026-06)")
CLUSTER_API = VendorDocument.of("kubernetes/autoscaler, pull requests 7804 and 10200 (2026-08)")


def node_requirements(_backend: Backend, share: Share, profile: Profile | None) -> NodeNeeds:
    """The needs of a share at nodes with a DRA driver."""
    empty = (
        "a pool without nodes has no ResourceSlices: an autoscaler that makes none up adds no first node for "
        "a claim, so keep one node in the pool"
    )
    if share.whole_cards:
        by = (
            "Cluster Autoscaler on Cluster API makes them up from annotations (-o cluster-api), since 2026-08"
        )
    else:
        by = "the annotations of Cluster API (-o cluster-api) make up whole cards alone, and no parts of them"
    warnings = (NodeWarning(empty, EMPTY), NodeWarning(by, CLUSTER_API))
    return NodeNeeds((), (), warnings, cards_of_a_node(share, API))
