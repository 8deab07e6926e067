"""Inputs: the files of PATH arguments, and reading them."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from gpuxlate.inputs.bounded import (
    StrPath,
    content,
    forgotten,
    inside,
    read_at_most,
    repository,
    upwards,
)
from gpuxlate.inputs.exclude import Exclusion, above, below
from gpuxlate.model import limits
from gpuxlate.model.messages import message_of, say
from gpuxlate.yamltext.compose import Document, Reader, documents, kept
from gpuxlate.yamltext.source import DecodeError, Source

STDIN = "<stdin>"
SUFFIXES = (".yaml", ".yml", ".json")
TEMPLATES = "templates"
"""The folder of a Helm chart whose files are not manifests yet."""
CHART = "Chart.yaml"
_MOST_HELD = 2**20
"""Bytes of files that are kept for others that are read with them; about 64 MiB of memory."""


class InputError(Exception):
    """An input is missing or cannot be opened or decoded (exit 3). The message names it.

    ``hint``: what to do.
    """

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.hint = hint


@dataclass(frozen=True, slots=True)
class Input:
    """One text to read; ``path`` is None where it is not a file. ``named``: the user named the file itself.

    ``leaves``: for a link that leads out of the folder where it was found, that folder.
    ``stands_for``: the file whose text stdin has.
    """

    name: str
    path: StrPath | None
    named: bool = True
    leaves: str | None = field(default=None, kw_only=True)
    stands_for: StrPath | None = field(default=None, kw_only=True)

    @property
    def place(self) -> StrPath | None:
        """The path by which patterns and the layers of a repository know the text; None without one."""
        return self.stands_for if self.path is None else self.path

    def read_bytes(self) -> bytes:
        """The content of a file, of a pipe that the user named, or of stdin. Raises InputError."""
        try:
            if self.leaves is not None:
                raise InputError(
                    say(
                        "{name}: a link that leads out of {leaves}; name the file itself",
                        name=self.name,
                        leaves=self.leaves,
                    )
                )
            if self.path is not None:
                return content(self.path, limits.MAX_TEXT, regular=not self.named)
            if sys.stdin is None:
                raise InputError(say("{name}: it is closed", name=STDIN))
            return read_at_most(sys.stdin.buffer.read, STDIN, limits.MAX_TEXT)
        except OSError as error:
            raise InputError(say("{name}: {error}", name=self.name, error=reason(error))) from None

    def source(self, data: bytes | None = None) -> Source:
        """The decoded text; ``data``: its bytes, if already read. Raises InputError."""
        try:
            return Source.from_bytes(self.name, self.read_bytes() if data is None else data)
        except DecodeError as error:
            raise InputError(say("{name}: {error}", name=self.name, error=message_of(error))) from None

    def may_be_parameters(self, target: str | None = None) -> bool:
        """It may hold parameters of a job: the user named their target, or a file of such a suffix."""
        if not self.named or (target is None and os.path.splitext(self.name)[1] in ("", ".yaml", ".yml")):
            return False
        from gpuxlate.backends import registry

        suffixes = registry.form_suffixes(target)
        return self.name.endswith(suffixes) if target is None else bool(suffixes)


class FileText:
    """A file that others are read with: its documents are read once, whoever asks first."""

    def __init__(self, path: str) -> None:
        """Raises OSError, and DecodeError."""
        self.data = content(path, limits.MAX_CONFIG_BYTES)
        self.source = Source.from_bytes(path, self.data)
        self._read = kept(documents) if len(self.data) <= _MOST_HELD else documents

    def documents(self, source: Source | None = None) -> Iterator[Document]:
        """The documents, as those of another source with the same text. Raises NotYamlError."""
        found = self._read(self.source)
        return iter(found) if source is None else (replace(one, source=source) for one in found)


class _Held:
    """The texts that are kept for the next one who asks, the last ones within a limit."""

    def __init__(self) -> None:
        self.texts: dict[str, FileText] = {}
        self._size = 0
        forgotten(self.texts.clear)

    def text(self, path: str) -> FileText:
        """The text of a file, by its absolute path. Raises OSError, and DecodeError."""
        found = self.texts.get(path)
        if found is None:
            found = FileText(path)
            self._size = len(found.data) + (self._size if self.texts else 0)
            self.texts[path] = found
            while self._size > _MOST_HELD:
                self._size -= len(self.texts.pop(next(iter(self.texts))).data)
        return found


HELD = _Held()
"""Of one run, which clears its ``texts`` first: those of an earlier one may be written by now."""


def read_shared(one: Input) -> tuple[bytes, Reader]:
    """The bytes of an input that others are read with, and what reads its documents. Raises InputError."""
    if one.path is not None and one.leaves is None:
        with suppress(OSError, DecodeError):  # reading it by itself says what is wrong
            text = HELD.text(os.path.abspath(one.path))
            return text.data, text.documents
    return one.read_bytes(), documents


def reader(one: Input, source: Source, target: str | None = None) -> Reader:
    """How to read the documents of an input: those of manifests, or the parameters of a job.

    ``target``: the target that the user named as the dialect of the input.
    """
    if not one.may_be_parameters(target):
        return documents
    from gpuxlate.backends import registry

    return registry.form_reader(source, target) or documents


def is_blank(data: bytes) -> bool:
    """The text is only blanks and byte order marks."""
    return not data.strip(b"\xef\xbb\xbf \t\r\n\v\f")


def reason(error: OSError) -> str:
    """The system's message, beginning in lower case."""
    text = error.strerror or str(error)
    return text[:1].lower() + text[1:]


