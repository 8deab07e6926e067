"""What a translation is to do: the target, and the losses that the user accepts."""

from __future__ import annotations

from dataclasses import dataclass, field

from gpuxlate.backends import registry
from gpuxlate.backends.base import Backend
from gpuxlate.inputs.claims import Claims
from gpuxlate.model.profile import Profile, renamed_by
from gpuxlate.rules.base import Context
from gpuxlate.rules.vocabulary import vocabulary_of
from gpuxlate.translation.leftovers import Scope
from gpuxlate.translation.pods.fit import Accept


@dataclass(frozen=True, slots=True)
class Settings:
    """The target, and the losses that the user accepts. ``from_`` None finds the dialect by its keys."""

    to: Backend
    from_: Backend | None = None
    accept: Accept = field(default_factory=Accept)
    profile: Profile | None = None
    reads_only: bool = False  # only the shares are needed, no new text
    allow_leftovers: bool = False
    with_own: bool = False  # pods that have the target's own keys are items too; no new text
    claims: Claims = field(default_factory=Claims)  # those of the files of the run

    @property
    def context(self) -> Context:
        return Context(self.profile, registry.pod_backends())

    @property
    def scope(self) -> Scope:
        allowed = self.allow_leftovers or self.reads_only
        source = self.from_.name if self.from_ else None
        words, renamed = vocabulary_of(self.context), renamed_by(self.profile)
        return Scope(source, self.to.name, words, renamed, allowed)
