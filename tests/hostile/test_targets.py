"""What stands where a file is written: links, modes, owners, devices, folders that take nothing."""

import os
import shutil
import socket
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from gpuxlate.model.kept import forget
from tests.hostile.conftest import (
    FIX,
    OLD,
    ROOT,
    SPEC,
    TRANSLATE,
    Case,
    Worker,
    fill,
    holds,
    left_over,
    moments,
)
from tests.running import run

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


NO_FILE = "loop.yaml: a link that leads to no file\n"
NOT_FOLLOWED = "a.yaml: a link that leads out of .; name the file itself\n"
# manifests, links, the manifests that change, the folder of the run, what is given to it, what is told
LINKS: dict[str, tuple[str, dict[str, str], str, str, str, str]] = {
    "stays one and its file changes": ("real/a", {"z.yaml": "real/a.yaml"}, "real/a", ".", ".", ""),
    "is followed anywhere": ("out in/b/c", {"in/a.yaml": "../out.yaml"}, "out", "in", "a.yaml", ""),
    "leads out of a folder": ("out", {"in/a.yaml": "../out.yaml"}, "", "in", ".", NOT_FOLLOWED),
    "stays in the repository": (".git/x base/a", {"in/a.yaml": "../base/a.yaml"}, "base/a", "in", ".", ""),
    "leads nowhere": ("", {"loop.yaml": "nowhere.yaml"}, "", ".", ".", NO_FILE),
    "leads to itself": ("", {"loop.yaml": "loop.yaml"}, "", ".", ".", NO_FILE),
    "leads nowhere from the root": ("", {"loop.yaml": "/nowhere/at/all"}, "", ".", ".", "loop.yaml: "),
    "folders are not entered": (
        "elsewhere/a in/b/c",
        {"in/again": "..", "in/b/up": "../..", "in/linked": "../elsewhere"},
        *("in/b/c", "in", ".", ""),
    ),
    "a folder is entered where it is named": (
        "elsewhere/a",
        {"linked": "elsewhere"},
        *("elsewhere/a", ".", "linked", ""),
    ),
}


@pytest.mark.parametrize("name", LINKS)
def test_a_link(case: Case, tmp_path: Path, worker: Worker, name: str) -> None:
    there, links, changed, within, named, told = LINKS[name]
    (tmp_path / within).mkdir(exist_ok=True)
    files = {f"{one}.yaml": case.old["a.yaml"] for one in there.split()}
    fill(tmp_path, files)
    for link, target in links.items():
        (tmp_path / link).symlink_to(target)
    done = worker(tmp_path / within, *(named if one == "." else one for one in case.arguments))
    assert done.code == (3 if told else case.code)
    assert done.err.startswith(f"error: {told}" if told else "")
    new = {f"{one}.yaml": case.new["a.yaml"] for one in changed.split()}
    assert holds(tmp_path) == files | new | {link: f"-> {target}" for link, target in links.items()}


def test_a_hard_link_is_broken_and_said(case: Case, tmp_path: Path, worker: Worker) -> None:
    """As ``sed -i`` does: the other name keeps the old text, so nothing is lost."""
    fill(tmp_path, {"a.yaml": case.old["a.yaml"]})
    (tmp_path / "keep.txt").hardlink_to(tmp_path / "a.yaml")
    done = worker(tmp_path, *case.arguments)
    assert done.code == case.code
    assert "note: a.yaml: the file had another name, which keeps the old text (hard links)\n" in done.err
    assert holds(tmp_path) == {"a.yaml": case.new["a.yaml"], "keep.txt": case.old["a.yaml"]}


# --- modes and owners -----------------------------------------------------------------------------


def test_the_mode_is_kept(case: Case, tmp_path: Path, worker: Worker) -> None:
    modes = {f"{mode:o}.yaml": mode for mode in (0o600, 0o644, 0o664, 0o755, 0o4755, 0o2755, 0o1644)}
    for name, mode in modes.items():
        fill(tmp_path, {name: case.old["a.yaml"]})
        (tmp_path / name).chmod(mode)
    assert worker(tmp_path, *case.arguments, umask=0o077).code == case.code
    assert holds(tmp_path) == dict.fromkeys(modes, case.new["a.yaml"])
    assert {name: stat.S_IMODE((tmp_path / name).stat().st_mode) for name in modes} == modes


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
    assert f"error: a.yaml: {case.refused}: {why}" in done.err
    assert holds(open_folder) == {"a.yaml": case.old["a.yaml"]}
    kept = ("st_ino", "st_mode", "st_uid", "st_mtime_ns")
    assert [getattr(file.stat(), name) for name in kept] == [getattr(before, name) for name in kept]


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


