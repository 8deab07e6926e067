"""EMR Serverless on mGPU: the parameters of a job, which give each of its pods a part of a card.

Which texts hold them, for which engine, and how they are written; shares of them; what a share costs.
Source of the price: EMR Serverless, mGPU (seed 004), for pay-as-you-go GPUs only:
GPU-hours of a pod = 1 * GPU-hours of the card * max(core / 100, memory / memory of the card)
The page leaves out the time; its example runs one hour. It writes "memory of the whole card" and uses
what mGPU leaves of it (22731 MiB of an A10): the usable memory is meant. The vendor's rounding and its
least charge are not documented, so nothing is rounded here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from os.path import splitext

from gpuxlate.backends.billing import BilledBackend, BilledCard, CostError, PodCounts, Price, part_of_card
from gpuxlate.backends.job_parameters import JobBackend, MergeError, WrongFileError, json_object, values_of
from gpuxlate.backends.target import ContainerShare, PodReader, PodWriter, Reading, ShareWriter
from gpuxlate.backends.volcengine_emr.engines import (
    CORE,
    CORE_MAX,
    CORE_MIN,
    CUSTOMJOB_ENGINE,
    DOCUMENTS,
    GPU_PREFIXES,
    MEMORY,
    OURS,
    RAY_ENGINE,
    SPARK_ENGINE,
    Engine,
    engine_of,
    parse_digits,
    usable_mib,
)
from gpuxlate.backends.volcengine_emr.merge import merge_parameters
from gpuxlate.backends.volcengine_emr.syntax import (
    Properties,
    RayStatements,
    SetStatements,
    Syntax,
    as_document,
)
from gpuxlate.manifest.jobs import JobRow
from gpuxlate.model.declarations import regex
from gpuxlate.model.diagnostics import Edit, Path, Put
from gpuxlate.model.limits import FULL_CARD_CORES
from gpuxlate.model.messages import message_of, msg
from gpuxlate.model.pod import ContainerKeys, PodKeys, Value, in_lists
from gpuxlate.model.profile import Profile
from gpuxlate.yamltext.edit import edit_document
from gpuxlate.yamltext.nodes import Mapping, get
from gpuxlate.yamltext.parse import Document, DocumentReader, NotYamlError, documents
from gpuxlate.yamltext.plan import EditError
from gpuxlate.yamltext.source import Source
from gpuxlate.yamltext.splices import apply

_MANIFEST = regex(r"^(apiVersion|kind)[ \t]*:", re.MULTILINE)
KNOWN_CARDS = {"A10": BilledCard(Fraction(10), 22731)}
"""The only card whose figures the vendor's page gives (seed 004)."""


