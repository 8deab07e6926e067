"""The rule of Huawei CCE that no row says: CCE020."""

from __future__ import annotations

from collections.abc import Iterator

from gpuxlate.backends import huawei_cce as k
from gpuxlate.model.diagnostics import Diagnostic, Severity
from gpuxlate.model.keys import NVIDIA_GPU
from gpuxlate.model.messages import msg
from gpuxlate.model.pod import PodKeys
from gpuxlate.rules.base import Context, Rule, rule


@rule(
    "CCE020",
    Severity.WARNING,
    no_policy="other API servers refuse the value, and those of CCE accept it",
)
def part_of_a_card_is_in_units(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """A part of a card is requested with `volcano.sh/gpu-mem.128Mi`, not with an `nvidia.com/gpu` below 1.

    ## What it does
    Reports `nvidia.com/gpu` below 1 in a pod of the scheduler `volcano`. With another scheduler it is
    K8S001.

    ## Why
    CCE alone takes it, as that part of the memory of a card: the manifest is refused on any other cluster,
    and what the container gets depends on the card.

    ## Source
    opentelekomcloud-docs/cloud-container-engine, using_gpu_virtualization.rst (2026-04-16).
    """
    if not k.HAS_DECIMALS.holds(pod):
        return
    for container in pod.all_containers():
        value = container.resources.get(NVIDIA_GPU)
        if value is not None and k.parse_part(value) is not None:
            message = msg(
                "{key} is {text}, a part of the memory of a card, which only Huawei CCE accepts",
                key=NVIDIA_GPU,
                text=value.text,
            )
            yield this.diagnostic(value, message, msg("write {key}, in units of 128 MiB", key=k.MEMORY))
