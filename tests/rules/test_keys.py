"""GX003, GX004, GX006 and GX013: names and places. The keys are those of the vendors' data sheets."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from gpuxlate.backends import registry
from gpuxlate.model.diagnostics import Severity
from gpuxlate.model.edits import Put, Remove, Rename
from gpuxlate.model.sheet import Place
from gpuxlate.rules.vocabulary import distance, nearest

MIB = "vke.volcengine.com/mgpu-memory"
PERCENT = "vke.volcengine.com/mgpu-core"
POLICY = "vke.volcengine.com/mgpu-compute-policy"
COUNT = "aliyun.com/gpu-count"
QGPU_POLICY = "tke.cloud.tencent.com/qgpu-schedule-policy"
LIMITS = ("spec", "containers", 0, "resources", "limits")


def pod(metadata: str = "name: web", spec: str = "", limits: str = f"{MIB}: 4096", env: str = "") -> str:
    return (
        f"apiVersion: v1\nkind: Pod\nmetadata: {{{metadata}}}\nspec:\n  {spec or 'restartPolicy: Never'}\n"
        f"  containers:\n  - name: web\n    env: [{env}]\n    resources: {{limits: {{{limits}}}}}\n"
    )


# what is written, what is meant, whether a fix renames it
MISSPELT: list[tuple[str, str | None, bool]] = [
    ("vke.volcengine.com/mgpu-cores", PERCENT, True),
    ("vke.volcengine.com/mpgu-core", PERCENT, True),
    ("vke.volcengin.com/mgpu-core", PERCENT, True),
    ("vke.volcengine.com/mgpu-mem", MIB, True),  # cut short
    ("aliyun.com/gpu-memory", "aliyun.com/gpu-mem", True),  # drawn out
    ("tke.cloud.tencent.com/qgpu-sche", QGPU_POLICY, True),  # facts 2a: the seed's screenshot
    ("vke.volcengine.com/mgpu-policy", POLICY, False),  # alike: a hint only
    ("tke.cloud.tencent.com/qgpu-xyzzy", None, False),
    ("gpuxlate.io/core", "gpuxlate.io/cores", True),
    ("katalyst.kubewharf.io/qos-level", "katalyst.kubewharf.io/qos_level", True),
    ("vke.volcengne.com/mgpu-core", PERCENT, True),  # a letter of the domain
    ("vkevolcengine.com/mgpu-core", PERCENT, True),  # its dot
    ("vke.volc.engine.com/mgpu-core", PERCENT, True),  # a dot too many
    ("gpuxlate.oi/qos", "gpuxlate.io/qos", True),
]


@pytest.mark.parametrize(("name", "meant", "renamed"), MISSPELT)
def test_misspelt_keys(lint: Callable[..., Any], name: str, meant: str | None, renamed: bool) -> None:
    found = lint(pod(limits=f"«{name}»: 4"))
    assert found.places("GX003") == found.marked
    one = found.of("GX003")[0]
    assert one.severity is Severity.ERROR
    assert one.hint == (f"did you mean {meant}?" if meant else "check the name: nothing reads this key")
    if renamed:
        assert one.fix.edits == (Rename((*LIMITS, name), meant, 4),)
        assert not one.fix.safe
    else:
        assert one.fix is None


SLIP = "tke.cloud.tencent.com/app-clas"
MEANT = "tke.cloud.tencent.com/app-class"


@pytest.mark.parametrize(
    "text",
    [
        pod(f"labels: {{«{SLIP}»: online}}"),
        pod(f"annotations: {{«{SLIP}»: online}}"),
        pod(spec=f"nodeSelector: {{«{SLIP}»: online}}"),
        pod().replace("spec:", f"annotations: {{«{SLIP}»: online}}\nspec:", 1),
    ],
)
def test_misspelt_keys_in_every_mapping(lint: Callable[..., Any], text: str) -> None:
    found = lint(text)
    assert found.places("GX003") == found.marked
    one = found.of("GX003")[0]
    assert one.fix.edits == (Rename(one.path, MEANT, "online"),)


def test_misspelt_key_of_an_affinity(lint: Callable[..., Any]) -> None:
    terms = (
        "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: "
        "[{matchExpressions: [{key: «tke.cloud.tencent.com/qgpu-schedule-polcy», operator: Exists}]}]}}}"
    )
    found = lint(pod(spec=terms))
    assert found.places("GX003") == found.marked
    one = found.of("GX003")[0]
    assert one.path[-1] == "key"
    assert one.fix.edits == (Put(one.path, QGPU_POLICY),)


def test_misspelt_key_on_the_workload(lint: Callable[..., Any]) -> None:
    found = lint(
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {labels: {«aliyun.com/gpu-counts»: '2'}}\nspec:\n"
        "  template:\n    spec:\n      containers:\n      - resources: {limits: {aliyun.com/gpu-mem: 8}}\n"
    )
    assert found.places("GX003") == found.marked


def test_a_key_that_is_there_already_is_not_renamed_into(lint: Callable[..., Any]) -> None:
    found = lint(pod(limits=f"«vke.volcengine.com/mgpu-cores»: 30, {PERCENT}: 30, {MIB}: 4096"))
    assert found.places("GX003") == found.marked
    assert found.of("GX003")[0].fix is None


@pytest.mark.parametrize(
    "name",
    [
        PERCENT,
        "nvidia.com/gpu",
        "nvidia.com/gpus",
        "amd.com/gpu",
        "aliyun.com/ppu",  # a real resource, one letter from aliyun.com/gpu
        "tke.cloud.tencent.com/eni-ip",  # rules.md: none of ours
        "vke.volcengine.com/rdma",
        "vke.volcengine.com/eni-ip",
        "tencent.com/vcuda-core",  # GX006
        "app.kubernetes.io/name",
        "gpuxlate.io/ignore",
        "vke.volcengine.com/assumed",  # GX004
        "mgpu-core",
        # another domain: a label is added, taken away or replaced
        "gpuxlate.io.x/qos",
        "x.gpuxlate.io/qos",
        "gpuxlate.cn/qos",
        "a.aliyun.com/gpu-mem",
        "aliyun.com.a/gpu-mem",
        # products that are known by name
        "nvidia.com/vgpu-cores",
        "nvidia.com/vgpu-memory",
        "nvidia.com/vgpu-number",
        "volcano.sh/gpu-number",
        "amd.com/gpumem",
    ],
)
def test_names_that_are_no_near_miss(lint: Callable[..., Any], name: str) -> None:
    assert not lint(pod(f"annotations: {{{name}: x}}")).of("GX003")


def test_a_name_that_a_dialect_claims_is_its_own(dialects: tuple[Any, ...]) -> None:
    from types import SimpleNamespace

    from gpuxlate.model.pod import ContainerKeys, PodKeys, Value
    from gpuxlate.rules.base import Context
    from gpuxlate.rules.keys import key_is_known

    keys = PodKeys(containers=(ContainerKeys(limits={"aliyun.com/gpu-core": Value("30")}),))
    ack = next(one for one in dialects if one.name == "alibaba-gpushare")
    bare = SimpleNamespace(
        name="ack",
        title="ACK",
        keys=ack.keys,
        gpu_prefixes=ack.gpu_prefixes,
        look_alikes=(),
        reads_only=False,
        whole_card_key=None,
        domains=ack.domains,
        also_speaks=None,
        find=ack.find,
        owns=ack.owns,
    )
    assert [one.code for one in key_is_known(keys, Context(dialects=(bare,)))] == ["GX003"]
    reporting = SimpleNamespace(**vars(bare), wrong_names=("aliyun.com/gpu-core",))
    assert list(key_is_known(keys, Context(dialects=(reporting,)))) == []


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [("gpu", "gpu", 0), ("gpu", "gpus", 1), ("mgpu", "mpgu", 2), ("core", "memory", None), ("", "ab", 2)],
)
def test_edit_distance(one: str, other: str, expected: int | None) -> None:
    assert distance(one, other, 2) == expected
    assert distance(other, one, 2) == expected


def test_nearest_takes_the_first_of_equals() -> None:
    assert nearest("ab", ["abcd", "abc", "abd"], 2) == "abc"
    assert nearest("ab", ["xyz"], 2) is None


# where, what the fix removes
SCHEDULED: list[tuple[str, tuple[str | int, ...]]] = [
    (
        pod("annotations: {«vke.volcengine.com/gpu-index-container-web»: '0'}"),
        ("metadata", "annotations", "vke.volcengine.com/gpu-index-container-web"),
    ),
    (
        pod("annotations: {«scheduler.framework.gpushare.allocation»: '{}'}"),
        ("metadata", "annotations", "scheduler.framework.gpushare.allocation"),
    ),
    (
        pod("labels: {«tke.cloud.tencent.com/qgpu»: 'true'}"),
        ("metadata", "labels", "tke.cloud.tencent.com/qgpu"),
    ),
    (
        pod(env="{name: A, value: b}, {name: «ALIYUN_COM_GPU_MEM_CONTAINER», value: '2'}"),
        ("spec", "containers", 0, "env", 1),
    ),
]


@pytest.mark.parametrize(("text", "removed"), SCHEDULED)
def test_keys_of_schedulers(lint: Callable[..., Any], text: str, removed: tuple[str | int, ...]) -> None:
    found = lint(text)
    assert found.codes == ["GX004"]
    assert found.places("GX004") == found.marked
    one = found.of("GX004")[0]
    assert (one.severity, one.fix.edits, one.fix.safe) == (Severity.INFO, (Remove(removed),), True)


MARKS = [
    (row.name.replace("*", "web"), backend.name)
    for backend in registry.pod_backends()
    for row in backend.keys
    if row.places == {Place.SCHEDULER}
]
"""Every name that only a scheduler writes."""

NODE_AFFINITY = (
    "affinity: {{nodeAffinity: {{requiredDuringSchedulingIgnoredDuringExecution: {{nodeSelectorTerms: "
    "[{{matchExpressions: [{{key: «{}», operator: Exists}}]}}]}}}}}}"
)


@pytest.mark.parametrize(("name", "dialect"), MARKS)
def test_a_mark_of_a_scheduler_asks_for_nothing(lint: Callable[..., Any], name: str, dialect: str) -> None:
    """Contract, section 3: in resources it is a user's mistake and an error, never removed."""
    for text in (
        pod(limits=f"«{name}»: 1"),
        pod().replace("limits: {", f"requests: {{«{name}»: 1}}, limits: {{"),
        pod(spec=f"nodeSelector: {{«{name}»: a}}"),
        pod(spec=NODE_AFFINITY.format(name)),
    ):
        found = lint(text)
        assert found.codes == ["GX013"], dialect
        assert found.places("GX013") == found.marked
        one = found.of("GX013")[0]
        assert (one.severity, one.fix) == (Severity.ERROR, None)


