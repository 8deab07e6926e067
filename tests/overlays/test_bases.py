"""A part over its base is what kustomize builds, and what is not known is said."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from hypothesis import event, given
from hypothesis import strategies as st

from tests.effort import tries
from tests.overlays.apps import (
    KINDS,
    bases_in,
    build,
    keys_after,
    needs_kubectl,
    objects,
    operations,
    pods_of,
    written,
)


@st.composite
def applications(draw: st.DrawFn) -> tuple[dict[str, Any], str]:
    """A base of two workloads, perhaps patched, and one more patch in an overlay or a component."""
    kind = draw(st.sampled_from([*KINDS, "Deployment", "Deployment"]))
    files: dict[str, Any] = {
        "base/w.yaml": (
            draw(objects(kind, "one", part=False)),
            draw(objects("StatefulSet", "two", part=False)),
        ),
    }

    def patch(path: str) -> dict[str, Any]:
        listed: dict[str, Any] = {"path": path}
        if draw(st.booleans()):
            text: Any = draw(objects(kind, "one", part=True))
            if draw(st.booleans()):
                listed["target"] = {"kind": kind, "name": "o.*"}
        else:
            text = draw(operations(kind))
            listed["target"] = {"kind": kind}
        files[path] = text
        return listed

    first = patch("base/p.yaml") if draw(st.booleans()) else None
    files["base/kustomization.yaml"] = {
        "resources": ["w.yaml"],
        **({"patches": [{**first, "path": "p.yaml"}]} if first else {}),
        **draw(st.sampled_from([{}, {"namePrefix": "x-"}, {"commonAnnotations": {"example.com/a": "b"}}])),
    }
    last = patch("over/p.yaml")
    component = draw(st.booleans())
    where = "part" if component else "over"
    if component:
        files["part/p.yaml"] = files.pop("over/p.yaml")
        files["part/kustomization.yaml"] = {
            "apiVersion": "kustomize.config.k8s.io/v1alpha1",
            "kind": "Component",
            "patches": [{**last, "path": "p.yaml"}],
        }
    files["over/kustomization.yaml"] = {
        "resources": ["../base"],
        **({"components": ["../part"]} if component else {"patches": [{**last, "path": "p.yaml"}]}),
    }
    return files, f"{where}/p.yaml"


@needs_kubectl
@tries(60)
@given(applications())
def test_a_part_over_its_base_is_what_is_built(drawn: tuple[dict[str, Any], str]) -> None:
    files, patch = drawn
    with tempfile.TemporaryDirectory() as folder:
        root = written(Path(folder), files)
        text = build(root / "over")
        found = list(bases_in(root / patch))
        event("built" if text else "refused")
        if text is None:
            return
        built = pods_of(text)
        names = {name.removeprefix("x-"): name for _, name, _ in built}
        for one in found:
            event(f"known: {one.why is None} {one.why or ''}")
            for kind, name, keys in keys_after(one):
                assert keys == built[kind, names[name], keys.path]
