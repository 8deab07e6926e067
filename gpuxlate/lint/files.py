"""Check the text of one file, by its role: manifests, values of a chart, a patch, or parameters."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from gpuxlate.files.find import Input, InputError, document_reader, is_blank, under_chart_templates
from gpuxlate.files.relevance import might_have_gpu_keys, only_relevant
from gpuxlate.lint.settings import LintResult, LintSettings
from gpuxlate.model.diagnostics import Diagnostic, FindingSubject
from gpuxlate.model.messages import msg
from gpuxlate.yamltext.parse import DocumentReader, NotYamlError, documents
from gpuxlate.yamltext.source import Source

if TYPE_CHECKING:
    from gpuxlate.lint.add_ignores import RefusedIgnore
    from gpuxlate.model.profile import Profile
    from gpuxlate.yamltext.splices import Splice

MAY_BE_EMPTY = "nothing was checked; if that is intended, pass --allow-empty"


class Mode(NamedTuple):
    """What to do with each input in addition to checking it.

    ``reason``: the reason of the ignores to add; None: add none. ``to_fix``: filters the findings to fix.
    """

    fix: bool = False
    unsafe: bool = False
    allow_empty: bool = False
    reason: str | None = None
    to_fix: Callable[[Iterable[Diagnostic]], Iterable[Diagnostic]] = iter

    @property
    def writes(self) -> bool:
        """Whether inputs may change: by fixes, or by the ignores that are added."""
        return self.fix or self.reason is not None


class CheckedFile(NamedTuple):
    """One input: its findings and its text, and if it may change, its old and new bytes.

    ``changes``: the number of findings that were fixed or got an ignore. ``refused``: findings that got no
    ignore.
    """

    linted: LintResult
    source: Source | None = None
    changes: int = 0
    old: bytes = b""
    new: bytes = b""
    refused: Sequence[RefusedIgnore] = ()
    dialects: tuple[str, ...] = ()


def check(
    file: Input, data: bytes, settings: LintSettings, mode: Mode, manifests: DocumentReader = documents
) -> CheckedFile:
    """Check the text of an input, and apply its fixes. Raises InputError.

    ``manifests``: what reads its documents where it holds no parameters.
    """
    if under_chart_templates(file.place, os.getcwd()):
        from gpuxlate.rules.source import HELM_TEMPLATE, chart_template_finding

        finding = chart_template_finding(file.name)
        linted = LintResult(
            diagnostics=[finding] if settings.selected(finding.code) else [], skipped=HELM_TEMPLATE
        )
        linted.excuse(settings.excused)
        return CheckedFile(linted)
    may_be_empty = not file.named or mode.allow_empty
    names = settings.changed_values
    has_no_word = settings.role.can_skip and not might_have_gpu_keys(data, settings.profile, names)
    if may_be_empty and has_no_word:
        if not data.isascii():
            file.source(data)  # only to see that it is UTF-8
        return CheckedFile(LintResult(), old=data, new=data)
    source = file.source(data)
    if not may_be_empty and is_blank(data):
        raise InputError(msg("{name}: it is empty", name=file.name), MAY_BE_EMPTY)
    read = document_reader(file, source)
    if has_no_word and read is documents and (count := _all_documents(source)) is not None:
        return CheckedFile(LintResult(count), old=data, new=data)
    if settings.role.can_skip and not has_no_word and read is documents:
        source = only_relevant(source, settings.profile, names=names)
    if read is not documents or not mode.writes:  # findings in parameters have no fix
        from gpuxlate.lint.check import lint_source

        linted = lint_source(source, settings, manifests if read is documents else read)
        refused: Sequence[RefusedIgnore] = ()
        if mode.reason is not None:
            from gpuxlate.lint.add_ignores import IN_PARAMETERS, not_ignored

            refused = not_ignored(linted.diagnostics, IN_PARAMETERS)
        return CheckedFile(linted, source if linted.diagnostics else None, 0, data, data, refused)
    if mode.reason is not None:
        from gpuxlate.lint.add_ignores import add_ignores

        ignored = add_ignores(source, settings, mode.reason)
        new = source.encode(ignored.source.text)
        return CheckedFile(ignored.linted, ignored.source, ignored.count, data, new, ignored.refused)
    from gpuxlate.lint.fix import fix_source

    fixed = fix_source(source, settings, unsafe=mode.unsafe, to_fix=mode.to_fix)
    return CheckedFile(fixed.linted, fixed.source, fixed.fixes, data, source.encode(fixed.text))


def _all_documents(source: Source) -> int | None:
    """How many documents a text has; None where it has a mistake as YAML, or may be a template."""
    if "{{" in source.text:
        return None
    with suppress(NotYamlError):
        return sum(1 for _ in documents(source))
    return None


def dialects_in(file: Input, data: bytes, profile: Profile | None) -> tuple[str, ...]:
    """The dialects in which the pods and jobs of an input ask for GPUs. Raises InputError."""
    from gpuxlate.backends import job_targets, registry
    from gpuxlate.manifest.jobs import jobs_in
    from gpuxlate.manifest.pods import pods_in

    names: set[str] = set()
    source = only_relevant(file.source(data), profile)
    with suppress(NotYamlError):  # which is a finding
        for document in document_reader(file, source)(source) if might_have_gpu_keys(data, profile) else ():
            names.update(job.target for job in jobs_in(document, job_targets.rows_of(document)))
            pods = () if document.job else pods_in(document)
            names.update(backend.name for pod in pods for backend in registry.backends_of(pod.keys))
    return tuple(sorted(names))


def each_change(source: Source, findings: Iterable[Diagnostic]) -> dict[FindingSubject, list[Splice]]:
    """The changes of the text that each fix makes on its own, by its finding.

    Only of fixes that can be applied. The documents are read again.
    """
    from gpuxlate.lint.batch import each_alone

    by_document: dict[int, list[Diagnostic]] = {}
    for finding in findings:
        if finding.fix is not None:
            by_document.setdefault(finding.document or 0, []).append(finding)
    changes: dict[FindingSubject, list[Splice]] = {}
    with suppress(NotYamlError):  # the text before a syntax error can be fixed
        for document in documents(source) if by_document else ():
            if document.index in by_document:
                changes |= each_alone(document, by_document[document.index])
    return changes
