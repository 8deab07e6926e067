"""Every vendor to every other: one table of cases, run through the whole pipeline.

``cases.yaml`` says its own form at its head. It is written from the vendors' documents and the
contract, with the source beside each case, and never from what the code prints.
"""

from itertools import permutations
from typing import Any

import pytest

from gpuxlate.backends import registry
from gpuxlate.backends.alibaba import AlibabaProfile
from gpuxlate.backends.pod_writer import Accept
from gpuxlate.model.diagnostics import Severity
from gpuxlate.model.profile import Profile
from gpuxlate.rules import catalog
from gpuxlate.translation.fit import Verdict
from gpuxlate.translation.options import Settings
from gpuxlate.translation.results import Result
from gpuxlate.translation.translate import translate_source
from gpuxlate.yamltext.source import Source
from tests.pairs.manifests import deployment
from tests.tables import from_yaml, read_table, to_yaml

TABLE = read_table(__file__, "cases.yaml")
KEYS: dict[str, str] = TABLE["keys"]
CASES: list[dict[str, Any]] = TABLE["cases"]
PROFILES = {"ack-128mib": Profile("alibaba-gpushare", extensions=(AlibabaProfile(128, "share"),))}
EVERYTHING = Accept(True, {"cores": 60, "memoryMiB": 8192}, frozenset({"cores", "policy", "qos", "selector"}))
"""All that a user can allow."""
TARGETS = ("volcengine-mgpu", "alibaba-gpushare", "tencent-qgpu", "neutral")
"""The targets that write manifests of pods in a dialect that can be read again."""
MAPPINGS = ("labels", "annotations", "nodeSelector")

ROWS = [pytest.param(case, target, id=f"{case['name']}-{target}") for case in CASES for target in case["to"]]

Short = dict[str, Any]


def long_names(given: Short) -> Short:
    """A pod in short form with the keys written out."""

    def names(values: Short) -> Short:
        return {KEYS.get(name, name): value for name, value in values.items()}

    containers = given.get("containers", [{k: given[k] for k in ("limits", "requests", "env") if k in given}])
    made: Short = {"containers": [{part: names(one[part]) for part in one} for one in containers]}
    if "init" in given:
        made["init"] = [{part: names(one[part]) for part in one} for one in given["init"]]
    for part in (*MAPPINGS, "affinity"):
        if part in given:
            made[part] = names(given[part])
    return made


def manifest(short: Short) -> str:
    """A Deployment around a pod in short form."""
    numbered = {
        part: {f"{name}-{number}": one for number, one in enumerate(short.get(part, ()))}
        for part, name in (("containers", "main"), ("init", "init"))
    }
    affinity = short.get("affinity", {}).items()
    wanted = [{"key": key, "operator": "In", "values": values} for key, values in affinity]
    document = deployment(
        short | numbered, terms=[wanted] if wanted else [], nodeSelector=short.get("nodeSelector")
    )
    return to_yaml(document)


def short_form(text: str) -> Short:
    """What a manifest asks for, in the form of the table."""
    template = from_yaml(text)["spec"]["template"]
    metadata, spec = template["metadata"], template["spec"]
    found: Short = {"containers": [_short_container(one) for one in spec["containers"]]}
    if "initContainers" in spec:
        found["init"] = [_short_container(one) for one in spec["initContainers"]]
    labels = {key: value for key, value in metadata["labels"].items() if key != "app"}
    node = spec.get("affinity", {}).get("nodeAffinity", {})
    terms = node.get("requiredDuringSchedulingIgnoredDuringExecution", {}).get("nodeSelectorTerms", [])
    assert len(terms) <= 1
    wanted = [one for term in terms for one in term["matchExpressions"]]
    assert all(one["operator"] == "In" for one in wanted)
    parts = {
        "labels": labels,
        "annotations": metadata.get("annotations"),
        "nodeSelector": spec.get("nodeSelector"),
        "affinity": {one["key"]: one["values"] for one in wanted},
    }
    return found | {part: values for part, values in parts.items() if values}


