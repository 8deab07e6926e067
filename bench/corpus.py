"""Generated manifests for the benchmarks: the same ones on every run."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

DEPLOYMENT = """\
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {name}
  namespace: team-{team}
  labels:
    app: {name}
spec:
  replicas: {replicas}
  selector:
    matchLabels:
      app: {name}
  template:
    metadata:
      labels:
        app: {name}
    spec:
      containers:
      - name: server   # serves {name}
        image: registry.example.com/team-{team}/{name}:1.{team}.0
        args: ["--port=8080", "--workers={replicas}"]
        ports:
        - containerPort: 8080
        env:
        - name: LOG_LEVEL
          value: info
        resources:
          limits:
            cpu: "2"
            memory: 4Gi
{limits}          requests:
            cpu: "1"
            memory: 2Gi
{limits}      - name: sidecar
        image: registry.example.com/mesh/proxy:2.1
        resources:
          limits:
            cpu: 100m
            memory: 128Mi
"""

VKE = """\
            vke.volcengine.com/mgpu-core: {cores}
            vke.volcengine.com/mgpu-memory: {memory}
"""

OTHER = """\
apiVersion: v1
kind: {kind}
metadata:
  name: {name}
  namespace: team-{team}
  labels: {{app: {name}, tier: backend}}
{body}"""

BODIES = {
    "ConfigMap": "data:\n  config.yaml: |\n    port: 8080\n    workers: 4\n  mode: fast\n",
    "Service": "spec:\n  selector:\n    app: web\n  ports:\n  - port: 80\n    targetPort: 8080\n",
    "ServiceAccount": "automountServiceAccountToken: false\n",
    "PersistentVolumeClaim": (
        "spec:\n  accessModes: [ReadWriteOnce]\n  resources:\n    requests:\n      storage: 10Gi\n"
    ),
}


def deployment(number: int, *, gpu: bool) -> str:
    """One Deployment of two containers, of about 1.3 kB; with ``gpu`` it has an mGPU share."""
    limits = VKE.format(cores=5 * (1 + number % 19), memory=1024 * (1 + number % 16)) if gpu else ""
    return DEPLOYMENT.format(name=f"app-{number}", team=number % 37, replicas=1 + number % 5, limits=limits)


def other_deployment(number: int, *, gpu: bool) -> str:
    """A Deployment like few others of its stream: keys, lists and lines differ from one to the next."""
    text = deployment(number, gpu=gpu)
    env = "".join(
        f"        - name: SETTING_{n}\n          value: {number * n % 97}\n" for n in range(number % 5)
    )
    notes = f"    note-{number}.example.com/changed: yes-{number}\n"
    text = text.replace("  labels:\n", f"  annotations:\n{notes}  labels:\n", 1)
    return text.replace("          value: info\n", f"          value: info\n{env}", 1)


def unlike_deployment(number: int, *, gpu: bool) -> str:
    """A Deployment that has to be read, whatever was before it: a value of several words has a new key."""
    return other_deployment(number, gpu=gpu).replace(
        "    app: app-", f"    key-{number}.example.com/why: two words\n    app: app-", 1
    )


def other(number: int, choose: random.Random) -> str:
    """A document of another kind."""
    kind = choose.choice(list(BODIES))
    return OTHER.format(kind=kind, name=f"obj-{number}", team=number % 37, body=BODIES[kind])


Make = Callable[..., str]
"""A document by its number, with a share or without."""


WITH_SHARES: tuple[tuple[str, Make], ...] = (
    ("names and numbers differ", deployment),
    ("keys and lists differ too", other_deployment),
    ("none is alike", unlike_deployment),
)
"""What a stream of documents with shares may be like: each has less in common than the last."""


def tree(folder: Path, files: int, gpu_every: int, make: Make = deployment) -> None:
    """A tree of mixed kinds, 100 files a folder; every ``gpu_every``-th file asks for GPUs."""
    choose = random.Random(7)
    for number in range(files):
        where = folder / f"{number // 100:03d}"
        where.mkdir(parents=True, exist_ok=True)
        if number % gpu_every == 0:
            text = make(number, gpu=True)
        else:
            text = deployment(number, gpu=False) if number % 3 else other(number, choose)
        (where / f"{number:05d}.yaml").write_text(text)


def stream(documents: int, make: Make = deployment) -> str:
    """One file of Deployments, every one with a share."""
    return "---\n".join(make(number, gpu=True) for number in range(documents))
