"""One share of a run: where it stands and what became of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from gpuxlate.model.diagnostics import Diagnostic, Loss, LossKind, ObjectRef
from gpuxlate.model.share import Share
from gpuxlate.translation.fit import Verdict


@dataclass(frozen=True, slots=True)
class Item:
    """One share of the run: where it stands and what became of it."""

    file: str
    document: int
    object: ObjectRef
    container: str
    source: str
    target: str
    share: Share | None
    verdict: Verdict
    losses: tuple[Loss, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """One item of ``gpuxlate-report/v1``."""
        return {
            "file": self.file,
            "document": self.document,
            "object": self.object.to_json(),
            "container": self.container,
            "from": self.source,
            "to": self.target,
            "verdict": str(self.verdict),
            "share": self.share.to_json() if self.share else None,
            "changes": self._losses(LossKind.ROUNDED, "field", "asked", "given", "code"),
            "filled": self._losses(LossKind.FILLED, "field", "given"),
            "dropped": self._losses(LossKind.DROPPED, "field", "asked", "given", "code"),
            "diagnostics": [diagnostic.to_json() for diagnostic in self.diagnostics],
        }

    def _losses(self, kind: LossKind, *names: str) -> list[dict[str, Any]]:
        return [{n: getattr(loss, n) for n in names} for loss in self.losses if loss.kind is kind]
