"""HAMi's and Volcano's resources under other names: known ones, those of a profile, and unknown ones.

Names: DaoCloud's documentation (nvidia.com/vgpu), Alauda's charts (nvidia.com/gpualloc), FPT Cloud's "vGPU
scheduler" (vgpu, vgpumem, vgpumem-percentage, vgpucores), the example of Volcano's device configuration
(volcano.sh/vgpu); HAMi's chart, values ``resourceName`` and the like.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import gpuxlate
from gpuxlate.config.configuration import load_profile
from gpuxlate.inputs.relevance import may_matter
from gpuxlate.lint.check import LintSettings, lint_source
from gpuxlate.model.share import Share
from gpuxlate.yamltext.source import Source
from tests.running import run

POD = """\
apiVersion: v1
kind: Pod
metadata: {{name: p}}
spec:
  schedulerName: {scheduler}
  containers:
  - name: c
    image: x
    resources: {{limits: {{{keys}}}}}
"""
NAMES = {
    "target": "hami",
    "hami": {
        "resourceNames": {
            "count": "example.com/card",
            "memory": "hami.nvidia.com/gpumem",
            "memoryPercentage": "hami.nvidia.com/gpumem-percentage",
            "cores": "hami.nvidia.com/gpucores",
            "priority": "hami.nvidia.com/priority",
        }
    },
}


def pod(keys: str, scheduler: str = "hami-scheduler") -> str:
    return POD.format(keys=keys, scheduler=scheduler)


def limits(text: str) -> dict[str, object]:
    [one] = gpuxlate.translate(text, to="neutral").objects
    found: dict[str, object] = one["spec"]["containers"][0]["resources"]["limits"]
    return found


TWO_CARDS = {"gpuxlate.io/cards": 2, "gpuxlate.io/memory-mib": 16384, "gpuxlate.io/cores": 60}


@pytest.mark.parametrize(
    ("keys", "written"),
    [
        ("nvidia.com/vgpu: 2, nvidia.com/gpumem: 8192, nvidia.com/gpucores: 30", TWO_CARDS),
        ("nvidia.com/gpualloc: 2, nvidia.com/gpucores: 30, nvidia.com/gpumem: 8192", TWO_CARDS),
        ("nvidia.com/vgpu: 2, nvidia.com/vgpumem: 8192, nvidia.com/vgpucores: 30", TWO_CARDS),
        ("nvidia.com/vgpu: 1, nvidia.com/vgpumem-percentage: 50", {"gpuxlate.io/memory-percent": 50}),
        ("nvidia.com/vgpumem: 8192", {"gpuxlate.io/memory-mib": 8192}),
        ("nvidia.com/vgpu: 2", {"gpuxlate.io/cards": 2}),
    ],
)
def test_a_known_name_is_read_and_goes(keys: str, written: dict[str, object]) -> None:
    found = limits(pod(keys))
    assert {name: value for name, value in found.items() if value != 1 or len(found) == 1} == written
    assert {one.code for one in gpuxlate.lint(pod(keys)).diagnostics} <= {"HAMI006"}


def test_volcano_counts_cards_under_another_name_too() -> None:
    assert limits(pod("volcano.sh/vgpu: 2, volcano.sh/vgpu-memory: 8192", "volcano")) == {
        "gpuxlate.io/cards": 2,
        "gpuxlate.io/memory-mib": 16384,
    }


@pytest.mark.parametrize(
    ("keys", "code"),
    [
        ("nvidia.com/gpu: 1, nvidia.com/vgpu: 2, nvidia.com/gpumem: 8192", "HAMI014"),
        ("nvidia.com/cards: 2, nvidia.com/gpumem: 8192", "HAMI013"),
        ("volcano.sh/vgpu: 2, volcano.sh/vgpu-number: 1", "VOLC009"),
        ("nvidia.com/vgpu: 1, aliyun.com/gpu-mem: 8", "K8S007"),
        ("nvidia.com/vgpu: 0.5, nvidia.com/gpumem: 8192", "K8S001"),
    ],
)
def test_what_is_not_certain_is_refused(keys: str, code: str) -> None:
    text = pod(keys, "volcano" if "volcano" in keys else "hami-scheduler")
    with pytest.raises(gpuxlate.Refused) as refused:
        gpuxlate.translate(text, to="neutral")
    assert code in [one.code for one in refused.value.diagnostics if one.severity == "error"]


RENAMED = "example.com/card: 2, hami.nvidia.com/gpumem: 8192, hami.nvidia.com/gpucores: 30"


def test_the_names_of_a_profile_are_read_and_written() -> None:
    there = gpuxlate.translate(pod(RENAMED), to="neutral", profile=NAMES)
    [container] = there.objects[0]["spec"]["containers"]
    assert container["resources"] == {"limits": TWO_CARDS}
    back = gpuxlate.translate(there.text, to="hami", profile=NAMES)
    [container] = back.objects[0]["spec"]["containers"]
    assert container["resources"]["limits"] == {
        "example.com/card": 2,
        "hami.nvidia.com/gpumem": 8192,
        "hami.nvidia.com/gpucores": 30,
    }
    assert back.diagnostics == ()
    assert gpuxlate.parse(back.text, profile=NAMES).shares == (Share(2, 60, 16384),)
    assert gpuxlate.lint(back.text, profile=NAMES).diagnostics == ()


def test_a_rendered_share_replaces_one_under_the_names_of_a_profile(tmp_path: Path) -> None:
    (tmp_path / "pod.yaml").write_text(pod(RENAMED), encoding="utf-8")
    (tmp_path / "profile.yaml").write_text(
        "target: hami\nhami: {resourceNames: {count: example.com/card, memory: hami.nvidia.com/gpumem, "
        "cores: hami.nvidia.com/gpucores}}\n",
        encoding="utf-8",
    )
    (tmp_path / "share.yaml").write_text(
        "apiVersion: gpuxlate.io/v1alpha1\nkind: GPUShare\nmetadata: {name: s}\n"
        "spec: {cores: 20, memoryMiB: 4096, workload: {file: pod.yaml}}\n",
        encoding="utf-8",
    )
    share, profile = str(tmp_path / "share.yaml"), str(tmp_path / "profile.yaml")
    done = run("render", share, "--to", "hami", "--profile", profile)
    assert b"example.com/card: 1, hami.nvidia.com/gpumem: 4096, hami.nvidia.com/gpucores: 20" in done.out


def test_half_a_profile_is_no_profile() -> None:
    """The count is known, the memory is not: what is left is in no share, and HAMI013 says so."""
    with pytest.raises(gpuxlate.Refused):
        gpuxlate.translate(pod("hami.nvidia.com/gpu: 2, nvidia.com/gpucores: 30"), to="neutral")


def test_files_with_the_names_of_a_profile_are_read() -> None:
    text = pod("example.com/card: 2", "default")
    profile = load_profile(NAMES)
    assert not may_matter(text.encode())
    assert may_matter(text.encode(), profile)
    found = lint_source(Source("pod.yaml", text), LintSettings(profile))
    assert ("HAMI006", "example.com/card alone makes the cards exclusive to the container") in [
        (one.code, one.message) for one in found.diagnostics
    ]
    assert found.shares == 1


def test_a_pod_that_the_scheduler_has_placed_may_name_its_node() -> None:
    text = pod("nvidia.com/gpu: 1, nvidia.com/gpumem: 6k").replace("spec:\n", "spec:\n  nodeName: gpu-1\n")
    assert {one.code for one in gpuxlate.lint(text).diagnostics} == {"HAMI009", "K8S002"}
    placed = text.replace("name: p}", "name: p, annotations: {hami.io/bind-phase: success}}")
    assert {one.code for one in gpuxlate.lint(placed).diagnostics} == {"GX004"}
