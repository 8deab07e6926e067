"""Nothing that is read runs anything, and no path in a document leads out of its folder.

Tags and addresses are given to all commands in ``test_every_command.py``.
"""

import os
from pathlib import Path

import pytest

from tests.hostile.conftest import OLD, SPEC, Worker, fill, holds
from tests.hostile.test_every_command import TAGS


def test_a_tag_stays_where_it_is(tmp_path: Path, worker: Worker) -> None:
    fill(tmp_path, {"a.yaml": OLD + f"x: {TAGS[0]}\n"})
    assert worker(tmp_path, "translate", "-i", "a.yaml", "--to", "tke").code == 0
    assert f"x: {TAGS[0]}\n" in holds(tmp_path)["a.yaml"]


def test_the_block_of_the_network_holds(tmp_path: Path, worker: Worker) -> None:
    """A run that makes a socket ends badly."""
    fill(tmp_path, {"a.yaml": OLD})
    assert worker(tmp_path, "lint", "a.yaml", network=False, connect=True).code == 70
    assert worker(tmp_path, "lint", "a.yaml", network=False).code == 0


# --- paths in documents ---------------------------------------------------------------------------

OUTSIDE = [
    "../outside.yaml", "sub/../../outside.yaml", "{outside}", "link.yaml", "linked/outside.yaml",
    "../in/../outside.yaml",
]  # fmt: skip


def document(file: str) -> str:
    return SPEC.replace("spec: {cores: 30,", f'spec: {{workload: {{file: "{file}"}}, cores: 30,')


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with links out of it, and a workload beside it."""
    bare = OLD.partition("    resources:")[0]
    fill(tmp_path, {"outside.yaml": bare, "in/inside.yaml": bare, "in/sub/deep.yaml": bare})
    (tmp_path / "in" / "link.yaml").symlink_to("../outside.yaml")
    (tmp_path / "in" / "linked").symlink_to("..")
    (tmp_path / "in" / "near.yaml").symlink_to("sub/deep.yaml")
    return tmp_path


COMMANDS_OF_WORKLOADS = (
    "render spec.yaml --to tke",
    "render spec.yaml --to hami --output-dir out",
    "compare spec.yaml --manifests",
)


@pytest.mark.parametrize("file", OUTSIDE)
def test_a_workload_outside_of_the_folder_needs_a_flag(folder: Path, worker: Worker, file: str) -> None:
    fill(folder / "in", {"spec.yaml": document(file.format(outside=folder / "outside.yaml"))})
    for command in COMMANDS_OF_WORKLOADS:
        done = worker(folder / "in", *command.split())
        assert (done.code, done.out) == (3, "")
        assert done.err.endswith(
            " is outside of the folder of spec.yaml, which names it in spec.workload.file\n"
            "help: put it into that folder, or pass --allow-outside\n"
        )
        assert not (folder / "in" / "out").exists()
    for command in COMMANDS_OF_WORKLOADS:
        assert worker(folder / "in", *command.split(), "--allow-outside").code == 0


@pytest.mark.parametrize(
    "file", ["inside.yaml", "sub/deep.yaml", "./sub/../inside.yaml", "near.yaml", "{inside}"]
)
def test_a_workload_inside_needs_none(folder: Path, worker: Worker, file: str) -> None:
    fill(folder / "in", {"spec.yaml": document(file.format(inside=folder / "in" / "inside.yaml"))})
    for command in COMMANDS_OF_WORKLOADS:
        assert worker(folder / "in", *command.split()).code == 0
    assert worker(folder, "render", "in/spec.yaml", "--to", "tke").code == 0


def test_the_folder_of_stdin_is_the_current_one(folder: Path, worker: Worker) -> None:
    fill(folder / "in", {"spec.yaml": document("../outside.yaml"), "good.yaml": document("inside.yaml")})
    for name, code in (("spec.yaml", 3), ("good.yaml", 0)):
        done = worker(folder / "in", "render", "-", "--to", "tke", stdin=str(folder / "in" / name))
        assert done.code == code


def test_the_users_own_workload_may_be_anywhere(folder: Path, worker: Worker) -> None:
    fill(folder / "in", {"spec.yaml": SPEC})
    done = worker(folder / "in", "render", "spec.yaml", "--to", "tke", "--workload", "../outside.yaml")
    assert done.code == 0


@pytest.mark.parametrize("what", ["pipe", "/dev/zero", "sub"])
def test_a_workload_that_is_no_file_does_not_block(folder: Path, worker: Worker, what: str) -> None:
    os.mkfifo(folder / "in" / "pipe")
    fill(folder / "in", {"spec.yaml": document(what)})
    done = worker(folder / "in", "render", "spec.yaml", "--to", "tke", "--allow-outside")
    assert done.code == 3
    assert done.err.startswith(f"error: {what}: ")


@pytest.mark.parametrize("file", ["../outside.yaml", "link.yaml", "{outside}"])
def test_a_profile_of_the_configuration_stays_in_its_folder(folder: Path, worker: Worker, file: str) -> None:
    file = file.format(outside=folder / "outside.yaml")
    (folder / "outside.yaml").write_text("target: vke\n")
    fill(
        folder / "in",
        {".gpuxlate.yaml": f'profiles: {{p: "{file}", q: sub/q.yaml}}\n', "sub/x": "", "a.yaml": OLD},
    )
    fill(folder / "in" / "sub", {"q.yaml": "target: vke\n"})
    done = worker(folder / "in", "lint", "a.yaml", "--profile", "p")
    assert done.code == 2
    assert "which is outside of the folder of the configuration" in done.err
    assert "pass --profile " in done.err
    assert worker(folder / "in", "lint", "a.yaml", "--profile", "q").code == 0
    assert worker(folder / "in", "lint", "a.yaml", "--profile", file).code == 0
