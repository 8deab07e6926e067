"""Random pods of every dialect with mistakes that people make, fast: no strategies, one seeded generator.

A pod is what a dialect writes for a random share, and then up to three mistakes are made in it. They know
the data sheets of all registered dialects and nothing else of them, so a new dialect is tried as it comes.
"""

import json
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from gpuxlate.backends import registry
from gpuxlate.backends.base import Backend
from gpuxlate.backends.pod_reader import ContainerShare
from gpuxlate.model.keys import Place
from gpuxlate.model.share import Policy, Qos, Share
from gpuxlate.testing.contract import GENEROUS
from gpuxlate.testing.strategies import KEY_WORDS
from gpuxlate.translation.fit import fit_pod

COMMON = "nvidia.com/gpu"
# fmt: off
NUMBERS: tuple[Any, ...] = (
    0, 1, 2, 3, 7, 10, 30, 33, 50, 99, 100, 101, 150, 200, 4096, 8192, 100000, -1, "0", "30", "8", "0.5", 0.5,
    1.5, "500m", "3000m", "2Gi", "4G", "6k", "30%", "abc", "", True, None, "0030", "1e3", "900000002",
    2**63 - 1, 2**63,
)
SCHEDULERS = ("default-scheduler", "volcano", "hami-scheduler", "mine", "kube-batch")
# fmt: on
PLACES = ("limits", "requests", "labels", "annotations", "owner_labels", "owner_annotations", "node_selector")
PLACE_OF = {
    Place.RESOURCE: "limits",
    Place.LABEL: "labels",
    Place.ANNOTATION: "annotations",
    Place.NODE_SELECTOR: "node_selector",
    Place.NODE: "node_selector",
    Place.WRITTEN_BY_SCHEDULER: "annotations",
    Place.ENV: "env",
}


@dataclass
class Container:
    limits: dict[str, Any] = field(default_factory=dict)
    requests: dict[str, Any] = field(default_factory=dict)
    env: dict[str, Any] = field(default_factory=dict)


@dataclass
class Pod:
    """A manifest in parts; ``done`` are the mistakes in it."""

    dialect: Backend
    share: Share
    containers: list[Container] = field(default_factory=lambda: [Container()])
    labels: dict[str, Any] = field(default_factory=dict)
    annotations: dict[str, Any] = field(default_factory=dict)
    owner_labels: dict[str, Any] = field(default_factory=dict)
    owner_annotations: dict[str, Any] = field(default_factory=dict)
    node_selector: dict[str, Any] = field(default_factory=dict)
    affinity: list[dict[str, Any]] = field(default_factory=list)
    stray: dict[str, Any] = field(default_factory=dict)
    scheduler: str | None = None
    init: Container | None = None
    kind: str = "Pod"
    done: list[str] = field(default_factory=list)

    def values(self, place: str, container: int = 0) -> dict[str, Any]:
        found: dict[str, Any]
        if place in ("limits", "requests", "env"):
            found = getattr(self.containers[container % len(self.containers)], place)
        else:
            found = getattr(self, place)
        return found

    def entries(self) -> list[tuple[dict[str, Any], str]]:
        """Every key with the mapping that it is in."""
        parts = [self.values(place) for place in (*PLACES, "env")]
        return [(values, name) for values in parts for name in values]

    @property
    def text(self) -> str:
        return "".join(_lines(self._document(), 0))

    def _document(self) -> dict[str, Any]:
        terms = [{"matchExpressions": self.affinity}]
        required = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}
        spec = _some(
            schedulerName=self.scheduler,
            nodeSelector=self.node_selector,
            affinity=self.affinity and {"nodeAffinity": required},
            initContainers=self.init and [_container("init", self.init)],
            containers=[_container(f"main-{n}", one) for n, one in enumerate(self.containers)],
        )
        labels, stray = {"app": "web", **self.labels}, _some(labels=self.stray)
        if self.kind == "Pod":
            annotations = _some(annotations={**self.owner_annotations, **self.annotations})
            about = {"name": "web", "labels": {**self.owner_labels, **labels}, **annotations}
            return {"apiVersion": "v1", "kind": "Pod", "metadata": about, **stray, "spec": spec}
        inner = {"labels": labels, **_some(annotations=self.annotations)}
        owner = {"name": "web", **_some(labels=self.owner_labels, annotations=self.owner_annotations)}
        body: dict[str, Any] = {"template": {"metadata": inner, **stray, "spec": spec}}
        if self.kind == "Deployment":
            body = {"selector": {"matchLabels": {"app": "web"}}, **body}
        return {"apiVersion": "x/v1", "kind": self.kind, "metadata": owner, "spec": body}


