"""What the project writes for the three clouds is accepted by a real server."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from .server.cluster import Cluster

ROOT = Path(__file__).resolve().parents[2]
CLOUDS = ("volcengine-mgpu", "alibaba-gpushare", "tencent-qgpu")


def _known(text: str) -> str:
    """1.20 knows CronJob as batch/v1beta1 only; its fields are the same."""
    if re.search(r'^\s*"?kind"?: *"?CronJob', text, re.MULTILINE):
        return text.replace("batch/v1", "batch/v1beta1")
    return text


def _of_kubernetes(text: str) -> bool:
    """The server knows the kinds of Kubernetes itself: their groups have no domain but k8s.io."""
    versions = [document["apiVersion"] for document in yaml.safe_load_all(text) if document]
    groups = [version.rpartition("/")[0] for version in versions]
    return all("." not in group or group.endswith(".k8s.io") for group in groups)


def _accepts(cluster: Cluster, folder: Path, texts: dict[str, str]) -> None:
    """All texts, in one call: kubectl names the file of each that is refused."""
    for name, text in texts.items():
        (folder / name).write_text(_known(text))
        for document in yaml.safe_load_all(text):
            namespace = (document or {}).get("metadata", {}).get("namespace")
            if namespace:
                cluster.kubectl("create", "namespace", namespace, check=False)
    done = cluster.kubectl("create", "--dry-run=server", "-o", "name", "-f", str(folder), check=False)
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.split()) >= len(texts)


@pytest.mark.parametrize("cloud", CLOUDS)
def test_golden_files_are_accepted(cluster: Cluster, tmp_path: Path, cloud: str) -> None:
    golden = {
        f"{path.parent.parent.name}-{path.parent.name}{path.suffix}": path.read_text()
        for path in sorted((ROOT / "fixtures").glob(f"*/*/to-{cloud}.*"))
    }
    texts = {name: text for name, text in golden.items() if _of_kubernetes(text)}
    assert len(texts) > 10
    _accepts(cluster, tmp_path, texts)


def _rendered() -> Iterator[tuple[str, str, list[str]]]:
    for path in sorted((ROOT / "fixtures").glob("*/*/case.yaml")):
        spec = next(
            (path.parent / name for name in ("spec.yaml", "share.yaml") if (path.parent / name).exists()),
            None,
        )
        if spec is None or (path.parent / "input.yaml").exists():
            continue  # nothing that render reads
        for cloud, said in yaml.safe_load(path.read_text())["targets"].items():
            if cloud in CLOUDS and said["verdict"] != "refused":
                flags = said.get("flags", {})
                options = ["--to", cloud]
                options += ["--round", flags["round"]] if "round" in flags else []
                for name, value in flags.get("fill", {}).items():
                    options += ["--fill", f"{name}={value}"]
                options += ["--drop", ",".join(flags["drop"])] if "drop" in flags else []
                yield f"{path.parent.name}-{cloud}.yaml", str(spec), options


def test_what_render_writes_is_accepted(cluster: Cluster, tmp_path: Path) -> None:
    texts = {}
    for name, spec, options in _rendered():
        command = [sys.executable, "-c", "from gpuxlate.cli import main; main()", "render", spec, *options]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, (name, done.stderr)
        texts[name] = done.stdout
    assert len(texts) > 10
    _accepts(cluster, tmp_path, texts)
