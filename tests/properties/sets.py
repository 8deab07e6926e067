"""Sets of documents that depend on each other: pods, what they claim, what patches them, what bounds them.

A set is the same for the same number. Names and texts are drawn so that what one document says of another
(the template of a claim, the base of a patch) is often in no vendor's word.
"""

import random
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

POD = """\
apiVersion: v1
kind: Pod
metadata:
  name: {name}
spec:
{spec}"""
DEPLOYMENT = """\
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {name}
spec:
  replicas: {replicas}
  selector:
    matchLabels: {{app: {name}}}
  template:
    metadata:
      labels: {{app: {name}}}
    spec:
{spec}"""
TEMPLATE = """\
apiVersion: resource.k8s.io/v1
kind: {kind}
metadata:
  name: {name}
spec:
{devices}"""
REQUEST = """\
devices:
  requests:
  - name: gpu
    exactly:
      deviceClassName: {device_class}
"""
SHARES = (
    ('vke.volcengine.com/mgpu-core: "30"', 'vke.volcengine.com/mgpu-memory: "4096"'),
    ("aliyun.com/gpu-mem: 8",),
    ('tke.cloud.tencent.com/qgpu-core: "30"', 'tke.cloud.tencent.com/qgpu-memory: "4"'),
    ("nvidia.com/gpu: 1", "nvidia.com/gpumem: 4096", "nvidia.com/gpucores: 30"),
    ("nvidia.com/gpu: 1",),
    ("gpuxlate.io/cores: 30", "gpuxlate.io/memory-mib: 4000"),
    (),
)
CLASSES = (
    ("hami-core-gpu.project-hami.io", 'capacity: {requests: {cores: "30", memory: 4096Mi}}'),
    ("hami-core-gpu.project-hami.io", "count: 1"),
    ("gpu.nvidia.com", "count: 1"),
    ("mig.nvidia.com", "count: 1"),
    ("rdma.example.com", "count: 1"),
)
QUOTAS = (
    ("requests.aliyun.com/gpu-mem", "64"),
    ("requests.vke.volcengine.com/mgpu-memory", "65536"),
    ("requests.nvidia.com/gpu", "8"),
    ("limits.cpu", "100"),
)
OTHERS = (
    "apiVersion: v1\nkind: Service\nmetadata: {{name: s-{number}}}\n",
    "apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: c-{number}}}\ndata:\n  pod.yaml: |\n"
    "    spec:\n      resourceClaims:\n      - {{name: g, resourceClaimTemplateName: {claim}}}\n",
    "apiVersion: scheduling.k8s.io/v1alpha1\nkind: PodGroup\nmetadata: {{name: g-{number}}}\n"
    "spec:\n  resourceClaims:\n  - {{name: g, resourceClaimTemplateName: {claim}}}\n",
    "apiVersion: v1\nkind: Pod\nmetadata: {{name: {{{{ .Release.Name }}}}}}\n"
    "spec:\n  resourceClaims:\n  - {{name: g, resourceClaimTemplateName: {claim}}}\n  containers: []\n",
)
"""What is no pod that can be translated, and names a claim all the same."""
NAMES = ("resourceClaims", '"r\\x65sourceClaims"')
"""The key as it is written, and with an escape."""
CLAIMED = 3
"""Names of claims, which pods and templates of a set draw from."""


class Set(NamedTuple):
    """``documents`` may be split into files at every place; ``patches`` are a file each."""

    documents: Sequence[str]
    patches: Sequence[str] = ()

    def layouts(self) -> list[list[Sequence[str]]]:
        """All in one file, in two split at each place, and a file for each document."""
        every = self.documents
        cut = [[every[:place], every[place:]] for place in range(1, len(every))]
        return [[every], *cut, *([[[one] for one in every]] if len(every) > 2 else [])]

    def write(self, folder: Path, files: Sequence[Sequence[str]]) -> list[str]:
        """The files of one layout; with the kustomization where there are patches."""
        folder.mkdir()
        names = [f"part-{number}.yaml" for number in range(len(files))]
        patches = [f"patch-{number}.yaml" for number in range(len(self.patches))]
        for name, documents in zip(names, files, strict=True):
            (folder / name).write_text("---\n".join(documents), encoding="utf-8")
        for name, text in zip(patches, self.patches, strict=True):
            (folder / name).write_text(text, encoding="utf-8")
        if not patches:
            return names
        listed = "".join(f"- {name}\n" for name in names)
        patched = "".join(f"- path: {name}\n" for name in patches)
        text = f"resources:\n{listed}patches:\n{patched}"
        (folder / "kustomization.yaml").write_text(text, encoding="utf-8")
        return sorted([*names, *patches, "kustomization.yaml"])


