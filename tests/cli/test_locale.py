"""Chinese messages: every one is there, says the same numbers and keys, and changes nothing for programs."""

from __future__ import annotations

import ast
import importlib.util
import itertools
import json
import os
import re
import string
import subprocess
import sys
from collections.abc import Iterator
from enum import Enum
from functools import cache
from pathlib import Path

import pytest
from babel.messages.pofile import read_po

from gpuxlate import locale
from gpuxlate.backends import registry
from gpuxlate.backends.alibaba.profile import AlibabaProfile
from gpuxlate.backends.base import ContainerShare
from gpuxlate.backends.kai.profile import DISABLED, KaiProfile
from gpuxlate.backends.placing import Accept
from gpuxlate.backends.sheet.kind import Kind
from gpuxlate.backends.sheet.rules import KINDS
from gpuxlate.model.messages import Message
from gpuxlate.model.profile import CardProfile, Profile
from gpuxlate.model.share import Device, Isolation, Policy, Qos, Share
from gpuxlate.model.share_problems import ShareError
from gpuxlate.rules.catalog import all_rules
from gpuxlate.translation.pods.fit import fit_pod

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "gpuxlate"
RULES = all_rules(registry.all_backends())
HAN = re.compile(r"[\u4e00-\u9fff：？，（；]")

CATALOGUE = PACKAGE / "locale" / "zh" / "LC_MESSAGES" / "gpuxlate.po"
with CATALOGUE.open("rb") as _file:
    _MESSAGES = [one for one in read_po(_file, abort_invalid=True) if one.id]
TEXTS = {one.id: one.string for one in _MESSAGES if not one.context}
SUMMARIES = {one.context: one for one in _MESSAGES if one.context}
OF_KINDS = {one.summary for one in KINDS}
"""The summaries of rules that follow from rows, with the name of the target as a value."""

SAME = re.compile(r"`[^`]+`|--[a-z]+|[A-Za-z][A-Za-z-]*(?:[./_][A-Za-z-]+)+|\b[a-z]+[A-Z]\w*|\d+")
"""What a translation keeps: code, options, keys, names of fields, numbers."""
NAMES = {"Elastic GPU", "GPU manager (vCUDA)", "KAI Scheduler", "nos (Nebuly)"}
"""Targets that are called the same in Chinese: with lists of names, all that stays English."""
NUMERALS = {"VKE019": {"eight": "八"}, "TKE005": {"two": "两"}}


def kept(text: str) -> list[str]:
    return sorted(SAME.findall(re.sub(r"\{\w+\}", " ", text)))


def places(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


def constants(*paths: str) -> set[str]:
    """The texts in modules."""
    files = [file for path in paths for file in sorted(PACKAGE.glob(path))]
    assert files
    nodes = [node for file in files for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))]
    return {one.value for one in nodes if isinstance(one, ast.Constant) and isinstance(one.value, str)}


# --- the catalogue ------------------------------------------------------------------------------


def test_each_text_is_there_once() -> None:
    """Of two, as a merge of branches makes them, Babel takes one and says nothing."""
    lines = CATALOGUE.read_text(encoding="utf-8").splitlines()
    for begin in ("msgid ", "msgstr "):
        assert sum(line.startswith(begin) for line in lines) == len(_MESSAGES) + 1  # the head


def test_every_rule_has_a_summary() -> None:
    """A function has one under its code, a rule of rows that of its kind."""
    of_rows = {code for code, rule in RULES.items() if isinstance(rule.summary, Message)}
    assert set(SUMMARIES) == set(RULES) - of_rows
    assert sorted(OF_KINDS - set(TEXTS)) == []


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_a_summary_of_rows_says_the_same(kind: type[Kind]) -> None:
    """The name of the target comes first: no space is missing or too many, whatever it is called."""
    chinese = TEXTS[kind.summary]
    assert chinese.startswith("{title} ")
    assert chinese.endswith("。")
    assert kept(chinese) == kept(kind.summary)


@pytest.mark.parametrize("code", SUMMARIES)
def test_a_summary_says_the_same(code: str) -> None:
    english, chinese = SUMMARIES[code].id, SUMMARIES[code].string
    assert english == RULES[code].summary, "the translation is of an older summary"
    assert HAN.search(chinese)
    assert chinese.endswith("。")
    assert kept(chinese) == kept(english)
    for word, numeral in NUMERALS.get(code, {}).items():
        assert word in english
        assert numeral in chinese


@pytest.mark.parametrize("english", TEXTS)
def test_a_text_says_the_same(english: str) -> None:
    chinese = TEXTS[english]
    assert HAN.search(chinese)
    assert places(chinese) == places(english)
    assert set(kept(chinese)) == set(kept(english))


def test_no_text_is_stale() -> None:
    """Each message id is a text of the package."""
    assert sorted(set(TEXTS) - constants("**/*.py")) == []


