"""The command: what it reads, in which formats it answers, and how it ends."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from gpuxlate.lint.check import lint_source
from gpuxlate.lint.settings import LintSettings
from gpuxlate.yamltext.source import Source
from tests.effort import FULL
from tests.lint.cases import write_cases
from tests.lint.conftest import command, lint, pod, write

ROOT = Path(__file__).parents[2]
SCHEMA = Draft202012Validator(json.loads((ROOT / "schemas" / "diagnostics.json").read_text()))

pytestmark = pytest.mark.usefixtures("folder")
ERROR = pod("aliyun.com/gpu-mem: 2Gi")  # K8S002 at 11:29
WARNING = pod("aliyun.com/gpu-mem: 4096")  # GX007 at 11:29
INFO = "apiVersion: v1\nkind: ConfigMap\ndata:\n  aliyun.com/gpu-mem: '8'\n"  # GX014 at 4:3
CLEAN = pod("aliyun.com/gpu-mem: 8")
STRANGER = "# of another tool\n- policy: {a: [1, 2]}\n  cores: 8\n"


# --- formats --------------------------------------------------------------------------------------


def test_json_fits_its_schema() -> None:
    write({"a.yaml": f"{ERROR}---\n{WARNING}", "b.yaml": INFO, "c/Chart.yaml": "name: c\n"})
    write({"c/templates/d.yaml": "{{ if }}\n", "e.yaml": "{a: b"})
    write({"f.yaml": CLEAN + "# gpuxlate: ignore[GX007]\n"})
    said = lint("a.yaml", "b.yaml", "c", "e.yaml", "f.yaml")
    assert list(SCHEMA.iter_errors(said.json)) == []
    assert said.json["format"] == "gpuxlate-diagnostics/v1"
    assert said.findings == [
        "a.yaml:11:29 K8S002",
        "a.yaml:23:29 GX007",
        "b.yaml:4:3 GX014",
        "c/templates/d.yaml:None:None GX012",
        "e.yaml:1:6 GX001",
        "f.yaml:12:1 GX009",
    ]
    names = ("files", "documents", "shares", "errors", "warnings", "infos", "suppressed")
    counts = dict(zip(names, (6, 4, 3, 2, 2, 2, 0), strict=True))
    skipped = [{"file": "c/templates/d.yaml", "reason": "Helm template"}]
    assert said.json["summary"] == {**counts, "skipped": skipped}
    first = said.diagnostics[0]
    assert first["document"] == 0
    assert first["object"] == {"apiVersion": "v1", "kind": "Pod", "namespace": None, "name": "web"}
    assert first["path"] == ["spec", "containers", 0, "resources", "limits", "aliyun.com/gpu-mem"]
    assert first["fix"] == {"safe": True, "title": "write 2"}
    assert (first["endLine"], first["endColumn"]) == (11, 32)
    assert "url" not in first, "there is no site"


def test_github_comes_by_itself_in_actions() -> None:
    write({"a.yaml": ERROR})
    place = b"file=a.yaml,line=11,col=29,endLine=11,endColumn=32"
    for arguments, start in (
        ("", b"::error %s,title=gpuxlate K8S002::aliyun.com/gpu" % place),
        ("--format text", b"error[K8S002]"),  # asked for by name
        ("--statistics", b"1  K8S002"),
    ):
        said = process("a.yaml", *arguments.split(), GITHUB_ACTIONS="true")
        assert (said.stdout.startswith(start), said.returncode) == (True, 1), said.stdout


def test_gitlab_and_sarif() -> None:
    write({"a.yaml": CLEAN + "---\n" + ERROR})
    [item] = json.loads(lint("a.yaml", as_="gitlab").out)
    assert (item["check_name"], item["severity"]) == ("K8S002", "major")
    assert item["location"] == {"path": "a.yaml", "lines": {"begin": 23}}
    said = lint("a.yaml", as_="sarif")
    assert said.code == 0
    (result,) = said.json["runs"][0]["results"]
    assert result["ruleId"] == "K8S002"
    region = {"startLine": 23, "startColumn": 29, "endLine": 23, "endColumn": 32}
    assert result["locations"][0]["physicalLocation"]["region"] == region
    assert result["partialFingerprints"]
    (change,) = result["fixes"][0]["artifactChanges"]
    assert change["replacements"] == [{"deletedRegion": region, "insertedContent": {"text": "2"}}]


def test_sarif_fixes_the_document_that_the_finding_stands_in() -> None:
    """Behind documents that are passed over unread, and beside others that could be mended alike."""
    write({"a.yaml": "---\n".join(["---\na: 1\n", "b: 1\n", ERROR, CLEAN, ERROR])})
    results = lint("a.yaml", as_="sarif").json["runs"][0]["results"]
    lines = [one["locations"][0]["physicalLocation"]["region"]["startLine"] for one in results]
    mended = [one["fixes"][0]["artifactChanges"][0]["replacements"] for one in results]
    assert lines == [changes[0]["deletedRegion"]["startLine"] for changes in mended]
    assert len(set(lines)) == 2


def test_nothing_found() -> None:
    write({"a.yaml": CLEAN})
    for name in ("text", "github", "gitlab", "sarif", "json"):
        said = lint("a.yaml", as_=name)
        assert (said.code, said.err) == (0, "")
        assert said.out == "no findings in 1 file\n" if name == "text" else "K8S" not in said.out


# --- exit codes -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "codes"),
    [(ERROR, (1, 1, 1, 0)), (WARNING, (0, 1, 1, 0)), (INFO, (0, 0, 1, 0)), (CLEAN, (0, 0, 0, 0))],
    ids=["error", "warning", "info", "clean"],
)
def test_fail_on(text: str, codes: tuple[int, ...]) -> None:
    write({"a.yaml": text})
    levels = ("error", "warning", "info", "never")
    for name in ("text", "json", "sarif"):
        assert tuple(lint("a.yaml", "--fail-on", level, as_=name).code for level in levels) == codes
        assert lint("a.yaml", as_=name).code == (0 if name == "sarif" else codes[0])


def test_an_unknown_code_is_a_usage_error_whatever_there_is_to_read() -> None:
    """What else is wrong usage is in tests/errors/cases/01-command-line.yaml."""
    assert lint(".", "--ignore", "VKE12").code == 2
    write({"a.yaml": ERROR})
    for code, hint in (("K8S02", "did you mean K8S002?"), ("NOPE", "gpuxlate rules lists them")):
        done = lint("a.yaml", "--ignore", code, as_=None)
        assert (done.code, done.out, done.err) == (2, "", f"error: no rule '{code}'\nhelp: {hint}\n")


# --- selection ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "codes"),
    [
        ("", "K8S002 GX007 GX014"),
        ("--select K8S002", "K8S002"),
        ("--select gx", "GX007 GX014"),
        ("--select K8S,GX014", "K8S002 GX014"),
        ("--select K8S --select GX007", "K8S002 GX007"),
        ("--select ALL --ignore GX", "K8S002"),
        ("--ignore K8S002,GX007", "GX014"),
        ("--select VKE", ""),
        ("--ignore ALL", ""),
    ],
)
def test_selection(arguments: str, codes: str) -> None:
    write({"a.yaml": ERROR + "---\n" + WARNING, "b.yaml": INFO})
    said = lint(".", *arguments.split())
    assert (said.codes, said.code) == (codes.split(), 1 if "K8S002" in codes else 0)


def test_statistics() -> None:
    write({"a.yaml": ERROR + "---\n" + ERROR, "b.yaml": INFO})
    said = lint(".", "--statistics", as_=None)
    assert [line.split("  ")[:2] for line in said.out.splitlines()] == [["2", "K8S002"], ["1", "GX014"]]
    assert said.code == 1
    both = lint(".", "--statistics")
    assert both.codes == ["K8S002", "K8S002", "GX014"]
    assert both.err == said.out  # beside the format that programs read


# --- what is read ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "content", "said"),
    [
        ("a.yaml", "", "a.yaml: it is empty"),
        ("a.yaml", " \n\n", "a.yaml: it is empty"),
        ("a.yaml", b"\xef\xbb\xbf \n", "a.yaml: it is empty"),
        ("a.yaml", None, "a.yaml: no such file or directory"),
        ("a.yaml", b"name: \xff\n", "a.yaml: byte 6 (0xff) is not UTF-8; save the file as UTF-8"),
        ("a.yaml", CLEAN.encode("utf-16"), "a.yaml: byte 0 (0xff) is not UTF-8"),
        ("ok.yaml/b.yaml", None, "ok.yaml/b.yaml: not a directory"),
    ],
    ids=["empty", "blank", "mark", "missing", "no-utf-8", "utf-16", "below-a-file"],
)
def test_what_cannot_be_read(path: str, content: str | bytes | None, said: str) -> None:
    write({"ok.yaml": ERROR} if content is None else {"ok.yaml": ERROR, path: content})
    alone = lint(path, as_=None)
    assert (alone.code, said in alone.err) == (3, True)
    done = lint(path, "ok.yaml")  # others are checked all the same
    assert (done.code, said in done.err, done.findings) == (3, True, ["ok.yaml:11:29 K8S002"])


def test_bytes_behind_what_is_no_yaml() -> None:
    """A file is text or it is not: the other files are checked."""
    for key in (b"a", b"aliyun.com/gpu-mem"):
        write({"a.yaml": b"%b: [\n---\n%b: \xff\n" % (key, key), "b.yaml": ERROR})
        done = lint("a.yaml", "b.yaml")
        assert done.code == 3
        assert "a.yaml: byte" in done.err
        assert done.findings == ["b.yaml:11:29 K8S002"]


def test_a_folder_is_never_passed_over_in_silence() -> None:
    write({"a.yaml": CLEAN, "sub/b.yaml": b"note: \xe9\n", "sub/c.yaml": STRANGER.encode("utf-16-le")})
    (Path("sub") / "d.yaml").symlink_to("nowhere")
    done = lint(".")
    assert done.code == 3
    assert "sub/b.yaml: byte 6 (0xe9) is not UTF-8" in done.err
    assert "sub/d.yaml: a link that leads to no file" in done.err
    assert done.findings == ["sub/c.yaml:1:2 GX001"]
    write(
        {"ok.yaml": ERROR, "d/notes.txt": "a"}
    )  # beside others, one without manifests: tests/errors has it alone
    assert lint("d", "ok.yaml").findings == ["ok.yaml:11:29 K8S002"]


def test_a_folder_that_cannot_be_looked_into(monkeypatch: pytest.MonkeyPatch) -> None:
    write({"a.yaml": CLEAN, "secret/b.yaml": ERROR})
    scandir = os.scandir

    def refused(path: str | os.PathLike[str]) -> object:
        if str(path).endswith("secret"):
            raise PermissionError(13, "Permission denied", str(path))
        return scandir(path)

    monkeypatch.setattr("os.scandir", refused)
    done = lint(".")
    assert done.code == 3
    assert "secret: " in done.err


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_folder_that_may_not_be_read() -> None:
    write({"a.yaml": CLEAN, "secret/b.yaml": ERROR})
    Path("secret").chmod(0)
    try:
        done = lint(".")
    finally:
        Path("secret").chmod(0o755)
    assert (done.code, "secret: permission denied" in done.err) == (3, True)


def test_allow_empty() -> None:
    write({"a.yaml": "", "d/notes.txt": "a", "broken.json": '{"a": "b" // a comment\n}', "ok.yaml": ERROR})
    assert lint("a.yaml", "d", "--allow-empty", as_="text").code == 0
    # nothing in it could concern a GPU: a hook that passes every file has nothing to say of this one
    assert lint("broken.json", "--allow-empty").codes == []
    assert lint("broken.json").codes == ["GX001"]
    assert lint("ok.yaml", "a.yaml", "--allow-empty").codes == ["K8S002"]
    assert lint("gone.yaml", "--allow-empty").code == 3


def test_a_manifest_without_a_share_is_fine() -> None:
    write({"a.yaml": "apiVersion: v1\nkind: Service\nmetadata: {name: a}\n", "b.yaml": STRANGER})
    write({"c.json": '{"a": [1, 2]}', "d.yaml": "# comments alone\n", "e.yaml": "---\n---\n"})
    said = lint("a.yaml", "b.yaml", "c.json", "d.yaml", "e.yaml")
    assert (said.code, said.codes) == (0, [])


def test_folders_are_read_in_order_and_files_once() -> None:
    write({f"{name}.yaml": INFO for name in ("b", "a/z", "a/b", ".git/x", "node_modules/x", ".hidden")})
    write({"a/c.yml": INFO, "a/d.json": json.dumps({"data": {"aliyun.com/gpu-mem": 1}}), "a/e.txt": INFO})
    files = [one.partition(":")[0] for one in lint(".", "a", "./a/b.yaml").findings]
    assert files == [".hidden.yaml", "a/b.yaml", "a/c.yml", "a/d.json", "a/z.yaml", "b.yaml"]


def test_stdin() -> None:
    assert lint("-", stdin=ERROR).findings == ["<stdin>:11:29 K8S002"]
    said = lint("-")
    help_ = "help: nothing was checked; if that is intended, pass --allow-empty"
    assert (said.code, said.err) == (3, f"error: <stdin>: it is empty\n{help_}\n")
    assert lint("-", "--allow-empty").code == 0


def test_json_and_lists() -> None:
    container = {"name": "c", "resources": {"limits": {"aliyun.com/gpu-mem": "4G"}}}
    head = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "b", "namespace": "n"}}
    one = {**head, "spec": {"containers": [container]}}
    listed = {"apiVersion": "v1", "kind": "List", "items": [one, one]}
    write({"a.json": json.dumps(listed, indent=1), "b.json": json.dumps(listed)})
    said = lint("a.json", "b.json")
    found = [(d["code"], d["path"][:2], d["object"]["name"]) for d in said.diagnostics]
    assert found == [("K8S002", ["items", number], "b") for number in (0, 1)] * 2
    assert said.json["summary"]["shares"] == 4


def test_shares_that_only_annotations_have_are_counted() -> None:
    """KAI's `gpu-memory`: MiB of the first container, as inspect counts them."""
    notes = {"labels": {"kai.scheduler/queue": "q"}, "annotations": {"gpu-memory": "4000"}}
    head = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a", **notes}}
    containers = [{"name": "c"}, {"name": "d"}]
    write(
        {"a.json": json.dumps({**head, "spec": {"schedulerName": "kai-scheduler", "containers": containers}})}
    )
    assert lint("a.json").json["summary"]["shares"] == 1


