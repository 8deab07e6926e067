"""What is at the cursor, and what it means: keys, rules and shares in words, as Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress

from lsprotocol import types

from gpuxlate.backends import registry
from gpuxlate.backends.base import Backend
from gpuxlate.backends.rows import changes_of, release_of
from gpuxlate.locale import current_language, localize, sections, summary
from gpuxlate.lsp.session import CheckedText
from gpuxlate.model import site
from gpuxlate.model.declarations import record, regex
from gpuxlate.model.diagnostics import Path
from gpuxlate.model.keys import Confidence, KeySpec, Place
from gpuxlate.model.messages import join_or, msg, plural
from gpuxlate.model.pod import KeyOccurrence, Level, PodKeys, key_occurrences
from gpuxlate.model.profile import ChangeKind, Profile, renamed_by
from gpuxlate.model.quantity import GIB
from gpuxlate.model.share import Share
from gpuxlate.overlays.roles import FileRole
from gpuxlate.rules import catalog
from gpuxlate.rules.base import Rule
from gpuxlate.yamltext.nodes import Mapping, Node, Scalar, Sequence, is_merge
from gpuxlate.yamltext.parse import NotYamlError, documents
from gpuxlate.yamltext.source import Source


def describe_key(backend: Backend, row: KeySpec, name: str) -> str:
    """What the data sheet says of a key: meaning, unit, values, source."""
    parts = [msg("**{name}** ({title})", name=name, title=msg(backend.title)), _sentence(row.meaning)]
    return "\n\n".join(map(localize, [*parts, *_lines(backend, row)]))


def _lines(backend: Backend, row: KeySpec) -> Iterator[str]:
    if row.unit_text:
        yield msg("Unit: {unit}.", unit=row.unit_text)
    if row.ranges:
        yield msg("Values: {values}.", values=row.legal.text)
    if row.texts:
        yield msg("Values: {values}.", values=", ".join(f"`{value}`" for value in row.texts))
    if row.needs:
        yield msg("Needs {names} beside it.", names=join_or(f"`{name}`" for name in row.needs))
    if row.excludes:
        yield msg("Excludes {names}.", names=", ".join(f"`{name}`" for name in row.excludes))
    if row.default:
        yield msg("Without the key: {value}.", value=msg(row.default))
    if Place.WRITTEN_BY_SCHEDULER in row.places:
        yield "Written by the scheduler."
    changes = changes_of(row)
    if first := release_of(changes, ChangeKind.NEW):
        yield msg("Since {version}.", version=first)
    if last := release_of(changes, ChangeKind.REMOVED):
        yield msg("Until {version}.", version=last)
    address = site.page(f"targets/{backend.name}/")
    doubt = msg(" (medium confidence)") if row.confidence is Confidence.MEDIUM else ""
    if row.source and address:  # the page says what the names of documents stand for
        yield msg("Source: {source}{doubt}", source=_linked(row.source, address), doubt=doubt)
    elif doubt:
        yield "Medium confidence."


def _linked(text: str, address: str | None) -> str:
    return f"[{text}]({address})" if address else text


def _sentence(text: str) -> str:
    sentence = localize(text).rstrip(".")
    return f"{sentence[:1].upper()}{sentence[1:]}"


def describe_rule(rule: Rule) -> str:
    """What ``gpuxlate explain`` says of a rule, as far as possible in the language of this process."""
    fix = f"; fix: {rule.fix}" if rule.fix else ""
    parts = [f"**{_linked(rule.code, site.rule_page(rule.code))}** {rule.name} ({rule.severity}{fix})"]
    parts.append(summary(rule.code, rule.summary, current_language()))
    texts, complete = sections(rule.code, rule.sections, current_language())
    if not complete:
        parts.append(localize("The sections below are in English."))
    return "\n\n".join([*parts, *(f"**{localize(title)}**\n{body}" for title, body in texts.items())])


def describe_share(share: Share) -> str:
    """A share in a few words: ``30 % and 4 GiB of one card``."""
    share_text = _share_text(share)
    return msg("{share}, {qos}", share=share_text, qos=str(share.qos)) if share.qos else share_text


def _share_text(share: Share) -> str:
    if share.is_part:
        return share.part
    if share.whole_cards:
        return plural(share.cards, "one whole card", "{count} whole cards")
    parts: list[str] = []
    if share.cores_per_card is not None:
        cores = msg("{count} %", count=share.cores_per_card)
        parts.append(msg("{part} of the compute", part=cores) if share.memory_percent else cores)
    if share.memory_percent is not None:
        parts.append(msg("{part} of the memory", part=msg("{count} %", count=share.memory_percent)))
    elif share.memory_mib_per_card is not None:
        memory, limit = _amount(share.memory_mib_per_card), share.memory_limit_mib_per_card
        parts.append(
            msg("{amount} (up to {limit})", amount=memory, limit=_amount(limit)) if limit else memory
        )
    both = msg("{cores} and {memory}", cores=parts[0], memory=parts[1]) if len(parts) > 1 else parts[0]
    if share.cards == 1:
        return msg("{part} of one card", part=both)
    return msg("{part} of each of {count} cards", part=both, count=share.cards)


def _amount(mib: int) -> str:
    return f"{mib // GIB} GiB" if mib % GIB == 0 else f"{mib} MiB"


# What the cursor is at: a key of a pod that is written, or the place of one that is being typed.
MAX_DOCUMENT = 2**18
"""Characters of a document in which words are completed: it is read several times."""
PLACEHOLDER = "gpuxlate-is-here"
"""Stands for what is being typed. It needs no quotes, and is nobody's key."""
_WORD = regex(r"[\w./-]*")
_WORD_BEFORE = regex(r"[\w./-]*\Z")
_MARK = regex(r"^---(?=[ \t\r\n]|\Z)", re.MULTILINE)
_QUOTES = "\"'"


