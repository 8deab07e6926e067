"""The page of targets, from the data sheets: the fields of a share, and the keys of each target."""

from __future__ import annotations

from collections.abc import Iterator

from docs.tools.markdown import table
from docs.tools.pages import documents
from gpuxlate.backends import registry
from gpuxlate.backends.base import Backend
from gpuxlate.model.share import JSON_NAMES


def pages() -> Iterator[tuple[str, str]]:
    parts = ["# Targets\n\nThe fields that each target supports, and its keys.\n"]
    parts += [_target(backend) for backend in registry.all_backends()]
    yield "targets.md", "\n".join(parts)


def _target(backend: Backend) -> str:
    others = ", ".join(f"`{alias}`" for alias in registry.aliases(backend.name))
    lines = [f"## {backend.name}", "", backend.title + (f". Also called {others}." if others else "."), ""]
    fields = [[f"`{name}`", backend.says.get(name, "not supported")] for name in JSON_NAMES.values()]
    lines += [*table(["field", "representation"], fields), ""]
    keys = [
        [
            f"`{row.name}`",
            ", ".join(sorted(map(str, row.places))),
            row.meaning,
            row.unit,
            documents.links(backend.name, row.source),
        ]
        for row in backend.keys
    ]
    lines += table(["key", "place", "meaning", "unit", "source"], keys)
    return "\n".join(lines) + "\n"
