"""Every source that the code names is a document of the page of documents, and every document is used."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from docs.tools import documents
from docs.tools.pages import documents as page
from gpuxlate.backends import registry
from gpuxlate.backends.base import Backend
from gpuxlate.model.catalogue import Card, cards
from gpuxlate.rules.base import Rule
from gpuxlate.rules.catalog import all_rules
from gpuxlate.rules.products import PRODUCTS, Product

BACKENDS = tuple(registry.all_backends())
RULES = tuple(all_rules(BACKENDS).values())


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_the_source_of_a_rule_is_known(rule: Rule) -> None:
    text = rule.sections["Source"]
    assert documents.named_in(text) or re.search(documents.OWN, text), text


@pytest.mark.parametrize("backend", BACKENDS, ids=lambda backend: backend.name)
def test_the_tags_of_a_data_sheet_are_known(backend: Backend) -> None:
    unknown = [
        (row.name, tag)
        for row in backend.keys
        for tag, found in documents.tagged(backend, row.source)
        if not found
    ]
    assert unknown == []


@pytest.mark.parametrize("backend", BACKENDS, ids=lambda backend: backend.name)
def test_the_sources_of_prerequisites_are_known(backend: Backend) -> None:
    assert [title for title in page.of_nodes(backend) if not documents.named_in(title)] == []


@pytest.mark.parametrize("product", PRODUCTS, ids=lambda product: product.title)
def test_the_source_of_a_product_is_known(product: Product) -> None:
    assert len(documents.named_in(product.source)) == 1


@pytest.mark.parametrize("card", cards(), ids=lambda card: card.name)
def test_the_sources_of_a_card_are_known(card: Card) -> None:
    texts = (card.source, *(one.source for one in card.templates if one.source))
    for source in (one for text in texts for one in text.split("; ")):
        assert documents.named_in(source) or re.search(documents.OWN, source), source


def test_every_card_is_on_its_page(pages: Path) -> None:
    text = (pages / "cards.md").read_text(encoding="utf-8")
    words = {word for card in cards() for word in (card.name, *card.names.values())}
    assert [word for word in sorted(words) if f"`{word}`" not in text] == []


def test_every_product_is_on_the_page_of_targets(pages: Path) -> None:
    text = (pages / "targets.md").read_text(encoding="utf-8")
    missing = [key for one in PRODUCTS for key in (one.title, *one.keys) if key not in text]
    assert missing == []


def test_every_document_is_used() -> None:
    rules, keys, nodes, of_cards = page.cited()
    used = {*rules, *keys, *nodes, *of_cards}
    assert [one.id for one in documents.all_documents() if one.id not in used] == []


def test_every_document_is_on_the_page_once(pages: Path) -> None:
    text = (pages / "documents.md").read_text(encoding="utf-8")
    listed = re.findall(r'^\| <a id="([\w.-]+)"></a>', text, re.MULTILINE)
    assert sorted(listed) == sorted(one.id for one in documents.all_documents())
    assert len(set(listed)) == len(listed)
