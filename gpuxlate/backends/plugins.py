"""Targets from installed packages: entry points of the group ``gpuxlate.backends``.

The name of an entry point is a name of the target, its value refers to a subclass of ``Backend`` or to an
instance; several names of one value are aliases. One plug-in is loaded by its name, where no built-in target
has that name. All are loaded where all dialects are needed (detection, ``lint``, ``targets``, ``compare``),
and only where ``has_plugins`` finds some: importing importlib.metadata costs more than listing the folders.
"""

from __future__ import annotations

import os
import sys
from functools import cache
from typing import TYPE_CHECKING

from gpuxlate.model.errors import UserError
from gpuxlate.model.messages import listed, msg

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from gpuxlate.backends.base import Backend

ENTRY_POINT_GROUP = "gpuxlate.backends"


class BrokenPluginError(UserError):
    """A plug-in cannot be used: its name, distribution and the reason. ``hint``: what to do."""

    def __init__(self, name: str, distribution: str, reason: str) -> None:
        message = "the plug-in {name!r} of {distribution} cannot be used: {reason}"
        package = distribution.partition(" ")[0]
        super().__init__(
            msg(message, name=name, distribution=distribution, reason=reason),
            msg("fix it, or remove it: pip uninstall {package}", package=package),
        )


@cache
def has_plugins() -> bool:
    """Whether some installed package has entry points of the group."""
    return any(_declares(folder) for folder in dict.fromkeys(sys.path))


def _declares(folder: str) -> bool:
    try:
        with os.scandir(folder or ".") as entries:
            names = [entry.path for entry in entries if entry.name.endswith((".dist-info", ".egg-info"))]
    except OSError:  # a zip file, or a missing folder
        return False
    return any(_mentions_group(os.path.join(name, "entry_points.txt")) for name in names)


def _mentions_group(path: str) -> bool:
    try:
        with open(path, "rb") as file:
            return ENTRY_POINT_GROUP.encode() in file.read()
    except OSError:
        return False


def load_plugin(name: str) -> Backend | None:
    """The plug-in of a name, loaded; None where no package has one. Raises BrokenPluginError."""
    entries = [entry for entry in _entries() if entry.name == name]
    if not entries:
        return None
    packages = {_distribution(entry) for entry in entries}
    if len({entry.value for entry in entries}) > 1 or len(packages) > 1:
        raise BrokenPluginError(name, listed(sorted(packages)), "both have a target of that name")
    return _load(entries[0])


def plugin_names() -> tuple[str, ...]:
    """The names of all plug-ins, unloaded."""
    return tuple(dict.fromkeys(entry.name for entry in _entries())) if has_plugins() else ()


@cache
def backends() -> tuple[Backend, ...]:
    """Every plug-in, loaded, each once. Raises BrokenPluginError."""
    if not has_plugins():
        return ()
    loaded = (load_plugin(name) for name in plugin_names())
    return tuple({backend.name: backend for backend in loaded if backend is not None}.values())


def aliases_of_plugin(backend: Backend) -> tuple[str, ...]:
    """The other names of a plug-in."""
    values = {entry.name: entry.value for entry in _entries()} if has_plugins() else {}
    own_value = values.get(backend.name)
    return tuple(name for name, value in values.items() if value == own_value and name != backend.name)


@cache
def _entries() -> tuple[EntryPoint, ...]:
    from importlib.metadata import entry_points

    return tuple(sorted(entry_points(group=ENTRY_POINT_GROUP), key=lambda entry: (entry.name, entry.value)))


@cache
def _load(entry: EntryPoint) -> Backend:
    from gpuxlate.backends.base import Backend

    try:
        target = _target(entry.value)
        if not isinstance(target, Backend):
            raise TypeError(f"{entry.value} is not a gpuxlate Backend")
        _ = target.rules  # their imports may fail too
    except (Exception, SystemExit) as error:
        reason = f"{type(error).__name__}: {error}".split("\n")[0]
        raise BrokenPluginError(entry.name, _distribution(entry), reason) from error
    listed = {other.name for other in _entries() if other.value == entry.value}
    if target.name not in listed:
        reason = msg("its backend is named {name!r}, but no entry point is", name=target.name)
        raise BrokenPluginError(entry.name, _distribution(entry), reason)
    return target


@cache
def _target(value: str) -> object:
    """The object that entry points refer to: one instance of a class for all its names."""
    from importlib.metadata import EntryPoint

    from gpuxlate.backends.base import Backend

    target = EntryPoint("", value, ENTRY_POINT_GROUP).load()
    return target() if isinstance(target, type) and issubclass(target, Backend) else target


def distribution_of(backend: Backend) -> str:
    """The package that a plug-in comes from, with its version."""
    return next(
        (_distribution(entry) for entry in _entries() if entry.name == backend.name), "an unknown package"
    )


def _distribution(entry: EntryPoint) -> str:
    return f"{entry.dist.name} {entry.dist.version}" if entry.dist else "an unknown package"
