"""Volcano vGPU: reading, writing, its scheduler. Facts: volcano-sh/volcano, snapshot of 2026-08-20."""

from __future__ import annotations

import pytest

from gpuxlate.backends import registry
from gpuxlate.backends.volcano_vgpu.backend import BACKEND
from gpuxlate.lint.check import LintSettings, lint_source
from gpuxlate.lint.fix import fix_source
from gpuxlate.model.profile import Profile
from gpuxlate.model.share import Share
from gpuxlate.translation.pods.fit import Accept
from gpuxlate.yamltext.source import Source

from .test_hami import pod, read, to

VOLCANO = "  schedulerName: volcano\n"

READ = [
    ("volcano.sh/vgpu-number: 1, volcano.sh/vgpu-memory: 10240", Share(1, None, 10240)),
    (
        "volcano.sh/vgpu-number: 2, volcano.sh/vgpu-memory: 2000, volcano.sh/vgpu-cores: 50",
        Share(2, 100, 4000),
    ),
    ("volcano.sh/vgpu-memory: 2000", Share(1, None, 2000)),  # the number is one then
    (
        "volcano.sh/vgpu-number: 2, volcano.sh/vgpu-memory-percentage: 10",
        Share(2, None, None, None, None, 10),
    ),
    ("volcano.sh/vgpu-number: 4", Share(4)),  # whole cards
    ("volcano.sh/vgpu-number: 1, volcano.sh/vgpu-cores: 100", Share(1)),
]


@pytest.mark.parametrize(("limits", "share"), READ, ids=[row[0] for row in READ])
def test_reading(limits: str, share: Share) -> None:
    done = read(pod(limits, spec=VOLCANO))
    assert not done.refused, done.diagnostics
    assert [(one.share, one.source) for one in done.items] == [(share, "volcano-vgpu")]


def test_what_volcano_does_not_see_is_no_share() -> None:
    done = read(pod("volcano.sh/vgpu-memory-percentage: 50, volcano.sh/vgpu-cores: 30", spec=VOLCANO))
    assert [one.code for one in done.diagnostics if one.severity == "error"] == ["VOLC002"]
    assert [one.share for one in done.items] == [None]


def test_the_two_dialects_differ_in_what_wins() -> None:
    """HAMi takes the MiB, Volcano the percentage: both are errors, and each reader follows its own."""
    keys = {"gpumem": "nvidia.com/gpu: 1, nvidia.com/gpumem: 3000, nvidia.com/gpumem-percentage: 50"}
    keys["vgpu"] = (
        "volcano.sh/vgpu-number: 1, volcano.sh/vgpu-memory: 3000, volcano.sh/vgpu-memory-percentage: 50"
    )
    hami, volcano = read(pod(keys["gpumem"])), read(pod(keys["vgpu"], spec=VOLCANO))
    assert (hami.items[0].share, volcano.items[0].share) == (Share(1, None, 3000), Share(memory_percent=50))
    assert [{one.code for one in done.diagnostics} for done in (hami, volcano)] == [{"HAMI001"}, {"VOLC001"}]


def test_the_memory_factor() -> None:
    """A public job asks ``vgpu-memory: "4"`` and means GiB."""
    profile = Profile("volcano", memory_unit_mib=1024)
    text = pod('volcano.sh/vgpu-number: 1, volcano.sh/vgpu-memory: "4"', spec=VOLCANO)
    assert [one.share for one in read(text, profile).items] == [Share(1, None, 4096)]
    rounded = to(pod("gpuxlate.io/memory-mib: 3000"), "volcano", Accept(round_up=True), profile)
    assert [(one.code, one.severity) for one in rounded.diagnostics] == [("VOLC007", "info")]
    assert "volcano.sh/vgpu-memory: 3," in rounded.text


def test_the_scheduler_is_written_and_taken_out() -> None:
    neutral = pod("gpuxlate.io/cores: 30, gpuxlate.io/memory-mib: 4096")
    there = to(neutral, "volcano-vgpu")
    assert (there.diagnostics, "schedulerName: volcano" in there.text) == ((), True)
    back = to(there.text, "neutral")
    assert back.text == neutral
    assert [one.code for one in back.diagnostics] == ["GX018"]


@pytest.mark.parametrize(
    ("named", "code", "refused"), [("default-scheduler", "GX018", False), ("gang", "GX023", True)]
)
def test_another_scheduler(named: str, code: str, refused: bool) -> None:
    done = to(pod("gpuxlate.io/cores: 30", spec=f"  schedulerName: {named}\n"), "volcano-vgpu")
    assert ([one.code for one in done.diagnostics], done.refused) == ([code], refused)
    assert ("schedulerName: volcano" in done.text) is not refused


JOB = """\
apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata: {name: gang}
spec:
  tasks:
  - name: worker
    template:
      spec:
        containers:
        - name: worker
          resources:
            limits: {volcano.sh/vgpu-number: 1, volcano.sh/vgpu-memory: 4096, volcano.sh/vgpu-cores: 30}
"""


def test_a_volcano_job_hands_its_scheduler_down() -> None:
    assert lint_source(Source("job.yaml", JOB), LintSettings()).diagnostics == []
    for target in ("tke", "hami"):  # HAMi's webhook skips pods of other schedulers
        done = to(JOB, target)
        assert (done.refused, [one.code for one in done.diagnostics]) == (False, ["GX018"])
        assert "schedulerName: default-scheduler" in done.text
    other = JOB.replace("spec:\n  tasks", "spec:\n  schedulerName: kube-batch\n  tasks")
    assert [one.code for one in lint_source(Source("job.yaml", other), LintSettings()).diagnostics] == [
        "VOLC003"
    ]


def test_a_task_has_no_scheduler() -> None:
    """Tekton: the steps of a Task have no field for it."""
    task = """\
apiVersion: tekton.dev/v1
kind: Task
metadata: {name: train}
spec:
  steps:
  - name: train
    computeResources: {limits: {gpuxlate.io/cores: 30}}
"""
    done = to(task, "volcano-vgpu")
    assert "GX023" in {one.code for one in done.diagnostics}


def test_fixes() -> None:
    text = pod("volcano.sh/vgpu-cores: 30", spec="  schedulerName: default-scheduler\n")
    mended = fix_source(Source("pod.yaml", text), LintSettings(), unsafe=True)
    assert mended.linted.diagnostics == []
    assert "schedulerName: volcano" in mended.text
    assert "volcano.sh/vgpu-number: 1" in mended.text


def test_requests_are_not_read() -> None:
    """Volcano reads the number from limits alone, and the API server refuses it elsewhere (K8S004)."""
    text = pod("cpu: 1", spec=VOLCANO).replace(
        "{limits: {cpu: 1}}", "{requests: {volcano.sh/vgpu-number: 1, volcano.sh/vgpu-memory: 4096}}"
    )
    assert {one.code for one in lint_source(Source("p.yaml", text), LintSettings()).diagnostics} == {"K8S004"}


def test_names() -> None:
    assert all(registry.get(name) is BACKEND for name in ("volcano-vgpu", "volcano"))
    assert registry.aliases("hami") == ("4paradigm",)
