"""The Chinese pages: ``share.zh.md`` beside ``share.md``, ``README.zh-CN.md`` beside ``README.md``.

Their generated tables are those of the English page with other words, and what only runs with clusters
(``console live``) is taken from there.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path

from docs.tools.markdown import blocks, fenced, with_blocks
from gpuxlate.locale import translator

README = "README.zh-CN.md"
_PLACE = re.compile(r"\\\{(\w+)\\\}")


class Templates:
    """English texts with ``{places}``, each with what it is in another language.

    ``{n}`` and ``{m}`` stand for numbers, other places for any text, which is translated in its turn.
    Where several templates match, the first counts; where none does, ``otherwise`` translates.
    """

    def __init__(self, texts: Mapping[str, str], otherwise: Callable[[str], str] = str) -> None:
        self._texts = texts
        self._otherwise = otherwise
        self._patterns: list[tuple[re.Pattern[str], str]] = []

    def __call__(self, english: str) -> str:
        template, values = self.match(english)
        text = self._texts[template] if template in self._texts else self._otherwise(template)
        return text.format(**{name: self(value) for name, value in values.items()}) if values else text

    def match(self, english: str) -> tuple[str, dict[str, str]]:
        """The template of a text with what stands at its places; the text itself where it has none."""
        if english in self._texts:
            return english, {}
        if not self._patterns:
            self._patterns = [(_pattern(key), key) for key in self._texts if "{" in key]
        for pattern, template in self._patterns:
            if match := pattern.fullmatch(english):
                return template, match.groupdict()
        return english, {}


def _pattern(template: str) -> re.Pattern[str]:
    seen: set[str] = set()

    def place(match: re.Match[str]) -> str:
        name = match[1]
        if name in seen:
            return f"(?P={name})"
        seen.add(name)
        return f"(?P<{name}>{'[0-9]+' if name in ('n', 'm') else '.+?'})"

    return re.compile(_PLACE.sub(place, re.escape(template)), re.DOTALL)


WORDS = Templates(
    {
        "field": "字段",
        "in your manifest": "现有清单",
        "becomes": "转换为",
        "how": "方式",
        "exact": "无损",
        "rounded: {codes}": "取整：{codes}",
        "filled: {codes}": "补全：{codes}",
        "dropped: {codes}": "舍弃：{codes}",
        "refused: {codes}": "拒绝：{codes}",
        "reported: {codes}": "报告：{codes}",
        "**nothing**": "**无法转换**",
        "the same, without this key": "与第一行相同，不含此项",
        "no {key}": "没有 {key}",
        "label {key}": "标签 {key}",
        "annotation {key}": "注解 {key}",
        "variable {key}": "环境变量 {key}",
        "affinity {key}": "亲和性 {key}",
        "compute and memory": "算力和显存",
        "compute not a multiple of 5 %": "算力不是 5 % 的整数倍",
        "memory not in whole GiB": "显存不是整 GiB",
        "less than 1 GiB": "显存不足 1 GiB",
        "nearly all compute": "接近全部算力",
        "whole cards": "整卡",
        "whole cards with memory": "整卡，同时写了显存",
        "policy {name}": "策略 {name}",
        "online": "在线",
        "offline": "离线",
        "two cards": "两张卡",
        "two cards, more than half of each": "两张卡，每张超过一半",
        "two cards, half or less of each": "两张卡，每张一半或更少",
        "four cards": "四张卡",
        "memory only, isolated": "只有显存，有隔离",
        "memory only, not isolated": "只有显存，无隔离",
        "all compute, part of the memory": "全部算力，部分显存",
        "isolation switched off": "关闭了隔离",
        "card model": "GPU 卡型号",
        "placement": "放置策略",
        "label of qGPU nodes": "qGPU 节点的标签",
        "written by the scheduler": "调度器写入的内容",
    },
    translator("zh"),
)
"""The words of tables; the texts of gpuxlate in them are those of its messages."""

PICTURES = Templates(
    {
        "One share on each cloud": "一个 GPU 共享规格，各家云的写法",
        "Two cards at 60 % and 8 GiB each, written for every target, and the part of each card.": (
            "两张卡，每张 60 % 算力和 8 GiB 显存，写给各个目标，以及在每张卡上占的部分。"
        ),
        "Per card: {n} % and {m} MiB": "每张卡：{n} % 算力，{m} MiB 显存",
        "The part of each card, with {n} MiB": "在每张卡上占的部分（每张 {n} MiB）",
        "card {n}": "卡 {n}",
        "compute {n} %": "算力 {n} %",
        "compute: no limit": "算力：不限",
        "memory {n} MiB": "显存 {n} MiB",
        "{verdict}, with a warning: {codes}": "{verdict}，有警告：{codes}",
        "dropped: {fields}": "舍弃：{fields}",
        "exact": "无损",
        "label {key}": "标签 {key}",
        "annotation {key}": "注解 {key}",
        "Volcengine mGPU": "火山引擎 mGPU",
        "Alibaba Cloud gpushare": "阿里云共享 GPU",
        "Tencent Cloud qGPU": "腾讯云 qGPU",
        "HAMi: numbers per card": "HAMi：数值按每张卡计",
        "One tree, several clouds": "一套源清单，多云部署",
        "gpuxlate sync writes a tree for each cloud from one source tree, with the losses that the team "
        "decided.": ("gpuxlate sync 由一棵源树为每个云写出一棵树，并采用团队对损失的决定。"),
        "The source tree": "源树",
        "a Deployment": "一个 Deployment",
        "a chart": "一个 chart",
        "an overlay": "一个 overlay",
        "a Ray cluster": "一个 Ray 集群",
        "nothing to decide": "无需决定",
        "Only what changed is written. A file that somebody changed there is an error.": (
            "只写入有变化的文件。被手工改动的文件会报错。"
        ),
        "gpuxlate sync --diff names the line of the source that wrote it.": (
            "gpuxlate sync --diff 指出写出它的源文件行。"
        ),
        "The way of a manifest": "一份清单的处理过程",
        "A file is read into documents, pods and shares; the shares are fitted to the target, and written "
        "back as edits of the same text.": (
            "文件读为文档、Pod 和 GPU 共享规格；GPU 共享规格与目标匹配后，作为对同一文本的修改写回。"
        ),
        "A file": "文件",
        "bytes, as written": "原始字节",
        "Documents": "文档",
        "positions of every key and value": "每个键和值的位置",
        "The keys of each pod": "每个 Pod 的键",
        "limits, labels, annotations, selectors": "limits、标签、注解、选择器",
        "Shares": "GPU 共享规格",
        "cards, cores, memory, policy, qos": "卡数、算力、显存、策略、QoS",
        "The same file": "同一文件",
        "only GPU lines differ": "只有 GPU 相关的行不同",
        "Edits of the text": "对文本的修改",
        "checked by reading the result again": "重新读取结果加以验证",
        "The difference": "差异",
        "removed, added and changed keys": "删除、添加和更改的键",
        "The new keys of each pod": "每个 Pod 的新键",
        "in the other vendor's terms": "另一家厂商的写法",
        "Does the share fit the target?": "目标能否容纳该 GPU 共享规格？",
        "exact, rounded, filled, dropped or refused": "无损、取整、补全、舍弃或拒绝",
        "exact, rounded, filled, dropped or refused: {module}": "无损、取整、补全、舍弃或拒绝：{module}",
        "Every step can report findings, each with its file, line and rule.": (
            "每一步都可以报告问题，并给出文件、行和规则。"
        ),
        "If a share is refused, nothing is written.": "只要有一个 GPU 共享规格被拒绝，就不写任何内容。",
    }
)
"""The words of pictures."""

_LIVE = "console live"


def is_chinese(page: Path) -> bool:
    return page.name.endswith((".zh.md", README))


def twin(page: Path) -> Path:
    """The English page."""
    return page.with_name(page.name.partition(".")[0] + ".md")


def with_live_blocks(text: str, english: str) -> str:
    """The page with the ``console live`` blocks of its twin."""
    theirs = (body for kind, body in blocks(english) if kind == _LIVE)
    return with_blocks(text, lambda kind, body: fenced(kind, next(theirs, "") if kind == _LIVE else body))


def row(line: str) -> str:
    """One line of a table, cell by cell."""
    cells = line[2:-2].split(" | ")
    return f"| {' | '.join('<br>'.join(map(WORDS, cell.split('<br>'))) for cell in cells)} |"
