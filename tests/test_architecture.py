"""Who may import whom, held by a walk over the sources.

An import under ``if TYPE_CHECKING`` costs nothing at run time, and one inside a function only where
it is called; whether these count is said at each line.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "gpuxlate"
LONGEST = 350
"""Lines of a file: beyond it there is a second room inside."""

CORE = ("share", "claims", "quantity", "diagnostics", "limits", "record")


@dataclass(frozen=True)
class Import:
    """``importer`` names ``imported``; modules of this package without ``gpuxlate.``."""

    importer: str
    imported: str
    line: int
    lazy: bool  # inside a function
    typing: bool  # under TYPE_CHECKING

    def __str__(self) -> str:
        return f"{self.importer}:{self.line} imports {self.imported}"


def module_name(path: Path) -> str:
    parts = list(path.relative_to(PACKAGE).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def is_module(name: str) -> bool:
    path = PACKAGE / name.replace(".", "/")
    return path.with_suffix(".py").is_file() or path.is_dir()


def imports_of(path: Path) -> Iterator[Import]:
    importer = module_name(path)

    def walk(node: ast.AST, lazy: bool, typing: bool) -> Iterator[Import]:
        for child in ast.iter_child_nodes(node):
            inside = lazy or isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
            if isinstance(child, ast.If) and ast.unparse(child.test).endswith("TYPE_CHECKING"):
                yield from walk(child, lazy, True)
                continue
            for name in named(child):
                yield Import(importer, name, child.lineno, lazy, typing)  # type: ignore[attr-defined]
            yield from walk(child, inside, typing)

    yield from walk(ast.parse(path.read_text(encoding="utf-8")), False, False)


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
IMPORTS = [one for path in FILES for one in imports_of(path)]
OURS = [one for one in IMPORTS if is_module(one.imported) or one.imported == ""]


def breaking(importers: tuple[str, ...], allowed: tuple[str, ...]) -> list[str]:
    """Imports of these modules that name something of the project outside what is allowed."""
    return [
        str(one) for one in OURS if within(one.importer, *importers) and not within(one.imported, *allowed)
    ]


def test_the_walk_sees_the_package() -> None:
    assert len(FILES) > 50
    assert any(one.imported == "claims" for one in OURS)
    assert any(one.imported == ":typer" for one in IMPORTS)
    assert any(one.typing for one in OURS)
    assert any(one.lazy for one in OURS)


def test_the_core_knows_itself_alone() -> None:
    assert breaking(CORE, CORE) == []


def test_the_core_is_standard_library() -> None:
    foreign = {one.imported for one in IMPORTS if within(one.importer, *CORE) and one not in OURS}
    assert foreign <= {
        ":__future__", ":collections.abc", ":dataclasses", ":enum", ":fractions", ":functools",
        ":inspect", ":re", ":typing",
    }  # fmt: skip


BASE = ("profile", "rules.base", "backends.base", "backends.placing", "rules.translation")


SHARED_BY_BACKENDS = tuple(
    f"backends.{path.stem}" for path in (PACKAGE / "backends").glob("*.py") if path.stem != "registry"
)
"""Files beside the folders of the vendors: what several of them need."""


@pytest.mark.parametrize(
    "folder",
    sorted(path.name for path in (PACKAGE / "backends").iterdir() if (path / "__init__.py").is_file()),
)
def test_a_backend_knows_the_core_its_base_and_itself(folder: str) -> None:
    assert (
        breaking(
            (f"backends.{folder}",), (*CORE, *BASE, "versions", *SHARED_BY_BACKENDS, f"backends.{folder}")
        )
        == []
    )


def test_what_backends_share_knows_no_vendor() -> None:
    assert breaking(SHARED_BY_BACKENDS, (*CORE, *BASE, "versions", *SHARED_BY_BACKENDS)) == []


def test_rules_know_the_core_and_no_backend() -> None:
    # the catalogue is handed backends; it names their type alone
    assert breaking(("rules",), (*CORE, "profile", "rules", "backends.base")) == []
    assert [str(o) for o in OURS if within(o.importer, "rules") and within(o.imported, "backends")] in (
        [],
        [str(o) for o in OURS if o.importer == "rules.catalog" and o.imported == "backends.base"],
    )


def test_backends_never_see_yaml() -> None:
    readers = (":yaml", ":json", "manifest")
    assert [
        str(one) for one in IMPORTS if within(one.importer, "backends") and within(one.imported, *readers)
    ] == []


def test_manifest_knows_keys_and_no_backend() -> None:
    assert breaking(("manifest",), (*CORE, "manifest")) == []


def test_report_knows_diagnostics_alone() -> None:
    typing = [one for one in OURS if within(one.importer, "report") and one.typing]
    assert {one.imported for one in typing if not within(one.imported, "report")} <= {"rules.base"}
    loose = [str(one) for one in typing]
    assert [line for line in breaking(("report",), (*CORE, "report", "")) if line not in loose] == []


@pytest.mark.parametrize("folder", ["cli", "cluster"])
def test_nobody_imports(folder: str) -> None:
    others = [one for one in OURS if not within(one.importer, folder, "cli", "__main__")]
    assert [str(one) for one in others if within(one.imported, folder)] == []


# a library, the folders that may import it, and whether at the top of a file or inside functions alone
LIBRARIES = {
    ":kubernetes": (("cluster",), True),
    ":pydantic": (("spec",), True),
    ":jsonschema": (("cli", "spec"), False),
    ":rich": (("cli",), False),
    ":typer": (("cli",), True),
    ":click": ((), False),
    ":yaml": (("manifest",), True),
    ":pathspec": (("spec",), False),
}


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_library_stays_in_its_room(library: str) -> None:
    rooms, at_the_top = LIBRARIES[library]
    found = [one for one in IMPORTS if within(one.imported, library) and not one.typing]
    assert [
        str(one) for one in found if not (within(one.importer, *rooms) and (one.lazy or at_the_top))
    ] == []


def test_models_are_loaded_where_a_document_is_read() -> None:
    """pydantic costs more than all the rest: what needs it is imported inside functions."""
    heavy = {one.importer for one in IMPORTS if within(one.imported, ":pydantic") and not one.typing}
    assert heavy
    eager = [one for one in OURS if one.imported in heavy and not (one.lazy or one.typing)]
    assert [str(one) for one in eager if not within(one.importer, "spec")] == []


def test_a_file_is_one_room() -> None:
    lines = {module_name(path): len(path.read_text(encoding="utf-8").splitlines()) for path in FILES}
    assert {name: count for name, count in lines.items() if count > LONGEST} == {}
