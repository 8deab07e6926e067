"""Chinese messages: every one is there, says the same numbers and keys, and changes nothing for programs.

Of the commonest mistakes all is said in Chinese, and of the rest never less than before.
"""

import ast
import errno
import importlib.metadata
import itertools
import json
import os
import re
import runpy
import string
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from contextlib import suppress
from enum import Enum
from functools import cache
from pathlib import Path

import pytest
import typer
from babel.messages.pofile import read_po

from gpuxlate import locale
from gpuxlate.backends import registry
from gpuxlate.backends.alibaba import AlibabaProfile
from gpuxlate.backends.kai import DISABLED, KaiProfile
from gpuxlate.backends.pod_reader import ContainerShare
from gpuxlate.backends.pod_writer import Accept
from gpuxlate.cli import kubectl, live, main
from gpuxlate.cli.app import build_app
from gpuxlate.lint.check import lint_source
from gpuxlate.lint.settings import LintSettings
from gpuxlate.model.diagnostics import Diagnostic
from gpuxlate.model.messages import Message
from gpuxlate.model.profile import CardProfile, Profile
from gpuxlate.model.share import Device, Isolation, Policy, Qos, Share, ShareError
from gpuxlate.report import text as report
from gpuxlate.report.summary import no_line
from gpuxlate.rules.catalog import all_rules
from gpuxlate.translation.fit import fit_pod
from gpuxlate.translation.options import Settings
from gpuxlate.translation.translate import translate_source
from tests.cluster.fake import FakeServer
from tests.e2e import nodes, pods
from tests.effort import some
from tests.errors.running import run as run_case
from tests.errors.table import sections
from tests.lint.cases import Case, cases
from tests.running import run

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "gpuxlate"
RULES = all_rules(registry.all_backends())
HAN = re.compile(r"[\u4e00-\u9fff：？，（；、。]")

CATALOGUE = PACKAGE / "locale" / "zh" / "LC_MESSAGES" / "gpuxlate.po"
with CATALOGUE.open("rb") as _file:
    _MESSAGES = [one for one in read_po(_file, abort_invalid=True) if one.id]
TEXTS = {one.id: one.string for one in _MESSAGES if not one.context}
SUMMARIES = {one.context: one for one in _MESSAGES if one.context}
OF_ROWS = {code: one.summary for code, one in RULES.items() if isinstance(one.summary, Message)}
"""The summaries of rules that follow from rows, with their keys and what is legal as values."""

SAME = re.compile(r"`[^`]+`|--[a-z]+|[A-Za-z][A-Za-z-]*(?:[./_][A-Za-z-]+)+|\b[a-z]+[A-Z]\w*|\d+")
"""What a translation keeps: code, options, keys, names of fields, numbers."""
NAMES = {"AWS Neuron", "Elastic GPU", "GPU manager (vCUDA)", "KAI Scheduler", "nos (Nebuly)"}
"""Targets that are called the same in Chinese: with lists of names, all that stays English."""
NUMERALS = {"TKE005": ("two", "两"), "TKE014": ("three", "三")}


def kept(text: str) -> list[str]:
    return sorted(SAME.findall(re.sub(r"\{\w+\}", " ", text)))


