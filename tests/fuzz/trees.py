"""What generated manifests say: kinds, places of pods, keys of all vendors, hostile values."""

from typing import Any

from hypothesis import strategies as st

from gpuxlate.manifest.kinds import KINDS, PodShape
from gpuxlate.testing.strategies import KEY_WORDS
from tests.lint.test_text_soundness import JOBS, KEYS, misspelt

ALL_VENDORS = (
    {"vke.volcengine.com/mgpu-core": 30, "vke.volcengine.com/mgpu-memory": 4096},
    {"aliyun.com/gpu-mem": 4, "aliyun.com/gpu-core.percentage": 30},
    {"tke.cloud.tencent.com/qgpu-core": "30", "tke.cloud.tencent.com/qgpu-memory": "4"},
    {"gpuxlate.io/cores": 30, "gpuxlate.io/memory-mib": 4096},
    {"nvidia.com/gpu": 1, "nvidia.com/gpumem": 4096, "nvidia.com/gpucores": 30},
    {"volcano.sh/vgpu-number": 1, "volcano.sh/vgpu-memory": 4096, "volcano.sh/vgpu-cores": 30},
    {"nvidia.com/gpu": 1},
)
"""A share as each vendor writes it."""


class Plain(str):
    """A text that is to stand without quotes, whatever YAML takes it for."""


# fmt: off
_NUMBERS = (
    "0", "-0", "-1", "+5", "007", "08", "1_000", "0x1F", "0X1F", "0o17", "017", "0b101", "1:30", "30:00:00",
    "5.5", ".5", "5.", "0.3e1", "1_0.5", "2,5", "1,000", "1e3", "1E3", "1e999999", "1e-999999", "-1e400",
    "9223372036854775807", "9223372036854775808", "1e", "e3", "NaN", "Infinity", ".inf",
    "-.Inf", ".NaN", "4Gi", "4GiB", "4EB", "4Ei", "6k", "30%", "3000m", "1n", "true", "yes", "~", "null",
    "\u0663\u0660", "\uff13\uff10", "\u00bd", "30 %", "1 000",
    "9" * 18, "9" * 19, "9" * 400, "-" + "9" * 30,
)
CHARACTERS = (
    "\U0001f600", "e\u0301", "\u202e", "\u2066", "\u200d", "\ufeff", "\0", "\x07", "\x1b[31m", "\x7f",
    "\x9b", "\ufffe", "\uffff", "\ufdd0", "\U0010ffff", "\x85", "\u2028", "\u2029", "\t", "\r", "\n",
)
"""What acts on a reader or on a terminal."""
# fmt: on
NUMBERS = tuple(map(Plain, _NUMBERS))

texts = st.one_of(
    st.sampled_from(
        ("a", "web", "", " ", "#", "a: b", "- a", "a #b", "'", '"', "{{ .x }}", "*a", "&a", "!x", "%", "@")
    ),
    st.sampled_from(KEY_WORDS),
    st.sampled_from(KEY_WORDS),
    st.lists(st.one_of(st.sampled_from(CHARACTERS), st.text(max_size=4)), min_size=1, max_size=4).map(
        "".join
    ),
)
numbers = st.sampled_from(NUMBERS)
scalars = st.one_of(st.integers(-5, 9000), numbers, texts, st.none(), st.booleans())
keys = st.one_of(st.sampled_from(KEYS), misspelt(), st.sampled_from(("cpu", "memory", "app", "a")), texts)
anything = st.recursive(
    scalars,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(keys, inner, max_size=3)),
    max_leaves=4,
)
given_shares = st.one_of(
    st.sampled_from(ALL_VENDORS).map(dict),
    st.sampled_from(ALL_VENDORS).flatmap(
        lambda share: st.tuples(st.just(share), st.sampled_from(sorted(share)), st.one_of(numbers, scalars))
    ).map(lambda three: {**three[0], three[1]: three[2]}),
    st.dictionaries(keys, st.one_of(numbers, scalars, anything), max_size=3),
)  # fmt: skip


@st.composite
def containers(draw: st.DrawFn, field: str = "resources") -> dict[str, Any]:
    share = draw(given_shares)
    resources: dict[str, Any] = {"limits": share}
    match draw(st.integers(0, 4)):
        case 1:
            resources["requests"] = dict(share)
        case 2:
            resources["requests"] = draw(given_shares)
        case 3:
            resources = {"requests": share}
    made = {"name": draw(st.sampled_from(("a", "b", "nginx:1"))), field: resources}
    if draw(st.integers(0, 5)) == 0:
        made["env"] = [{"name": draw(keys), "value": draw(scalars)}]
    return made


