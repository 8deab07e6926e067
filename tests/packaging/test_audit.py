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
BAD = {
    "name": "jsonschema",
    "version": "4.26.0",
    "vulns": [{"id": "PYSEC-2026-1", "fix_versions": ["4.26.1", "4.27.0"], "aliases": [], "description": ""}],
}
OPEN = {"name": "typer", "version": "0.28.0", "vulns": [{"id": "PYSEC-2026-2", "fix_versions": []}]}
UNKNOWN = {"name": "pathspec", "skip_reason": "Dependency not found on PyPI and could not be audited"}
NO_ANSWER = (
    "Traceback\nrequests.exceptions.ConnectionError: HTTPSConnectionPool(host='x'): Max retries exceeded\n"
)

# what pip-audit answers (its packages, or what it says on stderr), exit code, what is said
ANSWERS: dict[str, tuple[list[object] | str, int, str]] = {
    "clean": ([CLEAN], 0, "audited packages: 1, known vulnerabilities: 0\n"),
    "vulnerable": (
        [CLEAN, BAD, BAD, OPEN],
        1,
        "jsonschema 4.26.0: PYSEC-2026-1, fixed in 4.26.1 or 4.27.0\n"
        "typer 0.28.0: PYSEC-2026-2, not fixed yet\n"
        "audited packages: 3, known vulnerabilities: 2\n",
    ),
    "unknown versions": (
        [CLEAN, UNKNOWN],
        0,
        "audited packages: 1, known vulnerabilities: 0\n"
        "NOT AUDITED: the advisory service does not know 1 packages: pathspec\n",
    ),
    "unknown packages": (
        [UNKNOWN],
        0,
        "audited packages: 0, known vulnerabilities: 0\n"
        "NOT AUDITED: the advisory service does not know any of 1 packages\n",
    ),
    "no answer": (
        NO_ANSWER,
        0,
        "NOT AUDITED: the advisory service gives no answer (requests.exceptions.ConnectionError: "
        "HTTPSConnectionPool(host='x'): Max retries exceeded)\n",
    ),
    "a fault of ours": ("error: no such option\n", 2, "pip-audit failed: error: no such option\n\n"),
}


@pytest.mark.parametrize(("answer", "code", "said"), ANSWERS.values(), ids=ANSWERS)
def test_an_answer(tmp_path: Path, answer: list[object] | str, code: int, said: str) -> None:
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
    done = subprocess.run(
        [sys.executable, ROOT / "contrib" / "audit.py"],
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stdout, done.stderr, done.returncode) == (said, "", code)
