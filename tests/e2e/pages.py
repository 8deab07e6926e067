"""The ``console live`` blocks of the documentation, run on clusters with made-up nodes and pods.

    python -m tests.e2e.pages      # writes what the commands print now

Each page starts with the same two clusters; its commands run in their order and see what was done before.
"""

import sys
import tempfile
from pathlib import Path

from docs.tools.inserts.console import ROOT, with_output

from . import nodes, pods
from .server.cluster import Cluster
from .server.kubeconfig import write_kubeconfig

PAGES = ("docs/kubectl.md",)
FENCE = "console live"


def current(page: str, vke: Cluster, tke: Cluster, folder: Path) -> str:
    """The page as it should be. ``folder`` gets the kubeconfig, with contexts ``vke`` and ``tke``."""
    for cluster, its_nodes, its_pods in ((vke, nodes.VKE, pods.VKE), (tke, nodes.TKE, pods.TKE)):
        cluster.clear()
        cluster.add_nodes(its_nodes)
        cluster.add_pods(its_pods)
    kubeconfig = write_kubeconfig(folder / "kubeconfig", [vke.context(name="vke"), tke.context(name="tke")])
    variables = {"KUBECONFIG": str(kubeconfig), "HOME": str(folder)}
    text = (ROOT / page).read_text(encoding="utf-8")
    return with_output(text, FENCE, variables)


def main() -> int:
    with Cluster("vke") as vke, Cluster("tke") as tke, tempfile.TemporaryDirectory() as folder:
        for page in PAGES:
            text = current(page, vke, tke, Path(folder))
            if text != (ROOT / page).read_text(encoding="utf-8"):
                (ROOT / page).write_text(text, encoding="utf-8")
                print(f"wrote {page}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
