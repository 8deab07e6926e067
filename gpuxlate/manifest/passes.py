"""How a task processes documents: its passes run on each document, in their order, and share one state.

    document ── start ──> state ── pass, pass, pass ──> state

Reading, translating and linting are such tasks. A pass runs if the document has one of its words, or if the
state has what it needs: no code of claims runs for a document without claims.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Generic, NamedTuple, Protocol, TypeVar

from gpuxlate.yamltext.parse import Document


class DocumentState(Protocol):
    """A document with the results of its passes. ``finished``: no later pass runs."""

    document: Document
    finished: bool


S = TypeVar("S", bound=DocumentState)


class Pass(NamedTuple, Generic[S]):
    """One pass. It runs on documents with one of the ``words``, or whose state has what it ``needs``; without
    both, on every document.

    Escapes of YAML can hide a word, so a document with such escapes may have every word.
    """

    name: str
    run: Callable[[S], None]
    words: Callable[[], tuple[str, ...]] = tuple
    needs: Callable[[S], object] | None = None

    def applies(self, state: S, words: tuple[str, ...]) -> bool:
        """Whether the pass runs on the document of a state. ``words``: the result of ``self.words()``."""
        document = state.document
        if words and document.job is None and document.may_hold(*words):
            return True
        if self.needs is not None:
            return bool(self.needs(state))
        return not words or document.job is not None  # parameters are without their marks


def run_passes(
    documents: Iterable[Document], passes: Sequence[Pass[S]], start: Callable[[Document], S]
) -> Iterator[S]:
    """The state of each document after the passes; none runs on an empty document.

    ``start``: makes the state of a document. Raises NotYamlError if a document cannot be read.
    """
    steps = [(step, step.words()) for step in passes]
    for document in documents:
        state = start(document)
        for step, words in steps if document.root is not None else ():
            if step.applies(state, words):
                step.run(state)
            if state.finished:
                break
        yield state
