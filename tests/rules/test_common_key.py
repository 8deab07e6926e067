"""Whole cards under the common key: which dialect is named (GX016), and what ``--from`` reads (K8S007)."""

from __future__ import annotations

import gpuxlate
from gpuxlate.model.diagnostics import Diagnostic

POD = """\
apiVersion: v1
kind: Pod
metadata: {{name: {name}}}
spec: {{containers: [{{name: c, image: x, resources: {{limits: {{{keys}}}}}}}]}}
"""
WHOLE = POD.format(name="whole", keys="nvidia.com/gpu: 1")
HAMI = POD.format(name="hami", keys="nvidia.com/gpu: 1, nvidia.com/gpumem: 8192, nvidia.com/gpucores: 30")
QUOTA = """\
apiVersion: v1
kind: ResourceQuota
metadata: {name: quota}
spec: {hard: {requests.nvidia.com/gpu: 4}}
"""
TKE = POD.format(name="tke", keys='tke.cloud.tencent.com/qgpu-core: "100"')


def of_code(code: str, text: str, **options: object) -> list[Diagnostic]:
    try:
        found = gpuxlate.translate(text, **options).diagnostics  # type: ignore[arg-type]
    except gpuxlate.Refused as refused:
        found = refused.diagnostics
    return [one for one in found if one.code == code]


def test_the_dialects_that_write_the_key_are_named_in_every_run() -> None:
    """Whatever is beside it: what a finding says depends on its object alone."""
    for texts in ([WHOLE], [WHOLE, HAMI], [HAMI, WHOLE], [TKE, WHOLE], [QUOTA], [TKE, QUOTA]):
        found = of_code("GX016", "---\n".join(texts), to="neutral")
        assert [one.hint for one in found] == [
            "pass --from one of alibaba-gpushare, hami, koordinator, kai, nvidia-mig, nvidia-shared, gke, "
            "huawei-cce to read it as whole cards"
        ]


def test_whole_cards_written_with_the_common_key_are_said_to_be_unread() -> None:
    there = gpuxlate.translate(TKE, to="ack")
    [found] = [one for one in there.diagnostics if one.code == "GX016"]
    assert found.severity == "info"
    assert found.hint == "pass --from alibaba-gpushare to read it again"
    assert gpuxlate.parse(there.text).shares == ()
    assert [one.cards for one in gpuxlate.parse(there.text, from_="ack").shares] == [1]


def test_a_target_that_names_its_dialect_says_nothing() -> None:
    assert of_code("GX016", TKE, to="hami") == []


def test_a_pod_with_keys_of_another_dialect_is_refused() -> None:
    for keys, chosen in (
        ("nvidia.com/gpu: 1, nvidia.com/gpumem: 8192", "ack"),
        ("aliyun.com/gpu-mem: 8, tke.cloud.tencent.com/qgpu-core: 30", "ack"),
        ("nvidia.com/gpu: 1, volcano.sh/vgpu-memory: 8192", "hami"),
        # another container counts too
        ("nvidia.com/gpu: 1}}}, {name: d, image: x, resources: {limits: {nvidia.com/gpumem: 8192", "ack"),
    ):
        for to in ("tke", "neutral"):
            assert len(of_code("K8S007", POD.format(name="both", keys=keys), to=to, from_=chosen)) == 1, keys


def test_a_number_that_another_tool_writes_is_not_translated() -> None:
    text = POD.format(name="later", keys='nvidia.com/gpu: "{{inputs.parameters.gpus}}"')
    assert gpuxlate.lint(text).diagnostics == ()
    assert gpuxlate.translate(text, to="tke").text == text
    assert len(of_code("K8S001", text, to="tke", from_="ack")) == 1
    with_share = text.replace('gpus}}"', 'gpus}}", nvidia.com/gpumem: 3000')
    assert len(of_code("K8S001", with_share, to="tke")) == 1
