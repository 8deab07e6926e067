"""HAMi and Volcano vGPU: what finds the dialect, variables, choices of cards, schedulers, names of a profile.

Facts: Project-HAMi/HAMi, snapshot of 2026-08-21; volcano-sh/volcano, snapshot of 2026-08-20.
"""

from pathlib import Path

import gpuxlate
from gpuxlate.backends import registry
from gpuxlate.backends.pod_writer import Accept
from gpuxlate.config.configuration import load_profile
from gpuxlate.config.document import ShareDocument
from gpuxlate.files.relevance import might_have_gpu_keys
from gpuxlate.lint.check import lint_source
from gpuxlate.lint.fix import fix_source
from gpuxlate.lint.settings import LintSettings
from gpuxlate.model.profile import CardProfile, Profile
from gpuxlate.model.share import Policy, Share
from gpuxlate.translation.options import Settings
from gpuxlate.translation.render import RenderRequest, render_on
from gpuxlate.yamltext.parse import documents
from gpuxlate.yamltext.source import Source
from tests.backends.pods import codes, lint, pod, read, speaks, to
from tests.cluster.asking import share as share_text
from tests.running import run

HAMI = registry.get("hami")
SELECTOR = Accept(drop=frozenset({"selector"}))
SPREAD = ", annotations: {hami.io/gpu-scheduler-policy: spread}"
CONTROL = "    env: [{name: CUDA_DISABLE_CONTROL, value: 'false'}]\n"
NEUTRAL = "gpuxlate.io/cores: 30"
MEMORY = "nvidia.com/gpumem: 3072, nvidia.com/gpucores: 30"


def scheduler(name: str) -> str:
    return f"  schedulerName: {name}\n"


def test_what_finds_hami() -> None:
    found = {
        pod("nvidia.com/gpu: 1", metadata=SPREAD): True,
        pod("nvidia.com/gpu: 1", container=CONTROL): True,
        pod("nvidia.com/gpu: 2"): False,
        pod("cpu: 1", metadata=SPREAD): False,
        # Volcano reads this annotation too
        pod("volcano.sh/vgpu-number: 1", metadata=", annotations: {nvidia.com/use-gputype: A100}"): False,
    }
    assert {text: speaks(text, "hami") for text in found} == found
    assert read(pod("nvidia.com/gpu: 2")).items == []


def test_few_units_where_a_unit_is_large() -> None:
    text = pod("nvidia.com/gpu: 2, nvidia.com/gpumem: 8")
    assert lint(text, Profile("hami", memory_unit_mib=128)) == []
    assert "GX007" in codes(lint(text))


def test_fixed_share_is_a_variable() -> None:
    neutral = pod(NEUTRAL, metadata=", annotations: {gpuxlate.io/policy: fixed-share}")
    done = to(neutral, "hami")
    assert "    env:\n    - name: GPU_CORE_UTILIZATION_POLICY\n      value: force\n" in done.text
    assert [one.share for one in read(done.text).items] == [Share(1, 30, None, Policy.FIXED_SHARE)]
    back = to(done.text, "neutral")
    assert "env" not in back.text
    assert "gpuxlate.io/policy: fixed-share" in back.text


def rendered(text: str, share: Share) -> str:
    [document] = documents(Source("spec.yaml", "kind: GPUShare\n"))
    asked = [RenderRequest(ShareDocument("web", share), document)]
    made = render_on(Source("pod.yaml", text), asked, Settings(HAMI))
    assert not made.refused
    return made.text


def test_a_variable_that_is_there_changes_in_place() -> None:
    env = "    env:\n    - {name: A, value: b}\n    - {name: GPU_CORE_UTILIZATION_POLICY, value: default}\n"
    text = pod("nvidia.com/gpu: 1, nvidia.com/gpumem: 3000", container=env)
    made = rendered(text, Share(1, 30, 3000, Policy.FIXED_SHARE))
    assert "- {name: GPU_CORE_UTILIZATION_POLICY, value: force}" in made
    assert "- {name: A, value: b}" in made


def test_choices_of_cards() -> None:
    choice = pod(MEMORY, metadata=", annotations: {nvidia.com/use-gputype: A100}")
    [found] = to(choice, "tke").diagnostics  # no place there
    what = "annotation nvidia.com/use-gputype (A100)"
    assert (found.code, found.message.split(" is")[0]) == ("GX020", what)
    accepted = to(choice, "tke", SELECTOR)
    assert (accepted.refused, "gputype" in accepted.text) == (False, False)
    stays = to(choice, "volcano-vgpu")  # known there
    assert not stays.refused
    assert "annotations: {nvidia.com/use-gputype: A100}" in stays.text
    assert "schedulerName: volcano" in stays.text
    made = rendered(choice, Share(1, 50, 4096))
    assert "nvidia.com/use-gputype: A100" in made
    assert "nvidia.com/gpumem: 4096" in made