def _some(**parts: Any) -> dict[str, Any]:
    """The parts that are not empty."""
    return {name: value for name, value in parts.items() if value}


def _container(name: str, one: Container) -> dict[str, Any]:
    env = [{"name": key, "value": value} for key, value in one.env.items()]
    resources = _some(limits=one.limits, requests=one.requests)
    return {"name": name, "image": "web:1", **_some(env=env, resources=resources)}


def _lines(value: Any, column: int) -> Iterator[str]:
    """Block style; strings in double quotes where YAML could take them for anything else."""
    pad = " " * column
    for name, one in value.items():
        if isinstance(one, dict) and one:
            yield f"{pad}{name}:\n"
            yield from _lines(one, column + 2)
        elif isinstance(one, list) and one and isinstance(one[0], dict):
            yield f"{pad}{name}:\n"
            for item in one:
                first, *rest = _lines(item, column + 4)
                yield f"{pad}  - {first.lstrip(' ')}"
                yield from rest
        else:
            yield f"{pad}{name}: {_scalar(one)}\n"


def _scalar(value: Any) -> str:
    plain = isinstance(value, str) and value.replace("-", "").replace(":", "").replace(".", "").isalpha()
    return str(value) if plain and value not in ("true", "false", "null") else json.dumps(value)


# --- a right pod ----------------------------------------------------------------------------------


def share(chance: random.Random) -> Share:
    """Often on the vendors' grids, so that much of it fits exactly."""
    cards = chance.choice((1, 1, 1, 1, 2, 2, 4))
    cores = chance.choice((None, 30, 60, 5 * chance.randint(1, 20), chance.randint(1, 100)))
    memory = chance.choice((None, 4096, 8192, 1024 * chance.randint(1, 40), chance.randint(1, 40000)))
    percent = chance.randint(1, 100) if memory is None and chance.random() < 0.2 else None
    return Share(
        cards,
        None if cores is None else cores * cards,
        None if memory is None else memory * cards,
        chance.choice((None, None, *Policy)),
        chance.choice((None, None, None, *Qos)),
        percent,
    )


def right(chance: random.Random, dialects: tuple[Backend, ...]) -> Pod:
    """A share as a dialect writes it."""
    while True:
        backend, asked = chance.choice(dialects), share(chance)
        fit = fit_pod([ContainerShare("main-0", 0, share=asked)], backend, GENEROUS)
        if not fit.accepted or not fit.keys.containers or fit.keys.claims:
            continue  # a claim is an object of its own, and these are pods alone
        [container] = fit.keys.containers
        pod = Pod(backend, fit.outcomes[0].granted, kind=chance.choice(("Pod", "Deployment", "Job")))
        pod.containers[0].limits = {name: one.plain for name, one in container.limits.items()}
        if chance.random() < 0.5:
            pod.containers[0].requests = dict(pod.containers[0].limits)
        pod.containers[0].env = {name: one.text for name, one in container.env.items()}
        pod.labels = {name: one.text for name, one in fit.keys.labels.items()}
        pod.annotations = {name: one.text for name, one in fit.keys.annotations.items()}
        pod.node_selector = {name: one.text for name, one in fit.keys.node_selector.items()}
        pod.affinity = [
            {"key": one.key, "operator": one.operator, "values": [*one.values]}
            for one in fit.keys.requirements()
        ]
        pod.scheduler = fit.keys.scheduler_name.text if fit.keys.scheduler_name else None
        if chance.random() < 0.3:
            pod.containers.append(Container())
        return pod


# --- mistakes -------------------------------------------------------------------------------------

Mistake = Callable[[Pod, random.Random], None]


