"""Collections of objects that a stand-in server lists page by page."""

import base64
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Item = Mapping[str, Any]
RESOURCE_VERSION = "1000"


@dataclass(frozen=True, slots=True)
class Listed:
    """A collection. ``items`` is a list, or a function that makes item number i out of ``total``."""

    api_version: str
    kind: str
    items: Sequence[Item] | Callable[[int], Item]
    total: int | None = None

    def __len__(self) -> int:
        return len(self.items) if isinstance(self.items, Sequence) else self.total or 0

    def item(self, index: int) -> Item:
        """One item, made on the spot if it is not at hand."""
        return self.items[index] if isinstance(self.items, Sequence) else self.items(index)

    def page(self, start: int, limit: int) -> Iterator[bytes]:
        """The JSON of one page (limit 0: all that is left), item by item; nothing is kept."""
        end = min(len(self), start + limit) if limit else len(self)
        meta: dict[str, Any] = {"resourceVersion": RESOURCE_VERSION}
        if end < len(self):
            meta |= {"continue": _token(end), "remainingItemCount": len(self) - end}
        head = {"kind": f"{self.kind}List", "apiVersion": self.api_version, "metadata": meta}
        yield json.dumps(head)[:-1].encode() + b', "items": ['
        for index in range(start, end):
            # Items of a list carry no kind and apiVersion of their own, as on a real server.
            own = {key: value for key, value in self.item(index).items() if key not in ("apiVersion", "kind")}
            yield (b"," if index > start else b"") + json.dumps(own).encode()
        yield b"]}"

    def named(self, name: str) -> Item | None:
        """The item of this name, if there is one."""
        typed = {"apiVersion": self.api_version, "kind": self.kind}
        items = map(self.item, range(len(self)))
        return next(({**typed, **item} for item in items if item["metadata"]["name"] == name), None)


def _token(start: int) -> str:
    return base64.urlsafe_b64encode(json.dumps({"start": start}).encode()).decode().rstrip("=")


def start_of(token: str | None) -> int:
    """The number of the first item of the page that a continue token asks for; a ValueError for no token."""
    if token is None:
        return 0
    padded = token + "=" * (-len(token) % 4)
    return int(json.loads(base64.urlsafe_b64decode(padded))["start"])
