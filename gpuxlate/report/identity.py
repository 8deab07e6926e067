"""The identity of a finding across runs, for code hosts that track findings."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from pathlib import Path as FilePath
from pathlib import PurePath

from gpuxlate.model.diagnostics import Diagnostic, shown_path
from gpuxlate.model.pod import Path


def repository_path(file: str) -> str:
    """The file with forward slashes, relative to the working directory where it is below it."""
    path = PurePath(file)
    if path.is_absolute() and path.is_relative_to(here := FilePath.cwd()):
        path = path.relative_to(here)
    return path.as_posix()


def json_pointer(path: Path) -> str:
    """A path as a JSON pointer (RFC 6901)."""
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in shown_path(path))


def fingerprints(diagnostics: Sequence[Diagnostic]) -> list[str]:
    """A stable name for each finding: from its file, object, path and code, not its line.

    Findings that agree in all of these (two documents with the same object) are numbered.
    """
    seen: Counter[str] = Counter()
    names = []
    for one in diagnostics:
        object_parts = (one.object.kind, one.object.namespace, one.object.name) if one.object else ()
        file = "" if one.file is None else repository_path(one.file)
        parts = (file, *(part or "" for part in object_parts), json_pointer(one.path), one.code)
        key = "\0".join(parts)
        ordinal = seen[key]
        seen[key] += 1
        numbered = f"{key}\0{ordinal}" if ordinal else key
        names.append(hashlib.sha256(numbered.encode("utf-8", "surrogatepass")).hexdigest())
    return names
