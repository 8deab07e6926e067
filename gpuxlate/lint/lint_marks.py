"""What a text must hold for any rule to find something in it."""

from __future__ import annotations

import re
from functools import cache

from gpuxlate.backends import registry
from gpuxlate.lint.marks import any_of
from gpuxlate.rules.vocabulary import WHOLE_CARD, Vocabulary

SHORT_DOMAIN = 8
"""Domains with fewer letters are not cut."""


@cache
def text_marks() -> re.Pattern[bytes]:
    """What a text must hold for any rule to find something in it, misspelt keys included.

    Sound: a key that is at most two edits from a known one (GX003) keeps one of any three pieces of
    it unharmed. ``nvidia.com/gpu`` alone is nobody's share, and no rule looks at it.
    """
    backends = registry.pod_backends()
    texts = {"gpuxlate", "GPUShare", *(mark for row in registry.BUILT_IN if row.form for mark in row.marks)}
    for backend in backends:
        texts.update(backend.gpu_prefixes)
        texts.update(name.rstrip("*") for name in backend.look_alikes)
        texts.update(row.name.rstrip("*") for row in backend.keys if row.name != WHOLE_CARD)
    for name in Vocabulary(backends).candidates:
        if "/" in name:
            texts.update(_three_pieces(name))
    # a text that holds another one of the set is found by that one
    return any_of(one for one in texts if not any(other != one and other in one for other in texts))


def _three_pieces(name: str) -> tuple[str, str, str]:
    """A key in three: the last piece keeps a letter of the domain, since names alone are common words.

    A short domain stays whole, since two letters of it are in every text.
    """
    last = name.index("/") - 1
    if last < SHORT_DOMAIN:
        third = len(name) // 3
        return name[:third], name[third : 2 * third], name[2 * third :]
    middle = (last - 1) // 2
    return name[:middle], name[middle:last], name[last:]
