"""One document, one result: as a file, from stdin, in a folder, on one core and on all."""

import json
from pathlib import Path

import pytest

from gpuxlate.cli.parallel import WORTH
from gpuxlate.files.read import READ_BLOCK
from gpuxlate.model.limits import MAX_ALIASES, MAX_DEPTH, MAX_KEY
from tests.hostile.conftest import fill
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
AT_THE_END = READ_BLOCK - BROKEN.index("cengine")


def before(text: str, size: int) -> str:
    """The text behind a comment of so many characters."""
    return f"#{'x' * (size - 2)}\n{text}"


TEXTS = {
    "a share": pod(SHARE),
    "keys in pieces": BROKEN,
    **{f"keys in pieces where a block ends, {n}": before(BROKEN, AT_THE_END + n) for n in range(-14, 4, 3)},
    "too deep": pod(SHARE) + "x: " + "[" * (MAX_DEPTH + 1) + "]" * (MAX_DEPTH + 1) + "\n",
    "too many aliases": pod(SHARE) + "x: &a 1\ny: [" + "*a," * (MAX_ALIASES + 1) + "]\n",
    "a key too long": pod(SHARE) + f"? {'k' * (MAX_KEY + 1)}\n: 1\n",
    "a key too long, and no share": f"# gpuxlate\n? {'k' * (MAX_KEY + 1)}\n: 1\n",
    "invalid YAML": pod(SHARE) + "x: [\n",
}


@pytest.mark.parametrize("name", TEXTS)
def test_one_result(tmp_path: Path, name: str) -> None:
    """Of the text alone, from stdin, in a folder, and beside so much else that all cores take part."""
    for folder, beside in (("alone", 0), ("many", 8)):
        others = {f"b{n}.yaml": "# nothing\n" * (WORTH // 40) for n in range(beside)}
        fill(tmp_path / folder, {"a.yaml": TEXTS[name], **others})

    def told(*command: str, rows: str, keys: tuple[str, ...]) -> list[object]:
        """What a command says of the text, however it gets it: all the same."""
        said = []
        for way in ("alone/a.yaml", "-", "alone", "many"):
            path, stdin = ("-", TEXTS[name].encode()) if way == "-" else (str(tmp_path / way), b"")
            done = run(*command, path, stdin=stdin)
            said.append([done.code, *([one[key] for key in keys] for one in json.loads(done.out)[rows])])
        assert said == said[:1] * 4
        return said[0]

    findings = told("lint", "--format", "json", rows="diagnostics", keys=("code", "message", "line"))
    if name.startswith(("too", "a key too long")):
        assert '"GX025"' in json.dumps(findings)
    shares = told("assess", "--to", "tke", "-o", "json", rows="items", keys=("verdict", "share"))
    if name.startswith(("a share", "keys in pieces")):
        assert '"exact"' in json.dumps(shares)
