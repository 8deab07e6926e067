"""NVIDIA's device plugin on a live cluster: what its nodes count. No pod has a record of its card.

Labels are those of GPU feature discovery; ``mig.config`` and its state are the MIG manager's."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from gpuxlate.backends import nvidia as k
from gpuxlate.backends.cluster_nodes import (
    Containers,
    CountedRequests,
    LiveNode,
    MergeNodeValues,
    NodeOffer,
    NodeView,
)
from gpuxlate.backends.nvidia.mig import NAMES, profile_of
from gpuxlate.backends.nvidia.shared import NAMES as SHARED_NAMES
from gpuxlate.backends.nvidia_device_plugin import (
    INVALID,
    CardLabels,
    NvidiaProfile,
    Sharing,
    card_labels,
    most_clients,
    most_of_a_card,
    sharing_data,
)
from gpuxlate.backends.requirements import (
    CloudPool,
    NodeLabel,
    NodeNeeds,
    NodeWarning,
    Setter,
    VendorDocument,
    cards_of_a_node,
)
from gpuxlate.backends.target import Backend
from gpuxlate.model.amounts import card_of_share
from gpuxlate.model.keys import NVIDIA_GPU
from gpuxlate.model.messages import join_and, msg
from gpuxlate.model.profile import MIG_PROFILE, Card, Profile, Template, all_cards, card_meant
from gpuxlate.model.share import Partition, Replica, Share, Strategy, in_resource

MIG_STRATEGY = "nvidia.com/mig.strategy"
STATE = "nvidia.com/mig.config.state"
DONE = "success"


def node_view(backend: Backend, node: LiveNode) -> NodeView | None:
    """A node with partitions is one of MIG, whether clients share them or not; one with clients alone is
    shared. Nodes with whole cards alone are anybody's."""
    card = card_labels(node)
    rows = tuple(_rows(node, card))
    divided = any(row.partition for row in rows)
    invalid = card.product is not None and card.product.profile == INVALID
    if backend.name != (NAMES if divided or invalid else SHARED_NAMES)[0]:
        return None
    if not any(row.is_part for row in rows):
        return (
            NodeView(backend.name, NodeOffer.NOTHING, notes=tuple(_notes(node, card, rows)))
            if invalid
            else None
        )
    of_card = card.product is None or card.product.profile is None  # else the labels are about a partition
    memory = card.memory_mib if of_card else None
    replica = next((row.replica for row in rows if row.replica), None)
    return NodeView(
        backend.name,
        NodeOffer.PARTS,
        mode=_mode(rows, replica, divided=divided, single=_is_single(rows)),
        cards=_cards(node, card, rows),
        card_mib=memory,
        physical_mib=memory,
        model=card.model,
        whole_key=NVIDIA_GPU if any(not row.is_part for row in rows) else None,
        labels=node.labels,
        extension=NvidiaProfile("single" if _is_single(rows) else "mixed", _sharing(replica, rows)),
        notes=tuple(_notes(node, card, rows)),
        parts=rows,
    )


def _rows(node: LiveNode, card: CardLabels) -> Iterator[CountedRequests]:
    """The allocatable resources: partitions by name, then the clients or cards of the common key."""
    for name in sorted(node.allocatable):
        amount = node.amount(name)
        if not amount or not name.startswith(k.BEFORE):
            continue
        resource = name.removesuffix(k.OF_SHARED)
        labels = card_labels(node, resource)
        replica = labels.replica or (Replica(None, Strategy.TIME_SLICING) if resource != name else None)
        yield CountedRequests(
            name, amount, profile_of(resource.removeprefix(k.BEFORE)), replica,
            labels.memory_mib, labels.multiprocessors,
        )  # fmt: skip
    profile = card.product.profile if card.product and card.product.profile != INVALID else None
    renamed = node.amount(k.GPU_SHARED)
    for name in (k.GPU_SHARED, NVIDIA_GPU):
        if amount := node.amount(name):
            replica = card.replica or (Replica() if name == k.GPU_SHARED else None)
            replica = None if name == NVIDIA_GPU and renamed else replica
            numbers = (card.memory_mib, card.multiprocessors) if profile else (None, None)
            yield CountedRequests(name, amount, profile and profile_of(profile), replica, *numbers)


def _is_single(rows: Sequence[CountedRequests]) -> bool:
    """Whether the common key counts partitions."""
    return any(row.partition and not row.key.startswith(k.BEFORE) for row in rows)


