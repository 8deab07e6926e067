"""The hooks, with the real pre-commit on a real git repository.

pre-commit clones the hooks' repository and installs it with pip, so this needs a package registry;
where pip cannot reach one, the tests are skipped.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.lint.conftest import pod

pytestmark = pytest.mark.full
ROOT = Path(__file__).parents[2]
CACHES = shutil.ignore_patterns("__pycache__", ".mypy_cache")
PACKAGE = ["gpuxlate", "schemas", "pyproject.toml", "hatch_build.py", "README.md", "LICENSE"]
KEY = "aliyun.com/gpu-mem"
NO_REGISTRY = re.compile(
    "Could not find a version|No matching distribution|Connection|Temporary failure|Network is unreachable"
    "|Max retries|Name or service not known|Read timed out",
)

# one file for each kind of file: what is committed, where it is found, what is left of it after gpuxlate-fix
FILES: dict[str, tuple[str, str, str | None]] = {
    "suffix.yaml": (pod(f"{KEY}: 2Gi  # MiB?"), "11:29 K8S002", pod(f"{KEY}: 2  # MiB?")),
    "fraction.yaml": (pod("aliyun.com/gpu-mem: 5.5"), "11:29 K8S001", None),
    "requests.yml": (
        *(pod(f"{KEY}: 4", requests=f"{KEY}: 2"), "13:29 K8S003", pod(f"{KEY}: 4", requests=f"{KEY}: 4")),
    ),
    "two-vendors.json": (
        '{"apiVersion": "v1", "kind": "Pod", "spec": {"containers": [{"name": "a", "resources": {"limits":\n'
        '  {"aliyun.com/gpu-mem": 4, "nvidia.com/gpu": 1}}}]}}\n',
        "2:29 K8S007",
        None,
    ),
    "broken.yaml": ("spec: {limits: {aliyun.com/gpu-mem: 4}\n", "2:1 GX001", None),
    "web.gpushare.yaml": (
        "apiVersion: gpuxlate.io/v1alpha1\nkind: GPUShare\nmetadata: {name: web}\n"
        "spec: {cards: 2, cores: 75}\n",
        "4:25 GX011",
        None,
    ),
}
CLEAN = {
    "empty.yaml": "",
    "tsconfig.json": '{\n  // comments, which JSON does not have\n  "a": "b" // c\n}\n',
    "latin.txt": "aliyun.com/gpu-mem: 2Gi\n",
    "service.yaml": "apiVersion: v1\nkind: Service\nmetadata: {name: web}\n",
    "chart/Chart.yaml": "name: chart\nversion: 0.1.0\n",
    "chart/templates/pod.yaml": "aliyun.com/gpu-mem: {{ .Values.memory }}\n{{- if }}\n",
}
HOOKS = ("gpuxlate-lint", "gpuxlate-fix", "gpuxlate-spec")


class Repository(NamedTuple):
    """A git repository that uses the hooks, and how to call what is installed."""

    folder: Path
    environment: dict[str, str]

    def run(self, *command: str) -> subprocess.CompletedProcess[str]:
        options: dict[str, Any] = {"cwd": self.folder, "env": self.environment, "capture_output": True}
        return subprocess.run(command, **options, text=True, check=False)

    def hook(self, name: str, *files: str) -> subprocess.CompletedProcess[str]:
        chosen = ["--files", *files] if files else ["--all-files"]
        pre_commit = (sys.executable, "-m", "pre_commit", "run", name)
        return self.run(*pre_commit, "--color", "never", "--verbose", *chosen)

    def git(self, *arguments: str) -> str:
        done = self.run("git", *arguments)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    def committed(self, message: str) -> str:
        """The revision of what is in the folder."""
        for command in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", message]):
            self.git(*command)
        return self.git("rev-parse", "HEAD")


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    pytest.importorskip("pre_commit", reason="pre-commit is not installed")
    if shutil.which("git") is None:
        pytest.skip("git is not installed")
    base = tmp_path_factory.mktemp("pre-commit")
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith(("GIT_", "PRE_COMMIT"))},
        "PRE_COMMIT_HOME": str(base / "home"),
        "VIRTUALENV_OVERRIDE_APP_DATA": str(base / "virtualenv"),
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        **{f"GIT_{who}_NAME": "a@example.com" for who in ("AUTHOR", "COMMITTER")},
        **{f"GIT_{who}_EMAIL": "a@example.com" for who in ("AUTHOR", "COMMITTER")},
    }
    hooks, user = Repository(base / "hooks", environment), Repository(base / "user", environment)
    hooks.folder.mkdir()
    for name in (*PACKAGE, ".pre-commit-hooks.yaml"):
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, hooks.folder / name, ignore=CACHES)
        else:
            shutil.copy(ROOT / name, hooks.folder / name)
    revision = hooks.committed("hooks")
    listed = "".join(f"  - id: {name}\n" for name in HOOKS)
    config = f"repos:\n- repo: {hooks.folder}\n  rev: {revision}\n  hooks:\n{listed}"
    texts = {name: text for name, (text, _, _) in FILES.items()}
    for name, content in {".pre-commit-config.yaml": config, **texts, **CLEAN}.items():
        (user.folder / name).parent.mkdir(parents=True, exist_ok=True)
        (user.folder / name).write_text(content)
    user.committed("manifests")
    installed = user.run(sys.executable, "-m", "pre_commit", "install-hooks")
    if installed.returncode and NO_REGISTRY.search(installed.stdout + installed.stderr):
        pytest.skip("pip cannot reach a package registry to install the hooks' environment")
    assert installed.returncode == 0, installed.stdout + installed.stderr
    return user


def findings(text: str) -> set[str]:
    """``file:line:column CODE`` of what lint says as text."""
    return {f"{place} {code}" for code, place in re.findall(r"^\w+\[(\w+)\]: .*\n +--> (\S+)$", text, re.M)}


def test_the_hooks(repository: Repository) -> None:
    """One test, so that the hooks are installed once however the tests are spread over processes."""
    # lint names each mistake at its place, and changes nothing
    done = repository.hook("gpuxlate-lint")
    template = "chart/templates/pod.yaml GX012"
    assert done.returncode == 1
    assert findings(done.stdout) == {template, *(f"{name}:{place}" for name, (_, place, _) in FILES.items())}
    assert repository.git("status", "--porcelain") == ""
    clean = repository.hook("gpuxlate-lint", *CLEAN)
    assert (clean.returncode, "Passed" in clean.stdout) == (0, True)
    # spec looks at share documents alone
    spec = repository.hook("gpuxlate-spec")
    assert (spec.returncode, findings(spec.stdout)) == (1, {"web.gpushare.yaml:4:25 GX011"})
    # fix mends and fails once, then passes
    mended = {name: text for name, (_, _, text) in FILES.items() if text is not None}
    first = repository.hook("gpuxlate-fix", *mended)
    assert first.returncode == 1
    assert "files were modified by this hook" in first.stdout
    assert {name: (repository.folder / name).read_text() for name in mended} == mended
    assert sorted(repository.git("diff", "--name-only").splitlines()) == sorted(mended)
    second = repository.hook("gpuxlate-fix", *mended)
    assert (second.returncode, "Passed" in second.stdout) == (0, True)
    left = repository.hook("gpuxlate-fix")  # what cannot be mended still fails, and stays as it is
    assert left.returncode == 1
    unmended = {f"{name}:{place}" for name, (_, place, text) in FILES.items() if text is None}
    assert findings(left.stdout) == {template, *unmended}
    repository.git("checkout", "-q", ".")
    # they need neither the extra for clusters nor the network
    python = str(next((repository.folder.parent / "home").glob("repo*/py_env-*/bin/python")))
    code = "import importlib.util as u; print(u.find_spec('gpuxlate') is not None, u.find_spec('kubernetes'))"
    assert subprocess.check_output([python, "-c", code], cwd=repository.folder, text=True) == "True None\n"
    offline = (
        "import socket, sys\n"
        "def refused(*_: object, **__: object) -> None: raise OSError('no network here')\n"
        "socket.socket.connect = refused; socket.getaddrinfo = refused\n"
        "from gpuxlate.cli import main\n"
        "sys.argv[0] = 'gpuxlate'; main(['lint', '.', '--allow-empty', '--statistics'])\n"
    )
    alone = subprocess.run([python, "-c", offline], cwd=repository.folder, capture_output=True, text=True)
    assert (alone.returncode, alone.stderr, "K8S002" in alone.stdout) == (1, "", True)
