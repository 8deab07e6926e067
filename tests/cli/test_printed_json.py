"""Every JSON that a command prints keeps its schema, and has no field that the schema does not name."""

import json
from pathlib import Path

import pytest

from gpuxlate.cli import kubectl, live
from tests.cluster.fake import FakeServer
from tests.e2e import nodes, pods
from tests.running import run
from tests.schemas import strict_validator

ROOT = Path(__file__).parents[2]
SPEC = "examples/emr/bert.gpushare.yaml"
CARD = "--card-units 100 --card-memory-mib 24576 --hours 1 --pods 2"
PARTS = "partition.yaml"
HEAD = "apiVersion: gpuxlate.io/v1alpha1\nkind: GPUShare\n"
POD = "apiVersion: v1\nkind: Pod\n"
FILES = {
    PARTS: f"{HEAD}metadata: {{name: part}}\nspec: {{partition: {{profile: 1g.10gb}}}}\n",
    "open.yaml": f"{HEAD}metadata: {{name: open}}\nspec: {{cards: 1, memoryMiB: 4000}}\n",
    "whole.yaml": f"{HEAD}metadata: {{name: whole}}\nspec: {{cards: 2}}\n",
    "cpu.yaml": f"{POD}metadata: {{name: cpu}}\nspec: {{containers: [{{name: a, image: b}}]}}\n",
    "lost.yaml": f"{POD}metadata: {{name: lost}}\nspec: {{containers: [{{name: a, resources: "
    "{limits: {tke.cloud.tencent.com/qgpu-core: 30}}}]}\n",
    "quota.yaml": "apiVersion: v1\nkind: ResourceQuota\nmetadata: {name: q}\n"
    "spec: {hard: {requests.aliyun.com/gpu-mem: 64}}\n",
    **{
        name: f"apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: web}}\nspec: {{replicas: {count}, "
        "template: {spec: {containers: [{name: a, resources: {limits: {tke.cloud.tencent.com/qgpu-core: 30, "
        "tke.cloud.tencent.com/qgpu-memory: 4}}}]}}}\n"
        for name, count in (("pod.yaml", 1), ("many.yaml", 900))
    },
    "profile.yaml": "target: tke\ncards: {model: T4, perNode: 4, memoryMiB: 15360}\n",
}
ROWS = [
    ("shares", "parse examples/claims/deployment.yaml"),
    ("shares", "parse examples/application"),
    ("inspect", "inspect examples"),
    ("inspect", "inspect fixtures/nvidia-mig"),
    ("inspect", "inspect examples/claims"),
    ("inspect", "inspect cpu.yaml"),
    ("inspect", "inspect lost.yaml"),
    ("inspect", "inspect quota.yaml"),
    ("inspect", "inspect -k examples/application/deploy/production"),
    ("rules", "rules"),
    ("rules", "rules TKE --fixable"),
    ("rules", "rules --severity info --to emr-spark"),
    ("rule", "explain TKE002"),
    ("diagnostics", "lint examples fixtures/lint/TKE002.yaml lost.yaml"),
    ("report", f"assess examples {PARTS} quota.yaml --to tke"),
    ("results", "assess examples/claims quota.yaml --to tke,ack"),
    ("plan", "plan examples/application --to tke --node A10-24GB:4"),
    ("plan", "plan examples/application --to hami --node A10-24GB:4 --as scheduled"),
    ("targets", "targets"),
    *(("compare", f"compare {spec} --to all") for spec in (SPEC, PARTS, "open.yaml", "whole.yaml")),
    ("compare", "compare open.yaml --to tke --round up --fill cores=10"),
    ("nodepool", f"nodepool {SPEC} --to tke"),
    ("results", "nodepool open.yaml whole.yaml --to tke,ack"),
    ("nodepool", "nodepool open.yaml --to tke --check profile.yaml"),
    ("nodepool", f"nodepool {PARTS} --to nvidia-mig"),
    ("plan", "plan examples/application --to tke --node A10-24GB:4 --price A10-24GB=10.5"),
    ("cards-held", f"cost {SPEC} examples/application --to hami --price A10-24GB=10.5"),
    *(("cost", f"cost {SPEC} --to volcengine-emr-{one} {CARD}") for one in ("ray", "customjob")),
    *(
        ("verify", f"verify {spec} --nvidia-smi tests/verify/outputs/{one} {more}")
        for spec in (SPEC, "open.yaml", "whole.yaml")
        for one in ("driver-550-a10.txt", "driver-470-two-v100.txt", "list.txt", "query.csv")
        for more in ("", "--to ack --card-memory-mib 16384")
    ),
]


REFUSED = [
    ("parse lost.yaml", 1),
    ("parse cpu.yaml", 3),
    (f"nodepool {SPEC} --to gke", 1),
    ("compare cpu.yaml --to tke", 1),
    (f"cost whole.yaml --to volcengine-emr-ray {CARD}", 1),
]
"""What is refused as a whole prints no JSON, and its exit code."""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder with these files, and those of the repository."""
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    for name in ("examples", "fixtures", "tests"):
        (tmp_path / name).symlink_to(ROOT / name)
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(("kind", "line"), ROWS, ids=[line for _, line in ROWS])
@pytest.mark.usefixtures("here")
def test_what_is_printed_keeps_its_schema(kind: str, line: str) -> None:
    done = run(*line.split(), "-o", "json", "--isolated")
    strict_validator(kind).validate(json.loads(done.out))


@pytest.mark.usefixtures("here")
def test_a_baseline_keeps_its_schema() -> None:
    assert run("lint", "fixtures/lint", "--write-baseline", "known.json", "--isolated").code == 0
    baseline = json.loads(Path("known.json").read_text(encoding="utf-8"))
    assert baseline["findings"]
    strict_validator("baseline").validate(baseline)


ON_CLUSTER = [
    *((kind, kind, where) for kind in ("nodes", "capacity") for where in ("all", "parts")),
    ("capacity", "capacity -f pod.yaml", "all"),
    ("capacity", "capacity -f many.yaml", "all"),
    *(
        ("preflight", f"preflight {spec} --to {to}", "all")
        for spec in ("", "open.yaml")
        for to in ("vke", "tke")
    ),
]
SERVERS = {"all": (nodes.ALL, pods.ALL), "parts": (nodes.PARTS, ())}


@pytest.mark.parametrize(("kind", "line", "where"), ON_CLUSTER, ids=str)
@pytest.mark.usefixtures("here")
def test_what_is_printed_of_a_cluster_keeps_its_schema(
    kind: str, line: str, where: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live, "open_cluster", lambda _: FakeServer(*SERVERS[where]))
    done = run(*line.split(), "-o", "json", program=kubectl.main)
    assert done.code in (0, 1)
    strict_validator(kind).validate(json.loads(done.out))


@pytest.mark.parametrize(("line", "code"), REFUSED, ids=[line for line, _ in REFUSED])
@pytest.mark.usefixtures("here")
def test_what_is_refused_prints_no_json(line: str, code: int) -> None:
    done = run(*line.split(), "-o", "json", "--isolated")
    assert (done.code, done.out, bool(done.err)) == (code, b"", True)
