"""Intel GPUs. Parts are totals, which GPU Aware Scheduling alone counts: no card is divided."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Annotated, ClassVar, Literal

from gpuxlate.backends import target as t

I915, XE = "gpu.intel.com/i915", "gpu.intel.com/xe"
PLUGIN = t.Component("intelGpuPlugin", "the Intel GPU plug-in")
_OF_NODES = (t.Place.NODE_SELECTOR, t.Place.NODE)


@t.record
class IntelProfile(t.Extension):
    """What only clusters with Intel GPUs have."""

    key: ClassVar[str] = "intel"

    driver: Annotated[
        Literal["i915", "xe"],
        t.Setting("driver", "The kernel driver of the nodes, which counts their cards."),
    ] = "i915"

    @property
    def by_key(self) -> Mapping[str, str]:
        return {I915: XE} if self.driver == "xe" else {}


class IntelGpu(t.Backend):
    """A number of GPUs, and tenths of a percent of compute and bytes in total over them (GAS)."""

    title = "Intel GPUs"
    aliases = ("intel",)
    vendor = "intel"
    names_vendor = True
    isolation = t.Isolation.NONE  # "not for limiting their GPU usage" (PARTS)
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
        f"gpu.intel.com/{resource}" for resource in ("i915", "millicores", "memory.max", "tiles", "dxg")
    )
    keys = (
        t.cards(I915, aliases=(XE,), source="PLUGIN, GAS"),
        t.cores(
            "gpu.intel.com/millicores",
            unit=Fraction(1, 10),
            per=t.Per.TOTAL,
            values=(t.Range(1, 1000),),
            needs=(I915,),
            component=PLUGIN,
            source="GAS, PARTS, ENDED",
        ),
        t.memory(
            "gpu.intel.com/memory.max",
            unit=t.BYTE,
            quantity=True,
            per=t.Per.TOTAL,
            needs=(I915,),
            component=PLUGIN,
            source="GAS, PARTS, ENDED",
        ),
        t.unread(
            "gpu.intel.com/tiles", "tiles, of which each card model has another number", source="GAS, PARTS"
        ),
        t.unread("gpu.intel.com/dxg", "cards of WSL, which have no driver of their own", source="PLUGIN"),
        *(
            t.unread(
                f"gpu.intel.com/{name}", "access to all cards of the node, to watch them", source="PLUGIN"
            )
            for name in ("monitoring", "i915_monitoring", "xe_monitoring")
        ),
        *(
            t.choice(f"gpu.intel.com/{name}", *_OF_NODES, meaning=meaning, general=True, source="LABELS")
            for name, meaning in {"product": "card model", "family": "family of the cards"}.items()
        ),
    )