def test_what_a_mark_was_meant_to_be(lint: Callable[..., Any]) -> None:
    found = lint(pod(limits="hami.io/vgpu-memory: 4000, vke.volcengine.com/assumed: 1"))
    assert [one.hint for one in found.of("GX013")] == [
        "did you mean nvidia.com/gpumem?",
        "remove it, or write the keys of Volcengine VKE, mGPU that request a share",
    ]


def test_a_mark_ends_at_the_slash(lint: Callable[..., Any]) -> None:
    """A name that begins alike and goes on as a domain is somebody else's."""
    assert not lint(pod("annotations: {scheduler.framework.gpushare.example.com/note: a}")).codes


def test_keys_of_people(lint: Callable[..., Any]) -> None:
    found = lint(pod(f"annotations: {{{POLICY}: fixed-share}}", env="{name: CGPU_DISABLE, value: 'true'}"))
    assert found.codes == []


@pytest.mark.parametrize(
    "text",
    [
        pod(limits="«tencent.com/vcuda-core»: 30, «tencent.com/vcuda-memory»: 20"),
        pod(limits="«alibabacloud.com/gpu-mem»: 4"),
        pod("annotations: {«eks.tke.cloud.tencent.com/gpu-type»: T4}"),
        pod("labels: {«alibabacloud.com/gpu-count»: '2'}"),
    ],
)
def test_look_alikes(lint: Callable[..., Any], text: str) -> None:
    found = lint(text)
    assert set(found.codes) == {"GX006"}
    assert found.places("GX006") == found.marked
    assert found.of("GX006")[0].severity is Severity.WARNING


