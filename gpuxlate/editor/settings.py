"""What applies to a file: the configuration above it, the profile, and the targets of interest."""

from __future__ import annotations

import os
from dataclasses import dataclass

from gpuxlate.backends import registry
from gpuxlate.backends.base import Backend
from gpuxlate.config.configuration import Config, config_for, find_profile
from gpuxlate.lint.check import LintSettings
from gpuxlate.lint.select import Selection
from gpuxlate.model.profile import Profile
from gpuxlate.translation.settings import Settings
from gpuxlate.yamltext.plain import plain_text


@dataclass(frozen=True, slots=True)
class Options:
    """The options of the command. ``targets``: in place of those of the configuration's profiles.

    ``config``: a configuration for all files; ``isolated``: none for any.
    """

    profile: str | None = None
    targets: tuple[str, ...] = ()
    config: str | None = None
    isolated: bool = False


@dataclass(frozen=True, slots=True)
class Here:
    """What applies to one file. ``targets``: each by the name that the user gave it, with its profile."""

    lint: LintSettings
    targets: dict[str, Settings]

    @property
    def profile(self) -> Profile | None:
        return self.lint.profile

    def reading(self) -> Settings:
        """To read the shares alone."""
        return Settings(registry.get("neutral"), reads_only=True, profile=self.profile)

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
    return Here(Selection.of((), (), config, profile).for_file(path), targets)


def _profiles(config: Config | None, chosen: Profile | None) -> list[Profile]:
    """The chosen profile, and all of the configuration."""
    names = config.profiles if config else ()
    return [*([chosen] if chosen else ()), *(find_profile(one, config, plain_text) for one in names)]


def _writes_pods(profile: Profile) -> bool:
    return writes_pods(registry.get(profile.target))


def writes_pods(backend: Backend) -> bool:
    """Manifests can be translated to the target."""
    return not backend.reads_only and not backend.form_module
