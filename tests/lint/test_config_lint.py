"""The configuration as ``lint`` uses it: where it is found, what it says, and what is wrong with it."""

from contextlib import chdir
from pathlib import Path

import pytest

from tests.lint.conftest import Said, lint, pod, write

pytestmark = pytest.mark.usefixtures("folder")
SUFFIX = pod("aliyun.com/gpu-mem: 2Gi")  # K8S002, 11:29
LARGE = pod("aliyun.com/gpu-mem: 4096")  # GX007, 11:29, a warning
SMALL_SHARE = pod("aliyun.com/gpu-mem: 1")  # ACK016 with a profile of large cards
IGNORE = "ignore: [K8S002]\n"
A10 = "{target: alibaba-gpushare, cards: {model: A10, perNode: 4, memoryMiB: 22731}}"


def lint_in(folder: str, path: str = "a.yaml") -> Said:
    with chdir(folder):
        return lint(path)


# --- where it is found ----------------------------------------------------------------------------


def test_it_is_found_upwards() -> None:
    """Which of several, and how far up, is in tests/spec/test_config.py."""
    write({"yaml/.gpuxlate.yaml": IGNORE, "yaml/a/b/a.yaml": SUFFIX, "yml/.gpuxlate.yml": IGNORE})
    write({"yml/a.yaml": SUFFIX, "toml/pyproject.toml": "[tool.gpuxlate]\nignore = ['K8S002']\n"})
    write({"toml/a/a.yaml": SUFFIX})
    assert [lint_in(one).codes for one in ("yaml/a/b", "yml", "toml/a")] == [[], [], []]


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
def test_select_and_ignore(config: str, arguments: str, codes: str) -> None:
    write({".gpuxlate.yaml": config, "a.yaml": f"{SUFFIX}---\n{LARGE}"})
    assert lint("a.yaml", *arguments.split()).codes == codes.split()


def test_fail_on() -> None:
    cases = [("warning", "", 1), ("error", "", 0), ("never", "", 0)]
    for level, option, code in (*cases, ("warning", "error", 0), ("never", "info", 1)):
        write({".gpuxlate.yaml": f"fail-on: {level}\n", "a.yaml": LARGE})
        assert lint("a.yaml", *(["--fail-on", option] if option else [])).code == code, (level, option)


def test_profiles_by_name() -> None:
    config = f"profiles:\n  beijing: {A10}\n  shanghai: profiles/shanghai.yaml\n"
    write({".gpuxlate.yaml": config, "profiles/shanghai.yaml": "target: alibaba-gpushare\n"})
    write({"a.yaml": SMALL_SHARE, "lone.yaml": A10})
    assert lint("a.yaml").codes == []  # no rule guesses a card
    assert lint("a.yaml", "--profile", "beijing").codes == ["ACK016"]
    assert lint("a.yaml", "--profile", "shanghai").codes == []
    assert lint("a.yaml", "--profile", "lone.yaml").codes == ["ACK016"]


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


def test_per_file_ignores() -> None:
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
    assert lint_in("here", "one.yaml").codes == []
    assert lint_in("here", "../legacy").codes == ["GX007"]


def test_a_configured_ignore_that_matches_nothing() -> None:
    write({".gpuxlate.yaml": PER_FILE, "legacy/a.yaml": SUFFIX, "b.gen.yaml": LARGE})
    write({"here/one.yaml": pod("aliyun.com/gpu-mem: 8")})
    said = lint(".")
    assert said.findings == [".gpuxlate.yaml:6:15 GX009", ".gpuxlate.yaml:9:11 GX009"]
    first, second = said.diagnostics
    assert first["message"] == "ignore of VKE012 in *.gen.yaml matches no finding"
    assert second["message"] == "ignore of ALL in here/one.yaml matches no finding"
    assert (first["severity"], said.code) == ("warning", 0)
    assert lint("here/one.yaml").codes == ["GX009"]  # one file's ignore can be judged by that file
    assert lint("b.gen.yaml").codes == []
    assert lint(".", "--ignore", "GX009").codes == []
    assert lint(".", "--select", "K8S,GX009").codes == []  # the others were not looked for


def test_a_configured_ignore_in_toml() -> None:
    text = '[[tool.gpuxlate.per-file-ignores]]\npath = "a.yaml"\nrules = ["VKE"]\nreason = "none"\n'
    write({"pyproject.toml": text, "a.yaml": SUFFIX})
    assert lint("a.yaml").findings == ["a.yaml:11:29 K8S002", "pyproject.toml:None:None GX009"]
    assert "GX009" in lint("a.yaml", as_="text").out


def test_an_ignored_finding_in_a_file_is_not_fixed() -> None:
    write({".gpuxlate.yaml": PER_FILE, "legacy/a.yaml": SUFFIX, "b.yaml": SUFFIX})
    assert lint(".", "--fix", "--ignore", "GX009").code == 1
    assert Path("legacy/a.yaml").read_text() == SUFFIX
    assert Path("b.yaml").read_text() != SUFFIX


# --- what is wrong with it ------------------------------------------------------------------------


def test_errors_name_their_place() -> None:
    """Others are in tests/errors/cases/05-configuration.yaml and in tests/spec/test_config.py."""
    rules = "per-file-ignores: [{path: a, rules: [GX7], reason: b}]\n"
    for name, config, said in (
        (".gpuxlate.yaml", "select: [VKE12]\n", "select: no rule 'VKE12'\nhelp: did you mean VKE012?"),
        (".gpuxlate.yaml", rules, "per-file-ignores[0].rules: no rule 'GX7'\nhelp: did you mean GX007?"),
        ("pyproject.toml", "[tool.gpuxlate]\nignore = [1]\n", "tool.gpuxlate.ignore[0]"),
    ):
        write({name: config, "a.yaml": SUFFIX})
        done = lint("a.yaml", as_=None)
        assert (done.code, done.out) == (2, ""), config
        assert done.err.startswith("error: ")
        assert f"{name}: {said}" in done.err
        Path(name).unlink()


# --- a repository that somebody else wrote ---------------------------------------------------------


def test_a_link_out_of_the_repository_is_not_read() -> None:
    for name, text in (
        (".gpuxlate.yaml", "token: a-secret\n"),
        (".gpuxlate.yml", "a-secret\n"),
        ("pyproject.toml", "[tool.gpuxlate]\ntoken = 'a-secret'\n"),
    ):
        write({f"{name}/elsewhere": text, f"{name}/repo/.git/HEAD": "", f"{name}/repo/a.yaml": SUFFIX})
        Path(name, "repo", name).symlink_to("../elsewhere")
        done = lint_in(f"{name}/repo")
        assert done.code == 2
        assert f"{name}: a link that leads out of its repository" in done.err
        assert "secret" not in done.err + done.out


def test_other_links() -> None:
    """Within the repository a link is followed; one that leads nowhere is an error."""
    write({"repo/.git/HEAD": "", "repo/all.yaml": IGNORE, "repo/sub/a.yaml": SUFFIX})
    link = Path("repo/sub/.gpuxlate.yaml")
    link.symlink_to("../all.yaml")
    assert lint_in("repo/sub").codes == []
    link.unlink()
    link.symlink_to("nowhere")
    assert "it cannot be read: no such file" in lint_in("repo/sub").err
