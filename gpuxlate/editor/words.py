"""Keys, rules and shares in words, as Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterator

from gpuxlate.backends.base import Backend
from gpuxlate.backends.sheet.kinds_of_numbers import legal_text
from gpuxlate.model.diagnostics import URL
from gpuxlate.model.share import Share
from gpuxlate.model.sheet import Confidence, Key, Place, Writer
from gpuxlate.rules.base import Rule

_HEADING = re.compile(r"^## (.*)$", re.MULTILINE)
_GIB = 1024
TARGETS = "https://gpuxlate.io/targets/"
"""The pages of the data sheets, which name the documents in full."""


def of_key(backend: Backend, row: Key, name: str) -> str:
    """What the data sheet says of a key: meaning, unit, values, source."""
    return "\n\n".join([f"**{name}** ({backend.title})", f"{_sentence(row.meaning)}", *_lines(backend, row)])


def _lines(backend: Backend, row: Key) -> Iterator[str]:
    if row.counts:
        yield f"Unit: {row.counts}."
    if row.ranges:
        yield f"Values: {legal_text(row)}."
    if row.texts:
        yield f"Values: {', '.join(f'`{one}`' for one in row.texts)}."
    if row.needs:
        yield f"Needs {' or '.join(f'`{one}`' for one in row.needs)} beside it."
    if row.excludes:
        yield f"Excludes {', '.join(f'`{one}`' for one in row.excludes)}."
    if row.absent:
        yield f"Without the key: {row.absent}."
    if Place.SCHEDULER in row.places:
        yield "Written by the scheduler."
    elif row.writer is Writer.WEBHOOK:
        yield "Written by a webhook."
    if row.since or row.until:
        yield " ".join(
            [f"Since {row.since}." if row.since else "", f"Until {row.until}." if row.until else ""]
        ).strip()
    if row.source:
        doubt = " (medium confidence)" if row.confidence is Confidence.MEDIUM else ""
        yield f"Source: [{row.source}]({TARGETS}{backend.name}/){doubt}"


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:].rstrip('.')}."


def of_rule(rule: Rule) -> str:
    """What ``gpuxlate explain`` says of a rule."""
    fix = f"; fix: {rule.fix}" if rule.fix else ""
    body = _HEADING.sub(r"**\1**", rule.text)
    return f"**[{rule.code}]({URL}{rule.code})** {rule.name} ({rule.severity}{fix})\n\n{body}"


def of_share(share: Share) -> str:
    """A share in a few words: ``30 % and 4 GiB of one card``."""
    rest = f", {share.qos}" if share.qos else ""
    if share.is_part:
        return share.part + rest
    cards = "one card" if share.cards == 1 else f"each of {share.cards} cards"
    if share.whole_cards:
        return "one whole card" if share.cards == 1 else f"{share.cards} whole cards"
    parts = []
    if share.cores_per_card is not None:
        parts.append(
            f"{share.cores_per_card} % of the compute"
            if share.memory_percent
            else f"{share.cores_per_card} %"
        )
    if share.memory_percent is not None:
        parts.append(f"{share.memory_percent} % of the memory")
    elif share.memory_mib_per_card is not None:
        limit = share.memory_limit_mib_per_card
        burst = f" (up to {_amount(limit)})" if limit else ""
        parts.append(_amount(share.memory_mib_per_card) + burst)
    return f"{' and '.join(parts)} of {cards}{rest}"


def _amount(mib: int) -> str:
    return f"{mib // _GIB} GiB" if mib % _GIB == 0 else f"{mib} MiB"
