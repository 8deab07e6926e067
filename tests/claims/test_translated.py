"""Shares to claims and back: documents that are added beside a workload, and removed again."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

import gpuxlate
from gpuxlate.cli.common import Exit
from tests.running import run
from tests.test_kubernetes_schemas import refusal

DEPLOYMENT = """\
apiVersion: apps/v1
kind: Deployment
metadata:
  name: bert-serving
  namespace: ml
spec:
  replicas: 2
  selector: {matchLabels: {app: bert}}
  template:
    metadata:
      labels: {app: bert}
    spec:
      # two containers on shares
      containers:
        - name: server
          image: bert:1
          resources:
            limits:
              cpu: 2
              nvidia.com/gpu: 1
              nvidia.com/gpumem: 4096
              nvidia.com/gpucores: 30
        - name: side
          image: side:1
          resources:
            limits:
              nvidia.com/gpu: 2
              nvidia.com/gpumem: 3000
"""
SERVICE = "---\napiVersion: v1\nkind: Service\nmetadata: {name: bert}\n"
DRA = {"nvidiaConsumableShares": "memory", "consumableCapacity": True}
PROFILE = {"target": "dra-nvidia", "dra": DRA}
SPREAD = [{"requests": ["gpu"], "distinctAttribute": "hami-core-gpu.project-hami.io/uuid"}]


def listed(text: str) -> str:
    return json.dumps({"apiVersion": "v1", "kind": "List", "items": list(yaml.safe_load_all(text))}, indent=2)


FORMS: dict[str, Callable[[str], str]] = {
    "alone": str,
    "before another document": lambda text: text + SERVICE,
    "behind another document": lambda text: SERVICE.removeprefix("---\n") + "---\n" + text,
    "with a marker": lambda text: f"---\n{text}...\n",
    "without a last line break": lambda text: text.rstrip("\n"),
    "with Windows line breaks": lambda text: (text + SERVICE).replace("\n", "\r\n"),
    "with Windows line breaks, not the last": lambda text: text.rstrip("\n").replace("\n", "\r\n"),
    "a byte order mark": lambda text: f"\ufeff{text}",
    "a list in JSON": listed,
    "a list in YAML": lambda text: yaml.safe_dump(json.loads(listed(text)), sort_keys=False),
}


@pytest.mark.parametrize("form", FORMS)
def test_there_and_back(form: str) -> None:
    """Byte for byte."""
    text = FORMS[form](DEPLOYMENT)
    there = gpuxlate.translate(text, "dra-hami")
    assert "nvidia.com/" not in there.text
    found = [item for one in there.objects for item in one.get("items", [one])]
    names = [one["metadata"] for one in found if one["kind"] == "ResourceClaimTemplate"]
    assert names == [{"name": f"bert-serving-gpu-{name}", "namespace": "ml"} for name in ("server", "side")]
    assert gpuxlate.translate(there.text, "hami").text == text


def test_the_example() -> None:
    """The command of docs/dra.md."""
    path = "examples/claims/deployment.yaml"
    there = run("translate", path, "--to", "dra-hami")
    assert run("translate", "-", "--to", "hami", stdin=there.out).out == Path(path).read_bytes()


def requested(driver: str = "hami-core-gpu.project-hami.io", **fields: Any) -> dict[str, Any]:
    return {"name": "gpu", "exactly": {"deviceClassName": driver, **fields}}


def capacity(**amounts: str) -> dict[str, Any]:
    return {"requests": amounts}


def test_what_is_written() -> None:
    made = gpuxlate.translate(DEPLOYMENT, "dra-hami").objects
    pod = made[0]["spec"]["template"]["spec"]
    named = {one["name"]: one["resourceClaimTemplateName"] for one in pod["resourceClaims"]}
    assert named == {"gpu-server": "bert-serving-gpu-server", "gpu-side": "bert-serving-gpu-side"}
    assert [sorted(one) for one in pod["resourceClaims"]] == [["name", "resourceClaimTemplateName"]] * 2
    server, side = [one["resources"] for one in pod["containers"]]
    assert server == {"limits": {"cpu": 2}, "claims": [{"name": "gpu-server"}]}
    assert side == {"claims": [{"name": "gpu-side"}]}
    first, second = [one["spec"]["spec"]["devices"] for one in made[1:]]
    assert first == {"requests": [requested(capacity=capacity(cores="30", memory="4096Mi"))]}
    of_side = requested(count=2, capacity=capacity(cores="0", memory="3000Mi"))
    assert second == {"requests": [of_side], "constraints": SPREAD}


SCHEMAS = {"v1": ("1.34", "1.35", "1.36", "1.37"), "v1beta2": ("1.34", "1.35"), "v1beta1": ("1.34", "1.35")}


@pytest.mark.parametrize("version", SCHEMAS)
@pytest.mark.parametrize("target", ["dra-hami", "dra-nvidia"])
def test_versions(target: str, version: str) -> None:
    """The version of the profile is written, and every version is read.

    The schemas of Kubernetes take it, strictly: ``v1`` and ``v1beta1`` refuse each other's form.
    """
    profile = {"target": target, "dra": {**DRA, "version": version}}
    there = gpuxlate.translate(DEPLOYMENT, target, drop=["cores"], profile=profile)
    deployment, template, other = there.objects
    assert {template["apiVersion"], other["apiVersion"]} == {f"resource.k8s.io/{version}"}
    [request] = template["spec"]["spec"]["devices"]["requests"]
    assert ("deviceClassName" in request) == (version == "v1beta1")
    if target == "dra-hami":
        assert gpuxlate.translate(there.text, "hami").text == DEPLOYMENT
    for release in SCHEMAS[version]:
        assert [refusal(one, release) for one in (deployment, template, other)] == [None] * 3
    wrong = "v1beta1" if version != "v1beta1" else "v1"
    assert refusal({**template, "apiVersion": f"resource.k8s.io/{wrong}"}, "1.34") is not None


def test_between_drivers() -> None:
    """The templates of one driver make place for those of the other, under the same names."""
    claims = gpuxlate.translate(DEPLOYMENT + SERVICE, "dra-hami").text
    made = gpuxlate.translate(claims, "dra-nvidia", drop=["cores"], profile=PROFILE)
    assert [one["kind"] for one in made.objects] == ["Deployment", *["ResourceClaimTemplate"] * 2, "Service"]
    requests = [one["spec"]["spec"]["devices"]["requests"] for one in made.objects[1:3]]
    first = requested("gpu.nvidia.com", capacity=capacity(memory="4096Mi"))
    assert requests == [[first], [requested("gpu.nvidia.com", count=2, capacity=capacity(memory="3000Mi"))]]
    assert {one.code for one in made.diagnostics} == {"GX015", "GX020"}


def test_whole_cards() -> None:
    """Without capacity a claim has whole cards, which no constraint keeps apart."""
    text = DEPLOYMENT.replace("              nvidia.com/gpumem: 3000\n", "")
    devices = gpuxlate.translate(text, "dra-hami", from_="hami").objects[2]["spec"]["spec"]["devices"]
    assert devices == {"requests": [requested(count=2)]}


PARTITIONS = """\
apiVersion: v1
kind: Pod
metadata: {name: web}
spec:
  containers:
    - name: web
      image: web
      resources:
        limits:
          nvidia.com/mig-%s
