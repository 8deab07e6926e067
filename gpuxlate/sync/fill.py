"""What the folders of the targets are to hold: the source translated, with its shares written into it."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence

from gpuxlate.claims.documents import apply_splices
from gpuxlate.config.document import GPU_SHARE, ShareDocument, is_share_document
from gpuxlate.files.find import Input
from gpuxlate.files.relevance import might_have_gpu_keys
from gpuxlate.model.diagnostics import Diagnostic, Severity
from gpuxlate.sync.files import TreeFile, file_bytes
from gpuxlate.sync.source import SourceTree
from gpuxlate.sync.target import TargetTree, WantedFile, Watched
from gpuxlate.translation.options import Settings
from gpuxlate.translation.render import RenderRequest, render_on
from gpuxlate.translation.results import File, Result
from gpuxlate.yamltext.parse import Document, NotYamlError, documents
from gpuxlate.yamltext.source import DecodeError, Source
from gpuxlate.yamltext.splices import Splice

EachSource = Callable[[Sequence[Input], Sequence[Settings]], list[Result]]
"""Translates files for several targets, each read once."""


def fill_trees(
    tree: SourceTree, targets: Sequence[TargetTree], each: EachSource, watched: Watched = iter
) -> None:
    """Set what the folders of the targets are to hold, or the findings for which a target is refused."""
    stale = {file.path for target in targets for file in target.stale(tree.files)}
    if any(target.settings.to.device_classes for target in targets) and stale:
        stale |= {file.path for file in tree.files}
    elif stale & tree.together:
        stale |= tree.together
    active = [target for target in targets if stale]
    files = [file for file in tree.files if file.path in stale and file.is_translated]
    readable, broken = _readable(files)
    inputs = [Input(file.place, file.place, named=False) for file in readable]
    runs = each(inputs, [target.settings for target in active]) if inputs else [Result() for _ in active]
    by_place = {file.place: file for file in readable}
    for file in runs[0].files if runs else ():
        by_place[file.name].check(file.old)
    for target, run in zip(active, runs, strict=True):
        target.result = run
        run.diagnostics += broken
    for target in targets:
        target.result.diagnostics += tree.problems
        target.result.sources += tree.sources
        by_name = {file.name: file for file in target.result.files}
        errors = {finding.file for finding in target.result.diagnostics if finding.severity is Severity.ERROR}
        for path in watched(tree.files):
            if path.place not in errors:
                _want(tree, target, path, by_name.get(path.place), stale=path.path in stale)
        target.refused = any(finding.severity is Severity.ERROR for finding in target.result.diagnostics)


def _readable(files: Sequence[TreeFile]) -> tuple[list[TreeFile], list[Diagnostic]]:
    """The files that are UTF-8, and an error for each other file that may hold a key."""
    readable: list[TreeFile] = []
    broken: list[Diagnostic] = []
    for file in files:
        data = file.check(file_bytes(file.place))
        try:
            Source.from_bytes(file.place, data)
        except DecodeError as error:
            if might_have_gpu_keys(data):
                broken.append(
                    Diagnostic("GX001", Severity.ERROR, str(error), "save it as UTF-8", file=file.place)
                )
            continue
        readable.append(file)
    return readable, broken


def _want(
    tree: SourceTree, target: TargetTree, file: TreeFile, translated: File | None, *, stale: bool
) -> None:
    if not stale:
        if file.path in target.lock.files:
            target.new_files[file.path] = WantedFile(file, None)
        return
    if file.link is not None:
        target.new_files[file.path] = WantedFile(file, os.fsencode(file.link))
        return
    data = file.check(file_bytes(file.place)) if translated is None else translated.new
    wanted_file = WantedFile(file, data, (translated.splices if translated else (), (), ()))
    shares = tree.shares.get(file.path, ())
    if shares or (file.is_translated and GPU_SHARE.encode() in data):
        with_shares = _with_shares(target, wanted_file, data, shares)
        if with_shares is None:
            return
        wanted_file = with_shares
    target.new_files[file.path] = wanted_file


def _with_shares(
    target: TargetTree, file: WantedFile, data: bytes, shares: Sequence[tuple[Document, ShareDocument]]
) -> WantedFile | None:
    """A translated file with the shares that are for it, and without GPUShare documents; None where nothing
    is left of it."""
    source = Source.from_bytes(file.source.place, data)
    try:
        filled = [document for document in documents(source) if document.root is not None]
    except NotYamlError:
        return file
    gone = [document for document in filled if is_share_document(document)]
    if gone and len(gone) == len(filled) and not shares:
        return None
    translated, left_out = file.steps[0], [Splice(document.start, document.end, "") for document in gone]
    written: Sequence[Splice] = ()
    if gone:
        source = source.changed(apply_splices(source, [], left_out))
    if shares:
        requests = [
            RenderRequest(share, document, share.workload.container if share.workload else None)
            for document, share in shares
        ]
        result = render_on(source, requests, target.settings)
        target.result.items += result.items
        target.result.diagnostics += result.diagnostics
        target.result.judged += result.judged
        target.result.sources.append(source)
        source, written = source.changed(result.text), result.splices
    return WantedFile(file.source, source.encode(source.text), (translated, left_out, written))
