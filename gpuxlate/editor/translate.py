"""A translation of an open text, as an edit with a preview."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from lsprotocol import types

from gpuxlate.editor.checks import Check
from gpuxlate.inputs.files import reader
from gpuxlate.model.diagnostics import Diagnostic, Severity
from gpuxlate.model.messages import plural
from gpuxlate.report.lines import unified
from gpuxlate.translation.translate import Translation, translate_source
from gpuxlate.yamltext.compose import documents

MOST_LINES = 12
"""Findings that one message lists."""
ANNOTATION = "gpuxlate"


@dataclass(frozen=True)
class Translated:
    """A text and its translation to a target."""

    check: Check
    target: str
    made: Translation

    @classmethod
    def of(cls, check: Check, target: str) -> Translated:
        """Translate a text as ``gpuxlate translate`` does.

        Raises ValueError where the text cannot be translated at all, UnknownTargetError, ReadOnlyTargetError.
        """
        if check.here is None or check.problem:
            raise ValueError(check.problem or "the text is not checked")
        text = check.text
        settings = check.here.to(target)
        if settings.to.form_module:
            raise ValueError(f"{settings.to.name} is not for manifests: gpuxlate render writes it")
        if reader(text.input, text.source) is not documents:
            raise ValueError("parameters of a job are not translated: gpuxlate parse reads their share")
        return cls(check, target, translate_source(text.source, settings, layer=check.here.lint.layer))

    @property
    def summary(self) -> str:
        """The counts: ``2 shares: 1 exact, 1 rounded``."""
        counts = Counter(str(one.verdict) for one in self.made.items)
        said = ", ".join(f"{count} {verdict}" for verdict, count in counts.items())
        return (
            f"{plural(len(self.made.items), '{count} share', '{count} shares')}{f': {said}' if said else ''}"
        )

    def listed(self, *severities: Severity) -> str:
        """The findings of the translation, a line each."""
        found = [one for one in self.made.diagnostics if one.severity in severities]
        lines = [_line(one) for one in found[:MOST_LINES]]
        more = [f"and {len(found) - MOST_LINES} more"] if len(found) > MOST_LINES else []
        return "\n".join([*lines, *more])

    @property
    def diff(self) -> str:
        """What would change; empty where it is refused."""
        return unified(self.made.source.text, self.made.text, self.check.text.input.name.lstrip("/"))

    def edit(self, capabilities: types.ClientCapabilities) -> types.WorkspaceEdit:
        """The change of the text, for an editor to confirm where it can."""
        text = self.check.text
        edits = text.edits_to(self.made.text)
        workspace = capabilities.workspace.workspace_edit if capabilities.workspace else None
        if workspace is None or not workspace.document_changes:
            return types.WorkspaceEdit({text.uri: edits})
        noted: Sequence[Any] = edits
        notes = None
        if workspace.change_annotation_support is not None:
            noted = [types.AnnotatedTextEdit(ANNOTATION, one.range, one.new_text) for one in edits]
            label = f"Translate to {self.target}"
            notes = {ANNOTATION: types.ChangeAnnotation(label, True, self.summary)}
        document = types.OptionalVersionedTextDocumentIdentifier(text.uri, text.version)
        return types.WorkspaceEdit(
            document_changes=[types.TextDocumentEdit(document, noted)], change_annotations=notes
        )

    def to_json(self) -> dict[str, Any]:
        """What the command returns, for editors with a preview of their own."""
        return {
            "target": self.target,
            "refused": self.made.refused,
            "summary": self.summary,
            "diff": self.diff,
            "items": [one.to_json() for one in self.made.items],
        }


def confirms(capabilities: types.ClientCapabilities) -> bool:
    """The editor shows a change and asks before it is made."""
    edit = capabilities.workspace.workspace_edit if capabilities.workspace else None
    return bool(edit and edit.document_changes and edit.change_annotation_support is not None)


def _line(one: Diagnostic) -> str:
    where = f"line {one.span.line}: " if one.span else ""
    return f"{where}{one.code} {one.message}{f' ({one.hint})' if one.hint else ''}"
