"""Programs run with ``gpuxlate`` of these sources on PATH."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).parents[2]
CONTRIB = ROOT / "contrib"

IN_TKE = {
    "vke.volcengine.com/mgpu-core: 30": 'tke.cloud.tencent.com/qgpu-core: "30"',
    "vke.volcengine.com/mgpu-memory: 4000": 'tke.cloud.tencent.com/qgpu-memory: "4"',
}


def in_tke(text: str) -> str:
    """The share of the tests in keys of qGPU, rounded up."""
    for old, new in IN_TKE.items():
        text = text.replace(old, new)
    return text


Run = Callable[..., subprocess.CompletedProcess[str]]


def runner(folder: Path) -> Run:
    """Runs a program in ``folder``, with nothing of the caller's variables; ``folder/bin`` is on PATH."""
    programs = folder / "bin"
    programs.mkdir()
    code = "import sys; sys.argv[0] = 'gpuxlate'; from gpuxlate.cli import main; main()"
    gpuxlate = programs / "gpuxlate"
    gpuxlate.write_text(f"#!/bin/sh\nPYTHONPATH='{ROOT}' exec '{sys.executable}' -c \"{code}\" \"$@\"\n")
    gpuxlate.chmod(0o755)

    def called(
        *command: str | Path, stdin: str = "", cwd: Path = folder, **env: str
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(word) for word in command],
            input=stdin,
            cwd=cwd,
            env={"PATH": f"{programs}{os.pathsep}{os.environ['PATH']}", "NO_COLOR": "1"} | env,
            capture_output=True,
            text=True,
            check=False,
            timeout=300,  # a busy machine takes long
        )

    return called
