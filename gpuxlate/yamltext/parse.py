"""The documents of a source, one at a time, so that memory is bounded by the largest, and places in them.

Within the limits of ``gpuxlate.model.limits``. libyaml composes those that it may (``composed``), a composer
over its events all others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, Self, TypeVar

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
from yaml.reader import ReaderError

from gpuxlate.model import limits
from gpuxlate.model.diagnostics import Diagnostic, ObjectRef, Path, Span
from gpuxlate.model.errors import UserError
from gpuxlate.model.messages import msg
from gpuxlate.yamltext.composed import DocumentRange, NeedsEventsError, convert_composed, parts
from gpuxlate.yamltext.events import EventParser
from gpuxlate.yamltext.nodes import (
    Alias,
    Mapping,
    Node,
    Scalar,
    Sequence,
    content_end,
    deref,
    entry_of,
)
from gpuxlate.yamltext.ranges import Chunk, has_plain_markers
from gpuxlate.yamltext.source import CharacterSubstitution, Source, Words, WordSearch

_WRITE_OUT = "write the values in place of the aliases, in several files"


class NotYamlError(UserError, ValueError):
    """The text is not valid YAML: why, and at which character; ``problem``: in the parser's words."""

    def __init__(self, message: str, index: int, problem: str = "") -> None:
        super().__init__(message)
        self.index = index
        self.problem = problem


class TooMuchError(NotYamlError):
    """The text exceeds a limit; ``hint`` says what to do."""

    hint: str

    def __init__(self, message: str, index: int, hint: str) -> None:
        super().__init__(message, index)
        self.hint = hint


@dataclass(slots=True)
class Document:
    """One document: characters ``start`` to ``end`` of the source; ``root`` is None if it is empty.

    ``job``: the name of the target whose parameters are in the root, None for a manifest. ``repeated``:
    mappings that set a key twice. ``merged``: the root was put together of the texts of several documents.
    ``count``: how many documents it stands for: a run of those that do not matter is one, without a root.
    ``parsed``: the words of what is parsed of the source, where that is not all.
    """

    source: Source
    index: int
    start: int
    end: int
    root: Node | None
    aliases: list[Alias] = field(default_factory=list)
    repeated: list[tuple[Mapping, Node]] = field(default_factory=list)
    job: str | None = None
    merged: bool = False
    count: int = 1
    parsed: WordSearch | None = field(default=None, repr=False, compare=False)

    @property
    def text(self) -> str:
        """The characters of the document in the source."""
        return self.source.text[self.start : self.end]

    def with_root(self, root: Mapping) -> Document:
        """The document with another tree: what is merged has no aliases."""
        return replace(self, root=root, aliases=[], merged=True)

    def holds(self, *words: str) -> bool:
        """Whether its text has one of the words. What is parsed is asked first, once for all documents."""
        return self._has((self.parsed or self.source.words).held(words))

    def may_hold(self, *words: str) -> bool:
        """Whether its text has one of the words, or what may hide one."""
        return self._has((self.parsed or self.source.words).signs(words))

    def _has(self, held: tuple[str, ...]) -> bool:
        """Its text has one of the words that are held by what is parsed."""
        text, start, end = self.source.text, self.start, self.end
        return bool(held) and any(text.find(word, start, end) >= 0 for word in held)

    def held_beside(self, words: Words) -> tuple[str, ...]:
        """Those of some words that its text may have: what is parsed of the source has them."""
        return (self.parsed or self.source.words).held(words)


DocumentReader = Callable[[Source], Iterable[Document]]
"""Reads the documents of a source: ``documents``, or a reader of another syntax."""


LARGE = 2**20
"""Characters from which on it pays to read a source in several processes."""


class Joined(Protocol):
    """What some documents come to. ``stopped``: others behind them were not read."""

    @property
    def stopped(self) -> bool:
        """Whether documents behind these were not read."""

    def __iadd__(self, more: Self) -> Self: ...


Joinable = TypeVar("Joinable", bound=Joined)


class InChunks(Protocol):
    """How work over the documents of a large source is done: for chunks of them, in several processes.

    What the chunks come to is joined in order. Where it is ``stopped``, all of it is what the work comes to
    in one process: what was not read may change what is said of documents before it.
    """

    def __call__(self, work: Callable[[DocumentReader], Joinable], source: Source, /) -> Joinable: ...


def over_documents(
    work: Callable[[DocumentReader], Joinable],
    source: Source,
    read: DocumentReader,
    in_chunks: InChunks | None,
) -> Joinable:
    """What work over the documents of a source comes to. ``in_chunks``: where the source is large."""
    if in_chunks is None or read is not documents or len(source.text) < LARGE:
        return work(read)
    return in_chunks(work, source)


def read_once(read: DocumentReader) -> DocumentReader:
    """A reader of one source that reads it once, and gives the same documents and error each time."""
    documents_and_error: list[Document | NotYamlError] = []

    def again(source: Source) -> Iterator[Document]:
        if not documents_and_error:
            try:
                for document in read(source):
                    documents_and_error.append(document)  # noqa: PERF402 - those before an error count
            except NotYamlError as error:
                documents_and_error.append(error)
        for item in documents_and_error:
            if isinstance(item, NotYamlError):
                raise item
            yield item

    return again


