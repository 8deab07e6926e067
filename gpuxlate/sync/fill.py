"""What the folders of the targets are to hold: the source translated, with its shares written into it."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence

from gpuxlate.claims.documents import applied
from gpuxlate.config.document import KIND, ShareDocument, is_share_document
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

Each = Callable[[Sequence[Input], Sequence[Settings]], list[Result]]
"""Translates files for several targets, each read once."""


def fill(tree: SourceTree, targets: Sequence[TargetTree], each: Each, watched: Watched = iter) -> None:
    """Make what the folders of the targets are to hold, or the findings that refuse it."""
    stale = {one.path for target in targets for one in target.stale(tree.files)}
    if any(target.settings.to.device_classes for target in targets) and stale:
        stale |= {one.path for one in tree.files}
    elif stale & tree.together:
        stale |= tree.together
    active = [one for one in targets if stale]
    given = [one for one in tree.files if one.path in stale and one.is_translated]
    readable, broken = _readable(given)
    inputs = [Input(one.place, one.place, named=False) for one in readable]
    runs = each(inputs, [one.settings for one in active]) if inputs else [Result() for _ in active]
    by_place = {one.place: one for one in readable}
    for file in runs[0].files if runs else ():
        by_place[file.name].check(file.old)
    for target, run in zip(active, runs, strict=True):
        target.result = run
        run.diagnostics += broken
    for target in targets:
        target.result.diagnostics += tree.problems
        target.result.sources += tree.sources
        made = {one.name: one for one in target.result.files}
        errors = {one.file for one in target.result.diagnostics if one.severity is Severity.ERROR}
        for one in watched(tree.files):
            if one.place not in errors:
                _want(tree, target, one, made.get(one.place), stale=one.path in stale)
        target.refused = any(one.severity is Severity.ERROR for one in target.result.diagnostics)


def _readable(given: Sequence[TreeFile]) -> tuple[list[TreeFile], list[Diagnostic]]:
    """Those that are UTF-8, and an error for each other one that may hold a key."""
    found: list[TreeFile] = []
    broken: list[Diagnostic] = []
    for one in given:
        data = one.check(file_bytes(one.place))
        try:
            Source.from_bytes(one.place, data)
        except DecodeError as error:
            if might_have_gpu_keys(data):
                broken.append(
                    Diagnostic("GX001", Severity.ERROR, str(error), "save it as UTF-8", file=one.place)
                )
            continue
        found.append(one)
    return found, broken


def _want(tree: SourceTree, target: TargetTree, one: TreeFile, made: File | None, *, stale: bool) -> None:
    if not stale:
        if one.path in target.lock.files:
            target.wanted[one.path] = WantedFile(one, None)
        return
    if one.link is not None:
        target.wanted[one.path] = WantedFile(one, os.fsencode(one.link))
        return
    data = one.check(file_bytes(one.place)) if made is None else made.new
    wanted = WantedFile(one, data, (made.splices if made else (), (), ()))
    asked = tree.shares.get(one.path, ())
    if asked or (one.is_translated and KIND.encode() in data):
        with_shares = _with_shares(target, wanted, data, asked)
        if with_shares is None:
            return
        wanted = with_shares
    target.wanted[one.path] = wanted


def _with_shares(
    target: TargetTree, wanted: WantedFile, data: bytes, asked: Sequence[tuple[Document, ShareDocument]]
) -> WantedFile | None:
    """A translated file with the shares that are for it, and without GPUShare documents; None where nothing
    is left of it."""
    source = Source.from_bytes(wanted.source.place, data)
    try:
        found = [each for each in documents(source) if each.root is not None]
    except NotYamlError:
        return wanted
    gone = [each for each in found if is_share_document(each)]
    if gone and len(gone) == len(found) and not asked:
        return None
    translated, left_out = wanted.steps[0], [Splice(each.start, each.end, "") for each in gone]
    written: Sequence[Splice] = ()
    if gone:
        source = source.changed(applied(source, [], left_out))
    if asked:
        requests = [
            RenderRequest(share, document, share.workload.container if share.workload else None)
            for document, share in asked
        ]
        made = render_on(source, requests, target.settings)
        target.result.items += made.items
        target.result.diagnostics += made.diagnostics
        target.result.judged += made.judged
        target.result.sources.append(source)
        source, written = source.changed(made.text), made.splices
    return WantedFile(wanted.source, source.encode(source.text), (translated, left_out, written))
