"""Generated workloads in many styles of YAML: from A to B and back gives A."""

import difflib
import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import permutations
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from gpuxlate.backends import registry
from gpuxlate.translation.fit import Verdict
from gpuxlate.translation.options import Settings
from gpuxlate.translation.translate import translate_source
from gpuxlate.yamltext.source import Source
from tests.effort import tries

VKE, ACK, TKE, NEUTRAL = "volcengine-mgpu", "alibaba-gpushare", "tencent-qgpu", "neutral"
MGPU, QGPU = "vke.volcengine.com/mgpu", "tke.cloud.tencent.com/qgpu"

# --- what is generated ----------------------------------------------------------------------------


@dataclass(frozen=True)
class Style:
    """How somebody writes YAML."""

    step: int = 2
    dash: bool = False  # lists stand in from their key
    flow: bool = False  # limits, labels and choices of nodes in braces
    quote: str = ""  # round keys
    comments: bool = False
    newline: str = "\n"
    bom: bool = False
    last_line_break: bool = True
    blank: int = 1  # blanks behind a colon


@dataclass(frozen=True)
class Workload:
    kind: str
    shares: tuple[tuple[int, int] | None, ...]  # compute and GiB of each container, None without one
    requests: bool
    policy: bool
    extra: dict[str, Any] = field(default_factory=dict)


styles = st.builds(
    Style,
    step=st.sampled_from([2, 4]),
    dash=st.booleans(),
    flow=st.booleans(),
    quote=st.sampled_from(["", "", '"', "'"]),
    comments=st.booleans(),
    newline=st.sampled_from(["\n", "\r\n"]),
    bom=st.booleans(),
    last_line_break=st.booleans(),
    blank=st.sampled_from([1, 1, 3]),
)
# compute on TKE's grid of 5, memory in GiB: exact everywhere
share = st.tuples(st.integers(1, 19).map(lambda n: n * 5), st.integers(1, 16))
EXTRA = {
    "labels": st.just({"app": "模型", "tier": "x # no comment"}),
    "annotations": st.just({"note": "第一行\n第二行: # text\n"}),
    "nodeSelector": st.just({"zone": "a"}),
    "tolerations": st.just([{"operator": "Exists"}]),
}
workloads = st.builds(
    Workload,
    kind=st.sampled_from(["Pod", "Deployment", "CronJob", "PyTorchJob", "Fleet"]),
    shares=st.lists(st.one_of(share, share, st.none()), min_size=1, max_size=3).map(tuple).filter(any),
    requests=st.booleans(),
    policy=st.booleans(),
    extra=st.fixed_dictionaries({}, optional=EXTRA),
)


# one share in each dialect, as its vendor writes it
SHARES: dict[str, Callable[[int, int], dict[str, Any]]] = {
    VKE: lambda cores, gib: {f"{MGPU}-core": cores, f"{MGPU}-memory": gib * 1024},
    ACK: lambda cores, gib: {"aliyun.com/gpu-mem": gib, "aliyun.com/gpu-core.percentage": cores},
    TKE: lambda cores, gib: {f"{QGPU}-core": str(cores), f"{QGPU}-memory": str(gib)},
    NEUTRAL: lambda cores, gib: {"gpuxlate.io/cores": cores, "gpuxlate.io/memory-mib": gib * 1024},
}
POLICY = {VKE: f"{MGPU}-compute-policy", NEUTRAL: "gpuxlate.io/policy"}


