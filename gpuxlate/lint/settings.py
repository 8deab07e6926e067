"""The settings for checking a text, and its result; without the rules, which most texts do not need."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

from gpuxlate.files.read import StrPath, read_content
from gpuxlate.model.declarations import regex
from gpuxlate.model.diagnostics import Diagnostic, Severity
from gpuxlate.overlays.roles import MANIFESTS, FileRole, role_of
from gpuxlate.overlays.run_claims import ClaimLookup, Claims
from gpuxlate.yamltext.parse import InChunks, documents, with_location
from gpuxlate.yamltext.source import Source

if TYPE_CHECKING:
    from gpuxlate.config.configuration import Config
    from gpuxlate.model.profile import Profile
    from gpuxlate.rules.base import Context


def everything(_code: str) -> bool:
    """All rules are selected."""
    return True


def nothing(_code: str) -> bool:
    """No rule is ignored by the configuration."""
    return False


class LintSettings(NamedTuple):
    """``selected``: whether a code is checked; ``excused``: whether the configuration ignores it here.

    ``role``: the role of the source among other files. ``claims``: the claims in the files of the run.
    ``in_chunks``: reads a large source in parts; None: as a whole. ``before``: the profile before an upgrade.
    """

    profile: Profile | None = None
    selected: Callable[[str], bool] = everything
    excused: Callable[[str], bool] = nothing
    role: FileRole = MANIFESTS
    claims: Claims | None = None
    in_chunks: InChunks | None = None
    before: Profile | None = None

    def claims_beside(self, source: Source) -> ClaimLookup:
        """The claims that the pods of a source can use: of the run, or of the source alone."""
        return (self.claims or Claims()).beside(source)

    @property
    def changed_values(self) -> tuple[str, ...]:
        """The values of charts that an upgrade changes: words by which a file is relevant."""
        if self.before is None or self.profile is None:
            return ()
        from gpuxlate.lint.upgrade import chart_findings

        changes = chart_findings(self.before, self.profile)
        return tuple(sorted({change.key.rpartition(".")[2] for change in changes}))

    @property
    def context(self) -> Context:
        """What rules may use beside a pod, with all dialects."""
        from gpuxlate.backends import registry
        from gpuxlate.rules.base import Context

        role = self.role
        return Context(
            self.profile, registry.pod_backends(), role.is_overlay, role.kind == "values", self.before
        )


@dataclass(slots=True)
class LintResult:
    """The findings of one source. ``broken``: not all of it was read."""

    documents: int = 0
    diagnostics: list[Diagnostic] = field(default_factory=list)
    shares: int = 0
    suppressed: int = 0
    excused: set[str] = field(default_factory=set)  # codes of findings that the configuration ignores
    skipped: str | None = None
    broken: bool = False

    def excuse(self, excused: Callable[[str], bool]) -> None:
        """Remove the findings that the configuration ignores."""
        findings = self.diagnostics
        self.excused = {code for code in {finding.code for finding in findings} if excused(code)}
        self.diagnostics = [finding for finding in findings if finding.code not in self.excused]
        self.suppressed += len(findings) - len(self.diagnostics)


# Which rules ``lint`` checks, and which the configuration ignores.
_WILDCARD = regex(r"[*?\[]|/$")


def _codes(texts: Sequence[str]) -> tuple[str, ...]:
    return tuple(code.strip().upper() for text in texts for code in text.split(",") if code.strip())


def _matches(code: str, names: Sequence[str]) -> bool:
    return any(name == "ALL" or code.startswith(name) for name in names)


def _known(names: Sequence[str], where: str = "") -> None:
    """Raise UnknownRuleError for a name that is neither a code nor a prefix of codes."""
    if not names:
        return
    from gpuxlate.backends import registry
    from gpuxlate.rules import catalog
    from gpuxlate.rules.base import UnknownRuleError

    rules = catalog.all_rules(registry.all_backends())
    for name in names:
        if name != "ALL" and not any(code.startswith(name) for code in rules):
            raise UnknownRuleError(name, catalog.nearest_code(name, registry.all_backends()), where)


@dataclass
class RuleSelection:
    """The rules that a run checks; it also records which ignores of the configuration match.

    ``claims``: those of the files of the run. ``in_chunks``: how a large one is read. ``before``: the profile
    before an upgrade."""

    select: tuple[str, ...]
    ignore: tuple[str, ...]
    config: Config | None
    profile: Profile | None
    claims: Claims = field(default_factory=Claims)
    in_chunks: InChunks | None = None
    before: Profile | None = None
    _seen: set[int] = field(default_factory=set)
    _used: set[tuple[int, str]] = field(default_factory=set)

    @classmethod
    def of(
        cls, select: Sequence[str], ignore: Sequence[str], config: Config | None, profile: Profile | None
    ) -> RuleSelection:
        """From options and configuration together; ``--select`` replaces the configured one."""
        chosen, left_out = _codes(select), _codes(ignore)
        if select and not chosen:  # an empty variable: everything would be checked
            from gpuxlate.rules.base import UnknownRuleError

            raise UnknownRuleError(", ".join(select), None)
        _known((*chosen, *left_out))
        if config is None:
            return cls(chosen, left_out, None, profile)
        _known(config.select or (), f"{config.path}: select: ")
        _known(config.ignore, f"{config.path}: ignore: ")
        for index, entry in enumerate(config.per_file_ignores):
            _known(entry.rules, f"{config.path}: per-file-ignores[{index}].rules: ")
        return cls(chosen or config.select or (), (*left_out, *config.ignore), config, profile)

    def selected(self, code: str) -> bool:
        """The rule is checked."""
        return (not self.select or _matches(code, self.select)) and not _matches(code, self.ignore)

    def for_file(self, path: StrPath | None) -> LintSettings:
        """The settings for one input."""
        selected = self.selected if self.select or self.ignore else everything
        return LintSettings(
            *(self.profile, selected, self._excused(path), role_of(path), self.claims, self.in_chunks),
            before=self.before,
        )

    def _excused(self, path: StrPath | None) -> Callable[[str], bool]:
        if self.config is None or path is None:
            return nothing
        names = tuple(rule for _, rules in self._entries_for(path) for rule in rules)
        return (lambda code: _matches(code, names)) if names else nothing

    def _entries_for(self, path: StrPath) -> list[tuple[int, Sequence[str]]]:
        """The ignored rules of a file, with the numbers of the entries in the configuration."""
        if self.config is None or not self.config.per_file_ignores:
            return []
        excused = self.config.ignores_for(path)
        return [
            (n, ignores.rules) for n, ignores in enumerate(self.config.per_file_ignores) if ignores in excused
        ]

    def note(self, path: StrPath | None, excused: Iterable[str]) -> None:
        """Record that a checked file has findings of these codes, which the configuration ignores."""
        if path is None:
            return
        for number, rules in self._entries_for(path):
            self._seen.add(number)
            self._used |= {(number, name) for name in rules for code in excused if _matches(code, (name,))}

    def unused(self, *, whole_folders: bool) -> Iterator[Diagnostic]:
        """GX009 for each configured path whose ignores match nothing in its files.

        Patterns only where whole folders were checked, since other files may match them.
        """
        if self.config is None:
            return
        from gpuxlate.lint.ignore import UNUSED
        from gpuxlate.rules.source import ignore_matches

        if not self.selected(UNUSED):
            return
        for index, entry in enumerate(self.config.per_file_ignores):
            if index not in self._seen or (_WILDCARD.search(entry.path) and not whole_folders):
                continue
            for number, name in enumerate(entry.rules):
                if (index, name) not in self._used and self._is_checked(name):
                    message, hint = ignore_matches(name, None, entry.path)
                    path = ("per-file-ignores", index, "rules", number)
                    yield Diagnostic(UNUSED, Severity.WARNING, message, hint, path)

    def _is_checked(self, name: str) -> bool:
        """Every rule of the name is checked: rules that are not may have findings."""
        from gpuxlate.backends import registry
        from gpuxlate.rules import catalog

        codes = catalog.all_rules(registry.all_backends())
        return all(self.selected(code) for code in codes if _matches(code, (name,)))

    def placed(self, finding: Diagnostic) -> tuple[Diagnostic, Source | None]:
        """A finding in the configuration with its position, where the configuration is YAML."""
        assert self.config is not None
        assert self.config.path is not None
        name = os.path.relpath(self.config.path)
        if self.config.path.suffix == ".toml":
            return replace(finding, file=name), None
        source = Source.from_bytes(name, read_content(self.config.path))
        return with_location(next(documents(source)), finding), source
