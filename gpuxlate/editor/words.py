"""Keys, rules and shares in words, as Markdown."""

from __future__ import annotations

from collections.abc import Iterator

from gpuxlate.backends.base import Backend
from gpuxlate.backends.rows import legal_text
from gpuxlate.locale import current, summary, tell
from gpuxlate.model.diagnostics import URL
from gpuxlate.model.messages import either, plural, say
from gpuxlate.model.share import Share
from gpuxlate.model.sheet import Confidence, Key, Place, Writer
from gpuxlate.rules.base import Rule

_GIB = 1024
TARGETS = "https://gpuxlate.io/targets/"
"""The pages of the data sheets, which name the documents in full."""


def of_key(backend: Backend, row: Key, name: str) -> str:
    """What the data sheet says of a key: meaning, unit, values, source."""
    parts = [say("**{name}** ({title})", name=name, title=say(backend.title)), _sentence(row.meaning)]
    return "\n\n".join(map(tell, [*parts, *_lines(backend, row)]))


def _lines(backend: Backend, row: Key) -> Iterator[str]:
    if row.counts:
        yield say("Unit: {unit}.", unit=row.counts)
    if row.ranges:
        yield say("Values: {values}.", values=legal_text(row))
    if row.texts:
        yield say("Values: {values}.", values=", ".join(f"`{one}`" for one in row.texts))
    if row.needs:
        yield say("Needs {names} beside it.", names=either(f"`{one}`" for one in row.needs))
    if row.excludes:
        yield say("Excludes {names}.", names=", ".join(f"`{one}`" for one in row.excludes))
    if row.absent:
        yield say("Without the key: {value}.", value=say(row.absent))
    if Place.SCHEDULER in row.places:
        yield "Written by the scheduler."
    elif row.writer is Writer.WEBHOOK:
        yield "Written by a webhook."
    if row.since:
        yield say("Since {version}.", version=row.since)
    if row.until:
        yield say("Until {version}.", version=row.until)
    if row.source:
        url = f"{TARGETS}{backend.name}/"
        doubt = say(" (medium confidence)") if row.confidence is Confidence.MEDIUM else ""
        yield say("Source: [{source}]({url}){doubt}", source=row.source, url=url, doubt=doubt)


def _sentence(text: str) -> str:
    told = tell(text).rstrip(".")
    return f"{told[:1].upper()}{told[1:]}"


def of_rule(rule: Rule) -> str:
    """What ``gpuxlate explain`` says of a rule. In other languages than English its summary is translated."""
    fix = f"; fix: {rule.fix}" if rule.fix else ""
    parts = [f"**[{rule.code}]({URL}{rule.code})** {rule.name} ({rule.severity}{fix})"]
    parts.append(summary(rule.code, rule.summary, current()))
    if current() != "en":
        parts.append(tell("The sections below are in English."))
    return "\n\n".join([*parts, *(f"**{title}**\n{body}" for title, body in rule.sections.items())])


def of_share(share: Share) -> str:
    """A share in a few words: ``30 % and 4 GiB of one card``."""
    said = _of_share(share)
    return say("{share}, {qos}", share=said, qos=str(share.qos)) if share.qos else said


def _of_share(share: Share) -> str:
    if share.is_part:
        return share.part
    if share.whole_cards:
        return plural(share.cards, "one whole card", "{count} whole cards")
    parts: list[str] = []
    if share.cores_per_card is not None:
        cores = say("{count} %", count=share.cores_per_card)
        parts.append(say("{part} of the compute", part=cores) if share.memory_percent else cores)
    if share.memory_percent is not None:
        parts.append(say("{part} of the memory", part=say("{count} %", count=share.memory_percent)))
    elif share.memory_mib_per_card is not None:
        memory, limit = _amount(share.memory_mib_per_card), share.memory_limit_mib_per_card
        parts.append(
            say("{amount} (up to {limit})", amount=memory, limit=_amount(limit)) if limit else memory
        )
    both = say("{cores} and {memory}", cores=parts[0], memory=parts[1]) if len(parts) > 1 else parts[0]
    if share.cards == 1:
        return say("{part} of one card", part=both)
    return say("{part} of each of {count} cards", part=both, count=share.cards)


def _amount(mib: int) -> str:
    return f"{mib // _GIB} GiB" if mib % _GIB == 0 else f"{mib} MiB"
