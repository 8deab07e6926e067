"""``gpuxlate render``: GPUShare documents to manifests."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Literal

import typer

from gpuxlate.backends import job_targets, registry
from gpuxlate.backends.base import Backend
from gpuxlate.cli import lookup, options, outputs, printing
from gpuxlate.cli.decisions import decision_files
from gpuxlate.cli.inputs import Inputs
from gpuxlate.cli.translations import files_written, refuse, summarize
from gpuxlate.config.document import ShareDocuments, Workload, read_specs
from gpuxlate.files.find import Input, InputError
from gpuxlate.files.read import is_inside
from gpuxlate.model.errors import Exit, UserError
from gpuxlate.model.messages import message_of, msg
from gpuxlate.model.profile import Profile
from gpuxlate.model.share import Share
from gpuxlate.translation.options import Settings
from gpuxlate.translation.render import RenderRequest, RenderResult, render_on, render_probe
from gpuxlate.translation.results import Result
from gpuxlate.yamltext.parse import Document
from gpuxlate.yamltext.source import Source


def command(
    specs: options.Specs,
    to: Annotated[
        list[str], options.targets_option("The targets: one, a list, or all (that write manifests).")
    ],
    workload: Annotated[
        str | None,
        typer.Option(
            "--workload",
            help="The manifest of a workload, or the file of a job, to write the share to.",
            metavar="FILE",
        ),
    ] = None,
    *,
    container: Annotated[
        str | None, typer.Option("--container", help="The container to write the share to.", metavar="NAME")
    ] = None,
    losses: options.LossOptions,
    profile: options.ProfileFile = None,
    allow_outside: options.AllowOutside = False,
    accepted: options.DecisionOptions,
    output_dir: options.OutputDir = None,
    report: options.ReportOption = None,
    output: Annotated[Literal["text", "yaml", "json"], options.FORMAT] = "text",
) -> int:
    """Write GPUShare documents as manifests: on a workload, or as a Pod that runs nvidia-smi."""
    targets = lookup.targets_by_name(to, registry.written_manifests)
    _judge_output(output, targets, workload)
    accept = losses.accept()
    if len(targets) > 1 and output_dir is None:
        raise UserError(
            "several targets need --output-dir", "add --output-dir DIR: files go to DIR/<target>/<name>.yaml"
        )
    if container and not workload:
        raise UserError("--container needs --workload", "add --workload FILE, the manifest that has it")
    target_profile = lookup.profile(profile)
    documents = read_specs(Inputs(specs).some(), target_profile)
    targets = targets_of_all(
        targets, to, [document.share for _, _, document in documents.shares], target_profile
    )
    groups = list(workloads(documents, workload, container, allow_outside=allow_outside))
    _one_share_a_file(documents, targets, workload, output_dir)
    decided = decision_files(accepted)
    rendered: list[tuple[Backend, RenderResult]] = []
    diagnostics = list(documents.diagnostics)
    for backend in targets:
        settings = Settings(
            backend, accept=accept, profile=target_profile, decisions=decided.decisions if decided else None
        )
        for base, requests in groups:
            for result in _render_each(base, requests, settings, output, named=workload is not None):
                rendered.append((backend, result))
                diagnostics.extend(result.diagnostics)
    printing.show(
        [*dict.fromkeys(diagnostics)], documents.sources
    )  # what is wrong at each target is said once
    undecided = (
        decided.settle(judged for _, result in rendered for judged in result.judged) if decided else False
    )
    refused = undecided or any(finding.severity == "error" for finding in diagnostics)
    if report:
        items = [item for _, result in rendered for item in result.items]
        outputs.write_report(Path(report), outputs.report_json(items))
    if not refused:
        _write(rendered, output_dir, as_json=output == "json")
    runs = {
        backend.name if len(targets) > 1 else "": _as_run(documents, rendered, backend) for backend in targets
    }
    if refused:
        return refuse(runs)
    apart = bool(diagnostics)
    for name, run in runs.items():
        written = [files_written(len(groups))] if output_dir else []
        summarize(run, *written, target=name, apart=apart)
        apart = False
    return Exit.CLEAN


def _as_run(
    documents: ShareDocuments, rendered: Sequence[tuple[Backend, RenderResult]], target: Backend
) -> Result:
    """The results for one target as one run."""
    results = [result for backend, result in rendered if backend is target]
    return Result(
        [item for result in results for item in result.items],
        [*documents.diagnostics, *(finding for result in results for finding in result.diagnostics)],
    )


def targets_of_all(
    targets: list[Backend], named: list[str], shares: list[Share], profile: Profile | None
) -> list[Backend]:
    """The targets of ``--to all`` that can take the shares: they have the cards that a share names, they
    divide cards where a share is a part of one, and they have the profile that they need. Targets that the
    user named stay."""
    chosen = lookup.targets_by_name(named, tuple, lookup.target)
    free = [backend for backend in targets if backend not in chosen]
    no_card = [backend.name for backend in free if not all(backend.has_cards_of(share) for share in shares)]
    target = registry.get(profile.target).name if profile else None
    no_profile = [backend.name for backend in free if backend.parts_need and backend.name != target]
    no_parts = [
        backend.name
        for backend in free
        if not (backend.has_parts or all(share.whole_cards for share in shares))
    ]
    if no_card:
        printing.info(
            msg("note: left out, since device names no card of them: {names}", names=", ".join(no_card))
        )
    if no_profile:
        printing.info(msg("note: left out, since they need a profile: {names}", names=", ".join(no_profile)))
    if no_parts:
        printing.info(
            msg("note: left out, since they have whole cards only: {names}", names=", ".join(no_parts))
        )
    return [backend for backend in targets if backend.name not in {*no_card, *no_profile, *no_parts}]


def _judge_output(output: str, targets: list[Backend], workload: str | None) -> None:
    parameters = [backend.name for backend in targets if not backend.writes_pods]
    if output == "yaml" and parameters:
        raise UserError(
            msg("-o yaml is for manifests: {name} writes parameters", name=parameters[0]),
            "leave it out, or -o json",
        )
    if output == "json" and parameters and workload:
        raise UserError("-o json writes a text of its own", "leave --workload out, or -o json")


def _one_share_a_file(
    documents: ShareDocuments, targets: list[Backend], workload: str | None, output_dir: str | None
) -> None:
    """Raises UserError for several shares at a target whose text holds a single share, if they would not get
    a file each."""
    for backend in targets:
        if not backend.writes_pods and len(documents.shares) > 1 and (workload or output_dir is None):
            raise UserError(
                msg(
                    "{count} shares to {name}: a file of it holds one share",
                    count=len(documents.shares),
                    name=backend.name,
                ),
                "add --output-dir DIR, without --workload" if workload else "add --output-dir DIR",
            )


def _render_each(
    base: Source | None, requests: list[RenderRequest], settings: Settings, output: str, *, named: bool
) -> Iterator[RenderResult]:
    """What a target makes of the shares of one workload. ``named``: by ``--workload``, not by a document."""
    parameters = base is not None and job_targets.reader_of(base) is not None
    if settings.to.writes_pods:
        if base is not None and parameters:
            raise UserError(
                msg(
                    "{name} holds parameters of a job, and {name_2} writes manifests",
                    name=base.name,
                    name_2=settings.to.name,
                ),
                "name a manifest with a pod",
            )
        result = render_requests(base, requests, settings)
        if base is None:  # a file of ours, not one that somebody wrote
            from gpuxlate.config.schemas import editor_line

            lookup.config()  # has the address of schemas, if there is one
            result = replace(result, text=editor_line("kubernetes-overlay") + result.text)
        yield result
        return
    from gpuxlate.translation.render import render_form

    for request in requests:
        # a manifest that the document names is for targets that write pods: not used here
        yield render_form(request, settings, output, base if named or parameters else None)


def render_requests(base: Source | None, requests: list[RenderRequest], settings: Settings) -> RenderResult:
    """The shares on their workload, or a single one on a probe Pod."""
    return render_on(base, requests, settings) if base else render_probe(requests[0], settings)


def workloads(
    documents: ShareDocuments, workload: str | None, container: str | None, *, allow_outside: bool
) -> Iterator[tuple[Source | None, list[RenderRequest]]]:
    """Shares with the workload they are put on. Those of one workload file go on it together.

    ``allow_outside``: what a document names may stand outside of the document's folder. Raises UserError.
    """
    groups: dict[str, tuple[Source, list[RenderRequest]]] = {}
    for spec_input, document, share in documents.shares:
        file, name = workload, container
        if workload is None and share.workload:
            path = workload_file(spec_input, share.workload, allow_outside=allow_outside)
            file, name = str(path), share.workload.container
            if path is None:
                raise UserError(
                    msg(
                        "{file} is outside of the folder of {name}, which names it in spec.workload.file",
                        file=folder_of(spec_input) / share.workload.file,
                        name=spec_input.name,
                    ),
                    "put it into that folder, or pass --allow-outside",
                    Exit.INPUT,
                )
        request = RenderRequest(share, document, name)
        if file is None:
            yield None, [request]
            continue
        if file not in groups:
            source = _workload(file, document if workload is None else None)
            documents.sources.add(source)
            groups[file] = (source, [])
        groups[file][1].append(request)
    yield from groups.values()


def folder_of(spec_input: Input) -> Path:
    """The folder from which the paths in a document count."""
    return Path(spec_input.path).parent if spec_input.path else Path()


def workload_file(spec_input: Input, workload: Workload, *, allow_outside: bool) -> Path | None:
    """The file that a document names; None where it is outside of its folder, and may not be."""
    folder = folder_of(spec_input)
    file = folder / workload.file
    return file if allow_outside or is_inside(file, folder) else None


def _workload(file: str, named_by: Document | None) -> Source:
    """The manifest that shares are put on; ``named_by``: the document that names it, if one does."""
    try:
        return Input(file, Path(file), named=named_by is None).source()
    except InputError as error:
        hint = "--workload names it"
        if named_by:
            hint = msg("{name} names it in spec.workload.file", name=named_by.source.name)
        raise UserError(message_of(error), hint, Exit.INPUT) from None


def _write(rendered: list[tuple[Backend, RenderResult]], output_dir: str | None, *, as_json: bool) -> None:
    manifests = [result.text for backend, result in rendered if backend.writes_pods]
    if as_json and manifests and output_dir is None:
        printing.data_out(outputs.as_json(manifests))
        return
    if as_json:  # parameters are JSON already
        rendered = [
            (backend, result if not backend.writes_pods else _json(result)) for backend, result in rendered
        ]
    if output_dir is None:
        printing.documents_out([join_documents([result.text for _, result in rendered]).encode()])
        return
    files = {}
    for backend, result in rendered:
        path = outputs.output_path(output_dir, backend.name, result.name + result.suffix)
        if path in files:
            raise UserError(
                msg("two documents would be written to {path}", path=path), "give them names of their own"
            )
        files[path] = result.text.encode()
    outputs.write_files(files)


def _json(result: RenderResult) -> RenderResult:
    return replace(result, text=outputs.as_json([result.text]), suffix=".json")


def join_documents(texts: list[str]) -> str:
    """Several documents as one stream."""
    ended = [text if text.endswith("\n") else text + "\n" for text in texts]
    return (
        "".join(text if n == 0 or text.startswith("---") else "---\n" + text for n, text in enumerate(ended))
        if len(texts) != 1
        else texts[0]
    )
