"""Rules of EMR Serverless on mGPU, on the parameters of a job."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gpuxlate.backends.volcengine_emr import engines as k
from gpuxlate.model.diagnostics import Diagnostic, Severity
from gpuxlate.model.messages import msg
from gpuxlate.model.pod import ContainerKeys, PodKeys, Value
from gpuxlate.rules.base import Context, Rule, Scope, rule


def _jobs(pod: PodKeys) -> list[ContainerKeys]:
    """The jobs that ask for mGPU."""
    return [
        container
        for container in pod.all_containers()
        if any(n.startswith(k.GPU_PREFIXES) for n in container.resources)
    ]


def _engine(context: Context) -> k.Engine:
    """The engine whose parameters are read: the first in the context."""
    return next(
        (k.ENGINES[dialect.name] for dialect in context.dialects if dialect.name in k.ENGINES), k.SPARK_ENGINE
    )


def _first_gpu_key(job: ContainerKeys) -> Value:
    """The first key of mGPU in the job."""
    return next(value for name, value in job.resources.items() if name.startswith(k.GPU_PREFIXES))


def _add(engine: k.Engine, names: Iterable[str]) -> str:
    return msg("add {parameters}", parameters=", ".join(f"{name}={engine.gpu[name]}" for name in names))


@rule("EMR035", Severity.ERROR, scope=Scope.JOB)
def compute_is_in_range(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """`emr.serverless.mgpu.core` is a whole number from 5 to 99.

    ## What it does
    Reports other numbers, and values that are not numbers. In a translation, compute that `--round up` raises
    to the least number.

    ## Why
    It is the percent of one card that each pod of the job gets, and the vendor takes 5 to 99.

    ## Example
    ```properties
    emr.serverless.mgpu.core=3
    emr.serverless.mgpu.memory=4096
    ```

    ## Use instead
    ```properties
    emr.serverless.mgpu.core=5
    emr.serverless.mgpu.memory=4096
    ```

    ## Source
    EMR Serverless, mGPU (2025).
    """
    for job in _jobs(pod):
        value = job.resources.get(k.CORE)
        number = k.parse_digits(value.text) if value else None
        if value is None or (number is not None and k.CORE_MIN <= number <= k.CORE_MAX):
            continue
        if number is None:
            hint = "write percent of one card in digits alone, such as 30"
        elif number < k.CORE_MIN:
            hint = msg("write {number}", number=k.CORE_MIN)
        else:
            hint = msg(
                "write {number}, or run the job on a GPU queue, without the keys of mGPU", number=k.CORE_MAX
            )
        message = msg(
            "{key} is {value!r}, it must be {low} to {high} (percent)",
            key=k.CORE,
            value=value.text,
            low=k.CORE_MIN,
            high=k.CORE_MAX,
        )
        yield this.diagnostic(value, message, hint)


@rule("EMR036", Severity.ERROR, scope=Scope.JOB)
def memory_fits_the_card(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """`emr.serverless.mgpu.memory` is a whole number of MiB that a card has.

    ## What it does
    Reports zero, units and fractions; with a profile that gives the memory of a card, more than that.

    ## Why
    The key counts MiB for each pod, in digits alone. mGPU itself takes a little of a card: of an A10
    22731 MiB can be used.

    ## Example
    ```properties
    emr.serverless.mgpu.core=30
    emr.serverless.mgpu.memory=4g
    ```

    ## Use instead
    ```properties
    emr.serverless.mgpu.core=30
    emr.serverless.mgpu.memory=4096
    ```

    ## Source
    EMR Serverless, mGPU (2025).
    """
    card = k.usable_mib(context.profile)
    for job in _jobs(pod):
        value = job.resources.get(k.MEMORY)
        if value is None:
            continue
        number = k.parse_digits(value.text)
        if not number:
            message = msg(
                "{key} is {value!r}, it must be a whole number of MiB above zero",
                key=k.MEMORY,
                value=value.text,
            )
            yield this.diagnostic(value, message, "write MiB in digits alone: 4096 is 4 GiB")
        elif card is not None and number > card:
            message = msg(
                "{key} is {number}, and mGPU can use {card} MiB of a card",
                key=k.MEMORY,
                number=number,
                card=card,
            )
            yield this.diagnostic(value, message, msg("write at most {card}", card=card))


@rule("EMR037", Severity.ERROR, scope=Scope.JOB, missing=True)
def both_keys_are_set(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """`emr.serverless.mgpu.core` and `emr.serverless.mgpu.memory` are set together.

    ## What it does
    Reports `emr.serverless.mgpu.core` without `emr.serverless.mgpu.memory`, and the other way round.

    ## Why
    The vendor adds both to the GPU parameters of a job, always as a pair.

    ## Example
    ```properties
    emr.serverless.mgpu.core=30
    ```

    ## Use instead
    ```properties
    emr.serverless.mgpu.core=30
    emr.serverless.mgpu.memory=4096
    ```

    ## Source
    EMR Serverless, mGPU: all three examples (2025).
    """
    for job in _jobs(pod):
        for name, other in ((k.CORE, k.MEMORY), (k.MEMORY, k.CORE)):
            if name in job.resources and other not in job.resources:
                message = msg("{key} is set without {other}", key=name, other=other)
                yield this.diagnostic(
                    job.resources[name], message, msg("set {other} too", other=other), on_key=True
                )


@rule("EMR038", Severity.ERROR, scope=Scope.JOB)
def engine_asks_for_one_card(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """A job with `emr.serverless.mgpu.core` sets the GPU parameters of its engine too, for one card.

    ## What it does
    Reports a job with keys of mGPU and none of its engine's own GPU keys, a number of cards that is not 1,
    and a vendor that is not `nvidia.com`. Keys of one kind of pod that are missing are a warning: Spark's
    driver, say.

    ## Why
    The keys of mGPU come on top of the engine's own: without these no pod gets a card to share. A
    pod on mGPU has a part of a single card.

    ## Example
    ```properties
    spark.driver.resource.gpu.discoveryScript=/opt/emr/current/spark/examples/src/main/scripts/getGpusResources.sh
    spark.driver.resource.gpu.vendor=nvidia.com
    spark.driver.resource.gpu.amount=1
    spark.executor.resource.gpu.discoveryScript=/opt/emr/current/spark/examples/src/main/scripts/getGpusResources.sh
    spark.executor.resource.gpu.vendor=nvidia.com
    spark.executor.resource.gpu.amount=2
    emr.serverless.mgpu.core=30
    emr.serverless.mgpu.memory=4096
    ```

    ## Use instead
    ```properties
    spark.driver.resource.gpu.discoveryScript=/opt/emr/current/spark/examples/src/main/scripts/getGpusResources.sh
    spark.driver.resource.gpu.vendor=nvidia.com
    spark.driver.resource.gpu.amount=1
    spark.executor.resource.gpu.discoveryScript=/opt/emr/current/spark/examples/src/main/scripts/getGpusResources.sh
    spark.executor.resource.gpu.vendor=nvidia.com
    spark.executor.resource.gpu.amount=1
    emr.serverless.mgpu.core=30
    emr.serverless.mgpu.memory=4096
    ```

    ## Source
    EMR Serverless, mGPU: "on top of the GPU parameters", "a single GPU" (2025).
    """
    engine = _engine(context)
    for job in _jobs(pod):
        for name in engine.counts:
            value = job.resources.get(name)
            if value is not None and k.parse_digits(value.text) != 1:
                message = msg("{key} is {value!r}: a pod on mGPU has one card", key=name, value=value.text)
                yield this.diagnostic(value, message, "write 1")
        for name, vendor in engine.gpu.items():
            value = job.resources.get(name)
            if vendor == k.VENDOR and value is not None and value.text != vendor:
                message = msg("{key} is {value!r}: mGPU has NVIDIA cards alone", key=name, value=value.text)
                yield this.diagnostic(value, message, msg("write {value}", value=vendor))
        present = [name for name in engine.gpu if name in job.resources]
        if not present:
            message = msg(
                "the GPU parameters of {engine} are missing: no pod gets a card to share", engine=engine.title
            )
            hint = _add(engine, engine.gpu)
            yield this.diagnostic(_first_gpu_key(job), message, hint, on_key=True, missing=True)
            continue
        for role, names in engine.by_role():
            # EMR041 reports the switch of a CustomJob
            missing = [name for name in names if name not in present and name != k.ENABLED]
            if missing:
                short = ", ".join(name.removeprefix(f"{role}.") for name in missing)
                message = msg("{role} lacks {keys}", role=role, keys=short)
                hint = _add(engine, missing)
                meant = any(name in present for name in names)
                uncounted = meant and any(name in engine.counts for name in missing)
                severity = Severity.ERROR if uncounted else Severity.WARNING
                yield this.diagnostic(
                    _first_gpu_key(job), message, hint, severity=severity, on_key=True, missing=True
                )


@rule("EMR039", Severity.ERROR, scope=Scope.JOB)
def keys_are_those_of_jobs(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """A job has no keys of VKE pods, such as `vke.volcengine.com/mgpu-compute-policy`.

    ## What it does
    Reports policies, QoS classes and other keys of VKE among the parameters of a job.

    ## Why
    A job has a part of one card and nothing else: it has no key for a policy, a colocation class
    or several cards, and nothing reads those of VKE.

    ## Example
    ```properties
    emr.serverless.mgpu.core=30
    emr.serverless.mgpu.memory=4096
    vke.volcengine.com/mgpu-compute-policy=fixed-share
    ```

    ## Use instead
    ```properties
    emr.serverless.mgpu.core=30
    emr.serverless.mgpu.memory=4096
    ```

    ## Source
    EMR Serverless, mGPU: the list of its parameters (2025).
    """
    for job in _jobs(pod):
        for name, value in job.resources.items():
            if name.startswith(k.OF_PODS):
                message = msg("{key} is a key of VKE pods: no job reads it", key=name)
                yield this.diagnostic(value, message, "remove it", on_key=True)


@rule("EMR040", Severity.INFO, scope=Scope.JOB)
def queue_has_mgpu(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """A job with `emr.serverless.mgpu.core` runs on a queue that was created with mGPU.

    ## What it does
    With a profile of EMR Serverless, reminds of the queue of a job that asks for mGPU.

    ## Why
    mGPU is switched on when a GPU queue is created. A queue has GPUs or mGPU, never both, and no
    parameter of a job names it.

    ## Example
    ```properties
    emr.serverless.mgpu.core=30
    emr.serverless.mgpu.memory=4096
    ```
    ```yaml profile
    target: volcengine-emr-spark
    ```

    ## Use instead
    ```properties
    spark.executor.memory=4g
    ```

    ## Source
    EMR Serverless, mGPU (2025).
    """
    if context.profile is None or not k.of_emr(context.profile):
        return
    for job in _jobs(pod):
        message = "the job needs a queue that was created with mGPU: a GPU queue without it takes no share"
        yield this.diagnostic(
            _first_gpu_key(job), message, "check the queue in the console of EMR Serverless", on_key=True
        )


@rule("EMR041", Severity.ERROR, scope=Scope.JOB)
def customjob_has_gpus_on(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """A CustomJob on mGPU sets `serverless.custom.job.gpu.enabled` to `true`.

    ## What it does
    Reports a CustomJob with other keys of GPUs, and without `serverless.custom.job.gpu.enabled` set to
    `true`.

    ## Why
    The tasks of a CustomJob get no card without it.

    ## Example
    ```sql
    set serverless.custom.job.task.gpus=1;
    set emr.serverless.mgpu.core=30;
    set emr.serverless.mgpu.memory=1000;
    ```

    ## Use instead
    ```sql
    set serverless.custom.job.gpu.enabled=true;
    set serverless.custom.job.task.gpus=1;
    set emr.serverless.mgpu.core=30;
    set emr.serverless.mgpu.memory=1000;
    ```

    ## Source
    EMR Serverless, mGPU: the example of CustomJob (2025).
    """
    engine = _engine(context)
    if k.ENABLED not in engine.gpu:
        return
    for job in _jobs(pod):
        value = job.resources.get(k.ENABLED)
        if value is not None and value.text.lower() != "true":
            message = msg("{key} is {value!r}: the tasks get no card", key=k.ENABLED, value=value.text)
            yield this.diagnostic(value, message, "write true")
        elif value is None and any(name in job.resources for name in engine.gpu):
            message = msg("{key} is not set: the tasks get no card", key=k.ENABLED)
            hint = msg("set {key}=true", key=k.ENABLED)
            yield this.diagnostic(_first_gpu_key(job), message, hint, on_key=True, missing=True)
