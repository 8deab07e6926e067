"""The configuration as ``lint`` uses it: where it is found, what it says, and what is wrong with it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.lint.conftest import Lint, Write, pod

SUFFIX = pod("aliyun.com/gpu-mem: 2Gi")  # K8S002, 11:29
LARGE = pod("aliyun.com/gpu-mem: 4096")  # GX007, 11:29, a warning
SMALL_SHARE = pod("aliyun.com/gpu-mem: 1")  # ACK016 with a profile of large cards

A10 = "{target: alibaba-gpushare, cards: {model: A10, perNode: 4, memoryMiB: 22731}}"


# --- where it is found ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (".gpuxlate.yaml", "ignore: [K8S002]\n"),
        (".gpuxlate.yml", "ignore: [K8S002]\n"),
        ("pyproject.toml", "[tool.gpuxlate]\nignore = ['K8S002']\n"),
    ],
)
def test_it_is_found_upwards(
    lint: Lint, write: Write, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str, text: str
) -> None:
    write({name: text, "deploy/a/b.yaml": SUFFIX})
    monkeypatch.chdir(tmp_path / "deploy" / "a")
    assert lint("b.yaml").codes == []


def test_the_git_root_ends_the_search(
    lint: Lint, write: Write, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    write({".gpuxlate.yaml": "ignore: [K8S002]\n", "repo/.git/HEAD": "", "repo/sub/a.yaml": SUFFIX})
    monkeypatch.chdir(tmp_path / "repo" / "sub")
    assert lint("a.yaml").codes == ["K8S002"]
    write({"repo/.gpuxlate.yaml": "select: [GX]\n"})  # beside .git it counts
    assert lint("a.yaml").codes == []


def test_the_nearest_counts(
    lint: Lint, write: Write, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    write({".gpuxlate.yaml": "ignore: [K8S002]\n", "sub/pyproject.toml": "[tool.gpuxlate]\n"})
    write({"sub/a.yaml": SUFFIX, "other/pyproject.toml": "[tool.other]\n", "other/a.yaml": SUFFIX})
    monkeypatch.chdir(tmp_path / "sub")
    assert lint("a.yaml").codes == ["K8S002"]
    monkeypatch.chdir(tmp_path / "other")
    assert lint("a.yaml").codes == []


# --- what it says ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("config", "arguments", "codes"),
    [
        ("select: [K8S]", [], ["K8S002"]),
        ("select: [K8S]", ["--select", "GX"], ["GX007"]),  # the option replaces it
        ("ignore: [K8S]", [], ["GX007"]),
        ("ignore: [K8S]", ["--ignore", "GX007"], []),  # the option adds to it
        ("ignore: [K8S]", ["--select", "ALL"], ["GX007"]),
        ("select: [ALL]\nignore: [GX]", [], ["K8S002"]),
        ("{}", [], ["K8S002", "GX007"]),
        ("", [], ["K8S002", "GX007"]),
    ],
)
def test_select_and_ignore(
    lint: Lint, write: Write, config: str, arguments: list[str], codes: list[str]
) -> None:
    write({".gpuxlate.yaml": config, "a.yaml": f"{SUFFIX}---\n{LARGE}"})
    assert lint("a.yaml", *arguments).codes == codes


@pytest.mark.parametrize(
    ("level", "arguments", "code"),
    [
        ("warning", [], 1),
        ("error", [], 0),
        ("never", [], 0),
        ("warning", ["--fail-on", "error"], 0),
        ("never", ["--fail-on", "info"], 1),
    ],
)
def test_fail_on(lint: Lint, write: Write, level: str, arguments: list[str], code: int) -> None:
    write({".gpuxlate.yaml": f"fail-on: {level}\n", "a.yaml": LARGE})
    assert lint("a.yaml", *arguments).code == code


def test_profiles_by_name(lint: Lint, write: Write) -> None:
    config = f"profiles:\n  beijing: {A10}\n  shanghai: profiles/shanghai.yaml\n"
    write({".gpuxlate.yaml": config, "profiles/shanghai.yaml": "target: alibaba-gpushare\n"})
    write({"a.yaml": SMALL_SHARE, "lone.yaml": A10})
    assert lint("a.yaml").codes == []  # no rule guesses a card
    assert lint("a.yaml", "--profile", "beijing").codes == ["ACK016"]
    assert lint("a.yaml", "--profile", "shanghai").codes == []
    assert lint("a.yaml", "--profile", "lone.yaml").codes == ["ACK016"]
    said = lint("a.yaml", "--profile", "bejing")
    assert (said.code, said.err) == (
        2,
        "error: there is no profile 'bejing' (did you mean beijing?)\n",
    )


def test_a_unit_that_only_a_profile_can_say(lint: Lint, write: Write) -> None:
    write(
        {
            "a.yaml": LARGE,
            "p.yaml": "target: alibaba-gpushare\nalibaba: {memoryUnitMiB: 1, openSource: true}\n",
        }
    )
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


@pytest.mark.parametrize(
    ("config", "said"),
    [
        ("ignroe: [GX007]\n", ['.gpuxlate.yaml: unknown field "ignroe"', "did you mean"]),
        ("fail-on: sometimes\n", [".gpuxlate.yaml: fail-on", "error, warning, info"]),
        ("select: GX007\n", [".gpuxlate.yaml: select", "list"]),
        ("- a\n", [".gpuxlate.yaml: "]),
        ("ignore: [\n", [".gpuxlate.yaml: invalid YAML: line 2, column 1: "]),
        ("select: [VKE12]\n", [".gpuxlate.yaml: select: no rule 'VKE12'", "help: did you mean VKE012?"]),
        ("ignore: [NOPE]\n", [".gpuxlate.yaml: ignore: no rule 'NOPE'"]),
        (
            "per-file-ignores: [{path: a, rules: [GX7], reason: b}]\n",
            [".gpuxlate.yaml: per-file-ignores[0].rules: no rule 'GX7'", "did you mean GX007?"],
        ),
        ("per-file-ignores: [{path: a, rules: [GX007]}]\n", [".gpuxlate.yaml: ", "reason"]),
        ("profiles: {a: {cards: {perNode: 0}}}\n", [".gpuxlate.yaml: ", "target", "perNode"]),
    ],
)
def test_errors_name_their_place(lint: Lint, write: Write, config: str, said: list[str]) -> None:
    write({".gpuxlate.yaml": config, "a.yaml": SUFFIX})
    done = lint("a.yaml", as_=None)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("error: ")
    for words in said:
        assert words in done.err


def test_errors_in_toml(lint: Lint, write: Write) -> None:
    write({"pyproject.toml": "[tool.gpuxlate]\nignore = [1]\n", "a.yaml": SUFFIX})
    done = lint("a.yaml", as_=None)
    assert done.code == 2
    assert "pyproject.toml: tool.gpuxlate.ignore[0]" in done.err


# --- a repository that somebody else wrote ---------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (".gpuxlate.yaml", "token: a-secret\n"),
        (".gpuxlate.yml", "a-secret\n"),
        ("pyproject.toml", "[tool.gpuxlate]\ntoken = 'a-secret'\n"),
    ],
)
def test_a_link_out_of_the_repository_is_not_read(
    lint: Lint, write: Write, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str, text: str
) -> None:
    write({"elsewhere/file": text, "repo/.git/HEAD": "", "repo/a.yaml": SUFFIX})
    (tmp_path / "repo" / name).symlink_to("../elsewhere/file")
    monkeypatch.chdir(tmp_path / "repo")
    done = lint("a.yaml")
    assert done.code == 2
    assert f"{name}: a link that leads out of its repository" in done.err
    assert "secret" not in done.err + done.out


def test_a_link_within_the_repository_is_followed(
    lint: Lint, write: Write, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    write({"repo/.git/HEAD": "", "repo/all.yaml": "ignore: [K8S002]\n", "repo/sub/a.yaml": SUFFIX})
    (tmp_path / "repo" / "sub" / ".gpuxlate.yaml").symlink_to("../all.yaml")
    monkeypatch.chdir(tmp_path / "repo" / "sub")
    assert lint("a.yaml").codes == []


def test_a_link_that_leads_nowhere_is_an_error(lint: Lint, write: Write, tmp_path: Path) -> None:
    write({"a.yaml": SUFFIX})
    (tmp_path / ".gpuxlate.yaml").symlink_to("nowhere")
    assert "it cannot be read: no such file" in lint("a.yaml").err
