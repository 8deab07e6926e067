"""The rules of replicas: NVIDIA001 and NVIDIA006."""

from __future__ import annotations

from collections.abc import Iterator

from gpuxlate.backends.device_plugin import NvidiaProfile
from gpuxlate.backends.numbers import number
from gpuxlate.backends.nvidia import keys as k
from gpuxlate.backends.nvidia.shared import NAMES, counts_clients
from gpuxlate.model.diagnostics import Diagnostic, Severity
from gpuxlate.model.messages import say
from gpuxlate.model.pod import PodKeys
from gpuxlate.rules.base import Context, Rule, rule

NO_POLICY = "what a number means depends on the configuration of the nodes"


@rule("NVIDIA001", Severity.WARNING, no_policy=NO_POLICY)
def one_client_is_requested(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """A container requests one client of a shared card.

    ## What it does
    Reports more than one `nvidia.com/gpu.shared`, or more than one `nvidia.com/gpu` on nodes that count
    clients with it. An error where MPS shares the cards, or the profile says
    `failRequestsGreaterThanOne`; and for zero.

    ## Why
    Two clients are no more of a card than one: by time-slicing they may be on one card and get no more time.
    With MPS or `failRequestsGreaterThanOne` the pod ends with UnexpectedAdmissionError.

    ## Example
    ```yaml
    spec:
      containers:
        - name: web
          image: web
          resources: {limits: {nvidia.com/gpu.shared: 2}}
    ```

    ## Use instead
    ```yaml
    spec:
      containers:
        - name: web
          image: web
          resources: {limits: {nvidia.com/gpu.shared: 1}}
    ```

    ## Source
    NVIDIA/k8s-device-plugin, api/config/v1 (2026-08-19).
    """
    own = NvidiaProfile.of(context.profile).sharing
    strategies = {text for text, _ in pod.allowed(k.STRATEGY)}
    refused = strategies == {"mps"} or own.strategy == "mps" or own.refuses
    names = (k.GPU_SHARED, *((k.WHOLE,) if counts_clients(pod, context.profile) else ()))
    for container in pod.all_containers():
        for name in names:
            value = container.resources.get(name)
            count = number(value)
            if value is None or count in (None, 1):
                continue
            message = say("{key} is {count}: a container has one client of a card", key=name, count=count)
            severity = Severity.ERROR if refused or not count or count < 1 else Severity.WARNING
            hint = "write 1; for more of a card, share it between fewer clients, or request whole cards"
            yield this.at(value, message, hint, severity=severity)


@rule("NVIDIA006", Severity.WARNING, no_policy=NO_POLICY)
def resource_is_renamed(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """`nvidia.com/gpu.shared` is a resource of the cluster.

    ## What it does
    Reports `nvidia.com/gpu.shared` where the profile says that the plug-in does not rename the resource.

    ## Why
    Without `renameByDefault: true` the resource of shared cards is `nvidia.com/gpu`: the pod stays Pending.

    ## Example
    ```yaml
    spec:
      containers:
        - name: web
          image: web
          resources: {limits: {nvidia.com/gpu.shared: 1}}
    ```
    ```yaml profile
    target: nvidia-shared
    nvidia: {sharing: {strategy: time-slicing, replicas: 4, renamed: false}}
    ```

    ## Use instead
    ```yaml
    spec:
      containers:
        - name: web
          image: web
          resources: {limits: {nvidia.com/gpu: 1}}
    ```

    ## Source
    NVIDIA/k8s-device-plugin, README, "With CUDA time-slicing" (2026-08-19).
    """
    profile = context.profile
    if profile is None or profile.target not in NAMES or NvidiaProfile.of(profile).sharing.renames:
        return
    for container in pod.all_containers():
        value = container.resources.get(k.GPU_SHARED)
        if value is not None:
            message = say("{key} is not a resource of the profile's cluster", key=k.GPU_SHARED)
            yield this.at(value, message, say("write {key}", key=k.WHOLE), on_key=True)
