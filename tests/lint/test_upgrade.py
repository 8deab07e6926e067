"""What an upgrade of a component changes for a pod: ``lint --upgrade``; and ``--with`` of the commands."""

import json
from typing import Any

import pytest
import yaml

from gpuxlate.backends import registry
from gpuxlate.backends.hami_family import HAMI
from gpuxlate.lint.check import lint_source
from gpuxlate.lint.settings import LintSettings
from gpuxlate.model.profile import ChangeKind, Profile
from gpuxlate.rules.releases import chart_changes
from gpuxlate.yamltext.source import Source
from tests.backends import pods
from tests.backends.test_vendor_verdicts import DIALECTS, table
from tests.lint.conftest import command, lint, write
from tests.tables import read_table

pytestmark = pytest.mark.usefixtures("folder")
CASES = read_table(__file__, "upgrades.yaml")
OF_CHARTS = read_table(__file__, "upgrades_of_charts.yaml")
OF_HAMI = [name for name in DIALECTS if HAMI in registry.get(name).components]
OF_AMD = {"limits": {"amd.com/gpu": 1, "amd.com/gpumem": 4000}}


def manifest(case: dict[str, Any]) -> str:
    container = {"name": "c", "image": "c", "resources": {"limits": case["limits"]}}
    metadata = {"name": "pod", "annotations": case.get("annotations", {})}
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": {"containers": [container]}}
    return json.dumps(pod)


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['upgrade']} {[*case['limits']]}")
def test_what_an_upgrade_changes(case: dict[str, Any]) -> None:
    write({"pod.yaml": manifest(case)})
    said = lint("pod.yaml", "--upgrade", case["upgrade"])
    found = said.json["diagnostics"]
    assert {one["code"] for one in found} <= {"GX038"}
    assert [f"{one['severity']} {one['path'][-1]}: {one['hint']}" for one in found] == case["found"]
    assert said.code == any(one["severity"] == "error" for one in found)


@pytest.mark.parametrize("dialect", OF_HAMI)
def test_what_the_webhook_of_2_10_refuses_is_not_new(dialect: str) -> None:
    """As it says itself, of pods of one container (fixtures/vendors)."""
    _, rows = table(dialect)
    refused = [
        row["pod"] for row in rows if row.get("by") == "MutateAdmission" and row["verdict"] == "refused"
    ]
    before, after = (Profile(dialect, components={"hami": version}) for version in ("2.10", "2.11"))
    settings = LintSettings(after, before=before)
    for pod in refused:
        if pod.keys().isdisjoint(("beside", "init", "requests")):
            found = lint_source(Source("pod.yaml", pods.manifest(pod)), settings).diagnostics
            assert [one.message for one in found if "older releases do not" in one.message] == [], pod


@pytest.mark.parametrize(
    "case", OF_CHARTS, ids=lambda case: " ".join(case["files"].values()).replace("\n", " ")[:60]
)
def test_what_an_upgrade_changes_in_the_values_of_a_chart(case: dict[str, Any]) -> None:
    write(case["files"])
    found = lint(".", "--upgrade", "hami=2.10..2.11").json["diagnostics"]
    said = [f"{one['severity']} {'.'.join(map(str, one['path']))}: {one['hint']}" for one in found]
    assert sorted(said) == sorted(case["found"])
    assert lint(".", "--upgrade", "hami=2.9..2.10", "--allow-empty").json["diagnostics"] == []


def test_every_old_value_of_hami_is_in_the_data_with_the_new_one() -> None:
    """The guide's table has 30 rows: 23 at the root, 7 of devicePlugin."""
    refused = [one for one in chart_changes(registry.components()["hami"]) if one.change is ChangeKind.DENIED]
    assert (len(refused), sum(one.key.startswith("devicePlugin.") for one in refused)) == (30, 7)
    assert all(one.chart == "hami" and one.replacement.startswith("devices.") for one in refused)


def test_a_version_of_the_command_line_is_that_of_a_profile() -> None:
    profile = "target: hami-amd\ncomponents: {hami: 2.9.0}\n"
    write({"pod.yaml": manifest(OF_AMD), "profile.yaml": profile, "new.yaml": profile.replace("2.9", "2.10")})
    by_profile = lint("pod.yaml", "--profile", "profile.yaml").json["diagnostics"]
    assert [one["code"] for one in by_profile] == ["AMD019"]
    assert lint("pod.yaml", "--with", "hami=2.9.0").json["diagnostics"] == by_profile
    assert lint("pod.yaml", "--profile", "new.yaml", "--with", "hami=2.9.0").json["diagnostics"] == by_profile
    newest = lint("pod.yaml").json["diagnostics"]
    assert lint("pod.yaml", "--with", "hami=2.10").json["diagnostics"] == newest != by_profile


