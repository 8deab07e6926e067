"""``--fix`` and ``--unsafe-fixes``: minimal edits, clean of the rule afterwards, nothing left to do."""

from pathlib import Path

import pytest

from tests.lint.conftest import lint, pod, write

pytestmark = pytest.mark.usefixtures("folder")

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


def test_untouched_bytes_stay() -> None:
    texts = [ODD.replace("\r\n", newline).rstrip() + end for newline in ("\r\n", "\n") for end in ("", "\n")]
    for data in [bom + text.encode() for bom in (b"", b"\xef\xbb\xbf") for text in texts]:
        write({"a.yaml": data})
        said = lint("a.yaml", "--fix")
        assert (said.code, said.codes, said.err) == (1, [], "fixed 1 finding\n")
        assert Path("a.yaml").read_bytes() == data.replace(b"2Gi", b"2")
        assert lint("a.yaml", "--fix").code == 0


# --- what is fixed --------------------------------------------------------------------------------

SUFFIX, FOUR = "aliyun.com/gpu-mem: 2Gi", "aliyun.com/gpu-mem: 4"
WRONG, RIGHT = pod(SUFFIX), pod("aliyun.com/gpu-mem: 2")
IGNORED = pod("aliyun.com/gpu-mem: 2Gi  # gpuxlate: ignore[K8S002] it is so")
DEPLOYMENT = (
    "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\n{}spec:\n  template:\n    metadata:\n"
    "      labels:\n        app: web\n{}    spec:\n      containers:\n      - name: web\n        resources:\n"
    "          limits:\n            aliyun.com/gpu-mem: 8\n"
)
GROUP = (
    "    {}:\n      replicas: 1\n      template:\n        spec:\n          containers:\n"
    "          - name: pytorch\n"
    "            resources: {{limits: {{aliyun.com/gpu-mem: {}}}}}\n"
)
SHARED = (
    "apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec:\n  containers:\n"
    "  - name: one\n    resources: &share {limits: {aliyun.com/gpu-mem: 2Gi}}\n"
    "  - name: two\n    resources: *share\n"
)


def two(memory: str, cores: str) -> str:
    return pod(f"aliyun.com/gpu-mem: {memory}\naliyun.com/gpu-core.percentage: {cores}")


def qgpu(limit: int, request: int) -> str:
    keys = "tke.cloud.tencent.com/qgpu-memory: 4\ntke.cloud.tencent.com/qgpu-core: "
    return pod(f"{keys}{limit}", requests=f"{keys}{request}")


def labelled(count: str) -> str:
    return pod(SUFFIX, metadata=f"labels: {{aliyun.com/gpu-count: {count}}}")


def job(first: str, second: str) -> str:
    head = "apiVersion: kubeflow.org/v1\nkind: PyTorchJob\nmetadata: {name: train}\nspec:\n"
    return head + "  pytorchReplicaSpecs:\n" + GROUP.format("Master", first) + GROUP.format("Worker", second)


# the options, the text before and after, the codes that are left, how many are fixed
FIXES: dict[str, tuple[str, str, str, str, int]] = {
    "safe ones": ("--fix --select K8S", two("5.5", "30%"), two("5.5", "30"), "K8S001", 1),
    "unsafe ones": ("--unsafe-fixes --select K8S", two("5.5", "30"), two("6", "30"), "", 1),
    "what is selected": ("--fix --ignore K8S002", labelled("2"), labelled('"2"'), "", 1),
    "not what is ignored": ("--fix", IGNORED, IGNORED, "", 0),
    # the suffix goes first; what is left of the request is then below the limit
    "two findings of one place": ("--fix", pod(FOUR, requests=SUFFIX), pod(FOUR, requests=FOUR), "", 2),
    # the wrong name is renamed, and not copied to the limits too, where it would be wrong again
    "two findings of one key": (
        *("--unsafe-fixes", pod(FOUR, requests=FOUR.replace("mem", "memm"))),
        *(pod(FOUR, requests=FOUR), "", 1),
    ),
    # which of the two numbers is meant is not known
    "a request unlike its limit": ("--unsafe-fixes --select TKE", qgpu(32, 30), qgpu(35, 30), "", 1),
    # an unquoted label on the workload alone, twice wrong
    "a value and its place": (
        *("--fix", DEPLOYMENT.format("  labels:\n    aliyun.com/gpu-count: 2\n", "")),
        *(DEPLOYMENT.format("", '        aliyun.com/gpu-count: "2"\n'), "", 2),
    ),
    "several pods of one workload": ("--fix", job("4Gi", "'8Gi'"), job("4", "8"), "", 2),
    "a shared value is left to its owner": ("--fix", SHARED, SHARED, "GX005 K8S002", 0),
}


@pytest.mark.parametrize("name", FIXES)
def test_what_is_fixed(name: str) -> None:
    arguments, before, after, left, count = FIXES[name]
    write({"a.yaml": before})
    said = lint("a.yaml", *arguments.split())
    assert Path("a.yaml").read_text() == after
    assert (said.code, sorted(said.codes)) == (1 if count or left else 0, left.split())
    assert said.err == (f"fixed {count} finding{'s' * (count > 1)}\n" if count else "")


def test_several_documents_and_files() -> None:
    bad, good = WRONG, RIGHT
    stranger = "- no: manifest\n"
    write({"a.yaml": f"{bad}---\n{stranger}---\n{bad}", "d/b.yaml": bad, "d/c.yaml": stranger})
    untouched = Path("d/c.yaml").stat().st_mtime_ns
    said = lint(".", "--fix")
    assert (said.code, said.err) == (1, "fixed 3 findings\n")
    assert Path("a.yaml").read_text() == f"{good}---\n{stranger}---\n{good}"
    assert Path("d/b.yaml").read_text() == good
    assert Path("d/c.yaml").stat().st_mtime_ns == untouched


def test_a_file_that_may_not_be_written(monkeypatch: pytest.MonkeyPatch) -> None:
    write({"a.yaml": WRONG, "b.yaml": WRONG})
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


def test_stdin_is_printed_fixed() -> None:
    said = lint("-", "--fix", as_=None, stdin=pod("aliyun.com/gpu-mem: 2Gi\naliyun.com/gpu-core: 30"))
    assert said.code == 1
    assert said.out.startswith("apiVersion: v1\nkind: Pod\n")
    assert "aliyun.com/gpu-mem: 2\n" in said.out
    assert "2Gi" not in said.out
    assert "ACK008" in said.err  # findings go where they are in nobody's way
    assert "fixed 2 findings" in said.err


def test_stdin_without_a_fix_is_printed_as_it_is() -> None:
    for text in (RIGHT, "a: [\n", "- 1\n", "\ufeffa: 1\r\n"):
        said = lint("-", "--fix", as_=None, stdin=text)
        assert (said.out, said.code) == (text, 1 if "[" in text else 0)
