"""Messages in other languages than English.

The English text is the key: a message without a translation stays English. Codes, keys, units, JSON and
exit codes are the same in every language. A language is loaded when it is asked for.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

LANGUAGES = ("en", "zh")

Say = Callable[[str], str]
"""A text in the language that was chosen."""

_PLACE = re.compile(r"\\\{(\w+)\\\}")


def speaker(language: str) -> Say:
    """What says texts in one of LANGUAGES."""
    if language == "en":
        return str
    from gpuxlate.locale import zh

    return Templates(zh.TEXTS)


def summary(code: str, english: str, language: str) -> str:
    """What a rule holds, in one sentence. Rules of plug-ins have none but their own."""
    if language == "en":
        return english
    from gpuxlate.locale import zh_rules

    return zh_rules.SUMMARIES.get(code, english)


class Templates:
    """English texts with ``{places}``, each with what it is in another language.

    ``{n}`` and ``{m}`` stand for numbers, other places for any text, which is translated in its turn.
    Where several templates match, the first counts.
    """

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._texts = texts
        self._patterns: list[tuple[re.Pattern[str], str]] = []

    def __call__(self, english: str) -> str:
        template, values = self.match(english)
        text = self._texts.get(template, template)
        return text.format(**{name: self(value) for name, value in values.items()}) if values else text

    def match(self, english: str) -> tuple[str, dict[str, str]]:
        """The template of a text with what stands at its places; the text itself where it has none."""
        if english in self._texts:
            return english, {}
        if not self._patterns:
            self._patterns = [(_pattern(key), key) for key in self._texts if "{" in key]
        for pattern, template in self._patterns:
            if found := pattern.fullmatch(english):
                return template, found.groupdict()
        return english, {}


def _pattern(template: str) -> re.Pattern[str]:
    seen: set[str] = set()

    def place(found: re.Match[str]) -> str:
        name = found[1]
        if name in seen:
            return f"(?P={name})"
        seen.add(name)
        return f"(?P<{name}>{'[0-9]+' if name in ('n', 'm') else '.+?'})"

    return re.compile(_PLACE.sub(place, re.escape(template)), re.DOTALL)
