"""Every citation of the code has one form, each document one title: ``docs/tools/documents/README.md``."""

import re
from collections import defaultdict
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from docs.tools import documents
from docs.tools.pages.documents import of_nodes
from gpuxlate.backends.registry import all_backends
from gpuxlate.model.profile import all_cards
from gpuxlate.rules import releases
from gpuxlate.rules.base import Citation, citations
from gpuxlate.rules.catalog import all_rules
from gpuxlate.rules.unsupported_products import PRODUCTS

BACKENDS = list(all_backends())
VERDICTS = Path(__file__).parents[2] / "fixtures" / "vendors"


def sources() -> Iterator[tuple[str, str]]:
    """Each place of the code with a source, and its text."""
    yield from ((f"rule {code}", rule.sections["Source"]) for code, rule in all_rules(BACKENDS).items())
    for backend in BACKENDS:
        yield from ((f"{backend.name}: {tag}", text) for tag, text in backend.documents.items())
        yield from ((f"{backend.name}: nodes", text) for text in of_nodes(backend))
        for setting in (backend.limits, backend.scheduling):
            if setting.source and not set(setting.source.split(", ")) <= backend.documents.keys():
                yield f"{backend.name}: {type(setting).__name__}", setting.source
    for card in all_cards():
        yield from ((f"card {card.name}", part.source) for part in (card, *card.templates) if part.source)
    yield from ((f"product {product.title}", product.source) for product in PRODUCTS)
    components = {component for backend in BACKENDS for component in backend.components}
    for component in sorted(components | {releases.KUBERNETES}):
        changes = (*releases.key_changes(component), *releases.chart_changes(component))
        yield from ((f"release {change.key}", change.source) for change in changes)
    yield from (
        (f"release of {one['component']}", one["newest"]) for one in releases._documents() if "newest" in one
    )


SOURCES = dict.fromkeys(sources())
CITATIONS = {(place, citation): None for place, text in SOURCES for citation in citations(text)}
DATE = re.compile(r"\b20\d\d-(0[1-9]|1[0-2])(-\d\d)?\b")


def test_a_source_has_places_of_each_kind() -> None:
    """That the tests below look at something."""
    kinds = {place.partition(" ")[0].rstrip(":") for place, _ in SOURCES}
    assert {"rule", "card", "product", "release", "tencent-qgpu"} <= kinds
    assert {place.rpartition(": ")[2] for place, _ in SOURCES} >= {"nodes", "S0", "Scheduling"}


def test_a_citation_begins_with_the_title_of_a_document_or_is_our_own_word() -> None:
    assert [
        (place, citation.text)
        for place, citation in CITATIONS
        if documents.document_of(citation.text) is None and not citation.text.startswith(documents.OWN)
    ] == []


def test_a_date_stands_in_parentheses_at_the_end() -> None:
    assert [(place, citation.text) for place, citation in CITATIONS if DATE.search(citation.text)] == []


def test_the_same_place_of_a_document_has_one_date() -> None:
    dates: dict[str, set[str]] = defaultdict(set)
    for _, citation in CITATIONS:
        if citation.date is not None:
            dates[citation.text].add(citation.date)
    assert {text: days for text, days in dates.items() if len(days) > 1} == {}


FILE = re.compile(r"[\w.{}-]*/[\w./{}-]*\.\w+")


def test_a_file_of_a_document_has_one_path() -> None:
    """But those that each folder has: README.md, values.yaml of two charts would be two files."""
    paths: dict[tuple[str, str], set[str]] = defaultdict(set)
    for _, citation in CITATIONS:
        document = documents.document_of(citation.text)
        for path in FILE.findall(citation.text.removeprefix(document.title)) if document else ():
            name = path.rpartition("/")[2]
            if name != "README.md":
                paths[document.title, name].add(path)
    assert {file: names for file, names in paths.items() if len(names) > 1} == {}


def test_a_document_has_one_title_one_id_and_one_address() -> None:
    for field in ("id", "title", "url"):
        values = sorted(filter(None, (getattr(one, field) for one in documents.all_documents())))
        assert [first for first, second in pairwise(values) if first == second] == []


@pytest.mark.parametrize(
    ("text", "cited"),
    [
        (
            "YAML 1.2.2, section 7.1; YAML 1.1 (2005).",
            [("YAML 1.2.2, section 7.1", None), ("YAML 1.1", "2005")],
        ),
        ("A/B, pages of qGPU (2022-23)", [("A/B, pages of qGPU", "2022-23")]),
        ("A/B, a (b)", [("A/B, a (b)", None)]),
        ("A/B, a\n    and b (2026-08-21).", [("A/B, a and b", "2026-08-21")]),
    ],
)
def test_the_parts_of_citations(text: str, cited: list[tuple[str, str | None]]) -> None:
    assert [*citations(text)] == [Citation(*parts) for parts in cited]


@pytest.mark.parametrize(
    ("citation", "title"),
    [
        ("kai-scheduler/KAI-Scheduler, docs/gpu-sharing/nv-fraction (2026-09)", "nv-fraction"),
        ("kai-scheduler/KAI-Scheduler, docs/gpu-sharing/README.md", "KAI-Scheduler"),
        ("elastic-ai/elastic-gpu-scheduler, README", "elastic-ai/elastic-gpu-scheduler"),
    ],
)
def test_the_longest_title_is_meant(citation: str, title: str) -> None:
    document = documents.document_of(citation)
    assert document is not None
    assert document.title.endswith(title)


def test_every_table_of_verdicts_is_of_a_commit_of_the_ledger() -> None:
    asked = [document for document in documents.all_documents() if document.asked]
    assert [document.title for document in asked if not document.commit] == []
    dialects = {name for document in asked for name in re.findall(r"`([a-z-]+)`", document.dialects)}
    assert dialects == {path.stem for path in VERDICTS.glob("*.jsonl")}
