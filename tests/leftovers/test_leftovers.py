"""What a translation leaves behind of the source: every place is listed, and refused unless accepted."""

import json
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.running import run
from tests.tables import from_yaml

FOLDER = Path(__file__).parents[2] / "fixtures" / "leftovers"


@dataclass(frozen=True)
class Case:
    name: str
    to: str
    files: dict[str, str]
    left: tuple[str, ...] = field(default=())
    from_: str | None = None
    becomes: dict[str, str] = field(default_factory=dict)
    """The texts once the leftovers are accepted; not of every file."""


CASES = [
    Case(
        one["name"],
        one["to"],
        one["files"],
        tuple(one.get("left", ())),
        one.get("from"),
        one.get("becomes", {}),
    )
    for path in sorted(FOLDER.glob("*.yaml"))
    for one in from_yaml(path.read_text(encoding="utf-8"))
]


def write(files: dict[str, str]) -> None:
    for name, text in files.items():
        path = Path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def listed(report: Path) -> list[str]:
    data = json.loads(report.read_text())
    return [f"{one['file']}:{one['line']}:{one['column']} {one['key']}" for one in data["leftovers"]]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_leftovers(case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are counted in a fleet; refused and listed, each place once; and can be accepted."""
    folder, report = tmp_path / "files", tmp_path / "report.json"
    folder.mkdir()
    monkeypatch.chdir(folder)
    write(case.files)
    options = [".", "--to", case.to, *(["--from", case.from_] if case.from_ else [])]
    in_place = ["translate", *options, "-i", "--report", str(report)]

    assert len(json.loads(run("assess", *options, "-o", "json").out)["leftovers"]) == len(case.left)
    text = run("assess", *options).out.decode()
    assert all(f"{one.partition(' ')[0].rpartition(':')[0]} " in text for one in case.left)
    assert text.partition("\n")[0].count("leftover") == bool(case.left)

    ran = run(*in_place)
    lines = ran.err.decode().splitlines()
    assert (ran.code, listed(report)) == (int(bool(case.left)), list(case.left)), lines
    said = Counter(one["message"] for one in json.loads(report.read_text())["leftovers"])
    assert said <= Counter(one.partition("]: ")[2] for one in lines), "one is counted and not shown"
    assert any(" leftover" in line and " file" in line for line in lines[-2:]) == bool(case.left)
    if case.left:  # nothing is written
        assert {name: Path(name).read_text() for name in case.files} == case.files
    places = [line.strip() for line in lines if line.lstrip().startswith("-->")]
    assert len(set(places)) == len(places)

    write(case.files)
    accepted = run(*in_place, "--allow-leftovers")
    assert (accepted.code, listed(report)) == (0, list(case.left)), accepted.err.decode()
    assert accepted.err.count(b"warning[GX02") == len(case.left)
    assert b"--allow-leftovers" not in accepted.err  # no hint to give what is given
    assert {name: Path(name).read_text(encoding="utf-8") for name in case.becomes} == case.becomes


HALF = """\
apiVersion: v1
kind: Pod
metadata: {name: %s}
spec: {containers: [{name: c, image: x, resources: {limits: {aliyun.com/gpu-mem: %s}}}]}
"""


def test_no_file_ends_in_two_dialects(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A share that is left, beside one that would be translated, refuses the file; one in a file of its own
    is a leftover. A number that another tool sets is neither read nor written."""
    monkeypatch.chdir(tmp_path)
    fixed, variable = HALF % ("a", 8), HALF % ("b", '"${GPU_MEMORY}"')
    options = ("--to", "tke", "-i", "--fill", "cores=30", "--allow-leftovers")
    write({"both.yaml": f"{fixed}---\n{variable}"})
    ran = run("translate", "both.yaml", *options)
    assert (ran.code, "both.yaml would be in two dialects" in ran.err.decode()) == (1, True)
    assert Path("both.yaml").read_text() == f"{fixed}---\n{variable}"
    write({"both.yaml": variable, "a.yaml": fixed})
    assert run("translate", ".", *options).code == 0
    assert (Path("both.yaml").read_text(), "qgpu" in Path("a.yaml").read_text()) == (variable, True)


def test_a_file_that_cannot_be_parsed_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a folder, and only where it may hold a key: the others are written where leftovers are accepted."""
    monkeypatch.chdir(tmp_path)
    write(
        {"a.yaml": HALF % ("a", 8), "broken.yaml": "a: [1\naliyun.com/gpu-mem: 8\n", "other.yaml": "a: [1\n"}
    )
    options = (".", "--to", "tke", "-i", "--fill", "cores=30")
    refused = run("translate", *options)
    assert (refused.code, refused.err.count(b"error[GX001]"), b"other" in refused.err) == (1, 1, False)
    assert "aliyun" in Path("a.yaml").read_text()
    ran = run("translate", *options, "--allow-leftovers")
    assert (ran.code, ran.err.count(b"warning[GX001]")) == (0, 1)
    assert "qgpu" in Path("a.yaml").read_text()
    # the share before the mistake is not written alone
    write({"half.yaml": HALF % ("a", 8) + "---\na: [1\naliyun.com/gpu-mem: 8\n"})
    half = run("translate", *options, "--allow-leftovers")
    assert (half.code, b"half.yaml would be in two dialects" in half.err) == (1, True)


def test_one_scheduler_for_the_cards_of_all_vendors() -> None:
    """The annotations of HAMi's scheduler stay from one vendor's cards to another's, and go nowhere else."""
    placement = "{hami.io/node-scheduler-policy: binpack, hami.io/gpu-scheduler-policy: spread}"
    text = (
        f"apiVersion: v1\nkind: Pod\nmetadata: {{name: p, annotations: {placement}}}\n"
        "spec: {containers: [{name: a, image: x, resources: {limits: {metax-tech.com/gpu: 1}}}]}\n"
    ).encode()
    assert run("translate", "-", "--to", "hami", stdin=text).out.count(b"hami.io/") == 2
    gone = run("translate", "-", "--to", "ack", "--drop", "selector", stdin=text)
    assert gone.code == 0, gone.err.decode()
    assert b"hami.io/" not in gone.out
    assert gone.err.decode().count("is not supported by alibaba-gpushare") == 2


def test_whole_cards_name_the_dialect_that_reads_them() -> None:
    """A label of one cloud beside the common key: the advice is the option that translates both."""
    one = next(one for one in CASES if "labels of GKE" in one.name)
    text = one.files["p.yaml"].encode()
    ran = run("translate", "-", "--to", one.to, stdin=text)
    assert "its pod requests whole cards by a key that every cloud uses" in ran.err.decode()
    assert "pass --from gke to translate them, or --allow-leftovers" in ran.err.decode()
    more = ("--from", "gke", "--drop", "device", "--allow-leftovers")
    assert b"gke-accelerator" not in run("translate", "-", "--to", one.to, *more, stdin=text).out


MACHINES = """\
apiVersion: v1
kind: Pod
metadata: {name: web}
spec:
  nodeSelector: {node.kubernetes.io/instance-type: ecs.gn7i-c8g1.2xlarge}
  tolerations: [{key: aliyun.com/gpu-mem, operator: Exists}]
  containers: [{name: web, image: web, resources: {limits: {%s}}}]
"""


@pytest.mark.parametrize(
    ("limits", "clouds"),
    [  # ecs.… are machines of both clouds: the keys of the pod say which
        ("aliyun.com/gpu-mem: 4", "Alibaba Cloud ACK"),
        ("vke.volcengine.com/mgpu-core: 30, vke.volcengine.com/mgpu-memory: 4096", "Volcengine VKE"),
        (
            "nvidia.com/gpu: 1, nvidia.com/gpumem: 4096",
            "Alibaba Cloud ACK or Volcengine VKE",
        ),
    ],
)
def test_the_machines_are_those_of_the_cloud_of_the_pod(limits: str, clouds: str) -> None:
    ran = run("translate", "-", "--to", "tke", "--fill", "cores=30", stdin=(MACHINES % limits).encode())
    said = ran.err.decode()
    parts = said.partition("it chooses machines of ")[2].partition("\n")[0]
    assert sorted(parts.split(" or ")) == sorted(clouds.split(" or "))
    assert "aliyun.com/gpu-mem is not translated: it is a taint that the pod tolerates" in said


def test_the_lines_that_count_say_what_is_where(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """D29: shares were said not to be counted above, and to be in the files of the leftovers."""
    monkeypatch.chdir(tmp_path)
    write({"p.yaml": MACHINES % "aliyun.com/gpu-mem: 4", "none.yaml": "kind: ConfigMap\n"})
    assert "\n2 leftovers in 1 file, not counted above\n" in run("inspect", ".").out.decode()
    said = run("assess", ".", "--to", "tke").out.decode()
    assert said.startswith("1 share, 2 leftovers in 1 of 2 files, to tencent-qgpu\n")
    text = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: w}\nspec: {replicas: 3, template: {spec: "
    limits = "{vke.volcengine.com/mgpu-core: 30, vke.volcengine.com/mgpu-memory: 4096}"
    write({"p.yaml": f"{text}{{containers: [{{name: c, image: x, resources: {{limits: {limits}}}}}]}}}}}}\n"})
    kept = run("translate", "p.yaml", "--to", "vke").err.decode()
    assert kept == "0 shares; 1 pod already has keys of the target\n"
    planned = run("plan", "p.yaml", "--to", "vke", "--node", "A10-24GB:4").out.decode()
    assert planned.startswith("1 share; 3 shares with all replicas\n")


def test_values_over_a_part_that_is_not_translated_yet(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What accepts the loss of the part below accepts all, and is said."""
    monkeypatch.chdir(tmp_path)
    values = "resources: {limits: {aliyun.com/gpu-mem: %s}}\n"
    chart = "apiVersion: v2\nname: c\nversion: 0.1.0\n"
    write({"Chart.yaml": chart, "values.yaml": values % 8, "values-prod.yaml": values % 12})
    said = run("translate", ".", "--to", "vke", "-i").err.decode()
    assert "help: correct the findings about that object first\n" in said
    assert said.endswith("to accept: gpuxlate translate . --to vke -i --fill cores=N\n")
    assert run("translate", ".", "--to", "vke", "-i", "--fill", "cores=30").code == 0
    assert (
        Path("values-prod.yaml").read_text()
        == "resources: {limits: {vke.volcengine.com/mgpu-memory: 12288}}\n"
    )


OTHERWISE = {
    "whole cards": ("nvidia.com/gpu: 1", "requests whole cards by a key that every cloud uses"),
    "cards of another maker": ("amd.com/gpu: 1", "requests whole cards by a key that every cloud uses"),
    "a share at the target": ("tke.cloud.tencent.com/qgpu-core: 30", "requests GPUs by other keys"),
    "an accelerator that is not read": ("habana.ai/goya: 1", "requests GPUs by other keys"),
    "none": ("cpu: 1", "requests no share"),
}
"""What a pod requests beside a key that is left, and what is said of the pod."""


@pytest.mark.parametrize("what", OTHERWISE)
def test_what_a_pod_without_a_share_requests(what: str) -> None:
    limits, says = OTHERWISE[what]
    text = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n"
    text += "  nodeSelector: {vke.node.gpu.schedule: mgpu}\n"
    text += f"  containers: [{{name: c, resources: {{limits: {{{limits}}}}}}}]\n"
    ran = run("translate", "-", "--to", "tke", stdin=text.encode())
    assert f"vke.node.gpu.schedule is not translated: its pod {says}\n" in ran.err.decode()


CONFIG_MAP = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n"
REMARKS = {
    # the key of the source is an error of its own
    "beside a leftover": (
        CONFIG_MAP + "  aliyun.com/gpu-mem: '8'\n  nvidia.com/gpumem: '1'\n  nvidia.com/gpucores: '2'\n",
        "nvidia.com/gpumem and 1 more keys of this object are not in a pod",
        ":6:3",
    ),
    "one beside two leftovers": (
        CONFIG_MAP + "  aliyun.com/gpu-mem: '8'\n  nvidia.com/gpumem: '1'\n  aliyun.com/gpu-count: '2'\n",
        "nvidia.com/gpumem is not in a pod",
        ":6:3",
    ),
    "an alias names no other key": (
        "spec:\n  z: &x {nvidia.com/gpumem: 1, nvidia.com/gpucores: 2}\n  a: *x\n",
        "nvidia.com/gpumem and 1 more keys of this object are not in a pod",
        ":2:10",
    ),
}


@pytest.mark.parametrize("case", REMARKS)
def test_one_remark_on_the_keys_of_the_target(case: str) -> None:
    """Those of an object are counted together, without what a leftover is about."""
    text, remark, place = REMARKS[case]
    lines = (
        run("translate", "-", "--to", "hami", "--allow-leftovers", stdin=text.encode())
        .err.decode()
        .splitlines()
    )
    at = [number for number, line in enumerate(lines) if line.startswith("info[GX014]")]
    assert [lines[number].partition(": ")[2].partition(":")[0] for number in at] == [remark]
    assert [lines[number + 1].endswith(place) for number in at] == [True]