def _mode(rows: Sequence[CountedRequests], replica: Replica | None, *, divided: bool, single: bool) -> str:
    words = [f"MIG {'single' if single else 'mixed'}"] if divided else []
    if replica is not None:
        words.append(str(replica.strategy or "shared"))
    return ", ".join(words)


def _cards(node: LiveNode, card: CardLabels, rows: Sequence[CountedRequests]) -> int | None:
    """The label counts cards, divided or not, but for strategy single: there it counts partitions. Where all
    cards are divided by one configuration, each has as many as fit."""
    if not _is_single(rows):
        return card.number
    config, row = node.labels.get(k.CONFIG, ""), rows[-1]
    known_card = card_meant(card.model or "")
    template = known_card.template(row.partition or "") if known_card else None
    maximum = template.most if template and config.removeprefix(k.ALL) == row.partition else None
    return card.number // maximum if maximum and card.number and card.number % maximum == 0 else None


def _sharing(replica: Replica | None, rows: Sequence[CountedRequests]) -> Sharing:
    if replica is None or replica.strategy is None:
        return Sharing()
    renamed = any(row.key.endswith(k.OF_SHARED) for row in rows)
    return Sharing(cast(Any, str(replica.strategy)), replica.of or 1, renamed)


def _notes(node: LiveNode, card: CardLabels, rows: Sequence[CountedRequests]) -> Iterator[str]:
    """Notes where labels contradict each other, or the allocatable amounts."""
    state, strategy = node.labels.get(STATE, DONE), node.labels.get(MIG_STRATEGY)
    if state != DONE:
        config = node.labels.get(k.CONFIG, "")
        yield f"{STATE} is {state!r}: its cards are not divided as {k.CONFIG} ({config}) says"
    if card.product and card.product.profile == INVALID:
        yield (
            f"{MIG_STRATEGY} is single, and its cards are not all divided into partitions of one profile "
            f"({NVIDIA_GPU}.product ends in -MIG-{INVALID})"
        )
    named = any(row.key.startswith(k.BEFORE) for row in rows)
    if (strategy in ("single", "none") and named) or (strategy in ("mixed", "none") and _is_single(rows)):
        keys = ", ".join(row.key for row in rows if row.partition)
        yield f"{MIG_STRATEGY} is {strategy}, and {keys} counts partitions: the plug-in runs with another one"
    if card.product and card.product.shared and (card.replicas or 0) < 2:
        yield (
            f"{NVIDIA_GPU}.product ends in -SHARED, and {k.REPLICAS} is {card.replicas or 'not set'}: "
            "how many clients a card has is not known"
        )
    if card.replica is not None and card.strategy == "none":
        yield f"{k.REPLICAS} is {card.replicas}, and {k.STRATEGY} is none"


def keeps_out(_backend: Backend, node: NodeView, containers: Containers) -> str | None:
    """With MPS a container has one client (PLUGIN)."""
    maximum = most_clients(containers)
    by_mps = any(row.replica and row.replica.strategy is Strategy.MPS for row in node.parts)
    text = "a container requests {count} clients; with MPS it has one"
    return msg(text, count=maximum) if maximum > 1 and by_mps else None


def extension_data(
    _backend: Backend, views: Sequence[NodeView], merge: MergeNodeValues, _notes: list[str]
) -> dict[str, Any]:
    """The strategy of nodes that are divided, and how clients share cards."""
    return sharing_data(views, merge)


# --- what a share needs of them ---------------------------------------------------------------

