"""The places in the sources that raise or make an error, and which of them a run came by."""

import ast
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import FrameType
from typing import Any

import gpuxlate

PACKAGE = Path(gpuxlate.__file__).parent
LEFT_OUT = ("testing",)
"""Folders that no command runs."""


@dataclass(frozen=True, slots=True)
class Site:
    """One ``raise``, one ``return`` of an error, or a call of ``fail``. ``key`` names it without its line."""

    file: str
    first: int
    last: int
    key: str


@cache
def sites() -> tuple[Site, ...]:
    """Every place, in the order of the sources."""
    found: list[Site] = []
    for path in sorted(PACKAGE.rglob("*.py")):
        name = path.relative_to(PACKAGE).as_posix()
        if not name.startswith(LEFT_OUT):
            found += _of(ast.parse(path.read_text(encoding="utf-8")), str(path), name, "")
    return tuple(found)


def _of(node: ast.AST, path: str, name: str, inside: str) -> Iterator[Site]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, (ast.FunctionDef, ast.ClassDef)):
            yield from _of(child, path, name, f"{inside}.{child.name}".lstrip("."))
            continue
        raised = _raised(child)
        if raised is not None and child.end_lineno is not None:  # type: ignore[attr-defined]
            text = ast.unparse(raised)
            key = f"{name} {inside}: {text[:80]}"
            yield Site(path, child.lineno, child.end_lineno, key)  # type: ignore[attr-defined]
        yield from _of(child, path, name, inside)


def _raised(node: ast.AST) -> ast.AST | None:
    """What a statement raises or makes; None where there is none, or only what was caught before."""
    if isinstance(node, ast.Raise):
        return node.exc
    if isinstance(node, ast.Return) and isinstance(node.value, ast.Call):
        function = node.value.func
        return node.value if isinstance(function, ast.Name) and function.id.endswith("Error") else None
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        function = node.value.func
        return node.value if isinstance(function, ast.Attribute) and function.attr == "fail" else None
    return None


@contextmanager
def watched(seen: set[tuple[str, int]]) -> Iterator[None]:
    """Adds to ``seen`` the file and line of everything that is raised or returned meanwhile."""
    package = str(PACKAGE)

    def call(frame: FrameType, _event: str, _arg: Any) -> Any:
        if not frame.f_code.co_filename.startswith(package):
            return None
        frame.f_trace_lines = False
        return local

    def local(frame: FrameType, event: str, _arg: Any) -> Any:
        if event in ("exception", "return"):
            seen.add((frame.f_code.co_filename, frame.f_lineno))
        return local

    before = sys.gettrace()
    sys.settrace(call)
    try:
        yield
    finally:
        sys.settrace(before)


def came_by(seen: set[tuple[str, int]]) -> set[str]:
    """The keys of the places that were seen."""
    return {
        one.key for one in sites() if any((one.file, line) in seen for line in range(one.first, one.last + 1))
    }
