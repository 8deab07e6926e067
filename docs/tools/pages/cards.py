"""The page of the catalogue of cards, from its data file: a table for each vendor."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from docs.tools.markdown import filled
from docs.tools.pages import documents
from gpuxlate.model.profile import Card, Template, all_cards

INTRODUCTION = """\
The catalogue is a data file of the package, `gpuxlate/model/cards.json`: the names by which a share
chooses cards (`device.models`), what each target calls them in its keys, and their memory. Its JSON Schema
is printed by `gpuxlate schema catalogue`. Case does not matter in the names of the catalogue. A name has a
form factor (`SXM4`) only where the document has one: `a100_80g` may be either.

*Memory* is what can be allocated, in MiB, the least that a document gives; *nominal* is the size in the name
or data sheet of the card, a GB counted as 1024 MiB. An empty cell: no document gives it. *Seen* marks names
that published manifests have and no document.

A profile adds cards, or says more of a card:

```yaml
target: volcengine-mgpu
catalogue:
- {name: L20, vendor: nvidia, memoryMiB: 45470}
```"""


def pages() -> Iterator[tuple[str, str]]:
    parts = ["# Cards", INTRODUCTION]
    for vendor, group in groupby(
        sorted(all_cards(), key=lambda card: card.vendor), key=lambda card: card.vendor
    ):
        parts += [f"## {vendor}", "\n".join(_table(list(group)))]
    yield "cards.md", "\n\n".join(parts) + "\n"


def _table(group: list[Card]) -> list[str]:
    """Without the columns that no card of the vendor fills."""
    head = ["card", "memory", "nominal", "names", "parts", "source"]
    rows = [
        [
            f"`{card.name}`",
            str(card.memory_mib or ""),
            str(card.nominal_mib or ""),
            "\n".join(f"`{text}` ({dialect})" for dialect, text in card.names.items()),
            _parts(card),
            (documents.link(card.source) or card.source) + (" (seen)" if card.confidence == "seen" else ""),
        ]
        for card in group
    ]
    return filled(head, rows)


def _parts(card: Card) -> str:
    if card.sizes_mib:
        return ", ".join(map(str, card.sizes_mib)) + " MiB"
    if card.templates_of:
        return f"as `{card.templates_of}`"
    return "\n".join(
        f"`{template.name}`: {', '.join(_numbers(card, template))}" for template in card.templates
    )


def _numbers(card: Card, template: Template) -> Iterator[str]:
    """What a document says of a part; compute in percent of the card, as shares count it."""
    if template.memory_mib:
        yield f"{template.memory_mib} MiB"
    for part, whole, unit in (
        (template.ai_cores, card.ai_cores, "AI cores"),
        (template.multiprocessors, card.multiprocessors, "multiprocessors"),
    ):
        if part:
            yield f"{part} of {whole} {unit}" if whole else f"{part} {unit}"
    if (cores := card.cores_of(template)) is not None:
        yield f"{cores} %" if template.is_measured else f"about {cores} %"
    if template.most:
        yield f"at most {template.most} on a card"
    if template.source:
        yield (documents.link(template.source) or template.source) + (
            " (seen)" if template.confidence == "seen" else ""
        )
