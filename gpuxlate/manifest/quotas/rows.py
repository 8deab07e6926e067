"""Kinds that set amounts of resources, as data, each with its source.

What a server writes (``status``) is none of them. Kueue's LocalQueue has amounts in its status alone, so it
has no row. Ratios (``maxLimitRequestRatio``) are no amounts.
"""

from __future__ import annotations

from typing import NamedTuple

from gpuxlate.manifest.kinds import Steps


class Row(NamedTuple):
    """Where the objects of some kinds have amounts.

    ``api``: the beginning of apiVersion. ``scope``: from the object, the node in which the amounts of one
    resource belong together. ``alone``: from the object, the node in which a resource is named once; None:
    the scope. Below the scope: ``amounts``, mappings of resources to amounts; ``named``, items with the name
    of a resource, which have their amounts in ``fields``; ``listed``, items that are names. ``prefixed``: the
    names have ``requests.`` or ``limits.`` before them, and the amounts of each are apart. ``type``: the
    ``type`` of a scope that has the row. ``each``: the amounts are of one container, not of all together.
    ``whole``: the API server takes whole numbers alone, but for names with ``requests.``. ``claims``: what
    names of amounts of claims have in them here; empty where the kind counts none.
    """

    api: str
    kinds: tuple[str, ...]
    scope: Steps
    amounts: tuple[Steps, ...] = ()
    alone: Steps | None = None
    named: Steps | None = None
    fields: tuple[str, ...] = ()
    listed: Steps | None = None
    prefixed: bool = False
    type: str | None = None
    each: bool = False
    whole: bool = False
    claims: str = ""


DEVICES = ".deviceclass.resource.k8s.io/devices"
ROWS: tuple[Row, ...] = (
    # ValidateResourceQuantityValue and IsExtendedResourceName in kubernetes pkg/apis/core: a fraction is
    # refused but for names with "requests.", which are those that the quota controller counts
    # (isExtendedResourceNameForQuota in pkg/quota/v1/evaluator/core/pods.go)
    # ".deviceclass.resource.k8s.io/devices" after a class: pkg/quota/v1/evaluator/core/resource_claims.go
    Row("v1", ("ResourceQuota",), ("spec", "hard"), ((),), prefixed=True, whole=True, claims=DEVICES),
    # ClusterResourceQuotaSpec in openshift/api quota/v1/types.go: spec.quota is the spec of a ResourceQuota
    Row(
        *("quota.openshift.io/", ("ClusterResourceQuota",), ("spec", "quota", "hard"), ((),)),
        prefixed=True,
        whole=True,
        claims=DEVICES,
    ),
    # ValidateLimitRange in kubernetes pkg/apis/core/validation: of type Pod there are no defaults
    Row(
        *("v1", ("LimitRange",), ("spec", "limits", "*")),
        (("max",), ("min",), ("default",), ("defaultRequest",)),
        type="Container",
        each=True,
    ),
    Row("v1", ("LimitRange",), ("spec", "limits", "*"), (("max",), ("min",)), type="Pod"),
    # validateResourceGroups in kubernetes-sigs/kueue pkg/webhooks: a resource is in one group, and the
    # resources of each flavor are those of coveredResources in their order
    Row(
        *("kueue.x-k8s.io/", ("ClusterQueue", "Cohort"), ("spec", "resourceGroups", "*")),
        alone=("spec",),
        named=("flavors", "*", "resources", "*"),
        fields=("nominalQuota", "borrowingLimit", "lendingLimit"),
        listed=("coveredResources", "*"),
    ),
    # QueueSpec in volcano-sh/apis pkg/apis/scheduling/v1beta1/types.go; of claims,
    # "DeviceClass Quota Support in Capacity Plugin" in its docs/design: deviceclass/CLASS and
    # CAPACITY.deviceclass/CLASS
    Row(
        *("scheduling.volcano.sh/", ("Queue",), ("spec",)),
        (("capability",), ("deserved",), ("guarantee", "resource")),
        claims="deviceclass/",
    ),
    # ElasticQuotaSpec in kubernetes-sigs/scheduler-plugins apis/scheduling/v1alpha1/types.go
    Row("scheduling.sigs.k8s.io/", ("ElasticQuota",), ("spec",), (("min",), ("max",))),
)
KINDS = frozenset(kind for row in ROWS for kind in row.kinds)
"""All of them: other objects set no amounts."""
