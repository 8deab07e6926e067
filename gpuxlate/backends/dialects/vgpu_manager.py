"""vgpu-manager: a device plug-in and a scheduler extender for NVIDIA cards. Read only. All is per card."""

from gpuxlate.backends import target as t

NUMBER, CORES, MEMORY = "nvidia.com/vgpu-number", "nvidia.com/vgpu-cores", "nvidia.com/vgpu-memory"


class VgpuManager(t.Backend):
    """A number of cards, and MiB and percent of compute of each; read only (CODE)."""

    title = "vgpu-manager"
    rule_prefix = "VGPUM"
    vendor = "nvidia"
    sets_visible_devices = True
    isolation = t.Isolation.SOFT  # a library in LD_PRELOAD (README)
    read_only = True
    documents = {
        "README": "coldzerofear/vgpu-manager, README (2026-08-21)",
        "CODE": "coldzerofear/vgpu-manager, pkg/device/allocator and pkg/scheduler/filter (2026-08-21)",
        "HOOK": "coldzerofear/vgpu-manager, pkg/webhook/pod/mutate/pod_mutate.go (2026-08-21)",
        "NAMES": "coldzerofear/vgpu-manager, pkg/util/consts.go (2026-08-21)",
    }
    gpu_prefixes = (NUMBER, CORES, MEMORY, "vgpu-manager.io/")
    rule_reasons = {
        t.RuleKind.NUMBERS: "The scheduler refuses more than 16 cards, and more than 100 % of each of them."
    }
    keys = (
        # the webhook writes 1 beside compute or memory (HOOK), and all of the card beside neither
        t.cards(NUMBER, values=(t.Range(1, 16),), default=t.Absent.ONE, source="CODE, HOOK"),
        t.cores(CORES, values=(t.Range(0, 100),), no_op_values=("0",), source="CODE"),
        t.memory(MEMORY, no_op_values=("0",), source="CODE, README"),
        t.key(
            "nvidia.com/vgpu-compute-policy",
            t.Place.ANNOTATION,
            meaning="whether compute has a hard cap",
            sets="policy",
            words={
                "fixed": t.Policy.FIXED_SHARE,
                "balance": t.Policy.BURST_SHARE,
                "none": t.Policy.BEST_EFFORT,
            },
            source="README",
        ),
        t.choice(
            "nvidia.com/include-gpu-type", meaning="card models, parts of names with commas", source="README"
        ),
        t.choice("nvidia.com/exclude-gpu-type", meaning="card models to avoid", source="README"),
        t.choice("nvidia.com/include-gpu-uuid", meaning="cards by UUID", source="README"),
        t.choice("nvidia.com/exclude-gpu-uuid", meaning="cards to avoid, by UUID", source="README"),
        t.choice("nvidia.com/node-scheduler-policy", meaning="which nodes first", source="README"),
        t.choice("nvidia.com/device-scheduler-policy", meaning="which cards first", source="README"),
        t.choice("nvidia.com/memory-scheduler-policy", meaning="virtual or physical memory", source="NAMES"),
        t.choice("nvidia.com/device-topology-mode", meaning="how several cards are linked", source="NAMES"),
        t.choice("nvidia.com/cross-pod-topology", meaning="cards of a gang on one link", source="NAMES"),
        t.choice("DISABLE_VGPU_CONTROL", t.Place.ENV, meaning="turns isolation off", source="NAMES"),
        t.choice("vgpu-manager.io/*", t.Place.LABEL, t.Place.ANNOTATION, meaning="admission", source="NAMES"),
    )
