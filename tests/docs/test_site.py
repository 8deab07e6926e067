"""The site: built strictly, with nothing on it that is fetched from elsewhere, and where findings lead to."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import pytest

from gpuxlate.backends import registry
from gpuxlate.config.schemas import VERSIONS, schema_url
from gpuxlate.model.diagnostics import URL
from gpuxlate.rules.catalog import all_rules

ROOT = Path(__file__).resolve().parents[2]
ADDRESS = "https://gpuxlate.io/"

ASSETS = {
    "script": ("src",),
    "link": ("href",),
    "img": ("src", "srcset"),
    "source": ("src", "srcset"),
    "iframe": ("src",),
    "object": ("data",),
    "embed": ("src",),
    "video": ("src", "poster"),
    "audio": ("src",),
    "use": ("href", "xlink:href"),
}
"""What a browser fetches without being asked, by element."""
NOT_FETCHED = {"canonical", "alternate", "prev", "next"}
"""Kinds of ``link`` that only say something."""

UNUSED = re.compile(r"https://unpkg\.com/mermaid@[\d.]+/dist/mermaid\.min\.js|https://github\.com/.+/blob/.+")
"""What scripts name and do not fetch: Mermaid, wanted on pages with its diagrams, of which there are none,
and pages of source code in comments."""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("mkdocs", reason="the extra for the site is not installed")
    folder = tmp_path_factory.mktemp("site") / "site"
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(folder)],
        cwd=ROOT,
        env=os.environ | {"NO_MKDOCS_2_WARNING": "1", "NO_COLOR": "1"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stdout, done.stderr, done.returncode) == ("", "", 0)
    return folder


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


def is_outside(address: str) -> bool:
    return re.match(r"\s*['\"]?\s*(?:[a-z]+:)?//", address) is not None


@pytest.mark.parametrize(
    ("address", "outside"),
    [
        ("https://example.com/a.js", True),
        ("//example.com/a.js", True),
        (' "http://example.com/a.css"', True),
        ("../assets/a.js", False),
        ("data:image/svg+xml;utf8,<svg>", False),
        ("/assets/a.js", False),
    ],
)
def test_what_is_outside(address: str, outside: bool) -> None:
    assert is_outside(address) is outside


def test_nothing_is_fetched_from_elsewhere(site: Path) -> None:
    pages = sorted(site.rglob("*.html"))
    assert len(pages) > 100
    for page in pages:
        found = Fetched()
        found.feed(page.read_text(encoding="utf-8"))
        assert [one for one in found.addresses if is_outside(one)] == [], page
        assert len(found.addresses) > 2, page
        assert found.policy.startswith("default-src 'self';"), page
        assert "http" not in found.policy, page


def test_styles_scripts_and_pictures_stay_here(site: Path) -> None:
    styles = sorted(site.rglob("*.css"))
    assert styles
    for style in styles:
        text = style.read_text(encoding="utf-8")
        named = re.findall(r"url\(([^)]*)\)|@import\s+([^;]+)", text)
        assert [one for pair in named for one in pair if is_outside(one)] == [], style
    scripts = {one for path in site.rglob("*.js") for one in named_scripts(path)}
    assert [one for one in scripts if not UNUSED.fullmatch(one)] == []
    assert [
        path for path in site.rglob("*.html") if 'class="mermaid"' in path.read_text(encoding="utf-8")
    ] == []
    for picture in site.rglob("*.svg"):
        text = picture.read_text(encoding="utf-8")
        named = re.findall(r"(?:href|src)=\"([^\"]*)\"|url\(([^)]*)\)", text)
        assert [one for pair in named for one in pair if is_outside(one)] == [], picture


def named_scripts(path: Path) -> Iterator[str]:
    yield from re.findall(r"https?://[^\s\"'`]+\.(?:m?js|css|woff2?)\b", path.read_text(encoding="utf-8"))


def test_findings_lead_to_their_rule(site: Path) -> None:
    assert f"{ADDRESS}rules/" == URL
    assert f"\nsite_url: {ADDRESS}\n" in (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    for code in all_rules(registry.all_backends()):
        page = site / "rules" / code / "index.html"
        assert f'<h1 id="{code.lower()}-' in page.read_text(encoding="utf-8"), code


def test_schemas_stand_under_their_id(site: Path) -> None:
    for kind in VERSIONS:
        published = site / schema_url(kind).removeprefix(ADDRESS)
        assert published.read_bytes() == (ROOT / "schemas" / f"{kind}.json").read_bytes()


def test_every_page_is_on_the_site(site: Path, pages: Path) -> None:
    names = [page.relative_to(pages).with_suffix("") for page in pages.rglob("*.md") if "." not in page.stem]
    names.remove(Path("index"))
    assert [name for name in sorted(names) if not (site / name / "index.html").is_file()] == []


def test_the_site_is_in_both_languages(site: Path) -> None:
    pages = sorted((ROOT / "docs").glob("*.zh.md"))
    assert pages
    for page in pages:
        stem = page.name.removesuffix(".zh.md")
        for language in ("", "zh"):
            built = site / language / ("" if stem == "index" else stem) / "index.html"
            text = built.read_text(encoding="utf-8")
            assert f'<html lang="{language or "en"}"' in text, built
            assert ("份额" in text) is bool(language) or stem == "terms", built
    assert "份额" in (site / "zh/pictures/share.svg").read_text(encoding="utf-8")


def test_pages_without_a_translation_say_so(site: Path) -> None:
    assert '<p class="untranslated">' in (site / "zh/kubectl/index.html").read_text(encoding="utf-8")
    assert '<p class="untranslated">' not in (site / "zh/share/index.html").read_text(encoding="utf-8")
    assert '<p class="untranslated">' not in (site / "kubectl/index.html").read_text(encoding="utf-8")


def test_rules_are_in_chinese_as_far_as_they_go(site: Path) -> None:
    page = (site / "zh/rules/TKE007/index.html").read_text(encoding="utf-8")
    assert "两卡共享时，每张卡的算力是 5 % 的整数倍。" in page
    assert "应写为" in page
    assert '<div lang="en">' in page


def test_only_commands_are_copied(site: Path) -> None:
    page = (site / "start/index.html").read_text(encoding="utf-8")
    copied = re.findall(r'data-copy="([^"]*)"', page)
    assert any(one.startswith("gpuxlate ") for one in copied)
    assert [one for one in copied if one.startswith("$") or "error[" in one] == []


def test_the_search_finds_chinese_without_a_list_of_words(site: Path) -> None:
    index = json.loads((site / "search" / "search_index.json").read_text(encoding="utf-8"))
    assert index["config"]["lang"] == ["en", "zh"]
    separator = re.compile(index["config"]["separator"])
    assert separator.split("整卡，mgpu-core 30") == ["整", "卡", "mgpu", "core", "30"]
    assert "份额" in next(one for one in index["docs"] if one["location"] == "zh/share/")["title"]
