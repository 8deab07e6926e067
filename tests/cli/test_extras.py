"""How a missing extra is installed: from where the package came, by the program that installed it."""

import json
from pathlib import Path
from typing import Any

import pytest

from gpuxlate.files.extras import install_command

METADATA = """Metadata-Version: 2.4
Name: gpuxlate
Version: 0.1.0
Requires-Dist: rich>=13.8
Requires-Dist: kubernetes>=31; extra == "cluster"
Requires-Dist: watchfiles>=1; extra == "watch"
"""
COMMIT = "26e0d4c1"
FROM: list[tuple[dict[str, Any] | None, str]] = [
    ({"url": "file://HERE", "dir_info": {"editable": True}}, "pip install -e 'HERE[cluster]'"),
    ({"url": "file://HERE", "dir_info": {}}, "pip install 'HERE[cluster]'"),
    ({"url": "file://HERE/a%20b.whl", "archive_info": {}}, "pip install 'HERE/a b.whl[cluster]'"),
    ({"url": "file:///gone/gpuxlate.whl", "archive_info": {}}, "pip install 'kubernetes>=31'"),
    (
        {"url": "https://host/it.git", "vcs_info": {"vcs": "git", "commit_id": COMMIT}},
        f"pip install 'gpuxlate[cluster] @ git+https://host/it.git@{COMMIT}'",
    ),
    (
        {"url": "https://host/gpuxlate.whl", "archive_info": {}},
        "pip install 'gpuxlate[cluster] @ https://host/gpuxlate.whl'",
    ),
    (None, "pip install 'gpuxlate[cluster]'"),  # from an index, which has it
]


@pytest.mark.parametrize(("origin", "command"), FROM, ids=[command for _, command in FROM])
def test_an_extra_comes_from_where_the_package_came(
    origin: dict[str, Any] | None, command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a b.whl").touch()
    info = tmp_path / "gpuxlate-0.1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(METADATA)
    if origin is not None:
        (info / "direct_url.json").write_text(json.dumps(origin).replace("HERE", str(tmp_path)))
    monkeypatch.syspath_prepend(tmp_path)
    assert install_command("cluster") == command.replace("HERE", str(tmp_path))


BY = {
    "pipx_metadata.json": ("pipx install --force 'HERE[watch]'", "pipx inject gpuxlate 'watchfiles>=1'"),
    "uv-receipt.toml": (
        "uv tool install --force 'HERE[watch]'",
        "uv pip install --python PREFIX 'watchfiles>=1'",
    ),
}
"""What a program leaves in an environment, and the commands: from a folder, and from a wheel that is gone."""


@pytest.mark.parametrize("note", BY)
@pytest.mark.parametrize("gone", [False, True], ids=["a folder", "a wheel that is gone"])
def test_the_program_that_installed_it_adds_the_extra(
    note: str, gone: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    info, prefix = tmp_path / "gpuxlate-0.1.0.dist-info", tmp_path / "environment"
    for folder in (info, prefix):
        folder.mkdir()
    (prefix / note).touch()
    (info / "METADATA").write_text(METADATA)
    url = "file:///gone/gpuxlate.whl" if gone else f"file://{tmp_path}"
    (info / "direct_url.json").write_text(json.dumps({"url": url, "dir_info": {}}))
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr("sys.prefix", str(prefix))
    wanted = BY[note][gone].replace("HERE", str(tmp_path)).replace("PREFIX", str(prefix))
    assert install_command("watch") == wanted


def test_a_zipapp_is_replaced_by_the_wheel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    info = tmp_path / "gpuxlate-0.1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(METADATA)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr("sys.argv", ["./gpuxlate-0.1.0-linux-x86_64.pyz"])
    assert install_command("watch") == "pipx install './gpuxlate-0.1.0-py3-none-any.whl[watch]'"


def test_a_checkout_that_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.path", [])
    assert install_command("watch") == f"pip install '{Path(__file__).parents[2]}[watch]'"
