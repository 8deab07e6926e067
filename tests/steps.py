"""Cases of several commands in a folder of their own: ``fixtures/decisions`` and ``fixtures/sync``.

A case has ``files`` and ``steps``. A step may change something first: ``remove`` (files), ``write`` (files),
``replace`` (in a file, texts by others), ``link`` (links and what they lead to). Then it runs a command:
``exit``, ``says`` (texts that stderr has), ``silent`` (texts that it has not), ``prints`` (those of stdout),
``files`` (what they hold after it), ``absent`` (files that are not there), ``same`` (nothing changes).
"""

import os
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from gpuxlate.model.kept import forget
from tests.running import run
from tests.tables import from_yaml

FIXTURES = Path(__file__).parent.parent / "fixtures"


def cases(folder: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """The cases of a folder of fixtures, by their names."""
    for path in sorted((FIXTURES / folder).glob("*.yaml")):
        for case in from_yaml(path.read_text(encoding="utf-8")):
            yield f"{path.stem}/{case['name']}", case


def write(files: dict[str, str]) -> None:
    for name, text in files.items():
        path = Path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def contents() -> dict[str, str]:
    """Every file below the working folder."""
    found = (Path(top, name) for top, _, names in os.walk(".") for name in names)
    return {str(path): path.read_text(encoding="utf-8") for path in found if path.is_file()}


def check(case: dict[str, Any]) -> None:
    """Run the steps of a case in the working folder."""
    write(case["files"])
    for number, step in enumerate(case["steps"], 1):
        where = f"step {number}: {step['run']}"
        for name in step.get("remove", ()):
            Path(name).unlink()
        write(step.get("write", {}))
        for name, texts in step.get("replace", {}).items():
            text = Path(name).read_text(encoding="utf-8")
            for old, new in texts.items():
                assert old in text, f"{where}: {name} has no {old!r}:\n{text}"
                text = text.replace(old, new)
            Path(name).write_text(text, encoding="utf-8")
        for name, goal in step.get("link", {}).items():
            Path(name).parent.mkdir(parents=True, exist_ok=True)
            Path(name).symlink_to(goal)
        before = contents()
        forget()  # each step is a run of its own, and sees the files as they are now
        done = run(*shlex.split(step["run"])[1:])
        said, printed = done.err.decode(), done.out.decode()
        assert done.code == step.get("exit", 0), f"{where}: exit {done.code}\n{said}{printed}"
        for text in step.get("says", ()):
            assert text in said, f"{where}: {text!r} is not in\n{said}"
        for text in step.get("silent", ()):
            assert text not in said, f"{where}: {text!r} is in\n{said}"
        for text in step.get("prints", ()):
            assert text in printed, f"{where}: {text!r} is not in\n{printed}"
        for name, text in step.get("files", {}).items():
            assert Path(name).read_text(encoding="utf-8") == text, f"{where}: {name}"
        for name in step.get("absent", ()):
            assert not os.path.lexists(name), f"{where}: {name} is there"
        if step.get("same"):
            assert contents() == before, where
