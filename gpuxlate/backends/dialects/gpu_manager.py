"""GPU manager (vCUDA), TKE's GPU sharing before qGPU. Read only: nobody moves to it."""

from gpuxlate.backends.base import Per, Range
from gpuxlate.backends.sheet.rows import choice, cores, memory, written
from gpuxlate.backends.sheet.sheet import Sheet

CORE = "tencent.com/vcuda-core"

SHEET = Sheet(
    name="gpu-manager",
    title="GPU manager (vCUDA)",
    prefix="VCUDA",
    vendor="nvidia",
    reads_only=True,
    cards_in_cores=True,
    documents={
        "CODE": "tkestack/gpu-admission, pkg/util/util.go and pkg/algorithm/allocate.go (2020-11-26)",
        "README": "tkestack/gpu-manager README (2023-10-04)",
        "ISSUE48": "tkestack/gpu-manager issue 48: compute below 100 without memory is no GPU pod",
        "ISSUE110": "tkestack/gpu-manager issue 110: memory beside whole cards is ignored",
    },
    gpu_prefixes=("tencent.com/vcuda",),
    why={"NEEDS": "A pod with one of the two alone is no GPU pod."},
    keys=(
        cores(
            CORE,
            per=Per.TOTAL,
            values=(Range(1, 99), Range(100, None, 100)),
            source="CODE, ISSUE48",
        ),
        memory("tencent.com/vcuda-memory", unit=256, per=Per.TOTAL, needs=(CORE,), source="README, ISSUE110"),
        choice("tencent.com/vcuda-core-limit", meaning="how far compute may burst, percent", source="README"),
        written("tencent.com/vcuda-device", meaning="assigned cards", source="CODE"),
        written("tencent.com/predicate-*", meaning="scheduled", source="CODE"),
        written("tencent.com/gpu-assigned", meaning="assigned", source="CODE"),
    ),
)
BACKEND = SHEET.backend