OF_A_SHELL = {
    "a manifest": (OLD, "translate {} --to tke", "qgpu-core"),
    "a profile": ("target: tke\n", "translate a.yaml --to tke --profile {}", "qgpu-core"),
    "a configuration": ("fail-on: never\n", "--config {} lint a.yaml -o concise", ""),
    "a baseline": (
        '{"format": "gpuxlate-baseline/v1", "findings": []}',
        "lint a.yaml --baseline {}",
        "no new",
    ),
    "decisions": ("", "translate a.yaml --to tke --decisions {}", "qgpu-core"),
    "a schema's document": ("target: tke\n", "schema profile --check {}", ""),
}


@pytest.mark.parametrize("what", OF_A_SHELL)
def test_what_a_shell_has_opened_is_read(what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As in ``gpuxlate lint <(helm template chart)``."""
    text, line, says = OF_A_SHELL[what]
    fill(tmp_path, {"a.yaml": OLD})
    monkeypatch.chdir(tmp_path)
    ours, theirs = os.pipe()
    os.write(theirs, text.encode())
    os.close(theirs)
    forget()  # the same number was another pipe
    ran = run(*line.format(f"/dev/fd/{ours}").split())
    os.close(ours)
    assert (ran.code, says in ran.out.decode()) == (0, True), ran.err


def test_decisions_that_a_shell_has_opened_count_for_each_target(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A pipe is read once, however many targets of ``sync`` ask for it."""
    asked = "- {object: Pod/web, container: web, to: %s, field: memoryMiB, code: %s, verdict: rounded,"
    asked += " asked: 4000, given: %s, accept: true, reason: so it is}\n"
    entries = asked % ("tke", "TKE001", 4096) + asked % ("ack", "ACK001", 4096)
    neutral = OLD.replace("vke.volcengine.com/mgpu-core", "gpuxlate.io/cores")
    neutral = neutral.replace("vke.volcengine.com/mgpu-memory", "gpuxlate.io/memory-mib").replace(
        "4096", "4000"
    )
    tree = "sync: [{source: base, targets: {tke: c, ack: d}}]\n"
    fill(tmp_path, {".gpuxlate.yaml": tree, "base/a.yaml": neutral, ".git/HEAD": ""})
    monkeypatch.chdir(tmp_path)
    ours, theirs = os.pipe()
    os.write(theirs, b"apiVersion: gpuxlate.io/v1alpha1\nkind: Decisions\ndecisions:\n" + entries.encode())
    os.close(theirs)
    forget()
    ran = run("sync", "--decisions", f"/dev/fd/{ours}")
    os.close(ours)
    assert ran.code == 0, ran.err


READERS = (
    "lint {}",
    "lint a.yaml --profile {}",
    "lint a.yaml --baseline {}",
    "lint a.yaml --config {}",
    "translate {} --to tke",
    "translate a.yaml --to tke --decisions {}",
    "translate a.yaml --to tke --write-decisions {}",
    "render {} --to tke",
    "schema spec --check {}",
    "verify share.yaml --to vke --nvidia-smi {}",
    "krm {}",
    "policy --to tke --profile {}",
)


@pytest.mark.parametrize("line", READERS)
def test_no_pipe_that_was_named_blocks(line: str, tmp_path: Path, worker: Worker) -> None:
    os.mkfifo(tmp_path / "pipe")
    fill(tmp_path, {"a.yaml": OLD, "share.yaml": SPEC})
    done = worker(tmp_path, *line.format("pipe").split())
    assert "it is a named pipe, not a file" in done.err
    assert done.code in (2, 3)


CONFIGURED = {
    "decisions": "decisions: pipe\n",
    "a profile": "profiles: {tke: pipe}\n",
    "a descriptor": "decisions: /dev/fd/0\n",
    "of a target of sync": "sync: [{source: base, targets: {tke: {dir: c, decisions: pipe}}}]\n",
    "a profile of sync": "sync: [{source: base, targets: {tke: {dir: c, profile: pipe}}}]\n",
    "a profile that nothing uses": "profiles: {x: pipe}\nsync: [{source: base, targets: {tke: c}}]\n",
}


@pytest.mark.parametrize("what", CONFIGURED)
def test_no_pipe_that_a_configuration_names_blocks(what: str, tmp_path: Path, worker: Worker) -> None:
    os.mkfifo(tmp_path / "pipe")
    text = CONFIGURED[what]
    fill(tmp_path, {"a.yaml": OLD, ".gpuxlate.yaml": text, "base/a.yaml": OLD, ".git/HEAD": ""})
    line = ("sync",) if "sync" in text else ("translate", "a.yaml", "--to", "tke", "--profile", "tke")
    done = worker(tmp_path, *line[: None if "profiles" in text else 4])
    assert (done.code in (1, 2, 3), "internal" in done.err, done.err != "") == (True, False, True), done.err


WRITERS = (
    "lint a.yaml --write-baseline {}",
    "translate a.yaml --to tke --report {}",
    "assess a.yaml --to tke --html {}",
)


@pytest.mark.parametrize("line", WRITERS)
def test_no_pipe_that_is_written_to_blocks(line: str, tmp_path: Path, worker: Worker) -> None:
    os.mkfifo(tmp_path / "pipe")
    fill(tmp_path, {"a.yaml": OLD})
    done = worker(tmp_path, *line.format("pipe").split())
    assert (done.code, done.err.splitlines()[-1]) == (3, "error: pipe: nobody reads what is written to it")


def test_a_pipe_that_a_shell_has_opened_is_written_to(tmp_path: Path) -> None:
    """As in ``gpuxlate translate a.yaml --to tke --report >(jq .)``."""
    fill(tmp_path, {"a.yaml": OLD})
    ours, theirs = os.pipe()
    subprocess.run(
        [
            sys.executable,
            "-m",
            "gpuxlate",
            "translate",
            "a.yaml",
            "--to",
            "tke",
            "--report",
            f"/dev/fd/{theirs}",
        ],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        pass_fds=[theirs],
        capture_output=True,
        check=True,
    )
    os.close(theirs)
    with open(ours, "rb") as file:
        assert b"gpuxlate-report/v1" in file.read()


def test_a_device_that_was_named_is_read_no_further_than_the_limit(tmp_path: Path, worker: Worker) -> None:
    done = worker(tmp_path, "lint", "/dev/zero")
    assert (done.code, done.err) == (3, "error: /dev/zero: larger than 64 MiB\n")


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


into_a_folder = pytest.mark.parametrize("arguments", [RENDER, INTO], ids=["render", "translate"])


@into_a_folder
def test_output_folders_are_whole_files_too(tmp_path: Path, worker: Worker, arguments: Sequence[str]) -> None:
    def tree(name: str) -> Path:
        fill(tmp_path / name, {"spec.yaml": SPEC, "manifests/a.yaml": OLD, "manifests/b.yaml": OLD})
        return tmp_path / name

    folder = tree("whole")
    calls = worker(folder, *arguments, fault={}).calls
    whole = {name: text for name, text in holds(folder).items() if name.startswith("out/")}
    assert len(whole) == 2
    for at, how in moments(calls, "kill before", "kill after", "error"):
        folder = tree(f"{at}-{how}")
        done = worker(folder, *arguments, fault={"at": at, "how": how, "errno": 28})
        there = calls[at] == "mkdir" and done.code == 0  # making a folder that is there may fail
        assert there or done.code == (3 if how == "error" else -9)
        found = {name: text for name, text in holds(folder).items() if name.startswith("out/")}
        kept = {name: text for name, text in found.items() if not left_over(name)}
        assert kept.items() <= whole.items()
        assert how != "error" or kept == found
        assert worker(folder, *arguments).code == 0
        assert whole.items() <= holds(folder).items()


@into_a_folder
def test_nothing_is_written_outside_the_output_folder(
    tmp_path: Path, worker: Worker, arguments: Sequence[str]
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
        ("../x ../y", {"x/a.yaml", "y/a.yaml"}),
        ("../x/a.yaml", {"a.yaml"}),
        ("../x .", {"a.yaml", "b/c.yaml"}),
        ("ABOVE/x ABOVE/in/b/c.yaml", {"a.yaml", "b/c.yaml"}),
    ],
)
def test_files_from_elsewhere_keep_their_places(
    tmp_path: Path, worker: Worker, given: str, expected: set[str]
) -> None:
    fill(tmp_path, {"x/a.yaml": OLD, "y/a.yaml": OLD.replace("web", "api"), "in/b/c.yaml": OLD})
    paths = given.replace("ABOVE", str(tmp_path)).split()
    done = worker(tmp_path / "in", "translate", *paths, "--to", "tke", "--output-dir", "out")
    assert done.code == 0, done.err
    assert set(holds(tmp_path / "in" / "out")) == expected
