"""The configuration as ``lint`` uses it: where it is found, what it says, and what is wrong with it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.lint.conftest import Lint, Write, pod

SUFFIX = pod("aliyun.com/gpu-mem: 2Gi")  # K8S002, 11:29
LARGE = pod("aliyun.com/gpu-mem: 4096")  # GX007, 11:29, a warning
SMALL_SHARE = pod("aliyun.com/gpu-mem: 1")  # ACK016 with a profile of large cards
IGNORE = "ignore: [K8S002]\n"
A10 = "{target: alibaba-gpushare, cards: {model: A10, perNode: 4, memoryMiB: 22731}}"

LintIn = Callable[[str], list[str]]


@pytest.fixture
def lint_in(lint: Lint, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> LintIn:
    """The codes of a.yaml, checked in a folder."""

    def called(folder: str) -> list[str]:
        monkeypatch.chdir(tmp_path / folder)
        return lint("a.yaml").codes

    return called


# --- where it is found ----------------------------------------------------------------------------


def test_it_is_found_upwards(lint_in: LintIn, write: Write) -> None:
    """Which of several, and how far up, is in tests/spec/test_config.py."""
    write({"yaml/.gpuxlate.yaml": IGNORE, "yaml/a/b/a.yaml": SUFFIX, "yml/.gpuxlate.yml": IGNORE})
    write({"yml/a.yaml": SUFFIX, "toml/pyproject.toml": "[tool.gpuxlate]\nignore = ['K8S002']\n"})
    write({"toml/a/a.yaml": SUFFIX})
    assert [lint_in(one) for one in ("yaml/a/b", "yml", "toml/a")] == [[], [], []]


# --- what it says ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("config", "arguments", "codes"),
    [
        ("select: [K8S]", "", "K8S002"),
        ("select: [K8S]", "--select GX", "GX007"),  # the option replaces it
        ("ignore: [K8S]", "", "GX007"),
        ("ignore: [K8S]", "--ignore GX007", ""),  # the option adds to it
        ("ignore: [K8S]", "--select ALL", "GX007"),
        ("select: [ALL]\nignore: [GX]", "", "K8S002"),
        ("{}", "", "K8S002 GX007"),
        ("", "", "K8S002 GX007"),
    ],
)
def test_select_and_ignore(lint: Lint, write: Write, config: str, arguments: str, codes: str) -> None:
    write({".gpuxlate.yaml": config, "a.yaml": f"{SUFFIX}---\n{LARGE}"})
    assert lint("a.yaml", *arguments.split()).codes == codes.split()


def test_fail_on(lint: Lint, write: Write) -> None:
    cases = [("warning", "", 1), ("error", "", 0), ("never", "", 0)]
    for level, option, code in (*cases, ("warning", "error", 0), ("never", "info", 1)):
        write({".gpuxlate.yaml": f"fail-on: {level}\n", "a.yaml": LARGE})
        assert lint("a.yaml", *(["--fail-on", option] if option else [])).code == code, (level, option)


def test_profiles_by_name(lint: Lint, write: Write) -> None:
    config = f"profiles:\n  beijing: {A10}\n  shanghai: profiles/shanghai.yaml\n"
    write({".gpuxlate.yaml": config, "profiles/shanghai.yaml": "target: alibaba-gpushare\n"})
    write({"a.yaml": SMALL_SHARE, "lone.yaml": A10})
    assert lint("a.yaml").codes == []  # no rule guesses a card
    assert lint("a.yaml", "--profile", "beijing").codes == ["ACK016"]
    assert lint("a.yaml", "--profile", "shanghai").codes == []
    assert lint("a.yaml", "--profile", "lone.yaml").codes == ["ACK016"]


def test_a_unit_that_only_a_profile_can_say(lint: Lint, write: Write) -> None:
    profile = "target: alibaba-gpushare\nalibaba: {memoryUnitMiB: 1, openSource: true}\n"
    write({"a.yaml": LARGE, "p.yaml": profile})
    assert lint("a.yaml").codes == ["GX007"]
    assert "GX007" not in lint("a.yaml", "--profile", "p.yaml").codes


# --- files that may break rules -------------------------------------------------------------------

PER_FILE = """\
per-file-ignores:
- path: legacy/
  rules: [K8S002]
  reason: frozen until June
- path: "*.gen.yaml"
  rules: [GX, VKE012]
  reason: written by a generator
- path: here/one.yaml
  rules: [ALL]
  reason: an example of mistakes
