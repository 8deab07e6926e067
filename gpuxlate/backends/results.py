"""What a backend gives when it has read a pod."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from gpuxlate.model.diagnostics import Diagnostic
from gpuxlate.model.pod import Path
from gpuxlate.model.share import Share


@dataclass(frozen=True, slots=True)
class Selector:
    """A choice of nodes or cards without counterpart at another target, such as a card model."""

    key: str
    text: str
    path: Path
    what: str = "node selector"  # the place it stands in


@dataclass(frozen=True, slots=True)
class ContainerShare:
    """One container of a pod and its share, None where it asks for no GPU.

    ``origins`` tells, by attribute name, where each field was read from.
    """

    name: str
    index: int
    init: bool = False
    share: Share | None = None
    origins: Mapping[str, Path] = field(default_factory=dict)
    path: Path = ()


@dataclass(frozen=True, slots=True)
class Reading:
    """What a backend read from a pod: its containers in their order, init containers first."""

    containers: tuple[ContainerShare, ...]
    selectors: tuple[Selector, ...] = ()
    isolation: str | None = None  # ACK's mode, which is no field of the share
    diagnostics: tuple[Diagnostic, ...] = ()
    taken: frozenset[Path] = frozenset()

    @property
    def shares(self) -> tuple[ContainerShare, ...]:
        return tuple(container for container in self.containers if container.share)
