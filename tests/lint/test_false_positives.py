"""Files that ask no vendor for a share give nothing, whatever they look like.

``fixtures/clean/`` holds the shapes that public repositories brought up: whole cards of every kind,
other schedulers' keys, vendors' domains in images and mirrors, templates of other tools, odd YAML.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuxlate.lint.check import LintSettings, lint_source
from gpuxlate.yamltext.source import Source
from tests.effort import tries
from tests.lint.conftest import lint

ROOT = Path(__file__).parents[2]
CLEAN = ROOT / "fixtures" / "clean"
FILES = sorted(path for path in CLEAN.rglob("*") if path.suffix in (".yaml", ".yml", ".json"))


def test_nothing_is_found() -> None:
    """Every rule, on every file, read in full."""
    wrong = {}
    for path in FILES:
        source = Source.from_bytes(path.name, path.read_bytes())
        if found := lint_source(source, LintSettings()).diagnostics:
            wrong[path] = found
    assert wrong == {}


@pytest.mark.usefixtures("folder")
def test_the_folder_is_clean() -> None:
    said = lint(str(CLEAN), "--fail-on", "info")
    assert (said.code, said.codes, said.err) == (0, [], "")
    assert said.json["summary"]["files"] == len(FILES) >= 12


@pytest.mark.usefixtures("folder")
def test_the_vendors_own_manifests_have_no_error() -> None:
    # inputs that translate well: what lint says of them is advice
    folders = [
        str(ROOT / "fixtures" / name) for name in ("volcengine-mgpu", "alibaba-gpushare", "tencent-qgpu")
    ]
    errors = [d for d in lint(*folders).diagnostics if d["severity"] == "error"]
    assert errors == []


LEAVES = st.one_of(
    *(st.none(), st.booleans(), st.integers()),
    st.text(st.characters(codec="utf-8", categories=("L", "N", "P", "S", "Zs")), max_size=12),
)
NAMES = (
    *("containers", "initContainers", "spec", "template", "metadata", "labels", "annotations", "resources"),
    *("limits", "requests", "nvidia.com/gpu", "amd.com/gpu", "cpu", "kind", "items", "name", "env", "value"),
    *("nodeSelector", "affinity", "nodeAffinity", "matchExpressions", "key", "operator", "values", "<<"),
    *("requiredDuringSchedulingIgnoredDuringExecution", "nodeSelectorTerms", "apiVersion", "templates"),
    *("data", "steps"),
)
KINDS = (
    *("Pod", "List", "Workflow", "InferenceService", "Task", "CronJob", "TrainJob", "PodList", "ConfigMap"),
    "",
)
TREES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=4),
    max_leaves=25,
)


@tries(200)
@given(st.sampled_from(KINDS), TREES, st.booleans())
def test_any_shape_without_a_vendors_key(kind: str, tree: object, spec: bool) -> None:
    one = {"apiVersion": "v1", "kind": kind, "spec" if spec else "items": tree}
    text = json.dumps(one, ensure_ascii=False)
    assert lint_source(Source("a.json", text), LintSettings()).diagnostics == []
