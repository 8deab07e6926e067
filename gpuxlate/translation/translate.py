"""Translate documents from one dialect to another: read, fit, write, edit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from gpuxlate.backends.base import Backend
from gpuxlate.manifest.claims import MARK
from gpuxlate.manifest.passes import Pass
from gpuxlate.manifest.pods import Pod
from gpuxlate.model.diagnostics import Diagnostic, Edit
from gpuxlate.model.messages import msg
from gpuxlate.model.pod import PodKeys
from gpuxlate.overlays.roles import MANIFESTS, FileRole
from gpuxlate.rules.base import Context
from gpuxlate.rules.keys import key_is_known, key_is_where_it_takes_effect
from gpuxlate.rules.translation import share_is_expressible, text_is_editable
from gpuxlate.translation.fit import fit_pod
from gpuxlate.translation.leftovers import IN_MANIFESTS, IN_PATCHES, IN_VALUES
from gpuxlate.translation.obstacles import disagreements
from gpuxlate.translation.options import Settings
from gpuxlate.translation.passes import State, Task, run_source
from gpuxlate.translation.pod import PARSE_FIRST, translate_pod
from gpuxlate.translation.read import (
    LEFT_TEMPLATES,
    find_amounts,
    first_half,
    of_jobs,
    of_quotas,
    pods_to_read,
    requested_jobs,
)
from gpuxlate.translation.results import Result
from gpuxlate.translation.shares import dialects_of, shares_of
from gpuxlate.translation.stale_comments import stale_comments
from gpuxlate.yamltext.edit import edit_document
from gpuxlate.yamltext.nodes import AnchorIndex
from gpuxlate.yamltext.parse import Document, DocumentReader, documents, with_location
from gpuxlate.yamltext.plan import EditError
from gpuxlate.yamltext.source import Source
from gpuxlate.yamltext.splices import Splice, apply

if TYPE_CHECKING:
    from gpuxlate.overlays.inline import InlinePatch
    from gpuxlate.translation.claims import Changes


def translate_source(
    source: Source,
    settings: Settings,
    read: DocumentReader = documents,
    role: FileRole = MANIFESTS,
) -> Result:
    """Translate every document of a source. Errors are in the result; nothing is raised for content.

    ``read`` reads its documents, ``role`` says what they are beside other files.
    """
    return run_source(source, settings, TRANSLATE, read, role)


# --- pods -----------------------------------------------------------------------------------------
def translate_pods(state: State, *, at_target: bool = False) -> None:
    """Translate the shares of pods. ``at_target``: also those of pods that have keys of the target alone."""
    document, settings = state.document, state.settings
    for run, sources in pods_to_read(state):
        pod = run.pod
        if not sources:
            mistakes = _mistaken_resources(pod.keys, settings.context)
            without_fixes = (finding.located(fix=None) for finding in mistakes)
            state.diagnostics += [with_location(document, finding, pod.object) for finding in without_fixes]
        if sources and (at_target or sources != (settings.to,)):
            run.dialects = sources
            translate_pod(state, run, sources)
        elif sources:
            run.new_keys = pod.keys
            state.pods_already_at_target += 1


def _translate_parts(state: State) -> None:
    """Translate overlays with the pods of other files that they change."""
    from gpuxlate.translation.overlays import translate_operations, translate_part

    for run in state.runs:
        if run.has_bases:
            translate_part(state, run)
    for operations in state.operations:
        translate_operations(state, operations)


def _mistaken_resources(keys: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """Findings about a pod without a share of any dialect: misspelt keys, and resources that only a scheduler
    writes."""
    yield from key_is_known(keys, context)
    containers = keys.all_containers()
    resources = {value.path for container in containers for value in container.resources.values()}
    findings = key_is_where_it_takes_effect(keys, context)
    yield from (finding for finding in findings if finding.path in resources)


def _write_at_anchors(state: State) -> None:
    """Repeat edits at an anchor outside of any part of the values, where several parts use it."""
    if state.document.aliases:
        state.edits += _of_anchors(state.document, state.edits, state.pods)


def _of_anchors(document: Document, edits: Sequence[Edit], pods: Sequence[Pod]) -> Iterator[Edit]:
    homes, edited = AnchorIndex(document.root), {edit.path for edit in edits}
    read = {path for pod in pods for path in ((*pod.keys.path, pod.resources_key), *pod.siblings)}
    for edit in edits:
        home = homes.of(edit.path)
        if home not in edited and not any(home[: len(path)] == path for path in read):
            edited.add(home)
            yield replace(edit, path=home)


def _compare_shared(state: State) -> None:
    """Report pods that share labels and annotations and need different ones."""
    findings = disagreements(state.written_together)
    state.diagnostics += [with_location(state.document, finding, pod.object) for pod, finding in findings]


# --- patches in a kustomization -------------------------------------------------------------------
def _translate_inline(state: State) -> None:
    """Translate the patches that are written in a kustomization: each is read and written as its own text."""
    role, document = state.role, state.document
    for patch, patch_role in role.inline(document) if role.inline else ():
        patch_role = patch_role._replace(part_of_build=role.part_of_build, in_folder=role.in_folder)
        result = run_source(patch.source, state.settings, state.task, role=patch_role)
        state.handled.add(patch.path)
        state.diagnostics += map(patch.locate, result.diagnostics)
        state.leftovers += (
            replace(leftover, diagnostic=patch.locate(leftover.diagnostic)) for leftover in result.leftovers
        )
        state.judged += result.judged
        state.new_template_names += result.new_template_names
        if result.changed:
            _write_inline(state, patch, result)


def _write_inline(state: State, patch: InlinePatch, result: Result) -> None:
    old = patch.value.text
    same = apply(old, result.splices) == result.text
    try:
        state.splices += patch.changed(
            result.text, result.splices if same else [Splice(0, len(old), result.text)]
        )
    except EditError as error:
        finding = text_is_editable(error.path, error.message)
        state.diagnostics.append(with_location(state.document, finding))


# --- jobs -----------------------------------------------------------------------------------------
def _refuse_jobs(state: State) -> None:
    """Read the shares of jobs, and refuse them: one error is enough."""
    settings = state.settings
    for pod, backend, path in requested_jobs(state):
        readings, containers, _, broken = shares_of(pod.keys, (backend,), settings)
        fit = fit_pod(containers, settings.to, settings.accept, settings.profile)
        message = msg("the share of {backend} is in a job file, not in a pod", backend=backend.name)
        refusal = share_is_expressible(path, message, PARSE_FIRST)
        state.add_shares(pod, readings, fit, [refusal], broken=broken)


# --- the text -------------------------------------------------------------------------------------
def _change_templates(state: State) -> None:
    """Add and remove the templates of claims beside the pods of a document."""
    from gpuxlate.translation.claims import template_changes

    if not state.refused:
        scope, read = state.settings.scope, partial(_replaced_dialects, settings=state.settings)
        _add_changes(state, template_changes(state.document, state.new_objects, state.claims, read, scope))


def _follow_renames(state: State) -> None:
    """Report a kustomization that renames a template which the pods of its objects name."""
    from gpuxlate.translation.claims import rename_breaks_reference

    if state.role.renamed and state.settings.to.device_classes and not state.refused:
        read = partial(_replaced_dialects, settings=state.settings)
        pods = state.role.renamed(state.document)
        state.diagnostics += rename_breaks_reference(state.document, pods, read)


def _change_patches(state: State) -> None:
    """Add and remove the patches of templates of claims."""
    from gpuxlate.translation.overlays import patch_changes

    if not state.refused:
        _add_changes(state, patch_changes(state))


def _replaced_dialects(keys: PodKeys, settings: Settings) -> tuple[Backend, ...]:
    """The dialects in which a pod is read; none where it has keys of the target alone."""
    dialects = dialects_of(keys, settings)
    return () if dialects == (settings.to,) else dialects


def _add_changes(state: State, new: Changes) -> None:
    state.edits += new.edits
    state.document_splices += new.splices
    state.diagnostics += new.findings
    state.new_template_names += new.named
    state.leave(new.leftovers)


def _find_stale_comments(state: State) -> None:
    """Report comments that name the unit of a number which gets another unit."""
    if state.edits and not state.refused:
        findings = stale_comments(state.document, state.edits, state.settings.context)
        state.diagnostics += [with_location(state.document, finding) for finding in findings]


def _edit(state: State) -> None:
    """Turn the edits of a document into splices of its text."""
    if state.refused:
        return
    try:
        state.splices += edit_document(state.document, state.edits, state.kept)
    except EditError as error:
        finding = (
            text_is_editable(error.path, error.message, error.code, "write the keys out for each container")
            if error.code  # GX005: the text is shared by an anchor
            else text_is_editable(error.path, error.message)
        )
        state.diagnostics.append(with_location(state.document, finding))


SHARES_PASS = Pass("shares", translate_pods, needs=lambda state: state.runs)
_PARTS = Pass("parts", _translate_parts, needs=lambda state: state.runs or state.operations)
_INLINE = Pass("patches in a kustomization", _translate_inline, needs=lambda state: state.role.inline)
_ANCHORS = Pass("anchors of values", _write_at_anchors, needs=lambda state: state.edits)
_METADATA = Pass("shared metadata", _compare_shared, needs=lambda state: state.written_together)
_JOBS, _QUOTAS = of_jobs(_refuse_jobs), of_quotas(partial(find_amounts, writes=True))
_TEMPLATES = Pass("templates of claims", _change_templates, lambda: (MARK,), lambda state: state.new_objects)
_RENAMES = Pass("renamed templates of claims", _follow_renames, needs=lambda state: state.role.renamed)
_PATCHES = Pass(
    "patches of templates of claims", _change_patches, lambda: (MARK,), lambda state: state.patches
)
_TEXT = (
    Pass("comments", _find_stale_comments, lambda: ("#",)),
    Pass("edits", _edit, needs=lambda state: state.edits),
)


def _at_target(shares: Pass[State], command: str = "") -> Task:
    """The first half, with the shares of a target."""
    return Task(
        manifests=first_half(IN_MANIFESTS, (shares, _METADATA, _INLINE), (_JOBS, _QUOTAS)),
        values=first_half(IN_VALUES, (shares, _PARTS, _ANCHORS, _METADATA)),
        patch=first_half(IN_PATCHES, (shares, _PARTS, _METADATA)),
        command=command,
    )


PLAN = _at_target(SHARES_PASS._replace(run=partial(translate_pods, at_target=True)), "plan - --to {target}")
"""The task of ``plan``: the shares at the target, also those that have its keys already."""
_FIRST_HALF = _at_target(SHARES_PASS)
TRANSLATE = _FIRST_HALF._replace(
    manifests=(*_FIRST_HALF.manifests, _TEMPLATES, _RENAMES, LEFT_TEMPLATES, *_TEXT),
    values=(*_FIRST_HALF.values, _TEMPLATES, LEFT_TEMPLATES, *_TEXT),
    patch=(*_FIRST_HALF.patch, _PATCHES, *_TEXT),
)
"""The task that translates: the first half, and the passes that write."""
ASSESS = TRANSLATE._replace(command="assess - --to {target}")
"""The task of ``assess``: the same passes, whose text nobody writes."""
