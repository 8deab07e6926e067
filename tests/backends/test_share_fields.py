"""Fields of a share beside cards, cores, memoryMiB, policy and qos: in its document, and at every target."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import gpuxlate
from gpuxlate.backends import plugins, registry
from gpuxlate.backends.alibaba import AlibabaProfile
from gpuxlate.backends.base import Backend
from gpuxlate.backends.pod_reader import ContainerShare
from gpuxlate.backends.pod_writer import Accept
from gpuxlate.config.document import read_share_document, to_document
from gpuxlate.model.profile import CardProfile, Profile, all_cards
from gpuxlate.model.share import (
    JSON_NAMES,
    Device,
    Isolation,
    Partition,
    Policy,
    Qos,
    Replica,
    Share,
    ShareError,
    Strategy,
    percent_in_mib,
)
from gpuxlate.testing.contract import is_needless
from gpuxlate.testing.strategies import naming_a_card
from gpuxlate.translation.fit import Outcome, PodFit, Verdict, fit_pod
from gpuxlate.translation.options import Settings
from gpuxlate.translation.translate import translate_source
from gpuxlate.yamltext.source import Source
from tests.backends.pods import pod, to
from tests.running import run
from tests.schemas import validator

MPS, SLICED = Strategy.MPS, Strategy.TIME_SLICING
NVIDIA, METAX = Device("nvidia"), Device("metax")
SMALL, PART = Partition("1g.10gb"), Share(1, 30, 4096)
NEUTRAL = registry.get("neutral")
ALL = list(registry.all_backends())
A10 = CardProfile("A10", 4, 22731)
OF_TWO = Device("nvidia", ("A10", "L20"))
FULL = Share(2, 60, 8192, memory_limit_mib=16384, device=OF_TWO, isolation=Isolation.SOFT)
FULL_SPEC: dict[str, Any] = {
    "cards": 2, "cores": 60, "memoryMiB": 8192, "memoryLimitMiB": 16384,
    "device": {"vendor": "nvidia", "models": ["A10", "L20"]}, "isolation": "soft",
}  # fmt: skip


def fit(*shares: Share, to: str | Backend, profile: Profile | None = None, **accept: Any) -> PodFit:
    target = registry.get(to) if isinstance(to, str) else to
    pod = [ContainerShare(f"c{n}", n, share=share) for n, share in enumerate(shares)]
    return fit_pod(pod, target, Accept(**accept), profile)


def one(share: Share, to: str | Backend, **more: Any) -> Outcome:
    return fit(share, to=to, **more).outcomes[0]


def lost(outcome: Outcome) -> dict[str, str]:
    return {loss.field: loss.code for loss in outcome.losses}


# --- the share --------------------------------------------------------------------------------------------

NO_SHARES: list[tuple[dict[str, Any], dict[str, str]]] = [
    # fields, and for each field with a problem a part of the message
    ({"memory_percent": 0}, {"memoryPercent": "memoryPercent is 0"}),
    ({"memory_percent": 101}, {"memoryPercent": "above the maximum of 100"}),
    ({"memory_percent": 50, "memory_mib": 4096}, {"memoryPercent": "are both set"}),
    ({"memory_limit_mib": 8192}, {"memoryLimitMiB": "memoryMiB is not set"}),
    ({"memory_limit_mib": 8192, "memory_percent": 50}, {"memoryLimitMiB": "memoryMiB is not set"}),
    ({"memory_mib": 4096, "memory_limit_mib": 4095}, {"memoryLimitMiB": "below memoryMiB (4096)"}),
    ({"memory_mib": 4096, "memory_limit_mib": 0}, {"memoryLimitMiB": "at least 1"}),
    ({"memory_mib": 4096, "memory_limit_mib": 2**63}, {"memoryLimitMiB": "64 bits"}),
    ({"cards": 2, "memory_mib": 4, "memory_limit_mib": 5}, {"memoryLimitMiB": "not a multiple of cards"}),
    ({"device": Device("NVIDIA")}, {"device": "'NVIDIA'"}),
    ({"device": Device(None, ("A10,L20",))}, {"device": "'A10,L20'"}),
    ({"device": Device(None, ("A10", ""))}, {"device": "''"}),
    ({"partition": SMALL, "cores": 10}, {"cores": "set beside partition"}),
    ({"partition": SMALL, "memory_mib": 10}, {"memoryMiB": "set beside partition"}),
    ({"partition": SMALL, "memory_percent": 10}, {"memoryPercent": "set beside partition"}),
    ({"partition": SMALL, "cards": 2}, {"cards": "set beside partition"}),
    ({"partition": Partition("1g.5gb", 0)}, {"partition": "count of partition is 0"}),
    ({"partition": Partition("")}, {"partition": "not a name"}),
    ({"partition": Partition("1g,5gb")}, {"partition": "not a name"}),
    ({"partition": Partition("x" * 51)}, {"partition": "not a name"}),
    ({"partition": Partition("1g.5gb", 2), "replica": Replica(2)}, {"partition": "of one partition"}),
    ({"replica": Replica(4, MPS), "cores": 25}, {"cores": "set beside replica"}),
    ({"replica": Replica(1, MPS)}, {"replica": "one of 1 clients"}),
    ({"replica": Replica(4, MPS, -1)}, {"replica": "count of replica is -1"}),
]


def test_what_is_no_share() -> None:
    wrong = {}
    for fields, expected in NO_SHARES:
        with pytest.raises(ShareError) as refused:
            Share(**fields)
        found = {one.field: one.message for one in refused.value.problems if one.hint}
        right = [part in found.get(field, "") for field, part in expected.items()]
        if not all(right) or len(refused.value.problems) != len(expected):
            wrong[str(fields)] = refused.value.problems
    assert wrong == {}
    with pytest.raises(ShareError) as refused:
        Share(2, None, 5, memory_percent=200)
    said = [str(one.message) for one in refused.value.problems]
    parts = ["not a multiple", "both set", "maximum of 100"]
    assert [part in message for part, message in zip(parts, said, strict=True)] == [True] * 3


def test_what_says_nothing_is_not_set() -> None:
    assert Share(2, None, 4096, memory_limit_mib=4096) == Share(2, None, 4096)
    assert Share(1, 30, device=Device()) == Share(1, 30)
    assert Share(2, None, 4096, memory_limit_mib=8192).memory_limit_mib_per_card == 4096
    assert Share(memory_percent=100) == Share()
    assert Share(2, 200, memory_percent=100) == Share(2)
    assert Share(memory_percent=100).whole_cards
    part = Share(1, 100, memory_percent=50)  # exclusive, and yet not whole
    assert (part.cores, part.whole_cards) == (100, False)


def test_an_isolation_covers_the_weaker_ones() -> None:
    order = [Isolation.NONE, Isolation.SOFT, Isolation.HARDWARE]
    covered = [[gives.covers(asked) for asked in order] for gives in order]
    assert covered == [[True, False, False], [True, True, False], [True, True, True]]


def test_reports_have_them_where_they_are_set() -> None:
    assert FULL.to_json() == {**FULL_SPEC, "policy": None, "qos": None}
    assert Share(device=METAX).to_json()["device"] == {"vendor": "metax"}
    assert Share(memory_percent=25).to_json()["memoryPercent"] == 25
    plain = Share(1, 30, 4096, Policy.FIXED_SHARE, Qos.ONLINE)
    assert list(plain.to_json()) == ["cards", "cores", "memoryMiB", "policy", "qos"]


# --- the document -----------------------------------------------------------------------------------------

SPEC = validator("spec")
CLIENT_SPEC = {
    "isolation": "none", "partition": {"profile": "1g.10gb"}, "replica": {"of": 3, "strategy": "time-slicing"}
}  # fmt: skip
DOCUMENTS: list[tuple[Share, dict[str, Any]]] = [
    (Share(2, 60, memory_percent=50), {"cards": 2, "cores": 60, "memoryPercent": 50}),
    (FULL, FULL_SPEC),
    (Share(1, None, 1, memory_limit_mib=2), {"memoryMiB": 1, "memoryLimitMiB": 2}),
    (Share(1, None, 1, memory_limit_mib=2**63 - 1), {"memoryMiB": 1, "memoryLimitMiB": 2**63 - 1}),
    (Share(device=Device(None, ("T4 16G",))), {"cards": 1, "device": {"models": ["T4 16G"]}}),
    *((Share(1, 30, isolation=level), {"cores": 30, "isolation": str(level)}) for level in Isolation),
    (Share(partition=SMALL), {"partition": {"profile": "1g.10gb"}}),
    (Share(partition=Partition("1g.10gb+me", 2)), {"partition": {"profile": "1g.10gb+me", "count": 2}}),
    (Share(replica=Replica(4, MPS)), {"replica": {"of": 4, "strategy": "mps"}}),
    (Share(replica=Replica(None, SLICED, 2)), {"replica": {"strategy": "time-slicing", "count": 2}}),
    (Share(replica=Replica()), {"replica": {"count": 1}}),
    (Share(partition=SMALL, replica=Replica(3, SLICED), isolation=Isolation.NONE), CLIENT_SPEC),
]


@pytest.mark.parametrize(("share", "spec"), DOCUMENTS, ids=[str(spec) for _, spec in DOCUMENTS])
def test_document_and_inline_and_back(share: Share, spec: dict[str, Any]) -> None:
    """A document says it, and so does a manifest with the neutral keys, in both directions."""
    document = to_document("web", share)
    assert document["spec"] == spec
    read, problems = read_share_document(document)
    assert (read and read.share, problems) == (share, [])
    assert read is not None
    assert {JSON_NAMES[name]: path for name, path in read.origins.items()} == {
        name: ("spec", name) for name in spec
    }
    SPEC.validate(document)
    rendered = gpuxlate.render(document, to="neutral")
    assert not rendered.diagnostics
    [item] = gpuxlate.parse(rendered.text).items
    assert item.share == share
    [again] = gpuxlate.parse(rendered.text).objects
    assert again["spec"] == document["spec"]
    assert one(share, "neutral").verdict is Verdict.EXACT
    assert not (share.is_part and share.whole_cards)


BAD: list[tuple[dict[str, Any], list[tuple[str, str]]]] = [
    # what a document may not say, which the schema finds too: the problems
    ({"memoryPercent": 0}, [("GX011", "memoryPercent")]),
    ({"memoryPercent": 101}, [("GX011", "memoryPercent")]),
    ({"memoryPercent": 5, "memoryMiB": 9}, [("GX011", "memoryPercent")]),
    ({"memoryLimitMiB": 8192}, [("GX011", "memoryLimitMiB")]),
    ({"memoryMiB": 4096, "memoryLimitMiB": 1, "cards": 2}, [("GX011", "memoryLimitMiB")]),
    ({"memoryMiB": 4096, "memoryLimitMiB": None}, [("GX010", "memoryLimitMiB")]),
    ({"device": "nvidia"}, [("GX010", "device")]),
    ({"device": None}, [("GX010", "device")]),
    ({"device": {"model": "A10"}}, [("GX010", "device.model")]),
    ({"device": {"vendor": "NVIDIA"}}, [("GX010", "device.vendor")]),
    ({"device": {"models": "A10"}}, [("GX010", "device.models")]),
    ({"device": {"models": ["A10", "A10,L20"]}}, [("GX010", "device.models.1")]),
    ({"isolation": "hard"}, [("GX010", "isolation")]),
    ({"cards": 1, "partition": {"profile": "1g.10gb"}}, [("GX011", "cards")]),
    ({"cores": 10, "replica": {"of": 4}}, [("GX011", "cores")]),
    ({"partition": {}}, [("GX010", "partition")]),
    ({"partition": {"profile": "1g.10gb", "gb": 10}}, [("GX010", "partition.gb")]),
    ({"partition": "1g.10gb"}, [("GX010", "partition")]),
    ({"replica": {"of": 1}}, [("GX011", "replica")]),
    ({"replica": {"of": 4, "strategy": "MPS"}}, [("GX010", "replica.strategy")]),
    ({"replica": {"of": "4"}}, [("GX010", "replica.of")]),
]


def test_what_a_document_may_not_say() -> None:
    def found(spec: dict[str, Any]) -> list[tuple[str, str]]:
        document = {**to_document("web", PART), "spec": spec}
        read, problems = read_share_document(document)
        assert read is None
        assert all(one.hint for one in problems), problems
        assert not SPEC.is_valid(document), spec
        return [(one.code, ".".join(map(str, one.path[1:]))) for one in problems]

    assert {str(spec): found(spec) for spec, _ in BAD} == {str(spec): said for spec, said in BAD}
    assert SPEC.is_valid({**to_document("web", PART), "spec": {"memoryPercent": 50}})


def test_a_limit_without_memory_inline() -> None:
    found = gpuxlate.lint(pod("gpuxlate.io/memory-limit-mib: 8192")).diagnostics
    assert "GX011" in {one.code for one in found}


LARGEST = max(card.most_mib or 0 for card in all_cards())
ADDED = {"target": "hami", "catalogue": [{"name": "R999", "vendor": "nvidia", "memoryMiB": 2 * LARGEST}]}
MEMORY_PER_CARD: list[tuple[dict[str, Any], dict[str, Any] | None, list[str]]] = [
    # numbers of a share, a profile, the fields that no card holds
    ({"memoryMiB": LARGEST}, None, []),
    ({"memoryMiB": LARGEST + 1}, None, ["memoryMiB"]),
    ({"cards": 2, "memoryMiB": 2 * LARGEST}, None, []),
    ({"cards": 2, "memoryMiB": 2 * LARGEST + 2}, None, ["memoryMiB"]),
    ({"memoryMiB": 4096, "memoryLimitMiB": LARGEST + 1}, None, []),  # a limit may be none
    ({"memoryMiB": 2 * LARGEST}, ADDED, []),
    ({"memoryMiB": 2 * LARGEST + 1}, ADDED, ["memoryMiB"]),
]


@pytest.mark.parametrize(("spec", "profile", "fields"), MEMORY_PER_CARD)
def test_memory_that_no_card_has(
    spec: dict[str, Any], profile: dict[str, Any] | None, fields: list[str]
) -> None:
    """A warning from the document and from its manifest, whichever command reads them."""
    document = json.dumps({**to_document("web", PART), "spec": {"cores": 30, **spec}})
    manifest = gpuxlate.render(document, to="neutral", profile=profile).text
    for read in (
        gpuxlate.lint(document, profile=profile),
        gpuxlate.render(document, to="neutral", profile=profile),
        gpuxlate.lint(manifest, profile=profile),
        gpuxlate.parse(manifest, profile=profile),
        gpuxlate.translate(manifest, to="hami", profile=profile, drop="memoryLimitMiB"),
    ):
        found = [finding for finding in read.diagnostics if finding.code == "GX011"]
        assert [str(finding.severity) for finding in found] == ["warning"] * len(fields)
        assert all("MiB per GPU" in finding.message for finding in found)
    assert [str(f.path[-1]) for f in gpuxlate.lint(document, profile=profile).diagnostics] == fields


def test_memory_that_no_card_has_is_reported_once() -> None:
    """GX007 says what 4096 in a key of GiB looks like."""
    found = gpuxlate.lint(pod("aliyun.com/gpu-mem: 4096")).diagnostics
    assert [finding.code for finding in found] == ["GX007"]


@pytest.mark.parametrize("command", ["compare a.yaml", "render a.yaml --to vke", "nodepool a.yaml --to vke"])
def test_memory_that_no_card_has_stops_no_command(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    document = {**to_document("web", PART), "spec": {"cores": 30, "memoryMiB": 99999999}}
    Path("a.yaml").write_text(json.dumps(document))
    done = run(*command.split())
    assert (done.code, b"warning[GX011]" in done.err, bool(done.out)) == (0, True, True)


# --- at every target --------------------------------------------------------------------------------------

FIELDS = {
    "memory_limit_mib": replace(PART, memory_limit_mib=8192),
    "device": replace(PART, device=Device("nvidia", ("A10",))),
    "isolation": replace(PART, isolation=Isolation.HARDWARE),
}
# facts/hami-family, huawei-baidu-legacy, koordinator-kai: their keys name a card model, or a burst of memory
OF_A_MODEL = ("hami-iluvatar", "hami-ascend", "baidu-cce")
# and Enflame's partitions are hard (facts/second-round, F13)
KEYS_OF = {
    *(("kai", "memory_limit_mib"), ("tensor-fusion", "memory_limit_mib"), ("hami-enflame", "isolation")),
    *((name, "device") for name in OF_A_MODEL),
    *((backend.name, "device") for backend in ALL if backend.names_vendor),
}
Asked = Callable[[Backend], object]


def of_each(asked: Asked, backends: list[Backend]) -> dict[str, object]:
    """What is found at some of the targets."""
    return {one.name: asked(one) for one in backends}


@pytest.mark.parametrize("attribute", FIELDS)
def test_a_target_without_the_field_refuses_it(attribute: str) -> None:
    share, field = FIELDS[attribute], JSON_NAMES[attribute]
    assert one(share, NEUTRAL).verdict is Verdict.EXACT

    def refused(backend: Backend) -> object:
        done = one(share, backend)
        if (backend.name, attribute) in KEYS_OF or is_needless(attribute, done):
            return None
        dropped = one(share, backend, drop=frozenset({field}))
        [accepted] = [loss.accepted for loss in dropped.losses if loss.field == field]
        [loss] = [loss for loss in done.losses if loss.field == field]
        told = f"--drop {field}" in str(loss.hint)
        return loss.code, done.accepted, told, accepted, getattr(dropped.granted, attribute)

    found = of_each(refused, [backend for backend in ALL if backend is not NEUTRAL])
    expected = ("GX020", False, True, True, None)
    assert {name: some for name, some in found.items() if some not in (None, expected)} == {}
    assert expected in found.values()


def test_what_every_target_gives() -> None:
    """Whole cards are isolated by nature, and nothing is less than no isolation."""
    given = (Share(isolation=Isolation.HARDWARE), replace(PART, isolation=Isolation.NONE))
    found = {(backend.name, share): lost(one(share, backend)) for backend in ALL for share in given}
    assert {key: losses for key, losses in found.items() if "isolation" in losses} == {}


# facts: by the driver, a kernel module or a library (volcengine S0, ACK-LBL, S003, HAMi-core)
SOFT = ("volcengine-mgpu", "alibaba-gpushare", "tencent-qgpu", "hami", "volcano-vgpu")
# of these the facts name neither the isolation nor the cards
UNKNOWN = ("volcengine-aiapp", "volcengine-emr-spark", "volcengine-emr-ray", "volcengine-emr-customjob")


def test_soft_isolation_and_the_vendor_of_the_cards() -> None:
    def found(name: str) -> tuple[bool, bool, str | None]:
        fields: list[dict[str, Any]] = [{"isolation": Isolation.SOFT}, {"device": NVIDIA}, {"device": METAX}]
        soft, nvidia, metax = (lost(one(replace(PART, **field), name)) for field in fields)
        return "isolation" in soft, "device" in nvidia, metax.get("device")

    expected = {name: (name in UNKNOWN, name in UNKNOWN, "GX020") for name in (*SOFT, *UNKNOWN)}
    assert {name: found(name) for name in expected} == expected


def test_a_refusal_says_what_the_target_has() -> None:
    [loss] = one(FIELDS["isolation"], "volcengine-mgpu").losses
    expected = "isolation hardware is not supported by volcengine-mgpu: its isolation is soft"
    assert (loss.message, loss.asked, loss.given) == (expected, "hardware", None)
    [loss] = one(replace(PART, device=METAX), "tencent-qgpu").losses
    assert loss.message == "device metax is not supported by tencent-qgpu: its cards are made by nvidia"
    model = Device("nvidia", ("A10-24GB",))  # theirs: which of them is what it cannot say
    [loss] = one(replace(PART, device=model), "tencent-qgpu").losses
    assert str(loss.message).endswith("by tencent-qgpu: none of its keys names these cards")


def test_isolation_by_the_mode_of_ack() -> None:
    isolated = {
        (AlibabaProfile(), None): True,
        (AlibabaProfile(isolation="mps"), None): True,
        (AlibabaProfile(isolation="share"), None): False,  # ACK-SHARE: memory is not a cap
        (AlibabaProfile(isolation="share"), 30): True,  # compute goes to core_mem nodes
        (AlibabaProfile(open_source=True), None): False,  # OSS-UG
    }

    def found(ack: AlibabaProfile, cores: int | None) -> bool:
        share = Share(1, cores, 4096, isolation=Isolation.SOFT)
        profile = Profile("alibaba-gpushare", extensions=(ack,))
        return "isolation" not in lost(one(share, "alibaba-gpushare", profile=profile))

    assert {case: found(*case) for case in isolated} == isolated


def test_memory_that_is_rounded_up_to_the_limit() -> None:
    """ACK counts GiB: 5000 MiB become 5120, and a limit of 5100 is then below."""
    done = one(Share(1, None, 5000, memory_limit_mib=5100), "ack", round_up=True)
    assert (lost(done), done.accepted) == ({"memoryMiB": "ACK001"}, True)
    assert done.granted == Share(1, None, 5120)
    beyond = one(Share(1, None, 5000, memory_limit_mib=6000), "ack", round_up=True)
    assert "memoryLimitMiB" in lost(beyond)


def test_shares_of_a_pod_agree() -> None:
    differ: list[tuple[dict[str, Any], dict[str, Any], str]] = [
        ({"device": NVIDIA}, {"device": METAX}, "device"),
        ({"device": NVIDIA}, {}, "device"),
        ({"isolation": Isolation.SOFT}, {"isolation": Isolation.HARDWARE}, "isolation"),
    ]
    for first, second, field in differ:
        done = fit(replace(PART, **first), replace(PART, **second), to="neutral")
        assert [lost(outcome) for outcome in done.outcomes] == [{field: "GX022"}] * 2
        assert fit(replace(PART, **first), Share(1, 40, 4096, **first), to="neutral").accepted


@pytest.mark.parametrize(("vendor", "count"), [("metax", 1), ("nvidia", 0), (None, 0)])
def test_cards_of_another_vendor(vendor: str | None, count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Once for a pod (GX029); a stub stands for a target of another vendor, as a plug-in may be."""
    stub = NEUTRAL.with_changes(name="stub", vendor=vendor)
    monkeypatch.setattr(plugins, "load_plugin", lambda name: stub if name == "stub" else None)
    limits = "vke.volcengine.com/mgpu-core: 30, vke.volcengine.com/mgpu-memory: 4096"
    two = pod(limits) + f"  - name: b\n    resources: {{limits: {{{limits}}}}}\n"
    done = translate_source(Source("web.yaml", two), Settings(stub))
    found = [found for found in done.diagnostics if found.code == "GX029"]
    assert [str(found.severity) for found in found] == ["warning"] * count
    assert not done.refused
    if found:
        assert found[0].message == "the cards of stub are made by metax, those of the source by nvidia"
        assert found[0].span is not None


