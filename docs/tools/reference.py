"""The generated pages that are kept in ``docs/reference``: a code host shows them, and pages link to them.

They are those of the site, but for the pages of single rules, targets and areas of errors: a link to one of
these leads to its row here, or to the cases of the area.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from docs.tools.markdown import SITE
from docs.tools.pages import generated
from docs.tools.pages.errors import file_of_cases

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "docs" / "reference"
_LINK = re.compile(r"\]\(([^)\s]+)\)")
_BUTTON = re.compile(r"<button [^>]*>(.)</button>")
_ONLY_ON_THE_SITE = re.compile(r"<!-- site -->\n.*?<!-- /site -->\n*", re.DOTALL)


def reference() -> Iterator[tuple[Path, str]]:
    """Every page, as it should be."""
    for name, text in generated().items():
        if "/" not in name:
            language = ".zh" if name.endswith(".zh.md") else ""
            yield FOLDER / name, _in_repository(text, name, language)


def _in_repository(text: str, page: str, language: str) -> str:
    text = _BUTTON.sub(r"\1", _ONLY_ON_THE_SITE.sub("", text))
    text = _LINK.sub(lambda link: f"]({_target(link[1], language)})", text)
    row = re.compile(rf'(<a id="([^"]+)"></a>)\[([^\]]+)\]\({re.escape(page)}#\2\)')
    return row.sub(r"\1\3", text).rstrip("\n") + "\n"


def _target(link: str, language: str) -> str:
    """A link of the site, from a page of ``docs/reference``."""
    if link.startswith(SITE):
        return kept_place(link, language)
    if link.startswith("errors/"):
        return f"../../{file_of_cases(link, language)}"
    page = link.partition("#")[0]
    return link if not page or ":" in link or page in generated() else f"../{link}"


def kept_place(link: str, language: str = "") -> str:
    """The file and anchor in ``docs/reference`` for an address of the site, such as ``/rules/GX001/``."""
    page, _, place = link.removeprefix(SITE).partition("#")
    name, _, part = page.strip("/").partition("/")
    has_twin = language and f"{name}{language}.md" in generated()
    anchor = place or part.lower()
    return f"{name}{language if has_twin else ''}.md{f'#{anchor}' if anchor else ''}"


def linked_from_docs(text: str, language: str = "") -> str:
    """A text of a page in ``docs/`` with its links to the site as those to ``docs/reference``."""
    return _LINK.sub(
        lambda link: f"](reference/{kept_place(link[1], language)})" if link[1].startswith(SITE) else link[0],
        text,
    )
