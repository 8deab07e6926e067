"""The tables of pages: what becomes of a share, the support matrix, methods, and the documents they name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import permutations
from pathlib import Path

import pytest

from docs.tools import documents
from docs.tools.inserts import becomes
from docs.tools.inserts.methods import CLASSES, methods
from docs.tools.inserts.moves import ROWS
from docs.tools.pages import documents as page
from docs.tools.pages.support_matrix import cells
from gpuxlate.backends import registry
from gpuxlate.backends.base import Placing, PodPlacing, Taking
from gpuxlate.model.catalogue import cards
from gpuxlate.model.share import JSON_NAMES
from gpuxlate.rules.catalog import all_rules
from gpuxlate.rules.products import PRODUCTS
from tests.effort import some

ROOT = Path(__file__).resolve().parents[2]
VKE, ACK, TKE = "volcengine-mgpu", "alibaba-gpushare", "tencent-qgpu"
DIRECTIONS = list(permutations((VKE, ACK, TKE), 2))
BACKENDS = tuple(registry.all_backends())
RULES = all_rules(BACKENDS)


# --- what becomes of it: that nothing is below what was asked stands in tests/pairs/properties ----


def test_every_direction_is_on_a_page() -> None:
    paths = (path for path in (ROOT / "docs").glob("from-*.md") if "." not in path.stem)
    text = "".join(path.read_text(encoding="utf-8") for path in paths)
    shown = re.findall(r"<!-- table: becomes (\S+) (\S+) -->", text)
    assert sorted(shown) == sorted(DIRECTIONS)


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
    ("neutral", "isolation", {"exact": set()}),
]


def test_cells() -> None:
    found = {(target, field): cells(registry.get(target))[field].met for target, field, _ in CELLS}
    assert found == {(target, field): met for target, field, met in CELLS}


def test_every_field_meets_something_and_every_code_is_a_rule() -> None:
    for backend in some(registry.all_writable()):
        row = cells(backend)
        assert list(row) == list(JSON_NAMES.values())
        assert all(cell.words() for cell in row.values()), backend.name
        assert set().union(*(codes for cell in row.values() for codes in cell.met.values())) <= set(RULES)


# --- the tutorial lists everything that a reader and a writer may call ----------------------------


def test_every_public_method_is_listed_with_what_it_does() -> None:
    """Those that it inherits too: what ``dir`` finds."""
    text = (ROOT / "docs" / "writing-a-target.md").read_text(encoding="utf-8")
    for one in (Taking, Placing, PodPlacing):
        [table] = re.findall(
            rf"<!-- table: methods {one.__name__} -->\n(.*?)<!-- /table -->", text, re.DOTALL
        )
        listed = dict(re.findall(r"^\| `(\w+)[^|`]*` \| (.*) \|$", table, re.MULTILINE))
        assert sorted(listed) == sorted(name for name in dir(one) if not name.startswith("_"))
        assert [name for name, text in listed.items() if len(text) < 10] == []


def test_the_calls_are_those_of_the_code() -> None:
    assert CLASSES.keys() == {"Taking", "Placing", "PodPlacing"}
    assert dict(methods(PodPlacing))["ordinary(index)"].startswith("The share of the ordinary container")
    assert "on_grid(attribute, code, step=, low=, unit=)" in dict(methods(Placing))
    assert dict(methods(Placing))["cards"] == "The number of cards; reading it does not place it"


# --- every source that the code names is a document of the page of documents, and is used ---------


def without_a_document() -> Iterator[str]:
    """What names a source that is neither a document nor gpuxlate's own."""

    def is_known(text: str) -> bool:
        return bool(documents.named_in(text) or re.search(documents.OWN, text))

    yield from (f"rule {code}" for code, rule in RULES.items() if not is_known(rule.sections["Source"]))
    for backend in BACKENDS:
        for row in backend.keys:
            tags = documents.tagged(backend, row.source)
            yield from (f"{backend.name}: {row.name}: {tag}" for tag, found in tags if not found)
        for title in page.of_nodes(backend):
            if not documents.named_in(title):
                yield f"{backend.name}: nodes: {title}"
    for card in cards():
        texts = (card.source, *(one.source for one in card.templates if one.source))
        sources = (one for text in texts for one in text.split("; "))
        yield from (f"card {card.name}: {one}" for one in sources if not is_known(one))
    yield from (f"product {one.title}" for one in PRODUCTS if len(documents.named_in(one.source)) != 1)


def test_every_source_is_known() -> None:
    assert list(without_a_document()) == []


def test_every_card_and_product_is_on_its_page(pages: Path) -> None:
    text = (pages / "cards.md").read_text(encoding="utf-8")
    words = {word for card in cards() for word in (card.name, *card.names.values())}
    assert [word for word in sorted(words) if f"`{word}`" not in text] == []
    text = (pages / "targets.md").read_text(encoding="utf-8")
    assert [key for one in PRODUCTS for key in (one.title, *one.keys) if key not in text] == []


def test_every_document_is_used_and_on_the_page_once(pages: Path) -> None:
    used = set().union(*map(set, page.cited()))
    ids = sorted(one.id for one in documents.all_documents())
    assert [one for one in ids if one not in used] == []
    text = (pages / "documents.md").read_text(encoding="utf-8")
    listed = re.findall(r'^\| <a id="([\w.-]+)"></a>', text, re.MULTILINE)
    assert sorted(listed) == ids
    assert len(set(listed)) == len(listed)