# what is said of versions of which nothing is known, in a profile and on the command line
LATE = [
    ("volcano=99", "Volcano 99 is later than any release that gpuxlate knows: it is read as Volcano v1.15.1"),
    ("volcano=1.15.9", ""),
    ("mgpu=v0.6.5", ""),
    ("mgpu=v0.7.0", "mgpu v0.7.0 is later than any release that gpuxlate knows: it is read as mgpu v0.6.1"),
    ("cgpu=99", ""),  # no document says which release is the newest
    (
        "kubernetes=1.39.0",
        "Kubernetes 1.39.0 is later than any release that gpuxlate knows: it is read as Kubernetes v1.37.1",
    ),
    ("kubernetes=v1.30.4-vke.3", ""),
]


@pytest.mark.parametrize(("text", "said"), LATE)
def test_a_version_that_nobody_knows_is_named(text: str, said: str) -> None:
    name, _, version = text.partition("=")
    field = (
        f"kubernetesVersion: {version}" if name == "kubernetes" else f'components: {{{name}: "{version}"}}'
    )
    write({"pod.yaml": manifest(OF_AMD), "profile.yaml": f"target: hami\n{field}\n"})
    note = f"note: {said}\n" if said else ""
    assert lint("pod.yaml", "--with", text).err == note
    assert lint("pod.yaml", "--profile", "profile.yaml").err == note
    assert command("plan", "pod.yaml", "--to", "hami", "--node", "A10:4", "--with", text).err == note


def test_an_upgrade_to_a_version_that_nobody_knows_is_named() -> None:
    write({"pod.yaml": manifest(OF_AMD)})
    said = "the Intel GPU plug-in 0.99 is later than any release that gpuxlate knows: it is read as "
    found = lint("pod.yaml", "--upgrade", "intelGpuPlugin=0.33..0.99")
    assert found.err == f"note: {said}the Intel GPU plug-in v0.36.0\n"


@pytest.mark.parametrize(
    ("version", "severity", "message"),
    [
        ("2.10", "info", "hami.io/bind-phase is written by the scheduler, not in a manifest"),
        ("2.11", "error", "HAMi 2.11 refuses pods that are made with hami.io/bind-phase"),
    ],
)
def test_what_refuses_a_pod_has_the_name_that_its_makers_write(
    version: str, severity: str, message: str
) -> None:
    write(
        {
            "pod.yaml": manifest(
                {"annotations": {"hami.io/bind-phase": "x"}, "limits": {"nvidia.com/gpumem": 1}}
            )
        }
    )
    diagnostics = lint("pod.yaml", "--with", f"hami={version}").diagnostics
    [found] = [one for one in diagnostics if one["code"] == "GX004"]
    assert (found["severity"], found["message"]) == (severity, message)


def test_the_version_of_kubernetes_is_that_of_a_profile() -> None:
    request = "{name: gpu, exactly: {deviceClassName: gpu.nvidia.com}}"
    template = "apiVersion: resource.k8s.io/v1\nkind: ResourceClaimTemplate\nmetadata: {name: t}\n"
    write(
        {
            "claim.yaml": f"{template}spec: {{spec: {{devices: {{requests: [{request}]}}}}}}\n",
            "profile.yaml": "target: dra-nvidia\nkubernetesVersion: 1.30.2\n",
        }
    )
    by_profile = lint("claim.yaml", "--profile", "profile.yaml").diagnostics
    assert [one["code"] for one in by_profile] == ["DRA001"]
    assert lint("claim.yaml", "--with", "kubernetes=1.30.2").diagnostics == by_profile
    assert lint("claim.yaml", "--profile", "profile.yaml", "--with", "kubernetes=1.35.0").diagnostics == []


@pytest.mark.parametrize(
    "words", ["inspect pod.yaml", "assess pod.yaml --to hami", "translate pod.yaml --to neutral"]
)
def test_commands_take_versions(words: str) -> None:
    write({"pod.yaml": manifest(OF_AMD)})
    usual = command(*words.split())
    assert command(*words.split(), "--with", "hami=2.9").out != usual.out
    assert command(*words.split(), "--with", "hami=2.10").out == usual.out


def test_a_part_for_enpu_has_policy_and_limit_both_ways() -> None:
    """enpu_test.go of Project-HAMi/HAMi, and issue 140 of its Ascend device plugin."""
    notes = {"vnpu-mode": "enpu", "enpu-policy": "elastic", "enpu-memory-limit": "30000"}
    annotations = {f"huawei.com/{name}": value for name, value in notes.items()}
    card = "huawei.com/Ascend910C"
    limits = {card: 1, f"{card}-memory": 20480, f"{card}-core": 20}
    write({"pod.yaml": manifest({"annotations": annotations, "limits": limits})})
    assert lint("pod.yaml", "--with", "hami=2.11").json["diagnostics"] == []
    there = command("translate", "pod.yaml", "--to", "neutral", "--with", "hami=2.11")
    assert there.code == 0
    write({"neutral.yaml": there.out})
    back = command("translate", "neutral.yaml", "--to", "hami-ascend", "--with", "hami=2.11")
    assert back.code == 0
    pod = yaml.safe_load(back.out)
    assert pod["metadata"]["annotations"] == annotations
    written = pod["spec"]["containers"][0]["resources"]["limits"]
    assert {name: int(value) for name, value in written.items()} == limits
