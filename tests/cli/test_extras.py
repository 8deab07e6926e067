"""How a missing extra is installed: by what pip noted when it installed the package (PEP 610)."""

import json
from pathlib import Path
from typing import Any

import pytest

from gpuxlate.files.extras import pip_install

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
    assert pip_install("cluster") == command.replace("HERE", str(tmp_path))


def test_a_checkout_that_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.path", [])
    assert pip_install("watch") == f"pip install '{Path(__file__).parents[2]}[watch]'"
