"""What contrib/ holds for Argo CD, GitHub and GitLab: each script is run on what it will be fed."""

import json
import os
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml

from .programs import CONTRIB, Run, in_tke

POD = Path(__file__).with_name("pod.yaml").read_text(encoding="utf-8")
OFF_THE_GRID = POD.replace("4096", "4000")
SERVICE = "apiVersion: v1\nkind: Service\nmetadata: {name: web}\nspec: {ports: [{port: 80}]}\n"


def load(path: str) -> Any:
    return yaml.safe_load((CONTRIB / path).read_text(encoding="utf-8"))


# --- Argo CD -----------------------------------------------------------------------------------------

GENERATE = CONTRIB / "argocd" / "generate.sh"


@pytest.fixture
def application(tmp_path: Path) -> Path:
    folder = tmp_path / "app"
    (folder / "more").mkdir(parents=True)
    (folder / ".hidden").mkdir()
    (folder / ".hidden" / "no.yaml").write_text("a: [")
    (folder / "pod.yaml").write_text(OFF_THE_GRID)
    (folder / "more" / "service.yml").write_text(SERVICE)
    (folder / "README.md").write_text("a: [")
    return folder


TO = {"ARGOCD_ENV_GPUXLATE_TO": "tencent-qgpu"}


def test_argo_gets_manifests_and_nothing_else(run: Run, application: Path) -> None:
    done = run(GENERATE, cwd=application, ARGOCD_ENV_GPUXLATE_ROUND="up", **TO)
    assert done.returncode == 0, done.stderr
    found = [one for one in yaml.safe_load_all(done.stdout) if one]
    assert [one["kind"] for one in found] == ["Service", "Pod"]
    assert yaml.safe_load(in_tke(OFF_THE_GRID)) == found[1]


def test_argo_stops_at_a_refusal_and_not_at_an_empty_folder(run: Run, application: Path) -> None:
    done = run(GENERATE, cwd=application, **TO)
    assert (done.returncode, done.stdout) == (1, "")
    assert "TKE001" in done.stderr
    nowhere = run(GENERATE, cwd=application)
    assert (nowhere.returncode, nowhere.stdout) == (2, "")
    (application / "empty").mkdir()
    empty = run(GENERATE, cwd=application / "empty", **TO)
    assert (empty.returncode, empty.stdout, empty.stderr) == (0, "", "")


def test_argo_options_are_words_of_one_option_each(run: Run, application: Path) -> None:
    head = POD.partition("        vke.")[0]
    (application / "pod.yaml").write_text(f"{head}        aliyun.com/gpu-mem: 4\n")
    options = {"TO": "vke", "FILL": "cores=30", "DROP": "policy"}
    variables = {f"ARGOCD_ENV_GPUXLATE_{name}": value for name, value in options.items()}
    done = run(GENERATE, cwd=application, **variables)
    assert "vke.volcengine.com/mgpu-core: 30" in done.stdout
    sly = run(GENERATE, cwd=application, ARGOCD_ENV_GPUXLATE_ROUND="up --report=x", **TO)
    assert (sly.returncode, list(application.glob("x"))) == (2, [])


def test_argo_takes_what_another_tool_prints(run: Run, application: Path) -> None:
    (application / "kustomization.yaml").write_text("resources: [pod.yaml]\n")
    programs = application.parent / "bin"
    (programs / "kustomize").write_text('#!/bin/sh\n[ "$*" = "build ." ] && cat pod.yaml\n')
    (programs / "kustomize").chmod(0o755)
    done = run(GENERATE, cwd=application, ARGOCD_ENV_GPUXLATE_ROUND="up", **TO)
    assert done.stdout == in_tke(OFF_THE_GRID)
    said = run(GENERATE, cwd=application, GPUXLATE_SOURCE="cat more/service.yml", **TO)
    assert said.stdout == SERVICE
    failed = run(GENERATE, cwd=application, GPUXLATE_SOURCE="cat pod.yaml; exit 7", **TO)
    assert (failed.returncode, failed.stdout) == (7, "")


def test_the_plug_in_of_argo() -> None:
    """https://argo-cd.readthedocs.io, "Config Management Plugins": the file is no custom resource."""
    plugin = load("argocd/plugin.yaml")
    assert (plugin["apiVersion"], plugin["kind"]) == ("argoproj.io/v1alpha1", "ConfigManagementPlugin")
    [program] = plugin["spec"]["generate"]["command"]
    dockerfile = (CONTRIB / "argocd" / "Dockerfile").read_text()
    assert f"contrib/argocd/generate.sh {program}" in dockerfile
    assert "contrib/argocd/plugin.yaml /home/argocd/cmp-server/config/plugin.yaml" in dockerfile
    # with a version in the file, applications name the plug-in NAME-VERSION
    named = load("argocd/application.yaml")["spec"]["source"]["plugin"]
    assert named["name"] == f"{plugin['metadata']['name']}-{plugin['spec']['version']}"
    script = GENERATE.read_text()
    assert all(f"ARGOCD_ENV_{one['name']}" in script for one in named["env"])
    [sidecar] = load("argocd/repo-server-patch.yaml")["spec"]["template"]["spec"]["containers"]
    assert sidecar["command"] == ["/var/run/argocd/argocd-cmp-server"]
    assert sidecar["securityContext"]["runAsUser"] == 999


# --- GitHub ------------------------------------------------------------------------------------------