def test_no_look_alikes(lint: Callable[..., Any]) -> None:
    assert not lint(pod(limits="tke.cloud.tencent.com/qgpu-core: 30, alibabacloud.com/other: 1")).of("GX006")


# where, what it says to write, what the fix puts and where
MISPLACED: list[tuple[str, str, tuple[str, ...] | None]] = [
    # gpushare-scheduler-extender issue 10: a counter of the device plugin, not a request
    (pod(limits=f"aliyun.com/gpu-mem: 8, «{COUNT}»: 2"), "as a label of the pod", ("labels", COUNT, "2")),
    (pod(f"annotations: {{«{COUNT}»: '2'}}"), "as a label of the pod", ("labels", COUNT, "2")),
    (
        pod(f"labels: {{«{POLICY}»: fixed-share}}"),
        "as an annotation of the pod, or in nodeSelector or in a required node affinity",
        ("annotations", POLICY, "fixed-share"),
    ),
    (
        pod("labels: {«ack.node.gpu.schedule»: cgpu}"),
        "in nodeSelector or in a required node affinity",
        None,
    ),
    (pod(f"annotations: {{«{PERCENT}»: '30'}}"), "in the limits of a container", None),
    (pod(spec=f"nodeSelector: {{«{MIB}»: '4096'}}"), "in the limits of a container", None),
    (pod("annotations: {«CGPU_DISABLE»: 'true'}"), "in the environment of a container", None),
    (pod(env=f"{{name: «{MIB}», value: '4096'}}"), "in the limits of a container", None),
    (pod("labels: {«mixed-qgpu-enable»: enable}"), "as a label of nodes", None),
]


