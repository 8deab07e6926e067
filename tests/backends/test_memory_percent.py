"""Memory in percent: in the share, at targets that never heard of it, and with a card to count in."""

from __future__ import annotations

from dataclasses import replace

import jsonschema
import pytest

from gpuxlate.backends import registry
from gpuxlate.backends.base import ContainerShare
from gpuxlate.config.document import read_share_document, to_document
from gpuxlate.config.schemas import schema
from gpuxlate.model.diagnostics import LossKind, Severity
from gpuxlate.model.profile import CardProfile, Profile
from gpuxlate.model.share import Policy, Qos, Share, percent_in_mib
from gpuxlate.model.share_problems import ShareError
from gpuxlate.testing.strategies import naming_a_card
from gpuxlate.translation.pods.fit import Accept, PodFit, Verdict, fit_pod
from gpuxlate.translation.settings import Settings
from gpuxlate.translation.translate import translate_source
from gpuxlate.yamltext.source import Source

EVERYTHING = Accept(True, {"cores": 30, "memoryMiB": 8192}, frozenset({"cores", "policy", "qos", "selector"}))
OLD = [one for one in registry.all_backends() if "memoryPercent" not in one.says]
NEW = [one for one in registry.all_backends() if "memoryPercent" in one.says]
A10 = CardProfile("A10", 4, 22731)


def fit(share: Share, target: str, accept: Accept | None = None, profile: Profile | None = None) -> PodFit:
    """At a target whose keys name cards, for one of them."""
    backend = registry.get(target)
    container = ContainerShare("main", 0, share=naming_a_card(share, backend))
    return fit_pod([container], backend, accept or Accept(), profile)


# --- the share ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("numbers", "problems"),
    [
        ({"memory_percent": 50}, []),
        ({"memory_percent": 33, "cards": 2}, []),  # of each card: nothing divides
        ({"memory_percent": 0}, ["memoryPercent is 0"]),
        ({"memory_percent": 101}, ["above the maximum of 100"]),
        ({"memory_percent": 50, "memory_mib": 4096}, ["are both set"]),
        (
            {"memory_percent": 200, "memory_mib": 5, "cards": 2},
            ["not a multiple", "both set", "maximum of 100"],
        ),
    ],
)
def test_what_is_a_share(numbers: dict[str, int], problems: list[str]) -> None:
    if not problems:
        assert Share(**numbers).memory_percent == numbers["memory_percent"]
        return
    with pytest.raises(ShareError) as raised:
        Share(**numbers)
    said = [one.message for one in raised.value.problems]
    assert len(said) == len(problems)
    assert all(part in message for part, message in zip(problems, said, strict=True))


def test_all_of_the_memory_has_one_form() -> None:
    assert Share(memory_percent=100) == Share()
    assert Share(2, 200, memory_percent=100) == Share(2)
    assert Share(memory_percent=100).whole_cards
    part = Share(1, 100, memory_percent=50)  # exclusive, and yet not whole
    assert (part.cores, part.whole_cards) == (100, False)


def test_json_names_it_only_where_it_is_set() -> None:
    assert list(Share(1, 30, 4096, Policy.FIXED_SHARE, Qos.ONLINE).to_json()) == [
        *("cards", "cores", "memoryMiB", "policy", "qos")
    ]
    assert Share(memory_percent=25).to_json()["memoryPercent"] == 25


def test_the_document_says_it() -> None:
    share = Share(2, 60, memory_percent=50)
    document = to_document("half", share)
    assert document["spec"] == {"cards": 2, "cores": 60, "memoryPercent": 50}
    read, problems = read_share_document(document)
    assert read is not None
    assert (read.share, read.origins["memory_percent"], problems) == (share, ("spec", "memoryPercent"), [])


@pytest.mark.parametrize(
    "spec", [{"memoryPercent": 0}, {"memoryPercent": 101}, {"memoryPercent": 5, "memoryMiB": 9}]
)
def test_reader_and_schema_agree(spec: dict[str, int]) -> None:
    document = {**to_document("half", Share(1, 30)), "spec": spec}
    read, problems = read_share_document(document)
    assert read is None
    assert {(one.code, one.path) for one in problems} == {("GX011", ("spec", "memoryPercent"))}
    assert not jsonschema.Draft202012Validator(schema("spec")).is_valid(document)
    good = {**document, "spec": {"memoryPercent": 50}}
    assert jsonschema.Draft202012Validator(schema("spec")).is_valid(good)


# --- targets that never heard of it -------------------------------------------------------------


def refused_as(backend: object) -> tuple[str, str]:
    """Field and code: where a part of a card is all there is, no part of an unknown card holds a percent."""
    return ("memoryPercent", "GX020") if backend.parts is None else ("partition", "GX023")  # type: ignore[attr-defined]


