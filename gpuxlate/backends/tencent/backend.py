"""Tencent TKE qGPU: the target, and writing shares. Values are totals of the container."""

from __future__ import annotations

from gpuxlate.backends.base import GIB, Backend, Placing, PodPlacing
from gpuxlate.backends.tencent import cluster
from gpuxlate.backends.tencent import keys as k
from gpuxlate.backends.tencent.reading import read
from gpuxlate.backends.tencent.texts import OLD_ADDON_HINT, old_addon, other_policy
from gpuxlate.model.messages import say
from gpuxlate.model.pod import ContainerKeys, NodeRequirement, PodKeys, Value
from gpuxlate.model.profile import CardProfile, Profile
from gpuxlate.model.share import Isolation, Policy, Qos

Numbers = dict[str, int | None]
"""Values of one container by key; None where a field that the target needs is not set."""


def write(pod: PodPlacing, profile: Profile | None) -> PodKeys:
    """Shares to keys: strings, as the vendor writes them."""
    qos = pod.qos()
    containers = tuple(_write_container(placing, qos, profile) for placing in pod.placings)
    policy = pod.policy()
    if policy:
        _doubtful_policy(pod.placings[0], policy, qos, profile)
    return PodKeys(
        containers=tuple(c for c in containers if not c.init),
        init_containers=tuple(c for c in containers if c.init),
        annotations={k.APP_CLASS: Value.of(str(qos))} if qos else {},
        affinity=((NodeRequirement(k.POLICY, "In", k.SPELLINGS[policy]),),) if policy else (),
    )


def _write_container(placing: Placing, qos: Qos | None, profile: Profile | None) -> ContainerKeys:
    placing.isolated(Isolation.SOFT)  # of memory and compute, by the add-on (S003)
    # as requested: a share that loses its cores here is not whole cards
    if placing.asked.whole_cards:
        values = _whole(placing, qos)
    elif qos is Qos.OFFLINE:
        values = _offline(placing)
    elif qos is Qos.ONLINE:
        values = _online(placing)
    else:
        values = _ordinary(placing, profile)
    placing.on_nodes(CardProfile(memory_mib=cluster.card_mib(profile)), None, "TKE001")
    written = {name: Value.of(str(number)) for name, number in values.items() if number is not None}
    return ContainerKeys(placing.name, placing.index, placing.init, written, written)


def _whole(placing: Placing, qos: Qos | None = None) -> Numbers:
    """100 x N without memory: it comes with the cards (S003)."""
    if qos:
        placing.refuse(
            "qos",
            "GX023",
            say("{qos} whole cards cannot be expressed: TKE colocation shares one card", qos=str(qos)),
            "request a part of one card with memoryMiB, or remove qos from the share",
        )
    return {k.CORE: k.FULL * int(placing.take("cards"))}


def _offline(placing: Placing) -> Numbers:
    """Greedy compute of 1..100 % and memory, one card (TC81034)."""
    if placing.take("cards") > 1:
        placing.refuse("cards", "TKE010", "offline pods of TKE share one card only", "request one card")
    cores = placing.need("cores", "TKE010", say("offline pods need {key}", key=k.GREEDY))
    placing.need("memory_mib", "TKE010", say("offline pods need {key}", key=k.MEMORY))
    memory = placing.on_grid("memory_mib", "TKE001", step=GIB, low=GIB, unit="MiB")
    return {k.GREEDY: cores, k.MEMORY: _gib(memory)}


def _online(placing: Placing) -> Numbers:
    """Memory alone, one card: online pods compete for compute (TC81034)."""
    if placing.take("cards") > 1:
        placing.refuse("cards", "TKE011", "online pods of TKE share one card only", "request one card")
    placing.drop("cores", "TKE011", "online pods of TKE request memory only and compete for compute")
    placing.need("memory_mib", "TKE011", say("online pods need {key}", key=k.MEMORY))
    memory = placing.on_grid("memory_mib", "TKE001", step=GIB, low=GIB, unit="MiB")
    return {k.MEMORY: _gib(memory)}


