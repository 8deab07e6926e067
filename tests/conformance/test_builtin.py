"""The built-in backends keep the contract that backends of third parties are held to."""

import pytest

from gpuxlate.backends import registry
from gpuxlate.backends.alibaba import AlibabaProfile
from gpuxlate.backends.kai import KaiProfile
from gpuxlate.backends.nvidia_device_plugin import NvidiaProfile, Sharing
from gpuxlate.model.profile import CardProfile, Extension, Profile
from tests.checks import each_holds
from tests.conformance.conftest import contract_with
from tests.effort import number

ANY_CARD = CardProfile()


def of(target: str, extension: Extension, cards: CardProfile = ANY_CARD) -> Profile:
    return Profile(target, cards=cards, extensions=(extension,))


A100 = CardProfile("A100-40GB", 8, 40536)
"""A100 of 40 GB (mig-parted)."""
SHARED = CardProfile("A10", 4, 22731)
PROFILES = {
    # a unit of 128 MiB is for nodes of mode share only (ACK015)
    "alibaba-gpushare in 128 MiB": of("alibaba-gpushare", AlibabaProfile(128, isolation="share")),
    # of an A10 mGPU can use 22731 MiB (Volcengine, EMR Serverless "mGPU")
    "volcengine-emr-customjob on A10": Profile(
        "volcengine-emr-customjob", cards=CardProfile("A10", memory_mib=22731)
    ),
    # memoryFactor 128 of the device plugin (HAMi, charts/hami/values.yaml)
    "hami in steps": Profile("hami", memory_unit_mib=128),
    # gpuMemoryFactor 1024, as public jobs have it: their vgpu-memory counts GiB
    "volcano-vgpu in GiB": Profile("volcano-vgpu", memory_unit_mib=1024),
    # numbers become partitions of the card
    "nvidia-mig on A100": Profile("nvidia-mig", cards=A100),
    # the common key counts partitions, and a choice of nodes says which
    "nvidia-mig in single": of("nvidia-mig", NvidiaProfile("single"), A100),
    # the common key counts clients of the nodes of the profile
    "nvidia-shared, not renamed": of(
        "nvidia-shared", NvidiaProfile(sharing=Sharing("mps", 4, renames=False)), SHARED
    ),
    # four clients of an A10: 25 % and 5682 of 22731 MiB each
    "nvidia-shared by MPS": of("nvidia-shared", NvidiaProfile(sharing=Sharing("mps", 4)), SHARED),
    "gke on A100": Profile("gke", cards=A100),
    # a T4 has 15360 MiB (facts of the catalogue of cards): a part of nvidia.com/gpu is a part of these
    "huawei-cce on T4": Profile("huawei-cce", cards=CardProfile("T4", memory_mib=15360)),
    # the mode that reads amounts with the name of the container in their keys
    "kai with NvFractions": of("kai", KaiProfile("NvFractions")),
}
"""A target that is held to the contract with a profile."""
NEED_A_PROFILE = {"volcengine-emr-customjob", "gke", "huawei-cce"}
CONTRACT = contract_with(number(80))  # pods for each promise and target
WITHOUT = [row.name for row in registry.BUILT_IN if row.name not in NEED_A_PROFILE]


@pytest.mark.parametrize("name", [*WITHOUT, *PROFILES])
def test_a_target_keeps_the_contract(name: str) -> None:
    """Every promise is tried, and all that are broken are told."""
    profile = PROFILES.get(name)
    backend = registry.get(profile.target if profile else name)
    contract = CONTRACT.ReadingContract if backend.read_only else CONTRACT.BackendContract
    held = type("Held", (contract,), {"backend": backend, "profile": profile})()
    each_holds({one: getattr(held, one) for one in dir(contract) if one.startswith("test_")})


def test_the_registry_has_the_names_of_each_class() -> None:
    """It lists them so that no target is loaded for the name of another."""
    assert [registry.names_of_target(row) for row in registry.BUILT_IN] == [
        registry.get(row.name).names for row in registry.BUILT_IN
    ]