"""
BY_PROFILE = """device.attributes['gpu.nvidia.com'] . profile == '1g.10gb'"""
OF_PROFILES: list[tuple[str, str, dict[str, int]]] = [
    ("1g.10gb: 1", "1g.10gb", {}),
    ("3g.20gb: 2", "3g.20gb", {"count": 2}),
    ("1g.5gb.me: 1", "1g.5gb+me", {}),
]


@pytest.mark.parametrize(("resource", "profile", "more"), OF_PROFILES)
def test_partitions(resource: str, profile: str, more: dict[str, int]) -> None:
    """Devices of the class of partitions, by the attribute with their profile, and back byte for byte."""
    text = PARTITIONS % resource
    there = gpuxlate.translate(text, "dra-nvidia")
    [request] = there.objects[1]["spec"]["spec"]["devices"]["requests"]
    expression = f'device.attributes["gpu.nvidia.com"].profile == "{profile}"'
    selectors = [{"cel": {"expression": expression}}]
    assert request["exactly"] == {"deviceClassName": "mig.nvidia.com", **more, "selectors": selectors}
    assert refusal(there.objects[1], "1.37") is None
    assert gpuxlate.translate(there.text, "nvidia-mig").text == text


def test_a_partition_that_the_cards_have_not() -> None:
    profile = {"target": "dra-nvidia", "cards": {"model": "A100-40GB", "perNode": 1}}
    for resource, code in (("1g.12gb: 1", "NVIDIA003"), ("3g.20gb: 3", "NVIDIA005")):
        with pytest.raises(gpuxlate.Refused) as error:
            gpuxlate.translate(PARTITIONS % resource, "dra-nvidia", profile=profile)
        assert [one.code for one in error.value.diagnostics if one.severity == "error"] == [code]
    assert gpuxlate.translate(PARTITIONS % "3g.20gb: 2", "dra-nvidia", profile=profile).text


def test_a_profile_as_people_write_it() -> None:
    text = gpuxlate.translate(PARTITIONS % "1g.10gb: 1", "dra-nvidia").text
    written = text.replace('device.attributes["gpu.nvidia.com"].profile == "1g.10gb"', BY_PROFILE)
    assert written != text
    assert gpuxlate.translate(written, "nvidia-mig").text == PARTITIONS % "1g.10gb: 1"


# --- refusals -----------------------------------------------------------------------------------

CLAIMS = gpuxlate.translate(DEPLOYMENT, "dra-hami").text
FIRST, TEMPLATES = CLAIMS.split("---\n", 1)
CLAIM = """\
apiVersion: v1
kind: Pod
metadata: {name: web}
spec:
  containers: [{name: web, image: web, resources: {claims: [{name: gpu}]}}]
  resourceClaims: [{name: gpu, resourceClaimName: shared}]
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: shared}
spec: {devices: {requests: %s}}
"""


def share(name: str, cores: str) -> dict[str, Any]:
    return {**requested(capacity=capacity(cores=cores, memory="4Gi")), "name": name}


def partition(name: str, profile: str = "", **fields: Any) -> dict[str, Any]:
    cel = {"cel": {"expression": BY_PROFILE.replace("1g.10gb", profile)}}
    more = {"selectors": [cel]} if profile else {}
    return {**requested("mig.nvidia.com", **fields, **more), "name": name}


def claim(*requests: dict[str, Any]) -> str:
    return CLAIM % json.dumps(requests)


ONE_GIB = partition("a", "1g.10gb", capacity=capacity(memory="1Gi"))
TWO_PROFILES = claim(*(partition(name, name) for name in ("1g.10gb", "2g.20gb")))
OTHER_NAMESPACE = CLAIMS.replace("  namespace: ml\nspec:\n  spec", "  namespace: other\nspec:\n  spec")
NO_TEMPLATE = ["29:38 DRA014", "31:38 DRA014"]
UNUSED = CLAIMS.replace("- name: gpu-side\n      res", "- name: gpu\n      res")
IN_JSON = json.dumps(yaml.safe_load(DEPLOYMENT), indent=1)
REFUSED: dict[str, tuple[str, str, list[str]]] = {
    "no template": (FIRST, "hami", NO_TEMPLATE),
    "a template in another namespace": (OTHER_NAMESPACE, "hami", [*NO_TEMPLATE, "36:3 GX026", "53:3 GX026"]),
    "a claim that no container uses": (UNUSED, "hami", ["30:11 DRA008", "26:17 DRA008"]),
    "the name is taken": (f"{DEPLOYMENT}---\n{TEMPLATES}", "dra-hami", ["12:5 DRA015", "12:5 DRA015"]),
    "a template that no pod uses": ("---\n" + TEMPLATES, "hami", ["5:3 GX026", "22:3 GX026"]),
    "one object in JSON": (IN_JSON, "dra-hami", ["GX024"]),
    "a partition of no profile": (claim(partition("a")), "nvidia-mig", ["GX023"]),
    "a part of a partition": (claim(ONE_GIB), "nvidia-mig", ["GX023"]),
    "partitions of two profiles": (TWO_PROFILES, "nvidia-mig", ["GX023"]),
    "different shares in one claim": (claim(share("a", "30"), share("b", "60")), "hami", ["GX023"]),
}


@pytest.mark.parametrize("title", REFUSED)
def test_refused(title: str) -> None:
    text, target, expected = REFUSED[title]
    with pytest.raises(gpuxlate.Refused) as error:
        gpuxlate.translate(text, target)
    found = [one for one in error.value.diagnostics if one.severity == "error"]
    places = [f"{one.span.line}:{one.span.column} {one.code}" if one.span else one.code for one in found]
    assert len(places) == len(expected), places
    assert all(place.endswith(wanted) for place, wanted in zip(places, expected, strict=True)), places


def test_two_workloads_of_one_name(tmp_path: Path) -> None:
    """In one folder they would have one template; nothing is written of any file."""
    other = DEPLOYMENT.replace("kind: Deployment", "kind: StatefulSet")
    files = {tmp_path / "one.yaml": DEPLOYMENT, tmp_path / "two.yaml": other}
    for path, text in files.items():
        path.write_text(text)
    done = run("translate", "-i", str(tmp_path), "--to", "dra-hami")
    assert done.code == Exit.FINDINGS
    said = "error[DRA015]: two workloads have a ResourceClaimTemplate named bert-serving-gpu-server"
    assert said in done.err.decode()
    assert {path: path.read_text() for path in files} == files


def test_values_of_a_chart(tmp_path: Path) -> None:
    """They have no place for a claim; one error says so."""
    (tmp_path / "Chart.yaml").write_text("apiVersion: v2\nname: web\nversion: 0.1.0\n")
    values = "resources: {limits: {nvidia.com/gpu: 1, nvidia.com/gpumem: 4096}}\n"
    (tmp_path / "values.yaml").write_text(values)
    done = run("translate", "-i", str(tmp_path), "--to", "dra-hami")
    assert done.code == Exit.FINDINGS
    assert done.err.decode().count("error[") == 1
    assert "no resourceClaims beside resources can hold it" in done.err.decode()


def test_across_files(tmp_path: Path) -> None:
    """A template in a file of its own is found, and goes when the last workload that uses it goes."""
    (tmp_path / "app").mkdir()
    workload, templates = tmp_path / "app" / "web.yaml", tmp_path / "app" / "claims.yaml"
    workload.write_text(FIRST)
    templates.write_text(SERVICE + "---\n" + TEMPLATES)
    assert run("translate", "-i", str(workload), "--to", "hami").code == Exit.FINDINGS
    assert run("translate", "-i", str(tmp_path), "--to", "hami").code == Exit.CLEAN
    assert workload.read_text() == DEPLOYMENT
    assert templates.read_text() == SERVICE


def test_render_writes_the_template() -> None:
    """With the pod, and a second share gets no claim of the same name."""
    made = gpuxlate.render(gpuxlate.Share(cards=2, cores=60, memory_mib=8192), "dra-hami")
    pod, template = made.objects
    assert pod["spec"]["resourceClaims"] == [{"name": "gpu", "resourceClaimTemplateName": "share-gpu"}]
    wanted = requested(count=2, capacity=capacity(cores="30", memory="4096Mi"))
    assert template["spec"]["spec"]["devices"] == {"requests": [wanted], "constraints": SPREAD}
    with pytest.raises(gpuxlate.Refused, match="GX023 the pod has claim gpu already"):
        gpuxlate.render(gpuxlate.Share(), "dra-hami", workload=made.text)


def test_a_list_of_a_function() -> None:
    """A KRM function gets the template as another item."""
    spec = {"to": "dra-hami"}
    config = {
        "apiVersion": "gpuxlate.io/v1alpha1",
        "kind": "Translate",
        "metadata": {"name": "a"},
        "spec": spec,
    }
    head = {"apiVersion": "config.kubernetes.io/v1", "kind": "ResourceList", "functionConfig": config}
    function = {**head, "items": [yaml.safe_load(DEPLOYMENT)]}
    done = run("krm", stdin=yaml.safe_dump(function).encode())
    assert done.code == Exit.CLEAN, done.err
    kinds = [one["kind"] for one in yaml.safe_load(done.out)["items"]]
    assert kinds == ["Deployment", "ResourceClaimTemplate", "ResourceClaimTemplate"]
