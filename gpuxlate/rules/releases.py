"""What releases of software change in keys and in values of charts: the rows of ``releases.yaml``.

A profile adds rows of its own (``releases``), which ``backends.rows`` adds to these.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from functools import cache
from importlib import resources
from typing import Any

from gpuxlate.model.profile import (
    ChangeKind,
    Component,
    Release,
    ReleaseChange,
    at_least,
    version_numbers,
)

KUBERNETES = Component("kubernetes", "Kubernetes")
"""The component whose version a profile has as ``kubernetesVersion``."""


@cache
def _documents() -> tuple[Mapping[str, Any], ...]:
    """The releases of the file, as its text has them."""
    from gpuxlate.yamltext.plain import plain_text

    return tuple(plain_text(resources.files(__package__).joinpath("releases.yaml").read_text("utf-8")))


def _release(document: Mapping[str, Any], component: Component) -> Release:
    return Release(component, document["version"], document.get("announced", False))


def read_release(document: Mapping[str, Any], component: Component) -> Iterator[ReleaseChange]:
    """The changes of one release. ``document``: an entry of the file, or of a validated profile."""
    release = _release(document, component)
    for change in document.get("changes", ()):
        yield ReleaseChange(
            release,
            change["key"],
            ChangeKind(change["change"]),
            change.get("replacement", ""),
            tuple(change.get("values", ())),
            change.get("text", ""),
            change.get("source", ""),
            document.get("chart", ""),
            change.get("above"),
        )


@cache
def key_changes(component: Component) -> tuple[ReleaseChange, ...]:
    """The changes that releases of a component make to keys of pods, the oldest first."""
    return tuple(change for change in _changes(component) if not change.chart)


@cache
def chart_changes(component: Component) -> tuple[ReleaseChange, ...]:
    """The changes that releases of a component make to the values of its Helm chart, the oldest first."""
    return tuple(change for change in _changes(component) if change.chart)


def _changes(component: Component) -> Iterator[ReleaseChange]:
    for document in _documents():
        if document["component"] == component.name:
            yield from read_release(document, component)


@cache
def versions_of(component: Component, key: str) -> tuple[str, ...]:
    """The releases of a component that change a key, the oldest first."""
    return tuple(change.release.version for change in key_changes(component) if change.key == key)


def newest(component: Component, profile_releases: Iterable[Release]) -> Release | None:
    """The newest known release of a component, from the file and from profiles.

    None if the file does not say which release is the newest.
    """
    listed = [
        _release(document, component)
        for document in _documents()
        if document["component"] == component.name and "newest" in document
    ]
    told = (release for release in profile_releases if release.component == component)
    by_number = {
        version.release: release
        for release in (*told, *listed)
        if (version := version_numbers(release.version)) is not None
    }
    return by_number[max(by_number)] if listed else None


def newest_before(component: Component, version: str, profile_releases: Iterable[Release]) -> Release | None:
    """The newest known release of a component, if ``version`` is of a later minor version.

    None if it is not, or if the versions cannot be compared.
    """
    last, installed = newest(component, profile_releases), version_numbers(version)
    if last is None or installed is None:
        return None
    newest_numbers = version_numbers(last.version)
    assert newest_numbers is not None
    return last if installed.minor > newest_numbers.minor else None


def refusing_release(versions: Mapping[str, str], components: Iterable[Component], name: str) -> str | None:
    """The title and version of a component in the cluster that refuses new pods with the key ``name``.

    ``versions``: of the cluster, by the names of components. None if no component refuses them.
    """
    for component in components:
        version = versions.get(component.name)
        if version is None:
            continue
        for change in key_changes(component):
            denied = change.change is ChangeKind.DENIED and fnmatchcase(name, change.key)
            if denied and at_least(version, change.release.version):
                return f"{component.title} {version}"
    return None


@cache
def first(component: Component, key: str, kind: ChangeKind) -> Release:
    """The first release with a change of this kind to a key. Raises StopIteration if there is none."""
    return next(
        change.release for change in key_changes(component) if change.key == key and change.change is kind
    )