class EmrBackend(BilledBackend, JobBackend):
    """The jobs of one engine, in its own syntax or as one JSON object.

    ``pod_role``: what the pods of its jobs are called; None where there are two.
    """

    engine: Engine
    syntax: Syntax
    pod_role: str | None = None
    documents = DOCUMENTS
    gpu_prefixes = GPU_PREFIXES
    rule_prefix = "EMR"
    rule_module = "gpuxlate.backends.volcengine_emr.rules"
    row_rules = ()
    field_docs = {
        "cards": "one for each pod of the job",
        "cores": f"{CORE}: {CORE_MIN}..{CORE_MAX} % of the card of each pod; required",
        "memoryMiB": f"{MEMORY}: MiB of each pod; required",
    }
    suffixes = (".conf", ".properties", ".sql", ".json")
    billing_plan = "pay-as-you-go"
    billing_note = (
        "Billed so with pay-as-you-go GPUs only. The vendor's rounding and least charge are not documented."
    )
    billed_cards = KNOWN_CARDS

    def read(self, pod: PodReader, profile: Profile | None) -> Reading:
        """Parameters to a share. The engine's own GPU keys are taken: the rules check their values."""
        return pod.reading([_read_job(self.engine, pod, job) for job in pod.pod.all_containers()])

    def write(self, pod: PodWriter, profile: Profile | None) -> PodKeys:
        """Write shares as parameters: the two of mGPU, and the engine's own for one card."""
        return PodKeys(*in_lists([_write_job(self.engine, placing, profile) for placing in pod.placings]))

    def reader(self, source: Source, *, chosen: bool) -> DocumentReader | None:
        """Without a chosen target, what names no engine is read as Spark's."""
        if splitext(source.name)[1] == ".json":
            parsed = _object(source)
            keys = _keys(parsed[1]) if parsed else []
            engine = engine_of(keys)
            if parsed is None or not (chosen or engine or any(key.startswith(OURS) for key in keys)):
                return None
        elif _MANIFEST.search(source.text):
            return None
        else:
            engine = None if chosen else engine_in(source)
        return self._read if chosen or (engine or SPARK_ENGINE) is self.engine else None

    def _read(self, source: Source) -> Iterator[Document]:
        as_json = splitext(source.name)[1] == ".json"
        for document in (
            documents(source) if as_json else (as_document(source, self.syntax.read(source.text)),)
        ):
            document.job = self.name
            yield document

    def render(self, keys: PodKeys, output: str) -> str:
        """A line for each parameter, or one JSON object of strings."""
        values = _texts(keys)
        if output == "json":
            return json_object(values)
        return "".join(f"{self.syntax.write(name, text)}\n" for name, text in values.items())

    def merge(self, base: Source, keys: PodKeys) -> str:
        if splitext(base.name)[1] == ".json":
            return self._merged_object(base, _texts(keys))
        if _MANIFEST.search(base.text):
            raise self._no_job(base)
        self._judge(base, engine_in(base))
        return merge_parameters(base, self.syntax, _texts(keys))

    def _merged_object(self, base: Source, parameters: dict[str, str]) -> str:
        parsed = _object(base)
        if parsed is None:
            raise self._no_job(base)
        document, root = parsed
        self._judge(base, engine_of(_keys(root)))
        edits: list[Edit] = [Put((name,), text) for name, text in parameters.items()]
        try:
            return apply(base.text, edit_document(document, edits))
        except EditError as error:
            raise MergeError(message_of(error)) from error

    def _no_job(self, base: Source) -> WrongFileError:
        return WrongFileError(
            msg(
                "{name} is a manifest or invalid JSON, and {target} writes parameters of a job",
                name=base.name,
                target=self.name,
            ),
            "name a .conf, .properties, .sql or .json file of the job",
        )

    def _judge(self, base: Source, engine: Engine | None) -> None:
        if engine not in (None, self.engine):
            raise WrongFileError(
                msg("{name} holds parameters of {target}", name=base.name, target=engine.target),
                msg("pass --to {target}", target=engine.target),
            )

    def billed_pods(self, counts: PodCounts) -> Sequence[tuple[str, int]]:
        by_role = counts.executors is not None or counts.driver is not None
        if self.pod_role is not None:
            if by_role:
                raise CostError(
                    msg("--executors and --driver are of Spark, not of {target}", target=self.name),
                    "use --pods N",
                )
            return ((self.pod_role, 1 if counts.pods is None else counts.pods),)
        if counts.pods is not None:
            if by_role:
                raise CostError(
                    "--pods counts the driver and the executors already", "give --pods, or --executors"
                )
            return (("driver or executor", counts.pods),)
        if counts.executors is None:
            raise CostError(
                "how many pods a Spark job has is not given",
                "give --executors N (the driver is added, but for --no-driver), or --pods N",
            )
        counted = (("driver", 0 if counts.driver is False else 1), ("executor", counts.executors))
        if not any(count for _, count in counted):
            raise CostError("no pod of the job has a GPU", "give --executors N, or leave out --no-driver")
        return tuple((role, count) for role, count in counted if count)

    def price(self, card: BilledCard, cores: int, memory_mib: int, hours: Fraction) -> Price:
        if not 1 <= cores <= FULL_CARD_CORES:
            raise CostError(msg("{cores} % of a card cannot be billed", cores=cores))
        if not 1 <= memory_mib <= card.memory_mib:
            raise CostError(
                msg(
                    "{memory_mib} MiB: the card has {memory_mib_2} MiB for use",
                    memory_mib=memory_mib,
                    memory_mib_2=card.memory_mib,
                )
            )
        if hours <= 0:
            raise CostError("the hours must be more than 0")
        compute, memory = Fraction(cores, FULL_CARD_CORES), Fraction(memory_mib, card.memory_mib)
        part = part_of_card(cores, memory_mib, card.memory_mib)
        return Price(
            card,
            cores,
            memory_mib,
            hours,
            compute,
            memory,
            part,
            gpu_hours=hours * card.units * part,
            break_even_memory_mib=compute * card.memory_mib,
            break_even_cores=memory * FULL_CARD_CORES,
        )


def _read_job(engine: Engine, pod: PodReader, job: ContainerKeys) -> ContainerShare:
    for name in engine.gpu:
        pod.resource(job, name)
    values = {"cores": pod.resource(job, CORE), "memory_mib": pod.resource(job, MEMORY)}
    numbers = {attribute: parse_digits(value.text) for attribute, value in values.items() if value}
    if all(number is None for number in numbers.values()):
        return pod.none(job)  # EMR035 and EMR036 report the values
    origins: dict[str, Path] = {attribute: value.path for attribute, value in values.items() if value}
    return pod.share(job, cores=numbers.get("cores"), memory_mib=numbers.get("memory_mib"), origins=origins)


