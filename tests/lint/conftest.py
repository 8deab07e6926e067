"""Running ``gpuxlate lint`` in a folder of texts, and reading what it says."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from gpuxlate.cli import main


@dataclass(frozen=True)
class Said:
    """What a run said, and how it ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.out)
        return found

    @property
    def findings(self) -> list[str]:
        """``file:line:column CODE`` of each finding of ``--format json``."""
        return [f"{d['file']}:{d['line']}:{d['column']} {d['code']}" for d in self.json["diagnostics"]]

    @property
    def codes(self) -> list[str]:
        return [d["code"] for d in self.json["diagnostics"]]


Command = Callable[..., Said]
Lint = Callable[..., Said]


@pytest.fixture
def command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> Command:
    """``gpuxlate`` with some arguments, in ``tmp_path``."""
    monkeypatch.chdir(tmp_path)
    for name in ("FORCE_COLOR", "NO_COLOR", "COLUMNS", "GPUXLATE_DEBUG", "GITHUB_ACTIONS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(sys, "argv", ["gpuxlate"])

    def called(*arguments: str) -> Said:
        code = 0
        try:
            main([*arguments])
        except SystemExit as stop:
            code = int(stop.code or 0)
        out, err = capfdbinary.readouterr()
        return Said(code, out.decode(), err.decode())

    return called


@pytest.fixture
def lint(command: Command) -> Lint:
    """``gpuxlate lint`` with some arguments, as JSON if nothing else is said."""

    def called(*arguments: str, as_: str | None = "json") -> Said:
        return command("lint", *arguments, *(["--format", as_] if as_ else []))

    return called


Write = Callable[..., None]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Files of the folder by their paths, with their folders."""

    def written(files: dict[str, str | bytes]) -> None:
        for name, content in files.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.encode() if isinstance(content, str) else content)

    return written


@pytest.fixture
def stdin(monkeypatch: pytest.MonkeyPatch) -> Callable[[str | bytes], None]:
    """What the next run finds on stdin."""

    def given(content: str | bytes) -> None:
        data = content.encode() if isinstance(content, str) else content
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data), encoding="utf-8"))

    return given


def pod(limits: str, *, requests: str = "", metadata: str = "", spec: str = "", name: str = "web") -> str:
    """A Pod of one container. ``limits`` begin in column 9 of line 11 where nothing else is given."""

    def block(text: str, indent: int) -> str:
        return "".join(f"{' ' * indent}{line}\n" for line in text.splitlines())

    asked = f"      requests:\n{block(requests, 8)}" if requests else ""
    return (
        f"apiVersion: v1\nkind: Pod\nmetadata:\n  name: {name}\n{block(metadata, 2)}spec:\n{block(spec, 2)}"
        f"  containers:\n  - name: {name}\n    image: {name}:1\n    resources:\n"
        f"      limits:\n{block(limits, 8)}{asked}"
    )
