"""Live objects as inputs: each is a manifest in memory, read page by page."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from gpuxlate.cluster.clean import as_yaml
from gpuxlate.cluster.resources import Selection, objects
from gpuxlate.cluster.server import Json, Server
from gpuxlate.inputs.files import Input


@dataclass(frozen=True, slots=True)
class LiveInput(Input):
    """A live object as a manifest; empty where nothing in it can matter."""

    data: bytes = b""

    def read_bytes(self) -> bytes:
        """The manifest as YAML in UTF-8."""
        return self.data


def live_inputs(
    server: Server,
    selections: Sequence[Selection],
    *,
    all_namespaces: bool = False,
    selector: str | None = None,
    matters: Callable[[bytes], bool] | None = None,
) -> Iterator[LiveInput]:
    """The selected objects, for ``selections`` from ``resources.selected``. Raises ClusterError.

    Only one page of the server is in memory. ``matters``: whether an object, as JSON, can hold anything of
    interest; one that cannot, and that the user did not name, is an empty text. Without it every object is
    a whole manifest, and pods of controllers of other kinds are left out, since their controllers create
    them anew.
    """
    for found in objects(
        server,
        selections,
        all_namespaces=all_namespaces,
        selector=selector,
        foreign_pods=matters is not None,
    ):
        wanted = found.named or matters is None or matters(_json(found.object))
        text = as_yaml(found.object) if wanted else ""
        yield LiveInput(found.name, None, found.named, data=text.encode())


def _json(found: Json) -> bytes:
    return json.dumps(found, ensure_ascii=False).encode("utf-8", "surrogatepass")