def _ordinary(placing: Placing, profile: Profile | None) -> Numbers:
    """Compute and memory of one card, or of two; whole cards where compute is full."""
    cards = int(placing.take("cards"))
    if cards <= k.MAX_SHARED_CARDS:
        example = k.TWO_CARDS_EXAMPLE if cards > 1 else None
        placing.need("cores", "GX021", "qGPU pods need compute and memory", example)
    if cards == 1:
        placing.on_grid("cores", "TKE002", step=k.CORE_STEP, low=k.CORE_STEP, unit="%")
    placing.whole_when_full("TKE008")
    if placing.whole_cards:
        return _whole(placing)
    if cards > 1:
        _several_cards(placing, cards, profile)
    lacking, off_grid = ("TKE006", "TKE006") if cards > 1 else ("TKE003", "TKE001")
    placing.need("memory_mib", lacking, say("a part of a card needs {key}", key=k.MEMORY))
    memory = placing.on_grid("memory_mib", off_grid, step=GIB, low=GIB, unit="MiB")
    return {k.CORE: placing.take("cores"), k.MEMORY: _gib(memory)}


def _several_cards(placing: Placing, cards: int, profile: Profile | None) -> None:
    """The number of cards has no key: it follows from qgpu-core (TC127667)."""
    if cards > k.MAX_SHARED_CARDS:
        placing.refuse(
            "cards",
            "TKE005",
            say(
                "requests {cards} GPUs; a container of TKE shares at most {most}",
                cards=cards,
                most=k.MAX_SHARED_CARDS,
            ),
            "request fewer GPUs, or whole cards",
        )
        return
    cores = placing.peek("cores")
    if cores is not None and cores <= k.FULL:
        placing.refuse(
            "cores",
            "TKE005",
            say(
                "two cards at {each} % each cannot be expressed: {key} {cores} means one card",
                each=cores // cards,
                key=k.CORE,
                cores=cores,
            ),
            "request more than 50 % of each card, or one card",
        )
    elif cores is not None and cores // cards % k.CORE_STEP:
        placing.warn(
            "TKE007",
            say(
                "{each} % of each card is not a multiple of {step} %, which may be needed for two cards too",
                each=cores // cards,
                step=k.CORE_STEP,
            ),
            say("write a multiple of {step} for cores", step=k.CORE_STEP * cards),
            "cores",
        )
    version = cluster.old_addon(profile)
    if version:
        placing.warn("TKE005", old_addon(version), OLD_ADDON_HINT)


def _gib(memory_mib: int | None) -> int | None:
    return None if memory_mib is None else memory_mib // GIB


def _doubtful_policy(placing: Placing, policy: Policy, qos: Qos | None, profile: Profile | None) -> None:
    """Report what the choice of nodes by policy does not do."""
    if policy is Policy.BEST_EFFORT:
        placing.note(
            "TKE014",
            "nodes without a policy label are best-effort too; the pod runs on labelled nodes only",
            say("label the node pool {label}={policy}", label=k.POLICY, policy=policy),
            "policy",
        )
    if qos is Qos.ONLINE:
        placing.note(
            "TKE014",
            "online pods always compete for compute, whatever the policy of the nodes",
            attribute="policy",
        )
    on_nodes = cluster.node_policy(profile)
    if on_nodes is not None and on_nodes is not policy:
        placing.warn(
            "TKE014",
            other_policy(policy, on_nodes),
            say("label the node pool {label}={policy}", label=k.POLICY, policy=policy),
            "policy",
        )


BACKEND = Backend(
    name="tencent-qgpu",
    title="Tencent TKE, qGPU",
    keys=k.KEYS,
    gpu_prefixes=k.GPU_PREFIXES,
    read=read,
    write=write,
    says={
        "cards": "1, or 2 shared with more than 50 % of each, or any number of whole cards",
        "cores": "5..100 % in multiples of 5, total over the cards; offline 1..100; online has none",
        "memoryMiB": "GiB, total over the cards; whole cards have none",
        "policy": "required node affinity on the label qgpu-schedule-policy",
        "qos": "annotation app-class; one card, a part of it",
        "device": "no key; vendor nvidia alone",
        "isolation": "no key; soft, whole cards hardware",
    },
    words={"policy": k.POLICY_OF, "qos": k.CLASSES},
    rules_module="gpuxlate.backends.tencent.rules",
    needs_module="gpuxlate.backends.tencent.prerequisites",
    nodes_module="gpuxlate.backends.tencent.nodes",
    vendor="nvidia",
    cloud=k.CLOUD,
    look_alikes=k.LOOK_ALIKES,
    quotes_numbers=True,
)