def places(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


@cache
def parsed() -> list[ast.AST]:
    """All of the package."""
    trees = (ast.parse(path.read_text(encoding="utf-8")) for path in PACKAGE.glob("**/*.py"))
    return [node for tree in trees for node in ast.walk(tree)]


# --- the catalogue ------------------------------------------------------------------------------


def test_each_text_is_there_once() -> None:
    """Of two, as a merge of branches makes them, Babel takes one and says nothing."""
    lines = CATALOGUE.read_text(encoding="utf-8").splitlines()
    for begin in ("msgid ", "msgstr "):
        assert sum(line.startswith(begin) for line in lines) == len(_MESSAGES) + 1  # the head


def test_every_rule_has_a_summary() -> None:
    """A function has one under its code, a rule of rows that of its kind, made of few templates."""
    assert set(SUMMARIES) == set(RULES) - set(OF_ROWS)
    texts = {text for summary in OF_ROWS.values() for text in texts_of(summary) if " " in text or "{" in text}
    keys = {text for text in texts if re.fullmatch("(`[^`]+`(, )?)+", text)}
    assert sorted(texts - keys - NAMES - set(TEXTS)) == []


def test_a_summary_says_the_same() -> None:
    """What is quoted and each number is in both."""

    def is_right(english: str, chinese: str) -> bool:
        return bool(HAN.search(chinese)) and chinese.endswith("。") and kept(chinese) == kept(english)

    say = locale.translator("zh")
    assert {code: say(text) for code, text in OF_ROWS.items() if not is_right(text, say(text))} == {}
    texts = {code: (one.id, one.string) for code, one in SUMMARIES.items()}
    assert {code: pair for code, pair in texts.items() if not is_right(*pair)} == {}
    older = [code for code, (english, _) in texts.items() if english != RULES[code].summary]
    assert older == [], "the translation is of an older summary"
    for code, (word, numeral) in NUMERALS.items():
        assert (word in texts[code][0], numeral in texts[code][1]) == (True, True), code


def test_a_text_says_the_same_and_is_not_stale() -> None:
    """Each message id is a text of the package."""

    def is_right(english: str, chinese: str) -> bool:
        same = places(chinese) == places(english) and set(kept(chinese)) == set(kept(english))
        return bool(HAN.search(chinese)) and same

    assert {one: text for one, text in TEXTS.items() if not is_right(one, text)} == {}
    there = {one.value for one in parsed() if isinstance(one, ast.Constant) and isinstance(one.value, str)}
    there |= {" ".join(part.split()) for text in there for part in text.split("\n\n")}  # help, by paragraphs
    application = build_app()
    with typer.Context(application) as context:  # with what the library declares
        there |= {one.help for one in application.get_params(context)}
    there |= {os.strerror(number).lower() for number in errno.errorcode}  # what files cannot be read for
    there |= {text for one in registry.all_backends() for text in one.field_docs.values()}
    there |= {title for rule in RULES.values() for title in rule.sections}
    assert sorted(set(TEXTS) - there) == []


def test_what_is_installed_is_this_catalogue() -> None:
    """Else run ``make messages``."""
    build = runpy.run_path(str(ROOT / "hatch_build.py"))
    is_current = build["compiled"](CATALOGUE) == CATALOGUE.with_suffix(".mo").read_bytes()
    assert is_current  # to show how the bytes differ would take minutes


# --- what compare can print ---------------------------------------------------------------------

VALUES = {
    "cards": (1, 2, 3, 9),
    "cores": (None, 3, 33, 60, 100, 124, 160, 200, 210),
    "memory_mib": (None, 100, 256, 5000, 16386, 32768, 180000),
    "policy": (None, *Policy),
    "qos": (None, *Qos),
    "memory_percent": (None, 33),
}
CARD = CardProfile(per_node=1, memory_mib=16384)
PROFILES = (
    None,
    Profile("alibaba-gpushare", cards=CARD),
    Profile("alibaba-gpushare", extensions=(AlibabaProfile(memory_unit_mib=128),)),
    Profile("alibaba-gpushare", extensions=(AlibabaProfile(open_source=True),)),
    Profile("tencent-qgpu", policy="fixed-share", cards=CARD, components={"qgpu": "1.0.0"}),
    Profile("volcengine-mgpu", cards=CARD),
    Profile("volcengine-emr-spark", cards=CARD),
    Profile("kai", extensions=(KaiProfile(DISABLED),)),
)
FLAGS = (Accept(), Accept(round_up=True, fill={"cores": 30, "memoryMiB": 4096}))


SPECIAL = [
    Share(1, 30, 4096, memory_limit_mib=8192),
    *(Share(1, 30, 4096, isolation=one) for one in Isolation),
    *(Share(1, 30, 4096, device=one) for one in (Device("nvidia"), Device("metax", ("C500",)))),
]


def table() -> Iterator[Share]:
    for values in itertools.product(*VALUES.values()):
        with suppress(ShareError):
            yield Share(**dict(zip(VALUES, values, strict=True)))


@cache
def messages() -> set[str]:
    """Messages and hints of shares at every target, with no profile and with each."""
    found: set[str | None] = set()
    # no list of VALUES has five values: each fifth share has all of them
    shares = (*some(itertools.islice(table(), 0, None, 5)), *SPECIAL)
    for profile, accept in itertools.product(PROFILES, FLAGS):
        of_all = profile is None or profile.target == "volcengine-mgpu"
        targets = [*registry.all_backends()] if of_all else [registry.get(profile.target)]
        for share, backend in itertools.product(shares, targets):
            outcome = fit_pod([ContainerShare("", 0, share=share)], backend, accept, profile).outcomes[0]
            for one in (*outcome.losses, *outcome.diagnostics):
                found |= {one.message, one.hint}
    return {text for text in found if text}


def texts_of(text: str) -> Iterator[str]:
    """The message ids of a text and of the texts among its values."""
    if not isinstance(text, Message):
        yield text
        return
    yield text.template
    for value in text.values.values():
        if isinstance(value, str) and not isinstance(value, Enum):
            yield from texts_of(value)


def test_every_message_of_compare_is_translated() -> None:
    say = locale.translator("zh")
    found = messages()
    assert len(found) > 500
    assert {one.title for one in registry.all_backends()} >= NAMES
    left = {one for text in found for one in texts_of(text)} - set(TEXTS) - NAMES
    assert sorted(one for one in left if any(" " in name for name in one.split(", "))) == []
    for text in found:
        assert HAN.search(say(text))
        assert set(kept(say(text))) >= set(kept(text)), text

    # a text without a translation stays
    assert locale.translator("zh")("something of a plug-in") == "something of a plug-in"
    assert locale.summary("XYZ001", "Of a plug-in.", "zh") == "Of a plug-in."


# --- the commands -------------------------------------------------------------------------------

SHARE = "examples/refused.gpushare.yaml"


@pytest.fixture(autouse=True)
def _here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    monkeypatch.delenv("GPUXLATE_LANG", raising=False)


def printed(*arguments: str) -> list[str]:
    return run(*arguments).out.decode().splitlines()


@pytest.mark.parametrize("command", [("compare", SHARE), ("explain", "TKE007")], ids=" ".join)
def test_a_language_of_a_command(command: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    """JSON is the same; the option is stronger than the environment; others than two are not there."""
    english, chinese = run(*command), run(*command, "--lang", "zh")
    assert (chinese.code, chinese.err) == (english.code, english.err)
    assert chinese.out != english.out
    as_json = run(*command, "-o", "json").out
    assert json.loads(as_json)
    assert run(*command, "-o", "json", "--lang", "zh").out == as_json
    wrong = run(*command, "--lang", "de")
    assert (wrong.code, wrong.out) == (2, b"")
    assert b"invalid value 'de' for --lang" in wrong.err
    assert b"values: en, zh" in wrong.err
    monkeypatch.setenv("GPUXLATE_LANG", "zh")
    assert run(*command).out == chinese.out
    assert run(*command, "--lang", "en").out == english.out


def test_what_is_printed_in_chinese() -> None:
    english, chinese = printed("compare", SHARE), printed("compare", SHARE, "--lang", "zh")
    assert chinese[0] == english[0]
    assert chinese[2].split() == ["目标", "结论", "转换结果"]
    assert "ACK005 alibaba-gpushare 不支持 cores 60：多卡共享时算力不切分，只切分显存" in "\n".join(chinese)
    assert "标签 aliyun.com/gpu-count: 2" in "\n".join(chinese)
    english, chinese = printed("explain", "TKE007"), printed("explain", "tke007", "--lang", "zh")
    assert chinese[0] == "TKE007 shared-cards-on-the-step (警告)"
    assert chinese[2] == SUMMARIES["TKE007"].string
    assert chinese[4:6] == [
        "检查内容",
        f"  {locale.sections('TKE007', RULES['TKE007'].sections, 'zh')[0]['What it does']}",
    ]
    english, chinese = printed("explain", "KAI001"), printed("explain", "KAI001", "--lang", "zh")
    assert [chinese[2], chinese[4]] == [SUMMARIES["KAI001"].string, "以下各节的正文为英文。"]
    titles = {
        "What it does": "检查内容",
        "Why": "原因",
        "Example": "示例",
        "Use instead": "应改为",
        "Source": "来源",
    }
    assert chinese[5:] == [titles.get(line, line) for line in english[3:]]
    english, chinese = printed("targets"), printed("targets", "--lang", "zh")
    assert "memoryMiB：MiB，总量；单卡至少 256，多卡时每卡至少 1024" in "\n".join(chinese)


IN_CHINESE = ("ACK", "HAMI", "TKE", "VKE")
"""The vendors whose rules ``explain`` describes in Chinese."""
_OF_RULES = {
    code: texts
    for path in sorted((Path(locale.__file__).parent / "zh" / "rules").glob("*.toml"))
    for code, texts in tomllib.loads(path.read_text(encoding="utf-8")).items()
}


def test_rules_that_explain_describes_in_chinese() -> None:
    ours = {code for code in RULES if code.rstrip("0123456789") in IN_CHINESE}
    assert set(_OF_RULES) == ours


@pytest.mark.parametrize("code", sorted(_OF_RULES))
def test_what_explain_says_of_a_rule_in_chinese(code: str) -> None:
    """Each sentence of it, with the code and numbers of the English one."""
    english = RULES[code].sections
    assert set(_OF_RULES[code]) == {key for title, key in locale.PROSE.items() if title in english}
    translated, complete = locale.sections(code, english, "zh")
    assert complete
    for title in english.keys() & locale.PROSE:
        assert re.search("[\u4e00-\u9fff]", translated[title])
        spans, numbers = (
            [
                sorted(set(re.findall(pattern, " ".join(text.split()))))
                for text in (english[title], translated[title])
            ]
            for pattern in (r"`[^`]+`", r"\d+(?:\.\d+)*")
        )
        assert spans[0] == spans[1], title
        assert set(numbers[0]) == set(numbers[1]), title


def test_every_field_of_a_target_is_said_in_chinese() -> None:
    """What is only keys and numbers stays; what has a word of English is translated."""
    locale.use("zh")
    try:
        every = {text for one in registry.all_backends() for text in one.field_docs.values()}
        english = {text for text in every if locale.localize(text) == text}
    finally:
        locale.use("en")
    words = re.compile(r"(?<![\w./{-])[a-z]{2,}(?![\w./}-])")
    assert [text for text in sorted(english) if words.search(text)] == ["count", "hardware", "soft"]


def process(*arguments: str, **env: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", "from gpuxlate.cli import main; main()", *arguments]
    env = {name: value for name, value in os.environ.items() if name != "GPUXLATE_LANG"} | env
    return subprocess.run(
        command, cwd=ROOT, env=env | {"NO_COLOR": "1"}, capture_output=True, encoding="utf-8", check=False
    )


def test_the_locale_of_the_system_chooses_nothing() -> None:
    named = dict.fromkeys(("LANG", "LC_ALL", "LC_MESSAGES"), "zh_CN.UTF-8")
    assert process("explain", "TKE007", **named).stdout.splitlines() == printed("explain", "TKE007")


def test_manifests_in_chinese() -> None:
    narrow = process("compare", SHARE, "--manifests", "--lang", "zh", COLUMNS="30")
    assert "-- volcengine-mgpu，第 " in narrow.stdout
    assert "无法表达两张卡各 30 %" in narrow.stderr
    assert narrow.returncode == process("compare", SHARE, "--manifests", COLUMNS="30").returncode


# --- what has no translation --------------------------------------------------------------------

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
SAYING = ("msg", "plural", "titled", "join_and")
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

    def pgettext(self, code: str, text: str) -> str:
        return SUMMARIES[code].string if code in SUMMARIES else text


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


MOST_FOUND = 12
"""The same for what the cases of all rules print, with texts that are no template."""


def test_findings_are_told_in_chinese(untranslated: Untranslated) -> None:
    """All that is said of the commonest mistakes, and ever more of the others."""
    left: dict[str, set[str]] = {}
    of_the_commonest = (case for case in cases() if case.code in COMMONEST)
    for case in dict.fromkeys((*of_the_commonest, *some(cases()))):
        untranslated.found = set()
        text = report.findings_text(findings(case), no_line)
        assert not case.is_bad or f"[{case.code}]" in text, case.name
        left[case.code] = left.get(case.code, set()) | untranslated.found
    assert {code: left[code] for code in COMMONEST if left[code]} == {}
    of_all = set().union(*left.values())
    assert len(of_all) <= MOST_FOUND, "\n".join(sorted(of_all))


def said() -> Iterator[str]:
    """The message ids in the calls of ``say`` and ``plural``; either text of a choice."""
    for node in parsed():
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


PLAN = "plan examples/plan/fleet --from ack --to tke --fill cores=10 --profile examples/plan/ack.yaml"
PAGES = (
    "assess examples/leftovers examples/application examples/move --to vke,ack,tke",
    f"{PLAN} --profile examples/plan/tke.yaml --as scheduled",
)
NAMED = re.compile(
    r"[\w.-]+(?:/[\w.:-]+)*|\w+/[\w-]+ \w+:|\d+: \w+/[\w-]+ \w+|[\w./-]+ \d+|\d+ %(?:，\d+ MiB)?|1/\d+, \w+"
)
"""Files, workloads and their containers, keys and their values, shares."""


@pytest.mark.parametrize("command", PAGES)
def test_pages_to_send_are_in_chinese(command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They say what they are of and how they came to be, and are the same whenever they are made."""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    words = (*command.split(), "--html", str(tmp_path / "page.html"), "--lang", "zh")
    run(*words)
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert page.startswith('<!doctype html>\n<html lang="zh-CN">')
    version = importlib.metadata.version("gpuxlate")
    assert f"gpuxlate {version}：gpuxlate {' '.join(words)}</p>" in page
    paths = ", ".join(itertools.takewhile(lambda word: not word.startswith("--"), words[1:]))
    assert page.count(f'</h1><p class="dim">输入：{paths}；日期：1970-01-02</p>') == page.count("</h1>")
    shown = re.findall(
        r">([^<>]+)<|title=\"([^\"]+)\"", re.sub(r"<style.*?</style>", "", page, flags=re.DOTALL)
    )
    texts = {one.strip() for pair in shown for one in pair} - {""}
    assert sorted(one for one in texts if not (HAN.search(one) or NAMED.fullmatch(one))) == []
    run(*words)
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == page


FORMATS = ("text", "concise", "github", "junit")
"""Those that people read. JSON, SARIF and GitLab's format are for programs, the same in every language."""


def test_formats_for_people_are_in_chinese() -> None:
    for format_ in FORMATS:
        printed_ = "\n".join(printed("lint", "examples/lint", "-o", format_, "--lang", "zh"))
        for said in ("不是 5 的整数倍", "对 TKE002 的忽略没有对应的问题", "请删除这条忽略"):
            assert said in printed_, format_
        assert not re.search(r"\b(multiple|ignore of|remove|write)\b", printed_), format_
    for format_ in ("json", "sarif", "gitlab"):
        command = ("lint", "examples/lint", "-o", format_)
        assert printed(*command, "--lang", "zh") == printed(*command), format_


def test_the_list_of_rules_has_its_chinese_summaries() -> None:
    lines = printed("rules", "--lang", "zh")
    assert lines[0].split() == ["代码", "级别", "修复", "说明"]
    assert len(lines) == len(RULES) + 1
    assert [line for line in lines[1:] if not line.endswith("。")] == []
    assert printed("rules", "-o", "json", "--lang", "zh") == printed("rules", "-o", "json")


def test_every_heading_of_a_table_is_there() -> None:
    heads = [
        [one.value for one in node.args[0].elts if isinstance(one, ast.Constant)]
        for node in parsed()
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "table"
        if node.args and isinstance(node.args[0], ast.List)
    ]
    assert len(heads) > 10
    assert sorted({one for head in heads for one in head if one not in TEXTS} - {"", "QOS"}) == []


@pytest.mark.full  # each error once more
def test_errors_are_told_in_chinese(untranslated: Untranslated, tmp_path: Path) -> None:
    """What gpuxlate says of every mistake of the table; what others say of it stays as it is."""
    for number, case in enumerate(case for one in sections() for row in one.cases for case in row):
        (tmp_path / str(number)).mkdir()
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(locale, "use", lambda _: None)
            run_case(case, tmp_path / str(number))
    left = {one for one in untranslated.found if not (HAN.search(one) or OF_OTHERS.search(one))}
    assert sorted(left) == []


OF_OTHERS = re.compile(
    r"gpuxlate |^https?://|^kubectl exec|^pip |^: |Error: |^nvidia-smi: |^NVIDIA-SMI |^\| "
    r"|context prod|^did not find|^control characters|^Invalid value|^falcon |^write |^\S+: (?:\w+|\S+ \S+)$"
    r"|^reason: |^the anchor &|is not complete$|^kind is |^the document$|gitignore pattern|^Version of "
)
"""Programs and libraries, addresses, commands, and descriptions of fields, which are those of the schemas."""


SPEC = "examples/bert-serving/bert.gpushare.yaml"
FOLDERS = ("application", "charts", "leftovers", "lint", "move", "partitions", "verdicts")


@pytest.mark.parametrize(
    "words",
    [
        *(["nodepool", SPEC, "--to", name] for name in TARGETS),
        *(["nodepool", SPEC, "--to", name] for name in ("hami", "volcano-vgpu", "koordinator", "kai", "gke")),
        *(["translate", f"examples/{name}", "--to", "tke"] for name in FOLDERS),
        *(["assess", f"examples/{name}", "--to", "vke,ack,hami"] for name in FOLDERS),
        *(["lint", f"examples/{name}", "--statistics"] for name in FOLDERS),
        ["inspect", "examples"],
        ["compare", SHARE, "--to", "all"],
        ["verify", SPEC, "--nvidia-smi", "README.md"],
        ["schema", "spec", "--check", SHARE],
        ["sync"],
        ["policy", "--explain"],
        ["nodes"],
        ["capacity", "--pods"],
        ["preflight", "--to", "volcengine-mgpu"],
    ],
    ids=" ".join,
)
def test_commands_are_in_chinese(
    words: list[str], untranslated: Untranslated, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live, "open_cluster", lambda _options: FakeServer(nodes.VKE, pods.VKE))
    with pytest.raises(SystemExit):
        kubectl.main([*words, "--lang", "zh"])
    sources = re.compile(r"[\w:/ -]+, .*(undated|20\d\d)|.* in public files .*|kubectl .*|helm .*")
    assert sorted(one for one in untranslated.found if not sources.search(one)) == []


SMI = "index, memory.total [MiB]\n0, 9000 MiB\n1, 100 MiB\n"
WHOLE = "apiVersion: gpuxlate.io/v1alpha1\nkind: GPUShare\nmetadata: {name: w}\nspec: {cards: 2}\n"
PERCENT = WHOLE.replace("cards: 2", "memoryPercent: 30")


@pytest.mark.parametrize(
    "words",
    [
        f"verify {SPEC} --nvidia-smi {{smi}}",
        f"verify {SPEC} --nvidia-smi {{smi}} --to ack",
        "verify {whole} --nvidia-smi {smi} --card-memory-mib 24000",
        "verify {percent} --nvidia-smi {smi}",
        f"cost {SPEC} --to emr-ray --card A10",
        f"cost {SPEC} {SPEC} --to emr-spark --card A10 --executors 3",
        f"cost {SPEC} --to emr-ray --card-units 3",
        f"cost {SPEC} --to vke --price A10-24GB=3",
        f"cost {SPEC} --to vke --price L20",
        f"cost {SPEC} --to emr-ray --card A10 --hours x",
        f"cost {SPEC} --to emr-ray --card A10 --pods 0",
        "preflight --to volcengine-mgpu",
        "preflight --to hami",
        "preflight --to volcengine-mgpu {percent}",
        "lint --color blue",
        "lint --quiet=yes",
        "lint --strict",
        "lint --config",
        "explain TKE001 TKE002",
        "render",
        "translate",
        "schema nothing",
        "validate .",
        "nothing",
        "-q",
    ],
)
def test_no_line_is_half_english(
    words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    files = {"smi": SMI, "whole": WHOLE, "percent": PERCENT}
    for name, text in files.items():
        (tmp_path / f"{name}.yaml").write_text(text)
    monkeypatch.setattr(live, "open_cluster", lambda _options: FakeServer(nodes.VKE, pods.VKE))
    monkeypatch.setenv("GPUXLATE_LANG", "zh")
    program = kubectl.main if words.startswith("preflight") else main
    arguments = words.format_map({name: str(tmp_path / f"{name}.yaml") for name in files}).split()
    with pytest.raises(SystemExit):
        program(arguments)
    printed_ = "".join(capsys.readouterr())
    assert HAN.search(printed_)
    english = re.compile(r"(?<![-\w./])[a-z]{2,} [a-z]{2,} [a-z]{2,}")
    assert [
        line for line in printed_.splitlines() if english.search(re.sub("(gpuxlate|kubectl) .*", "", line))
    ] == []