PLUGIN = VendorDocument.of(k.DOCUMENTS["PLUGIN"])
PARTED = VendorDocument.of(k.DOCUMENTS["PARTED"])
GUIDE = VendorDocument.of(k.DOCUMENTS["MIG"])
SCALING = VendorDocument.of(
    "kubernetes-sigs/karpenter, issue 729; aws/karpenter, issue 3376; Azure/AKS, issue 3427"
)
COUNTED_LATE = (
    NodeWarning(
        msg(
            "a new node shows its physical cards as {key}, and more of them only when the plug-in runs: an "
            "autoscaler that is not told adds one node for each pending pod first",
            key=NVIDIA_GPU,
        ),
        SCALING,
    ),
)
SHARING_GUIDE = VendorDocument.of(
    "NVIDIA, GPU Operator: time-slicing GPUs in Kubernetes, and with MIG (2026-08-21)"
)
AKS_MIG = VendorDocument.of("MicrosoftDocs/azure-aks-docs, gpu-multi-instance.md (2026-05-22)")
AKS_SHARED = VendorDocument.of("MicrosoftDocs/azure-aks-docs, concepts-gpu-partitioning.md (2026-05-01)")
AKS_MANAGED = VendorDocument.of("MicrosoftDocs/azure-aks-docs, aks-managed-gpu-nodes.md (2026-07-02)")
AKS_OPERATOR = VendorDocument.of("MicrosoftDocs/azure-aks-docs, nvidia-gpu-operator.md (2025-07-02)")
EKS = VendorDocument.of("NVIDIA, GPU Operator, with Amazon EKS; AWS, API reference of EKS, CreateNodegroup")
EKS_MIG = VendorDocument.of("awsdocs/amazon-eks-user-guide, device-management-nvidia-mig.adoc (2026)")
AKS_CARDS = ("A100", "H100", "H200")
"""How the names of the cards begin that AKS divides."""
SLICES = "12347"
"""The compute slices of the profiles that a pool of AKS may have: MIG1g, MIG2g, MIG3g, MIG4g, MIG7g."""
OPERATOR = NodeWarning("install NVIDIA's GPU Operator, and apply the documents of -o yaml", SHARING_GUIDE)
PARTED_CONFIG, PLUGIN_CONFIG = "mig-parted-config", "device-plugin-config"
"""The ConfigMaps of -o yaml."""
NOT_DIVIDED = "all-disabled"
"""What the operator does with cards of nodes without the label (EKS_MIG)."""
SHARING = "shared"
"""The name of the configuration in the ConfigMap, and the value of the label that chooses it."""


def node_requirements(_backend: Backend, share: Share, profile: Profile | None) -> NodeNeeds:
    """The needs of a share at nodes with NVIDIA's device plugin."""
    if share.partition is not None:
        return _of_partition(share.partition, profile)
    if share.replica is not None:
        return _of_replica(share.replica, profile)
    text = "see that the nodes neither divide nor share their cards: each is one nvidia.com/gpu there"
    return NodeNeeds((), (), (NodeWarning(text, PLUGIN),), cards_of_a_node(share, PLUGIN))


def _of_partition(partition: Partition, profile: Profile | None) -> NodeNeeds:
    strategy = NvidiaProfile.of(profile).mig_strategy
    name = k.ALL + in_resource(partition.profile)
    labels = (
        NodeLabel(k.CONFIG, name, "the MIG manager divides the cards of the node so", PARTED),
        NodeLabel(
            "nvidia.com/mig.strategy",
            strategy,
            "GPU feature discovery shows the strategy of the plug-in",
            PLUGIN,
            Setter.CLOUD,
        ),
    )
    warnings = (
        NodeWarning("the cards are reset: no pod may use a card of the node while it is divided", GUIDE),
        *(COUNTED_LATE if strategy == "single" else ()),
    )
    parted = {
        "version": "v1",
        "mig-configs": {
            NOT_DIVIDED: [{"devices": "all", "mig-enabled": False}],
            name: [
                {
                    "devices": "all",
                    "mig-enabled": True,
                    "mig-devices": {partition.profile: most_of_a_card(partition, profile)},
                }
            ],
        },
    }
    document = _config_map(PARTED_CONFIG, "config.yaml", parted)
    operator_settings = _operator_settings(
        f"mig.strategy={strategy}", f"migManager.config.name={PARTED_CONFIG}"
    )
    return NodeNeeds(
        labels,
        (),
        warnings,
        (),
        (document,),
        (_aks_of_partition(partition, profile), _eks(operator_settings)),
    )


def _aks_of_partition(partition: Partition, profile: Profile | None) -> CloudPool:
    """A pool that AKS divides: its profile says the slices alone, whose memory follows from the card."""
    title, where = "body of the agent pool", ("properties", "nodeLabels")
    card = card_of_share(Share(), profile)
    aks_cards = [each for each in ([card] if card else all_cards(profile)) if each.name.startswith(AKS_CARDS)]
    label = MIG_PROFILE.fullmatch(partition.profile)
    least = {_least_with_slices(each, partition.profile) for each in aks_cards}
    if label is None or label["slices"] not in SLICES or partition.profile not in least:
        message = msg(
            "AKS divides {cards} only into the smallest profile of each number of slices, and {profile} is "
            "not one of them",
            cards=", ".join(AKS_CARDS),
            profile=partition.profile,
        )
        hint = "request another profile, or have the MIG manager divide the cards: -o kubectl"
        return CloudPool("aks", title, where, AKS_MIG, problem=(message, hint))
    strategy = NvidiaProfile.of(profile).mig_strategy
    notes = (
        NodeWarning("the cards of a pool cannot be divided again: create another pool", AKS_MIG),
        NodeWarning(
            msg("install the device plug-in with migStrategy {strategy}, gfd.enabled", strategy=strategy),
            AKS_MIG,
        ),
        NodeWarning(
            msg(
                "or AKS installs it (preview, without the cluster autoscaler): gpuProfile.nvidia with "
                "managementMode Managed, migStrategy {strategy}",
                strategy=strategy.capitalize(),
            ),
            AKS_MANAGED,
        ),
    )
    fields = {"properties": {"gpuInstanceProfile": f"MIG{label['slices']}g"}}
    return CloudPool("aks", title, where, AKS_MIG, fields, divides=True, notes=notes)