def test_what_is_installed_is_this_catalogue() -> None:
    """Else run ``make messages``."""
    spec = importlib.util.spec_from_file_location("hatch_build", ROOT / "hatch_build.py")
    assert spec
    assert spec.loader
    build = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(build)
    assert build.compiled(CATALOGUE) == CATALOGUE.with_suffix(".mo").read_bytes()


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


def table() -> Iterator[Share]:
    for values in itertools.product(*VALUES.values()):
        try:
            yield Share(**dict(zip(VALUES, values, strict=True)))
        except ShareError:
            continue


def special_shares() -> Iterator[Share]:
    yield Share(1, 30, 4096, memory_limit_mib=8192)
    yield from (Share(1, 30, 4096, isolation=one) for one in Isolation)
    yield from (Share(1, 30, 4096, device=one) for one in (Device("nvidia"), Device("metax", ("C500",))))


@cache
def messages() -> set[str]:
    """Messages and hints of shares at every target, with no profile and with each."""
    found: set[str | None] = set()
    # no list of VALUES has five values: each fifth share has all of them
    cases = (*itertools.islice(table(), 0, None, 5), *special_shares())
    for profile, accept in itertools.product(PROFILES, FLAGS):
        targets = [
            one
            for one in registry.all_backends()
            if profile is None or profile.target in (one.name, "volcengine-mgpu")
        ]
        for share in cases:
            for backend in targets:
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


def test_a_text_without_a_translation_stays() -> None:
    assert locale.translator("zh")("something of a plug-in") == "something of a plug-in"
    assert locale.summary("XYZ001", "Of a plug-in.", "zh") == "Of a plug-in."


# --- the commands -------------------------------------------------------------------------------

SHARE = "examples/refused.gpushare.yaml"


def run(*arguments: str, **env: str) -> subprocess.CompletedProcess[str]:
    kept = {name: value for name, value in os.environ.items() if name != "GPUXLATE_LANG"}
    return subprocess.run(
        [sys.executable, "-c", "from gpuxlate.cli import main; main()", *arguments],
        cwd=ROOT,
        env=kept | {"NO_COLOR": "1"} | env,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )


def test_compare_in_chinese() -> None:
    english, chinese = run("compare", SHARE), run("compare", SHARE, "--lang", "zh")
    assert (chinese.returncode, chinese.stderr) == (english.returncode, english.stderr)
    assert chinese.stdout.splitlines()[0] == english.stdout.splitlines()[0]
    assert chinese.stdout.splitlines()[2].split() == ["目标", "结论", "转换结果"]
    assert "ACK005 alibaba-gpushare 不支持 cores 60：多卡共享时算力不切分，只切分显存" in chinese.stdout
    assert "标签 aliyun.com/gpu-count: 2" in chinese.stdout
    assert run("compare", SHARE, GPUXLATE_LANG="zh").stdout == chinese.stdout


def test_the_option_is_stronger_than_the_environment() -> None:
    assert run("compare", SHARE, "--lang", "en", GPUXLATE_LANG="zh").stdout == run("compare", SHARE).stdout


def test_the_locale_of_the_system_chooses_nothing() -> None:
    named = {"LANG": "zh_CN.UTF-8", "LC_ALL": "zh_CN.UTF-8", "LC_MESSAGES": "zh_CN.UTF-8"}
    assert run("explain", "TKE007", **named).stdout == run("explain", "TKE007").stdout


@pytest.mark.parametrize("command", [("compare", SHARE), ("explain", "TKE007")])
def test_json_is_the_same(command: tuple[str, ...]) -> None:
    english, chinese = run(*command, "-o", "json"), run(*command, "-o", "json", "--lang", "zh")
    assert chinese.stdout == english.stdout
    assert json.loads(chinese.stdout)


def test_manifests_in_chinese() -> None:
    narrow = run("compare", SHARE, "--manifests", "--lang", "zh", COLUMNS="30")
    assert "-- volcengine-mgpu，第 " in narrow.stdout
    assert "无法表达两张卡各 30 %" in narrow.stderr
    assert narrow.returncode == run("compare", SHARE, "--manifests", COLUMNS="30").returncode


def test_explain_in_chinese() -> None:
    lines = run("explain", "tke007", "--lang", "zh").stdout.splitlines()
    assert lines[0] == "TKE007 shared-cards-on-the-step (warning)"
    assert lines[2] == SUMMARIES["TKE007"].string
    assert lines[4] == "以下各节为英文。"
    assert lines[5:] == run("explain", "TKE007").stdout.splitlines()[3:]


@pytest.mark.parametrize("command", [("compare", SHARE), ("explain", "TKE007")])
def test_a_language_that_is_not_there(command: tuple[str, ...]) -> None:
    done = run(*command, "--lang", "de")
    assert (done.returncode, done.stdout) == (2, "")
    assert "invalid value 'de' for --lang" in done.stderr
    assert "languages: en, zh" in done.stderr
