"""What holds of every patch: in a part of a manifest nothing is wrong that is not wrong in the whole."""

import json
from collections.abc import Callable, Iterator
from copy import deepcopy
from functools import partial, reduce
from typing import Any

import pytest
import yaml

from gpuxlate.backends import registry
from gpuxlate.config.configuration import load_profile
from gpuxlate.lint.check import lint_source
from gpuxlate.lint.settings import LintSettings
from gpuxlate.model.profile import Profile
from gpuxlate.overlays.parts import OverlayPod
from gpuxlate.overlays.patched_pods import patched_pods
from gpuxlate.overlays.roles import MANIFESTS, FileKind, FileRole
from gpuxlate.rules.catalog import all_rules
from gpuxlate.yamltext.source import Source
from tests.effort import some
from tests.lint.cases import SERVED, Case, cases
from tests.tables import read_table

NAMES = ("apiVersion", "kind", "name")
Path = tuple[Any, ...]
PATCH = FileRole(
    FileKind.PATCH, lambda document: [OverlayPod(pod) for pod in patched_pods(document)], is_overlay=True
)
"""A patch of which nothing else is known."""


def leaves(node: Any, path: Path = ()) -> Iterator[Path]:
    """The paths of all values, mappings and lists of them apart; without what names an object."""
    if isinstance(node, dict):
        for key, value in node.items():
            if key not in NAMES:
                yield from leaves(value, (*path, key))
    elif isinstance(node, list) and any(isinstance(one, dict) for one in node):
        for number, one in enumerate(node):
            yield from leaves(one, (*path, number))
    else:
        yield path


def pruned(node: Any, kept: set[Path], path: Path = ()) -> Any:
    """The manifest with some of its values."""
    if isinstance(node, dict):
        there = {here[: len(path) + 1] for here in kept}
        return {
            key: value if key in NAMES else pruned(value, kept, (*path, key))
            for key, value in node.items()
            if key in NAMES or (*path, key) in there
        }
    if isinstance(node, list) and path not in kept:
        return [pruned(one, kept, (*path, number)) for number, one in enumerate(node)]
    return node


def parts(manifest: Any) -> list[Callable[[], Any]]:
    """What makes the manifest without each one of its values, mappings and lists, and with that one alone."""
    every = list(leaves(manifest))
    return [
        partial(part, manifest, step)
        for step in dict.fromkeys(one[:end] for one in every for end in range(1, len(one) + 1))
        for part in (without_value, alone, *([without] if isinstance(step[-1], int) else []))
    ]


def below(manifest: Any, path: Path) -> set[Path]:
    return {one for one in leaves(manifest) if one[: len(path)] == path}


def without_value(manifest: Any, path: Path) -> Any:
    """The manifest without what is at a path."""
    return pruned(manifest, {*leaves(manifest)} - below(manifest, path))


def alone(manifest: Any, path: Path) -> Any:
    """The manifest with what is at a path alone."""
    return pruned(manifest, below(manifest, path))


def without(manifest: Any, path: Path) -> Any:
    """The manifest without an item of a list."""
    left = deepcopy(manifest)
    holder = reduce(lambda node, step: node[step], path[:-1], left)
    if len(holder) > 1:
        del holder[path[-1]]
    return left


def found(manifest: Any, profile: Profile | None, role: FileRole = MANIFESTS) -> dict[str, str]:
    """The code and severity of each finding, with its message."""
    source = Source("patch.yaml", json.dumps(manifest))
    linted = lint_source(source, LintSettings(profile, role=role))
    # an object without containers is no pod, and an ignore of the whole may be gone
    listed = [one for one in linted.diagnostics if one.code not in ("GX014", "GX009")]
    return {f"{one.code} {one.severity}": one.message for one in listed}


MORE = read_table(__file__, "parts.yaml")
MIXED = {"ACK004", "ACK008", "DRA007", "GX042", "K8S009", "K8S011", "K8S013", "VKE005", "VKE010"}
"""Rules that say it of single findings, and whose cases have no others; and those of volumes and of queues,
which are compared in whole objects."""


def check_parts(manifest: Any, profile: Profile | None) -> None:
    right = found(manifest, profile)
    # the annotations of HAMi's scheduler belong to several dialects: without resources each judges them
    said = {message.partition(", which ")[0] for message in right.values()}
    drawn_parts = (part() for part in some(parts(manifest)))
    alike = {json.dumps(part): part for part in drawn_parts}  # what is below one entry is below the next
    wrong = {
        f"{key}: {message}": part
        for part in alike.values()
        for key, message in found(part, profile, PATCH).items()
        if key not in right and message.partition(", which ")[0] not in said
    }
    assert wrong == {}


def parts_have_no_findings_of_their_own(case: Case) -> None:
    if case.name.endswith(".json") or "ignore" in case.text or case.code == "GX025" or case.id in SERVED:
        return
    try:
        manifests = list(yaml.safe_load_all(case.text))
    except yaml.YAMLError:  # a template, or text that a rule is about
        return
    for one in manifests:
        if isinstance(one, dict) and one.get("kind") not in ("GPUShare", "Decisions"):
            check_parts(one, case.profile)


@pytest.mark.parametrize("more", MORE, ids=[one["because"] for one in MORE])
def test_the_rest_of_a_manifest_makes_it_right(more: dict[str, Any]) -> None:
    """Each of these manifests tries what it is for: as objects of their own, parts of it break the rules."""
    manifest = yaml.safe_load(more["manifest"])
    profile = load_profile(more["profile"]) if "profile" in more else None
    check_parts(manifest, profile)
    right = found(manifest, profile)
    wrong = {key.split()[0] for part in parts(manifest) for key in found(part(), profile) if key not in right}
    assert set(more["because"].split()) <= wrong


def test_what_is_there_is_checked_in_a_patch_too() -> None:
    """The rules that find nothing in any of their cases as a patch are those about what is missing."""
    silent = {case.code for case in cases() if case.is_bad}
    for case in cases():
        linted = lint_source(case.source, LintSettings(case.profile, role=PATCH))
        silent -= {one.code for one in linted.diagnostics}
    rules = all_rules(tuple(registry.all_backends()))
    assert {code for code in silent if not rules[code].missing} == MIXED
