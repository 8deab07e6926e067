"""Shares to claims and back: documents that are added beside a workload, and removed again.

A template that something else than a translated pod names stays, and is said; the run is a folder.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

import gpuxlate
from gpuxlate.model.errors import Exit
from tests.claims.objects import HAMI, capacity, claim, pod, requested
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
SPREAD = [{"requests": ["gpu"], "distinctAttribute": f"{HAMI}/uuid"}]


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
    # without capacity a claim has whole cards, which no constraint keeps apart
    text = DEPLOYMENT.replace("              nvidia.com/gpumem: 3000\n", "")
    whole = gpuxlate.translate(text, "dra-hami", from_="hami").objects[2]["spec"]["spec"]["devices"]
    assert whole == {"requests": [requested(count=2)]}


@pytest.mark.parametrize(
    "name", ["name: web", "generateName: web-", "generateName: web.", "generateName: web.-"]
)
def test_a_name_that_a_server_completes(name: str) -> None:
    """The name of a template is a subdomain (RFC 1123): no dash or dot is before another."""
    text = DEPLOYMENT.replace("name: bert-serving\n", f"{name}\n", 1)
    templates = gpuxlate.translate(text, "dra-hami").objects[1:]
    assert [one["metadata"]["name"] for one in templates] == ["web-gpu-server", "web-gpu-side"]


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


PARTITIONS = """\
apiVersion: v1
kind: Pod
metadata: {name: web}
spec: {containers: [{name: web, image: web, resources: {limits: {nvidia.com/mig-%s}}}]}
"""
OF_PROFILES: list[tuple[str, str, dict[str, int]]] = [
    ("1g.10gb: 1", "1g.10gb", {}),
    ("3g.20gb: 2", "3g.20gb", {"count": 2}),
    ("1g.5gb.me: 1", "1g.5gb+me", {}),
]


def by_profile(profile: str) -> str:
    """As people write it."""
    return f"device.attributes['gpu.nvidia.com'] . profile == '{profile}'"


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
    assert there.text.count(expression) == 1
    for written in (expression, by_profile(profile)):
        assert gpuxlate.translate(there.text.replace(expression, written), "nvidia-mig").text == text


def test_a_partition_that_the_cards_have_not() -> None:
    profile = {"target": "dra-nvidia", "cards": {"model": "A100-40GB", "perNode": 1}}
    for resource, code in (("1g.12gb: 1", "NVIDIA003"), ("3g.20gb: 3", "NVIDIA005")):
        with pytest.raises(gpuxlate.Refused) as error:
            gpuxlate.translate(PARTITIONS % resource, "dra-nvidia", profile=profile)
        assert [one.code for one in error.value.diagnostics if one.severity == "error"] == [code]
    assert gpuxlate.translate(PARTITIONS % "3g.20gb: 2", "dra-nvidia", profile=profile).text


# --- refusals -----------------------------------------------------------------------------------

CLAIMS = gpuxlate.translate(DEPLOYMENT, "dra-hami").text
FIRST, TEMPLATES = CLAIMS.split("---\n", 1)


def shared(*requests: dict[str, Any]) -> str:
    """A pod that names a claim with these requests."""
    named = pod(by="resourceClaimName: shared")
    return f"{named}---\n{claim('shared', *requests, kind='ResourceClaim')}"


def share(name: str, cores: str) -> dict[str, Any]:
    return requested(name=name, capacity=capacity(cores=cores, memory="4Gi"))


def partition(name: str, profile: str, **fields: Any) -> dict[str, Any]:
    selectors = [{"cel": {"expression": by_profile(profile)}}]
    return requested("mig.nvidia.com", name, **fields, selectors=selectors)


ONE_GIB = partition("a", "1g.10gb", capacity=capacity(memory="1Gi"))
TWO_PROFILES = shared(*(partition(name, name) for name in ("1g.10gb", "2g.20gb")))
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
    "a partition of no profile": (shared(requested("mig.nvidia.com")), "nvidia-mig", ["GX023"]),
    "a part of a partition": (shared(ONE_GIB), "nvidia-mig", ["GX023"]),
    "partitions of two profiles": (TWO_PROFILES, "nvidia-mig", ["GX023"]),
    "different shares in one claim": (shared(share("a", "30"), share("b", "60")), "hami", ["GX023"]),
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


# --- folders ------------------------------------------------------------------------------------

POD, TEMPLATE = pod("p"), claim("t", requested(capacity=capacity(cores="30")))
NAMED = "resourceClaims: [{name: gpu, resourceClaimTemplateName: t}]"
PATCHED = "resources: [pod.yaml, t.yaml]\npatches: [{path: more.yaml, target: {kind: Pod, name: p}}]\n"
OUTSIDE, IN_HELM = "more.yaml names it, in a place outside any pod", "more.yaml names it, in a Helm template"
CONFIG_MAP = f"kind: ConfigMap\nmetadata: {{name: g}}\ndata:\n  pod: |\n    {NAMED}\n"
TEMPLATED = f"kind: Pod\nmetadata: {{name: {{{{ .n }}}}}}\nspec:\n  {NAMED}\n  containers: []\n"
ADDED = "- op: add\n  path: /spec/resourceClaims/-\n  value: {name: h, resourceClaimTemplateName: t}\n"
PATCH = f"kind: Pod\nmetadata: {{name: p}}\nspec:\n  {NAMED}\n"
NOT_THERE = "ResourceClaimTemplate other is not in the input"
GROUP = f"kind: PodGroup\nmetadata: {{name: g}}\nspec:\n  {NAMED}\n"
BROKEN = f"kind: Pod\n{{{{ if .x }}}}\nspec:\n  {NAMED}\n"
ESCAPED = 'kind: PodGroup\nspec: {"resourceCl\\x61imTemplateName": t}\n'
CHART = {"Chart.yaml": "name: x\n"}
OTHERS: dict[str, tuple[dict[str, str], str]] = {
    "a pod that is not of the dialect": (
        {"more.yaml": pod("p", "resourceClaimTemplateName: other")},
        NOT_THERE,
    ),
    "an object of another kind": ({"more.yaml": GROUP}, OUTSIDE),
    "a pod in the form that ended": (
        {"more.yaml": POD.replace("    resourceClaim", "    source:\n      resourceClaim")},
        "more.yaml names it, in the source of a claim, which ended with resource.k8s.io/v1alpha2",
    ),
    "a text": ({"more.yaml": CONFIG_MAP}, OUTSIDE),
    "a pod that is not rendered": ({"more.yaml": TEMPLATED}, IN_HELM),
    "a text that is no YAML before it is rendered": ({"more.yaml": BROKEN}, IN_HELM),
    "the template of a chart": ({**CHART, "templates/more.yaml": POD}, f"templates/{IN_HELM}"),
    "the values of a chart": (
        {**CHART, "values.yaml": f"extra:\n  {NAMED}\n"},
        "names it, in the values of a chart",
    ),
    "a patch": ({"kustomization.yaml": PATCHED, "more.yaml": PATCH}, "more.yaml names it, in a patch"),
    "an operation": ({"kustomization.yaml": PATCHED, "more.yaml": ADDED}, "more.yaml names it, in a patch"),
    "a key with an escape": ({"more.yaml": ESCAPED}, OUTSIDE),
}
STATEFUL = DEPLOYMENT.replace("kind: Deployment", "kind: StatefulSet")
NAMED_BERT = (
    "error[DRA015]: two workloads have a ResourceClaimTemplate named bert-serving-deployment-gpu-server"
)
IN_HAMI = PARTITIONS.replace("mig-%s", "gpumem: 4096, nvidia.com/gpu: 1")
TAKEN = {"pod.yaml": IN_HAMI, "t.yaml": TEMPLATE.replace("name: t\n", "name: web-gpu\n")}
# what is refused of a folder: its files, the target, what is said
FOLDERS: dict[str, tuple[dict[str, str], str, str]] = {
    **{
        title: ({"pod.yaml": POD, "t.yaml": TEMPLATE, **more}, "hami", why)
        for title, (more, why) in OTHERS.items()
    },
    "two workloads of one kind and name": (
        {"one.yaml": DEPLOYMENT, "two.yaml": DEPLOYMENT},
        "dra-hami",
        NAMED_BERT,
    ),
    "the name of a template in another file": (TAKEN, "dra-hami", "error[DRA015]"),
}


def put(files: dict[str, str]) -> None:
    for name, text in files.items():
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).write_text(text, encoding="utf-8")


def texts(files: dict[str, str]) -> dict[str, str]:
    return {name: Path(name).read_text(encoding="utf-8") for name in files}


@pytest.mark.parametrize("title", FOLDERS)
def test_a_folder_that_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, title: str) -> None:
    """Nothing is written of any file; with leftovers accepted, a template that is named stays."""
    files, target, said = FOLDERS[title]
    monkeypatch.chdir(tmp_path)
    put(files)
    ran = run("translate", "-i", ".", "--to", target)
    assert ran.code == Exit.FINDINGS
    assert said in ran.err.decode()
    assert texts(files) == files
    if target == "hami":
        run("translate", "-i", ".", "--to", target, "--allow-leftovers")
        assert texts(files)["t.yaml"] == TEMPLATE


def test_across_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A template in a file of its own is found, and goes when the last workload that uses it goes."""
    monkeypatch.chdir(tmp_path)
    put(
        {
            "app/web.yaml": FIRST,
            "app/claims.yaml": f"{SERVICE}---\n{TEMPLATES}",
            "pod.yaml": POD,
            "t.yaml": TEMPLATE,
        }
    )
    assert run("translate", "-i", "app/web.yaml", "--to", "hami").code == Exit.FINDINGS
    assert run("translate", "-i", ".", "--to", "hami").code == Exit.CLEAN
    assert "nvidia.com/gpucores: 30" in Path("pod.yaml").read_text(encoding="utf-8")
    after = {"app/web.yaml": DEPLOYMENT, "app/claims.yaml": SERVICE, "t.yaml": ""}
    assert texts(after) == after


