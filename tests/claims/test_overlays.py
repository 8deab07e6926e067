"""Overlays that change a share: a patch of its template, and the patch of the workload again.

With the real tool: what kustomize builds of the translated files is the translation of what it builds of the
files of before.
"""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from gpuxlate.model.errors import Exit
from gpuxlate.model.kept import forget
from tests.claims.objects import capacity, claim, requested
from tests.claims.test_translated import DEPLOYMENT
from tests.overlays.apps import Files, build, needs_kubectl, written
from tests.overlays.test_translated import tidy
from tests.running import run

HEAD = """\
# production
apiVersion: apps/v1
kind: Deployment
metadata:
  name: bert-serving
  namespace: ml
spec:
  replicas: 8
  template:
    spec:
      containers:
"""
SIDE, IMAGE = "        - name: side\n", "        - name: server\n          image: bert:2\n"


def share(limit: str) -> str:
    return f"          resources:\n            limits:\n              {limit}\n"


MORE = HEAD + IMAGE + share("nvidia.com/gpumem: 8192")
PATCHES = "patches: [{path: gpu.yaml}]\n"
ONE = DEPLOYMENT[: DEPLOYMENT.index("        - name: side")]


def app(patch: str = MORE, base: str = DEPLOYMENT, over: str = PATCHES) -> Files:
    """A base, and an overlay with a patch."""
    return {
        "base/kustomization.yaml": "resources: [web.yaml]\n",
        "base/web.yaml": base,
        "overlays/prod/kustomization.yaml": f"resources: [../../base]\n{over}",
        "overlays/prod/gpu.yaml": patch,
    }


def texts(folder: Path) -> dict[str, str]:
    return {str(one.relative_to(folder)): one.read_text() for one in folder.rglob("*.yaml")}


def translated(folder: Path, target: str, *options: str) -> tuple[int, str]:
    forget()  # the files of an earlier run
    done = run("translate", "-i", str(folder), "--to", target, *options)
    return done.code, done.err.decode()


def built(text: str) -> list[Any]:
    found = [tidy(one) for one in yaml.safe_load_all(text)]
    for one in found:
        if one["kind"] == "Deployment":  # kustomize puts the containers of a patch first
            one["spec"]["template"]["spec"]["resourceClaims"].sort(key=lambda claim: claim["name"])
    return sorted(found, key=lambda one: json.dumps(one["metadata"]))


NAMES = """\
nameReference:
- kind: ResourceClaimTemplate
  group: resource.k8s.io
  fieldSpecs:
  - {kind: Deployment, path: spec/template/spec/resourceClaims/resourceClaimTemplateName}
"""
PREFIXED = {
    **app(over="namePrefix: prod-\npatches: [{path: gpu.yaml}]\nconfigurations: [names.yaml]\n"),
    "overlays/prod/names.yaml": NAMES,
}
LARGE = {
    "overlays/large/kustomization.yaml": "resources: [../prod]\npatches: [{path: large.yaml}]\n",
    "overlays/large/large.yaml": MORE.replace("8192", "16384"),
}
NO_NAMESPACE = DEPLOYMENT.replace("  namespace: ml\n", "")
NAMESPACE = {"base/kustomization.yaml": "namespace: ml\nresources: [web.yaml]\n"}
INLINE = "patches:\n- patch: |\n" + "".join(f"    {line}\n" for line in MORE.splitlines())
MOVED: dict[str, Files] = {
    "a patch in the kustomization": {**app(over=INLINE), "overlays/prod/gpu.yaml": ""},
    "a share, the replicas and the image": app(),
    "an older field": app(over="patchesStrategicMerge: [gpu.yaml]\n"),
    "no share": app(HEAD + IMAGE),
    "a container by itself": app(base=ONE),
    "compute alone": app(HEAD + IMAGE + share("nvidia.com/gpucores: 60")),
    "the second container": app(HEAD + SIDE + share("nvidia.com/gpumem: 1000")),
    "both containers": app(f"{MORE}{SIDE}          image: side:2\n{share('nvidia.com/gpumem: 1000')}"),
    "a second card": app(HEAD + IMAGE + share("nvidia.com/gpu: 2")),
    "one card of two": app(HEAD + SIDE + share("nvidia.com/gpu: 1")),
    "two documents": app(f"{HEAD}{IMAGE}---\n{MORE}".replace("# production\n", "")),
    "another namespace": {**app(base=NO_NAMESPACE), **NAMESPACE},
    "names with a prefix, which kustomize follows": PREFIXED,
    "an overlay of an overlay": {**app(), **LARGE},
}


