"""The values of the console's form for an AI app: a YAML mapping, each line with the form's own label.

Labels: Volcengine, docs 6461/1581673 "AI apps on shared GPUs" (2025-06-04).
"""

from __future__ import annotations

from gpuxlate.backends.form import WrongFileError, json_object, typed, values_of
from gpuxlate.backends.volcengine_aiapp import keys as k
from gpuxlate.manifest.jobs import JobRow
from gpuxlate.model.messages import say
from gpuxlate.model.pod import PodKeys
from gpuxlate.yamltext.compose import Reader
from gpuxlate.yamltext.plain import fresh
from gpuxlate.yamltext.source import Source

LABELS = {
    k.RESOURCE_TYPE: "GPU 资源类型",
    k.ELASTIC: "弹性容器实例",
    k.MULTI_CARD: "多卡共享配置",
    k.COMPUTE: "GPU 算力",
    k.MEMORY: "GPU 显存",
    k.POLICY: "算力分配策略",
    k.CARDS: "GPU 卡数",
}
CHOICES = {
    (k.ELASTIC, "false"): "不勾选",
    (k.MULTI_CARD, "false"): "不开启",
    (k.MULTI_CARD, "true"): "开启",
    **{(k.POLICY, k.POLICIES[policy]): label for label, policy in k.POLICY_LABELS.items()},
}
"""What to choose in the form for a value that it shows under another name."""
UNITS = {k.COMPUTE: "卡", k.MEMORY: "MiB", k.CARDS: "卡"}


class ConsoleForm:
    """The form of the console. Its values are a YAML mapping of no kind; no file is merged into."""

    suffix = ".yaml"
    suffixes: tuple[str, ...] = ()
    rows = (JobRow((None,), (), k.TARGET, k.RESOURCE_TYPE),)

    def reader(self, _source: Source, *, chosen: bool) -> Reader | None:
        return None

    def merge(self, _base: Source, _keys: PodKeys) -> str:
        raise WrongFileError(
            say("{target} cannot be merged into a file: its values are typed into a form", target=k.TARGET),
            "leave --workload out",
        )

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
