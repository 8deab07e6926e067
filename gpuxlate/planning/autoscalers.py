"""Documents for autoscalers about nodes that do not exist yet, so that a pool scales up from zero.

Sources: kubernetes/autoscaler, cluster-autoscaler/cloudprovider/aws (tags of the group, since 1.14) and
cloudprovider/clusterapi (annotations; those for claims since pull requests 7804 and 10200, 2026-08);
karpenter.sh, concepts/nodeoverlays (v1.13 to v1.15, alpha, feature gate NodeOverlay).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from typing import Any

from gpuxlate.backends.base import Backend
from gpuxlate.backends.requirements import (
    Setter,
)
from gpuxlate.model.keys import NVIDIA_GPU
from gpuxlate.model.messages import msg
from gpuxlate.model.profile import Profile
from gpuxlate.planning.nodepool import NodePool
from gpuxlate.planning.plan import PlanError, node_type

NODE_TEMPLATE = "k8s.io/cluster-autoscaler/node-template"

CAPACITY = "capacity.cluster-autoscaler.kubernetes.io"

SET_BEFORE = (Setter.YOU, Setter.POOL)
"""Who sets labels that a pod may choose before the node is there."""


def node_resources(pool: NodePool, backend: Backend, profile: Profile) -> dict[str, str]:
    """The allocatable GPU resources of a node of the profile. Raises PlanError if no document gives them."""
    node = node_type(backend, profile)
    offered = backend.allocatable(pool.share, node.cards, node.memory_mib, profile)
    if not offered:
        raise PlanError(
            msg(
                "what nodes of {name} have allocatable for {pool} is not known",
                name=backend.name,
                pool=pool.name,
            ),
            "say in the share, or in the profile, how its cards are divided",
        )
    return {name: str(amount) for name, amount in offered.items()}


def node_labels(pool: NodePool) -> dict[str, str]:
    """The node labels that the pods of a share select, and the labels that the user sets on the nodes."""
    return {
        label.key: str(label.value)
        for label in pool.needs.labels
        if label.setter in SET_BEFORE or label.key in pool.chosen
    }


def cloud_pool(pool: NodePool, cloud: str) -> Iterator[str]:
    """The fields of a node pool in the API of a cloud, as YAML. Raises PlanError where it has none."""
    from gpuxlate.yamltext.plain import dump_yaml

    of_cloud = next((pool_fields for pool_fields in pool.needs.pools if pool_fields.cloud == cloud), None)
    if of_cloud is None:
        message = msg("no document says what -o {cloud} is for {pool}", cloud=cloud, pool=pool.name)
        raise PlanError(message, "-o kubectl prints the labels that nodes need")
    if of_cloud.problem is not None:
        raise PlanError(*of_cloud.problem)
    set_here = {
        label.key: str(label.value)
        for label in pool.needs.labels
        if (label.key in pool.chosen if of_cloud.divides else label.setter in SET_BEFORE)
    }
    yield f"# {pool.name}: {of_cloud.holder} [{of_cloud.source}]"
    yield from (f"# - {note.text} [{note.source}]" for note in of_cloud.notes)
    fields: dict[str, Any] = deepcopy(dict(of_cloud.fields))
    if set_here:
        inner = fields
        for step in of_cloud.labels_in[:-1]:
            inner = inner.setdefault(step, {})
        inner[of_cloud.labels_in[-1]] = set_here
    yield from dump_yaml(fields).splitlines()


def asg_tags(pool: NodePool, offered: Mapping[str, str]) -> Iterator[str]:
    """Tags of an AWS Auto Scaling group, as a YAML mapping."""
    yield f"# {pool.name}: tags of the Auto Scaling group"
    yield from (f"{NODE_TEMPLATE}/resources/{name}: {_quoted(value)}" for name, value in offered.items())
    yield from (
        f"{NODE_TEMPLATE}/label/{name}: {_quoted(value)}" for name, value in node_labels(pool).items()
    )


def cluster_api(pool: NodePool, backend: Backend, profile: Profile) -> Iterator[str]:
    """Annotations of a MachineDeployment of Cluster API, as a YAML mapping.

    They know one resource, or whole devices of one DRA driver. Raises PlanError for others.
    """
    if backend.device_classes:
        if not pool.share.whole_cards:
            raise PlanError(
                msg(
                    "the annotations of Cluster API have no parts of devices: {pool} requests one",
                    pool=pool.name,
                ),
                "request whole cards, or keep one node in the pool",
            )
        resource, name = "dra-driver", backend.device_classes[0]
        count = str(node_type(backend, profile).cards)
    else:
        offered = node_resources(pool, backend, profile)
        if len(offered) > 1:
            raise PlanError(
                msg(
                    "the annotations of Cluster API have one resource; nodes have {names}",
                    names=", ".join(offered),
                ),
                "use -o asg-tags or -o karpenter",
            )
        resource, [(name, count)] = "gpu-type", offered.items()
    yield f"# {pool.name}: annotations of the MachineDeployment"
    yield f"{CAPACITY}/{resource}: {_quoted(name)}"
    yield f"{CAPACITY}/gpu-count: {_quoted(count)}"
    chosen = ",".join(f"{key}={value}" for key, value in node_labels(pool).items())
    if chosen:
        yield f"{CAPACITY}/labels: {_quoted(chosen)}"


def node_overlay(pool: NodePool, offered: Mapping[str, str], machines: Sequence[str]) -> Iterator[str]:
    """A NodeOverlay of Karpenter for machines of these types. Raises PlanError."""
    if NVIDIA_GPU in offered:
        raise PlanError(
            msg(
                "Karpenter takes {key} from the type of the machine: an overlay does not change it",
                key=NVIDIA_GPU,
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
