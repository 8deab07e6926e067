"""Keys in the text of a manifest that stands in a string."""

from __future__ import annotations

import pytest

from gpuxlate.manifest.facts import _EMBEDDED


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("limits: {vke.volcengine.com/mgpu-core: 30}", ["vke.volcengine.com/mgpu-core"]),
        ("limits:\n  aliyun.com/gpu-mem: 3\n  'aliyun.com/x' : 1", ["aliyun.com/gpu-mem", "aliyun.com/x"]),
        ('{"aliyun.com/gpu-mem":1,"a.b/c":"aliyun.com/gpu-mem.x"}', ["aliyun.com/gpu-mem", "a.b/c"]),
        ('{\\"aliyun.com/gpu-mem\\":1}', ["aliyun.com/gpu-mem"]),
        ("- - aliyun.com/gpu-mem: 1", ["aliyun.com/gpu-mem"]),
        # prose that mentions a key is no manifest
        ("Ask for aliyun.com/gpu-mem: it counts GiB.\nSee aliyun.com/gpu-count too.", []),
        ("/spec/limits/aliyun.com~1gpu-mem", []),
        ("--a.b/c ..d.e/f a/b .com/x x./y", []),
        ("a." * 50_000 + "\n/", []),
    ],
)
def test_keys_with_a_domain(text: str, keys: list[str]) -> None:
    assert _EMBEDDED.findall(text) == keys
