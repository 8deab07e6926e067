"""The modules of rules and nodes: targets name them, and none is forgotten."""

from pathlib import Path

import pytest

import gpuxlate.backends
from gpuxlate.backends import registry

FOLDER = Path(gpuxlate.backends.__file__).parent
NAMED = {
    name
    for one in registry.all_backends()
    for name in (one.rule_module, one.row_rule_module, one.node_module)
}
FILES = sorted(
    ".".join(("gpuxlate.backends", *path.relative_to(FOLDER).with_suffix("").parts))
    for name in ("rules.py", "*_rules.py", "nodes.py", "*_nodes.py")
    for path in FOLDER.rglob(name)
    if path.stem not in ("row_nodes", "cluster_nodes")  # of all
)


@pytest.mark.parametrize("module", FILES)
def test_no_module_of_rules_or_nodes_is_forgotten(module: str) -> None:
    assert module in NAMED