LIMITS = "{nvidia.com/gpu: 1, nvidia.com/gpumem: 4096}"
PLAIN = f"{{spec: {{containers: [{{name: c, image: x, resources: {{limits: {LIMITS}}}}}]}}}}"
GROUPS = f"headGroupSpec: {{template: {PLAIN}}}, workerGroupSpecs: [{{groupName: w, template: {PLAIN}}}]"
RAY = f"""\
{{apiVersion: ray.io/v1, kind: RayCluster, metadata: {{name: web}}, spec: {{{GROUPS}}}}}
---
{{apiVersion: ray.io/v1, kind: RayJob, metadata: {{name: web}}, spec: {{rayClusterSpec: {{{GROUPS}}}}}}}
"""
NAMES = {
    "namespaces": (
        DEPLOYMENT + "---\n" + STATEFUL.replace("namespace: ml", "namespace: dev"),
        [f"{space}/bert-serving-gpu-{name}" for space in ("ml", "dev") for name in ("server", "side")],
    ),
    "pods of one object": (
        RAY,
        [f"/web-{kind}-{n}-gpu" for kind in ("raycluster", "rayjob") for n in (1, 2)],
    ),
}


@pytest.mark.parametrize("case", NAMES)
def test_no_two_templates_have_one_name(case: str) -> None:
    text, names = NAMES[case]
    made = gpuxlate.translate(text, "dra-hami", fill={"cores": 30}).objects
    templates = [one["metadata"] for one in made if one["kind"] == "ResourceClaimTemplate"]
    assert [f"{one.get('namespace', '')}/{one['name']}" for one in templates] == names


