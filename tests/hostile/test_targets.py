"""What stands where a file is written: links, modes, owners, devices, folders that take nothing."""

from __future__ import annotations

import os
import shutil
import socket
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.hostile.conftest import FIX, OLD, ROOT, SPEC, TRANSLATE, Case, Worker, fill, holds, left_over

NOBODY = 65534
needs_root = pytest.mark.skipif(os.getuid() != 0, reason="only root can become somebody else")


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that everybody may enter, all the way to it."""
    folder = Path(tempfile.mkdtemp(prefix="gpuxlate-", dir="/tmp"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


# --- links ----------------------------------------------------------------------------------------


def test_a_link_stays_one_and_its_file_changes(case: Case, tmp_path: Path, worker: Worker) -> None:
    fill(tmp_path, {"real/a.yaml": case.old["a.yaml"]})
    (tmp_path / "z.yaml").symlink_to("real/a.yaml")
    assert worker(tmp_path, *case.arguments).code == case.code
    assert holds(tmp_path) == {"real/a.yaml": case.new["a.yaml"], "z.yaml": "-> real/a.yaml"}


def test_a_link_that_was_named_is_followed_anywhere(case: Case, tmp_path: Path, worker: Worker) -> None:
    fill(tmp_path, {"outside.yaml": case.old["a.yaml"], "in/b.txt": ""})
    (tmp_path / "in" / "a.yaml").symlink_to("../outside.yaml")
    named = ["a.yaml" if one == "." else one for one in case.arguments]
    assert worker(tmp_path / "in", *named).code == case.code
    assert holds(tmp_path)["outside.yaml"] == case.new["a.yaml"]
    assert holds(tmp_path)["in/a.yaml"] == "-> ../outside.yaml"


def test_a_link_that_leads_out_of_a_folder_is_refused(case: Case, tmp_path: Path, worker: Worker) -> None:
    fill(tmp_path, {"outside.yaml": case.old["a.yaml"], "in/b.yaml": case.old["a.yaml"]})
    (tmp_path / "in" / "a.yaml").symlink_to("../outside.yaml")
    done = worker(tmp_path / "in", *case.arguments)
    assert done.code == 3
    assert "error: a.yaml: a link that leads out of .; name the file itself\n" in done.err
    assert holds(tmp_path)["outside.yaml"] == case.old["a.yaml"]


def test_a_link_within_the_repository_is_followed(case: Case, tmp_path: Path, worker: Worker) -> None:
    fill(tmp_path, {".git/HEAD": "", "base/a.yaml": case.old["a.yaml"], "prod/b.txt": ""})
    (tmp_path / "prod" / "a.yaml").symlink_to("../base/a.yaml")
    assert worker(tmp_path / "prod", *case.arguments).code == case.code
    assert holds(tmp_path)["base/a.yaml"] == case.new["a.yaml"]


@pytest.mark.parametrize("target", ["nowhere.yaml", "loop.yaml", "/nowhere/at/all"])
def test_a_link_that_leads_nowhere(case: Case, tmp_path: Path, worker: Worker, target: str) -> None:
    (tmp_path / "loop.yaml").symlink_to(target)
    done = worker(tmp_path, *case.arguments)
    assert done.code == 3
    assert done.err.startswith("error: loop.yaml: ")
    assert list(tmp_path.iterdir()) == [tmp_path / "loop.yaml"]


def test_folders_that_are_links_are_not_entered(case: Case, tmp_path: Path, worker: Worker) -> None:
    fill(tmp_path, {"elsewhere/a.yaml": case.old["a.yaml"], "in/b/c.yaml": case.old["a.yaml"]})
    (tmp_path / "in" / "again").symlink_to("..")
    (tmp_path / "in" / "b" / "up").symlink_to("../..")
    (tmp_path / "in" / "linked").symlink_to("../elsewhere")
    assert worker(tmp_path / "in", *case.arguments).code == case.code
    found = holds(tmp_path)
    assert found["in/b/c.yaml"] == case.new["a.yaml"]
    assert found["elsewhere/a.yaml"] == case.old["a.yaml"]


def test_a_folder_that_is_a_link_is_entered_where_it_is_named(
    case: Case, tmp_path: Path, worker: Worker
) -> None:
    fill(tmp_path, {"elsewhere/a.yaml": case.old["a.yaml"]})
    (tmp_path / "linked").symlink_to("elsewhere")
    named = ["linked" if one == "." else one for one in case.arguments]
    assert worker(tmp_path, *named).code == case.code
    assert holds(tmp_path)["elsewhere/a.yaml"] == case.new["a.yaml"]


def test_a_hard_link_is_broken_and_said(case: Case, tmp_path: Path, worker: Worker) -> None:
    """As ``sed -i`` does: the other name keeps the old text, so nothing is lost."""
    fill(tmp_path, {"a.yaml": case.old["a.yaml"]})
    (tmp_path / "keep.txt").hardlink_to(tmp_path / "a.yaml")
    done = worker(tmp_path, *case.arguments)
    assert done.code == case.code
    assert "note: a.yaml: the file had another name, which keeps the old text (hard links)\n" in done.err
    assert holds(tmp_path) == {"a.yaml": case.new["a.yaml"], "keep.txt": case.old["a.yaml"]}


# --- modes and owners -----------------------------------------------------------------------------


@pytest.mark.parametrize("mode", [0o600, 0o644, 0o664, 0o755, 0o4755, 0o2755, 0o1644])
def test_the_mode_is_kept(case: Case, tmp_path: Path, worker: Worker, mode: int) -> None:
    fill(tmp_path, {"a.yaml": case.old["a.yaml"]})
    (tmp_path / "a.yaml").chmod(mode)
    assert worker(tmp_path, *case.arguments, umask=0o077).code == case.code
    assert holds(tmp_path) == {"a.yaml": case.new["a.yaml"]}
    assert stat.S_IMODE((tmp_path / "a.yaml").stat().st_mode) == mode


@needs_root
def test_the_owner_and_the_mode_are_kept_by_root(case: Case, tmp_path: Path, worker: Worker) -> None:
    fill(tmp_path, {"a.yaml": case.old["a.yaml"]})
    os.chown(tmp_path / "a.yaml", 4242, 4243)
    (tmp_path / "a.yaml").chmod(0o6750)
    assert worker(tmp_path, *case.arguments).code == case.code
    found = (tmp_path / "a.yaml").stat()
    assert (found.st_uid, found.st_gid, stat.S_IMODE(found.st_mode)) == (4242, 4243, 0o6750)


# file's mode, file's owner, folder's mode, and what a stranger to root is told
REFUSED = {
    "a read-only file": (0o444, NOBODY, 0o777, "permission denied"),
    "a read-only folder": (0o644, NOBODY, 0o555, "permission denied"),
    "a file of somebody else": (0o666, 0, 0o777, "replacing it would change its owner"),
    "a file that only its owner writes": (0o644, 0, 0o777, "permission denied"),
}


@needs_root
@pytest.mark.parametrize(("mode", "owner", "folder_mode", "why"), REFUSED.values(), ids=REFUSED)
def test_what_may_not_be_written(
    case: Case, open_folder: Path, worker: Worker, mode: int, owner: int, folder_mode: int, why: str
) -> None:
    file = open_folder / "a.yaml"
    file.write_text(case.old["a.yaml"])
    os.chown(file, owner, owner)
    file.chmod(mode)
    open_folder.chmod(folder_mode)
    before = file.stat()
    done = worker(open_folder, *case.arguments, uid=NOBODY)
    open_folder.chmod(0o755)
    assert done.code == 3
    assert (
        f"error: a.yaml: not {'translated' if case.arguments[0] == 'translate' else 'fixed'}: {why}"
        in done.err
    )
    assert holds(open_folder) == {"a.yaml": case.old["a.yaml"]}
    after = file.stat()
    assert (after.st_ino, after.st_mode, after.st_uid) == (before.st_ino, before.st_mode, before.st_uid)
    assert after.st_mtime_ns == before.st_mtime_ns


@needs_root
def test_a_file_that_may_not_be_read(case: Case, open_folder: Path, worker: Worker) -> None:
    fill(open_folder, {"a.yaml": case.old["a.yaml"]})
    (open_folder / "a.yaml").chmod(0)
    done = worker(open_folder, *case.arguments, uid=NOBODY)
    assert (done.code, done.err.splitlines()[0]) == (3, "error: a.yaml: permission denied")


def test_extended_attributes_are_kept(case: Case, tmp_path: Path, worker: Worker) -> None:
    fill(tmp_path, {"a.yaml": case.old["a.yaml"]})
    try:
        os.setxattr(tmp_path / "a.yaml", "user.reviewed", b"yes")
    except (AttributeError, OSError):
        pytest.skip("this file system has no extended attributes")
    assert worker(tmp_path, *case.arguments).code == case.code
    assert os.getxattr(tmp_path / "a.yaml", "user.reviewed") == b"yes"


def test_a_name_of_any_length(case: Case, tmp_path: Path, worker: Worker) -> None:
    """The temporary file's name is longer than that of the file, and file systems allow 255 bytes."""
    names = ["n" * 250 + ".yaml", "名" * 83 + ".yaml", "-.yaml", "$(touch x).yaml"]
    fill(tmp_path, dict.fromkeys(names, case.old["a.yaml"]))
    assert worker(tmp_path, *case.arguments).code == case.code
    assert holds(tmp_path) == dict.fromkeys(names, case.new["a.yaml"])


