"""AMD GPUs under HAMi. Everything is per card."""

from gpuxlate.backends import target as t
from gpuxlate.backends.hami_family import HAMI, HamiDialect, in_int32

COUNT = "amd.com/gpu"
_OF_NODES = (t.Place.NODE_SELECTOR, t.Place.NODE)
_LABELS = {
    "product-name": "card model",
    "device-id": "card model, by its number",
    "family": "family of the cards",
    "vram": "memory of the cards",
    "cu-count": "compute units of the cards",
    "simd-count": "SIMD units of the cards",
}
"""Labels of nodes (LABELLER)."""


class HamiAmd(HamiDialect):
    title = "AMD GPUs under HAMi"
    aliases = ("amd",)
    vendor = "amd"
    node_annotations = {"hami.io/node-amd-register": "hami.io/amd-devices-allocated"}  # (CODE)
    documents = {
        "CODE": "Project-HAMi/HAMi, pkg/device/amd (2026-08-21)",
        "PERCENT": "Project-HAMi/HAMi, pkg/device/amd/device_test.go, pull requests 3179 and 3186 (2026-10)",
        "LABELLER": "ROCm/k8s-device-plugin, cmd/k8s-node-labeller (2022-10-19)",
        "RELEASED": "Project-HAMi/HAMi, pkg/device/amd of v2.9.0, which has the count alone (2026-05-19)",
    }
    gpu_prefixes = ("amd.com/gpumem", "amd.com/gpucore")
    whole_card_key = COUNT  # every cluster with AMD's own plug-in has it
    keys = (
        t.cards(COUNT, values=in_int32(), source="CODE"),
        t.memory(
            "amd.com/gpumem",
            values=in_int32(),
            needs=(COUNT,),
            component=HAMI,
            source="CODE, RELEASED",
        ),
        t.cores(
            "amd.com/gpucores", needs=(COUNT,), default=t.Absent.ALL, component=HAMI, source="CODE, RELEASED"
        ),
        t.coming(
            t.percent(
                "amd.com/gpumem-percentage",
                needs=(COUNT,),
                overridden_by=("amd.com/gpumem",),
                no_op_values=("0",),
                component=HAMI,
                source="PERCENT",
            )
        ),
        t.coming(
            t.choice("amd.com/numa-bind", meaning="all on one NUMA node", component=HAMI, source="PERCENT")
        ),
        *t.choices("amd.com/{no}use-gputype", t.By.MODEL, source="CODE"),
        *t.choices("amd.com/{no}use-gpu-uuid", t.By.UUID, source="CODE"),
        *(
            t.choice(f"{domain}/gpu.{name}", *_OF_NODES, meaning=meaning, general=True, source="LABELLER")
            for domain in ("amd.com", "beta.amd.com")
            for name, meaning in _LABELS.items()
        ),
        t.written("amd.com/gpu-index", meaning="assigned cards", source="CODE"),
        t.written("amd.com/predicate-node", meaning="assigned node", source="CODE"),
    )
