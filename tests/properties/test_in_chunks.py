"""A large stream is read in chunks by several processes, with the same findings, bytes, JSON and exit codes.

Here any stream counts as large, and chunks are read in this process; what they come to is pickled as it is
on its way between processes. ``test_in_two_processes`` forks them.
"""

import json
import os
import pickle
import random
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import fields
from itertools import groupby
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gpuxlate.backends import registry
from gpuxlate.cli import parallel
from gpuxlate.files.relevance import only_relevant
from gpuxlate.lint.add_ignores import add_ignores
from gpuxlate.lint.check import lint_source
from gpuxlate.lint.fix import fix_source
from gpuxlate.lint.settings import LintSettings
from gpuxlate.model import limits
from gpuxlate.overlays.run_claims import Claims
from gpuxlate.translation.options import Settings
from gpuxlate.translation.read import read_source
from gpuxlate.translation.results import Result
from gpuxlate.translation.translate import translate_source
from gpuxlate.yamltext import parse
from gpuxlate.yamltext.parse import Document, documents
from gpuxlate.yamltext.ranges import chunks, document_ranges, has_plain_markers
from gpuxlate.yamltext.source import BOM, Source
from tests.effort import number, tries
from tests.properties.test_passed_over import ACCEPT, GPU, TARGETS, WITH_FIX, streams
from tests.running import Ran, run

FIXTURES = sorted(Path("fixtures").resolve().rglob("*.yaml"))
ACCEPTING = (
    *("--round", "up", "--fill", "cores=30", "--fill", "memoryMiB=8192"),
    *("--drop", "cores,policy,qos,selector", "--allow-leftovers"),
)


@contextmanager
def in_chunks(cores: int = 2) -> Iterator[list[int]]:
    """Large is what has a character; gives how many chunks were read of each source."""
    read: list[int] = []

    def in_this_process(work: Callable[[Any], Any], jobs: Sequence[Any], _: int) -> Iterator[Any]:
        read.append(0)
        for job in jobs:
            read[-1] += 1
            yield job, pickle.loads(pickle.dumps(work(job)))

    with (
        patch.object(parse, "LARGE", 1),
        patch.object(parallel, "LARGE", 1),
        patch.object(parallel, "usable_cores", lambda: cores),
        patch.object(parallel, "parallel_map", in_this_process),
    ):
        yield read


def tree(node: Any) -> Any:
    """A node with its places and all that is in it."""
    parts = [*getattr(node, "entries", ()), *((item,) for item in getattr(node, "items", ()))]
    value = getattr(node, "text", None)
    return type(node), node.start, node.end, value, [[tree(one) for one in part] for part in parts]


def place(document: Document) -> tuple[Any, ...]:
    root = document.root and tree(document.root)
    return document.index, document.index + document.count, document.start, document.end, root


def places(read: Iterable[Document]) -> list[Any]:
    """The documents with their places and trees; without a tree, several as one: a run may be cut in two."""
    found: list[Any] = []
    for is_empty, group in groupby(map(place, read), key=lambda each: each[-1] is None):
        run = [*group]
        found += [(run[0][0], run[-1][1], run[0][2], run[-1][3], None)] if is_empty else run
    return found


# --- documents --------------------------------------------------------------------------------------


@tries(400)
@given(streams(), st.integers(1, 4), st.booleans())
@example("\r\n---\r\na: 1\r\n---\r\nb: |\r\n  x\r\n---\r\n", 3, False)
@example("# a\n\n---\na: 1\n---\n--- {b: 2}\n---\n", 4, False)
@example("a: |+\n  x\n\n\n---\nb: >-\n  x\n\n---\n中: \U0001f600\n---\n'c'", 4, False)
def test_documents_are_where_they_are(text: str, most: int, only_some: bool) -> None:
    source = only_relevant(Source("f", text)) if only_some else Source("f", text)
    try:
        wanted = places(documents(source))
    except parse.NotYamlError:
        return
    if has_plain_markers(source.text):
        ranges = [*document_ranges(source.text)]
        cut = [*chunks(source.text, ranges, most)]
        assert len(cut) <= most
        assert [one.end for one in cut[:-1]] == [one.start for one in cut[1:]]
        assert places(document for chunk in cut for document in documents(source, chunk)) == wanted
        assert sum(chunk.size for chunk in cut) == (wanted[-1][1] if wanted else 0)


# --- results ----------------------------------------------------------------------------------------

