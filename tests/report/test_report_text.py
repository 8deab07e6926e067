"""The text format: exact output, alignment, cuts, and nothing that acts on a terminal."""

import pytest

from gpuxlate.model.diagnostics import Diagnostic, Fix, Severity, Span
from gpuxlate.report import render, statistics
from gpuxlate.report.characters import make_visible, text_of, visible_lines, width
from gpuxlate.report.summary import Skipped, Summary
from gpuxlate.report.text import COLUMNS, SourceExcerpt, excerpt
from gpuxlate.yamltext.source import Source, Texts
from tests.report.findings import LINES, RULES, SUMMARY, finding


def body(one: Diagnostic, text: str | None) -> list[str]:
    """The output without the line of counts."""
    texts = Texts() if text is None else Texts(Source("deploy.yaml", text))
    rendered = render("text", [one], Summary(), lines=texts.line)
    return rendered.rsplit("\n\n", 1)[0].split("\n")


def test_golden() -> None:
    unsafe = Fix("Drop the memory", (), safe=False)
    findings = [
        finding(),
        finding(code="TKE008", severity=Severity.WARNING, hint=None, fix=unsafe, span=Span(2, 7, 2, 17)),
        finding(code="GX010", file="empty.yaml", hint=None, fix=None, span=None, message="no document"),
    ]
    assert render("text", findings, SUMMARY, lines=LINES) == (
        "error[TKE002]: qgpu-core is 33, which is no multiple of 5\n"
        "  --> deploy.yaml:11:46\n"
        "   |\n"
        '11 |             tke.cloud.tencent.com/qgpu-core: "33"\n'
        "   |                                              ^^^^\n"
        "   |\n"
        "   = help: write 35\n"
        "   = fix: Round up to 35 (safe; --fix)\n"
        "   = see: gpuxlate explain TKE002\n"
        "\n"
        "warning[TKE008]: qgpu-core is 33, which is no multiple of 5\n"
        " --> deploy.yaml:2:7\n"
        "  |\n"
        "2 | kind: Deployment\n"
        "  |       ^^^^^^^^^^\n"
        "  |\n"
        "  = fix: Drop the memory (unsafe; --unsafe-fixes)\n"
        "  = see: gpuxlate explain TKE008\n"
        "\n"
        "error[GX010]: no document\n"
        " --> empty.yaml\n"
        "  = see: gpuxlate explain GX010\n"
        "\n"
        "2 errors, 1 warning in 3 files (1 suppressed, 1 skipped)\n"
        "3 findings, 1 fixable with --fix, 1 more with --unsafe-fixes\n"
    )


def test_colour_adds_codes_and_changes_nothing_else() -> None:
    plain = render("text", [finding()], SUMMARY, lines=LINES)
    coloured = render("text", [finding()], SUMMARY, lines=LINES, color=True)
    assert "\x1b" not in plain
    assert "\x1b[1;31merror[TKE002]\x1b[0m" in coloured
    for code in ("\x1b[0m", "\x1b[1m", "\x1b[1;34m", "\x1b[1;31m"):
        coloured = coloured.replace(code, "")
    assert coloured == plain


