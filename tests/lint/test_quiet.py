"""Files of a folder that are passed over by their names: only what the longer way would pass over too."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gpuxlate.inputs import bounded
from gpuxlate.inputs.files import SHORT, Input, InputError, expand, is_quiet
from gpuxlate.lint.lint_marks import text_marks

BYTES = st.sampled_from(
    [b"a: 1\n", b"---\n", b"aliyun.com/gpu-mem: 1\n", b'"al\\x69yun": 1\n', b"\0", b"\xff", b"{"]
)


@given(st.lists(BYTES, max_size=4).map(b"".join))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_nothing_of_a_quiet_file_matters(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "a.yaml"
    path.write_bytes(data)
    try:
        matters = any(one.matters for one in Input(str(path), path, named=False).pieces(text_marks))
    except InputError:
        matters = True
    assert is_quiet(str(path), text_marks()) == (not matters)


@pytest.mark.parametrize("kind", ["fifo", "link", "folder", "missing", "large"])
def test_what_is_no_short_regular_file_is_not_passed_over(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "a.yaml"
    if kind == "fifo":
        os.mkfifo(path)
    elif kind == "link":
        (tmp_path / "b.yaml").write_text("a: 1\n")
        path.symlink_to("b.yaml")
    elif kind == "folder":
        path.mkdir()
    elif kind == "large":
        path.write_text("a" * SHORT)
    assert not is_quiet(str(path), text_marks())


def test_a_file_that_changes_while_it_is_read_is_not_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.yaml"
    path.write_text("a: 1\n")
    real = os.fstat

    def then_longer(handle: int) -> os.stat_result:
        found = real(handle)
        with path.open("a") as stream:
            stream.write("aliyun.com/gpu-mem: 1\n")
        return found

    monkeypatch.setattr(bounded.os, "fstat", then_longer)
    assert not is_quiet(str(path), text_marks())


def test_only_regular_files_stand_there_by_name(tmp_path: Path) -> None:
    (tmp_path / "b.yaml").write_text("a: 1\n")
    (tmp_path / "a.yaml").symlink_to("b.yaml")
    os.mkfifo(tmp_path / "c.yaml")
    (tmp_path / "d.yaml").mkdir()
    (tmp_path / "d.yaml" / "e.json").write_text("{}")
    found = expand([str(tmp_path)])
    assert [one.name for one in found] == [
        str(tmp_path / name) for name in ("a.yaml", "c.yaml", "d.yaml/e.json")
    ]
    assert [isinstance(one, str) for one in found.items] == [False, False, True]
