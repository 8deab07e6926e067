"""The open-source Elastic GPU scheduler. Read only: the project ended in 2022."""

from gpuxlate.backends.base import Backend, Confidence, Per, Range, RuleKind
from gpuxlate.backends.rows import choice, cores, memory

CORE = "elasticgpu.io/gpu-core"


class ElasticGpu(Backend):
    name = "elastic-gpu"
    title = "Elastic GPU"
    rule_prefix = "ELASTIC"
    vendor = "nvidia"
    sets_visible_devices = True
    read_only = True
    init_containers = False  # IsGPUPod and NewGPURequest read spec.containers alone (CODE)
    documents = {
        "SCHEDULER": "elastic-ai/elastic-gpu-scheduler README (2022)",
        "CODE": "elastic-ai/elastic-gpu-scheduler, pkg/scheduler/allocate.go and pod.go (2022-11-21)",
        "API": "elastic-ai/elastic-gpu, apis/elasticgpu/v1alpha1/types.go, which has the other domain (2022)",
    }
    gpu_prefixes = ("elasticgpu.io/gpu-", "elasticgpu.com/gpu-")
    rule_reasons = {
        RuleKind.INIT: "The scheduler reads `spec.containers` alone: an init container gets no card.",
    }
    keys = (
        cores(
            CORE,
            per=Per.TOTAL,
            values=(Range(1, 99), Range(100, None, 100)),
            aliases=("elasticgpu.com/gpu-core",),
            confidence=Confidence.MEDIUM,
            source="SCHEDULER, API",
        ),
        memory(
            "elasticgpu.io/gpu-memory",
            per=Per.TOTAL,
            aliases=("elasticgpu.com/gpu-memory",),
            confidence=Confidence.MEDIUM,
            source="SCHEDULER, API",
        ),
        choice("egpuc.elasticgpu.io/*", meaning="a claim of the project's own kind", source="API"),
    )


BACKEND = ElasticGpu()
