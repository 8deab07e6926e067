"""Which files matter: a test on their text, before it is read as YAML."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Mapping
from functools import lru_cache, partial
from itertools import chain
from typing import TYPE_CHECKING

from gpuxlate.backends import WORDS, plugins
from gpuxlate.manifest.claims import MARK

if TYPE_CHECKING:
    from gpuxlate.model.profile import Profile
    from gpuxlate.yamltext.source import Source

_BREAK = rb"\r\n|[\r\n]|\xc2\x85|\xe2\x80[\xa8\xa9]"
_ESCAPE = rb"(?s:\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(" + _BREAK + rb")[ \t]*|(.)))"


def might_have_gpu_keys(data: bytes, profile: Profile | None = None, names: tuple[str, ...] = ()) -> bool:
    """Whether any rule can find something in a text, or any dialect a share.

    ``profile``: its cluster may have other names of resources. ``names``: what matters beside keys. Pods that
    name claims matter: what these request is in other files. Sound: the only way to write a key without its
    letters is an escape in double quotes. A text with a NUL is not UTF-8 text: reading it reports that.
    """
    return _search((*_renamed(profile), *names)).matters(data)


def only_relevant(source: Source, *profiles: Profile | None, names: Iterable[str] = ()) -> Source:
    """The source, of which only those documents and items are parsed that matter to a run.

    ``names``: those of objects, or of values, that matter though they have no key.
    """
    if "\n---" not in source.text and not source.holds("List"):
        return source  # one document
    from gpuxlate.rules.source import TEMPLATE_TAG

    renamed = tuple(dict.fromkeys(chain.from_iterable(map(_renamed, profiles))))
    return source.read_where(partial(_is_relevant, renamed, (TEMPLATE_TAG, *names)))


def _is_relevant(renamed: tuple[str, ...], words: tuple[str, ...], text: str) -> bool:
    """Whether a text has a key, or one of the words literally. A function of the module, so that it can be
    sent to another process."""
    for word in words:  # any() of a generator takes twice as long
        if word in text:
            return True
    return _search(renamed).matters(text.encode("utf-8", "surrogatepass"))


def _renamed(profile: Profile | None) -> tuple[str, ...]:
    if profile is None:
        return ()
    from gpuxlate.model.profile import renamed_by

    return tuple(renamed_by(profile))


@lru_cache(maxsize=8)
def _search(names: tuple[str, ...]) -> Search:
    return Search(word.lower().encode() for word in (MARK, *_known_words(), *names))


def _known_words() -> tuple[str, ...]:
    """The words of all targets. Loads them only where there are plug-ins."""
    if not plugins.has_plugins():
        return WORDS
    from gpuxlate.backends import registry
    from gpuxlate.rules.key_index import words

    return words(tuple(registry.all_backends()))


class Search:
    """Looks whether a text has one of many words: the same as ``any(word in text for word in words)``.

    A search for each word takes longer than reading the file. Words with a character that texts have few of
    are found from there, all at once; words that begin alike only in a text with that beginning. An automaton
    (Aho-Corasick) takes half as long, but its packages have no wheels for all systems.
    """

    def __init__(self, words: Iterable[bytes]) -> None:
        rare: dict[bytes, dict[bytes, list[bytes]]] = {}
        alike: dict[bytes, list[bytes]] = {}
        for word in words:
            match = _HEAD.match(word)
            if match:
                mark, head = match[0][-1:], match[0]
                rare.setdefault(mark, {}).setdefault(head, []).append(word[len(head) :])
            else:
                stem = _STEM.match(word)
                alike.setdefault(stem[0] if stem else word, []).append(word)
        self._rare = [_pattern(mark, heads) for mark, heads in rare.items()]
        self._alike = [(stem, tails) if tails[1:] else (tails[0], ()) for stem, tails in alike.items()]

    def matters(self, data: bytes) -> bool:
        """Whether a text has one of the words, in any letter case, even by an escape, or is not text."""
        if self.finds(data.lower()) or b"\0" in data:
            return True
        return b"\\" in data and self.finds(_with_escapes(data).lower())

    def finds(self, text: bytes) -> bool:
        """Whether the text has one of the words literally."""
        for stem, tails in self._alike:
            if stem in text and (not tails or any(word in text for word in tails)):
                return True
        for pattern in self._rare:  # noqa: SIM110 - any() of a generator takes twice as long
            if pattern.search(text):
                return True
        return False


_END = 3
"""Characters before the rare one that are compared before whole words are."""
_HEAD = re.compile(rb"/|[^._]{%d,}[._]" % _END)
"""The beginning of a word: the slash before a name, or up to its first dot (of a domain) or underscore."""
_STEM = re.compile(rb"[a-z]{5,}")


def _pattern(mark: bytes, heads: Mapping[bytes, Iterable[bytes]]) -> re.Pattern[bytes]:
    """A pattern that begins with the rare character, which ``re`` finds without trying to match."""
    ends = sorted({re.escape(head[-_END - 1 :]) for head in heads})
    words = (
        b"(?<=%b)(?:%b)" % (re.escape(head), b"|".join(map(re.escape, tails)))
        for head, tails in heads.items()
    )
    return re.compile(b"%b(?<=%b)(?:%b)" % (re.escape(mark), b"|".join(ends), b"|".join(words)))


def _with_escapes(data: bytes) -> bytes:
    """The lines from the first backslash to the last, and one more, with the letters that escapes stand for.

    A word with an escape begins in the line of one, and ends in that line or the one behind it.
    """
    first = data.find(b"\\")
    last = data.find(b"\n", data.rfind(b"\\"))
    end = data.find(b"\n", last + 1) if last >= 0 else -1
    lines = data[data.rfind(b"\n", 0, first) + 1 : end if end >= 0 else len(data)]
    return re.sub(_ESCAPE, _unescaped, lines)


def _unescaped(match: re.Match[bytes]) -> bytes:
    number = match[1] or match[2] or match[3]
    if number is not None:
        code = int(number, 16)
        return chr(code).encode("utf-8", "surrogatepass") if code <= sys.maxunicode else b""
    return match[5] or b""
