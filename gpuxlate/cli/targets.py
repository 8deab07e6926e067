"""``gpuxlate targets``: the fields of a share that each target supports."""

from __future__ import annotations

from collections.abc import Iterator

from gpuxlate.backends import registry
from gpuxlate.backends.base import Backend
from gpuxlate.cli import common, options
from gpuxlate.cli.errors import Exit
from gpuxlate.cli.tables import table
from gpuxlate.locale import localize
from gpuxlate.model.messages import msg
from gpuxlate.model.share import JSON_NAMES


def command(output: options.Output = "table") -> int:
    """List the targets, the fields of a share that each supports, and their representation."""
    backends = list(registry.all_backends())
    fields = list(JSON_NAMES.values())
    if output == "json":
        targets = [
            {
                "name": b.name,
                "aliases": list(registry.aliases(b.name)),
                "title": b.title,
                "readOnly": b.read_only,
                "fields": {name: b.field_docs.get(name) for name in fields},
                "keys": [
                    {
                        "name": row.name,
                        "places": ["parameter"] if not b.writes_pods else sorted(str(p) for p in row.places),
                        "meaning": row.meaning,
                        "unit": row.counts or None,
                        "source": row.source or None,
                    }
                    for row in b.keys
                ],
            }
            for b in backends
        ]
        common.json_out({"format": "gpuxlate-targets/v1", "targets": targets})
    else:
        rows = [[_names(b), [*_fields(b)]] for b in backends]
        common.out(table(["TARGET", "REPRESENTATION"], rows, lines=True))
    return Exit.CLEAN


def _names(backend: Backend) -> list[str]:
    read = [msg("  (read only)")] if backend.read_only else []
    return [backend.name, *(f"  {alias}" for alias in registry.aliases(backend.name)), *read]


def _fields(backend: Backend) -> Iterator[str]:
    """What each field is; those without anything on one line, since there are many targets."""
    yield from (
        msg("{title}: {text}", title=name, text=localize(backend.field_docs[name]))
        for name in JSON_NAMES.values()
        if name in backend.field_docs
    )
    missing = [name for name in JSON_NAMES.values() if name not in backend.field_docs]
    if missing:
        yield msg("not supported: {names}", names=", ".join(missing))
