"""The kinds of input whose growth is measured: how each is written with so many units, and who takes it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from gpuxlate.model import limits
from gpuxlate.planning.fleet import ORDERED

VKE = "vke.volcengine.com/mgpu-{}"
TO = ("--to", "tencent-qgpu")
LOSSES = ("--round", "up", "--fill", "cores=10", "--drop", "policy,qos,selector")
INPUT, FOLDER, OUTPUT = "INPUT", "FOLDER", "OUTPUT"
"""In a command: the path of the input, stdin where it is not named; its folder; what is written."""
Command = Sequence[str]

LINT: Mapping[str, Command] = {"lint": ("lint", INPUT)}
FORMATS: Mapping[str, Command] = {
    f"lint -o {one}": ("lint", "-o", one, INPUT)
    for one in ("concise", "json", "sarif", "junit", "github", "gitlab")
}
FIXES: Mapping[str, Command] = {
    "lint --fix": ("lint", "--fix", "--diff", INPUT),
    "lint --unsafe-fixes": ("lint", "--fix", "--unsafe-fixes", "--diff", INPUT),
    "lint --add-ignores": ("lint", "--add-ignores", "known", "--diff", INPUT),
    "lint --statistics": ("lint", "--statistics", INPUT),
}
TRANSLATE: Mapping[str, Command] = {"translate": ("translate", *TO, *LOSSES, INPUT)}
CHANGES: Mapping[str, Command] = {
    "translate --diff": ("translate", *TO, *LOSSES, "--diff", INPUT),
    "translate -o json": ("translate", *TO, *LOSSES, "-o", "json", INPUT),
    "translate --report": ("translate", *TO, *LOSSES, "--check", "--report", OUTPUT, INPUT),
    "translate to claims": ("translate", "--to", "dra-hami", *LOSSES, "--check", INPUT),
}
READ: Mapping[str, Command] = {
    "parse": ("parse", INPUT),
    "inspect": ("inspect", INPUT),
    "inspect -o json": ("inspect", "-o", "json", INPUT),
}
ASSESS: Mapping[str, Command] = {
    "assess": ("assess", *TO, *LOSSES, INPUT),
    "assess --html": ("assess", *TO, *LOSSES, "--report", OUTPUT, "--html", OUTPUT, INPUT),
}
STDIN: Mapping[str, Command] = {
    "lint -": ("lint", "-"),
    "translate -": ("translate", *TO, *LOSSES, "-"),
    "inspect -": ("inspect", "-"),
}
"""The same from stdin, whose claims are in no index of the run."""
MANIFESTS = {**LINT, **TRANSLATE, **READ, **ASSESS}


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of input: ``write`` puts so many units into a folder, and gives the path to name.

    ``most``: of units, by a limit. ``why``: the product is larger than its input, so that more than linear
    is right. ``codes``: the exit codes that are no mistake of the benchmark.
    """

    name: str
    write: Callable[[Path, int], Path]
    commands: Mapping[str, Command]
    most: int = 2**20
    why: str = ""
    codes: tuple[int, ...] = (0, 1)


# --- pods -------------------------------------------------------------------------------------------------


def container(number: int, cores: int | None = None, memory: str = "1024") -> str:
    asked = f"{{{VKE.format('core')}: {cores or 5 + number % 90}, {VKE.format('memory')}: {memory}}}"
    return (
        f"  - name: c{number}\n    image: registry.example.com/c{number}:1\n"
        f"    env:\n    - {{name: SETTING_{number}, value: v{number}}}\n"
        f"    resources:\n      limits: {asked}\n"
    )


def pod(number: int, *containers: str, spec: str = "", kind: str = "Pod") -> str:
    made = "".join(containers) or container(number)
    return (
        f"apiVersion: v1\nkind: {kind}\nmetadata:\n  name: p{number}\n"
        f"  annotations: {{example.com/note-{number}: changed-{number}}}\n"
        f"spec:\n{spec}  containers:\n{made}"
    )