def _short_container(container: dict[str, Any]) -> Short:
    found = dict(container.get("resources", {}))
    if "env" in container:
        found["env"] = {one["name"]: one["value"] for one in container["env"]}
    return found


def accept_of(flags: Short) -> Accept:
    return Accept(flags.get("round") == "up", flags.get("fill", {}), frozenset(flags.get("drop", [])))


def profile_of(case: Short) -> Profile | None:
    return PROFILES.get(case.get("profile", ""))


def run(case: Short, target: str, accept: Accept) -> Result:
    settings = Settings(registry.get(target), registry.get(case["from"]), accept, profile_of(case))
    text = manifest(long_names(case["pod"]))
    return translate_source(Source("case.yaml", text), settings)


def error_codes(done: Result) -> list[str]:
    return sorted({one.code for one in done.diagnostics if one.severity is Severity.ERROR})


def verdict_of(done: Result) -> str:
    order = list(Verdict)
    if not done.items and done.refused:  # keys that ask for no share, and are mistakes
        return Verdict.REFUSED.value
    return max((item.verdict for item in done.items), key=order.index).value


@pytest.mark.parametrize(("case", "target"), ROWS)
def test_translated(case: Short, target: str) -> None:
    """What is said without flags; with flags what is written, which is right in its own dialect."""
    expected = case["to"][target]
    bare = run(case, target, Accept())
    notes = {one.code for one in bare.diagnostics if one.severity is not Severity.ERROR}
    assert (verdict_of(bare), error_codes(bare), sorted(notes)) == (
        expected["verdict"],
        sorted(expected.get("codes", [])),
        sorted(expected.get("notes", [])),
    )
    if expected["verdict"] != "exact":
        assert not bare.changed, "a refusal writes nothing"
    if expected["verdict"] == "refused":
        done = run(case, target, EVERYTHING)
        assert (done.refused, done.changed) == (True, False), "no flag makes it fit"
        return
    done = run(case, target, accept_of(expected["with"])) if "with" in expected else bare
    if "refused" in expected:
        assert (error_codes(done), done.changed) == (sorted(expected["refused"]), False)
        return
    assert (error_codes(done), verdict_of(done)) == ([], expected["verdict"])
    assert short_form(done.text) == long_names(expected["gives"])
    mine = registry.get(target)
    other = registry.get("neutral" if target != "neutral" else case["from"])
    back = Settings(other, mine, EVERYTHING, profile_of(case))
    again = translate_source(Source("again.yaml", done.text), back)
    assert {rule.code for rule in mine.rules}.isdisjoint(error_codes(again)), "right in its own dialect"


def test_the_table_is_whole() -> None:
    """Every case goes to every other target; its codes exist; what is no refusal says what it gives."""
    names = [case["name"] for case in CASES]
    assert len(set(names)) == len(names) >= 40
    known = set(catalog.all_rules(registry.all_backends()))
    for case in CASES:
        assert case["source"]
        assert set(case["to"]) == set(TARGETS) - {case["from"]}, case["name"]
        for target, expected in case["to"].items():
            where = f"{case['name']} to {target}"
            assert {*expected.get("codes", []), *expected.get("notes", [])} <= known, where
            assert expected["verdict"] in list(Verdict), where
            assert ("gives" in expected or "refused" in expected) == (expected["verdict"] != "refused"), where
            assert bool(expected.get("codes")) == (expected["verdict"] != "exact"), where
            assert ("with" in expected) == (expected["verdict"] not in ("exact", "refused")), where


def test_every_pair_has_every_end() -> None:
    """From each dialect to each vendor there is an exact case, a lossy one and a refusal."""
    for source, target in permutations(TARGETS, 2):
        if target == "neutral":
            continue  # everything is exact there, but for what is broken in its own dialect
        found = {case["to"][target]["verdict"] for case in CASES if case["from"] == source}
        assert {"exact", "refused"} <= found, (source, target)
        assert found & {"rounded", "filled", "dropped"}, (source, target)