# --- templates ------------------------------------------------------------------------------------


def test_the_templates_of_a_chart_are_skipped_and_counted() -> None:
    write({"chart/Chart.yaml": "name: c\n", "chart/values.yaml": "gpu: 8\n", "templates/c.yaml": ERROR})
    write({"chart/templates/a.yaml": ERROR, "chart/templates/sub/b.yaml": "{{ x }}: ["})
    said = lint(".")
    skipped = ["chart/templates/a.yaml", "chart/templates/sub/b.yaml"]
    assert said.findings == [
        *(f"{name}:None:None GX012" for name in skipped),
        "templates/c.yaml:11:29 K8S002",  # no Chart.yaml above it
    ]
    assert [one["file"] for one in said.json["summary"]["skipped"]] == skipped
    assert lint("chart/templates/a.yaml").codes == ["GX012"]
    assert lint("chart").code == 0


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("{{- if .Values.gpu }}", "11:9 GX012"),
        ("{{- end }}", "11:9 GX012"),
        ("aliyun.com/gpu-mem: {{ .Values.memory }}", "11:29 GX012"),  # YAML reads it as a mapping
        ("aliyun.com/gpu-mem: {{ .Values.memory | quote }}", "11:29 GX012"),
        ('{{ include "limits" . | nindent 8 }}', "11:9 GX012"),
        ("aliyun.com/gpu-mem: 2Gi # {{ a comment }}", "11:29 K8S002"),
        ('aliyun.com/gpu-mem: "{{ quoted }}"', "11:29 GX036"),
        ("aliyun.com/gpu-mem: {a: {b: c}}", "11:9 K8S001"),
        ("aliyun.com/gpu-mem: [", "13:1 GX001"),
    ],
)
def test_templates_elsewhere(line: str, found: str) -> None:
    write({"a.yaml": pod(line) + "status: {}\n"})
    said = lint("a.yaml")
    assert said.findings[0] == f"a.yaml:{found}"
    assert len(said.json["summary"]["skipped"]) == (1 if "GX012" in found else 0)


