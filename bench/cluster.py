"""The plug-in on a real API server: start-up beside kubectl, large fleets. Run: python -m bench.cluster"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path

from bench import measure
from tests.e2e import nodes, pods
from tests.e2e.server import build
from tests.e2e.server.cluster import Cluster

HALF, WHOLE = 2_500, 5_000
"""GPU pods of the two fleets."""


def main() -> None:
    """Start-up on a small cluster, then the same commands on a fleet and on one twice as large."""
    tool, kubectl = measure.program("kubectl-gpuxlate"), measure.program("kubectl")
    if tool is None or kubectl is None or not build.is_built():
        print("left out: this needs gpuxlate, kubectl, and the API server that make e2e builds once")
        return
    with Cluster("bench") as cluster, _reached(cluster, Path(tool).parent):
        cluster.add_nodes(nodes.ALL)
        cluster.add_pods(pods.ALL)
        commands = {
            "kubectl get nodes": [kubectl, "get", "nodes"],
            "kubectl get nodes -o json": [kubectl, "get", "nodes", "-o", "json"],
            "kubectl-gpuxlate nodes": [tool, "nodes"],
            "kubectl gpuxlate nodes": [kubectl, "gpuxlate", "nodes"],
            "kubectl gpuxlate --version": [kubectl, "gpuxlate", "--version"],
        }
        title = f"start-up, {len(nodes.ALL)} nodes and {len(pods.ALL)} pods"
        print(measure.table(title, measure.together(commands, 11), "kubectl get nodes -o json"))

        cluster.clear()
        cluster.add_nodes(nodes.fleet(pods.FLEET_NODES))
        gpu_pods = _gpu_pods()
        timings: dict[int, dict[str, measure.Timing]] = {}
        made = 0
        for total in (HALF, WHOLE):
            cluster.add_pods(islice(gpu_pods, total - made))
            made = total
            timings[total] = measure.together(
                {
                    "kubectl get pods -A -o json": [kubectl, "get", "pods", "-A", "-o", "json"],
                    "nodes": [tool, "nodes"],
                    "capacity": [tool, "capacity"],
                    "lint -A": [tool, "lint", "-A"],
                },
                3,
            )
            title = f"{total:,} GPU pods on {pods.FLEET_NODES} nodes"
            print(measure.table(title, timings[total], "kubectl get pods -A -o json"))
        print(f"\n{WHOLE:,} pods against {HALF:,}")
        for name, one in timings[WHOLE].items():
            half = timings[HALF][name]
            print(f"{name:34}{one.seconds / half.seconds:8.2f} times the time, ", end="")
            print(f"{one.cpu / half.cpu:.2f} times the CPU time, ", end="")
            print(f"{one.memory / half.memory:.2f} times the memory")


def _gpu_pods() -> Iterator[pods.Pod]:
    """The pods of the large fleet that have a share: one of five."""
    return (pods.numbered(index) for index in range(0, 5 * WHOLE, 5))


@contextmanager
def _reached(cluster: Cluster, plugins: Path) -> Iterator[None]:
    """Every command of this process reaches the cluster, and kubectl finds the plug-in."""
    before = dict(os.environ)
    os.environ.update(cluster.environment())
    os.environ["PATH"] = f"{plugins}{os.pathsep}{before['PATH']}"
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


if __name__ == "__main__":
    main()
