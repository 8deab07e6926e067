"""GPU sharing in GKE: labels that choose nodes, and the common key; how it is read and written."""

from __future__ import annotations

import re
from collections.abc import Mapping

from gpuxlate.backends.nvidia_device_plugin import (
    CARD_NEEDED,
    NvidiaProfile,
    clients,
    clients_in,
    divided_alike,
    partitions_for,
    take_client_isolation,
    why_no_card_fits,
)
from gpuxlate.backends.target import (
    Backend,
    Cloud,
    ContainerShare,
    KeySpec,
    Limits,
    Place,
    PodReader,
    PodWriter,
    Range,
    Reading,
    ShareWriter,
    key,
)
from gpuxlate.model.amounts import Part
from gpuxlate.model.declarations import regex
from gpuxlate.model.diagnostics import Path
from gpuxlate.model.keys import NVIDIA_GPU
from gpuxlate.model.messages import msg
from gpuxlate.model.pod import ContainerKeys, PodKeys, Value, in_lists
from gpuxlate.model.profile import Profile, card_of, names_of
from gpuxlate.model.share import Device, Isolation, Partition, Policy, Replica, Share, Strategy
from gpuxlate.rules.predicates import AnyOf, RequiresNodeLabel

NAME = "gke"
DOCUMENTS = {"SHARING": "Google Cloud, GPU sharing in GKE", "MODELS": "Google Cloud, accelerators of GKE"}
STRATEGY = "cloud.google.com/gke-gpu-sharing-strategy"
CLIENTS = "cloud.google.com/gke-max-shared-clients-per-gpu"
SIZE = "cloud.google.com/gke-gpu-partition-size"
MODEL = "cloud.google.com/gke-accelerator"
STRATEGIES = {"time-sharing": Strategy.TIME_SLICING, "mps": Strategy.MPS}
SIZES = re.compile(r"[1-9]g\.[0-9]+gb([+]me|[+]me\.all|[+]gfx|-me)?")
OTHER_NAMES = {"nvidia-h100-mega-80gb": "H100-80GB"}
"""Accelerators that are a card of the catalogue in other machines (MODELS); read, and not written."""
LEAST, MOST = 2, 48
"""Clients of a card."""
KEYS: tuple[KeySpec, ...] = (
    key(
        NVIDIA_GPU,
        Place.RESOURCE,
        sets="cards",
        meaning="whole cards; instances or clients of one, by the labels",
        unit=1,
        whole=True,
        values=(Range(),),
        source="SHARING",
    ),
    key(
        STRATEGY,
        Place.NODE_SELECTOR,
        Place.NODE,
        sets="replica",
        meaning="how the clients of a card share it",
        values=tuple(STRATEGIES),
        source="SHARING",
    ),
    key(
        CLIENTS,
        Place.NODE_SELECTOR,
        Place.NODE,
        sets="replica",
        meaning="how many clients a card has",
        values=(Range(LEAST, MOST),),
        source="SHARING",
    ),
    key(
        SIZE,
        Place.NODE_SELECTOR,
        Place.NODE,
        sets="partition",
        meaning="MIG profile of the partitions",
        values=(SIZES,),
        source="SHARING",
    ),
    key(
        MODEL,
        Place.NODE_SELECTOR,
        Place.NODE,
        sets="device",
        meaning="card model",
        values=(*names_of(NAME), *OTHER_NAMES),
        general=True,
        source="MODELS",
    ),
)

# GPU sharing of GKE: the share is in the labels of the nodes that a pod chooses, which also create them.
NAMES = (NAME,)
SPEAKS = AnyOf(*map(RequiresNodeLabel, (STRATEGY, CLIENTS, SIZE)))
"""Nodes whose cards are divided or shared."""


def accelerators(profile: Profile | None = None) -> Mapping[str, str]:
    """The cards of the catalogue by the names of known accelerators."""
    return {**OTHER_NAMES, **names_of(NAME, profile)}


def _where(pod: PodReader, name: str) -> Path | None:
    return next((requirement.path for requirement in pod.pod.choices(name)), None)


def _container(
    pod: PodReader,
    container: ContainerKeys,
    size: str | None,
    replica: Replica | None,
    model: str | None,
    paths: Mapping[str, Path | None],
) -> ContainerShare:
    count = pod.number(container, NVIDIA_GPU)
    if count is None:
        return pod.none(container)
    origins: dict[str, Path] = {name: path for name, path in paths.items() if path is not None}
    device = Device(None, (model,)) if model else None
    if replica is not None:
        replica = Replica(replica.of, replica.strategy, count)
    partition = Partition(size, 1 if replica else count) if size else None
    if partition is None and replica is None:
        where = {"cards": container.resources[NVIDIA_GPU].path, **origins}
        return pod.share(container, cards=count, device=device, origins=where)
    return pod.share(container, partition=partition, replica=replica, device=device, origins=origins)


def _of_nodes(placing: ShareWriter) -> tuple[str | None, int | None, Strategy | None]:
    """What a share needs of its nodes: the profile of partitions, the number of clients, and how they
    share."""
    partition, replica = placing.peek("partition"), placing.peek("replica")
    return (
        partition.profile if partition else None,
        replica.of if replica else None,
        replica.strategy if replica else None,
    )


