"""The values of the console's form for an AI app: a YAML mapping, each line with the form's own label.

Labels: Volcengine, docs 6461/1581673 "AI apps on shared GPUs" (2025-06-04).
"""

from __future__ import annotations

from gpuxlate.backends.volcengine_emr.parameters.text import json_object, typed, values_of
from gpuxlate.model.pod import PodKeys
from gpuxlate.yamltext.plain import fresh

LABELS = {
    "gpuResourceType": "GPU 资源类型",
    "elasticContainerInstance": "弹性容器实例",
    "multiCardSharing": "多卡共享配置",
    "gpuCompute": "GPU 算力",
    "gpuMemoryMiB": "GPU 显存",
    "computePolicy": "算力分配策略",
    "gpuCards": "GPU 卡数",
}
CHOICES = {
    ("elasticContainerInstance", "false"): "不勾选",
    ("multiCardSharing", "false"): "不开启",
    ("multiCardSharing", "true"): "开启",
    ("computePolicy", "fixed-share"): "固定配额",
    ("computePolicy", "guaranteed-burst-share"): "固定争抢",
    ("computePolicy", "native-burst-share"): "争抢模式",
}
"""What to choose in the form for a value that it shows under another name."""
UNITS = {"gpuCompute": "卡", "gpuMemoryMiB": "MiB", "gpuCards": "卡"}


class ConsoleForm:
    """The form of the console."""

    suffix = ".yaml"

    def render(self, keys: PodKeys, output: str) -> str:
        values = values_of(keys)
        data = {name: typed(value) for name, value in values.items()}
        if output == "json":
            return json_object(data)
        return fresh(data, {name: _label(name, value.text) for name, value in values.items()})


def _label(name: str, text: str) -> str:
    label = LABELS[name] + (f"（{UNITS[name]}）" if name in UNITS else "")
    choice = CHOICES.get((name, text))
    return f"{label}：{choice}" if choice else label


FORM = ConsoleForm()
