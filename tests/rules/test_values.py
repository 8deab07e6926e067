"""GX007 and GX008: numbers that Kubernetes takes and nobody means so."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from gpuxlate.backends.alibaba.profile import AlibabaProfile
from gpuxlate.model.edits import Put
from gpuxlate.model.pod import Kind, Value
from gpuxlate.model.profile import Profile
from gpuxlate.rules.numerals import readings

MIB = "vke.volcengine.com/mgpu-memory"
PERCENT = "vke.volcengine.com/mgpu-core"
GIB = "tke.cloud.tencent.com/qgpu-memory"
ACK_GIB = "aliyun.com/gpu-mem"


@pytest.mark.parametrize(
    ("key", "number", "instead"),
    [
        (ACK_GIB, "4096", "write 4 for 4096 MiB"),
        (ACK_GIB, "16276", "write 16 for 16276 MiB"),  # facts A-M6: MiB in an open-source sample
        (GIB, '"1025"', "write 2 for 1025 MiB"),
        (MIB, "4", "write 4096 for 4 GiB"),
        (MIB, "63", "write 64512 for 63 GiB"),
        ("gpuxlate.io/memory-mib", "8", "write 8192 for 8 GiB"),
    ],
)
def test_implausible_sizes(lint_limits: Callable[..., Any], key: str, number: str, instead: str) -> None:
    found = lint_limits(f"{key}: «{number}»", f"{key}: {number}")
    assert found.codes == ["GX007"]  # once, though it stands in requests too
    assert found.places("GX007") == found.marked
    assert found.of("GX007")[0].hint.startswith(instead)


@pytest.mark.parametrize(
    ("key", "number"),
    [
        (ACK_GIB, "1024"),
        (ACK_GIB, "8"),
        (MIB, "64"),
        (MIB, "81920"),
        (MIB, "0"),  # the vendor's rules know zero and below
        (MIB, "-4"),
        (MIB, "2Gi"),  # K8S002
        (PERCENT, "4096"),
        ("nvidia.com/gpu", "4096"),
    ],
)
def test_plausible_sizes(lint_limits: Callable[..., Any], key: str, number: str) -> None:
    assert not lint_limits(f"{key}: {number}").of("GX007")


def test_a_profile_says_the_unit(lint_limits: Callable[..., Any]) -> None:
    mib = Profile("alibaba-gpushare", extensions=(AlibabaProfile(memory_unit_mib=1),))
    assert not lint_limits(f"{ACK_GIB}: 4096", profile=mib).of("GX007")
    assert lint_limits(f"{ACK_GIB}: 4096", profile=Profile("alibaba-gpushare")).of("GX007")


# what is written, what the fix writes, what the message says of the readers
ODD: list[tuple[str, int | None, str]] = [
    ("1e3", 1000, ""),
    ('"1e3"', 1000, ""),
    ("1.5e3", 1500, ""),
    ("+5", 5, ""),
    ("05", 5, ""),  # 5 in both bases
    ('"0030"', 30, ""),  # quoted: Kubernetes' own reading alone
    ("0x10", 16, ""),  # YAML 1.1 and 1.2 agree
    ("089", 89, ""),  # no octal number
    ("0030", None, "30 or 24"),
    ("1_000", None, "1000 or no number"),
    ("0o17", None, "15 or no number"),
    ("0b11", None, "3 or no number"),
]


@pytest.mark.parametrize(("text", "written", "said"), ODD)
def test_numbers_that_are_not_plain(
    lint_limits: Callable[..., Any], text: str, written: int | None, said: str
) -> None:
    found = lint_limits(f"{PERCENT}: «{text}»")
    assert found.codes == ["GX008"]
    assert found.places("GX008") == found.marked
    one = found.of("GX008")[0]
    if written is None:
        assert one.fix is None
        assert one.message.endswith(said)
    else:
        assert one.fix.safe
        assert one.fix.edits == (Put(one.path, written),)


@pytest.mark.parametrize("text", ["30", '"30"', "0", "-1", "30.0", "4Gi", "1e-3", "abc", '"0x10"', '"1_000"'])
def test_plain_numbers_and_those_of_other_rules(lint_limits: Callable[..., Any], text: str) -> None:
    assert not lint_limits(f"{PERCENT}: {text}").of("GX008")


def test_odd_numbers_of_no_vendor_are_left_alone(lint_limits: Callable[..., Any]) -> None:
    assert lint_limits("example.com/gpu-mem: 0x10, memory: 1e9").codes == []


def test_a_long_text_is_no_number() -> None:
    assert readings(Value("0" * 100_000, Kind.INT)) == ()