@pytest.mark.parametrize(
    ("line", "span", "shown", "under"),
    [
        # wide characters take two columns, before the span and in it
        ("模型: 显存 # 说明", Span(1, 5, 1, 7), "1 | 模型: 显存 # 说明", "  |       ^^^^"),
        # a combining mark takes none
        ("e\u0301: 5", Span(1, 5, 1, 6), "1 | e\u0301: 5", "  |    ^"),
        # tabs stay, and stand before the carets too
        ("\tcore:\t33", Span(1, 8, 1, 10), "1 | \tcore:\t33", "  | \t     \t^^"),
        ("a: b\tc d", Span(1, 4, 1, 7), "1 | a: b\tc d", "  |    ^\t^"),
        ("\ta: 1", Span(1, 1, 1, 2), "1 | \ta: 1", "  | ^"),
        # an empty value and a place after the end of the line get one caret
        ("core:", Span(1, 6, 1, 6), "1 | core:", "  |      ^"),
        ("core:", Span(1, 99, 1, 99), "1 | core:", "  |      ^"),
        # a span over several lines
        ("a: {b: 1,", Span(1, 4, 3, 2), "1 | a: {b: 1,", "  |    ^^^^^^ to line 3"),
        ("- a: 1", Span(1, 3, 2, 1), "1 | - a: 1", "  |   ^^^^"),
        # what acts on a terminal is shown, each with the columns of what is shown
        ('x: "\x1b[2J" y', Span(1, 11, 1, 12), '1 | x: "␛[2J" y', "  |           ^"),
        ("\u202ea: \x9b5", Span(1, 5, 1, 7), "1 | \\u202ea: \\x9b5", "  |          ^^^^^"),
    ],
)
def test_excerpt(line: str, span: Span, shown: str, under: str) -> None:
    text = f"{line}\nlast\n"
    assert body(finding(span=span), text)[3:5] == [shown, under]


def test_line_breaks_of_every_system() -> None:
    for newline in ("\n", "\r\n", "\r"):
        text = newline.join(["\ufeffa: 1", "b: 2", "c: 3"])
        assert body(finding(span=Span(2, 4, 2, 5)), text)[3:5] == ["2 | b: 2", "  |    ^"]


def test_a_long_line_is_cut_around_its_span() -> None:
    for line, start, left, right in (
        (f"{'a' * 300} here {'b' * 300}", 302, True, True),
        (f"here {'b' * 300}", 1, False, True),
        (f"{'a' * 300} here", 302, True, False),
        (f"{'显' * 100} here {'存' * 100}", 102, True, True),
    ):
        seen = excerpt(line, Span(1, start, 1, start + 4))
        assert COLUMNS - 2 <= width(seen.line) <= COLUMNS
        assert (seen.line.startswith("…"), seen.line.endswith("…")) == (left, right)
        assert seen.carets == "^^^^"
        assert len(seen.indent) == width(seen.line[: seen.line.index("here")])


def test_golden_long_line() -> None:
    line = f"{'a' * 200} here {'b' * 200}"
    assert body(finding(span=Span(1, 202, 1, 206)), line)[3:5] == [
        f"1 | …{'a' * 56} here {'b' * 56}…",
        f"  | {' ' * 58}^^^^",
    ]


def test_a_span_longer_than_the_excerpt_is_cut_too() -> None:
    seen = excerpt("x" * 1000, Span(1, 1, 1, 1001))
    assert seen == SourceExcerpt("x" * (COLUMNS - 2) + "…", "", "^" * (COLUMNS - 2))


def test_no_excerpt_where_the_source_has_no_such_line() -> None:
    for text in (None, "", "one line\n"):
        assert body(finding(hint=None, fix=None), text) == [
            "error[TKE002]: qgpu-core is 33, which is no multiple of 5",
            "  --> deploy.yaml:11:46",
            "   = see: gpuxlate explain TKE002",
        ]


def test_nothing_of_the_input_acts_on_a_terminal() -> None:
    evil = "\x1b]0;x\x07\nerror[GX001]: forged\r\x9b2J\u202e\ud800"
    one = finding(message=evil, hint=evil, file=f"{evil}.yaml", fix=Fix(evil, ()))
    rendered = render("text", [one], Summary(), lines=lambda _file, _line: evil)
    assert set(rendered) & set("\x1b\x07\r\x9b\u202e\ud800") == set()
    assert not any(line.startswith("error[GX001]") for line in rendered.split("\n"))
    assert rendered.startswith("error[TKE002]: ␛]0;x␇␊error[GX001]: forged␍\\x9b2J\\u202e\\ud800\n")