@pytest.mark.parametrize("backend", OLD, ids=lambda one: one.name)
@pytest.mark.parametrize("share", [Share(memory_percent=50), Share(1, 30, memory_percent=50)], ids=str)
def test_a_target_that_cannot_say_it_refuses(backend: object, share: Share) -> None:
    """By itself: no line of these backends knows the field."""
    name = backend.name  # type: ignore[attr-defined]
    for accept in (Accept(), EVERYTHING):
        done = fit(share, name, accept)
        lost = [loss for loss in done.outcomes[0].losses if loss.field == refused_as(backend)[0]]
        assert [(loss.kind, loss.field, loss.code) for loss in lost] == [
            (LossKind.REFUSED, *refused_as(backend))
        ]
        assert "cards.memoryMiB" in (lost[0].hint or "")
        assert not done.accepted


@pytest.mark.parametrize("backend", OLD, ids=lambda one: one.name)
def test_one_loss_says_it(backend: object) -> None:
    """The memory that such a target needs is not asked for beside it."""
    done = fit(Share(1, 30, memory_percent=50), backend.name)  # type: ignore[attr-defined]
    about = [loss for loss in done.outcomes[0].losses if "emory" in f"{loss.field} {loss.asked}"]
    assert [(loss.field, loss.code) for loss in about] == [refused_as(backend)]


@pytest.mark.parametrize("backend", NEW, ids=lambda one: one.name)
def test_a_target_that_says_it_keeps_it(backend: object) -> None:
    name = backend.name  # type: ignore[attr-defined]
    cards = 1 if name == "baidu-cce" else 2  # BAIDU020
    cores = 30 * cards if "cores" in backend.says else None  # type: ignore[attr-defined]
    share = Share(cards, cores, memory_percent=50)
    for profile in (None, Profile(name, cards=A10)):  # a card changes nothing
        done = fit(share, name, profile=profile)
        given = replace(done.outcomes[0].given, device=None)
        assert (done.outcomes[0].verdict, given) == (Verdict.EXACT, share)


def test_percent_of_several_cards_is_not_written_where_no_document_says_of_what() -> None:
    """Baidu CCE: facts mark it with a question mark."""
    losses = fit(Share(2, 60, memory_percent=50), "baidu-cce").outcomes[0].losses
    assert [one.code for one in losses] == ["BAIDU020"]


# --- with the size of a card --------------------------------------------------------------------


def test_percent_is_rounded_up() -> None:
    assert percent_in_mib(50, 22731) == 11366  # 11365.5
    assert percent_in_mib(100, 22731) == 22731
    assert percent_in_mib(1, 50) == 1


def test_a_profile_turns_it_into_mib() -> None:
    done = fit(Share(2, 60, memory_percent=50), "vke", profile=Profile("volcengine-mgpu", cards=A10))
    [outcome] = done.outcomes
    assert outcome.share == Share(2, 60, memory_percent=50)  # as it was asked
    assert outcome.given == Share(2, 60, 22732)
    assert (outcome.verdict, outcome.accepted) == (Verdict.ROUNDED, True)
    [loss] = outcome.losses
    assert (loss.field, loss.asked, loss.given, loss.code) == ("memoryMiB", "50 %", 22732, "GX017")
    found = next(one for one in done.findings() if one.code == "GX017")
    assert found.severity is Severity.INFO
    assert found.message.startswith("memoryPercent 50 becomes memoryMiB 22732")


def test_the_grid_of_the_target_comes_after() -> None:
    """11366 MiB are no whole GiB, and that still has to be allowed."""
    profile = Profile("tencent-qgpu", cards=A10)
    share = Share(1, 30, memory_percent=50)
    assert not fit(share, "tke", profile=profile).accepted
    done = fit(share, "tke", Accept(round_up=True), profile)
    assert done.accepted
    assert [(loss.code, loss.given) for loss in done.outcomes[0].losses] == [
        ("GX017", 11366),
        ("TKE001", 12288),
    ]
    assert done.outcomes[0].given == Share(1, 30, 12288)


def test_the_report_names_the_change() -> None:
    text = """\
apiVersion: v1
kind: Pod
metadata: {name: web}
spec:
  containers:
  - name: web
    resources: {limits: {gpuxlate.io/cores: 30, gpuxlate.io/memory-percent: 50}}
"""
    profile = Profile("volcengine-mgpu", cards=A10)
    done = translate_source(Source("pod.yaml", text), Settings(registry.get("vke"), profile=profile))
    assert not done.refused
    assert "vke.volcengine.com/mgpu-memory: 11366" in done.text
    assert "memory-percent" not in done.text
    report = done.items[0].to_json()
    change = {"field": "memoryMiB", "asked": "50 %", "given": 11366, "code": "GX017"}
    assert (report["changes"], report["share"]["memoryPercent"]) == ([change], 50)
