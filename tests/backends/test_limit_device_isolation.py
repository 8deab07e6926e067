"""memoryLimitMiB, device and isolation: in the share, its document, inline, and at every target."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import gpuxlate
from gpuxlate.backends import plugins, registry
from gpuxlate.backends.alibaba.profile import AlibabaProfile
from gpuxlate.backends.base import Backend, ContainerShare
from gpuxlate.config.document import read_share_document, to_document
from gpuxlate.config.schemas import schema
from gpuxlate.model.profile import Profile
from gpuxlate.model.share import JSON_NAMES, Device, Isolation, Share
from gpuxlate.model.share_problems import ShareError
from gpuxlate.testing.amounts import needless
from gpuxlate.translation.pods.fit import Accept, Outcome, PodFit, Verdict, fit_pod
from gpuxlate.translation.settings import Settings
from gpuxlate.translation.translate import translate_source
from gpuxlate.yamltext.source import Source
from tests.running import run

NVIDIA, METAX = Device("nvidia"), Device("metax")
NEUTRAL = registry.get("neutral")
OTHERS = [one for one in registry.all_backends() if one is not NEUTRAL]
# facts: by the driver, a kernel module or a library (volcengine S0, ACK-LBL, S003, HAMi-core)
SOFT = ["volcengine-mgpu", "alibaba-gpushare", "tencent-qgpu", "hami", "volcano-vgpu"]
# of these the facts name neither the isolation nor the cards
UNKNOWN = ["volcengine-aiapp", "volcengine-emr-spark", "volcengine-emr-ray", "volcengine-emr-customjob"]
FULL = Share(
    2, 60, 8192, memory_limit_mib=16384, device=Device("nvidia", ("A10", "L20")), isolation=Isolation.SOFT
)


def fit(*shares: Share, to: str | Backend, profile: Profile | None = None, **accept: Any) -> PodFit:
    target = registry.get(to) if isinstance(to, str) else to
    pod = [ContainerShare(f"c{n}", n, share=share) for n, share in enumerate(shares)]
    return fit_pod(pod, target, Accept(**accept), profile)


def one(share: Share, to: str | Backend, **more: Any) -> Outcome:
    return fit(share, to=to, **more).outcomes[0]


def lost(outcome: Outcome) -> dict[str, str]:
    return {loss.field: loss.code for loss in outcome.losses}


# --- the share ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fields", "field", "message"),
    [
        ({"memory_limit_mib": 8192}, "memoryLimitMiB", "memoryMiB is not set"),
        ({"memory_limit_mib": 8192, "memory_percent": 50}, "memoryLimitMiB", "memoryMiB is not set"),
        ({"memory_mib": 4096, "memory_limit_mib": 4095}, "memoryLimitMiB", "below memoryMiB (4096)"),
        ({"memory_mib": 4096, "memory_limit_mib": 0}, "memoryLimitMiB", "at least 1"),
        ({"memory_mib": 4096, "memory_limit_mib": 2**63}, "memoryLimitMiB", "64 bits"),
        (
            {"cards": 2, "memory_mib": 4096, "memory_limit_mib": 4097},
            "memoryLimitMiB",
            "not a multiple of cards",
        ),
        ({"device": Device("NVIDIA")}, "device", "'NVIDIA'"),
        ({"device": Device(None, ("A10,L20",))}, "device", "'A10,L20'"),
        ({"device": Device(None, ("A10", ""))}, "device", "''"),
    ],
)
def test_what_is_no_share(fields: dict[str, Any], field: str, message: str) -> None:
    with pytest.raises(ShareError) as refused:
        Share(**fields)
    [problem] = refused.value.problems
    assert problem.field == field
    assert message in problem.message
    assert problem.hint


def test_one_form() -> None:
    """What says nothing is not set."""
    assert Share(2, None, 4096, memory_limit_mib=4096) == Share(2, None, 4096)
    assert Share(1, 30, device=Device()) == Share(1, 30)
    assert Share(2, None, 4096, memory_limit_mib=8192).memory_limit_mib_per_card == 4096


def test_an_isolation_covers_the_weaker_ones() -> None:
    order = [Isolation.NONE, Isolation.SOFT, Isolation.HARDWARE]
    covered = [[gives.covers(asked) for asked in order] for gives in order]
    assert covered == [[True, False, False], [True, True, False], [True, True, True]]


def test_reports_have_them_where_they_are_set() -> None:
    assert FULL.to_json() == {
        "cards": 2,
        "cores": 60,
        "memoryMiB": 8192,
        "policy": None,
        "qos": None,
        "memoryLimitMiB": 16384,
        "device": {"vendor": "nvidia", "models": ["A10", "L20"]},
        "isolation": "soft",
    }
    assert Share(device=METAX).to_json()["device"] == {"vendor": "metax"}
    assert not {"memoryLimitMiB", "device", "isolation"} & set(Share(1, 30).to_json())


# --- the document -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "share",
    [
        FULL,
        Share(1, None, 1, memory_limit_mib=2),
        Share(device=Device(None, ("T4 16G",))),
        *(Share(1, 30, isolation=level) for level in Isolation),
    ],
    ids=str,
)
def test_document_and_inline_and_back(share: Share) -> None:
    """A document says it, and so does a manifest with the neutral keys, in both directions."""
    document = to_document("web", share)
    read, problems = read_share_document(document)
    assert (read and read.share, problems) == (share, [])
    assert read is not None
    assert {JSON_NAMES[name] for name in read.origins} == set(document["spec"])
    jsonschema.Draft202012Validator(schema("spec")).validate(document)
    rendered = gpuxlate.render(document, to="neutral")
    assert not rendered.diagnostics
    [item] = gpuxlate.parse(rendered.text).items
    assert item.share == share
    [again] = gpuxlate.parse(rendered.text).objects
    assert again["spec"] == document["spec"]


@pytest.mark.parametrize(
    ("spec", "code", "path"),
    [
        ({"memoryLimitMiB": 8192}, "GX011", ("spec", "memoryLimitMiB")),
        ({"memoryMiB": 4096, "memoryLimitMiB": 1, "cards": 2}, "GX011", ("spec", "memoryLimitMiB")),
        ({"memoryMiB": 4096, "memoryLimitMiB": None}, "GX010", ("spec", "memoryLimitMiB")),
        ({"device": "nvidia"}, "GX010", ("spec", "device")),
        ({"device": None}, "GX010", ("spec", "device")),
        ({"device": {"model": "A10"}}, "GX010", ("spec", "device", "model")),
        ({"device": {"vendor": "NVIDIA"}}, "GX010", ("spec", "device", "vendor")),
        ({"device": {"models": "A10"}}, "GX010", ("spec", "device", "models")),
        ({"device": {"models": ["A10", "A10,L20"]}}, "GX010", ("spec", "device", "models", 1)),
        ({"isolation": "hard"}, "GX010", ("spec", "isolation")),
    ],
)
def test_what_a_document_may_not_say(spec: dict[str, Any], code: str, path: tuple[object, ...]) -> None:
    read, problems = read_share_document({**to_document("web", Share(1, 30)), "spec": spec})
    assert read is None
    assert [(found.code, found.path) for found in problems] == [(code, path)]
    assert problems[0].hint


def test_a_limit_without_memory_inline() -> None:
    limits = {"gpuxlate.io/memory-limit-mib": 8192}
    pod = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "web"},
        "spec": {"containers": [{"name": "web", "image": "web:1", "resources": {"limits": limits}}]},
    }
    assert "GX011" in {found.code for found in gpuxlate.lint([pod]).diagnostics}


# --- targets ------------------------------------------------------------------------------------

FIELDS = {
    "memoryLimitMiB": Share(1, 30, 4096, memory_limit_mib=8192),
    "device": Share(1, 30, 4096, device=Device("nvidia", ("A10",))),
    "isolation": Share(1, 30, 4096, isolation=Isolation.HARDWARE),
}
ATTRIBUTES = {name: attribute for attribute, name in JSON_NAMES.items()}
# facts/hami-family, huawei-baidu-legacy, koordinator-kai: their keys name a card model, or a burst of memory
KEYS_OF = {
    "hami-iluvatar": ["device"],
    "hami-ascend": ["device"],
    "baidu-cce": ["device"],
    "kai": ["memoryLimitMiB"],
}


@pytest.mark.parametrize("field", FIELDS)
@pytest.mark.parametrize("backend", OTHERS, ids=lambda backend: backend.name)
def test_a_target_without_the_field_refuses_it(backend: Backend, field: str) -> None:
    share = FIELDS[field]
    assert one(share, NEUTRAL).verdict is Verdict.EXACT
    refused = one(share, backend)
    if field in KEYS_OF.get(backend.name, ()) or needless(ATTRIBUTES[field], refused):
        return
    assert lost(refused).get(field) == "GX020"
    assert not refused.accepted
    [loss] = [loss for loss in refused.losses if loss.field == field]
    assert f"--drop {field}" in str(loss.hint)
    dropped = one(share, backend, drop=frozenset({field}))
    [loss] = [loss for loss in dropped.losses if loss.field == field]
    assert loss.accepted
    assert getattr(dropped.given, ATTRIBUTES[field]) is None


@pytest.mark.parametrize("backend", OTHERS, ids=lambda backend: backend.name)
def test_what_every_target_gives(backend: Backend) -> None:
    """Whole cards are isolated by nature, and nothing is less than no isolation."""
    for share in (Share(isolation=Isolation.HARDWARE), Share(1, 30, 4096, isolation=Isolation.NONE)):
        assert "isolation" not in lost(one(share, backend))


@pytest.mark.parametrize("name", [*SOFT, *UNKNOWN])
def test_soft_isolation_and_the_vendor_of_the_cards(name: str) -> None:
    soft = lost(one(Share(1, 30, 4096, isolation=Isolation.SOFT), name))
    assert ("isolation" in soft) == (name in UNKNOWN)
    assert ("device" in lost(one(Share(1, 30, 4096, device=NVIDIA), name))) == (name in UNKNOWN)
    assert lost(one(Share(1, 30, 4096, device=METAX), name))["device"] == "GX020"


def test_a_refusal_says_what_the_target_has() -> None:
    [loss] = one(FIELDS["isolation"], "volcengine-mgpu").losses
    expected = "isolation hardware is not supported by volcengine-mgpu: its isolation is soft"
    assert (loss.message, loss.asked, loss.given) == (expected, "hardware", None)
    [loss] = one(Share(1, 30, 4096, device=METAX), "tencent-qgpu").losses
    assert loss.message == "device metax is not supported by tencent-qgpu: its cards are made by nvidia"
    model = Device("nvidia", ("A10-24GB",))  # theirs: which of them is what it cannot say
    [loss] = one(Share(1, 30, 4096, device=model), "tencent-qgpu").losses
    assert str(loss.message).endswith("by tencent-qgpu: none of its keys names these cards")


@pytest.mark.parametrize(
    ("ack", "cores", "isolated"),
    [
        (AlibabaProfile(), None, True),
        (AlibabaProfile(isolation="mps"), None, True),
        (AlibabaProfile(isolation="share"), None, False),  # ACK-SHARE: memory is not a cap
        (AlibabaProfile(isolation="share"), 30, True),  # compute goes to core_mem nodes
        (AlibabaProfile(open_source=True), None, False),  # OSS-UG
    ],
)
def test_isolation_by_the_mode_of_ack(ack: AlibabaProfile, cores: int | None, isolated: bool) -> None:
    share = Share(1, cores, 4096, isolation=Isolation.SOFT)
    outcome = one(share, "alibaba-gpushare", profile=Profile("alibaba-gpushare", extensions=(ack,)))
    assert ("isolation" not in lost(outcome)) == isolated


def test_memory_that_is_rounded_up_to_the_limit() -> None:
    """ACK counts GiB: 5000 MiB become 5120, and a limit of 5100 is then below."""
    done = one(Share(1, None, 5000, memory_limit_mib=5100), "ack", round_up=True)
    assert (lost(done), done.accepted) == ({"memoryMiB": "ACK001"}, True)
    assert done.given == Share(1, None, 5120)
    beyond = one(Share(1, None, 5000, memory_limit_mib=6000), "ack", round_up=True)
    assert "memoryLimitMiB" in lost(beyond)


@pytest.mark.parametrize(
    ("first", "second", "field"),
    [
        ({"device": NVIDIA}, {"device": METAX}, "device"),
        ({"device": NVIDIA}, {}, "device"),
        ({"isolation": Isolation.SOFT}, {"isolation": Isolation.HARDWARE}, "isolation"),
    ],
)
def test_shares_of_a_pod_agree(first: dict[str, Any], second: dict[str, Any], field: str) -> None:
    done = fit(Share(1, 30, 4096, **first), Share(1, 30, 4096, **second), to="neutral")
    assert [lost(outcome) for outcome in done.outcomes] == [{field: "GX022"}] * 2
    assert fit(Share(1, 30, 4096, **first), Share(1, 40, 4096, **first), to="neutral").accepted


# --- GX029 --------------------------------------------------------------------------------------

TWO = """\
apiVersion: v1
kind: Pod
metadata: {name: web}
spec:
  containers:
  - name: a
    image: web:1
    resources: {limits: {vke.volcengine.com/mgpu-core: 30, vke.volcengine.com/mgpu-memory: 4096}}
  - name: b
    image: web:1
    resources: {limits: {vke.volcengine.com/mgpu-core: 30, vke.volcengine.com/mgpu-memory: 4096}}
