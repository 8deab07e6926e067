"""Tencent TKE qGPU: the target, and writing shares. Values are totals of the container."""

from __future__ import annotations

from collections.abc import Sequence

from gpuxlate.backends.base import GIB, Backend, Limits, Placing, PodPlacing, Reading, Taking
from gpuxlate.backends.limits import ANY
from gpuxlate.backends.tencent import keys as k
from gpuxlate.backends.tencent.reading import read
from gpuxlate.model.messages import Message, say
from gpuxlate.model.pod import ContainerKeys, NodeRequirement, PodKeys, Value, in_lists
from gpuxlate.model.profile import CardProfile, Profile
from gpuxlate.model.share import Isolation, Policy, Qos, Share
from gpuxlate.rules.products import ELASTIC_GPU, GPU_MANAGER, SUPER_NODES

Numbers = dict[str, int | None]
"""By key; None where a field that the target needs is not set."""


def _write_container(placing: Placing, qos: Qos | None, profile: Profile | None) -> ContainerKeys:
    placing.isolated(Isolation.SOFT)  # of memory and compute, by the add-on (S003)
    # as requested: a share that loses its cores here is not whole cards
    if placing.asked.whole_cards:
        values = _whole(placing, qos)
    elif qos is None:
        values = _ordinary(placing, profile)
    else:
        values = _offline(placing) if qos is Qos.OFFLINE else _online(placing)
    units = k.card_gib(profile)
    placing.on_nodes(CardProfile(memory_mib=None if units is None else units * GIB), None, "TKE001")
    written = {name: Value.of(str(number)) for name, number in values.items() if number is not None}
    return ContainerKeys(placing.name, placing.index, placing.init, written, written)


def _whole(placing: Placing, qos: Qos | None = None) -> Numbers:
    """100 x N without memory: it comes with the cards (S003)."""
    if qos:
        message = say("{qos} whole cards cannot be expressed: TKE colocation shares one card", qos=str(qos))
        hint = "request a part of one card with memoryMiB, or remove qos from the share"
        placing.refuse("qos", "GX023", message, hint)
    return {k.CORE: k.FULL * int(placing.take("cards"))}


def _memory(placing: Placing, lacking: str, why: Message, off_grid: str = "TKE001") -> int | None:
    """GiB, which every part of a card needs; ``lacking`` and ``off_grid`` are codes."""
    placing.need("memory_mib", lacking, why)
    memory = placing.on_grid("memory_mib", off_grid, step=GIB, low=GIB, unit="MiB")
    return None if memory is None else memory // GIB


def _offline(placing: Placing) -> Numbers:
    """Greedy compute of 1..100 % and memory, one card (TC81034)."""
    if placing.take("cards") > 1:
        placing.refuse("cards", "TKE010", "offline pods of TKE share one card only", "request one card")
    cores = placing.need("cores", "TKE010", say("offline pods need {key}", key=k.GREEDY))
    memory = _memory(placing, "TKE010", say("offline pods need {key}", key=k.MEMORY))
    return {k.GREEDY: cores, k.MEMORY: memory}


def _online(placing: Placing) -> Numbers:
    """Memory alone, one card: online pods compete for compute (TC81034)."""
    if placing.take("cards") > 1:
        placing.refuse("cards", "TKE011", "online pods of TKE share one card only", "request one card")
    placing.drop("cores", "TKE011", "online pods of TKE request memory only and compete for compute")
    return {k.MEMORY: _memory(placing, "TKE011", say("online pods need {key}", key=k.MEMORY))}


def _ordinary(placing: Placing, profile: Profile | None) -> Numbers:
    """Compute and memory of one card, or of two; whole cards where compute is full."""
    cards = int(placing.take("cards"))
    if cards <= k.MAX_SHARED_CARDS:
        # of two cards, more than half of each (TC127667)
        placing.need("cores", "GX021", "qGPU pods need compute and memory", 60 if cards > 1 else None)
    if cards == 1:
        placing.on_grid("cores", "TKE002", step=k.CORE_STEP, low=k.CORE_STEP, unit="%")
    placing.whole_when_full("TKE008")
    if placing.whole_cards:
        return _whole(placing)
    if cards > 1:
        _several_cards(placing, cards, profile)
    codes = ("TKE006", "TKE006") if cards > 1 else ("TKE003", "TKE001")
    memory = _memory(placing, codes[0], say("a part of a card needs {key}", key=k.MEMORY), codes[1])
    return {k.CORE: placing.take("cores"), k.MEMORY: memory}


