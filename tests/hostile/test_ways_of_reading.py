"""One document, one result: as a file, from stdin, in a folder, on one core and on all."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gpuxlate.cli.runner import WORTH
from gpuxlate.inputs.bounded import BLOCK
from gpuxlate.model.limits import MAX_ALIASES, MAX_DEPTH, MAX_KEY
from tests.lint.conftest import pod
from tests.running import run

KEY = "vke.volcengine.com/mgpu-core"
SHARE = f"{KEY}: 30\nvke.volcengine.com/mgpu-memory: 4096"
BROKEN = pod("KEYS").replace(
    "KEYS",
    '? "vke.vol\\\n          cengine.com\\/mgpu-c\\x6fre"\n        : 30\n'
    '        "vke\\u002evolcengine.com/mgpu-memory": 4096',
)
"""Keys in double quotes, with a line break and escapes in their middle."""


def before(text: str, size: int) -> str:
    """The text behind a comment of so many characters."""
    return f"#{'x' * (size - 2)}\n{text}"


TEXTS = {
    "a share": pod(SHARE),
    "keys in pieces": BROKEN,
    **{
        f"keys in pieces where a block ends, {n}": before(BROKEN, BLOCK - BROKEN.index("cengine") + n)
        for n in range(-14, 4, 3)
    },
    "too deep": pod(SHARE) + "x: " + "[" * (MAX_DEPTH + 1) + "]" * (MAX_DEPTH + 1) + "\n",
    "too many aliases": pod(SHARE) + "x: &a 1\ny: [" + "*a," * (MAX_ALIASES + 1) + "]\n",
    "a key too long": pod(SHARE) + f"? {'k' * (MAX_KEY + 1)}\n: 1\n",
    "a key too long, and no share": f"# gpuxlate\n? {'k' * (MAX_KEY + 1)}\n: 1\n",
    "invalid YAML": pod(SHARE) + "x: [\n",
}


def results(folder: Path, text: str, command: list[str]) -> dict[str, object]:
    """What a command says of the text, however it gets it."""
    alone, many = folder / "alone", folder / "many"
    alone.mkdir()
    many.mkdir()
    (alone / "a.yaml").write_text(text, newline="")
    (many / "a.yaml").write_text(text, newline="")
    for n in range(8):
        (many / f"b{n}.yaml").write_text("# nothing\n" * (WORTH // 40))
    ways = {
        "file": (str(alone / "a.yaml"), b""),
        "stdin": ("-", text.encode()),
        "folder": (str(alone), b""),
        "many": (str(many), b""),
    }
    return {way: told(command, path, stdin) for way, (path, stdin) in ways.items()}


def told(command: list[str], path: str, stdin: bytes) -> object:
    done = run(*command, path, stdin=stdin)
    found = json.loads(done.out)
    if command[0] == "lint":
        return done.code, [(one["code"], one["message"], one["line"]) for one in found["diagnostics"]]
    return done.code, [(one["verdict"], one["share"]) for one in found["items"]]


@pytest.mark.parametrize("name", TEXTS)
def test_findings(tmp_path: Path, name: str) -> None:
    found = results(tmp_path, TEXTS[name], ["lint", "--format", "json"])
    assert found["stdin"] == found["folder"] == found["many"] == found["file"]
    if name.startswith(("too", "a key too long")):
        assert '"GX025"' in json.dumps(found["file"])


@pytest.mark.parametrize("name", TEXTS)
def test_shares(tmp_path: Path, name: str) -> None:
    found = results(tmp_path, TEXTS[name], ["assess", "--to", "tke", "-o", "json"])
    assert found["stdin"] == found["folder"] == found["many"] == found["file"]
    if name.startswith(("a share", "keys in pieces")):
        assert '"exact"' in json.dumps(found["file"])
