"""The golden files: what ``gpuxlate policy --to TARGET --scope all`` writes for some dialects.

``python -m tests.fixtures.refresh`` writes them anew.
"""

from collections.abc import Iterator
from pathlib import Path

from gpuxlate.backends import registry
from gpuxlate.lint.settings import everything
from gpuxlate.policy.generate import (
    PolicyEngine,
    PolicyOptions,
    PolicyScope,
    enforcement_policies,
    policy_documents,
)
from gpuxlate.policy.style import PolicyStyle
from gpuxlate.yamltext.plain import dump_yaml

FOLDER = Path(__file__).parents[2] / "fixtures" / "policy"
TARGETS = ("tencent-qgpu", "hami-enflame")


def policies() -> Iterator[tuple[Path, str]]:
    """Each file, as it should be."""
    wish = PolicyOptions(everything, PolicyStyle(), PolicyScope.ALL)
    for name in TARGETS:
        found = [*enforcement_policies([registry.get(name)], wish)]
        yield FOLDER / f"{name}.yaml", "---\n".join(map(dump_yaml, policy_documents(found, PolicyEngine.VAP)))