def test_a_template_among_manifests() -> None:
    template = pod("aliyun.com/gpu-mem: {{ .Values.memory }}\ncpu: 4Gi")
    write({"a.yaml": "---\n".join([ERROR, template, ERROR])})
    assert lint("a.yaml").findings == ["a.yaml:11:29 K8S002", "a.yaml:23:29 GX012", "a.yaml:36:29 K8S002"]


def test_a_broken_line_near_a_template_says_so() -> None:
    write({"a.yaml": "name: '{{ x }}'\nb: [\nc: d\n", "b.yaml": "name: '{{ x }}'\n\n\n\n\nb: [\nc: d\n"})
    near, far = (d["message"] for d in lint("a.yaml", "b.yaml").diagnostics)
    assert near.startswith("invalid YAML near a template's {{")
    assert "{{" not in far


# --- inspect reads the same, and counts pods, not containers ----------------------------------------


def test_totals_count_a_pod_once() -> None:
    share = "{limits: {vke.volcengine.com/mgpu-core: 30, vke.volcengine.com/mgpu-memory: 4096}}"
    text = (
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec:\n  replicas: 3\n  template:\n"
        f"    spec:\n      containers:\n      - {{name: a, resources: {share}}}\n"
        f"      - {{name: b, resources: {share}}}\n"
    )
    write({"a.yaml": f"{text}---\n{text}"})
    said = command("inspect", "a.yaml", "-o", "json")
    assert (said.code, len(said.json["items"])) == (0, 4)
    # 2 Deployments of 3 pods with 2 containers each
    totals = {"pods": 6, "cards": 12, "wholeCards": 0, "cores": 360, "memoryMiB": 49152}
    assert said.json["totals"] == {"volcengine-mgpu": totals}


