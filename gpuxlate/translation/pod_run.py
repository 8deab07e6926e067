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
    """A pod of a document, and its results so far.

    ``bases``: where the pod is in an overlay, the pods of other files that it changes. ``unknown``: why these
    are not known. ``suffix``: distinguishes it from the other pods of its object. ``dialects``: the dialects
    in which it was read; None where it was not. ``why_left``: why it was not read, where it requests GPUs.
    ``new_keys``: the keys that it is to have; None where none are written. ``edits``: the edits that write
    these keys. ``templates``: the templates of claims that it needs.
    """

    pod: Pod
    bases: tuple[OverlayBase, ...] = ()
    unknown: str | None = None
    suffix: str = ""
    dialects: tuple[Backend, ...] | None = None
    why_left: str | None = None
    new_keys: PodKeys | None = None
    edits: list[Edit] = field(default_factory=list)
    templates: Sequence[ClaimTemplate] = ()

    @property
    def has_bases(self) -> bool:
        """Whether it is in a patch or in values of a release: it is read and written with its bases."""
        return bool(self.bases or self.unknown)
