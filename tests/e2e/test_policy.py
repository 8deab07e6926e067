"""The policies on a real server: what it warns of and denies is what lint finds.

They need ``ValidatingAdmissionPolicy`` v1, so Kubernetes 1.30 or later: GPUXLATE_APISERVER and GPUXLATE_ETCD
name one. Pods are tried (``dryRun=All``), not made.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from random import Random
from typing import Any

import pytest

from gpuxlate.backends import registry
from gpuxlate.model.diagnostics import Severity
from gpuxlate.policy.translation.reading import Source
from gpuxlate.rules.catalog import all_rules
from tests.lint.cases import cases
from tests.policy.engine import Object, as_served
from tests.policy.test_translating import FIXTURES, pods_in
from tests.policy.test_verdicts import NO_TEXT, by_policies, by_rules
from tests.policy.translating import GENERAL, neutral, of_dialect, plain
from tests.policy.translating import cluster as translation
from tests.rules.examples import EXAMPLE, INSTEAD, blocks, manifest_of
from tests.rules.verdicts import in_digits, keys_of, pods_of

from . import nodes
from .server.cluster import Cluster
from .server.rest import MERGE, RestError

API = "/apis/admissionregistration.k8s.io/v1"
PODS = "/api/v1/namespaces/default/pods?dryRun=All"
KINDS = ("validatingadmissionpolicies", "validatingadmissionpolicybindings")
MUTATING = ("mutatingadmissionpolicies", "mutatingadmissionpolicybindings")
ACTIVE_SECONDS = 30
"""A server looks at its policies every second or so."""


@pytest.fixture(scope="module")
def policies(cluster: Cluster) -> Iterator[Cluster]:
    """A server with policies v1, and none afterwards."""
    served = {one["name"] for one in cluster.rest.call("GET", API).get("resources", ())}
    if KINDS[0] not in served:
        version = json.loads(cluster.kubectl("get", "--raw", "/version").stdout)["gitVersion"]
        pytest.skip(
            f"{version} has no ValidatingAdmissionPolicy v1: name a newer server in GPUXLATE_APISERVER"
        )
    yield cluster
    _remove(cluster)


def _remove(cluster: Cluster) -> None:
    for kind in KINDS:
        cluster.rest.call("DELETE", f"{API}/{kind}")


def gpuxlate(*arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "gpuxlate", "policy", *arguments], capture_output=True, text=True, check=True
    )
    return done.stdout


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
            pod = None if backend.form_module else of_dialect(random, backend.name)
            if pod is not None:
                yield pod


PROBE: Object = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "web"},
    "spec": {
        "containers": [
            {
                "name": "web",
                "image": "web:1",
                "resources": {
                    "limits": {
                        "tke.cloud.tencent.com/qgpu-core": "33",
                        "tke.cloud.tencent.com/qgpu-memory": "4",
                    }
                },
            }
        ]
    },
}


def test_the_server_finds_what_lint_finds(policies: Cluster) -> None:
    put(policies, "--action", "warn", probe=PROBE)
    compared, seen = 0, set[str]()
    for one in chain(every_pod(), random_pods()):
        pod = whole(one)
        served = as_served(pod)
        if served is None or keys_of(pod).grows:
            continue
        refused, warnings = tried(policies, pod)
        if refused:
            continue  # by the server itself
        expected = {code for code, _ in by_policies(served)}
        assert expected == {code for code, _ in by_rules(in_digits(pod))}
        assert codes_in(warnings) == expected, (pod, warnings)
        compared += 1
        seen |= expected
    print(f"{compared} pods, {len(seen)} rules: {' '.join(sorted(seen))}")
    assert compared > 500


def test_the_server_denies_errors_and_takes_the_rest(policies: Cluster) -> None:
    put(policies, probe=PROBE)
    denied = taken = 0
    for one in every_pod():
        pod = whole(one)
        served = as_served(pod)
        if served is None or keys_of(pod).grows:
            continue
        refused, _ = tried(policies, pod)
        if refused and "ValidatingAdmissionPolicy" not in refused:
            continue
        errors = {code for code, severity in by_policies(served) if severity is Severity.ERROR}
        assert bool(refused) == bool(errors), (pod, refused)
        assert not errors or any(f": {code}: " in refused for code in errors), (pod, refused)
        denied += bool(refused)
        taken += not refused
    print(f"{denied} denied, {taken} taken")
    assert denied > 100
    assert taken > 100


def test_the_server_takes_every_policy(policies: Cluster) -> None:
    put(policies, "--scope", "all", "--crds", "--action", "warn", probe=PROBE)
    policies.kubectl("apply", "-f", "-", stdin=gpuxlate("--forbid", "ack", "--scope", "all", "--crds"))
    items: list[Any] = policies.rest.call("GET", f"{API}/{KINDS[0]}")["items"]
    assert len(items) > 40


PROFILE = "target: hami\ncards: {perNode: 4, memoryMiB: 24576}\n"
PARAMETERS = "/api/v1/namespaces/kube-system/configmaps/gpuxlate-hami-cards"
DENIED = "gpuxlate-hami-cards-errors"


def hami(**limits: str) -> Object:
    one = json.loads(json.dumps(PROBE))
    one["spec"]["schedulerName"] = "hami-scheduler"
    asked = {f"nvidia.com/{name}": value for name, value in limits.items()}
    one["spec"]["containers"][0]["resources"]["limits"] = asked
    result: Object = one
    return result


def test_the_server_reads_the_parameters(policies: Cluster, tmp_path: Path) -> None:
    above, at = hami(gpu="1", gpumem="24577"), hami(gpu="1", gpumem="24576")
    without_numbers = hami(gpu="1", gpucores="101")
    cards, profile = hami(gpu="5", gpumem="1024"), tmp_path / "profile.yaml"
    profile.write_text(PROFILE, encoding="utf-8")
    _make_kube_system(policies)
    put(policies, "--to", "hami", "--profile", str(profile), "--parameters", probe=above)
    try:
        for pod, code, number in (
            (above, "HAMI004", "cardMemoryMiB 24576"),
            (cards, "HAMI005", "cardsPerNode 4"),
        ):
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
    finally:
        policies.rest.call("DELETE", PARAMETERS)
    _until(policies, above, found=False)
    assert "HAMI003" in tried(policies, without_numbers)[0]


def plugin(cluster: Cluster, *arguments: str, user: str = "admin") -> subprocess.CompletedProcess[str]:
    """``kubectl gpuxlate policy`` on the cluster."""
    program = "import sys; from gpuxlate.cli.kubectl import main; main(sys.argv[1:])"
    command = [sys.executable, "-c", program, "policy", *arguments]
    return subprocess.run(command, capture_output=True, text=True, env=cluster.environment(user), check=False)


def names_of(cluster: Cluster) -> list[str]:
    items = cluster.rest.call("GET", f"{API}/{KINDS[0]}")["items"]
    return sorted(one["metadata"]["name"] for one in items)


def test_the_plug_in_applies_those_of_the_nodes(policies: Cluster) -> None:
    _remove(policies)
    policies.rest.call("DELETE", "/api/v1/nodes")
    policies.add_nodes([nodes.tke("one")])
    done = plugin(policies)
    assert done.returncode == 0, done.stderr
    assert "gpuxlate-tencent-qgpu-errors" in done.stdout
    assert names_of(policies) == []
    done = plugin(policies, "--apply")
    assert done.returncode == 0, done.stderr
    assert names_of(policies) == [f"gpuxlate-tencent-qgpu-{one}" for one in ("errors", "warnings")]
    assert done.stdout.count("created") == 4  # with the bindings
    assert plugin(policies, "--apply").stdout.count("unchanged") == 4
    _until(policies, PROBE, found=True)


RIGHTS = Path(__file__).parents[2] / "examples" / "kubectl" / "rbac.yaml"
ROLES = ("gpuxlate-read", "gpuxlate-policy", "gpuxlate-policy-parameters")


def test_the_roles_of_the_page_are_sufficient(policies: Cluster, tmp_path: Path) -> None:
    _remove(policies)
    policies.rest.call("DELETE", "/api/v1/nodes")
    policies.add_nodes([nodes.tke("one")])
    policies.kubectl("apply", "-f", str(RIGHTS))
    profile = tmp_path / "profile.yaml"
    profile.write_text(PROFILE, encoding="utf-8")
    _make_kube_system(policies)
    reading = gpuxlate("--to", "hami", "--profile", str(profile), "--parameters")
    sent = ("apply", "--server-side", "-f", "-")
    try:
        _give(policies, ROLES[0])
        assert plugin(policies, "--to", "tke", "--apply", user="nobody").returncode == 3
        _give(policies, ROLES[1])
        for options in ((), ("--translate",)):
            done = plugin(policies, "--to", "tke", "--apply", *options, user="nobody")
            assert done.returncode == 0, (options, done.stderr)
        assert policies.kubectl(*sent, user="nobody", stdin=reading, check=False).returncode
        _give(policies, ROLES[2])
        policies.kubectl(*sent, user="nobody", stdin=reading)
    finally:
        policies.kubectl("delete", "clusterrolebinding", *ROLES, "--ignore-not-found")
        policies.kubectl("delete", "-f", str(RIGHTS))
        for kind in MUTATING:
            policies.rest.call("DELETE", f"{API}/{kind}")
        _remove(policies)
        policies.rest.call("DELETE", PARAMETERS)


def _make_kube_system(cluster: Cluster) -> None:
    if "kube-system" not in cluster.kubectl("get", "namespaces").stdout:
        cluster.kubectl("create", "namespace", "kube-system")


def _give(cluster: Cluster, role: str) -> None:
    cluster.kubectl("create", "clusterrolebinding", role, "--clusterrole", role, "--user", "nobody")


def test_all_or_nothing_is_applied(policies: Cluster) -> None:
    """Another manager owns a field of the second policy: the first is not applied either."""
    _remove(policies)
    theirs = gpuxlate("--to", "tke", "--select", "TKE006").replace("TKE006: even", "TKE006: odd")
    policies.kubectl("apply", "--server-side", "--field-manager=others", "-f", "-", stdin=theirs)
    there = names_of(policies)
    done = plugin(policies, "--to", "tke", "--apply")
    assert (done.returncode, done.stdout) == (3, "")
    assert "nothing is applied" in done.stderr
    assert names_of(policies) == there


# --- a cluster that translates ----------------------------------------------------------------------


@pytest.fixture
def translating(policies: Cluster) -> Iterator[Cluster]:
    """A server with mutating policies v1, and none afterwards."""
    served = {one["name"] for one in policies.rest.call("GET", API).get("resources", ())}
    if MUTATING[0] not in served:
        pytest.skip("the server has no MutatingAdmissionPolicy v1: name a newer server in GPUXLATE_APISERVER")
    _remove(policies)
    yield policies
    for kind in MUTATING:
        policies.rest.call("DELETE", f"{API}/{kind}")
    _remove(policies)


def neutral_pod(cores: str) -> Object:
    limits = {"gpuxlate.io/cores": cores, "gpuxlate.io/memory-mib": "4096"}
    web = {"name": "web", "image": "web:1", "resources": {"limits": limits}}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web"}, "spec": {"containers": [web]}}


def stored(cluster: Cluster, pod: Object) -> tuple[Object | None, str]:
    """The pod as the server would store it, or why it refuses it."""
    try:
        return cluster.rest.call("POST", PODS, pod), ""
    except RestError as error:
        return None, str(error)


def translate_here(cluster: Cluster, source: str, target: str, *options: str) -> None:
    """The policies of a translation, active."""
    for kind in MUTATING:
        cluster.rest.call("DELETE", f"{API}/{kind}")
    _remove(cluster)
    time.sleep(2)
    text = gpuxlate("--translate", "--from", source, "--to", target, *options)
    cluster.kubectl("apply", "-f", "-", stdin=text)
    time.sleep(6)


def shares_of(pod: Object) -> Object:
    """What of a pod a translation changes, without what means nothing."""
    spec = pod["spec"]
    containers = [*spec["containers"], *spec.get("initContainers", ())]
    nodes_ = (spec.get("affinity") or {}).get("nodeAffinity")
    return plain(  # type: ignore[no-any-return]
        {
            "resources": [
                {part: _extended(one.get("resources") or {}, part) for part in ("limits", "requests")}
                for one in containers
            ],
            "env": [one.get("env") or [] for one in containers],
            "annotations": pod["metadata"].get("annotations"),
            "labels": pod["metadata"].get("labels"),
            "nodeSelector": spec.get("nodeSelector"),
            "nodeAffinity": nodes_,
            "schedulerName": spec.get("schedulerName") or "default-scheduler",
        }
    )


def _extended(resources: Object, part: str) -> Object:
    """Without those of Kubernetes itself, whose requests need not be the limits."""
    return {name: value for name, value in (resources.get(part) or {}).items() if "/" in name}


SOURCES = [one for one in registry.pod_backends() if Source(one, None).shapes]
"""The dialects that a policy reads."""
TRANSLATIONS = [
    ("neutral", "tencent-qgpu", ()),
    ("neutral", "volcengine-mgpu", ("--round", "up")),
    ("neutral", "alibaba-gpushare", ()),
    ("neutral", "hami", ()),
    ("neutral", "volcano-vgpu", ("--round", "up")),
    ("tencent-qgpu", "volcengine-mgpu", ("--round", "up")),
    ("hami", "koordinator", ()),  # both have the key of whole cards
    *((one.name, "tencent-qgpu", ()) for one in SOURCES if one.name not in ("neutral", "tencent-qgpu")),
]
DRAWN = 400


def drawn_pods(random: Random, source: str) -> Iterator[Object]:
    """Random pods of a dialect."""
    found = 0
    while found < DRAWN:
        pod = neutral(random) if source == "neutral" else of_dialect(random, source)
        if pod is not None:
            found += 1
            yield pod


@pytest.mark.parametrize(("source", "target", "options"), TRANSLATIONS)
def test_the_server_stores_what_translate_writes(
    translating: Cluster, source: str, target: str, options: tuple[str, ...]
) -> None:
    translate_here(translating, source, target, *options)
    here = translation(source, target, "up" if options else None)
    translating.rest.close()  # that takes longer than the server keeps a connection
    random = Random(source)
    drawn = drawn_pods(random, source)
    texts = (path.read_text() for path in sorted(FIXTURES.rglob("*.yaml")) if path.parent.name != "policy")
    fixtures = (pod for text in texts if "containers:" in text and "{{" not in text for pod in pods_in(text))
    taken = refused = 0
    for one in chain(fixtures, drawn):
        pod = whole(one)
        served = as_served(pod)
        if served is None:
            continue
        found, why = stored(translating, pod)
        wanted, codes = here.translated(pod)
        if found is None:
            if "AdmissionPolicy" not in why:
                continue  # by the server itself
            _, expected = here(served)
            assert any(f": {code}: " in why for code in expected), (pod, why, expected)
            assert wanted is None or GENERAL in expected, (pod, why)
            refused += 1
            continue
        looked_at = here.mutating.matches(served) or here.refusing.matches(served)
        if wanted is None and (not looked_at or registry.get(target).speaks_in(keys_of(served))):
            assert shares_of(found) == shares_of(served), pod  # no key of the source alone is in it
            continue
        assert wanted is not None, (pod, codes)
        assert shares_of(found) == shares_of(wanted), pod
        taken += 1
    print(f"{source} to {target} {' '.join(options)}: {taken} translated, {refused} refused")
    assert taken > 10
    assert refused > 5


def test_the_plug_in_applies_a_translation(translating: Cluster) -> None:
    done = plugin(translating, "--translate", "--to", "tke", "--apply")
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("created") == 4
    time.sleep(6)
    found, why = stored(translating, neutral_pod("30"))
    assert found is not None, why
    limits = found["spec"]["containers"][0]["resources"]["limits"]
    assert limits == {"tke.cloud.tencent.com/qgpu-core": "30", "tke.cloud.tencent.com/qgpu-memory": "4"}
    found, why = stored(translating, neutral_pod("33"))
    assert found is None
    assert "TKE002: container web: " in why
    assert "write gpuxlate.io/cores: 35" in why