KEYS_IN_PODS = [
    rows
    for one in registry.pod_backends()
    if (rows := [row for row in one.keys if row.places & PLACE_OF.keys()])
]
"""By dialect; what a dialect has in claims and quotas only is in no pod."""


def any_name(chance: random.Random) -> tuple[str, str]:
    """A key of any dialect, and a place in a pod where its data sheet has it."""
    row = chance.choice(chance.choice(KEYS_IN_PODS))
    return row.name.replace("*", "main"), PLACE_OF[chance.choice(sorted(row.places & PLACE_OF.keys()))]


def any_value(place: str, chance: random.Random) -> Any:
    """Of resources numbers, elsewhere strings: what else is there, K8S008 reports."""
    if place in ("limits", "requests"):
        return chance.choice(NUMBERS) if chance.random() < 0.5 else chance.randint(1, 100)
    return chance.choice((*KEY_WORDS, str(chance.randint(0, 9)), "A10", "mgpu", "enable"))


def wrong_number(pod: Pod, chance: random.Random) -> None:
    place = chance.choice(("limits", "limits", "requests"))
    values = pod.values(place)
    if values:
        name = chance.choice(sorted(values))
        values[name] = chance.choice(NUMBERS)
        if chance.random() < 0.5 and name in pod.values("requests"):
            pod.values("requests")[name] = values[name]


def unknown_word(pod: Pod, chance: random.Random) -> None:
    place = chance.choice(("labels", "annotations", "node_selector", "env"))
    values = pod.values(place)
    if values:
        values[chance.choice(sorted(values))] = any_value(place, chance)
    elif pod.affinity:
        one = chance.choice(pod.affinity)
        one["operator"] = chance.choice(("In", "NotIn", "Exists"))
        one["values"] = [] if one["operator"] == "Exists" else [any_value(place, chance)]


def misspelt_key(pod: Pod, chance: random.Random) -> None:
    """One letter is wrong, missing or too many, behind the slash: GX003 promises to find it."""
    found = [(values, name) for values, name in pod.entries() if "/" in name and name != COMMON]
    if not found:
        return
    values, name = chance.choice(found)
    at = chance.randrange(name.index("/") + 1, len(name))
    made = chance.choice(
        (name[:at] + name[at + 1 :], name[:at] + "x" + name[at + 1 :], name[:at] + "s" + name[at:])
    )
    values[made] = values.pop(name)


def wrong_place(pod: Pod, chance: random.Random) -> None:
    found = pod.entries()
    if found:
        values, name = chance.choice(found)
        place = chance.choice((*PLACES, "env"))
        value = values.pop(name)
        pod.values(place)[name] = value if place in ("limits", "requests") else str(value)


def other_key(pod: Pod, chance: random.Random) -> None:
    """A key of any dialect, its scheduler's included, in its place."""
    name, place = any_name(chance)
    pod.values(place, chance.randrange(2))[name] = any_value(place, chance)


def key_in_any_place(pod: Pod, chance: random.Random) -> None:
    name, _ = any_name(chance)
    place = chance.choice((*PLACES, "env"))
    pod.values(place)[name] = any_value(place, chance)


def one_key_less(pod: Pod, chance: random.Random) -> None:
    found = pod.entries()
    if found:
        values, name = chance.choice(found)
        del values[name]
        if chance.random() < 0.5:
            pod.values("requests").pop(name, None)


def two_vendors(pod: Pod, chance: random.Random) -> None:
    other = right(chance, registry.pod_backends())
    into = chance.choice(pod.containers)
    into.limits = {**into.limits, **other.containers[0].limits}
    if chance.random() < 0.5:
        pod.annotations |= other.annotations
        pod.labels |= other.labels
        pod.node_selector |= other.node_selector


def two_shares(pod: Pod, chance: random.Random) -> None:
    other = right(chance, (pod.dialect,))
    pod.containers.append(other.containers[0])
    if chance.random() < 0.5:
        pod.annotations |= other.annotations


def in_an_init_container(pod: Pod, chance: random.Random) -> None:
    pod.init = pod.containers[0]
    if chance.random() < 0.5 or len(pod.containers) == 1:
        pod.containers[0] = Container()


