"""What releases change in keys: the rows of ``releases.yaml``, and the keys of data sheets that have some."""

import pytest

from gpuxlate.backends import registry
from gpuxlate.backends.base import Backend
from gpuxlate.backends.rows import changes_of
from gpuxlate.model.profile import ChangeKind, Release, version_numbers
from gpuxlate.rules import releases

NAMED = (ChangeKind.NEW, ChangeKind.REMOVED, ChangeKind.RENAMED)
"""Changes after which a release does not read a name that another one reads."""
BACKENDS = [one for one in registry.all_backends() if one.components]


def test_every_release_is_of_a_component_that_a_profile_names() -> None:
    of_no_profile = {releases.KUBERNETES.name, "runai", "volcanoAddon"}
    known = {*registry.components(), *of_no_profile}
    assert {one["component"] for one in releases._documents()} <= known


@pytest.mark.parametrize("name", sorted({one["component"] for one in releases._documents()}))
def test_releases_are_in_their_order_and_have_a_source(name: str) -> None:
    documents = [one for one in releases._documents() if one["component"] == name]
    versions = [version for one in documents if (version := version_numbers(one["version"]))]
    assert len(versions) == len(documents)
    assert name == releases.KUBERNETES.name or versions == sorted(versions, key=lambda one: one.release)
    for document in documents:
        for change in document.get("changes", ()):
            assert change["source"]
            assert ChangeKind(change["change"]) is not ChangeKind.RENAMED or change["replacement"]


@pytest.mark.parametrize("backend", BACKENDS, ids=lambda one: one.name)
def test_a_row_says_that_releases_do_not_read_it(backend: Backend) -> None:
    """So that ``releases.yaml`` is read only where a pod has such a key."""
    dated = {
        name
        for component in backend.components
        for change in releases.key_changes(component)
        if change.change in NAMED
        for name in (change.key, change.replacement)
        if name
    }
    for row in backend.keys:
        if row.is_pattern:  # of cards that are not in the catalogue
            continue
        names = {row.name, row.template, *row.aliases}
        assert (row.component in backend.components) == bool(names & dated), row.name
        assert row.component is None or changes_of(row), row.name


@pytest.mark.parametrize("backend", BACKENDS, ids=lambda one: one.name)
def test_a_key_that_no_release_out_reads_is_known_as_coming(backend: Backend) -> None:
    for row in backend.keys:
        first = next((one.release for one in changes_of(row) if one.change is ChangeKind.NEW), None)
        assert (row.coming is not None) == (first is not None and first.announced), row.name


# the component, the releases that a profile tells of, and the newest one that is known
NEWEST: list[tuple[str, list[str], str | None]] = [
    ("hami", [], "2.11"),
    ("hami", ["2.10.3"], "2.11"),
    ("hami", ["2.12"], "2.12"),
    ("cgpu", [], None),
    ("cgpu", ["1.6.0"], None),  # there may be others, which nobody tells of
]


@pytest.mark.parametrize(("name", "told", "newest"), NEWEST)
def test_the_newest_release(name: str, told: list[str], newest: str | None) -> None:
    component = registry.components()[name]
    release = releases.newest(component, [Release(component, version) for version in told])
    assert (release.version if release else None) == newest


def test_the_newest_release_has_a_source() -> None:
    """And no release of the file is later."""
    known = {one["component"]: one for one in releases._documents() if "newest" in one}
    for name, document in known.items():
        component = {**registry.components(), releases.KUBERNETES.name: releases.KUBERNETES}[name]
        newest = releases.newest(component, [])
        assert newest is not None
        assert newest.version == document["version"]
        assert isinstance(document["newest"], str)