def _write(placing: ShareWriter, profile: Profile | None) -> ContainerKeys:
    partition, replica = placing.take("partition"), placing.take("replica")
    codes = ("GKE004", "GKE004")
    wrong = why_no_card_fits(partition, profile, NAMES, codes=codes) if partition is not None else None
    if wrong is not None:
        placing.refuse("partition", *wrong)
    if replica is not None:
        count = replica.count
        take_client_isolation(placing, replica)
        _replica(placing, replica)
    elif partition is not None:
        count = partition.count
        placing.take_isolation_if_covered(Isolation.HARDWARE)
        placing.take_policy_if_same(Policy.FIXED_SHARE)
    else:
        count = int(placing.take("cards"))
        placing.on_nodes(card_of(profile, NAMES), "GX023", None)
    limits = {NVIDIA_GPU: Value.of(count)}
    return ContainerKeys(placing.name, placing.index, placing.init, limits, limits)


def _replica(placing: ShareWriter, replica: Replica) -> None:
    if replica.of is None or replica.strategy is None:
        message = msg("{target} needs the number of clients and the strategy of a replica", target=NAME)
        placing.refuse("replica", "GX021", message, "write of: 2 to 48, and strategy, in replica")
    elif not LEAST <= replica.of <= MOST:
        message = msg(
            "{of} clients of a card; GKE takes {least} to {most}", of=replica.of, least=LEAST, most=MOST
        )
        placing.refuse("replica", "GKE002", message, msg("write of: {most} or less", most=MOST))
    if replica.count > 1:
        message = msg("requests {count} clients of cards; GKE refuses more than one", count=replica.count)
        placing.refuse("replica", "GKE001", message, "request one larger part, or whole cards")


MACHINE = regex(r"[a-z][0-9][a-z]?-(?:standard|highmem|highcpu|highgpu|ultragpu|megagpu)-[0-9]+[a-z]?")


class Gke(Backend):
    """GPU sharing of GKE (SHARING): a count of cards, partitions or clients, which the labels of the
    chosen nodes tell apart."""

    name = NAME
    title = "GKE GPU sharing"
    documents = DOCUMENTS
    keys = KEYS
    gpu_prefixes = (
        "cloud.google.com/gke-gpu-sharing",
        "cloud.google.com/gke-gpu-partition",
        "cloud.google.com/gke-max-shared-clients",
    )
    field_docs = {
        "cards": f"whole cards: {NVIDIA_GPU}",
        "policy": f"no key; {Policy.FIXED_SHARE} with MIG and MPS",
        "device": f"nodeSelector {MODEL}, one model",
        "isolation": "no key; hardware with MIG, soft with MPS, else none",
        "partition": f"nodeSelector {SIZE}",
        "replica": f"nodeSelector {STRATEGY} and {CLIENTS}",
    }
    whole_card_key = NVIDIA_GPU
    detected_by = SPEAKS
    vendor = "nvidia"
    cloud = Cloud("GKE", ("cloud.google.com",), MACHINE)
    extension = NvidiaProfile
    parts_need = CARD_NEEDED
    limits = Limits(source="SHARING", node_mode=divided_alike)
    rule_module = "gpuxlate.backends.gke.rules"
    node_module = "gpuxlate.backends.gke.nodes"
    row_rules = ()
    fact_commands = {"cards.model": f"kubectl get nodes -L {MODEL}"}

    def read(self, pod: PodReader, profile: Profile | None) -> Reading:
        """Read the labels of chosen nodes as shares, equal for all containers of the pod."""
        chosen = {name: pod.node_values(name) for name in (STRATEGY, CLIENTS, SIZE, MODEL)}
        texts = {name: values[0] if len(values) == 1 else None for name, values in chosen.items()}
        strategy = STRATEGIES.get(texts[STRATEGY] or "")
        of = clients_in(chosen[CLIENTS])
        size, model = texts[SIZE], accelerators(profile).get(texts[MODEL] or "")
        size = size if size and SIZES.fullmatch(size) else None
        for name, value in ((STRATEGY, strategy), (CLIENTS, of), (SIZE, size), (MODEL, model)):
            pod.read_selector(name, chosen[name] if value else ())
        paths = {
            "replica": _where(pod, CLIENTS) or _where(pod, STRATEGY),
            "partition": _where(pod, SIZE),
            "device": _where(pod, MODEL),
        }
        return pod.reading(
            [
                _container(
                    pod, container, size, Replica(of, strategy) if of or strategy else None, model, paths
                )
                for container in pod.pod.all_containers()
            ]
        )

    def write(self, pod: PodWriter, profile: Profile | None) -> PodKeys:
        """Write shares as labels of nodes for the pod, and a count in each container."""
        pools = {_of_nodes(placing) for placing in pod.placings}
        if len(pools) > 1:
            for placing in pod.placings:
                message = msg(
                    "a pod runs on nodes of one kind, and its containers request different parts of cards"
                )
                placing.refuse("cards", "GX022", message, "use a separate pod for each")
        containers = [_write(placing, profile) for placing in pod.placings]
        chosen: dict[str, str] = {}
        device = pod.peek("device")
        label_of = {model: text for text, model in names_of(NAME, profile).items()}
        if (
            device is not None
            and device.vendor is None
            and len(device.models) == 1
            and device.models[0] in label_of
        ):
            pod.device()
            chosen[MODEL] = label_of[device.models[0]]
        for size, of, strategy in sorted(pools, key=str)[:1]:
            names = {strategy: name for name, strategy in STRATEGIES.items()}
            chosen |= {SIZE: size} if size else {}
            chosen |= {STRATEGY: names[strategy], CLIENTS: str(of)} if strategy and of else {}
        return PodKeys(
            *in_lists(containers),
            node_selector={name: Value.of(text) for name, text in chosen.items()},
        )

    def parts(self, share: Share, profile: Profile | None) -> list[Part]:
        """The partitions of the card, and the client of a card where the profile shares by MPS."""
        requests = [*partitions_for(share, profile), *clients(share, profile)]
        return sorted(requests, key=lambda part: (part.amount.memory_mib or 0, part.amount.cores or 0))
