"""Patches in a kustomization: translated where they stand, with findings at their characters."""

from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from gpuxlate.overlays.inline import inline_patches
from gpuxlate.yamltext.parse import documents
from gpuxlate.yamltext.plan import EditError
from gpuxlate.yamltext.source import Source
from gpuxlate.yamltext.splices import Splice, apply
from tests.effort import tries
from tests.overlays.apps import build as built
from tests.overlays.apps import needs_kubectl, workload, written
from tests.running import run
from tests.tables import read_table

CASES = read_table(__file__, "inline.yaml")
KEY, NEW = "aliyun.com/gpu-mem", "tke.cloud.tencent.com/qgpu-memory"
COMMAND = ["translate", ".", "--to", "tke", "--fill=cores=10", "-i"]


def tree(folder: Path, case: dict[str, Any], ends: str = "\n") -> Path:
    """A base, and an overlay with the text of a case; its file."""
    text = "resources: [../base]\n" + case["text"].replace("|-", case.get("header", "|-"), 1)
    files = {"base/w.yaml": workload("web", "4"), "base/kustomization.yaml": {"resources": ["w.yaml"]}}
    path = written(folder, files) / "over" / "kustomization.yaml"
    path.parent.mkdir()
    path.write_bytes(text.replace("\n", ends).encode())
    return path


def translated(text: str) -> str:
    """The right text: each name and number that changes, and nothing else."""
    new = text.replace(KEY, NEW).replace(KEY.replace("/", "~1"), NEW.replace("/", "~1"))
    quote = '\\"' if 'patch: "' in text or '&p "' in text else '"'
    return new.replace(": 8", f": {quote}8{quote}")


@needs_kubectl
@pytest.mark.parametrize("ends", ["\n", "\r\n"], ids=["lf", "crlf"])
@pytest.mark.parametrize("title", CASES["written"])
def test_a_string_is_edited_where_it_stands(
    title: str, ends: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tree(tmp_path, CASES["written"][title], ends)
    monkeypatch.chdir(tmp_path)
    before = path.read_bytes().decode()
    done = run(*COMMAND)
    assert done.code == 0, done.err.decode()
    assert path.read_bytes().decode() == translated(before)
    assert f'{NEW}: "8"' in (built(path.parent) or "")


@pytest.mark.parametrize("title", CASES["written"])
def test_findings_are_at_their_characters(
    title: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tree(tmp_path, CASES["written"][title])
    before, _, after = path.read_text().partition(": 8")
    path.write_text(f"{before}: x{after}")
    line, column = before.count("\n") + 1, len(before.rpartition("\n")[2]) + len(": ") + 1
    monkeypatch.chdir(tmp_path)
    done = run("lint", ".")
    at = f" --> over/kustomization.yaml:{line}:{column}\n"
    assert done.code == 1
    assert at in (done.out + done.err).decode()


@pytest.mark.parametrize("title", CASES["refused"])
def test_a_string_that_cannot_be_edited(title: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    case = CASES["refused"][title]
    path = tree(tmp_path, case)
    monkeypatch.chdir(tmp_path)
    before = path.read_bytes()
    done = run(*COMMAND)
    assert done.code == 1
    assert case["why"] in done.err.decode()
    assert f" --> over/kustomization.yaml:{case['line'] + 1}:" in done.err.decode()
    assert path.read_bytes() == before


LINES = st.lists(st.sampled_from(["a: 1", "  - x", "", "# c", "中: '\"'", "\tb"]), min_size=1, max_size=6)
HEADS = ["|", "|-", "|+", '"', "'"]


@tries(300)
@given(
    LINES, LINES, st.sampled_from(HEADS), st.sampled_from(["\n", "\r\n"]), st.sampled_from(["", "# end\n"])
)
def test_the_new_text_is_what_is_read(
    lines: list[str], new_lines: list[str], head: str, ends: str, after: str
) -> None:
    """Or it is refused; what is around it stays."""
    old, new = ("\n".join(["k: v", *some]).rstrip("\n") for some in (lines, new_lines))
    if head in ("|", "|+"):
        old, new = old + "\n", new + "\n"
    if head[0] == "|":
        body = "".join(f"     {line}\n" if line else "\n" for line in old.rstrip("\n").split("\n"))
        value = f"{head}\n{body}"
    else:
        old, new = old.replace("\n", " "), new.replace("\n", " ")
        value = (yaml.safe_dump(old, default_style=head, allow_unicode=True, width=9999)).rstrip() + "\n"
    text = f"patches:\n- target: {{}}\n  patch: {value}{after}".replace("\n", ends)
    source = Source("kustomization.yaml", text)
    [patch] = inline_patches(next(documents(source)))
    assert patch.value.text == old
    try:
        made = patch.changed(new, [Splice(0, len(old), new)])
    except EditError:
        assert head == "'"
        assert not new.isprintable()
        return
    changed = apply(text, made)
    [again] = inline_patches(next(documents(Source("", changed))))
    assert again.value.text == new
    assert changed.startswith(text[: patch.value.start])
    assert changed.endswith(after.replace("\n", ends))
    assert ends == "\n" or "\n" not in changed.replace("\r\n", "")
