"""The help of every command: in both languages, in 80 columns, in words."""

import re
from collections.abc import Iterator

import pytest

from gpuxlate.cli import kubectl
from gpuxlate.cli.app import GROUPS, LIVE_GROUPS, build_app
from gpuxlate.cli.help import HELP_EXAMPLES
from gpuxlate.cli.terms import TERM_TEXTS
from gpuxlate.report.characters import width
from tests.running import run

COMMANDS = [(), *((name,) for name in build_app().list_commands(None))]
LIVE = [(name,) for name in build_app(live=True).list_commands(None)]
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
        "Output format (default: text).",
        "(default: error; with -o sarif: never).",
        "When to use colour (default: auto).",
        "[default: pods]",
    ):
        assert what in text


def test_commands_are_in_groups() -> None:
    """Each in one, in the order of the table, also in the plug-in."""
    for groups, program in ((GROUPS, "gpuxlate"), (LIVE_GROUPS, "kubectl gpuxlate")):
        application = build_app(live=program.startswith("kubectl"))
        text = application.make_context(program, ["lint"]).get_help()
        listed = re.findall(r"^(\S.*):$|^  ([a-z]+)  +[A-Z]", text.partition("\nOptions:")[2], re.MULTILINE)
        expected = [(title, "") for title in groups]
        for title in reversed(groups):
            at = expected.index((title, ""))
            expected[at + 1 : at + 1] = [("", name) for name in groups[title]]
        assert [one for one in listed if one in expected] == expected
        assert [name for commands in groups.values() for name in commands] == application.list_commands(None)


@pytest.mark.parametrize("line", [f"{path} {words}" for path, two in HELP_EXAMPLES.items() for words in two])
def test_an_example_is_a_command_line(line: str) -> None:
    """Its options and values are there; every command has some (``test_help`` prints all)."""
    live = line.startswith("kubectl ")
    words = re.split("(?:^| )[<>|] ", line)[0].split()[2 if live else 1 :]
    application = build_app(live=live)
    context = application.make_context("gpuxlate", words)
    _, command, rest = application.resolve_command(context, words)
    if "help" in words:  # ends where it has printed
        assert command.name == words[1]
        return
    assert command.make_context(words[0], rest, parent=context).args == []


@pytest.mark.parametrize("language", ["en", "zh"])
def test_help_terms_says_what_the_words_of_the_help_mean(language: str) -> None:
    """Each word on a line of its own with its meaning, in no more than 80 columns; --help leads to it."""
    lines = run("help", "terms", "--lang", language).out.decode().splitlines()
    assert [line.split()[0] for line in lines if line[2] != " "] == list(TERM_TEXTS)
    assert all(width(line) <= 80 for line in lines)
    shown = run("--help", "--lang", language).out.decode()
    assert "gpuxlate help terms" in " ".join(shown.split())
    assert any("\u4e00" <= char <= "\u9fff" for char in "".join(lines)) is (language == "zh")