"""


def test_per_file_ignores(lint: Lint, write: Write, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    both = f"{SUFFIX}---\n{LARGE}"
    write({".gpuxlate.yaml": PER_FILE, "legacy/sub/a.yaml": both, "b.gen.yaml": both, "here/one.yaml": both})
    write({"here/two.yaml": both})
    # named files do not tell whether a pattern is used elsewhere
    said = lint("legacy/sub/a.yaml", "b.gen.yaml", "here/one.yaml", "here/two.yaml")
    assert said.findings == [
        "b.gen.yaml:11:29 K8S002",
        "here/two.yaml:11:29 K8S002",
        "here/two.yaml:23:29 GX007",
        "legacy/sub/a.yaml:23:29 GX007",
    ]
    assert said.json["summary"]["suppressed"] == 4
    monkeypatch.chdir(tmp_path / "here")
    assert lint("one.yaml").codes == []
    assert lint("../legacy").codes == ["GX007"]


def test_a_configured_ignore_that_matches_nothing(lint: Lint, write: Write) -> None:
    write({".gpuxlate.yaml": PER_FILE, "legacy/a.yaml": SUFFIX, "b.gen.yaml": LARGE})
    write({"here/one.yaml": pod("aliyun.com/gpu-mem: 8")})
    said = lint(".")
    assert said.findings == [".gpuxlate.yaml:6:15 GX009", ".gpuxlate.yaml:9:11 GX009"]
    first, second = said.json["diagnostics"]
    assert first["message"] == "ignore of VKE012 in *.gen.yaml matches no finding"
    assert second["message"] == "ignore of ALL in here/one.yaml matches no finding"
    assert (first["severity"], said.code) == ("warning", 0)
    assert lint("here/one.yaml").codes == ["GX009"]  # one file's ignore can be judged by that file
    assert lint("b.gen.yaml").codes == []
    assert lint(".", "--ignore", "GX009").codes == []
    assert lint(".", "--select", "K8S,GX009").codes == []  # the others were not looked for


def test_a_configured_ignore_in_toml(lint: Lint, write: Write) -> None:
    text = '[[tool.gpuxlate.per-file-ignores]]\npath = "a.yaml"\nrules = ["VKE"]\nreason = "none"\n'
    write({"pyproject.toml": text, "a.yaml": SUFFIX})
    assert lint("a.yaml").findings == ["a.yaml:11:29 K8S002", "pyproject.toml:None:None GX009"]
    assert "GX009" in lint("a.yaml", as_="text").out


def test_an_ignored_finding_in_a_file_is_not_fixed(lint: Lint, write: Write, tmp_path: Path) -> None:
    write({".gpuxlate.yaml": PER_FILE, "legacy/a.yaml": SUFFIX, "b.yaml": SUFFIX})
    assert lint(".", "--fix", "--ignore", "GX009").code == 1
    assert (tmp_path / "legacy/a.yaml").read_text() == SUFFIX
    assert (tmp_path / "b.yaml").read_text() != SUFFIX


# --- what is wrong with it ------------------------------------------------------------------------


def test_errors_name_their_place(lint: Lint, write: Write, tmp_path: Path) -> None:
    """Others are in tests/errors/cases/05-configuration.yaml and in tests/spec/test_config.py."""
    rules = "per-file-ignores: [{path: a, rules: [GX7], reason: b}]\n"
    for name, config, said in (
        (".gpuxlate.yaml", "select: [VKE12]\n", "select: no rule 'VKE12'\nhelp: did you mean VKE012?"),
        (".gpuxlate.yaml", "ignore: [NOPE]\n", "ignore: no rule 'NOPE'"),
        (".gpuxlate.yaml", rules, "per-file-ignores[0].rules: no rule 'GX7'\nhelp: did you mean GX007?"),
        ("pyproject.toml", "[tool.gpuxlate]\nignore = [1]\n", "tool.gpuxlate.ignore[0]"),
    ):
        write({name: config, "a.yaml": SUFFIX})
        done = lint("a.yaml", as_=None)
        assert (done.code, done.out) == (2, ""), config
        assert done.err.startswith("error: ")
        assert f"{name}: {said}" in done.err
        (tmp_path / name).unlink()


# --- a repository that somebody else wrote ---------------------------------------------------------


def test_a_link_out_of_the_repository_is_not_read(
    lint: Lint, write: Write, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name, text in (
        (".gpuxlate.yaml", "token: a-secret\n"),
        (".gpuxlate.yml", "a-secret\n"),
        ("pyproject.toml", "[tool.gpuxlate]\ntoken = 'a-secret'\n"),
    ):
        write({f"{name}/elsewhere": text, f"{name}/repo/.git/HEAD": "", f"{name}/repo/a.yaml": SUFFIX})
        (tmp_path / name / "repo" / name).symlink_to("../elsewhere")
        monkeypatch.chdir(tmp_path / name / "repo")
        done = lint("a.yaml")
        assert done.code == 2
        assert f"{name}: a link that leads out of its repository" in done.err
        assert "secret" not in done.err + done.out


def test_other_links(lint: Lint, lint_in: LintIn, write: Write, tmp_path: Path) -> None:
    """Within the repository a link is followed; one that leads nowhere is an error."""
    write({"repo/.git/HEAD": "", "repo/all.yaml": IGNORE, "repo/sub/a.yaml": SUFFIX})
    link = tmp_path / "repo" / "sub" / ".gpuxlate.yaml"
    link.symlink_to("../all.yaml")
    assert lint_in("repo/sub") == []
    link.unlink()
    link.symlink_to("nowhere")
    assert "it cannot be read: no such file" in lint("a.yaml").err
