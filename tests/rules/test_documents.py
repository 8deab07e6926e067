"""GX002, GX005 and GX014: what concerns a document, not one pod."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from gpuxlate.model.diagnostics import Severity

HEAD = "apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec:\n  containers:\n"
MIB = "vke.volcengine.com/mgpu-memory"
PERCENT = "vke.volcengine.com/mgpu-core"


@pytest.mark.parametrize(
    "text",
    [
        HEAD + f"  - resources:\n      limits:\n        {MIB}: 4096\n        «{MIB}»: 2048\n",
        HEAD + "  - name: a\n    image: a\n    «name»: b\n",
        "kind: ConfigMap\ndata: {a: b, «a»: c}\n",
        "kind: ConfigMap\n---\nkind: Secret\n«kind»: ConfigMap\n",
    ],
)
def test_a_key_given_twice(lint: Callable[..., Any], text: str) -> None:
    found = lint(text)
    assert found.codes == ["GX002"]
    assert found.places("GX002") == found.marked
    assert found.of("GX002")[0].severity is Severity.ERROR


def test_equal_keys_of_two_mappings(lint: Callable[..., Any]) -> None:
    assert not lint(HEAD + "  - {name: a}\n  - {name: b}\n").of("GX002")


@pytest.mark.parametrize(
    "text",
    [
        f"  - resources: &r {{limits: {{{MIB}: «4096»}}}}\n  - resources: *r\n",
        f"  - resources: {{limits: &l {{{MIB}: «4096»}}}}\n  - resources: {{limits: {{<<: *l}}}}\n",
    ],
)
def test_a_share_behind_an_anchor(lint: Callable[..., Any], text: str) -> None:
    found = lint(HEAD + text)
    assert set(found.codes) == {"GX005"}
    assert set(found.places("GX005")) == set(found.marked)
    assert found.of("GX005")[0].severity is Severity.WARNING


@pytest.mark.parametrize(
    "text",
    [
        f"  - resources: &r {{limits: {{{MIB}: 4096}}}}\n",  # nothing else uses it
        f"  - {{resources: {{limits: {{{MIB}: 4096}}}}, env: &e [{{name: A, value: b}}]}}\n  - env: *e\n",
    ],
)
def test_a_share_of_its_own(lint: Callable[..., Any], text: str) -> None:
    assert not lint(HEAD + text).of("GX005")


def test_a_key_outside_any_pod(lint: Callable[..., Any]) -> None:
    found = lint(f'kind: ConfigMap\ndata:\n  «{PERCENT}»: "30"\n  cores: "30"\n')
    assert found.codes == ["GX014"]
    assert found.places("GX014") == found.marked
    assert found.of("GX014")[0].severity is Severity.INFO


def test_a_key_in_a_pod(lint: Callable[..., Any]) -> None:
    assert not lint(HEAD + f"  - resources: {{limits: {{{PERCENT}: 30, {MIB}: 4096}}}}\n").of("GX014")


def test_containers_as_a_mapping(lint: Callable[..., Any]) -> None:
    """The snippet of "qGPU usage" (2024-11-25) has ``containers:`` without a dash: no pod is found in it."""
    found = lint(f"spec:\n  containers:\n    resources:\n      limits:\n        «{MIB}»: 4096\n")
    assert found.codes == ["GX014"]
    assert found.places("GX014") == found.marked
    assert found.of("GX014")[0].severity is Severity.WARNING
    assert "must be a list" in found.of("GX014")[0].message
