"""How much of what is said is there in Chinese: all of the commonest mistakes, and of the rest never less."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from gpuxlate import locale
from gpuxlate.backends import registry
from gpuxlate.cli import kubectl, live_options
from gpuxlate.lint.check import LintSettings, lint_source
from gpuxlate.model.diagnostics import Diagnostic
from gpuxlate.report import text as report
from gpuxlate.report.summary import no_line
from gpuxlate.translation.settings import Settings
from gpuxlate.translation.translate import translate_source
from tests.cluster.fake import FakeServer
from tests.e2e import nodes, pods
from tests.lint.cases import Case, cases

from .test_locale import PACKAGE, TEXTS

COMMONEST = {
    "K8S001": "half a card: nvidia.com/gpu 0.5",
    "K8S002": "a suffix: aliyun.com/gpu-mem 2Gi, 10G, 4GB",
    "K8S003": "requests that differ from limits",
    "K8S004": "requests without limits",
    "K8S005": "annotations of the workload, where those of its pods count",
    "GX003": "a misspelt key",
    "GX007": "MiB where the key counts GiB",
    "GX013": "aliyun.com/gpu-count in limits",
    "ACK002": "memory that the number of cards does not divide",
    "ACK010": "aliyun.com/gpu-core without .percentage",
    "TKE002": "compute that is no multiple of 5",
    "TKE003": "compute without memory",
    "VKE012": "a part of a card without memory, or with 256 MiB",
    "VKE013": "compute above 100 without a list of cards",
    "VKE014": "all compute of a card, and memory",
}
"""Mistakes in public manifests and questions about ACK, TKE and VKE, by their rules."""
SAYING = ("say", "plural", "titled", "joined")
TARGETS = ("volcengine-mgpu", "alibaba-gpushare", "tencent-qgpu")

MOST_SAID = 10
"""Message ids in the code without a translation. New messages want one: lower this number, never raise it."""

_PROSE = re.compile(r"(?<![\w./{-])[a-z]{2,} [a-z]{2,}(?![\w./}-])")
"""Two words: more than a name, a key or a value."""


class Untranslated:
    """A catalogue that notes what it does not have."""

    def __init__(self) -> None:
        self.found: set[str] = set()

    def gettext(self, text: str) -> str:
        if text not in TEXTS and _PROSE.search(text) and not text.startswith("gpuxlate "):
            self.found.add(text)
        return TEXTS.get(text, text)


@pytest.fixture
def untranslated(monkeypatch: pytest.MonkeyPatch) -> Iterator[Untranslated]:
    noted = Untranslated()
    monkeypatch.setattr(locale, "_translations", lambda _: noted)
    locale.translator.cache_clear()
    locale.use("zh")
    yield noted
    locale.use("en")
    locale.translator.cache_clear()


def findings(case: Case) -> Iterator[Diagnostic]:
    """Of lint, and of a translation to each large vendor."""
    yield from lint_source(case.source, LintSettings(case.profile)).diagnostics
    for name in TARGETS:
        yield from translate_source(case.source, Settings(registry.get(name))).diagnostics


@pytest.mark.parametrize("code", COMMONEST)
def test_the_commonest_mistakes_are_told_in_chinese(code: str, untranslated: Untranslated) -> None:
    bad = [one for one in cases() if one.code == code and one.is_bad]
    assert bad
    text = report.findings((found for case in bad for found in findings(case)), no_line)
    assert f"[{code}]" in text
    assert sorted(untranslated.found) == []


def said() -> Iterator[str]:
    """The message ids in the calls of ``say`` and ``plural``; either text of a choice."""
    for path in PACKAGE.glob("**/*.py"):
        for node in ast.walk(ast.parse(Path(path).read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") in SAYING:
                yield from (text for one in node.args for text in _texts(one))


def _texts(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.IfExp):
        yield from (*_texts(node.body), *_texts(node.orelse))


def test_ever_less_is_untranslated() -> None:
    left = {one for one in said() if one not in TEXTS and re.search(r"[a-z]{2}", re.sub(r"\{.*?\}", "", one))}
    assert len(left) <= MOST_SAID, "\n".join(sorted(left))


MOST_FOUND = 12
"""The same for what the cases of all rules print, with texts that are no template."""


def test_ever_less_of_findings_is_untranslated(untranslated: Untranslated) -> None:
    report.findings((found for case in cases() for found in findings(case)), no_line)
    assert len(untranslated.found) <= MOST_FOUND, "\n".join(sorted(untranslated.found))


SPEC = "examples/bert-serving/bert.gpushare.yaml"
OF_PLANNING = re.compile(r"one that serves .* and takes new pods")
"""What ``planning`` says without a template."""


@pytest.mark.parametrize(
    "words",
    [
        *(["nodepool", SPEC, "--to", name] for name in TARGETS),
        ["policy", "--explain"],
        ["policy", "--translate", "--to", "tencent-qgpu", "--explain"],
        ["nodes"],
        ["capacity", "--pods"],
        ["preflight", "--to", "volcengine-mgpu"],
    ],
    ids=" ".join,
)
def test_commands_are_in_chinese(
    words: list[str], untranslated: Untranslated, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live_options, "open_cluster", lambda _options: FakeServer(nodes.VKE, pods.VKE))
    with pytest.raises(SystemExit):
        kubectl.main([*words, "--lang", "zh"])
    sources = re.compile(r"[\w:/ -]+, .*(undated|20\d\d)|kubectl .*|helm .*")
    left = {one for one in untranslated.found if not (sources.search(one) or OF_PLANNING.search(one))}
    assert sorted(left) == []
