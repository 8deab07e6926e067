"""How much the contract tries here, where it is held to many backends, and to some that break it."""

from importlib.util import find_spec, module_from_spec
from types import ModuleType

import pytest
from hypothesis import settings

from gpuxlate.testing import contract
from tests.effort import number, some


def contract_with(examples: int) -> ModuleType:
    """``gpuxlate.testing.contract`` as a project has it whose Hypothesis profile draws so many pods."""
    spec = find_spec("gpuxlate.testing.contract")
    assert spec
    assert spec.loader
    module = module_from_spec(spec)
    before = settings.get_current_profile_name()
    settings.register_profile("examples", settings.get_profile("tests"), max_examples=examples)
    settings.load_profile("examples")
    try:
        spec.loader.exec_module(module)
    finally:
        settings.load_profile(before)
    return module


@pytest.fixture(autouse=True)
def tables(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each key with many values, beside many shares: all of them in full, a part of each in quick."""
    for table in ("SHARES", "WORDS"):
        monkeypatch.setattr(contract, table, some(getattr(contract, table)))
    monkeypatch.setattr(contract, "RANDOM_TEXTS", number(contract.RANDOM_TEXTS))