# --- what is no file ------------------------------------------------------------------------------


@pytest.fixture
def unusual(tmp_path: Path, case: Case) -> Path:
    """A tree with a pipe, a socket, a device and a folder that are called like manifests."""
    fill(tmp_path, {"a.yaml": case.old["a.yaml"]})
    os.mkfifo(tmp_path / "pipe.yaml")
    (tmp_path / "device.yaml").symlink_to("/dev/zero")
    (tmp_path / "folder.yaml").mkdir()
    (tmp_path / "to-folder.yaml").symlink_to("folder.yaml")
    bound = socket.socket(socket.AF_UNIX)
    here = Path.cwd()
    os.chdir(tmp_path)  # a socket's path is short
    try:
        bound.bind("socket.yaml")
    finally:
        os.chdir(here)
        bound.close()
    return tmp_path


SAID = [
    "error: device.yaml: a link that leads out of .; name the file itself",
    "error: pipe.yaml: it is a named pipe, not a file",
    "error: socket.yaml: it is a socket, not a file",
    "error: to-folder.yaml: is a directory",
]


def test_nothing_in_a_folder_blocks(unusual: Path, worker: Worker) -> None:
    done = worker(unusual, *FIX)
    assert done.code == 3
    assert [line for line in done.err.splitlines() if line.startswith("error: ")] == SAID
    assert worker(unusual, *TRANSLATE).code == 3


