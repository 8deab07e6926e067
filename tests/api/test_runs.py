"""Each call of the Python API is a run of its own: it reads files as they are, in any thread."""

import gc
import os
import stat
import weakref
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import gpuxlate
from gpuxlate.files.write import write_atomically
from gpuxlate.lint.check import lint_source
from gpuxlate.lint.settings import LintSettings
from gpuxlate.model import kept
from gpuxlate.yamltext.source import Source

WORK = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  template:
    spec:
      containers:
      - name: c
        resources: {limits: {vke.volcengine.com/mgpu-core: 30, vke.volcengine.com/mgpu-memory: 4096}}
"""
PATCH = WORK.replace("mgpu-core: 30", "mgpu-core: 50")
OVERLAY = "resources: [../b]\npatches: [{path: p.yaml}]\n"


def tree(root: Path) -> Path:
    for name, text in {
        "b/w.yaml": WORK,
        "b/kustomization.yaml": "resources: [w.yaml]\n",
        "o/p.yaml": PATCH,
        "o/kustomization.yaml": OVERLAY,
    }.items():
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text(text)
    return root


def test_files_that_change_between_calls(tmp_path: Path) -> None:
    root = tree(tmp_path)

    def cores() -> int | None:
        return gpuxlate.parse(root).items[0].share.cores  # type: ignore[union-attr]

    assert cores() == 50
    (root / "o/p.yaml").write_text(PATCH.replace("50", "70"))
    assert cores() == 70
    (root / "o/kustomization.yaml").write_text("resources: [../b]\n")
    (root / "o/p.yaml").unlink()
    assert cores() == 30


def test_threads_on_one_folder(tmp_path: Path) -> None:
    root = tree(tmp_path)
    alone = gpuxlate.translate(root, to="tke", round="up")
    with ThreadPoolExecutor(8) as pool:
        every = list(pool.map(lambda _: gpuxlate.translate(root, to="tke", round="up"), range(40)))
    assert all(one.files == alone.files and one.items == alone.items for one in every)


def test_nothing_is_kept_of_a_text() -> None:
    kept.forget()
    word = "word-of-this-test"
    gpuxlate.lint(WORK + f"# {word}\n")
    gpuxlate.translate(WORK + f"# {word}\n", to="tke")
    gc.collect()
    assert not [one for one in gc.get_objects() if isinstance(one, Source) and word in one.text]


def test_settings_that_name_no_files_hold_no_text() -> None:
    """The settings of a check are not where the claims of the last text stay."""
    settings = LintSettings()
    source = Source("a.yaml", WORK)
    with kept.own_run():
        lint_source(source, settings)
    left = weakref.ref(source)
    del source
    gc.collect()
    assert left() is None


def test_a_new_file_is_for_whom_the_umask_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The umask is of the whole process: another thread would write with the one that is set for a moment."""
    mask = os.umask(0o027)
    try:
        with monkeypatch.context() as patched:
            patched.setattr(os, "umask", None)
            write_atomically(tmp_path / "new", b"")
            write_atomically(tmp_path / "executable", b"", mode=0o755)
    finally:
        os.umask(mask)
    assert [stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("new", "executable")] == [
        0o640,
        0o755,
    ]


def test_each_run_removes_what_a_killed_one_left(tmp_path: Path) -> None:
    for _ in range(2):
        (tmp_path / ".a.tmp-abcd1234.gpuxlate").write_text("")
        with kept.own_run():
            write_atomically(tmp_path / "a", b"")
        assert [one.name for one in tmp_path.iterdir()] == ["a"]
