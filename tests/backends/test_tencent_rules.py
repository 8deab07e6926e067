"""The rules of TKE qGPU: for each, pods that break it, at the exact path, and pods that keep it."""

from __future__ import annotations

from typing import Any

import pytest

from gpuxlate.backends.tencent import BACKEND
from gpuxlate.model.diagnostics import Diagnostic
from gpuxlate.model.edits import Put
from gpuxlate.model.pod import Path, PodKeys
from gpuxlate.model.profile import CardProfile, Profile
from gpuxlate.rules.base import Context, Rule, check_pod
from tests.backends.tencent_pods import CLASS, POLICY, SELECTOR, expression, limit, pod

RULES = {one.code: one for one in BACKEND.rules}

A10 = Profile("tencent-qgpu", cards=CardProfile("A10", 4, 22731))
"""22 units of GiB a card."""
OLD_ADDON = Profile("tencent-qgpu", components={"qgpu": "1.0.9"})
FIXED_NODES = Profile("tencent-qgpu", policy="fixed-share")
PART = {"core": "30", "memory": "5"}
OFFLINE = {"greedy": "30", "memory": "5"}


def lint(keys: PodKeys, profile: Profile | None = None) -> list[Diagnostic]:
    return list(check_pod(BACKEND.rules, keys, Context(profile)))


def found(keys: PodKeys, profile: Profile | None = None) -> list[tuple[str, str, Path]]:
    return [(d.code, str(d.severity), d.path) for d in lint(keys, profile)]


BROKEN: list[tuple[str, PodKeys, Profile | None, list[tuple[str, str, Path]]]] = [
    # TKE001: S003, at least 1 G
    ("zero memory", pod({"core": "30", "memory": "0"}), None, [("TKE001", "error", limit("memory"))]),
    ("negative", pod({"core": "30", "memory": "-5"}), None, [("TKE001", "error", limit("memory"))]),
    ("over the card", pod({"core": "30", "memory": "23"}), A10, [("TKE001", "error", limit("memory"))]),
    ("over two cards", pod({"core": "160", "memory": "46"}), A10, [("TKE001", "error", limit("memory"))]),
    (
        "over, offline",
        pod({"greedy": "30", "memory": "23"}, app_class="offline"),
        A10,
        [("TKE001", "error", limit("memory"))],
    ),
    # TKE002: S003, 5 to 100 by 5
    ("off the step", pod({"core": "33", "memory": "5"}), None, [("TKE002", "error", limit("core"))]),
    ("below the least", pod({"core": "3", "memory": "5"}), None, [("TKE002", "error", limit("core"))]),
    ("zero compute", pod({"core": "0", "memory": "5"}), None, [("TKE002", "error", limit("core"))]),
    ("second", pod(PART, {"core": "33", "memory": "5"}), None, [("TKE002", "error", limit("core", 1))]),
    # TKE003: S003, a part needs both
    ("no memory", pod({"core": "30"}), None, [("TKE003", "error", limit("core"))]),
    ("no compute", pod({"memory": "5"}), None, [("TKE003", "warning", limit("memory"))]),
    # TKE005: TC117759, two shared cards
    ("three cards", pod({"core": "240", "memory": "60"}), None, [("TKE005", "error", limit("core"))]),
    ("just over two", pod({"core": "201", "memory": "60"}), None, [("TKE005", "error", limit("core"))]),
    ("old add-on", pod({"core": "160", "memory": "40"}), OLD_ADDON, [("TKE005", "warning", limit("core"))]),
    # what a card cannot give is so for online pods too (TKE011: they compete for compute)
    (
        "three cards, online",
        pod({"core": "240", "memory": "60"}, app_class="online"),
        None,
        [("TKE005", "error", limit("core")), ("TKE011", "warning", limit("core"))],
    ),
    (
        "odd, online",
        pod({"core": "160", "memory": "31"}, app_class="online"),
        None,
        [("TKE006", "warning", limit("memory")), ("TKE011", "warning", limit("core"))],
    ),
    (
        "whole cards with memory, online",
        pod({"core": "100", "memory": "46"}, app_class="online"),
        None,
        [("TKE008", "warning", limit("memory")), ("TKE011", "warning", limit("core"))],
    ),
    # TKE006: TC127667, 121/31 gives 60/15
    (
        "odd",
        pod({"core": "121", "memory": "31"}),
        None,
        [("TKE006", "warning", limit("core")), ("TKE006", "warning", limit("memory"))],
    ),
    ("two cards, no memory", pod({"core": "160"}), None, [("TKE006", "error", limit("core"))]),
    # TKE007: 62 % of each
    ("each off the step", pod({"core": "124", "memory": "30"}), None, [("TKE007", "warning", limit("core"))]),
    (
        "125 is 62 of each",
        pod({"core": "125", "memory": "30"}),
        None,
        [("TKE006", "warning", limit("core")), ("TKE007", "warning", limit("core"))],
    ),
    # TKE008: qgpu-demo k8s/vllm-full-gpu.yaml
    (
        "whole and memory",
        pod({"core": "100", "memory": "46"}),
        None,
        [("TKE008", "warning", limit("memory"))],
    ),
    (
        "two whole and memory",
        pod({"core": "200", "memory": "20"}),
        A10,
        [("TKE008", "warning", limit("memory"))],
    ),
    # TKE010: TC81034
    (
        "greedy 101",
        pod({"greedy": "101", "memory": "5"}, app_class="offline"),
        None,
        [("TKE010", "error", limit("greedy"))],
    ),
    (
        "greedy 0",
        pod({"greedy": "0", "memory": "5"}, app_class="offline"),
        None,
        [("TKE010", "error", limit("greedy"))],
    ),
    (
        "greedy alone",
        pod({"greedy": "30"}, app_class="offline"),
        None,
        [("TKE010", "error", limit("greedy"))],
    ),
    (
        "both computes",
        pod({"core": "30", **OFFLINE}, app_class="offline"),
        None,
        [("TKE010", "error", limit("core"))],
    ),
    # TKE011: TC81034
    ("online compute", pod(PART, app_class="online"), None, [("TKE011", "warning", limit("core"))]),
    (
        "online compute alone",
        pod({"core": "30"}, app_class="online"),
        None,
        [("TKE011", "warning", limit("core")), ("TKE011", "error", limit("core"))],
    ),
    # TKE012: TC81034
    ("greedy, no class", pod(OFFLINE), None, [("TKE012", "error", limit("greedy"))]),
    ("greedy, online", pod(OFFLINE, app_class="online"), None, [("TKE012", "error", limit("greedy"))]),
    ("offline, ordinary", pod(PART, app_class="offline"), None, [("TKE012", "error", limit("core"))]),
    (
        "offline, memory alone",
        pod(OFFLINE, {"memory": "5"}, app_class="offline"),
        None,
        [("TKE012", "error", limit("memory", 1))],
    ),
    ("class", pod(OFFLINE, app_class="Offline"), None, [("TKE012", "error", CLASS)]),
    # TKE014: S003, table of policies
    ("policy", pod(PART, policy="fixed"), None, [("TKE014", "error", SELECTOR)]),
    (
        "policy in affinity",
        pod(PART, terms=[[(POLICY, "In", ("fs", "native"))]]),
        None,
        [("TKE014", "error", expression(0, 0))],
    ),
    (
        "true beside a policy",
        pod(PART, terms=[[(POLICY, "In", ("fs", "true"))]]),
        None,
        [("TKE014", "error", expression(0, 0))],
    ),
    (
        "policy shut out",
        pod(PART, terms=[[(POLICY, "NotIn", ("none",))]]),
        None,
        [("TKE014", "error", expression(0, 0))],
    ),
    ("no such node", pod(PART, policy="bs"), FIXED_NODES, [("TKE014", "warning", SELECTOR)]),
    # TKE016: 20 by compute, 22 by memory, 16 at most
    ("small", pod({"core": "5", "memory": "1"}), A10, [("TKE016", "warning", limit("memory"))]),
    # TKE018: S003, TKE 1.14
    (
        "old cluster",
        pod({}, PART),
        Profile("tke", kubernetes_version="v1.12.4-tke.30"),
        [("TKE018", "warning", limit("core", 1))],
    ),
]


