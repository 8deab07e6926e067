"""KAI Scheduler and Run:ai: reading, writing, and finding the dialect.

Facts: kai-scheduler/KAI-Scheduler, gpu_request_validator.go and docs/gpu-sharing (2026-08-07 and 2026-09).
"""

from __future__ import annotations

import pytest

from gpuxlate.backends import registry
from gpuxlate.backends.base import ContainerShare
from gpuxlate.backends.kai import BACKEND
from gpuxlate.backends.kai.profile import KaiProfile, Mode
from gpuxlate.lint.check import LintSettings, lint_source
from gpuxlate.manifest.pods import pods_in
from gpuxlate.model.profile import Profile
from gpuxlate.model.share import Isolation, Share
from gpuxlate.model.sheet import key
from gpuxlate.translation.pods.fit import Accept, PodFit, fit_pod
from gpuxlate.translation.settings import Settings
from gpuxlate.translation.translate import Translation, translate_source
from gpuxlate.yamltext.compose import documents
from gpuxlate.yamltext.source import Source

NV = "nvidia.com/container.web.gpu-memory"


def pod(
    annotations: str = "",
    *,
    labels: str = "kai.scheduler/queue: team",
    scheduler: str = "kai-scheduler",
    limits: str = "",
    env: str = "",
) -> str:
    named = f"  schedulerName: {scheduler}\n" if scheduler else ""
    return (
        f"apiVersion: v1\nkind: Pod\nmetadata:\n  name: web\n  labels: {{{labels}}}\n"
        f"  annotations: {{{annotations}}}\nspec:\n{named}  containers:\n"
        f"  - name: web\n    env: [{env}]\n    resources: {{limits: {{{limits}}}}}\n  - name: api\n"
    )


def read(text: str, from_: str | None = None) -> Translation:
    dialect = registry.get(from_) if from_ else None
    return translate_source(
        Source("pod.yaml", text), Settings(registry.get("neutral"), dialect, reads_only=True)
    )


def to(text: str, target: str) -> Translation:
    return translate_source(Source("pod.yaml", text), Settings(registry.get(target)))


def speaks(text: str) -> bool:
    return any(BACKEND.speaks_in(p.keys) for d in documents(Source("p", text)) for p in pods_in(d))


def profile(mode: Mode) -> Profile:
    return Profile("kai", extensions=(KaiProfile(mode),))


def fit(share: Share, *, name: str = "web", mode: Mode | None = None, others: int = 0) -> PodFit:
    containers = [ContainerShare(name, 0, share=share)]
    containers += [ContainerShare(f"other-{n}", n) for n in range(1, others + 1)]
    return fit_pod(containers, BACKEND, Accept(), profile(mode) if mode else None)


def written(found: PodFit) -> dict[str, str]:
    assert found.accepted, list(found.findings())
    return {name: value.text for name, value in found.keys.annotations.items()}


# (annotations, the share): per card there, totals here
READ = [
    ('gpu-fraction: "0.5"', Share(memory_percent=50)),
    ('gpu-fraction: "0.5", gpu-fraction-num-devices: "2"', Share(2, memory_percent=50)),
    ('gpu-fraction: "5e-1"', Share(memory_percent=50)),
    ("gpu-fraction: 250m", Share(memory_percent=25)),
    ('gpu-fraction: "0.333"', Share(memory_percent=34)),  # up: never below what was asked
    ('gpu-memory: "2000"', Share(memory_mib=2000)),
    ('gpu-memory: "2000", gpu-fraction-num-devices: "2"', Share(2, memory_mib=4000)),
    ('gpu-memory: "2000", gpu-memory.limit: "3000"', Share(memory_mib=2000, memory_limit_mib=3000)),
    (f"{NV}.request: 7680Mi", Share(memory_mib=7680)),
    (f"{NV}.limit: 7.5Gi", Share(memory_mib=7680)),  # alone it is the request too
    (f"{NV}.request: 4Gi, {NV}.limit: 8Gi", Share(memory_mib=4096, memory_limit_mib=8192)),
    (
        f'{NV}.request: 4Gi, {NV}.limit: 8Gi, gpu-fraction-num-devices: "2"',
        Share(2, memory_mib=8192, memory_limit_mib=16384),
    ),
    (f"{NV}.request: 1G", Share(memory_mib=954)),  # 953.67
]


