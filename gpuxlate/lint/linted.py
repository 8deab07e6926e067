"""How a text is checked, and what is found: without the rules, which texts without GPU words do not need."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from gpuxlate.model.diagnostics import Diagnostic
from gpuxlate.overlays.claims import Claims
from gpuxlate.overlays.roles import MANIFESTS, FileRole

if TYPE_CHECKING:
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

    ``layer``: what the source is beside other files. ``claims``: those of the files of the run.
    """

    profile: Profile | None = None
    selected: Callable[[str], bool] = everything
    excused: Callable[[str], bool] = nothing
    layer: FileRole = MANIFESTS
    claims: Claims = Claims()

    @property
    def context(self) -> Context:
        from gpuxlate.backends import registry
        from gpuxlate.rules.base import Context

        return Context(self.profile, registry.pod_backends(), self.layer.partial)


@dataclass(slots=True)
class Linted:
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
        found = self.diagnostics
        self.excused = {code for code in {one.code for one in found} if excused(code)}
        self.diagnostics = [one for one in found if one.code not in self.excused]
        self.suppressed += len(found) - len(self.diagnostics)
