"""GPU manager (vCUDA), TKE's GPU sharing before qGPU. Read only: nobody moves to it."""

from collections.abc import Iterator

from gpuxlate.backends.base import Backend, Per, Range, RuleKind
from gpuxlate.backends.rows import choice, cores, memory, written
from gpuxlate.model.diagnostics import Diagnostic, Severity
from gpuxlate.model.messages import msg
from gpuxlate.model.pod import PodKeys
from gpuxlate.rules.base import Context, Rule, rule
from gpuxlate.rules.predicates import Constraint, InRange, Not, Requests, Violation

CORE, MEMORY = "tencent.com/vcuda-core", "tencent.com/vcuda-memory"


@rule(
    "VCUDA020",
    Severity.ERROR,
    missing=True,
    constraint=Constraint(Requests(MEMORY) | Not(InRange(CORE, Range(1, 99))), keys=(CORE,)),
)
def part_has_memory(this: Rule, violation: Violation, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """A part of a card has memory beside its compute.

    ## What it does
    Reports `tencent.com/vcuda-core` below 100 without `tencent.com/vcuda-memory`.

    ## Why
    A pod with compute below 100 alone is no GPU pod: it gets no card.

    ## Example
    ```yaml
    resources: {limits: {tencent.com/vcuda-core: 50}}
    ```

    ## Use instead
    ```yaml
    resources: {limits: {tencent.com/vcuda-core: 50, tencent.com/vcuda-memory: 30}}
    ```

    ## Source
    tkestack/gpu-admission, pkg/util/util.go (2020-11-26); tkestack/gpu-manager issue 48.
    """
    message = msg("{key} has no effect without {count}", key=CORE, count=MEMORY)
    hint = msg("add {key}, in {counts}", key=MEMORY, counts="units of 256 MiB")
    yield this.diagnostic(violation.value_at, message, hint, on_key=True)


class GpuManager(Backend):
    name = "gpu-manager"
    title = "GPU manager (vCUDA)"
    rule_prefix = "VCUDA"
    vendor = "nvidia"
    sets_visible_devices = True
    read_only = True
    init_containers = False  # IsGPURequiredPod and Allocate read spec.containers alone (CODE)
    documents = {
        "CODE": "tkestack/gpu-admission, pkg/util/util.go and pkg/algorithm/allocate.go (2020-11-26)",
        "README": "tkestack/gpu-manager README (2023-10-04)",
        "ISSUE48": "tkestack/gpu-manager issue 48: compute below 100 without memory is no GPU pod",
        "ISSUE110": "tkestack/gpu-manager issue 110: memory beside whole cards is ignored",
    }
    gpu_prefixes = ("tencent.com/vcuda",)
    rule_reasons = {
        RuleKind.NEEDS: "A pod with one of the two alone is no GPU pod.",
        RuleKind.INIT: "The scheduler reads `spec.containers` alone: an init container gets no card.",
    }
    keys = (
        cores(
            CORE,
            per=Per.TOTAL,
            values=(Range(1, 99), Range(100, None, 100)),
            source="CODE, ISSUE48",
        ),
        memory(MEMORY, unit=256, per=Per.TOTAL, needs=(CORE,), source="README, ISSUE110"),
        choice("tencent.com/vcuda-core-limit", meaning="how far compute may burst, percent", source="README"),
        written("tencent.com/vcuda-device", meaning="assigned cards", source="CODE"),
        written("tencent.com/predicate-*", meaning="scheduled", source="CODE"),
        written("tencent.com/gpu-assigned", meaning="assigned", source="CODE"),
    )


BACKEND = GpuManager()