def tree(work: Workload, dialect: str, number: int = 0) -> dict[str, Any]:
    """The manifest as data."""
    containers: list[dict[str, Any]] = []
    for index, one in enumerate(work.shares):
        limits: dict[str, Any] = {"cpu": "2"}
        requests: dict[str, Any] = {"cpu": "1"}
        if one:
            limits |= SHARES[dialect](*one)
            requests |= SHARES[dialect](*one) if work.requests else {}
        resources = {"limits": limits, "requests": requests}
        containers.append({"name": f"c{index}", "image": "nginx:1.25", "resources": resources})
    spec: dict[str, Any] = {"containers": containers, "restartPolicy": "Never"}
    extra = work.extra
    metadata: dict[str, Any] = {
        name: dict(extra[name]) for name in ("labels", "annotations") if name in extra
    }
    spec = {name: extra[name] for name in ("tolerations", "nodeSelector") if name in extra} | spec
    if dialect == ACK:
        spec["nodeSelector"] = {**spec.get("nodeSelector", {}), "ack.node.gpu.schedule": "core_mem"}
    if work.policy and dialect in POLICY:
        metadata.setdefault("annotations", {})[POLICY[dialect]] = "fixed-share"
    name: dict[str, Any] = {"name": f"w{number}"}
    if work.kind == "Pod":
        return {"apiVersion": "v1", "kind": "Pod", "metadata": name | metadata, "spec": spec}
    template: dict[str, Any] = {"metadata": metadata, "spec": spec} if metadata else {"spec": spec}
    of_kind: dict[str, dict[str, Any]] = {
        "Deployment": {"replicas": 2, "template": template},
        "CronJob": {"schedule": "0 3 * * *", "jobTemplate": {"spec": {"template": template}}},
        "PyTorchJob": {"pytorchReplicaSpecs": {"Worker": {"replicas": 1, "template": template}}},
        "Fleet": {"groups": [{"size": 3, "template": template}]},
    }
    return {"apiVersion": "x/v1", "kind": work.kind, "metadata": name, "spec": of_kind[work.kind]}


def written(data: Any, style: Style) -> str:
    """Data as YAML in a style of its own; comments at the ends of lines and between them."""
    lines = list(_lines(data, style, 0))
    if style.comments:
        lines = [line for n, one in enumerate(lines) for line in _with_comments(one, n)]
    return style.newline.join(lines) + (style.newline if style.last_line_break else "")


def _with_comments(line: str, number: int) -> list[str]:
    if line.startswith("\0"):  # a line of a block scalar
        return [line[1:]]
    pad = line[: len(line) - len(line.lstrip(" "))]
    above = [f"{pad}# 注释 {number}"] if number % 4 == 1 and not line.lstrip().startswith("-") else []
    return [*above, f"{line}  # end {number}" if number % 3 == 0 and not line.endswith("|") else line]


def _lines(data: dict[str, Any], style: Style, column: int) -> list[str]:
    pad, out = " " * column, []
    for name, value in data.items():
        key = f"{pad}{style.quote}{name}{style.quote}:"
        gap = " " * style.blank
        if isinstance(value, dict) and not (style.flow and _flat(value)):
            out += [key, *_lines(value, style, column + style.step)]
        elif isinstance(value, list):
            out.append(key)
            at = column + (style.step if style.dash else 0)
            for item in value:
                inner = _lines(item, style, at + 2)
                out += [" " * at + "- " + inner[0][at + 2 :], *inner[1:]]
        elif isinstance(value, str) and "\n" in value:
            mark = "\0" if style.comments else ""
            out += [key + gap + "|", *(f"{mark}{pad}  {line}" for line in value.splitlines())]
        else:
            out.append(key + gap + _flow(value, style))
    return out


def _flat(value: dict[str, Any]) -> bool:
    return all(isinstance(one, (int, str)) and "\n" not in str(one) for one in value.values())


def _flow(value: Any, style: Style) -> str:
    if isinstance(value, dict):
        body = ", ".join(f"{style.quote}{k}{style.quote}: {_flow(v, style)}" for k, v in value.items())
        return "{" + body + "}"
    return json.dumps(value, ensure_ascii=False)


# --- what has to hold -----------------------------------------------------------------------------


