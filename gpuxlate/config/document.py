"""The GPUShare document: plain data to a Share and back.

Reading finds every problem at once: what does not fit the schema is GX010, numbers that are no
share are GX011. Paths are those of the document.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from gpuxlate.backends.pod_reader import ContainerShare, beyond_every_card
from gpuxlate.files.find import Input, InputError
from gpuxlate.manifest.objects import object_ref
from gpuxlate.model.declarations import record, regex
from gpuxlate.model.diagnostics import Diagnostic, Path, Severity
from gpuxlate.model.limits import MAX_PROBLEMS
from gpuxlate.model.messages import message_of, msg
from gpuxlate.model.profile import Profile, unknown_partition
from gpuxlate.model.quantity import LIMIT
from gpuxlate.model.share import (
    JSON_NAMES,
    MAX_PROFILE_LENGTH,
    PROFILE,
    Device,
    Isolation,
    Partition,
    Policy,
    Qos,
    Replica,
    Share,
    ShareProblem,
    Strategy,
    part_problems,
    share_problems,
)
from gpuxlate.rules.source import invalid_yaml_finding, unreadable_finding
from gpuxlate.yamltext.nodes import Mapping as YamlMapping
from gpuxlate.yamltext.nodes import get_text
from gpuxlate.yamltext.parse import Document, NotYamlError, documents, with_location
from gpuxlate.yamltext.plain import to_python
from gpuxlate.yamltext.source import Source, Texts

API_VERSION = "gpuxlate.io/v1alpha1"
GPU_SHARE = "GPUShare"
DECISIONS = "Decisions"
"""The kind of a document of decisions (``config.decisions``)."""
SCHEMA_CODE = "GX010"
ARITHMETIC_CODE = "GX011"


@record
class Workload:
    """What a share is put on: a manifest, relative to the document, and one of its containers."""

    file: str
    container: str | None = None


@record
class ShareDocument:
    """A GPUShare document. ``origins``: by attribute of the share, the path of each field."""

    name: str
    share: Share
    origins: Mapping[str, Path] = field(default_factory=dict)
    workload: Workload | None = None
    namespace: str | None = None
    labels: Mapping[str, str] = field(default_factory=dict)
    annotations: Mapping[str, str] = field(default_factory=dict)

    def of_container(self, name: str = "") -> ContainerShare:
        """Its share as that of a pod's only container, found at ``spec``."""
        return ContainerShare(name, 0, share=self.share, origins=self.origins, path=("spec",))


def read_share_document(
    data: object, profile: Profile | None = None
) -> tuple[ShareDocument | None, list[Diagnostic]]:
    """A GPUShare document from plain data, or every reason why it is none.

    Beside a document there may be warnings: a partition that only a card of the profile may have, and memory
    that no card has.
    """
    from gpuxlate.config.document_model import DocumentModel
    from gpuxlate.config.validation_errors import check_model

    model, problems = check_model(DocumentModel, data, SCHEMA_CODE)
    problems += _arithmetic(data, profile)
    if model is None or any(problem.severity is Severity.ERROR for problem in problems):
        return None, problems
    document = _document(model["metadata"], model["spec"])
    return document, [*problems, *beyond_every_card(document.share, document.origins, profile)]


def _document(metadata: dict[str, Any], spec: dict[str, Any]) -> ShareDocument:
    device = spec.get("device", {})
    share = Share(
        cards=spec.get("cards", 1),
        cores=spec.get("cores"),
        memory_mib=spec.get("memoryMiB"),
        policy=Policy(spec["policy"]) if "policy" in spec else None,
        qos=Qos(spec["qos"]) if "qos" in spec else None,
        memory_percent=spec.get("memoryPercent"),
        memory_limit_mib=spec.get("memoryLimitMiB"),
        device=Device(device.get("vendor"), tuple(device.get("models", ()))),
        isolation=Isolation(spec["isolation"]) if "isolation" in spec else None,
        partition=Partition(**spec["partition"]) if "partition" in spec else None,
        replica=_replica(spec),
    )
    return ShareDocument(
        metadata["name"],
        share,
        {attribute: ("spec", name) for attribute, name in JSON_NAMES.items() if name in spec},
        Workload(**spec["workload"]) if "workload" in spec else None,
        metadata.get("namespace"),
        metadata.get("labels", {}),
        metadata.get("annotations", {}),
    )


def _replica(spec: dict[str, Any]) -> Replica | None:
    replica = spec.get("replica")
    if replica is None:
        return None
    strategy = Strategy(replica["strategy"]) if "strategy" in replica else None
    return Replica(replica.get("of"), strategy, replica.get("count", 1))