def _write_job(engine: Engine, placing: ShareWriter, profile: Profile | None) -> ContainerKeys:
    if placing.take("cards") > 1:
        placing.refuse(
            "cards",
            "EMR039",
            msg("{cards} cards: a pod of a job on mGPU gets a part of one card", cards=placing.cards),
            "request one card, and run more pods in the job",
        )
    cores, memory = _numbers(placing)
    full = FULL_CARD_CORES * placing.cards
    if placing.whole_cards or (cores is not None and cores >= full):
        placing.refuse(
            "cores",
            "GX023",
            msg(
                "whole cards are not supported: {why}",
                why=msg("a job on mGPU takes {low} to {high} % of a card", low=CORE_MIN, high=CORE_MAX),
            ),
            msg("request at most {high} %, or run the job on a GPU queue, without mGPU", high=CORE_MAX),
        )
    card = usable_mib(profile)
    if memory is not None and card is not None and memory > card * placing.cards:
        placing.refuse(
            "memory_mib",
            "EMR036",
            msg(
                "memoryMiB {memory} is more than mGPU can use of a card ({card} MiB)",
                memory=memory,
                card=card,
            ),
            msg("request at most {card}", card=card),
        )
    mgpu = {CORE: cores, MEMORY: memory}
    limits = {name: Value.of(text) for name, text in engine.gpu.items()}
    limits |= {name: Value.of(number) for name, number in mgpu.items() if number is not None}
    return ContainerKeys(placing.name, placing.index, placing.init, limits)


def _numbers(placing: ShareWriter) -> tuple[int | None, int | None]:
    """Compute and memory, both of which a part of a card needs."""
    if placing.whole_cards:
        return placing.take("cores"), placing.take("memory_mib")
    for attribute, name in (("cores", CORE), ("memory_mib", MEMORY)):
        if placing.peek(attribute) is None:
            placing.need(
                attribute, "EMR037", msg("{key} is set together with the other key of mGPU", key=name)
            )
    return placing.on_grid("cores", "EMR035", low=CORE_MIN, unit="%"), placing.take("memory_mib")


def engine_in(source: Source) -> Engine | None:
    """The engine that a text names, by its suffix, its keys or its syntax."""
    if splitext(source.name)[1] == ".sql":
        return CUSTOMJOB_ENGINE
    for form in (EmrRay, EmrCustomjob, EmrSpark):
        keys = [parameter.key for parameter in form.syntax.read(source.text)]
        ours = form is EmrCustomjob and any(key.startswith(OURS) for key in keys)
        if ours or engine_of(keys) is form.engine:
            return form.engine
    statements = EmrRay.syntax.read(source.text)
    return (
        RAY_ENGINE
        if any(statement.closed and statement.key.startswith(OURS) for statement in statements)
        else None
    )


def _object(source: Source) -> tuple[Document, Mapping] | None:
    """The document of a JSON file that holds one object, with that object; None for a manifest."""
    try:
        manifests = list(documents(source))
    except NotYamlError:
        return None
    root = manifests[0].root if len(manifests) == 1 else None
    if not isinstance(root, Mapping) or not root.flow:
        return None
    manifest = get(root, "kind") is not None or get(root, "apiVersion") is not None
    return None if manifest else (manifests[0], root)


def _keys(root: Mapping) -> list[str]:
    return [getattr(key, "text", "") for key, _ in root.entries]


def _texts(keys: PodKeys) -> dict[str, str]:
    return {name: value.text for name, value in values_of(keys).items()}


class EmrSpark(EmrBackend):
    """Spark jobs (S4): properties; each pod, driver and executors, has percent and MiB of one card."""

    engine = SPARK_ENGINE
    name, title, keys = engine.target, engine.in_words, engine.keys
    aliases = ("emr-spark",)
    syntax = Properties()
    suffix = syntax.suffix
    job_rows = (
        JobRow(("SparkApplication",), ("spec", "sparkConf"), name, GPU_PREFIXES[0]),
        JobRow(("ScheduledSparkApplication",), ("spec", "template", "sparkConf"), name, GPU_PREFIXES[0]),
    )


class EmrRay(EmrBackend):
    """Ray jobs (S4): statements; each worker has percent and MiB of one card."""

    engine = RAY_ENGINE
    name, title, keys = engine.target, engine.in_words, engine.keys
    aliases = ("emr-ray",)
    syntax = RayStatements()
    suffix = syntax.suffix
    pod_role = "worker"


class EmrCustomjob(EmrBackend):
    """Custom jobs (S4): SET statements; each task has percent and MiB of one card."""

    engine = CUSTOMJOB_ENGINE
    name, title, keys = engine.target, engine.in_words, engine.keys
    aliases = ("emr-customjob",)
    syntax = SetStatements()
    suffix = syntax.suffix
    pod_role = "task"
