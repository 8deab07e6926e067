"""HAMi: reading, writing, and finding the dialect. Facts: Project-HAMi/HAMi, snapshot of 2026-08-21."""

from __future__ import annotations

import pytest

from gpuxlate.backends import registry
from gpuxlate.backends.hami import BACKEND
from gpuxlate.config.document import ShareDocument
from gpuxlate.lint.check import LintSettings, lint_source
from gpuxlate.manifest.pods import pods_in
from gpuxlate.model.profile import CardProfile, Profile
from gpuxlate.model.share import Policy, Qos, Share
from gpuxlate.translation.pods.fit import Accept
from gpuxlate.translation.render import Asked, render_on
from gpuxlate.translation.settings import Settings
from gpuxlate.translation.translate import Translation, translate_source
from gpuxlate.yamltext.compose import documents
from gpuxlate.yamltext.source import Source

SELECTOR = Accept(drop=frozenset({"selector"}))


def pod(limits: str, *, metadata: str = "", spec: str = "", container: str = "") -> str:
    return (
        f"apiVersion: v1\nkind: Pod\nmetadata: {{name: web{metadata}}}\nspec:\n{spec}  containers:\n"
        f"  - name: web\n{container}    resources: {{limits: {{{limits}}}}}\n"
    )


def read(text: str, profile: Profile | None = None, from_: str | None = None) -> Translation:
    dialect = registry.get(from_) if from_ else None
    settings = Settings(registry.get("neutral"), dialect, profile=profile, reads_only=True)
    return translate_source(Source("pod.yaml", text), settings)


def to(text: str, target: str, accept: Accept | None = None, profile: Profile | None = None) -> Translation:
    return translate_source(
        Source("pod.yaml", text), Settings(registry.get(target), None, accept or Accept(), profile)
    )


def speaks(text: str) -> bool:
    return any(BACKEND.speaks_in(p.keys) for d in documents(Source("p", text)) for p in pods_in(d))


# (limits, the share): per card there, totals here; defaults as device.go has them
READ = [
    ("nvidia.com/gpu: 1, nvidia.com/gpumem: 3000, nvidia.com/gpucores: 30", Share(1, 30, 3000)),
    ("nvidia.com/gpu: 2, nvidia.com/gpumem: 1024, nvidia.com/gpucores: 30", Share(2, 60, 2048)),
    (
        "nvidia.com/gpu: 2, nvidia.com/gpumem-percentage: 50, nvidia.com/gpucores: 30",
        Share(2, 60, None, None, None, 50),
    ),
    ("nvidia.com/gpumem: 3000", Share(1, None, 3000)),  # the webhook adds one card
    ("nvidia.com/gpucores: 30", Share(1, 30)),
    ("nvidia.com/gpu: 2, nvidia.com/gpucores: 100", Share(2)),  # exclusive
    ("nvidia.com/gpu: 1, nvidia.com/gpumem-percentage: 100", Share(1)),
    ("nvidia.com/gpu: 1, nvidia.com/gpumem: 3000, nvidia.com/gpucores: 100", Share(1, 100, 3000)),
    ("nvidia.com/gpu: 1, nvidia.com/gpumem: 3000, nvidia.com/gpucores: 0", Share(1, None, 3000)),
    (
        "nvidia.com/gpu: 1, nvidia.com/gpumem: 3000, nvidia.com/priority: 0",
        Share(1, None, 3000, None, Qos.ONLINE),
    ),
    (
        "nvidia.com/gpu: 1, nvidia.com/gpumem: 3000, nvidia.com/priority: 1",
        Share(1, None, 3000, None, Qos.OFFLINE),
    ),
]


@pytest.mark.parametrize(("limits", "share"), READ, ids=[row[0] for row in READ])
def test_reading(limits: str, share: Share) -> None:
    done = read(pod(limits))
    assert not done.refused, done.diagnostics
    assert [(one.share, one.source) for one in done.items] == [(share, "hami")]


def test_the_count_alone_needs_the_dialect_named() -> None:
    text = pod("nvidia.com/gpu: 2")
    assert (speaks(text), read(text).items) == (False, ())
    assert [one.share for one in read(text, from_="4paradigm").items] == [Share(2)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (pod("nvidia.com/gpu: 1", metadata=", annotations: {hami.io/gpu-scheduler-policy: spread}"), True),
        (
            pod("nvidia.com/gpu: 1", container="    env: [{name: CUDA_DISABLE_CONTROL, value: 'false'}]\n"),
            True,
        ),
        (pod("cpu: 1", metadata=", annotations: {hami.io/gpu-scheduler-policy: spread}"), False),
        # Volcano reads this annotation too
        (pod("volcano.sh/vgpu-number: 1", metadata=", annotations: {nvidia.com/use-gputype: A100}"), False),
    ],
)
def test_who_speaks_hami(text: str, expected: bool) -> None:
    assert speaks(text) is expected


def test_the_memory_factor() -> None:
    profile = Profile("hami", memory_unit_mib=128)
    text = pod("nvidia.com/gpu: 2, nvidia.com/gpumem: 8")
    assert [one.share for one in read(text, profile).items] == [Share(2, None, 2048)]
    assert [one.share for one in read(text, Profile("tke", memory_unit_mib=128)).items] == [
        Share(2, None, 16)
    ]
    found = lint_source(Source("pod.yaml", text), LintSettings(profile)).diagnostics
    assert found == []  # 8 is no GiB there
    assert "GX007" in {one.code for one in lint_source(Source("pod.yaml", text), LintSettings()).diagnostics}