@pytest.mark.parametrize(("annotations", "share"), READ, ids=[row[0] for row in READ])
def test_reading(annotations: str, share: Share) -> None:
    done = read(pod(annotations))
    assert not done.refused, done.diagnostics
    assert [(one.share, one.source, one.container) for one in done.items] == [(share, "kai", "web")]


def test_rounding_is_told() -> None:
    codes = [one.code for one in read(pod('gpu-fraction: "0.333"')).diagnostics]
    assert sorted(codes) == ["KAI001", "KAI011"]


def test_the_container_is_the_named_one() -> None:
    done = read(pod('gpu-fraction: "0.5", gpu-fraction-container-name: api'))
    assert [one.container for one in done.items] == ["api"]


def test_whole_cards() -> None:
    done = read(pod(limits="nvidia.com/gpu: 2"))
    assert [(one.share, one.source) for one in done.items] == [(Share(2), "kai")]


def test_the_limit_of_runai() -> None:
    env = '{name: RUNAI_GPU_MEMORY_LIMIT, value: "3000"}'
    [item] = read(pod('gpu-memory: "2000"', labels="runai/queue: team", env=env)).items
    assert item.share == Share(memory_mib=2000, memory_limit_mib=3000)


@pytest.mark.parametrize(
    ("text", "spoken"),
    [
        (pod('gpu-memory: "80"', labels="", scheduler=""), False),  # a word that anybody may use
        (pod('mps: "true"', labels="", scheduler=""), False),
        (pod(limits="nvidia.com/gpu: 1", labels="", scheduler=""), False),
        (pod(labels="gpu-fraction: half", scheduler=""), False),
        (pod(), False),
        (pod('gpu-memory: "80"', labels=""), True),
        (pod('gpu-memory: "80"', scheduler="", labels="runai/queue: team"), True),
        (pod('gpu-fraction: "0.5"', labels="", scheduler=""), True),
        (pod(f"{NV}.request: 4Gi", labels="", scheduler=""), True),
        (pod(limits="nvidia.com/gpu: 1"), True),
    ],
)
def test_finding_the_dialect(text: str, spoken: bool) -> None:
    assert speaks(text) == spoken


def test_a_word_is_read_where_the_dialect_is_named() -> None:
    text = pod('gpu-memory: "2000"', labels="", scheduler="")
    assert read(text).items == ()
    assert [one.share for one in read(text, "runai").items] == [Share(memory_mib=2000)]


def test_a_label_that_is_only_a_word_stays() -> None:
    text = pod('gpu-memory: "2000"', labels='kai.scheduler/queue: team, gpu-memory: "80"')
    done = to(text, "hami")
    assert not done.refused, done.diagnostics
    assert 'gpu-memory: "80"' in done.text
    assert "queue" not in done.text


# --- writing --------------------------------------------------------------------------------------

WRITE: list[tuple[Share, Mode | None, dict[str, str]]] = [
    (Share(memory_mib=2000), None, {"gpu-memory": "2000"}),
    (Share(2, memory_mib=4000), None, {"gpu-memory": "2000", "gpu-fraction-num-devices": "2"}),
    (Share(memory_percent=5), None, {"gpu-fraction": "0.05"}),
    (
        Share(2, memory_mib=8192, memory_limit_mib=16384),
        None,
        {f"{NV}.request": "4096Mi", f"{NV}.limit": "8192Mi", "gpu-fraction-num-devices": "2"},
    ),
    (Share(memory_mib=2000), "NvFractions", {f"{NV}.request": "2000Mi"}),
    (Share(memory_percent=50), "NvFractions", {"gpu-fraction": "0.50"}),
    (Share(memory_mib=2000, isolation=Isolation.SOFT), "HamiCore", {"gpu-memory": "2000"}),
    (Share(memory_mib=2000, isolation=Isolation.SOFT), "NvFractions", {f"{NV}.request": "2000Mi"}),
]


@pytest.mark.parametrize(("share", "mode", "annotations"), WRITE)
def test_writing(share: Share, mode: Mode | None, annotations: dict[str, str]) -> None:
    found = fit(share, mode=mode)
    assert written(found) == annotations
    assert found.keys.scheduler_name is not None
    assert found.keys.scheduler_name.text == "kai-scheduler"