def _several_cards(placing: Placing, cards: int, profile: Profile | None) -> None:
    """The number of cards has no key: it follows from qgpu-core (TC127667)."""
    if cards > k.MAX_SHARED_CARDS:
        text = "requests {cards} GPUs; a container of TKE shares at most {most}"
        message = say(text, cards=cards, most=k.MAX_SHARED_CARDS)
        placing.refuse("cards", "TKE005", message, "request fewer GPUs, or whole cards")
        return
    cores = placing.peek("cores")
    each = 0 if cores is None else cores // cards
    if cores is not None and cores <= k.FULL:
        text = "two cards at {each} % each cannot be expressed: {key} {cores} means one card"
        message = say(text, each=each, key=k.CORE, cores=cores)
        placing.refuse("cores", "TKE005", message, "request more than 50 % of each card, or one card")
    elif each % k.CORE_STEP:
        text = "{each} % of each card is not a multiple of {step} %, which may be needed for two cards too"
        hint = say("write a multiple of {step} for cores", step=k.CORE_STEP * cards)
        placing.warn("TKE007", say(text, each=each, step=k.CORE_STEP), hint, "cores")
    old = k.old_addon(profile)
    if old:
        placing.warn("TKE005", *old)


def _doubtful_policy(placing: Placing, policy: Policy, qos: Qos | None, profile: Profile | None) -> None:
    """Report what the choice of nodes by policy does not do."""
    label = say("label the node pool {label}={policy}", label=k.POLICY, policy=policy)
    if policy is Policy.BEST_EFFORT:
        message = "nodes without a policy label are best-effort too; the pod runs on labelled nodes only"
        placing.note("TKE014", message, label, "policy")
    if qos is Qos.ONLINE:
        message = "online pods always compete for compute, whatever the policy of the nodes"
        placing.note("TKE014", message, attribute="policy")
    on_nodes = k.node_policy(profile)
    if on_nodes is not None and on_nodes is not policy:
        placing.warn("TKE014", k.other_policy(policy, on_nodes), label, "policy")


def node_mode(shares: Sequence[Share], _profile: Profile | None) -> str:
    """Pods with a policy choose nodes of it; the others run on any node (S003)."""
    return next((str(share.policy) for share in shares if share.policy), ANY)


class TencentQgpu(Backend):
    name = k.NAMES[0]
    aliases = k.NAMES[1:]
    title = "Tencent TKE, qGPU"
    keys = k.KEYS
    gpu_prefixes = ("tke.cloud.tencent.com/qgpu",)
    field_docs = {
        "cards": "1, or 2 shared with more than 50 % of each, or any number of whole cards",
        "cores": "5..100 % in multiples of 5, total over the cards; offline 1..100; online has none",
        "memoryMiB": "GiB, total over the cards; whole cards have none",
        "policy": "required node affinity on the label qgpu-schedule-policy",
        "qos": "annotation app-class; one card, a part of it",
        "device": "no key; vendor nvidia alone",
        "isolation": "no key; soft, whole cards hardware",
    }
    words = {"policy": k.POLICY_OF, "qos": k.CLASSES}
    vendor = "nvidia"
    cloud = k.CLOUD
    similar_products = (GPU_MANAGER, ELASTIC_GPU, SUPER_NODES)
    quotes_numbers = True
    limits = Limits(k.MAX_SHARES, source="S003", node_mode=node_mode)
    rule_prefix = "TKE"
    row_rules = ()
    fact_commands = {
        "components.qgpu": "the page of the qGPU add-on in the console of TKE",
        k.MODULE: f"kubectl get nodes -L {k.VERSION}",
        "cards.model": "kubectl exec POD -- nvidia-smi -L, in a pod that has a card of the node",
    }

    def read(self, pod: Taking, profile: Profile | None) -> Reading:
        """Keys to shares."""
        return read(pod, profile)

    def write(self, pod: PodPlacing, profile: Profile | None) -> PodKeys:
        """Shares to keys: strings, as the vendor writes them."""
        qos = pod.qos()
        containers = tuple(_write_container(placing, qos, profile) for placing in pod.placings)
        policy = pod.policy()
        if policy:
            _doubtful_policy(pod.placings[0], policy, qos, profile)
        return PodKeys(
            *in_lists(containers),
            annotations={k.APP_CLASS: Value.of(str(qos))} if qos else {},
            affinity=((NodeRequirement(k.POLICY, "In", k.SPELLINGS[policy]),),) if policy else (),
        )

    def allocatable(
        self, _share: Share, cards: int, memory_mib: int, _profile: Profile | None
    ) -> dict[str, int]:
        """100 of CORE are a card; MEMORY is the sum of the cards' GiB, each rounded down (QD, EA)."""
        return {k.CORE: k.FULL * cards, k.MEMORY: cards * (memory_mib // GIB)}


BACKEND = TencentQgpu()
