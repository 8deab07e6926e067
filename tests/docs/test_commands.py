"""The commands that pages show without their output: each is run by a test, or there is a reason why not.

Those that no other test runs are run here, taken from the page.
"""

import itertools
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from textwrap import indent
from typing import Any

import pytest
import yaml

from docs.tools import markdown
from gpuxlate.cli.app import build_app

ROOT = Path(__file__).resolve().parents[2]
PAGES = {
    path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8")
    for path in (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md")))
    if "." not in path.stem
}
COMMANDS: dict[str, list[dict[str, Any]]] = yaml.safe_load(
    Path(__file__).with_name("commands.yaml").read_text(encoding="utf-8")
)
BROKEN = "apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec:\n  containers:\n  - name: web\n"
BROKEN += "    resources:\n      limits: {aliyun.com/gpu-mem: 2Gi}\n"


def blocks(page: str) -> list[str]:
    return [body for kind, body in markdown.blocks(PAGES[page]) if kind in ("sh", "bash", "shell")]


def lines(block: str) -> Iterator[str]:
    """The commands of a block: lines joined where they go on, comments left out."""
    for line in re.sub(r"\\\n\s*", "", block).splitlines():
        command = re.sub(r"\s+# .*$", "", line).strip()
        if command and not command.startswith("#"):
            yield command


# --- the table ----------------------------------------------------------------------------------


def test_every_command_is_in_the_table() -> None:
    shown = {page: sorted({command for block in blocks(page) for command in lines(block)}) for page in PAGES}
    listed = {page: sorted(one for row in rows for one in row["run"]) for page, rows in COMMANDS.items()}
    assert {page: found for page, found in shown.items() if found} == listed


def test_what_the_table_says_is_there() -> None:
    targets: set[str] = set()
    for row in itertools.chain.from_iterable(COMMANDS.values()):
        match row:
            case {"by": test}:
                file, _, name = test.partition("::")
                assert f"\ndef {name}(" in (ROOT / "tests" / file).read_text(encoding="utf-8"), test
            case {"own tests": True, "run": commands}:
                for command in commands:
                    named = [word for word in command.split() if word.startswith("tests")]
                    assert named, command
                    assert [one for one in named if not (ROOT / one).exists()] == []
            case {"make": runs, "run": commands}:
                assert runs
                targets |= {command.removeprefix("make ") for command in commands}
            case {"not": reason}:
                assert len(reason) > 20
            case _:
                pytest.fail(f"by, own tests, make or not: {row}")
    ran(ROOT, f"make --dry-run {' '.join(sorted(targets))}")


def test_the_page_of_the_plug_in_runs_its_live_blocks() -> None:
    from tests.e2e.pages import PAGES as LIVE

    live = {page for page, text in PAGES.items() if "console live" in dict(markdown.blocks(text))}
    assert live == set(LIVE)


# --- commands in running text -------------------------------------------------------------------


SPOKEN = re.compile(r"`((?:kubectl )?gpuxlate [a-z][^`|]*)`")
"""``gpuxlate ...`` in running text, with more than the name of a command."""


def test_what_is_spoken_of_exists(pages: Path) -> None:
    """The command is there, and has the options that are named: on pages that are kept, and generated."""
    texts = (*PAGES.values(), *(path.read_text(encoding="utf-8") for path in pages.rglob("*.md")))
    found = {code for text in texts for code in SPOKEN.findall(markdown.without_blocks(text))}
    assert len(found) > 50
    assert sorted(code for code in found if not exists(code)) == []


def exists(code: str) -> bool:
    words = code.removeprefix("kubectl ").split()[1:]
    application = build_app(live=code.startswith("kubectl"))
    if words[0] not in application.list_commands(None):
        return False
    command = application.commands[words[0]].command
    known = {name for one in command.params for name in (*one.opts, *one.secondary_opts)} | {"--help"}
    options = [word.partition("=")[0] for word in words[1:] if word.startswith("-") and word != "-"]
    return all(one in known for one in options)


# --- run from the page --------------------------------------------------------------------------


def run(folder: Path, command: str, **env: str) -> subprocess.CompletedProcess[str]:
    """A command as a user's shell runs it, with the programs of this environment."""
    hidden = ("GITHUB_ACTIONS", "FORCE_COLOR", "MAKEFLAGS", "MAKELEVEL")
    kept = {name: value for name, value in os.environ.items() if name not in hidden}
    kept["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), kept.get("PATH", os.defpath)])
    env = kept | {"NO_COLOR": "1", "HOME": str(folder)} | env
    how = {"capture_output": True, "text": True, "timeout": 120}
    return subprocess.run(["/bin/sh", "-c", command], cwd=folder, env=env, check=False, **how)


@pytest.mark.parametrize("columns", [80, 120])
def test_the_demo(columns: int) -> None:
    """The example on the three clouds, on one screen: nothing is found, nothing is cut off."""
    made = "make --silent --old-file=.venv/run.stamp demo"  # in the environment of the tests
    done = run(ROOT, f'{made} BIN="{Path(sys.executable).parent}"', COLUMNS=str(columns))
    assert (done.returncode, done.stderr) == (0, "")
    assert len(done.stdout.splitlines()) <= 60
    assert max(map(len, done.stdout.splitlines())) <= 120
    keys = {"vke.volcengine.com", "aliyun.com", "tke.cloud.tencent.com"}
    assert set(re.findall(r"\+ +(\w+\.[\w.]+)/", done.stdout)) == keys


def test_the_first_commands(tmp_path: Path) -> None:
    """Those of the first screen: beside manifests each prints its result, in an empty folder why there is
    none."""
    for command in lines(shown_with("README.md", "gpuxlate assess")):
        done = run(ROOT / "examples/kubectl", command)
        assert (done.returncode <= 1, bool(done.stdout)) == (True, True), command
        done = run(tmp_path, command)
        assert (done.returncode, done.stdout, done.stderr.splitlines()[0]) == (3, "", NO_FILE), command


NO_FILE = "error: .: no file ends in .yaml, .yml, .json"


def ran(folder: Path, command: str) -> str:
    """What it prints; it ends well."""
    done = run(folder, command)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A git repository with a wrong manifest, staged."""
    (tmp_path / "web.yaml").write_text(BROKEN)
    (tmp_path / "notes.yaml").write_text("a: [unclosed\n")
    ran(tmp_path, "git init --quiet . && git add web.yaml")
    return tmp_path


def shown_with(page: str, words: str) -> str:
    [block] = [one for one in blocks(page) if words in one]
    return block


def test_the_hook_without_pre_commit(repository: Path) -> None:
    hook = repository / ".git" / "hooks" / "pre-commit"
    hook.write_text(shown_with("docs/commit-hook.md", "git diff --cached"))
    hook.chmod(0o755)
    commit = "git -c user.name=a -c user.email=a@example.com commit --quiet -m one"
    done = run(repository, commit)
    said = done.stdout + done.stderr
    assert (done.returncode, "error[K8S002]" in said) == (1, True)
    assert "notes.yaml" not in said  # not in the commit
    (repository / "web.yaml").write_text(BROKEN.replace("2Gi", "2"))
    ran(repository, f"git add web.yaml && {commit}")
    ran(repository, f"{commit} --allow-empty")  # nothing for xargs


def test_a_whole_repository(repository: Path) -> None:
    assert "gpuxlate lint .\n" in shown_with("docs/commit-hook.md", "run --all-files")
    done = run(repository, "gpuxlate lint .")
    assert (done.returncode, "error[K8S002]" in done.stdout) == (1, True)


def test_pre_commit_installs_itself(repository: Path) -> None:
    [config] = [body for kind, body in markdown.blocks(PAGES["docs/commit-hook.md"]) if kind == "yaml"]
    assert [hook["id"] for hook in yaml.safe_load(config)["repos"][0]["hooks"]] == ["gpuxlate-lint"]
    (repository / ".pre-commit-config.yaml").write_text(config)
    ran(repository, "pre-commit install")
    assert (repository / ".git" / "hooks" / "pre-commit").is_file()


CONFIG = "{apiVersion: gpuxlate.io/v1alpha1, kind: Translate, metadata: {name: to-vke}, spec: SPEC}"
CONFIG = CONFIG.replace("SPEC", "{to: volcengine-mgpu, fill: {cores: 30}}")
LIST = "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nfunctionConfig: CONFIG\nitems:\n-\n"


@pytest.mark.parametrize(
    ("shown", "count", "command"),
    [
        ("kpt fn eval", 1, "./gpuxlate-krm < list.yaml"),
        ("kubectl kustomize", -1, "./gpuxlate.io/v1alpha1/translate/Translate translate.yaml < web.yaml"),
    ],
)
def test_the_scripts_for_krm(shown: str, count: int, command: str, tmp_path: Path) -> None:
    """The first lines of a block write a script."""
    pod = BROKEN.replace("2Gi", "2")
    given = {"web": pod, "translate": CONFIG, "list": LIST.replace("CONFIG", CONFIG) + indent(pod, "  ")}
    for name, text in given.items():
        (tmp_path / f"{name}.yaml").write_text(text)
    script = "\n".join([*lines(shown_with("docs/krm.md", shown))][:count])
    done = run(tmp_path, f"{script}\n{command}", KUSTOMIZE_PLUGIN_HOME=str(tmp_path))
    assert (done.returncode, "vke.volcengine.com/mgpu-memory: 2048" in done.stdout) == (0, True), done.stderr


@pytest.mark.skipif(shutil.which("kubectl") is None, reason="kubectl is not installed")
def test_kubectl_sees_the_plug_in(tmp_path: Path) -> None:
    done = run(tmp_path, "kubectl plugin list")
    assert f"{Path(sys.executable).parent}/kubectl-gpuxlate" in done.stdout, done.stderr
