"""What a vendor is stays in its backend's room: no other room of the translator names one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import gpuxlate
from gpuxlate.backends import registry

ROOT = Path(gpuxlate.__file__).parent
ROOMS = ("model", "manifest", "inputs", "config", "translation", "lint", "policy", "report", "cli")

NAMES = {
    *(part for row in registry.BUILT_IN for name in registry.names_of(row) for part in name.split("-")),
    *("aliyun", "katalyst", "mgpu", "qgpu", "gpushare", "gpuresourcetype"),
} - {"neutral", "spark", "ray", "customjob", "vgpu", "gpu", "manager", "shared", "nvidia", "mig"}
"""Names of clouds, products and dialects, those of the targets by themselves. Engines are nobody's, and the
catalogue of cards names their maker and its partitions."""
WORDS = re.compile(rf"(?<![A-Za-z])({'|'.join(sorted(NAMES))})(?![A-Za-z0-9])", re.IGNORECASE)
CLASSES = re.compile(r"(?<![A-Za-z])(Alibaba|Aliyun|Tencent|Volcengine|Volcano|Hami|Emr|Qgpu|Mgpu|Katalyst)")
OURS = "GPUShare"

ALLOWED = (
    # a kind of Kubernetes, by its API group, and the scheduler that its controller sets: data, no dialect
    ("manifest/kinds.py", 'SchedulerRow("batch.volcano.sh/"'),
    ("manifest/quotas/rows.py", '"scheduling.volcano.sh/", ("Queue",)'),
    ("manifest/quotas/rows.py", "# QueueSpec in volcano-sh/apis"),
    ("policy/kinds.py", '"batch.volcano.sh"'),
    # examples for people who write a profile or choose rules, shown by editors
    ("config/configuration_models.py", "examples="),
    ("config/configuration_models.py", "beginnings of codes (VKE)"),
)


def named(room: str) -> Iterator[str]:
    for path in sorted((ROOT / room).rglob("*.py")):
        name = path.relative_to(ROOT).as_posix()
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            allowed = any(name == file and text in line for file, text in ALLOWED)
            found = WORDS.search(line.replace(OURS, "")) or CLASSES.search(line)
            if found and not allowed:
                yield f"{name}:{number}: {line.strip()}"


@pytest.mark.parametrize("room", ROOMS)
def test_no_vendor_is_named(room: str) -> None:
    assert list(named(room)) == []


def test_what_is_allowed_is_there() -> None:
    """An exception goes when its line does."""
    for file, text in ALLOWED:
        assert text in (ROOT / file).read_text(encoding="utf-8")


@pytest.mark.parametrize("room", ROOMS)
def test_no_backend_is_imported(room: str) -> None:
    """Only the rooms' common parts are: a backend's own package is found by the registry."""
    packages = {row.module for row in registry.BUILT_IN}
    text = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / room).rglob("*.py"))
    assert [one for one in sorted(packages) if re.search(rf"{re.escape(one)}\b", text)] == []
