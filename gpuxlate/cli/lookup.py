"""Targets, profiles and the configuration, by the names that options give them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from gpuxlate.cli.options import EVERY, invocation
from gpuxlate.cli.printing import info, verbose
from gpuxlate.files.find import SUFFIXES, Input
from gpuxlate.model import site
from gpuxlate.model.diagnostics import Diagnostic
from gpuxlate.model.errors import UserError
from gpuxlate.model.messages import msg

if TYPE_CHECKING:
    from gpuxlate.backends.base import Backend
    from gpuxlate.config.configuration import Config, ConfigError
    from gpuxlate.model.profile import Profile


def target(name: str) -> Backend:
    """The backend of a name. Raises UserError, with "did you mean" for an unknown one."""
    from gpuxlate.backends import registry

    try:
        return registry.get(name)
    except registry.UnknownTargetError:
        if "," in name or name == EVERY:
            hint = "run it once for each target"
            raise UserError(msg("invalid target {name!r}: one target is needed", name=name), hint) from None
        raise


def written_target(name: str) -> Backend:
    """The backend of a name that shares are to be written for. Raises UserError for one that is only read."""
    from gpuxlate.backends import registry

    return registry.writable_backend(target(name).name)


def targets_by_name(
    names: Iterable[str],
    every: Callable[[], Iterable[Backend]],
    named: Callable[[str], Backend] = written_target,
) -> list[Backend]:
    """The targets of an option that takes several, each once: names, lists of them with commas, and ``all``,
    which is ``every``. Raises UserError."""
    backends: list[Backend] = []
    for name in (part.strip() for text in names for part in text.split(",")):
        backends += every() if name == EVERY else [named(name)]
    return list({backend.name: backend for backend in backends}.values())


def targets_at_hand(dialects: Iterable[str] = ()) -> list[Backend]:
    """The targets of the configuration; without any, the clouds that come first and the ``dialects``."""
    from gpuxlate.backends import registry

    configuration = config()
    names = (
        configuration.targets if configuration and configuration.targets else (*registry.CLOUDS, *dialects)
    )
    backends = dict.fromkeys(map(registry.get, names))
    return [backend for backend in backends if not backend.read_only]


def some_of(possible: Iterable[Backend]) -> str:
    """The targets that a hint lists: of those that are possible the ones at hand, else all."""
    backends = [*possible]
    near = [backend for backend in targets_at_hand() if backend in backends]
    return msg("targets: {names}", names=", ".join(backend.name for backend in near or backends))


def config() -> Config | None:
    """The configuration of --config, or of this folder or the nearest one above it; None without one.

    Raises ConfigError, TwoFilesError.
    """
    run = invocation()
    if run.found_config is None:
        run.found_config = (None if run.isolated else find_configuration(run.config),)
        (configuration,) = run.found_config
        verbose(msg("configuration: {value}", value=configuration.path if configuration else "none"))
        site.use_site(configuration.docs_url if configuration else None)
        if configuration and configuration.path and run.config is None:
            _note_owner(configuration.path)
    return run.found_config[0]


def _note_owner(path: Path) -> None:
    from gpuxlate.config.find import is_of_another_user

    if is_of_another_user(path):
        info(
            msg(
                "note: {path}, above this folder, belongs to another user; --isolated leaves it out",
                path=path,
            )
        )


def find_configuration(named: str | None) -> Config | None:
    """The configuration in a file that the user named, or that is found upwards.

    Raises ConfigError, TwoFilesError.
    """
    from gpuxlate.config.find import find_config

    if named is None and find_config(os.getcwd()) is None:
        return None  # most runs have none: the models are not loaded
    from gpuxlate.config.configuration import ConfigError, config_for
    from gpuxlate.yamltext.plain import plain_text

    try:
        return config_for(os.getcwd(), named, plain_text)
    except ConfigError as error:
        raise _with_lines(error, "gpuxlate schema config prints every field") from None


def _with_lines(error: ConfigError, fields: str) -> ConfigError:
    """The error with the line of each finding, where its file is YAML; ``fields`` says what may be in it."""
    from gpuxlate.yamltext.parse import documents, with_location

    placed: list[Diagnostic] = []
    for finding in error.diagnostics:
        if finding.path and finding.file and finding.file.endswith(SUFFIXES):
            source = Input(finding.file, Path(finding.file)).source()
            document = next((each for each in documents(source) if each.root is not None), None)
            placed.append(with_location(document, finding) if document else finding)
        else:
            placed.append(finding)
    return type(error)(placed, fields if error.read else None, read=error.read)


def profile(
    name: str | None, configuration: Config | None = None, components: Sequence[str] = ()
) -> Profile | None:
    """The profile of ``--profile``: the name of one in the configuration, or a file; with the versions of
    ``--with``. Raises ConfigError, UserError."""
    if components:
        from gpuxlate.cli.components import with_components

        return with_components(profile(name, configuration), components)
    if name is None:
        verbose("profile: none")
        return None
    from gpuxlate.config.configuration import ConfigError, find_profile
    from gpuxlate.yamltext.plain import plain_text

    try:
        read = find_profile(name, configuration or config(), plain_text)
    except ConfigError as error:
        raise _with_lines(error, "gpuxlate schema profile prints every field") from None
    verbose(msg("profile: {name} ({target})", name=name, target=read.target))
    if read.components or read.kubernetes_version:
        from gpuxlate.cli.components import note_newer

        note_newer(read)
    return read