@pytest.mark.parametrize(("keys", "profile", "expected"), [c[1:] for c in BROKEN], ids=[c[0] for c in BROKEN])
def test_reports(keys: PodKeys, profile: Profile | None, expected: list[tuple[str, str, Path]]) -> None:
    assert found(keys, profile) == expected
    assert all(d.message and d.hint for d in lint(keys, profile))


KEPT: list[tuple[str, PodKeys, Profile | None]] = [
    ("TKE001 least", pod({"core": "30", "memory": "1"}), None),
    ("TKE001 all of the card", pod({"core": "30", "memory": "22"}), A10),
    ("TKE001 all of two cards", pod({"core": "160", "memory": "44"}), A10),
    ("TKE001 no size known", pod({"core": "30", "memory": "500"}), OLD_ADDON),
    ("TKE001 another cloud", pod({"core": "30", "memory": "23"}), Profile("ack", cards=A10.cards)),
    ("TKE001 K8S001's", pod({"core": "30", "memory": "5.5"}), None),
    ("TKE002 least", pod({"core": "5", "memory": "5"}), None),
    ("TKE002 most", pod({"core": "95", "memory": "5"}), None),
    ("TKE002 K8S001's", pod({"core": "30.5", "memory": "5"}), None),
    ("TKE002 greedy has no step", pod({"greedy": "7", "memory": "5"}, app_class="offline"), None),
    ("TKE003 whole card", pod({"core": "100"}), None),
    ("TKE003 online", pod({"memory": "5"}, app_class="online"), None),
    ("TKE003 online, K8S006's", pod({"memory": "5"}, stray_class="online"), None),
    ("TKE003 online, K8S005's", pod({"memory": "5"}, owner_class="online"), None),
    ("TKE005 two", pod({"core": "160", "memory": "60"}), None),
    ("TKE005 three whole", pod({"core": "300"}), OLD_ADDON),
    ("TKE005 add-on", pod({"core": "160", "memory": "40"}), Profile("tke", components={"qgpu": "1.1.1"})),
    ("TKE006 even", pod({"core": "120", "memory": "30"}), None),
    ("TKE006 one card", pod({"core": "35", "memory": "5"}), None),
    ("TKE007 on the step", pod({"core": "130", "memory": "30"}), None),
    ("TKE008 whole", pod({"core": "200"}), None),
    ("TKE010 greedy", pod({"greedy": "100", "memory": "1"}, app_class="offline"), None),
    ("TKE010 no GPU beside", pod({}, OFFLINE, app_class="offline"), None),
    ("TKE011 online", pod({"memory": "5"}, {"memory": "1"}, app_class="online"), None),
    ("TKE012 class only", pod({}, app_class="offline"), None),
    ("TKE012 K8S006's", pod(OFFLINE, stray_class="offline"), None),
    ("TKE014 full name", pod(PART, policy="burst-share"), None),
    ("TKE014 both", pod(PART, terms=[[(POLICY, "In", ("fixed-share", "fs"))]]), FIXED_NODES),
    ("TKE014 NotIn", pod(PART, terms=[[(POLICY, "NotIn", ("fixed-share", "fs"))]]), FIXED_NODES),
    ("TKE014 GX013's", pod(PART, policy="true"), None),
    ("TKE014 GX013's, affinity", pod(PART, terms=[[(POLICY, "In", ("True",))]]), None),
    ("TKE014 another label", pod(PART, terms=[[("zone", "In", ("z1",))]]), None),
    ("TKE016 sixteen fit", pod({"core": "5", "memory": "2"}), A10),
    ("TKE016 by compute", pod({"core": "10", "memory": "1"}), A10),
    ("TKE016 no size known", pod({"core": "5", "memory": "1"}), None),
    ("TKE018 recent", pod(PART), Profile("tke", kubernetes_version="v1.28.3-tke.2")),
    ("TKE018 the least", pod(PART), Profile("tke", kubernetes_version="1.14")),
    ("TKE018 no GPU", pod({}), Profile("tke", kubernetes_version="1.12")),
]


