"""A translated tree builds the translation of what it built, or it is refused: never a third thing."""

import tempfile
from pathlib import Path
from typing import Any

import yaml
from hypothesis import event, given

from tests.effort import tries
from tests.overlays.apps import Files, build, needs_kubectl, written
from tests.overlays.test_translated import MORE, tidy
from tests.overlays.trees import trees
from tests.running import run


def verdict(files: Files, folder: str, target: str) -> str:
    """``same``, ``refused``, ``with its build`` where what kustomize builds is refused too, or how what is
    built is different."""
    with tempfile.TemporaryDirectory() as place:
        root = written(Path(place), files)
        text = build(root / folder)
        if text is None:
            return "kustomize refuses"
        if not text.strip():
            return "kustomize builds nothing"
        done = run("translate", str(root), "--to", target, *MORE, "-i")
        whole = run("translate", "-", "--to", target, *MORE, stdin=text.encode())
        if done.code:
            return "with its build" if whole.code else "refused"
        if whole.code:
            return f"different: the build is refused: {whole.err.decode()}"
        after = build(root / folder)
        if after is None:
            return "different: nothing is built any more"
        built, wanted = by_name(after), by_name(whole.out.decode())
        return "same" if built == wanted else f"different: {built} where {wanted} is right"


def by_name(text: str) -> dict[tuple[str, str, str], Any]:
    objects = [tidy(one) for one in yaml.safe_load_all(text) if one]
    return {
        (one["kind"], one["metadata"].get("namespace", ""), one["metadata"]["name"]): one for one in objects
    }


@needs_kubectl
@tries(500)
@given(trees())
def test_a_tree_is_translated_or_refused(drawn: tuple[Files, str, str, str]) -> None:
    files, folder, dialect, target = drawn
    found = verdict(files, folder, target)
    event(found[:9])
    event(f"{dialect}: {found[:9]}")
    with_older_field = "patchesJson6902" in str(files)
    event(f"{'with' if with_older_field else 'without'} patchesJson6902: {found[:9]}")
    assert not found.startswith("different"), found
