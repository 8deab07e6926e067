"""The rule of gpuxlate's own keys and documents."""

from __future__ import annotations

from collections.abc import Iterator

from gpuxlate.backends.neutral import keys as k
from gpuxlate.model.diagnostics import Diagnostic, Severity
from gpuxlate.model.messages import say
from gpuxlate.model.pod import PodKeys
from gpuxlate.rules.base import Context, Rule, rule


@rule("GX010", Severity.ERROR)
def document_fits_its_schema(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """A GPUShare document fits its schema.

    ## What it does
    Reports, in a GPUShare document, unknown fields, values of another type, and values that are not
    in the list of a field; in a pod, such values of `gpuxlate.io/policy` and `gpuxlate.io/qos`.

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
    for name, known in ((k.POLICY, k.POLICIES), (k.QOS, k.CLASSES)):
        value = pod.annotations.get(name) or pod.owner_annotations.get(name)
        if value and value.text not in known:
            message = say("{key} is {value!r}, which is not a value of it", key=name, value=value.text)
            yield this.at(value, message, say("write one of {known}", known=", ".join(known)))
