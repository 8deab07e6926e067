"""The site: built strictly, with nothing on it that is fetched from elsewhere, and where findings lead to."""

import json
import re
from collections.abc import Callable, Iterable
from html.parser import HTMLParser
from itertools import product
from pathlib import Path

import pytest

from gpuxlate.backends import registry
from gpuxlate.config.schemas import SCHEMA_VERSIONS, schema_file
from gpuxlate.model.share import JSON_NAMES
from gpuxlate.rules.catalog import all_rules

ROOT = Path(__file__).resolve().parents[2]

ASSETS = {
    **dict.fromkeys(("script", "iframe", "embed", "audio"), ("src",)),
    **dict.fromkeys(("img", "source"), ("src", "srcset")),
    "link": ("href",),
    "object": ("data",),
    "video": ("src", "poster"),
    "use": ("href", "xlink:href"),
}
"""What a browser fetches without being asked, by element."""
NOT_FETCHED = {"canonical", "alternate", "prev", "next"}
"""Kinds of ``link`` that only say something."""

UNUSED = re.compile(r"https://unpkg\.com/mermaid@[\d.]+/dist/mermaid\.min\.js|https://github\.com/.+/blob/.+")
"""What scripts name and do not fetch: Mermaid, wanted on pages with its diagrams, of which there are none,
and pages of source code in comments."""


class Fetched(HTMLParser):
    """The addresses that a page makes a browser fetch, and whether its policy is there."""

    def __init__(self) -> None:
        super().__init__()
        self.addresses: list[str] = []
        self.policy = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        if tag == "meta" and values.get("http-equiv") == "Content-Security-Policy":
            self.policy = values["content"]
        if tag == "link" and values.get("rel") in NOT_FETCHED:
            return
        self.addresses += [values[name] for name in ASSETS.get(tag, ()) if name in values]
        self.addresses += re.findall(r"url\(([^)]*)\)", values.get("style", ""))


def outside(addresses: Iterable[str]) -> list[str]:
    """Those that are not on the site."""
    return [one for one in addresses if re.match(r"\s*['\"]?\s*(?:[a-z]+:)?//", one)]


def named(path: Path, pattern: str) -> list[str]:
    """What a file names, in whichever group of a pattern."""
    found = re.finditer(pattern, path.read_text(encoding="utf-8"))
    return [match[match.lastindex or 0] for match in found]


def test_nothing_is_fetched_from_elsewhere(site: Path) -> None:
    away = ["https://example.com/a.js", "//example.com/a.js", ' "http://example.com/a.css"']
    assert outside([*away, "../assets/a.js", "data:image/svg+xml;utf8,<svg>", "/assets/a.js"]) == away
    pages = sorted(site.rglob("*.html"))
    assert len(pages) > 100
    for page in pages:
        text = page.read_text(encoding="utf-8")
        found = Fetched()
        found.feed(text)
        assert outside(found.addresses) == [], page
        assert len(found.addresses) > 2, page
        assert found.policy.startswith("default-src 'self';"), page
        assert "http" not in found.policy, page
        assert 'class="mermaid"' not in text, page
    styles = sorted(site.rglob("*.css"))
    assert styles
    for style in styles:
        assert outside(named(style, r"url\(([^)]*)\)|@import\s+([^;]+)")) == [], style
    for script in site.rglob("*.js"):
        fetched = named(script, r"https?://[^\s\"'`]+\.(?:m?js|css|woff2?)\b")
        assert [one for one in fetched if not UNUSED.fullmatch(one)] == [], script
    for picture in site.rglob("*.svg"):
        assert outside(named(picture, r"(?:href|src)=\"([^\"]*)\"|url\(([^)]*)\)")) == [], picture


Page = Callable[[str], str]


@pytest.fixture
def page(site: Path) -> Page:
    """The HTML of a page of the site; the first has no name."""
    return lambda name: (site / name / "index.html").read_text(encoding="utf-8")


def test_findings_lead_to_their_rule(page: Page) -> None:
    codes = all_rules(registry.all_backends())
    assert [code for code in codes if f'<h1 id="{code.lower()}-' not in page(f"rules/{code}")] == []


def test_every_page_and_schema_is_on_the_site(site: Path, pages: Path) -> None:
    for kind in SCHEMA_VERSIONS:
        published = site / schema_file(kind)
        assert published.read_bytes() == (ROOT / "schemas" / f"{kind}.json").read_bytes()
    names = [one.relative_to(pages).with_suffix("") for one in pages.rglob("*.md") if "." not in one.stem]
    names.remove(Path("index"))
    assert [name for name in sorted(names) if not (site / name / "index.html").is_file()] == []


def test_the_site_is_in_both_languages(site: Path, page: Page) -> None:
    stems = [path.name.removesuffix(".zh.md") for path in (ROOT / "docs").glob("*.zh.md")]
    assert stems
    for stem, language in product(sorted(stems), ("", "zh")):
        text = page(f"{language}/{'' if stem == 'index' else stem}".lstrip("/"))
        assert f'<html lang="{language or "en"}"' in text, stem
        assert ("GPU 共享规格" in text) is bool(language) or stem == "terms", stem
    assert "GPU 共享规格" in (site / "zh/pictures/share.svg").read_text(encoding="utf-8")