# --- memory in percent ------------------------------------------------------------------------------------

EVERYTHING = Accept(True, {"cores": 30, "memoryMiB": 8192}, frozenset({"cores", "policy", "qos", "selector"}))


def in_percent(share: Share, backend: Backend, accept: Accept, profile: Profile | None = None) -> PodFit:
    """At a target whose keys name cards, for one of them."""
    container = ContainerShare("main", 0, share=naming_a_card(share, backend))
    return fit_pod([container], backend, accept, profile)


def test_a_target_that_cannot_say_percent_refuses() -> None:
    """By itself: no line of these backends knows the field. Other memory is not asked for beside it."""

    def found(backend: Backend) -> list[object]:
        told: list[object] = []
        for share in (Share(memory_percent=50), Share(1, 30, memory_percent=50)):
            for accept in (Accept(), EVERYTHING):
                done = in_percent(share, backend, accept)
                fields = ("memoryPercent", "partition")
                lost = [loss for loss in done.outcomes[0].losses if loss.field in fields]
                said = [(str(loss.kind), loss.field, loss.code) for loss in lost]
                told.append((said, ["cards.memoryMiB" in str(loss.hint) for loss in lost], done.accepted))
        losses = in_percent(Share(1, 30, memory_percent=50), backend, Accept()).outcomes[0].losses
        about = [(loss.field, loss.code) for loss in losses if "emory" in f"{loss.field} {loss.asked}"]
        return [*told, about]

    def expected(backend: Backend) -> list[object]:
        # where a part of a card is all there is, no part of an unknown card holds a percent
        field, code = ("memoryPercent", "GX020") if not backend.overrides("parts") else ("partition", "GX023")
        return [([("refused", field, code)], [True], False)] * 4 + [[(field, code)]]

    old = [backend for backend in ALL if "memoryPercent" not in backend.field_docs]
    assert of_each(found, old) == of_each(expected, old)


