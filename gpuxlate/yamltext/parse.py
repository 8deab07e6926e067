"""The events of a YAML text: from libyaml, PyYAML's C extension, or from PyYAML's own parser.

The second is for platforms without the extension, such as a browser. It takes eight times as long.
Both accept the same manifests, with the same values and positions, except for rare syntax that the
second refuses (a tab between words, ``?`` in a plain scalar within brackets, byte order marks inside a
text). Its error messages differ. tests/manifest/test_events.py has all differences.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import chain, count
from typing import Any, NamedTuple

from yaml.error import YAMLError
from yaml.events import (
    AliasEvent,
    DocumentEndEvent,
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
    StreamEndEvent,
)
from yaml.nodes import MappingNode, ScalarNode
from yaml.parser import Parser
from yaml.reader import Reader, ReaderError
from yaml.scanner import Scanner

from gpuxlate.model import limits
from gpuxlate.model.declarations import regex
from gpuxlate.model.diagnostics import Diagnostic, ObjectRef, Path, Span
from gpuxlate.model.messages import msg
from gpuxlate.yamltext.nodes import (
    MERGE,
    Alias,
    Mapping,
    Node,
    Scalar,
    Sequence,
    content_end,
    deref,
    entry_of,
)
from gpuxlate.yamltext.ranges import ANCHOR, BANG, document_ranges, has_plain_markers, text_to_parse
from gpuxlate.yamltext.source import Source, StandIns

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
# --- what is wrong, in plain words --------------------------------------------------------------
_NO_BLANK = regex(r"""\s*(?:-\s+)*[^\s:#"'{\[][^\s:]*:[^\s:/]""")
"""``key:value``, which is one word; ``://`` is of an address."""
_CONFLICT = regex(r"(<{7}|={7}|>{7})( |$)")
_PAIR = regex(r""":\s+\S""")
_NESTED = "indent it as its neighbours, or write nothing behind the colon above"


class _Line:
    """A character and its line: the number, where it begins, and its text up to the character and whole."""

    def __init__(self, text: str, index: int) -> None:
        self.number = text.count("\n", 0, index) + 1
        self.start = text.rfind("\n", 0, index) + 1
        end = text.find("\n", index)
        self.before = text[self.start : index]
        self.letter = text[index : index + 1]
        self.text = text[self.start : end if end >= 0 else len(text)].rstrip("\r")

    @property
    def indent(self) -> int:
        return len(self.text) - len(self.text.lstrip(" "))


class _Failure(NamedTuple):
    """Where reading fails, the line above, and where what was read begins."""

    line: _Line
    above: _Line | None
    begun: _Line

    @property
    def letter(self) -> str:
        return self.line.letter

    @property
    def outer(self) -> int:
        """The column of what was read."""
        return len(self.begun.before)


class _Cause(NamedTuple):
    """The mistake is in another line than the one where reading fails: its words name that line."""

    words: str
    line: _Line


def plain_words(problem: str, text: str, index: int, context: int) -> tuple[str | None, int]:
    """The cause of a syntax error, and its character; None where the parser's own words say as much as is
    known.

    ``problem``: the parser's words at ``index``; ``context``: where what it was reading begins. Nothing of
    the text is quoted, which may be a secret.
    """
    line = _Line(text, index)
    above = _Line(text, line.start - 1) if line.start else None
    spot = _Failure(line, above, _Line(text, context))
    find = next((find for words, find in _CAUSES if words in problem), None)
    cause = find(spot) if find else None
    if isinstance(cause, _Cause):
        return cause.words, cause.line.start + cause.line.indent
    return cause, index


def _bad_start(spot: _Failure) -> str | None:
    if spot.letter == "\t":
        return "a tab; YAML is indented with spaces"
    return f"a value cannot begin with {spot.letter}; put it in quotes" if spot.letter in "@`%" else None


def _bad_name(spot: _Failure) -> str:
    mark = spot.begun.letter
    return f"{mark} begins an {'alias' if mark == '*' else 'anchor'}; put the value in quotes"


def _behind_the_end(spot: _Failure) -> str | None:
    if not spot.line.text.startswith("..."):
        return None
    return "text behind the end of a document; begin the next one with --- on a line of its own"


def _without_colon(spot: _Failure) -> _Cause:
    line = spot.begun
    if _CONFLICT.match(line.text):
        return _Cause(f"line {line.number} is a mark of a merge conflict", line)
    if _NO_BLANK.match(line.text):
        return _Cause(f"no space behind the colon in line {line.number}", line)
    if line.text.startswith("---"):
        return _Cause(f"text directly behind --- in line {line.number}", line)
    return _Cause(f"line {line.number} has no colon behind its key", line)


def _second_colon(spot: _Failure) -> str | _Cause | None:
    line, above = spot.line, spot.above
    if _PAIR.search(line.before):
        return "a second colon in this line; put the value in quotes"
    if above is None:
        return None
    if _NO_BLANK.match(above.text) and not _PAIR.search(above.text):
        return _Cause(f"no space behind the colon in line {above.number}", above)
    if "：" in above.text and ":" not in above.text:
        return _Cause(f"a full-width colon in line {above.number}; write : and a space", above)
    if above.text.startswith("--- "):
        return _Cause(f"text behind --- in line {above.number}; begin it on the next line", above)
    if line.indent > above.indent and _PAIR.search(above.text):
        return f"this line is indented below line {above.number}, which has a value; {_NESTED}"
    return None


def _no_key(spot: _Failure) -> str | None:
    before, letter = spot.line.before, spot.letter
    if letter and letter in "}]":
        return f"a {letter} that closes nothing"
    if before.rstrip(" ").endswith(('"', "'")):
        return "text behind a closing quote; one quote is missing, or one too many"
    if before.strip(" "):
        return None
    if letter == "-" and len(before) == spot.outer:
        return "a list item among keys; indent it below its key, or write a key"
    if len(before) != spot.outer:
        return "this line is indented as none of those above that it could belong to"
    return None


_CAUSES: tuple[tuple[str, Callable[[_Failure], str | _Cause | None]], ...] = (
    ("cannot start any token", _bad_start),
    ("a tab character", _bad_start),
    (
        "unexpected end of stream",
        lambda spot: f"the quote that opens in line {spot.begun.number} is not closed",
    ),
    (
        "unknown escape",
        lambda _: r"a backslash in double quotes begins an escape; write \\ or use single quotes",
    ),
    ("alphabetic or numeric character", _bad_name),
    ("expected comment or line break", lambda _: "text behind | or >; it begins on the next line"),
    ("expected <document start>", _behind_the_end),
    (
        "',' or",
        lambda spot: msg(
            "a comma or colon is missing here, or the bracket of line {line} is not closed",
            line=spot.begun.number,
        ),
    ),
    ("expected ':'", _without_colon),
    ("mapping values are not allowed", _second_colon),
    (
        "expected '-' indicator",
        lambda _: "a key among the items of a list; begin it with -, or indent it as the keys above",
    ),
    ("expected key", _no_key),
)
"""What the parser's words may stand for."""

# Documents that libyaml composes in C: which of a text those are, and our nodes from the parser's.
# It is faster than to compose them from events, but loses anchors, aliases and the tag ``!``. Documents
# that may have these are composed from events, and so are those with errors, from which positions come.
_COLUMNS = 256
"""Where no collection in block style begins farther right, at most twice as many are open in one another."""
_BRACKETS = 200
"""In one document: as many may be open in one another, and a pair in each."""
_INDENT = regex(r"[ \t]*(?:[-?:][ \t]+)*")
"""Behind this the last collection of a line begins that is in block style."""
_SIGNS = (("&", ANCHOR), ("*", ANCHOR), ("!", BANG))


class DocumentRange(NamedTuple):
    """Where a document is; ``composable``: libyaml's composer loses nothing of it.

    ``deep``: it may be too deep for the stack of C.
    """

    start: int
    end: int
    composable: bool
    deep: bool


class NeedsEventsError(ValueError):
    """The document needs to be composed from events."""


def parts(text: str) -> Iterator[DocumentRange] | None:
    """The documents of a text, if it is valid; None where that needs more than their markers."""
    return _parts(text) if has_plain_markers(text) else None


def _parts(text: str) -> Iterator[DocumentRange]:
    signs = [one for one in _SIGNS if one[0] in text]
    wide = not _narrow(text)
    most = limits.MAX_NODES // 2  # a character may be two; and in large ones nothing is gained
    for start, _, end in document_ranges(text):
        brackets = text.count("{", start, end) + text.count("[", start, end)
        composable = end - start <= most
        for letter, sign in signs:
            if text.find(letter, start, end) >= 0 and sign.search(text, start, end):
                composable = False
        yield DocumentRange(start, end, composable, wide or brackets > _BRACKETS)


def _narrow(text: str) -> bool:
    """No collection begins far right of the beginning of its line, in block style."""
    start = 0
    while len(text) - start > _COLUMNS:
        end = text.rfind("\n", start, start + _COLUMNS)
        if end < 0:
            indent = _INDENT.match(text, start)
            if indent and indent.end() - start > _COLUMNS:
                return False
            end = text.find("\n", start + _COLUMNS)
            if end < 0:
                break
        start = end + 1
    return True


def is_composed(root: Node | None) -> bool:
    """libyaml composed it: without directives, anchors and aliases, which count beyond a part of it."""
    return root is not None and type(root._read) is MappingNode


def composed(top: Any, part: DocumentRange, text: str, names: list[Scalar]) -> tuple[Node, list[Mapping]]:
    """Our nodes of those that libyaml composed, and the mappings that may have a key twice, as they end.

    ``names`` gets the scalars with a slash. Raises NeedsEventsError where a limit is exceeded, or the
    document is not where it was expected.
    """
    if not part.start <= top.start_mark.index <= part.end:
        raise NeedsEventsError
    below: list[Any] = []
    odd: list[Mapping] = []
    levels: list[list[Any]] = []
    root = _node(top, text, names, below)
    while below:
        levels.append(below)
        below = _below(below, text, names, odd)
    if len(levels) > limits.MAX_DEPTH or not _within(levels, part.end - part.start):
        raise NeedsEventsError
    odd.sort(key=lambda one: (one.end, -one.start))
    return root, odd


def _within(levels: list[list[Any]], size: int) -> bool:
    """A document of so many characters is within the limits of keys and of nodes."""
    if size < min(limits.MAX_KEY, limits.MAX_NODES // 4):  # a character may be two nodes with their ends
        return True
    events = 2
    for one in chain.from_iterable(levels):
        events += 1 + len(one.handles)
        if type(one) is Mapping:
            events += len(one.entries)
            if any(type(key) is Scalar and len(key.text) > limits.MAX_KEY for key, _ in one.entries):
                return False
    return events <= limits.MAX_NODES


def _below(  # noqa: C901 - one loop, for speed
    level: list[Any], text: str, names: list[Scalar], odd: list[Mapping]
) -> list[Any]:
    """The collections in those of a level, which get their parts."""
    new, scalar, mapping = object.__new__, ScalarNode, MappingNode
    below: list[Any] = []
    handle: Any
    held: Any
    for node in level:
        if type(node) is Sequence:
            node.items = items = []
            for value in node._read.value:
                if type(value) is mapping:
                    held = new(Mapping)
                    held._read = value
                    below.append(held)
                else:
                    held = _node(value, text, names, below)
                items.append(held)
            node._read.value = None
            continue
        node.entries = entries = []
        plain = {}
        for key, value in node._read.value:
            if type(key) is scalar and not key.style:
                handle = new(Scalar)
                handle._read = key
                handle.style = None
                handle.text = name = key.value
                if "/" in name:
                    names.append(handle)
            else:
                handle = _node(key, text, names, below)
                name = handle.text if type(handle) is Scalar else MERGE
            kind = type(value)
            if kind is scalar:
                held = new(Scalar)
                held._read = value
                held.text = words = value.value
                if style := value.style:
                    held.style = style
                    if style in "|>":
                        held.ends_in(text)
                else:
                    held.style = None
                if "/" in words:
                    names.append(held)
            else:
                held = new(Mapping if kind is mapping else Sequence)
                held._read = value
                below.append(held)
            plain[name] = entry = (handle, held)
            entries.append(entry)
        node._read.value = None
        if len(plain) < len(entries) or MERGE in plain:
            odd.append(node)
        else:
            node._plain = plain
    return below


def _node(read: Any, text: str, names: list[Scalar], below: list[Any]) -> Node:
    """Our node of one of libyaml's; a collection goes to those whose parts are still to come."""
    node: Any
    if type(read) is ScalarNode:
        node = object.__new__(Scalar)
        node._read = read
        node.text = read.value
        node.style = style = read.style or None
        if style and style in "|>":
            node.ends_in(text)
        if "/" in node.text:
            names.append(node)
    else:
        node = object.__new__(Mapping if type(read) is MappingNode else Sequence)
        node._read = read
        below.append(node)
    made: Node = node
    return made


# The documents of a source, one at a time, so that memory is bounded by the largest.
# Within the limits of ``gpuxlate.model.limits``. libyaml composes those that it may (``tree``), a composer
# over its events all others.
_WRITE_OUT = "write the values in place of the aliases, in several files"


class NotYamlError(ValueError):
    """The text is not valid YAML: why, and at which character; ``problem``: in the parser's words."""

    def __init__(self, message: str, index: int, problem: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.index = index
        self.problem = problem


class TooMuchError(NotYamlError):
    """The text exceeds a limit; ``hint`` says what to do."""

    def __init__(self, message: str, index: int, hint: str) -> None:
        super().__init__(message, index)
        self.hint = hint


@dataclass(slots=True)
class Document:
    """One document: characters ``start`` to ``end`` of the source; ``root`` is None if it is empty.

    ``job``: the name of the target whose parameters are in the root, None for a manifest. ``names``: the
    scalars with a slash, as in every key with a domain; ``repeated``: mappings that set a key twice.
    """

    source: Source
    index: int
    start: int
    end: int
    root: Node | None
    aliases: list[Alias] = field(default_factory=list)
    repeated: list[tuple[Mapping, Node]] = field(default_factory=list)
    job: str | None = None
    names: list[Scalar] = field(default_factory=list)

    @property
    def text(self) -> str:
        return self.source.text[self.start : self.end]

    def with_root(self, root: Mapping) -> Document:
        """The document with another tree: what is merged has no aliases."""
        return replace(self, root=root, aliases=[])

    def holds(self, *words: str) -> bool:
        """Whether its text has one of the words. The source is asked first, once for all documents."""
        if not self.source.holds(*words):
            return False
        text, start, end = self.source.text, self.start, self.end
        return any(text.find(one, start, end) >= 0 for one in words if self.source.holds(one))


DocumentReader = Callable[[Source], Iterable[Document]]
"""Reads the documents of a source: ``documents``, or a reader of another syntax."""


def kept(read: DocumentReader) -> DocumentReader:
    """A reader of one source that reads it once, and gives the same documents and error each time."""
    found: list[Document | NotYamlError] = []

    def again(source: Source) -> Iterator[Document]:
        if not found:
            try:
                for document in read(source):
                    found.append(document)  # noqa: PERF402 - those before an error count
            except NotYamlError as error:
                found.append(error)
        for one in found:
            if isinstance(one, NotYamlError):
                raise one
            yield one

    return again


def documents(source: Source) -> Iterator[Document]:
    """The documents of a source, one by one. Raises NotYamlError where the text is not valid YAML."""
    composer = _Composer(source)
    previous: Document | None = None
    broken: NotYamlError | None = None
    found = composer.run()
    while True:
        try:
            document = next(found, None)
        except NotYamlError as error:
            document, broken = None, error
        if previous is not None:
            if document is not None:
                previous.end = document.start
            elif broken is not None:  # in the next document, or before it begins
                previous.end = composer.start if composer.start > previous.start else broken.index
            else:
                previous.end = len(source.text)
            yield previous
        if document is None:
            break
        previous = document
    if broken:
        raise broken


class _Composer:
    def __init__(self, source: Source) -> None:
        self._source = source
        self.start = 0  # of the current document
        given = text_to_parse(source)
        self._stand_ins = StandIns(given)
        text = self._stand_ins.text
        composes = hasattr(EventParser, "get_limited_node") and text is given
        self._parts = parts(text) if composes else None  # None: all come from events
        try:
            self._parser: Any = EventParser(text)
        except (YAMLError, ValueError) as error:
            raise _problem(error, source.text) from None

    def run(self) -> Iterator[Document]:
        for index in count():
            try:
                document = self._next(index)
            except (YAMLError, ValueError) as error:
                if isinstance(error, NotYamlError):
                    raise
                raise _problem(error, self._source.text) from None
            if document is None:
                return
            yield document

    def _next(self, index: int) -> Document | None:
        if self._parts is not None:
            try:
                part = next(self._parts, None)
                if part is None or part.composable:
                    return self._composed(index, part)
            except (YAMLError, ValueError):  # the events say what is wrong, or that nothing is
                self._begin_again(index)
        return self._from_events(index)

    def _begin_again(self, index: int) -> None:
        """Read all that follows from events, from the document of this number on."""
        self._parts = self._parser = None  # which has a copy of the text
        self._parser = EventParser(self._stand_ins.text)
        while index:
            index -= type(self._parser.get_event()) is DocumentEndEvent

    def _composed(self, index: int, part: DocumentRange | None) -> Document | None:
        if not index:
            self._parser.get_event()  # the start of the stream
        if part is not None and part.deep:
            node = self._parser.get_limited_node(limits.MAX_DEPTH + 1)
        else:
            node = self._parser.get_node()
        if (node is None) != (part is None) or index >= limits.MAX_DOCUMENTS:
            raise NeedsEventsError
        if node is None or part is None:
            return None
        document = Document(self._source, index, part.start, len(self._source.text), None)
        root, odd = composed(node, part, self._source.text, document.names)
        self.start = part.start
        document.root = _written(root)
        for mapping in odd:
            _note_repeated(document, mapping)
        return document

    def _from_events(self, index: int) -> Document | None:
        while True:
            event = self._parser.get_event()
            kind = type(event)
            if kind is StreamEndEvent or event is None:
                return None
            if kind is DocumentStartEvent:
                break
        self.start = 0 if index == 0 else event.start_mark.index
        if index >= limits.MAX_DOCUMENTS:
            what = f"more than {limits.MAX_DOCUMENTS} documents"
            raise TooMuchError(what, self.start, "put them into several files")
        document = Document(self._source, index, self.start, len(self._source.text), None)
        document.root = self._compose(document)
        return document

    def _compose(self, document: Document) -> Node | None:  # noqa: C901 - one loop, for speed
        next_event: Callable[[], Any] = self._parser.get_event
        text = self._source.text
        new = object.__new__
        strange = self._stand_ins.used
        names = document.names
        anchors: dict[str, Node] = {}
        sizes: dict[int, int] = {}  # nodes in what an anchor marks, aliases written out
        opened: dict[int, int] = {}
        count = aliased = 0
        max_nodes, max_key = limits.MAX_NODES, limits.MAX_KEY
        allowed = max_nodes  # including what aliases expand to
        stack: list[Mapping | Sequence] = []
        # of the open collection: where its parts go, and the key without its value yet
        entries: list[tuple[Node, Node]] | None = None
        items: list[Node] | None = None
        key: Node | None = None
        above: list[tuple[list[tuple[Node, Node]] | None, list[Node] | None, Node | None]] = []
        root: Node | None = None
        while True:
            event = next_event()
            kind = type(event)
            node: Node
            count += 1
            if count > allowed:
                raise TooMuchError(
                    msg("more than {most} nodes in one document", most=max_nodes),
                    event.start_mark.index,
                    "put its objects into separate documents",
                )
            if kind is ScalarEvent:
                node = scalar = Scalar(event)
                value = scalar.text
                if "/" in value:
                    names.append(scalar)
                if scalar.style is not None and scalar.style in "|>":
                    scalar.ends_in(text)
                if strange:
                    start, end = event.start_mark.index, event.end_mark.index
                    scalar.text = self._stand_ins.restored(value, text[start:end], scalar.style)
                if len(value) > max_key and entries is not None and key is None:
                    raise TooMuchError(
                        msg("a key of more than {most} characters", most=max_key),
                        event.start_mark.index,
                        "Kubernetes allows 253 before the slash and 63 after it",
                    )
                if event.anchor:
                    anchors[event.anchor] = node
            elif kind is MappingStartEvent or kind is SequenceStartEvent:
                if len(stack) >= limits.MAX_DEPTH:
                    raise TooMuchError(
                        msg("nested deeper than {most} levels", most=limits.MAX_DEPTH),
                        event.start_mark.index,
                        "reduce the nesting",
                    )
                node = collection = new(Mapping if kind is MappingStartEvent else Sequence)
                collection.begin(event)
                if event.anchor:
                    anchors[event.anchor] = node
                    opened[id(node)] = count
            elif kind is AliasEvent:
                target = anchors.get(event.anchor)
                if target is None:
                    raise NotYamlError(
                        msg("alias *{anchor} has no anchor before it", anchor=event.anchor),
                        event.start_mark.index,
                    )
                if len(document.aliases) >= limits.MAX_ALIASES:
                    raise TooMuchError(
                        msg("more than {most} aliases", most=limits.MAX_ALIASES),
                        event.start_mark.index,
                        _WRITE_OUT,
                    )
                if target in stack:
                    raise NotYamlError(
                        msg("alias *{anchor} is inside its own anchor", anchor=event.anchor),
                        event.start_mark.index,
                    )
                node = Alias(event, target)
                document.aliases.append(node)
                size = sizes.get(id(target), 1)
                count += size
                aliased += size
                allowed += size
                if aliased > limits.MAX_ALIASED_NODES:
                    most = limits.MAX_ALIASED_NODES
                    raise TooMuchError(
                        msg("the aliases expand to more than {most} nodes", most=most),
                        event.start_mark.index,
                        _WRITE_OUT,
                    )
            elif kind is MappingEndEvent or kind is SequenceEndEvent:
                closed = stack.pop()
                entries, items, key = above.pop()
                closed.close(event)
                if closed.anchor:
                    sizes[id(closed)] = count - opened.pop(id(closed))
                if kind is MappingEndEvent:
                    assert isinstance(closed, Mapping)
                    _note_repeated(document, closed)
                continue
            elif kind is DocumentEndEvent:
                return None if root is None else _written(root)
            else:
                raise NotYamlError("the document ends too early", len(self._source.text))
            if entries is not None:
                if key is None:
                    key = node
                else:
                    entries.append((key, node))
                    key = None
            elif items is not None:
                items.append(node)
            else:
                root = node
            if kind is MappingStartEvent:
                assert isinstance(node, Mapping)
                stack.append(node)
                above.append((entries, items, key))
                entries, items, key = node.entries, None, None
            elif kind is SequenceStartEvent:
                assert isinstance(node, Sequence)
                stack.append(node)
                above.append((entries, items, key))
                entries, items, key = None, node.items, None


def _written(root: Node) -> Node | None:
    """The root of a document, None if nothing is written."""
    return None if isinstance(root, Scalar) and root.empty and root.anchor is None else root


def _note_repeated(document: Document, mapping: Mapping) -> None:
    plain = mapping.plain
    if plain is not None and len(plain) == len(mapping.entries):
        return
    seen: set[str] = set()
    for key, _ in mapping.entries:
        if isinstance(key, Scalar):
            if key.text in seen and key.text != "<<":
                document.repeated.append((mapping, key))
            seen.add(key.text)


def _problem(error: Exception, text: str) -> NotYamlError:
    """An error of libyaml in one line, with its position."""
    context = getattr(error, "context_mark", None)
    mark = getattr(error, "problem_mark", None) or context
    message = getattr(error, "problem", None) or getattr(error, "reason", None) or str(error)
    if mark is not None:
        index = mark.index
    elif isinstance(error, ReaderError):  # counts bytes of UTF-8
        index = len(text.encode()[: error.position].decode(errors="ignore"))
    else:
        index = getattr(error, "start", 0)  # of a lone surrogate
    problem, index = str(message).partition("\n")[0], max(0, min(index, len(text)))
    cause = None
    if mark:
        cause, index = plain_words(problem, text, index, context.index if context else index)
    return NotYamlError(cause or problem, index, problem)


# The position of diagnostics: file, document, object, and the span in characters.
def with_location(document: Document, diagnostic: Diagnostic, ref: ObjectRef | None = None) -> Diagnostic:
    """The diagnostic with file, document, object and span, which is found from the path.

    A span that it has already is that of a part of a string.
    """
    span: Span | None = None
    if document.root is not None:
        _, start, end = node_at(document.root, diagnostic.path, on_key=diagnostic.on_key)
        span = document.source.span(start, end)
    text_line = span.line if span and diagnostic.span else None
    return diagnostic.located(
        file=document.source.name,
        document=document.index,
        object=ref or diagnostic.object,
        span=diagnostic.span or span,
        text_line=text_line,
    )


def placed_at_index(source: Source, diagnostic: Diagnostic, index: int) -> Diagnostic:
    """The diagnostic at one character of a source that could not be composed."""
    end = min(index + 1, len(source.text))
    return diagnostic.located(file=source.name, span=source.span(index, max(end, index)))


def locate(root: Node, path: Path, *, on_key: bool = False) -> tuple[int, int]:
    """Start and end of the value (or key) at a path; of the nearest parent where it is missing."""
    return node_at(root, path, on_key=on_key)[1:]


def node_at(root: Node, path: Path, *, on_key: bool = False) -> tuple[Node, int, int]:
    """The value (or key) at a path with its start and end; the nearest parent where it is missing."""
    spot = (root, root.start, content_end(root))
    node: Node = root
    for step in path:
        node = deref(node)
        if isinstance(node, Mapping):
            entry = entry_of(node, step)
            if entry is None:
                return spot
            spot = (entry[0], entry[0].start, entry[0].end)
            node = entry[1]
        elif isinstance(node, Sequence) and isinstance(step, int) and step < len(node.items):
            node = node.items[step]
            spot = (node, node.start, first_line_end(node))
        else:
            return spot
    if path and (on_key or isinstance(node, (Mapping, Sequence))):
        return spot
    if isinstance(node, Scalar) and node.empty:
        return spot
    return node, node.start, content_end(node)


def first_line_end(node: Node) -> int:
    """The end of the first line of a node, without its children."""
    if isinstance(node, Mapping) and node.entries:
        return node.entries[0][0].end
    return node.end
