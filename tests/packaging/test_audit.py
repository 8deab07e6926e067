"""What ``make audit`` says and how it ends, for what pip-audit may answer."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[2]
CASES = yaml.safe_load(Path(__file__).with_name("audit.yaml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case["name"]))
def test_an_answer(tmp_path: Path, case: dict[str, Any]) -> None:
    """A module in place of pip-audit, which looks at nothing but that it is asked about the locks."""
    asked = [f"requirements/{name}.txt" for name in ("app", "bench", "dev", "dist", "fuzz", "run")]
    gives = f"print({json.dumps({'dependencies': case.get('packages'), 'fixes': []})!r})"
    if "stderr" in case:
        gives = f"sys.stderr.write({case['stderr']!r}); sys.exit(1)"
    (tmp_path / "pip_audit.py").write_text(
        "import sys\n"
        f"assert [one for one in sys.argv if one.endswith({tuple(asked)!r})] != []\n"
        f"assert len([one for one in sys.argv if one.endswith('.txt')]) == {len(asked)}\n{gives}\n"
    )
    env = {**os.environ, "PYTHONPATH": str(tmp_path)}
    command = [sys.executable, ROOT / "contrib" / "audit.py"]
    done = subprocess.run(command, env=env, input="", capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr, done.returncode) == (case["says"], "", case["exit"])
