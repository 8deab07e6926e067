"""What a command loads: start-up is most of the time that a hook takes on one file."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from .e2e import nodes, pods
from .e2e.fault_server import FaultServer
from .e2e.listed import Listed

HEAVY = ("pydantic", "jsonschema", "rich", "kubernetes", "asyncio", "email", "http")

_PROGRAM = """
import atexit, json, sys
atexit.register(lambda: print(json.dumps(sorted(sys.modules)), file=sys.__stderr__))
sys.argv[0] = "gpuxlate"
from gpuxlate.cli import main
main()
"""
_PLUGIN = _PROGRAM.replace('gpuxlate"', 'kubectl-gpuxlate"').replace("gpuxlate.cli", "gpuxlate.cli.kubectl")

POD = """\
apiVersion: v1
kind: Pod
metadata: {name: web}
spec:
  containers:
  - name: web
    resources:
      limits: {vke.volcengine.com/mgpu-core: 30, vke.volcengine.com/mgpu-memory: 4096}
"""
PLAIN = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec: {template: {spec: {containers: [{name: web, image: example.com/web, resources: {limits: {cpu: 1}}}]}}}
"""
SHARE = """\
apiVersion: gpuxlate.io/v1alpha1
kind: GPUShare
metadata: {name: web}
spec: {cores: 30, memoryMiB: 4096}
"""


def loaded(folder: Path, *arguments: str, program: str = _PROGRAM) -> set[str]:
    """The modules that a run ends with. The run must succeed."""
    (folder / "pod.yaml").write_text(POD)
    (folder / "plain.yaml").write_text(PLAIN)
    (folder / "share.yaml").write_text(SHARE)
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout
    return set(json.loads(done.stderr.splitlines()[-1]))


@pytest.mark.parametrize("program", [_PROGRAM, _PLUGIN], ids=["gpuxlate", "kubectl-gpuxlate"])
def test_the_version_loads_nothing(tmp_path: Path, program: str) -> None:
    modules = loaded(tmp_path, "--version", program=program)
    assert {m for m in modules if m.startswith("gpuxlate.")} <= {
        *(f"gpuxlate.{name}" for name in ("cli", "cli.kubectl", "cli.terminal", "cluster", "cluster.server")),
    }
    assert not modules & {"typer", *HEAVY}


def test_nodes_loads_what_it_needs(tmp_path: Path) -> None:
    served = {"nodes": Listed("v1", "Node", nodes.ALL), "pods": Listed("v1", "Pod", pods.ALL)}
    with FaultServer({f"/api/v1/{name}": one for name, one in served.items()}) as server:
        (tmp_path / "kubeconfig").write_text(server.kubeconfig())
        modules = loaded(tmp_path, "nodes", "--kubeconfig", "kubeconfig", program=_PLUGIN)
    assert {"kubernetes.client", "gpuxlate.backends.tencent"} <= modules
    rules = {name for name in modules if ".rules_" in name or name.startswith("gpuxlate.rules.")}
    assert {name for name in rules if ".predicates" not in name} <= {
        f"gpuxlate.rules.{name}"
        for name in [
            "base",
            "catalog",
            "key_index",
            "unsupported_products",
            "number_format",
            "translation",
            "releases",
        ]
    }
    assert not rules & {f"gpuxlate.rules.predicates.{name}" for name in ("cel", "schema")}
    assert not modules & {
        "rich",
        *("gpuxlate.lint", "gpuxlate.manifest.pods"),
        *("gpuxlate.yamltext.edit", "gpuxlate.report.summary", "gpuxlate.config.configuration"),
    }


MOST_MODULES = 128
"""Modules of gpuxlate that a hook loads to check one file: each takes its time on every commit."""


def of(parent: str, names: str) -> set[str]:
    return {f"gpuxlate.{parent}{name}" for name in names.split()}


TRANSLATE = "translate pod.yaml --to tke"
BESIDE_PODS = {*of("", "claims manifest.quotas translation.claims translation.quotas translation.overlays")}
"""What a pod by itself does not need."""
# the command, what it loads, and what it does not
LOADED: dict[str, tuple[set[str], set[str]]] = {
    "--help": ({"typer"}, {*of("cli.", "translate lint"), "gpuxlate.backends.volcengine", *HEAVY}),
    # nothing for fixes and profiles, no process for one file, and nothing that writes new documents
    "lint pod.yaml": (
        {"gpuxlate.manifest.pods", "yaml._yaml"},
        {*of("yamltext.", "edit writer"), *of("config.", "models"), *BESIDE_PODS}
        | {"multiprocessing", "concurrent.futures", "ruamel.yaml", *HEAVY},
    ),
    # a text without GPU words needs YAML alone: no target, no rule
    "lint plain.yaml": (
        {"yaml._yaml"},
        {*of("backends.", "base registry"), *of("rules", " .base .source"), "gpuxlate.lint.check", *HEAVY},
    ),
    TRANSLATE: (
        {"yaml._yaml"},
        {*of("cli.", "lint parse compare explain schema"), "ruamel.yaml", *BESIDE_PODS, *HEAVY},
    ),
    "parse pod.yaml": ({"yaml._yaml", "ruamel.yaml"}, {*HEAVY}),
    # a share needs pydantic and no more
    "render share.yaml --to tke": ({"pydantic"}, {"jsonschema", "rich", "kubernetes", "asyncio"}),
}


@pytest.mark.parametrize("command", LOADED)
def test_a_command_loads_what_it_needs(tmp_path: Path, command: str) -> None:
    wanted, unwanted = LOADED[command]
    modules = loaded(tmp_path, *command.split())
    assert wanted <= modules
    assert modules & unwanted == set()
    if command == "lint pod.yaml":
        ours = {name for name in modules if name.startswith("gpuxlate")}
        assert len(ours) <= MOST_MODULES
        assert not {name for name in ours if name.startswith(("gpuxlate.config.conf", "gpuxlate.planning"))}