@needs_kubectl
@pytest.mark.parametrize("title", MOVED)
def test_there_and_back(tmp_path: Path, title: str) -> None:
    """Byte for byte, and nothing in keys of HAMi is left on the way."""
    root = written(tmp_path, MOVED[title])
    before = texts(root)

    def whole(translate: bool) -> list[Any]:
        found = []
        for one in sorted((root / "overlays").iterdir()):
            text = build(one)
            assert text is not None
            done = run("translate", "-", "--to", "dra-hami", stdin=text.encode()) if translate else None
            found.append(built(done.out.decode() if done else text))
        return found

    wanted = whole(translate=True)
    assert translated(root, "dra-hami")[0] == Exit.CLEAN
    there = texts(root)
    assert not any("nvidia.com" in text for text in there.values())
    assert whole(translate=False) == wanted
    assert translated(root, "dra-hami")[0] == Exit.CLEAN
    assert texts(root) == there
    assert translated(root, "hami")[0] == Exit.CLEAN
    assert {name: text for name, text in texts(root).items() if text != before[name]} == {}


REMOVED = "{nvidia.com/gpu: null, nvidia.com/gpumem: null, nvidia.com/gpucores: null}"
LIMIT = "/spec/template/spec/containers/0/resources/limits/nvidia.com~1gpumem"
OPERATION = f"[{{op: replace, path: {LIMIT}, value: 8192}}]\n"
TARGET = "target: {kind: Deployment}"
NO_SHARE = DEPLOYMENT.replace("              nvidia.com/gpumem: 3000\n", "").replace(
    "nvidia.com/gpu: 2", "cpu: 1"
)
TARGETED = f"patches: [{{path: gpu.yaml, {TARGET}}}]\n"
CLAIM_CHANGES = "it adds or removes the claim of a container, or changes its name"
IN_OBJECT = "what a claim requests is in another object, which no operation can change"
FOR_ALL = "its kustomization names a target, which all documents of the file are for"
RENAMES = "a kustomization renames its object, and kustomize does not rename what names a template"
A_PREFIX = {"base/kustomization.yaml": "namePrefix: a-\nresources: [web.yaml]\n"}
LEFT: dict[str, tuple[Files, str]] = {
    "an operation": (app(OPERATION, over=TARGETED), IN_OBJECT),
    "a target": (app(over=TARGETED), FOR_ALL),
    "a first share": (app(HEAD + SIDE + share("nvidia.com/gpu: 1"), base=NO_SHARE), CLAIM_CHANGES),
    "the share goes": (app(f"{HEAD}{IMAGE}          resources: {{limits: {REMOVED}}}\n"), CLAIM_CHANGES),
    "another name": ({**app(), **A_PREFIX}, RENAMES),
    "JSON": (app(json.dumps(yaml.safe_load(MORE))), "a JSON file has one object"),
}


def refused(folder: Path, target: str, why: str) -> str:
    before = texts(folder)
    code, said = translated(folder, target)
    assert code == Exit.FINDINGS
    assert why in said, said
    assert texts(folder) == before
    return said


@pytest.mark.parametrize("title", LEFT)
def test_what_is_left(tmp_path: Path, title: str) -> None:
    """Nothing is written of any file."""
    files, why = LEFT[title]
    refused(written(tmp_path, files), "dra-hami", why)


def template(name: str) -> str:
    return claim(name, requested(capacity=capacity(cores="30", memory="8192Mi")), namespace="ml")


MINE = template("bert-serving-gpu-server")
NOT_SAID = "the document before it is not a patch of its Deployment bert-serving that can be translated"
BY_NAME = (
    "patches: [{path: gpu.yaml, target: {kind: ResourceClaimTemplate, name: bert-serving-gpu-server}}]\n"
)
NO_OBJECT = "what it patches is not in the kustomization"
LEFT_BACK: dict[str, tuple[str, str, str]] = {
    "a patch of the template alone": (MINE, PATCHES, NOT_SAID),
    "a target": (f"{HEAD}{IMAGE}---\n{MINE}", BY_NAME, "its kustomization names a target for it"),
    "a template that is not there": (f"{HEAD}{IMAGE}---\n{template('other')}", PATCHES, NO_OBJECT),
    "before the workload": (f"{MINE}---\n{HEAD}{IMAGE}", PATCHES, NOT_SAID),
    "it deletes the template": (f"{HEAD}{IMAGE}---\n$patch: delete\n{MINE}", PATCHES, NOT_SAID),
}


