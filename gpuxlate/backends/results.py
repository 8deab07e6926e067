"""What a backend returns for a pod: shares, and choices that no share holds."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from gpuxlate.model.diagnostics import Diagnostic, Severity
from gpuxlate.model.pod import Path
from gpuxlate.model.share import Share
from gpuxlate.model.sheet import Chosen

NODE_SELECTOR = "node selector"


class Selector(NamedTuple):
    """A choice of nodes or cards that no share holds. ``chosen``: what it says, where it is of cards."""

    key: str
    text: str
    path: Path
    what: str = NODE_SELECTOR  # where it is set
    chosen: Chosen | None = None


@dataclass(frozen=True, slots=True)
class ContainerShare:
    """One container of a pod and its share, None where it requests no GPU.

    ``origins``: where each field was read from, by attribute name. ``shared_with``: other containers of the
    pod that use the same devices, which are one share. ``allocation``: what identifies devices that other
    pods have too, such as those of a ResourceClaim; empty where each pod has its own.
    """

    name: str
    index: int
    init: bool = False
    share: Share | None = None
    origins: Mapping[str, Path] = field(default_factory=dict)
    path: Path = ()
    shared_with: tuple[str, ...] = ()
    allocation: frozenset[Hashable] = frozenset()


@dataclass(frozen=True, slots=True)
class Reading:
    """What a backend read from a pod: its containers in their order, init containers first.

    What a manifest gets wrong is reported by rules. ``invalid`` is GX011 alone: numbers that only
    together are not a share, and partitions that no card has. ``notes``: what a translation cannot keep and
    lint does not report.
    """

    containers: tuple[ContainerShare, ...]
    selectors: tuple[Selector, ...] = ()
    isolation: str | None = None  # ACK's mode, which is not a field of the share
    invalid: tuple[Diagnostic, ...] = ()
    notes: tuple[Diagnostic, ...] = ()
    taken: frozenset[Path] = frozenset()

    @property
    def shares(self) -> tuple[ContainerShare, ...]:
        return tuple(container for container in self.containers if container.share)

    def invalid_beside(self, found: Iterable[Diagnostic]) -> Iterator[Diagnostic]:
        """``invalid``, without what a rule reports already, and without values that it reports as errors."""
        if not self.invalid:
            return iter(())
        reported = list(found)
        paths = {one.path for one in reported if one.severity is Severity.ERROR}
        messages = {one.message for one in reported}
        return (one for one in self.invalid if one.path not in paths and one.message not in messages)
