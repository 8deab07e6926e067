"""What a vendor is stays in its backend's room: no other room of the translator names one."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import gpuxlate
from gpuxlate.backends import registry

ROOT = Path(gpuxlate.__file__).parent
ROOMS = ("model", "manifest", "files", "config", "translation", "lint", "sync", "policy", "report", "cli")

NAMES = {
    *(
        part
        for row in registry.BUILT_IN
        for name in registry.names_of_target(row)
        for part in name.split("-")
    ),
    *("aliyun", "katalyst", "mgpu", "qgpu", "gpushare", "gpuresourcetype"),
} - {"neutral", "spark", "ray", "customjob", "vgpu", "gpu", "manager", "shared", "nvidia", "mig"}
"""Names of clouds, products and dialects, those of the targets by themselves. Engines are nobody's, and the
catalogue of cards names their maker and its partitions."""
WORDS = re.compile(rf"(?<![A-Za-z])({'|'.join(sorted(NAMES))})(?![A-Za-z0-9])", re.IGNORECASE)
CLASSES = re.compile(r"(?<![A-Za-z])(Alibaba|Aliyun|Tencent|Volcengine|Volcano|Hami|Emr|Qgpu|Mgpu|Katalyst)")
OURS = "GPUShare"

CONFIG_MODELS = ("card_models", "config_model", "decisions_model", "document_model", "profile_model")
ALLOWED = (
    # kinds of Kubernetes, by their API groups, and the scheduler that a controller sets: data, no dialect
    ("manifest/kinds.py", '"batch.volcano.sh/"'),
    ("manifest/kinds.py", '"schedulerName"), "volcano")'),
    ("manifest/kinds.py", '"scheduling.volcano.sh/"'),
    ("manifest/kinds.py", "# QueueSpec in volcano-sh/apis"),
    ("manifest/kinds.py", "# NexusGPU/tensor-fusion, api/v1"),
    ("manifest/kinds.py", 'ObjectKind("tensor-fusion.ai/"'),
    ("manifest/kinds.py", 'regex(r"(?:nvidia|amd|intel)'),  # what KServe counts by itself
    # examples for people who write a profile or choose rules, shown by editors
    *((f"config/{name}.py", "examples=") for name in CONFIG_MODELS),
    ("config/config_model.py", "beginnings of codes (VKE)"),
    ("config/profile_model.py", '"component": "hami",'),
    ("config/profile_model.py", '"changes": [{"key": "amd.com/gpumem"'),
    # examples that help and messages print
    *(("cli/help.py", text) for text in ("--to ", '"gpuxlate', '"kubectl gpuxlate')),
    *((file, "=2.10..2.11") for file in ("cli/components.py", "cli/lint.py")),
    ("cli/components.py", "as in hami=2.11"),
    ("cli/options.py", "such as hami=2.11; repeatable."),
    *((file, "A10-24GB=10.5") for file in ("cli/options.py", "config/prices.py")),
    ("cli/terms.py", "such as tke"),
    # whose units the command counts
    ("cli/cost.py", "For EMR Serverless, in GPU-hours of the vendor"),
)


def lines(room: str) -> Iterator[tuple[str, int, str]]:
    for path in sorted((ROOT / room).rglob("*.py")):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            yield path.relative_to(ROOT).as_posix(), number, line


def is_allowed(name: str, line: str) -> bool:
    return any(name == file and text in line for file, text in ALLOWED)


@pytest.mark.parametrize("room", ROOMS)
def test_no_vendor_is_named(room: str) -> None:
    """A backend's own package is found by the registry: only the rooms' common parts are imported."""
    packages = re.compile(rf"({'|'.join(re.escape(row.module) for row in registry.BUILT_IN)})\b")
    assert [
        f"{name}:{number}: {line.strip()}"
        for name, number, line in lines(room)
        if packages.search(line)
        or ((WORDS.search(line.replace(OURS, "")) or CLASSES.search(line)) and not is_allowed(name, line))
    ] == []


def test_what_is_allowed_is_there() -> None:
    """An exception goes when its line does."""
    gone = [(file, text) for file, text in ALLOWED if text not in (ROOT / file).read_text(encoding="utf-8")]
    assert gone == []
