"""The documentation says what the code does: generated pages, and the output of every command shown."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from gpuxlate.backends import registry
from gpuxlate.rules.catalog import all_rules

ROOT = Path(__file__).parent.parent
PAGES = [
    ROOT / "README.md",
    ROOT / "README.zh-CN.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "SECURITY.md",
    *sorted((ROOT / "docs").rglob("*.md")),
]


def test_the_pages_are_current() -> None:
    done = subprocess.run(
        [sys.executable, "docs/generate.py", "--check"],
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stdout, done.stderr, done.returncode) == ("", "", 0)


def heading_id(title: str) -> str:
    return re.sub(r"[^\w -]", "", title.strip().lower()).replace(" ", "-")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    prose = re.sub(r"^```.*?^```$", "", text, flags=re.DOTALL | re.MULTILINE)
    for target in re.findall(r"\]\(([^)\s]+)\)", prose):
        if target.startswith("https://"):
            continue
        file, _, anchor = target.partition("#")
        there = (page.parent / file).resolve() if file else page
        assert there.exists(), target
        if anchor:
            assert anchor in anchors(there), target


def anchors(page: Path) -> set[str]:
    """What a link can name on a page: its headings, and places marked by hand."""
    text = page.read_text(encoding="utf-8")
    titles = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {*map(heading_id, titles), *re.findall(r'<a id="([^"]+)"', text)}


def test_every_rule_has_its_page() -> None:
    """Where findings lead to: ``URL`` and the code are ``rules/CODE`` of the site."""
    pages = {path.stem for path in (ROOT / "docs" / "rules").glob("*.md") if "." not in path.stem}
    assert pages == set(all_rules(registry.all_backends()))
    listed = re.findall(r"\]\(rules/(\w+)\.md\)", (ROOT / "docs" / "rules.md").read_text(encoding="utf-8"))
    assert set(listed) == pages


def test_every_command_is_in_the_readme() -> None:
    from gpuxlate.cli.app import COMMANDS

    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert [name for name in COMMANDS if f"| `gpuxlate {name}" not in readme] == []


@pytest.mark.parametrize("start", ["README.md", "docs/index.md"])
def test_every_page_is_linked(start: str) -> None:
    page = ROOT / start
    targets = re.findall(r"\]\(([^)#\s]+)", page.read_text(encoding="utf-8"))
    linked = {(page.parent / one).resolve() for one in targets if not one.startswith("https://")}
    pages = {
        one for one in (ROOT / "docs").glob("*.md") if "." not in one.stem
    }  # translations have their own
    pages -= {ROOT / "docs" / "index.md"}
    assert sorted(one.name for one in pages - linked) == []


def test_the_readme_shows_every_hook() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    hooks = re.findall(r"^- id: (\S+)", (ROOT / ".pre-commit-hooks.yaml").read_text(), re.MULTILINE)
    assert hooks == re.findall(r"^  - id: (\S+)", readme, re.MULTILINE)
