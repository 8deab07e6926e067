"""The open-source Elastic GPU scheduler. Read only: the project ended in 2022."""

from gpuxlate.backends import target as t

CORE = "elasticgpu.io/gpu-core"


class ElasticGpu(t.Backend):
    """Percent of compute and MiB, each in total over the cards; read only (SCHEDULER)."""

    title = "Elastic GPU"
    rule_prefix = "ELASTIC"
    vendor = "nvidia"
    sets_visible_devices = True
    read_only = True
    init_containers = False  # IsGPUPod and NewGPURequest read spec.containers alone (CODE)
    documents = {
        "SCHEDULER": "elastic-ai/elastic-gpu-scheduler, README (2022)",
        "CODE": "elastic-ai/elastic-gpu-scheduler, pkg/scheduler/allocate.go and pod.go (2022-11-21)",
        "API": "elastic-ai/elastic-gpu, apis/elasticgpu/v1alpha1/types.go, which has the other domain (2022)",
    }
    gpu_prefixes = ("elasticgpu.io/gpu-", "elasticgpu.com/gpu-")
    rule_reasons = {
        t.RuleKind.INIT: "The scheduler reads `spec.containers` alone: an init container gets no card.",
    }
    keys = (
        t.cores(
            CORE,
            per=t.Per.TOTAL,
            values=(t.Range(1, 99), t.Range(100, None, 100)),
            aliases=("elasticgpu.com/gpu-core",),
            confidence=t.Confidence.MEDIUM,
            source="SCHEDULER, API",
        ),
        t.memory(
            "elasticgpu.io/gpu-memory",
            per=t.Per.TOTAL,
            aliases=("elasticgpu.com/gpu-memory",),
            confidence=t.Confidence.MEDIUM,
            source="SCHEDULER, API",
        ),
        t.choice("egpuc.elasticgpu.io/*", meaning="a claim of the project's own kind", source="API"),
    )