def drawn(number: int) -> Set:
    """One set."""
    chance = random.Random(number)
    documents: list[str] = []
    bases: list[tuple[str, str]] = []
    for index in range(chance.randint(1, 3)):
        kind = chance.choice(("Pod", "Deployment"))
        name = f"w-{index}"
        documents.append(workload(chance, kind, name))
        bases.append((kind, name))
    claims = chance.sample(range(CLAIMED), chance.randint(0, 2))
    documents += [template(chance, f"t-{index}") for index in claims]
    if chance.random() < 0.3:
        key, amount = chance.choice(QUOTAS)
        head = "apiVersion: v1\nkind: ResourceQuota\nmetadata: {name: q}\n"
        documents.append(f"{head}spec:\n  hard: {{{key}: {amount}}}\n")
    if chance.random() < 0.3:
        other = chance.choice(OTHERS)
        documents.append(other.format(number=len(documents), claim=f"t-{chance.randrange(CLAIMED)}"))
    chance.shuffle(documents)
    patches = [patch(chance, *chance.choice(bases))] if chance.random() < 0.35 else []
    return Set(documents, patches)


def workload(chance: random.Random, kind: str, name: str) -> str:
    form, depth = (POD, 2) if kind == "Pod" else (DEPLOYMENT, 6)
    spec = indented(pod_spec(chance), depth)
    return form.format(name=name, spec=spec, replicas=chance.randint(0, 3))


def pod_spec(chance: random.Random) -> str:
    lines: list[str] = []
    claims = f"t-{chance.randrange(CLAIMED)}" if chance.random() < 0.5 else ""
    if claims:
        by = "resourceClaimTemplateName" if chance.random() < 0.85 else "resourceClaimName"
        lines += [f"{chance.choice(NAMES)}:", f"- {{name: g, {by}: {claims}}}"]
    if chance.random() < 0.2:
        lines.append("nodeSelector: {ack.node.gpu.schedule: cgpu, disk: ssd}")
    lines.append("containers:")
    for index in range(chance.randint(1, 2)):
        lines += [f"- name: c-{index}", "  image: example/x:1"]
        share = chance.choice(SHARES) if index == 0 and (not claims or chance.random() < 0.1) else ()
        uses = claims and (index == 0 or chance.random() < 0.2)
        if share or uses:
            lines.append("  resources:")
        if share:
            lines += ["    limits:", *(f"      {one}" for one in share)]
        if uses:
            lines.append("    claims: [{name: g}]")
    return "\n".join(lines) + "\n"


def template(chance: random.Random, name: str) -> str:
    device_class, more = chance.choice(CLASSES)
    devices = REQUEST.format(device_class=device_class) + f"      {more}\n"
    kind = chance.choice(("ResourceClaimTemplate",) * 5 + ("ResourceClaim",))
    inner = f"  spec:\n{indented(devices, 4)}" if kind == "ResourceClaimTemplate" else indented(devices, 2)
    return TEMPLATE.format(kind=kind, name=name, devices=inner)


def patch(chance: random.Random, kind: str, name: str) -> str:
    """What a patch says of the first container or its pod: a share, a claim, or that something goes."""
    says = chance.choice(
        (
            "containers:\n- name: c-0\n  resources: {limits: {aliyun.com/gpu-mem: 16}}\n",
            "containers:\n- name: c-0\n  resources: null\n",
            "containers:\n- name: c-0\n  image: example/x:2\n",
            "nodeSelector: null\n",
            "resourceClaims:\n- {name: g, resourceClaimTemplateName: t-0}\n"
            "containers:\n- name: c-0\n  resources: {claims: [{name: g}]}\n",
        )
    )
    head = f"apiVersion: {'v1' if kind == 'Pod' else 'apps/v1'}\nkind: {kind}\nmetadata: {{name: {name}}}\n"
    if kind == "Pod":
        return f"{head}spec:\n{indented(says, 2)}"
    return f"{head}spec:\n  template:\n    spec:\n{indented(says, 6)}"


def indented(text: str, depth: int) -> str:
    return "".join(f"{' ' * depth}{line}\n" for line in text.splitlines())