def test_visible() -> None:
    for text, shown in (
        ("plain 显存", "plain 显存"),
        ("a\tb\x7f", "a␉b␡"),
        ("\U000e0001", "\\U000e0001"),
        ("　", "　"),
        # what CI systems obey: see report/characters.py
        ("::error file=a::b", "\\x3a:error file=a::b"),
        (" 　::error::b", " 　\\x3a:error::b"),
        (":::", "\\x3a::"),
        ("a::error::b", "a::error::b"),
        ("a ##[error]b ##vso[task.x]c", "a \\x23#[error]b \\x23#vso[task.x]c"),
        ("###teamcity[a]", "#\\x23#teamcity[a]"),
        ("## a [b] #[c] ##1[d]", "## a [b] #[c] ##1[d]"),
    ):
        assert make_visible(text) == make_visible(make_visible(text)) == shown


def test_visible_lines() -> None:
    text = "a\r\n\t::b\n\x1b[1m ::c\x1b[0m ##[d\n"
    assert visible_lines(text) == "a␍\n\t\\x3a:b\n␛[1m ::c␛[0m \\x23#[d\n"
    assert visible_lines(text, colours=True) == "a␍\n\t\\x3a:b\n\x1b[1m \\x3a:c\x1b[0m \\x23#[d\n"
    assert text_of(["a\nb", "", "::c"]) == "a␊b\n\n\\x3a:c\n"


def test_an_excerpt_has_no_command() -> None:
    one = finding(span=Span(1, 4, 1, 6), hint=None, fix=None)
    assert body(one, "a: ##vso[b] ##[c]")[3:5] == ["1 | a: \\x23#vso[b] \\x23#[c]", "  |    ^^^^^"]


def test_counts() -> None:
    for summary, line in (
        (Summary(), "no findings in 0 files"),
        (Summary(files=1, suppressed=2), "no findings in 1 file (2 suppressed)"),
        (Summary(files=2, errors=1, warnings=2, infos=1), "1 error, 2 warnings, 1 info in 2 files"),
        (Summary(files=1, infos=2, skipped=(Skipped("a", "b"),)), "2 infos in 1 file (1 skipped)"),
    ):
        assert render("text", [], summary) == f"{line}\n"


def test_no_finding_is_left_out() -> None:
    findings = [finding(message=f"number {number}") for number in range(2000)]
    rendered = render("text", findings, SUMMARY, lines=LINES)
    assert rendered.count("\nerror[TKE002]: number ") == 1999


def test_statistics() -> None:
    findings = [finding(code=code) for code in ["GX010", *["TKE002"] * 10, "ACK001"]]
    assert statistics(findings, RULES) == "10  TKE002  Compute is a multiple of 5.\n 1  ACK001\n 1  GX010\n"
    assert statistics([]) == ""


def test_infos_that_say_the_same_are_one() -> None:
    """Of one rule, message and hint; errors and warnings are all shown, and every info on demand."""
    places = [Span(line, 1, line, 2) for line in (1, 2, 3)]
    infos = [finding(severity=Severity.INFO, span=one, fix=None) for one in places]
    others = [finding(severity=Severity.WARNING, span=one, fix=None) for one in places]
    odd = finding(severity=Severity.INFO, message="other words", fix=None)
    shown = render("text", [*infos, *others, odd], SUMMARY, lines=LINES)
    assert (shown.count("info[TKE002]"), shown.count("warning[TKE002]")) == (2, 3)
    assert shown.count(" (and 2 more)\n") == 1
    every = render("text", [*infos, *others, odd], SUMMARY, lines=LINES, every=True)
    assert (every.count("info[TKE002]"), every.count(" more)")) == (4, 0)


def test_what_a_fix_would_do() -> None:
    fixed, unsafe, none = finding(), finding(fix=Fix("Write", (), safe=False)), finding(fix=None)
    for found, line in (
        ([fixed], "1 finding, 1 fixable with --fix\n"),
        ([fixed, unsafe, none], "3 findings, 1 fixable with --fix, 1 more with --unsafe-fixes\n"),
        ([unsafe, none], ""),
    ):
        assert render("text", found, SUMMARY, lines=LINES).partition(" files")[2].partition("\n")[2] == line
