"""Who may import whom, held by a walk over the sources.

An import under ``if TYPE_CHECKING`` or inside a function counts too, unless a test says otherwise.
"""

import ast
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "gpuxlate"
ROOMS = (
    *("model", "yamltext", "manifest", "rules", "backends", "files", "claims", "overlays", "config"),
    *("translation", "lint", "sync", "policy", "planning", "report", "lsp", "cluster", "cli"),
)
"""The folders of the package, each of which imports itself and those before it."""
BESIDE = ("testing", "locale")
"""Folders beside that order: for authors of plug-ins, and catalogues of messages."""
AT_THE_TOP = {"__init__", "__main__", "api"}


@dataclass(frozen=True)
class Import:
    """``importer`` names ``imported``; modules of this package without ``gpuxlate.``."""

    importer: str
    imported: str
    line: int
    typing: bool  # under TYPE_CHECKING

    def __str__(self) -> str:
        return f"{self.importer}:{self.line} imports {self.imported}"


def module_name(path: Path) -> str:
    parts = list(path.relative_to(PACKAGE).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def is_module(name: str) -> bool:
    path = PACKAGE / name.replace(".", "/")
    return path.with_suffix(".py").is_file() or path.is_dir()


def imports_of(path: Path) -> Iterator[Import]:
    importer = module_name(path)

    def walk(node: ast.AST, typing: bool) -> Iterator[Import]:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.If) and ast.unparse(child.test).endswith("TYPE_CHECKING"):
                yield from walk(child, True)
                continue
            for name in named(child):
                yield Import(importer, name, child.lineno, typing)  # type: ignore[attr-defined]
            yield from walk(child, typing)

    yield from walk(ast.parse(path.read_text(encoding="utf-8")), False)


def named(node: ast.AST) -> Iterator[str]:
    """The modules that one import statement names."""
    if isinstance(node, ast.Import):
        for alias in node.names:
            yield own(alias.name)
    elif isinstance(node, ast.ImportFrom):
        assert node.level == 0, "imports are absolute"
        if not (node.module or "").startswith("gpuxlate"):
            yield f":{node.module}"
            return
        base = own(node.module or "")
        for alias in node.names:
            inner = f"{base}.{alias.name}".lstrip(".")
            yield inner if is_module(inner) else base


def own(name: str) -> str:
    """``gpuxlate.share`` is ``share``; other packages keep their names, with a colon before them."""
    if name == "gpuxlate":
        return ""
    return name.removeprefix("gpuxlate.") if name.startswith("gpuxlate.") else f":{name}"


def within(name: str, *folders: str) -> bool:
    return any(name == folder or name.startswith(f"{folder}.") for folder in folders)


FILES = sorted(PACKAGE.rglob("*.py"))


@cache
def imports() -> list[Import]:
    """Every import of the package."""
    return [one for path in FILES for one in imports_of(path)]


@cache
def ours() -> list[Import]:
    """Those of the package itself."""
    return [one for one in imports() if is_module(one.imported) or one.imported == ""]


def test_the_walk_sees_the_package() -> None:
    assert len(FILES) > 50
    assert any(one.imported == "model.pod" for one in ours())
    assert any(one.imported == ":typer" for one in imports())
    assert any(one.typing for one in ours())


def test_nothing_is_loose_at_the_top() -> None:
    assert {path.stem for path in PACKAGE.glob("*.py")} <= AT_THE_TOP
    folders = {path.name for path in PACKAGE.iterdir() if (path / "__init__.py").is_file()}
    assert folders == {*ROOMS, *BESIDE}


def test_arrows_run_down() -> None:
    """A room imports itself and rooms before it, even where nothing is loaded by that."""
    allowed = {room: (*ROOMS[: ROOMS.index(room) + 1], *BESIDE) for room in ROOMS}
    found = [(one, one.importer.partition(".")[0]) for one in ours() if one.imported]
    rooms = [(one, allowed[room]) for one, room in found if room in ROOMS]
    assert [str(one) for one, below in rooms if not within(one.imported, *below)] == []


