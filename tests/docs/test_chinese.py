"""The Chinese pages: built as their English twins are, and which pages there are only in English."""

import re
from collections.abc import Callable
from itertools import pairwise, permutations
from pathlib import Path

import pytest

from docs.tools.inserts import becomes, chinese
from docs.tools.inserts.moves import ROWS
from docs.tools.markdown import blocks, without_blocks
from tests.docs.test_markdown import headings

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / chinese.README, *sorted((ROOT / "docs").glob("*.zh.md"))]

ENGLISH_ONLY = {
    "editors", "krm", "node-pools", "performance", "pipelines",
    "python", "security", "sources", "writing-a-target",
}  # fmt: skip
"""Pages of docs/ without a Chinese twin. Generated ones have none either; of rules, the summaries alone are
translated (``gpuxlate explain CODE --lang zh``)."""

HAN = re.compile(r"[\u4e00-\u9fff]")
_CODE = re.compile(r"`([^`]+)`")
SPEAKING = r"^\$ (gpuxlate (?:compare|explain|lint|translate|assess|inspect) [^|\n]*)"
"""Commands that print words."""


def prose(text: str) -> str:
    return re.sub(r"^<!-- table: .*?^<!-- /table -->$", "", without_blocks(text), flags=re.DOTALL | re.M)


def without_links(text: str) -> str:
    return re.sub(r"\]\([^)]*\)", "", text)


def shown(text: str) -> list[tuple[str, str]]:
    """Commands, in English, and other blocks without comments. What commands print is generated."""
    found = []
    for kind, body in blocks(text):
        commands = [one.replace(" --lang zh", "") for one in re.findall(r"^\$ .*", body, re.MULTILINE)]
        found.append((kind, "\n".join(commands) if kind == "console" else re.sub(r" *# .*", "", body)))
    return found


def links(text: str) -> list[str]:
    return re.findall(r"\]\(([^)\s]+)\)", prose(text))


def place(link: str) -> tuple[str, bool]:
    """The page in whatever language, and whether a place on it is named."""
    path, anchor, _ = link.partition("#")
    return path.replace(".zh-CN.", ".").replace(".zh.", "."), bool(anchor)


def rows(text: str) -> list[tuple[int, list[str]]]:
    """How many cells each row of a table has, and the code in it."""
    lines = re.findall(r"^\|.*\|$", without_blocks(text), re.MULTILINE)
    return [(line.count(" | "), sorted(_CODE.findall(line))) for line in lines]


SAME: dict[str, Callable[[str], object]] = {
    "levels of headings": lambda text: [one.partition(" ")[0] for one in headings(text)],
    "blocks": shown,
    "links lead to the same places": lambda text: sorted(map(place, links(text))),
    "tables": rows,
    "code in running text": lambda text: sorted(set(_CODE.findall(prose(text)))),
    "numbers": lambda text: sorted(
        set(re.findall(r"\d+(?:\.\d+)*", _CODE.sub("", without_links(prose(text)))))
    ),
}
"""What a page has in common with its twin."""


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_page_says_what_its_twin_says(page: Path) -> None:
    ours, theirs = page.read_text(encoding="utf-8"), chinese.twin(page).read_text(encoding="utf-8")
    for what, of in SAME.items():
        assert of(ours) == of(theirs), what
    titles = [one.partition(" ")[2] for one in headings(ours)]
    assert [title for title in titles if not HAN.search(title)] in ([], ["gpuxlate"])
    said = re.findall(SPEAKING, ours, re.MULTILINE)
    silent = [one for one in said if "2>/dev/null" in one or "--format" in one]
    assert [one for one in said if "--lang zh" not in one and one not in silent] == []
    assert "--lang zh" not in "".join(re.findall(r"^\$ .*", theirs, re.MULTILINE))
    for one in links(ours):  # to the Chinese page where there is one
        path = one.partition("#")[0]
        stem = path.removeprefix("docs/").removesuffix(".md")
        if path != "README.md" and "/" not in stem and ".zh" not in stem and path.endswith(".md"):
            assert not (ROOT / "docs" / f"{stem}.zh.md").exists(), one


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_punctuation(page: Path) -> None:
    """Chinese signs between Chinese words, a space between Chinese and Latin ones, and none between Chinese
    ones: a paragraph is one line, since the end of a line is shown as a space."""
    text = prose(page.read_text(encoding="utf-8"))
    starts = re.compile(r"\s*(?:[|#!<]|- |\d+\. |$)")
    pairs = [(a, b) for a, b in pairwise(text.splitlines()) if a.strip() and not a.startswith("#")]
    assert [b for _, b in pairs if not starts.match(b)] == []
    text = re.sub(r"[*\[!|]", "", _CODE.sub("x", without_links(text)))
    assert re.findall(r"[\u4e00-\u9fff][,;:?!](?!/)|[,;:?!][\u4e00-\u9fff]", text) == []
    assert re.findall(r".[\u4e00-\u9fff][A-Za-z0-9].|.[A-Za-z0-9][\u4e00-\u9fff].", text) == []


def test_what_is_untranslated_and_that_the_readmes_lead_to_each_other() -> None:
    pages = {path.stem for path in (ROOT / "docs").glob("*.md") if "." not in path.stem}
    translated = {path.name.removesuffix(".zh.md") for path in (ROOT / "docs").glob("*.zh.md")}
    assert translated <= pages
    assert pages - translated == ENGLISH_ONLY
    texts = [(ROOT / name).read_text(encoding="utf-8") for name in ("README.md", chinese.README)]
    tops = [text.split("\n\n")[1] for text in texts]
    assert tops == ["[简体中文](README.zh-CN.md)", "[English](README.md)"]


def test_every_word_of_the_tables_is_there() -> None:
    """Whatever a table says beside code is Chinese."""
    for source, target in permutations(ROWS, 2):
        lines = becomes.rows(f"{source} {target}")
        for line in (lines[0], *lines[2:]):
            for cell in chinese.row(line)[2:-2].replace("<br>", " | ").split(" | "):
                left = _CODE.sub("", re.sub(r"\[(\w+)\]\([^)]*\)", "", cell))
                assert not re.search(r"[A-Za-z]{3}", re.sub("nodeSelector|q?GPU|GiB", "", left)), cell
