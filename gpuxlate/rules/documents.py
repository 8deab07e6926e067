"""The rules of a whole document: keys given twice, shared nodes, keys outside any pod (GX)."""

from __future__ import annotations

from collections.abc import Iterator

from gpuxlate.model.diagnostics import Diagnostic, Severity
from gpuxlate.model.messages import say
from gpuxlate.model.pod import DocumentKeys
from gpuxlate.rules.base import Context, Rule, Scope, rule
from gpuxlate.rules.places import Places


@rule("GX002", Severity.ERROR, scope=Scope.DOCUMENT)
def key_is_given_once(this: Rule, document: DocumentKeys, context: Context) -> Iterator[Diagnostic]:
    """A mapping sets each key once.

    ## What it does
    Reports the second of two equal keys of one mapping, whatever the key.

    ## Why
    The API server keeps the last of them and reports nothing; other parsers refuse the file.

    ## Example
    ```yaml
    apiVersion: v1
    kind: Pod
    metadata: {name: web}
    spec:
      containers:
        - name: web
          image: web
          resources:
            limits:
              vke.volcengine.com/mgpu-core: 30
              vke.volcengine.com/mgpu-memory: 4096
              vke.volcengine.com/mgpu-core: 50
    ```

    ## Use instead
    ```yaml
    apiVersion: v1
    kind: Pod
    metadata: {name: web}
    spec:
      containers:
        - name: web
          image: web
          resources:
            limits:
              vke.volcengine.com/mgpu-core: 50
              vke.volcengine.com/mgpu-memory: 4096
    ```

    ## Source
    YAML 1.2.2, section 3.2.1.1; kube-apiserver 1.32, which takes the last, 2026-11.
    """
    for path in document.repeated:
        name = path[-1] if path else "a key"
        yield this.at(
            path,
            say("{name} is set twice in one mapping: the last value counts", name=name),
            "keep one of them",
            on_key=True,
        )


@rule("GX005", Severity.WARNING, scope=Scope.DOCUMENT)
def share_stands_by_itself(this: Rule, document: DocumentKeys, context: Context) -> Iterator[Diagnostic]:
    """No share is in an anchor, alias or merge key that something else uses too.

    ## What it does
    Reports the GPU values of a container that are written in one place and used in several.

    ## Why
    Such a value cannot be changed for one container only: translations and fixes leave it as it is.

    ## Example
    ```yaml
    apiVersion: v1
    kind: Pod
    metadata: {name: web}
    spec:
      containers:
        - name: one
          image: web
          resources: &share {limits: {vke.volcengine.com/mgpu-core: 30, vke.volcengine.com/mgpu-memory: 4096}}
        - name: two
          image: web
          resources: *share
    ```

    ## Use instead
    ```yaml
    apiVersion: v1
    kind: Pod
    metadata: {name: web}
    spec:
      containers:
        - name: one
          image: web
          resources: {limits: {vke.volcengine.com/mgpu-core: 30, vke.volcengine.com/mgpu-memory: 4096}}
        - name: two
          image: web
          resources: {limits: {vke.volcengine.com/mgpu-core: 30, vke.volcengine.com/mgpu-memory: 4096}}
    ```

    ## Source
    YAML 1.2.2, sections 3.2.2.2 and 7.1; YAML 1.1, "merge" type (2005).
    """
    for path in document.shared:
        yield this.at(
            path,
            say("{name} is in an anchor that is used elsewhere too", name=path[-1] if path else "the share"),
            "write the values out for each container",
        )


@rule("GX014", Severity.INFO, scope=Scope.DOCUMENT)
def key_is_in_a_pod(this: Rule, document: DocumentKeys, context: Context) -> Iterator[Diagnostic]:
    """A vendor's key is in a pod.

    ## What it does
    Reports the vendors' keys in a ConfigMap, `values.yaml` and wherever else there is no pod; resources in
    quotas, ranges of limits and queues are read. As a warning, with the right place, where they are beside
    a pod's own fields: `resources` beside the containers, `limits` as a list, `annotation` for `annotations`.

    ## Why
    What such a key means depends on what reads it, so it is neither checked nor translated.

    ## Example
    ```yaml
    apiVersion: v1
    kind: ConfigMap
    metadata: {name: defaults}
    data:
      vke.volcengine.com/mgpu-core: "30"
    ```

    ## Use instead
    ```yaml
    apiVersion: v1
    kind: Pod
    metadata: {name: web}
    spec:
      containers:
        - name: web
          image: web
          resources: {limits: {vke.volcengine.com/mgpu-core: 30, vke.volcengine.com/mgpu-memory: 4096}}
    ```

    ## Source
    Contract of gpuxlate, "exact, rounded, filled, dropped, refused".
    """
    places = Places(document.pods)
    for name, path, span in document.outside:
        wrong = places.misplaced(name, path)
        if wrong is not None:
            yield this.at(path, wrong.message, wrong.hint, severity=Severity.WARNING, on_key=True)
            continue
        found = this.at(
            path,
            say("{name} is outside any pod: it is left as it is", name=name),
            "check it by hand after a translation",
            on_key=True,
        )
        yield found.located(span=span)
