"""The page of targets: one table of all, each with a page of its own (``target``). Then the products that
are no target: what they are called, and their keys."""

from __future__ import annotations

from collections.abc import Iterator

from docs.tools.markdown import rule_link, table, target_link
from docs.tools.pages import documents
from gpuxlate.backends import registry
from gpuxlate.backends.base import Backend
from gpuxlate.model.share import JSON_NAMES
from gpuxlate.rules.unsupported_products import PRODUCTS, Product

INTRODUCTION = """\
# Targets

What gpuxlate reads and writes.
<!-- site -->
Each page has the keys of a target, how it represents the fields of a share, its rules and an example, all
from its data sheet.
<!-- /site -->
`gpuxlate targets` prints how each represents the fields of a share, with `-o json` its keys too.
[The support matrix](support-matrix.md) compares them.
Another name works wherever the name does. What is *read only* can be translated from, not to.
"""

NAMED = f"""\
## Products that are not read

These products share GPUs by keys of their own. gpuxlate knows the keys and does not read them: `lint` names
the product ({rule_link("GX027")}, or {rule_link("GX006")} where a key is easily taken for one that is read).
Translations leave whole accelerators that are not read as they are, and name them; so they do with resources
whose names read like an accelerator's, and device classes of other drivers ({rule_link("GX016")}).
"""


def pages() -> Iterator[tuple[str, str]]:
    head = ["target", "also", "what", "shares", "read and written"]
    lines = [
        INTRODUCTION,
        *table(head, [_target(backend) for backend in registry.all_backends()]),
        "",
        *_products(),
    ]
    yield "targets.md", "\n".join(lines) + "\n"


def _target(backend: Backend) -> list[str]:
    fields = [name for name in JSON_NAMES.values() if name in backend.field_docs]
    return [
        f'<a id="{backend.name}"></a>{target_link(backend.name)}',
        ", ".join(f"`{alias}`" for alias in registry.aliases(backend.name)),
        backend.title,
        ", ".join(fields),
        "read only" if backend.read_only else "parameters" if not backend.writes_pods else "manifests",
    ]


def _products() -> list[str]:
    rows = [
        [product.title, _keys(product), product.numbers, documents.link(product.source)]
        for product in PRODUCTS
    ]
    return [NAMED, *table(["product", "keys", "numbers", "source"], rows)]


def _keys(product: Product) -> str:
    local = [(name, f" ({place})") for place, names in product.local.items() for name in names]
    return "\n".join(f"`{name}`{where}" for name, where in (*((key, "") for key in product.keys), *local))