def scalar_at(source: Source, index: int) -> tuple[Scalar, Path] | None:
    """The key or value at a character, with its path; of a key that of its entry."""
    with suppress(NotYamlError):
        for document in documents(source):
            if document.start <= index <= document.end and document.root is not None:
                with_path = _below(document.root, index)
                if with_path:
                    return with_path
    return None


def _below(root: Node, index: int) -> tuple[Scalar, Path] | None:
    node, path = root, ()  # type: tuple[Node, Path]
    while not isinstance(node, Scalar):
        for step, handle, value in _entries(node):
            if handle is not None and handle.start <= index <= handle.end:
                return (handle, (*path, step)) if isinstance(handle, Scalar) else None
            if value.start <= index <= value.end:
                node, path = value, (*path, step)
                break
        else:
            return None
    return node, path


def _entries(node: Node) -> Iterator[tuple[str | int, Node | None, Node]]:
    if isinstance(node, Mapping):
        for key, value in node.entries:
            if isinstance(key, Scalar) and not is_merge(key):
                yield key.text, key, value
    elif isinstance(node, Sequence):
        yield from ((n, None, item) for n, item in enumerate(node.items))


@record
class CursorWord:
    """What is being typed: characters ``start`` to ``end``, in quotes or not.

    ``spot``: the key of the pod that it is (``is_name``), or whose value it is. ``colon``: one follows.
    """

    start: int
    end: int
    spot: KeyOccurrence
    pod: PodKeys
    is_name: bool
    colon: bool


def word_at(source: Source, index: int, role: FileRole, profile: Profile | None) -> CursorWord | None:
    """The key or value of a pod that is being typed at a character; the text around it may be incomplete."""
    text = source.text
    first, last = _document_around(text, index)
    if last - first > MAX_DOCUMENT:
        return None
    start, end, colon = _word_around(text, index)
    line_end = re.compile(r"[\r\n]|\Z").search(text, end)
    assert line_end is not None
    for written in (PLACEHOLDER,) if colon else (f"{PLACEHOLDER}: 0", PLACEHOLDER, f" {PLACEHOLDER}"):
        until_line = text[first:start] + written + text[end : line_end.start()]
        for tried in (
            text[first:start] + written + text[end:last],
            until_line,
            _with_brackets_closed(until_line),
        ):
            probed = _read_placeholder(Source(source.name, tried), role, profile)
            if probed:
                spot, pod, is_name = probed
                return CursorWord(start, end, spot, pod, is_name, colon)
    return None


