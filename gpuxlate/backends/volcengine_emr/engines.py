"""The engines of EMR Serverless, and the parameters of a job of each, every key with its source.

``spark.task.resource.gpu.*`` and ``serverless.ray.head.gpu.*`` are not part of a share:
they are not listed, so nothing changes them.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby

from gpuxlate.backends.target import ANY, KeySpec, Place, key
from gpuxlate.model.declarations import record
from gpuxlate.model.profile import Profile

DOCUMENTS = {"S4": "EMR Serverless, mGPU (2025)"}
CORE = "emr.serverless.mgpu.core"
"""Percent of one card, for each pod of the job (S4)."""
MEMORY = "emr.serverless.mgpu.memory"
"""MiB, for each pod of the job (S4)."""
GPU_PREFIXES = ("emr.serverless.mgpu",)
CORE_MIN = 5
CORE_MAX = 99
"""S4: "the range is 5 to 99"."""
VENDOR = "nvidia.com"
DISCOVERY_SCRIPT = "/opt/emr/current/spark/examples/src/main/scripts/getGpusResources.sh"
"""S4."""
OF_PODS = ("vke.volcengine.com/", "katalyst.kubewharf.io/")
"""Keys of VKE, which nothing reads in a job (S4 knows no policy and no colocation)."""


@record
class Engine:
    """One engine of EMR Serverless. ``gpu``: its own GPU keys with the values that mGPU requires.

    ``counts``: those of them that count cards. ``roles``: beginnings of the keys of each kind of pod.
    """

    name: str
    title: str
    gpu: dict[str, str]
    counts: tuple[str, ...]
    roles: tuple[str, ...]

    @property
    def target(self) -> str:
        """The name of the target."""
        return f"volcengine-emr-{self.name}"

    @property
    def in_words(self) -> str:
        """The title of the target."""
        return f"Volcengine EMR Serverless, {self.title} on mGPU"

    @property
    def keys(self) -> tuple[KeySpec, ...]:
        """The rows of the data sheet."""
        return (
            key(
                CORE,
                Place.RESOURCE,
                sets="cores",
                meaning="compute of each pod",
                unit=1,
                source="S4",
            ),
            key(
                MEMORY,
                Place.RESOURCE,
                sets="memory_mib",
                meaning="GPU memory of each pod",
                unit=1,
                source="S4",
            ),
            # they say that a job has GPUs, and nothing of their shares
            *(
                key(name, Place.RESOURCE, meaning="GPU of the engine", source="S4", no_op_values=(ANY,))
                for name in self.gpu
            ),
        )

    def by_role(self) -> list[tuple[str, list[str]]]:
        """The GPU keys of each kind of pod."""

        def role(name: str) -> str:
            return next(role_name for role_name in self.roles if name.startswith(role_name))

        return [(role_name, list(names)) for role_name, names in groupby(self.gpu, key=role)]


def _spark_role(role: str) -> dict[str, str]:
    return {
        f"{role}.resource.gpu.discoveryScript": DISCOVERY_SCRIPT,
        f"{role}.resource.gpu.vendor": VENDOR,
        f"{role}.resource.gpu.amount": "1",
    }


SPARK_ENGINE = Engine(
    "spark",
    "Spark",
    {**_spark_role("spark.driver"), **_spark_role("spark.executor")},
    ("spark.driver.resource.gpu.amount", "spark.executor.resource.gpu.amount"),
    ("spark.driver", "spark.executor"),
)
RAY_ENGINE = Engine(
    "ray",
    "Ray",
    {"serverless.ray.worker.gpu.vendor": VENDOR, "serverless.ray.worker.gpu.amount": "1"},
    ("serverless.ray.worker.gpu.amount",),
    ("serverless.ray.worker",),
)
CUSTOMJOB_ENGINE = Engine(
    "customjob",
    "CustomJob",
    {"serverless.custom.job.gpu.enabled": "true", "serverless.custom.job.task.gpus": "1"},
    ("serverless.custom.job.task.gpus",),
    ("serverless.custom.job",),
)
ENABLED = "serverless.custom.job.gpu.enabled"
ENGINES = {engine.target: engine for engine in (SPARK_ENGINE, RAY_ENGINE, CUSTOMJOB_ENGINE)}


def parse_digits(text: str) -> int | None:
    """A parameter as a number; None where it is not digits alone."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else None


def of_emr(profile: Profile) -> bool:
    """Whether the profile is of this target; that of another target does not describe these queues."""
    return profile.target.removeprefix("volcengine-").startswith("emr-")


def usable_mib(profile: Profile | None) -> int | None:
    """MiB that mGPU can use of a card, None where no profile of this target gives it."""
    return profile.cards.memory_mib if profile and of_emr(profile) else None


BEGINNINGS = {
    "spark.": SPARK_ENGINE,
    "serverless.ray.": RAY_ENGINE,
    "serverless.custom.job.": CUSTOMJOB_ENGINE,
}
"""Keys that name their engine."""
OURS = "emr.serverless."


def engine_of(keys: Iterable[str]) -> Engine | None:
    """The engine that one of the keys names."""
    return next(
        (engine for key in keys for start, engine in BEGINNINGS.items() if key.startswith(start)), None
    )
