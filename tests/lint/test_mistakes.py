"""Mistakes that were met in the wild: each is found at its place, and the hint says what to write.

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
QGPU, QMEMORY = "tke.cloud.tencent.com/qgpu-core", "tke.cloud.tencent.com/qgpu-memory"


class Finding(NamedTuple):
    """Code, the text that is marked, words of the message and of the hint."""

    code: str
    marked: str
    message: str
    hint: str


MISTAKES: dict[str, tuple[str, list[Finding]]] = {
    # A-M7: a blog post; 5.5 units were refused, 5 probably ran
    "a fraction of a unit": (
        pod('aliyun.com/gpu-core.percentage: "25"\naliyun.com/gpu-mem: 5.5', spec=SELECTOR),
        [Finding("K8S001", "5.5", "it must be a whole number", "write 6")],
    ),
    "a fraction of a card": (
        pod(f"{CORE}: 0.3\n{MEMORY}: 4096"),
        [Finding("K8S001", "0.3", "whole number", "percent of one card: write 30")],
    ),
    # A-M9: a suffix in limits, another one in requests
    "a suffix": (
        pod("aliyun.com/gpu-mem: 2Gi", requests="aliyun.com/gpu-mem: 1Gi"),
        [
            Finding("K8S002", "2Gi", "means 2147483648 units", "the key counts GiB: write 2"),
            Finding("K8S002", "1Gi", "means 1073741824 units", "the key counts GiB: write 1"),
            Finding("K8S003", "1Gi", "1Gi in requests and 2Gi in limits", "the same whole number"),
        ],
    ),
    # A-M9: gpu-core: 100, 50, 30 in four files
    "gpu-core": (
        pod("aliyun.com/gpu-mem: 2\naliyun.com/gpu-core: 50", spec=SELECTOR),
        [Finding("ACK010", "aliyun.com/gpu-core", "not a key of ACK", "aliyun.com/gpu-core.percentage")],
    ),
    # A-M9, id 13073608257
    "requests other than limits": (
        pod("aliyun.com/gpu-mem: '4'", requests="aliyun.com/gpu-mem: '2'"),
        [Finding("K8S003", "'2'", "2 in requests and 4 in limits", "write 4, or omit requests")],
    ),
    # A-M11, and gpushare-scheduler-extender issues 48 and 174
    "gpu-count among the limits": (
        pod("aliyun.com/gpu-mem: 8\naliyun.com/gpu-count: 2"),
        [Finding("GX013", "aliyun.com/gpu-count", "no effect in the resources", "as a label of the pod")],
    ),
    # gpushare-scheduler-extender issue 11: 10G was submitted and never scheduled
    "a decimal suffix": (
        pod("aliyun.com/gpu-mem: 10G"),
        [Finding("K8S002", "10G", "means 10000000000 units", "write 10")],
    ),
    # T-M10, id 66562545392
    "a suffix that is none": (
        pod(f"{QGPU}: 20\n{QMEMORY}: 4GB"),
        [
            Finding(
                "K8S002", "4GB", "not a quantity: the API server refuses it", "the key counts GiB: write 4"
            )
        ],
    ),
    # T-M7: the vendor's own page on online and offline pods
    "annotations outside metadata": (
        "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n"
        "annotations:\n  tke.cloud.tencent.com/app-class: offline\n"
        "spec:\n  containers:\n  - name: a\n    resources:\n      limits:\n"
        f"        tke.cloud.tencent.com/qgpu-core-greedy: 10\n        {QMEMORY}: 5\n",
        [
            Finding(
                "K8S006",
                "tke.cloud.tencent.com/app-class",
                "annotations outside metadata, where Kubernetes does not read it",
                "write it in metadata.annotations",
            )
        ],
    ),
    # T-M7: requests alone
    "requests alone": (
        pod("cpu: 1", requests=f"{QGPU}: 30\n{QMEMORY}: 5"),
        [
            Finding(
                "K8S004", QGPU, "in requests but not in limits: the API server refuses it", "in limits too"
            ),
            Finding("K8S004", QMEMORY, "in requests but not in limits", "in limits too"),
        ],
    ),
    # seed 002 quotes the number; without quotes the API server refuses the label
    "a number as a label": (
        pod("aliyun.com/gpu-mem: 8", metadata="labels: {aliyun.com/gpu-count: 2}"),
        [Finding("K8S008", "2", "not a string: the API server refuses it", 'write "2"')],
    ),
    "two vendors in one container": (
        pod(f"{CORE}: 30\n{MEMORY}: 4096\n{QGPU}: 30\n{QMEMORY}: 4"),
        [
            Finding(
                "K8S007", QGPU, "requests GPUs of two vendors: Volcengine VKE", "keep the keys of one of them"
            )
        ],
    ),
    "a share beside whole cards": (
        pod("aliyun.com/gpu-mem: 4\nnvidia.com/gpu: 1"),
        [Finding("K8S007", "nvidia.com/gpu", "no node offers both", "aliyun.com/gpu-mem for a share")],
    ),
    # seed 001 and the vendor's webhook: one number for each container
    "a card list that does not match the containers": (
        pod(
            f"{CORE}: 30\n{MEMORY}: 4096",
            metadata='annotations: {vke.volcengine.com/container-multiple-gpu: "2"}',
        )
        + "  - name: log\n    image: log\n",
        [
            Finding("VKE017", '"2"', "does not have one number per container (web, log)", 'write "2,0"'),
        ],
    ),
    "a card list that gives cards to nobody": (
        pod(
            f"{CORE}: 30\n{MEMORY}: 4096",
            metadata=(
                'annotations: {vke.volcengine.com/container-multiple-gpu: "2,1",\n'
                "  vke.volcengine.com/mgpu-compute-policy: native-burst-share}"
            ),
        )
        + "  - name: log\n    image: log\n",
        [Finding("VKE018", '"2,1"', "is 1, but container log requests no mGPU", "0")],
    ),
    # seed 003: steps of 5, no 33
    "a share off the step": (
        pod(f"{QGPU}: 33\n{QMEMORY}: 5"),
        [Finding("TKE002", "33", "not a multiple of 5", "35")],
    ),
    # id 55415681782, a generated document
    "a policy that is true": (
        pod(
            f"{QGPU}: 30\n{QMEMORY}: 5",
            spec='nodeSelector: {tke.cloud.tencent.com/qgpu-schedule-policy: "true"}',
        ),
        [Finding("GX013", '"true"', "no node has: its value is a policy", "the policy of the nodes")],
    ),
    # seed 001: 30 % and 4096 MiB; whole cards take no memory
    "whole cards with memory": (
        pod(f"{CORE}: 100\n{MEMORY}: 4096"),
        [Finding("VKE014", MEMORY, "not allowed with 1 whole card (mgpu-core 100)", "")],
    ),
    # seed 002 counts GiB, seed 001 MiB: the unit of the other vendor
    "the unit of another vendor": (
        pod("aliyun.com/gpu-mem: 4096"),
        [Finding("GX007", "4096", "the key counts GiB, this looks like MiB", "write 4 for 4096 MiB")],
    ),
}


def found(text: str) -> tuple[Source, list[Diagnostic]]:
    source = Source("a.yaml", text)
    return source, lint_source(source, LintSettings()).diagnostics


def marked(source: Source, one: Diagnostic) -> str:
    assert one.span is not None
    return source.line_text(one.span.line)[one.span.column - 1 : one.span.end_column - 1]


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_found_and_its_hint_helps(name: str) -> None:
    text, wanted = MISTAKES[name]
    source, diagnostics = found(text)
    errors = [one for one in diagnostics if one.code != "VKE026"]  # a policy is another matter
    assert [(one.code, marked(source, one)) for one in errors] == [(w.code, w.marked) for w in wanted]
    for one, want in zip(errors, wanted, strict=True):
        assert want.message in one.message
        assert want.hint in (one.hint or "")


def test_all_mistakes_of_a_file_are_found_at_once() -> None:
    texts = [text for text, _ in MISTAKES.values()]
    source, diagnostics = found("---\n".join(texts))
    alone = [(one.code, one.message) for text in texts for one in found(text)[1]]
    assert sorted((one.code, one.message) for one in diagnostics) == sorted(alone)
    assert [one.document for one in diagnostics] == sorted(one.document or 0 for one in diagnostics)
    assert len({one.span for one in diagnostics}) >= len(texts)
    assert source.text.count("---\n") == len(texts) - 1
