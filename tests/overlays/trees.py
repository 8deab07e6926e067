"""Trees of kustomizations, drawn: bases, overlays two deep, and every kind of patch."""

import json
from collections.abc import Callable
from typing import Any

import yaml
from hypothesis import strategies as st

from tests.overlays.apps import COMPONENT_HEAD, KINDS, Files, operations

CORES, MIB = (20, 30, 50), (1024, 4096, 8192)
Pick = Callable[..., Any]
PODS: dict[str, tuple[str, tuple[Any, ...]]] = {
    **{kind: KINDS[kind] for kind in ("Deployment", "StatefulSet", "CronJob", "Rollout")},
    "Job": ("batch/v1", ("spec", "template")),
    "Pod": ("v1", ()),
}
"""Kinds with the place of their pod template."""
TEMPLATE = "ResourceClaimTemplate"
API_VERSIONS = {**{kind: version for kind, (version, _) in PODS.items()}, TEMPLATE: "resource.k8s.io/v1"}


def limits_of(dialect: str, pick: Pick) -> dict[str, Any]:
    """The limits of one container that request a part of a card."""
    cores, mib = pick(*CORES), pick(*MIB)
    match dialect:
        case "volcengine-mgpu":
            return {"vke.volcengine.com/mgpu-core": cores, "vke.volcengine.com/mgpu-memory": mib}
        case "alibaba-gpushare":
            return {"aliyun.com/gpu-mem": mib // 1024, "aliyun.com/gpu-core.percentage": cores}
        case "tencent-qgpu":
            return {
                "tke.cloud.tencent.com/qgpu-core": cores,
                "tke.cloud.tencent.com/qgpu-memory": mib // 1024,
            }
        case "hami":
            return {"nvidia.com/gpu": pick(1, 2), "nvidia.com/gpumem": mib, "nvidia.com/gpucores": cores}
        case "volcano":
            return {
                "volcano.sh/vgpu-number": 1,
                "volcano.sh/vgpu-memory": mib,
                "volcano.sh/vgpu-cores": cores,
            }
    return {}


def annotations_of(dialect: str, pick: Pick) -> dict[str, str]:
    return {"gpu-memory": str(pick(*MIB))} if dialect == "kai" else {}


SCHEDULERS = {"volcano": "volcano", "kai": "kai-scheduler"}
DIALECTS = ("volcengine-mgpu", "alibaba-gpushare", "tencent-qgpu", "hami", "volcano", "kai", "dra-hami")
TARGETS = ("volcengine-mgpu", "alibaba-gpushare", "tencent-qgpu", "hami", "volcano")
DRIVER = "hami-core-gpu.project-hami.io"


def claim_template(name: str, pick: Pick) -> dict[str, Any]:
    capacity = {"cores": str(pick(*CORES)), "memory": f"{pick(*MIB) // 1024}Gi"}
    request = {"name": "gpu", "exactly": {"deviceClassName": DRIVER, "capacity": {"requests": capacity}}}
    return {
        "apiVersion": API_VERSIONS[TEMPLATE],
        "kind": TEMPLATE,
        "metadata": {"name": name},
        "spec": {"spec": {"devices": {"requests": [request]}}},
    }


def workload(kind: str, name: str, template: dict[str, Any], above: dict[str, Any]) -> dict[str, Any]:
    version, path = PODS[kind]
    head = {"apiVersion": version, "kind": kind}
    if not path:
        metadata = {"name": name, **template.get("metadata", {}), **above}
        return {**head, "metadata": metadata, "spec": template.get("spec", {})}
    value: Any = template
    for step in reversed(path):
        value = {step: value}
    return {**head, "metadata": {"name": name, **above}, **value}


def whole(kind: str, name: str, dialect: str, pick: Pick) -> list[dict[str, Any]]:
    """A workload, and its templates of claims."""
    first: dict[str, Any] = {"name": "web", "image": "web:1", "env": [{"name": "A", "value": "1"}]}
    limits = limits_of(dialect, pick)
    if limits or pick(True, False):
        first["resources"] = {"limits": {**limits, **({"cpu": 1} if pick(True, False) else {})}}
    spec: dict[str, Any] = {}
    containers = [first]
    made: list[dict[str, Any]] = []
    if pick(True, False):
        more = limits_of(dialect, pick) if pick(True, False) else {}
        containers.append({"name": "side", "image": "side:1", "resources": {"limits": {"cpu": 1, **more}}})
    if dialect == "dra-hami":
        made = [claim_template(f"{name}-gpu", pick)]
        spec["resourceClaims"] = [{"name": "gpu", "resourceClaimTemplateName": f"{name}-gpu"}]
        first.setdefault("resources", {})["claims"] = [{"name": "gpu"}]
    if dialect in SCHEDULERS:
        spec["schedulerName"] = SCHEDULERS[dialect]
    if pick(True, False, False):
        spec["nodeSelector"] = {"pool": "a"}
    annotations = annotations_of(dialect, pick)
    metadata = {"labels": {"app": name}, **({"annotations": annotations} if annotations else {})}
    template = {"metadata": metadata, "spec": {**spec, "containers": containers}}
    return [*made, workload(kind, name, template, {})]


def part(kind: str, name: str, dialect: str, pick: Pick) -> dict[str, Any]:
    """A strategic merge patch."""
    limits = limits_of(dialect, pick) or {"cpu": 2}
    key = pick(*limits)
    notes = annotations_of(dialect, pick) or {"note": pick("a", "b")}
    own = {"name": pick("web", "web", "side")}
    of_containers: list[dict[str, Any]] = [
        {**own, "resources": {"limits": limits}},
        {**own, "resources": {"limits": {key: limits[key]}}},
        {**own, "resources": {"limits": {key: None}}},
        {**own, "resources": {"limits": None}},
        {**own, "resources": None},
        {**own, "resources": {"limits": {"$patch": "replace", **limits}}},
        {**own, "resources": {"requests": {"cpu": 1, key: limits[key]}}},
        {**own, "$patch": "delete"},
        {**own, "image": "web:2"},
        {**own, "env": [pick({"name": "A", "$patch": "delete"}, {"name": "B", "value": "2"})]},
        {"name": "new", "image": "new:1", "resources": {"limits": limits}},
    ]
    of_templates: list[dict[str, Any]] = [
        {"metadata": {"annotations": pick(notes, dict.fromkeys(notes), {"$patch": "replace", **notes})}},
        {"spec": {"schedulerName": pick("volcano", None, "default-scheduler")}},
        {"spec": {"nodeSelector": pick(None, {"pool": "b"}, {"$patch": "replace", "zone": "c"})}},
        *({"spec": {"containers": [one]}} for one in of_containers),
    ]
    above = {"annotations": {"note": "c"}} if pick(True, False, False, False) else {}
    made = workload(kind, name, pick(*of_templates), above)
    chosen: dict[str, Any] = pick(
        *[made] * 8, {**made, "$patch": "delete"}, {**made, "spec": {**made["spec"], "replicas": 2}}
    )
    return chosen


def listed(kind: str, dialect: str, pick: Pick) -> list[dict[str, Any]]:
    """JSON 6902 operations, of every kind."""
    pod = "".join(f"/{step}" for step in PODS[kind][1])
    limits = limits_of(dialect, pick) or {"cpu": 2}
    key = pick(*limits)
    at = f"{pod}/spec/containers/{pick(0, 0, 1)}"
    pointer = f"{at}/resources/limits/{key.replace('/', '~1')}"
    metadata = f"{pod}/metadata"
    notes = annotations_of(dialect, pick) or {"note": "b"}
    bare = {"name": "web", "image": "web:3"}
    return [
        pick(
            {"op": "replace", "path": pointer, "value": limits[key]},
            {"op": "add", "path": pointer, "value": limits[key]},
            {"op": "remove", "path": pointer},
            {"op": "test", "path": pointer, "value": limits[key]},
            {"op": "copy", "from": pointer, "path": f"{metadata}/annotations"},
            {"op": "move", "from": f"{pod}/spec/containers/0", "path": f"{pod}/spec/containers/-"},
            {"op": "copy", "from": f"{pod}/spec/containers/0/resources", "path": f"{at}/resources"},
            {"op": "replace", "path": f"{at}/resources/limits", "value": limits},
            {"op": "replace", "path": f"{at}/resources", "value": {"limits": limits}},
            {"op": "remove", "path": f"{at}/resources"},
            {"op": "replace", "path": at, "value": {**bare, "resources": {"limits": limits}}},
            {"op": "remove", "path": at},
            {"op": "add", "path": f"{pod}/spec/containers/-", "value": {**bare, "name": "new"}},
            {"op": "replace", "path": f"{pod}/spec", "value": {"containers": [bare]}},
            {"op": "add", "path": f"{metadata}/annotations", "value": notes},
            {"op": "add", "path": f"{pod}/spec/nodeSelector", "value": {"pool": "z"}},
            {"op": "remove", "path": f"{pod}/spec/schedulerName"},
            {"op": "replace", "path": "/metadata/name", "value": "other"},
        )
        for _ in range(pick(1, 1, 2))
    ]


def claim_patch(name: str, pick: Pick) -> Any:
    """A patch of a template of claims; operations are for all of them."""
    if pick(True, False):
        at = "/spec/spec/devices/requests/0/exactly/capacity/requests"
        return [
            pick(
                {"op": "replace", "path": f"{at}/cores", "value": str(pick(*CORES))},
                {"op": "add", "path": "/spec/spec/devices/requests/0/exactly/count", "value": 2},
            )
        ]
    return claim_template(f"{name}-gpu", pick)


def text_of(patch: Any, pick: Pick) -> str:
    """A patch as JSON, or as YAML with or without its last line break."""
    written = yaml.safe_dump(patch, sort_keys=False)
    return str(pick(json.dumps(patch, indent=1), written, written.rstrip("\n")))


class _Blocks(yaml.SafeDumper):
    """Writes texts of several lines as literals."""


def _literal(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, "|" if "\n" in text else None)


_Blocks.add_representer(str, _literal)


def in_blocks(value: Any) -> str:
    return yaml.dump(value, Dumper=_Blocks, sort_keys=False)


App = tuple[str, str]
"""A kind and a name."""


def patch_of(draw: st.DrawFn, apps: list[App], dialect: str, pick: Pick) -> tuple[App, Any]:
    """An object, and a patch of it."""
    kind, name = pick(*apps)
    if dialect == "dra-hami" and pick(True, False):
        return (TEMPLATE, f"{name}-gpu"), claim_patch(name, pick)
    if pick(True, True, False):
        return (kind, name), part(kind, name, dialect, pick)
    if kind in KINDS and dialect == "alibaba-gpushare" and pick(True, False):
        return (kind, name), draw(operations(kind))
    return (kind, name), listed(kind, dialect, pick)


def target_of(app: App, pick: Pick) -> dict[str, str]:
    """A target with a name, which ``patchesJson6902`` must have: exact, or a pattern."""
    kind, name = app
    group, _, version = API_VERSIONS[kind].rpartition("/")
    called = pick(name, name, name, f"{name[0]}.*", ".*")
    return {
        "kind": kind,
        "name": called,
        **pick({}, {"version": version}, {"group": group, "version": version}),
    }


def overlay(draw: st.DrawFn, folder: str, below: str, apps: list[App], dialect: str, pick: Pick) -> Files:
    """The files of an overlay of another kustomization, the patches perhaps in a component."""
    made: dict[str, Any] = {"resources": [f"../{below}"]}
    more: dict[str, Any] = pick(
        *({}, {}, {"namePrefix": "p-"}, {"nameSuffix": "-s"}, {"namespace": "ns"}),
        {"labels": [{"pairs": {"team": "x"}, "includeTemplates": True}]},
        {"commonLabels": {"team": "x"}},
        {"commonAnnotations": annotations_of(dialect, pick) or {"team": "x"}},
        {"images": [{"name": "web", "newTag": "9"}]},
    )
    if apps[0][0] in ("Deployment", "StatefulSet") and pick(True, False, False):
        made["replicas"] = [{"name": apps[0][1], "count": 3}]
    several: dict[str, list[Any]] = {}
    patches: list[dict[str, Any]] = []
    of_operations: list[dict[str, Any]] = []
    for number in range(pick(0, 1, 1, 2, 3)):
        app, patch = patch_of(draw, apps, dialect, pick)
        if isinstance(patch, list) and pick(True, False):  # a field of before kustomize 5
            inline = pick(True, False)
            where = {"patch": text_of(patch, pick)} if inline else {"path": f"p{number}.yaml"}
            of_operations.append({**where, "target": target_of(app, pick)})
            if not inline:
                several[f"p{number}.yaml"] = [patch]
            continue
        target = {"target": {"kind": app[0]}} if isinstance(patch, list) or pick(True, False, False) else {}
        if pick(True, False):
            patches.append({"patch": text_of(patch, pick), **target})
            continue
        file = "several.yaml" if not target and pick(True, False) else f"p{number}.yaml"
        if file not in several:
            patches.append({"path": file, **target})
        several.setdefault(file, []).append(patch)
    drawn = patches or of_operations
    home = f"{folder}-part" if drawn and pick(True, False, False, False) else folder
    files: Files = {f"{home}/{file}": tuple(some) for file, some in several.items()}
    older = [one for one in patches if "target" not in one]
    if home == folder and older and pick(True, False, False, False):  # the fields of before kustomize 5
        made["patchesStrategicMerge"] = [one.get("patch") or one["path"] for one in older]
        patches = [one for one in patches if "target" in one]
    by_field = {"patches": patches, "patchesJson6902": of_operations}
    drawn_fields = {field: entries for field, entries in by_field.items() if entries}
    if home != folder:
        files[f"{home}/kustomization.yaml"] = {**COMPONENT_HEAD, **drawn_fields}
        made["components"] = [f"../{home}"]
    else:
        made |= drawn_fields
    fields = {**made, **more}
    return {**files, f"{folder}/kustomization.yaml": in_blocks(fields) if pick(True, False) else fields}


@st.composite
def trees(draw: st.DrawFn) -> tuple[Files, str, str, str]:
    """The files, the folder to build, the dialect, and a target."""

    def pick(*options: Any) -> Any:
        return draw(st.sampled_from(options))

    dialect = pick(*DIALECTS)
    apps: list[App] = [(pick(*PODS), name) for name in ("one", "two", "three")[: pick(1, 2, 3)]]
    objects = {
        name: tuple(whole(kind, name, dialect if pick(True, True, True, False) else "", pick))
        for kind, name in apps
    }
    if pick(True, False):
        objects = {"all": tuple(one for some in objects.values() for one in some)}
    files: Files = {f"base/{name}.yaml": some for name, some in objects.items()}
    files["base/kustomization.yaml"] = {"resources": [f"{name}.yaml" for name in objects]}
    below = "base"
    for folder in ("over", "top")[: pick(1, 1, 2)]:
        files |= overlay(draw, folder, below, apps, dialect, pick)
        below = folder
    return files, below, dialect, pick(*(one for one in TARGETS if one != dialect))
