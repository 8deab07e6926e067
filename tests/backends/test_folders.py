"""Modules beside a target: those of its own folder alone."""

import sys
from importlib.machinery import ModuleSpec
from types import ModuleType

import pytest

from gpuxlate.backends import registry


@pytest.mark.parametrize(
    ("module", "target"),
    [("dialects.rules", "nos"), ("dialects.nodes", "hami-amd"), ("rules", "metax-sgpu")],
)
def test_a_module_in_a_folder_of_many_targets_is_of_none(
    module: str, target: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = f"gpuxlate.backends.{module}"
    stray = ModuleType(name)
    stray.__spec__ = ModuleSpec(name, None)
    monkeypatch.setitem(sys.modules, name, stray)
    assert registry.get(target)._beside(module.rpartition(".")[2]) is None


def test_a_module_of_its_own_folder_is_found() -> None:
    assert registry.get("tencent-qgpu")._beside("rules") is not None
    assert registry.get("nvidia-mig")._beside("nodes") is not None
    assert registry.get("hami-ascend")._beside("nodes") is not None