def test_a_pipe_that_was_named_is_read(tmp_path: Path) -> None:
    """As in ``gpuxlate lint <(helm template chart)``."""
    ours, theirs = os.pipe()
    os.write(theirs, OLD.encode())
    os.close(theirs)
    program = "from gpuxlate.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", program, "translate", f"/dev/fd/{ours}", "--to", "tke"],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        pass_fds=[ours],
        capture_output=True,
        text=True,
        check=True,
    )
    os.close(ours)
    assert "qgpu-core" in done.stdout


def test_a_device_that_was_named_is_read_no_further_than_the_limit(tmp_path: Path, worker: Worker) -> None:
    done = worker(tmp_path, "lint", "/dev/zero")
    assert (done.code, done.err) == (
        3,
        "error: /dev/zero: larger than 64 MiB\n",
    )


def test_devices_are_written_to_and_not_replaced(tmp_path: Path, worker: Worker) -> None:
    fill(tmp_path, {"a.yaml": OLD})
    done = worker(tmp_path, "translate", "a.yaml", "--to", "tke", "--report", "/dev/null")
    assert done.code == 0
    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)
    done = worker(tmp_path, "translate", "a.yaml", "--to", "tke", "--report", "/dev/full")
    assert (done.code, done.err) == (3, "error: /dev/full: no space left on device\n")


