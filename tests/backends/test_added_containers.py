"""Card lists of Volcengine where a cluster adds containers that the manifest does not have (VKE017).

Knative adds queue-proxy, Argo its wait container, Istio, Linkerd and Dapr their sidecars.
"""

from __future__ import annotations

import gpuxlate
from gpuxlate.model.share import Share

CONTAINER = (
    "{name: c, image: x, resources: {limits: "
    "{vke.volcengine.com/mgpu-core: 30, vke.volcengine.com/mgpu-memory: 4096}}}"
)
KNATIVE = """\
apiVersion: serving.knative.dev/v1
kind: Service
metadata: {{name: web}}
spec:
  template:
    metadata: {{annotations: {{vke.volcengine.com/container-multiple-gpu: "{cards}"}}}}
    spec: {{containers: [{container}]}}
"""
POD = """\
apiVersion: v1
kind: Pod
metadata:
  name: web
  annotations: {{vke.volcengine.com/container-multiple-gpu: "{cards}", {mesh}}}
spec: {{containers: [{container}]}}
"""
MESHES = (
    'sidecar.istio.io/inject: "true"',
    "istio.io/rev: stable",
    "linkerd.io/inject: enabled",
    'dapr.io/enabled: "true"',
)


def text_of(cards: str, mesh: str | None = None) -> str:
    return (POD if mesh else KNATIVE).format(cards=cards, container=CONTAINER, mesh=mesh)


def errors(text: str) -> list[str]:
    return [one.code for one in gpuxlate.lint(text).diagnostics if one.code == "VKE017"]


def test_a_longer_list_is_read() -> None:
    texts = [text_of(cards, mesh) for cards in ("2,0", "0,2", "0,2,0") for mesh in (None, *MESHES)]
    found = {text: (errors(text), gpuxlate.parse(text).shares) for text in texts}
    assert found == {text: ([], (Share(2, 30, 4096),)) for text in texts}


def test_a_list_that_does_not_say_whose_cards_is_wrong() -> None:
    assert [errors(text_of(cards)) for cards in ("2,1", "0,0")] == [["VKE017"]] * 2


def test_an_ordinary_pod_has_one_number_for_each() -> None:
    for mesh in ("team: a", 'sidecar.istio.io/inject: "false"', "linkerd.io/inject: disabled"):
        text = text_of("2,0", mesh).replace("name: c, ", "")
        [found] = [one for one in gpuxlate.lint(text).diagnostics if one.code == "VKE017"]
        assert "(number 1)" in found.message, mesh