def deployment(number: int, replicas: int = 2) -> str:
    inner = container(number).replace("\n", "\n    ").rstrip(" ")
    return (
        f"apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: d{number}}}\nspec:\n"
        f"  replicas: {replicas}\n  selector: {{matchLabels: {{app: d{number}}}}}\n  template:\n"
        f"    metadata: {{labels: {{app: d{number}}}}}\n    spec:\n      containers:\n    {inner}"
    )


def stream(one: Callable[[int], str]) -> Callable[[Path, int], Path]:
    """One file of a document for each number."""
    return lambda folder, count: file(folder, "---\n".join(map(one, range(count))))


def file(folder: Path, text: str, name: str = "input.yaml") -> Path:
    path = folder / name
    path.write_text(text)
    return path


def one_list(folder: Path, count: int, memory: str = "1024") -> Path:
    items = (pod(n, container(n, memory=memory)).rstrip().replace("\n", "\n  ") for n in range(count))
    return file(folder, "apiVersion: v1\nkind: List\nitems:\n" + "".join(f"- {one}\n" for one in items))


def one_pod(folder: Path, count: int) -> Path:
    return file(folder, pod(1, *(container(n, cores=1) for n in range(count))))


def one_line(folder: Path, count: int, memory: str = "1024") -> Path:
    def item(number: int) -> object:
        asked = {VKE.format("core"): str(5 + number % 90), VKE.format("memory"): memory}
        return {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": f"p{number}"},
            "spec": {"containers": [{"name": "c", "image": "r", "resources": {"limits": asked}}]},
        }

    made = {"apiVersion": "v1", "kind": "List", "items": [item(n) for n in range(count)]}
    return file(folder, json.dumps(made), "input.json")


def mistaken(number: int) -> str:
    return pod(number, container(number, memory="4Gi"))


def commented(number: int) -> str:
    made = container(number, memory="4Gi # gpuxlate: ignore[K8S002] for now\n       ")
    return "# why this pod is as it is\n" + pod(number, made)


def left(number: int) -> str:
    """A pod with a selector, a toleration and a text of the source, which are not translated."""
    spec = (
        f"  nodeSelector: {{vke.node.gpu.schedule: mgpu, example.com/pool: p{number}}}\n"
        "  tolerations:\n  - {key: vke.volcengine.com/mgpu, operator: Exists}\n"
    )
    script = f"    args: ['--resource=vke.volcengine.com/mgpu-core', 'n{number}']\n"
    return pod(number, container(number) + script, spec=spec)


def one_name(number: int) -> str:
    return pod(number).replace(f"name: p{number}\n", "name: p\n").replace(f"name: c{number}\n", "name: c\n")


def broken(folder: Path, count: int) -> Path:
    """The text ends in the middle of the last document."""
    made = stream(pod)(folder, count)
    return file(folder, made.read_text() + "---\nmetadata: {name: [\n")


def script(folder: Path, count: int) -> Path:
    """A text of many lines in one value, each with a key."""
    lines = "".join(f"    line {n}: vke.volcengine.com/mgpu-core={n}\n" for n in range(count))
    return file(folder, f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: a}}\ndata:\n  a.sh: |\n{lines}")


def many_keys(folder: Path, count: int) -> Path:
    """One pod with many annotations, one in ten of a vendor and unknown."""
    names = (
        f"    {'vke.volcengine.com' if n % 10 == 0 else 'example.com'}/note-{n}: 'n{n}'\n"
        for n in range(count)
    )
    return file(
        folder, pod(1).replace("  annotations: {", "  annotations:\n" + "".join(names) + "  labels: {")
    )


def aliases(folder: Path, count: int) -> Path:
    """One anchor, and pods that use it for what they request."""
    first = container(1).replace("limits: {", "limits: &asked {")
    rest = "".join(f"  - name: d{n}\n    resources: {{limits: *asked}}\n" for n in range(count))
    return file(folder, pod(1, first, rest))


# --- claims -----------------------------------------------------------------------------------------------


def template(name: str) -> str:
    return (
        f"apiVersion: resource.k8s.io/v1\nkind: ResourceClaimTemplate\nmetadata: {{name: {name}}}\n"
        "spec:\n  spec:\n    devices:\n      requests:\n      - name: gpu\n        exactly:\n"
        "          deviceClassName: hami-core-gpu.project-hami.io\n"
        "          capacity: {requests: {cores: 30, memory: 4Gi}}\n"
    )