@pytest.mark.parametrize(("keys", "profile"), [c[1:] for c in KEPT], ids=[c[0] for c in KEPT])
def test_is_silent(keys: PodKeys, profile: Profile | None) -> None:
    assert found(keys, profile) == []


def test_every_rule_is_broken_and_kept_here() -> None:
    broken = {code for *_, expected in BROKEN for code, _, _ in expected}
    kept = {name.split()[0] for name, *_ in KEPT}
    assert set(RULES) == broken == kept


FIXES: list[tuple[str, dict[str, Any], dict[str, Any] | None, tuple[Put, ...]]] = [
    ("quoted", {"core": "33", "memory": "5"}, None, (Put(limit("core"), "35"),)),
    ("bare", {"core": 33, "memory": 5}, None, (Put(limit("core"), 35),)),
    ("to the least", {"core": "1", "memory": "5"}, None, (Put(limit("core"), "5"),)),
    ("to the most", {"core": "96", "memory": "5"}, None, (Put(limit("core"), "100"),)),
    (
        "limits and requests",
        {"core": "33", "memory": "5"},
        {"core": 33},
        (Put(limit("core"), "35"), Put(limit("core", place="requests"), 35)),
    ),
    # K8S003 mends requests that differ
    ("other requests", {"core": "33", "memory": "5"}, {"core": "10"}, (Put(limit("core"), "35"),)),
    ("requests alone", {"memory": "5"}, {"core": "33"}, (Put(limit("core", place="requests"), "35"),)),
]


@pytest.mark.parametrize(("numbers", "requests", "edits"), [c[1:] for c in FIXES], ids=[c[0] for c in FIXES])
def test_fix_rounds_up(
    numbers: dict[str, Any], requests: dict[str, Any] | None, edits: tuple[Put, ...]
) -> None:
    (one,) = lint(pod(numbers, requests=requests))
    assert one.code == "TKE002"
    assert one.fix is not None
    assert not one.fix.safe
    assert one.fix.edits == edits


@pytest.mark.parametrize("core", ["0", "-5"])
def test_no_fix_where_nothing_is_near(core: str) -> None:
    (one,) = lint(pod({"core": core, "memory": "5"}))
    assert one.fix is None


@pytest.mark.parametrize("one", RULES.values(), ids=RULES)
def test_docstring_has_its_headings(one: Rule) -> None:
    titles = ["What it does", "Why", "Example", "Use instead", *(["Fix"] if one.fix else []), "Source"]
    assert list(one.sections) == titles
    assert all(one.sections.values())
    assert one.sections["Example"].count("```yaml\n") == 1
    assert one.sections["Use instead"].count("```yaml\n") == 1
    assert one.summary.endswith(".")


def test_rows_that_are_no_rule_of_this_module() -> None:
    # definitions (4, 19), and rows that K8S and GX rules report
    assert not {"TKE004", "TKE009", "TKE013", "TKE015", "TKE017", "TKE019"} & set(RULES)
