"""Write shares as claims: one claim for each container, so that shares of one pod cannot be swapped.

HAMi's driver numbers the cards of a claim in no fixed order (HD, hami_core.go): the parts of one claim
have to be equal, and those of two containers need not be.
"""

from __future__ import annotations

from gpuxlate.backends.dra.capacity import too_many_clients
from gpuxlate.backends.dra.driver import (
    BY_MEMORY,
    CORES,
    GATE,
    MEMORY,
    NVIDIA_DRIVER,
    PROFILE_NEEDED,
    SHARED_SO,
    SHARES,
    DraProfile,
    Driver,
    counts_capacity,
    on_by_default,
)
from gpuxlate.backends.dra.rules import names_are_whole
from gpuxlate.backends.dra.selectors import ALLOWED_MODELS, profile_selector, whole_card_selector
from gpuxlate.backends.nvidia_device_plugin import refuse_other_replicas, why_no_card_fits
from gpuxlate.backends.target import BYTE, PodWriter, Selector, ShareWriter
from gpuxlate.model.keys import Chosen
from gpuxlate.model.limits import shorten
from gpuxlate.model.messages import msg
from gpuxlate.model.pod import (
    ClaimUse,
    ContainerKeys,
    DeviceConstraint,
    DeviceRequest,
    Devices,
    PodClaim,
    PodKeys,
    Value,
    in_lists,
)
from gpuxlate.model.profile import Profile, card_of, products, products_with
from gpuxlate.model.quantity import LIMIT
from gpuxlate.model.share import Device, Isolation, Policy, above_limit

REQUEST = "gpu"
"""The name of every request, and the prefix of the name of every claim."""
LABEL = 63
"""The most characters of a DNS label, such as the name of a claim in a pod."""


def write_claims(driver: Driver, pod: PodWriter, profile: Profile | None) -> PodKeys:
    """Write a claim for each container with a share."""
    api = DraProfile.of(profile).version
    claims, containers = [], []
    several = len(pod.placings) > 1
    selectors = selectors_of(driver, pod, profile)
    for placing in pod.placings:
        name = claim_name(placing, several=several)
        devices = _devices(driver, placing, profile, selectors)
        if any(request.capacity for request in devices.requests):
            _require_counted_capacity(placing, profile)
        placing.on_nodes(card_of(profile, (driver.name,)), "GX023", "GX023")
        claims.append(PodClaim(name, devices=devices, api=api))
        containers.append(ContainerKeys(placing.name, placing.index, placing.init, claims=(ClaimUse(name),)))
    return PodKeys(
        *in_lists(containers),
        claims=tuple(claims),
    )


def claim_name(placing: ShareWriter, *, several: bool) -> str:
    """The name of a container's claim in its pod. It contains the name of the container where ``several``
    have claims."""
    if not several:
        return REQUEST
    suffix = placing.name or f"{'init-' if placing.init else ''}{placing.index}"
    return shorten(f"{REQUEST}-{suffix}", LABEL)


