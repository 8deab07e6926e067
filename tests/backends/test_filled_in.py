"""What controllers and webhooks fill in is not called missing, or is a remark that names them."""

import pytest

from gpuxlate.lint.check import lint_source
from gpuxlate.lint.settings import LintSettings
from gpuxlate.yamltext.source import Source

POD = """\
apiVersion: v1
kind: Pod
metadata: {name: web, labels: {%s}, annotations: {%s}}
spec:
  schedulerName: %s
  containers:
  - name: web
    image: web
    resources: {limits: {%s}}
"""
RAY = """\
apiVersion: ray.io/v1
kind: RayCluster
metadata: {name: ray, labels: {%s}}
spec:
  headGroupSpec:
    template: {spec: {containers: [{name: head, image: ray}]}}
  workerGroupSpecs:
  - groupName: gpu
    template:
      metadata: {annotations: {gpu-fraction: "0.5"}}
      spec: {containers: [{name: worker, image: ray}]}
"""
OF_KOORDINATOR = "koordinator.sh/gpu-core: 50, koordinator.sh/gpu-memory: 8Gi"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        # default_grouper.go: the label `project` of the workload or of the pod is the queue
        (POD % ("project: team", 'gpu-fraction: "0.5"', "runai-scheduler", ""), []),
        # examples/batch/external-podgroup-job.yaml: the queue is in the PodGroup
        (POD % ("", "pod-group-name: pg", "kai-scheduler", "nvidia.com/gpu: 1"), []),
        (
            POD % ("", "", "kai-scheduler", "nvidia.com/gpu: 1"),
            ["KAI011 warning the pod has no label kai.scheduler/queue, and gets default-queue"],
        ),
        # device_share.go and colocation-profile.md: a webhook sets the scheduler of the pods that it selects
        (
            POD % ("", "", '""', OF_KOORDINATOR),
            ["KOORD006 info write schedulerName: koord-scheduler, unless ClusterColocationProfile sets it"],
        ),
        (POD % ("", "", "other", OF_KOORDINATOR), ["KOORD006 error write schedulerName: koord-scheduler"]),
        # ray-operator/controllers/ray/batchscheduler: AddMetadataToPod sets schedulerName
        (
            RAY % "kai.scheduler/queue: team",
            ["KAI010 info write schedulerName: kai-scheduler, unless KubeRay --batch-scheduler sets it"],
        ),
        (RAY % "kai.scheduler/queue: team, ray.io/scheduler-name: kai-scheduler", []),
        (
            RAY % "kai.scheduler/queue: team, ray.io/scheduler-name: volcano",
            ["KAI010 error schedulerName is volcano; only kai-scheduler places this share"],
        ),
    ],
)
def test_what_is_filled_in(text: str, said: list[str]) -> None:
    found = lint_source(Source("web.yaml", text), LintSettings()).diagnostics
    asked = [one for one in found if one.code in ("KAI010", "KAI011", "KOORD006")]
    lines = [f"{one.code} {one.severity} {one.message} {one.hint}" for one in asked]
    assert len(lines) == len(said), lines
    for line, [code, severity, words] in zip(lines, (one.split(" ", 2) for one in said), strict=True):
        assert line.startswith(f"{code} {severity} ")
        assert words in line
