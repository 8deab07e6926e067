"""Reading: the shares of a pod, in each dialect. ``reading.yaml`` says its own form."""

from __future__ import annotations

from typing import Any

import pytest

from gpuxlate.backends import registry
from gpuxlate.config.configuration import load_profile
from gpuxlate.config.document import to_document
from gpuxlate.model.share import Share
from gpuxlate.translation.settings import Settings
from gpuxlate.translation.translate import translate_source
from gpuxlate.yamltext.source import Source
from tests.backends.pods import NAMES, PARTS, Short, full, listed, manifest, place, table

ABOUT = {"share", "shares", "found", "message", "profile", "named"}
TABLE: dict[str, Short] = table("reading.yaml")
ROWS = [
    pytest.param(dialect, row, id=f"{dialect} {row}"[:90])
    for dialect, section in TABLE.items()
    for row in section["rows"]
]


def pod_of(section: Short, row: Short) -> Short:
    """The pod of a row in short form."""
    pod = {name: value for name, value in row.items() if name not in ABOUT}
    if "place" in section:
        names = [name for name in pod if name not in PARTS and name not in NAMES]
        pod[section["place"]] = {name: pod.pop(name) for name in names}
    return {**section.get("each", {}), **full(pod, section.get("^", "^"))}


def spec(share: Share | None) -> Short | None:
    """A share as documents have it."""
    made: Short | None = to_document("web", share)["spec"] if share else None
    return made


@pytest.mark.parametrize(("dialect", "row"), ROWS)
def test_reading(dialect: str, row: Short) -> None:
    section = TABLE[dialect]
    given: Any = row.get("profile")
    profile = load_profile({"target": dialect, **given}) if given else None
    named = registry.get(dialect) if "named" in row else None
    settings = Settings(registry.get("neutral"), named, profile=profile, reads_only=True)
    done = translate_source(Source("pod.yaml", manifest(pod_of(section, row))), settings)
    found = [one for one in done.diagnostics if one.severity != "info"]
    said = [f"{one.code} {one.severity} {place(one.path)}" for one in found]
    assert said == [one.replace("^", section.get("^", "^")) for one in listed(row.get("found", []))]
    assert any(row.get("message", "") in one.message for one in found) or "message" not in row
    device = {"device": section["device"]} if "device" in section else {}
    shares = row.get("shares", {"c1": row["share"]} if "share" in row else {})
    expected = {name: share and {**share, **device} for name, share in shares.items()}
    read = {one.container: spec(one.share) for one in done.items if one.share or one.container in shares}
    assert read == expected
    assert {one.source for one in done.items} <= {dialect}