def test_a_page_without_a_translation_is_in_english_alone(site: Path) -> None:
    """Its Chinese twin is no copy of it, and every link of a page, in either language, has a page."""
    assert (site / "zh/share/index.html").is_file()
    assert not (site / "zh/krm").exists()
    assert [path.name for path in (site / "zh/rules").iterdir()] == ["index.html"]
    sitemap = (site / "sitemap.xml").read_text(encoding="utf-8")
    assert ("zh/share/" in sitemap, "zh/krm/" in sitemap) == (True, False)
    assert 'href="../../rules/TKE007/"' in (site / "zh/rules/index.html").read_text(encoding="utf-8")
    dead = {
        (path.relative_to(site).as_posix(), link)
        for path in site.rglob("*.html")
        if path.name != "404.html"
        for link in re.findall(r' href="(?!\w+:|#|/|//)([^"#?]+)', path.read_text(encoding="utf-8"))
        if not (path.parent / link).is_file() and not (path.parent / link / "index.html").is_file()
    }
    dead |= {
        ("404.html", link)
        for link in re.findall(r' href="/([^"#?]+)', (site / "404.html").read_text(encoding="utf-8"))
        if not (site / link).is_file() and not (site / link / "index.html").is_file()
    }
    assert dead == set()


def test_what_single_pages_show(page: Page) -> None:
    copied = re.findall(r'data-copy="([^"]*)"', page("start"))
    assert any(one.startswith("gpuxlate ") for one in copied)
    assert [one for one in copied if one.startswith("$") or "error[" in one] == [], "only commands"


@pytest.mark.parametrize(
    ("name", "way", "beside"),
    [
        ("rules/TKE001", ["Overview", "Check", "Rules", "Tencent TKE"], "TKE002"),
        ("targets/tencent-qgpu", ["Overview", "Move", "Targets and their keys"], "alibaba-gpushare"),
        ("errors/plug-ins", ["Overview", "Check", "Errors"], "clusters"),
    ],
)
def test_generated_pages_say_where_they_are(page: Page, name: str, way: list[str], beside: str) -> None:
    text = page(name)
    path = re.search(r'<ol class="md-path__list">(.*?)</ol>', text, re.DOTALL)
    assert path
    names = re.sub(r"<[^>]+>", "\n", path[1]).splitlines()
    assert [one.strip() for one in names if one.strip()] == way
    links = re.findall(r'<a href="\.\./([^"/]*)/" class="md-nav__link"', text)
    assert beside in links


def test_a_cell_of_the_matrix_has_one_mark_and_its_rules(page: Page) -> None:
    for text in (page("support-matrix"), page("zh/support-matrix")):
        rows = re.findall(r"<tr>\n<td><a.*?</tr>", text, re.DOTALL)
        assert len(rows) > 20
        opened = [
            re.findall(r'<button type="button" class="mark \w+" popovertarget="([^"]+)"', row) for row in rows
        ]
        assert {len(one) for one in opened} == {len(JSON_NAMES)}
        boxes = set(re.findall(r'<div class="cell" id="([^"]+)" popover="auto">', text))
        assert {place for row in opened for place in row} == boxes
    box = page("support-matrix").partition('id="tencent-qgpu-memoryMiB"')[2].partition("</div>")[0]
    assert 'rounded: <a href="../rules/TKE001/">' in box


def test_code_is_broken_between_words_alone(page: Page) -> None:
    text = page("targets/tencent-qgpu")
    assert "<code>memoryPercent</code>" in text
    assert "<code>tke.<wbr>cloud.<wbr>tencent.<wbr>com/<wbr>qgpu-memory</code>" in text
    assert "<wbr>" not in "".join(re.findall(r"<pre>.*?</pre>", text, re.DOTALL))


def test_a_narrow_screen_gets_its_own_picture(site: Path, page: Page) -> None:
    for name in ("", "zh"):
        found = re.search(r'<source media="[^"]+" srcset="([^"]+)">', page(name))
        assert found
        assert (site / name / found[1]).resolve().is_file()


@pytest.mark.parametrize(("folder", "language"), [("", "en"), ("zh", "zh")])
def test_the_search_of_a_language(site: Path, folder: str, language: str) -> None:
    """It has the pages of that language alone, with places that are below the folder of the language."""
    index = json.loads((site / folder / "search" / "search_index.json").read_text(encoding="utf-8"))
    assert index["config"]["lang"] == [language]
    found = {one["location"]: one["title"] for one in index["docs"]}
    assert [
        one for one in found if not (site / folder / one.partition("#")[0] / "index.html").is_file()
    ] == []
    assert ("GPU 共享规格" in found["share/"]) is (language == "zh")
    assert not any(one.startswith("zh/") for one in found)
    # pages that explain come before those of errors, which have every word
    boost = {one["location"]: one.get("boost", 1) for one in index["docs"]}
    assert boost["lint/"] == 1
    assert language == "zh" or boost["errors/command-line/"] < 1, "errors are in English alone"
    base = re.search(
        r'"base": "([^"]*)"', (site / folder / "share" / "index.html").read_text(encoding="utf-8")
    )
    assert base
    assert (site / folder / "share" / base[1]).resolve() == (site / folder).resolve()
    assert base[1].endswith("/") or not folder, "a browser would take the last part of it for a file"


def test_the_search_finds_chinese_without_a_list_of_words(site: Path) -> None:
    index = json.loads((site / "zh" / "search" / "search_index.json").read_text(encoding="utf-8"))
    separator = re.compile(index["config"]["separator"])
    assert separator.split("整卡，mgpu-core 30") == ["整", "卡", "mgpu", "core", "30"]
