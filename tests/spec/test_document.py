"""The GPUShare document: what is refused, where, in which words; what is read; what is written."""

from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuxlate.config.document import ShareDocument, Workload, read_share_document, to_document
from gpuxlate.config.document_model import EDITOR_CARDS
from gpuxlate.model.diagnostics import Diagnostic, Severity
from gpuxlate.model.pod import dotted
from gpuxlate.model.share import JSON_NAMES, ONLY_WHEN_SET, Policy, Qos, Share
from tests.schemas import validator

JUDGE = validator("spec")


def document(spec: Any, **over: Any) -> dict[str, Any]:
    head = {"apiVersion": "gpuxlate.io/v1alpha1", "kind": "GPUShare", "metadata": {"name": "web"}}
    return {**head, "spec": spec, **over}


def named(name: object, **more: Any) -> dict[str, Any]:
    return document({}, metadata={"name": name, **more})


def workload(**fields: object) -> dict[str, Any]:
    return document({"workload": fields})


# (what, document, code and place, words of the message, words of the hint)
# The place is "key ..." where the key is marked, not the value.
BAD: list[tuple[str, Any, str, str, str]] = [
    # no document at all
    ("list", [], "GX010 root", "the document is a list", "apiVersion, kind, metadata, spec"),
    ("null", None, "GX010 root", "empty (null)", "apiVersion"),
    ("text", "spec: {}", "GX010 root", "must be a mapping", "apiVersion"),
    # unknown fields
    ("typo", document({"core": 30}), "GX010 key spec.core", '"core" in spec', "did you mean cores?"),
    ("snake", document({"memory_mib": 1}), "GX010 key spec.memory_mib", "unknown", "memoryMiB?"),
    ("Gi", document({"memoryGiB": 1}), "GX010 key spec.memoryGiB", "unknown", "memoryMiB?"),
    ("odd", document({"zzz": 1}), "GX010 key spec.zzz", "unknown", "cards, cores, memoryMiB"),
    ("too high", document({}, cores=30), "GX010 key cores", "unknown", "move cores under spec"),
    ("deep", document({"file": "a"}), "GX010 key spec.file", "unknown", "under spec.workload"),
    ("status", document({}, status={}), "GX010 key status", '"status"', "fields here: apiVersion"),
    ("key", document({3: 4}), "GX010 key spec[3]", "a key of spec is 3", "quotes"),
    # missing fields: at the mapping that should hold them
    ("no spec", {k: v for k, v in document({}).items() if k != "spec"}, "GX010 root", "spec is", "spec:"),
    ("no name", document({}, metadata={}), "GX010 key metadata", "metadata.name is missing", "write name:"),
    ("no file", workload(), "GX010 key spec.workload", "spec.workload.file", "write file:"),
    # apiVersion and kind
    ("version", document({}, apiVersion="gpuxlate.io/v1"), "GX010 apiVersion", "v1", "v1alpha1"),
    ("kind", document({}, kind="GpuShare"), "GX010 kind", '"GpuShare"', "write kind: GPUShare"),
    # numbers that are none
    ("quoted", document({"cores": "30"}), "GX010 spec.cores", '"30"', "cores: 30, without"),
    ("bool", document({"cards": True}), "GX010 spec.cards", "is true", "write cards: 1"),
    ("half", document({"cores": 30.5}), "GX010 spec.cores", "30.5", "write cores: 31"),
    ("float", document({"cores": 30.0}), "GX010 spec.cores", "30.0", "write cores: 30"),
    ("part", document({"cores": 0.3}), "GX010 spec.cores", "0.3", "write cores: 30 for 0.3"),
    ("percent", document({"cores": "30%"}), "GX010 spec.cores", '"30%"', "write cores: 30:"),
    ("nan", document({"cores": float("nan")}), "GX010 spec.cores", "is nan", "write cores: 30"),
    ("inf", document({"cards": float("inf")}), "GX010 spec.cards", "is inf", "write cards: 1"),
    ("Gi unit", document({"memoryMiB": "4Gi"}), "GX010 spec.memoryMiB", "4Gi", "memoryMiB: 4096"),
    ("Ki unit", document({"memoryMiB": "1Ki"}), "GX010 spec.memoryMiB", "1Ki", "memoryMiB: 1:"),
    ("GB", document({"memoryMiB": "4GB"}), "GX010 spec.memoryMiB", "4GB", "memoryMiB: 4096"),
    ("below 0", document({"cores": "-3"}), "GX010 spec.cores", '"-3"', "write cores: 30"),
    ("null", document({"cores": None}), "GX010 spec.cores", "empty", "or remove the line"),
    ("huge", document({"memoryMiB": 16**9999}), "GX010 spec.memoryMiB", "digits", "4096"),
    ("hugely below", document({"cards": -(16**9999)}), "GX010 spec.cards", "at least 1", "cards: 1"),
    # policy and qos
    ("near", document({"policy": "fixed"}), "GX010 spec.policy", "burst-share, best-effort", "fixed-share"),
    ("case", document({"policy": "Best_Effort"}), "GX010 spec.policy", "one of", "policy: best-effort"),
    ("VKE", document({"policy": "native-burst-share"}), "GX010 spec.policy", "one of", "best-effort"),
    ("TKE", document({"policy": "bs"}), "GX010 spec.policy", "one of", "policy: burst-share"),
    ("far", document({"policy": "zzz"}), "GX010 spec.policy", "zzz", "write one of fixed-share"),
    ("no policy", document({"policy": None}), "GX010 spec.policy", "empty", "remove the line"),
    ("list", document({"policy": ["fixed-share"]}), "GX010 spec.policy", "a list", "write one of"),
    ("katalyst", document({"qos": "shared_cores"}), "GX010 spec.qos", "online, offline", "online"),
    # the shape of the rest
    ("spec null", document(None), "GX010 spec", "must be a mapping", "write spec: {cores: 30"),
    ("spec list", document([]), "GX010 spec", "spec is a list", "write spec:"),
    ("flat", document({"workload": "a.yaml"}), "GX010 spec.workload", "a.yaml", "workload: {file:"),
    ("no path", workload(file=""), "GX010 spec.workload.file", '""', "write file:"),
    ("NUL", workload(file="a\0"), "GX010 spec.workload.file", "\\u0000", "file"),
    ("container", workload(file="a", container="A_"), "GX010 spec.workload.container", "A_", "container: a."),
    # names
    ("capital", named("Bert_Serving"), "GX010 metadata.name", "not allowed", "name: bert-serving."),
    ("rule", named("a..b"), "GX010 metadata.name", "not allowed", "at most 253 characters"),
    ("up", named("../x"), "GX010 metadata.name", '"../x"', "write name: x"),
    ("newline", named("web\n"), "GX010 metadata.name", "web", "write name: web"),
    ("long", named("a" * 254), "GX010 metadata.name", "254 characters, at most 253", "shorter"),
    ("number", named(5), "GX010 metadata.name", "is 5, it must be text", 'name: "5"'),
    ("yes", named(True), "GX010 metadata.name", "is true", 'name: "true"'),
    ("label", named("a", labels={"x": 1.10}), "GX010 metadata.labels.x", "1.1", "quotes"),
    ("label key", named("a", labels={1: "x"}), "GX010 key metadata.labels[1]", "labels is 1", "quotes"),
    ("labels", named("a", labels=None), "GX010 metadata.labels", "empty", "remove the line"),
    # arithmetic
    ("cores 0", document({"cores": 0}), "GX011 spec.cores", "at least 1", "omit cores"),
    ("cores -1", document({"cores": -1}), "GX011 spec.cores", "cores is -1", "omit cores"),
    ("cards 0", document({"cards": 0}), "GX011 spec.cards", "cards is 0", "write cards: 1"),
    ("memory 0", document({"memoryMiB": 0}), "GX011 spec.memoryMiB", "at least 1", "omit memoryMiB"),
    ("above", document({"cores": 101}), "GX011 spec.cores", "above the maximum of 100", "write cores: 100"),
    ("above 2", document({"cards": 2, "cores": 202}), "GX011 spec.cores", "above the maximum of 200", "200"),
    # whether 31 divides cannot be said while nobody knows the cards
    ("unknown", document({"cards": "2", "cores": 31}), "GX010 spec.cards", '"2"', "write cards: 2, without"),
    ("odd cores", document({"cards": 2, "cores": 31}), "GX011 spec.cores", "not a multiple of", "30 or 32"),
    (
        "odd memory", document({"cards": 3, "memoryMiB": 4096}),
        "GX011 spec.memoryMiB", "not a multiple of cards (3)", "4095 or",
    ),
]  # fmt: skip