@pytest.mark.parametrize(("text", "belongs", "put"), MISPLACED)
def test_keys_without_effect(
    lint: Callable[..., Any], text: str, belongs: str, put: tuple[str, ...] | None
) -> None:
    found = lint(text)
    assert found.codes == ["GX013"]
    assert found.places("GX013") == found.marked
    one = found.of("GX013")[0]
    assert one.hint == f"write it {belongs}"
    if put is None:
        assert one.fix is None
    else:
        field, key, value = put
        assert one.fix.edits == (Remove(one.path), Put(("metadata", field, key), value))
        assert not one.fix.safe


def test_a_label_that_is_there_already_is_not_put_again(lint: Callable[..., Any]) -> None:
    found = lint(pod(f"labels: {{{COUNT}: '2'}}", limits=f"aliyun.com/gpu-mem: 8, «{COUNT}»: 2"))
    assert found.places("GX013") == found.marked
    assert found.of("GX013")[0].fix is None


TRUE_POLICY = (
    "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: "
    f"[{{matchExpressions: [{{key: {QGPU_POLICY}, operator: In, values: ['true']}}]}}]}}}}}}"
)


def test_a_policy_chosen_as_true(lint: Callable[..., Any]) -> None:
    found = lint(pod(spec=f"nodeSelector: {{{QGPU_POLICY}: «'true'»}}"))
    assert found.codes == ["GX013"]
    assert found.places("GX013") == found.marked
    assert lint(pod(spec=TRUE_POLICY)).codes == ["GX013"]


@pytest.mark.parametrize(
    "text",
    [
        pod(f"labels: {{{COUNT}: '2'}}", limits="aliyun.com/gpu-mem: 8"),
        pod(f"annotations: {{{POLICY}: fixed-share}}"),
        pod(spec=f"nodeSelector: {{{QGPU_POLICY}: fixed-share}}"),
        pod(spec="nodeSelector: {mixed-qgpu-enable: enable}"),  # a label of nodes can be chosen
        pod(spec="nodeSelector: {nvidia.com/gpu: 'true'}"),  # no vendor's
        pod(env="{name: CGPU_DISABLE, value: 'true'}"),
        pod("annotations: {gpuxlate.io/ignore: GX013}"),
    ],
)
def test_keys_in_their_place(lint: Callable[..., Any], text: str) -> None:
    assert not lint(text).of("GX013")
