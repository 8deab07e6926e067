"""Manifests for the benchmarks, from the grammar in corpus.yaml: the same ones for the same seed.

No two are nested alike. They differ in kind, containers, variables, volumes, probes, metadata, numbers,
order of keys, comments and style, and in the dialect in which they ask for GPUs. Most can be translated
with ``ALLOW``.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import yaml

from bench.emitter import Style

Tree = dict[str, Any]

ALLOW = (
    *("--round", "up", "--fill", "cores=30", "--fill", "memoryMiB=4096"),
    *("--drop", "policy,qos,selector"),
)
"""Options of ``gpuxlate translate`` that accept what most shares of the corpus lose at any target."""
NO_GPU = 0.1
"""Documents without a GPU key, of all."""
FINDINGS = 0.03
"""Documents with a mistake in their GPU keys, of those that have any."""

GRAMMAR: Tree = yaml.load(Path(__file__).with_suffix(".yaml").read_bytes(), yaml.CSafeLoader)
_KEY = re.compile(r"(.+?)(?:\?(\d*))?")
_NUMBERS = re.compile(r"(\d+)-(\d+)")
_IN_TEXT = re.compile(r"\$\{(.+?)\}")


class Maker:
    """Makes one document; every choice comes from ``rng``."""

    def __init__(self, rng: random.Random, gpu: bool) -> None:
        self.rng = rng
        self.dialect = rng.choice(list(GRAMMAR["dialects"])) if gpu else ""
        self.app = self.expand("$name")
        self.limits = "wrong" if rng.random() < FINDINGS else "limits"

    def document(self) -> Tree:
        """An object of any kind, or a list of two."""
        made: Tree = self.expand("$document" if self.dialect or self.rng.random() < 0.5 else "$other")
        return made

    def expand(self, value: Any) -> Any:
        """A value of the grammar with every choice made."""
        if isinstance(value, list):
            return [self.expand(item) for item in value]
        if isinstance(value, dict):
            return self.mapping(value)
        if not isinstance(value, str):
            return value
        if value.startswith("$") and not value.startswith("${"):
            return self.rule(value[1:])
        return _IN_TEXT.sub(lambda found: str(self.rule(found[1])), value)

    def mapping(self, value: Tree) -> Any:
        """A mapping, one of several values, or a list."""
        first = next(iter(value), "")
        if first == "one of":
            return self.expand(self.rng.choice(value[first]))
        if first.endswith(" of"):
            return [self.expand(value[first]) for _ in range(self.rule(first.removesuffix(" of")))]
        made: Tree = {}
        for written, item in value.items():
            key, percent = _KEY.fullmatch(written).groups()  # type: ignore[union-attr]
            if percent is not None and self.rng.random() >= int(percent or 40) / 100:
                continue
            if key == "...":
                made |= self.expand(item)
            else:
                made[self.expand(key)] = self.expand(item)
        return made

    def rule(self, name: str) -> Any:
        """A number of a range, or a value of this rule."""
        if numbers := _NUMBERS.fullmatch(name):
            return self.rng.randint(int(numbers[1]), int(numbers[2]))
        if name == "app":
            return self.app
        if name == "scheduler":  # what Volcano hands down to pods without one
            return "hami-scheduler" if self.dialect == "hami" else "volcano"
        if name == "template":
            return self.ask(self.expand(GRAMMAR[name]))
        if name == "predictor":  # of KServe: pod and metadata in one
            made = self.rule("template")
            return made["metadata"] | made["spec"]
        if name == "step":  # of Argo: pod, container and metadata in one
            made = self.rule("template")
            spec = made["spec"]
            kept = {key: spec[key] for key in ("nodeSelector", "tolerations", "schedulerName") if key in spec}
            return {"metadata": made["metadata"], "container": spec["containers"][0], **kept}
        return self.expand(GRAMMAR[name])

    def ask(self, template: Tree) -> Tree:
        """Put shares of the dialect on the first container of a pod template, or on two."""
        if not self.dialect:
            return template
        asked = self.expand(self.rng.choice(GRAMMAR["dialects"][self.dialect]))
        metadata, spec = template["metadata"], template["spec"]
        for container in spec["containers"][: 2 if self.rng.random() < 0.15 else 1]:
            resources = container.setdefault("resources", {})
            resources.setdefault("limits", {}).update(asked[self.limits])
            if "requests" in resources and self.rng.random() < 0.7:
                resources["requests"].update(asked[self.limits])
        for key, place in (("labels", metadata), ("annotations", metadata), ("nodeSelector", spec)):
            if key in asked:
                place.setdefault(key, {}).update(asked[key])
        if "schedulerName" in asked:
            spec["schedulerName"] = asked["schedulerName"]
        return template


def documents(seed: int = 15, no_gpu: float = NO_GPU) -> Iterator[str]:
    """Documents without end, each nested as none before it; ``no_gpu`` of them have no GPU key."""
    rng = random.Random(seed)
    seen: set[str] = set()
    while True:
        tree = Maker(rng, gpu=rng.random() >= no_gpu).document()
        shape = nesting(tree)
        if shape not in seen:
            seen.add(shape)
            yield Style(rng).text(tree)


def nesting(value: Any) -> str:
    """What is left of a tree without its names, keys, values and the order of its keys."""
    if isinstance(value, dict):
        return "{" + "".join(sorted(map(nesting, value.values()))) + "}"
    return "[" + "".join(map(nesting, value)) + "]" if isinstance(value, list) else "."


def documents_of(size: int) -> list[str]:
    """Documents that are ``size`` bytes together."""
    found: list[str] = []
    for text in documents():
        found.append(text)
        size -= len(text.encode())
        if size <= 0:
            break
    return found


def tree(folder: Path, texts: Iterable[str]) -> Path:
    """Files of one document each, 100 in a folder."""
    for number, text in enumerate(texts):
        path = folder / f"{number // 100:03d}" / f"{number:05d}.yaml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder
