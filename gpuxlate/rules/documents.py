"""The rules of a whole document: repeated keys, shared nodes, keys outside any pod (GX), and quotas (K8S)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import NamedTuple

from gpuxlate.manifest.key_texts import resource_of
from gpuxlate.model.diagnostics import Diagnostic, Path, Severity, prefixes
from gpuxlate.model.keys import Place
from gpuxlate.model.messages import Message, msg, suggest
from gpuxlate.model.pod import DocumentKeys, Outside
from gpuxlate.rules.base import NO_POLICY_BY_SCOPE, Context, Rule, Scope, Subject, rule
from gpuxlate.rules.key_index import key_index_of
from gpuxlate.rules.keys import product_is_read
from gpuxlate.rules.translation import whole_cards_have_a_dialect


@rule(
    "GX002",
    Severity.ERROR,
    about=Subject.REPEATED,
    scope=Scope.DOCUMENT,
    no_policy=NO_POLICY_BY_SCOPE[Scope.SOURCE],
)
def key_is_given_once(this: Rule, document: DocumentKeys, context: Context) -> Iterator[Diagnostic]:
    """A mapping sets each key once.

    ## What it does
    Reports the second of two equal keys of one mapping, whatever the key.

    ## Why
    The API server keeps the last of them and reports nothing; other parsers refuse the file.

    ## Source
    YAML 1.2.2, section 3.2.1.1; kube-apiserver 1.32, which takes the last (2026-11).
    """
    for path in document.repeated:
        name = path[-1] if path else "a key"
        yield this.diagnostic(
            path,
            msg("{name} is set twice in one mapping: the last value counts", name=name),
            "keep one of them",
            on_key=True,
        )


@rule(
    "GX005",
    Severity.WARNING,
    about=Subject.SHARED,
    scope=Scope.DOCUMENT,
    no_policy=NO_POLICY_BY_SCOPE[Scope.SOURCE],
)
def share_stands_by_itself(this: Rule, document: DocumentKeys, context: Context) -> Iterator[Diagnostic]:
    """No share is in an anchor, alias or merge key that something else uses too.

    ## What it does
    Reports the GPU values of a container that are written in one place and used in several.

    ## Why
    Such a value cannot be changed for one container only: translations and fixes leave it as it is.

    ## Source
    YAML 1.2.2, sections 3.2.2.2 and 7.1; YAML 1.1, "merge" type (2005).
    """
    for path in document.shared:
        yield this.diagnostic(
            path,
            msg("{name} is in an anchor that is used elsewhere too", name=path[-1] if path else "the share"),
            "write the values out for each container",
        )


@rule("GX014", Severity.INFO, about=Subject.OUTSIDE, scope=Scope.DOCUMENT)
def key_is_in_a_pod(this: Rule, document: DocumentKeys, context: Context) -> Iterator[Diagnostic]:
    """A vendor's key is in a pod.

    ## What it does
    Reports the vendors' keys in a ConfigMap, `values.yaml` and wherever else there is no pod; resources in
    quotas, ranges of limits and queues are read. One finding for each object, with the number of its keys.
    Also claims for GPUs that another object carries, and templates of claims that only such an object names.
    As a warning for each key, with the right place, where they are beside a pod's own fields: `resources`
    beside the containers, `limits` as a list, `annotation` for `annotations`. Whole cards are reported there
    alone. As a warning too: misspelt keys of `limits` and `requests`, as in the values of a HelmRelease.

    ## Why
    What such a key means depends on what reads it, so it is neither checked nor translated.

    ## Source
    Contract of gpuxlate, "exact, rounded, filled, dropped, refused".
    """
    places, index = PodPlaces(document), key_index_of(context)
    keys_of: dict[Path, list[Outside]] = {}
    for key in document.outside:
        wrong = places.misplaced(key.name, key.path)
        if wrong is not None:
            yield this.diagnostic(key.path, wrong.message, wrong.hint, severity=Severity.WARNING, on_key=True)
            continue
        resource = resource_of(key.name)  # as behind the settings of Spark
        miss = None if index.rows(resource) else index.misspelt(resource, Place.RESOURCE)
        if miss is not None and key.path[-2:-1] in _OF_RESOURCES:
            message = msg("{name} is not a key of {dialect}", name=key.name, dialect=miss.dialect.title)
            hint = suggest(miss.meant) if miss.meant else _UNREAD
            yield this.diagnostic(key.path, message, hint, severity=Severity.WARNING, on_key=True)
            continue
        of_no_dialect = not index.owners(resource) and (miss or index.counts_whole_cards(resource))
        if not of_no_dialect and key.path not in document.reported:
            keys_of.setdefault(_item(key.path), []).append(key)
    for keys in keys_of.values():
        first = min(keys, key=lambda key: (key.start, key.name, tuple(map(str, key.path))))
        count = len({(key.start, key.name) for key in keys})  # an alias names a key again
        hint = RENDER_IT if first.of_chart else CHECK_BY_HAND
        finding = this.diagnostic(first.path, _left_as_it_is(first, count - 1), hint, on_key=True)
        yield finding.located(span=first.span)


RENDER_IT = "check what the chart makes of it: helm template CHART --values FILE | gpuxlate lint -"
CHECK_BY_HAND = "check it by hand after a translation"


def _left_as_it_is(key: Outside, more: int) -> Message:
    """The message about the keys of an object outside of pods: the first ``key``, and ``more`` others."""
    if more:
        return msg(
            "{name} and {count} more keys of this object are not in a pod: they are left as they are",
            name=key.name,
            count=more,
        )
    if "tolerations" in key.path:
        return msg("{name} is a taint that the pod tolerates: it is left as it is", name=key.name)
    return msg("{name} is not in a pod: it is left as it is", name=key.name)


@rule("GX037", Severity.INFO, about=Subject.UNREAD, scope=Scope.DOCUMENT)
def object_is_read(this: Rule, document: DocumentKeys, context: Context) -> Iterator[Diagnostic]:
    """gpuxlate reads the GPU amounts of an object.

    ## What it does
    Reports objects that say how much of a card somebody gets in fields of their own, which gpuxlate does not
    read: `WorkloadProfile`, `TensorFusionWorkload` and `GPUResourceQuota` of TensorFusion; and the ConfigMap
    that tells NVIDIA's device plug-in between how many clients each card is shared.

    ## Why
    These amounts are neither checked nor translated. Without a word, a file of them would seem to have no
    shares and no quotas, and `nvidia.com/gpu: 1` beside the ConfigMap would seem to be a whole card.

    ## Source
    NexusGPU/tensor-fusion, api/v1/workloadprofile_types.go and gpuresourcequota_types.go (2026-08-20);
    NVIDIA/k8s-device-plugin, README, "Shared access to GPUs" (2026-08-19).
    """
    for kind, path, title, hint in document.unread:
        message = msg("{kind} has {what}, which gpuxlate does not read: left as it is", kind=kind, what=title)
        on_key = path[-1] != "kind"  # a text has many lines: its name is shown
        if not (on_key and path in document.reported):
            hint = hint or "check it by hand after a translation"
            yield this.diagnostic(path, message, hint, on_key=on_key)


@rule("K8S009", Severity.WARNING, scope=Scope.SOURCE, no_policy="a quota is in no pod")
def quota_is_counted(this: Rule, path: Path, written: str, resource: str) -> Diagnostic:
    """A ResourceQuota counts extended resources as `requests.NAME`.

    ## What it does
    Reports the resources of GPUs in a quota without `requests.` before them, but for `limits.` of memory and
    compute of HAMi, whose scheduler keeps to them. Also in what a Kubeflow Profile, an OpenShift
    ClusterResourceQuota, a KubeSphere ResourceQuota, a kiosk AccountQuota and a Capsule Tenant hand to
    quotas.

    ## Why
    Kubernetes takes such a name and counts nothing: the quota has no effect, and nothing says so.

    ## Source
    Kubernetes, "Resource quota for extended resources": only `requests.` is allowed; kubernetes/kubernetes,
    isExtendedResourceNameForQuota in pkg/quota/v1/evaluator/core/pods.go; Project-HAMi/HAMi,
    pkg/device/quota.go.
    """
    message = msg("{key} counts nothing: Kubernetes counts extended resources by their requests", key=written)
    hint = msg("write {key}", key=f"requests.{resource}")
    return this.diagnostic(path, message, hint, on_key=path[-1] == written)


@rule("K8S011", Severity.INFO, scope=Scope.SOURCE, no_policy="a quota is in no pod")
def quota_counts_all_cards(this: Rule, path: Path, written: str) -> Diagnostic:
    """A quota or queue counts amounts of all cards of a container; `nvidia.com/gpumem` is of each card.

    ## What it does
    Reports resources that count MiB or percent of each card, such as `nvidia.com/gpumem` and
    `nvidia.com/gpucores`, in what adds up the numbers of containers: `requests.` of a ResourceQuota, a
    ClusterQueue of Kueue, a Queue of Volcano. Nothing for `limits.` of HAMi, whose scheduler counts all
    cards.

    ## Why
    The number is added once, however many cards the container has: two cards of 4096 MiB count 4096.

    ## Source
    Kubernetes, "Resource quota for extended resources"; Project-HAMi/HAMi, pull request 2266;
    Project-HAMi/website, "How to use Kueue on HAMi".
    """
    message = msg("{key} adds up the amount of one card, however many cards a container has", key=written)
    hint = "limit the number of cards too, or count an amount of all cards that a webhook writes"
    return this.diagnostic(path, message, hint, on_key=path[-1] == written)


@rule("K8S013", Severity.INFO, scope=Scope.SOURCE, no_policy="a queue is in no pod")
def queue_covers_the_resource(this: Rule, path: Path, name: str) -> Diagnostic:
    """A ClusterQueue of Kueue has in `coveredResources` each GPU resource that the jobs of its file request.

    ## What it does
    Reports a resource of GPUs of a pod with the label `kueue.x-k8s.io/queue-name`, where a ClusterQueue of
    the same file covers some resources of the container and none covers this one. Nothing where a queue
    covers a total of it that Kueue makes (`nvidia.com/total-gpumem`).

    ## Why
    Kueue admits no job with a resource that its queue does not cover: "resource nvidia.com/gpumem unavailable
    in ClusterQueue". The job stays suspended.

    ## Source
    Kueue, "Cluster Queue", resource groups (2026-11).
    """
    message = msg("no ClusterQueue of this file covers {name}: Kueue does not admit the job", name=name)
    hint = "add it to coveredResources and to each flavor, or to excludeResourcePrefixes of Kueue"
    return this.diagnostic(path, message, hint, on_key=True)


_OF_RESOURCES = (("limits",), ("requests",))
"""The last fields of paths to resources."""
_UNREAD = "check the name: nothing reads this key"
REMARKS = (product_is_read.code, whole_cards_have_a_dialect.code)
"""Rules about keys that are left as they are: one finding for each key of an object is enough."""


def once_per_object(findings: Iterable[Diagnostic]) -> list[Diagnostic]:
    """The findings without repeated ``REMARKS``: for each object and message, the first in the text."""
    once: dict[object, Diagnostic] = {}
    for number, finding in enumerate(findings):
        key: object = number
        if finding.severity is Severity.INFO and finding.code in REMARKS:
            key = finding.document, _item(finding.path), finding.message
        once[key] = min(once.get(key, finding), finding, key=Diagnostic.sort_key)
    return [*once.values()]


def _item(path: Path) -> Path:
    """The path of the object that a path is in: an item of a List, else the whole document."""
    return path[:2] if path[:1] == ("items",) else ()


# --- misplaced keys: near a pod, in fields that Kubernetes does not have ----------------------------

_RESOURCES = ("limits", "requests")
_PLURALS = {
    "label": "labels",
    "annotation": "annotations",
    "resource": "resources",
    "limit": "limits",
    "request": "requests",
}
_OF_METADATA = (("metadata", "label"), ("metadata", "annotation"))
_CONTAINERS = ("containers", "initContainers")
_OF_CONTAINER = ("resources", "env")
"""The fields of a container that hold keys."""


class Misplaced(NamedTuple):
    """What is wrong with the place of a key near a pod, and where the key belongs."""

    message: Message
    hint: Message | str


class PodPlaces:
    """The places of the pods and containers of a document."""

    def __init__(self, document: DocumentKeys) -> None:
        self._objects = document.with_pods
        self._has_kind = document.kind is not None
        self._pods: set[Path] = set()
        self._containers: set[Path] = set()
        for pod in document.pods:
            self._pods.add(pod.path)
            self._containers.update(
                container.path for container in pod.all_containers() if container.path != pod.path
            )

    def misplaced(self, name: str, path: Path) -> Misplaced | None:
        """What is wrong with the place of a key outside of pods; None if the place may be right."""
        for index, (field, child) in enumerate(pairwise(path)):
            if field in _CONTAINERS and isinstance(child, str):
                return self._not_listed(name, path[index + 1 :], path[:index])
        above = path[:-1]
        if above[-2:] in _OF_METADATA:
            return _misnamed(name, above[-1])
        holders = [length for length in range(len(above), -1, -1) if above[:length] in self._containers]
        if holders:
            return _in_container(name, above[holders[0] :])
        in_pod = next((above[n:] for n in range(len(above) - 1, -1, -1) if self._is_pod(above[:n])), ())
        if in_pod[:1] and in_pod[0] in (*_RESOURCES, "resources"):
            return Misplaced(
                msg("{name} is beside the containers, where nothing reads it", name=name),
                "write it in resources.limits of a container",
            )
        return None

    def _not_listed(self, name: str, inside: Path, spec: Path) -> Misplaced | None:
        """What is wrong if ``containers`` is a mapping: one container, or containers by name.

        Values of charts without a kind may have containers by name, since their templates make a list of
        them. ``inside``: the path of the key in the mapping. ``spec``: the path of the mapping's parent.
        """
        of_kind = any(path in self._objects for path in prefixes(spec))
        container = inside[0]
        by_name = container not in _OF_CONTAINER
        if not of_kind and (by_name or self._has_kind):
            return None
        message = msg("{name} is not in a pod: containers must be a list, not a mapping", name=name)
        if len(inside) == 1:  # the key itself, which names no container
            return Misplaced(message, "write it in resources.limits of a container")
        if by_name:
            hint = msg(
                "write - name: {container} in place of {container}:, with its fields below",
                container=container,
            )
            return Misplaced(message, hint)
        return Misplaced(message, "write a dash before the first key of each container: - name: ...")

    def _is_pod(self, path: Path) -> bool:
        """The path is that of a pod spec, or of a template with one."""
        return path in self._pods or (*path, "spec") in self._pods


def _in_container(name: str, inside: Path) -> Misplaced | None:
    wrong = next((step for step in inside if step in _PLURALS), None)
    if wrong is not None:
        return _misnamed(name, wrong)
    field = next((step for step in inside if step in _RESOURCES), None)
    if field is not None and isinstance(inside[-1], int):
        return Misplaced(
            msg("{name} is in a list: {field} must be a mapping", name=name, field=field),
            msg("write it without a dash: {field}: {{{name}: ...}}", field=field, name=name),
        )
    if len(inside) == 1 and inside[0] in (*_RESOURCES, "resources"):
        return Misplaced(
            msg("{name} is not in resources.limits of its container: nothing reads it", name=name),
            "write it in resources.limits of the container",
        )
    return None


def _misnamed(name: str, field: str | int) -> Misplaced:
    return Misplaced(
        msg("{name} is in {field}, which Kubernetes does not have", name=name, field=field),
        suggest(_PLURALS[str(field)]),
    )
