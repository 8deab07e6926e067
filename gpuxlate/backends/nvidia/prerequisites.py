"""What nodes need for NVIDIA's own sharing, each with its source, and the documents that set it up."""

from __future__ import annotations

from collections.abc import Mapping

from gpuxlate.backends.device_plugin import NvidiaProfile, most_of_a_card
from gpuxlate.backends.nvidia import keys as k
from gpuxlate.backends.requirements import (
    NodeLabel,
    NodeNeeds,
    NodeWarning,
    Requirement,
    Setter,
    Source,
    cards_of_a_node,
)
from gpuxlate.model.messages import say
from gpuxlate.model.parts import Partition, Replica, Strategy, in_resource
from gpuxlate.model.profile import Profile
from gpuxlate.model.share import Share

PLUGIN = Source("NVIDIA/k8s-device-plugin, README and api/config/v1", "2026-08-19")
PARTED = Source("NVIDIA/mig-parted, config-default.yaml", "2026")
GUIDE = Source("NVIDIA, Multi-Instance GPU user guide")
SCALING = Source("kubernetes-sigs/karpenter, issue 729; aws/karpenter, issue 3376; Azure/AKS, issue 3427")
REQUIREMENTS: tuple[Requirement, ...] = ()
COUNTED_LATE = (
    NodeWarning(
        say(
            "a new node shows its physical cards as {key}, and more of them only when the plug-in runs: an "
            "autoscaler that is not told adds one node for each pending pod first",
            key=k.WHOLE,
        ),
        SCALING,
    ),
)
SHARING = "shared"
"""The name of the configuration in the ConfigMap, and the value of the label that chooses it."""


def node_needs(share: Share, profile: Profile | None) -> NodeNeeds:
    """What the share needs of nodes with NVIDIA's device plugin."""
    if share.partition is not None:
        return _of_partition(share.partition, profile)
    if share.replica is not None:
        return _of_replica(share.replica, profile)
    text = "see that the nodes neither divide nor share their cards: each is one nvidia.com/gpu there"
    return NodeNeeds((), (), (NodeWarning(text, PLUGIN),), cards_of_a_node(share, PLUGIN))


def _of_partition(one: Partition, profile: Profile | None) -> NodeNeeds:
    strategy = NvidiaProfile.of(profile).mig_strategy
    name = k.ALL + in_resource(one.profile)
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
            name: [
                {
                    "devices": "all",
                    "mig-enabled": True,
                    "mig-devices": {one.profile: most_of_a_card(one, profile)},
                }
            ]
        },
    }
    document = _config_map("mig-parted-config", "config.yaml", parted)
    return NodeNeeds(labels, (), warnings, (), (document,))


def _of_replica(one: Replica, profile: Profile | None) -> NodeNeeds:
    own = NvidiaProfile.of(profile)
    strategy = one.strategy or (own.replica and own.replica.strategy) or Strategy.TIME_SLICING
    count = one.of or (own.replica and own.replica.of)
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
    warnings += () if own.sharing.renames else COUNTED_LATE
    if count is None:
        warnings.append(NodeWarning("how many clients a card has is not known: say it in the share", PLUGIN))
        return NodeNeeds(tuple(labels), (), tuple(warnings))
    key = "timeSlicing" if strategy is Strategy.TIME_SLICING else "mps"
    fails = {"failRequestsGreaterThanOne": True} if strategy is Strategy.TIME_SLICING else {}
    config = {
        "version": "v1",
        "sharing": {
            key: {
                "renameByDefault": own.sharing.renames,
                **fails,
                "resources": [{"name": k.WHOLE, "replicas": count}],
            }
        },
    }
    document = _config_map("device-plugin-config", SHARING, config)
    return NodeNeeds(tuple(labels), (), tuple(warnings), (), (document,))


def _config_map(name: str, key: str, data: Mapping[str, object]) -> dict[str, object]:
    """A ConfigMap of the operator's namespace, with a document in it, as plain data."""
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": name, "namespace": "gpu-operator"},
        "data": {key: data},
    }
