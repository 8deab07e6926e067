"""What ``make audit`` says and how it ends, for what pip-audit may answer."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CLEAN = {"name": "rich", "version": "15.0.0", "vulns": []}
FOUND = {"id": "PYSEC-2026-1", "fix_versions": ["4.26.1", "4.27.0"], "aliases": [], "description": ""}
BAD = {"name": "jsonschema", "version": "4.26.0", "vulns": [FOUND]}
OPEN = {"name": "typer", "version": "0.28.0", "vulns": [{"id": "PYSEC-2026-2", "fix_versions": []}]}
UNKNOWN = {"name": "pathspec", "skip_reason": "Dependency not found on PyPI and could not be audited"}
NO_ANSWER = "requests.exceptions.ConnectionError: HTTPSConnectionPool(host='x'): Max retries exceeded"

# what pip-audit answers (its packages, or what it says on stderr), exit code, what is said
ANSWERS: dict[str, tuple[list[object] | str, int, list[str]]] = {
    "clean": ([CLEAN], 0, ["audited packages: 1, known vulnerabilities: 0"]),
    "vulnerable": (
        [CLEAN, BAD, BAD, OPEN], 1, [
            "jsonschema 4.26.0: PYSEC-2026-1, fixed in 4.26.1 or 4.27.0",
            "typer 0.28.0: PYSEC-2026-2, not fixed yet",
            "audited packages: 3, known vulnerabilities: 2",
        ],
    ),
    "unknown versions": (
        [CLEAN, UNKNOWN], 0, [
            "audited packages: 1, known vulnerabilities: 0",
            "NOT AUDITED: the advisory service does not know 1 packages: pathspec",
        ],
    ),
    "unknown packages": (
        [UNKNOWN], 0, [
            "audited packages: 0, known vulnerabilities: 0",
            "NOT AUDITED: the advisory service does not know any of 1 packages",
        ],
    ),
    "no answer": (
        f"Traceback\n{NO_ANSWER}\n", 0, [f"NOT AUDITED: the advisory service gives no answer ({NO_ANSWER})"],
    ),
    "a fault of ours": ("error: no such option\n", 2, ["pip-audit failed: error: no such option", ""]),
}  # fmt: skip


@pytest.mark.parametrize(("answer", "code", "said"), ANSWERS.values(), ids=ANSWERS)
def test_an_answer(tmp_path: Path, answer: list[object] | str, code: int, said: list[str]) -> None:
    """A module in place of pip-audit, which looks at nothing but that it is asked about the locks."""
    asked = [f"requirements/{name}.txt" for name in ("app", "bench", "dev", "dist", "fuzz", "run")]
    if isinstance(answer, str):
        gives = f"sys.stderr.write({answer!r}); sys.exit(1)"
    else:
        gives = f"print({json.dumps({'dependencies': answer, 'fixes': []})!r})"
    (tmp_path / "pip_audit.py").write_text(
        "import sys\n"
        f"assert [one for one in sys.argv if one.endswith({tuple(asked)!r})] != []\n"
        f"assert len([one for one in sys.argv if one.endswith('.txt')]) == {len(asked)}\n{gives}\n"
    )
    command, env = (
        [sys.executable, ROOT / "contrib" / "audit.py"],
        {**os.environ, "PYTHONPATH": str(tmp_path)},
    )
    done = subprocess.run(command, env=env, input="", capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr, done.returncode) == ("".join(f"{one}\n" for one in said), "", code)
