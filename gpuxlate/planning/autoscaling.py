"""Documents for autoscalers about nodes that do not exist yet, so that a pool scales up from zero.

Sources: kubernetes/autoscaler, cluster-autoscaler/cloudprovider/aws (tags of the group, since 1.14) and
cloudprovider/clusterapi (annotations; those for claims since pull requests 7804 and 10200, 2026-08);
karpenter.sh, concepts/nodeoverlays (v1.13 to v1.15, alpha, feature gate NodeOverlay).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence

from gpuxlate.backends.base import Backend
from gpuxlate.backends.requirements import Setter
from gpuxlate.model.messages import say
from gpuxlate.model.profile import Profile
from gpuxlate.planning.nodepool import NodePool
from gpuxlate.planning.nodes import WHOLE_KEY
from gpuxlate.planning.plan import PlanError, node_type

TEMPLATE = "k8s.io/cluster-autoscaler/node-template"
CAPACITY = "capacity.cluster-autoscaler.kubernetes.io"
SET_BEFORE = (Setter.YOU, Setter.POOL)
"""Who sets labels that a pod may choose before the node is there."""


def resources(pool: NodePool, backend: Backend, profile: Profile) -> dict[str, str]:
    """What a node of the profile has allocatable. Raises PlanError where no document says it."""
    node = node_type(backend, profile)
    offered = backend.allocatable(pool.share, node.cards, node.memory_mib, profile)
    if not offered:
        raise PlanError(
            say(
                "what nodes of {name} have allocatable for {pool} is not known",
                name=backend.name,
                pool=pool.name,
            ),
            "say in the share, or in the profile, how its cards are divided",
        )
    return {name: str(amount) for name, amount in offered.items()}


def labels(pool: NodePool) -> dict[str, str]:
    """The labels that the pods of a share choose, whoever sets them, and those that you set."""
    return {
        one.key: str(one.value)
        for one in pool.needs.labels
        if one.setter in SET_BEFORE or one.key in pool.chosen
    }


def asg_tags(pool: NodePool, offered: Mapping[str, str]) -> Iterator[str]:
    """Tags of an AWS Auto Scaling group, as a YAML mapping."""
    yield f"# {pool.name}: tags of the Auto Scaling group"
    yield from (f"{TEMPLATE}/resources/{name}: {_quoted(value)}" for name, value in offered.items())
    yield from (f"{TEMPLATE}/label/{name}: {_quoted(value)}" for name, value in labels(pool).items())


def cluster_api(pool: NodePool, backend: Backend, profile: Profile) -> Iterator[str]:
    """Annotations of a MachineDeployment of Cluster API, as a YAML mapping.

    They know one resource, or whole devices of one DRA driver. Raises PlanError for others.
    """
    if backend.device_classes:
        if not pool.share.whole_cards:
            raise PlanError(
                say(
                    "the annotations of Cluster API have no parts of devices: {pool} requests one",
                    pool=pool.name,
                ),
                "request whole cards, or keep one node in the pool",
            )
        what, name = "dra-driver", backend.device_classes[0]
        count = str(node_type(backend, profile).cards)
    else:
        offered = resources(pool, backend, profile)
        if len(offered) > 1:
            raise PlanError(
                say(
                    "the annotations of Cluster API have one resource; nodes have {names}",
                    names=", ".join(offered),
                ),
                "use -o asg-tags or -o karpenter",
            )
        what, [(name, count)] = "gpu-type", offered.items()
    yield f"# {pool.name}: annotations of the MachineDeployment"
    yield f"{CAPACITY}/{what}: {_quoted(name)}"
    yield f"{CAPACITY}/gpu-count: {_quoted(count)}"
    chosen = ",".join(f"{key}={value}" for key, value in labels(pool).items())
    if chosen:
        yield f"{CAPACITY}/labels: {_quoted(chosen)}"


def node_overlay(pool: NodePool, offered: Mapping[str, str], machines: Sequence[str]) -> Iterator[str]:
    """A NodeOverlay of Karpenter for machines of these types. Raises PlanError."""
    if WHOLE_KEY in offered:
        raise PlanError(
            say(
                "Karpenter takes {key} from the type of the machine: an overlay does not change it",
                key=WHOLE_KEY,
            ),
            "use resources of another name: nvidia.sharing.renamed, or migStrategy mixed, in the profile",
        )
    yield "apiVersion: karpenter.sh/v1alpha1"
    yield "kind: NodeOverlay"
    yield f"metadata: {{name: {_quoted(pool.name)}}}"
    yield "spec:"
    yield "  weight: 10"
    yield "  requirements:"
    yield "  - key: node.kubernetes.io/instance-type"
    yield "    operator: In"
    yield f"    values: [{', '.join(map(_quoted, machines))}]"
    yield "  capacity:"
    yield from (f"    {name}: {_quoted(value)}" for name, value in offered.items())


def _quoted(text: str) -> str:
    return json.dumps(text)
