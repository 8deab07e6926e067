"""What each step takes for one document, in one process without start-up. Run: python -m bench.steps"""

from __future__ import annotations

import gc
import sys
import time
from collections import deque
from collections.abc import Callable
from typing import Any

from yaml._yaml import CParser
from yaml.events import StreamEndEvent

from bench import corpus
from gpuxlate.backends import registry
from gpuxlate.cli.translating import translated_piece
from gpuxlate.lint.check import LintSettings, lint_source
from gpuxlate.lint.lint_marks import text_marks
from gpuxlate.lint.lint_repeated import Remembered, lint_repeated
from gpuxlate.manifest.pods import document_keys, pods_in
from gpuxlate.translation.repeated import Repeated
from gpuxlate.translation.translate import Settings, translate_source
from gpuxlate.yamltext.compose import documents
from gpuxlate.yamltext.pieces import Piece
from gpuxlate.yamltext.source import Source

DOCUMENTS = 1_500
RUNS = 7
FLOOR = "its events, the floor"


def main() -> None:
    """Every step on each corpus: the least CPU time of several turns, a round of all steps each."""
    gc.set_threshold(50_000, 10, 10)  # as the command does
    for title, make in corpus.WITH_SHARES:
        text = corpus.stream(DOCUMENTS, make)
        steps = steps_of(text)
        least = dict.fromkeys(steps, float("inf"))
        gc.freeze()  # what is at hand is no garbage
        for _ in range(RUNS):
            for name, step in steps.items():
                started = time.process_time()
                step()
                least[name] = min(least[name], time.process_time() - started)
        print(f"\n{title}\n{'':34}{'us':>9}{'ratio':>9}")
        for name, seconds in least.items():
            print(f"{name:34}{1e6 * seconds / DOCUMENTS:9.0f}{seconds / least[FLOOR]:9.2f}")


def steps_of(text: str) -> dict[str, Callable[[], Any]]:
    """Each step by its name, ready to be done with the text."""
    data = text.encode()
    source, piece = Source("f.yaml", text), Piece("f.yaml", data)
    composed = list(documents(source))
    pods = [list(pods_in(one)) for one in composed]
    lint, translate = LintSettings(), Settings(to=registry.get("tke"))
    parts = [one.data for one in piece.single()]

    def events() -> None:
        parser = CParser(data)
        while not isinstance(parser.get_event(), StreamEndEvent):
            pass

    def shapes() -> list[Any]:
        alike = Remembered(text_marks)
        return [alike.shape_of(one) for one in parts]

    return {
        "libyaml alone, no Python object": lambda: CParser(data).raw_parse(),
        FLOOR: events,
        "composing our tree of them": lambda: deque(documents(source), maxlen=0),
        "finding the pods, once composed": lambda: [list(pods_in(one)) for one in composed],
        "keys outside pods, keys given twice": lambda: [
            document_keys(one, found, registry.is_gpu_key) for one, found in zip(composed, pods, strict=True)
        ],
        "the shape of a document": shapes,
        "lint, each one read": lambda: lint_source(source, lint),
        "lint": lambda: lint_repeated(piece, lint, Remembered(text_marks)),
        "translate, each one read": lambda: translate_source(source, translate),
        "translate": lambda: translated_piece(piece, translate, Repeated(translate), items=False),
    }


if __name__ == "__main__":
    sys.exit(main())
