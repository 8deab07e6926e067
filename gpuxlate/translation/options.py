"""The settings of a translation: the target, and the losses that the user accepts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from functools import cached_property
from typing import TYPE_CHECKING

from gpuxlate.backends import registry
from gpuxlate.backends.base import Backend
from gpuxlate.backends.pod_writer import Accept
from gpuxlate.files.relevance import only_relevant
from gpuxlate.model.declarations import record
from gpuxlate.model.profile import Profile, renamed_by
from gpuxlate.overlays.builds import RunBuilds
from gpuxlate.overlays.run_claims import Claims
from gpuxlate.rules.base import Context
from gpuxlate.rules.key_index import key_index_of
from gpuxlate.translation.leftovers import LeftoverScope
from gpuxlate.yamltext.parse import InChunks

if TYPE_CHECKING:
    from gpuxlate.translation.decisions import Decisions
    from gpuxlate.yamltext.source import Source


@record
class Settings:
    """The target, and the losses that the user accepts. ``from_`` None: the dialects are found by their keys.

    ``decisions``: the losses that are accepted one by one. ``claims``, ``builds``: those of all files of the
    run. ``shared_names``: namespaces and names that the templates of several workloads would have: these get
    the kind of the workload into their names. ``in_chunks``: how a large source is read; None: in one piece.
    """

    to: Backend
    from_: Backend | None = None
    accept: Accept = field(default_factory=Accept)
    profile: Profile | None = None
    allow_leftovers: bool = False
    claims: Claims = field(default_factory=Claims)  # those of the files of the run
    builds: RunBuilds = field(default_factory=RunBuilds)  # what kustomizations build of these files
    decisions: Decisions | None = None
    shared_names: frozenset[tuple[str | None, str]] = frozenset()
    in_chunks: InChunks | None = None

    @classmethod
    def reading(cls, from_: Backend | None = None, profile: Profile | None = None) -> Settings:
        """Settings to read shares: the target is gpuxlate's own, and leftovers are accepted."""
        return cls(registry.get("neutral"), from_, profile=profile, allow_leftovers=True)

    @cached_property
    def context(self) -> Context:
        """The context of rules: the profile, and all dialects of manifests."""
        return Context(self.profile, registry.pod_backends())

    @cached_property
    def scope(self) -> LeftoverScope:
        """The scope in which keys are leftovers."""
        source = self.from_.name if self.from_ else None
        words = key_index_of(self.context)
        return LeftoverScope(source, self.to.name, words, self.renamed)

    @cached_property
    def renamed(self) -> Mapping[str, str]:
        """By the name of a resource in the cluster of the profile its name on data sheets, where they
        differ."""
        return renamed_by(self.profile)


def relevant_to(targets: Sequence[Settings], source: Source) -> Source:
    """A source of which only the documents and items are parsed that matter to one of these runs."""
    names = {name for settings in targets if settings.decisions for name in settings.decisions.names}
    return only_relevant(source, *(settings.profile for settings in targets), names=names)
