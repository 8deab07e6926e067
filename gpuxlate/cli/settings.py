"""The configuration of a run, and what it leaves out of folders."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from gpuxlate.cli.errors import CliError
from gpuxlate.config.find import TwoFilesError, find_config
from gpuxlate.files.find import ExcludePatterns, Exclusion, Patterns
from gpuxlate.model.messages import message_of, msg
from gpuxlate.yamltext.plain import plain_text

if TYPE_CHECKING:
    from gpuxlate.cli.context import Invocation
    from gpuxlate.config.configuration import Config


def exclusion(run: Invocation, known: Config | None) -> Exclusion:
    """What ``exclude`` of a configuration and of this run leave out. Raises CliError."""
    always = []
    if run.exclude:
        texts = [one for text in run.exclude for one in text.split(",") if one]
        try:
            always.append(ExcludePatterns(os.path.realpath(os.curdir), Patterns(texts), "--exclude"))
        except ValueError as error:
            raise CliError(
                msg(
                    "invalid value {names!r} for --exclude: {error}",
                    names=",".join(texts),
                    error=message_of(error),
                ),
                "write patterns as in .gitignore",
            ) from None
    if known is not None and (configured := known.excludes()):
        always.append(configured)
    return Exclusion(always, run.force_exclude)


def load(named: str | None) -> Config | None:
    """The configuration in a file that the user named, or that is found upwards. Raises CliError."""
    try:
        if named is None and find_config(os.getcwd()) is None:
            return None  # most runs have none: the models are not loaded
    except TwoFilesError as error:
        raise CliError(message_of(error), "keep one of them") from None
    from gpuxlate.config.configuration import ConfigError, config_for

    try:
        return config_for(os.getcwd(), named, plain_text)
    except ConfigError as error:
        raise CliError(
            message_of(error), "gpuxlate schema config prints every field" if error.read else None
        ) from None
