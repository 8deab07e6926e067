"""The rules of no vendor, K8S and GX: the rows of cases.yaml, and what a row cannot say."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from gpuxlate.backends import registry
from gpuxlate.model import quantity
from gpuxlate.model.diagnostics import Severity
from gpuxlate.model.pod import ContainerKeys, Kind, PodKeys, Value
from gpuxlate.model.sheet import Place
from gpuxlate.rules.base import Context
from gpuxlate.rules.keys import key_is_known
from gpuxlate.rules.numerals import readings
from gpuxlate.rules.vocabulary import distance, nearest
from tests.rules.findings import DIALECTS, Found, fix_of, found_in, lint, manifest, rows

PERCENT = "vke.volcengine.com/mgpu-core"
NUMBERS = ("K8S001 error", "K8S002 error")
ROWS = [
    pytest.param(title, row, id=f"{title.split()[0]} {next(iter(row.values()))}")
    for title, listed in rows().items()
    for row in listed
]


def check(found: Found, title: str, row: dict[str, Any]) -> None:
    wanted = row.get("found", title if found.marked else [])
    wanted = [wanted] if isinstance(wanted, str) else wanted
    assert sorted(f"{one.code} {one.severity}" for one in found.diagnostics) == sorted(wanted)
    if wanted:
        code = wanted[0].split()[0]
        first = found.of(code)[0]
        help_ = f"did you mean {row['meant']}?" if "meant" in row else row.get("help", first.hint)
        assert (fix_of(first), first.hint) == (row.get("fix"), help_)
        assert row.get("says", "") in first.message
        assert first.hint or title not in NUMBERS
        assert not found.marked or set(found.places(code)) == set(found.marked)


@pytest.mark.parametrize(("title", "row"), ROWS)
def test_a_row(title: str, row: dict[str, Any]) -> None:
    check(found_in(row), title, row)
    if title in NUMBERS and not {"requests", "unit"} & set(row):
        there = found_in({**row, "limits": "", "requests": row["limits"]})
        others = [one for one in there.diagnostics if one.code != "K8S004"]
        check(Found(others, there.marked), title, row)


def test_a_number_that_no_reader_counts_is_reported() -> None:
    """A reader gives no share for such a value, and leaves it to these rules to say why."""
    texts = ["3.5", "0x1E", "0o36", "0b11", "1_000", "-0x1", "1e30", "3E-1", "30%", "9Ei", "4GB", "4 Gi"]
    texts += ["1Zi", "abc", "", "true", "~", ".5", "1:30", "1.0.0", "inf", "_", "٣", "9" * 65]
    texts += [str(quantity.LIMIT + 1)]
    assert [text for text in texts if quantity.whole(text) is not None] == []
    # unquoted, GX008: 30 to some versions
    bare = [text for text in texts if not {"K8S001", "K8S002", "GX008"} & codes(f"{PERCENT}: {text}")]
    quoted = [text for text in texts if not {"K8S001", "K8S002"} & codes(f'{PERCENT}: "{text}"')]
    assert (bare, quoted) == ([], [])


def codes(limits: str) -> set[str]:
    return set(lint(manifest(limits)).codes)


def test_a_long_text_is_no_number() -> None:
    [one] = lint(manifest(f"{PERCENT}: {'9' * 100_000}")).of("K8S001")
    assert len(one.message) < 200
    assert readings(Value("0" * 100_000, Kind.INT)) == ()


def test_names_that_are_no_near_miss() -> None:
    names = (
        *(PERCENT, "nvidia.com/gpu", "nvidia.com/gpus", "amd.com/gpu", "app.kubernetes.io/name", "mgpu-core"),
        "aliyun.com/ppu",  # a real resource, one letter from aliyun.com/gpu
        "tke.cloud.tencent.com/eni-ip",  # rules.md: none of ours
        *("vke.volcengine.com/rdma", "vke.volcengine.com/eni-ip", "gpuxlate.io/ignore"),
        "tencent.com/vcuda-core",  # GX006
        "vke.volcengine.com/assumed",  # GX004
        # another domain: a label is added, taken away or replaced
        *("gpuxlate.io.x/qos", "x.gpuxlate.io/qos", "gpuxlate.cn/qos"),
        *("a.aliyun.com/gpu-mem", "aliyun.com.a/gpu-mem"),
        # products that are known by name
        *("nvidia.com/vgpu-cores", "nvidia.com/vgpu-memory", "nvidia.com/vgpu-number"),
        *("volcano.sh/gpu-number", "amd.com/gpumem"),
    )
    found = {name: lint(manifest(metadata=f"annotations: {{{name}: x}}")).of("GX003") for name in names}
    assert [name for name, missed in found.items() if missed] == []


def test_a_name_that_a_dialect_claims_is_its_own() -> None:
    keys = PodKeys(containers=(ContainerKeys(limits={"aliyun.com/gpu-core": Value("30")}),))
    ack = next(one for one in DIALECTS if one.name == "alibaba-gpushare")
    same = {name: getattr(ack, name) for name in ("keys", "gpu_prefixes", "domains", "find", "owns")}
    same |= {"look_alikes": (), "reads_only": False, "whole_card_key": None, "also_speaks": None}
    bare: Any = SimpleNamespace(name="ack", title="ACK", **same)
    assert [one.code for one in key_is_known(keys, Context(dialects=(bare,)))] == ["GX003"]
    reporting: Any = SimpleNamespace(**vars(bare), wrong_names=("aliyun.com/gpu-core",))
    assert list(key_is_known(keys, Context(dialects=(reporting,)))) == []


def test_edit_distance() -> None:
    cases = [
        ("gpu", "gpu", 0),
        ("gpu", "gpus", 1),
        ("mgpu", "mpgu", 2),
        ("core", "memory", None),
        ("", "ab", 2),
    ]
    for one, other, expected in cases:
        assert distance(one, other, 2) == distance(other, one, 2) == expected, (one, other)
    assert nearest("ab", ["abcd", "abc", "abd"], 2) == "abc"  # the first of equals
    assert nearest("ab", ["xyz"], 2) is None


def test_a_mark_of_a_scheduler_asks_for_nothing() -> None:
    """Contract, section 3: in resources it is a user's mistake and an error, never removed."""
    rows_of_all = [row for backend in registry.pod_backends() for row in backend.keys]
    marks = {row.name.replace("*", "web") for row in rows_of_all if row.places == {Place.SCHEDULER}}
    wrong = {}
    for name in marks:
        for parts in (
            {"limits": f"«{name}»: 1"},
            {"requests": f"«{name}»: 1"},
            {"spec": f"nodeSelector: {{«{name}»: a}}"},
            {"affinity": f"{{key: «{name}», operator: Exists}}"},
        ):
            found = lint(manifest(**parts))
            said = [(one.code, one.severity, one.fix) for one in found.diagnostics]
            if (said, found.places("GX013")) != ([("GX013", Severity.ERROR, None)], found.marked):
                wrong[str(parts)] = said
    assert wrong == {}
    assert len(marks) > 50


def test_what_a_mark_was_meant_to_be() -> None:
    found = lint(manifest("hami.io/vgpu-memory: 4000, vke.volcengine.com/assumed: 1"))
    assert [one.hint for one in found.of("GX013")] == [
        "did you mean nvidia.com/gpumem?",
        "remove it, or write the keys of Volcengine VKE, mGPU that request a share",
    ]
