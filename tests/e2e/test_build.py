"""How the server is built and found again, without building one."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import pytest

from .server import build
from .server.sources import SourcesError, source_lines

DEB822 = """\
Types: deb
# a comment
URIs: http://mirror.example.org/debian
Suites: bookworm bookworm-updates
Components: main contrib
Signed-By: /usr/share/keyrings/debian.gpg

Types: deb
URIs: http://mirror.example.org/debian-security
Suites: bookworm-security
Components: main
Signed-By:
 -----BEGIN PGP PUBLIC KEY BLOCK-----
 .
 -----END PGP PUBLIC KEY BLOCK-----

Enabled: no
Types: deb
URIs: http://off.example.org/debian
Suites: bookworm
Components: main
"""


def test_source_lines_from_deb822(tmp_path: Path) -> None:
    folder = tmp_path / "sources.list.d"
    folder.mkdir()
    (folder / "debian.sources").write_text(DEB822)
    (folder / "other.sources").write_text("URIs: http://x.example.org\nSuites: nodistro\nComponents: main\n")
    signed = "[signed-by=/usr/share/keyrings/debian.gpg]"
    assert source_lines(tmp_path, "bookworm") == [
        f"deb-src {signed} http://mirror.example.org/debian bookworm main",
        f"deb-src {signed} http://mirror.example.org/debian bookworm-updates main",
        "deb-src http://mirror.example.org/debian-security bookworm-security main",
    ]


def test_source_lines_from_one_line_style(tmp_path: Path) -> None:
    (tmp_path / "sources.list").write_text(
        "# deb http://old.example.org/debian bookworm main\n"
        "deb [arch=amd64 signed-by=/k.gpg] http://mirror.example.org/debian bookworm main  # the archive\n"
        "deb-src http://mirror.example.org/debian bookworm main non-free\n"
        "deb http://mirror.example.org/debian bookworm contrib\n"
        "deb http://apt.example.org/x x-bookworm main\n"
    )
    assert source_lines(tmp_path, "bookworm") == [
        "deb-src [signed-by=/k.gpg] http://mirror.example.org/debian bookworm main",
        "deb-src http://mirror.example.org/debian bookworm main",
    ]


def test_no_mirror_is_said(tmp_path: Path) -> None:
    with pytest.raises(SourcesError, match="names no mirror of bookworm"):
        source_lines(tmp_path, "bookworm")


def finished(cache: Path, recipe: object) -> Path:
    """A cache as a build leaves it."""
    home = cache / f"kube-apiserver-{build.VERSION}"
    home.mkdir(parents=True)
    (home / "kube-apiserver").write_text("")
    (home / "kube-apiserver").chmod(stat.S_IRWXU)
    (home / "stamp.json").write_text(json.dumps(recipe))
    return home / "kube-apiserver"


@pytest.fixture
def no_tools(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine of an ordinary user, with apt-get and etcd, and nothing else that is needed."""
    there = {"apt-get", "etcd", "openssl"}
    monkeypatch.setattr("shutil.which", lambda name: f"/bin/{name}" if name in there else None)
    monkeypatch.setattr(os, "geteuid", lambda: 1000)


@pytest.mark.usefixtures("no_tools")
def test_a_finished_build_is_taken(tmp_path: Path) -> None:
    assert not build.is_built(tmp_path)
    made = finished(tmp_path, build.RECIPE)
    assert build.is_built(tmp_path)
    assert build.ensure(tmp_path) == build.Server(made, Path("/bin/etcd"))


@pytest.mark.usefixtures("no_tools")
@pytest.mark.parametrize("recipe", [build.RECIPE | {"recipe": 0}, None, []])
def test_a_build_of_another_recipe_is_not(tmp_path: Path, recipe: object) -> None:
    finished(tmp_path, recipe)
    assert not build.is_built(tmp_path)
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