def _arithmetic(data: object, profile: Profile | None) -> list[Diagnostic]:
    """GX011 for the numbers that are numbers, and for names, whatever else is wrong with the document."""
    spec = data.get("spec") if isinstance(data, dict) else None
    if not isinstance(spec, dict):
        return []
    cards = _number(spec.get("cards", 1))
    if cards is None:
        return []
    names = ("cores", "memoryMiB", "memoryPercent", "memoryLimitMiB")
    numbers = [_number(spec.get(name)) for name in names]
    problems = [*share_problems(cards, *numbers), *_of_parts(spec, numbers)]
    unexplained = [
        Diagnostic(ARITHMETIC_CODE, Severity.ERROR, problem.message, problem.hint, ("spec", problem.field))
        for problem in problems
    ]
    return (
        [*unexplained, *_unknown_partition(spec["partition"], profile)]
        if "partition" in spec
        else unexplained
    )


def _of_parts(spec: dict[str, Any], numbers: Sequence[int | None]) -> Iterator[ShareProblem]:
    """Those of partitions and replicas, whatever is wrong with their fields; their number of cards, written
    in any way, is one too many."""

    def fields(name: str) -> dict[str, Any] | None:
        value = spec.get(name)
        return value if isinstance(value, dict) else None

    partition, replica = fields("partition"), fields("replica")
    name = partition.get("profile") if partition else None
    is_profile = isinstance(name, str) and re.fullmatch(PROFILE, name)
    cards = _number(spec.get("cards", 1)) or 1
    yield from part_problems(
        Partition(str(name) if is_profile else "x", _count(partition)) if partition is not None else None,
        Replica(_number(replica.get("of")), None, _count(replica)) if replica is not None else None,
        2 if partition is not None and "cards" in spec else cards,
        *numbers,
    )


def _unknown_partition(partition: object, profile: Profile | None) -> Iterator[Diagnostic]:
    """A partition that no card has; its name, where it is one."""
    name = partition.get("profile") if isinstance(partition, dict) else None
    if isinstance(name, str) and re.fullmatch(PROFILE, name) and len(name) <= MAX_PROFILE_LENGTH:
        unknown = unknown_partition(name, profile)
        if unknown is not None:
            path = ("spec", "partition", "profile")
            yield Diagnostic(ARITHMETIC_CODE, unknown.severity, unknown.message, unknown.hint, path)


def _count(part: dict[str, Any]) -> int:
    count = _number(part.get("count", 1))
    return 1 if count is None else count


def _number(value: object) -> int | None:
    """The value where the schema has nothing against it."""
    if not isinstance(value, int) or isinstance(value, bool) or abs(value) > LIMIT:
        return None
    return value


def to_document(name: str, share: Share, workload: Workload | None = None) -> dict[str, Any]:
    """A GPUShare document as plain data, in the documented order, without the omitted fields.

    One card is not said, unless the share is that whole card.
    """
    spec: dict[str, Any] = {key: value for key, value in share.to_json().items() if value is not None}
    if share.cards == 1 and not share.whole_cards:
        spec.pop("cards", None)
    if workload:
        spec["workload"] = {"file": workload.file}
        if workload.container:
            spec["workload"]["container"] = workload.container
    return {"apiVersion": API_VERSION, "kind": GPU_SHARE, "metadata": {"name": name}, "spec": spec}


# GPUShare documents in a text, with the place of everything that is wrong.
@dataclass(slots=True)
class ShareDocuments:
    """The GPUShare documents of some inputs, and what is wrong with them."""

    shares: list[tuple[Input, Document, ShareDocument]] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    sources: Texts = field(default_factory=Texts)

    @property
    def broken(self) -> bool:
        """A document is none, or its numbers are no share."""
        return any(finding.severity is Severity.ERROR for finding in self.diagnostics)

    def add(
        self, source_input: Input, source: Source, parsed: Iterable[Document], profile: Profile | None
    ) -> None:
        """The shares of the documents of one input.

        Raises InputError where the user named it, and it has none of any kind."""
        self.sources.add(source)
        shares, problems = _shares_of(source, parsed, profile, named=source_input.named)
        if source_input.named and not shares and not problems:
            blank = not source.text.strip()
            raise InputError(
                msg(
                    "{name}: {value}",
                    name=source_input.name,
                    value="it is empty" if blank else "it has no document",
                )
            )
        self.shares += [(source_input, document, share) for document, share in shares]
        self.diagnostics += problems


