"""Configuration and profiles: found, read, refused in people's words; and what they cost."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from gpuxlate.backends.alibaba import AlibabaProfile
from gpuxlate.config.configuration import (
    Config,
    ConfigError,
    PerFileIgnore,
    find_profile,
    load_config,
    load_profile,
    load_profile_file,
)
from gpuxlate.config.find import TwoFilesError, find_config
from gpuxlate.model.diagnostics import Diagnostic
from gpuxlate.model.pod import dotted
from gpuxlate.model.profile import CardProfile, Profile
from tests.schemas import validator


def read_yaml(text: str) -> object:
    try:
        return yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise ValueError(str(error)) from error


def put(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


# The contract's example, section 7.
PROFILE: dict[str, Any] = {
    "target": "alibaba-gpushare",
    "kubernetesVersion": "v1.28.9-aliyun.1",
    "nodeImage": "alinux3",
    "policy": "fixed-share",
    "cards": {"model": "A10", "perNode": 4, "memoryMiB": 22731},
    "components": {"mgpu": "0.6.1", "mgpuDriver": "0.07.35.23", "generalWebhook": "1.20.0", "qgpu": "1.1.1"},
    "alibaba": {"memoryUnitMiB": 1024, "isolation": "cgpu", "openSource": False},
}
FILES = "per-file-ignores:"

# --- finding ----------------------------------------------------------------------------------------


def test_found_upwards_from_folder_and_file(tmp_path: Path) -> None:
    for name in (".gpuxlate.yaml", ".gpuxlate.yml"):
        config = put(tmp_path / name[1:] / name, "")
        manifest = put(tmp_path / name[1:] / "a/b/deploy.yaml", "")
        assert find_config(manifest) == find_config(manifest.parent) == config


def test_nearest_wins_and_yaml_before_pyproject(tmp_path: Path) -> None:
    put(tmp_path / ".gpuxlate.yaml", "")
    pyproject = put(tmp_path / "a/pyproject.toml", "[tool.gpuxlate]\n")
    assert find_config(tmp_path / "a") == pyproject
    yml = put(tmp_path / "a/.gpuxlate.yml", "")
    assert find_config(tmp_path / "a") == yml
    put(tmp_path / "a/.gpuxlate.yaml", "")
    with pytest.raises(TwoFilesError, match=r"a has both \.gpuxlate\.yaml and \.gpuxlate\.yml"):
        find_config(tmp_path / "a")


def test_never_beyond_the_git_root(tmp_path: Path) -> None:
    put(tmp_path / ".gpuxlate.yaml", "")
    put(tmp_path / "worktree/.git", "gitdir: x")  # a file in a worktree and in a submodule
    put(tmp_path / "repository/.git/HEAD", "")
    for repository in (tmp_path / "worktree", tmp_path / "repository"):
        (repository / "deploy").mkdir()
        assert find_config(repository / "deploy") is None
        inside = put(repository / ".gpuxlate.yaml", "")
        assert find_config(repository / "deploy") == inside


def test_pyproject_counts_with_its_section(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    ours = ["[tool.gpuxlate]\nselect = ['VKE']\n", "tool.gpuxlate.fail-on = 'never'\n"]
    ours += ["[[tool.gpuxlate.per-file-ignores]]\n"]
    ours += ["[tool.gpuxlate]\nselect = \n"]  # broken, but ours: loading says what is wrong
    for text in ours:
        assert find_config(tmp_path) is None
        path = put(tmp_path / "pyproject.toml", text)
        assert find_config(tmp_path) == path
        path.unlink()
    for text in ("[project]\nname = 'gpuxlate'\n", "[tool.ruff]\n", "tool = 3 # gpuxlate\n", "[tool.ruff\n"):
        put(tmp_path / "pyproject.toml", text)
        assert find_config(tmp_path) is None, text


# --- loading ----------------------------------------------------------------------------------------

YAML_CONFIG = """
select: [VKE, GX]
ignore: [VKE025]
per-file-ignores: [{path: legacy/, rules: [VKE012, TKE], reason: frozen until June}]
fail-on: warning
profiles: {beijing: {target: vke, cards: {memoryMiB: 22731}}, hangzhou: profiles/ack.yaml}
"""

TOML_CONFIG = """
[tool.gpuxlate]
select = ["VKE", "GX"]
ignore = ["VKE025"]
fail-on = "warning"
per-file-ignores = [{ path = "legacy/", rules = ["VKE012", "TKE"], reason = "frozen until June" }]
profiles = { beijing = { target = "vke", cards = { memoryMiB = 22731 } }, hangzhou = "profiles/ack.yaml" }
"""


@pytest.mark.parametrize(("name", "text"), [(".gpuxlate.yaml", YAML_CONFIG), ("pyproject.toml", TOML_CONFIG)])
def test_whole_configuration(tmp_path: Path, name: str, text: str) -> None:
    path = put(tmp_path / name, text)
    if name == ".gpuxlate.yaml":
        validator("config").validate(read_yaml(text))
    beijing = Profile("vke", cards=CardProfile(memory_mib=22731))
    profiles: dict[str, Profile | Path] = {"beijing": beijing, "hangzhou": tmp_path / "profiles/ack.yaml"}
    ignores = (PerFileIgnore("legacy/", ("VKE012", "TKE"), "frozen until June"),)
    assert load_config(path, read_yaml) == Config(
        path, ("VKE", "GX"), ("VKE025",), ignores, "warning", profiles
    )


def test_empty_configuration_says_nothing(tmp_path: Path) -> None:
    for text in ("", "# nothing yet\n", "{}\n"):
        path = put(tmp_path / ".gpuxlate.yaml", text)
        assert load_config(path, read_yaml) == Config(path)


# (what, YAML, path, words of the message, words of the hint)
BAD_CONFIGS: list[tuple[str, str, str, str, str]] = [
    ("list", "[]", "", "the document is a list", "select, ignore, per-file-ignores, exclude, targets"),
    ("snake", "fail_on: never", "fail_on", "unknown field", "did you mean fail-on?"),
    ("typo", "ignores: [VKE]", "ignores", "unknown field", "did you mean ignore?"),
    ("text", "select: VKE", "select", "must be a list", "write select: [VKE]"),
    ("case", "select: [vke012]", "select[0]", "select[0]", "write VKE012."),
    ("number", "ignore: [5]", "ignore[0]", "ignore[0] is 5", 'write "5"'),
    ("price", "prices: {A10: cheap}", "prices.A10", "must be a number", "write A10: 10.5"),
    ("negative price", "prices: {A10: -1}", "prices.A10", "must be at least 0", "write A10: 10.5"),
    ("level", "fail-on: warn", "fail-on", "error, warning, info, never", "write fail-on: warning"),
    ("off", "fail-on: off", "fail-on", "is false", "write one of error"),
    ("mapping", "per-file-ignores: {a: [VKE]}", "per-file-ignores", "a list", "reason: frozen until June"),
    ("no reason", f"{FILES} [{{path: a, rules: [VKE]}}]", "per-file-ignores[0]",
     "per-file-ignores[0].reason is missing", "write reason: frozen until June"),
    ("blank reason", f"{FILES} [{{path: a, rules: [VKE], reason: ' '}}]", "per-file-ignores[0].reason",
     "not allowed", "write reason:"),
    ("no rules", f"{FILES} [{{path: a, rules: [], reason: b}}]", "per-file-ignores[0].rules",
     "is empty", "write rules: [VKE012]"),
    ("negation", f"{FILES} [{{path: '!a', rules: [VKE], reason: b}}]", "per-file-ignores[0].path",
     '"!a"', "gitignore pattern"),
    ("no profile", "profiles: {a: 5}", "profiles.a", "profiles.a is 5", "target"),
    ("no file", "profiles: {a: ''}", "profiles.a", 'profiles.a is ""', "fields target"),
    ("no name", "profiles: {'': a.yaml}", "profiles.", "a key of profiles is empty", "name"),
    ("no target", "profiles: {a: {}}", "profiles.a", "profiles.a.target is missing", "under profiles.a"),
    ("deep", "profiles: {a: {target: vke, cards: {per_node: 4}}}", "profiles.a.cards.per_node",
     '"per_node" in profiles.a.cards', "did you mean perNode?"),
]  # fmt: skip


def refused(load: Callable[[], object]) -> Diagnostic:
    """The one finding of what cannot be loaded."""
    with pytest.raises(ConfigError) as caught:
        load()
    [one] = caught.value.diagnostics
    return one


@pytest.mark.parametrize("row", BAD_CONFIGS, ids=lambda row: row[0])
def test_bad_configurations(tmp_path: Path, row: tuple[str, ...]) -> None:
    _, text, path, message, hint = row
    file = put(tmp_path / ".gpuxlate.yaml", text)
    one = refused(lambda: load_config(file, read_yaml))
    assert (dotted(one.path), one.file) == (path, str(file))
    assert (message in one.message, hint in (one.hint or "")) == (True, True)
    assert not validator("config").is_valid(read_yaml(text))


def test_all_problems_of_a_configuration_at_once(tmp_path: Path) -> None:
    text = "[tool.gpuxlate]\nselect = 'VKE'\nprofiles = {a = {}, b = {target = 3}}\n"
    with pytest.raises(ConfigError) as caught:
        load_config(put(tmp_path / "pyproject.toml", text), read_yaml)
    places = [dotted(one.path).removeprefix("tool.gpuxlate.") for one in caught.value.diagnostics]
    assert places == ["select", "profiles.a", "profiles.b.target"]
    assert len(str(caught.value).splitlines()) == 3
    assert "tool.gpuxlate.select" in str(caught.value)


# --- per-file-ignores -------------------------------------------------------------------------------


# https://git-scm.com/docs/gitignore, "Pattern format": pattern, the files that match, those that do not
PATTERNS: tuple[tuple[str, list[str], list[str]], ...] = (
    ("*.yaml", ["a/b.yaml"], ["a/b.yml", "../b.yaml"]),
    ("/b.yaml", ["b.yaml"], ["a/b.yaml"]),
    ("legacy/", ["legacy/a/b.yaml", "a/legacy/b.yaml"], ["legacy"]),
    ("a/*.yaml", ["a/b.yaml"], ["x/a/b.yaml"]),
    ("a/**/c.yaml", ["a/c.yaml", "a/b/b/c.yaml"], []),
    ("legacy", ["legacy/b.yaml"], []),
    ("b.yaml", ["a/../b.yaml"], []),
)


def test_gitignore_patterns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for pattern, matching, others in PATTERNS:
        entry = PerFileIgnore(pattern, ("VKE012",), "frozen")
        config = Config(tmp_path / ".gpuxlate.yaml", per_file_ignores=(entry,))
        for file in (*matching, *others):
            expected = (entry,) if file in matching else ()
            assert config.ignores_for(tmp_path / file) == expected, (pattern, file)
            assert config.ignores_for(Path(file)) == expected, (pattern, file)


def test_each_entry_that_matches_is_told() -> None:
    first, second, third = (PerFileIgnore(one, ("GX",), "why") for one in ("a/", "b/", "*.yaml"))
    config = Config(Path(".gpuxlate.yaml"), per_file_ignores=(first, second, third))
    assert config.ignores_for(Path("a/x.yaml")) == (first, third)


# --- profiles ---------------------------------------------------------------------------------------


def test_whole_profile() -> None:
    validator("profile").validate(PROFILE)
    head = ("alibaba-gpushare", "v1.28.9-aliyun.1", "alinux3", "fixed-share", CardProfile("A10", 4, 22731))
    own = AlibabaProfile(1024, "cgpu", False)
    assert load_profile(PROFILE) == Profile(*head, PROFILE["components"], (own,))


def test_only_the_target_is_needed() -> None:
    assert load_profile({"target": "my-cloud"}) == Profile("my-cloud")
    part = load_profile({"target": "ack", "alibaba": {"memoryUnitMiB": 128}})
    assert part.extensions == (AlibabaProfile(memory_unit_mib=128),)


# (what, profile, path, words of the message, words of the hint)
BAD_PROFILES: list[tuple[str, Any, str, str, str]] = [
    ("list", [], "", "must be a mapping", "target"),
    ("no target", {}, "", "target is missing", "write target:"),
    ("empty", {"target": ""}, "target", "target is empty", "write target:"),
    ("version", {"target": "vke", "kubernetesVersion": 1.30}, "kubernetesVersion", "is 1.3", "quotes"),
    ("component", {"target": "t", "components": {"qgpu": 1.1}}, "components.qgpu", "is 1.1", "quotes"),
    ("unit", {"target": "t", "alibaba": {"memoryUnitMiB": 0}}, "alibaba.memoryUnitMiB", "at least 1", "1024"),
    ("Gi", {"target": "t", "alibaba": {"memoryUnitMiB": "1Gi"}}, "alibaba.memoryUnitMiB", "1Gi", "MiB: 1024"),
    ("GiB", {"target": "t", "cards": {"memoryMiB": "24GiB"}}, "cards.memoryMiB", "24GiB", "MiB: 24576"),
    ("cards", {"target": "t", "cards": {"perNode": True}}, "cards.perNode", "is true", "write perNode: 4"),
    ("no", {"target": "t", "alibaba": {"openSource": "no"}}, "alibaba.openSource", "true or false", "false"),
    ("isolation", {"target": "t", "alibaba": {"isolation": "gpu"}}, "alibaba.isolation", "core_mem", "cgpu"),
    ("policy", {"target": "t", "policy": "native-burst-share"}, "policy", "one of", "policy: best-effort"),
    ("high", {"target": "t", "perNode": 4}, "perNode", "unknown field", "move perNode under cards"),
]  # fmt: skip


@pytest.mark.parametrize("row", BAD_PROFILES, ids=lambda row: row[0])
def test_bad_profiles(row: tuple[str, Any, str, str, str]) -> None:
    _, data, path, message, hint = row
    one = refused(lambda: load_profile(data))
    assert dotted(one.path) == path
    assert (message in one.message, hint in (one.hint or "")) == (True, True)
    assert not validator("profile").is_valid(data)


def test_profile_by_name_or_file(tmp_path: Path) -> None:
    file = put(tmp_path / "profiles/ack.yaml", "target: ack\n")
    config = load_config(put(tmp_path / ".gpuxlate.yaml", YAML_CONFIG), read_yaml)
    assert find_profile("beijing", config, read_yaml).target == "vke"
    assert find_profile("hangzhou", config, read_yaml).target == "ack"
    assert find_profile(str(file), config, read_yaml).target == "ack"
    assert find_profile(str(file), None, read_yaml) == load_profile_file(file, read_yaml, named=True)


def test_profiles_that_cannot_be_had(tmp_path: Path) -> None:
    config = load_config(put(tmp_path / ".gpuxlate.yaml", YAML_CONFIG), read_yaml)
    bad = put(tmp_path / "bad.yaml", "target: 3\n")
    for name, words in (
        ("bejing", "did you mean beijing"),
        ("zzz", "profiles: beijing, hangzhou"),
        ("hangzhou", r"ack\.yaml: it cannot be read: no such file"),
        (str(bad), r"bad\.yaml: target is 3"),
    ):
        with pytest.raises(ConfigError, match=words):
            find_profile(name, config, read_yaml)
    with pytest.raises(ConfigError, match="cannot be read"):
        load_profile_file(Path("a\0b"), read_yaml, named=True)
