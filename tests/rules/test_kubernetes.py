"""K8S001 to K8S008. What a server takes and refuses was tried on kube-apiserver 1.32."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from gpuxlate.backends.alibaba.profile import AlibabaProfile
from gpuxlate.model import quantity
from gpuxlate.model.diagnostics import Severity
from gpuxlate.model.edits import Put, Remove
from gpuxlate.model.profile import Profile

MIB = "vke.volcengine.com/mgpu-memory"
PERCENT = "vke.volcengine.com/mgpu-core"
GIB = "tke.cloud.tencent.com/qgpu-memory"
ACK_GIB = "aliyun.com/gpu-mem"
POLICY = "vke.volcengine.com/mgpu-compute-policy"
COUNT = "aliyun.com/gpu-count"

E, W = Severity.ERROR, Severity.WARNING

# key, what is written, code, severity, what the fix writes (None: no fix), whether the fix is safe
NUMBERS: list[tuple[str, str, str, Severity, int | None, bool]] = [
    (ACK_GIB, "5.5", "K8S001", E, 6, False),  # facts A-M7: in the wild
    (GIB, '"0.5"', "K8S001", E, 1, False),
    (PERCENT, "30.2", "K8S001", E, 31, False),
    (PERCENT, "0.5", "K8S001", E, None, False),  # half a card: 1 % is not what was meant
    (PERCENT, "1500m", "K8S001", E, 2, False),
    (MIB, "4096m", "K8S001", E, None, False),
    (PERCENT, "-0.5", "K8S001", E, None, False),
    (PERCENT, "abc", "K8S001", E, None, False),
    (PERCENT, '"0x1e"', "K8S001", E, None, False),
    (PERCENT, '"1_000"', "K8S001", E, None, False),
    (PERCENT, "true", "K8S001", E, None, False),
    (PERCENT, "null", "K8S001", E, None, False),
    (PERCENT, '""', "K8S001", E, None, False),
    (PERCENT, ".inf", "K8S001", E, None, False),
    (PERCENT, "9223372036854775808", "K8S001", E, None, False),
    (ACK_GIB, "-9223372036854775808", "K8S001", E, None, False),
    (MIB, "2Gi", "K8S002", E, 2048, True),
    (MIB, "4096Mi", "K8S002", E, 4096, True),
    (MIB, "4096MiB", "K8S002", E, 4096, True),
    (MIB, '"4 GiB"', "K8S002", E, 4096, True),
    (MIB, "1.5Gi", "K8S002", E, 1536, True),
    (MIB, "4G", "K8S002", E, 4096, False),
    (MIB, "4096M", "K8S002", E, 4096, False),
    (MIB, "6K", "K8S002", E, 6000, False),
    (ACK_GIB, "2Gi", "K8S002", E, 2, True),  # facts A-M9: in the wild
    (ACK_GIB, "10G", "K8S002", E, 10, False),  # gpushare-scheduler-extender issue 11
    (ACK_GIB, "2560Mi", "K8S002", E, 3, False),  # 2.5: not the number that was written
    (GIB, "4GB", "K8S002", E, 4, False),  # facts T-M10: in the wild
    (GIB, "30%", "K8S002", E, None, False),
    (PERCENT, "30%", "K8S002", E, 30, True),
    (PERCENT, "30.5%", "K8S002", E, 31, False),
    (PERCENT, "30Gi", "K8S002", E, None, False),
    (PERCENT, "30k", "K8S002", E, None, False),
    (PERCENT, '" 30 "', "K8S002", E, 30, True),
    (PERCENT, "30.0", "K8S002", W, 30, True),
    (PERCENT, "3000m", "K8S002", W, 3, True),
    (MIB, "6k", "K8S002", W, 6000, True),  # facts VD: in the vendor's design document
    (MIB, "6Ki", "K8S002", W, 6144, True),
    (MIB, "6000k", "K8S002", E, None, False),  # 6000000 MiB: nobody means that
    ("gpuxlate.io/cards", "2Gi", "K8S002", E, None, False),
    # what begins like an exponent or like the suffix E
    (GIB, "4EB", "K8S002", E, None, False),
    (GIB, "4EiB", "K8S002", E, None, False),
    (GIB, "30em", "K8S002", E, None, False),
    (GIB, "30e", "K8S002", E, None, False),
]


@pytest.mark.parametrize("field", ["limits", "requests"])
@pytest.mark.parametrize(("key", "text", "code", "severity", "written", "safe"), NUMBERS)
def test_numbers(
    lint_limits: Callable[..., Any],
    field: str,
    key: str,
    text: str,
    code: str,
    severity: Severity,
    written: int | None,
    safe: bool,
) -> None:
    found = lint_limits(*(("", f"{key}: «{text}»") if field == "requests" else (f"{key}: «{text}»",)))
    assert found.places(code) == found.marked
    one = found.of(code)[0]
    assert one.severity is severity
    assert one.hint
    if written is None:
        assert one.fix is None
    else:
        assert one.fix is not None
        assert (one.fix.edits, one.fix.safe) == ((Put(one.path, written),), safe)
    other = {"K8S001": "K8S002", "K8S002": "K8S001"}[code]
    assert not found.of(other)
    assert not found.of("GX008")
    assert not found.of("GX007")


@pytest.mark.parametrize("text", ["30", '"30"', "0", "-1", "1000000", "0030", "1e3", "+5"])
def test_whole_numbers_are_left_to_others(lint_limits: Callable[..., Any], text: str) -> None:
    found = lint_limits(f"{PERCENT}: {text}")
    assert not found.of("K8S001") + found.of("K8S002")


UNCOUNTED = ["3.5", "0x1E", "0o36", "0b11", "1_000", "-0x1", "1e30", "3E-1", "30%", "9Ei", "4GB", "4 Gi"]
UNCOUNTED += ["1Zi", "abc", "", "true", "~", ".5", "1:30", "1.0.0", "inf", "_", "٣", "9" * 65]


@pytest.mark.parametrize("quote", ["", '"'])
@pytest.mark.parametrize("text", [*UNCOUNTED, str(quantity.LIMIT + 1)])
def test_a_number_that_no_reader_counts_is_reported(
    lint_limits: Callable[..., Any], text: str, quote: str
) -> None:
    """A reader gives no share for such a value, and leaves it to these rules to say why."""
    assert quantity.whole(text) is None
    codes = {"K8S001", "K8S002"} if quote else {"K8S001", "K8S002", "GX008"}  # unquoted: 30 to some versions
    assert codes & set(lint_limits(f"{PERCENT}: {quote}{text}{quote}").codes)


def test_a_long_text_is_no_number(lint_limits: Callable[..., Any]) -> None:
    one = lint_limits(f"{PERCENT}: {'9' * 100_000}").of("K8S001")[0]
    assert len(one.message) < 200


def test_a_mapping_is_no_number(lint_limits: Callable[..., Any]) -> None:
    found = lint_limits(f"«{PERCENT}»: {{value: 30}}, {MIB}: 4096")
    assert found.places("K8S001") == found.marked


@pytest.mark.parametrize("key", ["memory", "example.com/gpu-mem"])
def test_keys_of_no_vendor_are_left_alone(lint_limits: Callable[..., Any], key: str) -> None:
    assert lint_limits(f"{key}: 4Gi", f"{key}: 0.5").codes == []


def test_gib_of_a_cluster_with_its_own_unit_is_not_guessed(lint_limits: Callable[..., Any]) -> None:
    profile = Profile("alibaba-gpushare", extensions=(AlibabaProfile(memory_unit_mib=128),))
    one = lint_limits(f"{ACK_GIB}: «2Gi»", profile=profile).of("K8S002")[0]
    assert one.fix is None


# limits, requests, what the fix writes
REQUESTS: list[tuple[str, str, int | str | None]] = [
    (f"{MIB}: 4096", f"{MIB}: «2048»", 4096),
    (f'{GIB}: "4"', f'{GIB}: «"2"»', "4"),  # the vendor writes strings
    (f"{MIB}: 2048", f"{MIB}: «4096»", None),
    (f"{MIB}: 4Gi", f"{MIB}: «2Gi»", None),  # K8S002 mends the limit first
    (f"{MIB}: 4096", f"{MIB}: «1k»", 4096),
]


@pytest.mark.parametrize(("limits", "requests", "written"), REQUESTS)
def test_requests_other_than_limits(
    lint_limits: Callable[..., Any], limits: str, requests: str, written: int | str | None
) -> None:
    found = lint_limits(limits, requests)
    assert found.places("K8S003") == found.marked
    one = found.of("K8S003")[0]
    assert one.fix is None if written is None else one.fix.edits == (Put(one.path, written),)


@pytest.mark.parametrize(
    ("limits", "requests"),
    [
        (f"{MIB}: 4096", f"{MIB}: 4096"),
        (f"{MIB}: 4096", f'{MIB}: "4096"'),
        (f"{MIB}: 4000", f"{MIB}: 4k"),
        (f"{MIB}: 4096", None),
        (f"{MIB}: abc", f"{MIB}: 4096"),
        ("cpu: 2", "cpu: 1"),
    ],
)
def test_requests_equal_to_limits(lint_limits: Callable[..., Any], limits: str, requests: str | None) -> None:
    assert not lint_limits(limits, requests).of("K8S003")


def test_requests_alone(lint_limits: Callable[..., Any]) -> None:
    found = lint_limits("cpu: 1", f'«{GIB}»: "4", cpu: 1')
    assert found.codes == ["K8S004"]
    assert found.places("K8S004") == found.marked
    limits = ("spec", "containers", 0, "resources", "limits", GIB)
    assert found.of("K8S004")[0].fix.edits == (Put(limits, "4"),)


def test_requests_alone_in_a_kind_with_another_field(lint: Callable[..., Any]) -> None:
    found = lint(
        "apiVersion: tekton.dev/v1\nkind: Task\nmetadata: {name: t}\nspec:\n  steps:\n"
        f"  - name: s\n    computeResources:\n      requests: {{«{MIB}»: 4096}}\n"
    )
    assert found.places("K8S004") == found.marked
    path = ("spec", "steps", 0, "computeResources", "limits", MIB)
    assert found.of("K8S004")[0].fix.edits == (Put(path, 4096),)


def test_limits_alone_are_fine(lint_limits: Callable[..., Any]) -> None:
    assert lint_limits(f"{PERCENT}: 30, {MIB}: 4096").codes == []


def test_requests_alone_that_are_no_number_are_not_copied(lint_limits: Callable[..., Any]) -> None:
    assert lint_limits("cpu: 1", f"{MIB}: abc").of("K8S004")[0].fix is None


def deployment(owner: str, template: str, limits: str = f"{PERCENT}: 30, {MIB}: 4096") -> str:
    return (
        f"apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: web, {owner}}}\nspec:\n  template:\n"
        f"    metadata: {{{template}}}\n    spec:\n      containers:\n      - name: web\n"
        f"        resources: {{limits: {{{limits}}}}}\n"
    )


TEMPLATE = ("spec", "template", "metadata")


@pytest.mark.parametrize(
    ("owner", "limits", "field", "key", "text"),
    [
        (f"annotations: {{«{POLICY}»: fixed-share}}", f"{MIB}: 4096", "annotations", POLICY, "fixed-share"),
        (f'labels: {{«{COUNT}»: "2"}}', f"{ACK_GIB}: 8", "labels", COUNT, "2"),
        (
            "annotations: {«gpuxlate.io/qos»: online}",
            "gpuxlate.io/cores: 30",
            "annotations",
            "gpuxlate.io/qos",
            "online",
        ),
    ],
)
def test_steering_on_the_workload(
    lint: Callable[..., Any], owner: str, limits: str, field: str, key: str, text: str
) -> None:
    found = lint(deployment(owner, "labels: {app: web}", limits))
    assert found.codes == ["K8S005"]
    assert found.places("K8S005") == found.marked
    assert found.of("K8S005")[0].fix.edits == (
        Remove(("metadata", field, key)),
        Put((*TEMPLATE, field, key), text),
    )


def test_steering_that_differs_is_not_moved(lint: Callable[..., Any]) -> None:
    found = lint(
        deployment(
            f"annotations: {{«{POLICY}»: fixed-share}}", f"annotations: {{{POLICY}: native-burst-share}}"
        )
    )
    assert found.places("K8S005") == found.marked
    assert found.of("K8S005")[0].fix is None


@pytest.mark.parametrize(
    ("owner", "template", "limits"),
    [
        (
            f"annotations: {{{POLICY}: fixed-share}}",
            f"annotations: {{{POLICY}: fixed-share}}",
            f"{MIB}: 4096",
        ),
        (f"annotations: {{{POLICY}: fixed-share}}", "", "cpu: 1"),
        (f"annotations: {{{POLICY}: fixed-share}}", "", f"{GIB}: 4"),  # another vendor's pod
        ('annotations: {gpuxlate.io/ignore: "VKE012"}', "", f"{MIB}: 4096"),
        ('annotations: {vke.volcengine.com/assumed: "true"}', "", f"{MIB}: 4096"),  # GX004
        ("labels: {app: web}", "labels: {app: other}", f"{MIB}: 4096"),
    ],
)
def test_steering_that_is_well_placed(
    lint: Callable[..., Any], owner: str, template: str, limits: str
) -> None:
    assert not lint(deployment(owner, template, limits)).of("K8S005")


def stray(before: str, metadata: str = "name: web") -> str:
    return (
        f"apiVersion: v1\nkind: Pod\nmetadata: {{{metadata}}}\n{before}\nspec:\n  containers:\n  - name: w\n"
        f"    resources: {{limits: {{{PERCENT}: 30, {MIB}: 4096}}}}\n"
    )


@pytest.mark.parametrize(
    ("before", "metadata", "moves"),
    [
        (f"annotations: {{«{POLICY}»: fixed-share}}", "name: web", True),
        (f"annotations: {{«{POLICY}»: fixed-share}}", f"annotations: {{{POLICY}: fixed-share}}", False),
        ("annotations: {«tke.cloud.tencent.com/app-class»: online}", "name: web", True),  # TKE013
    ],
)
def test_steering_outside_metadata(lint: Callable[..., Any], before: str, metadata: str, moves: bool) -> None:
    found = lint(stray(before, metadata))
    assert found.codes == ["K8S006"]
    assert found.places("K8S006") == found.marked
    one = found.of("K8S006")[0]
    put = (Put(("metadata", *one.path), found_text(before)),) if moves else ()
    assert one.fix.edits == (Remove(one.path), *put)


def found_text(before: str) -> str:
    return before.rpartition(": ")[2].rstrip("}")


def test_steering_outside_metadata_that_differs_is_not_moved(lint: Callable[..., Any]) -> None:
    found = lint(
        stray(f"annotations: {{{POLICY}: fixed-share}}", f"annotations: {{{POLICY}: native-burst-share}}")
    )
    assert found.of("K8S006")[0].fix is None


def test_foreign_keys_outside_metadata_are_left_alone(lint: Callable[..., Any]) -> None:
    assert lint(stray("annotations: {example.com/team: a}")).codes == []


@pytest.mark.parametrize(
    "limits",
    [
        f"{PERCENT}: 30, {MIB}: 4096, «nvidia.com/gpu»: 1",
        f"{PERCENT}: 30, {MIB}: 4096, «{GIB}»: 4",
        f"{ACK_GIB}: 4, «aliyun.com/gpu»: 1",  # facts A11
        f"{ACK_GIB}: 4, «{GIB}»: 4, tke.cloud.tencent.com/qgpu-core: 30",
        f"gpuxlate.io/cores: 30, «{MIB}»: 4096",
    ],
)
def test_two_vendors_in_one_container(lint_limits: Callable[..., Any], limits: str) -> None:
    found = lint_limits(limits)
    assert found.codes == ["K8S007"]
    assert found.places("K8S007") == found.marked


@pytest.mark.parametrize(
    "limits",
    [
        f"{PERCENT}: 30, {MIB}: 4096",
        f"{PERCENT}: 30, {MIB}: 4096, nvidia.com/gpu: 0",
        "nvidia.com/gpu: 2, cpu: 4",
        "aliyun.com/gpu: 2",
        f"{PERCENT}: 30, {MIB}: 4096, {COUNT}: 2",  # GX013
    ],
)
def test_one_vendor_in_a_container(lint_limits: Callable[..., Any], limits: str) -> None:
    assert not lint_limits(limits).of("K8S007")


# field of the pod, key, what is written, what the fix writes
STRINGS: list[tuple[str, str, str, str | None]] = [
    ("labels", COUNT, "2", "2"),
    ("annotations", "vke.volcengine.com/container-multiple-gpu", "2", "2"),
    ("annotations", "vke.volcengine.com/container-multiple-gpu", "1.5", "1.5"),
    ("annotations", POLICY, "yes", "yes"),
    ("annotations", "gpuxlate.io/ignore", "12", "12"),
    ("annotations", POLICY, "null", None),
]


@pytest.mark.parametrize(("field", "key", "text", "quoted"), STRINGS)
@pytest.mark.parametrize("level", ["pod", "workload"])
def test_values_that_are_no_strings(
    lint: Callable[..., Any], level: str, field: str, key: str, text: str, quoted: str | None
) -> None:
    mark = f"«{key}»: {text}" if quoted is None else f"{key}: «{text}»"
    said = f"{field}: {{{mark}}}"
    found = lint(deployment(said, "") if level == "workload" else deployment("", said))
    assert found.of("K8S008")[0].severity is E
    one = found.of("K8S008")[0]
    assert one.fix is None if quoted is None else one.fix.edits == (Put(one.path, quoted),)
    assert quoted is None or found.places("K8S008") == found.marked


def test_node_selectors_are_strings(lint: Callable[..., Any]) -> None:
    found = lint(
        "apiVersion: v1\nkind: Pod\nspec:\n  nodeSelector: {vke.node.gpu.schedule: «true»}\n"
        f"  containers:\n  - resources: {{limits: {{{MIB}: 4096}}}}\n"
    )
    assert found.places("K8S008") == found.marked


@pytest.mark.parametrize(
    "said", [f'labels: {{{COUNT}: "2"}}', "labels: {version: 2}", f"annotations: {{{POLICY}: fixed-share}}"]
)
def test_values_that_are_strings(lint: Callable[..., Any], said: str) -> None:
    assert not lint(deployment("", said)).of("K8S008")
