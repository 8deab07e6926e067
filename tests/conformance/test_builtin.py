"""The built-in backends keep the contract that backends of third parties are held to."""

from __future__ import annotations

from gpuxlate.backends import registry
from gpuxlate.backends.alibaba.profile import AlibabaProfile
from gpuxlate.backends.device_plugin import NvidiaProfile, Sharing
from gpuxlate.backends.kai.profile import KaiProfile
from gpuxlate.model.profile import CardProfile, Profile
from gpuxlate.testing import BackendContract, ReadingContract


class TestVolcengineMgpu(BackendContract):
    backend = registry.get("volcengine-mgpu")


class TestAlibabaGpushare(BackendContract):
    backend = registry.get("alibaba-gpushare")


class TestAlibabaGpushareIn128Mib(BackendContract):
    """A unit of 128 MiB is for nodes of mode share only (ACK015)."""

    backend = registry.get("alibaba-gpushare")
    profile = Profile(
        "alibaba-gpushare", extensions=(AlibabaProfile(memory_unit_mib=128, isolation="share"),)
    )


class TestTencentQgpu(BackendContract):
    backend = registry.get("tencent-qgpu")


class TestNeutral(BackendContract):
    backend = registry.get("neutral")


class TestEmrSpark(BackendContract):
    backend = registry.get("volcengine-emr-spark")


class TestEmrRay(BackendContract):
    backend = registry.get("volcengine-emr-ray")


class TestEmrCustomjobOnA10(BackendContract):
    """Of an A10 mGPU can use 22731 MiB (Volcengine, EMR Serverless "mGPU")."""

    backend = registry.get("volcengine-emr-customjob")
    profile = Profile("volcengine-emr-customjob", cards=CardProfile("A10", memory_mib=22731))


class TestAiapp(BackendContract):
    backend = registry.get("volcengine-aiapp")


class TestHami(BackendContract):
    backend = registry.get("hami")


class TestHamiInSteps(BackendContract):
    """``memoryFactor`` 128 of the device plugin (HAMi, charts/hami/values.yaml)."""

    backend = registry.get("hami")
    profile = Profile("hami", memory_unit_mib=128)


class TestVolcanoVgpu(BackendContract):
    backend = registry.get("volcano-vgpu")


class TestVolcanoVgpuInGib(BackendContract):
    """``gpuMemoryFactor`` 1024, as public jobs have it: their vgpu-memory counts GiB."""

    backend = registry.get("volcano-vgpu")
    profile = Profile("volcano-vgpu", memory_unit_mib=1024)


class TestNvidiaMig(BackendContract):
    backend = registry.get("nvidia-mig")


class TestNvidiaMigOnA100(BackendContract):
    """Numbers become partitions of the card (A100 of 40 GB, mig-parted)."""

    backend = registry.get("nvidia-mig")
    profile = Profile("nvidia-mig", cards=CardProfile("A100-40GB", 8, 40536))


class TestNvidiaMigInSingle(BackendContract):
    """The common key counts partitions, and a choice of nodes says which."""

    backend = registry.get("nvidia-mig")
    profile = Profile(
        "nvidia-mig", cards=CardProfile("A100-40GB", 8, 40536), extensions=(NvidiaProfile("single"),)
    )


class TestNvidiaSharedNotRenamed(BackendContract):
    """The common key counts clients of the nodes of the profile."""

    backend = registry.get("nvidia-shared")
    profile = Profile(
        "nvidia-shared",
        cards=CardProfile("A10", 4, 22731),
        extensions=(NvidiaProfile(sharing=Sharing("mps", 4, renames=False)),),
    )


class TestNvidiaShared(BackendContract):
    backend = registry.get("nvidia-shared")


class TestNvidiaSharedByMps(BackendContract):
    """Four clients of an A10: 25 % and 5682 of 22731 MiB each."""

    backend = registry.get("nvidia-shared")
    profile = Profile(
        "nvidia-shared",
        cards=CardProfile("A10", 4, 22731),
        extensions=(NvidiaProfile(sharing=Sharing("mps", 4)),),
    )


class TestGke(BackendContract):
    backend = registry.get("gke")
    profile = Profile("gke", cards=CardProfile("A100-40GB", 8, 40536))


class TestHuaweiCceOnT4(BackendContract):
    """A T4 has 15360 MiB (facts of the catalogue of cards): a part of nvidia.com/gpu is a part of these."""

    backend = registry.get("huawei-cce")
    profile = Profile("huawei-cce", cards=CardProfile("T4", memory_mib=15360))


class TestKai(BackendContract):
    backend = registry.get("kai")


class TestKaiWithNvFractions(BackendContract):
    """The mode that reads amounts with the name of the container in their keys."""

    backend = registry.get("kai")
    profile = Profile("kai", extensions=(KaiProfile("NvFractions"),))


def _of(name: str) -> type[ReadingContract]:
    """The contract for a dialect that needs no line of its own."""
    backend = registry.get(name)
    contract = ReadingContract if backend.reads_only else BackendContract
    return type(f"Test{name.title().replace('-', '')}", (contract,), {"backend": backend})


_HERE = {
    one.backend.name for one in [*globals().values()] if isinstance(one, type) and hasattr(one, "backend")
}
for _one in (_of(row.name) for row in registry.BUILT_IN if row.name not in _HERE):
    globals()[_one.__name__] = _one
