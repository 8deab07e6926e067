"""``kubectl gpuxlate`` on nodes and pods in memory: ``python -m`` with this module, then ``COMMAND ...``.

The objects are those of the tests on real API servers, and the whole way from there to the terminal is the
command's own; only the connection is another.
"""

from __future__ import annotations

import sys

from gpuxlate.cli import kubectl, live
from tests.cluster.fake import FakeServer
from tests.e2e import nodes, pods


def main() -> None:
    server = FakeServer(nodes.VKE, pods.VKE)
    live.open_cluster = lambda _options: server  # type: ignore[assignment, return-value]
    kubectl.main(sys.argv[1:])


if __name__ == "__main__":
    main()
