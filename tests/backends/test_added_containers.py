"""Card lists of Volcengine where a cluster adds containers that the manifest does not have (VKE017).

Knative adds queue-proxy, Argo its wait container, Istio, Linkerd and Dapr their sidecars.
"""

from __future__ import annotations

import pytest

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


@pytest.mark.parametrize("cards", ["2,0", "0,2", "0,2,0"])
@pytest.mark.parametrize("mesh", [None, *MESHES])
def test_a_longer_list_is_read(cards: str, mesh: str | None) -> None:
    shape = POD if mesh else KNATIVE
    text = shape.format(cards=cards, container=CONTAINER, mesh=mesh)
    assert "VKE017" not in {one.code for one in gpuxlate.lint(text).diagnostics}
    assert gpuxlate.parse(text).shares == (Share(2, 30, 4096),)


@pytest.mark.parametrize("cards", ["2,1", "0,0"])
def test_a_list_that_does_not_say_whose_cards_is_wrong(cards: str) -> None:
    text = KNATIVE.format(cards=cards, container=CONTAINER)
    assert "VKE017" in {one.code for one in gpuxlate.lint(text).diagnostics}


MESHLESS = ("team: a", 'sidecar.istio.io/inject: "false"', "linkerd.io/inject: disabled")


@pytest.mark.parametrize("mesh", MESHLESS)
def test_an_ordinary_pod_has_one_number_for_each(mesh: str) -> None:
    text = POD.format(cards="2,0", container=CONTAINER.replace("name: c, ", ""), mesh=mesh)
    [found] = [one for one in gpuxlate.lint(text).diagnostics if one.code == "VKE017"]
    assert "(number 1)" in found.message
