"""Every command that needs no cluster, with files for each: what holds for all is tried on all."""

POD = """\
apiVersion: v1
kind: Pod
metadata:
  name: {name}
spec:
  containers:
  - name: {container}
    image: web:1
    resources:
      limits:
        vke.volcengine.com/mgpu-core: {cores}
        vke.volcengine.com/mgpu-memory: 4000
"""
SPEC = """\
apiVersion: gpuxlate.io/v1alpha1
kind: GPUShare
metadata:
  name: {name}
spec:
  cores: 30
  memoryMiB: 4096
"""
PROFILE = """\
target: volcengine-mgpu
kubernetesVersion: {name}
nodeImage: {name}
cards: {{model: {name}, perNode: 4, memoryMiB: 22731}}
components: {{mgpu: {name}}}
"""
SMI = "index, name, memory.total [MiB], memory.used [MiB]\n0, {name}, 4096 MiB, 0 MiB\n"
RESOURCE_LIST = """\
apiVersion: config.kubernetes.io/v1
kind: ResourceList
functionConfig:
  apiVersion: gpuxlate.io/v1alpha1
  kind: Translate
  spec: {{to: tencent-qgpu, round: up}}
items:
- apiVersion: v1
  kind: Pod
  metadata: {{name: {name}}}
  spec:
    containers:
    - name: {container}
      resources: {{limits: {{vke.volcengine.com/mgpu-core: 30, vke.volcengine.com/mgpu-memory: 4096}}}}
"""
SESSION = "".join(
    f"Content-Length: {len(one)}\r\n\r\n{one}"
    for one in (
        '{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"capabilities": {}}}',
        '{"jsonrpc": "2.0", "id": 2, "method": "shutdown"}',
        '{"jsonrpc": "2.0", "method": "exit"}',
    )
)
TEXTS = {
    "pod.yaml": POD,
    "spec.yaml": SPEC,
    "profile.yaml": PROFILE,
    "smi.csv": SMI,
    "list.yaml": RESOURCE_LIST,
    "session.txt": SESSION.replace("{", "{{").replace("}", "}}"),
}

RUNS = {
    "render": "render spec.yaml --to tke",
    "render to a folder": "render spec.yaml --to all --drop cores,policy,qos --output-dir out",
    "render on a workload": "render spec.yaml --to tke --workload pod.yaml",
    "render parameters": "render spec.yaml --to volcengine-emr-spark",
    "translate": "translate pod.yaml --to tke --round up",
    "translate, refused": "translate pod.yaml --to tke",
    "translate --diff": "translate pod.yaml --to tke --round up --diff",
    "translate --check": "translate pod.yaml --to tke --round up --check",
    "translate -i": "translate -i pod.yaml --to tke --round up",
    "translate --report": "translate pod.yaml --to tke --round up --report report.json",
    "translate a folder": "translate . --to tke --round up --output-dir out",
    "parse": "parse pod.yaml",
    "parse -o json": "parse pod.yaml -o json",
    "lint": "lint pod.yaml",
    "lint all": "lint . --format text",
    "lint json": "lint pod.yaml --format json",
    "lint sarif": "lint pod.yaml --format sarif",
    "lint concise": "lint pod.yaml --format concise",
    "lint junit": "lint pod.yaml --format junit",
    "lint github": "lint pod.yaml --format github",
    "lint gitlab": "lint pod.yaml --format gitlab",
    "lint --statistics": "lint pod.yaml --statistics",
    "lint --fix": "lint --fix --unsafe-fixes pod.yaml",
    "lint --add-ignores": "lint --add-ignores so pod.yaml",
    "lint stdin": "lint -",
    "lint --fix stdin": "lint --fix -",
    "lint --profile": "lint pod.yaml --profile profile.yaml",
    "sync": "sync --check",
    "explain": "explain TKE001",
    "rules": "rules",
    "completion": "completion bash",
    "targets": "targets",
    "compare": "compare spec.yaml",
    "compare -o json": "compare spec.yaml -o json",
    "compare --manifests": "compare spec.yaml --manifests",
    "assess": "assess pod.yaml --to tke",
    "assess -o json": "assess pod.yaml --to tke -o json",
    "inspect": "inspect pod.yaml",
    "inspect -o json": "inspect pod.yaml -o json",
    "plan": "plan pod.yaml --to vke --profile profile.yaml",
    "plan -o json": "plan pod.yaml --to vke --profile profile.yaml -o json --html plan.html",
    "assess --html": "assess pod.yaml --to tke --html assess.html",
    "cost": "cost spec.yaml --to volcengine-emr-ray --card A10",
    "verify": "verify spec.yaml --nvidia-smi smi.csv",
    "nodepool": "nodepool spec.yaml --to vke --check profile.yaml",
    "nodepool -o kubectl": "nodepool spec.yaml --to vke -o kubectl --node n1",
    "policy": "policy --to tke",
    "policy --explain": "policy --to tke --explain",
    "schema": "schema spec",
    "schema --check": "schema spec --check spec.yaml",
    "krm": "krm",
    "server": "server --to tke",
    "help": "--help",
    "version": "--version",
    "a mistake": "lint --nonsense",
    "a missing file": "lint gone.yaml",
}
"""What is run, in a folder with ``TEXTS``."""
STDIN = {
    "krm": "list.yaml",
    "server": "session.txt",
    "lint stdin": "pod.yaml",
    "lint --fix stdin": "pod.yaml",
}


def texts(name: str = "web", container: str = "web", cores: str = "30") -> dict[str, str]:
    """The files, with these words in them."""
    return {file: text.format(name=name, container=container, cores=cores) for file, text in TEXTS.items()}
