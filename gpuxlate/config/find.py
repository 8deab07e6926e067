"""Finding the configuration, upwards from the work. Loads nothing: most runs have none."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from gpuxlate.files.read import StrPath, UnusualFileError, folders_upwards, read_content, repository_of
from gpuxlate.model.declarations import regex
from gpuxlate.model.errors import UserError
from gpuxlate.model.limits import MAX_CONFIG_BYTES
from gpuxlate.model.messages import msg

if TYPE_CHECKING:
    from pathlib import Path

CONFIG_NAMES = (".gpuxlate.yaml", ".gpuxlate.yml")
PYPROJECT = "pyproject.toml"

MAX_PARTS = 64
"""Of a dotted key in TOML: reading it takes time and memory quadratic in them."""
_PART = r"(?>[\w-]+|\"[^\"\n]*\"|'[^'\n]*')(?>[ \t]*)"
_LONG_KEY = regex(rf"(?<![\w.-])(?:{_PART}\.(?>[ \t]*)){{{MAX_PARTS}}}")


class TwoFilesError(UserError, ValueError):
    """Two files of one folder are the configuration."""


def find_config(start: StrPath) -> Path | None:
    """The nearest configuration file from ``start`` upwards, to the git root or that of the disk.

    Raises TwoFilesError.
    """
    path = _nearest(os.path.abspath(start))
    if path is None:
        return None
    from pathlib import Path  # most runs have no configuration: start-up counts

    return Path(path)


def is_of_another_user(path: StrPath) -> bool:
    """Whether a configuration outside of git and above the working folder was written by another user.

    In a repository, git itself asks whose it is; what root wrote is the machine's.
    """
    folder = os.path.dirname(os.path.abspath(path))
    if folder == os.getcwd() or os.path.lexists(os.path.join(repository_of(os.getcwd()), ".git")):
        return False
    return os.stat(path).st_uid not in (os.geteuid(), 0)


def _nearest(start: str) -> str | None:
    for folder in folders_upwards(start if os.path.isdir(start) else os.path.dirname(start)):
        paths = [path for name in CONFIG_NAMES if os.path.lexists(path := os.path.join(folder, name))]
        if len(paths) > 1:
            raise TwoFilesError(
                msg(
                    "{folder} has both {one} and {other}",
                    folder=folder,
                    one=CONFIG_NAMES[0],
                    other=CONFIG_NAMES[1],
                ),
                "keep one of them",
            )
        if paths:
            return paths[0]
        if _has_section(path := os.path.join(folder, PYPROJECT)):
            return path
        if os.path.exists(os.path.join(folder, ".git")):
            return None
    return None


def _has_section(pyproject: str) -> bool:
    """[tool.gpuxlate] is there; a broken file that seems to have it counts, for the error to show."""
    try:
        data = read_content(pyproject, MAX_CONFIG_BYTES)
    except UnusualFileError:
        return True  # loading says what it is
    except OSError:
        return False
    if b"gpuxlate" not in data:
        return False
    try:
        tool = read_toml(data.decode()).get("tool", {})
    except (ValueError, RecursionError):
        return b"tool.gpuxlate" in data
    return isinstance(tool, dict) and "gpuxlate" in tool


def read_toml(text: str) -> dict[str, Any]:
    """Raises ValueError, or RecursionError for what is nested too deeply."""
    if _LONG_KEY.search(text):
        raise ValueError(msg("a key of more than {most} parts", most=MAX_PARTS))
    import tomllib

    return tomllib.loads(text)
