"""The events of a YAML text: from libyaml, PyYAML's C extension, or from PyYAML's own parser.

The second is for platforms without the extension, such as a browser. It takes eight times as long.
Both accept the same manifests, with the same values and positions, except for rare syntax that the
second refuses (a tab between words, ``?`` in a plain scalar within brackets, byte order marks inside a
text). Its error messages differ. tests/manifest/test_events.py has all differences.
"""

from __future__ import annotations

import operator
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

    class ComposingParser(_yaml.CParser):
        """libyaml's parser; ``get_node`` composes a document in C and forgets anchors and aliases.

        For each node it calls three methods, about tags that nobody gave: these do nothing, in C.
        """

        resolve = "".format
        descend_resolver: Any = operator.is_
        ascend_resolver: Any = tuple

        def get_limited_node(self, depth: int) -> Any:
            """The same, for a document that may be too deep for the stack of C.

            Raises ValueError for more levels than ``depth``.
            """
            above: dict[Any, Any] = {}

            def descend(parent: Any, index: Any) -> None:
                above[parent] = index
                if len(above) > depth:
                    raise ValueError

            self.descend_resolver, self.ascend_resolver = descend, above.popitem
            node = self.get_node()
            del self.descend_resolver, self.ascend_resolver
            return node

    EventParser = ComposingParser
