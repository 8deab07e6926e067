"""Pages as code hosts and the site read them: every heading, block, list and table is what it was meant to
be. Code hosts follow CommonMark, which markdown-it-py reads; the site has Python-Markdown, which does not.
"""

import re
from collections import Counter
from collections.abc import Iterator
from html import unescape
from itertools import pairwise
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from docs.tools.inserts.console import with_output
from docs.tools.markdown import blocks
from gpuxlate.backends import registry

ROOT = Path(__file__).resolve().parents[2]
KEPT = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]
COMMONMARK = MarkdownIt("commonmark").enable("table")


def headings(text: str) -> list[str]:
    tokens = COMMONMARK.parse(text)
    return [
        f"{one.markup} {inside.content}" for one, inside in pairwise(tokens) if one.type == "heading_open"
    ]


def meant(text: str) -> Iterator[str]:
    """The headings as pages are written: at the margin, as are the fences of blocks."""
    until = ""
    for line in text.splitlines():
        if until:
            until = "" if line == until else until
        elif fence := re.match(r"(`{3,})[a-z]", line):
            until = fence[1]
        elif re.match(r"#+ ", line):
            yield line
    if until:
        yield "the last block has no end"


def wrong(text: str) -> Iterator[str]:
    """What a page is read as and was not meant to be."""
    if headings(text) != [*meant(text)]:
        yield f"headings: {headings(text)}, not {[*meant(text)]}"
    tokens = COMMONMARK.parse(text)
    if [(one.info, one.content) for one in tokens if one.type == "fence"] != [*blocks(text)]:
        yield "the tools for pages see other blocks"
    lines = text.splitlines()
    columns = 0
    for token in tokens:
        first, last = token.map or (0, 0)
        match token.type:
            case "heading_open" if token.level:
                yield f"{first + 1}: a heading in a list"
            case "fence" if not token.info:
                yield f"{first + 1}: a block of no language, as the end of another begins one"
            case "code_block":
                yield f"{first + 1}: so far from the margin it is code"
            case "paragraph_open" if token.level and any(one[:1].strip() for one in lines[first + 1 : last]):
                yield f"{first + 2}: a line at the margin goes on with the list"
            case "inline" if token.level == 1 and re.search(r"^(\||```)", token.content, re.MULTILINE):
                yield f"{first + 1}: no table, or no block"
            case "thead_open":
                columns = 0
            case "th_open":
                columns += 1
            case "tr_open" if columns and len(re.findall(r"(?<!\\)\|", lines[first])) != columns + 1:
                yield f"{first + 1}: not as many cells as the table has columns"


def test_pages_are_read_as_they_are_meant(pages: Path) -> None:
    generated = list(pages.rglob("*.md"))
    assert len(generated) > 150
    found = {page: [*wrong(page.read_text(encoding="utf-8"))] for page in (*KEPT, *generated)}
    assert {page: one for page, one in found.items() if one} == {}


@pytest.mark.parametrize(
    ("text", "mistake"),
    [
        ("```console\n$ a\n  ```yaml\n  b\n  ```\nc\n```\n\n# D\n", "headings"),
        ("```text\na\n", "headings"),
        ("a\n\n    b\n", "it is code"),
        ("- a\n\n  # B\n", "in a list"),
        ("- a\nb\n", "goes on with the list"),
        ("A\n=\n", "headings"),
        ("| a | b |\n|---|---|\n| c |\n", "not as many cells"),
        ("| a | b |\n|---|---|\n| `c|d` | e |\n", "not as many cells"),
        ("| a | b |\n|---|\n| c | d |\n", "no table"),
        ("```\na\n```\n", "of no language"),
        ("  ```text\n  a\n  ```\n", "other blocks"),
        ("~~~text\na\n~~~\n", "other blocks"),
    ],
)
def test_a_mistake_is_seen(text: str, mistake: str) -> None:
    assert mistake in "\n".join(wrong(text))


# --- the site -----------------------------------------------------------------------------------


COUNTED = ("h1", "h2", "h3", "h4", "ul", "ol", "li", "table", "tr", "th", "td", "pre", "code", "a", "img")


def structure(html: str) -> tuple[Counter[str], list[list[str]]]:
    """What a page is made of, and the words of its code."""
    parts = Counter(one for one in re.findall(r"<(\w+)", html) if one in COUNTED)
    code = re.findall(r"<code[^>]*>(.*?)</code>", html, re.DOTALL)
    return parts, [unescape(re.sub(r"<[^>]*>", "", one)).split() for one in code]


def test_the_site_shows_what_a_code_host_shows(pages: Path) -> None:
    markdown = pytest.importorskip("markdown", reason="the extra for the site is not installed")
    site = markdown.Markdown(
        extensions=["attr_list", "md_in_html", "tables", "pymdownx.highlight", "pymdownx.superfences"],
        extension_configs={"pymdownx.highlight": {"use_pygments": False}},
    )
    for page in pages.rglob("*.md"):
        text = page.read_text(encoding="utf-8")
        assert structure(site.reset().convert(text)) == structure(COMMONMARK.render(text)), page.name


# --- what is inserted ---------------------------------------------------------------------------


def test_a_command_may_print_a_fence() -> None:
    """As ``gpuxlate explain`` does: the block has longer ones, and ends where it did."""
    page = "# A\n\n```console\n$ printf '%s\\n' '{0}' x ' {0}'\n```\n\n## B\n".format("```")
    shown = with_output(page)
    assert headings(shown) == ["# A", "## B"]
    assert [one.partition("\n")[2] for _, one in blocks(shown)] == ["```\nx\n ```\n"]
    assert with_output(shown) == shown
    shorter = with_output(shown.replace("' ```'", "").replace("'```'", ""))
    assert "\n```console\n" in shorter


def test_patterns_are_shown_as_they_are(pages: Path) -> None:
    """Signs of Markdown in what a value may be: asterisks, backslashes, brackets, bars."""
    seen = 0
    for backend in registry.all_backends():
        values = [value for row in backend.keys for value in row.values if isinstance(value, re.Pattern)]
        html = COMMONMARK.render((pages / "targets" / f"{backend.name}.md").read_text(encoding="utf-8"))
        code = {*map(unescape, re.findall("<code>(.*?)</code>", html))}
        assert [value.pattern for value in values if value.pattern not in code] == [], backend.name
        seen += len(values)
    assert seen > 10