# --- --output-dir ---------------------------------------------------------------------------------

RENDER = ("render", "spec.yaml", "--to", "vke", "--to", "tke", "--output-dir", "out")
INTO = ("translate", "manifests", "--to", "tke", "--output-dir", "out")


@pytest.mark.parametrize("arguments", [RENDER, INTO], ids=["render", "translate"])
def test_output_folders_are_whole_files_too(
    tmp_path: Path, worker: Worker, arguments: tuple[str, ...]
) -> None:
    def tree(name: str) -> Path:
        fill(tmp_path / name, {"spec.yaml": SPEC, "manifests/a.yaml": OLD, "manifests/b.yaml": OLD})
        return tmp_path / name

    folder = tree("whole")
    calls = worker(folder, *arguments, fault={}).calls
    whole = {name: text for name, text in holds(folder).items() if name.startswith("out/")}
    assert len(whole) == 2
    for at, name in enumerate(calls):
        for how in ("kill before", "kill after", "error"):
            folder = tree(f"{at}-{how}")
            done = worker(folder, *arguments, fault={"at": at, "how": how, "errno": 28})
            there = name == "mkdir" and done.code == 0  # making a folder that is there may fail
            assert there or done.code == (3 if how == "error" else -9)
            found = {name: text for name, text in holds(folder).items() if name.startswith("out/")}
            kept = {name: text for name, text in found.items() if not left_over(name)}
            assert kept.items() <= whole.items()
            assert how != "error" or kept == found
            assert worker(folder, *arguments).code == 0
            assert whole.items() <= holds(folder).items()


@pytest.mark.parametrize("arguments", [RENDER, INTO], ids=["render", "translate"])
def test_nothing_is_written_outside_the_output_folder(
    tmp_path: Path, worker: Worker, arguments: tuple[str, ...]
) -> None:
    fill(tmp_path, {"spec.yaml": SPEC, "manifests/a.yaml": OLD, "outside/b.txt": "", "out/c.txt": ""})
    for name in ("tencent-qgpu", "volcengine-mgpu", "manifests"):
        (tmp_path / "out" / name).symlink_to("../outside")
    done = worker(tmp_path, *arguments)
    assert done.code == 2
    assert "would be written outside out" in done.err
    assert list((tmp_path / "outside").iterdir()) == [tmp_path / "outside" / "b.txt"]


def test_two_inputs_are_not_written_to_one_file(tmp_path: Path, worker: Worker) -> None:
    fill(tmp_path, {"x/a.yaml": OLD, "in/a.yaml": OLD.replace("web", "api")})
    done = worker(tmp_path / "in", "translate", "../x", "a.yaml", "--to", "tke", "--output-dir", "out")
    assert (done.code, done.err) == (
        2,
        "error: two files would be written to out/a.yaml\nhelp: translate them one by one\n",
    )
    assert not (tmp_path / "in" / "out").exists()


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (["../x", "../y"], {"x/a.yaml", "y/a.yaml"}),
        (["../x/a.yaml"], {"a.yaml"}),
        (["../x", "."], {"a.yaml", "b/c.yaml"}),
        (["ABOVE/x", "ABOVE/in/b/c.yaml"], {"a.yaml", "b/c.yaml"}),
    ],
)
def test_files_from_elsewhere_keep_their_places(
    tmp_path: Path, worker: Worker, given: list[str], expected: set[str]
) -> None:
    fill(tmp_path, {"x/a.yaml": OLD, "y/a.yaml": OLD.replace("web", "api"), "in/b/c.yaml": OLD})
    paths = [one.replace("ABOVE", str(tmp_path)) for one in given]
    done = worker(tmp_path / "in", "translate", *paths, "--to", "tke", "--output-dir", "out")
    assert done.code == 0, done.err
    out = tmp_path / "in" / "out"
    assert {str(one.relative_to(out)) for one in out.rglob("*.yaml")} == expected
