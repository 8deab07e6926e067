"""A bound on the start of a command, which is most of the time that a hook takes on one file.

It counts the modules that are loaded when the command ends: unlike seconds, the same on a busy machine.
"""

import json
import subprocess
import sys
from pathlib import Path

import pytest

POD = """\
apiVersion: v1
kind: Pod
metadata: {name: web}
spec:
  containers:
  - name: web
    resources:
      limits: {vke.volcengine.com/mgpu-core: 30, vke.volcengine.com/mgpu-memory: 4096}
"""
FILES = {
    "pod.yaml": POD,
    "plain.yaml": """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec: {template: {spec: {containers: [{name: web, image: example.com/web, resources: {limits: {cpu: 1}}}]}}}
""",
    "share.yaml": """\
apiVersion: gpuxlate.io/v1alpha1
kind: GPUShare
metadata: {name: web}
spec: {cores: 30, memoryMiB: 4096}
""",
}

PROGRAM = """
import atexit, json, sys
atexit.register(lambda: print(json.dumps(sorted(sys.modules)), file=sys.__stderr__))
sys.argv[0] = "{name}"
from gpuxlate.cli{module} import main
main()
"""
PROGRAMS = {
    "gpuxlate": PROGRAM.format(name="gpuxlate", module=""),
    "kubectl-gpuxlate": PROGRAM.format(name="kubectl-gpuxlate", module=".kubectl"),
    "kubectl_complete-gpuxlate": PROGRAM.format(name="kubectl_complete-gpuxlate", module=".complete"),
}
# The most modules, of gpuxlate, its dependencies and Python: a few more than there are. What none of these
# needs adds more: pydantic and the client of a cluster hundreds, rich and asyncio dozens.
MOST_MODULES = {
    "gpuxlate --version": 80,
    "kubectl-gpuxlate --version": 80,
    "kubectl_complete-gpuxlate lint --context ''": 260,
    "gpuxlate --help": 240,
    "gpuxlate lint plain.yaml": 260,
    "gpuxlate lint pod.yaml": 345,
    "gpuxlate lint pod.yaml --format sarif": 345,
    "gpuxlate translate pod.yaml --to tke": 375,
    "gpuxlate parse pod.yaml": 415,
    "kubectl-gpuxlate parse pod.yaml": 430,
    "gpuxlate render share.yaml --to tke": 470,
}


@pytest.mark.parametrize("command", MOST_MODULES)
def test_the_start_is_bounded(command: str, tmp_path: Path) -> None:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    program, *arguments = command.replace("''", "").split(" ")
    done = subprocess.run(
        [sys.executable, "-c", PROGRAMS[program], *arguments],
        cwd=tmp_path,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout
    modules = json.loads(done.stderr.splitlines()[-1])
    assert len(modules) <= MOST_MODULES[command], modules
