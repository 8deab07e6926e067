"""Which files matter: a test on their text, before it is read as YAML."""

from __future__ import annotations

import re
import sys
from functools import cache

from gpuxlate.backends import registry
from gpuxlate.manifest.claims.reading import MARK
from gpuxlate.manifest.layers import Layer
from gpuxlate.model.profile import Profile, renamed_by
from gpuxlate.rules.vocabulary import words

_BREAK = rb"\r\n|[\r\n]|\xc2\x85|\xe2\x80[\xa8\xa9]"
_ESCAPE = rb"(?s:\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(" + _BREAK + rb")[ \t]*|(.)))"


def may_be_skipped(data: bytes, layer: Layer, profile: Profile | None = None) -> bool:
    """Whether nothing in a run depends on a file: it has no word, and it changes no other file.

    ``layer``: what the file is beside others. A patch or the values of one release may take away what the
    file below them asks for, in no vendor's words.
    """
    return layer.stands_alone and not may_matter(data, profile)


def may_matter(data: bytes, profile: Profile | None = None) -> bool:
    """Whether any rule can find something in a text, or any dialect a share.

    ``profile``: its cluster may have other names of resources. Pods that name claims matter: what these
    request is in other files. Sound: the only way to write a key without its letters is an escape in double
    quotes. A text with a NUL is not UTF-8 text: reading it reports that.
    """
    words = (*_words(), *(name.lower().encode() for name in renamed_by(profile)))
    if _holds(data.lower(), words) or b"\0" in data:
        return True
    return b"\\" in data and _holds(re.sub(_ESCAPE, _unescaped, data).lower(), words)


def _holds(text: bytes, words: tuple[bytes, ...]) -> bool:
    for word in words:  # noqa: SIM110 - any() of a generator takes twice as long
        if word in text:
            return True
    return False


@cache
def _words() -> tuple[bytes, ...]:
    return (MARK.lower().encode(), *(word.encode() for word in words(tuple(registry.all_backends()))))


def _unescaped(match: re.Match[bytes]) -> bytes:
    number = match[1] or match[2] or match[3]
    if number is not None:
        code = int(number, 16)
        return chr(code).encode("utf-8", "surrogatepass") if code <= sys.maxunicode else b""
    return match[5] or b""