CLAIM = """\
apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {name: gpus}
spec: {spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu.nvidia.com, count: 2}}]}}}
"""
USER = """\
kind: Pod
metadata: {name: %s}
spec:
  resourceClaims: [{name: gpu, resourceClaimTemplateName: gpus}]
  containers:
  - name: c
    resources: {claims: [{name: gpu}]}
"""
TWO_OF_A_NAME = """\
kind: Deployment
metadata: {name: same}
spec: {template: {spec: {containers: [{name: c, resources: {limits: {nvidia.com/gpu: 1}}}]}}}
"""
QUOTA = "kind: ResourceQuota\nmetadata: {name: q}\nspec: {hard: {requests.nvidia.com/gpu: 4}}\n"
LEFT = "kind: ConfigMap\nmetadata: {annotations: {nvidia.com/gpu: x}}\n"
BROKEN = "kind: Pod\nspec: {a: [nvidia.com/gpu}\n"
SHARE = "apiVersion: gpuxlate.io/v1\nkind: GPUShare\nmetadata: {name: s}\nspec: {cards: 1}\n"
IGNORE = "# gpuxlate: ignore[K8S002] at the end of a document counts for the line behind\n"
TEMPLATE = "kind: Pod\nspec: {{ .Values.gpu }} # nvidia.com/gpu\n"
ACROSS = {
    "a claim, and its pods before and behind": [USER % "a", CLAIM, USER % "b", GPU % "30"],
    "two objects of one name": [TWO_OF_A_NAME, GPU % "30", TWO_OF_A_NAME],
    "a comment at the end": [GPU % "3x" + IGNORE, GPU % "3x", IGNORE + GPU % "3x"],
    "an ignore that matches nothing": ["kind: Pod\nmetadata: {annotations: {gpuxlate.io/ignore: GX005}}\n"]
    + [GPU % "3x"] * 2,
    "something left, and something translated": [LEFT, GPU % "30", LEFT, TWO_OF_A_NAME],
    "a mistake in the middle": [GPU % "30", GPU % "33", BROKEN, GPU % "30", GPU % "x"],
    "a mistake at the end": [GPU % "30", GPU % "33", BROKEN],
    "an unreadable character": [GPU % "30", GPU % "33", "a: \x01\n", GPU % "30"],
    "an alias of another document": ["a: &x 1\nnvidia.com/gpu: 1\n", "b: *x\nnvidia.com/gpu: 1\n"],
    "a template": [GPU % "30", TEMPLATE, GPU % "30"],
    "a quota and a GPUShare document": [QUOTA, SHARE, GPU % "30", QUOTA],
    "directives": ["a: 1\n...\n%YAML 1.1\n", GPU % "30", GPU % "33"],
}


def results(text: str, target: str, *, chunked: bool) -> list[Any]:
    """What each task makes of a text."""
    source = only_relevant(Source("f.yaml", text))
    how = parallel.in_chunks if chunked else None
    linting = LintSettings(claims=Claims(), in_chunks=how)
    linted = lint_source(source, linting)
    fixed, ignored = fix_source(source, linting, unsafe=True), add_ignores(source, linting, "why")
    made: list[Any] = [
        [one.to_json() for one in linted.diagnostics],
        (linted.documents, linted.shares, linted.suppressed, linted.skipped, linted.broken),
        (fixed.text, fixed.fixes, ignored.source.text, ignored.count),
    ]
    for allowed in (False, True):
        settings = Settings(
            registry.get(target), accept=ACCEPT, allow_leftovers=allowed, in_chunks=how, claims=Claims()
        )
        for task in (translate_source, read_source):
            result = task(source, settings)
            made += [getattr(result, one.name) for one in fields(Result)]
    return made


@tries(160)
@given(streams(), st.sampled_from(TARGETS))
@example(WITH_FIX, "tencent-qgpu")
@example(BOM + WITH_FIX.replace("\n", "\r\n"), "hami")
def test_results(text: str, target: str) -> None:
    wanted = results(text, target, chunked=False)
    with in_chunks():
        assert results(text, target, chunked=True) == wanted


@pytest.mark.parametrize("target", ["tencent-qgpu", "dra-hami"])
@pytest.mark.parametrize("name", ACROSS)
def test_across_documents(name: str, target: str) -> None:
    for text in ("---\n".join(ACROSS[name]), "---\n".join(reversed(ACROSS[name]))):
        wanted = results(text, target, chunked=False)
        with in_chunks() as read:
            assert results(text, target, chunked=True) == wanted
        assert bool(read) == has_plain_markers(text)


@pytest.mark.parametrize("most", [1, 2, 3])
def test_limits(monkeypatch: pytest.MonkeyPatch, most: int) -> None:
    monkeypatch.setattr(limits, "MAX_FINDINGS", most)
    text = "---\n".join([GPU % "3x", GPU % "4x", TWO_OF_A_NAME, GPU % "5x", GPU % "6x"])
    wanted = results(text, "tencent-qgpu", chunked=False)
    assert "GX025" in str(wanted[0])
    with in_chunks():
        assert results(text, "tencent-qgpu", chunked=True) == wanted