@pytest.mark.parametrize("title", LEFT_BACK)
def test_what_is_left_on_the_way_back(tmp_path: Path, title: str) -> None:
    patch, over, why = LEFT_BACK[title]
    root = written(tmp_path, app(HEAD + IMAGE, over="" if over == BY_NAME else PATCHES))
    assert translated(root, "dra-hami")[0] == Exit.CLEAN
    for name, text in app(patch, over=over).items():
        if name.startswith("overlays"):
            (root / name).write_text(text)
    assert refused(root, "hami", why).count("error[") == 1


@needs_kubectl
def test_a_patch_of_another_container_gets_the_one_with_the_share(tmp_path: Path) -> None:
    """On the way back: the patch of the template changes what a container asks for that the other patch does
    not name."""
    root = written(tmp_path, app(HEAD + IMAGE))
    assert translated(root, "dra-hami")[0] == Exit.CLEAN
    overlay = root / "overlays" / "prod"
    (overlay / "gpu.yaml").write_text(f"{HEAD}{SIDE}---\n{MINE}")
    text = build(overlay)
    assert text is not None
    whole = run("translate", "-", "--to", "hami", stdin=text.encode())
    assert translated(root, "hami")[0] == Exit.CLEAN
    assert tidy(list(yaml.safe_load_all(build(overlay) or ""))) == tidy(
        list(yaml.safe_load_all(whole.out.decode()))
    )


def test_between_drivers(tmp_path: Path) -> None:
    """A patch of one driver's template makes place for that of the other."""
    root = written(tmp_path, app())
    assert translated(root, "dra-hami")[0] == Exit.CLEAN
    profile = tmp_path / "profile.yaml"
    profile.write_text("target: dra-nvidia\ndra: {nvidiaConsumableShares: memory}\n")
    code, said = translated(root, "dra-nvidia", "--drop", "cores", "--profile", str(profile))
    assert code == Exit.CLEAN, said
    workload, *templates = yaml.safe_load_all((root / "overlays/prod/gpu.yaml").read_text())
    assert workload["spec"]["template"]["spec"] == {"containers": [{"name": "server", "image": "bert:2"}]}
    [request] = [one["spec"]["spec"]["devices"]["requests"][0]["exactly"] for one in templates]
    assert request == {"deviceClassName": "gpu.nvidia.com", "capacity": {"requests": {"memory": "8192Mi"}}}


TOP = {"top/kustomization.yaml": "nameSuffix: -1\nresources: [../overlays/prod]\n"}
NO_GPU = DEPLOYMENT.replace("nvidia.com/gpu", "example.com/a")
OTHER_KIND = {"overlays/prod/names.yaml": NAMES.replace("ResourceClaimTemplate", "Secret")}
NOT_THERE = "namePrefix: a-\nconfigurations: [none.yaml]\n"
RENAMING: dict[str, tuple[Files, int]] = {
    "a prefix": (app(over="namePrefix: prod-\n"), 1),
    "a suffix over an overlay": ({**app(), **TOP}, 1),
    "both, with a patch": (app(over=f"namePrefix: a-\nnameSuffix: -b\n{PATCHES}"), 1),
    "an empty prefix": (app(over="namePrefix: ''\n"), 0),
    "no GPUs": (app(base=NO_GPU, over="namePrefix: a-\n"), 0),
    "a configuration that says it": (PREFIXED, 0),
    "a configuration of another kind": ({**PREFIXED, **OTHER_KIND}, 1),
    "a configuration that is not there": (app(over=NOT_THERE), 1),
}


@pytest.mark.parametrize("title", RENAMING)
def test_templates_that_kustomize_renames(tmp_path: Path, title: str) -> None:
    """kustomize does not know that a pod names a template, if its configurations do not say it."""
    files, errors = RENAMING[title]
    code, said = translated(written(tmp_path, files), "dra-hami")
    assert said.count("error[DRA016]") == errors
    assert code == (Exit.FINDINGS if errors else Exit.CLEAN), said
