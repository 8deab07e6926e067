"""The Chinese pages: built as their English twins are, and which pages there are only in English."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

import pytest

from docs.tools.inserts import becomes, chinese
from docs.tools.inserts.moves import ROWS
from docs.tools.markdown import blocks, without_blocks
from tests.docs.test_markdown import headings

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / chinese.README, *sorted((ROOT / "docs").glob("*.zh.md"))]

ENGLISH_ONLY = {
    "ai-app", "alibaba-multi-card", "charts", "dra", "editors", "emr", "hami", "krm", "kubectl",
    "moving-an-application", "node-pools", "partitions", "performance", "pipelines", "plan", "policy",
    "python", "security", "sources", "tencent-qgpu", "volcano-vgpu",
    "volcengine-colocation", "writing-a-target",
}  # fmt: skip
"""Pages of docs/ without a Chinese twin. Generated ones have none either; of rules, the summaries alone are
translated (``gpuxlate explain CODE --lang zh``)."""

HAN = re.compile(r"[\u4e00-\u9fff]")
_CODE = re.compile(r"`([^`]+)`")


@pytest.fixture(params=PAGES, ids=lambda page: page.name)
def pair(request: pytest.FixtureRequest) -> tuple[str, str]:
    """The page, and its twin."""
    page: Path = request.param
    return page.read_text(encoding="utf-8"), chinese.twin(page).read_text(encoding="utf-8")


def prose(text: str) -> str:
    return re.sub(r"^<!-- table: .*?^<!-- /table -->$", "", without_blocks(text), flags=re.DOTALL | re.M)


def test_what_is_untranslated() -> None:
    pages = {path.stem for path in (ROOT / "docs").glob("*.md") if "." not in path.stem}
    translated = {path.name.removesuffix(".zh.md") for path in (ROOT / "docs").glob("*.zh.md")}
    assert translated <= pages
    assert pages - translated == ENGLISH_ONLY


def test_headings(pair: tuple[str, str]) -> None:
    ours, theirs = ([one.partition(" ") for one in headings(text)] for text in pair)
    assert [level for level, *_ in ours] == [level for level, *_ in theirs]
    titles = [title for *_, title in ours]
    assert [title for title in titles if not HAN.search(title)] in ([], ["gpuxlate"])


def test_code_blocks(pair: tuple[str, str]) -> None:
    """The same commands, and the same text of other blocks. What commands print is generated."""
    told = []
    for text in pair:
        found = []
        for kind, body in blocks(text):
            if kind == "console":
                commands = re.findall(r"^\$ .*", body, re.MULTILINE)
                body = "\n".join(command.replace(" --lang zh", "") for command in commands)
            found.append((kind, body))
        told.append(found)
    assert told[0] == told[1]


def test_commands_with_words_speak_chinese(pair: tuple[str, str]) -> None:
    commands = re.findall(
        r"^\$ (gpuxlate (?:compare|explain|lint|translate|assess|inspect) [^|\n]*)", pair[0], re.MULTILINE
    )
    said = [one for one in commands if "2>/dev/null" not in one and "--format" not in one]
    assert [one for one in said if "--lang zh" not in one] == []
    assert "--lang zh" not in "".join(re.findall(r"^\$ .*", pair[1], re.MULTILINE))


def test_links(pair: tuple[str, str]) -> None:
    """To the same places, and to the Chinese page where there is one."""
    links = [re.findall(r"\]\(([^)\s]+)\)", prose(text)) for text in pair]
    places = [sorted(place(one) for one in found) for found in links]
    assert places[0] == places[1]
    for one in links[0]:
        path = one.partition("#")[0]
        stem = path.removeprefix("docs/").removesuffix(".md")
        if path != "README.md" and "/" not in stem and ".zh" not in stem and path.endswith(".md"):
            assert not (ROOT / "docs" / f"{stem}.zh.md").exists(), one


def place(link: str) -> tuple[str, bool]:
    """The page in whatever language, and whether a place on it is named."""
    path, anchor, _ = link.partition("#")
    return path.replace(".zh-CN.", ".").replace(".zh.", "."), bool(anchor)


def test_tables(pair: tuple[str, str]) -> None:
    """As many rows, with as many cells, and the same code in each row."""
    rows = [re.findall(r"^\|.*\|$", without_blocks(text), re.MULTILINE) for text in pair]
    assert len(rows[0]) == len(rows[1])
    for ours, theirs in zip(*rows, strict=True):
        assert ours.count(" | ") == theirs.count(" | "), ours
        assert sorted(_CODE.findall(ours)) == sorted(_CODE.findall(theirs)), ours


def test_numbers_and_names(pair: tuple[str, str]) -> None:
    """Code in running text, and numbers, are the same."""
    for found in (
        _CODE.findall,
        lambda text: re.findall(r"\d+(?:\.\d+)*", _CODE.sub("", without_links(text))),
    ):
        ours, theirs = (sorted(set(found(prose(text)))) for text in pair)
        assert ours == theirs


def without_links(text: str) -> str:
    return re.sub(r"\]\([^)]*\)", "", text)


def test_punctuation(pair: tuple[str, str]) -> None:
    """Chinese signs between Chinese words, and a space between Chinese and Latin ones."""
    text = _CODE.sub("x", without_links(prose(pair[0])))
    text = re.sub(r"[*\[!|]", "", text)
    assert re.findall(r"[\u4e00-\u9fff][,;:?!](?!/)|[,;:?!][\u4e00-\u9fff]", text) == []
    assert re.findall(r".[\u4e00-\u9fff][A-Za-z0-9].|.[A-Za-z0-9][\u4e00-\u9fff].", text) == []


def test_a_paragraph_is_one_line(pair: tuple[str, str]) -> None:
    """A line end is shown as a space, which has no place between Chinese words."""
    lines = prose(pair[0]).splitlines()
    starts = re.compile(r"\s*(?:[|#!<]|- |\d+\. |$)")
    assert [
        b for a, b in pairwise(lines) if a.strip() and not a.startswith("#") and not starts.match(b)
    ] == []


def test_the_readmes_lead_to_each_other() -> None:
    tops = [
        (ROOT / name).read_text(encoding="utf-8").split("\n\n")[1] for name in ("README.md", chinese.README)
    ]
    assert tops == ["[简体中文](README.zh-CN.md)", "[English](README.md)"]


def test_every_word_of_the_tables_is_there() -> None:
    """Whatever a table says beside code is Chinese."""
    for source, target in ((source, target) for source in ROWS for target in ROWS if source != target):
        lines = becomes.rows(f"{source} {target}")
        for line in (lines[0], *lines[2:]):
            for cell in chinese.row(line)[2:-2].replace("<br>", " | ").split(" | "):
                left = _CODE.sub("", re.sub(r"\[(\w+)\]\([^)]*\)", "", cell))
                assert not re.search(
                    r"[A-Za-z]{3}", left.replace("nodeSelector", "").replace("qGPU", "").replace("GiB", "")
                ), cell
