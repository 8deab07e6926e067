"""All pages in one folder, as the site has them: those of ``docs/`` and of the root, and the generated ones.

Kept pages are also read on a code host, which has the generated ones as they are in ``docs/reference``: they
link to those. Here, such a link becomes one to a page of the site, which MkDocs checks.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from docs.tools.markdown import SITE, fenced, with_blocks
from docs.tools.pages import generated
from gpuxlate.backends import registry

ROOT = Path(__file__).resolve().parents[2]

OF_THE_ROOT = {"CHANGELOG": "changelog", "CONTRIBUTING": "contributing", "SECURITY": "reporting"}
"""Pages of the root (``CHANGELOG.md``, ``CHANGELOG.zh.md``), and what they are called on the site."""

SHOWN = {".md", ".svg", ".png", ".css", ".js"}
"""What of ``docs/`` is for readers."""

PLAYGROUND = "<!-- here is the playground -->"
"""A line of its page, where the site has its form."""
NO_PLAYGROUND = (
    "This copy of the site was built where npm does not give Pyodide: the playground is not on it."
)

_ON_THE_SITE = re.compile(rf"\]\({re.escape(SITE)}([\w/-]*?)/?(#[\w.-]+)?\)")
_REFERENCE = re.compile(r"\]\((?:docs/)?reference/([\w-]+)(?:\.zh)?\.md(?:#([\w.-]+))?\)")


def stage(folder: Path, *, playground: bool) -> None:
    """Lay all pages into ``folder``. What is as it was is not touched, so that ``mkdocs serve``, which
    watches this folder, comes to rest."""
    pages = kept_pages(playground=playground)
    for name, text in generated().items():
        pages[Path(name)] = for_the_site(text, Path(name)).encode()
    for inside, content in pages.items():
        path = folder / inside
        if not path.is_file() or path.read_bytes() != content:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
    for path in folder.rglob("*"):
        if path.is_file() and path.relative_to(folder) not in pages:
            path.unlink()


def _form() -> str:
    names = [backend.name for backend in registry.all_writable() if backend.writes_pods]
    form = (ROOT / "docs/playground/form.html").read_text(encoding="utf-8")
    return form.replace("<!-- targets -->", "\n".join(f"<option>{name}</option>" for name in names))


def kept_pages(*, playground: bool) -> dict[Path, bytes]:
    """The pages that are written by hand, and what they show, by their paths on the site."""
    return dict(_kept_pages(_form() if playground else NO_PLAYGROUND))


def _kept_pages(form: str) -> Iterator[tuple[Path, bytes]]:
    docs = ROOT / "docs"
    for path in sorted(docs.rglob("*")):
        inside = path.relative_to(docs)
        if path.is_file() and path.suffix in SHOWN and inside.parts[0] not in ("reference", "theme", "tools"):
            content = path.read_bytes()
            if path.suffix == ".md":
                text = content.decode().replace(PLAYGROUND, form)
                content = for_the_site(text, inside).encode()
            yield inside, content
    for path in sorted(ROOT.glob("*.md")):
        stem, dot, rest = path.name.partition(".")
        if stem in OF_THE_ROOT:
            inside = Path(f"{OF_THE_ROOT[stem]}{dot}{rest}")
            text = re.sub(r"\]\(docs/", "](", path.read_text(encoding="utf-8"))
            yield inside, for_the_site(text, inside).encode()


def for_the_site(text: str, page: Path) -> str:
    """A page with its links as the site has them, and fences as its Markdown reads them."""
    names = "|".join(OF_THE_ROOT)
    text = re.sub(
        rf"\]\((?:\.\./)?({names})((?:\.[a-z]+)?\.md)", lambda m: f"]({OF_THE_ROOT[m[1]]}{m[2]}", text
    )
    # the site finds the page and the picture of each language itself
    text = re.sub(r"(\]\([\w/-]+)\.zh\.(md|svg)", r"\1.\2", text)
    text = _REFERENCE.sub(lambda link: f"]({SITE}{_on_the_site(link[1], link[2] or '')})", text)
    text = _ON_THE_SITE.sub(lambda link: f"]({_relative(link[1], page)}{link[2] or ''})", text)
    # behind the language, as in ``console live``: a code host ignores the rest
    return with_blocks(text, lambda kind, body: fenced(kind.partition(" ")[0], body))


def _on_the_site(page: str, place: str) -> str:
    """Where the site has a place of a page of ``docs/reference``."""
    if page == "rules" and place:
        return f"rules/{place.upper()}/"
    if page == "targets" and place in {backend.name for backend in registry.all_backends()}:
        return f"targets/{place}/"
    return f"{page}/{f'#{place}' if place else ''}"


def _relative(address: str, page: Path) -> str:
    """The page of an address, such as ``rules/GX001``, from another page."""
    return PurePosixPath(os.path.relpath(f"{address or 'index'}.md", page.parent)).as_posix()
