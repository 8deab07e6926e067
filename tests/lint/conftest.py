"""Running ``gpuxlate`` in a folder of texts, and reading what it says."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.running import run


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
    def diagnostics(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.json["diagnostics"]
        return found

    @property
    def findings(self) -> list[str]:
        """``file:line:column CODE`` of each finding of ``--format json``."""
        return [f"{d['file']}:{d['line']}:{d['column']} {d['code']}" for d in self.diagnostics]

    @property
    def codes(self) -> list[str]:
        return [d["code"] for d in self.diagnostics]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty one, in which commands run."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def command(*arguments: str, stdin: str | bytes = b"") -> Said:
    """``gpuxlate`` with some arguments."""
    done = run(*arguments, stdin=stdin.encode() if isinstance(stdin, str) else stdin)
    return Said(done.code, done.out.decode(), done.err.decode())


def lint(*arguments: str, as_: str | None = "json", stdin: str | bytes = b"") -> Said:
    """``gpuxlate lint`` with some arguments, as JSON if nothing else is said."""
    return command("lint", *arguments, *(["--format", as_] if as_ else []), stdin=stdin)


def write(files: Mapping[str, str | bytes]) -> None:
    """Files by their paths, with their folders."""
    for name, content in files.items():
        path = Path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)


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
