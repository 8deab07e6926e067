"""What a server tells of a pod that waits: its state and events, claims, volumes and quotas."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from typing import Any
from urllib.parse import quote

from gpuxlate.backends import registry
from gpuxlate.cluster.devices import ClusterDevices, devices_of
from gpuxlate.cluster.pods import keys_of_pod
from gpuxlate.cluster.resources import list_objects, selections_of
from gpuxlate.cluster.server import ApiServer, ChoiceError, ForbiddenError, Json, MissingError
from gpuxlate.model import quantity
from gpuxlate.model.declarations import Positive, Printed, record
from gpuxlate.model.messages import message_of, msg, plural
from gpuxlate.model.pod import CLAIM_VERSIONS, CLAIMS_API_GROUP, DEFAULT_SCHEDULER
from gpuxlate.planning.nodes import Toleration

MOST_EVENTS = 5
"""Events that are shown, the newest last."""


@record
class PodEvent(Printed):
    """One event."""

    type: str
    """Normal or Warning."""
    reason: str
    """Its reason, such as FailedScheduling."""
    message: str
    """Its message."""
    count: Positive
    """How often it came."""


@record
class AskedObject:
    """The object that the user asks about, and one pod of it: the first that does not run.

    ``exists``: the pod is on the server; else it is the pod that the object would create. ``pods``: how many
    the object has; ``missing``: how many more it should have.
    """

    name: str
    namespace: str
    object: Json
    pod: Json
    exists: bool
    pods: int
    missing: int = 0

    @property
    def pod_name(self) -> str:
        """The name of the pod; empty where a controller would make it."""
        return str(self.pod["metadata"].get("name") or "")


def find_asked_object(server: ApiServer, words: Sequence[str]) -> AskedObject:
    """The object that ``pod/web`` or ``deploy/web`` names. Raises ClusterError and ChoiceError."""
    selections = selections_of(server, words)
    if len(selections) != 1 or selections[0].name is None or len(selections[0].kinds) != 1:
        raise ChoiceError("name one object", "write pod/NAME or deploy/NAME")
    (named,) = list_objects(server, selections)
    namespace = str(named.object["metadata"].get("namespace") or server.namespace)
    if named.object["kind"] == "Pod":
        return AskedObject(named.name, namespace, named.object, named.object, True, 1)
    spec = named.object.get("spec") or {}
    template = spec.get("template")
    if not isinstance(template, dict):
        raise ChoiceError(msg("{name} makes no pods", name=named.name), "write pod/NAME or deploy/NAME")
    labels = (spec.get("selector") or {}).get("matchLabels") or (template.get("metadata") or {}).get("labels")
    selector = ",".join(f"{name}={value}" for name, value in (labels or {}).items())
    pods = [
        {"apiVersion": "v1", "kind": "Pod", **pod}
        for page in (
            server.pages(f"/api/v1/namespaces/{quote(namespace, safe='')}/pods", selector=selector)
            if selector
            else ()
        )
        for pod in page
    ]
    if pods:
        missing = max(0, int(spec.get("replicas") or 0) - len(pods))
        return AskedObject(named.name, namespace, named.object, min(pods, key=runs), True, len(pods), missing)
    metadata = {**(template.get("metadata") or {}), "name": str(named.object["metadata"]["name"])}
    pod = {"apiVersion": "v1", "kind": "Pod", **template, "metadata": metadata}
    return AskedObject(named.name, namespace, named.object, pod, False, 0)


def runs(pod: Json) -> bool:
    """Whether the pod runs and is ready, or has succeeded."""
    status = pod.get("status") or {}
    if status.get("phase") == "Succeeded":
        return True
    ready = any(
        (condition.get("type"), condition.get("status")) == ("Ready", "True")
        for condition in status.get("conditions") or ()
    )
    return status.get("phase") == "Running" and ready


def tolerations(pod: Json) -> tuple[Toleration, ...]:
    """The tolerations of a pod; a field that is not set is empty."""
    return tuple(
        Toleration(*(str(toleration.get(name) or "") for name in ("key", "operator", "value", "effect")))
        for toleration in (pod.get("spec") or {}).get("tolerations") or ()
    )


def describe_state(asked_object: AskedObject, recorded: Sequence[PodEvent]) -> Iterator[str]:
    """Why a pod does not run, by its status, one sentence each; and whether no scheduler has reported on
    it."""
    pod = asked_object.pod
    status, spec = pod.get("status") or {}, pod.get("spec") or {}
    if asked_object.exists and not (recorded or status.get("conditions") or spec.get("nodeName")):
        scheduler = str(spec.get("schedulerName") or DEFAULT_SCHEDULER)
        text = "no scheduler has looked at it so far: it waits for {name}, which has to run in the cluster"
        yield msg(text, name=scheduler)
    if status.get("reason"):
        yield _reason(status)
    for condition in status.get("conditions") or ():
        if condition.get("type") == "PodScheduled" and condition.get("status") != "True":
            yield _reason(condition)
    for name in ("initContainerStatuses", "containerStatuses"):
        for container in status.get(name) or ():
            for each in (container.get("state") or {}, container.get("lastState") or {}):
                for phase in ("waiting", "terminated"):
                    reported = each.get(phase) or {}
                    if reported.get("reason") not in (
                        None,
                        "Completed",
                        "PodInitializing",
                        "ContainerCreating",
                    ):
                        title = str(container.get("name"))
                        yield msg("{title}: {text}", title=title, text=_reason(reported))


def _reason(reported: Mapping[str, Any]) -> str:
    reason = str(reported.get("reason") or "")
    message = " ".join(str(reported.get("message") or "").split())
    return f"{reason}: {message}" if reason and message else reason or message


def read_events(server: ApiServer, asked_object: AskedObject) -> list[PodEvent]:
    """The last events of the pod, or of the object that should create it; empty where the user may not read
    them."""
    dated: dict[tuple[str, str, str], tuple[str, int, str]] = {}
    for event in _listed(server, f"/api/v1/namespaces/{quote(asked_object.namespace, safe='')}/events"):
        about = event.get("involvedObject") or {}
        if _is_of(asked_object, str(about.get("kind")), str(about.get("name"))):
            when = str(event.get("lastTimestamp") or event.get("eventTime") or "")
            message = " ".join(str(event.get("message") or "").split())
            count = int((event.get("series") or {}).get("count") or event.get("count") or 1)
            same = _NAMED.sub("", message.removeprefix(_COMBINED))
            event_key = (str(event.get("type") or ""), str(event.get("reason") or ""), same)
            last, before, text = dated.get(event_key, ("", 0, ""))
            dated[event_key] = (max(last, when), before + count, message if when >= last else text)
    by_time = sorted(dated.items(), key=lambda each: each[1][0])
    return [
        PodEvent(kind, reason, text.removeprefix(_COMBINED), count)
        for (kind, reason, _), (_, count, text) in by_time
    ][-MOST_EVENTS:]


_COMBINED = "(combined from similar events): "
_NAMED = re.compile(r'pods "[^"]*"')
"""The pod that a controller tried to make: another name each time, in events about one thing."""


def _is_of(asked_object: AskedObject, kind: str, name: str) -> bool:
    if asked_object.exists and (kind, name) == ("Pod", asked_object.pod_name):
        return True
    if asked_object.exists and not asked_object.missing:
        return False
    name_of_owner = str(asked_object.object["metadata"]["name"])
    return name == name_of_owner or (kind == "ReplicaSet" and name.rpartition("-")[0] == name_of_owner)


def _listed(server: ApiServer, path: str) -> Iterator[Json]:
    """The objects of a list; none, with a note, where the user may not read it."""
    try:
        for page in server.pages(path):
            yield from page
    except ForbiddenError as error:
        server.note(message_of(error))
    except MissingError:
        return


def _read(server: ApiServer, path: str) -> Json | None:
    """An object; an empty one where the user may not read it, None where there is none."""
    try:
        return server.get(path)
    except ForbiddenError as error:
        server.note(message_of(error))
        return {}
    except MissingError:
        return None


def explain_waiting(
    server: ApiServer, asked_object: AskedObject, pod_events: Sequence[PodEvent], misspelt: Set[str]
) -> Iterator[str]:
    """What keeps the pod from a node, or from being created, other than the cards of nodes, one sentence
    each. ``misspelt``: the keys that lint has reported as misspelt."""
    namespace = quote(asked_object.namespace, safe="")
    spec = asked_object.pod.get("spec") or {}
    for gate in spec.get("schedulingGates") or ():
        yield msg("it is held by the scheduling gate {name}", name=gate.get("name"))
    yield from _volumes(server, namespace, asked_object)
    yield from _claims(server, namespace, asked_object)
    if not asked_object.exists:
        owner_spec = asked_object.object.get("spec") or {}
        if owner_spec.get("replicas") == 0:
            yield msg("it has 0 replicas")
        if owner_spec.get("suspend"):
            yield msg("it is suspended")
        yield from _quotas(server, namespace, spec)
    elif asked_object.missing:
        yield plural(
            asked_object.missing, "{count} more pod is to be made", "{count} more pods are to be made"
        )
        yield from _quotas(server, namespace, spec)
    yield from _scheduler(spec, asked_object)
    yield from _other_shortages(pod_events, misspelt)


def _volumes(server: ApiServer, namespace: str, asked_object: AskedObject) -> Iterator[str]:
    for volume in (asked_object.pod.get("spec") or {}).get("volumes") or ():
        name = (volume.get("persistentVolumeClaim") or {}).get("claimName")
        if volume.get("ephemeral") and asked_object.exists:
            name = f"{asked_object.pod_name}-{volume.get('name')}"
        if not name:
            continue
        claim = _read(server, f"/api/v1/namespaces/{namespace}/persistentvolumeclaims/{quote(name, safe='')}")
        phase = ((claim or {}).get("status") or {}).get("phase")
        if claim is None:
            yield msg("there is no PersistentVolumeClaim {name}", name=name)
        elif phase not in (None, "Bound"):
            text = "PersistentVolumeClaim {name} is not bound: {phase}; kubectl describe pvc {name} says why"
            yield msg(text, name=name, phase=phase)


def _claims(server: ApiServer, namespace: str, asked_object: AskedObject) -> Iterator[str]:
    waiting: list[Json] = []
    status = asked_object.pod.get("status") or {}
    names = {
        each.get("name"): each.get("resourceClaimName") for each in status.get("resourceClaimStatuses") or ()
    }
    for entry in (asked_object.pod.get("spec") or {}).get("resourceClaims") or ():
        name = entry.get("resourceClaimName") or names.get(entry.get("name"))
        if not name:
            template = str(entry.get("resourceClaimTemplateName"))
            claim = _claim(server, namespace, "resourceclaimtemplates", template)
            if claim is None:
                yield msg("there is no ResourceClaimTemplate {name}", name=template)
            elif asked_object.exists:
                yield msg("the ResourceClaim of the template {name} is not made yet", name=template)
            continue
        claim = _claim(server, namespace, "resourceclaims", str(name))
        if claim is None:
            yield msg("there is no ResourceClaim {name}", name=name)
        elif claim and not (claim.get("status") or {}).get("allocation"):
            yield msg("ResourceClaim {name} is not allocated: no free device matches it", name=name)
            waiting.append(claim)
    if waiting:
        yield from _ways_to_devices(devices_of(server), waiting)


def _ways_to_devices(devices: ClusterDevices, claims: Sequence[Json]) -> Iterator[str]:
    """What claims without devices request of the devices of the cluster, and what would make them fit."""
    requests = [way for claim in claims for way in _ways_of(claim)]
    classes = dict.fromkeys(str(way["deviceClassName"]) for way in requests if way.get("deviceClassName"))
    if not devices.classes:
        for name in classes:
            text = (
                "no driver publishes devices (kubectl get resourceslices): install that of the class {name}"
            )
            yield msg(text, name=name)
        return
    for name in (name for name in classes if name not in devices.classes):
        text = "there is no DeviceClass {name}: install its driver, or name one of {names}"
        yield msg(text, name=name, names=", ".join(sorted(devices.classes)))
    published = [device for each in devices.by_node.values() for device in each]
    free = [device for device in published if device.shared or not (device.taken or device.tainted)]
    for way in requests:
        conditions = [
            str((selector.get("cel") or {}).get("expression")) for selector in way.get("selectors") or ()
        ]
        if way.get("deviceClassName") in devices.classes and conditions:
            text = (
                "request {name} takes devices with {conditions} alone: compare kubectl get resourceslices "
                "-o yaml"
            )
            yield msg(text, name=str(way.get("name")), conditions=" && ".join(conditions))
    text = (
        "{free} of {count} devices of nodes are free; kubectl get resourceclaims -A shows whose the others "
        "are"
    )
    yield msg(text, free=len(free), count=len(published))


def _ways_of(claim: Json) -> Iterator[Json]:
    """The requests of a claim, with each of their alternatives, in whatever version of the API."""
    for request in ((claim.get("spec") or {}).get("devices") or {}).get("requests") or ():
        for way in request.get("firstAvailable") or (request.get("exactly") or request,):
            yield {**way, "name": request.get("name")}


def _claim(server: ApiServer, namespace: str, resource: str, name: str) -> Json | None:
    for version in CLAIM_VERSIONS:
        path = f"/apis/{CLAIMS_API_GROUP}/{version}/namespaces/{namespace}/{resource}/{quote(name, safe='')}"
        claim = _read(server, path)
        if claim is not None:
            return claim
    return None


def _quotas(server: ApiServer, namespace: str, spec: Json) -> Iterator[str]:
    """The quotas that the next pod exceeds: what is used, and what it requests."""
    for quota in _listed(server, f"/api/v1/namespaces/{namespace}/resourcequotas"):
        status = quota.get("status") or {}
        used = status.get("used") or {}
        for name, hard in (status.get("hard") or {}).items():
            requested = _requested(spec, str(name))
            amounts = [_amount(amount) for amount in (hard, used.get(name, "0"))]
            if requested and None not in amounts and requested + (amounts[1] or 0) > (amounts[0] or 0):
                values = {
                    "quota": quota["metadata"]["name"],
                    "name": name,
                    "hard": hard,
                    "used": used.get(name, 0),
                }
                text = "quota {quota} is used up: {name} {used} of {hard}, the pod requests {wanted}"
                yield msg(text, wanted=requested, **values)


def _requested(spec: Json, name: str) -> int:
    """What a quota counts of a pod: ``requests.KEY`` or ``limits.KEY`` of its containers."""
    kind, dot, key = name.partition(".")
    if not dot or kind not in ("requests", "limits"):
        return 0
    amounts = []
    for container in spec.get("containers") or ():
        resources = container.get("resources") or {}
        value = (resources.get(kind) or {}).get(key)
        if value is None and kind == "requests":
            value = (resources.get("limits") or {}).get(key)
        amounts.append(_amount(value) or 0)
    return sum(amounts)


def _amount(value: object) -> int | None:
    return quantity.parse_integer(str(value))


def _scheduler(spec: Json, asked_object: AskedObject) -> Iterator[str]:
    """That the pod has another scheduler than its dialect needs."""
    name = str(spec.get("schedulerName") or DEFAULT_SCHEDULER)
    for backend in registry.backends_of(keys_of_pod(asked_object.pod)) if asked_object.exists else ():
        if not backend.schedulers or name in backend.schedulers:
            continue
        if backend.scheduler:
            text = "its scheduler is {name}: pods of {target} have to name {scheduler} as schedulerName"
        else:
            text = (
                "its scheduler is {name}: the webhook of {target}, which writes {scheduler}, did not run; it "
                "has to be there when the pod is made, and no label may leave out the pod or its namespace"
            )
        yield msg(text, name=name, target=backend.name, scheduler=backend.schedulers[0])


_INSUFFICIENT = re.compile(r"\bInsufficient ([\w./-]+[\w-])")


def _other_shortages(pod_events: Sequence[PodEvent], misspelt: Set[str]) -> Iterator[str]:
    """Resources other than GPUs and ``misspelt`` keys that nodes lack, by the scheduler's last event."""
    last = next((event for event in reversed(pod_events) if event.reason == "FailedScheduling"), None)
    for name in dict.fromkeys(_INSUFFICIENT.findall(last.message)) if last else ():
        if not registry.is_gpu_key(name) and name not in registry.whole_card_keys() | misspelt:
            yield msg("the scheduler misses {name}, which is not a resource of GPUs", name=name)


def uncounted_keys(nodes: Sequence[Json], pod: Json) -> Iterator[str]:
    """GPU resources that the pod requests and no node has allocatable, one sentence each: the device plug-in
    is missing, or the cards are not healthy."""
    names = {
        name
        for container in (pod.get("spec") or {}).get("containers") or ()
        for name in (container.get("resources") or {}).get("limits") or ()
        if registry.is_gpu_key(name) or name in registry.whole_card_keys()
    }
    for name in sorted(names):
        having = [
            node for node in nodes if _amount(_amount_on_node(node, "allocatable", name)) not in (None, 0)
        ]
        empty = [node for node in nodes if _amount(_amount_on_node(node, "capacity", name)) not in (None, 0)]
        if having:
            continue
        if empty:
            text = "no node has {name} to allocate, {node} has it in its capacity: the cards are not healthy"
            yield msg(text, name=name, node=empty[0]["metadata"]["name"])
        else:
            yield msg(
                "no node has {name}: the component that reports it, such as a device plug-in, is missing",
                name=name,
            )


def _amount_on_node(node: Json, field: str, name: str) -> object:
    return ((node.get("status") or {}).get(field) or {}).get(name)
