"""The policies on a real server: what it warns of and denies is what lint finds.

They need ``ValidatingAdmissionPolicy`` v1, so Kubernetes 1.30 or later: GPUXLATE_APISERVER and GPUXLATE_ETCD
name one. Pods are tried (``dryRun=All``), not made.
"""

import json
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from random import Random
from typing import Any

import pytest

from gpuxlate.backends import registry
from gpuxlate.model.diagnostics import Severity
from gpuxlate.rules.catalog import all_rules
from tests.lint.cases import cases
from tests.policy.drawn import of_dialect, with_mistake
from tests.policy.engine import Object, as_served
from tests.policy.test_verdicts import CODES_OF_NAMES, NO_TEXT, by_policies, by_rules
from tests.rules.examples import EXAMPLE, INSTEAD, blocks, manifest_of
from tests.rules.verdicts import in_digits, keys_of, pods_of
from tests.running import run

from . import nodes
from .server.cluster import Cluster
from .server.rest import MERGE, RestError

API = "/apis/admissionregistration.k8s.io/v1"
PODS = "/api/v1/namespaces/default/pods?dryRun=All"
KINDS = ("validatingadmissionpolicies", "validatingadmissionpolicybindings")
ACTIVE_SECONDS = 30
"""A server looks at its policies every second or so."""


@pytest.fixture(scope="module")
def policies(cluster: Cluster) -> Iterator[Cluster]:
    """A server with policies v1, and none afterwards."""
    served = {one["name"] for one in cluster.rest.call("GET", API).get("resources", ())}
    if KINDS[0] not in served:
        version = json.loads(cluster.kubectl("get", "--raw", "/version").stdout)["gitVersion"]
        pytest.skip(f"{version} has no {KINDS[0]} v1: name a newer server in GPUXLATE_APISERVER")
    yield cluster
    _remove(cluster)


def _remove(cluster: Cluster) -> None:
    for kind in KINDS:
        cluster.rest.call("DELETE", f"{API}/{kind}")


def gpuxlate(*arguments: str) -> str:
    done = run("policy", *arguments)
    assert done.code == 0, done.err.decode()
    return done.out.decode()


def put(cluster: Cluster, *arguments: str, probe: Object) -> None:
    """The policies of a command in place of all others, active."""
    _remove(cluster)
    _until(cluster, probe, found=False)
    cluster.kubectl("apply", "-f", "-", stdin=gpuxlate(*arguments))
    _until(cluster, probe, found=True)
    time.sleep(3)  # the others


def _until(cluster: Cluster, probe: Object, *, found: bool) -> None:
    end = time.monotonic() + ACTIVE_SECONDS
    while any(tried(cluster, probe)) != found:
        assert time.monotonic() < end, "the server does not look at its policies"
        time.sleep(0.5)


def tried(cluster: Cluster, pod: Object) -> tuple[str, list[str]]:
    """Why the server refuses a pod ("" where it takes it), and its warnings."""
    try:
        cluster.rest.call("POST", PODS, pod)
    except RestError as error:
        return str(error), cluster.rest.warnings
    return "", cluster.rest.warnings


def codes_in(warnings: list[str]) -> set[str]:
    """The codes of the rules that the server warns of."""
    found = (one.partition("failed expression: ")[2] or one for one in warnings)
    known = all_rules(registry.pod_backends())
    return {code for one in found for code in known if f": {code}: " in one or f" {code}: " in one}


def whole(pod: Object) -> Object:
    """A pod that a server takes: with a name, and images."""
    found = json.loads(json.dumps(in_digits(pod)))
    found["metadata"]["name"] = "web"
    for field in ("containers", "initContainers"):
        for number, one in enumerate(found["spec"].get(field) or []):
            one.setdefault("image", "web:1")
            one.setdefault("name", f"{field.lower()}-{number}")
    result: Object = found
    return result


def every_pod() -> Iterator[Object]:
    """The pods of all examples and of all cases."""
    for rule in all_rules(registry.pod_backends()).values():
        for heading in (EXAMPLE, INSTEAD):
            for kind, text in blocks(rule.sections.get(heading, "")):
                if kind == "":
                    yield from pods_of(manifest_of(text))
    for case in cases():
        if case.code not in NO_TEXT and "{{" not in case.text:
            yield from pods_of(case.text)


