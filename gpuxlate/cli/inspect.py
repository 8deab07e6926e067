"""``gpuxlate inspect``: what a set of manifests asks for."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from gpuxlate.backends import registry
from gpuxlate.backends.base import Taking
from gpuxlate.cli import common, options
from gpuxlate.cli.progress import progress
from gpuxlate.cli.tables import table
from gpuxlate.inputs.files import Input, InputError, under_chart_templates
from gpuxlate.lint.marks import may_hold
from gpuxlate.manifest.pods import Pod, pods_in
from gpuxlate.manifest.replicas import replicas
from gpuxlate.model.diagnostics import Diagnostic, Severity
from gpuxlate.model.pod import Path
from gpuxlate.model.profile import Profile
from gpuxlate.model.share import Share
from gpuxlate.rules.unreadable import in_chart, no_yaml, template_in, unrendered
from gpuxlate.yamltext.compose import NotYamlError, documents
from gpuxlate.yamltext.source import Texts


@dataclass(frozen=True, slots=True)
class Row:
    """One container with its share (None where it cannot be read), and how many pods have it."""

    file: str
    kind: str
    name: str
    namespace: str | None
    container: str
    target: str
    share: Share | None
    replicas: int | None
    pod: tuple[int, Path]
    """Number of the document and place in it."""

    def to_json(self) -> dict[str, object]:
        return {
            "file": self.file,
            "kind": self.kind,
            "namespace": self.namespace,
            "name": self.name,
            "container": self.container,
            "target": self.target,
            "share": self.share.to_json() if self.share else None,
            "wholeCards": self.share.whole_cards if self.share else None,
            "replicas": self.replicas,
        }


def command(
    paths: options.Paths,
    from_: options.From = None,
    profile: options.ProfileFile = None,
    output: options.Output = "table",
) -> int:
    """What a set of manifests asks for: workload, target, cards, cores, MiB, replicas, totals."""
    if output not in ("table", "json"):
        raise common.CliError(f"-o {output} is not possible", "formats: table, json")
    chosen = common.target(from_).name if from_ else None
    known = common.profile(profile)
    rows: list[Row] = []
    broken: list[Diagnostic] = []
    texts = Texts()
    for one in progress(common.some_inputs(paths)):
        for found in _rows(one, chosen, known, texts):
            if isinstance(found, Row):
                rows.append(found)
            else:
                broken.append(found)
    common.show(broken, texts)
    if output == "json":
        items = [row.to_json() for row in rows]
        common.out(
            common.write_json({"format": "gpuxlate-inspect/v1", "items": items, "totals": totals(rows)})
        )
    else:
        common.out(_text(rows))
    failed = any(one.severity is Severity.ERROR for one in broken)
    return common.Exit.FINDINGS if failed else common.Exit.CLEAN


def _rows(
    one: Input, chosen: str | None, profile: Profile | None, texts: Texts
) -> Iterator[Row | Diagnostic]:
    data = one.read_bytes()
    source = one.source(data)
    if not one.named and not may_hold(data, registry.marks()):
        return
    if one.named and not source.text.strip():
        raise InputError(f"{one.name}: it is empty")
    if under_chart_templates(one.path, os.getcwd()):
        yield in_chart(source.name)
        return
    try:
        for document in documents(source):
            template = template_in(document)
            if template is not None:
                texts.add(source)
                yield unrendered(source, template)
                continue
            for pod in pods_in(document):
                count = replicas(document, pod)
                yield from _pod_rows(source.name, document.index, pod, count, chosen, profile)
    except NotYamlError as error:
        texts.add(source)
        yield no_yaml(source, error)


def _pod_rows(
    file: str, document: int, pod: Pod, count: int | None, chosen: str | None, profile: Profile | None
) -> Iterator[Row]:
    spoken = registry.spoken_in(pod.keys) if chosen is None else (registry.get(chosen),)
    claimed = {(one.init, one.index): one for one in pod.keys.all_containers()}
    for backend in spoken:
        for container in backend.read(Taking(pod.keys), profile).containers:
            keys = claimed[container.init, container.index]
            if container.share or any(backend.owns(name) for name in keys.resources):
                yield Row(
                    file,
                    pod.object.kind or "",
                    pod.object.name or "",
                    pod.object.namespace,
                    container.name,
                    backend.name,
                    container.share,
                    count,
                    (document, pod.keys.path),
                )


def totals(rows: Sequence[Row]) -> dict[str, dict[str, int]]:
    """Sums by target over all replicas; pods of one template count, nodes do not."""
    found: dict[str, dict[str, int]] = {}
    pods: set[tuple[object, ...]] = set()
    for row in rows:
        if row.share is None:
            continue
        here = found.setdefault(
            row.target, {"pods": 0, "cards": 0, "wholeCards": 0, "cores": 0, "memoryMiB": 0}
        )
        times = 1 if row.replicas is None else row.replicas
        pod = (row.target, row.file, row.pod)
        here["pods"] += 0 if pod in pods else times
        pods.add(pod)
        here["wholeCards" if row.share.whole_cards else "cards"] += row.share.cards * times
        here["cores"] += (row.share.cores or 0) * times
        here["memoryMiB"] += (row.share.memory_mib or 0) * times
    return found


def _text(rows: Sequence[Row]) -> str:
    if not rows:
        return "no share in these manifests\n"
    lines = [
        [
            "/".join(part for part in (row.namespace, row.kind, row.name) if part),
            row.container,
            row.target,
            *_numbers(row.share),
            "per node" if row.replicas is None else str(row.replicas),
        ]
        for row in rows
    ]
    head = ["WORKLOAD", "CONTAINER", "TARGET", "CARDS", "CORES %", "MEMORY MiB", "POLICY", "QOS", "REPLICAS"]
    text = table(head, lines)
    sums = [
        [target, *(str(one[name]) for name in ("pods", "wholeCards", "cards", "cores", "memoryMiB"))]
        for target, one in totals(rows).items()
    ]
    return (
        text + "\n" + table(["TOTAL", "PODS", "WHOLE CARDS", "SHARED CARDS", "CORES %", "MEMORY MiB"], sums)
    )


def _memory(share: Share) -> str:
    if share.memory_percent is not None:
        return f"{share.memory_percent} %"
    return "all" if share.memory_mib is None else str(share.memory_mib)


def _numbers(share: Share | None) -> list[str]:
    if share is None:
        return ["?", "?", "?", "", ""]
    whole = share.whole_cards
    return [
        str(share.cards),
        "whole" if whole else str(share.cores or "-"),
        _memory(share),
        str(share.policy or ""),
        str(share.qos or ""),
    ]
