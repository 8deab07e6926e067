"""Keys in the text of a manifest that stands in a string."""

from __future__ import annotations

import pytest

from gpuxlate.manifest.facts import _EMBEDDED


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("limits: {vke.volcengine.com/mgpu-core: 30}", ["vke.volcengine.com/mgpu-core"]),
        ("/spec/limits/aliyun.com~1gpu-mem", []),
        ('"aliyun.com/gpu-mem":"aliyun.com/gpu-mem.x"', ["aliyun.com/gpu-mem", "aliyun.com/gpu-mem.x"]),
        ("--a.b/c ..d.e/f a/b .com/x x./y", ["a.b/c", "d.e/f"]),
        ("a.b/ca.b/c/d.e/f", ["a.b/ca.b", "d.e/f"]),
        ("a..b/c a.-/d", ["a..b/c", "a.-/d"]),
        ("a." * 50_000 + "\n/", []),
    ],
)
def test_keys_with_a_domain(text: str, keys: list[str]) -> None:
    assert _EMBEDDED.findall(text) == keys