def test_fixed_share_is_a_variable() -> None:
    neutral = pod("gpuxlate.io/cores: 30", metadata=", annotations: {gpuxlate.io/policy: fixed-share}")
    done = to(neutral, "hami")
    assert "    env:\n    - name: GPU_CORE_UTILIZATION_POLICY\n      value: force\n" in done.text
    assert [one.share for one in read(done.text).items] == [Share(1, 30, None, Policy.FIXED_SHARE)]
    back = to(done.text, "neutral")
    assert "env" not in back.text
    assert "gpuxlate.io/policy: fixed-share" in back.text


def test_a_variable_that_is_there_changes_in_place() -> None:
    text = pod(
        "nvidia.com/gpu: 1, nvidia.com/gpumem: 3000",
        container="    env:\n    - {name: A, value: b}\n"
        "    - {name: GPU_CORE_UTILIZATION_POLICY, value: default}\n",
    )
    [document] = documents(Source("spec.yaml", "kind: GPUShare\n"))
    asked = ShareDocument("web", Share(1, 30, 3000, Policy.FIXED_SHARE))
    made = render_on(Source("pod.yaml", text), [Asked(asked, document)], Settings(BACKEND))
    assert "- {name: GPU_CORE_UTILIZATION_POLICY, value: force}" in made.text
    assert "- {name: A, value: b}" in made.text


def test_other_policies_have_no_place() -> None:
    neutral = pod("gpuxlate.io/cores: 30", metadata=", annotations: {gpuxlate.io/policy: burst-share}")
    assert {one.code for one in to(neutral, "hami").diagnostics} == {"GX020"}
    assert not to(neutral, "hami", Accept(drop=frozenset({"policy"}))).refused


@pytest.mark.parametrize("qos", ["online", "offline"])
def test_whole_cards_have_no_class(qos: str) -> None:
    neutral = pod("gpuxlate.io/cards: 1", metadata=f", annotations: {{gpuxlate.io/qos: {qos}}}")
    assert {one.code for one in to(neutral, "hami").diagnostics} == {"GX023"}


CHOICE = pod(
    "nvidia.com/gpumem: 3072, nvidia.com/gpucores: 30",
    metadata=", annotations: {nvidia.com/use-gputype: A100}",
)


def test_choices_have_no_place_elsewhere() -> None:
    done = to(CHOICE, "tke")
    assert [(one.code, one.message.split(" is")[0]) for one in done.diagnostics] == [
        ("GX020", "annotation nvidia.com/use-gputype (A100)")
    ]
    accepted = to(CHOICE, "tke", SELECTOR)
    assert not accepted.refused
    assert "gputype" not in accepted.text


def test_a_choice_that_the_target_knows_stays() -> None:
    done = to(CHOICE, "volcano-vgpu")
    assert not done.refused
    assert "annotations: {nvidia.com/use-gputype: A100}" in done.text
    assert "schedulerName: volcano" in done.text


def test_render_keeps_the_choices_of_its_own_dialect() -> None:
    [document] = documents(Source("spec.yaml", "kind: GPUShare\n"))
    asked = [Asked(ShareDocument("web", Share(1, 50, 4096)), document)]
    made = render_on(Source("pod.yaml", CHOICE), asked, Settings(BACKEND))
    assert not made.refused
    assert "nvidia.com/use-gputype: A100" in made.text
    assert "nvidia.com/gpumem: 4096" in made.text


# --- the scheduler ------------------------------------------------------------------------------

SHARE = "gpuxlate.io/cores: 30"


@pytest.mark.parametrize(
    ("named", "codes", "left"),
    [("default-scheduler", [], True), ("hami-scheduler", [], True), ("gang", ["GX023"], True)],
)
def test_a_scheduler_that_hami_does_not_serve(named: str, codes: list[str], left: bool) -> None:
    done = to(pod(SHARE, spec=f"  schedulerName: {named}\n"), "hami")
    assert [one.code for one in done.diagnostics] == codes
    assert (f"schedulerName: {named}" in done.text) is left


def test_hamis_scheduler_goes_with_its_keys() -> None:
    done = to(
        pod("nvidia.com/gpumem: 3072, nvidia.com/gpucores: 30", spec="  schedulerName: hami-scheduler\n"),
        "tke",
    )
    assert [one.code for one in done.diagnostics] == ["GX018"]
    assert "schedulerName" not in done.text


def test_a_count_is_no_whole_card_beside_its_share() -> None:
    """K8S007 is for clouds where the common key is a whole card."""
    found = lint_source(Source("pod.yaml", pod("nvidia.com/gpu: 1, nvidia.com/gpumem: 3000")), LintSettings())
    assert (found.diagnostics, found.shares) == ([], 1)
    mixed = pod("nvidia.com/gpu: 1, vke.volcengine.com/mgpu-core: 30, vke.volcengine.com/mgpu-memory: 4096")
    assert "K8S007" in {
        one.code for one in lint_source(Source("pod.yaml", mixed), LintSettings()).diagnostics
    }


def test_what_nodes_need() -> None:
    needs = BACKEND.node_needs(Share(2, 60, 8192))
    assert needs is not None
    assert [str(one) for one in needs.labels] == ["gpu=on"]
    card = Profile("hami", cards=CardProfile(per_node=1))
    assert [one.requirement.fact for one in needs.check(card) if one.failed] == ["cards.perNode"]
