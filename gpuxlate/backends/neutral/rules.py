"""The rule of gpuxlate's own keys and documents."""

from __future__ import annotations

from collections.abc import Iterator

from gpuxlate.backends.neutral import keys as k
from gpuxlate.model.diagnostics import Diagnostic, Severity
from gpuxlate.model.messages import say
from gpuxlate.model.pod import PodKeys
from gpuxlate.rules.base import Context, Rule, rule


@rule("GX010", Severity.ERROR, no_policy="a GPUShare document is not in the cluster")
def document_fits_its_schema(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """A GPUShare document fits its schema.

    ## What it does
    Reports, in a GPUShare document, unknown fields, values of another type, and values that are not
    in the list of a field; in a pod, such values of the annotations of `gpuxlate.io`, two partitions in
    one container, two kinds of replicas, and a number of clients without replicas.

    ## Why
    An unknown field or value would be ignored silently.

    ## Example
    ```yaml
    metadata: {annotations: {gpuxlate.io/policy: fixed}}
    spec:
      containers:
        - name: web
          resources: {limits: {gpuxlate.io/cores: 30, gpuxlate.io/memory-mib: 4096}}
    ```

    ## Use instead
    ```yaml
    metadata: {annotations: {gpuxlate.io/policy: fixed-share}}
    spec:
      containers:
        - name: web
          resources: {limits: {gpuxlate.io/cores: 30, gpuxlate.io/memory-mib: 4096}}
    ```

    ## Source
    `gpuxlate schema spec`.
    """
    hints = {
        k.POLICY: say("write one of {known}", known=", ".join(k.POLICIES)),
        k.QOS: say("write one of {known}", known=", ".join(k.CLASSES)),
        k.ISOLATION: say("write one of {known}", known=", ".join(k.ISOLATIONS)),
        k.DEVICE_VENDOR: "write small letters, digits and '-', as in nvidia",
        k.DEVICE_MODELS: "write names with a comma between them, as in A100-SXM4-80GB,H100-SXM5-80GB",
    }
    for name, hint in hints.items():
        value = pod.annotations.get(name) or pod.owner_annotations.get(name)
        if value and not k.allows(name, value.text):
            message = say("{key} is {value!r}, which is not a value of it", key=name, value=value.text)
            yield this.at(value, message, hint)
    for container in pod.all_containers():
        there = container.resources
        counts = [name for name in k.STRATEGIES if name in there]
        for name in (*k.partitions(container)[1:], *counts[1:]):
            message = say("{key} is a second one: a share has one partition, one kind of replica", key=name)
            yield this.at(there[name], message, "use a separate container for each", on_key=True)
        if k.REPLICA_OF in there and not counts:
            message = say("{key} without a number of replicas", key=k.REPLICA_OF)
            hint = say("add {key}: 1, or the key of a strategy", key=k.REPLICAS)
            yield this.at(there[k.REPLICA_OF], message, hint, on_key=True)