VOLCANO = "volcano.sh/vgpu-number: 1, volcano.sh/vgpu-memory: 4096, volcano.sh/vgpu-cores: 30"
SCHEDULERS: dict[tuple[str, str | None, str], tuple[list[str], str | None]] = {
    # limits, scheduler, target: what is found, and the scheduler after it; no error is a refusal but GX023
    (NEUTRAL, "default-scheduler", "hami"): ([], "default-scheduler"),
    (NEUTRAL, "hami-scheduler", "hami"): ([], "hami-scheduler"),
    (NEUTRAL, "gang", "hami"): (["GX023"], "gang"),
    (MEMORY, "hami-scheduler", "tke"): (["GX018"], None),
    (NEUTRAL, "default-scheduler", "volcano-vgpu"): (["GX018"], "volcano"),
    (NEUTRAL, "gang", "volcano-vgpu"): (["GX023"], "gang"),
    (NEUTRAL + ", gpuxlate.io/memory-mib: 4096", None, "volcano-vgpu"): ([], "volcano"),
    (VOLCANO, "volcano", "neutral"): (["GX018"], None),
}


def test_schedulers() -> None:
    def found(limits: str, named: str | None, target: str) -> tuple[list[str], str | None]:
        done = to(pod(limits, spec=scheduler(named) if named else ""), target)
        assert done.refused == ("GX023" in codes(done.diagnostics))
        after = done.text.partition("schedulerName: ")[2].partition("\n")[0]
        return codes(done.diagnostics), after or None

    assert {one: found(*one) for one in SCHEDULERS} == SCHEDULERS
    neutral = pod("gpuxlate.io/cores: 30, gpuxlate.io/memory-mib: 4096")
    assert to(to(neutral, "volcano-vgpu").text, "neutral").text == neutral


JOB = f"""\
apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata: {{name: gang}}
spec:
  tasks:
  - name: worker
    template: {{spec: {{containers: [{{name: worker, resources: {{limits: {{{VOLCANO}}}}}}}]}}}}
"""
TASK = f"""\
apiVersion: tekton.dev/v1
kind: Task
metadata: {{name: train}}
spec: {{steps: [{{name: train, computeResources: {{limits: {{{NEUTRAL}}}}}}}]}}
"""


def test_a_volcano_job_hands_its_scheduler_down() -> None:
    assert codes(lint(JOB)) == ["VOLC012"]  # its compute is no hard cap
    for target in ("tke", "hami"):  # HAMi's webhook skips pods of other schedulers
        done = to(JOB, target)
        assert (done.refused, codes(done.diagnostics)) == (False, ["GX018"])
        assert "schedulerName: default-scheduler" in done.text
    other = JOB.replace("spec:\n  tasks", "spec:\n  schedulerName: kube-batch\n  tasks")
    assert codes(lint(other)) == ["VOLC003", "VOLC012"]
    # Tekton: the steps of a Task have no field for it
    assert "GX023" in codes(to(TASK, "volcano-vgpu").diagnostics)


def test_a_count_is_no_whole_card_beside_its_share() -> None:
    """K8S007 is for clouds where the common key is a whole card."""
    found = lint_source(Source("pod.yaml", pod("nvidia.com/gpu: 1, nvidia.com/gpumem: 3000")), LintSettings())
    assert (found.diagnostics, found.shares) == ([], 1)
    for mixed in (
        "nvidia.com/gpu: 1, vke.volcengine.com/mgpu-core: 30, vke.volcengine.com/mgpu-memory: 4096",
        "nvidia.com/vgpu: 1, aliyun.com/gpu-mem: 8",
    ):
        assert "K8S007" in codes(lint(pod(mixed)))
        assert to(pod(mixed), "neutral").refused


def test_known_names_are_no_mistake() -> None:
    """Of the plug-ins that DaoCloud, Alauda and FPT Cloud document."""
    names = ("vgpu: 2", "gpualloc: 2", "vgpumem: 8192", "vgpucores: 30", "vgpumem-percentage: 50")
    found = {one: codes(lint(pod(f"nvidia.com/{one}", spec=scheduler("hami-scheduler")))) for one in names}
    found["two"] = codes(lint(pod("nvidia.com/vgpu: 2, nvidia.com/gpumem: 8192, nvidia.com/gpucores: 30")))
    assert {one: more for one, more in found.items() if {*more} - {"HAMI006", "HAMI016"}} == {}


def test_what_nodes_need() -> None:
    needs = HAMI.node_requirements(Share(2, 60, 8192))
    assert needs is not None
    assert [str(one) for one in needs.labels] == ["gpu=on"]
    card = Profile("hami", cards=CardProfile(per_node=1))
    assert [one.requirement.fact for one in needs.check(card) if one.failed] == ["cards.perNode"]


