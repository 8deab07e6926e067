"""Tables of cases: YAML beside the tests."""

from pathlib import Path
from typing import Any

import yaml


def read_table(module: str, name: str) -> Any:
    """What a file holds that is beside a module of tests, given as its ``__file__``."""
    return from_yaml((Path(module).parent / name).read_text(encoding="utf-8"))


def from_yaml(text: str) -> Any:
    """The one document of a text, by libyaml: Python's own reader takes ten times as long."""
    return yaml.load(text, yaml.CSafeLoader)


def to_yaml(value: object) -> str:
    """The same the other way, in the order of the value."""
    return str(yaml.dump(value, Dumper=yaml.CSafeDumper, sort_keys=False))
