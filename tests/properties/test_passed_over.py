"""Documents and items of Lists without a word of ours are not parsed, and nothing else is said or made.

What may differ, and nothing else does: mistakes in the YAML of what is not parsed, and the nodes of it.
"""

import pickle
import re
import textwrap

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from gpuxlate.backends import registry
from gpuxlate.backends.pod_writer import Accept
from gpuxlate.files.relevance import only_relevant
from gpuxlate.lint.add_ignores import add_ignores
from gpuxlate.lint.check import lint_source
from gpuxlate.lint.fix import fix_source
from gpuxlate.lint.settings import LintSettings
from gpuxlate.model import limits
from gpuxlate.translation.options import Settings
from gpuxlate.translation.read import read_source
from gpuxlate.translation.translate import translate_source
from gpuxlate.yamltext.nodes import get
from gpuxlate.yamltext.parse import documents
from gpuxlate.yamltext.source import BOM, Source
from tests.effort import tries
from tests.properties.mutated import claims_apart, documents_of_any_dialect

ACCEPT = Accept(True, {"cores": 30, "memoryMiB": 8192}, frozenset({"cores", "policy", "qos", "selector"}))
TARGETS = ("volcengine-mgpu", "tencent-qgpu", "hami", "neutral", "dra-hami")
# Without a word of ours, each with something that looks like the end or the beginning of another one.
OTHERS = (
    "apiVersion: v1\nkind: Service\nmetadata: {name: web}\nspec: {ports: [{port: 80}]}\n",
    "kind: ConfigMap\ndata:\n  a: |\n    ---\n    - x\n  b: 'it''s'\n",
    'kind: ConfigMap\ndata:\n  note: "goes on\n    - in the next line"\n',
    "a: &x 1\nb: *x\n",
    "# gpuxlate: ignore[TKE002] nothing is here\nkind: Namespace\n",
    "kind: ConfigMap  # don't\ndata: {k: '{{ .Values.x }}'}\n",
    "kind: ConfigMap\ndata: {k: '中文 \U0001f600'}\n",
    "- a\n- b\n",
    "",
    "just text\n",
    "kind: Job\nmetadata: {name: 'a', name: b}\n",
)
MARKERS = ("---\n", "--- # of a chart\n", "---\t\n", "---\n# Source: web/templates/all.yaml\n", "---\r\n")


@st.composite
def streams(draw: st.DrawFn) -> str:
    some = documents_of_any_dialect() | st.sampled_from(OTHERS) | st.sampled_from(OTHERS)
    texts = claims_apart(draw(st.lists(some, min_size=1, max_size=6)))
    head = draw(st.sampled_from(("", "---\n", "# all\n\n---\n", BOM, "%YAML 1.1\n---\n")))
    text = "".join(one if n == 0 else draw(st.sampled_from(MARKERS)) + one for n, one in enumerate(texts))
    return head + (text.removesuffix("\n") if draw(st.booleans()) else text)


@st.composite
def lists(draw: st.DrawFn) -> str:
    """Documents as the items of a List, indented or not, as kubectl prints them."""
    some = documents_of_any_dialect() | st.sampled_from(OTHERS[:-1])
    texts = [one for one in claims_apart(draw(st.lists(some, min_size=1, max_size=6))) if one.strip()]
    assume(all(re.match(r"[A-Za-z#]", one) and "&" not in one and "\r" not in one for one in texts))
    indent = " " * draw(st.integers(0, 4))
    items = (textwrap.indent(one, f"{indent}  ", lambda _: True)[len(indent) + 2 :] for one in texts)
    head, tail = draw(st.sampled_from((("kind: List\n", ""), ("", "kind: PodList\nmetadata: {x: y}\n"))))
    return f"apiVersion: v1\n{head}items:\n" + "".join(f"{indent}- {one}" for one in items) + tail


def both(text: str) -> tuple[Source, Source]:
    source = Source("stream.yaml", text)
    return source, only_relevant(source)


