"""Texts for people. The English template of a text is its message id in other languages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import reduce
from typing import Any

from gpuxlate.model.limits import MAX_NAME

SPELT_ALIKE = 0.6
"""Of two names, from which ratio on one may be meant where the other is written; ``difflib``."""


class Message(str):
    """An English text that keeps its template and the values in it.

    So it can be written in another language (``gpuxlate.locale``); everywhere else it is a str.
    """

    __slots__ = ("template", "values")

    template: str
    values: Mapping[str, Any]

    def __reduce__(self) -> tuple[Any, ...]:
        return _message, (self.template, self.values)


class Lines(str):
    """Messages as one text, a line each. In any other message a line break belongs to a value."""

    __slots__ = ("parts",)

    parts: Sequence[str]

    def __new__(cls, parts: Sequence[str]) -> Lines:
        message = super().__new__(cls, "\n".join(parts))
        message.parts = parts
        return message

    def __reduce__(self) -> tuple[Any, ...]:
        return Lines, (self.parts,)


def msg(template: str, /, **values: Any) -> Message:
    """A text with its values: ``msg("{field} is not set", field="cores")``.

    Raises KeyError for a value that is missing.
    """
    return _message(template, values)


def message_of(error: BaseException) -> str:
    """The message of an error with its template and values, or its lines: ``str`` of the error loses them."""
    return error.args[0] if error.args and isinstance(error.args[0], Message | Lines) else str(error)


def plural(count: int, singular: str, plural_text: str) -> Message:
    """The text for a count: ``plural(2, "{count} file", "{count} files")`` is ``2 files``."""
    return msg(singular if count == 1 else plural_text, count=count)


def titled(title: str, text: str) -> Message:
    """A text after a title: ``error: ...``. The title is a message id of its own."""
    return msg("{title}: {text}", title=msg(title), text=text)


def join_or(parts: Iterable[str]) -> str:
    """Alternatives as one text: ``a, b or c``."""
    return join_and(parts, "{before} or {last}")


def join_and(parts: Iterable[str], template: str = "{before}, {last}") -> str:
    """Texts as one, which is empty where there are none."""
    parts = list(parts)
    return reduce(lambda before, last: msg(template, before=before, last=last), parts) if parts else ""


def spelt_like(name: str, names: Iterable[str], limit: int = 1, ratio: float = SPELT_ALIKE) -> list[str]:
    """The names that an unknown name may mean: at most ``limit``, the most similar first."""
    from difflib import get_close_matches  # only where a name is unknown: start-up counts

    return get_close_matches(name[:MAX_NAME], sorted(set(names)), limit, ratio)


def did_you_mean(name: str, names: Iterable[str], otherwise: str) -> str:
    """The hint for a name that is not among these: the one that is spelt most like it, else ``otherwise``."""
    near = spelt_like(name, names)
    return suggest(near[0]) if near else otherwise


def suggest(name: str) -> Message:
    """The hint that ``name`` may be meant."""
    return msg("did you mean {near}?", near=name)


def listed(parts: Sequence[str], last: str = "{before} and {last}") -> str:
    """Texts of a sentence as one, with a word before the last: ``a, b and c``."""
    *before, end = parts
    if not before:
        return end
    return msg(
        last,
        before=reduce(lambda texts, text: msg("{texts}, {text}", texts=texts, text=text), before),
        last=end,
    )


def _message(template: str, values: Mapping[str, Any]) -> Message:
    message = Message(template.format_map(values))
    message.template = template
    message.values = values
    return message
