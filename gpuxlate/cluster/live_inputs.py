"""Live objects as inputs: each is a manifest in memory, read page by page."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence

from gpuxlate.cluster.export import as_yaml
from gpuxlate.cluster.resources import ObjectSelection, list_objects
from gpuxlate.cluster.server import ApiServer, Json
from gpuxlate.files.find import Input


def live_inputs(
    server: ApiServer,
    selections: Sequence[ObjectSelection],
    *,
    all_namespaces: bool = False,
    selector: str | None = None,
    matters: Callable[[bytes], bool] | None = None,
) -> Iterator[Input]:
    """The selected objects, for ``selections`` from ``resources.selected``. Raises ClusterError.

    Only one page of the server is in memory. ``matters``: whether an object, as JSON, can hold anything of
    interest; one that cannot, and that the user did not name, is an empty text. Without it every object is
    a whole manifest, and pods of controllers of other kinds are left out, since their controllers create
    them anew.
    """
    for selected_object in list_objects(
        server,
        selections,
        all_namespaces=all_namespaces,
        selector=selector,
        foreign_pods=matters is not None,
    ):
        matters_here = selected_object.named or matters is None or matters(_json(selected_object.object))
        text = as_yaml(selected_object.object) if matters_here else ""
        yield Input(selected_object.name, None, selected_object.named, data=text.encode())


def _json(live: Json) -> bytes:
    return json.dumps(live, ensure_ascii=False).encode("utf-8", "surrogatepass")
