"""What the site needs beyond MkDocs: a hook, named in mkdocs.yml."""

from __future__ import annotations

import logging
import re
import shutil
from html import escape, unescape
from pathlib import Path
from typing import TYPE_CHECKING

from mkdocs.plugins import event_priority

from docs.tools.playground import browser
from docs.tools.staging import ROOT, stage
from gpuxlate.config.schemas import VERSIONS, schema_url

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig

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
    return config


_CONSOLE = re.compile(r'(<pre>(?:<span></span>)?<code)(>(?:(?!</code>).)*?class="gp".*?</code>)', re.DOTALL)
_COMMAND = re.compile(r"^\$ (.*(?:\n> .*)*)", re.MULTILINE)


def on_page_content(html: str, **_: object) -> str:
    """What the button copies of a terminal is its commands, without prompts and output."""

    def marked(block: re.Match[str]) -> str:
        shown = unescape(re.sub(r"<[^>]+>", "", block[2][1:]))
        commands = "\n".join(one.replace("\n> ", "\n") for one in _COMMAND.findall(shown))
        return f'{block[1]} data-copy="{escape(commands)}"{block[2]}' if commands else block[0]

    return _CONSOLE.sub(marked, html)


def on_post_build(config: MkDocsConfig) -> None:
    """Publish each schema under its ``$id``, and what the playground loads."""
    folder = Path(config.site_dir) / "schemas"
    folder.mkdir(exist_ok=True)
    for kind in VERSIONS:
        shutil.copyfile(ROOT / "schemas" / f"{kind}.json", folder / schema_url(kind).rpartition("/")[2])
    if config.extra["pyodide"]:
        browser.publish(config.extra["pyodide"], Path(config.site_dir) / "playground")