def test_a_pod_of_several_containers_names_the_one() -> None:
    found = written(fit(Share(memory_mib=2000), others=1))
    assert found == {"gpu-memory": "2000", "gpu-fraction-container-name": "web"}


def test_whole_cards_are_limits() -> None:
    found = fit(Share(2))
    assert written(found) == {}
    assert {n: v.text for n, v in found.keys.containers[0].limits.items()} == {"nvidia.com/gpu": "2"}


def test_the_queue_is_not_invented() -> None:
    found = fit(Share(memory_mib=2000))
    assert found.keys.labels == {}
    assert [one.code for one in found.findings()] == ["KAI011"]


@pytest.mark.parametrize(
    ("share", "mode", "code"),
    [
        (Share(1, 30, 2000), None, "GX020"),
        (Share(memory_mib=2000, isolation=Isolation.SOFT), None, "GX020"),
        (Share(memory_mib=2000, isolation=Isolation.SOFT), "NonMemoryEnforced", "GX020"),
        (Share(memory_percent=50, isolation=Isolation.SOFT), "NvFractions", "GX020"),
        (Share(memory_mib=2000, memory_limit_mib=3000), "HamiCore", "GX020"),
        (Share(memory_mib=2000), "Disabled", "KAI012"),
    ],
)
def test_what_is_refused(share: Share, mode: Mode | None, code: str) -> None:
    found = fit(share, mode=mode)
    assert not found.accepted
    assert code in {one.code for outcome in found.outcomes for one in outcome.losses}


def test_a_name_that_fits_in_no_key() -> None:
    """63 characters after the slash, of which ``container.`` and ``.gpu-memory.request`` take 29."""
    share = Share(memory_mib=2000, memory_limit_mib=3000)
    assert fit(share, name="a" * 34).accepted
    refused = fit(share, name="a" * 35)
    assert {one.code for outcome in refused.outcomes for one in outcome.losses} == {"GX023"}


def test_two_containers_have_no_share_together() -> None:
    shares = [ContainerShare(name, n, share=Share(memory_mib=2000)) for n, name in enumerate(("a", "b"))]
    found = fit_pod(shares, BACKEND, Accept())
    assert {one.code for outcome in found.outcomes for one in outcome.losses} == {"GX022"}


# --- rules, beside fixtures/lint ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (pod(f'{NV}.request: "4096"'), "KAI002"),  # bytes
        (pod(f"{NV}.request: much"), "KAI002"),
        (pod(f'{NV}.request: 4Gi, gpu-memory: "2000"'), "KAI003"),
        (pod(f"{NV}.request: 4Gi", limits="nvidia.com/gpu: 1"), "KAI004"),
        (pod(f"{NV}.request: 4Gi, gpu-fraction-container-name: web"), "KAI005"),
        (pod("nvidia.com/container.worker.gpu-memory.request: 4Gi"), "KAI006"),
        (pod(f"{NV}.request: 4Gi", scheduler="volcano"), "KAI010"),
        (pod(f"{NV}.request: 4Gi", labels=""), "KAI011"),
    ],
)
def test_rules_read_the_keys_of_containers(text: str, code: str) -> None:
    settings = LintSettings(profile("NvFractions"))
    assert [one.code for one in lint_source(Source("p.yaml", text), settings).diagnostics] == [code]


def test_what_the_scheduler_writes_is_removed() -> None:
    text = pod('gpu-memory: "2000", nvidia.com/container.web.gpus.devices: "0"')
    found = lint_source(Source("p.yaml", text), LintSettings(profile("HamiCore"))).diagnostics
    assert [one.code for one in found] == ["GX004"]
    assert "devices" not in to(text, "hami").text


@pytest.mark.parametrize(
    ("name", "other", "matched"),
    [
        ("a/x.*.y", "a/x.web.y", True),
        ("a/x.*.y", "a/x..y", True),
        ("a/x.*.y", "a/x.y", False),
        ("a/x.*.y", "a/x.w/b.y", False),
        ("a/x.*.y", "a/x.web.y.z", False),
        ("a/x*", "a/x", True),
        ("a/x*", "a/xyz", True),
        ("a/x*", "a/x/y", False),
    ],
)
def test_a_star_is_any_text_without_a_slash(name: str, other: str, matched: bool) -> None:
    assert key(name, meaning="").matches(other) == matched
