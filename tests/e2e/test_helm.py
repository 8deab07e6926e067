"""Releases of Helm 3 on a real server: what the guide says of upgrades, rollbacks and reused values."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.contrib.helm import STUDIO, Helm, helm
from tests.contrib.programs import runner

from .server.cluster import Cluster

PAGE = Path(__file__).parents[2] / "docs" / "pipelines.md"
INSTALL = "helm upgrade --install web ./chart --post-renderer gpuxlate-post-renderer"
VKE = {"vke.volcengine.com/mgpu-core": "30", "vke.volcengine.com/mgpu-memory": "4096"}
TKE = {"tke.cloud.tencent.com/qgpu-core": "30", "tke.cloud.tencent.com/qgpu-memory": "4"}


class Release:
    """Helm in a namespace of its own, with ``./chart``."""

    def __init__(self, cluster: Cluster, one: Helm, chart: Path) -> None:
        self.cluster, self.helm, self.namespace = cluster, one, one.folder.name.lower().replace("_", "-")[:60]
        cluster.create([{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": self.namespace}}])
        shutil.copytree(chart, one.folder / "chart")

    def sh(self, command: str) -> subprocess.CompletedProcess[str]:
        kept = {"KUBECONFIG": str(self.cluster.kubeconfig_file()), "HELM_NAMESPACE": self.namespace}
        return self.helm.run("sh", "-c", command, HOME=str(self.helm.folder), **kept)

    def get(self, *what: str) -> Any:
        return json.loads(self.cluster.kubectl("get", *what, "-n", self.namespace, "-o", "json").stdout)

    def chat(self) -> dict[str, str]:
        [container] = self.get("deployment", "web-chat")["spec"]["template"]["spec"]["containers"]
        return {name: value for name, value in container["resources"]["limits"].items() if "/" in name}


def shown() -> str:
    """The command of the page, without the hook: nothing here would finish its Job."""
    page = PAGE.read_text(encoding="utf-8").replace("\\\n", "")
    [command] = [" ".join(line.split()) for line in page.splitlines() if line.startswith(INSTALL)]
    return f"{command} --no-hooks"


@pytest.fixture
def release(clean_cluster: Cluster, tmp_path: Path) -> Release:
    return Release(clean_cluster, helm(3, runner(tmp_path), tmp_path), STUDIO)


def test_a_release(release: Release) -> None:
    plain = release.sh("helm upgrade --install web ./chart --no-hooks")
    assert plain.returncode == 0, plain.stderr
    assert release.chat() == VKE

    moved = release.sh(shown())
    assert moved.returncode == 0, moved.stderr
    assert release.chat() == TKE
    batch = release.get("deployment", "web-batch")["spec"]["template"]
    assert "nodeAffinity" in batch["spec"]["affinity"]
    assert "annotations" not in batch["metadata"]

    # An upgrade without the option brings the source's keys back; a rollback applies what was stored.
    assert release.sh("helm upgrade web ./chart --no-hooks").returncode == 0
    assert release.chat() == VKE
    back = release.sh("helm rollback web 2 --no-hooks")
    assert back.returncode == 0, back.stderr
    assert release.chat() == TKE


def test_a_refusal_changes_nothing(release: Release) -> None:
    assert release.sh(shown()).returncode == 0
    refused = release.sh(f"{shown()} --set launcher.enabled=true --set chat.replicas=7")
    assert (refused.returncode, "GX026" in refused.stderr) == (1, True)
    assert release.get("deployment", "web-chat")["spec"]["replicas"] == 3
    assert len(json.loads(release.sh("helm history web -o json").stdout)) == 1


def test_reused_values_are_those_of_the_last_release(release: Release) -> None:
    assert release.sh("helm upgrade --install web ./chart --no-hooks").returncode == 0
    values = release.helm.folder / "chart" / "values.yaml"
    text = values.read_text(encoding="utf-8").replace("vke.volcengine.com/mgpu-core: 30", "x.example/gpu: 1")
    values.write_text(text.replace("      vke.volcengine.com/mgpu-memory: 4096  # measured\n", ""))
    assert release.sh("helm upgrade web ./chart --no-hooks --reuse-values").returncode == 0
    assert release.chat() == VKE
    assert release.sh("helm upgrade web ./chart --no-hooks --reset-values").returncode == 0
    assert release.chat() == {"x.example/gpu": "1"}
