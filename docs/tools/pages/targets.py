"""The page of targets, from the data sheets: the fields of a share, and the keys of each target. Then
the products that are no target: what they are called, and their keys."""

from __future__ import annotations

from collections.abc import Iterator

from docs.tools.markdown import rule_link, table
from docs.tools.pages import documents
from gpuxlate.backends import registry
from gpuxlate.backends.base import Backend
from gpuxlate.model.share import JSON_NAMES
from gpuxlate.rules.products import PRODUCTS, Product


def pages() -> Iterator[tuple[str, str]]:
    parts = ["# Targets\n\nThe fields that each target supports, and its keys.\n"]
    parts += [_target(backend) for backend in registry.all_backends()]
    parts.append(_products())
    yield "targets.md", "\n".join(parts)


NAMED = f"""\
## Products that are not read

These products share GPUs by keys of their own. gpuxlate knows the keys and does not read them: `lint` names
the product ({rule_link("GX027")}, or {rule_link("GX006")} where a key is easily taken for one that is read).
"""


def _products() -> str:
    rows = [[one.title, _keys(one), one.numbers, documents.link(one.source)] for one in PRODUCTS]
    return "\n".join([NAMED, *table(["product", "keys", "numbers", "source"], rows)]) + "\n"


def _keys(product: Product) -> str:
    local = [(name, f" ({place})") for place, names in product.local.items() for name in names]
    return "\n".join(f"`{name}`{where}" for name, where in (*((key, "") for key in product.keys), *local))


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
            row.counts,
            documents.links(backend.name, row.source),
        ]
        for row in backend.keys
    ]
    lines += table(["key", "place", "meaning", "unit", "source"], keys)
    return "\n".join(lines) + "\n"