@pytest.mark.parametrize("together", [True, False], ids=["one file", "two files"])
def test_the_kind_is_in_the_names_of_two(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, together: bool
) -> None:
    """Of workloads of one name, and of theirs alone; the pods name their own."""
    monkeypatch.chdir(tmp_path)
    other = DEPLOYMENT.replace("name: bert-serving", "name: other")
    files = {"one.yaml": DEPLOYMENT, "two.yaml": STATEFUL, "other.yaml": other}
    put({"all.yaml": "---\n".join(files.values())} if together else files)
    assert run("translate", "-i", ".", "--to", "dra-hami").code == Exit.CLEAN
    every = [one for path in Path().glob("*.yaml") for one in yaml.safe_load_all(path.read_text("utf-8"))]
    made = {one["metadata"]["name"] for one in every if one["kind"] == "ResourceClaimTemplate"}
    named = {
        one["kind"] + " " + one["metadata"]["name"]: {
            claim["resourceClaimTemplateName"] for claim in one["spec"]["template"]["spec"]["resourceClaims"]
        }
        for one in every
        if one["kind"] != "ResourceClaimTemplate"
    }
    assert set().union(*named.values()) == made
    begins = {
        "Deployment bert-serving": "bert-serving-deployment-gpu",
        "StatefulSet bert-serving": "bert-serving-statefulset-gpu",
        "Deployment other": "other-gpu",
    }
    assert begins.keys() == named.keys()
    assert all(one.startswith(begins[name]) for name, found in named.items() for one in found)


def test_render_writes_the_template() -> None:
    """With the pod, and a second share gets no claim of the same name."""
    made = gpuxlate.render(gpuxlate.Share(cards=2, cores=60, memory_mib=8192), "dra-hami")
    pod, template = made.objects
    assert pod["spec"]["resourceClaims"] == [{"name": "gpu", "resourceClaimTemplateName": "share-gpu"}]
    wanted = requested(count=2, capacity=capacity(cores="30", memory="4096Mi"))
    assert template["spec"]["spec"]["devices"] == {"requests": [wanted], "constraints": SPREAD}
    with pytest.raises(gpuxlate.Refused, match="GX023 the pod has claim gpu already"):
        gpuxlate.render(gpuxlate.Share(), "dra-hami", workload=made.text)
