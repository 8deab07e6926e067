"""The passes that a document goes through: their order, and what a plain pod does not enter."""

import sys
from collections.abc import Sequence
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

import gpuxlate
from gpuxlate.backends import registry
from gpuxlate.lint.check import OF_MANIFESTS, OF_PATCHES, OF_RELEASE_VALUES
from gpuxlate.manifest.passes import Pass
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
AMOUNTS = ["jobs", "quotas"]
AROUND = ["classes of devices", "machines", "leftovers", "document rules"]
"""Keys outside of pods are what no edit changes, so they come after all edits of shares and amounts; the
rules of a document say nothing of what is left, so they come after it."""
INLINE = "patches in a kustomization"
STAY = "templates of claims that stay"
TEXT = ["comments", "edits"]
"""The comments are looked at before the edits can fail."""

CLAIMS = {"classes of devices", "templates of claims", STAY}
WITH_WORDS = {"templates", "GPUShare documents", "quotas", "jobs", "machines", "comments", *CLAIMS}

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


LINTED_PARTS = [
    *("templates", "documents of this tool", "jobs", "pods", "ignores", "parts"),
    *("rules of documents", "rules of jobs", "rules of parts"),
]


def names(passes: Sequence[Pass[Any]]) -> list[str]:
    return [step.name for step in passes]


ORDER: dict[str, tuple[Sequence[Pass[Any]], list[str]]] = {
    "read manifests": (READ.manifests, [*FOUND, *AMOUNTS, *AROUND, STAY]),
    "read values": (READ.values, [*FOUND, *AROUND]),
    "read a patch": (READ.patch, [*FOUND, *AROUND]),
    "plan manifests": (PLAN.manifests, [*FOUND, "shared metadata", INLINE, *AMOUNTS, *AROUND]),
    "plan values": (PLAN.values, [*FOUND, "parts", "anchors of values", "shared metadata", *AROUND]),
    "plan a patch": (PLAN.patch, [*FOUND, "parts", "shared metadata", *AROUND]),
    # claims add edits of the document
    "translate manifests": (
        TRANSLATE.manifests,
        [*names(PLAN.manifests), "templates of claims", "renamed templates of claims", STAY, *TEXT],
    ),
    "translate values": (TRANSLATE.values, [*names(PLAN.values), "templates of claims", STAY, *TEXT]),
    "translate a patch": (TRANSLATE.patch, [*names(PLAN.patch), "patches of templates of claims", *TEXT]),
    "lint manifests": (
        OF_MANIFESTS,
        [
            *("templates", INLINE, "documents of this tool", "jobs", "pods", "ignores", "quotas"),
            *("rules of documents", "claims elsewhere", "rules of quotas", "rules of jobs", "rules of pods"),
            *("queues", "files of cards", "explicit GPU counts"),
        ],
    ),
    "lint values": (OF_RELEASE_VALUES, LINTED_PARTS),
    "lint a patch": (OF_PATCHES, LINTED_PARTS),
}


@pytest.mark.parametrize("case", ORDER)
def test_the_order(case: str) -> None:
    passes, order = ORDER[case]
    assert names(passes) == order


def test_what_cannot_be_written_is_refused_without_writing_too() -> None:
    assert ASSESS._replace(command="") == TRANSLATE


@pytest.mark.parametrize(
    ("text", "more"),
    [
        ("a: {{ .Values.a }}", {"templates"}),
        ("kind: GPUShare", {"GPUShare documents"}),
        ("kind: ResourceQuota", {"quotas"}),
        ("emr.serverless.mgpu.core.percentage: 30", {"jobs"}),
        ("nodeSelector: {}", {"machines"}),
        ("kind: ResourceClaimTemplate", CLAIMS),
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
        State(document=document, settings=Settings.reading(), role=MANIFESTS, task=TRANSLATE)
        for document in documents(Source("a.yaml", text))
    )
    return [
        {step.name for step in TRANSLATE.manifests if step.applies(state, step.words())} for state in states
    ]


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
