"""The rendered manifests of one share in columns, a target each."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from gpuxlate.backends.base import Backend
from gpuxlate.backends.placing import Accept
from gpuxlate.cli.tables import plain
from gpuxlate.files import Input
from gpuxlate.profile import Profile
from gpuxlate.render import Asked, Rendering, render_on, render_probe
from gpuxlate.specs import Specs
from gpuxlate.translate import Settings


def side_by_side(found: Specs, backends: Sequence[Backend], accept: Accept, profile: Profile | None) -> str:
    """A block for each document: its manifest at every vendor's target, in columns."""
    blocks: list[str] = []
    for given, document, share in found.found:
        columns: list[tuple[str, str]] = []
        for backend in backends:
            settings = Settings(backend, accept=accept, profile=profile)
            asked = Asked(share, document, share.workload.container if share.workload else None)
            if share.workload:
                folder = given.path.parent if given.path else Path()
                file = str(folder / share.workload.file)
                made = render_on(Input(file, Path(file)).source(), [asked], settings)
            else:
                made = render_probe(asked, settings)
            columns.append((backend.name, _text(made)))
        blocks.append(plain([name for name, _ in columns], [[text for _, text in columns]]))
    return "\n".join(blocks)


def _text(made: Rendering) -> str:
    if not made.refused:
        return made.text.rstrip("\n")
    return "\n".join(f"{one.severity}[{one.code}]" for one in made.diagnostics)
