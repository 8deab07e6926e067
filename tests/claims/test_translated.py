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
PROFILE = {"target": "dra-nvidia", "dra": {"nvidiaConsumableShares": "memory", "consumableCapacity": True}}
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
    templates = [one for one in objects(there.objects) if one["kind"] == "ResourceClaimTemplate"]
    assert [one["metadata"] for one in templates] == [
        {"name": f"bert-serving-gpu-{name}", "namespace": "ml"} for name in ("server", "side")
    ]
    back = gpuxlate.translate(there.text, "hami")
    assert back.text == text


def test_the_example() -> None:
    """The command of docs/dra.md."""
    path = "examples/claims/deployment.yaml"
    there = run("translate", path, "--to", "dra-hami")
    back = run("translate", "-", "--to", "hami", stdin=there.out)
    assert back.out == Path(path).read_bytes()


def objects(found: list[Any]) -> list[Any]:
    return [item for one in found for item in one.get("items", [one])]


def test_what_is_written() -> None:
    made = gpuxlate.translate(DEPLOYMENT, "dra-hami").objects
    pod = made[0]["spec"]["template"]["spec"]
    assert pod["resourceClaims"] == [
        {"name": f"gpu-{name}", "resourceClaimTemplateName": f"bert-serving-gpu-{name}"}
        for name in ("server", "side")
    ]
    assert [one["resources"] for one in pod["containers"]] == [
        {"limits": {"cpu": 2}, "claims": [{"name": "gpu-server"}]},
        {"claims": [{"name": "gpu-side"}]},
    ]
    devices = [one["spec"]["spec"]["devices"] for one in made[1:]]
    assert devices == [
        {"requests": [requested(capacity={"requests": {"cores": "30", "memory": "4096Mi"}})]},
        {
            "requests": [requested(count=2, capacity={"requests": {"cores": "0", "memory": "3000Mi"}})],
            "constraints": SPREAD,
        },
    ]


def requested(**fields: Any) -> dict[str, Any]:
    exactly = {"deviceClassName": "hami-core-gpu.project-hami.io", **fields}
    return {"name": "gpu", "exactly": exactly}


@pytest.mark.parametrize("version", ["v1", "v1beta2", "v1beta1"])
def test_versions(version: str) -> None:
    """The version of the profile is written, and every version is read."""
    profile = {"target": "dra-hami", "dra": {"version": version}}
    there = gpuxlate.translate(DEPLOYMENT, "dra-hami", profile=profile)
    assert {one["apiVersion"] for one in there.objects[1:]} == {f"resource.k8s.io/{version}"}
    [request] = there.objects[1]["spec"]["spec"]["devices"]["requests"]
    assert ("deviceClassName" in request) == (version == "v1beta1")
    assert gpuxlate.translate(there.text, "hami").text == DEPLOYMENT


def test_between_drivers() -> None:
    """The templates of one driver make place for those of the other, under the same names."""
    claims = gpuxlate.translate(DEPLOYMENT + SERVICE, "dra-hami").text
    made = gpuxlate.translate(claims, "dra-nvidia", drop=["cores"], profile=PROFILE)
    assert [one["kind"] for one in made.objects] == ["Deployment", *["ResourceClaimTemplate"] * 2, "Service"]
    requests = [one["spec"]["spec"]["devices"]["requests"][0]["exactly"] for one in made.objects[1:3]]
    assert requests == [
        {"deviceClassName": "gpu.nvidia.com", "capacity": {"requests": {"memory": "4096Mi"}}},
        {"deviceClassName": "gpu.nvidia.com", "count": 2, "capacity": {"requests": {"memory": "3000Mi"}}},
    ]
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


