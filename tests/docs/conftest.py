"""All pages, with the generated ones, as the site has them."""

from __future__ import annotations

from pathlib import Path

import pytest

from docs.tools.staging import stage


@pytest.fixture(scope="session")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("docs")
    stage(folder, playground=False)
    return folder
