"""Mistakes with the keys of one vendor, met in the wild: each is found, and the hint says what to write.

Those that rules of no vendor find are in tests/rules/cases.yaml.

Numbers in brackets are rows of public manifests: A-M of Alibaba's users, T-M of Tencent's.
"""

from __future__ import annotations

from typing import NamedTuple

import pytest

from gpuxlate.lint.check import LintSettings, lint_source
from gpuxlate.model.diagnostics import Diagnostic
from gpuxlate.yamltext.source import Source
from tests.lint.conftest import pod

SELECTOR = "nodeSelector: {ack.node.gpu.schedule: core_mem}"
CORE, MEMORY = "vke.volcengine.com/mgpu-core", "vke.volcengine.com/mgpu-memory"
SHARE = f"{CORE}: 30\n{MEMORY}: 4096"
CARDS, POLICY = "vke.volcengine.com/container-multiple-gpu", "vke.volcengine.com/mgpu-compute-policy"
LOG = "  - name: log\n    image: log\n"


class Finding(NamedTuple):
    """Code, the text that is marked, words of the message and of the hint."""

    code: str
    marked: str
    message: str
    hint: str


MISTAKES: dict[str, tuple[str, list[Finding]]] = {
    # A-M9: gpu-core: 100, 50, 30 in four files
    "gpu-core": (
        pod("aliyun.com/gpu-mem: 2\naliyun.com/gpu-core: 50", spec=SELECTOR),
        [Finding("ACK010", "aliyun.com/gpu-core", "not a key of ACK", "aliyun.com/gpu-core.percentage")],
    ),
    # seed 001 and the vendor's webhook: one number for each container
    "a card list that does not match the containers": (
        pod(SHARE, metadata=f'annotations: {{{CARDS}: "2"}}') + LOG,
        [Finding("VKE017", '"2"', "does not have one number per container (web, log)", 'write "2,0"')],
    ),
    "a card list that gives cards to nobody": (
        pod(SHARE, metadata=f'annotations: {{{CARDS}: "2,1",\n  {POLICY}: native-burst-share}}') + LOG,
        [Finding("VKE018", '"2,1"', "is 1, but container log requests no mGPU", "0")],
    ),
    # seed 001: 30 % and 4096 MiB; whole cards take no memory
    "whole cards with memory": (
        pod(f"{CORE}: 100\n{MEMORY}: 4096"),
        [Finding("VKE014", MEMORY, "not allowed with 1 whole card (mgpu-core 100)", "")],
    ),
    # A-M9: a suffix in limits, another one in requests
    "three in one container": (
        pod("aliyun.com/gpu-mem: 2Gi", requests="aliyun.com/gpu-mem: 1Gi"),
        [
            Finding("K8S002", "2Gi", "means 2147483648 units", "the key counts GiB: write 2"),
            Finding("K8S002", "1Gi", "means 1073741824 units", "the key counts GiB: write 1"),
            Finding("K8S003", "1Gi", "1Gi in requests and 2Gi in limits", "the same whole number"),
        ],
    ),
}


def marked(source: Source, one: Diagnostic) -> str:
    assert one.span is not None
    return source.line_text(one.span.line)[one.span.column - 1 : one.span.end_column - 1]


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_found_and_its_hint_helps(name: str) -> None:
    text, wanted = MISTAKES[name]
    source = Source("a.yaml", text)
    diagnostics = lint_source(source, LintSettings()).diagnostics
    errors = [one for one in diagnostics if one.code != "VKE026"]  # a policy is another matter
    assert [(one.code, marked(source, one)) for one in errors] == [(w.code, w.marked) for w in wanted]
    for one, want in zip(errors, wanted, strict=True):
        assert want.message in one.message
        assert want.hint in (one.hint or "")
