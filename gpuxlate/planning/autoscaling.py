"""Documents for autoscalers about nodes that do not exist yet, so that a pool scales up from zero.

Sources: kubernetes/autoscaler, cluster-autoscaler/cloudprovider/aws (tags of the group, since 1.14);
karpenter.sh, concepts/nodeoverlays (v1.13 to v1.15, alpha, feature gate NodeOverlay).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence

from gpuxlate.backends.base import Backend
from gpuxlate.backends.requirements import NodeLabel, Setter
from gpuxlate.model.profile import Profile
from gpuxlate.planning.nodepool import NodePool
from gpuxlate.planning.plan import node_type

TEMPLATE = "k8s.io/cluster-autoscaler/node-template"
SET_BEFORE = (Setter.YOU, Setter.POOL)
"""Who sets labels that a pod may choose before the node is there."""


def resources(backend: Backend, profile: Profile) -> dict[str, str]:
    """What a node of the profile has allocatable; empty where nodes show nothing. Raises PlanError."""
    if backend.offers is None:
        return {}
    node = node_type(backend, profile)
    return {
        name: str(amount) for name, amount in backend.offers(node.cards, node.memory_mib, profile).items()
    }


def labels(pool: NodePool) -> dict[str, str]:
    """The labels that the pods of a share choose."""
    return {one.key: _value(one) for one in pool.needs.labels if one.setter in SET_BEFORE}


def _value(label: NodeLabel) -> str:
    return str(label.value)


def asg_tags(pool: NodePool, offered: Mapping[str, str]) -> Iterator[str]:
    """Tags of an AWS Auto Scaling group, as a YAML mapping."""
    yield f"# {pool.name}: tags of the Auto Scaling group"
    yield from (f"{TEMPLATE}/resources/{name}: {_quoted(value)}" for name, value in offered.items())
    yield from (f"{TEMPLATE}/label/{name}: {_quoted(value)}" for name, value in labels(pool).items())


def node_overlay(pool: NodePool, offered: Mapping[str, str], machines: Sequence[str]) -> Iterator[str]:
    """A NodeOverlay of Karpenter for machines of these types."""
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
