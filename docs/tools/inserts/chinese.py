"""The Chinese pages: ``share.zh.md`` beside ``share.md``, ``README.zh-CN.md`` beside ``README.md``.

Their generated tables are those of the English page with other words, and what only runs with clusters
(``console live``) is taken from there.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

README = "README.zh-CN.md"
_PLACE = re.compile(r"\\\{(\w+)\\\}")


class Templates:
    """English texts with ``{places}``, each with what it is in another language.

    ``{n}`` and ``{m}`` stand for numbers, other places for any text, which is translated in its turn.
    Where several templates match, the first counts.
    """

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._texts = texts
        self._patterns: list[tuple[re.Pattern[str], str]] = []

    def __call__(self, english: str) -> str:
        template, values = self.match(english)
        text = self._texts.get(template, template)
        return text.format(**{name: self(value) for name, value in values.items()}) if values else text

    def match(self, english: str) -> tuple[str, dict[str, str]]:
        """The template of a text with what stands at its places; the text itself where it has none."""
        if english in self._texts:
            return english, {}
        if not self._patterns:
            self._patterns = [(_pattern(key), key) for key in self._texts if "{" in key]
        for pattern, template in self._patterns:
            if found := pattern.fullmatch(english):
                return template, found.groupdict()
        return english, {}


def _pattern(template: str) -> re.Pattern[str]:
    seen: set[str] = set()

    def place(found: re.Match[str]) -> str:
        name = found[1]
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
        "card model": "显卡型号",
        "placement": "放置策略",
        "label of qGPU nodes": "qGPU 节点的标签",
        "written by the scheduler": "调度器写入的内容",
    }
)
"""The words of the tables "what becomes of it"."""

_LIVE = re.compile(r"(?<=^```console live\n).*?(?=^```$)", re.DOTALL | re.MULTILINE)


def is_chinese(page: Path) -> bool:
    return page.name.endswith((".zh.md", README))


def twin(page: Path) -> Path:
    """The English page."""
    return page.with_name(page.name.partition(".")[0] + ".md")


def with_live_blocks(text: str, english: str) -> str:
    """The page with the ``console live`` blocks of its twin."""
    blocks = iter(_LIVE.findall(english))
    return _LIVE.sub(lambda _: next(blocks, ""), text)


def row(line: str) -> str:
    """One line of a table, cell by cell."""
    cells = line[2:-2].split(" | ")
    return f"| {' | '.join('<br>'.join(map(WORDS, cell.split('<br>'))) for cell in cells)} |"
