"""What applies to a file: the configuration above it, the profile, and the targets of interest."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from typing import Any

from gpuxlate.backends import registry
from gpuxlate.backends.base import Backend
from gpuxlate.config.configuration import Config, config_for, find_profile
from gpuxlate.lint.check import LintSettings
from gpuxlate.lint.select import Selection
from gpuxlate.locale import LANGUAGES
from gpuxlate.model.messages import say
from gpuxlate.model.profile import Profile
from gpuxlate.translation.settings import Settings
from gpuxlate.yamltext.plain import plain_text


@dataclass(frozen=True, slots=True)
class Options:
    """The options of the command. ``targets``: in place of those of the configuration's profiles.

    ``config``: a configuration for all files; ``isolated``: none for any. ``lang``: of messages.
    """

    profile: str | None = None
    targets: tuple[str, ...] = ()
    config: str | None = None
    isolated: bool = False
    lang: str = "en"

    def over(self, given: object) -> Options:
        """With the settings of an editor in place of these: SETTINGS, on their own or below ``gpuxlate``.

        Raises ValueError for a setting that cannot be used, UnknownTargetError, ReadOnlyTargetError.
        """
        given = given.get(NAME, given) if isinstance(given, dict) else given
        if given is None:
            return self
        if not isinstance(given, dict):
            raise ValueError(say("settings are a mapping of {names}", names=", ".join(SETTINGS)))
        made = self
        for name, value in given.items():
            if name not in OF_CLIENTS and value not in (None, "", []):
                made = replace(made, **_setting(name, value))
        return made


NAME = "gpuxlate"
"""The section of an editor's settings."""
SETTINGS = ("lang", "profile", "to", "config")
"""What an editor may set, named as the options of the command."""
OF_CLIENTS = ("command", "trace")
"""Settings of the extension that starts the server."""


def _setting(name: str, value: object) -> dict[str, Any]:
    """A setting as the fields of Options."""
    if name == "to":
        names = [value] if isinstance(value, str) else value
        if isinstance(names, list) and all(isinstance(one, str) for one in names):
            if all(writes_pods(registry.writable(one)) for one in names):
                return {"targets": tuple(names)}
            raise ValueError(say("invalid target {name!r} for --to: it is not for manifests", name=value))
    elif name not in SETTINGS:
        raise ValueError(say("no setting {name!r}; settings: {names}", name=name, names=", ".join(SETTINGS)))
    elif isinstance(value, str) and (name != "lang" or value in LANGUAGES):
        return {name: value}
    allowed = ", ".join(LANGUAGES) if name == "lang" else say("a text")
    raise ValueError(
        say("invalid value {value!r} for {name}; write {allowed}", value=value, name=name, allowed=allowed)
    )


@dataclass(frozen=True, slots=True)
class Here:
    """What applies to one file. ``targets``: each by the name that the user gave it, with its profile.

    ``excluded``: the configuration leaves the file out.
    """

    lint: LintSettings
    targets: dict[str, Settings]
    excluded: bool = False

    @property
    def profile(self) -> Profile | None:
        return self.lint.profile

    def reading(self) -> Settings:
        """To read the shares alone."""
        return Settings.reading(profile=self.profile)

    def to(self, target: str) -> Settings:
        """To translate. Raises UnknownTargetError, ReadOnlyTargetError."""
        return self.targets.get(target) or Settings(registry.writable(target), profile=self.profile)


def settings_for(path: str | None, options: Options) -> Here:
    """Read what applies to a file now.

    Raises ConfigError, TwoFilesError, UnknownRuleError, UnknownTargetError, ReadOnlyTargetError.
    """
    config = None if options.isolated else config_for(path or os.getcwd(), options.config, plain_text)
    profile = find_profile(options.profile, config, plain_text) if options.profile else None
    profiles = _profiles(config, profile)
    names = options.targets or tuple(dict.fromkeys(one.target for one in profiles if _writes_pods(one)))
    targets = {}
    for name in names:
        backend = registry.writable(name)
        known = next((one for one in profiles if registry.get(one.target) is backend), profile)
        targets[name] = Settings(backend, profile=known)
    excludes = config.excludes() if config and path else None
    excluded = bool(excludes and path and excludes.covers(path))
    return Here(Selection.of((), (), config, profile).for_file(path), targets, excluded)


def _profiles(config: Config | None, chosen: Profile | None) -> list[Profile]:
    """The chosen profile, and all of the configuration."""
    names = config.profiles if config else ()
    return [*([chosen] if chosen else ()), *(find_profile(one, config, plain_text) for one in names)]


def _writes_pods(profile: Profile) -> bool:
    return writes_pods(registry.get(profile.target))


def writes_pods(backend: Backend) -> bool:
    """Manifests can be translated to the target."""
    return not backend.read_only and backend.writes_pods
