"""What the site needs beyond MkDocs: a hook, named in mkdocs.yml.

The pages are written for two readers: a code host, which shows ``docs/`` and the files of the root
as they lie, and the site, which knows one folder. The hook lays both into such a folder, with the
links between them turned, and MkDocs builds from there.
"""

from __future__ import annotations

import logging
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import browser
from mkdocs.plugins import event_priority

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig

ROOT = Path(__file__).resolve().parents[2]

OF_THE_ROOT = {"CHANGELOG": "changelog", "CONTRIBUTING": "contributing", "SECURITY": "reporting"}
"""Pages of the root (``CHANGELOG.md``, ``CHANGELOG.zh.md``), and what they are called on the site."""

LATER = ("errors.md", "security.md")
"""Pages of the navigation that may not be there yet: left out until they are."""

SHOWN = {".md", ".svg", ".png", ".css", ".js"}
"""What of ``docs/`` is for readers."""

PLAYGROUND = "<!-- here is the playground -->"
"""A line of its page, where the site has its form."""
NO_PLAYGROUND = (
    "This copy of the site was built where npm does not give Pyodide: the playground is not on it."
)

_LOG = logging.getLogger("mkdocs.hooks.site")
_FENCE = re.compile(r"^( *```[a-z]+) [^\n{]+$", re.MULTILINE)
"""A fence with more than a language, such as ``console live``: a code host ignores the rest."""


@event_priority(100)  # before the plug-ins look at the pages
def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Build from the staged pages, without what is not there yet in the navigation."""
    site = Path(config.site_dir)
    pages = site.with_name(f"{site.name}-pages")
    try:
        config.extra["pyodide"] = browser.package()
    except browser.NotThereError as error:
        config.extra["pyodide"] = None
        _LOG.info("No playground: %s", error)
    stage(pages, playground=config.extra["pyodide"] is not None)
    config.docs_dir = str(pages)
    config.nav = _without(config.nav, {name for name in LATER if not (pages / name).is_file()})
    return config


def on_post_build(config: MkDocsConfig) -> None:
    """Publish each schema under its ``$id``, and what the playground loads."""
    from gpuxlate.config.schemas import VERSIONS, schema_url

    folder = Path(config.site_dir) / "schemas"
    folder.mkdir(exist_ok=True)
    for kind in VERSIONS:
        shutil.copyfile(ROOT / "schemas" / f"{kind}.json", folder / schema_url(kind).rpartition("/")[2])
    if config.extra["pyodide"]:
        browser.publish(config.extra["pyodide"], Path(config.site_dir) / "playground")


def stage(folder: Path, *, playground: bool) -> None:
    """Lay all pages into one folder, as the site wants them. What is as it was is not touched, so that
    ``mkdocs serve``, which watches this folder, comes to rest."""
    wanted = dict(_pages())
    form = _form() if playground else NO_PLAYGROUND
    for inside, content in wanted.items():
        if inside.name.startswith("playground.") and inside.suffix == ".md":
            wanted[inside] = content.replace(PLAYGROUND.encode(), form.encode())
    for inside, content in wanted.items():
        path = folder / inside
        if not path.is_file() or path.read_bytes() != content:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
    for path in folder.rglob("*"):
        if path.is_file() and path.relative_to(folder) not in wanted:
            path.unlink()


def _form() -> str:
    from gpuxlate.backends import registry

    names = [one.name for one in registry.all_backends() if not one.form_module]
    form = (ROOT / "docs/playground/form.html").read_text(encoding="utf-8")
    return form.replace("<!-- targets -->", "\n".join(f"<option>{name}</option>" for name in names))


def _pages() -> Iterator[tuple[Path, bytes]]:
    docs = ROOT / "docs"
    for path in sorted(docs.rglob("*")):
        inside = path.relative_to(docs)
        if path.is_file() and path.suffix in SHOWN and inside.parts[0] not in ("theme", "tools"):
            yield inside, _content(path)
    for path in sorted(ROOT.glob("*.md")):
        stem, dot, rest = path.name.partition(".")
        if stem in OF_THE_ROOT:
            yield Path(f"{OF_THE_ROOT[stem]}{dot}{rest}"), _content(path)


def _content(source: Path) -> bytes:
    content = source.read_bytes()
    if source.suffix != ".md":
        return content
    return for_the_site(content.decode(), of_the_root=source.parent == ROOT).encode()


def for_the_site(text: str, *, of_the_root: bool) -> str:
    """A page with its links as the site has them, and fences as its Markdown reads them."""
    names = "|".join(OF_THE_ROOT)
    if of_the_root:
        text = re.sub(r"\]\(docs/", "](", text)
    text = re.sub(
        rf"\]\((?:\.\./)?({names})((?:\.[a-z]+)?\.md)", lambda m: f"]({OF_THE_ROOT[m[1]]}{m[2]}", text
    )
    text = re.sub(r"(\]\([\w/-]+)\.zh\.md", r"\1.md", text)  # the site finds the page of each language itself
    return _FENCE.sub(r"\1", text)


def _without(nav: Any, missing: set[str]) -> Any:
    """The navigation without these pages, and without sections that are empty then."""
    if isinstance(nav, list):
        return [kept for one in nav if (kept := _without(one, missing)) not in (None, [], {})]
    if isinstance(nav, dict):
        return {title: kept for title, one in nav.items() if (kept := _without(one, missing))}
    return None if nav in missing else nav
