"""How much the tests try is said at the top of a run, and how a run in full is repeated at its end."""

import gc
from collections.abc import Iterator
from importlib import import_module
from pkgutil import walk_packages
from typing import Any

import pytest
from hypothesis import settings

import gpuxlate
from tests import effort

settings.load_profile("tests")


@pytest.hookimpl(tryfirst=True)  # before Hypothesis reads the option
def pytest_configure(config: pytest.Config) -> None:
    # not ``derandomize``, which reads the source of each test for a seed of its own: a fifth of a short test
    if config.option.hypothesis_seed is None:
        config.option.hypothesis_seed = str(effort.SEED)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """What is collected stays to the end: looking for garbage in it was a quarter of collecting, and after
    that a twelfth of the tests, so it is looked for less often.

    It is not frozen: Hypothesis asks the collector who holds its generator of numbers, and is told of nobody.
    """
    gc.disable()
    try:
        collected = yield
        # Hypothesis draws words and numbers of the modules that are loaded too: with all of them the draws
        # of a test do not depend on the tests before it
        for module in walk_packages(gpuxlate.__path__, "gpuxlate."):
            if not module.name.endswith(".__main__"):
                import_module(module.name)
        return collected
    finally:
        gc.set_threshold(5_000, 20, 50)
        gc.enable()


def pytest_runtest_setup(item: pytest.Item) -> None:
    if not effort.FULL and item.get_closest_marker("full"):
        pytest.skip("GPUXLATE_EFFORT=full runs it")


def pytest_report_header() -> str:
    return f"effort: {effort.EFFORT}, seed {effort.SEED}"


def pytest_terminal_summary(terminalreporter: Any) -> None:
    if effort.FULL and terminalreporter.stats.get("failed"):
        again = f"GPUXLATE_EFFORT=full GPUXLATE_SEED={effort.SEED} repeats this run."
        terminalreporter.write_line(
            f"{again} Add what failed as a case or an @example: every run then tries it."
        )