def test_a_number_of_replicas_that_is_none() -> None:
    write({"a.yaml": pod("aliyun.com/gpu-mem: 4", spec=f"replicas: {'9' * 5000}")})
    said = command("inspect", "a.yaml", "-o", "json")
    assert (said.code, said.json["items"][0]["replicas"]) == (0, 1)


def test_what_inspect_cannot_count() -> None:
    share = pod("aliyun.com/gpu-mem: 4")
    for path, content, code, words in (
        ("empty.yaml", "", 3, "empty.yaml: it is empty"),
        ("wide.yaml", share.encode("utf-16"), 3, "is not UTF-8"),
        ("broken.yaml", "a: [", 1, "GX001"),
        ("template.yaml", pod("aliyun.com/gpu-mem: {{ .Values.gpu }}"), 0, "GX012"),
        ("templates/a.yaml", share, 0, "GX012"),
    ):
        write({"Chart.yaml": "name: c", path: content})
        said = command("inspect", path)
        assert (said.code, words in said.err) == (code, True), path


# --- the same again -------------------------------------------------------------------------------


def process(*arguments: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-c", "from gpuxlate.cli import main; main()", "lint", *arguments],
        env={**os.environ, **environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )


def test_the_same_bytes_on_every_run_in_order() -> None:
    write_cases(Path())
    runs = [("0", "json"), ("1", "json"), ("0", "text"), ("7", "text"), ("4711", "json")]
    found: dict[str, set[tuple[bytes, bytes]]] = {"json": set(), "text": set()}
    for seed, name in runs if FULL else runs[:4]:
        done = process("--format", name, ".", PYTHONHASHSEED=seed)
        assert done.returncode == 1
        assert len(done.stdout) > 10_000
        found[name].add((done.stdout, done.stderr))
    [(out, _)], [_] = found.values()
    diagnostics = json.loads(out)["diagnostics"]
    places = [(one["file"], one["line"] or 0, one["column"] or 0, one["code"]) for one in diagnostics]
    assert places == sorted(places)
    assert len(places) > 100


PATHS = ["good.yaml", "bad.yaml", ".", "good.yaml bad.yaml", "none.yaml", "broken.yaml", ""]


@pytest.mark.parametrize("paths", PATHS)
def test_paths_alone_take_a_shorter_way_to_the_same_answer(paths: str) -> None:
    """``lint PATH`` is run without the library for options, ``lint PATH --fail-on error`` with it."""
    write({"good.yaml": "a: 1\n", "broken.yaml": "a: [1\n"})
    write({"bad.yaml": "metadata: {annotations: {aliyun.com/gpu-memm: '3'}}\nkind: Pod\n"})
    named = paths.split(" ")
    short, long = process(*named), process(*named, "--fail-on", "error")
    assert (short.returncode, short.stdout, short.stderr) == (long.returncode, long.stdout, long.stderr)
    assert short.returncode in (0, 1, 2, 3)


@pytest.mark.parametrize(
    ("tag", "skipped"),
    [
        ("{{/* a comment of Helm */}}", "Helm template"),  # Go, text/template: "comments"
        ("{{- if .Values.x }}", "Helm template"),
        ("{{/if}}", "template"),  # Handlebars, "Block helpers"
        ("{{#if x}}", "template"),
        ("{{! a comment of Handlebars }}", "template"),
        ("{% if x %}", "template"),  # Jinja, "Template Designer Documentation"
        ("{# a comment of Jinja #}", "template"),
    ],
)
def test_whose_template_is_skipped(tag: str, skipped: str) -> None:
    text = f"{tag}\naliyun.com/gpu-mem: {{{{ .Values.memory }}}} MiB\n"
    assert lint_source(Source("a.yaml", text), LintSettings()).skipped == skipped
