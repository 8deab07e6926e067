"""Characters that JSON allows and libyaml refuses: for reading, others replace them.

A replacement has as many characters, so that positions stay the same, and is replaced back in the
values that were read. The characters are:

- two escapes of surrogates, in which JSON writes a character beyond 16 bits, in any text;
- DEL, controls beyond it, U+FFFE and U+FFFF as themselves, in a document that begins like JSON. RFC
  8259, section 7, allows them in strings; so does YAML 1.2, in quotes (production 2, nb-json).
"""

from __future__ import annotations

import re

_PAIR = r"\\\\|\\u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})"
"""A backslash may be escaped: then no escape begins at the second one."""
_UNREADABLE = "[\x7f-\x84\x86-\x9f\ufffe\uffff]"
_IN_JSON = f"{_PAIR}|({_UNREADABLE})"
_IN_YAML = f"{_PAIR}|((?!))"
_LIKE_JSON = r"(?:---)?\s*[\[{]"
_DOCUMENTS = r"(?m)^(?=---\s)"
"""Where documents begin."""
_NO_CHARACTERS = range(0xFDD0, 0xFDF0)
"""Code points that are not characters in any text (Unicode, section 23.7)."""
_REPLACEMENT = 0xFFFD
"""The replacement where a text has all of those; it is not replaced back."""


class StandIns:
    """``text`` is what libyaml reads in place of the text given; ``used`` says whether it differs."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.used = False
        lower = text.lower() if "\\u" in text else ""
        plain = "\x7f" not in text and (text.isascii() or re.search(_UNREADABLE, text) is None)
        if plain and "\\ud" not in lower:
            return
        unused = (n for n in _NO_CHARACTERS if chr(n) not in text and f"\\u{n:04x}" not in lower)
        code = next(unused, _REPLACEMENT)
        self._letter, self._escape = chr(code), f"\\u{code:04x}"
        self.text = "".join(
            re.sub(_IN_JSON if re.match(_LIKE_JSON, one) else _IN_YAML, self._stand_in, one)
            for one in re.split(_DOCUMENTS, text)
        )
        self.used = code != _REPLACEMENT and self.text != text

    def _stand_in(self, match: re.Match[str]) -> str:
        if match[1]:
            return self._escape * 2
        return self._letter if match[3] else match[0]

    def restored(self, value: str, written: str, quote: str | None) -> str:
        """The value of a scalar that is ``written`` so, with its own characters."""
        parts: list[str] = []
        end = len(value)
        # from the end, since earlier matches may be in a comment after the tag
        for match in reversed(list(re.finditer(_IN_JSON, written))):
            if not (match[1] or match[3]):
                continue
            escaped = match[1] and quote == '"'
            inside = self._letter * 2 if escaped else self._stand_in(match)
            at = value.rfind(inside, 0, end)
            if at < 0:
                break
            own = bytes.fromhex(match[1] + match[2]).decode("utf-16-be") if escaped else match[0]
            parts += [value[at + len(inside) : end], own]
            end = at
        return value[:end] + "".join(reversed(parts))
