"""The rules of the three clouds: pods that break each, at the exact place, and pods that keep it.

``rules.yaml`` says its own form. The first cases of each rule are in ``fixtures/lint``.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from gpuxlate.backends import registry
from gpuxlate.backends.base import Taking
from gpuxlate.model.diagnostics import Diagnostic
from gpuxlate.model.profile import Profile
from gpuxlate.rules.base import Context, check_pod
from tests.backends.pods import Short, changes, keys_of, listed, place, profile_of, table

RULES: dict[str, list[Short]] = table("rules.yaml")
CLOUDS = {
    prefix: registry.get(name)
    for prefix, name in (("TKE", "tencent-qgpu"), ("ACK", "alibaba-gpushare"), ("VKE", "volcengine-mgpu"))
}
EXPECTED = ("found", "fixes", "hint", "message")


def problem(code: str, row: Short) -> object:
    """What is not as the table says, None where all is."""
    backend = CLOUDS[code[:3]]
    keys = keys_of({name: row[name] for name in row if name not in (*EXPECTED, "profile")})

    def lint(profile: Profile | None) -> list[Diagnostic]:
        return list(check_pod(backend.rules, keys, Context(profile)))

    profile = profile_of(row, backend.name)
    found = lint(profile)
    said = [f"{one.code} {one.severity} {place(one.path)}".removeprefix(f"{code} ") for one in found]
    if said != listed(row.get("found", [])):
        return said
    fixes = [("safe " if one.fix.safe else "unsafe ") + changes(one.fix.edits) for one in found if one.fix]
    if "fixes" in row and fixes != listed(row["fixes"]):
        return fixes
    hints = "\n".join(str(one.hint) for one in found)
    messages = "\n".join(str(one.message) for one in found)
    if (
        not all(part in hints for part in listed(row.get("hint", [])))
        or row.get("message", "") not in messages
    ):
        return hints, messages
    if not all(one.message and one.hint for one in found):
        return "a finding without a message or a hint"
    if profile and not profile.extensions and lint(replace(profile, target="hami")) != lint(None):
        return "a profile of another vendor counts"
    if not code.startswith("VKE"):  # tests/conformance asks the same of readers, at random
        return None
    reading = backend.read(Taking(keys), None)
    reported = {one.code for one in (*reading.invalid, *reading.notes)}
    return f"the reader repeats a rule: {reported}" if reported - {"GX011"} else None


@pytest.mark.parametrize("code", RULES)
def test_rule(code: str) -> None:
    found = {str(row): problem(code, row) for row in RULES[code]}
    assert {row: one for row, one in found.items() if one is not None} == {}
