"""Clusters for the tests. A test that asks for one is marked ``e2e`` by itself and runs in ``make e2e``."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

import pytest

from .server.build import BuildError
from .server.cluster import Cluster, ClusterError, run_kubectl
from .server.kubeconfig import write_kubeconfig

HERE = Path(__file__).parent


@pytest.hookimpl(tryfirst=True)  # before -m chooses
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:  # of all folders: others have a fixture of this name that needs no server
        if HERE in item.path.parents and "cluster" in getattr(item, "fixturenames", ()):
            item.add_marker("e2e")


def _started(name: str) -> Iterator[Cluster]:
    with ExitStack() as stack:
        try:
            cluster = stack.enter_context(Cluster(name))
        except (BuildError, ClusterError) as problem:
            pytest.fail(str(problem), pytrace=False)
        yield cluster


@pytest.fixture(scope="session")
def cluster() -> Iterator[Cluster]:
    """One cluster, called ``ack``, for the whole run; ``clean_cluster`` is for tests that count things."""
    yield from _started("ack")


@pytest.fixture(scope="session")
def _second_cluster() -> Iterator[Cluster]:
    yield from _started("tke")


@pytest.fixture
def clean_cluster(cluster: Cluster) -> Cluster:
    """The same cluster with no nodes, pods and workloads in it."""
    cluster.clear()
    return cluster


class TwoClusters(NamedTuple):
    """Two servers with nothing in them, and one kubeconfig with contexts ``ack`` (current) and ``tke``."""

    ack: Cluster
    tke: Cluster
    kubeconfig: Path

    @property
    def environment(self) -> dict[str, str]:
        """Environment variables for kubectl and its plug-ins."""
        return self.ack.environment() | {"KUBECONFIG": str(self.kubeconfig)}

    def kubectl(self, *arguments: str, stdin: str | None = None) -> str:
        """What kubectl prints with that kubeconfig."""
        return run_kubectl(arguments, self.environment, stdin=stdin).stdout


@pytest.fixture
def two_clusters(clean_cluster: Cluster, _second_cluster: Cluster, tmp_path: Path) -> TwoClusters:
    """Two clusters at once."""
    _second_cluster.clear()
    contexts = [clean_cluster.context(), _second_cluster.context()]
    return TwoClusters(clean_cluster, _second_cluster, write_kubeconfig(tmp_path / "kubeconfig", contexts))
