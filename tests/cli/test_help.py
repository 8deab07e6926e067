"""The help of every command: in both languages, in 80 columns, in words."""

import re
from collections.abc import Iterator

import pytest

from gpuxlate import report
from gpuxlate.cli import kubectl
from gpuxlate.cli.app import build
from tests.running import run

COMMANDS = [(), *((name,) for name in build().list_commands(None))]
LIVE = [(name,) for name in build(live=True).list_commands(None)]
HAN = re.compile(r"[\u4e00-\u9fff]")
_WIDE = re.compile(r"[\u2e80-\u9fff\uff00-\uffef]")


def helps(capsys: pytest.CaptureFixture[str], language: str) -> Iterator[tuple[str, str]]:
    for words in COMMANDS:
        yield " ".join(words), run(*words, "--help", "--lang", language).out.decode()
    for words in LIVE:
        with pytest.raises(SystemExit):
            kubectl.main([*words, "--help", "--lang", language])
        yield " ".join(("kubectl", *words)), capsys.readouterr().out


@pytest.mark.parametrize("language", ["en", "zh"])
def test_help(language: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Lines fit a terminal; what an option takes is a word; and in Chinese, no text is left in English."""
    monkeypatch.setenv("COLUMNS", "80")
    for command, text in helps(capsys, language):
        lines = text.splitlines()
        assert [one for one in lines if len(one) + len(_WIDE.findall(one)) > 80] == [], command
        assert not re.search(r"<\w+(?: \w+)?>|[<>]=", text), command
        if language == "zh":
            english = [one for one in lines if re.search(r"[a-z]{2,} [a-z]{2,} [a-z]{2,}", left(one))]
            assert english == [], command
            assert all(HAN.search(one) for one in (lines[0], lines[2])), command


def left(line: str) -> str:
    """A line without code: options, lists of values, and shell commands."""
    return "" if "gpuxlate " in line else re.sub(r"\S+(?:[,、] ?\S+)+", "", line)


def test_defaults_are_shown() -> None:
    """Of an option that has one in the code, by itself or in the configuration."""
    shown = run("lint", "--help").out.decode() + run("policy", "--help").out.decode()
    text = " ".join(shown.split())
    for what in (
        f"{report.FORMATS[-1]}. [default: text]",
        "never. [default: error; sarif: never]",
        "never. [default: auto]",
        "[default: pods]",
    ):
        assert what in text
