"""How much the contract tries here, where it is held to many backends, and to some that break it."""

from importlib.util import find_spec, module_from_spec
from types import ModuleType

from hypothesis import settings

from tests.effort import number, some


def contract_with(examples: int) -> ModuleType:
    """``gpuxlate.testing.contract`` as a project has it whose Hypothesis profile draws so many pods.

    Each key with many values, beside many shares: all of them in full, a part of each in quick.
    """
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
    for table in ("EXAMPLE_SHARES", "KEY_WORDS"):
        setattr(module, table, some(getattr(module, table)))
    module.RANDOM_TEXTS = number(module.RANDOM_TEXTS)  # type: ignore[attr-defined]
    return module
