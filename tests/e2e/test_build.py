"""How the server is built and found again, without building one."""

import json
import os
import stat
from pathlib import Path

import pytest

from .server import build


@pytest.mark.parametrize("recipe", [build.RECIPE, build.RECIPE | {"recipe": 0}, None, []])
def test_a_finished_build_is_taken_and_none_of_another_recipe(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, recipe: object
) -> None:
    """On a machine of an ordinary user, with apt-get and etcd, and nothing else that is needed."""
    there = {"apt-get", "etcd", "openssl"}
    monkeypatch.setattr("shutil.which", lambda name: f"/bin/{name}" if name in there else None)
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    home = tmp_path / f"kube-apiserver-{build.VERSION}"
    home.mkdir(parents=True)
    (home / "kube-apiserver").write_text("")
    (home / "kube-apiserver").chmod(stat.S_IRWXU)
    (home / "stamp.json").write_text(json.dumps(recipe))
    if recipe == build.RECIPE:
        assert build.ensure(tmp_path) == build.Server(home / "kube-apiserver", Path("/bin/etcd"))
        return
    with pytest.raises(build.BuildError) as caught:
        build.ensure(tmp_path)
    assert str(caught.value) == (
        "the API server for tests needs more packages; as root, run: "
        "apt-get install rsync jq make dpkg-dev golang-1.19-go"
    )


def test_a_cache_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(build.BuildError, match=r"cannot build kube-apiserver in .*file.*: .*Not a directory"):
        build.ensure(tmp_path / "file" / "cache")


def test_the_cache_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("GPUXLATE_CACHE", str(tmp_path))
    assert build.cache_folder() == tmp_path
    monkeypatch.delenv("GPUXLATE_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", "/c")
    assert build.cache_folder() == Path("/c/gpuxlate")


def test_a_failing_step_says_why_in_one_line(tmp_path: Path) -> None:
    with (tmp_path / "log").open("w+") as log, pytest.raises(build.BuildError) as caught:
        build._run(["sh", "-c", "echo quite well; echo 'E: no such package'; echo bye; exit 3"], log)
    assert str(caught.value) == f"sh -c failed with exit code 3: E: no such package (log: {tmp_path}/log)"
