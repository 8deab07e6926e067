"""The documentation of live clusters says what is printed there, and which rights are needed."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from . import nodes, pods
from .conftest import TwoClusters
from .pages import FENCE, PAGES, ROOT, current
from .server.cluster import Cluster

RIGHTS = ROOT / "examples" / "kubectl" / "rbac.yaml"
WEB = ROOT / "examples" / "kubectl" / "web.yaml"
READING = (
    *("nodes", "capacity", "preflight --to vke"),
    *("lint -A --fail-on never", "inspect -A", "translate pod/vke-a --to tke"),
)


@pytest.mark.parametrize("page", PAGES)
def test_a_page_is_current(two_clusters: TwoClusters, tmp_path: Path, page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    assert f"```{FENCE}\n" in text
    assert current(page, two_clusters.ack, two_clusters.tke, tmp_path) == text


@pytest.fixture
def roles(clean_cluster: Cluster) -> Iterator[Cluster]:
    """The roles of the page, which nobody has."""
    clean_cluster.add_nodes(nodes.VKE)
    clean_cluster.add_pods(pods.VKE)
    clean_cluster.kubectl("apply", "-f", str(RIGHTS))
    yield clean_cluster
    clean_cluster.kubectl("delete", "clusterrolebinding", "-l", "of=rights", "--ignore-not-found")
    clean_cluster.kubectl("delete", "-f", str(RIGHTS))


def as_nobody(cluster: Cluster, command: str) -> tuple[int, str]:
    """The exit code, and what was said, of a user with the rights that were given alone."""
    done = cluster.plugin(*command.split(), user="nobody")
    return done.returncode, done.stderr


def give(cluster: Cluster, role: str) -> None:
    cluster.kubectl("create", "clusterrolebinding", role, "--clusterrole", role, "--user", "nobody")
    cluster.kubectl("label", "clusterrolebinding", role, "of=rights")


def test_the_rights_on_the_page_are_enough(roles: Cluster) -> None:
    for command in READING:
        code, said = as_nobody(roles, command)
        assert (code, "user nobody may not" in said) == (3, True), said
    give(roles, "gpuxlate-read")
    for command in READING:
        code, said = as_nobody(roles, command)
        assert code in ((0, 1) if command.startswith("preflight") else (0,)), said
        assert "may not" not in said
    assert "user nobody may not patch" in as_nobody(roles, f"apply -f {WEB}")[1]
    give(roles, "gpuxlate-apply")
    assert as_nobody(roles, f"apply -f {WEB}") == (0, "")


def test_the_right_to_verify_is_enough(roles: Cluster) -> None:
    give(roles, "gpuxlate-read")
    assert "forbidden" in as_nobody(roles, "verify vke-a")[1]
    give(roles, "gpuxlate-verify")
    code, said = as_nobody(roles, "verify vke-a")
    assert code == 3  # no kubelet runs here
    assert "nvidia-smi failed" in said
    assert "forbidden" not in said