def claiming(number: int, name: str) -> str:
    return (
        f"apiVersion: v1\nkind: Pod\nmetadata: {{name: p{number}}}\nspec:\n"
        f"  resourceClaims: [{{name: gpu, resourceClaimTemplateName: {name}}}]\n  containers:\n"
        f"  - name: c{number}\n    image: r\n    resources: {{claims: [{{name: gpu}}]}}\n"
    )


def one_template(folder: Path, count: int) -> Path:
    return file(folder, "---\n".join([template("gpu"), *(claiming(n, "gpu") for n in range(count))]))


def own_template(number: int) -> str:
    return template(f"gpu-{number}") + "---\n" + claiming(number, f"gpu-{number}")


def one_name_of_templates(number: int) -> str:
    """Templates of one name, each in a namespace of its own."""
    made = own_template(number).replace(f"gpu-{number}", "gpu")
    return made.replace("metadata: {", f"metadata: {{namespace: n{number}, ")


def requests_of_one(folder: Path, count: int) -> Path:
    """One claim of many requests, and a container for each."""
    asked = "{deviceClassName: hami-core-gpu.project-hami.io, capacity: {requests: {cores: 30, memory: 4Gi}}}"
    requests = (f"      - {{name: r{n}, exactly: {asked}}}\n" for n in range(count))
    containers = (
        f"  - {{name: c{n}, image: r, resources: {{claims: [{{name: g, request: r{n}}}]}}}}\n"
        for n in range(count)
    )
    return file(
        folder,
        "apiVersion: resource.k8s.io/v1\nkind: ResourceClaimTemplate\nmetadata: {name: t}\nspec:\n  spec:\n"
        "    devices:\n      requests:\n" + "".join(requests) + "---\napiVersion: v1\nkind: Pod\n"
        "metadata: {name: p}\nspec:\n  resourceClaims: [{name: g, resourceClaimTemplateName: t}]\n"
        "  containers:\n" + "".join(containers),
    )


# --- folders ----------------------------------------------------------------------------------------------


def files(folder: Path, texts: Iterator[str]) -> Path:
    for number, text in enumerate(texts):
        path = folder / f"{number // 100:04d}" / f"{number:06d}.yaml"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    return folder


def excluding(folder: Path, count: int) -> Path:
    """A file, and many patterns of files that are left out."""
    patterns = ", ".join(f'"out-{n}/*.yaml"' for n in range(count))
    file(folder, f"exclude = [{patterns}]\n", "gpuxlate.toml")
    return files(folder, map(pod, range(1)))


def sources(folder: Path, count: int) -> Path:
    """Sources with a file and three targets each."""
    for number in range(count):
        (folder / f"s{number}").mkdir()
        file(folder, "x", f"s{number}/a")
    each = "".join(
        f"- {{source: s{n}, targets: {{tke: t/{n}/a, vke: t/{n}/b, hami: t/{n}/c}}}}\n" for n in range(count)
    )
    return file(folder, f"sync:\n{each}", ".gpuxlate.yaml")


def shares_beside_kustomizations(folder: Path, count: int) -> Path:
    """A source of shares with a workload each, and of as many kustomizations beside them."""
    (folder / "base").mkdir()
    shares_and_workloads(folder / "base", count)
    for number in range(count):
        here = folder / "base" / f"k{number}"
        here.mkdir()
        file(here, pod(number), "w.yaml")
        labels = "commonLabels: {vke.volcengine.com/x: a}\n"
        file(here, f"resources: [w.yaml]\n{labels}", "kustomization.yaml")
    return file(folder, "sync: [{source: base, targets: {tke: out}}]\n", ".gpuxlate.yaml")


def changed_by_hand(folder: Path, count: int) -> Path:
    """One file of many pods in the source, and what somebody made of it in the folder of a target."""
    for name in ("base", "out"):
        (folder / name).mkdir()
    text = stream(pod)(folder / "base", count).read_text()
    file(folder, re.sub(r"(image: .*)1:1$", r"\1:2", text, flags=re.M), "out/input.yaml")
    return file(folder, "sync: [{source: base, targets: {vke: out}}]\n", ".gpuxlate.yaml")


