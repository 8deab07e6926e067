"""json, github, gitlab: exact output; and what holds for every format."""

import json
import re
from pathlib import Path

import pytest

from gpuxlate.model.diagnostics import Severity, Span
from gpuxlate.report import FORMATS, render
from gpuxlate.report.json import to_json_text
from gpuxlate.report.summary import Summary, fingerprints, json_pointer, repository_path
from tests.report.findings import QGPU_CORE, RULES, SUMMARY, finding

EVIL = "100%\r\n::error::forged, a:b ##[error]x ##vso[a.b]c \x1b[2J\x9b\u202e\ud800"


def test_json_is_the_form_of_the_contract() -> None:
    rendered = render("json", [finding(message="显存 33")], SUMMARY)
    assert '"message": "显存 33"' in rendered
    assert rendered.startswith('{\n  "format": "gpuxlate-diagnostics/v1",\n  "diagnostics": [\n    {\n')
    words = {"code": "TKE002", "severity": "error", "message": "显存 33", "hint": "write 35"}
    place = {"file": "deploy.yaml", "document": 0, "line": 11, "column": 46, "endLine": 11, "endColumn": 50}
    of = {"apiVersion": "apps/v1", "kind": "Deployment", "namespace": None, "name": "web"}
    fix = {"safe": True, "title": "Round up to 35"}
    counts = {"files": 3, "documents": 4, "shares": 5, "errors": 2, "warnings": 1, "infos": 0}
    skipped = [{"file": "chart/templates/x.yaml", "reason": "Helm template"}]
    assert json.loads(rendered) == {
        "format": "gpuxlate-diagnostics/v1",
        "diagnostics": [{**words, **place, "path": [*QGPU_CORE], "object": of, "fix": fix}],
        "summary": {**counts, "suppressed": 1, "skipped": skipped},
    }


def test_github_golden() -> None:
    findings = [
        finding(),
        finding(severity=Severity.WARNING, hint=None, file="a,b:c%.yaml"),
        finding(severity=Severity.INFO, span=Span(3, 5, 9, 1), message="50% of a: b, c"),
        finding(span=None, file="./sub/empty.yaml", hint=None),
        finding(span=None, file=None, hint=None),
    ]
    message = "qgpu-core is 33, which is no multiple of 5"
    place = "line=11,col=46,endLine=11,endColumn=50"
    assert render("github", findings, SUMMARY).splitlines() == [
        f"::error file=deploy.yaml,{place},title=gpuxlate TKE002::{message}%0Awrite 35",
        f"::warning file=a%2Cb%3Ac%25.yaml,{place},title=gpuxlate TKE002::{message}",
        # no columns on an annotation over several lines
        "::notice file=deploy.yaml,line=3,endLine=9,title=gpuxlate TKE002::50%25 of a: b, c%0Awrite 35",
        f"::error file=sub/empty.yaml,title=gpuxlate TKE002::{message}",
        f"::error title=gpuxlate TKE002::{message}",
    ]


def test_github_commands_cannot_be_forged() -> None:
    rendered = render("github", [finding(message=EVIL, hint=EVIL, file=EVIL)], SUMMARY)
    assert rendered.count("\n") == 1
    escaped = "100%25%0D%0A::error::forged, a:b \\x23#[error]x \\x23#vso[a.b]c ␛[2J\\x9b\\u202e\\ud800"
    assert rendered.endswith(f"::{escaped}%0A{escaped}\n")


def test_gitlab_golden() -> None:
    findings = [
        finding(),
        finding(code="TKE008", severity=Severity.WARNING, hint=None),
        finding(code="GX012", severity=Severity.INFO, hint=None, file="./a.yaml", span=None),
    ]
    message = "qgpu-core is 33, which is no multiple of 5"
    first, second = {"path": "deploy.yaml", "lines": {"begin": 11}}, {"path": "a.yaml", "lines": {"begin": 1}}
    names = ("check_name", "severity", "location", "description", "fingerprint")
    rows = (
        ("TKE002", "major", first, f"{message} (write 35)"),
        ("TKE008", "minor", first, message),
        ("GX012", "info", second, message),
    )
    assert json.loads(render("gitlab", findings, SUMMARY)) == [
        dict(zip(names, (*row, print_), strict=True))
        for row, print_ in zip(rows, fingerprints(findings), strict=True)
    ]


def test_fingerprints_are_the_same_in_every_version() -> None:
    # A changed value would close and reopen every finding that a code host tracks.
    same = finding(message="other words", span=Span(99, 1, 99, 2), severity=Severity.INFO, document=7)
    first = "1af204cd79df8db6bbdf3dfe8460b73564c8f4fc6e0344d32b6c173a7f5ee252"
    names = fingerprints([finding(), same, finding(), finding(file=None, object=None, path=())])
    assert names[0] == fingerprints([same])[0] == first
    assert len(set(names)) == 4  # repeats are numbered


def test_fingerprints_differ_by_file_object_place_and_code() -> None:
    one, other = finding(), finding(file="other.yaml")
    all_ = (one, other, finding(object=None), finding(path=("spec",)), finding(code="TKE003"))
    assert len({fingerprints([each])[0] for each in all_}) == len(all_)


def test_pointers_and_paths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert json_pointer(("a/b", 0, "c~d", "")) == "/a~1b/0/c~0d/"
    assert json_pointer(()) == ""
    monkeypatch.chdir(tmp_path)
    assert repository_path("./a/b.yaml") == repository_path(str(tmp_path / "a" / "b.yaml")) == "a/b.yaml"
    for file in ("../a.yaml", "/etc/a.yaml", "<stdin>"):
        assert repository_path(file) == file


@pytest.mark.parametrize("name", FORMATS)
def test_the_same_bytes_on_every_run_and_encodable(name: str) -> None:
    findings = [finding(message=EVIL, hint=EVIL, file=EVIL), finding(code="GX001"), finding()]
    runs = {
        render(name, findings, SUMMARY, lines=lambda _file, _line: EVIL, rules=RULES, version="1.2.3")
        for _ in range(3)
    }
    (rendered,) = runs
    rendered.encode("utf-8")
    assert rendered.endswith("\n")
    assert set(rendered) & set("\x1b\r\x9b\u202e") == set()
    assert re.findall(r"(?m)^\s*::error::|##\w*\[", rendered) == []


def test_json_keeps_its_values() -> None:
    value = {"##[a]": ["\\##vso[b]", "###[", "::c\n", "\x7f\u202e\udcff"]}
    assert json.loads(to_json_text(value)) == value
    assert "##vso[" not in to_json_text(value)


def test_no_findings() -> None:
    for name, rendered in (("github", ""), ("gitlab", "[]\n"), ("concise", "")):
        assert render(name, [], Summary()) == rendered


def test_an_unknown_format_is_refused() -> None:
    with pytest.raises(ValueError, match="unknown format 'xml'; formats: text, concise, json, "):
        render("xml", [], Summary())
