"""GPUShare documents from the shares of a translation."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

from gpuxlate.translation.pods.item import Item


def share_documents(items: Sequence[Item]) -> list[dict[str, Any]]:
    """One GPUShare document for each share, as plain data."""
    from gpuxlate.config.document import to_document

    named = zip(items, names(items), strict=True)
    return [to_document(name, item.share) for item, name in named if item.share]


def names(items: Sequence[Item]) -> list[str]:
    """A name for each share: that of its object, with the container's where the object has several."""
    per_object = [(item.build, item.file, item.document, item.object) for item in items]
    shares = Counter(per_object)
    found: dict[str, None] = {}
    following: dict[str, int] = {}  # the first number that a name may still get
    for item, key in zip(items, per_object, strict=True):
        name = item.object.name or item.container or "share"
        if shares[key] > 1:
            name = f"{name}-{item.container}"
        name = re.sub(r"[^a-z0-9.-]+", "-", name.lower()).strip("-.") or "share"
        unique, number = name, following.get(name, 2)
        while unique in found:
            unique, number = f"{name}-{number}", number + 1
        following[name] = number
        found[unique] = None
    return list(found)