def read_specs(inputs: Iterable[Input], profile: Profile | None = None) -> ShareDocuments:
    """The shares of inputs; ``profile`` may add cards with partitions of their own.

    Raises InputError where an input is missing, or there is nothing to work on."""
    specs = ShareDocuments()
    for source_input in inputs:
        source = source_input.source()
        specs.add(source_input, source, documents(source), profile)
    if not specs.shares and not specs.diagnostics:
        raise InputError(
            "no GPUShare document in the folders given", "gpuxlate parse reads a vendor's manifests"
        )
    return specs


def shares_in(
    source: Source, profile: Profile | None = None, *, named: bool = True
) -> tuple[list[tuple[Document, ShareDocument]], list[Diagnostic]]:
    """The GPUShare documents of a text, and what is wrong with them.

    ``named``: the user named the text itself, so that every document of it has to be one. In a folder
    it may be a manifest, or a template of something else.
    """
    return _shares_of(source, documents(source), profile, named=named)


def _shares_of(
    source: Source, parsed: Iterable[Document], profile: Profile | None, *, named: bool
) -> tuple[list[tuple[Document, ShareDocument]], list[Diagnostic]]:
    shares: list[tuple[Document, ShareDocument]] = []
    problems: list[Diagnostic] = []
    try:
        for document in parsed:
            if document.root is None:
                continue
            if isinstance(document.root, YamlMapping) and not is_share_document(document):
                problems += [_other(document)] if named else []
                continue
            share, wrong = check_share_document(document, profile)
            problems += wrong
            if share is not None:
                shares.append((document, share))
    except NotYamlError as error:
        problems.append((invalid_yaml_finding if named else unreadable_finding)(source, error))
    return shares, problems


_SAYS_SO = regex(rf"\b{GPU_SHARE}\b|\bapiVersion['\"]?\s*:\s*['\"]?gpuxlate[.]io/")


def may_have_shares(text: str) -> bool:
    """A document of the text may be a GPUShare, by its letters: the keys of the neutral dialect are in the
    domain of its apiVersion too, and manifests with them are none."""
    return _SAYS_SO.search(text) is not None


def is_share_document(document: Document) -> bool:
    """The document says that it is a GPUShare, rightly or not."""
    return get_text(document.root, "kind") == GPU_SHARE or (_is_ours(document) and not is_decisions(document))


def is_decisions(document: Document) -> bool:
    """The document says that it holds decisions."""
    return get_text(document.root, "kind") == DECISIONS and _is_ours(document)


def _is_ours(document: Document) -> bool:
    return (get_text(document.root, "apiVersion") or "").startswith("gpuxlate.io/")


def read_data(document: Document) -> tuple[Any, list[Diagnostic]]:
    """The plain data of a document of this tool, and each key of it that is set twice (GX002).

    Raises RecursionError.
    """
    data = to_python(document.root) if document.root is not None else None
    if not document.repeated:
        return data, []
    from gpuxlate.manifest.facts import repeated_keys
    from gpuxlate.model.pod import DocumentKeys
    from gpuxlate.rules.base import Context
    from gpuxlate.rules.documents import key_is_given_once

    paths = tuple(islice(dict.fromkeys(repeated_keys(document)), MAX_PROBLEMS))
    return data, list(key_is_given_once(DocumentKeys(repeated=paths), Context()))


def check_share_document(
    document: Document, profile: Profile | None = None
) -> tuple[ShareDocument | None, list[Diagnostic]]:
    """A GPUShare document and its problems, each at its place."""
    if document.root is None:
        return None, []
    try:
        data, repeated = read_data(document)
    except RecursionError as error:
        problem = Diagnostic(
            "GX010", Severity.ERROR, msg("not a GPUShare document: {error}", error=message_of(error))
        )
        return None, [with_location(document, problem)]
    share, problems = read_share_document(data, profile)
    ref = object_ref(document.root) if isinstance(document.root, YamlMapping) else None
    problems = [*repeated, *problems]
    return None if repeated else share, [with_location(document, problem, ref) for problem in problems]


def _other(document: Document) -> Diagnostic:
    kind = get_text(document.root, "kind")
    kind_text = msg("kind is {kind}", kind=kind) if kind else msg("it has no kind")
    problem = Diagnostic(
        "GX010",
        Severity.ERROR,
        msg("not a GPUShare document: {what}", what=kind_text),
        msg(
            "write kind: {kind} and apiVersion: {api_version}; to read a vendor's manifest, gpuxlate parse",
            kind=GPU_SHARE,
            api_version=API_VERSION,
        ),
        ("kind",) if kind else (),
    )
    return with_location(document, problem)
