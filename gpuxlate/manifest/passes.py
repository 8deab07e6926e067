"""How documents are gone through: each by the passes of a task, in their order, over one state.

    document ── start ──> state ── pass, pass, pass ──> state

Reading, translating and linting are such tasks. A pass applies where the document has one of its words, or
came to something that it needs: a document without claims enters no code of claims.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Generic, NamedTuple, Protocol, TypeVar

from gpuxlate.yamltext.parse import Document


class DocumentState(Protocol):
    """A document on its way, with what its passes came to. ``done``: no later pass applies."""

    document: Document
    done: bool


S = TypeVar("S", bound=DocumentState)


class Pass(NamedTuple, Generic[S]):
    """One step. It applies to documents that have one of the ``words``, or whose state has what it ``needs``;
    without both, always.

    Without its letters a word is written by an escape alone: a document with such escapes may have them all.
    """

    name: str
    run: Callable[[S], None]
    words: Callable[[], tuple[str, ...]] = tuple
    needs: Callable[[S], object] | None = None

    def applies(self, state: S, words: tuple[str, ...]) -> bool:
        """Whether the document of a state has something for it. ``words``: its own, asked for once."""
        document = state.document
        if words and document.job is None and document.may_hold(*words):
            return True
        if self.needs is not None:
            return bool(self.needs(state))
        return not words or document.job is not None  # parameters are without their marks


def run_passes(
    documents: Iterable[Document], passes: Sequence[Pass[S]], start: Callable[[Document], S]
) -> Iterator[S]:
    """The state of each document after the passes; an empty document goes through none. ``start``: the state
    before them. Raises NotYamlError where a document cannot be read."""
    steps = [(step, step.words()) for step in passes]
    for document in documents:
        state = start(document)
        for step, words in steps if document.root is not None else ():
            if step.applies(state, words):
                step.run(state)
            if state.done:
                break
        yield state
