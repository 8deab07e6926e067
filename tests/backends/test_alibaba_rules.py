"""The rules of ACK: for each, pods that break it and pods that keep it, with the place that is marked."""

from __future__ import annotations

import pytest

from gpuxlate.backends.alibaba import BACKEND
from gpuxlate.backends.alibaba import keys as k
from gpuxlate.model.diagnostics import Diagnostic, Severity
from gpuxlate.model.edits import Put, Remove, Rename
from gpuxlate.model.pod import Path, PodKeys
from gpuxlate.model.profile import AlibabaProfile, CardProfile, Profile
from gpuxlate.rules.base import Context, Rule
from tests.backends.alibaba_pods import in_affinity, limit, node_selector, pod

RULES = {one.code: one for one in BACKEND.rules}

# A10 of 22731 MiB (Volcengine, EMR Serverless mGPU): 22 units of 1 GiB; 4 cards on a node
A10 = Profile("alibaba-gpushare", cards=CardProfile("A10", 4, 22731))
OTHER = Profile("volcengine-mgpu", cards=A10.cards)
OPEN = Profile("ack", alibaba=AlibabaProfile(open_source=True))
SMALL = Profile("ack", alibaba=AlibabaProfile(memory_unit_mib=128, isolation="share"))
SMALL_CGPU = Profile("ack", alibaba=AlibabaProfile(memory_unit_mib=128))
SHARE = Profile("ack", alibaba=AlibabaProfile(isolation="share"))

MEM: dict[str, int | str] = {k.MEMORY: 2}
BOTH: dict[str, int | str] = {k.MEMORY: 2, k.CORE: 30}
TWO: dict[str, int | str] = {k.COUNT: "2"}
ON_CORE_MEM: dict[str, int | str] = {k.SCHEDULE: "core_mem"}
LABEL: Path = ("metadata", "labels", k.COUNT)
MODE = node_selector(k.SCHEDULE)

Found = list[tuple[Path, Severity]]
ERROR, WARNING, INFO = Severity.ERROR, Severity.WARNING, Severity.INFO

