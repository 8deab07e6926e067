"""Choices of cards and nodes at every dialect: carried to another dialect, or reported; never silent.

Every key of every data sheet that is a choice is tried beside a share of its dialect, at targets that have
such keys and at one that has none.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache

import pytest

from gpuxlate.backends import registry
from gpuxlate.backends.base import SELECTOR, Backend, ContainerShare, Key, Place
from gpuxlate.model.pod import PodKeys, Value
from gpuxlate.model.share import Share
from gpuxlate.testing.forgotten import GENEROUS
from gpuxlate.testing.manifest import with_key
from gpuxlate.testing.strategies import naming_a_card
from gpuxlate.translation.pods.fit import Accept, fit_pod
from tests.backends import pods
from tests.backends.pods import Short, codes, plain, pod, to

SHARES = (Share(1, 30, 4096), Share(1, None, 4096), Share(1, 50), Share(2), Share(1))
PLACES = (Place.ANNOTATION, Place.LABEL, Place.ENV, Place.NODE_SELECTOR, Place.RESOURCE)
OTHERS = ("neutral", "tencent-qgpu", "hami")
"""Without choices of its own, with those of nodes, with those of cards."""


def rows() -> Iterator[tuple[Backend, Key, Place]]:
    for backend in registry.pod_backends():
        for row in backend.keys:
            for place in PLACES:
                if row.says == SELECTOR and place in row.places and not row.template.count("{container}"):
                    yield backend, row, place


@cache
def written(name: str) -> PodKeys | None:
    """A share as the dialect writes it; None where it is read only, or a claim."""
    backend = registry.get(name)
    for share in SHARES:
        one = ContainerShare("c1", 0, share=naming_a_card(share, backend))
        fit = fit_pod([one], backend, GENEROUS)
        if fit.accepted and not fit.keys.claims and not backend.reads_only:
            bare = [replace(each, requests={}) for each in fit.keys.containers]
            return replace(fit.keys, containers=tuple(bare))
    return None


def manifest(keys: PodKeys) -> str:
    [container] = keys.containers
    short: Short = {
        "limits": plain(container.limits), "env": {name: one.text for name, one in container.env.items()},
        "labels": plain(keys.labels), "annotations": plain(keys.annotations),
        "nodeSelector": plain(keys.node_selector),
    }  # fmt: skip
    scheduler = {"schedulerName": keys.scheduler_name.text} if keys.scheduler_name else {}
    return pods.manifest({**short, **scheduler})


def silence(backend: Backend, row: Key, place: Place, target: str) -> str | None:
    """The pod with a choice of which nothing is said at the target, and nothing written."""
    keys = written(backend.name)
    if keys is None or registry.get(target) is backend:
        return None
    word = next((one for one in row.texts if not row.means_nothing(one)), "chosen-1")
    text = manifest(with_key(keys, row.name, place, Value.of(word)))
    done = to(text, target, GENEROUS)
    names_it = [one for one in done.diagnostics if row.name in one.message or row.name in one.path]
    return None if names_it or word in done.text else f"{text}\n{done.text}"


@pytest.mark.parametrize("target", OTHERS)
def test_no_choice_is_lost_in_silence(target: str) -> None:
    found = {(one[0].name, one[1].name, one[2]): silence(*one, target) for one in rows()}
    assert {one: text for one, text in found.items() if text} == {}
    unwritten = {backend.name for backend, *_ in rows() if written(backend.name) is None}
    assert unwritten == {"gpu-manager", "elastic-gpu", "nos"}


# (the choice, the limits beside it); the names of the lists: CheckUUID and CheckType in Project-HAMi/HAMi,
# pkg/device (2026-08-21), device-joint-allocate: apis/extension/device_share.go of Koordinator
AMD = "amd.com/gpu: 1, amd.com/gpumem: 4096, amd.com/gpucores: 30"
MLU = "cambricon.com/vmlu: 1, cambricon.com/mlu.smlu.vmemory: 32, cambricon.com/mlu.smlu.vcore: 30"
KUNLUN = "kunlunxin.com/vxpu: 1, kunlunxin.com/vxpu-memory: 24576"
NPU = "huawei.com/Ascend910B3: 1, huawei.com/Ascend910B3-memory: 16384"
LISTS = [
    *((f"amd.com/{no}use-gputype", AMD) for no in ("", "no")),
    *((f"amd.com/{no}use-gpu-uuid", AMD) for no in ("", "no")),
    *((f"cambricon.com/{no}use-gpuuuid", MLU) for no in ("", "no")),
    *((f"enflame.com/{no}use-gpuuuid", "enflame.com/gcu-memory: 4096") for no in ("", "no")),
    *((f"mthreads.ai/{no}use-gpuuuid", "mthreads.com/vgpu: 1") for no in ("", "no")),
    *((f"hami.io/{no}use-Ascend910B3-uuid", NPU) for no in ("", "no-")),
    *((f"hami.io/{no}use-MR-V100-uuid", "iluvatar.ai/MR-V100-vgpu: 1") for no in ("", "no-")),
    *((f"hami.io/{no}use-xpu-uuid", KUNLUN) for no in ("", "no-")),
    *((f"baidu.com/{no}use-gpuuuid", KUNLUN) for no in ("", "no")),
    ("scheduling.koordinator.sh/device-joint-allocate", "koordinator.sh/gpu-memory: 4Gi"),
]


def test_lists_of_cards_are_refused_by_default() -> None:
    """As at HAMi's NVIDIA: GX020, accepted by --drop selector. Cards of other vendors have other names."""
    drop = Accept(drop=frozenset({"selector", "device"}))

    def treated(name: str, limits: str) -> tuple[list[str], bool, bool, bool]:
        text = pod(limits, metadata=f", annotations: {{{name}: A, kept: 'yes'}}")
        said = [one for one in to(text, "hami").diagnostics if name in one.message]
        done = to(text, "hami", drop)
        return codes(said), done.refused, name in done.text, "kept: 'yes'" in done.text

    assert {one: treated(*one) for one in LISTS} == {one: (["GX020"], False, False, True) for one in LISTS}


def test_labels_of_nodes_with_other_cards() -> None:
    """Those of AMD's labeller choose cards, in a pod that asks for some."""
    text = pod(AMD, spec="  nodeSelector: {amd.com/gpu.product-name: AMD_Instinct_MI300X_OAM}\n")
    assert [one.code for one in to(text, "hami").diagnostics if one.severity == "error"] == ["GX020"]
