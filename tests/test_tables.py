"""Tables of cases, YAML beside the tests: no row says a key twice, of which the last would count alone."""

from pathlib import Path

from gpuxlate.yamltext.parse import documents
from gpuxlate.yamltext.source import Source

HERE = Path(__file__).parent
OF_CHARTS = "templates"
"""Folders of what is no YAML before it is rendered."""


def test_no_row_says_a_key_twice() -> None:
    paths = [path for path in HERE.rglob("*.yaml") if OF_CHARTS not in path.parts]
    read = {path: documents(Source(path.name, path.read_text(encoding="utf-8"))) for path in paths}
    twice = {path: [key.text for one in found for _, key in one.repeated] for path, found in read.items()}
    assert {path: keys for path, keys in twice.items() if keys} == {}
    assert len(paths) > 20
