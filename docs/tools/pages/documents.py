"""The page of documents: each with its date, and what rests on it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from importlib import import_module

from docs.tools.documents import cited_in, groups, tagged
from docs.tools.markdown import SITE, rule_link, table
from gpuxlate.backends import registry
from gpuxlate.backends.base import Backend
from gpuxlate.backends.requirements import VendorDocument
from gpuxlate.model.profile import all_cards
from gpuxlate.rules.catalog import all_rules
from gpuxlate.rules.unsupported_products import PRODUCTS

INTRODUCTION = """\
Every document that a rule, a key or a prerequisite of a node is based on, with its date. [Sources of the
facts](sources.md) describes how they were read, where they contradict each other, and what is unconfirmed."""


def pages() -> Iterator[tuple[str, str]]:
    rules, keys, nodes, of_cards, schedulers = cited()
    of_targets = (("what nodes need", nodes), ("how pods are scheduled", schedulers))
    parts = ["# Documents", INTRODUCTION]
    for group in groups():
        rows = [
            [
                f'<a id="{document.id}"></a>'
                + (f"[{document.described}]({document.url})" if document.url else document.described),
                document.kind,
                document.date,
                ", ".join(
                    _resting(
                        keys[document.id],
                        of_cards[document.id],
                        [text for text, ids in of_targets if document.id in ids],
                        rules[document.id],
                    )
                ),
            ]
            for document in group.documents
        ]
        head = ["document", "what it is", "date", "used by"]
        parts += [f"## {group.title}", "\n".join(table(head, rows))]
    yield "documents.md", "\n\n".join(parts) + "\n"


def _resting(keys: int, of_cards: int, of_targets: list[str], rules: list[str]) -> list[str]:
    counts = {"key": keys, "card": of_cards}
    amounts = [f"{count} {noun}{'s' if count != 1 else ''}" for noun, count in counts.items() if count]
    return [*amounts, *of_targets, *map(rule_link, rules)]


def cited() -> tuple[dict[str, list[str]], dict[str, int], set[str], dict[str, int], set[str]]:
    """By document: codes of rules, the number of keys; those that say what nodes need; the number of
    cards and of their parts; those that say how pods are scheduled.
    """
    rules: dict[str, list[str]] = defaultdict(list)
    keys: dict[str, int] = defaultdict(int)
    nodes: set[str] = set()
    of_cards = Counter(
        document.id
        for card in all_cards()
        for source in (card.source, *(template.source for template in card.templates if template.source))
        for document in cited_in(source)
    )
    backends = list(registry.all_backends())
    for code, rule in all_rules(backends).items():
        for document in cited_in(rule.sections["Source"]):
            rules[document.id].append(code)
    for product in PRODUCTS:
        for document in cited_in(product.source):
            keys[document.id] += len(product.keys)
    for backend in backends:
        for row in backend.keys:
            for id_ in {
                document.id for _, documents in tagged(backend, row.source) for document in documents
            }:
                keys[id_] += 1
        nodes |= {document.id for title in of_nodes(backend) for document in cited_in(title)}
    sources = {backend.scheduling.source for backend in backends} - {""}
    schedulers = {document.id for source in sources for document in cited_in(source)}
    return rules, keys, nodes, of_cards, schedulers


def of_nodes(backend: Backend) -> list[str]:
    """The titles of what a target's labels, warnings and prerequisites of nodes rest on."""
    values = vars(import_module(backend.node_module)).values() if backend.node_module else ()
    return [document.title for document in values if isinstance(document, VendorDocument)]


def link(source: str) -> str:
    """A source in words, as a link to its document."""
    return ", ".join(f"[{document.title}]({SITE}documents/#{document.id})" for document in cited_in(source))


def links(backend: Backend, tags: str) -> str:
    """The source column of a data sheet: each tag leads to its document."""
    named = tagged(backend, tags)
    return ", ".join(
        f"[{name}]({SITE}documents/#{documents[0].id})" if documents else name for name, documents in named
    )