def documents(source: Source, chunk: Chunk | None = None) -> Iterator[Document]:
    """The documents of a source, one by one; of a chunk of it alone, where one is given.

    Raises NotYamlError where the text is not valid YAML.
    """
    chunk = chunk or source.whole
    composer = _Composer(source, chunk)
    previous: Document | None = None
    broken: NotYamlError | None = None
    composed = composer.run()
    while True:
        try:
            document = next(composed, None)
        except NotYamlError as error:
            document, broken = None, error
        if previous is not None:
            if document is not None:
                previous.end = document.start
            elif broken is not None:  # in the next document, or before it begins
                previous.end = composer.start if composer.start > previous.start else broken.index
            else:
                previous.end = chunk.end
            yield previous
        if document is None:
            break
        previous = document
    if broken:
        raise broken


class _Composer:
    def __init__(self, source: Source, chunk: Chunk) -> None:
        self._source = source
        self.start = chunk.start  # of the current document
        self._chunk = chunk
        self._composed_count = 0  # documents of the text that is parsed: of it a run is one
        excerpt = source.excerpt(chunk)
        self._runs = {} if excerpt is None else {chunk.start + at: n for at, n in excerpt.runs.items()}
        text = source.text[chunk.start : chunk.end] if excerpt is None else excerpt.text
        self._words = WordSearch(text) if excerpt is not None and len(text) < len(source.text) else None
        self._substitution = CharacterSubstitution(text)
        plain = self._substitution.text is text and has_plain_markers(text)
        read = self._substitution.text if excerpt is None else excerpt.in_place(self._substitution.text)
        # blanks in place of what is before a chunk: its nodes have the places of the source
        before = " " * (chunk.start - 1) + "\n" if chunk.start else ""
        self._text = before + read
        composes = plain and hasattr(EventParser, "get_limited_node")
        self._parts = parts(self._text, chunk.start) if composes else None  # None: all come from events
        try:
            self._parser: Any = EventParser(self._text)
        except (YAMLError, ValueError) as error:
            raise _problem(error, source.text) from None

    def run(self) -> Iterator[Document]:
        index = self._chunk.first
        while True:
            try:
                document = self._next(index)
            except (YAMLError, ValueError) as error:
                if isinstance(error, NotYamlError):
                    raise
                raise _problem(error, self._source.text) from None
            if document is None:
                return
            yield document
            index += document.count
            self._composed_count += 1

    def _next(self, index: int) -> Document | None:
        if self._parts is not None:
            try:
                part = next(self._parts, None)
                if part is None or part.composable:
                    return self._composed(index, part)
            except (YAMLError, ValueError):  # the events say what is wrong, or that nothing is
                self._begin_again()
        return self._from_events(index)

    def _begin_again(self) -> None:
        """Read all that follows from events."""
        self._parts = self._parser = None  # which has a copy of the text
        self._parser = EventParser(self._text)
        before = self._composed_count
        while before:
            before -= type(self._parser.get_event()) is DocumentEndEvent

    def _document(self, index: int, start: int) -> Document:
        """The document that begins at a character, without its root."""
        source, size = self._source, self._runs.get(start, 1)
        return Document(source, index, start, len(source.text), None, count=size, parsed=self._words)

    def _composed(self, index: int, part: DocumentRange | None) -> Document | None:
        if not self._composed_count:
            self._parser.get_event()  # the start of the stream
        if part is not None and part.deep:
            node = self._parser.get_limited_node(limits.MAX_DEPTH + 1)
        else:
            node = self._parser.get_node()
        if (node is None) != (part is None) or index >= limits.MAX_DOCUMENTS:
            raise NeedsEventsError
        if node is None or part is None:
            return None
        document = self._document(index, part.start)
        root, odd = convert_composed(node, part, self._source.text)
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
            excess = msg("more than {count} documents", count=limits.MAX_DOCUMENTS)
            raise TooMuchError(excess, self.start, "put them into several files")
        document = self._document(index, self.start)
        document.root = self._compose(document)
        return document

    def _compose(self, document: Document) -> Node | None:  # noqa: C901 - one loop, for speed
        next_event: Callable[[], Any] = self._parser.get_event
        text = self._source.text
        new = object.__new__
        strange = self._substitution.used
        anchors: dict[str, Node] = {}
        sizes: dict[Node, int] = {}  # nodes in what an anchor marks, aliases written out
        opened: dict[Node, int] = {}
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
                if scalar.style is not None and scalar.style in "|>":
                    scalar.ends_in(text)
                if strange:
                    start, end = event.start_mark.index, event.end_mark.index
                    scalar.text = self._substitution.restored(value, text[start:end], scalar.style)
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
                    opened[node] = count
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
                size = sizes.get(target, 1)
                count += size
                aliased += size
                allowed += size
                if aliased > limits.MAX_ALIASED_NODES:
                    maximum = limits.MAX_ALIASED_NODES
                    raise TooMuchError(
                        msg("the aliases expand to more than {most} nodes", most=maximum),
                        event.start_mark.index,
                        _WRITE_OUT,
                    )
            elif kind is MappingEndEvent or kind is SequenceEndEvent:
                closed = stack.pop()
                entries, items, key = above.pop()
                closed.close(event)
                if closed.anchor:
                    sizes[closed] = count - opened.pop(closed)
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
    plain = mapping.entries_by_key
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
    from gpuxlate.yamltext.problems import plain_words

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
