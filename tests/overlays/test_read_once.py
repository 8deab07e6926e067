"""Each file of an overlay or a chart is read and parsed once in a run, however many others need it."""

import os
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from gpuxlate.files import find
from gpuxlate.yamltext import parse
from gpuxlate.yamltext.source import Source
from tests.overlays.apps import COMPONENT_HEAD, workload, written
from tests.running import run

APPLICATION = Path(__file__).parents[2] / "examples" / "application"
USE = {"resources": ["../base"], "components": ["../more"]}
SHARED = {
    "base/kustomization.yaml": {"resources": ["web.yaml"]},
    "base/web.yaml": workload("web", "8"),
    "more/kustomization.yaml": {**COMPONENT_HEAD, "patches": [{"path": "larger.yaml"}]},
    "more/larger.yaml": workload("web", "16"),
    "a/kustomization.yaml": USE,
    "b/kustomization.yaml": USE,
}
"""A component of two kustomizations over one base."""


@pytest.mark.parametrize("command", ["lint", "parse", "inspect", "assess --to hami"])
@pytest.mark.parametrize("given", ["application", "component"])
def test_a_file_is_read_once(
    command: str, given: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / given
    if given == "application":
        shutil.copytree(APPLICATION, root)
    else:
        written(root, SHARED)
    monkeypatch.chdir(root)
    read: Counter[str] = Counter()
    parsed: Counter[tuple[str, str]] = Counter()
    content, documents = find.read_content, parse._Composer.__init__

    def reading(path: Any, *arguments: Any, **named: Any) -> bytes:
        read[os.path.abspath(path)] += 1
        return content(path, *arguments, **named)

    def parsing(composer: Any, source: Source, *rest: Any) -> None:
        # an edit is verified in another text; an object in no file has no name
        parsed[os.path.abspath(source.name), source.text] += bool(source.name)
        documents(composer, source, *rest)

    monkeypatch.setattr(find, "read_content", reading)
    monkeypatch.setattr(parse._Composer, "__init__", parsing)
    done = run(*command.split(), ".")
    assert done.out, done.err.decode()
    assert {os.path.relpath(path) for path, count in read.items() if count > 1} == set()
    assert {os.path.relpath(path) for (path, _), count in parsed.items() if count > 1} == set()
    there = {str(path) for path in root.rglob("*.yaml")}
    assert there <= read.keys()
