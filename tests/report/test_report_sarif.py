"""SARIF: the exact log of one run, and its structure by the tables of the OASIS specification.

No package that could be a development dependency carries the schema of SARIF 2.1.0, so the
properties that the specification allows and requires are said here, for the objects in use.
"""

import json
from typing import Any

from jsonschema import Draft202012Validator

from gpuxlate.model.diagnostics import Diagnostic, ObjectRef, Severity, Span
from gpuxlate.report import render
from gpuxlate.report.summary import Replacement, Summary, fingerprints
from tests.report.findings import RULES, SUMMARY, finding


def an_object(required: list[str] | None = None, **properties: object) -> dict[str, Any]:
    there = {"required": required or [], "properties": properties}
    return {"type": "object", "additionalProperties": False, **there}


def a_list(items: object, **more: object) -> dict[str, Any]:
    return {"type": "array", "items": items, **more}


TEXT = {"type": "string"}
NOT_EMPTY = {"type": "string", "minLength": 1}
FROM_ONE = {"type": "integer", "minimum": 1}
URI = {"type": "string", "pattern": r"^([A-Za-z0-9._~!$&'()*+,;=:@/-]|%[0-9A-F]{2})*$"}
LEVEL = {"enum": ["none", "note", "warning", "error"]}
MESSAGE = an_object(["text"], text=NOT_EMPTY)  # 3.11
MULTIFORMAT = an_object(["text"], text=TEXT, markdown=TEXT)  # 3.12
ARTIFACT_LOCATION = an_object(["uri"], uri=URI)  # 3.4
ENDS = ("startLine", "startColumn", "endLine", "endColumn")
# 3.30.4: text regions are given by lines and columns
REGION = an_object([*ENDS], **dict.fromkeys(ENDS, FROM_ONE))
PHYSICAL = an_object(["artifactLocation"], artifactLocation=ARTIFACT_LOCATION, region=REGION)  # 3.29
LOGICAL = an_object([], name=TEXT, fullyQualifiedName=TEXT, kind={"enum": ["object", "property", "value"]})
LOCATION = an_object([], physicalLocation=PHYSICAL, logicalLocations=a_list(LOGICAL, uniqueItems=True))
INSERTED = an_object(["text"], text=TEXT)
REPLACEMENT = an_object(["deletedRegion"], deletedRegion=REGION, insertedContent=INSERTED)
REPLACEMENTS = a_list(REPLACEMENT, minItems=1)
CHANGE = an_object(  # 3.56
    ["artifactLocation", "replacements"], artifactLocation=ARTIFACT_LOCATION, replacements=REPLACEMENTS
)
FIX = an_object(["artifactChanges"], description=MESSAGE, artifactChanges=a_list(CHANGE, minItems=1))  # 3.55
RESULT = an_object(  # 3.27
    ["ruleId", "ruleIndex", "level", "message", "partialFingerprints"],
    ruleId=NOT_EMPTY,
    ruleIndex={"type": "integer", "minimum": 0},
    level=LEVEL,
    message=MESSAGE,
    locations=a_list(LOCATION, minItems=1),
    partialFingerprints={"type": "object", "additionalProperties": TEXT},
    fixes=a_list(FIX, minItems=1, uniqueItems=True),
)
WORDS = dict.fromkeys(("shortDescription", "fullDescription", "help"), MULTIFORMAT)
SETTING = an_object(["level"], level=LEVEL)
DESCRIPTOR = an_object(  # 3.49
    ["id"], id=NOT_EMPTY, name=NOT_EMPTY, helpUri=URI, defaultConfiguration=SETTING, **WORDS
)
DRIVER_FIELDS = {"name": NOT_EMPTY, "semanticVersion": NOT_EMPTY, "informationUri": URI}
DESCRIPTORS = a_list(DESCRIPTOR, uniqueItems=True)
DRIVER = an_object(["name", "semanticVersion", "rules"], rules=DESCRIPTORS, **DRIVER_FIELDS)  # 3.19
NOTIFICATION = an_object(["message"], level=LEVEL, message=MESSAGE, locations=a_list(LOCATION))  # 3.58
SUCCESS = {"type": "boolean"}
INVOCATION = an_object(  # 3.20
    ["executionSuccessful"], executionSuccessful=SUCCESS, toolExecutionNotifications=a_list(NOTIFICATION)
)
RUN = an_object(  # 3.14
    ["tool", "results"],
    tool=an_object(["driver"], driver=DRIVER),
    invocations=a_list(INVOCATION),
    columnKind={"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
    results=a_list(RESULT),
)
RUNS = a_list(RUN, minItems=1, maxItems=1)
LOG = an_object(["version", "runs"], **{"$schema": NOT_EMPTY}, version={"const": "2.1.0"}, runs=RUNS)  # 3.13


def run_of(findings: list[Diagnostic], **more: Any) -> dict[str, Any]:
    log = json.loads(render("sarif", findings, more.pop("summary", Summary()), version="1.2.3", **more))
    Draft202012Validator(LOG).validate(log)
    schema = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
    [run] = log["runs"]
    assert log == {"$schema": schema, "version": "2.1.0", "runs": [run]}
    found: dict[str, Any] = run
    return found


def result_of(one: Diagnostic) -> dict[str, Any]:
    [found] = run_of([one])["results"]
    return dict(found)


def test_golden() -> None:
    one = finding()
    mended = [Replacement(11, 46, 11, 50, '"35"')]
    run = run_of([one], summary=SUMMARY, rules=RULES, replacements=lambda _: mended)
    example = 'resources: {limits: {tke.cloud.tencent.com/qgpu-core: "33"}}'
    prose = "Checks that `qgpu-core`\nis a multiple of 5."
    rule = {
        "id": "TKE002",
        "name": "cores-on-the-grid",
        "shortDescription": {"text": "Compute is a multiple of 5."},
        "fullDescription": {"text": "Checks that `qgpu-core` is a multiple of 5."},
        "help": {
            "text": f"What it does\n{prose}\n\nExample\n{example}\n\nSource\nA document.",
            "markdown": f"## What it does\n\n{prose}\n\n## Example\n\n```yaml\n{example}\n```\n\n"
            "## Source\n\nA document.",
        },
        "defaultConfiguration": {"level": "error"},
    }
    where = "Deployment/web/spec/template/spec/containers/0/resources/limits/tke.cloud.tencent.com~1qgpu-core"
    skipped = {"physicalLocation": {"artifactLocation": {"uri": "chart/templates/x.yaml"}}}
    note = {"level": "note", "message": {"text": "skipped: Helm template"}, "locations": [skipped]}
    file = {"uri": "deploy.yaml"}
    region = {"startLine": 11, "startColumn": 46, "endLine": 11, "endColumn": 50}
    logical = {"name": "tke.cloud.tencent.com/qgpu-core", "fullyQualifiedName": where, "kind": "value"}
    physical = {"artifactLocation": file, "region": region}
    location = {"physicalLocation": physical, "logicalLocations": [logical]}
    replacement = {"deletedRegion": region, "insertedContent": {"text": '"35"'}}
    change = {"artifactLocation": file, "replacements": [replacement]}
    result = {
        "ruleId": "TKE002",
        "ruleIndex": 0,
        "level": "error",
        "message": {"text": "qgpu-core is 33, which is no multiple of 5\nwrite 35"},
        "locations": [location],
        "partialFingerprints": {"gpuxlate/v1": fingerprints([one])[0]},
        "fixes": [{"description": {"text": "Round up to 35"}, "artifactChanges": [change]}],
    }
    name = {"name": "gpuxlate", "semanticVersion": "1.2.3"}
    assert run == {
        "tool": {"driver": {**name, "rules": [rule]}},
        "invocations": [{"executionSuccessful": True, "toolExecutionNotifications": [note]}],
        "columnKind": "unicodeCodePoints",
        "results": [result],
    }


def test_rules_are_those_that_fired_sorted_and_indexed() -> None:
    codes = ["VKE004", "ACK001", "TKE002", "ACK001"]
    run = run_of([finding(code=code) for code in codes], rules=RULES)
    listed = run["tool"]["driver"]["rules"]
    assert [one["id"] for one in listed] == ["ACK001", "TKE002", "VKE004"]
    # not known to `rules`
    assert listed[0] == {"id": "ACK001"}
    assert [listed[one["ruleIndex"]]["id"] for one in run["results"]] == codes


def test_files_are_uris() -> None:
    for file, uri in (
        ("./a b/模型.yaml", "a%20b/%E6%A8%A1%E5%9E%8B.yaml"),
        ("<stdin>", "%3Cstdin%3E"),
        ("a:b%c#d?.yaml", "a%3Ab%25c%23d%3F.yaml"),
        ("/etc/a b.yaml", "file:///etc/a%20b.yaml"),
        ("\udcff.yaml", "%FF.yaml"),  # the file named with the byte 0xFF
        ("\ud800.yaml", "%ED%A0%80.yaml"),
    ):
        [location] = result_of(finding(file=file))["locations"]
        assert location["physicalLocation"]["artifactLocation"] == {"uri": uri}


def test_logical_locations() -> None:
    pod = ObjectRef("v1", "Pod", "prod", "web")
    for one, logical in (
        (finding(path=(), object=pod), ("web", "prod/Pod/web", "object")),
        (finding(path=("spec", 0), on_key=True), ("0", "Deployment/web/spec/0", "property")),
    ):
        expected = dict(zip(("name", "fullyQualifiedName", "kind"), logical, strict=True))
        assert result_of(one)["locations"][0]["logicalLocations"] == [expected]


def test_a_finding_with_less() -> None:
    for severity, level in zip(Severity, ("error", "warning", "note"), strict=True):
        assert result_of(finding(severity=severity))["level"] == level
    [location] = result_of(finding(span=None))["locations"]
    assert location["physicalLocation"]["region"] == dict.fromkeys(ENDS, 1)  # the start of its file
    bare = result_of(Diagnostic("GX001", Severity.ERROR, "message"))  # no location, no fix
    assert sorted(bare) == ["level", "message", "partialFingerprints", "ruleId", "ruleIndex"]


def test_an_empty_run() -> None:
    run = run_of([])
    assert run["results"] == run["tool"]["driver"]["rules"] == []
    assert run["invocations"] == [{"executionSuccessful": True}]


def test_repeats_have_fingerprints_of_their_own() -> None:
    results = run_of([finding(), finding(span=Span(20, 1, 20, 2))])["results"]
    assert len({one["partialFingerprints"]["gpuxlate/v1"] for one in results}) == 2
