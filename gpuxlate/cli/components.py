"""Versions of a cluster's software on the command line: ``hami=2.11``, and two, ``hami=2.10..2.11``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from gpuxlate.cli import printing
from gpuxlate.cli.options import InvalidValueError
from gpuxlate.model.messages import did_you_mean, msg, titled
from gpuxlate.model.profile import Component, Profile, Release, at_least, version_numbers

WITH, UPGRADE = "--with", "--upgrade"
KUBERNETES_COMPONENT = "kubernetes"


def with_components(profile: Profile | None, texts: Sequence[str]) -> Profile | None:
    """A profile with the versions of ``--with``, which take the place of its own. Raises UserError."""
    if not texts:
        return profile
    usual = profile or Profile()
    return in_versions(usual, component_versions(texts, [usual]))


def component_versions(texts: Sequence[str], profiles: Iterable[Profile]) -> dict[str, str]:
    """The versions of ``--with``, by component; ``profiles`` may add releases. Raises UserError."""
    profile_releases = [change.release for profile in profiles for change in profile.releases]
    return dict(_version(text, profile_releases) for text in texts)


def in_versions(profile: Profile, versions: Mapping[str, str]) -> Profile:
    """A profile with some versions in place of its own. That of Kubernetes is no component of a profile."""
    components = {**profile.components, **versions}
    kubernetes = components.pop(KUBERNETES_COMPONENT, profile.kubernetes_version)
    return replace(profile, components=components, kubernetes_version=kubernetes)


def _version(text: str, profile_releases: Iterable[Release]) -> tuple[str, str]:
    name, equals, version = text.partition("=")
    component = _component(WITH, text, name)
    if not equals or version_numbers(version) is None:
        raise InvalidValueError(WITH, text, msg("write {name}=VERSION, as in hami=2.11", name=name))
    _check_documented(WITH, text, component, version, profile_releases)
    return component.name, version


def _check_documented(
    option: str, text: str, component: Component, version: str, profile_releases: Iterable[Release]
) -> None:
    """Refuse a version after a release that is not out yet; say of another later one that it is not known.

    Raises UserError.
    """
    from gpuxlate.rules.releases import newest_before

    last = newest_before(component, version, profile_releases)
    if last is None:
        return
    if not last.announced:
        _note_newer(component, version, last)
        return
    hint = msg(
        "the newest release of {title} that is known is {version}: what a later one changes, "
        "releases of a profile can say",
        title=component.title,
        version=last.version,
    )
    raise InvalidValueError(option, text, hint)


def note_newer(profile: Profile) -> None:
    """A note for each version of a profile that is later than the newest that is known."""
    from gpuxlate.backends import registry
    from gpuxlate.rules.releases import KUBERNETES, newest_before

    versions = [(registry.components()[name], version) for name, version in profile.components.items()]
    if profile.kubernetes_version:
        versions.append((KUBERNETES, profile.kubernetes_version))
    told = [change.release for change in profile.releases]
    for component, version in versions:
        last = newest_before(component, version, told)
        if last is not None:
            _note_newer(component, version, last)


def _note_newer(component: Component, version: str, last: Release) -> None:
    """A note that a version is not known, and of the one whose rules count in its place."""
    template = "{title} {version} is later than any release that gpuxlate knows: it is read as {last}"
    named = {"title": component.title, "version": version, "last": str(last)}
    printing.info(titled("note", msg(template, **named)))


def before_and_after(profile: Profile | None, text: str) -> tuple[Profile, Profile]:
    """A profile before an upgrade and after it. Raises UserError."""
    name, _, versions = text.partition("=")
    component = _component(UPGRADE, text, name)
    old, dots, new = versions.partition("..")
    if not dots or version_numbers(old) is None or version_numbers(new) is None:
        raise InvalidValueError(UPGRADE, text, msg("write {name}=OLD..NEW, as in hami=2.10..2.11", name=name))
    if at_least(old, new):
        hint = msg("write the older one first: {name}={new}..{old}", name=name, new=new, old=old)
        raise InvalidValueError(UPGRADE, text, hint if old != new else "write two versions")
    of_profile = [
        change.release
        for change in (profile.releases if profile else ())
        if change.release.component == component
    ]
    _check_documented(UPGRADE, text, component, new, of_profile)
    from gpuxlate.rules.releases import key_changes

    documented = [change.release for change in key_changes(component)]
    if not any(
        at_least(new, release.version) and not at_least(old, release.version)
        for release in (*documented, *of_profile)
    ):
        listed = ", ".join(dict.fromkeys(release.version for release in documented)) or "-"
        hint = msg("releases of {title} that change keys: {listed}", title=component.title, listed=listed)
        raise InvalidValueError(UPGRADE, text, hint)
    usual = profile or Profile()
    return in_versions(usual, {component.name: old}), in_versions(usual, {component.name: new})


def _component(option: str, text: str, name: str) -> Component:
    from gpuxlate.backends import registry

    components = dict(registry.components())
    if option == WITH:  # what its releases change is in no key of a pod
        from gpuxlate.rules import releases

        components[KUBERNETES_COMPONENT] = releases.KUBERNETES
    if name in components:
        return components[name]
    hint = did_you_mean(name, components, msg("components: {names}", names=", ".join(sorted(components))))
    raise InvalidValueError(option, text, hint)
