"""The rules on claims of devices that hold for every driver (DRA)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from gpuxlate.manifest.kinds import QUEUE_LABEL
from gpuxlate.model.diagnostics import Diagnostic, ObjectRef, Path, Severity
from gpuxlate.model.limits import MAX_NAME
from gpuxlate.model.messages import Message, msg
from gpuxlate.model.pod import (
    CLAIM,
    CLAIM_VERSIONS,
    CLAIMS_API_GROUP,
    FLAT,
    TEMPLATE,
    DocumentKeys,
    PodClaim,
    PodKeys,
    RequestForm,
)
from gpuxlate.model.profile import at_least
from gpuxlate.rules import releases
from gpuxlate.rules.base import BY_API_SERVER, Context, Rule, Scope, Subject, rule
from gpuxlate.rules.unsupported_products import is_of_other_devices

REMOVED = ("v1alpha1", "v1alpha2", "v1alpha3")
"""Versions of the API that no supported Kubernetes serves for claims."""
EXACTLY = "exactly"


@rule("DRA001", Severity.ERROR, about=Subject.CLAIM, scope=Scope.DOCUMENT)
def request_has_the_form_of_its_version(
    this: Rule, document: DocumentKeys, context: Context
) -> Iterator[Diagnostic]:
    """A request of `resource.k8s.io/v1` or `v1beta2` has `exactly` or `firstAvailable`, one of `v1beta1` has
    `deviceClassName`.

    ## What it does
    Reports `deviceClassName` directly in a request of `resource.k8s.io/v1` or `v1beta2`, `exactly` and
    `firstAvailable` missing there, `exactly` in `v1beta1`, and a version that the Kubernetes of the profile
    has not.

    ## Why
    The API server refuses it. Manifests of `v1beta1` fail so where only their version was changed.

    ## Source
    kubernetes/api, resource/v1/types.go, v1beta2 and v1beta1 (2026-11).
    """
    for claim in document.claims:
        for request in claim.devices.requests:
            if claim.api == FLAT and request.form is RequestForm.EXACTLY:
                message = msg("{version} has no {field}", version=claim.api, field=EXACTLY)
                yield this.diagnostic(
                    request.path, message, "write its fields directly in the request", on_key=True
                )
            elif claim.api in CLAIM_VERSIONS and claim.api != FLAT and request.form is RequestForm.FLAT:
                message = msg(
                    "request {name} has no {field}, which {version} needs",
                    name=request.name,
                    field=EXACTLY,
                    version=claim.api,
                )
                where = request.device_class or request.path
                hint = msg("write {field}: {{deviceClassName: ...}}", field=EXACTLY)
                yield this.diagnostic(where, message, hint, on_key=True)
        cluster = context.profile.kubernetes_version if context.profile else None
        path = (*claim.place.path, "apiVersion")
        if claim.api not in CLAIM_VERSIONS:
            message = msg("{group} has no version {version}", group=CLAIMS_API_GROUP, version=claim.api)
            if claim.api in REMOVED:
                message = msg(
                    "Kubernetes has removed {group}/{version}", group=CLAIMS_API_GROUP, version=claim.api
                )
            yield this.diagnostic(
                path, message, msg("versions: {versions}", versions=", ".join(CLAIM_VERSIONS))
            )
        elif cluster and _serves(cluster, claim.api) is False:
            message = msg(
                "Kubernetes {cluster} has no {group}/{version}",
                cluster=cluster,
                group=CLAIMS_API_GROUP,
                version=claim.api,
            )
            older = next((name for name in CLAIM_VERSIONS if _serves(cluster, name)), None)
            yield this.diagnostic(path, message, msg("write {version}", version=older) if older else None)


def _serves(cluster: str, api: str) -> bool | None:
    """A version of Kubernetes serves a version of the API for claims; None if it cannot be compared."""
    return at_least(cluster, releases.versions_of(releases.KUBERNETES, f"{CLAIMS_API_GROUP}/{api}")[0])


@rule("DRA011", Severity.WARNING, about=Subject.CLAIM, scope=Scope.DOCUMENT)
def pods_have_claims_of_their_own(
    this: Rule, document: DocumentKeys, context: Context
) -> Iterator[Diagnostic]:
    """Each pod of a workload has claims of its own, not one by `resourceClaimName`.

    ## What it does
    Reports `resourceClaimName` in the pods of a workload that makes more than one, or as many as there are
    nodes. Claims on devices of other drivers, such as networks, are not reported where they are in the input.

    ## Why
    All pods that name one ResourceClaim share its allocation: three replicas have one share together, on one
    node.

    ## Source
    Kubernetes, "Dynamic Resource Allocation", ResourceClaims and ResourceClaimTemplates (2026-11).
    """
    cards = {name for dialect in context.dialects for name in dialect.device_classes}
    for pod in document.pods:
        for claim in pod.claims if pod.path in document.several else ():
            other = claim.devices is not None and cards.isdisjoint(claim.devices.classes())
            if claim.claim is not None and not other:
                message = msg(
                    "all replicas share the devices of {kind} {name}", kind=CLAIM, name=claim.claim.text
                )
                hint = msg("name a {kind} in resourceClaimTemplateName", kind=TEMPLATE)
                yield this.diagnostic(claim.claim, message, hint)


IN_ANOTHER_OBJECT = "what a claim requests is in another object, which a policy does not see"


@rule("DRA008", Severity.ERROR, about=Subject.CLAIM, no_policy=BY_API_SERVER)
def claims_are_used(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """Every claim in `resourceClaims` is used by a container, and every container names claims that are
    there.

    ## What it does
    Reports a claim in `resourceClaims` that no container names, a container that names a claim which the
    pod has not, and a request that is not in the claim. A claim that no container names is a warning where
    what it requests is not in the input or is of a driver that gpuxlate does not read; of networks and other
    devices that are no accelerators it is none.

    ## Why
    A claim for a GPU that no container names is allocated and nobody gets it. A network interface is moved
    into the network of the pod, and no container names its claim. The API server refuses a container that
    names an unknown claim; with an unknown request the pod does not start. In the values of a chart that name
    either claims or their use alone, the templates of the chart add the other. A file whose documents have no
    kind counts as values.

    ## Source
    Kubernetes, "Dynamic Resource Allocation" (2026-11); kubernetes/api, resource/v1/types.go (2026-11);
    google/dranet, site/content/docs/quick-start.md: the driver gives the interface to the pod.
    """
    read = {name for dialect in context.dialects for name in dialect.device_classes}
    used = {use.name for container in pod.all_containers() for use in container.claims}
    for claim in pod.claims:
        if claim.name not in used and (used or not context.values):
            classes = claim.devices.classes() if claim.devices else frozenset()
            if claim.made_by or (classes and all(map(is_of_other_devices, classes))):
                continue
            message = msg("claim {name} is used by no container", name=claim.name)
            hint = "name it in resources.claims of a container, or remove it"
            severity = this.severity
            if read.isdisjoint(classes):
                severity = Severity.WARNING
                hint = "name it in resources.claims of a container, unless its driver gives it to the pod"
            yield this.diagnostic(claim.path, message, hint, severity=severity, missing=True)
    for container in pod.all_containers():
        for use in container.claims:
            named = pod.claim(use.name)
            if named is None and context.values and not pod.claims:
                continue
            if named is None:
                names = ", ".join(claim.name for claim in pod.claims)
                message = msg("the pod has no claim {name}", name=use.name)
                hint = msg("claims: {names}", names=names) if names else "add it to resourceClaims of the pod"
                yield this.diagnostic(use.path, message, hint, missing=True)
            elif named.devices and not named.devices.given_to(use):
                names = ", ".join(request.name for request in named.devices.requests)
                message = msg("claim {name} has no request {request}", name=use.name, request=use.request)
                yield this.diagnostic(use.path, message, msg("requests: {names}", names=names))


@rule("DRA013", Severity.WARNING, about=Subject.CLAIM, no_policy=IN_ANOTHER_OBJECT)
def queue_counts_the_claims(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """A pod with `kueue.x-k8s.io/queue-name` has no claim by `resourceClaimName`, with `firstAvailable` or
    with `allocationMode: All`.

    ## What it does
    Reports a claim by `resourceClaimName`, and one with `firstAvailable` or `allocationMode: All`, in a pod
    or workload with the label `kueue.x-k8s.io/queue-name`.

    ## Why
    Kueue counts templates with a number of devices. It does not admit a workload with another claim, or
    does not count it.

    ## Source
    Kueue, "Dynamic Resource Allocation" (2026-11).
    """
    if QUEUE_LABEL not in pod.labels and QUEUE_LABEL not in pod.owner_labels:
        return
    for claim in pod.claims:
        requests = claim.devices.requests if claim.devices else ()
        every = any(request.mode is not None and request.mode.text == "All" for request in requests)
        first = any(request.form is RequestForm.FIRST for request in requests)
        title = (
            CLAIM
            if claim.claim is not None
            else "allocationMode: All"
            if every
            else RequestForm.FIRST
            if first
            else None
        )
        if title is not None:
            message = msg("Kueue does not count claim {name} ({what})", name=claim.name, what=str(title))
            yield this.diagnostic(claim.path, message, msg("write a {kind} with a count", kind=TEMPLATE))


@rule("DRA014", Severity.WARNING, about=Subject.CLAIM, missing=True, no_policy=IN_ANOTHER_OBJECT)
def claim_is_known(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """The `ResourceClaimTemplate` or `ResourceClaim` of every claim is in the input.

    ## What it does
    Reports a claim whose ResourceClaimTemplate or ResourceClaim is in none of the files of the run, or in
    another namespace, or in several files with different requests.

    ## Why
    What the pod requests is in that object. It is never guessed: `translate` refuses such a pod. A pod
    finds objects in its own namespace only.

    ## Source
    Kubernetes, "Dynamic Resource Allocation" (2026-11).
    """
    used = {use.name for container in pod.all_containers() for use in container.claims}
    for claim in pod.claims:
        if claim.missing is not None and claim.name in used:
            where = claim.reference or claim.path
            yield this.diagnostic(where, *claim.missing)


@rule("DRA015", Severity.ERROR, scope=Scope.TRANSLATION)
def name_is_free(this: Rule, path: Path, message: Message) -> Diagnostic:
    """No other `ResourceClaimTemplate` has the name of a new one.

    ## What it does
    Reports that the name of a new ResourceClaimTemplate, which follows from its workload, is taken: by a
    template of the input that stays, or by that of another workload of the same kind and name. Of workloads
    of several kinds with one name, each template has the kind in its name.

    ## Why
    Of two objects of one kind, name and namespace the later one replaces the earlier: the pods of one
    workload would get the devices of the other.

    ## Example
    A Deployment `web` translated to claims, in a folder with a ResourceClaimTemplate `web-gpu` of other pods.

    ## Use instead
    Give one of the workloads another name, or translate them from folders of their own.

    ## Source
    Kubernetes, "Object Names and IDs".
    """
    return this.diagnostic(
        path, message, msg("rename the workload, or remove the other {kind}", kind=TEMPLATE)
    )


@rule("DRA020", Severity.INFO, scope=Scope.TRANSLATION)
def other_claims_stay(this: Rule, claim: PodClaim, title: str) -> Diagnostic:
    """A translation says what becomes of claims that are for no GPU.

    ## What it does
    Reports, in a translation of a pod with shares, each of its claims that requests other devices: channels
    between nodes of a ComputeDomain, networks, devices of drivers that gpuxlate does not read.

    ## Why
    Such a claim is no share of a GPU and stays as it is: the cluster needs its driver too.

    ## Example
    A pod with a claim on a GPU and one on a channel of a ComputeDomain, from `dra-nvidia` to `hami`.

    ## Use instead
    The same, where the driver of the other claim is in the cluster; else remove that claim.

    ## Source
    kubernetes-sigs/dra-driver-nvidia-gpu, demo/specs/imex (2026-08).
    """
    message = msg("claim {name} is for {what}, which is not a share: it is kept", name=claim.name, what=title)
    return this.diagnostic(claim.path, message, "the cluster needs the driver of these devices too")


@rule("DRA016", Severity.ERROR, scope=Scope.TRANSLATION)
def names_are_followed(this: Rule, field: str, user: ObjectRef) -> Diagnostic:
    """A kustomization with `namePrefix` or `nameSuffix` renames templates of claims where pods name them too.

    ## What it does
    Reports `namePrefix` and `nameSuffix` of a kustomization whose workloads get templates by the
    translation, where its `configurations` do not say which fields name a ResourceClaimTemplate.

    ## Why
    kustomize renames the template, but does not know that `resourceClaimTemplateName` names it. The pods
    wait for a template that is not there.

    ## Source
    kubernetes-sigs/kustomize, `api/internal/konfig/builtinpluginconsts/namereference.go`, and `kubectl
    kustomize` 5.5 (2026-08).
    """
    message = msg(
        "{field} renames the template of {kind} {name}, and not where its pods name it",
        field=field,
        kind=user.kind or "Pod",
        name=(user.name or "")[:MAX_NAME],
    )
    hint = msg("add configurations with a nameReference of kind {kind}", kind=TEMPLATE)
    return this.diagnostic((field,), message, hint)


@rule("DRA022", Severity.INFO, about=Subject.CLAIM, no_policy=IN_ANOTHER_OBJECT)
def container_names_its_request(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """A container that names a claim with several different requests for GPUs also names one `request`.

    ## What it does
    Reports an entry of `resources.claims` without `request`, where the claim has several requests for devices
    of classes that gpuxlate reads and these differ in their class, selectors, number or capacity.

    ## Why
    Without `request` the container gets the devices of all requests: two MIG instances of different
    profiles, where one was meant. Such a container is more than one share, so it is not translated.

    ## Source
    kubernetes/api, core/v1, ResourceClaim (2026-11); kubernetes-sigs/dra-driver-nvidia-gpu, issue 897.
    """
    read = {name for dialect in context.dialects for name in dialect.device_classes}
    for container in pod.all_containers():
        for use in container.claims:
            claim = pod.claim(use.name)
            requests = claim.devices.requests if claim and claim.devices and use.request is None else ()
            devices = [replace(each, name="") for each in requests if each.device_class]
            if len(requests) != len(devices) or all(each == devices[0] for each in devices):
                continue
            if all(each.device_class and each.device_class.text in read for each in devices):
                names = ", ".join(request.name for request in requests)
                message = msg(
                    "the container gets the devices of all {count} requests of claim {name}: {requests}",
                    count=len(requests),
                    name=use.name,
                    requests=names,
                )
                hint = msg(
                    "for those of one, write request: {request} beside the name", request=requests[0].name
                )
                yield this.diagnostic(use.path, message, hint)
