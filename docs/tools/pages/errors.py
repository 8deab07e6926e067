"""The pages of errors, one for each area and language, from the table of the tests: ``tests/errors``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from docs.tools.markdown import fenced, table
from tests.errors.table import ABSENT, Case, Section, in_chinese, sections

INTRODUCTION = """\
# Errors

Each error message with its cause and what to do. The tests check the exact text. Messages go to stderr,
results to stdout; after an error there are no results, except the count of `lint` and the answer of `krm`.
The files are those of `tests/errors/files`, unless one is shown.

| exit code | meaning |
| --- | --- |
| 0 | success |
| 1 | findings, or a share is refused |
| 2 | an error in the command line, the configuration or a plug-in |
| 3 | an input is missing or cannot be read, there is no input, or a cluster does not answer |
| 4 | an internal error of gpuxlate: a defect, please report it with the input |
| 129, 130, 143 | ended by SIGHUP, Ctrl-C, SIGTERM |

Errors in manifests have codes and pages of their own: see [rules](rules.md).
"""
CHINESE_INTRODUCTION = """\
# 错误

每条错误消息的含义、原因和解决办法。消息以测试核对的英文原文列出，`--lang zh` 时为中文。\
消息写到 stderr，结果写到 stdout；出错后没有结果，`lint` 的计数和 `krm` 的应答除外。\
所用的文件在 `tests/errors/files` 中，页面上列出的除外。

| 退出码 | 含义 |
| --- | --- |
| 0 | 成功 |
| 1 | 发现问题，或有 GPU 共享规格被拒绝 |
| 2 | 命令行、配置或插件有错误 |
| 3 | 输入不存在、无法读取或为空，或者集群没有应答 |
| 4 | gpuxlate 的内部错误：这是缺陷，请连同输入一起报告 |
| 129、130、143 | 被 SIGHUP、Ctrl-C、SIGTERM 终止 |

清单中的错误各有规则码和页面：见[规则](rules.md)。
"""
SHOWN = {"HERE": "/home/me/project", "SERVER": "https://api.example.com:6443"}
"""What stands for a folder and an address of the tests."""
LONGEST = 500
"""Characters of a file that are shown."""


@dataclass(frozen=True, slots=True)
class Wording:
    """What a page says around the texts of its cases, in one language."""

    suffix: str
    """Of the names of its pages."""
    introduction: str
    head: tuple[str, str]
    file: str
    stdin: str
    outcome: str
    instead: str


ENGLISH = Wording(
    suffix="",
    introduction=INTRODUCTION,
    head=("area", "about"),
    file="`{name}`:",
    stdin="On stdin:",
    outcome="{why} Exit code {exit}.",
    instead="Instead: {instead}",
)
CHINESE = Wording(
    suffix=".zh",
    introduction=CHINESE_INTRODUCTION,
    head=("领域", "内容"),
    file="`{name}`：",
    stdin="stdin 的内容：",
    outcome="{why}退出码为 {exit}。",
    instead="解决办法：{instead}",
)


_COMMAND = re.compile(r"(?:kubectl )?gpuxlate [^`,;]+")


def pages() -> Iterator[tuple[str, str]]:
    """The list of areas, and a page for each of them, in English and Chinese."""
    english = sections()
    for wording, areas in ((ENGLISH, english), (CHINESE, [in_chinese(section) for section in english])):
        yield f"errors{wording.suffix}.md", _list(areas, wording)
        for section in areas:
            yield f"errors/{_stem(section)}{wording.suffix}.md", _section(section, wording)


def _list(areas: Sequence[Section], wording: Wording) -> str:
    rows = [
        [f"[{section.title}](errors/{_stem(section)}.md)", " ".join(section.about.split())]
        for section in areas
    ]
    return "\n".join([wording.introduction, *table(wording.head, rows)]) + "\n"


def navigation() -> list[str]:
    return [f"errors/{_stem(section)}.md" for section in sections()]


def file_of_cases(page: str, language: str) -> str:
    """The file of the cases that a page shows: in Chinese, that of their texts."""
    stem = page.removeprefix("errors/").removesuffix(".md")
    [section] = [candidate for candidate in sections() if _stem(candidate) == stem]
    return f"tests/errors/{'chinese' if language else 'cases'}/{section.name}.yaml"


def _stem(section: Section) -> str:
    """The name of its file of cases without the number that orders them."""
    return section.name.partition("-")[2]


def _section(section: Section, wording: Wording) -> str:
    parts = [f"# {section.title}", section.about.strip()]
    for row in section.cases:
        parts += _row(row, wording)
    return "\n\n".join(parts) + "\n"


def _row(row: tuple[Case, ...], wording: Wording) -> Iterator[str]:
    case = row[0]
    yield f"## {case.name[:1].upper()}{case.name[1:]}"
    if " --> " not in case.says:  # the finding shows the line itself
        for name, text in case.files.items():
            if isinstance(text, str) and 0 < len(text) <= LONGEST and "/" not in name:
                yield f"{wording.file.format(name=name)}\n\n{fenced('text', text.rstrip())}"
    if case.stdin not in (None, ABSENT):
        yield f"{wording.stdin}\n\n{fenced('text', str(case.stdin).rstrip())}"
    commands = "\n".join(f"$ {run.run}{_streams(run)}" for run in row)
    yield fenced("text", f"{commands}\n{_shown(case.says).rstrip()}")
    yield wording.outcome.format(why=case.why.strip(), exit=case.exit)
    yield wording.instead.format(instead=_instead(case))


def _instead(case: Case) -> str:
    """What to do; a command alone is code, though the tests do not run it: their server cannot do all."""
    instead = case.instead.strip()
    return f"`{instead}`" if _COMMAND.fullmatch(instead) else instead


def _streams(case: Case) -> str:
    return (" <&-" if case.stdin is None else "") + (" >&-" if case.stdout is None else "")


def _shown(text: str) -> str:
    for name, stands_for in SHOWN.items():
        text = text.replace(name, stands_for)
    return text
