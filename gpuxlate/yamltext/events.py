"""The events of a YAML text: from libyaml, PyYAML's C extension, or from PyYAML's own parser.

The second is for platforms without the extension, such as a browser. It takes eight times as long.
Both accept the same manifests, with the same values and positions, except for rare syntax that the
second refuses (a tab between words, ``?`` in a plain scalar within brackets, byte order marks inside a
text). Its error messages differ. tests/manifest/test_events.py has all differences.
"""

from __future__ import annotations

from typing import Any

from yaml.parser import Parser
from yaml.reader import Reader, ReaderError
from yaml.scanner import Scanner

_BASES: tuple[Any, ...] = (Reader, Scanner, Parser)  # without types, whatever stubs are installed


class PythonParser(*_BASES):  # type: ignore[misc]
    """PyYAML's parser with what is used of ``CParser``: ``get_event`` and ``raw_parse``."""

    def __init__(self, text: str | bytes) -> None:
        if isinstance(text, str):
            text.encode()  # a lone surrogate raises here, as in libyaml
        try:
            Reader.__init__(self, text)
        except ReaderError as error:
            if isinstance(text, str):  # libyaml counts bytes of UTF-8
                error.position = len(text[: error.position].encode())
            raise
        Scanner.__init__(self)
        Parser.__init__(self)

    def raw_parse(self) -> None:
        """Read all of it, for its errors only."""
        next_event: Any = self.get_event
        while next_event() is not None:
            pass


try:
    from yaml import _yaml
except ImportError:
    EventParser: Any = PythonParser
else:
    EventParser = _yaml.CParser
