"""``lint --add-ignores``: every finding gets a comment with a reason, and nothing else changes."""

import re
from pathlib import Path

import pytest

from gpuxlate.lint.add_ignores import NOT_OF_A_LINE, add_ignores, is_json
from gpuxlate.lint.check import lint_source
from gpuxlate.lint.settings import LintSettings
from gpuxlate.yamltext.edit import with_comments
from gpuxlate.yamltext.parse import NotYamlError, documents
from gpuxlate.yamltext.plain import to_python
from gpuxlate.yamltext.plan import EditError
from gpuxlate.yamltext.source import Source
from gpuxlate.yamltext.splices import Splice
from tests.lint.cases import Case
from tests.lint.conftest import lint, pod, write

pytestmark = pytest.mark.usefixtures("folder")
IGNORE = r"# gpuxlate: ignore\[[A-Z0-9,]+\] so it is"
OURS = re.compile(rf"(?m)^ *{IGNORE}\n|  {IGNORE}$")
LONG = "x" * 90


def values(source: Source) -> list[object]:
    found: list[object] = []
    try:
        found += [to_python(one.root) for one in documents(source) if one.root]
    except NotYamlError as error:
        found.append(error.problem)
    return found


def every_finding_can_be_ignored(case: Case) -> None:
    if not case.findings:
        return
    newline = "\r\n" if len(case.text) % 2 else "\n"
    settings = LintSettings(case.profile)
    source = Source(case.source.name, case.text.replace("\n", newline))
    done = add_ignores(source, settings, "so it is")
    before = lint_source(source, settings).diagnostics
    after = lint_source(done.source, settings)
    assert after.diagnostics == done.linted.diagnostics
    left = [one.code for one in after.diagnostics]
    assert left == [one.finding.code for one in done.refused]
    assert set(left) <= NOT_OF_A_LINE or is_json(source)
    assert done.count == len(before) - len(left)
    # the old text is there, byte for byte, and reads as before
    assert OURS.sub("", done.source.text.replace("\r\n", "\n")) == case.text
    assert newline == "\n" or "\n" not in done.source.text.replace("\r\n", "")
    assert values(done.source) == values(source)
    again = add_ignores(done.source, settings, "so it is")
    assert (again.count, again.source.text) == (0, done.source.text)


COMMENT = "# gpuxlate: ignore[K8S002] so it is"
KEY = "aliyun.com/gpu-mem"
# the limits before and after
PLACES = {
    "at the end of the line": (f"{KEY}: 2Gi", f"{KEY}: 2Gi  {COMMENT}"),
    "behind a comment": (f"{KEY}: 2Gi # of a T4", f"{KEY}: 2Gi # of a T4  {COMMENT}"),
    "above a long line": (f"{KEY}: 2Gi # {LONG}", f"{COMMENT}\n{KEY}: 2Gi # {LONG}"),
    "above a block": (f"{KEY}: |-\n  2Gi", f"{COMMENT}\n{KEY}: |-\n  2Gi"),
    "above a string of several lines": (f'{KEY}: "2G\\\n  i"', f'{COMMENT}\n{KEY}: "2G\\\n  i"'),
    "behind a brace": (f"{KEY}: 2Gi\ncpu: {{\n}}", f"{KEY}: 2Gi  {COMMENT}\ncpu: {{\n}}"),
}


@pytest.mark.parametrize("name", PLACES)
def test_where_the_comment_is(name: str) -> None:
    before, after = PLACES[name]
    done = add_ignores(Source("web.yaml", pod(before)), LintSettings(), "so it is")
    assert done.source.text == pod(after)
    assert "K8S002" not in {one.code for one in done.linted.diagnostics}


def test_files_are_written_and_lint_is_clean() -> None:
    text = pod("aliyun.com/gpu-mem: 2Gi", name="网").encode()
    write({"bom.yaml": b"\xef\xbb\xbf" + text.replace(b"\n", b"\r\n"), "b/web.yml": text})
    would = lint("--add-ignores", "so it is", "--diff", as_=None)
    assert (would.code, would.err) == (1, "would ignore 2 findings\n")
    assert Path("b/web.yml").read_bytes() == text
    said = lint("--add-ignores", "so it is", as_=None)
    assert (said.code, said.err) == (0, "ignored 2 findings\n")
    assert said.out == "no findings in 2 files (2 suppressed)\n"
    assert Path("bom.yaml").read_bytes().startswith(b"\xef\xbb\xbfapiVersion: v1\r\n")
    assert lint("--fail-on", "info").findings == []


def test_stdin_to_stdout() -> None:
    said = lint("--add-ignores", "so it is", "-", as_=None, stdin=pod("aliyun.com/gpu-mem: 2Gi"))
    assert said.code == 0
    assert "2Gi  # gpuxlate: ignore[K8S002] so it is\n" in said.out
    assert lint("--add-ignores", "so it is", "-", as_=None, stdin=JSON).out == JSON


def test_what_is_no_comment_there_is_refused() -> None:
    for text in ("a: |\n  x\n  y\n", "a: 'x\n  y'\n", "a: x\n  y\n", "a: [x\n"):
        at = text.index("x\n") + 1
        with pytest.raises(EditError):
            with_comments(Source("a.yaml", text), [Splice(at, at, "  # y" if text != "a: [x\n" else ", y]")])


JSON = (
    '{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web"}, "spec": {"containers": [{"name": "web",'
    '"resources": {"limits": {"aliyun.com/gpu-mem": "2Gi"}}}]}}'
)
NO_LINE = "a comment cannot ignore it; see its help"
REFUSED = {
    "web.json": (JSON, "1: JSON has no comments; write the annotation gpuxlate.io/ignore: "),
    "broken.yaml": ("a: {b: aliyun.com/gpu-mem", f"1: {NO_LINE}"),
    "template.yaml": ("a: {{ .Values.gpu }}\naliyun.com/gpu-mem: {{ x }}{\n", f"2: {NO_LINE}"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_where_no_comment_can_be(name: str) -> None:
    text, remark = REFUSED[name]
    write({name: text})
    said = lint("--add-ignores", "so it is", "--fail-on", "info", name, as_=None)
    assert said.code == 1
    assert f"not ignored: {name}:{remark}" in said.err
    assert Path(name).read_text() == text


def test_what_is_no_reason() -> None:
    write({"web.yaml": pod("aliyun.com/gpu-mem: 2Gi")})
    for reason in ("", " ", "a\nb", "a\x85b", "\x1b[1m", "# gpuxlate: ignore[TKE001]"):
        said = lint("--add-ignores", reason, "web.yaml", as_=None)
        assert (said.code, said.out) == (2, "")
        assert "--add-ignores" in said.err