def told(one: Diagnostic) -> str:
    return f"{one.code} {'key ' if one.on_key else ''}{dotted(one.path) or 'root'}"


@pytest.mark.parametrize("row", BAD, ids=lambda row: f"{row[0]}: {row[2]}")
def test_bad_documents(row: tuple[str, Any, str, str, str]) -> None:
    what, data, place, message, hint = row
    found, problems = read_share_document(data)
    assert found is None
    assert [(told(one), one.severity) for one in problems] == [(place, Severity.ERROR)]
    assert message in problems[0].message
    assert hint in (problems[0].hint or "")
    # jsonschema prints what it refuses, and cannot print numbers of so many digits.
    if what not in ("huge", "hugely below"):
        # JSON Schema takes 30.0 for an integer; keys are always text in JSON; Python's $ also stands
        # before a last line break.
        assert JUDGE.is_valid(data) is (what in ("float", "label key", "newline"))


def test_all_problems_at_once() -> None:
    spec = {"cores": 31, "cards": 2, "memoryMiB": "4Gi", "policy": "fair", "gpu": 1}
    _, problems = read_share_document(document(spec, apiVersion="gpuxlate.io/v1", metadata={"name": "A"}))
    assert {told(one) for one in problems} == {
        *("GX010 apiVersion", "GX010 metadata.name", "GX010 spec.memoryMiB", "GX010 spec.policy"),
        *("GX010 key spec.gpu", "GX011 spec.cores"),
    }