def _document_around(text: str, index: int) -> tuple[int, int]:
    """Where the document of a character begins and ends, in a text that may be invalid."""
    first = max((mark.start() for mark in _MARK.finditer(text, 0, index)), default=0)
    behind = _MARK.search(text, index)
    return first, behind.start() if behind else len(text)


def _word_around(text: str, index: int) -> tuple[int, int, bool]:
    """The word at a character with its quotes, and whether a colon follows."""
    line = text.rfind("\n", 0, index) + 1
    before = _WORD_BEFORE.search(text, max(line, index - 400), index)
    behind = _WORD.match(text, index)
    assert before is not None
    assert behind is not None
    start, end = before.start(), behind.end()
    quote = text[start - 1 : start]
    if quote and quote in _QUOTES:
        start -= 1
        end += text[end : end + 1] == quote
    return start, end, text[end : end + 1] == ":"


def _with_brackets_closed(text: str) -> str:
    """The text with its open braces and brackets closed, roughly: strings and comments are not known."""
    opened: list[str] = []
    for bracket in re.findall(r"[{}\[\]]", text[-4000:]):
        if bracket in "{[":
            opened.append("}" if bracket == "{" else "]")
        elif opened and opened[-1] == bracket:
            opened.pop()
    return text + "".join(reversed(opened))


def _read_placeholder(
    source: Source, role: FileRole, profile: Profile | None
) -> tuple[KeyOccurrence, PodKeys, bool] | None:
    with suppress(NotYamlError):
        for document in documents(source):
            if document.root is None:
                continue
            for overlay_pod in role.pods(document):
                pod = overlay_pod.pod.under(renamed_by(profile)).keys if overlay_pod.pod else None
                for spot in key_occurrences(pod) if pod else ():
                    is_name = spot.name == PLACEHOLDER
                    if pod and spot.level is Level.POD and (is_name or PLACEHOLDER in spot.value.text):
                        return spot, pod, is_name
    return None


# What a key means, and why a rule is there, where the pointer is.
MAX_HOVERED = 5
"""Rules and keys that one hover tells of."""


def hover(check: CheckedText, position: types.Position) -> types.Hover | None:
    """The findings at a position, then the key there or the key of the value there."""
    text = check.text
    index = text.offset(position)
    parts = [*_rules(check, position)][:MAX_HOVERED]
    at_pointer = scalar_at(text.source, index)
    if at_pointer:
        scalar, path = at_pointer
        names = dict.fromkeys((scalar.text, *(step for step in path[-1:] if isinstance(step, str))))
        parts += [part for name in names for part in _key(name)][:MAX_HOVERED]
    if not parts:
        return None
    place = text.range_between(at_pointer[0].start, at_pointer[0].end) if at_pointer else None
    return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, "\n\n---\n\n".join(parts)), place)


def _rules(check: CheckedText, position: types.Position) -> dict[str, None]:
    """The rules of the findings at a position, in words."""
    codes = {finding.code: None for finding, shown in check.pairs if contains(shown.range, position)}
    rules = (catalog.find_rule(code, registry.all_backends()) for code in codes)
    return {describe_rule(rule): None for rule in rules if rule}


def _key(name: str) -> list[str]:
    owners = ((backend, backend.find(name)) for backend in registry.all_backends())
    return [describe_key(backend, row, name) for backend, row in owners if row and not row.is_word]


def contains(place: types.Range, position: types.Position) -> bool:
    """Whether a position is in a range or at one of its ends."""
    at, start, end = ((point.line, point.character) for point in (position, place.start, place.end))
    return start <= at <= end
