"""Messages in other languages than English: gettext catalogues, one folder a language.

The message id of a text is its English template (``gpuxlate.model.messages.msg``), or the text itself;
that of a rule's summary has the rule's code as its context. A text without a translation stays English.
Codes, keys, units, JSON and exit codes are the same in every language. ``hatch_build.py`` compiles the
catalogues when the package is built or installed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Literal, get_args

from gpuxlate.model.messages import Message

if TYPE_CHECKING:
    from gettext import NullTranslations

Language = Literal["en", "zh"]
LANGUAGES: tuple[Language, ...] = get_args(Language)
GETTEXT_DOMAIN = "gpuxlate"

Translate = Callable[[str], str]
"""A text in the language that was chosen."""


_language = "en"
"""The language of this process, which the command line chooses."""


def use(language: str) -> None:
    """Choose the language of ``localize``, one of LANGUAGES."""
    global _language
    _language = language


def current_language() -> str:
    """The language of ``localize``."""
    return _language


def localize(text: str) -> str:
    """A text for people in the language of this process."""
    return text if _language == "en" else translator(_language)(text)


@cache
def translator(language: str) -> Translate:
    """What translates texts to one of LANGUAGES, and with them the texts among their values.

    A value of one word may be a name that the user chose, as "online" or "container": unless it is a
    Message, it stays.
    """
    translations = _translations(language)

    def translated(text: str) -> str:
        if not isinstance(text, Message):
            return translations.gettext(text) if text else text
        values = {
            name: translated(value)
            if isinstance(value, str) and (isinstance(value, Message) or " " in value)
            else value
            for name, value in text.values.items()
        }
        return translations.gettext(text.template).format_map(values)

    return translated


def summary(code: str, english: str, language: str) -> str:
    """What a rule demands, in one sentence. A rule of a plug-in stays in English, unless rows make it."""
    if isinstance(english, Message):
        return translator(language)(english)
    return _translations(language).pgettext(code, english)


PROSE = {"What it does": "what", "Why": "why", "Fix": "fix"}
"""The sections of a rule that are sentences, with their keys in ``zh/rules``."""


def sections(code: str, english: Mapping[str, str], language: str) -> tuple[dict[str, str], bool]:
    """The sections of a rule by their English titles, and whether each sentence is in the language."""
    texts = (
        {} if language == "en" else _texts_of_rules(language, code.rstrip("0123456789").lower()).get(code, {})
    )
    translated = {title: texts.get(PROSE.get(title, ""), body) for title, body in english.items()}
    return translated, language == "en" or all(PROSE[title] in texts for title in english.keys() & PROSE)


@cache
def _texts_of_rules(language: str, prefix: str) -> dict[str, dict[str, str]]:
    """What ``explain`` says of the rules of one vendor, by code: one file a vendor, read only for it."""
    import tomllib

    path = Path(__file__).parent / language / "rules" / f"{prefix}.toml"
    return tomllib.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


@cache
def _translations(language: str) -> NullTranslations:
    from gettext import translation  # not loaded by runs that translate nothing

    return translation(GETTEXT_DOMAIN, Path(__file__).parent, [language], fallback=True)