BREAKS: list[tuple[str, PodKeys, Profile | None, Found]] = [
    ("ACK001", pod({k.MEMORY: 0}), None, [(limit(k.MEMORY), ERROR)]),
    ("ACK001", pod({}, {k.MEMORY: "-1"}), None, [(limit(k.MEMORY, 1), ERROR)]),
    ("ACK002", pod({k.MEMORY: 7}, labels=TWO), None, [(limit(k.MEMORY), ERROR)]),
    ("ACK002", pod({k.MEMORY: 1}, labels={k.COUNT: "4"}), None, [(limit(k.MEMORY), ERROR)]),
    ("ACK002", pod({k.MEMORY: 4}, {k.MEMORY: 3}, labels=TWO), None, [(LABEL, ERROR)]),
    ("ACK002", pod(MEM, labels={k.COUNT: "two"}), None, [(LABEL, ERROR)]),
    ("ACK002", pod(MEM, labels={k.COUNT: "0"}), None, [(LABEL, ERROR)]),
    ("ACK002", pod({k.MEMORY: 7}, owner_labels=TWO), None, [(limit(k.MEMORY), ERROR)]),
    ("ACK002", pod({k.TOPOLOGY: 2}, labels=TWO), None, [(LABEL, WARNING)]),
    ("ACK003", pod({k.MEMORY: 8}, labels={k.COUNT: "8"}), A10, [(LABEL, ERROR)]),
    ("ACK003", pod({k.TOPOLOGY: 8}), A10, [(limit(k.TOPOLOGY), ERROR)]),
    ("ACK004", pod({k.MEMORY: 23}), A10, [(limit(k.MEMORY), ERROR)]),
    ("ACK004", pod({k.MEMORY: 46}, labels=TWO), A10, [(limit(k.MEMORY), ERROR)]),
    ("ACK005", pod(BOTH, labels=TWO), None, [(limit(k.CORE), ERROR)]),
    ("ACK006", pod({k.MEMORY: 2, k.CORE: 33}), None, [(limit(k.CORE), ERROR)]),
    ("ACK006", pod({k.MEMORY: 2, k.CORE: 0}), None, [(limit(k.CORE), ERROR)]),
    ("ACK006", pod({k.MEMORY: 2, k.CORE: 105}), None, [(limit(k.CORE), ERROR)]),
    ("ACK007", pod({k.CORE: 30}, MEM), None, [(limit(k.CORE), ERROR)]),
    ("ACK008", pod(BOTH), None, [(limit(k.CORE), WARNING)]),
    ("ACK008", pod(BOTH, selector={k.SCHEDULE: "cgpu"}), None, [(MODE, WARNING)]),
    (
        "ACK008",
        pod(BOTH, affinity=in_affinity(k.SCHEDULE, "cgpu", "share")),
        None,
        [(("spec", "affinity", k.SCHEDULE), WARNING)],
    ),
    # found in public manifests: aliyun.com/gpu-core beside gpu-mem
    ("ACK010", pod({k.MEMORY: 2, k.NO_CORE: 50}), None, [(limit(k.NO_CORE), ERROR)]),
    ("ACK011", pod(MEM, {k.WHOLE: 1}), None, [(limit(k.WHOLE, 1), WARNING)]),
    ("ACK011", pod(MEM, {k.TOPOLOGY: 1}), None, [(limit(k.TOPOLOGY, 1), WARNING)]),
    ("ACK011", pod({k.WHOLE: 1, k.TOPOLOGY: 1}), None, [(limit(k.TOPOLOGY), ERROR)]),
    ("ACK011", pod({k.WHOLE: 1}, {k.TOPOLOGY: 1}), None, [(limit(k.TOPOLOGY, 1), WARNING)]),
    ("ACK013", pod(MEM, MEM, MEM), OPEN, [(limit(k.MEMORY, 1), ERROR), (limit(k.MEMORY, 2), ERROR)]),
    ("ACK014", pod({k.MEMORY: 8}, labels=TWO), OPEN, [(LABEL, ERROR)]),
    ("ACK015", pod(MEM, selector={k.SCHEDULE: "cgpu"}), SMALL, [(MODE, ERROR)]),
    ("ACK015", pod(MEM), SMALL_CGPU, [(limit(k.MEMORY), ERROR)]),
    ("ACK016", pod({k.MEMORY: 1}), A10, [(limit(k.MEMORY), WARNING)]),
    ("ACK016", pod({k.MEMORY: 2}, labels=TWO), A10, [(limit(k.MEMORY), WARNING)]),
    ("ACK017", pod(MEM, selector={k.SCHEDULE: "core-mem"}), None, [(MODE, ERROR)]),
    ("ACK017", pod(MEM, selector={k.SCHEDULE: "mig"}), None, [(MODE, WARNING)]),
    ("ACK017", pod(MEM, selector={k.PLACEMENT: "pack"}), None, [(node_selector(k.PLACEMENT), ERROR)]),
    (
        "ACK017",
        pod(MEM, affinity=in_affinity(k.SCHEDULE, "cgpu", "egpu")),
        None,
        [(("spec", "affinity", k.SCHEDULE), ERROR)],
    ),
    ("ACK019", pod(MEM, selector={k.SCHEDULE: "share"}), None, [(MODE, INFO)]),
    ("ACK019", pod(MEM), SHARE, [(limit(k.MEMORY), INFO)]),
    ("ACK019", pod(MEM), OPEN, [(limit(k.MEMORY), INFO)]),
    (
        "ACK019",
        pod(MEM, env={k.DISABLE: "true"}),
        None,
        [(("spec", "containers", 0, "env", k.DISABLE), INFO)],
    ),
]

