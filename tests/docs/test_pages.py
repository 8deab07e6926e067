"""The pages and their tables say what the code does and vendors' documents say, and every link leads
somewhere: on a code host and on the site."""

import re
import sys
from collections.abc import Iterator
from functools import cache
from itertools import permutations
from pathlib import Path

import pytest

import gpuxlate
from docs.tools import __main__ as tools
from docs.tools import documents, inserts
from docs.tools.inserts import becomes
from docs.tools.inserts.methods import CLASSES, methods
from docs.tools.inserts.moves import ROWS, Row
from docs.tools.markdown import without_blocks
from docs.tools.pages import documents as page_of_documents
from docs.tools.pages.support_matrix import cells
from docs.tools.staging import OF_THE_ROOT
from gpuxlate.backends import registry, rows
from gpuxlate.backends.pod_reader import PodReader
from gpuxlate.backends.pod_writer import PodWriter, ShareWriter
from gpuxlate.model.keys import KeySpec
from gpuxlate.model.profile import all_cards
from gpuxlate.model.share import JSON_NAMES
from gpuxlate.rules.catalog import all_rules
from gpuxlate.rules.unsupported_products import PRODUCTS
from tests.effort import some
from tests.errors.table import sections

ROOT = Path(__file__).resolve().parents[2]
KEPT = [path for folder in (".", "docs", "docs/reference") for path in sorted((ROOT / folder).glob("*.md"))]
VKE, ACK, TKE = "volcengine-mgpu", "alibaba-gpushare", "tencent-qgpu"
DIRECTIONS = list(permutations((VKE, ACK, TKE), 2))
BACKENDS = tuple(registry.all_backends())
RULES = all_rules(BACKENDS)
WITH_INSERTS = sorted({path.relative_to(ROOT) for one in inserts.PAGES for path in ROOT.glob(one)})


