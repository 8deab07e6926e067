"""Linting of small texts with the rules of no vendor, over the vocabularies of all targets.

A text marks where its finding must stand with guillemets: ``mgpu-memory: «4Gi»``.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable
from dataclasses import dataclass

import pytest

from gpuxlate.backends import registry
from gpuxlate.inputs.claims import Claims
from gpuxlate.manifest.pods import document_keys, pods_in
from gpuxlate.model.diagnostics import Diagnostic
from gpuxlate.model.profile import Profile
from gpuxlate.rules.base import Context, check_document, check_pod
from gpuxlate.rules.catalog import neutral_rules
from gpuxlate.yamltext.compose import documents
from gpuxlate.yamltext.place import placed
from gpuxlate.yamltext.source import Source

Place = tuple[int, int, int, int]


@dataclass(frozen=True)
class Found:
    """The findings of one text, and the places that the text marks."""

    diagnostics: list[Diagnostic]
    marked: list[Place]

    def of(self, code: str) -> list[Diagnostic]:
        return [one for one in self.diagnostics if one.code == code]

    def places(self, code: str) -> list[Place]:
        spans = [one.span for one in self.of(code)]
        return sorted((s.line, s.column, s.end_line, s.end_column) for s in spans if s)

    @property
    def codes(self) -> list[str]:
        return sorted(one.code for one in self.diagnostics)


Lint = Callable[..., Found]


@pytest.fixture(scope="session")
def dialects() -> tuple[registry.Backend, ...]:
    return tuple(registry.all_backends())


@pytest.fixture(scope="session")
def lint(dialects: tuple[registry.Backend, ...]) -> Lint:
    def run(text: str, profile: Profile | None = None) -> Found:
        bare, marked = _unmarked(text)
        context = Context(profile, dialects)
        found: list[Diagnostic] = []
        source = Source("<test>", bare)
        claims = Claims().beside(source)
        for document in documents(source):
            pods = [claims.resolved(one) for one in pods_in(document)]
            for pod in pods:
                found += [
                    placed(document, one, pod.object) for one in check_pod(neutral_rules(), pod.keys, context)
                ]
            keys = document_keys(document, pods, registry.is_gpu_key)
            found += [placed(document, one) for one in check_document(neutral_rules(), keys, context)]
        return Found(sorted(found, key=Diagnostic.sort_key), marked)

    return run


def _unmarked(text: str) -> tuple[str, list[Place]]:
    places: list[Place] = []
    lines = text.split("\n")
    for number, line in enumerate(lines, 1):
        for nth, match in enumerate(re.finditer("«(.*?)»", line)):
            start = match.start() - 2 * nth + 1
            places.append((number, start, number, start + len(match[1])))
        lines[number - 1] = line.replace("«", "").replace("»", "")
    return "\n".join(lines), places


@pytest.fixture(scope="session")
def manifest() -> Callable[[str], str]:
    """A whole manifest from a short one: ``resources:`` of a container, or the inside of a Pod."""

    def wrap(block: str) -> str:
        block = textwrap.dedent(block)
        if re.search(r"^kind:", block, re.MULTILINE):
            return block
        if block.startswith("resources:"):
            block = "spec:\n  containers:\n  - name: web\n" + textwrap.indent(block, "    ")
        return "apiVersion: v1\nkind: Pod\n" + block

    return wrap


@pytest.fixture(scope="session")
def lint_limits(lint: Lint) -> Lint:
    """The findings of one container with these limits, written in flow style, and requests."""

    def run(limits: str, requests: str | None = None, profile: Profile | None = None) -> Found:
        below = f"\n      requests: {{{requests}}}" if requests is not None else ""
        return lint(
            "apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec:\n  containers:\n"
            f"  - name: web\n    resources:\n      limits: {{{limits}}}{below}\n",
            profile,
        )

    return run
