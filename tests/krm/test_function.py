"""``gpuxlate krm`` by itself: lists in, lists out, and what is wrong with a configuration.

The texts of its errors, and what is no list at all: ``tests/errors/cases/08-krm.yaml``.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from gpuxlate.translation.krm import field_path, item_path
from tests.contrib.programs import in_tke
from tests.running import run


@dataclass(frozen=True)
class Said:
    """What a run said, and how it ended."""

    code: int
    out: str
    err: str

    @property
    def results(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = yaml.safe_load(self.out)["results"]
        return found


def krm(text: str, *arguments: str) -> Said:
    """``gpuxlate krm`` with a text on stdin."""
    done = run("krm", *arguments, stdin=text.encode())
    return Said(done.code, done.out.decode(), done.err.decode())


# what kpt sends: annotations of its own, comments where they were (memory off the 1 GiB grid of qGPU)
ITEMS = Path(__file__).with_name("list.yaml").read_text(encoding="utf-8")
IN_TKE = in_tke(ITEMS)


def config(spec: str) -> str:
    return f"functionConfig:\n  apiVersion: gpuxlate.io/v1alpha1\n  kind: Translate\n  spec: {spec}\n"


def config_map(data: str) -> str:
    return f"functionConfig:\n  apiVersion: v1\n  kind: ConfigMap\n  data: {data}\n"


def test_the_list_comes_back_with_the_gpu_lines_changed() -> None:
    by_map = config_map("{to: tke, round: up, drop: '', from: vke}")
    for configured in (config("{to: tencent-qgpu, round: up}"), by_map):
        said = krm(ITEMS + configured)
        assert said.code == 0
        assert said.out.startswith(IN_TKE + configured)
        assert [one["severity"] for one in said.results] == ["info"]
        assert "TKE001" in said.err
    fits = config("{to: tke}")
    # nothing to say adds nothing
    assert krm(ITEMS.replace("4000", "4096") + fits) == Said(0, IN_TKE + fits, "")


def test_a_refusal_gives_the_items_back() -> None:
    text = ITEMS + config("{to: tke}")
    said = krm(text)
    assert said.code == 1
    assert said.out.startswith(text + "results:\n")
    [one] = said.results
    assert one["severity"] == "error"
    assert one["message"].startswith("memoryMiB 4000 is not a multiple of 1024 MiB")
    web = {"apiVersion": "apps/v1", "kind": "Deployment", "namespace": "prod", "name": "web"}
    assert one["resourceRef"] == web
    limit = "spec.template.spec.containers[0].resources.limits.[vke.volcengine.com/mgpu-memory]"
    assert one["field"] == {"path": limit, "currentValue": "4000"}
    # of the two pairs of annotations the newer counts (functions specification, v1)
    assert one["file"] == {"path": "apps/web.yaml", "index": 2}
    assert one["tags"]["code"] == "TKE001"
    assert "Deployment web: memoryMiB 4000 is not a multiple of 1024 MiB" in said.err


def test_the_older_version_and_json() -> None:
    text = (ITEMS + config("{to: tke, round: up}")).replace("io/v1\nkind: Res", "io/v1beta1\nkind: Res")
    said = krm(json.dumps(yaml.safe_load(text)))
    assert said.code == 0
    back = json.loads(said.out)
    assert back["apiVersion"] == "config.kubernetes.io/v1beta1"
    limits = back["items"][0]["spec"]["template"]["spec"]["containers"][0]["resources"]["limits"]
    assert limits == {"tke.cloud.tencent.com/qgpu-core": "30", "tke.cloud.tencent.com/qgpu-memory": "4"}
    # results of functions before stay
    said = krm(text + "results:\n- message: before\n  severity: info\n")
    assert [one["message"].split()[0] for one in said.results] == ["before", "memoryMiB"]


def test_a_template_of_claims_is_another_item() -> None:
    said = krm(ITEMS + config("{to: dra-hami}"))
    assert said.code == 0, said.err
    kinds = [one["kind"] for one in yaml.safe_load(said.out)["items"]]
    assert kinds == ["Deployment", "ConfigMap", "ResourceClaimTemplate"]


def test_a_list_within_the_list() -> None:
    spec = "{containers: [{name: a, resources: {limits: {%s}}}]}"
    pod = f"{{apiVersion: v1, kind: Pod, metadata: {{name: p}}, spec: {spec}}}"
    item = pod % "vke.volcengine.com/mgpu-core: 30, vke.volcengine.com/mgpu-memory: 4000"
    head = "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\n"
    said = krm(f"{head}items:\n- apiVersion: v1\n  kind: List\n  items:\n  - {item}\n" + config("{to: tke}"))
    assert (said.code, said.results[0]["resourceRef"]["kind"]) == (1, "Pod")
    assert said.results[0]["field"]["path"].startswith("spec.containers[0].")


def test_options_reach_the_translation() -> None:
    items = ITEMS.replace("vke.volcengine.com/mgpu-core: 30", "aliyun.com/gpu-mem: 4").replace(
        "vke.volcengine.com/mgpu-memory: 4000", "cpu: 1"
    )
    assert krm(items + config("{to: vke}")).code == 1
    for filled in (config("{to: vke, fill: {cores: 30}}"), config_map("{to: vke, fill: 'cores=30'}")):
        said = krm(items + filled)
        assert said.code == 0
        assert "vke.volcengine.com/mgpu-memory: 4096" in said.out
    units = "profile: {target: ack, alibaba: {memoryUnitMiB: 128, isolation: share}}"
    said = krm(items + config(f"{{to: vke, fill: {{cores: 30}}, {units}}}"))
    assert "vke.volcengine.com/mgpu-memory: 512" in said.out


MORE = "invalid value 101 for fill cores: more than one card"
# the configuration, the field that is wrong in it, how the message begins
BAD = [
    ("", "", "the ResourceList has no functionConfig"),
    (config("{}"), "spec", "functionConfig names no target"),
    (config("{to: tkee}"), "spec.to", "unknown target 'tkee'"),
    (config("{to: emr-spark}"), "spec.to", "volcengine-emr-spark is not for manifests"),
    (config("{to: tke, form: x}"), "spec.form", "functionConfig has no field 'form'"),
    (config("{to: tke, round: down}"), "spec.round", "invalid value 'down' for round"),
    (config("{to: tke, drop: [memory]}"), "spec.drop", "invalid field 'memory' in drop"),
    (config("{to: tke, drop: 3}"), "spec.drop", "invalid value 3 for drop: not a list"),
    (config("{to: tke, fill: {cores: 101}}"), "spec.fill", MORE),
    (config("{to: tke, fill: {cores: 1.5}}"), "spec.fill", "invalid value 1.5 for fill cores"),
    (config("{to: tke, fill: cores=3}"), "spec.fill", "invalid value 'cores=3' for fill: not a mapping"),
    (config_map("{to: tke, fill: 'cores=x'}"), "data.fill", "invalid value 'cores=x' for fill"),
    (config_map("{to: tke, profile: 'a: ['}"), "data.profile", "invalid YAML in profile"),
    (config("{to: tke, profile: {target: tke, card: 1}}"), "spec.profile.card", ""),
    (config("{to: tke}").replace("Translate", "Rewrite"), "kind", "unknown kind Rewrite of functionConfig"),
    (config("{to: tke}").replace("v1alpha1", "v9"), "apiVersion", "unknown apiVersion gpuxlate.io/v9 of"),
]


@pytest.mark.parametrize(("configured", "where", "message"), BAD)
def test_a_bad_configuration(configured: str, where: str, message: str) -> None:
    said = krm(ITEMS + configured)
    assert said.code == 2
    assert said.out.startswith(ITEMS + configured)
    [one] = said.results
    assert one["message"].startswith(message)
    assert one.get("field", {}).get("path", "") == f"functionConfig.{where}".rstrip(".") or not where
    assert message in said.err


def test_what_is_no_list() -> None:
    """Nothing comes back, but for broken YAML, which comes back as it came."""
    two = krm("kind: ResourceList\n---\nkind: ResourceList\n")
    assert (two.code, two.out, "not one ResourceList" in two.err) == (1, "", True)
    broken = krm("kind: [\n")
    assert (broken.code, broken.out, "GX001" in broken.err) == (1, "kind: [\n", True)


# --- the older form of kustomize: resources on stdin, the configuration as a file ------------------

PLAIN = "".join(line[2:] + "\n" for line in ITEMS.splitlines()[4:24])


def test_as_an_exec_plug_in(tmp_path: Path) -> None:
    head = "apiVersion: gpuxlate.io/v1alpha1\nkind: Translate\nmetadata: {name: t}\n"
    for text, code, out, why in (
        (head + "spec: {to: tke}\n", 1, "", "memoryMiB 4000 is not a multiple"),
        (head + "spec: {to: tke, round: up}\n", 0, in_tke(PLAIN), "TKE001"),
        ("kind: Translate", 2, "", "functionConfig has no apiVersion"),
    ):
        (tmp_path / "config.yaml").write_text(text)
        said = krm(PLAIN, str(tmp_path / "config.yaml"))
        assert (said.code, said.out, why in said.err) == (code, out, True), said


def test_paths() -> None:
    assert item_path(("items", 3, "items", 0, "spec", "items", 1)) == ("items", 3, "items", 0)
    assert item_path(("functionConfig", "spec")) == ()
    assert field_path(("spec", "containers", 0, "a.b/c")) == "spec.containers[0].[a.b/c]"
