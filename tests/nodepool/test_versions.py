"""Versions of the three clouds, compared exactly."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gpuxlate.model import versions

AT_LEAST = [
    ("v1.28.15-vke.19", "v1.28.15-vke.19", True), ("v1.28.15-vke.18", "v1.28.15-vke.19", False),
    ("v1.28.15-vke.100", "v1.28.15-vke.19", True),  # numbers, not text
    ("v1.28.16-vke.1", "v1.28.15-vke.19", True), ("v1.28.3-vke.99", "v1.28.15-vke.19", False),
    ("1.28.15", "v1.28.15-vke.19", None), ("1.28.16", "v1.28.15-vke.19", True),  # the build is not told
    # another vendor's builds
    ("v1.28.9-aliyun.1", "v1.28.15-vke.19", None), ("v1.30.1-aliyun.1", "v1.28.15-vke.19", None),
    ("v1.28.9-aliyun.1", "1.20", True), ("v1.18.8-aliyun.1", "1.20", False),
    ("v1.24.4-tke.5", "1.14", True), ("v1.14.0-tke.30", "1.14", True), ("v1.12.4-tke.30", "1.14", False),
    ("0.07.35.23", "0.07.35.23", True), ("0.7.36", "0.07.35.23", True), ("0.07.35", "0.07.35.23", False),
    ("v0.6", "v0.6.0", True), ("v0.10.0", "v0.6.1", True), (" 1.1.1\n", "1.1.1", True),
    # older or newer, the form does not tell
    ("1.1.1-rc.1", "1.1.1", None), ("1.1.1+build", "1.1.1", None), ("v1.28.15-eks-1234", "1.14", None),
    ("latest", "v0.6.1", None), ("", "v0.6.1", None), ("١.٢", "1.0", None),
]  # fmt: skip


def test_at_least() -> None:
    said = {(found, least): versions.at_least(found, least) for found, least, _ in AT_LEAST}
    assert said == {(found, least): expected for found, least, expected in AT_LEAST}


COLOCATION = ("v1.24.17-vke.38", "v1.26.15-vke.26", "v1.28.15-vke.19", "v1.30.4-vke.3")

IN_MINOR = {  # the colocation page of VKE, 2025-03-13
    True: "v1.24.17-vke.38 v1.26.15-vke.26 v1.28.15-vke.19 v1.30.4-vke.3 v1.32.0-vke.1",
    # of 1.25: "and above, of 1.24"
    False: "v1.24.17-vke.37 v1.25.16-vke.99 v1.26.15-vke.25 v1.29.1-vke.1 v1.30.4-vke.2 v1.20.15-vke.1",
    None: "v1.28.15 v1.28 v1.32.1-aliyun.1 unknown",
}


def test_at_least_in_minor() -> None:
    wanted = {found: expected for expected, texts in IN_MINOR.items() for found in texts.split()}
    assert {found: versions.at_least_in_minor(found, COLOCATION) for found in wanted} == wanted


@given(st.text(alphabet="v0123456789.-vketaliyun x", max_size=20), st.text(max_size=20))
def test_no_text_is_too_much(one: str, other: str) -> None:
    forward, back = versions.at_least(one, other), versions.at_least(other, one)
    assert {forward, back} != {False}  # of two versions one is the later, or they are the same
    assert versions.at_least_in_minor(one, COLOCATION) in (True, False, None)