def expand(
    paths: Sequence[str], exclusion: Exclusion | None = None, stdin_name: str | None = None
) -> list[Input]:
    """The inputs of PATH arguments: files, folders (recursively, in order) and ``-``.

    A missing path is an input too: reading it raises InputError. ``stdin_name``: the file whose text
    stdin has. Raises InputError where there are too many files, or patterns in .gitignore files.
    """
    found: dict[str, Input] = {}
    leaving_out = exclusion or Exclusion()
    try:
        for text in paths:
            named = stdin_name if text == "-" else text
            if named is not None and leaving_out.refuses(named):
                continue
            if text == "-":
                found.setdefault(text, Input(stdin_name or STDIN, None, stands_for=stdin_name))
                continue
            for one, real in _inputs_of(text, leaving_out):
                found.setdefault(real, one)
                if len(found) > limits.MAX_FILES:
                    raise InputError(
                        say(
                            "{names}: more than {most} files; name fewer folders at once",
                            names=", ".join(paths),
                            most=limits.MAX_FILES,
                        )
                    )
    except OSError as error:  # of a .gitignore: folders that cannot be read are inputs
        raise InputError(
            say("{filename}: {error}", filename=error.filename, error=reason(error)),
            "name the files themselves",
        ) from None
    return list(found.values())


def _inputs_of(text: str, exclusion: Exclusion) -> Iterator[tuple[Input, str]]:
    """The inputs of one argument, with their real paths."""
    if os.path.isdir(text):
        yield from _files_in(os.path.normpath(text), exclusion)
    else:
        name = _tidy(text)
        yield Input(name, name), os.path.realpath(text)


def _tidy(path: str) -> str:
    """The path without redundant parts, as findings show it."""
    if not (path.endswith("/") or "//" in path or "./" in path):
        return path
    return str(Path(path))


def _files_in(folder: str, exclusion: Exclusion) -> Iterator[tuple[Input, str]]:
    """Its YAML and JSON files with their real paths, in order, then the folders that cannot be read.

    A link to a file is followed within the folder, or within its repository: a link may come from
    somebody else. Links to folders are not followed.
    """
    failed: list[str] = []
    pending = [(folder, above(os.path.realpath(folder)))]
    while pending:
        where, levels = pending.pop()
        names: list[str] = []
        folders: list[str] = []
        unusual: dict[str, bool] = {}  # which are links
        try:
            with os.scandir(where) as found:
                for entry in found:
                    name = entry.name
                    if entry.is_dir(follow_symlinks=False):
                        folders.append(name)
                    elif name.endswith(SUFFIXES):
                        names.append(name)
                        if not entry.is_file(follow_symlinks=False):
                            unusual[name] = entry.is_symlink()
        except OSError:
            failed.append(where)
            continue
        # only links need a look at the disk for their real path, which would be slow for each file
        real = os.path.realpath(where)
        exclusion.folders.append(real)
        before = "" if where == "." else os.path.join(where, "")
        levels = below(real, levels)
        has_patterns = bool(levels or exclusion.always)
        for name in sorted(names):
            path = before + name
            if has_patterns and exclusion.leaves_out(path, f"{real}/{name}", levels, is_folder=False):
                continue
            if name not in unusual:
                yield Input(path, path, named=False), f"{real}/{name}"
            elif unusual[name]:
                leaves = None if stays(path, folder) else folder
                yield Input(path, path, named=False, leaves=leaves), os.path.realpath(path)
            else:
                yield Input(path, path, named=False), f"{real}/{name}"
        pending.extend(
            (before + name, levels)
            for name in sorted(folders, reverse=True)
            if not exclusion.leaves_out(before + name, f"{real}/{name}", levels, is_folder=True)
        )
    yield from ((Input(where, where, named=False), where) for where in failed)


def stays(link: str, folder: str) -> bool:
    """A link leads to something in the folder, or in the repository of the folder."""
    return inside(link, folder) or inside(link, repository(folder))


def under_chart_templates(path: StrPath | None, here: str) -> bool:
    """The file belongs to a Helm chart's ``templates/`` folder: a Chart.yaml is above it.

    ``here``: the working directory.
    """
    if path is None:
        return False
    # for most files comparing strings is enough
    if TEMPLATES not in (text := str(path)) and TEMPLATES not in here:
        return False
    text = os.path.normpath(os.path.join(here, text))
    if f"{os.sep}{TEMPLATES}{os.sep}" not in text:
        return False
    above = (one for one in upwards(os.path.dirname(text)) if os.path.basename(one) == TEMPLATES)
    return any(os.path.isfile(os.path.join(os.path.dirname(one), CHART)) for one in above)