def test_fixes_of_volcano() -> None:
    text = pod("volcano.sh/vgpu-cores: 30", spec=scheduler("default-scheduler"))
    mended = fix_source(Source("pod.yaml", text), LintSettings(), unsafe=True)
    assert codes(mended.linted.diagnostics) == ["VOLC012"]  # a remark without a fix
    assert "schedulerName: volcano" in mended.text
    assert "volcano.sh/vgpu-number: 1" in mended.text


def test_requests_are_not_read() -> None:
    """Volcano reads the number from limits alone, and the API server refuses it elsewhere (K8S004)."""
    requests = "{requests: {volcano.sh/vgpu-number: 1, volcano.sh/vgpu-memory: 4096}}"
    text = pod("cpu: 1", spec=scheduler("volcano")).replace("{limits: {cpu: 1}}", requests)
    assert {*codes(lint(text))} == {"K8S004"}


def test_names_of_the_dialects() -> None:
    assert registry.get("volcano") is registry.get("volcano-vgpu")
    assert registry.aliases("hami") == ("4paradigm",)


# --- resources under names of a profile: values resourceName and the like of HAMi's chart ------------------

OWN = {
    "count": "example.com/card",
    "memory": "hami.nvidia.com/gpumem",
    "memoryPercentage": "hami.nvidia.com/gpumem-percentage",
    "cores": "hami.nvidia.com/gpucores",
    "priority": "hami.nvidia.com/priority",
}
NAMES = {"target": "hami", "hami": {"resourceNames": OWN}}
RENAMED = "example.com/card: 2, hami.nvidia.com/gpumem: 8192, hami.nvidia.com/gpucores: 30"


def test_the_names_of_a_profile_are_read_and_written() -> None:
    there = gpuxlate.translate(pod(RENAMED, spec=scheduler("hami-scheduler")), to="neutral", profile=NAMES)
    [container] = there.objects[0]["spec"]["containers"]
    neutral = {"gpuxlate.io/cards": 2, "gpuxlate.io/memory-mib": 16384, "gpuxlate.io/cores": 60}
    assert container["resources"] == {"limits": neutral}
    back = gpuxlate.translate(there.text, to="hami", profile=NAMES)
    [container] = back.objects[0]["spec"]["containers"]
    written = {OWN["count"]: 2, OWN["memory"]: 8192, OWN["cores"]: 30}
    assert container["resources"]["limits"] == written
    assert back.diagnostics == ()
    assert gpuxlate.parse(back.text, profile=NAMES).shares == (Share(2, 60, 16384),)
    remarks = gpuxlate.lint(back.text, profile=NAMES).diagnostics
    assert codes(remarks) == ["HAMI016"]


def test_a_rendered_share_replaces_one_under_the_names_of_a_profile(tmp_path: Path) -> None:
    share, profile, workload = (tmp_path / f"{name}.yaml" for name in ("share", "profile", "pod"))
    workload.write_text(pod(RENAMED, spec=scheduler("hami-scheduler")), encoding="utf-8")
    names = ", ".join(f"{name}: {OWN[name]}" for name in ("count", "memory", "cores"))
    profile.write_text(f"target: hami\nhami: {{resourceNames: {{{names}}}}}\n", encoding="utf-8")
    share.write_text(share_text("{cores: 20, memoryMiB: 4096, workload: {file: pod.yaml}}"))
    done = run("render", str(share), "--to", "hami", "--profile", str(profile))
    assert b"example.com/card: 1, hami.nvidia.com/gpumem: 4096, hami.nvidia.com/gpucores: 20" in done.out


def test_files_with_the_names_of_a_profile_are_read() -> None:
    text = pod("example.com/card: 2", spec=scheduler("default"))
    profile = load_profile(NAMES)
    assert not might_have_gpu_keys(text.encode())
    assert might_have_gpu_keys(text.encode(), profile)
    found = lint_source(Source("pod.yaml", text), LintSettings(profile))
    exclusive = "example.com/card alone makes the cards exclusive to the container"
    assert ("HAMI006", exclusive) in [(one.code, one.message) for one in found.diagnostics]
    assert found.shares == 1


def test_a_pod_that_the_scheduler_has_placed_may_name_its_node() -> None:
    spec = scheduler("hami-scheduler") + "  nodeName: gpu-1\n"
    text = pod("nvidia.com/gpu: 1, nvidia.com/gpumem: 6k", spec=spec)
    assert {*codes(gpuxlate.lint(text).diagnostics)} == {"HAMI009", "K8S002"}
    placed = text.replace("name: web}\nspec", "name: web, annotations: {hami.io/bind-phase: success}}\nspec")
    assert {*codes(gpuxlate.lint(placed).diagnostics)} == {"GX004"}
