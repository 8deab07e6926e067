"""The largest numbers of Kubernetes, from every dialect to every other: refused, or read again.

2^63-1 is the most that a quantity holds (k8s.io/apimachinery, ``resource.Quantity``).
"""

import re
from itertools import product

import pytest

from gpuxlate.backends import registry
from gpuxlate.backends.pod_writer import Accept
from gpuxlate.model.profile import CardProfile, Profile
from gpuxlate.model.quantity import LIMIT
from gpuxlate.translation.options import Settings
from gpuxlate.translation.read import read_source
from gpuxlate.translation.translate import translate_source
from gpuxlate.yamltext.source import Source
from tests.effort import some

NUMBERS = (LIMIT, LIMIT // 100 * 100, LIMIT // 100, LIMIT // 100 + 1, LIMIT // 1024, 2**53)
LIMITS = {
    "hami": (
        "nvidia.com/gpu: {n}, nvidia.com/gpumem: 3",
        "nvidia.com/gpu: {n}, nvidia.com/gpucores: 30",
        "nvidia.com/gpu: {n}, nvidia.com/gpumem-percentage: 30",
        "nvidia.com/gpu: 2, nvidia.com/gpumem: {n}, nvidia.com/gpucores: {n}",
    ),
    "volcano-vgpu": (
        "volcano.sh/vgpu-number: {n}",
        "volcano.sh/vgpu-number: {n}, volcano.sh/vgpu-memory: {n}",
        "volcano.sh/vgpu-number: {n}, volcano.sh/vgpu-cores: 50",
        "volcano.sh/vgpu-number: {n}, volcano.sh/vgpu-memory-percentage: 50",
        "volcano.sh/vgpu-memory: {n}",
    ),
    "neutral": (
        "gpuxlate.io/cards: {n}",
        "gpuxlate.io/cards: {n}, gpuxlate.io/cores: {n}",
        "gpuxlate.io/memory-mib: {n}",
        "gpuxlate.io/memory-mib: {n}, gpuxlate.io/cores: 30",
    ),
    "tencent-qgpu": (
        "tke.cloud.tencent.com/qgpu-core: {n}",
        "tke.cloud.tencent.com/qgpu-core: 30, tke.cloud.tencent.com/qgpu-memory: {n}",
    ),
    "alibaba-gpushare": ("aliyun.com/gpu-mem: {n}", "aliyun.com/gpu: {n}"),
    "volcengine-mgpu": (
        "vke.volcengine.com/mgpu-core: {n}",
        "vke.volcengine.com/mgpu-core: 30, vke.volcengine.com/mgpu-memory: {n}",
    ),
}
"""The keys of one container, by dialect; ``{n}`` is one of NUMBERS."""
EVERY_LOSS = Accept(True, {"cores": 30, "memoryMiB": 10**12 - 1}, frozenset({"cores", "policy", "qos"}))
PROFILES = (None, Profile("hami", cards=CardProfile(memory_mib=2**40), memory_unit_mib=1024))
TARGETS = [one for one in registry.pod_backends() if not one.read_only]


def pod(keys: str, source: str) -> Source:
    scheduler = "volcano" if source == "volcano-vgpu" else "default-scheduler"
    return Source(
        "pod.yaml",
        f"apiVersion: v1\nkind: Pod\nmetadata: {{name: p}}\nspec:\n  schedulerName: {scheduler}\n"
        f"  containers: [{{name: c, image: x, resources: {{limits: {{{keys}}}}}}}]\n",
    )


@pytest.mark.parametrize("source", LIMITS)
def test_what_is_written_is_a_quantity_and_is_read_again(source: str) -> None:
    problems: dict[str, object] = {}
    every = [*product(LIMITS[source], TARGETS, NUMBERS, (Accept(), EVERY_LOSS), PROFILES)]
    without_options = [case for case in every if case[3:] == (Accept(), None)]
    for case in (*some(without_options), *some(every)):
        keys, target, number, accept, profile = case
        asked, name = pod(keys.format(n=number), source), str((keys, number, target.name, accept, profile))
        done = translate_source(asked, Settings(target, accept=accept, profile=profile))
        if any(int(one) > LIMIT for one in re.findall(r"\d{19,}", done.text)):
            problems[name] = done.text
        elif done.changed:
            settings = Settings.reading(target, profile)
            again = read_source(Source("pod.yaml", done.text), settings)
            if again.refused:
                problems[name] = done.text, again.diagnostics
        elif source != target.name and not (done.refused and all(one.code for one in done.diagnostics)):
            problems[name] = done.diagnostics
    assert problems == {}