def translated(text: str, to: str) -> str:
    """The new text, byte order mark and all. Nothing is refused and every share is exact."""
    source = Source("f", text)
    made = translate_source(source, Settings(to=registry.get(to)))
    assert not made.refused, [(d.code, d.message, text) for d in made.diagnostics]
    assert {item.verdict for item in made.items} <= {Verdict.EXACT}
    return source.encode(made.text).decode()


def comments(text: str) -> list[str]:
    return sorted(re.findall(r"# (?:注释|end) \d+", text))


BLOCK = re.compile(
    r"(metadata|labels|annotations|nodeSelector|affinity|nodeAffinity|requiredDuring\w+|nodeSelectorTerms"
    r"|matchExpressions|key|operator|values)\b|fixed-share|fs\b"
)


def check_lines(old: str, new: str) -> None:
    """Every changed line holds a key of a dialect, belongs to a block made for one, or is a kept comment."""
    diff = list(difflib.unified_diff(old.splitlines(), new.splitlines(), n=0, lineterm=""))[2:]
    changed = [line[1:] for line in diff if not line.startswith("@@")]
    for line in changed:
        bare = line.split("# ")[0].strip(" -\r\ufeff\"'")
        words = re.findall(r"[\w./-]+\.[\w./-]+", line)
        ours = any(one.owns(word) for one in registry.all_backends() for word in words)
        assert ours or not bare or BLOCK.match(bare), (line, changed)


def round_trip(text: str, source: str, target: str, work: Workload) -> None:
    there = translated(text, target)
    back = translated(there, source)
    owns = registry.get(source).owns
    assert not any(owns(word) for word in re.findall(r"[\w./-]+\.[\w./-]+", there)), there
    assert list(yaml.safe_load_all(back)) == list(yaml.safe_load_all(text))
    assert comments(there) == comments(back) == comments(text)
    check_lines(text, there)
    check_lines(there, back)
    if not work.policy and ACK not in (source, target):  # nothing is made for the pod
        assert back == text
    assert translated(text, source) == text


PAIRS = list(permutations((VKE, ACK, TKE, NEUTRAL), 2))
quick = tries(15)


@pytest.mark.parametrize(("source", "target"), PAIRS)
@quick
@given(work=workloads, style=styles)
def test_there_and_back(source: str, target: str, work: Workload, style: Style) -> None:
    if not {source, target} <= set(POLICY):
        work = replace(work, policy=False)
    text = ("\ufeff" if style.bom else "") + written(tree(work, source), style)
    round_trip(text, source, target, work)


@quick
@given(works=st.lists(workloads, min_size=2, max_size=3), style=styles, pair=st.sampled_from(PAIRS))
def test_several_documents(works: list[Workload], style: Style, pair: tuple[str, str]) -> None:
    works = [replace(one, policy=False) for one in works]
    whole = replace(style, last_line_break=True)
    texts = [written(tree(work, pair[0], n), whole) for n, work in enumerate(works)]
    texts.insert(1, style.newline.join(["# 与此无关", "free: {text: [1, 2], 'q':   \"r\"}", ""]))
    text = f"--- # start{style.newline}".join(texts)
    round_trip(("\ufeff" if style.bom else "") + text, *pair, works[0])


@quick
@given(work=workloads, pair=st.sampled_from(PAIRS), layout=st.sampled_from([None, 2, 4, "\t"]))
def test_json_stays_json(work: Workload, pair: tuple[str, str], layout: Any) -> None:
    work = replace(work, policy=False)
    separators = (",", ":") if layout is None else None
    text = json.dumps(tree(work, pair[0]), ensure_ascii=False, indent=layout, separators=separators)
    there = translated(text, pair[1])
    back = translated(there, pair[0])
    assert json.loads(back) == json.loads(text) == {**json.loads(text), "kind": json.loads(there)["kind"]}
    if ACK not in pair:
        assert back == text
    if layout is None:
        assert "\n" not in there
        assert '": ' not in there.replace("第二行: ", "")
