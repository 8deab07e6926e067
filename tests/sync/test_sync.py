"""One source tree, one tree for each target: what is written, and what never is."""

import json
import os
import pty
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from gpuxlate.cli import parallel
from gpuxlate.files.write import wait_for_folder
from gpuxlate.sync.fill import fill_trees
from gpuxlate.sync.lock import LOCK
from tests import steps
from tests.running import run
from tests.schemas import validator

CASES = dict(steps.cases("sync"))


@pytest.mark.parametrize("name", CASES)
def test_a_case(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    steps.check(CASES[name])


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    steps.write(CASES["trees/each file of the source, translated, copied or rendered"]["files"])
    return tmp_path


def test_json_fits_its_schema_on_a_refusal_too(tree: Path) -> None:
    for change in ("", "gpuxlate.io/policy: sometimes"):
        web = tree / "base" / "web.yaml"
        web.write_text(
            web.read_text().replace("gpuxlate.io/memory-mib: 4096", change or "gpuxlate.io/memory-mib: 4096")
        )
        done = run("sync", "-o", "json")
        validator("sync").validate(json.loads(done.out))


def test_the_lock_is_the_same_wherever_the_tree_is(
    tree: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    assert run("sync").code == 0
    first = (tree / "clusters/tke" / LOCK).read_bytes()
    other = tmp_path_factory.mktemp("elsewhere")
    os.chdir(other)
    steps.write(CASES["trees/each file of the source, translated, copied or rendered"]["files"])
    assert run("sync").code == 0
    assert (other / "clusters/tke" / LOCK).read_bytes() == first
    assert str(tree).encode() not in first


def test_modes_are_kept(tree: Path) -> None:
    tool = tree / "base" / "run.sh"
    tool.write_text("#!/bin/sh\n")
    tool.chmod(0o744)
    assert run("sync").code == 0
    copied = tree / "clusters/tke/run.sh"
    assert os.access(copied, os.X_OK)
    copied.chmod(0o644)
    assert run("sync", "--check").code == 1
    assert "# clusters/tke/run.sh: mode 744" in run("sync", "--diff").out.decode().splitlines()
    assert run("sync").code == 0
    assert os.access(copied, os.X_OK)


def test_a_secret_stays_one(tree: Path) -> None:
    """Others read neither the copy of a file that they may not read, nor its translation."""
    for name in ("key.pem", "web.yaml"):
        (tree / "base" / name).touch()
        (tree / "base" / name).chmod(0o600)
    assert run("sync").code == 0
    assert {
        stat.S_IMODE((tree / "clusters/tke" / name).stat().st_mode) for name in ("key.pem", "web.yaml")
    } == {0o600}


def test_a_name_begins_no_line(tree: Path) -> None:
    """A line break in a name is shown in the lists of what is not in step."""
    (tree / "base" / "a\n::error b.yaml").write_text("a: b\n")
    done = run("sync", "--check")
    assert done.code == 1
    assert not any(line.startswith("::") for line in done.out.decode().splitlines())


def test_the_lock_follows_one_line_for_each_change(tree: Path) -> None:
    """The options of all files are one line of the lock, whatever their number."""
    assert run("sync").code == 0
    lock = tree / "clusters/tke" / LOCK
    before = lock.read_text().splitlines()
    config = tree / ".gpuxlate.yaml"
    config.write_text(config.read_text() + "# a comment\n")
    assert run("sync").code == 0
    after = lock.read_text().splitlines()
    assert [one.split(":")[0].strip() for one, other in zip(after, before, strict=True) if one != other] == [
        '"options"'
    ]


def test_a_subfolder_is_as_good(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Paths count from the configuration."""
    monkeypatch.chdir(tree / "base")
    assert run("sync").code == 0
    assert (tree / "clusters/tke/web.yaml").is_file()


@pytest.mark.parametrize(
    ("change", "translated"),
    [
        ({"base/README.md": "# other\n"}, set()),
        ({"base/web.yaml": None}, {"web.yaml"}),
        ({".gpuxlate.yaml": None}, {"web.yaml", "job.yaml", "share.yaml"}),
    ],
    ids=["another file", "a manifest", "the configuration"],
)
def test_only_what_changed_is_translated_again(
    tree: Path, monkeypatch: pytest.MonkeyPatch, change: dict[str, str | None], translated: set[str]
) -> None:
    assert run("sync").code == 0
    for name, text in change.items():
        path = tree / name
        path.write_text(text if text is not None else path.read_text() + "\n# a comment\n")
    asked: list[str] = []

    def each(given, wanted):  # type: ignore[no-untyped-def]
        asked.extend(os.path.basename(one.name) for one in given)
        from gpuxlate.cli.translations import translate_to_each

        return translate_to_each(given, wanted)

    monkeypatch.setattr("gpuxlate.cli.sync.translate_to_each", each)
    assert run("sync").code == 0
    assert set(asked) - {"decisions.yaml"} == translated


def test_an_interrupted_run_is_finished(tree: Path) -> None:
    """Some files are there, and the lock is not: they are adopted."""
    assert run("sync").code == 0
    before = steps.contents()
    (tree / "clusters/tke" / LOCK).unlink()
    (tree / "clusters/tke/web.yaml").unlink()
    assert run("sync").code == 0
    assert steps.contents() == before


def test_a_target_that_left_keeps_its_folder(tree: Path) -> None:
    assert run("sync").code == 0
    config = tree / ".gpuxlate.yaml"
    config.write_text(config.read_text().replace("    tke: clusters/tke/\n", ""))
    done = run("sync")
    assert done.code == 0
    assert b"note: clusters/tke stays as it is: no target of sync has it" in done.err
    assert (tree / "clusters/tke/web.yaml").is_file()


def test_what_the_disk_refuses(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device", "x")

    with monkeypatch.context() as patch:
        patch.setattr("gpuxlate.sync.target.write_atomically", full)
        done = run("sync")
        assert (done.code, done.err) == (3, done.err), done
        assert b"no space left on device" in done.err
    with monkeypatch.context() as patch:
        patch.setattr(os, "scandir", full)
        assert run("sync").code == 3
    os.mkfifo(tree / "base" / "pipe")
    done = run("sync")
    assert (done.code, b"base/pipe: it is a named pipe" in done.err) == (3, True), done.err


@pytest.mark.parametrize("link", [False, True])
def test_a_folder_becomes_a_file(tree: Path, link: bool) -> None:
    """All that sync wrote there goes first; what somebody put there stays, and is in the way."""
    more = tree / "base/more"
    more.mkdir()
    (more / "note").write_text("n\n")
    assert run("sync").code == 0
    (more / "note").unlink()
    more.rmdir()
    more.write_text("a file\n")
    mine = tree / "clusters/tke/more/mine"
    if link:
        mine.symlink_to(tree / "base")
    else:
        mine.write_text("x\n")
    before = steps.contents()
    done = run("sync", "--to", "tke", "--overwrite")
    assert (done.code, b"clusters/tke/more is a folder, and a file" in done.err) == (1, True), done.err
    assert steps.contents() == before
    mine.unlink()
    assert run("sync").code == 0
    assert (tree / "clusters/tke/more").read_text() == "a file\n"
    assert run("sync", "--check").code == 0


def test_the_lock_follows_the_decisions_that_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither an entry that waits nor a reason makes it another one, and removed entries are out at once."""
    monkeypatch.chdir(tmp_path)
    steps.write(CASES["trees/decisions of the configuration are those of all its trees"]["files"])
    decisions, lock = tmp_path / "d.yaml", tmp_path / "clusters/tke" / LOCK
    assert run("sync", "--write-decisions", "d.yaml").code == 1
    decisions.write_text(decisions.read_text().replace("accept: false", "accept: true"))
    assert run("sync").code == 0
    before = lock.read_bytes()
    decisions.write_text(decisions.read_text().replace('""', "whole GiB") + "# read by Li\n")
    assert run("sync").code == 0
    assert lock.read_bytes() == before
    web = tmp_path / "base/web.yaml"
    web.write_text(web.read_text().replace("4000", "4096"))
    assert run("sync", "--prune-decisions").code == 0
    before = lock.read_bytes()
    assert run("sync").code == 0
    assert lock.read_bytes() == before


def test_a_long_run_shows_how_far_it_is(tree: Path) -> None:
    """On a terminal: reading, rendering and writing; nothing of it is left."""
    web = (tree / "base/web.yaml").read_text()
    for number in range(parallel.MANY):
        (tree / f"base/{number}.yaml").write_text(web)
    ours, theirs = pty.openpty()
    with os.fdopen(ours, "rb", buffering=0) as terminal:
        done = subprocess.Popen(
            [sys.executable, "-m", "gpuxlate", "sync", "--to", "tke"],
            cwd=tree,
            stdout=subprocess.DEVNULL,
            stderr=theirs,
            env=os.environ | {"COLUMNS": "80", "TERM": "xterm"},
        )
        os.close(theirs)
        shown = b""
        while True:
            try:
                part = terminal.read(2**16)
            except OSError:  # nobody has the other end any more
                break
            if not part:
                break
            shown += part
    assert done.wait() == 0, shown
    bars = [what for what in (b"reading", b"rendering", b"writing") if what in shown]
    assert bars == [b"reading", b"rendering", b"writing"], shown


@pytest.mark.parametrize("name", [".git", ".git/hooks", ".GIT/hooks", "sub/x", "kept/x", "link/hooks"])
def test_a_folder_of_git_is_no_target(tree: Path, name: str) -> None:
    (tree / ".git").mkdir(exist_ok=True)
    (tree / "sub").mkdir()
    (tree / "sub/.git").write_text("gitdir: ../.git/modules/sub\n")
    for part in ("HEAD", "objects", "refs"):
        (tree / "kept" / part).mkdir(parents=True)
    (tree / "link").symlink_to(".git")
    (tree / ".gpuxlate.yaml").write_text(f"sync: [{{source: base, targets: {{tke: {name}}}}}]\n")
    done = run("sync")
    assert done.code == 2
    assert b"beside those of git" in done.err
    assert not list(tree.rglob(LOCK))


@pytest.fixture
def plain(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A tree of files that are copied."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".git").mkdir()
    (tmp_path / ".gpuxlate.yaml").write_text("sync: [{source: base, targets: {tke: out}}]\n")
    (tmp_path / "base/d").mkdir(parents=True)
    (tmp_path / "base/d/x").write_text("1")
    return tmp_path


def test_a_link_becomes_a_folder(plain: Path) -> None:
    (plain / "base/l").symlink_to("d")
    assert run("sync").code == 0
    (plain / "base/l").unlink()
    (plain / "base/l").mkdir()
    (plain / "base/l/x").write_text("2")
    assert run("sync").code == 0
    assert not (plain / "out/l").is_symlink()
    assert ((plain / "out/l/x").read_text(), (plain / "out/d/x").read_text()) == ("2", "1")


def test_a_name_for_what_is_written_is_nobody_elses(plain: Path) -> None:
    (plain / "base/l").symlink_to("d/x")
    assert run("sync").code == 0
    mine = plain / "out/l.new.gpuxlate"
    mine.write_text("notes")
    (plain / "base/l").unlink()
    (plain / "base/l").symlink_to("d")
    assert run("sync").code == 0
    assert mine.read_text() == "notes"


def test_folders_without_a_file_go(plain: Path) -> None:
    (plain / "base/d/e").mkdir()
    (plain / "base/d/x").rename(plain / "base/d/e/x")
    assert run("sync").code == 0
    shutil.rmtree(plain / "base/d")
    assert run("sync").code == 0
    assert not (plain / "out/d").exists()


def test_an_empty_folder_of_the_user_stays(plain: Path) -> None:
    assert run("sync").code == 0
    (plain / "out/d/mine").mkdir()
    (plain / "base/d/x").unlink()
    (plain / "base/d").rmdir()
    (plain / "base/d").write_text("2")
    done = run("sync")
    assert done.code == 1
    assert (plain / "out/d/mine").is_dir()


def test_names_that_differ_by_case_alone(plain: Path) -> None:
    (plain / "base/D").mkdir()
    (plain / "base/D/y").write_text("1")
    done = run("sync")
    assert (done.code, b"differ by case alone" in done.err) == (2, True)


def test_a_pipe_is_not_replaced(plain: Path) -> None:
    (plain / "out/d").mkdir(parents=True)
    os.mkfifo(plain / "out/d/x")
    for options in ([], ["--overwrite"]):
        done = run("sync", *options)
        assert (done.code, b"out/d/x is not a regular file" in done.err) == (1, True)


def test_a_file_that_changes_while_it_is_read(plain: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def changed(*given: object) -> None:
        (plain / "base/d/x").write_text("2")
        fill_trees(*given)  # type: ignore[arg-type]

    monkeypatch.setattr("gpuxlate.cli.sync.fill_trees", changed)
    done = run("sync")
    assert (done.code, b"changed by another process" in done.err) == (3, True)
    assert not (plain / "out").exists()


def test_what_points_git_elsewhere_is_not_copied(plain: Path) -> None:
    for name in ("d/.git", ".GIT"):
        (plain / "base" / name).write_text("gitdir: ../../other\n")
    assert run("sync").code == 0
    assert sorted(one.name for one in (plain / "out").rglob("*")) == [LOCK, "d", "x"]


def test_a_lock_in_the_source_is_not_copied(plain: Path) -> None:
    """The source was a target once: in a copy the lock would list files that are not there."""
    for name in (LOCK, f"d/{LOCK}"):
        (plain / "base" / name).write_text("{}")
    for _ in range(2):
        assert run("sync").code == 0
        assert sorted(str(one.relative_to(plain / "out")) for one in (plain / "out").rglob("*")) == [
            LOCK,
            "d",
            "d/x",
        ]
    assert run("sync", "--check").code == 0


@pytest.mark.parametrize("change", ["other", "gone"])
def test_a_repository_inside_a_target_is_left_alone(plain: Path, change: str) -> None:
    assert run("sync").code == 0
    (plain / "out/d/.git").mkdir()
    if change == "gone":
        (plain / "base/d/x").unlink()
    else:
        (plain / "base/d/x").write_text("2")
    done = run("sync", "--overwrite")
    assert (plain / "out/d/x").read_text() == "1"
    assert (done.code, b"out/d is a repository of its own" in done.err) == (
        (0, False) if change == "gone" else (1, True)
    )


def test_the_second_of_two_runs_waits(plain: Path) -> None:
    """The lock of the first is held until the second says that it waits."""
    lock = wait_for_folder(str(plain), lambda: None)
    assert lock is not None
    second = subprocess.Popen([sys.executable, "-m", "gpuxlate", "sync"], cwd=plain, stderr=subprocess.PIPE)
    assert second.stderr is not None
    assert b"waiting until it ends" in second.stderr.readline()
    assert not (plain / "out").exists()
    os.close(lock)
    second.communicate()
    assert (second.returncode, (plain / "out/d/x").read_text()) == (0, "1")


@pytest.mark.parametrize("option", ["profile", "decisions"])
def test_a_file_outside_of_the_repository_is_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, option: str
) -> None:
    (tmp_path / "secret").write_text("password: hunter2\n")
    (tmp_path / "in/base").mkdir(parents=True)
    (tmp_path / "in/.git").mkdir()
    (tmp_path / "in/link").symlink_to("../secret")
    monkeypatch.chdir(tmp_path / "in")
    for name in ("../secret", "link"):
        text = f"sync: [{{source: base, targets: {{tke: {{dir: out, {option}: {name}}}}}}}]\n"
        (tmp_path / "in/.gpuxlate.yaml").write_text(text)
        done = run("sync")
        assert (done.code, b"outside of the repository" in done.err, b"hunter2" in done.err) == (
            2,
            True,
            False,
        )


def test_a_file_that_nobody_may_write_is_replaced(plain: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its folder is what is written. The question is answered as an ordinary user gets it: root may all."""
    monkeypatch.setattr(os, "access", lambda path, *_, **__: bool(os.stat(path).st_mode & 0o200))
    (plain / "base/d/x").chmod(0o444)
    assert run("sync").code == 0
    (plain / "base/d/x").chmod(0o644)
    (plain / "base/d/x").write_text("2")
    (plain / "base/d/x").chmod(0o444)
    assert run("sync").code == 0
    copied = plain / "out/d/x"
    assert (copied.read_text(), stat.S_IMODE(copied.stat().st_mode)) == ("2", 0o444)


@pytest.mark.parametrize(
    ("owner", "in_git", "noted"), [(1, False, True), (0, False, False), (1, True, False)]
)
def test_a_configuration_of_another_user_is_noted(
    plain: Path, monkeypatch: pytest.MonkeyPatch, owner: int, in_git: bool, noted: bool
) -> None:
    if not in_git:
        (plain / ".git").rmdir()
    configuration = plain / ".gpuxlate.yaml"
    configuration.write_text("select: [GX]\n")
    if os.geteuid():
        monkeypatch.setattr(os, "geteuid", lambda: configuration.stat().st_uid + owner)
    else:  # what root has is the machine's
        os.chown(configuration, owner, -1)
    monkeypatch.chdir(plain / "base")
    assert (b"belongs to another user" in run("lint", ".").err) is noted


# --- the way back ---------------------------------------------------------------------------------
POD = """\
apiVersion: v1
kind: Pod
metadata: {name: web}
spec:
  containers:
  - name: main  # the lines of all pods are the same
    resources:
      limits:
        cpu: 1
        vke.volcengine.com/mgpu-core: 30
        vke.volcengine.com/mgpu-memory: 4096
  - name: side
    resources:
      limits: {memory: 1Gi, vke.volcengine.com/mgpu-core: 20, vke.volcengine.com/mgpu-memory: 2048}
"""
LINES = POD.count("\n") + 1  # of a document, with its marker


@pytest.mark.parametrize("number", [1, 7, 20])
@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        pytest.param('qgpu-core: "30"', 'qgpu-core: "35"', 10, id="a value that was translated"),
        pytest.param("cpu: 1", "cpu: 2", 9, id="a line that was copied"),
        pytest.param('qgpu-core: "20"', 'qgpu-core: "25"', 14, id="a mapping in one line"),
    ],
)
def test_the_line_of_a_change_in_one_of_many_equal_pods(
    number: int, old: str, new: str, line: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    steps.write(
        {
            ".gpuxlate.yaml": "sync: [{source: base/, targets: {tke: clusters/tke/}}]\n",
            "base/all.yaml": "---\n".join([POD] * 20),
        }
    )
    assert run("sync").code == 0
    made = tmp_path / "clusters/tke/all.yaml"
    pods = made.read_text().split("---\n")
    pods[number - 1] = pods[number - 1].replace(old, new)
    made.write_text("---\n".join(pods))
    said = run("sync", "--diff").out.decode()
    lines = [one.split(" wrote ")[0] for one in said.splitlines() if " wrote " in one]
    assert lines == [f"# base/all.yaml:{(number - 1) * LINES + line}"], said
