"""The passes that a document goes through: their order, and what a plain pod does not enter."""

import sys
from pathlib import Path
from types import FrameType

import pytest

import gpuxlate
from gpuxlate.backends import registry
from gpuxlate.overlays.roles import MANIFESTS
from gpuxlate.translation.options import Settings
from gpuxlate.translation.passes import State, Task, run_source
from gpuxlate.translation.read import READ
from gpuxlate.translation.translate import ASSESS, PLAN, TRANSLATE
from gpuxlate.yamltext.parse import documents
from gpuxlate.yamltext.source import Source

PACKAGE = Path(gpuxlate.__file__).parent

FOUND = ["templates", "GPUShare documents", "pods", "shares"]
"""A text that is no manifest ends here; pods come before what is around them."""
AROUND = ["jobs", "quotas", "document rules", "machines", "leftovers"]
OF_TARGET = [*FOUND, "parts", "anchors of values", "shared metadata", *AROUND]
"""Keys outside of pods are what no edit changes, so they come after all edits of shares and amounts."""

WITH_WORDS = {"templates", "GPUShare documents", "quotas", "jobs", "machines", "claims", "comments"}

POD = """\
apiVersion: v1
kind: Pod
metadata: {name: web}
spec:
  containers:
  - name: web
    image: web
    resources:
      limits:
        tke.cloud.tencent.com/qgpu-core: "30"
        tke.cloud.tencent.com/qgpu-memory: "4"
"""


def test_the_order() -> None:
    assert names(READ) == [*FOUND, *AROUND, "claims"]
    assert names(PLAN) == OF_TARGET
    # claims add edits of the document; the comments are looked at before the edits can fail
    assert names(TRANSLATE) == [*OF_TARGET, "claims", "comments", "edits"]
    assert ASSESS.passes == TRANSLATE.passes  # what cannot be written is refused in both


def names(task: Task) -> list[str]:
    return [one.name for one in task.passes]


@pytest.mark.parametrize(
    ("text", "more"),
    [
        ("a: {{ .Values.a }}", {"templates"}),
        ("kind: GPUShare", {"GPUShare documents"}),
        ("kind: ResourceQuota", {"quotas"}),
        ("emr.serverless.mgpu.core.percentage: 30", {"jobs"}),
        ("nodeSelector: {}", {"machines"}),
        ("kind: ResourceClaimTemplate", {"claims"}),
        ("a: 1 # GiB", {"comments"}),
        ('a: "\\u007b"', WITH_WORDS),
    ],
)
def test_words(text: str, more: set[str]) -> None:
    """A pass is for the documents that have one of its words, or may write it with an escape."""
    plain = {"pods", "document rules", "leftovers"}
    assert applying(f"a: 1\n---\n{text}\n---\na: 1\n") == [plain, plain | more, plain]


def applying(text: str) -> list[set[str]]:
    states = (
        State(document=document, settings=Settings.reading(), layer=MANIFESTS, task=TRANSLATE)
        for document in documents(Source("a.yaml", text))
    )
    return [{one.name for one in TRANSLATE.passes if one.applies(state)} for state in states]


@pytest.mark.parametrize("task", [READ, TRANSLATE])
def test_a_plain_pod_goes_a_straight_way(task: Task) -> None:
    """It enters no code of claims, quotas, overlays, jobs, values and templates."""
    entered: set[str] = set()

    def trace(frame: FrameType, event: str, _arg: object) -> None:
        path = Path(frame.f_code.co_filename)
        if event == "call" and path.is_relative_to(PACKAGE / "translation"):
            entered.add(f"{path.relative_to(PACKAGE)} {frame.f_code.co_name}")

    settings = Settings.reading() if task is READ else Settings(registry.get("volcengine-mgpu"))
    run_source(Source("pod.yaml", POD), settings, task)  # loads what is loaded late
    sys.setprofile(trace)
    try:
        made = run_source(Source("pod.yaml", POD), settings, task)
    finally:
        sys.setprofile(None)
    assert [one.container for one in made.items] == ["web"]
    beside = ("claim", "quota", "job", "overlay", "kustom", "patch", "values_pods", "template", "anchors")
    assert sorted(one for one in entered if any(word in one for word in beside)) == []
