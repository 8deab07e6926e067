"""What a command loads: start-up is most of the time that a hook takes on one file."""

from __future__ import annotations

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
SHARE = """\
apiVersion: gpuxlate.io/v1alpha1
kind: GPUShare
metadata: {name: web}
spec: {cores: 30, memoryMiB: 4096}
"""


def loaded(folder: Path, *arguments: str, program: str = _PROGRAM) -> set[str]:
    """The modules that a run ends with. The run must succeed."""
    (folder / "pod.yaml").write_text(POD)
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
        *(f"gpuxlate.{name}" for name in ("cli", "cli.kubectl", "cluster", "cluster.server")),
    }
    assert not modules & {"typer", *HEAVY}


def test_nodes_loads_what_it_needs(tmp_path: Path) -> None:
    lists = {
        "/api/v1/nodes": Listed("v1", "Node", nodes.ALL),
        "/api/v1/pods": Listed("v1", "Pod", pods.ALL),
    }
    with FaultServer(lists) as server:
        (tmp_path / "kubeconfig").write_text(server.kubeconfig())
        modules = loaded(tmp_path, "nodes", "--kubeconfig", "kubeconfig", program=_PLUGIN)
    assert {"kubernetes.client", "gpuxlate.backends.tencent.backend"} <= modules
    rules = {name for name in modules if ".rules_" in name or name.startswith("gpuxlate.rules.")}
    assert {name for name in rules if ".predicates" not in name} <= {
        f"gpuxlate.rules.{name}"
        for name in ("base", "owners", "vocabulary", "products", "numerals", "translation")
    }
    assert not rules & {
        f"gpuxlate.rules.predicates.{name}" for name in ("cel", "schema", "fields", "numerals")
    }
    assert not modules & {
        "rich",
        *("gpuxlate.backends.requirements", "gpuxlate.lint", "gpuxlate.manifest.pods"),
        *("gpuxlate.yamltext.edit", "gpuxlate.report.summary", "gpuxlate.config.configuration"),
    }


def test_the_help_loads_no_command(tmp_path: Path) -> None:
    modules = loaded(tmp_path, "--help")
    assert "typer" in modules
    assert not modules & {
        "gpuxlate.cli.translate",
        "gpuxlate.cli.lint",
        "gpuxlate.backends.volcengine",
        *HEAVY,
    }


def test_lint_loads_nothing_for_fixes_and_profiles(tmp_path: Path) -> None:
    modules = loaded(tmp_path, "lint", "pod.yaml")
    assert "gpuxlate.manifest.pods" in modules
    assert not modules & {
        *(
            f"gpuxlate.manifest.{name}"
            for name in ("edit", "plan", "splice", "block", "flow", "writer", "style")
        ),
        "gpuxlate.config.configuration_models",
    }


MOST_MODULES = 211
"""Modules of gpuxlate that a hook loads to check one file: each takes its time on every commit."""


def test_lint_loads_few_modules(tmp_path: Path) -> None:
    ours = {name for name in loaded(tmp_path, "lint", "pod.yaml") if name.startswith("gpuxlate")}
    assert len(ours) <= MOST_MODULES
    assert not {name for name in ours if name.startswith(("gpuxlate.config.conf", "gpuxlate.planning"))}


def test_lint_of_one_file_starts_no_process(tmp_path: Path) -> None:
    assert not loaded(tmp_path, "lint", "pod.yaml") & {"multiprocessing", "concurrent.futures"}


@pytest.mark.parametrize("command", ["translate pod.yaml --to tke", "lint pod.yaml", "parse pod.yaml"])
def test_manifests_need_no_library_but_the_reader(tmp_path: Path, command: str) -> None:
    modules = loaded(tmp_path, *command.split())
    assert "yaml._yaml" in modules
    assert not modules & set(HEAVY)


def test_a_share_needs_pydantic_and_no_more(tmp_path: Path) -> None:
    modules = loaded(tmp_path, "render", "share.yaml", "--to", "tke")
    assert "pydantic" in modules
    assert not modules & {"jsonschema", "rich", "kubernetes", "asyncio"}


def test_what_writes_new_documents_is_loaded_where_one_is_written(tmp_path: Path) -> None:
    for command in (("lint", "pod.yaml"), ("translate", "pod.yaml", "--to", "tke")):
        assert "ruamel.yaml" not in loaded(tmp_path, *command)
    assert "ruamel.yaml" in loaded(tmp_path, "parse", "pod.yaml")


def test_one_command_does_not_load_the_others(tmp_path: Path) -> None:
    modules = loaded(tmp_path, "translate", "pod.yaml", "--to", "tke")
    assert not modules & {
        f"gpuxlate.cli.{name}" for name in ("lint", "parse", "compare", "explain", "schema")
    }
