"""What is known of an open text: its findings, and the changes that fix them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from lsprotocol import types

from gpuxlate.editor.settings import NAME, Here, Options, settings_for
from gpuxlate.editor.texts import MAX_TEXT, Text
from gpuxlate.inputs.files import InputError, is_blank
from gpuxlate.lint.check import Linted
from gpuxlate.lint.files import Mode, check, each_change
from gpuxlate.locale import tell
from gpuxlate.model.diagnostics import URL, Diagnostic, Severity
from gpuxlate.model.messages import message_of, say, titled
from gpuxlate.yamltext.writer import Splice

MOST_SHOWN = 1000
"""Findings of one text that are sent; the rest appears when these are fixed."""
SEVERITIES = {
    Severity.ERROR: types.DiagnosticSeverity.Error,
    Severity.WARNING: types.DiagnosticSeverity.Warning,
    Severity.INFO: types.DiagnosticSeverity.Information,
}


def with_hint(error: Exception) -> str:
    """The message of an error, with what to do."""
    hint, message = getattr(error, "hint", None), message_of(error)
    return say("{message}; {hint}", message=message, hint=hint) if hint else message


@dataclass(frozen=True)
class Check:
    """A text and what was found in it. ``problem``: why it was not checked; ``here`` is None without one."""

    text: Text
    here: Here | None = None
    linted: Linted | None = None
    problem: str | None = None

    @classmethod
    def of(cls, text: Text, options: Options) -> Check:
        """Check a text, whatever it is."""
        if text.too_large:
            size = MAX_TEXT // 2**20
            return cls(
                text,
                problem=say("larger than {size} MiB: gpuxlate lint checks it, not the editor", size=size),
            )
        try:
            here = settings_for(text.path, options)
        except (ValueError, LookupError) as error:  # of the configuration, a profile or a name in them
            return cls(text, problem=with_hint(error))
        if here.excluded:
            return cls(text, here)
        try:
            checked = check(text.input, text.data, here.lint, Mode())
        except InputError as error:  # a new file is empty for a while
            return cls(text, here, problem=None if is_blank(text.data) else message_of(error))
        return cls(text, here, checked.linted)

    @property
    def findings(self) -> list[Diagnostic]:
        return self.linted.diagnostics if self.linted else []

    @property
    def shares(self) -> int:
        return self.linted.shares if self.linted else 0

    @cached_property
    def pairs(self) -> list[tuple[Diagnostic, types.Diagnostic]]:
        """The findings, and each as the editor shows it."""
        return [(one, self._shown(one)) for one in self.findings[:MOST_SHOWN]]

    @cached_property
    def shown(self) -> list[types.Diagnostic]:
        """What the editor shows."""
        found = [shown for _, shown in self.pairs]
        problem = self.problem
        if len(self.findings) > MOST_SHOWN:
            more = len(self.findings) - MOST_SHOWN
            problem = say("{count} more findings: gpuxlate lint shows them all", count=more)
        if problem:
            place = self.text.range_of(None)
            found.insert(
                0, types.Diagnostic(place, tell(problem), types.DiagnosticSeverity.Warning, source=NAME)
            )
        return found

    def _shown(self, one: Diagnostic) -> types.Diagnostic:
        return types.Diagnostic(
            self.text.range_of(one.span),
            tell(say("{message}\n{help}", message=one.message, help=titled("help", one.hint)))
            if one.hint
            else tell(one.message),
            SEVERITIES[one.severity],
            one.code,
            types.CodeDescription(one.url) if one.url.startswith(URL) else None,
            NAME,
        )

    @cached_property
    def changes(self) -> dict[int, list[Splice]]:
        """The changes of each fix on its own, by the id of its finding."""
        return each_change(self.text.source, self.findings)

    def fixed(self) -> str:
        """The text after all safe fixes."""
        assert self.here is not None
        checked = check(self.text.input, self.text.data, self.here.lint, Mode(fix=True))
        return checked.new.decode("utf-8", "surrogatepass").removeprefix(self.text.source.bom)

    @cached_property
    def safe_edits(self) -> list[types.TextEdit]:
        """The edits of all safe fixes together; none where there is nothing to fix."""
        if not any(one.fix and one.fix.safe for one in self.findings):
            return []
        return self.text.edits_to(self.fixed())