def random_pods() -> Iterator[Object]:
    """Pods of every dialect that is written, drawn at random: right ones and wrong ones."""
    random = Random("verdicts")
    for backend in registry.pod_backends():
        for _ in range(50):
            pod = None if not backend.writes_pods else of_dialect(random, backend.name)
            if pod is not None:
                yield pod


def pods_with_mistakes() -> Iterator[Object]:
    """Pods of every dialect with a misspelt key, a key in a wrong place, or keys of two dialects."""
    random = Random("names")
    for backend in registry.pod_backends():
        yield from (with_mistake(random, backend.name) for _ in range(30))


def pod_of(limits: dict[str, str], **spec: str) -> Object:
    """A pod with one container that has these limits."""
    web = {"name": "web", "image": "web:1", "resources": {"limits": limits}}
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web"}}
    return {**pod, "spec": {"containers": [web], **spec}}


def to_compare(pods: Iterable[Object]) -> Iterator[tuple[Object, Object]]:
    """Pods that a server takes, each with how policies see it."""
    for pod in map(whole, pods):
        served = as_served(pod)
        if served is not None and not keys_of(pod).grows:
            yield pod, served


PROBE = pod_of({"tke.cloud.tencent.com/qgpu-core": "33", "tke.cloud.tencent.com/qgpu-memory": "4"})


def test_the_server_finds_what_lint_finds(policies: Cluster) -> None:
    put(policies, "--action", "warn", probe=PROBE)
    compared, seen = 0, Counter[str]()
    pods = chain(every_pod(), random_pods(), pods_with_mistakes())
    for pod, served in to_compare(pods):
        refused, warnings = tried(policies, pod)
        if refused:
            continue  # by the server itself
        expected = {code for code, _ in by_policies(served)}
        assert expected == {code for code, _ in by_rules(in_digits(pod))}
        assert codes_in(warnings) == expected, (pod, warnings)
        compared += 1
        seen.update(expected)
    print(f"{compared} pods, {len(seen)} rules: {sorted(seen.items())}")
    assert compared > 500
    assert min(seen[code] for code in CODES_OF_NAMES) > 80
    assert sum(seen[code] for code in CODES_OF_NAMES) > 400


def test_the_server_denies_errors_and_takes_the_rest(policies: Cluster) -> None:
    put(policies, probe=PROBE)
    denied = taken = 0
    for pod, served in to_compare(every_pod()):
        refused, _ = tried(policies, pod)
        if refused and "ValidatingAdmissionPolicy" not in refused:
            continue
        errors = {code for code, severity in by_policies(served) if severity is Severity.ERROR}
        assert bool(refused) == bool(errors), (pod, refused)
        assert not errors or any(f": {code}: " in refused for code in errors), (pod, refused)
        denied += bool(refused)
        taken += not refused
    print(f"{denied} denied, {taken} taken")
    assert min(denied, taken) > 100


def test_the_server_takes_every_policy(policies: Cluster) -> None:
    put(policies, "--scope", "all", "--crds", "--action", "warn", probe=PROBE)
    policies.kubectl("apply", "-f", "-", stdin=gpuxlate("--forbid", "ack", "--scope", "all", "--crds"))
    items: list[Any] = policies.rest.call("GET", f"{API}/{KINDS[0]}")["items"]
    assert len(items) > 40


PROFILE = "target: hami\ncards: {perNode: 4, memoryMiB: 24576}\n"
PARAMETERS = "/api/v1/namespaces/kube-system/configmaps/gpuxlate-hami-cards"
DENIED = "gpuxlate-hami-cards-errors"


def hami(**limits: str) -> Object:
    asked = {f"nvidia.com/{name}": value for name, value in limits.items()}
    return pod_of(asked, schedulerName="hami-scheduler")


@pytest.fixture
def reading(policies: Cluster, tmp_path: Path) -> Iterator[tuple[str, ...]]:
    """The options of policies that read their numbers of a ConfigMap, which is gone afterwards."""
    (tmp_path / "profile.yaml").write_text(PROFILE, encoding="utf-8")
    if "kube-system" not in policies.kubectl("get", "namespaces").stdout:
        policies.kubectl("create", "namespace", "kube-system")
    yield "--to", "hami", "--profile", str(tmp_path / "profile.yaml"), "--parameters"
    _remove(policies)
    policies.kubectl("delete", "configmap", "-n", "kube-system", "gpuxlate-hami-cards", "--ignore-not-found")


