"""One pod on its way through a task: the passes get it, and add to it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from gpuxlate.manifest.pods import Pod
from gpuxlate.model.diagnostics import Edit
from gpuxlate.model.pod import PodKeys

if TYPE_CHECKING:
    from gpuxlate.backends.base import Backend
    from gpuxlate.claims.templates import ClaimTemplate
    from gpuxlate.overlays.parts import OverlayBase


@dataclass(slots=True, eq=False)
class PodRun:
    """A pod of a document, and what has come of it.

    ``bases``: what it is laid over in other files; none where it is whole. ``unknown``: why that is not
    known. ``dialects``: those in which it was read; None where it was not. ``why_left``: why it was not,
    where it asks for GPUs. ``new_keys``: the keys that it is to have; None where nothing is written for it.
    ``edits``: what gives it these. ``templates``: those of claims that it needs.
    """

    pod: Pod
    bases: tuple[OverlayBase, ...] = ()
    unknown: str | None = None
    dialects: tuple[Backend, ...] | None = None
    why_left: str | None = None
    new_keys: PodKeys | None = None
    edits: list[Edit] = field(default_factory=list)
    templates: Sequence[ClaimTemplate] = ()

    @property
    def is_part(self) -> bool:
        """It is read and written with what other files hold of it."""
        return bool(self.bases or self.unknown)