def _least_with_slices(card: Card, profile: str) -> str | None:
    """The profile of a card with as many slices as another, and the least memory."""
    match = MIG_PROFILE.fullmatch(profile)
    templates = [
        row for row in card.templates if match and row.label and row.label[0] == int(match["slices"])
    ]
    return min(templates, key=lambda row: row.label or (), default=Template("")).name


def _eks(operator_settings: NodeWarning) -> CloudPool:
    image = "the nodes need an AMI with an operating system that the operator supports"
    text = (
        "the AMI of EKS for NVIDIA, AL2023, has driver and toolkit: tell the operator driver.enabled=false, "
        "toolkit.enabled=false"
    )
    auto = "not on EKS Auto Mode: the device plug-in of its nodes cannot be configured"
    of_partitions = (NodeWarning(text, EKS_MIG), NodeWarning(auto, EKS_MIG))
    notes = (OPERATOR, operator_settings, NodeWarning(image, EKS), *of_partitions)
    return CloudPool("eks", "fields of the node group", ("labels",), EKS, notes=notes)


def _operator_settings(*settings: str) -> NodeWarning:
    """The warning that names the values to set in the chart of the operator."""
    return NodeWarning(msg("tell the operator: {settings}", settings=join_and(settings)), SHARING_GUIDE)


def _of_replica(replica: Replica, profile: Profile | None) -> NodeNeeds:
    cluster = NvidiaProfile.of(profile)
    strategy = replica.strategy or (cluster.replica and cluster.replica.strategy) or Strategy.TIME_SLICING
    count = replica.of or (cluster.replica and cluster.replica.of)
    labels = [
        NodeLabel("nvidia.com/device-plugin.config", SHARING, "the plug-in takes that configuration", PLUGIN)
    ]
    shown = ((k.STRATEGY, str(strategy)), (k.REPLICAS, str(count) if count else None))
    labels += [
        NodeLabel(name, text, "GPU feature discovery shows it; pods choose nodes by it", PLUGIN, Setter.CLOUD)
        for name, text in shown
        if text
    ]
    isolated = "nothing isolates clients of a card by time-slicing: one can take all memory"
    warnings = [NodeWarning(isolated, PLUGIN)] if strategy is Strategy.TIME_SLICING else []
    warnings += () if cluster.sharing.renames else COUNTED_LATE
    if count is None:
        warnings.append(NodeWarning("how many clients a card has is not known: say it in the share", PLUGIN))
        return NodeNeeds(tuple(labels), (), tuple(warnings))
    key = "timeSlicing" if strategy is Strategy.TIME_SLICING else "mps"
    fails = {"failRequestsGreaterThanOne": True} if strategy is Strategy.TIME_SLICING else {}
    config = {
        "version": "v1",
        "sharing": {
            key: {
                "renameByDefault": cluster.sharing.renames,
                **fails,
                "resources": [{"name": NVIDIA_GPU, "replicas": count}],
            }
        },
    }
    document = _config_map(PLUGIN_CONFIG, SHARING, config)
    operator_settings = _operator_settings(f"devicePlugin.config.name={PLUGIN_CONFIG}")
    driver = NodeWarning("the operator brings the driver, which AKS leaves out then", AKS_OPERATOR)
    fields = {"properties": {"gpuProfile": {"driver": "None"}}}
    title, where = "body of the agent pool", ("properties", "nodeLabels")
    aks = CloudPool("aks", title, where, AKS_SHARED, fields, notes=(OPERATOR, operator_settings, driver))
    return NodeNeeds(tuple(labels), (), tuple(warnings), (), (document,), (aks, _eks(operator_settings)))


def _config_map(name: str, key: str, data: Mapping[str, object]) -> dict[str, object]:
    """A ConfigMap of the operator's namespace, with a document in it, as plain data."""
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": name, "namespace": "gpu-operator"},
        "data": {key: data},
    }
