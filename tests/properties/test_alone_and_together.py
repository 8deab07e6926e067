"""One document, one result: what is said of a document and made of it is the same alone and in a stream.

What may differ, and nothing else does:

- the file's name, the number of the document, and its lines, by the lines before it (``normal``);
- whether the text changes: an error of one document refuses its file (``test_translate``);
- the names that ``parse`` gives: objects of one name are numbered, since a GPUShare is found by its name
  (``unnumbered``).

A claim is in one document: a pod of another one would have what it requests (``claims_apart``).
"""

import json
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st

from gpuxlate.backends import registry
from gpuxlate.backends.base import Backend
from gpuxlate.backends.pod_reader import ContainerShare
from gpuxlate.backends.pod_writer import Accept
from gpuxlate.lint.check import lint_source
from gpuxlate.lint.fix import fix_source
from gpuxlate.lint.settings import LintSettings
from gpuxlate.model.diagnostics import Diagnostic
from gpuxlate.model.share import Share
from gpuxlate.translation.fit import fit_pod
from gpuxlate.translation.options import Settings
from gpuxlate.translation.read import read_source, share_documents
from gpuxlate.translation.results import Result
from gpuxlate.translation.translate import translate_source
from gpuxlate.yamltext.parse import documents
from gpuxlate.yamltext.source import Source
from tests.effort import tries
from tests.pairs.properties.sources import names_cards
from tests.properties.mutated import neighbours, similar_products

SEPARATOR = "---\n"
EVERYTHING = Accept(True, {"cores": 30, "memoryMiB": 8192}, frozenset({"cores", "policy", "qos", "selector"}))
TARGETS = [one.name for one in registry.pod_backends() if not one.read_only and not one.device_classes]
"""Each document stays one. A target of claims adds documents, whose names tie those of a stream together:
``test_in_a_folder`` has them too."""


class Stream(NamedTuple):
    """Documents in one text, and the lines before each."""

    texts: Sequence[str]

    @property
    def text(self) -> str:
        return SEPARATOR.join(self.texts)

    @property
    def offsets(self) -> list[int]:
        """Lines before each document; the first has no separator before it."""
        found = [0]
        for text in self.texts:
            found.append(found[-1] + Source("", text).lines)  # with the line of the separator
        return found

    def split(self, text: str) -> list[str]:
        """A text made of this one, as its documents."""
        made = [one.text for one in documents(Source("", text))]
        assert len(made) == len(self.texts), text
        return [one.removeprefix(SEPARATOR) for one in made]


def normal(finding: dict[str, Any], before: int = 0) -> dict[str, Any]:
    """A finding as it would be of a document alone."""
    made = {**finding, "file": "", "document": None if finding["document"] is None else 0}
    for name in ("line", "endLine"):
        made[name] = None if made[name] is None else made[name] - before
    return made


def by_document(stream: Stream, found: Sequence[Diagnostic]) -> list[list[dict[str, Any]]]:
    """The findings of each document, as they would be of it alone."""
    offsets = stream.offsets
    made: list[list[dict[str, Any]]] = [[] for _ in stream.texts]
    for one in found:
        finding = one.to_json()
        number = max(n for n in range(len(made)) if offsets[n] < max(1, finding["line"] or 1))
        assert finding["document"] in (None, number)
        made[number].append(normal(finding, offsets[number]))
    return made


def items_by_document(stream: Stream, made: Result) -> list[list[dict[str, Any]]]:
    found: list[list[dict[str, Any]]] = [[] for _ in stream.texts]
    for item in made.items:
        one = item.to_json()
        before = stream.offsets[item.document]
        said = [normal(finding, before) for finding in one["diagnostics"]]
        found[item.document].append(one | {"file": "", "document": 0, "diagnostics": said})
    return found


POD = """\
apiVersion: v1
kind: Pod
metadata: {name: p}
spec:
  schedulerName: %s
  containers:
  - name: c
    resources: {limits: {nvidia.com/gpu: %s, nvidia.com/gpumem: %s}}
"""
ALIKE = [POD % (name, 2, n) for n in range(3000, 3006) for name in ("hami-scheduler", '"hami-scheduler"')]
NUMBERS = [*ALIKE, POD % ("volcano", 10, 900000002), POD % ("'hami-scheduler'", 900000001, 900000002)]
"""Numbers that stood for others where documents were alike (defect of November 2026)."""
JSON = json.dumps(yaml.safe_load(POD % ("hami-scheduler", 2, 3000)), indent=2) + "\n"
BREAKS = [*ALIKE[:1], JSON.replace("\n", "\r\n"), *ALIKE[:1], JSON, JSON.replace("\n", "\r\n")]
"""Each document has line breaks of its own."""
PART = """\
apiVersion: v1
kind: Pod
metadata: {name: part}
spec:
  containers:
  - name: c
    resources:
      limits: {gpuxlate.io/cards: 1, gpuxlate.io/cores: 50, gpuxlate.io/memory-mib: 8192}
"""
WHOLE = PART.replace(", gpuxlate.io/cores: 50, gpuxlate.io/memory-mib: 8192", "")
TAKEN = [PART, WHOLE]
"""Most targets take one of them, whatever else is drawn."""


