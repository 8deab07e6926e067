"""The pages of errors, one for each area, from the table that the tests hold: ``tests/errors``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from docs.tools.markdown import fenced, table
from tests.errors.table import ABSENT, Case, Section, sections

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

每条错误消息的含义、原因和解决办法。测试核对消息的英文原文，各领域的页面为英文。\
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
CHINESE = {
    "command-line": ("命令行", "命令行无效或有歧义。未读取，也未写入任何内容。"),
    "files": ("文件和流", "输入不存在，不能作为文本读取，或者没有可处理的内容。未写入任何内容。"),
    "shares": (
        "GPUShare 文档",
        "文档不是 GPUShare，或其中的值无效。每个问题都指明所在的行，并有[规则](/rules/)中的规则码。",
    ),
    "refusals": (
        "被拒绝的转换",
        "目标无法准确表达该 GPU 共享规格。未写入任何内容；每次拒绝都指明字段、规则和接受的方法。"
        "此页每种拒绝各举一例，全部规则见[规则](/rules/)。",
    ),
    "configuration": (
        "gpuxlate 的配置和集群配置",
        "`.gpuxlate.yaml`、`pyproject.toml` 的 `[tool.gpuxlate]` 或集群配置无法使用。",
    ),
    "cost": ("费用", "`gpuxlate cost` 缺少需要的数值，或者数值、价格无效。"),
    "nvidia-smi": ("nvidia-smi 的输出", "`gpuxlate verify` 的输入不是一次 nvidia-smi 运行的完整输出。"),
    "krm": (
        "KRM 函数",
        "`gpuxlate krm` 的输入不是 ResourceList，或其配置无法使用。kpt 和 kustomize 会显示该消息。",
    ),
    "plug-ins": ("软件包提供的目标", "已安装的软件包提供了自己的目标（`gpuxlate.backends`），但无法使用。"),
    "clusters": ("连接集群", "`kubectl gpuxlate` 找不到集群，或集群返回错误。集群中未做任何改动。"),
    "live-objects": ("集群中的对象", "集群中没有命令指定的对象。"),
    "nodes-and-apply": (
        "节点、余量和应用",
        "`kubectl gpuxlate nodes`、`capacity`、`preflight` 和 `apply` 失败。除消息指明的以外，"
        "未应用任何内容。",
    ),
    "yaml": (
        "无法读取的 YAML",
        "文件不是有效的 YAML，或超过了清单的上限。规则码为 GX001，超过上限时为 GX025。",
    ),
    "policies": ("准入策略", "`gpuxlate policy` 和 `kubectl gpuxlate policy` 未写入、也未应用任何内容。"),
    "decisions": ("决定", "决定文件无法使用。条目中的错误会作为问题报告在所在的行。"),
    "sync": ("一套源清单，多云部署", "`gpuxlate sync` 无法让各清单树保持一致；未写入任何内容。"),
}
"""Title and subject of each area, by the name of its page."""
SHOWN = {"HERE": "/home/me/project", "SERVER": "https://api.example.com:6443"}
"""What stands for a folder and an address of the tests."""
LONGEST = 500
"""Characters of a file that are shown."""


def pages() -> Iterator[tuple[str, str]]:
    """The areas with what each is about, in English and Chinese, and an English page for each area."""
    all_sections = {_stem(section): section for section in sections()}
    english = {name: (section.title, section.about) for name, section in all_sections.items()}
    yield "errors.md", _areas(INTRODUCTION, ["area", "about"], english)
    yield (
        "errors.zh.md",
        _areas(CHINESE_INTRODUCTION, ["领域", "内容"], {name: CHINESE[name] for name in english}),
    )
    for section in all_sections.values():
        yield f"errors/{_stem(section)}.md", _section(section)


def _areas(introduction: str, head: Sequence[str], areas: Mapping[str, tuple[str, str]]) -> str:
    """The list of areas: by the name of its page, title and subject of each."""
    rows = [
        [f"[{title}](errors/{name}.md)", " ".join(about.split())] for name, (title, about) in areas.items()
    ]
    return "\n".join([introduction, *table(head, rows)]) + "\n"


def navigation() -> list[str]:
    return [f"errors/{_stem(section)}.md" for section in sections()]


def folder_of_cases(page: str) -> str:
    """The file of the cases that a page shows."""
    stem = page.removeprefix("errors/").removesuffix(".md")
    [section] = [candidate for candidate in sections() if _stem(candidate) == stem]
    return f"tests/errors/cases/{section.name}.yaml"


def _stem(section: Section) -> str:
    """The name of its file of cases without the number that orders them."""
    return section.name.partition("-")[2]


def _section(section: Section) -> str:
    parts = [f"# {section.title}", section.about.strip()]
    for row in section.cases:
        parts += _row(row)
    return "\n\n".join(parts) + "\n"


def _row(row: tuple[Case, ...]) -> Iterator[str]:
    case = row[0]
    yield f"## {case.name[:1].upper()}{case.name[1:]}"
    if " --> " not in case.says:  # the finding shows the line itself
        for name, text in case.files.items():
            if isinstance(text, str) and 0 < len(text) <= LONGEST and "/" not in name:
                yield f"`{name}`:\n\n{fenced('text', text.rstrip())}"
    if case.stdin not in (None, ABSENT):
        yield f"On stdin:\n\n{fenced('text', str(case.stdin).rstrip())}"
    commands = "\n".join(f"$ {run.run}{_streams(run)}" for run in row)
    yield fenced("text", f"{commands}\n{_shown(case.says).rstrip()}")
    yield f"{case.why.strip()} Exit code {case.exit}."
    yield f"Instead: {case.instead.strip()}"


def _streams(case: Case) -> str:
    return (" <&-" if case.stdin is None else "") + (" >&-" if case.stdout is None else "")


def _shown(text: str) -> str:
    for name, stands_for in SHOWN.items():
        text = text.replace(name, stands_for)
    return text