QUOTA = "kind: ResourceQuota\nspec: {hard: {requests.aliyun.com/gpu-mem: 8}}\n"
CHECK = CONTRIB / "github-action" / "check.sh"


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "repository"
    (folder / "deploy").mkdir(parents=True)
    (folder / "deploy" / "pod.yaml").write_text(POD.replace("4096", "4Gi"))
    (folder / "fine.yaml").write_text(OFF_THE_GRID)
    (folder / ".hidden").mkdir()
    (folder / ".hidden" / "quota.yaml").write_text(QUOTA)
    (folder / "my app").mkdir()
    (folder / "my app" / "pod.yaml").write_text(OFF_THE_GRID)
    return folder


LEFT = {"PATHS": ".hidden/quota.yaml", "TRANSLATE_TO": "tke"}
# the options, without their GPUXLATE_; the exit code; the codes that are reported; how many leftovers
ACTION: list[tuple[dict[str, str], int, list[str], int]] = [
    ({}, 1, ["K8S002"], 0),
    ({"PATHS": "deploy\nfine.yaml\n"}, 1, ["K8S002"], 0),
    ({"PATHS": "fine.yaml"}, 0, [], 0),
    ({"PATHS": "my app\nfine.yaml deploy"}, 1, ["K8S002"], 0),
    ({"PATHS": "deploy", "FAIL_ON": "never"}, 0, ["K8S002"], 0),
    ({"PATHS": "deploy", "ARGS": "--fail-on never"}, 0, ["K8S002"], 0),
    ({"PATHS": "deploy", "ARGS": "--fail-on info"}, 1, ["K8S002"], 0),
    ({"PATHS": "deploy", "ARGS": "--ignore K8S002"}, 0, [], 0),
    ({"PATHS": "fine.yaml", "TRANSLATE_TO": "tke"}, 1, [], 0),
    ({"PATHS": "fine.yaml", "TRANSLATE_TO": "ack"}, 1, [], 0),
    ({"PATHS": "fine.yaml", "TRANSLATE_TO": "vke"}, 0, [], 0),
    ({**LEFT, "TRANSLATE_ARGS": ""}, 1, ["GX014"], 1),
    ({**LEFT, "TRANSLATE_ARGS": "--allow-leftovers"}, 0, ["GX014"], 1),
]


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
@pytest.mark.parametrize(("options", "code", "codes", "left"), ACTION)
def test_the_action_reports_then_judges(
    run: Run, repository: Path, options: dict[str, str], code: int, codes: list[str], left: int
) -> None:
    out = repository / "output"
    variables = {f"GPUXLATE_{name}": value for name, value in options.items()}
    done = run(CHECK, cwd=repository, SARIF="found.sarif", GITHUB_OUTPUT=str(out), **variables)
    assert done.returncode == code, done.stderr
    sarif = json.loads((repository / "found.sarif").read_text())
    assert [one["ruleId"] for one in sarif["runs"][0]["results"]] == codes
    leftovers = f"leftovers={left}\n" if "TRANSLATE_TO" in options else ""
    assert out.read_text() == "sarif=found.sarif\n" + leftovers
    assert ("::error file=deploy/pod.yaml,line=12" in done.stdout) == ("K8S002" in codes)


def test_the_action_is_well_formed() -> None:
    """docs.github.com, "Metadata syntax": a composite action, every expression of something declared."""
    action = load("github-action/action.yml")
    assert {"name", "description", "inputs", "runs"} <= set(action)
    assert action["runs"]["using"] == "composite"
    for step in action["runs"]["steps"]:
        assert ("run" in step) != ("uses" in step)
        assert "run" not in step or step["shell"] == "bash"
        assert "uses" not in step or re.fullmatch(r"[\w/-]+@[0-9a-f]{40}", step["uses"])
    text = (CONTRIB / "github-action" / "action.yml").read_text()
    used = set(re.findall(r"inputs\.([a-z-]+)", text))
    assert used == set(action["inputs"])
    script = CHECK.read_text()
    [check] = [one for one in action["runs"]["steps"] if one.get("id") == "lint"]
    assert all(name in script for name in check["env"])
    assert os.access(CHECK, os.X_OK)


# --- GitLab ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("paths", ["deploy fine.yaml", "my app\nfine.yaml deploy", "my app"])
def test_the_gitlab_job(run: Run, repository: Path, paths: str) -> None:
    job = load("gitlab-ci/gpuxlate.gitlab-ci.yml")["gpuxlate"]
    variables = job["variables"] | {"GPUXLATE_PATHS": paths}
    done = run("sh", "-e", "-c", "\n".join(job["script"]), cwd=repository, **variables)
    assert done.returncode == int("deploy" in paths), done.stderr
    report = repository / job["artifacts"]["reports"]["codequality"]
    assert [one["check_name"] for one in json.loads(report.read_text())] == ["K8S002"] * done.returncode
    assert job["artifacts"]["when"] == "always"


@pytest.mark.parametrize(("package", "says"), [("a b.whl", "a b.whl"), ("", "a path or an address")])
def test_the_gitlab_job_installs_what_it_is_given(
    run: Run, repository: Path, package: str, says: str
) -> None:
    """Commands that YAML reads as mappings are in no shell; pip itself is not run here."""
    job = load("gitlab-ci/gpuxlate.gitlab-ci.yml")["gpuxlate"]
    script = "\n".join(job["before_script"]).replace("python -m pip", "echo")
    done = run("sh", "-e", "-c", script, cwd=repository, GPUXLATE_PACKAGE=package)
    assert (done.returncode == 0) == bool(package)
    assert says in done.stdout + done.stderr