def _devices(
    driver: Driver, placing: ShareWriter, profile: Profile | None, selectors: tuple[Value, ...]
) -> Devices:
    partition = placing.take("partition") if driver.partition_class else None
    capacity: dict[str, Value] = {}
    if (clients := _clients(driver, placing, profile)) is not None:
        capacity[SHARES] = Value.of(str(clients))
    if partition is not None:
        if placing.peek("replica") is None:
            placing.take_isolation_if_covered(Isolation.HARDWARE)
            placing.take_policy_if_same(Policy.FIXED_SHARE)
        wrong = why_no_card_fits(partition, profile, (driver.name,), driver.vendor, driver.partition_codes)
        if wrong is not None:
            placing.refuse("partition", *wrong)
        request = DeviceRequest(
            REQUEST,
            Value.of(driver.partition_class),
            Value.of(partition.count) if partition.count > 1 else None,
            capacity=capacity,
            selectors=(profile_selector(driver, partition.profile, _named_by(driver, profile)), *selectors),
        )
        return Devices((request,))
    if not driver.parts:
        return _of_whole_cards(driver, placing, selectors)
    cards, cores, memory = int(placing.take("cards")), None, placing.take("memory_mib")
    if driver.cores:
        cores = placing.take("cores")
        if not placing.whole_cards:
            capacity[CORES] = Value.of(str(int(cores or 0) // cards))
    if memory is not None:
        maximum = int(LIMIT * BYTE) * cards
        if int(memory) > maximum:
            problem = above_limit("memoryMiB", int(memory), maximum)
            placing.refuse("memory_mib", "GX011", problem.message, problem.hint)
        capacity[MEMORY] = Value.of(f"{int(memory) // cards}Mi")
    placing.take_isolation_if_covered(Isolation.HARDWARE if placing.whole_cards else driver.isolation)
    if driver.cores and not placing.whole_cards and memory is None:
        message = msg("without memory the claim has all memory of its cards, so no other share fits on them")
        placing.note("DRA003", message, attribute="cores")
    request = DeviceRequest(
        REQUEST,
        Value.of(driver.device_class),
        Value.of(cards) if cards > 1 else None,
        capacity=capacity,
        selectors=selectors,
    )
    apart = DeviceConstraint((REQUEST,), distinct=Value.of(driver.attribute("uuid")))
    return Devices((request,), (apart,) if cards > 1 and capacity else ())


def _of_whole_cards(driver: Driver, placing: ShareWriter, selectors: tuple[Value, ...]) -> Devices:
    """The devices for whole cards of a driver whose claims cannot have parts of cards."""
    part = next(
        (attribute for attribute in ("memory_mib", "cores") if placing.peek(attribute) is not None), None
    )
    if part is not None:
        placing.take("cores")
        placing.take("memory_mib")
        message = msg("{name} gives whole cards, and no part of one", name=driver.device_class)
        placing.refuse(part, "GX023", message, "request whole cards")
    else:
        placing.take_isolation_if_covered(Isolation.HARDWARE)
    cards = int(placing.take("cards"))
    request = DeviceRequest(
        REQUEST,
        Value.of(driver.device_class),
        Value.of(cards) if cards > 1 else None,
        selectors=(*((whole_card_selector(driver),) if driver.has_one_class else ()), *selectors),
    )
    return Devices((request,))


def _named_by(driver: Driver, profile: Profile | None) -> tuple[str, ...]:
    """The attributes that name a profile where the driver divides cards by itself; else the first ones."""
    return driver.profiles[-1 if DraProfile.of(profile).amd_auto_partition else 0]


def _clients(driver: Driver, placing: ShareWriter, profile: Profile | None) -> int | None:
    """The number of clients of a card that the claim takes, where the driver counts these: all of a whole
    card."""
    replica = placing.take("replica") if driver.clients else None
    of_nodes = DraProfile.of(profile).replica if driver.clients else None
    if replica is not None:
        placing.take_isolation_if_covered(driver.isolation)
        return int(replica.count)
    return of_nodes.of if of_nodes else None


def _require_counted_capacity(placing: ShareWriter, profile: Profile | None) -> None:
    """Refuse a share where the cluster of the profile does not keep the capacity of claims."""
    if counts_capacity(profile) is False:
        message = msg(
            "the cluster of the profile drops the capacity of claims: without {gate} each gets whole cards",
            gate=GATE,
        )
        hint = msg(
            "use Kubernetes {version}, or turn it on: dra: {{consumableCapacity: true}} in the profile",
            version=on_by_default(),
        )
        placing.refuse("cards", "DRA002", message, hint)


MOST_BYTES = 10 * 1024
"""The most bytes of an expression (TYPES: CELSelectorExpressionMaxLength)."""


def selectors_of(driver: Driver, pod: PodWriter, profile: Profile | None) -> tuple[Value, ...]:
    """Expressions for the choices of a pod and for the models of its shares, which are taken."""
    expressions: dict[str, None] = {}
    for by in driver.chosen_by:
        for allow in (True, False):
            selector = pod.chosen(by, allow=allow)
            if selector is None or selector.chosen is None or not _whole(driver, pod, selector, profile):
                continue
            text = _expression(driver, selector.chosen)
            if len(text.encode()) <= MOST_BYTES:
                pod.taken.add(selector.chosen)
                expressions[text] = None
    device = pod.peek("device")
    if isinstance(device, Device) and device.models and device.vendor in (None, driver.vendor):
        names = {model: name for name, model in products(profile).items()}
        chosen = Chosen.of(ALLOWED_MODELS, [names.get(model, "") for model in device.models])
        if chosen is not None:
            pod.take("device")
            expressions[_expression(driver, chosen)] = None
    return tuple(Value.of(text) for text in expressions)


def _expression(driver: Driver, chosen: Chosen) -> str:
    names = ", ".join(f'"{name}"' for name in chosen.names)
    text = f'device.attributes["{driver.device_class}"].{driver.chosen_by[chosen.choice.by]} in [{names}]'
    return text if chosen.choice.allow else f"!({text})"


def _whole(driver: Driver, pod: PodWriter, selector: Selector, profile: Profile | None) -> bool:
    """Whether the names of a choice are whole names. A part of a name is, where no other known name has
    it."""
    if selector.chosen is None or not selector.chosen.choice.parts:
        return True
    names, model_of = selector.chosen.names, products(profile)
    others = tuple(name for name in products_with(names, profile) if name not in names)
    if not others and all(name in model_of for name in names):
        return True
    unknown = tuple(name for name in names if name not in model_of)
    pod.placings[0].diagnostics.append(
        names_are_whole(selector.path, selector.key, unknown, others, driver.name)
    )
    return False


def check_sharing(placing: ShareWriter, profile: Profile | None) -> None:
    """Refuse a share that the driver does not grant with the settings of the profile."""
    cluster = DraProfile.of(profile)
    replica, part = placing.peek("replica"), placing.peek("memory_mib") is not None
    hint = "the programs on one card have to keep within their shares"
    if replica is not None and cluster.replica is None:
        message = msg(
            "{name} shares cards between a number of clients only where the cluster is set so",
            name=NVIDIA_DRIVER.device_class,
        )
        placing.refuse("replica", "GX023", message, msg(SHARED_SO, mode=replica.of or 8))
    elif replica is not None and cluster.replica is not None:
        refuse_other_replicas(placing, replica, cluster.replica)
        if replica.count > (cluster.replica.of or 0):
            placing.refuse("replica", "DRA004", *too_many_clients(replica.count, cluster.replica.of))
        text = "{name} counts clients, and nothing keeps them within their part"
        placing.note("GX015", msg(text, name=NVIDIA_DRIVER.device_class), hint, "replica")
    elif part and cluster.nvidia_shares != BY_MEMORY:
        message = msg(
            "{name} shares cards by memory only where the cluster is set so", name=NVIDIA_DRIVER.device_class
        )
        placing.refuse("memory_mib", "GX023", message, PROFILE_NEEDED)
    elif part:
        text = "{name} counts memory, and nothing keeps a container within it"
        placing.note("GX015", msg(text, name=NVIDIA_DRIVER.device_class), hint, "memory_mib")
    elif cluster.nvidia_shares == "unlimited":
        message = msg(
            "a claim without memory takes none of a card where consumableShares is {mode}",
            mode=cluster.nvidia_shares,
        )
        placing.refuse("cards", "GX023", message, "request memory, or set the cluster to memory")
