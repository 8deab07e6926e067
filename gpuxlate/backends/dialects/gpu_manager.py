"""GPU manager (vCUDA), TKE's GPU sharing before qGPU. Read only: nobody moves to it."""

from collections.abc import Iterator

from gpuxlate.backends import target as t

CORE, MEMORY = "tencent.com/vcuda-core", "tencent.com/vcuda-memory"


@t.rule(
    "VCUDA020",
    t.Severity.ERROR,
    missing=True,
    constraint=t.Constraint(t.Requests(MEMORY) | t.Not(t.InRange(CORE, t.Range(1, 99))), keys=(CORE,)),
)
def part_has_memory(
    this: t.Rule, violation: t.Violation, pod: t.PodKeys, context: t.Context
) -> Iterator[t.Diagnostic]:
    """A container with `tencent.com/vcuda-core` below 100 also sets `tencent.com/vcuda-memory`.

    ## What it does
    Reports `tencent.com/vcuda-core` below 100 without `tencent.com/vcuda-memory`.

    ## Why
    A pod with compute below 100 alone is no GPU pod: it gets no card.

    ## Source
    tkestack/gpu-admission, pkg/util/util.go (2020-11-26); tkestack/gpu-manager, issue 48.
    """
    message = t.msg("{key} has no effect without {count}", key=CORE, count=MEMORY)
    hint = t.msg("add {key}, in {counts}", key=MEMORY, counts="units of 256 MiB")
    yield this.diagnostic(violation.value_at, message, hint, on_key=True)


class GpuManager(t.Backend):
    """vCUDA: percent of compute, and memory in units of 256 MiB, each in total over the cards; read only
    (README, CODE)."""

    title = "GPU manager (vCUDA)"
    rule_prefix = "VCUDA"
    vendor = "nvidia"
    sets_visible_devices = True
    read_only = True
    init_containers = False  # IsGPURequiredPod and Allocate read spec.containers alone (CODE)
    documents = {
        "CODE": "tkestack/gpu-admission, pkg/util/util.go and pkg/algorithm/allocate.go (2020-11-26)",
        "README": "tkestack/gpu-manager, README (2023-10-04)",
        "ISSUE48": "tkestack/gpu-manager, issue 48: compute below 100 without memory is no GPU pod",
        "ISSUE110": "tkestack/gpu-manager, issue 110: memory beside whole cards is ignored",
    }
    gpu_prefixes = ("tencent.com/vcuda",)
    rule_reasons = {
        t.RuleKind.NEEDS: "A pod with one of the two alone is no GPU pod.",
        t.RuleKind.INIT: "The scheduler reads `spec.containers` alone: an init container gets no card.",
    }
    keys = (
        t.cores(
            CORE,
            per=t.Per.TOTAL,
            values=(t.Range(1, 99), t.Range(100, None, 100)),
            source="CODE, ISSUE48",
        ),
        t.memory(MEMORY, unit=256, per=t.Per.TOTAL, needs=(CORE,), source="README, ISSUE110"),
        t.choice(
            "tencent.com/vcuda-core-limit", meaning="how far compute may burst, percent", source="README"
        ),
        t.written("tencent.com/vcuda-device", meaning="assigned cards", source="CODE"),
        t.written("tencent.com/predicate-*", meaning="scheduled", source="CODE"),
        t.written("tencent.com/gpu-assigned", meaning="assigned", source="CODE"),
    )