KEEPS: list[tuple[str, PodKeys, Profile | None]] = [
    ("ACK001", pod({k.MEMORY: 1}), None),
    ("ACK001", pod({k.MEMORY: "5.5"}), None),  # K8S001
    ("ACK002", pod({k.MEMORY: 8}, labels=TWO), None),
    ("ACK002", pod({k.MEMORY: 7}), None),
    ("ACK002", pod({k.MEMORY: "7.5"}, labels=TWO), None),  # K8S001
    ("ACK003", pod({k.MEMORY: 8}, labels={k.COUNT: "4"}), A10),
    ("ACK003", pod({k.MEMORY: 8}, labels={k.COUNT: "8"}), None),
    ("ACK003", pod({k.MEMORY: 8}, labels={k.COUNT: "8"}), OTHER),
    ("ACK004", pod({k.MEMORY: 22}), A10),
    ("ACK004", pod({k.MEMORY: 44}, labels=TWO), A10),
    ("ACK004", pod({k.MEMORY: 23}), OTHER),
    ("ACK005", pod(BOTH, labels={k.COUNT: "1"}), None),
    ("ACK005", pod(MEM, labels=TWO), None),
    ("ACK006", pod({k.MEMORY: 2, k.CORE: 5}), None),
    ("ACK006", pod({k.MEMORY: 2, k.CORE: 100}), None),
    ("ACK006", pod({k.MEMORY: 2, k.CORE: "3k3"}), None),  # K8S002
    ("ACK007", pod(BOTH), None),
    ("ACK007", pod(MEM), None),
    ("ACK008", pod(BOTH, selector=ON_CORE_MEM), None),
    ("ACK008", pod(BOTH, affinity=in_affinity(k.SCHEDULE, "core_mem")), None),
    ("ACK008", pod(BOTH, selector={k.SCHEDULE: "core-mem"}), None),  # ACK017
    ("ACK008", pod(MEM), None),
    ("ACK010", pod(BOTH), None),
    ("ACK011", pod(MEM, MEM), None),
    ("ACK011", pod({k.TOPOLOGY: 1}, {k.TOPOLOGY: 1}), None),
    ("ACK011", pod({k.MEMORY: 2, k.TOPOLOGY: 1}), None),  # K8S007
    ("ACK011", pod({k.MEMORY: 2, k.WHOLE: 1}), None),  # K8S007
    ("ACK011", pod(MEM, {k.WHOLE: 0}), None),
    ("ACK013", pod(MEM, {"cpu": 1}), OPEN),
    ("ACK013", pod(MEM, MEM), None),
    ("ACK014", pod({k.MEMORY: 8}, labels={k.COUNT: "1"}), OPEN),
    ("ACK014", pod({k.MEMORY: 8}, labels=TWO), None),
    ("ACK015", pod(MEM, selector={k.SCHEDULE: "share"}), SMALL_CGPU),
    ("ACK015", pod(MEM), SMALL),
    ("ACK015", pod(MEM, selector={k.SCHEDULE: "cgpu"}), None),
    ("ACK016", pod({k.MEMORY: 2}), A10),
    ("ACK016", pod({k.MEMORY: 1}), None),
    ("ACK017", pod(MEM, selector={k.SCHEDULE: "core_mem", k.PLACEMENT: "spread"}), None),
    ("ACK017", pod(MEM, affinity=in_affinity(k.SCHEDULE, operator="Exists")), None),
    ("ACK019", pod(MEM, selector={k.SCHEDULE: "cgpu"}), SHARE),
    ("ACK019", pod(MEM, env={k.DISABLE: "false"}), None),
    ("ACK019", pod({k.TOPOLOGY: 1}, selector={k.SCHEDULE: "share"}), None),
]


def found(code: str, keys: PodKeys, profile: Profile | None = None) -> list[Diagnostic]:
    return list(RULES[code](keys, Context(profile)))


@pytest.mark.parametrize(("code", "keys", "profile", "expected"), BREAKS)
def test_breaks(code: str, keys: PodKeys, profile: Profile | None, expected: Found) -> None:
    diagnostics = found(code, keys, profile)
    assert [(one.path, one.severity) for one in diagnostics] == expected
    assert {one.code for one in diagnostics} == {code}
    assert all(one.message and one.hint for one in diagnostics)


@pytest.mark.parametrize(("code", "keys", "profile"), KEEPS)
def test_keeps(code: str, keys: PodKeys, profile: Profile | None) -> None:
    assert found(code, keys, profile) == []


def test_every_rule_is_broken_and_kept() -> None:
    # ACK009 is GX013, ACK012 is K8S003, ACK018 shows in no manifest
    assert not {"ACK009", "ACK012", "ACK018"} & set(RULES)
    assert {row[0] for row in BREAKS} == set(RULES)
    assert {row[0] for row in KEEPS} == set(RULES)


VENDORS_OWN: dict[str, PodKeys] = {
    # multi-card-sharing-through-shared-gpu-scheduling, 2025-04-19
    "two cards": pod({k.MEMORY: 8}, labels=TWO),
    # AlibabaCloudDocs/csk, "Use node pools to control cGPU"
    "cgpu": pod({k.MEMORY: 3}, selector={k.SCHEDULE: "cgpu"}),
    # use-cgpu-to-allocate-computing-power, 2026-03-26, with the selector that the page recommends
    "compute": pod(BOTH, selector=ON_CORE_MEM),
}


