"""Overlays of kustomize: a file that a kustomization names as a patch is a part of an object."""

import os
import re
from pathlib import Path
from unittest.mock import Mock

import pytest

from gpuxlate.overlays.kustomization import patched_by
from tests.lint.conftest import command, lint, write

pytestmark = pytest.mark.usefixtures("folder")

BASE = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 2
  template:
    metadata: {labels: {aliyun.com/gpu-count: "2"}}
    spec:
      containers:
      - {name: web, image: web, resources: {limits: {aliyun.com/gpu-mem: 8}}}
"""
MEMORY = "/spec/template/spec/containers/0/resources/limits/aliyun.com~1gpu-mem"
MODE = "      nodeSelector: {ack.node.gpu.schedule: cgpu}\n"
VKE = "vke.volcengine.com"
HEAD = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec:\n  template:\n"


def patch(limits: str, more: str = "", metadata: str = "") -> str:
    """A strategic merge patch of the container of BASE."""
    return (
        f"{HEAD}    metadata: {{{metadata}}}\n    spec:\n{more}      containers:\n"
        f"      - {{name: web, resources: {{limits: {{{limits}}}}}}}\n"
    )


# --- which files are patches ----------------------------------------------------------------------

NAMED = [
    ("kustomization.yaml", "patches: [{path: p.yaml}]"),
    ("kustomization.yml", "patches: [{path: ./p.yaml, target: {kind: Deployment}}]"),
    ("Kustomization", "patchesStrategicMerge: [p.yaml]"),
    ("kustomization.yaml", "patchesJson6902: [{path: x/../p.yaml, target: {kind: Deployment, name: web}}]"),
    ("kustomization.yaml", "kind: Component\npatches: [{path: p.yaml}]"),
    ("kustomization.yaml", "patches: [p.yaml]"),  # before kustomize 2.1
    ("../kustomization.yaml", "patches: [{path: in/p.yaml}]"),
    ("../../kustomization.yaml", "patches: [{path: over/in/p.yaml}]"),
    ("kustomization.yaml", "a: &a p.yaml\npatches: [{path: *a}]"),
]
NOT_NAMED = [
    ("kustomization.yaml", "resources: [p.yaml]"),
    ("kustomization.yaml", "patches: [{path: q.yaml}]"),
    ("kustomization.yaml", 'patches: [{patch: "path: p.yaml\\n"}]'),
    ("kustomization.yaml", 'patchesStrategicMerge: ["p.yaml\\n"]'),
    ("other.yaml", "patches: [{path: p.yaml}]"),
    ("../../../kustomization.yaml", "patches: [{path: repo/over/in/p.yaml}]"),  # above the git root
    ("kustomization.yaml", "patches: {path: p.yaml}"),
    ("kustomization.yaml", "patches: [[p.yaml], {path: [p.yaml]}, 3, null]"),
    ("kustomization.yaml", "patches: [{path: p.yaml}"),  # no YAML
    ("kustomization.yaml", "[patches]"),
    ("kustomization.yaml", ""),
    ("kustomization.yaml", "patches: [{path: \0p.yaml}]"),
]


def test_a_patch_is_known_by_its_kustomization() -> None:
    wrong = []
    for number, (name, text) in enumerate([*NAMED, *NOT_NAMED]):
        folder = Path(f"{number}/repo/over/in").absolute()
        write({f"{number}/repo/.git/HEAD": "", f"{folder}/p.yaml": "", f"{folder}/{name}": text})
        found = os.path.dirname(os.path.normpath(folder / name)) if (name, text) in NAMED else None
        if patched_by(folder / "p.yaml") != found:
            wrong.append((name, text))
    assert wrong == []
    assert patched_by(None) is None


def test_a_path_from_the_working_directory(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write({".git/HEAD": "", "over/kustomization.yaml": "patches: [{path: p/q.yaml}]"})
    monkeypatch.chdir("over")
    assert patched_by("p/q.yaml") == patched_by("../over/./p/q.yaml") == str(folder / "over")


def test_an_unreadable_kustomization_names_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    named = b"patches: [{path: p.yaml}]\n"
    write(
        {"kustomization.yaml": named, "repo/.git/HEAD": b"", **{f"repo/{one}/p.yaml": b"" for one in "abcd"}}
    )
    monkeypatch.chdir("repo")
    Path("a/kustomization.yaml").symlink_to(folder / "kustomization.yaml")  # a link that leads out
    os.mkfifo("b/kustomization.yaml")
    write({"c/kustomization.yaml": named + b"\xff", "d/kustomization.yaml/x": b""})
    assert [patched_by(f"{one}/p.yaml") for one in "abcd"] == [None] * 4


def test_each_kustomization_is_read_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder of many files costs one look."""
    write({".git/HEAD": "", "kustomization.yaml": "patches: [{path: p7.yaml}]"})
    opened = Mock(wraps=os.open)
    monkeypatch.setattr(os, "open", opened)
    assert [n for n in range(1000) if patched_by(folder / f"p{n}.yaml")] == [7]
    assert opened.call_count == 1