# --- commands ---------------------------------------------------------------------------------------

COMMANDS = (
    *(("lint", "-v", "--format", name) for name in ("text", "json", "sarif", "gitlab")),
    ("lint", "--diff", "--unsafe-fixes"),
    ("lint", "--statistics", "--select", "GX,VKE"),
    *(("translate", "-v", "--to", name, *ACCEPTING) for name in ("tencent-qgpu", "dra-hami", "hami")),
    ("translate", "--to", "neutral"),
    ("inspect", "-o", "json"),
    ("parse",),
    ("assess", "-o", "json", "--to", "hami"),
)
HEADS = ("", BOM, "---\n", "# of all\n\n---\n", "%YAML 1.1\n---\n")


def joined(seed: int) -> bytes:
    """Some fixtures, one after the other, in any order."""
    chance = random.Random(seed)
    texts = [path.read_text().removeprefix("---\n") for path in chance.sample(FIXTURES, 6)]
    texts += chance.choice(list(ACROSS.values())) if chance.random() < 0.5 else []
    chance.shuffle(texts)
    text = chance.choice(HEADS) + "---\n".join(text if text.endswith("\n") else f"{text}\n" for text in texts)
    return (text.replace("\n", "\r\n") if chance.random() < 0.2 else text).encode()


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...]) -> None:
    monkeypatch.chdir(tmp_path)
    file, read = Path("f.yaml"), 0
    for seed in range(number(64)):
        data = joined(seed)
        file.write_bytes(data)
        for paths, stdin in ((("f.yaml",), b""), (("-",), data)):
            wanted = run(*command, *paths, stdin=stdin)
            with in_chunks() as sources:
                assert run(*command, *paths, stdin=stdin) == wanted
            read += sum(sources)
    assert read


COMMAND = """
from gpuxlate.cli import main, parallel
from gpuxlate.yamltext import parse
parse.LARGE = parallel.LARGE = 1
main()
"""


def in_processes(*arguments: str, cores: int) -> Ran:
    environment = {**os.environ, "GPUXLATE_CORES": str(cores), "NO_COLOR": "1"}
    command = [sys.executable, "-c", COMMAND, *arguments]
    done = subprocess.run(command, env=environment, capture_output=True, check=False, timeout=300)
    assert b"Traceback" not in done.stderr
    return Ran(done.returncode, done.stdout, done.stderr)


@pytest.mark.parametrize(
    "text", [joined(1), "---\n".join(ACROSS["a mistake in the middle"]).encode()], ids=len
)
@pytest.mark.parametrize("command", [COMMANDS[0], COMMANDS[6]], ids=" ".join)
def test_in_two_processes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...], text: bytes
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("f.yaml").write_bytes(text)
    assert in_processes(*command, "f.yaml", cores=2) == in_processes(*command, "f.yaml", cores=1)


@pytest.mark.parametrize("cores", [1, 2])
def test_progress(tmp_path: Path, cores: int) -> None:
    """A large stream has a bar on a terminal, which is gone at the end; a small one has none."""
    file = tmp_path / "f.yaml"
    file.write_bytes(joined(1))
    large = on_a_terminal(COMMAND, file, cores)
    assert b"reading" in large
    assert large.rstrip().endswith(b"\x1b[2K")  # the line is cleared
    assert b"reading" not in on_a_terminal("from gpuxlate.cli import main; main()", file, cores)


def test_progress_of_one_document(tmp_path: Path) -> None:
    """The bar of a large List moves once it is read: work on its objects is the other half."""
    file = tmp_path / "f.yaml"
    container = {"name": "web", "resources": {"limits": {"nvidia.com/gpu": 1}}}
    pod = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "web"},
        "spec": {"containers": [container]},
    }
    file.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": [pod] * 100}), "utf-8")
    large = on_a_terminal(COMMAND, file, 2)
    assert [part in large for part in (b" 0%", b" 50%")] == [True, True]


def on_a_terminal(command: str, file: Path, cores: int) -> bytes:
    """What lint of a file writes to a terminal on stderr."""
    ours, theirs = os.openpty()
    with subprocess.Popen(
        [sys.executable, "-c", command, "lint", str(file)],
        env={**os.environ, "GPUXLATE_CORES": str(cores), "TERM": "xterm"},
        stdout=subprocess.DEVNULL,
        stderr=theirs,
    ):
        os.close(theirs)
        return read_all(ours)


def read_all(handle: int) -> bytes:
    """What was written to a terminal that nothing has open any more."""
    text = b""
    try:
        while block := os.read(handle, 4096):
            text += block
    except OSError:  # Linux: the end
        pass
    finally:
        os.close(handle)
    return text