@pytest.mark.full  # every command of the pages: CI does it with each change
@pytest.mark.parametrize("page", WITH_INSERTS, ids=str)
def test_what_a_page_shows_is_current(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else run ``make docs``. A page is a test, since its commands take their time."""
    monkeypatch.setattr(inserts, "PAGES", (str(page),))
    path, text = next(inserts.current())
    assert (path, path.read_text(encoding="utf-8")) == (ROOT / page, text)


@pytest.mark.full  # as long as ten of the pages
def test_what_pictures_show_is_current(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(inserts, "PAGES", ())
    monkeypatch.setattr(sys, "argv", ["docs.tools", "--check"])
    assert (tools.main(), capsys.readouterr().out) == (0, "")


def links(page: Path) -> list[str]:
    return re.findall(r"\]\(([^)\s]+)\)", without_blocks(page.read_text(encoding="utf-8")))


def led_to(page: Path, file: str, pages: Path) -> Path | None:
    """Where a link leads, on a code host or from a page that is staged for the site; None: elsewhere."""
    is_staged = page.is_relative_to(pages)
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


@cache
def anchors(page: Path) -> set[str]:
    """What a link can name on a page: its headings, and places marked by hand."""
    text = page.read_text(encoding="utf-8")
    titles = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    ids = (re.sub(r"[^\w -]", "", title.strip().lower()).replace(" ", "-") for title in titles)
    return {*ids, *re.findall(r'<a id="([^"]+)"', text)}


def test_every_rule_has_its_page(pages: Path) -> None:
    """Where findings lead to: ``rules/CODE`` of the site."""
    there = {path.name for path in (pages / "rules").iterdir()}
    assert there == {f"{code}.md" for code in RULES}
    listed = re.findall(r"\]\(rules/(\w+)\.md\)", (pages / "rules.md").read_text(encoding="utf-8"))
    assert sorted(listed) == sorted(RULES)
    for code, rule in RULES.items():
        text = (pages / "rules" / f"{code}.md").read_text(encoding="utf-8")
        assert text.startswith(f"# {code} {rule.name}\n"), code
        assert re.findall(r"^## (.+)$", without_blocks(text), re.MULTILINE) == list(rule.sections), code


def test_every_area_of_errors_has_its_page_in_both_languages(pages: Path) -> None:
    for language, instead in (("", "\nInstead: "), (".zh", "\n解决办法：")):
        listed = re.findall(r"\]\(errors/([\w-]+)\.md\)", (pages / f"errors{language}.md").read_text("utf-8"))
        assert listed == [section.name[3:] for section in sections()]
        for section in sections():
            text = (pages / "errors" / f"{section.name[3:]}{language}.md").read_text(encoding="utf-8")
            assert text.count(instead) == len(section.cases), section.name
    assert len([*(pages / "errors").iterdir()]) == 2 * len(sections())


def test_every_command_and_hook_is_in_the_readme() -> None:
    from gpuxlate.cli.app import COMMANDS

    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert [name for name in COMMANDS if f"| `gpuxlate {name}" not in readme] == []
    hooks = re.findall(r"^- id: (\S+)", (ROOT / ".pre-commit-hooks.yaml").read_text(), re.MULTILINE)
    assert hooks == re.findall(r"^  - id: (\S+)", readme, re.MULTILINE)


@pytest.mark.parametrize("readme", ["README.md", "README.zh-CN.md"])
def test_the_first_screen(readme: str) -> None:
    """An install line and a first command, and no page of a manual."""
    text = (ROOT / readme).read_text(encoding="utf-8").splitlines()
    assert len(text) <= 250
    first = "\n".join(text[:60])
    shown = ("\npipx install .", "| gpuxlate compare -", "\ngpuxlate lint", "\ngpuxlate translate")
    assert [one for one in shown if one not in first] == []


@pytest.mark.parametrize("start", ["README.md", "docs/index.md"])
def test_every_page_is_linked(start: str, pages: Path) -> None:
    linked = {Path(one.partition("#")[0]).stem for one in links(ROOT / start)}
    there = {path.stem for path in pages.glob("*.md") if "." not in path.stem}  # translations have their own
    assert sorted(there - linked - {"index", *OF_THE_ROOT.values()}) == []


# --- the tables "what becomes of it" --------------------------------------------------------------


def test_every_direction_is_on_a_page() -> None:
    paths = (path for path in (ROOT / "docs").glob("from-*.md") if "." not in path.stem)
    text = "".join(path.read_text(encoding="utf-8") for path in paths)
    shown = re.findall(r"<!-- table: becomes (\S+) (\S+) -->", text)
    assert sorted(shown) == sorted(DIRECTIONS)


def below(row: Row, source: str, target: str) -> list[str]:
    """What a target gives less of than a row of the tables asks, or otherwise than its flags say."""
    told = becomes.result(row, source, target)
    if told.becomes is None:
        return [] if told.verdict == "refused" else [told.verdict]
    made = gpuxlate.translate(row.pod, target, from_=source, **told.flags)
    [asked], [given] = (
        gpuxlate.parse(row.pod, from_=source).shares,
        gpuxlate.parse(made.objects, from_=target).shares,
    )
    both_cap, both_divide = asked.caps_memory and given.caps_memory, asked.cores and given.cores
    dropped = told.flags.get("drop", ())
    holds = {
        "cards": given.cards == asked.cards,
        "memory": not both_cap or given.memory_mib_per_card >= asked.memory_mib_per_card,
        "cores": not both_divide or given.cores >= asked.cores,
        "policy": given.policy == (None if "policy" in dropped else asked.policy),
        "qos": given.qos == (None if "qos" in dropped else asked.qos),
    }
    return [field for field, right in holds.items() if not right]


def test_nothing_is_below_what_was_asked() -> None:
    found = {(one.what, *pair): below(one, *pair) for pair in DIRECTIONS for one in ROWS[pair[0]]}
    assert len(found) > 70
    assert {one: fields for one, fields in found.items() if fields} == {}


# what the documents say, in the order of the pages: verdict, rules
VERDICTS = [
    # 457/127667: two cards share with more than half of each
    (VKE, TKE, "two cards, half or less of each", "refused", {"TKE005"}),
    # ACK "multi-card sharing": only memory is divided; ACK has no policy on pods
    (VKE, ACK, "two cards, more than half of each", "dropped", {"ACK005", "GX020"}),
    # volcano pull request 3030: compute wherever memory is asked for
    (ACK, VKE, "memory only, isolated", "filled", {"VKE011"}),
    # 457/81034: online pods ask for memory alone
    (VKE, TKE, "online", "dropped", {"TKE011"}),
    (TKE, VKE, "offline", "exact", set()),
]


@pytest.mark.parametrize(("source", "target", "what", "verdict", "codes"), VERDICTS)
def test_verdicts(source: str, target: str, what: str, verdict: str, codes: set[str]) -> None:
    [row] = [row for row in ROWS[source] if row.what == what]
    told = becomes.result(row, source, target)
    assert (told.verdict, told.codes) == (verdict, codes)


# --- the support matrix says what the vendors' documents say --------------------------------------

TOO_MANY = {"TKE005", "TKE010", "TKE011"}
CELLS = [
    # ACK has no key for policy or class
    (ACK, "policy", {"dropped": {"GX020"}}),
    # 5..100 in steps of 5, one card only; the open-source plugin counts memory alone
    (ACK, "cores", {"exact": set(), "rounded": {"ACK006"}, "dropped": {"ACK005", "GX020"}}),
    # VKE: compute is required, every percent can be said
    (VKE, "cores", {"exact": set(), "filled": {"VKE011"}}),
    (VKE, "cards", {"exact": set(), "refused": {"VKE019", "VKE020"}}),
    # TKE: a GiB, and at most two shared cards of more than half each
    (TKE, "cards", {"exact": set(), "refused": TOO_MANY, "doubtful": {"TKE005"}}),
    ("neutral", "memoryMiB", {"exact": set()}),
    # NVIDIA cards, of whatever model; a driver isolates them
    (VKE, "device", {"exact": set(), "dropped": {"GX020"}}),
    (VKE, "isolation", {"exact": set(), "dropped": {"GX020"}}),
    (VKE, "memoryLimitMiB", {"dropped": {"GX020"}}),
    ("dra-intel", "device", {"exact": set(), "dropped": {"GX020"}}),
    ("neutral", "isolation", {"exact": set()}),
]


def test_cells() -> None:
    """Those of the table; every field meets something, and every code is a rule."""
    for target, field, met in some(CELLS):
        assert cells(registry.get(target))[field].met == met, (target, field)
    for backend in some(registry.all_writable()):
        row = cells(backend)
        assert list(row) == list(JSON_NAMES.values())
        assert all(cell.words() for cell in row.values()), backend.name
        assert set().union(*(codes for cell in row.values() for codes in cell.met.values())) <= set(RULES)


# --- the tutorial lists everything that a reader and a writer may call ----------------------------


def test_the_tutorial_names_what_a_row_has() -> None:
    text = (ROOT / "docs" / "writing-a-target.md").read_text(encoding="utf-8")
    [table] = re.findall(r"A row has:\n\n(.*?)\n\n", text, re.DOTALL)
    names = {name for row in table.splitlines() for name in re.findall(r"`(\w+)`", row.split("|")[1])}
    assert {"cards", "unit", "source"} <= names
    assert {name for name in names if not hasattr(rows, name)} <= KeySpec.__annotations__.keys()


def test_every_public_method_is_listed_with_what_it_does() -> None:
    """Those that it inherits too: what ``dir`` finds."""
    text = (ROOT / "docs" / "writing-a-target.md").read_text(encoding="utf-8")
    for one in (PodReader, ShareWriter, PodWriter):
        [table] = re.findall(
            rf"<!-- table: methods {one.__name__} -->\n(.*?)<!-- /table -->", text, re.DOTALL
        )
        listed = dict(re.findall(r"^\| `(\w+)[^|`]*` \| (.*) \|$", table, re.MULTILINE))
        assert sorted(listed) == sorted(name for name in dir(one) if not name.startswith("_"))
        assert [name for name, text in listed.items() if len(text) < 10] == []
    # the calls are those of the code
    assert CLASSES.keys() == {"PodReader", "ShareWriter", "PodWriter"}
    assert dict(methods(PodWriter))["ordinary(index)"].startswith("The share of the ordinary container")
    assert "on_grid(attribute, code, step=, low=, unit=)" in dict(methods(ShareWriter))
    assert dict(methods(ShareWriter))["cards"] == "The number of cards; reading it does not place it"


# --- every source that the code names is a document of the page of documents, and is used ---------


def without_a_document() -> Iterator[str]:
    """What names a source that is neither a document nor gpuxlate's own."""

    def is_known(text: str) -> bool:
        return bool(documents.cited_in(text) or text.startswith(documents.OWN))

    yield from (f"rule {code}" for code, rule in RULES.items() if not is_known(rule.sections["Source"]))
    for backend in BACKENDS:
        for row in backend.keys:
            tags = documents.tagged(backend, row.source)
            yield from (f"{backend.name}: {row.name}: {tag}" for tag, found in tags if not found)
        for title in page_of_documents.of_nodes(backend):
            if not documents.cited_in(title):
                yield f"{backend.name}: nodes: {title}"
    for card in all_cards():
        texts = (card.source, *(one.source for one in card.templates if one.source))
        sources = (one for text in texts for one in text.split("; "))
        yield from (f"card {card.name}: {one}" for one in sources if not is_known(one))
    yield from (f"product {one.title}" for one in PRODUCTS if len(documents.cited_in(one.source)) != 1)


def test_every_source_is_known() -> None:
    assert list(without_a_document()) == []


def test_every_card_product_and_document_is_on_its_page(pages: Path) -> None:
    text = (pages / "cards.md").read_text(encoding="utf-8")
    words = {word for card in all_cards() for word in (card.name, *card.names.values())}
    assert [word for word in sorted(words) if f"`{word}`" not in text] == []
    text = (pages / "targets.md").read_text(encoding="utf-8")
    assert [key for one in PRODUCTS for key in (one.title, *one.keys) if key not in text] == []
    # each document is used, and listed once
    used = set().union(*map(set, page_of_documents.cited()))
    ids = sorted(one.id for one in documents.all_documents())
    assert [one for one in ids if one not in used] == []
    text = (pages / "documents.md").read_text(encoding="utf-8")
    listed = re.findall(r'^\| <a id="([\w.-]+)"></a>', text, re.MULTILINE)
    assert sorted(listed) == ids
    assert len(set(listed)) == len(listed)