def configured(folder: Path, count: int) -> Path:
    """Files, and as many patterns of paths in the configuration, up to 20."""
    paths = "".join(f'"00{n:02d}/*" = ["VKE014"]\n' for n in range(20))
    file(folder, f"[lint.per-file-ignores]\n{paths}", "gpuxlate.toml")
    return files(folder, map(pod, range(count)))


def kustomized(folder: Path, resources: str, entries: str, patches: Mapping[str, str]) -> Path:
    file(folder, resources, "pods.yaml")
    for name, text in patches.items():
        file(folder, text, name)
    file(folder, f"resources: [pods.yaml]\npatches:\n{entries}", "kustomization.yaml")
    return folder


def patch_of(number: int, name: str) -> str:
    asked = f"{{{VKE.format('core')}: {5 + number % 90}}}"
    return (
        f"apiVersion: v1\nkind: Pod\nmetadata: {{name: {name}}}\nspec:\n  containers:\n"
        f"  - name: c{number}\n    resources: {{limits: {asked}}}\n"
    )


def own_patches(folder: Path, count: int) -> Path:
    """A patch for each pod, in a file of its own."""
    made = {f"patch-{n}.yaml": patch_of(n, f"p{n}") for n in range(count)}
    entries = "".join(f"- path: {name}\n" for name in made)
    return kustomized(folder, "---\n".join(map(pod, range(count))), entries, made)


def patches_in_one_file(folder: Path, count: int) -> Path:
    text = "---\n".join(patch_of(n, f"p{n}") for n in range(count))
    return kustomized(folder, "---\n".join(map(pod, range(count))), "- path: all.yaml\n", {"all.yaml": text})


def patches_for_all(folder: Path, count: int) -> Path:
    """Patches that are for every pod."""
    made = {f"patch-{n}.yaml": patch_of(n, "any").replace(f"c{n}\n", "c\n") for n in range(count)}
    entries = "".join(f"- {{path: {name}, target: {{kind: Pod}}}}\n" for name in made)
    pods = (pod(n).replace(f"name: c{n}\n", "name: c\n") for n in range(count))
    return kustomized(folder, "---\n".join(pods), entries, made)


