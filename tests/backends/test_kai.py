"""KAI Scheduler and Run:ai: what finds the dialect, words that are not its own, names of containers.

Facts: kai-scheduler/KAI-Scheduler, gpu_request_validator.go and docs/gpu-sharing (2026-08-07 and 2026-09).
"""

from __future__ import annotations

from gpuxlate.backends import registry
from gpuxlate.backends.base import ContainerShare
from gpuxlate.backends.kai.profile import KaiProfile, Mode
from gpuxlate.model.profile import Profile
from gpuxlate.model.share import Share
from gpuxlate.model.sheet import key
from gpuxlate.translation.pods.fit import Accept, fit_pod
from tests.backends.pods import codes, lint, read, speaks, to

NV = "nvidia.com/container.web.gpu-memory"


def pod(
    annotations: str = "",
    *,
    labels: str = "kai.scheduler/queue: team",
    scheduler: str = "kai-scheduler",
    limits: str = "",
) -> str:
    named = f"  schedulerName: {scheduler}\n" if scheduler else ""
    return (
        f"apiVersion: v1\nkind: Pod\nmetadata:\n  name: web\n  labels: {{{labels}}}\n"
        f"  annotations: {{{annotations}}}\nspec:\n{named}  containers:\n"
        f"  - name: web\n    resources: {{limits: {{{limits}}}}}\n  - name: api\n"
    )


def profile(mode: Mode) -> Profile:
    return Profile("kai", extensions=(KaiProfile(mode),))


def test_finding_the_dialect() -> None:
    found = {
        pod('gpu-memory: "80"', labels="", scheduler=""): False,  # a word that anybody may use
        pod('mps: "true"', labels="", scheduler=""): False,
        pod(limits="nvidia.com/gpu: 1", labels="", scheduler=""): False,
        pod(labels="gpu-fraction: half", scheduler=""): False,
        pod(): False,
        pod('gpu-memory: "80"', labels=""): True,
        pod('gpu-memory: "80"', scheduler="", labels="runai/queue: team"): True,
        pod('gpu-fraction: "0.5"', labels="", scheduler=""): True,
        pod(f"{NV}.request: 4Gi", labels="", scheduler=""): True,
        pod(limits="nvidia.com/gpu: 1"): True,
    }
    assert {text: speaks(text, "kai") for text in found} == found


def test_a_word_is_read_where_the_dialect_is_named() -> None:
    text = pod('gpu-memory: "2000"', labels="", scheduler="")
    assert read(text).items == ()
    assert [one.share for one in read(text, from_="runai").items] == [Share(memory_mib=2000)]


def test_a_label_that_is_only_a_word_stays() -> None:
    done = to(pod('gpu-memory: "2000"', labels='kai.scheduler/queue: team, gpu-memory: "80"'), "hami")
    assert not done.refused, done.diagnostics
    assert 'gpu-memory: "80"' in done.text
    assert "queue" not in done.text


def test_a_name_that_fits_in_no_key() -> None:
    """63 characters after the slash, of which ``container.`` and ``.gpu-memory.request`` take 29."""

    def lost(name: str) -> set[str]:
        share = Share(memory_mib=2000, memory_limit_mib=3000)
        found = fit_pod([ContainerShare(name, 0, share=share)], registry.get("kai"), Accept())
        return {one.code for outcome in found.outcomes for one in outcome.losses}

    assert [lost("a" * length) for length in (34, 35)] == [set(), {"GX023"}]


def test_rules_read_the_keys_of_containers() -> None:
    expected = {
        pod(f'{NV}.request: "4096"'): ["KAI002"],  # bytes
        pod(f"{NV}.request: much"): ["KAI002"],
        pod(f'{NV}.request: 4Gi, gpu-memory: "2000"'): ["KAI003"],
        pod(f"{NV}.request: 4Gi", limits="nvidia.com/gpu: 1"): ["KAI004"],
        pod(f"{NV}.request: 4Gi, gpu-fraction-container-name: web"): ["KAI005"],
        pod("nvidia.com/container.worker.gpu-memory.request: 4Gi"): ["KAI006"],
        pod(f"{NV}.request: 4Gi", scheduler="volcano"): ["KAI010"],
        pod(f"{NV}.request: 4Gi", labels=""): ["KAI011"],
    }
    assert {text: codes(lint(text, profile("NvFractions"))) for text in expected} == expected


def test_what_the_scheduler_writes_is_removed() -> None:
    text = pod('gpu-memory: "2000", nvidia.com/container.web.gpus.devices: "0"')
    assert codes(lint(text, profile("HamiCore"))) == ["GX004"]
    assert "devices" not in to(text, "hami").text


def test_a_star_is_any_text_without_a_slash() -> None:
    matched = {
        ("a/x.*.y", "a/x.web.y"): True,
        ("a/x.*.y", "a/x..y"): True,
        ("a/x.*.y", "a/x.y"): False,
        ("a/x.*.y", "a/x.w/b.y"): False,
        ("a/x.*.y", "a/x.web.y.z"): False,
        ("a/x*", "a/x"): True,
        ("a/x*", "a/xyz"): True,
        ("a/x*", "a/x/y"): False,
    }
    assert {(name, other): key(name, meaning="").matches(other) for name, other in matched} == matched