def test_no_circles() -> None:
    """No module needs itself by way of others; TYPE_CHECKING and late imports count."""
    graph: dict[str, set[str]] = {module_name(path): set() for path in FILES}
    for one in ours():
        if one.imported in graph and one.imported != one.importer:
            graph[one.importer].add(one.imported)
    while free := {name for name, needed in graph.items() if not needed & graph.keys()}:
        graph = {name: needed for name, needed in graph.items() if name not in free}
    behind = {name: sorted(needed & graph.keys()) for name, needed in graph.items()}
    assert behind == {}, "a circle, and what needs it"


def test_a_room_says_what_it_is_for() -> None:
    for room in (*ROOMS, *BESIDE):
        text = (PACKAGE / room / "__init__.py").read_text(encoding="utf-8")
        assert ast.get_docstring(ast.parse(text)), room


def test_the_interface_for_python_knows_no_command_line_and_no_cluster() -> None:
    found = [one for one in ours() if one.importer in ("api", "")]
    assert [str(one) for one in found if within(one.imported, "cli", "cluster")] == []


def test_the_model_is_standard_library() -> None:
    foreign = [one for one in imports() if within(one.importer, "model") and one not in ours()]
    roots = {one.imported.removeprefix(":").partition(".")[0] for one in foreign}
    assert roots <= sys.stdlib_module_names


SHARED_FOLDERS = {"row_rules"}
"""Folders of what backends share, which are no backends."""
FOLDERS = sorted({path.parent.name for path in (PACKAGE / "backends").glob("*/__init__.py")} - SHARED_FOLDERS)


@pytest.mark.parametrize("folder", FOLDERS)
def test_a_backend_knows_no_other(folder: str) -> None:
    """It knows the rooms above, what backends share, and itself; of YAML as little as rules do."""
    mine = [one for one in ours() if within(one.importer, f"backends.{folder}")]
    shared = {one.imported for one in mine if within(one.imported, "backends")}
    files = {f"backends.{path.stem}" for path in (PACKAGE / "backends").glob("*.py")} - {"backends.registry"}
    files |= {f"backends.{name}" for name in SHARED_FOLDERS}
    assert {name for name in shared if not within(name, *files, f"backends.{folder}")} == set()
    # a form of its own has a syntax of its own, which is read into documents
    forms = ("backends.volcengine_emr", "backends.volcengine_aiapp")
    readers = [one for one in mine if not within(one.importer, *forms)]
    assert [str(one) for one in readers if within(one.imported, "yamltext", "manifest")] == []


def test_report_knows_findings_alone() -> None:
    found = [one for one in ours() if within(one.importer, "report") and one.imported]
    allowed = ("model", "report", "rules.base", "locale")
    assert [str(one) for one in found if not within(one.imported, *allowed)] == []


# a library, and the rooms that may import it; test_startup.py bounds what a command loads of them
LIBRARIES = {
    ":kubernetes": ("cluster",),
    ":pydantic": ("config", "backends"),
    ":pygls": ("lsp",),
    ":lsprotocol": ("lsp",),
    ":jsonschema": ("cli", "config"),
    ":rich": ("cli",),
    ":typer": ("cli",),
    ":click": (),
    ":yaml": ("yamltext",),
    ":ruamel": ("yamltext",),
    ":concurrent": ("cli",),
    ":multiprocessing": ("cli",),
}


def test_a_library_stays_in_its_room() -> None:
    assert [
        str(one)
        for one in imports()
        for library, rooms in LIBRARIES.items()
        if within(one.imported, library) and not one.typing and not within(one.importer, *rooms)
    ] == []


def test_typer_is_used_by_its_public_names() -> None:
    """Its own copy of click and its modules with an underscore change with each of its minor versions."""
    modules = {one.imported for one in imports() if within(one.imported, ":typer")}
    assert {name for name in modules if "._" in name} == set()


def test_no_tricks() -> None:
    """Modules are not replaced, and nothing is made by exec."""
    pattern = re.compile(r"sys\.modules\[[^]]+\] *=|(?<![.\w])(?<!def )(exec|eval)\(")
    assert [path.name for path in FILES if pattern.search(path.read_text(encoding="utf-8"))] == []