# --- what holds of them -----------------------------------------------------------------------------

NO_COUNT = "labels: {aliyun.com/gpu-count: null}"
CONTAINER = "{name: x, resources: {limits: {aliyun.com/gpu-mem: 5.5}}}\n"
# a patch, and the code of its finding
PATCHES: dict[str, tuple[str, str]] = {
    "one key": (patch("aliyun.com/gpu-core.percentage: 30"), ""),
    "null deletes": (patch("aliyun.com/gpu-mem: null, nvidia.com/gpu: 1", metadata=NO_COUNT), ""),
    "null in another form": (patch("aliyun.com/gpu-mem: ~, nvidia.com/gpu: 1"), ""),
    "empty": (patch("").replace("limits: {}", "limits: null"), ""),
    "requests alone": (patch("").replace("limits: {}", "requests: {aliyun.com/gpu-mem: 8}"), ""),
    "a container goes": (patch("aliyun.com/gpu-mem: 4") + "      - {name: old, $patch: delete}\n", ""),
    "all is replaced": (patch("$patch: replace, aliyun.com/gpu-mem: 4"), ""),
    "cards of the base": (patch(f"{VKE}/mgpu-core: 200, {VKE}/mgpu-memory: 8192"), ""),
    "labels alone": (f'{HEAD}    metadata: {{labels: {{aliyun.com/gpu-count: "4"}}}}\n', ""),
    # what is there is checked
    "a suffix": (patch("aliyun.com/gpu-mem: 8Gi"), "K8S002"),
    "a fraction": (patch("aliyun.com/gpu-mem: 5.5"), "K8S001"),
    "two vendors": (patch("aliyun.com/gpu-mem: 8, nvidia.com/gpu: 1"), "K8S007"),
    "off the step": (patch('tke.cloud.tencent.com/qgpu-core: "33"'), "TKE002"),
    "a misspelt key": (patch("aliyun.com/gpu-memm: 8"), "GX003"),
    "a number as label": (f"{HEAD}    metadata: {{labels: {{aliyun.com/gpu-count: 4}}}}\n", "K8S008"),
    "a policy": (f"{HEAD}    metadata: {{annotations: {{{VKE}/mgpu-compute-policy: fair}}}}\n", "VKE004"),
    "another mode": (patch("aliyun.com/gpu-core.percentage: 30", MODE), "ACK008"),
    # operations of JSON 6902
    "an operation": (f"- {{op: replace, path: {MEMORY}, value: 9}}\n", ""),
    "a suffix in an operation": (f"- {{op: add, path: {MEMORY}, value: 9Gi}}\n", "K8S002"),
    "a fraction in a container": (
        *("- op: add\n  path: /spec/template/spec/containers/-\n  value: " + CONTAINER, "K8S001"),
    ),
    "other operations": (
        f"- {{op: remove, path: {MEMORY}}}\n- {{op: test, path: {MEMORY}, value: 9Gi}}\n"
        "- {op: add, value: 5}\n- {op: add, path: 5}\n- {op: [], path: {}}\n- 5\n- null\n"
        f"- {{op: add, path: {'/a' * 3000}, value: 5}}\n",
        "",
    ),
}
TREE = {
    ".git/HEAD": "",
    "base/kustomization.yaml": "resources: [web.yaml]\n",
    "base/web.yaml": BASE,
    "over/kustomization.yaml": "resources: [../base]\npatches:\n- path: patches/p.yaml\n",
}
PATCH = "over/patches/p.yaml"


@pytest.mark.parametrize("name", PATCHES)
def test_lint_of_a_patch(name: str) -> None:
    text, code = PATCHES[name]
    write({**TREE, PATCH: text})
    for path in (".", PATCH):
        # keys of operations are in no pod
        left_out = "GX014" if text.startswith("- ") else ""
        listed = [(one["code"], one["file"]) for one in lint(path).diagnostics if one["code"] != left_out]
        assert listed == [(code, PATCH)] * bool(code)