def test_the_server_reads_the_parameters(policies: Cluster, reading: tuple[str, ...]) -> None:
    above, at = hami(gpu="1", gpumem="24577"), hami(gpu="1", gpumem="24576")
    without_numbers, cards = hami(gpu="1", gpucores="101"), hami(gpu="5", gpumem="1024")
    put(policies, *reading, probe=above)
    said = ((above, "HAMI004", "cardMemoryMiB 24576"), (cards, "HAMI005", "cardsPerNode 4"))
    for pod, code, number in said:
        refused, _ = tried(policies, pod)
        assert DENIED in refused
        assert f"{code}: container web: " in refused
        assert f"({number})" in refused
    assert tried(policies, at)[0] == ""
    for data in ({"cardMemoryMiB": "24577"}, {"cardMemoryMiB": None, "cardsPerNode": None}):
        policies.rest.call("PATCH", PARAMETERS, {"data": data}, MERGE)
        _until(policies, above, found=False)
        assert bool(tried(policies, cards)[0]) == ("cardsPerNode" not in data)
    policies.rest.call("PATCH", PARAMETERS, {"data": {"cardMemoryMiB": "24576"}}, MERGE)
    _until(policies, above, found=True)
    policies.rest.call("DELETE", PARAMETERS)
    _until(policies, above, found=False)
    assert "HAMI003" in tried(policies, without_numbers)[0]


def names_of(cluster: Cluster) -> list[str]:
    items = cluster.rest.call("GET", f"{API}/{KINDS[0]}")["items"]
    return sorted(one["metadata"]["name"] for one in items)


@pytest.fixture
def of_tke(policies: Cluster) -> Cluster:
    """No policies, and a node of TKE."""
    _remove(policies)
    policies.rest.call("DELETE", "/api/v1/nodes")
    policies.add_nodes([nodes.tke("one")])
    return policies


def test_the_plug_in_applies_those_of_the_nodes(of_tke: Cluster) -> None:
    done = of_tke.plugin("policy")
    assert done.returncode == 0, done.stderr
    assert "gpuxlate-tencent-qgpu-errors" in done.stdout
    assert names_of(of_tke) == []
    done = of_tke.plugin("policy", "--apply")
    assert done.returncode == 0, done.stderr
    assert names_of(of_tke) == [
        f"gpuxlate-tencent-qgpu-{one}" for one in ("errors", "names-errors", "warnings")
    ]
    assert done.stdout.count("created") == 6  # with the bindings
    assert of_tke.plugin("policy", "--apply").stdout.count("unchanged") == 6
    _until(of_tke, PROBE, found=True)


RIGHTS = Path(__file__).parents[2] / "examples" / "kubectl" / "rbac.yaml"
ROLES = ("gpuxlate-read", "gpuxlate-policy", "gpuxlate-policy-parameters")


def test_the_roles_of_the_page_are_sufficient(of_tke: Cluster, reading: tuple[str, ...]) -> None:
    of_tke.kubectl("apply", "-f", str(RIGHTS))
    text = gpuxlate(*reading)
    sent = ("apply", "--server-side", "-f", "-")
    try:
        _give(of_tke, ROLES[0])
        assert of_tke.plugin("policy", "--to", "tke", "--apply", user="nobody").returncode == 3
        _give(of_tke, ROLES[1])
        done = of_tke.plugin("policy", "--to", "tke", "--apply", user="nobody")
        assert done.returncode == 0, done.stderr
        assert of_tke.kubectl(*sent, user="nobody", stdin=text, check=False).returncode
        _give(of_tke, ROLES[2])
        of_tke.kubectl(*sent, user="nobody", stdin=text)
    finally:
        of_tke.kubectl("delete", "clusterrolebinding", *ROLES, "--ignore-not-found")
        of_tke.kubectl("delete", "-f", str(RIGHTS))
        _remove(of_tke)


def _give(cluster: Cluster, role: str) -> None:
    cluster.kubectl("create", "clusterrolebinding", role, "--clusterrole", role, "--user", "nobody")


def test_all_or_nothing_is_applied(policies: Cluster) -> None:
    """Another manager owns a field of the second policy: the first is not applied either."""
    _remove(policies)
    theirs = gpuxlate("--to", "tke", "--select", "TKE006").replace("TKE006: even", "TKE006: odd")
    policies.kubectl("apply", "--server-side", "--field-manager=others", "-f", "-", stdin=theirs)
    there = names_of(policies)
    done = policies.plugin("policy", "--to", "tke", "--apply")
    assert (done.returncode, done.stdout) == (3, "")
    assert "nothing is applied" in done.stderr
    assert names_of(policies) == there