def alone(text: str) -> Source:
    return Source("alone.yaml", text)


@tries(400)
@given(st.one_of(neighbours(), similar_products()))
@example(NUMBERS)
@example(BREAKS)
def test_lint(texts: list[str]) -> None:
    stream = Stream(texts)
    settings = LintSettings()
    found = lint_source(Source("stream.yaml", stream.text), settings)
    each = [lint_source(alone(one), settings) for one in texts]
    assert by_document(stream, found.diagnostics) == [
        [normal(finding.to_json()) for finding in one.diagnostics] for one in each
    ]
    assert found.documents == len(texts)
    assert found.shares == sum(one.shares for one in each)
    assert found.suppressed == sum(one.suppressed for one in each)


@tries(150)
@given(neighbours(), st.booleans())
@example(NUMBERS, True)
@example(BREAKS, True)
def test_fixes(texts: list[str], unsafe: bool) -> None:
    stream = Stream(texts)
    settings = LintSettings()
    fixed = fix_source(Source("stream.yaml", stream.text), settings, unsafe=unsafe)
    each = [fix_source(alone(one), settings, unsafe=unsafe) for one in texts]
    assert stream.split(fixed.text) == [one.text for one in each]
    assert fixed.fixes == sum(one.fixes for one in each)
    left = Stream([one.text for one in each])
    assert by_document(left, fixed.linted.diagnostics) == [
        [normal(finding.to_json()) for finding in one.linted.diagnostics] for one in each
    ]


@pytest.mark.parametrize("target", TARGETS)
def test_translate(target: str) -> None:
    moved = 0

    @tries(60)
    @given(neighbours(), st.sampled_from((Accept(), EVERYTHING)))
    @example(NUMBERS, EVERYTHING)
    @example(BREAKS, EVERYTHING)
    @example(TAKEN, EVERYTHING)
    def holds(texts: list[str], accept: Accept) -> None:
        nonlocal moved
        settings = Settings(registry.get(target), accept=accept)
        each = [translate_source(alone(one), settings) for one in texts]
        stream = Stream(texts)
        made = translate_source(Source("stream.yaml", stream.text), settings)
        compare(stream, made, texts, each)
        assert made.refused == any(one.refused for one in each)
        # a refused document refuses its file: the others make a stream of their own
        accepted = [one for one in each if not one.refused]
        rest = Stream([text for text, one in zip(texts, each, strict=True) if not one.refused])
        done = translate_source(Source("rest.yaml", rest.text), settings)
        if accepted:
            assert rest.split(done.text) == [one.text for one in accepted]
        moved += sum(one.changed for one in accepted)

    holds()
    # of cards few texts say one, and none a profile
    assert moved > 0 or names_cards(registry.get(target)) or not takes_a_share(registry.get(target))


def takes_a_share(backend: Backend) -> bool:
    """A share of a card is enough for the target: it needs neither a profile nor the name of a card."""
    share = ContainerShare("main", 0, share=Share(1, 30, 8192))
    return fit_pod([share], backend, EVERYTHING).accepted


def compare(stream: Stream, made: Result, texts: Sequence[str], each: Sequence[Result]) -> None:
    assert by_document(stream, made.diagnostics) == [
        [normal(finding.to_json()) for finding in one.diagnostics] for one in each
    ]
    assert items_by_document(stream, made) == [
        found
        for text, one in zip(texts, each, strict=True)
        for found in items_by_document(Stream([alone(text).text]), one)
    ]


@tries(150)
@given(neighbours())
@example(NUMBERS)
@example(BREAKS)
def test_parse(texts: list[str]) -> None:
    settings = Settings.reading()
    stream = Stream(texts)
    made = read_source(Source("stream.yaml", stream.text), settings)
    each = [read_source(alone(one), settings) for one in texts]
    compare(stream, made, texts, each)
    together = share_documents(made.items)
    names = [one["metadata"]["name"] for one in together]
    assert len(set(names)) == len(names)
    apart = [share for one in each for share in share_documents(one.items)]
    assert [unnumbered(one) for one in together] == [unnumbered(one) for one in apart]


def unnumbered(share: dict[str, Any]) -> dict[str, Any]:
    """A document without the number by which its name differs from the others."""
    return share | {"metadata": {"name": re.sub(r"-\d+$", "", share["metadata"]["name"])}}