@st.composite
def metadata(draw: st.DrawFn) -> dict[str, Any]:
    made: dict[str, Any] = {"name": draw(st.one_of(st.just("web"), texts))}
    for field in ("labels", "annotations"):
        if draw(st.integers(0, 2)) == 0:
            made[field] = draw(st.dictionaries(keys, scalars, max_size=2))
    return made


@st.composite
def pod_specs(draw: st.DrawFn) -> dict[str, Any]:
    made: dict[str, Any] = {"containers": draw(st.lists(containers(), min_size=1, max_size=2))}
    match draw(st.integers(0, 9)):
        case 0:
            made["initContainers"] = [draw(containers())]
        case 1:
            made["nodeSelector"] = draw(st.dictionaries(keys, scalars, max_size=2))
        case 2:
            term = {"matchExpressions": [{"key": draw(keys), "operator": "In", "values": [draw(scalars)]}]}
            required = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [term]}}
            made["affinity"] = {"nodeAffinity": required}
        case 3:
            made["schedulerName"] = draw(texts)
    return made


_SHAPES: list[tuple[str, PodShape]] = [(kind.kind, shape) for kind in KINDS for shape in kind.pods]


@st.composite
def of_catalog(draw: st.DrawFn) -> dict[str, Any]:
    """A kind of the catalogue with a container where its row says."""
    kind, shape = draw(st.sampled_from(_SHAPES))
    one = draw(containers(shape.resources))
    inner: Any = _nested(draw(st.sampled_from(shape.containers)), one)
    where = {"metadata": draw(metadata())} if shape.metadata == ("metadata",) else {}
    return {"apiVersion": "x/v1", "kind": kind, **_nested(shape.pod, {**where, **inner})}


def _nested(steps: tuple[str, ...], value: Any) -> Any:
    for step in reversed(steps):
        value = [value] if step == "*" else {step: value}
    return value


@st.composite
def workloads(draw: st.DrawFn) -> dict[str, Any]:
    """Pods, templates at any depth, kinds that nobody knows."""
    spec, about = draw(pod_specs()), draw(metadata())
    kind = draw(
        st.sampled_from(("Pod", "Deployment", "DaemonSet", "CronJob", "PyTorchJob", "Fleet", "ResourceList"))
    )
    template: dict[str, Any] = {"metadata": draw(metadata()), "spec": spec}
    inner: Any = {
        "Pod": spec,
        "CronJob": {"jobTemplate": {"spec": {"template": template}}},
        "PyTorchJob": {"pytorchReplicaSpecs": {"Worker": {"replicas": draw(scalars), "template": template}}},
    }.get(kind, {"replicas": draw(scalars), "template": template})
    return {"apiVersion": "v1", "kind": kind, "metadata": about, "spec": inner}


@st.composite
def shares(draw: st.DrawFn) -> dict[str, Any]:
    """GPUShare documents, right and wrong."""
    fields = {
        "cores": st.one_of(st.integers(1, 100), scalars),
        "memoryMiB": st.one_of(st.integers(1, 9000), scalars),
        "cards": st.one_of(st.integers(1, 3), scalars),
        "policy": st.one_of(st.sampled_from(("fixed-share", "burst-share")), texts),
        "qos": st.one_of(st.sampled_from(("online", "offline")), texts),
        "workload": st.one_of(st.builds(dict, file=texts, container=texts), anything),
    }
    spec = draw(st.fixed_dictionaries({}, optional=fields))
    about = draw(st.one_of(st.just({"name": "a"}), metadata(), anything))
    return {"apiVersion": "gpuxlate.io/v1alpha1", "kind": "GPUShare", "metadata": about, "spec": spec}


@st.composite
def others(draw: st.DrawFn) -> dict[str, Any]:
    """What is no pod: jobs' parameters, quotas, definitions, texts that hold manifests, nothing known."""
    body = draw(given_shares)
    job = draw(st.sampled_from(JOBS))
    return draw(
        st.sampled_from(
            (
                {"kind": "ConfigMap", "data": {"file": "aliyun.com/gpu-mem: 2\n{", "a": draw(texts)}},
                {
                    "kind": "ResourceQuota",
                    "spec": {"hard": {f"requests.{key}": one for key, one in body.items()}},
                },
                {"kind": "CustomResourceDefinition", "spec": {"containers": [{"name": "a", "limits": body}]}},
                {
                    "kind": job.kinds[0],
                    **_nested(job.parameters, {f"{job.mark}.core": draw(scalars), **body}),
                },
                {"gpuResourceType": draw(texts), "gpuCompute": draw(scalars), "gpuCards": draw(scalars)},
                draw(st.dictionaries(keys, anything, max_size=3)),
            )
        )
    )


objects = st.one_of(workloads(), workloads(), of_catalog(), others(), shares())
lists = st.lists(objects, max_size=2).map(lambda items: {"apiVersion": "v1", "kind": "List", "items": items})
documents = st.one_of(objects, objects, objects, lists, anything)
