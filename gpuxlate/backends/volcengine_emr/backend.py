"""EMR Serverless on mGPU: reading and writing shares. A share is the part of a card of each pod of a job."""

from __future__ import annotations

from functools import partial

from gpuxlate.backends.base import Backend, ContainerShare, Placing, PodPlacing, Reading, Taking
from gpuxlate.backends.volcengine_emr import keys as k
from gpuxlate.model.messages import say
from gpuxlate.model.pod import ContainerKeys, Path, PodKeys, Value, in_lists
from gpuxlate.model.profile import Profile
from gpuxlate.model.share_problems import FULL_CARD_CORES


def read(engine: k.Engine, pod: Taking, profile: Profile | None) -> Reading:
    """Parameters to a share. The engine's own GPU keys are taken: the rules check their values."""
    return pod.reading([_read_job(engine, pod, job) for job in pod.pod.all_containers()])


def _read_job(engine: k.Engine, pod: Taking, job: ContainerKeys) -> ContainerShare:
    for name in engine.gpu:
        pod.resource(job, name)
    values = {"cores": pod.resource(job, k.CORE), "memory_mib": pod.resource(job, k.MEMORY)}
    numbers = {attribute: k.whole(value.text) for attribute, value in values.items() if value}
    if all(number is None for number in numbers.values()):
        return pod.none(job)  # EMR035 and EMR036 report the values
    origins: dict[str, Path] = {attribute: value.path for attribute, value in values.items() if value}
    return pod.share(job, cores=numbers.get("cores"), memory_mib=numbers.get("memory_mib"), origins=origins)


def write(engine: k.Engine, pod: PodPlacing, profile: Profile | None) -> PodKeys:
    """Shares to parameters: the two of mGPU, and the engine's own for one card."""
    jobs = [_write_job(engine, placing, profile) for placing in pod.placings]
    return PodKeys(
        *in_lists(jobs),
    )


def _write_job(engine: k.Engine, placing: Placing, profile: Profile | None) -> ContainerKeys:
    if placing.take("cards") > 1:
        placing.refuse(
            "cards",
            "EMR039",
            say("{cards} cards: a pod of a job on mGPU gets a part of one card", cards=placing.cards),
            "ask for one card, and for more pods in the job",
        )
    cores, memory = _numbers(placing)
    full = FULL_CARD_CORES * placing.cards
    if placing.whole_cards or (cores is not None and cores >= full):
        placing.refuse(
            "cores",
            "GX023",
            say(
                "whole cards are not supported: {why}",
                why=say("a job on mGPU takes {low} to {high} % of a card", low=k.CORE_MIN, high=k.CORE_MAX),
            ),
            say("ask for at most {high} %, or run the job on a GPU queue, without mGPU", high=k.CORE_MAX),
        )
    card = k.usable_mib(profile)
    if memory is not None and card is not None and memory > card * placing.cards:
        placing.refuse(
            "memory_mib",
            "EMR036",
            say(
                "memoryMiB {memory} is more than mGPU can use of a card ({card} MiB)",
                memory=memory,
                card=card,
            ),
            say("ask for at most {card}", card=card),
        )
    mgpu = {k.CORE: cores, k.MEMORY: memory}
    limits = {name: Value.of(text) for name, text in engine.gpu.items()}
    limits |= {name: Value.of(number) for name, number in mgpu.items() if number is not None}
    return ContainerKeys(placing.name, placing.index, placing.init, limits)


def _numbers(placing: Placing) -> tuple[int | None, int | None]:
    """Compute and memory, both of which a part of a card needs."""
    if placing.whole_cards:
        return placing.take("cores"), placing.take("memory_mib")
    for attribute, name in (("cores", k.CORE), ("memory_mib", k.MEMORY)):
        if placing.peek(attribute) is None:
            placing.need(
                attribute, "EMR037", say("{key} is set together with the other key of mGPU", key=name)
            )
    return placing.on_grid("cores", "EMR035", low=k.CORE_MIN, unit="%"), placing.take("memory_mib")


def _backend(engine: k.Engine) -> Backend:
    return Backend(
        name=engine.target,
        title=f"Volcengine EMR Serverless, {engine.title} on mGPU",
        keys=engine.keys,
        gpu_prefixes=k.GPU_PREFIXES,
        read=partial(read, engine),
        write=partial(write, engine),
        says={
            "cards": "one for each pod of the job",
            "cores": f"{k.CORE}: {k.CORE_MIN}..{k.CORE_MAX} % of the card of each pod; required",
            "memoryMiB": f"{k.MEMORY}: MiB of each pod; required",
        },
        rules_module="gpuxlate.backends.volcengine_emr.rules",
        form_module=f"gpuxlate.backends.volcengine_emr.form:{engine.name.upper()}",
        billing_module=f"gpuxlate.backends.volcengine_emr.billing:{engine.name.upper()}",
    )


SPARK, RAY, CUSTOMJOB = (_backend(engine) for engine in (k.SPARK, k.RAY, k.CUSTOMJOB))