"""


@pytest.mark.parametrize(("vendor", "count"), [("metax", 1), ("nvidia", 0), (None, 0)])
def test_cards_of_another_vendor(vendor: str | None, count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Once for a pod; a stub stands for a target of another vendor, as a plug-in may be."""
    stub = replace(NEUTRAL, name="stub", vendor=vendor)
    monkeypatch.setattr(plugins, "find", lambda name: stub if name == "stub" else None)
    done = translate_source(Source("web.yaml", TWO), Settings(stub))
    found = [found for found in done.diagnostics if found.code == "GX029"]
    assert [str(found.severity) for found in found] == ["warning"] * count
    assert not done.refused
    if found:
        assert found[0].message == "the cards of stub are made by metax, those of the source by nvidia"
        assert found[0].span is not None


# --- commands -----------------------------------------------------------------------------------


def test_commands_show_them(tmp_path: Path) -> None:
    spec, text, report = (str(tmp_path / name) for name in ("web.json", "pod.yaml", "report.json"))
    Path(spec).write_text(json.dumps(to_document("web", FULL)))
    Path(text).write_bytes(run("render", spec, "--to", "neutral").out)
    head, row, *_ = run("inspect", text).out.decode().splitlines()
    assert head.split()[-3:] == ["DEVICE", "ISOLATION", "REPLICAS"]
    assert "8192 to 16384" in row
    assert "nvidia A10,L20  soft" in row
    title = run("compare", spec).out.decode().splitlines()[0]
    assert title.endswith("memoryLimitMiB 16384, device nvidia A10,L20, isolation soft")
    assert run("translate", text, "--to", "hami", "--report", report).code == 1
    found = json.loads(Path(report).read_text())
    jsonschema.Draft202012Validator(schema("report")).validate(found)
    [item] = found["items"]
    assert item["share"] == FULL.to_json()
    lost = [(one["field"], one["asked"], one["given"]) for one in item["dropped"]]
    assert lost == [("memoryLimitMiB", 16384, None), ("device", "nvidia A10,L20", None)]
    done = run("translate", text, "--to", "hami", "--drop", "memoryLimitMiB,device")
    assert (done.code, b"gpuxlate.io/memory" in done.out) == (0, False)
