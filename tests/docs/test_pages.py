"""The pages say what the code does, and every link leads somewhere: on a code host and on the site."""

from __future__ import annotations

import re
import sys
from functools import cache
from pathlib import Path

import pytest

from docs.tools import __main__ as tools
from docs.tools import inserts
from docs.tools.markdown import without_blocks
from docs.tools.staging import OF_THE_ROOT
from gpuxlate.backends import registry
from gpuxlate.model.diagnostics import URL
from gpuxlate.rules.catalog import all_rules
from tests.errors.table import sections

ROOT = Path(__file__).resolve().parents[2]
SITE = URL.removesuffix("rules/")
KEPT = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").glob("*.md"))]


WITH_INSERTS = sorted({path.relative_to(ROOT) for one in inserts.PAGES for path in ROOT.glob(one)})


@pytest.mark.parametrize("page", WITH_INSERTS, ids=str)
def test_what_a_page_shows_is_current(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else run ``make docs``. A page is a test, since its commands take their time."""
    monkeypatch.setattr(inserts, "PAGES", (str(page),))
    path, text = next(inserts.current())
    assert (path, path.read_text(encoding="utf-8")) == (ROOT / page, text)


def test_what_pictures_show_is_current(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(inserts, "PAGES", ())
    monkeypatch.setattr(sys, "argv", ["docs.tools", "--check"])
    assert (tools.main(), capsys.readouterr().out) == (0, "")


def links(page: Path) -> list[str]:
    return re.findall(r"\]\(([^)\s]+)\)", without_blocks(page.read_text(encoding="utf-8")))


def heading_id(title: str) -> str:
    return re.sub(r"[^\w -]", "", title.strip().lower()).replace(" ", "-")


def led_to(page: Path, file: str, pages: Path) -> Path | None:
    """Where a link leads, on a code host or from a page that is staged for the site; None: elsewhere."""
    is_staged = page.is_relative_to(pages)
    if file.startswith(SITE) and not is_staged:
        return pages / f"{file.removeprefix(SITE).strip('/') or 'index'}.md"
    if file.startswith("https://"):
        return None
    there = (page.parent / file).resolve() if file else page
    translated = there.with_suffix(".zh.md")
    is_chinese = is_staged and page.name.endswith(".zh.md")
    return translated if is_chinese and translated.exists() else there  # where the site leads its readers


def test_links_lead_somewhere(pages: Path) -> None:
    staged = sorted(pages.rglob("*.md"))
    assert len(staged) > 150
    nowhere = []
    for page in (*KEPT, *staged):
        for target in links(page):
            file, _, anchor = target.partition("#")
            there = led_to(page, file, pages)
            if there and (not there.exists() or (anchor and anchor not in anchors(there))):
                nowhere.append((page.name, target))
    assert nowhere == []
    found = [(page.name, target) for page in staged for target in links(page)]
    assert [one for one in found if re.match(rf"{SITE}(?!schemas/)", one[1])] == [], "it is on this site"


@cache
def anchors(page: Path) -> set[str]:
    """What a link can name on a page: its headings, and places marked by hand."""
    text = page.read_text(encoding="utf-8")
    titles = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {*map(heading_id, titles), *re.findall(r'<a id="([^"]+)"', text)}


def test_every_rule_has_its_page(pages: Path) -> None:
    """Where findings lead to: ``URL`` and the code are ``rules/CODE`` of the site."""
    rules = all_rules(registry.all_backends())
    there = {path.name for path in (pages / "rules").iterdir()}
    assert there == {f"{code}{language}.md" for code in rules for language in ("", ".zh")}
    listed = re.findall(r"\]\(rules/(\w+)\.md\)", (pages / "rules.md").read_text(encoding="utf-8"))
    assert sorted(listed) == sorted(rules)
    for code, rule in rules.items():
        text = (pages / "rules" / f"{code}.md").read_text(encoding="utf-8")
        assert f"\n# {code} {rule.name}\n" in text, code
        assert re.findall(r"^## (.+)$", without_blocks(text), re.MULTILINE) == list(rule.sections), code


def test_every_area_of_errors_has_its_page(pages: Path) -> None:
    listed = re.findall(r"\]\(errors/([\w-]+)\.md\)", (pages / "errors.md").read_text(encoding="utf-8"))
    assert sorted(listed) == sorted(path.stem for path in (pages / "errors").iterdir())
    for section in sections():
        text = (pages / "errors" / f"{section.name[3:]}.md").read_text(encoding="utf-8")
        assert text.count("\nInstead: ") == len(section.cases), section.name


def test_every_command_is_in_the_readme() -> None:
    from gpuxlate.cli.app import COMMANDS

    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert [name for name in COMMANDS if f"| `gpuxlate {name}" not in readme] == []


@pytest.mark.parametrize("start", ["README.md", "docs/index.md"])
def test_every_page_is_linked(start: str, pages: Path) -> None:
    linked = {Path(one.partition("#")[0]).stem for one in links(ROOT / start)}
    there = {path.stem for path in pages.glob("*.md") if "." not in path.stem}  # translations have their own
    assert sorted(there - linked - {"index", *OF_THE_ROOT.values()}) == []


def test_the_readme_shows_every_hook() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    hooks = re.findall(r"^- id: (\S+)", (ROOT / ".pre-commit-hooks.yaml").read_text(), re.MULTILINE)
    assert hooks == re.findall(r"^  - id: (\S+)", readme, re.MULTILINE)