def test_a_target_that_says_percent_keeps_it() -> None:
    def kept(backend: Backend) -> list[object]:
        cards = 1 if backend.name == "baidu-cce" else 2  # BAIDU020
        share = Share(cards, 30 * cards if "cores" in backend.field_docs else None, memory_percent=50)
        done = [  # a card changes nothing
            in_percent(share, backend, Accept(), profile).outcomes[0]
            for profile in (None, Profile(backend.name, cards=A10))
        ]
        return [one.verdict is Verdict.EXACT and replace(one.granted, device=None) == share for one in done]

    new = [backend for backend in ALL if "memoryPercent" in backend.field_docs]
    assert of_each(kept, new) == {backend.name: [True, True] for backend in new}
    # Baidu CCE, of several cards: facts mark it with a question mark
    several = in_percent(Share(2, 60, memory_percent=50), registry.get("baidu-cce"), Accept())
    assert [one.code for one in several.outcomes[0].losses] == ["BAIDU020"]


def test_percent_is_rounded_up() -> None:
    assert percent_in_mib(50, 22731) == 11366  # 11365.5
    assert percent_in_mib(100, 22731) == 22731
    assert percent_in_mib(1, 50) == 1


def test_a_profile_turns_percent_into_mib() -> None:
    done = fit(Share(2, 60, memory_percent=50), to="vke", profile=Profile("volcengine-mgpu", cards=A10))
    [outcome] = done.outcomes
    assert outcome.share == Share(2, 60, memory_percent=50)  # as it was asked
    assert outcome.granted == Share(2, 60, 22732)
    assert (outcome.verdict, outcome.accepted) == (Verdict.ROUNDED, True)
    [loss] = outcome.losses
    assert (loss.field, loss.asked, loss.given, loss.code) == ("memoryMiB", "50 %", 22732, "GX017")
    found = next(one for one in done.findings() if one.code == "GX017")
    assert found.severity == "info"
    assert found.message.startswith("memoryPercent 50 becomes memoryMiB 22732")


