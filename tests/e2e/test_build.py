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


ONE_LINE = """\
# deb http://old.example.org/debian bookworm main
deb [arch=amd64 signed-by=/k.gpg] http://mirror.example.org/debian bookworm main  # the archive
deb-src http://mirror.example.org/debian bookworm main non-free
deb http://mirror.example.org/debian bookworm contrib
deb http://apt.example.org/x x-bookworm main
"""


def test_source_lines(tmp_path: Path) -> None:
    with pytest.raises(SourcesError, match="names no mirror of bookworm"):
        source_lines(tmp_path, "bookworm")
    folder = tmp_path / "sources.list.d"
    folder.mkdir()
    (folder / "debian.sources").write_text(DEB822)
    (folder / "other.sources").write_text("URIs: http://x.example.org\nSuites: nodistro\nComponents: main\n")
    signed = "[signed-by=/usr/share/keyrings/debian.gpg]"
    of_stanzas = [
        f"deb-src {signed} http://mirror.example.org/debian bookworm main",
        f"deb-src {signed} http://mirror.example.org/debian bookworm-updates main",
        "deb-src http://mirror.example.org/debian-security bookworm-security main",
    ]
    assert source_lines(tmp_path, "bookworm") == of_stanzas
    (tmp_path / "sources.list").write_text(ONE_LINE)
    assert source_lines(tmp_path, "bookworm") == [
        "deb-src [signed-by=/k.gpg] http://mirror.example.org/debian bookworm main",
        "deb-src http://mirror.example.org/debian bookworm main",
        *of_stanzas,
    ]


@pytest.mark.parametrize("recipe", [build.RECIPE, build.RECIPE | {"recipe": 0}, None, []])
def test_a_finished_build_is_taken_and_none_of_another_recipe(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, recipe: object
) -> None:
    """On a machine of an ordinary user, with apt-get and etcd, and nothing else that is needed."""
    there = {"apt-get", "etcd", "openssl"}
    monkeypatch.setattr("shutil.which", lambda name: f"/bin/{name}" if name in there else None)
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert not build.is_built(tmp_path)
    home = tmp_path / f"kube-apiserver-{build.VERSION}"
    home.mkdir(parents=True)
    (home / "kube-apiserver").write_text("")
    (home / "kube-apiserver").chmod(stat.S_IRWXU)
    (home / "stamp.json").write_text(json.dumps(recipe))
    assert build.is_built(tmp_path) == (recipe == build.RECIPE)
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