def test_messages_are_short_and_never_pydantics() -> None:
    _, problems = read_share_document(document({"policy": "x" * 5000, "y" * 5000: 1}))
    assert len(problems) == 2
    for one in problems:
        assert len(one.message) < 200
        assert "pydantic" not in one.message
        assert "Input should" not in one.message


def said(*fields: str) -> dict[str, tuple[str | int, ...]]:
    return {name: ("spec", JSON_NAMES[name]) for name in fields}


OF_CONTRACT: dict[str, object] = {"cores": 30, "memoryMiB": 4096, "policy": "fixed-share", "qos": "online"}
OF_CONTRACT["workload"] = {"file": "deployment.yaml", "container": "server"}
THE_CONTRACTS = ShareDocument(
    "bert-serving",
    Share(1, 30, 4096, Policy.FIXED_SHARE, Qos.ONLINE),
    said("cores", "memory_mib", "policy", "qos"),
    Workload("deployment.yaml", "server"),
)
OF_POD: dict[str, Any] = {"labels": {"team": "nlp"}, "annotations": {"gpuxlate.io/ignore": "TKE002"}}
GOOD: dict[str, tuple[dict[str, Any], ShareDocument]] = {
    "the contract's": (document(OF_CONTRACT, metadata={"name": "bert-serving"}), THE_CONTRACTS),
    "one whole card": (document({}), ShareDocument("web", Share())),
    "whole cards by their cores": (
        *(document({"cards": 2, "cores": 200}), ShareDocument("web", Share(2), said("cards", "cores"))),
    ),
    "metadata": (
        named("a.b-1", namespace="ml", **OF_POD),
        ShareDocument("a.b-1", Share(), namespace="ml", **OF_POD),
    ),
    "a workload of one container": (
        document({"memoryMiB": 1, "workload": {"file": "../base/d e.yaml"}}),
        ShareDocument("web", Share(1, None, 1), said("memory_mib"), Workload("../base/d e.yaml")),
    ),
}


@pytest.mark.parametrize("name", GOOD)
def test_good_documents(name: str) -> None:
    data, expected = GOOD[name]
    assert read_share_document(data) == (expected, [])
    JUDGE.validate(data)


def test_schema_and_reader_agree_on_numbers() -> None:
    cards, cores = (None, 0, 1, 2, 3, EDITOR_CARDS), (None, -1, 0, 1, 30, 31, 99, 100, 101, 200, 800, 801)
    for numbers in product(cards, cores, (None, 0, 1, 4096, 4098)):
        given = zip(("cards", "cores", "memoryMiB"), numbers, strict=True)
        data = document({key: value for key, value in given if value is not None})
        assert JUDGE.is_valid(data) is (read_share_document(data)[0] is not None), numbers


def test_document_order_and_omissions() -> None:
    share = Share(2, 60, 8192, Policy.BURST_SHARE, Qos.OFFLINE)
    written = to_document("web", share, Workload("d.yaml", "main"))
    assert list(written) == ["apiVersion", "kind", "metadata", "spec"]
    five = [name for attribute, name in JSON_NAMES.items() if attribute not in ONLY_WHEN_SET]
    assert list(written["spec"]) == [*five, "workload"]
    assert to_document("a", Share(1, 30))["spec"] == {"cores": 30}
    assert to_document("a", Share(1))["spec"] == {"cards": 1}
    assert to_document("a", Share(1, None, 5), Workload("d.yaml"))["spec"] == {
        "memoryMiB": 5,
        "workload": {"file": "d.yaml"},
    }


@st.composite
def shares(draw: st.DrawFn) -> Share:
    cards = draw(st.integers(1, 16))
    cores = draw(st.none() | st.integers(1, 100))
    memory = draw(st.none() | st.integers(1, 10**6))
    return Share(
        cards,
        cores * cards if cores else None,
        memory * cards if memory else None,
        draw(st.none() | st.sampled_from(Policy)),
        draw(st.none() | st.sampled_from(Qos)),
    )


@given(shares(), st.none() | st.just(Workload("d.yaml", "main")))
def test_written_documents_are_read_back(share: Share, load: Workload | None) -> None:
    found, problems = read_share_document(to_document("web", share, load))
    assert problems == []
    assert found is not None
    assert (found.share, found.workload) == (share, load)


LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20) | st.dates()
FIELDS = st.sampled_from(
    ["apiVersion", "kind", "metadata", "spec", "cards", "cores", "memoryMiB", "policy", "workload", "name"]
)
TREES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(FIELDS | LEAVES, inner, max_size=4),
    max_leaves=12,
)


@given(TREES, TREES, TREES)
def test_anything_at_all_gives_diagnostics(data: object, spec: object, metadata: object) -> None:
    for one in (data, document(spec), document({"cores": spec, "workload": data}, metadata=metadata)):
        found, problems = read_share_document(one)
        assert (found is None) == bool(problems)
        assert all(problem.message and problem.hint for problem in problems)
