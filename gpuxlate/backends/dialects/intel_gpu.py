"""Intel GPUs. Parts are totals, which GPU Aware Scheduling alone counts: no card is divided."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Annotated, ClassVar, Literal

from gpuxlate.backends.base import BYTE, Backend, Per, Place, Range
from gpuxlate.backends.rows import cards, choice, cores, memory, unread
from gpuxlate.model.declarations import record
from gpuxlate.model.profile import Component, Extension, Setting
from gpuxlate.model.share import Isolation

I915, XE = "gpu.intel.com/i915", "gpu.intel.com/xe"
PLUGIN = Component("intelGpuPlugin", "the Intel GPU plug-in")
_OF_NODES = (Place.NODE_SELECTOR, Place.NODE)


@record
class IntelProfile(Extension):
    """What only clusters with Intel GPUs have."""

    key: ClassVar[str] = "intel"

    driver: Annotated[
        Literal["i915", "xe"], Setting("driver", "The kernel driver of the nodes, which counts their cards.")
    ] = "i915"

    @property
    def by_key(self) -> Mapping[str, str]:
        return {I915: XE} if self.driver == "xe" else {}


class IntelGpu(Backend):
    name = "intel-gpu"
    title = "Intel GPUs"
    rule_prefix = "INTEL"
    aliases = ("intel",)
    vendor = "intel"
    names_vendor = True
    isolation = Isolation.NONE  # "not for limiting their GPU usage" (PARTS)
    extension = IntelProfile
    components = (PLUGIN,)
    documents = {
        "PLUGIN": "intel/intel-device-plugins-for-kubernetes, cmd/gpu_plugin/README.md (2026-06-15)",
        "PARTS": "intel/intel-device-plugins-for-kubernetes, cmd/gpu_plugin/fractional.md of v0.31.1 (2024)",
        "ENDED": "intel/intel-device-plugins-for-kubernetes, 281ca08, without resource management (2025-08)",
        "GAS": "intel/platform-aware-scheduling, gpu-aware-scheduling (2025-01-29)",
        "LABELS": "intel/intel-device-plugins-for-kubernetes, platform-labeling-rules.yaml (2026-06-15)",
    }
    gpu_prefixes = tuple(
        f"gpu.intel.com/{one}" for one in ("i915", "millicores", "memory.max", "tiles", "dxg")
    )
    keys = (
        cards(I915, aliases=(XE,), source="PLUGIN, GAS"),
        cores(
            "gpu.intel.com/millicores",
            unit=Fraction(1, 10),
            per=Per.TOTAL,
            values=(Range(1, 1000),),
            needs=(I915,),
            component=PLUGIN,
            source="GAS, PARTS, ENDED",
        ),
        memory(
            "gpu.intel.com/memory.max",
            unit=BYTE,
            quantity=True,
            per=Per.TOTAL,
            needs=(I915,),
            component=PLUGIN,
            source="GAS, PARTS, ENDED",
        ),
        unread(
            "gpu.intel.com/tiles", "tiles, of which each card model has another number", source="GAS, PARTS"
        ),
        unread("gpu.intel.com/dxg", "cards of WSL, which have no driver of their own", source="PLUGIN"),
        *(
            unread(f"gpu.intel.com/{name}", "access to all cards of the node, to watch them", source="PLUGIN")
            for name in ("monitoring", "i915_monitoring", "xe_monitoring")
        ),
        *(
            choice(f"gpu.intel.com/{name}", *_OF_NODES, meaning=meaning, general=True, source="LABELS")
            for name, meaning in {"product": "card model", "family": "family of the cards"}.items()
        ),
    )


BACKEND = IntelGpu()