def test_the_grid_of_the_target_comes_after() -> None:
    """11366 MiB are no whole GiB, and that still has to be allowed."""
    profile, share = Profile("tencent-qgpu", cards=A10), Share(1, 30, memory_percent=50)
    assert not fit(share, to="tke", profile=profile).accepted
    done = one(share, "tke", profile=profile, round_up=True)
    assert [(loss.code, loss.given) for loss in done.losses] == [("GX017", 11366), ("TKE001", 12288)]
    assert (done.accepted, done.granted) == (True, Share(1, 30, 12288))


def test_the_report_names_the_change() -> None:
    text = pod("gpuxlate.io/cores: 30, gpuxlate.io/memory-percent: 50")
    done = to(text, "vke", profile=Profile("volcengine-mgpu", cards=A10))
    assert not done.refused
    assert "vke.volcengine.com/mgpu-memory: 11366" in done.text
    assert "memory-percent" not in done.text
    report = done.items[0].to_json()
    change = {"field": "memoryMiB", "asked": "50 %", "given": 11366, "code": "GX017"}
    assert (report["changes"], report["share"]["memoryPercent"]) == ([change], 50)


# --- commands ---------------------------------------------------------------------------------------------


def test_commands_show_the_fields(tmp_path: Path) -> None:
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
    validator("report").validate(found)
    [item] = found["items"]
    assert item["share"] == FULL.to_json()
    lost = [(one["field"], one["asked"], one["given"]) for one in item["dropped"]]
    assert lost == [("memoryLimitMiB", 16384, None), ("device", "nvidia A10,L20", None)]
    done = run("translate", text, "--to", "hami", "--drop", "memoryLimitMiB,device")
    assert (done.code, b"gpuxlate.io/memory" in done.out) == (0, False)