GPU = """\
kind: Pod
spec:
  containers:
  - name: c
    resources: {limits: {vke.volcengine.com/mgpu-core: %s, vke.volcengine.com/mgpu-memory: 1024}}
"""
WITH_FIX = GPU % '"30"' + "---\n" + OTHERS[0] + "---\n" + GPU % "3x"
RUN = WITH_FIX + "".join(f"---\n{text}" for text in (*OTHERS[:8], GPU % "30", *OTHERS))
ITEM = textwrap.indent(GPU % "30", "  ")[2:]
OPEN = 'apiVersion: v1\nkind: List\nitems:\n- kind: A\n  note: "open\n- kind: B\n  other: "\n- ' + ITEM


@tries(400)
@given(streams() | lists())
@example(WITH_FIX)
@example(RUN)
@example(OPEN)
def test_where_documents_are(text: str) -> None:
    parsed, read = ([*documents(one)] for one in both(text)) if is_yaml(text) else ([], [])
    assert sum(document.count for document in read) == len(parsed)
    for document in read:
        first, *others = parsed[document.index : document.index + document.count]
        last = others[-1] if others else first
        assert (document.index, document.start, document.end) == (first.index, first.start, last.end)
        assert not others or document.root is None
        here, there = get(document.root, "items"), get(first.root, "items")
        if document.root is not None:
            assert len(getattr(here, "items", ())) == len(getattr(there, "items", ()))


@pytest.mark.parametrize("most", range(2, 12))
def test_too_many_documents(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of those that are not parsed too, the first that is too many is said."""
    monkeypatch.setattr(limits, "MAX_DOCUMENTS", most)
    of_all, of_parsed = (lint_source(source, LintSettings()) for source in both(RUN))
    assert of_parsed.diagnostics == of_all.diagnostics
    assert "GX009" in {finding.code for finding in of_parsed.diagnostics}
    assert (of_parsed.documents, of_parsed.shares) == (of_all.documents, of_all.shares)


def is_yaml(text: str) -> bool:
    try:
        return bool([*documents(Source("", text))])
    except ValueError:
        return False


@tries(400)
@given(streams() | lists())
@example(WITH_FIX)
@example(RUN)
@example(OPEN)
def test_lint(text: str) -> None:
    assume(is_yaml(text))
    settings = LintSettings()
    wanted, found = (lint_source(one, settings) for one in both(text))
    assert [one.to_json() for one in found.diagnostics] == [one.to_json() for one in wanted.diagnostics]
    counts = [(one.documents, one.shares, one.suppressed, one.skipped) for one in (found, wanted)]
    assert counts[0] == counts[1]


@tries(200)
@given(streams() | lists(), st.booleans())
@example(WITH_FIX, True)
@example(RUN, True)
def test_fixes_and_ignores(text: str, unsafe: bool) -> None:
    assume(is_yaml(text))
    settings = LintSettings()
    wanted, fixed = (fix_source(one, settings, unsafe=unsafe) for one in both(text))
    assert (fixed.text, fixed.fixes) == (wanted.text, wanted.fixes)
    wanted_ignores, ignored = (add_ignores(one, settings, "why") for one in both(text))
    assert (ignored.source.text, ignored.count) == (wanted_ignores.source.text, wanted_ignores.count)


@tries(400)
@given(streams() | lists(), st.sampled_from(TARGETS), st.booleans())
@example(WITH_FIX, "tencent-qgpu", True)
@example(RUN, "tencent-qgpu", True)
def test_translate(text: str, target: str, allow_leftovers: bool) -> None:
    assume(is_yaml(text))
    settings = Settings(registry.get(target), accept=ACCEPT, allow_leftovers=allow_leftovers)
    for run in (translate_source, read_source):
        wanted, made = (run(one, settings) for one in both(text))
        assert made.text == wanted.text
        for name in ("diagnostics", "items", "leftovers", "quotas"):
            assert getattr(made, name) == getattr(wanted, name), name


def test_another_process_reads_the_same() -> None:
    """Sources go to other processes and back with the findings in them."""
    _, source = both(WITH_FIX)
    for one in (source, source.changed(source.text)):
        roots = [document.root is None for document in documents(pickle.loads(pickle.dumps(one)))]
        assert roots == [False, True, False]
