"""The rules of VKE mGPU: for each, pods that break it, at the exact path, and pods that keep it.

What only a cluster tells is in ``test_volcengine_cluster.py``.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from gpuxlate.backends.base import Taking
from gpuxlate.backends.volcengine import BACKEND
from gpuxlate.model.diagnostics import Diagnostic, Fix
from gpuxlate.model.edits import Put, Remove, Rename
from gpuxlate.model.pod import Kind, Path, PodKeys, Value
from gpuxlate.rules.base import Context, Rule, check_pod
from tests.backends.volcengine_pods import (
    LISTED,
    RECLAIMED,
    WEIGHT,
    Numbers,
    both,
    limit,
    note,
    owner,
    pod,
    several,
    values,
)

RULES = {one.code: one for one in BACKEND.rules}

PART: Numbers = both("core", 30)
OFFLINE: Numbers = both("reclaimed", 30)
RECLAIMED_CORES = {"qos": "reclaimed_cores"}

Finding = tuple[str, str, Path]
E, W, I = "error", "warning", "info"  # noqa: E741


def lint(keys: PodKeys) -> list[Diagnostic]:
    return list(check_pod(BACKEND.rules, keys, Context()))


def found(keys: PodKeys) -> list[Finding]:
    return [(d.code, str(d.severity), d.path) for d in lint(keys)]


BROKEN: list[tuple[str, PodKeys, list[Finding]]] = [
    # VKE003: pull request 3030, core > 0 and memory >= 0
    ("zero compute", pod(both("core", 0)), [("VKE003", E, limit("core"))]),
    ("negative compute", pod(both("core", -30)), [("VKE003", E, limit("core"))]),
    ("negative memory", pod({"core": 30, "memory": -1}), [("VKE003", E, limit("memory"))]),
    ("second container", pod(PART, both("core", 0)), [("VKE003", E, limit("core", 1))]),
    (
        "zero offline compute",
        pod(both("reclaimed", 0), notes=RECLAIMED_CORES),
        [("VKE003", E, limit("reclaimed")), ("VKE032", I, limit("memory"))],
    ),
    # VKE004: docs 6461/1581673, three names
    ("our own name", pod(PART, notes={"policy": "burst-share"}), [("VKE004", E, note("policy"))]),
    ("on the workload", pod(PART, owner_notes={"policy": "fixed"}), [("VKE004", E, owner("policy"))]),
    # VKE005: the nodes are known from the pod itself
    (
        "selector of another policy",
        pod(PART, notes={"policy": "fixed-share"}, selector={"policy": "native-burst-share"}),
        [("VKE005", E, note("policy"))],
    ),
    (
        "none is fixed-share",
        pod(PART, affinity=[("policy", "In", ["native-burst-share"])]),
        [("VKE005", E, limit("core"))],
    ),
    # VKE006: docs 6461/1581673, ECS only
    ("VCI annotation", pod(PART, notes={"vci": "enforce"}), [("VKE006", E, note("vci"))]),
    (
        "VCI label",
        pod(PART, labels={"vci": "enforce"}),
        [("VKE006", E, ("spec", "template", "metadata", "labels", "vke.volcengine.com/burst-to-vci"))],
    ),
    # VKE007: a node runs one device stack
    ("another container", pod(PART, {"nvidia": 1}), [("VKE007", W, limit("nvidia", 1))]),
    # VKE009: pull request 3030 iterates spec.containers
    (
        "init container",
        pod(PART, init=[{}, PART]),
        [("VKE009", E, limit("core", 1, group="initContainers"))],
    ),
    (
        "init container with memory alone",
        pod(PART, init=[{"memory": 1}]),
        [("VKE009", E, limit("memory", group="initContainers"))],
    ),
    # VKE011
    ("memory alone", pod({"memory": 4096}), [("VKE011", E, limit("memory"))]),
    ("memory alone, listed", pod({"memory": 4096}, notes=several("2")), [("VKE011", E, limit("memory"))]),
    # VKE012: at least 256 in the code, greater than 256 on the page
    ("no memory", pod({"core": 30}), [("VKE012", E, limit("core"))]),
    ("255 MiB", pod({"core": 30, "memory": 255}), [("VKE012", E, limit("memory"))]),
    ("zero memory", pod({"core": 30, "memory": 0}), [("VKE012", E, limit("memory"))]),
    ("256 MiB", pod({"core": 30, "memory": 256}), [("VKE012", W, limit("memory"))]),
    (
        "offline without memory",
        pod({"reclaimed": 30}, notes=RECLAIMED_CORES),
        [("VKE012", E, limit("reclaimed"))],
    ),
    # VKE013
    ("120", pod({"core": 120}), [("VKE013", E, limit("core"))]),
    ("120 with memory", pod(both("core", 120)), [("VKE013", E, limit("core"))]),
    ("250", pod({"core": 250}), [("VKE013", E, limit("core"))]),
    # VKE014: even 0 is refused
    ("whole with memory", pod(both("core", 100)), [("VKE014", E, limit("memory"))]),
    ("two whole with memory", pod(both("core", 200)), [("VKE014", E, limit("memory"))]),
    ("whole with no memory", pod({"core": 100, "memory": 0}), [("VKE014", E, limit("memory"))]),
    # VKE016: Go's Atoi, no trim
    *(
        (f"list {text!r}", pod(PART, {}, notes=several(text)), [("VKE016", E, note("listed"))])
        for text in ["2, 0", "", "-1,0", "2,", "two,0", "2 0", "+2,0"]
    ),
    # VKE017
    ("list too short", pod(PART, {}, notes=several("2")), [("VKE017", E, note("listed"))]),
    ("list too long", pod(PART, notes=several("2,0")), [("VKE017", E, note("listed"))]),
    ("list on the workload", pod(PART, {}, owner_notes=several("2")), [("VKE017", E, owner("listed"))]),
    (
        "init containers do not count",
        pod(PART, init=[{}], notes=several("0,2")),
        [("VKE017", E, note("listed"))],
    ),
    # VKE018
    ("cards for nothing", pod(PART, {}, notes=several("2,1")), [("VKE018", E, note("listed"))]),
    ("none for a share", pod(PART, PART, notes=several("2,0")), [("VKE018", E, note("listed"))]),
    # VKE019: 1 to 8 in the copy of 6460/182418
    (
        "nine cards",
        pod({"core": 90, "memory": 36864}, notes=several("9")),
        [("VKE019", E, note("listed"))],
    ),
    # VKE021: the design document, whole cards with redundant memory
    ("listed whole", pod(both("core", 200), notes=several("2")), [("VKE021", E, limit("memory"))]),
    ("one listed whole", pod(both("core", 100), notes=several("1")), [("VKE021", E, limit("memory"))]),
    # VKE022: the design document, 130 over 3
    ("130 of 3", pod({"core": 130, "memory": 6000}, notes=several("3")), [("VKE022", E, limit("core"))]),
    ("4097 of 2", pod({"core": 30, "memory": 4097}, notes=several("2")), [("VKE022", E, limit("memory"))]),
    (
        "neither divides",
        pod({"core": 31, "memory": 4097}, notes=several("2")),
        [("VKE022", E, limit("core")), ("VKE022", E, limit("memory"))],
    ),
    # VKE023
    ("202 of 2", pod(both("core", 202), notes=several("2")), [("VKE023", E, limit("core"))]),
    ("203 of 2", pod(both("core", 203), notes=several("2")), [("VKE023", E, limit("core"))]),
    # VKE024: 1024 to 81920 on each in the copy of 6460/182418
    ("1023 of 1", pod({"core": 30, "memory": 1023}, notes=several("1")), [("VKE024", E, limit("memory"))]),
    ("2047 of 2", pod({"core": 30, "memory": 2047}, notes=several("2")), [("VKE024", E, limit("memory"))]),
    ("none of 2", pod({"core": 30}, notes=several("2")), [("VKE024", E, limit("core"))]),
    (
        "81921 of 1",
        pod({"core": 30, "memory": 81921}, notes=several("1")),
        [("VKE024", W, limit("memory"))],
    ),
    # VKE025: one decimal of a card above 1
    ("1.23 cards", pod({"core": 123, "memory": 6144}, notes=several("3")), [("VKE025", I, limit("core"))]),
    # VKE026
    (
        "hard cap on two cards",
        pod(PART, notes={"listed": "2", "policy": "fixed-share"}),
        [("VKE026", W, note("policy"))],
    ),
    ("no policy on two cards", pod(PART, notes={"listed": "2"}), [("VKE026", W, note("listed"))]),
    # VKE028: katalyst-api has more levels than the page names
    ("no level", pod(PART, notes={"qos": "offline"}), [("VKE028", E, note("qos"))]),
    ("one of Katalyst", pod(PART, notes={"qos": "dedicated_cores"}), [("VKE028", E, note("qos"))]),
    # VKE029: the two manifests of the colocation page
    (
        "online compute offline",
        pod(PART, notes=RECLAIMED_CORES),
        [("VKE029", E, limit("core")), ("VKE032", I, limit("memory"))],
    ),
    (
        "offline compute online",
        pod(OFFLINE, notes={"qos": "shared_cores"}),
        [("VKE029", E, limit("reclaimed"))],
    ),
    ("offline compute, no level", pod(OFFLINE), [("VKE029", E, limit("reclaimed"))]),
    ("both", pod({**PART, "reclaimed": 30}), [("VKE029", E, limit("reclaimed"))]),
    (
        "both, offline",
        pod({**PART, "reclaimed": 30}, notes=RECLAIMED_CORES),
        [("VKE029", E, limit("core")), ("VKE032", I, limit("memory"))],
    ),
    # VKE030: limits of use
    (
        "offline by weight",
        pod(OFFLINE, notes={**RECLAIMED_CORES, **WEIGHT}),
        [("VKE030", E, note("policy")), ("VKE032", I, limit("memory"))],
    ),
    (
        "online by weight",
        pod(PART, notes={"qos": "shared_cores", **WEIGHT}),
        [("VKE030", W, note("policy"))],
    ),
    # VKE031: limits of use; the annotations are on the workload, as on the vendor's page
    (
        "offline on several cards",
        pod(OFFLINE, owner_notes={**RECLAIMED_CORES, "listed": "1"}),
        [("VKE031", E, owner("listed")), ("VKE032", I, limit("memory"))],
    ),
    # VKE032: no pre-emption of memory
    ("offline memory", pod(OFFLINE, notes=RECLAIMED_CORES), [("VKE032", I, limit("memory"))]),
]


@pytest.mark.parametrize(("keys", "expected"), [row[1:] for row in BROKEN], ids=[row[0] for row in BROKEN])
def test_broken(keys: PodKeys, expected: list[Finding]) -> None:
    assert found(keys) == expected


@pytest.mark.parametrize("keys", [row[1] for row in BROKEN], ids=[row[0] for row in BROKEN])
def test_the_reader_repeats_no_rule(keys: PodKeys) -> None:
    """All that it may report is numbers that only together are not a share."""
    reading = BACKEND.read(Taking(keys), None)
    assert not reading.notes
    assert {one.code for one in reading.invalid} <= {"GX011"}


KEPT: list[tuple[str, PodKeys]] = [
    ("a part of a card", pod(PART)),
    ("beside a container without GPU", pod(PART, {})),
    ("257 MiB", pod({"core": 99, "memory": 257})),
    ("whole cards", pod({"core": 800})),
    ("no mGPU at all", pod({"nvidia": 1}, init=[{"nvidia": 1}])),
    ("a Katalyst pod without GPU", pod({}, notes={"qos": "dedicated_cores"})),
    ("VCI without mGPU", pod({"nvidia": 1}, notes={"vci": "enforce"})),
    ("VCI where nothing is enforced", pod(PART, notes={"vci": "off"})),
    ("no NVIDIA card", pod(PART, {"nvidia": 0})),
    ("one container with both is K8S007", pod({**PART, "nvidia": 1})),
    ("policy", pod(PART, notes={"policy": "guaranteed-burst-share"})),
    ("weights", pod(PART, notes=WEIGHT)),
    (
        "policy of the nodes",
        pod(PART, notes=WEIGHT, affinity=[("policy", "In", ["fixed-share", "native-burst-share"])]),
    ),
    ("whole cards on any policy", pod({"core": 100}, selector=WEIGHT)),
    ("15 % of each of two", pod(PART, notes=several("2"))),
    ("50 % of each of two", pod({"core": 100, "memory": 2048}, notes=several("2"))),
    ("50 % of each of four", pod({"core": 200, "memory": 8192}, notes=several("4"))),
    ("75 % of each of two", pod({"core": 150, "memory": 4096}, notes=several("2"))),
    ("each its own", pod(PART, {}, {"core": 100}, both("core", 60), notes=several("2,0,1,4"))),
    ("listed whole cards of any policy", pod({"core": 200}, notes={"listed": "2"})),
    ("one listed card of any policy", pod(PART, notes={"listed": "1"})),
    ("81920 on each", pod({"core": 30, "memory": 163840}, notes=several("2"))),
    ("online", pod(PART, notes={"qos": "shared_cores", "policy": "guaranteed-burst-share"})),
    # K8S001 reports what is not a whole number, and no other rule repeats it
    ("fractions", pod({"core": "5.5", "memory": "1500m"})),
    ("fraction of listed cards", pod({"core": "30.5", "memory": "4096"}, notes=several("2"))),
    ("a suffix of Kubernetes", pod({"core": "30", "memory": "6k"})),
]


@pytest.mark.parametrize("keys", [row[1] for row in KEPT], ids=[row[0] for row in KEPT])
def test_kept(keys: PodKeys) -> None:
    assert found(keys) == []


def test_a_list_that_is_no_string_is_left_to_k8s008() -> None:
    keys = pod(PART)
    listed = {LISTED: Value("", Kind.NODE, note("listed"))}
    assert found(replace(keys, annotations=listed)) == []


# --- fixes and hints ------------------------------------------------------------------------------


def only(keys: PodKeys, code: str) -> Diagnostic:
    (diagnostic,) = [d for d in lint(keys) if d.code == code]
    return diagnostic


FIXES: list[tuple[str, PodKeys, str, bool, tuple[Put | Remove | Rename, ...]]] = [
    (
        "case and joints of a policy",
        pod(PART, notes={"policy": "Fixed_Share"}),
        "VKE004",
        True,
        (Put(note("policy"), "fixed-share"),),
    ),
    (
        "case and joints of a level",
        pod(PART, notes={"qos": "shared-cores"}),
        "VKE028",
        True,
        (Put(note("qos"), "shared_cores"),),
    ),
    ("whole card", pod(both("core", 100)), "VKE014", False, (Remove(limit("memory")),)),
    (
        "listed whole cards",
        pod(both("core", 200), notes={"listed": "2"}),
        "VKE021",
        False,
        (Remove(limit("memory")),),
    ),
    ("spaces", pod(PART, {}, notes=several(" 2 , 0")), "VKE016", True, (Put(note("listed"), "2,0"),)),
    ("zeros", pod({}, PART, notes=several("2")), "VKE017", False, (Put(note("listed"), "0,2"),)),
    (
        "one too many",
        pod(PART, {}, both("core", 60), notes=several("2,4")),
        "VKE017",
        False,
        (Put(note("listed"), "2,0,4"),),
    ),
    (
        "online to offline",
        pod(PART, notes=RECLAIMED_CORES),
        "VKE029",
        False,
        (Rename(limit("core"), RECLAIMED, 30),),
    ),
]


@pytest.mark.parametrize(
    ("keys", "code", "safe", "edits"), [row[1:] for row in FIXES], ids=[row[0] for row in FIXES]
)
def test_fix(keys: PodKeys, code: str, safe: bool, edits: tuple[Put | Remove | Rename, ...]) -> None:
    fix = only(keys, code).fix
    assert isinstance(fix, Fix)
    assert (fix.safe, fix.edits) == (safe, edits)
    assert RULES[code].fix == ("safe" if safe else "unsafe")


def test_a_fix_reaches_requests_too() -> None:
    keys = pod(both("core", 100), both("core", 30), notes=RECLAIMED_CORES)
    mirrored = tuple(
        replace(c, requests=values(raw, "spec", "containers", n, "resources", "requests"))
        for n, (c, raw) in enumerate(zip(keys.containers, (both("core", 100), both("core", 30)), strict=True))
    )
    keys = replace(keys, containers=mirrored)
    fixes = {(d.code, d.path): d.fix for d in lint(keys) if d.fix}
    assert fixes[("VKE014", limit("memory"))].edits == (
        Remove(limit("memory")),
        Remove(limit("memory", place="requests")),
    )
    assert fixes[("VKE029", limit("core", 1))].edits == (
        Rename(limit("core", 1), RECLAIMED, 30),
        Rename(limit("core", 1, "requests"), RECLAIMED, 30),
    )
    assert len(fixes) == 2  # whole cards of offline work: no document tells how


NO_FIX: list[tuple[str, PodKeys, str]] = [
    ("our own name of a policy", pod(PART, notes={"policy": "burst-share"}), "VKE004"),
    ("no list at all", pod(PART, notes=several("two")), "VKE016"),
    ("digits apart", pod(PART, {}, notes=several("2 0")), "VKE016"),
    ("which share has the cards", pod(PART, {}, PART, notes=several("2")), "VKE017"),
    ("which way to go", pod(OFFLINE), "VKE029"),
]


@pytest.mark.parametrize(("keys", "code"), [row[1:] for row in NO_FIX], ids=[row[0] for row in NO_FIX])
def test_no_fix_where_the_meaning_is_open(keys: PodKeys, code: str) -> None:
    assert only(keys, code).fix is None


HINTS: list[tuple[str, PodKeys, str, str]] = [
    ("GiB taken for MiB", pod({"core": 30, "memory": 4}), "VKE012", "write 4096 for 4 GiB"),
    ("nearest whole cards", pod({"core": 120}), "VKE013", "write 100 or 200 for whole cards"),
    ("part of each", pod({"core": 120}), "VKE013", "60 % of each of 2 cards"),
    ("right list", pod({}, PART, notes=several("2")), "VKE017", 'write "0,2"'),
    ("form of the list", pod(PART, {}, PART, notes=several("2")), "VKE017", "<cards of c1>,0,<cards of c3>"),
    ("nearest that divide", pod(both("core", 31), notes=several("2")), "VKE022", "write 30 or 32"),
    ("not below one each", pod(both("core", 1), notes=several("2")), "VKE022", "write 2"),
    ("cards for the compute", pod(both("core", 202), notes=several("2")), "VKE023", "at least 3 cards"),
    ("total, not each", pod({"core": 30, "memory": 1024}, notes=several("2")), "VKE024", "write 2048"),
    ("our own name", pod(PART, notes={"policy": "burst-share"}), "VKE004", "write guaranteed-burst-share"),
    (
        "near miss",
        pod(PART, notes={"policy": "natve-burst-share"}),
        "VKE004",
        "did you mean native-burst-share?",
    ),
    ("our own class", pod(PART, notes={"qos": "offline"}), "VKE028", "write reclaimed_cores"),
]


@pytest.mark.parametrize(("keys", "code", "part"), [row[1:] for row in HINTS], ids=[row[0] for row in HINTS])
def test_hint(keys: PodKeys, code: str, part: str) -> None:
    assert part in (only(keys, code).hint or "")


def test_a_list_of_the_wrong_length_names_the_containers() -> None:
    assert "(c1, c2)" in only(pod(PART, {}, notes=several("2")), "VKE017").message


def test_every_finding_says_what_to_write() -> None:
    every = [d for _, keys, _ in BROKEN for d in lint(keys)]
    assert {d.code for d in every} == set(RULES) - {"VKE010", "VKE020", "VKE033", "VKE034"}
    assert all(d.hint for d in every)


# --- the docstrings -------------------------------------------------------------------------------


def test_rows_that_are_no_rule_of_this_module() -> None:
    """Rows 1, 2 and 8 are K8S001 to K8S005; 15 and 27 are no predicates; 35 to 41 are EMR's."""
    assert not {f"VKE{row:03}" for row in (1, 2, 8, 15, 27, *range(35, 42))} & set(RULES)


@pytest.mark.parametrize("one", RULES.values(), ids=lambda one: one.code)
def test_docstring(one: Rule) -> None:
    headings = ["What it does", "Why", "Example", "Use instead", *(["Fix"] if one.fix else []), "Source"]
    assert list(one.sections) == headings
    assert all(one.sections.values())
    assert one.summary.endswith(".")
    assert all("```yaml\n" in one.sections[heading] for heading in ("Example", "Use instead"))
