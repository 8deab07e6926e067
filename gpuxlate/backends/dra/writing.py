"""Shares to claims: one claim for each container, so that shares of one pod cannot be swapped.

HAMi's driver numbers the cards of a claim in no fixed order (HD, hami_core.go): the parts of one claim have
to be equal, and those of two containers need not be.
"""

from __future__ import annotations

from gpuxlate.backends.base import BYTE, Placing, PodPlacing
from gpuxlate.backends.device_plugin import unfit
from gpuxlate.backends.dra.choices import selectors_of, with_profile
from gpuxlate.backends.dra.driver import CORES, MEMORY, SHARES, Driver
from gpuxlate.backends.dra.profile import ON_BY_DEFAULT, DraProfile, counts_capacity
from gpuxlate.model.claims import ClaimUse, Constraint, DeviceRequest, Devices, PodClaim
from gpuxlate.model.limits import shortened
from gpuxlate.model.messages import say
from gpuxlate.model.pod import ContainerKeys, PodKeys, Value, in_lists
from gpuxlate.model.profile import Profile, card_of
from gpuxlate.model.quantity import LIMIT
from gpuxlate.model.share import Isolation, Policy
from gpuxlate.model.share_problems import above_limit

REQUEST = "gpu"
"""The name of every request, and the beginning of the name of every claim."""
LABEL = 63
"""Characters of a DNS label, such as the name of a claim in a pod."""


def write(driver: Driver, pod: PodPlacing, profile: Profile | None) -> PodKeys:
    """A claim for each container with a share."""
    api = DraProfile.of(profile).version
    claims, containers = [], []
    several = len(pod.placings) > 1
    selectors = selectors_of(driver, pod, profile)
    for placing in pod.placings:
        name = claim_name(placing, several=several)
        devices = _devices(driver, placing, profile, selectors)
        if any(one.capacity for one in devices.requests):
            _is_counted(placing, profile)
        placing.on_nodes(card_of(profile, (driver.name,)), "GX023", "GX023")
        claims.append(PodClaim(name, devices=devices, api=api))
        containers.append(ContainerKeys(placing.name, placing.index, placing.init, claims=(ClaimUse(name),)))
    return PodKeys(
        *in_lists(containers),
        claims=tuple(claims),
    )


def claim_name(placing: Placing, *, several: bool) -> str:
    """The name of a container's claim in its pod; that of the container is in it where there are several."""
    if not several:
        return REQUEST
    own = placing.name or f"{'init-' if placing.init else ''}{placing.index}"
    return shortened(f"{REQUEST}-{own}", LABEL)


def _devices(
    driver: Driver, placing: Placing, profile: Profile | None, selectors: tuple[Value, ...]
) -> Devices:
    partition = placing.take("partition") if driver.partition_class else None
    capacity: dict[str, Value] = {}
    if (clients := _clients(driver, placing, profile)) is not None:
        capacity[SHARES] = Value.of(str(clients))
    if partition is not None:
        if placing.peek("replica") is None:
            placing.isolated(Isolation.HARDWARE)
            placing.shared_by(Policy.FIXED_SHARE)
        wrong = unfit(partition, profile, (driver.name,))
        if wrong is not None:
            placing.refuse("partition", *wrong)
        request = DeviceRequest(
            REQUEST,
            Value.of(driver.partition_class),
            Value.of(partition.count) if partition.count > 1 else None,
            capacity=capacity,
            selectors=(with_profile(driver, partition.profile), *selectors),
        )
        return Devices((request,))
    cards, cores, memory = int(placing.take("cards")), None, placing.take("memory_mib")
    if driver.cores:
        cores = placing.take("cores")
        if not placing.whole_cards:
            capacity[CORES] = Value.of(str(int(cores or 0) // cards))
    if memory is not None:
        most = int(LIMIT * BYTE) * cards
        if int(memory) > most:
            problem = above_limit("memoryMiB", int(memory), most)
            placing.refuse("memory_mib", "GX011", problem.message, problem.hint)
        capacity[MEMORY] = Value.of(f"{int(memory) // cards}Mi")
    placing.isolated(Isolation.HARDWARE if placing.whole_cards else driver.isolation)
    if driver.cores and not placing.whole_cards and memory is None:
        message = say("without memory the claim has all memory of its cards, so no other share fits on them")
        placing.note("DRA003", message, attribute="cores")
    request = DeviceRequest(
        REQUEST,
        Value.of(driver.device_class),
        Value.of(cards) if cards > 1 else None,
        capacity=capacity,
        selectors=selectors,
    )
    apart = Constraint((REQUEST,), distinct=Value.of(driver.attribute("uuid")))
    return Devices((request,), (apart,) if cards > 1 and capacity else ())


def _clients(driver: Driver, placing: Placing, profile: Profile | None) -> int | None:
    """How many clients of a card the claim takes, where the driver counts them: all for a whole one."""
    replica = placing.take("replica") if driver.clients else None
    known = DraProfile.of(profile).replica if driver.clients else None
    if replica is not None:
        placing.isolated(driver.isolation)
        return int(replica.count)
    return known.of if known else None


def _is_counted(placing: Placing, profile: Profile | None) -> None:
    """The cluster keeps the capacity that a claim asks for."""
    if counts_capacity(profile) is False:
        message = say(
            "the cluster of the profile drops the capacity of claims: without {gate} each gets whole cards",
            gate="DRAConsumableCapacity",
        )
        hint = say(
            "use Kubernetes {version}, or turn it on: dra: {{consumableCapacity: true}} in the profile",
            version=ON_BY_DEFAULT,
        )
        placing.refuse("cards", "DRA002", message, hint)
