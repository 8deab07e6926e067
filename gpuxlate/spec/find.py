"""Finding the configuration, upwards from the work. Loads nothing: most runs have none."""

from __future__ import annotations

import os
from pathlib import Path

from gpuxlate.bounded import UnusualFileError, content
from gpuxlate.limits import MAX_CONFIG_BYTES

NAMES = (".gpuxlate.yaml", ".gpuxlate.yml")
PYPROJECT = "pyproject.toml"


def find_config(start: Path) -> Path | None:
    """The nearest configuration file from ``start`` upwards, to the git root or that of the disk."""
    start = absolute(start)
    folder = start if start.is_dir() else start.parent
    for one in (folder, *folder.parents):
        for name in NAMES:
            if _is_there(one / name):
                return one / name
        if _has_section(one / PYPROJECT):
            return one / PYPROJECT
        if _is_there(one / ".git"):
            return None
    return None


def _is_there(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:  # a folder that may not be looked into
        return False


def _has_section(pyproject: Path) -> bool:
    """[tool.gpuxlate] is there; a broken file that seems to have it counts, for the error to show."""
    try:
        data = content(pyproject, MAX_CONFIG_BYTES)
    except UnusualFileError:
        return True  # loading says what it is
    except OSError:
        return False
    if b"gpuxlate" not in data:
        return False
    import tomllib

    try:
        tool = tomllib.loads(data.decode()).get("tool", {})
    except (ValueError, RecursionError):
        return b"tool.gpuxlate" in data
    return isinstance(tool, dict) and "gpuxlate" in tool


def absolute(path: Path) -> Path:
    return Path(os.path.normpath(path.absolute()))