@pytest.mark.parametrize(
    ("resource", "profile", "more"),
    [
        ("1g.10gb: 1", "1g.10gb", {}),
        ("3g.20gb: 2", "3g.20gb", {"count": 2}),
        ("1g.5gb.me: 1", "1g.5gb+me", {}),
    ],
)
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
  containers: [{name: web, image: web, resources: {claims: [{name: gpu%s}]}}]
  resourceClaims: [{name: gpu, %s: shared}]
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: shared}
spec: {devices: {requests: [%s]}}
"""
SHARE = (
    "{name: %s, exactly: {deviceClassName: hami-core-gpu.project-hami.io, "
    'capacity: {requests: {cores: "%d", memory: 4Gi}}}}'
)
REFUSED: dict[str, tuple[str, str, list[str]]] = {
    "no template": (FIRST, "hami", ["29:38 DRA014", "31:38 DRA014"]),
    "a template in another namespace": (
        CLAIMS.replace("  namespace: ml\nspec:\n  spec", "  namespace: other\nspec:\n  spec"),
        "hami",
        ["29:38 DRA014", "31:38 DRA014", "36:3 GX026", "53:3 GX026"],
    ),
    "a claim that no container uses": (
        CLAIMS.replace("- name: gpu-side\n      res", "- name: gpu\n      res"),
        "hami",
        ["30:11 DRA008", "26:17 DRA008"],
    ),
    "the name is taken": (
        DEPLOYMENT + "---\n" + TEMPLATES,
        "dra-hami",
        ["12:5 DRA015", "12:5 DRA015"],
    ),
    "a template that no pod uses": ("---\n" + TEMPLATES, "hami", ["5:3 GX026", "22:3 GX026"]),
    "one object in JSON": (json.dumps(yaml.safe_load(DEPLOYMENT), indent=1), "dra-hami", ["GX024"]),
    "a partition of no profile": (
        CLAIM % ("", "resourceClaimName", "{name: a, exactly: {deviceClassName: mig.nvidia.com}}"),
        "nvidia-mig",
        ["GX023"],
    ),
    "a part of a partition": (
        CLAIM
        % (
            "",
            "resourceClaimName",
            "{name: a, exactly: {deviceClassName: mig.nvidia.com, capacity: {requests: {memory: 1Gi}}, "
            f'selectors: [{{cel: {{expression: "{BY_PROFILE}"}}}}]}}}}',
        ),
        "nvidia-mig",
        ["GX023"],
    ),
    "partitions of two profiles": (
        CLAIM
        % (
            "",
            "resourceClaimName",
            ", ".join(
                f"{{name: {name}, exactly: {{deviceClassName: mig.nvidia.com, selectors: [{{cel: "
                f'{{expression: "{BY_PROFILE.replace("1g.10gb", name)}"}}}}]}}}}'
                for name in ("1g.10gb", "2g.20gb")
            ),
        ),
        "nvidia-mig",
        ["GX023"],
    ),
    "different shares in one claim": (
        CLAIM % ("", "resourceClaimName", f"{SHARE % ('a', 30)}, {SHARE % ('b', 60)}"),
        "hami",
        ["GX023"],
    ),
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
    files = {
        tmp_path / "one.yaml": DEPLOYMENT,
        tmp_path / "two.yaml": DEPLOYMENT.replace("kind: Deployment", "kind: StatefulSet"),
    }
    for path, text in files.items():
        path.write_text(text)
    done = run("translate", "-i", str(tmp_path), "--to", "dra-hami")
    assert done.code == Exit.FINDINGS
    assert (
        "error[DRA015]: two workloads have a ResourceClaimTemplate named bert-serving-gpu-server"
        in done.err.decode()
    )
    assert {path: path.read_text() for path in files} == files


def test_values_of_a_chart(tmp_path: Path) -> None:
    """They have no place for a claim; one error says so."""
    (tmp_path / "Chart.yaml").write_text("apiVersion: v2\nname: web\nversion: 0.1.0\n")
    (tmp_path / "values.yaml").write_text(
        "resources: {limits: {nvidia.com/gpu: 1, nvidia.com/gpumem: 4096}}\n"
    )
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


SCHEMAS = {"v1": ("1.34", "1.35", "1.36", "1.37"), "v1beta2": ("1.34", "1.35"), "v1beta1": ("1.34", "1.35")}


@pytest.mark.parametrize("api", SCHEMAS)
@pytest.mark.parametrize("target", ["dra-hami", "dra-nvidia"])
def test_the_schemas_of_kubernetes_take_it(target: str, api: str) -> None:
    """Strictly: ``v1`` refuses the form of ``v1beta1``, and the other way round."""
    profile = {"target": target, "dra": {**PROFILE["dra"], "version": api}}  # type: ignore[dict-item]
    made = gpuxlate.translate(DEPLOYMENT, target, drop=["cores"], profile=profile).objects
    assert len(made) == 3
    for version in SCHEMAS[api]:
        for one in made:
            assert refusal(one, version) is None
    wrong = "v1beta1" if api != "v1beta1" else "v1"
    assert refusal({**made[1], "apiVersion": f"resource.k8s.io/{wrong}"}, "1.34") is not None


def test_render_writes_the_template() -> None:
    """With the pod, and a second share gets no claim of the same name."""
    made = gpuxlate.render(gpuxlate.Share(cards=2, cores=60, memory_mib=8192), "dra-hami")
    pod, template = made.objects
    assert pod["spec"]["resourceClaims"] == [{"name": "gpu", "resourceClaimTemplateName": "share-gpu"}]
    assert template["spec"]["spec"]["devices"] == {
        "requests": [requested(count=2, capacity={"requests": {"cores": "30", "memory": "4096Mi"}})],
        "constraints": SPREAD,
    }
    with pytest.raises(gpuxlate.Refused, match="GX023 the pod has claim gpu already"):
        gpuxlate.render(gpuxlate.Share(), "dra-hami", workload=made.text)


def test_a_list_of_a_function() -> None:
    """A KRM function gets the template as another item."""
    items = [yaml.safe_load(DEPLOYMENT)]
    config = {"apiVersion": "gpuxlate.io/v1alpha1", "kind": "Translate", "metadata": {"name": "a"}}
    function = {
        "apiVersion": "config.kubernetes.io/v1",
        "kind": "ResourceList",
        "functionConfig": {**config, "spec": {"to": "dra-hami"}},
        "items": items,
    }
    done = run("krm", stdin=yaml.safe_dump(function).encode())
    assert done.code == Exit.CLEAN, done.err
    kinds = [one["kind"] for one in yaml.safe_load(done.out)["items"]]
    assert kinds == ["Deployment", "ResourceClaimTemplate", "ResourceClaimTemplate"]
