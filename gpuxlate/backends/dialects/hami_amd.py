"""AMD GPUs under HAMi. Everything is per card."""

from gpuxlate.backends import target as t
from gpuxlate.backends.hami_family import FROM_2_10, HamiDialect, in_int32

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
    rule_prefix = "AMD"
    aliases = ("amd",)
    vendor = "amd"
    node_annotations = {"hami.io/node-amd-register": "hami.io/amd-devices-allocated"}  # (CODE)
    documents = {
        "CODE": "Project-HAMi/HAMi, pkg/device/amd (2026-08-21)",
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
            since=FROM_2_10,
            source="CODE, RELEASED",
        ),
        t.cores(
            "amd.com/gpucores", needs=(COUNT,), default=t.Absent.ALL, since=FROM_2_10, source="CODE, RELEASED"
        ),
        *t.choices("amd.com/{0}use-gputype", t.By.MODEL, source="CODE"),
        *t.choices("amd.com/{0}use-gpu-uuid", t.By.UUID, source="CODE"),
        *(
            t.choice(f"{domain}/gpu.{name}", *_OF_NODES, meaning=meaning, general=True, source="LABELLER")
            for domain in ("amd.com", "beta.amd.com")
            for name, meaning in _LABELS.items()
        ),
        t.written("amd.com/gpu-index", meaning="assigned cards", source="CODE"),
        t.written("amd.com/predicate-node", meaning="assigned node", source="CODE"),
    )