COUNT = "/spec/template/metadata/labels/aliyun.com~1gpu-count"
LABELS, NODES = "/spec/template/metadata/labels", "/spec/template/spec/nodeSelector"
KEPT = "- {op: add, path: /metadata/finalizers, value: []}\n"
"""A list of operations that would be empty is left."""
# by what it shows: the operation, and the code of lint and of translate
STEERING = {
    "a label": (f"{{op: replace, path: {COUNT}, value: '4'}}", ""),
    "a number as label": (f"{{op: replace, path: {COUNT}, value: 4}}", "K8S008"),
    "no number of cards": (f"{{op: add, path: {COUNT}, value: x}}", "ACK002"),
    "all labels": (f"{{op: replace, path: {LABELS}, value: {{aliyun.com/gpu-count: '4'}}}}", ""),
    "all, one of them wrong": (f"{{op: add, path: {LABELS}, value: {{aliyun.com/gpu-count: 4}}}}", "K8S008"),
    "a misspelt label": (f"{{op: add, path: {LABELS}/aliyun.com~1gpu-cout, value: '4'}}", "GX003"),
    "a label that goes": (f"{{op: remove, path: {COUNT}}}", ""),
    "a node selector": (f"{{op: add, path: {NODES}, value: {{ack.node.gpu.schedule: share}}}}", ""),
    "an unknown mode": (f"{{op: add, path: {NODES}, value: {{ack.node.gpu.schedule: mine}}}}", "ACK017"),
}


@pytest.mark.parametrize("name", STEERING)
def test_operations_on_labels_and_nodes(name: str) -> None:
    """Lint reads them with what they change, as a translation does."""
    operation, code = STEERING[name]
    target = TREE["over/kustomization.yaml"] + "  target: {kind: Deployment}\n"
    write({**TREE, "over/kustomization.yaml": target, PATCH: f"- {operation}\n{KEPT}"})
    assert [one["code"] for one in lint(".").diagnostics if one["file"] == PATCH] == [code] * bool(code)
    err = command("translate", ".", "--to", "hami").err
    said = re.findall(rf"^\w+\[(\w+)\].*\n *--> {PATCH}", err, re.MULTILINE)
    assert [one for one in said if one not in ("GX015", "GX020")] == [code] * bool(code)


UNFIT = patch('vke.volcengine.com/mgpu-core: 30, vke.volcengine.com/container-multiple-gpu: "2"')
"""A fix of GX013 would add an annotation."""


def test_fixes_of_a_patch_change_what_is_there() -> None:
    right = patch("aliyun.com/gpu-mem: 8")
    wrong = [(patch(f"aliyun.com/{text}"), right) for text in ("gpu-mem: 8Gi", "gpu-memm: 8")]
    for before, after in (*wrong, (UNFIT, UNFIT)):
        write({**TREE, PATCH: before})
        lint("--fix", "--unsafe-fixes", ".")
        assert Path(PATCH).read_text() == after


def test_fixes_that_do_not_fit_a_patch_are_not_offered() -> None:
    for text in (UNFIT, f"- {{op: add, path: {MEMORY}, value: 9Gi}}\n"):
        write({**TREE, PATCH: text})
        fixes = [one["fix"] for one in lint(".").diagnostics]
        assert fixes == [None] * len(fixes) != [], text


def test_a_base_and_its_overlay_are_counted_once() -> None:
    write({**TREE, PATCH: patch("aliyun.com/gpu-mem: 16")})
    inspected = command("inspect", ".", "-o", "json").json
    assert [one["file"] for one in inspected["items"]] == ["base/web.yaml"]
    assert inspected["totals"]["alibaba-gpushare"]["cards"] == 4
    assessed = command("assess", ".", "--to", "tke", "-o", "json").json
    assert [one["file"] for one in assessed["items"]] == ["base/web.yaml"]
    assert lint(".").json["summary"]["shares"] == 1


def test_a_patch_is_not_filled_up() -> None:
    """One key of two would become a share that asks for less than the base."""
    text = patch("aliyun.com/gpu-mem: 16")
    write({**TREE, PATCH: text})
    command("translate", ".", "--to", "tke", "--fill", "cores=30", "-i")
    assert Path(PATCH).read_text() == text


def test_an_ignore_of_a_patch_may_be_for_its_base() -> None:
    """An annotation goes to the object; a comment stays in the patch."""
    ignoring = 'annotations: {gpuxlate.io/ignore: "ACK002"}'
    text = patch("aliyun.com/gpu-mem: 16  # gpuxlate: ignore[ACK001] no\n        ", metadata=ignoring)
    write({**TREE, PATCH: text})
    unused = ("GX009", "ignore of ACK001 matches no finding")
    assert [(one["code"], one["message"]) for one in lint(".").diagnostics] == [unused]
    write({**TREE, PATCH: patch("aliyun.com/gpu-mem: 16", metadata=ignoring.replace("00", "0"))})
    assert [(one["code"], one["hint"]) for one in lint(".").diagnostics] == [
        ("GX009", "did you mean ACK002?")
    ]
