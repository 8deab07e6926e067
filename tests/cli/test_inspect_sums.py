"""What ``inspect`` adds up: not what no card and no node can have."""

import json
from pathlib import Path

from tests.running import run

POD = """\
apiVersion: v1
kind: Pod
metadata: {{name: web}}
spec:
  containers:
    - name: web
      image: web
      resources:
        limits: {{tke.cloud.tencent.com/qgpu-core: "30", tke.cloud.tencent.com/qgpu-memory: "{memory}"}}
"""


def test_absurd_amounts_are_in_no_sum(tmp_path: Path) -> None:
    path = tmp_path / "pods.yaml"
    path.write_text("---\n".join(POD.format(memory=gib) for gib in (4, 7516192768)))
    done = run("inspect", str(path), "-o", "json")
    assert json.loads(done.out)["totals"]["tencent-qgpu"]["memoryMiB"] == 4096
    assert b"1 share not in the totals: no card has so much" in run("inspect", str(path)).out