@pytest.mark.parametrize("profile", [None, OTHER], ids=["no profile", "of another target"])
@pytest.mark.parametrize("keys", VENDORS_OWN.values(), ids=VENDORS_OWN)
def test_vendors_own_examples_are_clean(keys: PodKeys, profile: Profile | None) -> None:
    assert [one for code in RULES for one in found(code, keys, profile)] == []


# --- fixes ------------------------------------------------------------------------------------

FIXES: list[tuple[str, PodKeys, bool, tuple[object, ...]]] = [
    ("ACK002", pod({k.MEMORY: 7}, labels=TWO), False, (Put(limit(k.MEMORY), 8),)),
    ("ACK002", pod({k.MEMORY: "7"}, labels=TWO), False, (Put(limit(k.MEMORY), "8"),)),
    ("ACK005", pod(BOTH, labels=TWO), False, (Remove(limit(k.CORE)),)),
    (
        "ACK006",
        pod({k.MEMORY: 2, k.CORE: 33}, requests={k.MEMORY: 2, k.CORE: 33}),
        False,
        (
            Put(limit(k.CORE), 35),
            Put(("spec", "containers", 0, "resources", "requests", k.CORE), 35),
        ),
    ),
    ("ACK008", pod(BOTH), False, (Put(MODE, "core_mem"),)),
    ("ACK010", pod({k.MEMORY: 2, k.NO_CORE: 50}), True, (Rename(limit(k.NO_CORE), k.CORE, 50),)),
    ("ACK010", pod({k.MEMORY: 2, k.NO_CORE: "50"}), True, (Rename(limit(k.NO_CORE), k.CORE, "50"),)),
    ("ACK010", pod({k.NO_CORE: 50}), False, (Rename(limit(k.NO_CORE), k.CORE, 50),)),
    ("ACK010", pod({k.MEMORY: 2, k.NO_CORE: 33}), False, (Rename(limit(k.NO_CORE), k.CORE, 33),)),
    ("ACK017", pod(MEM, selector={k.SCHEDULE: "Core-Mem"}), True, (Put(MODE, "core_mem"),)),
]


@pytest.mark.parametrize(("code", "keys", "safe", "edits"), FIXES)
def test_fixes(code: str, keys: PodKeys, safe: bool, edits: tuple[object, ...]) -> None:
    [one] = found(code, keys)
    assert one.fix is not None
    assert (one.fix.safe, one.fix.edits) == (safe, edits)
    assert RULES[code].fix == "safe" if safe else RULES[code].fix is not None


@pytest.mark.parametrize(
    ("code", "keys"),
    [
        ("ACK002", pod({k.MEMORY: 4}, {k.MEMORY: 3}, labels=TWO)),  # which of the two is not certain
        ("ACK006", pod({k.MEMORY: 2, k.CORE: 0})),
        ("ACK006", pod({k.MEMORY: 2, k.CORE: 200})),
        ("ACK010", pod({k.MEMORY: 2, k.CORE: 30, k.NO_CORE: 50})),  # the right key is there already
        ("ACK010", pod({k.MEMORY: 2, k.NO_CORE: "0.5"})),
        ("ACK017", pod(MEM, selector={k.SCHEDULE: "gpu"})),
        ("ACK017", pod(MEM, affinity=in_affinity(k.SCHEDULE, "core-mem"))),
    ],
)
def test_no_fix_where_nothing_is_certain(code: str, keys: PodKeys) -> None:
    [one] = found(code, keys)
    assert one.fix is None


# --- docstrings -------------------------------------------------------------------------------


@pytest.mark.parametrize("one", RULES.values(), ids=RULES)
def test_docstring_has_its_headings(one: Rule) -> None:
    fix = ["Fix"] if one.fix else []
    expected = ["What it does", "Why", "Example", "Use instead", *fix, "Source"]
    assert list(one.sections) == expected
    assert all(one.sections.values())
    assert one.summary.endswith(".")
    assert one.sections["Example"].startswith("```yaml\n")
    assert one.sections["Use instead"].count("```") == 2
