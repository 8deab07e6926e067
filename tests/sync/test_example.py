"""The example and its page: in step as it is, and the story of one number."""

import shutil
from pathlib import Path

import pytest

from tests.running import run
from tests.steps import contents

EXAMPLE = Path(__file__).parents[2] / "examples" / "one-tree"


def test_it_is_in_step(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(EXAMPLE)
    done = run("sync", "--check")
    assert (done.code, done.out, done.err) == (0, b"", b"")
    done = run("lint", ".", "--fail-on", "warning")
    assert done.code == 0, done.out


def changed(before: dict[str, str], folder: str) -> list[str]:
    """The new lines of a folder."""
    return [
        new
        for name, text in contents().items()
        if name.startswith(folder) and not name.endswith(".json")
        for old, new in zip(before[name].splitlines(), text.splitlines(), strict=True)
        if old != new
    ]


def test_the_story(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One new number: one new decision, and one other line in each cloud's tree."""
    shutil.copytree(EXAMPLE, tmp_path / "tree")
    monkeypatch.chdir(tmp_path / "tree")
    before = contents()
    web = Path("base/bert/deployment.yaml")
    web.write_text(web.read_text().replace("4000", "5000"))
    done = run("sync")
    assert done.code == 1
    assert b"(decided for 4000; now 5000)" in done.err
    assert changed(before, "clusters/tencent") == []
    assert run("sync", "--write-decisions", "decisions/tencent.yaml").code == 1
    decisions = Path("decisions/tencent.yaml")
    text = decisions.read_text()
    assert text.count("accept: false") == 1
    decisions.write_text(text.replace("accept: false", "accept: true").replace('""', "more"))
    done = run("sync", "--prune-decisions")
    assert done.code == 0, done.err
    assert decisions.read_text().count("- object") == 1
    for folder in ("volcengine", "alibaba", "tencent"):
        assert len(changed(before, f"clusters/{folder}")) == 1, folder
    fix = Path("clusters/tencent/bert/deployment.yaml")
    fix.write_text(fix.read_text().replace('memory: "5"', 'memory: "6"'))
    done = run("sync", "--diff")
    assert done.code == 1
    assert b"# base/bert/deployment.yaml:22 wrote clusters/tencent/bert/deployment.yaml:20\n" in done.out
