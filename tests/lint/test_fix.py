"""``--fix`` and ``--unsafe-fixes``: minimal edits, clean of the rule afterwards, nothing left to do."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.lint.conftest import Lint, Write, pod

Stdin = Callable[[str | bytes], None]

# --- bytes ----------------------------------------------------------------------------------------

ODD = (
    "# first: a comment  \r\n"
    "apiVersion:   v1   # spaces\r\n"
    "kind: 'Pod'\r\n"
    'metadata: {name: "w\\u0065b",   labels: {}  }\r\n'
    "\r\n"
    "spec:\r\n"
    "    containers:\r\n"
    "    -   name: web\r\n"
    "        resources:\r\n"
    "            limits:\r\n"
    "              # why: 两张卡\r\n"
    "              aliyun.com/gpu-mem:   2Gi     # «this»\r\n"
    "              cpu: 4\r\n"
    "  # the end, indented\r\n"
    "...\r\n"
)


@pytest.mark.parametrize("bom", [b"", b"\xef\xbb\xbf"], ids=["plain", "bom"])
@pytest.mark.parametrize("newline", ["\r\n", "\n"], ids=["crlf", "lf"])
@pytest.mark.parametrize("end", ["", "\n"], ids=["cut", "ended"])
def test_untouched_bytes_stay(
    lint: Lint, write: Write, tmp_path: Path, bom: bytes, newline: str, end: str
) -> None:
    text = ODD.replace("\r\n", newline).rstrip() + end
    data = bom + text.encode()
    write({"a.yaml": data})
    said = lint("a.yaml", "--fix")
    assert (said.code, said.codes) == (1, [])
    assert said.err == "fixed 1 finding\n"
    assert (tmp_path / "a.yaml").read_bytes() == data.replace(b"2Gi", b"2")
    assert lint("a.yaml", "--fix").code == 0


def test_only_safe_fixes_without_more(lint: Lint, write: Write, tmp_path: Path) -> None:
    text = pod("aliyun.com/gpu-mem: 5.5\naliyun.com/gpu-core.percentage: 30%")
    write({"a.yaml": text})
    said = lint("a.yaml", "--fix", "--select", "K8S")
    assert (said.code, said.codes) == (1, ["K8S001"])
    assert (tmp_path / "a.yaml").read_text() == text.replace("30%", "30")
    said = lint("a.yaml", "--unsafe-fixes", "--select", "K8S")
    assert (said.code, said.codes) == (1, [])
    assert (tmp_path / "a.yaml").read_text() == text.replace("30%", "30").replace("5.5", "6")


def test_only_what_is_selected_is_fixed(lint: Lint, write: Write, tmp_path: Path) -> None:
    text = pod("aliyun.com/gpu-mem: 2Gi", metadata="labels: {aliyun.com/gpu-count: 2}")
    write({"a.yaml": text})
    assert lint("a.yaml", "--fix", "--ignore", "K8S002").code == 1
    assert (tmp_path / "a.yaml").read_text() == text.replace("gpu-count: 2", 'gpu-count: "2"')


def test_an_ignored_finding_is_not_fixed(lint: Lint, write: Write, tmp_path: Path) -> None:
    text = pod("aliyun.com/gpu-mem: 2Gi  # gpuxlate: ignore[K8S002] it is so")
    write({"a.yaml": text})
    assert lint("a.yaml", "--fix").code == 0
    assert (tmp_path / "a.yaml").read_text() == text


def test_two_findings_of_one_place(lint: Lint, write: Write, tmp_path: Path) -> None:
    # the suffix goes first; what is left of the request is then below the limit
    write({"a.yaml": pod("aliyun.com/gpu-mem: 4", requests="aliyun.com/gpu-mem: 2Gi")})
    said = lint("a.yaml", "--fix")
    assert (said.code, said.codes, said.err) == (1, [], "fixed 2 findings\n")
    assert (tmp_path / "a.yaml").read_text() == pod("aliyun.com/gpu-mem: 4", requests="aliyun.com/gpu-mem: 4")


def test_a_value_and_its_place(lint: Lint, write: Write, tmp_path: Path) -> None:
    # an unquoted label on the workload alone, twice wrong
    text = (
        "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\n"
        "  labels:\n    aliyun.com/gpu-count: 2\n"
        "spec:\n  template:\n    metadata:\n      labels:\n        app: web\n    spec:\n      containers:\n"
        "      - name: web\n        resources:\n          limits:\n            aliyun.com/gpu-mem: 8\n"
    )
    write({"a.yaml": text})
    said = lint("a.yaml", "--fix")
    assert (said.code, said.codes) == (1, [])
    assert (tmp_path / "a.yaml").read_text() == text.replace(
        "  labels:\n    aliyun.com/gpu-count: 2\n", "", 1
    ).replace("        app: web\n", '        app: web\n        aliyun.com/gpu-count: "2"\n')


def test_several_pods_of_one_workload(lint: Lint, write: Write, tmp_path: Path) -> None:
    def group(name: str, memory: str) -> str:
        return (
            f"    {name}:\n      replicas: 1\n      template:\n        spec:\n          containers:\n"
            "          - name: pytorch\n"
            f"            resources: {{limits: {{aliyun.com/gpu-mem: {memory}}}}}\n"
        )

    def job(first: str, second: str) -> str:
        return (
            "apiVersion: kubeflow.org/v1\nkind: PyTorchJob\nmetadata: {name: train}\nspec:\n"
            "  pytorchReplicaSpecs:\n" + group("Master", first) + group("Worker", second)
        )

    write({"a.yaml": job("4Gi", "'8Gi'")})
    said = lint("a.yaml", "--fix")
    assert (said.code, said.codes, said.err) == (1, [], "fixed 2 findings\n")
    assert (tmp_path / "a.yaml").read_text() == job("4", "8")


def test_several_documents_and_files(lint: Lint, write: Write, tmp_path: Path) -> None:
    bad, good = pod("aliyun.com/gpu-mem: 2Gi"), pod("aliyun.com/gpu-mem: 2")
    stranger = "- no: manifest\n"
    write({"a.yaml": f"{bad}---\n{stranger}---\n{bad}", "d/b.yaml": bad, "d/c.yaml": stranger})
    untouched = (tmp_path / "d/c.yaml").stat().st_mtime_ns
    said = lint(".", "--fix")
    assert (said.code, said.err) == (1, "fixed 3 findings\n")
    assert (tmp_path / "a.yaml").read_text() == f"{good}---\n{stranger}---\n{good}"
    assert (tmp_path / "d/b.yaml").read_text() == good
    assert (tmp_path / "d/c.yaml").stat().st_mtime_ns == untouched


def test_a_shared_value_is_left_to_its_owner(lint: Lint, write: Write, tmp_path: Path) -> None:
    text = (
        "apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec:\n  containers:\n"
        "  - name: one\n    resources: &share {limits: {aliyun.com/gpu-mem: 2Gi}}\n"
        "  - name: two\n    resources: *share\n"
    )
    write({"a.yaml": text})
    said = lint("a.yaml", "--fix")
    assert set(said.codes) == {"GX005", "K8S002"}
    assert said.code == 1
    assert (tmp_path / "a.yaml").read_text() == text


def test_a_file_that_may_not_be_written(lint: Lint, write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    write({"a.yaml": pod("aliyun.com/gpu-mem: 2Gi"), "b.yaml": pod("aliyun.com/gpu-mem: 2Gi")})
    replace = Path.replace

    def refused(self: Path, target: Path) -> Path:
        if target.name == "a.yaml":
            raise PermissionError(13, "Permission denied", str(target))
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", refused)
    said = lint("a.yaml", "b.yaml", "--fix")
    assert said.code == 3
    assert said.err == "error: a.yaml: not fixed: permission denied\nfixed 1 finding\n"
    assert said.findings == ["a.yaml:11:29 K8S002"]


# --- stdin ----------------------------------------------------------------------------------------


def test_stdin_is_printed_fixed(lint: Lint, stdin: Stdin) -> None:
    stdin(pod("aliyun.com/gpu-mem: 2Gi\naliyun.com/gpu-core: 30"))
    said = lint("-", "--fix", as_=None)
    assert said.code == 1
    assert said.out.startswith("apiVersion: v1\nkind: Pod\n")
    assert "aliyun.com/gpu-mem: 2\n" in said.out
    assert "2Gi" not in said.out
    assert "ACK008" in said.err  # findings go where they are in nobody's way
    assert "fixed 2 findings" in said.err


@pytest.mark.parametrize("text", [pod("aliyun.com/gpu-mem: 2"), "a: [\n", "- 1\n", "\ufeffa: 1\r\n"])
def test_stdin_without_a_fix_is_printed_as_it_is(lint: Lint, stdin: Stdin, text: str) -> None:
    stdin(text)
    said = lint("-", "--fix", as_=None)
    assert said.out == text
    assert said.code == (1 if "[" in text else 0)