def foreign_scheduler(pod: Pod, chance: random.Random) -> None:
    pod.scheduler = chance.choice(SCHEDULERS)


def on_the_workload(pod: Pod, chance: random.Random) -> None:
    pod.kind = chance.choice(("Deployment", "Job"))
    pod.owner_labels, pod.labels = pod.labels, {}
    pod.owner_annotations, pod.annotations = pod.annotations, {}


def requests_only(pod: Pod, _: random.Random) -> None:
    one = pod.containers[0]
    one.requests, one.limits = one.limits, {}


def some_requests(pod: Pod, chance: random.Random) -> None:
    one = pod.containers[0]
    one.requests = {name: value for name, value in one.limits.items() if chance.random() < 0.5}


def outside_metadata(pod: Pod, _: random.Random) -> None:
    pod.stray, pod.labels = pod.labels, {}


def whole_cards(pod: Pod, chance: random.Random) -> None:
    """The common key alone, or beside what is there."""
    if chance.random() < 0.5:
        pod.containers[0] = Container()
    pod.containers[0].limits[COMMON] = chance.choice((1, 2, 0, "1", 0.5))


RENAMED = ("nvidia.com/vgpu", "nvidia.com/gpualloc", "nvidia.com/vgpumem", "volcano.sh/vgpu")
"""HAMi's and Volcano's keys under the names of DaoCloud, Alauda, FPT Cloud and older releases."""
PRODUCTS = (
    *("k8s.amazonaws.com/vgpu", "birentech.com/1-2-gpu", "koordinator.sh/gpu-core", "nvidia.com/gpu-8gb"),
    *("metax-tech.com/sgpu", "hygon.com/dcunum", "huawei.com/Ascend910B3-memory", "baidu.com/v100_32g_cgpu"),
    *("nvidia.com/vgpu-cores", "nvidia.com/vgpu-number", "tencent.com/vcuda-core", "volcano.sh/gpu-memory"),
)
"""Resources of sharing products that this tool knows by name and does not read."""


def renamed_key(pod: Pod, chance: random.Random) -> None:
    _planted(pod, chance.choice(RENAMED), chance)


def product_key(pod: Pod, chance: random.Random) -> None:
    _planted(pod, chance.choice(PRODUCTS), chance)


def _planted(pod: Pod, name: str, chance: random.Random) -> None:
    """A resource beside what is there, or alone."""
    if chance.random() < 0.5:
        pod.containers[0] = Container()
    pod.containers[0].limits[name] = chance.randint(1, 8)


STEERING = ("labels", "annotations", "node_selector", "env")


def steering(pod: Pod, chance: random.Random) -> None:
    """Keys of any dialects that choose nodes and cards, or the way to share them; often with a known word."""
    for _ in range(chance.choice((1, 1, 2, 3))):
        row = chance.choice(chance.choice(KEYS_IN_PODS))
        places = [one for one in (PLACE_OF.get(place) for place in sorted(row.places)) if one in STEERING]
        if places:
            words = [*row.words, *(one for one in row.values if isinstance(one, str))]
            usual = (*KEY_WORDS, "1", "2", "A10", "NVIDIA-A10-SHARED", "0.5")
            value = chance.choice(words) if words and chance.random() < 0.7 else chance.choice(usual)
            pod.values(str(chance.choice(places)))[row.name.replace("*", "main-0")] = value


MISTAKES: tuple[Mistake, ...] = (
    *(wrong_number, wrong_number, unknown_word, misspelt_key, wrong_place, other_key, key_in_any_place),
    *(one_key_less, two_vendors, two_shares, in_an_init_container, foreign_scheduler, on_the_workload),
    *(requests_only, some_requests, outside_metadata, whole_cards, renamed_key, product_key),
)


def pod_of(chance: random.Random, mistakes: tuple[Mistake, ...] = MISTAKES) -> Pod:
    """A pod with up to three mistakes."""
    pod = right(chance, registry.pod_backends())
    for _ in range(chance.choice((0, 1, 1, 1, 2, 3))):
        mistake = chance.choice(mistakes)
        mistake(pod, chance)
        pod.done.append(mistake.__name__)
    return pod
