"""A translation of a result changes nothing, whatever is beside the share: keys of third dialects, and quotas
in keys of several.

The same flags are given again. What the first run left, the second leaves; what it refused has no result.
"""

import random
from typing import Any

import pytest
import yaml

from gpuxlate.backends import registry
from gpuxlate.backends.base import Backend
from gpuxlate.backends.pod_writer import Accept
from gpuxlate.model.keys import Place
from gpuxlate.testing.contract import GENEROUS
from gpuxlate.translation.options import Settings
from gpuxlate.translation.results import Result
from gpuxlate.translation.translate import translate_source
from gpuxlate.yamltext.source import Source
from tests.effort import SEED, number
from tests.properties.pods import MISTAKES, right, steering

SHARDS, EXAMPLES = 2, number(800)

DIALECTS = registry.pod_backends()
TARGETS = tuple(one for one in DIALECTS if not one.read_only)
LOSSES = frozenset({"policy", "qos", "selector", "device"})
ACCEPTING = (Accept(), GENEROUS, Accept(True, {"cores": 30, "memoryMiB": 8192}), Accept(drop=LOSSES))
RESOURCES = [
    names
    for one in DIALECTS
    if (names := [row.name.replace("*", "A10") for row in one.keys if Place.RESOURCE in row.places])
]
FIELDS = ("default", "defaultRequest", "max", "min")


@pytest.mark.parametrize("shard", range(SHARDS))
@pytest.mark.parametrize("of", ["pods", "quotas"])
def test_a_result_stays_as_it_is(of: str, shard: int) -> None:
    changed, failures = 0, []
    for index in range(EXAMPLES):
        name = f"{SEED}-{of}-{shard}-{index}"
        chance = random.Random(name)  # each by itself: any of them can be tried again
        text = pod(chance) if of == "pods" else quota(chance)
        target, accept, left = chance.choice(TARGETS), chance.choice(ACCEPTING), chance.random() < 0.8
        done = translated(text, target, accept, left=left)
        if done.refused or not done.changed:
            continue
        changed += 1
        again = translated(done.text, target, accept, left=left)
        if again.refused or again.changed:
            failures.append(f"{name}, to {target.name}:\n{text}\n{done.text}\n{again.text}")
    assert not failures, f"{len(failures)} failures, the first: {failures[0]}"
    assert changed > EXAMPLES // 10, "else nothing is said"


def translated(text: str, target: Backend, accept: Accept, *, left: bool) -> Result:
    settings = Settings(target, None, accept, allow_leftovers=left)
    return translate_source(Source("web.yaml", text), settings)


def pod(chance: random.Random) -> str:
    """A right pod with keys of other dialects that steer pods, and often another mistake."""
    made = right(chance, DIALECTS)
    for mistake in (chance.choice(MISTAKES), steering, chance.choice(MISTAKES)):
        if mistake is steering or chance.random() < 0.3:
            mistake(made, chance)
    return made.text


def quota(chance: random.Random) -> str:
    """Resources of up to three dialects in one object."""
    names: list[str] = []
    for _ in range(chance.choice((1, 2, 2, 3))):
        known = chance.choice(RESOURCES)
        names += chance.sample(known, min(len(known), chance.choice((1, 1, 2, 3))))

    def amounts(prefix: str = "") -> dict[str, Any]:
        return {
            f"{prefix}{one}": chance.choice((1, 2, 8, 16, 32, 64, 100, 128, "8Gi", "1k")) for one in names
        }

    kind, spec = "ResourceQuota", {"hard": amounts(chance.choice(("requests.", "limits.", "")))}
    if chance.random() < 0.6:
        fields = {one: amounts() for one in chance.sample(FIELDS, chance.choice((1, 1, 2)))}
        kind, spec = "LimitRange", {"limits": [{"type": "Container", **fields}]}  # type: ignore[dict-item]
    return yaml.safe_dump({"apiVersion": "v1", "kind": kind, "metadata": {"name": "q"}, "spec": spec})


# each of them was changed or refused by a second run, as the data sheets had it in November 2026
KNOWN = {
    "a label of Huawei CCE beside whole cards": (
        "metadata: {name: web, labels: {volcano.sh/gpu-num: '2'}}",
        "iluvatar.ai/MR-V100-vgpu: 1",
        "kai",
        "volcano.sh/gpu-num is a key of huawei-cce",
    ),
    "a node selector of NVIDIA's plug-in": (
        "metadata: {name: web}\nspec: {nodeSelector: {nvidia.com/gpu.product: NVIDIA-A10-SHARED}",
        "enflame.com/gcu-memory: 4096, enflame.com/gcu-core: 30",
        "hami",
        "nvidia.com/gpu.product is a key of nvidia-shared",
    ),
}


@pytest.mark.parametrize(("head", "limits", "target", "said"), KNOWN.values(), ids=KNOWN)
def test_a_key_that_the_new_share_would_make_count(head: str, limits: str, target: str, said: str) -> None:
    """No option accepts a pod of two dialects."""
    spec = "" if "spec:" in head else "\nspec: {"
    text = f"apiVersion: v1\nkind: Pod\n{head}{spec or ', '}containers: [{{name: web, resources: "
    text += f"{{limits: {{{limits}}}}}}}]}}\n"
    done = translated(text, registry.get(target), GENEROUS, left=True)
    assert done.refused
    assert [said in one.message for one in done.diagnostics if one.severity == "error"] == [True]


def test_a_range_of_three_dialects_changes_whole_or_not() -> None:
    """AMD's and Cambricon's cards would be the same key: what belongs to them stays beside them."""
    amounts = "{cambricon.com/vmlu: 128, amd.com/gpu: 64, amd.com/gpumem: 2, volcano.sh/vgpu-memory: 4}"
    text = f"apiVersion: v1\nkind: LimitRange\nmetadata: {{name: q}}\nspec:\n  limits: [{{max: {amounts}}}]\n"
    done = translated(text, registry.get("hami-hygon"), Accept(True), left=True)
    assert "amd.com/gpumem: 2" in done.text
    assert translated(done.text, registry.get("hami-hygon"), Accept(True), left=True).text == done.text
