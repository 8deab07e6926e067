"""What the site needs beyond MkDocs: a hook, named in mkdocs.yml."""

from __future__ import annotations

import gzip
import json
import logging
import posixpath
import re
import shutil
from html import escape, unescape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mkdocs.plugins import event_priority

from docs.tools.pages import errors, rules, target
from docs.tools.playground import browser
from docs.tools.staging import ROOT, stage
from gpuxlate.config.schemas import SCHEMA_VERSIONS, schema_file
from gpuxlate.locale import translator

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.pages import Page

_LOG = logging.getLogger("mkdocs.hooks.site")


@event_priority(100)  # before the plug-ins look at the pages
def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Build from the staged pages: for ``build/site``, from ``build/docs``."""
    pages = Path(config.site_dir).with_name("docs")
    try:
        config.extra["pyodide"] = browser.package()
    except browser.NotThereError as error:
        config.extra["pyodide"] = None
        _LOG.info("No playground: %s", error)
    stage(pages, playground=config.extra["pyodide"] is not None)
    config.docs_dir = str(pages)
    config.nav = _with_generated(config.extra.setdefault("nav", config.nav))  # once for each language
    chinese = translator("zh")
    for language in config.plugins["i18n"].config.languages:
        if language.locale == "zh":
            language.nav_translations.update({rules.short(title): chinese(title) for title in rules.groups()})
    return config


LISTS = {"rules.md": rules.navigation, "targets.md": target.navigation, "errors.md": errors.navigation}
"""Pages that list generated ones, which follow them in the navigation."""


def _with_generated(nav: Any) -> Any:
    """The navigation of mkdocs.yml, with the generated pages below those that list them."""
    if isinstance(nav, list):
        return [_with_generated(entry) for entry in nav]
    [(title, inside)] = nav.items()
    if not isinstance(inside, str):
        return {title: _with_generated(inside)}
    if inside not in LISTS:
        return nav
    return {title: [{f"All {Path(inside).stem}": inside}, *LISTS[inside]()]}


_CONSOLE = re.compile(r'(<pre>(?:<span></span>)?<code)(>(?:(?!</code>).)*?class="gp".*?</code>)', re.DOTALL)
_COMMAND = re.compile(r"^\$ (.*(?:\n> .*)*)", re.MULTILINE)
_CODE = re.compile(r"(<pre>.*?</pre>)|(?<=<code>)([^<]+)(?=</code>)", re.DOTALL)
_PICTURE = re.compile(r'<img alt="[^"]*" src="([^"]*pictures/)([\w-]+)(\.svg)"\s*/?>')
LONGEST = 24
"""Letters of a word of code that is never broken."""


LAST = 0.2
"""What a search makes of a page of errors, beside 1 of others: it has every word, and explains none."""


def on_page_markdown(_markdown: str, page: Page, **_: object) -> None:
    """In a search, pages that explain something come before those of errors."""
    if page.file.src_uri.startswith("errors/"):
        page.meta.setdefault("search", {"boost": LAST})


def on_page_content(html: str, config: MkDocsConfig, **_: object) -> str:
    """What the button copies of a terminal is its commands, without prompts and output; code is broken
    between its words; and a narrow screen gets the pictures that are drawn for it."""
    drawn = Path(config.docs_dir) / "pictures"

    def marked(block: re.Match[str]) -> str:
        shown = unescape(re.sub(r"<[^>]+>", "", block[2][1:]))
        commands = "\n".join(command.replace("\n> ", "\n") for command in _COMMAND.findall(shown))
        return f'{block[1]} data-copy="{escape(commands)}"{block[2]}' if commands else block[0]

    def narrow(picture: re.Match[str]) -> str:
        folder, name, end = picture.groups()
        source = f'<source media="(max-width: 44.9375em)" srcset="{folder}{name}.narrow{end}">'
        has_narrow = (drawn / f"{name}.narrow{end}").is_file()
        shown = f"<picture>{source * has_narrow}{picture[0]}</picture>"
        return f'<a class="picture" href="{folder}{name}{end}">{shown}</a>'

    html = _CODE.sub(lambda match: match[1] or _breakable(match[2]), _CONSOLE.sub(marked, html))
    return _PICTURE.sub(narrow, html)


_BREAK = re.compile(r"(?<=[\w;])([/.,=:]|&#\d+;)(?=\w|&lt;)")
"""A sign between two words, or between placeholders (``<group>/<version>``)."""


def _breakable(code: str) -> str:
    """Code that is in running text or in a table, with the places where a line may end."""
    words = (
        word if len(unescape(word)) <= LONGEST else _BREAK.sub(r"\1<wbr>", word) for word in code.split(" ")
    )
    return " <wbr>".join(words)


@event_priority(-100)  # after the plug-ins
def on_post_build(config: MkDocsConfig) -> None:
    """Publish each schema under its ``$id``, what the playground loads, and an index of words for each
    language: who searches in one does not get the other. A page without a translation is in English alone."""
    site = Path(config.site_dir)
    _leave_out(site, _untranslated(site, Path(config.docs_dir)))
    _search(site)
    folder = Path(config.site_dir) / "schemas"
    folder.mkdir(exist_ok=True)
    for kind in SCHEMA_VERSIONS:
        shutil.copyfile(ROOT / "schemas" / f"{kind}.json", site / schema_file(kind))
    if config.extra["pyodide"]:
        browser.publish(config.extra["pyodide"], Path(config.site_dir) / "playground")


def _untranslated(site: Path, pages: Path) -> set[str]:
    """The folders below ``zh/`` whose page is a copy of the English one: its source has no ``.zh.md``."""
    folders = (path.parent.relative_to(site / "zh") for path in (site / "zh").rglob("index.html"))
    return {
        folder.as_posix()
        for folder in folders
        if folder != Path() and not (pages / f"{folder}.zh.md").is_file()
    }


_SITEMAP_TWIN = r'hreflang="zh" href="(?:[^"]*/)?zh/([^"]*)/"'
_LINK = re.compile(r'(?<= href=")(?!\w+:|#|/)([^"#?]+)')
_LINK_FROM_THE_ROOT = re.compile(r'(?<= href=")(/(?:[^"#?]*/)?)zh/([^"#?]+)(?=/["#?])')
"""As 404.html has them, which is shown in any folder."""


def _leave_out(site: Path, copies: set[str]) -> None:
    """Remove Chinese copies of English pages; what links to one leads to the English page."""
    for copy in sorted(copies, reverse=True):  # what is inside a folder first
        folder = site / "zh" / copy
        (folder / "index.html").unlink()
        if not any(folder.iterdir()):
            folder.rmdir()
    sitemap = site / "sitemap.xml"
    entries = re.split(r"(?<=</url>)", sitemap.read_text(encoding="utf-8"))
    kept = (entry for entry in entries if not _of(entry, r"<loc>(?:[^<]*/)?zh/([^<]*)/</loc>", copies))
    lines = "".join(kept).splitlines(keepends=True)
    sitemap.write_text(
        "".join(line for line in lines if not _of(line, _SITEMAP_TWIN, copies)),
        encoding="utf-8",
    )
    sitemap.with_suffix(".xml.gz").write_bytes(gzip.compress(sitemap.read_bytes(), mtime=0))
    for path in site.rglob("*.html"):
        folder = path.parent.relative_to(site).as_posix()

        def in_english(link: re.Match[str], folder: str = folder) -> str:
            target = posixpath.normpath(posixpath.join(folder, link[1]))
            if target.removeprefix("zh/") not in copies or not target.startswith("zh/"):
                return link[1]
            return posixpath.relpath(target.removeprefix("zh/"), folder) + "/"

        def from_the_root(link: re.Match[str]) -> str:
            return link[1] + link[2] if link[2] in copies else link[0]

        html = path.read_text(encoding="utf-8")
        changed = _LINK_FROM_THE_ROOT.sub(from_the_root, _LINK.sub(in_english, html))
        if changed != html:
            path.write_text(changed, encoding="utf-8")


def _of(text: str, pattern: str, copies: set[str]) -> bool:
    match = re.search(pattern, text)
    return match is not None and match[1] in copies


def _search(site: Path) -> None:
    path = site / "search" / "search_index.json"
    index = json.loads(path.read_text(encoding="utf-8"))
    for language, root in (("en", site), ("zh", site / "zh")):
        docs = [page for page in index["docs"] if page["location"].startswith("zh/") is (language == "zh")]
        docs = [page | {"location": page["location"].removeprefix("zh/")} for page in docs]
        docs = [page for page in docs if (root / page["location"].partition("#")[0] / "index.html").is_file()]
        localized = index | {"config": index["config"] | {"lang": [language]}, "docs": docs}
        (root / "search").mkdir(parents=True, exist_ok=True)
        (root / "search" / path.name).write_text(json.dumps(localized, ensure_ascii=False), encoding="utf-8")