def operations(folder: Path, count: int) -> Path:
    """Operations of one file, a tenth as many pods that it is for."""
    place = "/spec/containers/0/resources/limits/vke.volcengine.com~1mgpu-core"
    made = "".join(f"- {{op: replace, path: {place}, value: {1 + n % 90}}}\n" for n in range(count))
    resources = "---\n".join(map(pod, range(max(1, count // 10))))
    entry = "- {path: operations.yaml, target: {kind: Pod}}\n"
    return kustomized(folder, resources, entry, {"operations.yaml": made})


def operations_of_one(folder: Path, count: int) -> Path:
    """Operations on the containers of one pod."""
    place = "/spec/containers/{}/resources/limits/vke.volcengine.com~1mgpu-core"
    made = "".join(f"- {{op: replace, path: {place.format(n)}, value: 2}}\n" for n in range(count))
    resources = pod(1, *(container(n, cores=1) for n in range(count)))
    entry = "- {path: operations.yaml, target: {kind: Pod}}\n"
    return kustomized(folder, resources, entry, {"operations.yaml": made})


def chart(folder: Path, count: int) -> Path:
    """Values of a chart with a part for each workload, and a second file over them."""
    file(folder, "apiVersion: v2\nname: chart\nversion: 1.0.0\n", "Chart.yaml")
    part = "s{0}:\n  resources:\n    limits: {{{1}: {2}, {3}: 1024}}\n"
    for name, plus in (("values.yaml", 0), ("values-production.yaml", 1)):
        parts = (
            part.format(n, VKE.format("core"), 5 + n % 90 + plus, VKE.format("memory")) for n in range(count)
        )
        file(folder, "".join(parts), name)
    return folder


def kustomizations(folder: Path, count: int) -> Path:
    """Overlays over one base, each with a patch."""
    (folder / "base").mkdir()
    file(folder / "base", pod(1), "pods.yaml")
    file(folder / "base", "resources: [pods.yaml]\n", "kustomization.yaml")
    (folder / ".git").mkdir()
    for number in range(count):
        here = folder / f"overlay-{number}"
        here.mkdir()
        file(here, patch_of(1, "p1"), "patch.yaml")
        file(here, "resources: [../base]\npatches:\n- path: patch.yaml\n", "kustomization.yaml")
    return folder


def components(folder: Path, count: int) -> Path:
    """Components of one kustomization, each with a patch of a pod of its own."""
    (folder / ".git").mkdir()
    stream(pod)(folder, count).rename(folder / "pods.yaml")
    listed = "".join(f"- c{number}\n" for number in range(count))
    file(folder, f"resources: [pods.yaml]\ncomponents:\n{listed}", "kustomization.yaml")
    for number in range(count):
        here = folder / f"c{number}"
        here.mkdir()
        file(here, patch_of(number, f"p{number}"), "patch.yaml")
        head = "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\n"
        file(here, f"{head}patches:\n- path: patch.yaml\n", "kustomization.yaml")
    return folder


# --- quotas, jobs, shares ---------------------------------------------------------------------------------


def quota(number: int) -> str:
    return (
        f"apiVersion: v1\nkind: ResourceQuota\nmetadata: {{name: q{number}}}\nspec:\n  hard:\n"
        f"    requests.{VKE.format('core')}: '{100 + number}'\n"
        f"    requests.{VKE.format('memory')}: '{1024 * (10 + number)}'\n"
    )


def one_quota(folder: Path, count: int) -> Path:
    hard = "".join(f"    requests.example.com/r{n}: '{n}'\n" for n in range(count))
    return file(folder, quota(1) + hard)


def one_limit_range(folder: Path, count: int) -> Path:
    rows = (f"  - {{type: Container, max: {{{VKE.format('core')}: {n}}}}}\n" for n in range(count))
    return file(
        folder,
        "apiVersion: v1\nkind: LimitRange\nmetadata: {name: q}\nspec:\n  limits:\n" + "".join(rows),
    )


def job(number: int) -> str:
    return (
        f"gpuResourceType: mGPU  # job {number}\nmultiCardSharing: false\ngpuCompute: 0.{1 + number % 9}\n"
        f"gpuMemoryMiB: {4096 + number}\ncomputePolicy: fixed-share\n"
    )


def statements(folder: Path, count: int) -> Path:
    rows = (f"set some.setting.n{n} = {n};\n" for n in range(count))
    head = (
        "set serverless.custom.job.gpu.enabled = true;\nset serverless.custom.job.task.gpus=1;\n"
        "set emr.serverless.mgpu.core=30;\nset emr.serverless.mgpu.memory=1000;\n"
    )
    return file(folder, head + "".join(rows), "job.sql")


def share(number: int) -> str:
    return (
        f"apiVersion: gpuxlate.io/v1alpha1\nkind: GPUShare\nmetadata: {{name: s{number}}}\n"
        f"spec: {{cores: {5 + number % 90}, memoryMiB: {1024 + number}}}\n"
    )


def shares_of_one(folder: Path, count: int) -> Path:
    """Shares that all name one workload, each a container of it."""
    file(folder, pod(1, *(f"  - name: c{n}\n    image: r\n" for n in range(count))), "work.yaml")
    named = ", workload: {{file: work.yaml, container: c{}}}}}\n"
    made = (
        share(n).removesuffix("}\n").replace("cores: ", "cores: ") + named.format(n) for n in range(count)
    )
    return file(folder, "---\n".join(made), "shares.yaml")


def shares_and_workloads(folder: Path, count: int) -> Path:
    """Shares that name a workload each."""
    for number in range(count):
        file(folder, pod(number, f"  - name: c{number}\n    image: r\n"), f"work-{number}.yaml")
    named = ", workload: {{file: work-{}.yaml}}}}\n"
    made = (share(n).removesuffix("}\n") + named.format(n) for n in range(count))
    return file(folder, "---\n".join(made), "shares.yaml")


def fleet(folder: Path, count: int) -> Path:
    """Deployments of many pods, for which one order of packing is tried; the profiles of two targets."""
    profiles(folder)
    return stream(lambda n: deployment(n, replicas=80 + n % 40))(folder, count)


def small_fleet(folder: Path, count: int) -> Path:
    """Deployments of one pod each, for which four orders of packing are tried."""
    profiles(folder)
    return stream(lambda n: deployment(n, replicas=1))(folder, count)


def profiles(folder: Path) -> None:
    for name in ("tencent-qgpu", "volcengine-mgpu"):
        file(folder, f"target: {name}\ncards: {{model: A10-24GB, perNode: 4}}\n", f"{name}.yaml")


def resource_list(folder: Path, count: int) -> Path:
    items = (pod(n).rstrip().replace("\n", "\n  ") for n in range(count))
    return file(
        folder,
        "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nfunctionConfig:\n"
        "  apiVersion: gpuxlate.io/v1alpha1\n  kind: Translate\n  metadata: {name: t}\n"
        "  spec: {to: tencent-qgpu, round: up}\nitems:\n" + "".join(f"- {one}\n" for one in items),
    )


def smi(folder: Path, count: int) -> Path:
    """A share of many cards, and what nvidia-smi prints for each."""
    file(folder, share(1), "share.yaml")
    head = "index, name, uuid, memory.total [MiB]\n"
    rows = (f"{n}, NVIDIA A10, GPU-{n:08x}-0000-0000-0000-000000000000, 1025 MiB\n" for n in range(count))
    return file(folder, head + "".join(rows), "smi.csv")


PLAN = ("plan", "--round", "up", "--to", "tencent-qgpu", "--profile", f"{FOLDER}/tencent-qgpu.yaml")
PLANS: Mapping[str, Command] = {
    "plan": (*PLAN, INPUT),
    "plan to two, html": (
        *PLAN,
        *("--to", "volcengine-mgpu", "--profile", f"{FOLDER}/volcengine-mgpu.yaml"),
        *("--html", OUTPUT, INPUT),
    ),
}
LEFT: Mapping[str, Command] = {
    "translate, leftovers allowed": ("translate", *TO, *LOSSES, "--allow-leftovers", "--diff", INPUT)
}
COMPARE: Mapping[str, Command] = {
    "render": ("render", *TO, *LOSSES, INPUT),
    "compare": ("compare", INPUT),
    "cost": ("cost", "--to", "volcengine-emr-spark", "--executors", "2", "--card", "A10", INPUT),
    "nodepool": ("nodepool", *TO, INPUT),
    "lint": ("lint", INPUT),
}
WORKLOADS: Mapping[str, Command] = {
    "render": ("render", *TO, *LOSSES, INPUT),
    "compare": ("compare", INPUT),
    "lint": ("lint", INPUT),
}
SYNC = ("--config", INPUT, "sync", "--overwrite")
QUOTAS = {name: one for name, one in MANIFESTS.items() if name != "parse"}
JOBS = {name: MANIFESTS[name] for name in ("lint", "parse", "inspect")}
PRODUCT = "patches times objects, up to MAX_PATCHED"
FILES = 2**16

KINDS: Sequence[Kind] = (
    Kind("pods in one stream", stream(pod), {**MANIFESTS, **CHANGES, **STDIN}),
    Kind("deployments in one stream", stream(deployment), MANIFESTS),
    Kind("one List", one_list, {**MANIFESTS, **CHANGES}),
    Kind("containers of one pod", one_pod, {**MANIFESTS, **CHANGES}),
    Kind("one JSON line", one_line, {**MANIFESTS, **CHANGES}),
    Kind(
        "findings in one JSON line",
        lambda folder, n: one_line(folder, n, "4Gi"),
        {**LINT, **FORMATS, **FIXES, **TRANSLATE},
    ),
    Kind("findings in one stream", stream(mistaken), {**LINT, **FORMATS, **FIXES, **TRANSLATE}),
    Kind("findings in one List", lambda folder, n: one_list(folder, n, "4Gi"), {**LINT, **FIXES}),
    Kind("comments that ignore", stream(commented), {**LINT, **FIXES, **TRANSLATE}, most=limits.MAX_IGNORES),
    Kind("leftovers", stream(left), {**MANIFESTS, **LEFT}),
    Kind("one name for all", stream(one_name), {**MANIFESTS, **CHANGES}),
    Kind("a stream that breaks off", broken, {**LINT, **READ, **TRANSLATE}),
    Kind("a text of many lines", script, {**LINT, **TRANSLATE, **LEFT, "inspect": READ["inspect"]}),
    Kind("annotations of one pod", many_keys, {**MANIFESTS, **FIXES}),
    Kind("aliases of one anchor", aliases, {**LINT, **READ, **TRANSLATE}, most=limits.MAX_ALIASES),
    Kind("one template for all pods", one_template, {**MANIFESTS, **STDIN}),
    Kind("a template for each pod", stream(own_template), {**MANIFESTS, **STDIN}),
    Kind("one name of all templates", stream(one_name_of_templates), {**MANIFESTS, **STDIN}),
    Kind("requests of one claim", requests_of_one, LINT),
    Kind("small files", lambda folder, n: files(folder, map(pod, range(n))), MANIFESTS, most=FILES),
    Kind(
        "small files, configured",
        configured,
        {"lint": ("--config", f"{FOLDER}/gpuxlate.toml", "lint", INPUT)},
        most=FILES,
    ),
    Kind(
        "patterns of files that are left out",
        excluding,
        {"lint": ("--config", f"{FOLDER}/gpuxlate.toml", "lint", INPUT)},
        most=2**14,
    ),
    Kind("sources", sources, {"sync --check": (*SYNC, "--check")}, most=1024),
    Kind(
        "shares beside as many kustomizations",
        shares_beside_kustomizations,
        {"sync --check": (*SYNC, "--check")},
        most=4096,
    ),
    Kind(
        "pods of a file that was changed by hand",
        changed_by_hand,
        {"sync --check": (*SYNC, "--check"), "sync --diff": (*SYNC, "--diff")},
    ),
    Kind("a patch for each pod", own_patches, MANIFESTS, most=limits.MAX_BASE_FILES),
    Kind("patches in one file", patches_in_one_file, MANIFESTS, most=limits.MAX_ENTRIES),
    Kind("patches for all pods", patches_for_all, MANIFESTS, most=100, why=PRODUCT),
    Kind(
        "patches for all pods, too many",
        lambda folder, n: patches_for_all(folder, n + 300),
        {**LINT, **TRANSLATE},
        most=4096,
    ),
    Kind(
        "operations on all pods",
        operations,
        MANIFESTS,
        most=400,
        why="operations times objects, up to MAX_PATCHED",
    ),
    Kind("operations on one pod", operations_of_one, MANIFESTS, most=640),
    Kind("overlays over one base", kustomizations, MANIFESTS, most=limits.MAX_BASE_FILES // 2),
    Kind("components of one kustomization", components, MANIFESTS, most=limits.MAX_BASE_FILES // 2),
    Kind("values of a chart", chart, MANIFESTS),
    Kind("quotas", stream(quota), QUOTAS),
    Kind("names of one quota", one_quota, QUOTAS),
    Kind("rows of one LimitRange", one_limit_range, QUOTAS),
    Kind("forms of jobs", stream(job), JOBS),
    Kind("statements of one job", statements, JOBS),
    Kind("shares", stream(share), COMPARE),
    Kind("shares of one workload", shares_of_one, WORKLOADS),
    Kind("shares with a workload each", shares_and_workloads, WORKLOADS, most=FILES),
    Kind("a plan of deployments", fleet, PLANS),
    Kind("a plan of few pods", small_fleet, PLANS, most=ORDERED),
    Kind("a ResourceList", resource_list, {"krm": ("krm",)}),
    Kind(
        "cards of nvidia-smi",
        smi,
        {"verify": ("verify", f"{FOLDER}/share.yaml", "--nvidia-smi", INPUT)},
        most=2**19,  # twice as many are more bytes than a file may have
    ),
)
