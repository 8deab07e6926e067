"""The inputs of PATH arguments, without what git ignores, hidden folders, and the patterns of ``exclude``.

A path that the user names is taken whatever it is, except under ``force``. The global excludes of git
are not read, so that a run gives the same on every machine. Source: gitignore(5).
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Final, TypeVar

from gpuxlate.files.read import StrPath, folders_upwards, is_inside, read_at_most, read_content, repository_of
from gpuxlate.model import limits
from gpuxlate.model.declarations import record, regex
from gpuxlate.model.errors import Exit, UserError
from gpuxlate.model.kept import kept as held_by_run
from gpuxlate.model.messages import Message, message_of, msg
from gpuxlate.yamltext.parse import Document, DocumentReader, documents, read_once
from gpuxlate.yamltext.source import DecodeError, Source

GITIGNORE = ".gitignore"
SKIPPED = frozenset({".git", "node_modules"})
"""Folders whose files nobody means."""


class TooManyPatternsError(OSError):
    """The .gitignore files of a folder hold more patterns than are tried on each path."""

    def __init__(self, path: str) -> None:
        super().__init__(None, msg("more than {count} patterns", count=limits.MAX_GITIGNORES), path)


@record
class ExcludePatterns:
    """Patterns that count from a folder, and where they come from."""

    folder: str  # its real path
    patterns: Patterns
    origin: str

    def verdict(self, path: str, *, is_folder: bool) -> bool | None:
        """The verdict on a real path; None for one outside the folder."""
        start = self.folder.rstrip("/") + "/"
        return (
            self.patterns.verdict(path[len(start) :], is_folder=is_folder) if path.startswith(start) else None
        )

    def covers(self, named: StrPath) -> bool:
        """A file, or a folder above it, is left out."""
        path = os.path.realpath(named)
        above = any(self.verdict(folder, is_folder=True) for folder in folders_upwards(os.path.dirname(path)))
        return above or bool(self.verdict(path, is_folder=False))


Levels = tuple[ExcludePatterns, ...]
"""The .gitignore files that count in a folder, the nearest last."""


@dataclass
class Exclusion:
    """What a run leaves out; it records each path with the reason.

    ``always``: the patterns of the configuration and of ``--exclude``. ``force``: named paths too.
    ``folders``: the real paths of those that are not left out.
    """

    always: Sequence[ExcludePatterns] = ()
    force: bool = False
    left_out: list[tuple[str, str]] = field(default_factory=list)
    folders: list[str] = field(default_factory=list)

    def why(self, path: str, levels: Levels, *, is_folder: bool) -> str | None:
        """The reason to leave out a real path that is found in a folder; None for one that is taken."""
        name = os.path.basename(path)
        if is_folder and name in SKIPPED:
            return "never read"
        if is_folder and name.startswith("."):
            return "hidden"
        for patterns in self.always:
            if patterns.verdict(path, is_folder=is_folder):
                return patterns.origin
        for patterns in reversed(levels):
            verdict = patterns.verdict(path, is_folder=is_folder)
            if verdict is not None:
                return patterns.origin if verdict else None
        return None

    def leaves_out(self, shown: str, path: str, levels: Levels, *, is_folder: bool) -> bool:
        """Whether a path that is found in a folder is left out; if so, ``shown`` is recorded with why."""
        why = self.why(path, levels, is_folder=is_folder)
        if why is not None:
            self.left_out.append((shown, why))
        return why is not None

    def refuses(self, named: StrPath) -> bool:
        """Whether a path that the user names is left out: with ``force``, as if it was found in a folder."""
        if not self.force:
            return False
        path = os.path.realpath(named)
        top = repository_of(os.path.dirname(path))
        tops = [top, os.path.realpath(os.curdir), *(patterns.folder for patterns in self.always)]
        start = min(
            (folder for folder in tops if path.startswith(folder.rstrip("/") + "/")), key=len, default=top
        )
        levels: Levels = ()
        for folder in reversed([*folders_upwards(os.path.dirname(path))]):
            if not f"{folder}/".startswith(start.rstrip("/") + "/"):
                continue
            if folder != start and self.leaves_out(str(named), folder, levels, is_folder=True):
                return True
            levels = with_gitignore(folder, levels)
        return self.leaves_out(str(named), path, levels, is_folder=os.path.isdir(path))

    def has_left_out(self, suffixes: tuple[str, ...]) -> bool:
        """Whether a file with one of the suffixes was left out. Looks into the folders that were."""
        return any(
            name.endswith(suffixes)
            for path, _ in self.left_out
            if os.path.basename(path) != ".git"
            for name in _names(path)
        )


def gitignores_above(folder: str) -> Levels:
    """The .gitignore files of the folders above one, given by its real path, within its repository."""
    top = repository_of(folder)
    levels: Levels = ()
    info = os.path.join(top, ".git", "info", "exclude")
    if os.path.isfile(info):
        levels = _with_file(info, top, levels)
    for parent in reversed([*folders_upwards(folder)]):
        if parent != folder and f"{parent}/".startswith(top.rstrip("/") + "/"):
            levels = with_gitignore(parent, levels)
    return levels


def with_gitignore(folder: str, levels: Levels) -> Levels:
    """The levels with the .gitignore of a folder, given by its real path, where it has one."""
    path = os.path.join(folder, GITIGNORE)
    # git does not follow a link of that name
    return _with_file(path, folder, levels) if os.path.isfile(path) and not os.path.islink(path) else levels


def _with_file(path: str, folder: str, levels: Levels) -> Levels:
    text = read_content(path, limits.MAX_GITIGNORE_BYTES).decode(errors="replace")
    patterns = Patterns.of_file(text.removeprefix("\ufeff").splitlines())
    if sum(len(level.patterns) for level in levels) + len(patterns) > limits.MAX_GITIGNORES:
        raise TooManyPatternsError(path)
    return (*levels, ExcludePatterns(folder, patterns, "git ignores it")) if patterns else levels


def _names(path: str) -> Iterator[str]:
    """The name of a file, or those of all files in a folder."""
    if not os.path.isdir(path):
        yield os.path.basename(path)
    for _, _, files in os.walk(path):
        yield from files


# Patterns of paths as in .gitignore, matched in time linear in the path, since anybody may write one.
# Compiled to regular expressions (pathspec) a few stars take longer than anybody waits. Here a star is
# tried from left to right and never again once the next one is reached: what it leaves to the rest is then
# the most that it can leave.
MAX_PATTERN = 1000
"""Characters of a pattern."""
Test = Callable[[str], bool]
"""Whether one character, or one name of a path, is matched."""
_ANY: Final = None
"""Any number of them."""
_TOKEN = regex(
    r"\\(?P<escaped>.)|(?P<star>\*+)|(?P<one>\?)|\[(?P<set>[!^]?\]?(?:\\.|[^]\\])*)\]|(?P<plain>[^\\[])"
)
_MEMBER = regex(r"\\?(?P<first>.)(?:-\\?(?P<last>.))?", re.S)


@lru_cache(maxsize=4096)
def compile_pattern(text: str) -> Callable[[str], bool]:
    """Whether a path, relative and with slashes, is that of a pattern or of something below it.

    No ``!`` and no comments, which are of a file of patterns. Raises ValueError.
    """
    parts, of_folders = _parts(text)
    if of_folders:  # only what is in a folder of this name
        parts.append(_something)
    parts.append(_ANY)
    return lambda path: _matches(parts, path.split("/"))


class Patterns:
    """A list of patterns, of which the last that matches a path decides; ``!`` takes the path back."""

    def __init__(self, texts: Iterable[str]) -> None:
        """Raises ValueError for a pattern that is not one."""
        self._rules: list[tuple[bool, bool, list[Test | None]]] = []
        for text in texts:
            excludes = not text.startswith("!")
            parts, of_folders = _parts(text if excludes else text[1:])
            self._rules.append((excludes, of_folders, parts))

    @classmethod
    def of_file(cls, lines: Iterable[str]) -> Patterns:
        """Those of the lines of a .gitignore. As git does, lines that are no pattern are passed over."""
        cached_patterns = cls(())
        for line in lines:
            if line.strip() and not line.startswith("#"):
                with suppress(ValueError):
                    cached_patterns._rules += cls([line])._rules
        return cached_patterns

    def __len__(self) -> int:
        return len(self._rules)

    def verdict(self, path: str, *, is_folder: bool) -> bool | None:
        """A path, relative and with slashes, is excluded (True), taken back (False), or not matched."""
        names = path.split("/")
        for excludes, of_folders, parts in reversed(self._rules):
            if (is_folder or not of_folders) and _matches(parts, names):
                return excludes
        return None


def _parts(text: str) -> tuple[list[Test | None], bool]:
    """The tests of the names of a path, and whether it must be a folder. Raises ValueError."""
    if len(text) > MAX_PATTERN:
        raise ValueError(msg("more than {count} characters", count=MAX_PATTERN))
    text = re.sub(r"(?<!\\) +$", "", text)
    names = [name for name in text.split("/") if name]
    if not names:
        raise ValueError("it names nothing")
    anchored = "/" in text.rstrip("/")
    parts: list[Test | None] = [] if anchored else [_ANY]
    parts += [_ANY if name == "**" else _name(name) for name in names]
    if names[-1] == "**":
        parts.append(_something)
    return parts, text.endswith("/")


def _something(_name: str) -> bool:
    return True


def _name(text: str) -> Test:
    """The test of one name of a path."""
    parts: list[Test | None] = []
    at = 0
    for match in _TOKEN.finditer(text):
        if match.start() != at:
            break
        at = match.end()
        parts.append(_character(match))
    if at != len(text):
        raise ValueError(msg("{text} is not complete", text=text[at:]))
    return lambda name: _matches(parts, name)


def _character(match: re.Match[str]) -> Test | None:
    if match["star"]:
        return _ANY
    if match["one"]:
        return _something
    members = match["set"]
    if members is None:
        letter = match["escaped"] or match["plain"]
        return lambda character: character == letter
    excluded = members[:1] in ("!", "^")
    ranges = [(m["first"], m["last"] or m["first"]) for m in _MEMBER.finditer(members[excluded:])]
    if any(first > last for first, last in ranges):
        raise ValueError(msg("the range {text} ends before it begins", text=match.group()))
    return lambda character: any(first <= character <= last for first, last in ranges) != excluded


def _matches(parts: Sequence[Test | None], names: Sequence[str]) -> bool:
    """Whether the parts of a pattern match all names of a path, in order."""
    at = name_index = 0
    star, resumed = -1, 0
    while name_index < len(names):
        test = parts[at] if at < len(parts) else _nothing
        if test is _ANY:
            star, resumed = at, name_index
            at += 1
        elif test(names[name_index]):
            at, name_index = at + 1, name_index + 1
        elif star >= 0:
            resumed += 1
            at, name_index = star + 1, resumed
        else:
            return False
    return all(test is _ANY for test in parts[at:])


def _nothing(_path: str) -> bool:
    return False


# Inputs: the files of PATH arguments, and reading them.
STDIN = "<stdin>"
SUFFIXES = (".yaml", ".yml", ".json")
CHART_TEMPLATES = "templates"
"""The folder of a Helm chart whose files are not manifests yet."""
CHART_FILE = "Chart.yaml"
Returned = TypeVar("Returned")
_MOST_HELD = 2**20
"""Bytes of files that are kept for others that are read with them; about 64 MiB of memory."""


class InputError(UserError):
    """An input is missing or cannot be opened or decoded (exit 3). The message names it.

    ``hint``: what to do.
    """

    exit_code = Exit.INPUT


@record
class Input:
    """One text to read; ``path`` is None where it is not a file. ``named``: the user named the file itself.

    ``leaves``: for a link that leads out of the folder where it was found, that folder.
    ``stands_for``: the file whose text stdin has. ``data``: its bytes, where they are read already.
    """

    name: str
    path: StrPath | None
    named: bool = True
    leaves: str | None = field(default=None, kw_only=True)
    stands_for: StrPath | None = field(default=None, kw_only=True)
    data: bytes | None = field(default=None, kw_only=True)

    @property
    def place(self) -> StrPath | None:
        """The path by which patterns and the layers of a repository know the text; None without one."""
        return self.stands_for if self.path is None else self.path

    def read_bytes(self) -> bytes:
        """The content of a file, of a pipe that the user named, or of stdin. Raises InputError."""
        if self.data is not None:
            return self.data
        try:
            if self.leaves is not None:
                raise InputError(
                    msg(
                        "{name}: a link that leads out of {leaves}; name the file itself",
                        name=self.name,
                        leaves=self.leaves,
                    )
                )
            if self.path is not None:
                return read_content(self.path, limits.MAX_TEXT, named=self.named)
            if sys.stdin is None:
                raise InputError(msg("{name}: it is closed", name=STDIN))
            return read_at_most(sys.stdin.buffer.read, STDIN, limits.MAX_TEXT)
        except OSError as error:
            if self.path is not None and os.path.islink(self.path) and not os.path.exists(self.path):
                raise InputError(
                    msg("{name}: a link that leads to no file", name=self.name),
                    msg("repair or remove the link, or pass --exclude {name}", name=self.name),
                ) from None
            raise InputError(msg("{name}: {error}", name=self.name, error=system_message(error))) from None

    def source(self, data: bytes | None = None) -> Source:
        """The decoded text; ``data``: its bytes, if already read. Raises InputError."""
        try:
            return Source.from_bytes(self.name, self.read_bytes() if data is None else data)
        except DecodeError as error:
            raise InputError(msg("{name}: {error}", name=self.name, error=message_of(error))) from None

    def may_be_parameters(self, target: str | None = None) -> bool:
        """It may hold parameters of a job: the user named their target, or a file of such a suffix."""
        if not self.named or (target is None and os.path.splitext(self.name)[1] in ("", ".yaml", ".yml")):
            return False
        from gpuxlate.backends import job_targets

        suffixes = job_targets.file_suffixes(target)
        return self.name.endswith(suffixes) if target is None else bool(suffixes)


def result_or_error(work: Callable[[Input], Returned], file: Input) -> Returned | InputError:
    """The result of the work for an input, or the InputError that it raised, so that the run goes on."""
    try:
        return work(file)
    except InputError as error:
        return error


class FileText:
    """A file that is read together with others: its documents are parsed once in a run."""

    def __init__(self, path: str) -> None:
        """Raises OSError, and DecodeError."""
        self.data = read_content(path, limits.MAX_CONFIG_BYTES)
        self.source = Source.from_bytes(path, self.data)
        self._read = read_once(documents) if len(self.data) <= _MOST_HELD else documents

    def documents(self, source: Source | None = None) -> Iterator[Document]:
        """The documents, as those of another source with the same text. Raises NotYamlError."""
        inputs = self._read(self.source)
        return iter(inputs) if source is None else (replace(file, source=source) for file in inputs)


class _Texts(dict[str, FileText]):
    """Texts by their absolute paths; ``size``: the bytes of all of them."""

    size = 0


class _Held:
    """The texts that were read last, up to _MOST_HELD bytes, so that a file is not read again at once."""

    @property
    def texts(self) -> _Texts:
        return held_by_run(self, _Texts)

    def text(self, path: str) -> FileText:
        """The text of a file, by its absolute path. Raises OSError, and DecodeError."""
        texts = self.texts
        file_text = texts.get(path)
        if file_text is None:
            file_text = FileText(path)
            texts.size = len(file_text.data) + (texts.size if texts else 0)
            texts[path] = file_text
            while texts.size > _MOST_HELD:
                texts.size -= len(texts.pop(next(iter(texts))).data)
        return file_text


HELD = _Held()
"""Of one run, which clears its ``texts`` first: those of an earlier one may be written by now."""


def read_shared(file: Input) -> tuple[bytes, DocumentReader]:
    """The bytes of an input that is read together with others, and the reader of its documents. Raises
    InputError."""
    if file.path is not None and file.leaves is None:
        with suppress(OSError, DecodeError):  # reading it by itself says what is wrong
            text = HELD.text(os.path.abspath(file.path))
            return text.data, text.documents
    return file.read_bytes(), documents


def document_reader(file: Input, source: Source, target: str | None = None) -> DocumentReader:
    """How to read the documents of an input: those of manifests, or the parameters of a job.

    ``target``: the target that the user named as the dialect of the input.
    """
    if not file.may_be_parameters(target):
        return documents
    from gpuxlate.backends import job_targets

    return job_targets.reader_of(source, target) or documents


def is_blank(data: bytes) -> bool:
    """The text is only blanks and byte order marks."""
    return not data.strip(b"\xef\xbb\xbf \t\r\n\v\f")


def system_message(error: OSError) -> str:
    """The system's message, beginning in lower case."""
    text = error.strerror or str(error)
    return text if isinstance(text, Message) else text[:1].lower() + text[1:]


def expand_paths(
    paths: Sequence[str], exclusion: Exclusion | None = None, stdin_name: str | None = None
) -> list[Input]:
    """The inputs of PATH arguments: files, folders (recursively, in order) and ``-``.

    A missing path is an input too: reading it raises InputError. ``stdin_name``: the file whose text
    stdin has. Raises InputError where there are too many files, or patterns in .gitignore files.
    """
    inputs: dict[str, Input] = {}
    leaving_out = exclusion or Exclusion()
    try:
        for text in paths:
            named = stdin_name if text == "-" else text
            if named is not None and leaving_out.refuses(named):
                continue
            if text == "-":
                inputs.setdefault(text, Input(stdin_name or STDIN, None, stands_for=stdin_name))
                continue
            for file, real in _inputs_of(text, leaving_out):
                inputs.setdefault(real, file)
                if len(inputs) > limits.MAX_FILES:
                    raise InputError(
                        msg(
                            "{names}: more than {most} files; name fewer folders at once",
                            names=", ".join(paths),
                            most=limits.MAX_FILES,
                        )
                    )
    except OSError as error:  # of a .gitignore: folders that cannot be read are inputs
        raise InputError(
            msg("{filename}: {error}", filename=error.filename, error=system_message(error)),
            "name the files themselves",
        ) from None
    return list(inputs.values())


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
    # the real path of what is in a folder needs no look at the disk but for links, which would be slow for
    # each file, and for each folder as many looks as it is deep
    top = os.path.realpath(folder)
    pending = [(folder, top, gitignores_above(top))]
    while pending:
        where, real, levels = pending.pop()
        names: list[str] = []
        folders: list[str] = []
        unusual: dict[str, bool] = {}  # which are links
        try:
            with os.scandir(where) as entries:
                for entry in entries:
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
        exclusion.folders.append(real)
        before = "" if where == "." else os.path.join(where, "")
        levels = with_gitignore(real, levels)
        has_patterns = bool(levels or exclusion.always)
        for name in sorted(names):
            path = before + name
            if has_patterns and exclusion.leaves_out(path, f"{real}/{name}", levels, is_folder=False):
                continue
            if name not in unusual:
                yield Input(path, path, named=False), f"{real}/{name}"
            elif unusual[name]:
                leaves = None if leads_inside(path, folder) else folder
                target = os.path.realpath(path) if os.path.exists(path) else f"{real}/{name}"
                yield Input(path, path, named=False, leaves=leaves), target
            else:
                yield Input(path, path, named=False), f"{real}/{name}"
        pending.extend(
            (before + name, f"{real.rstrip('/')}/{name}", levels)
            for name in sorted(folders, reverse=True)
            if not exclusion.leaves_out(before + name, f"{real}/{name}", levels, is_folder=True)
        )
    yield from ((Input(where, where, named=False), where) for where in failed)


def leads_inside(link: str, folder: str) -> bool:
    """Whether a link leads to something in the folder, or in the repository of the folder."""
    return is_inside(link, folder) or is_inside(link, repository_of(folder))


def under_chart_templates(path: StrPath | None, working_directory: str) -> bool:
    """Whether the file is in the ``templates/`` folder of a Helm chart: a Chart.yaml is above it.

    ``working_directory``: from which a relative ``path`` counts.
    """
    if path is None:
        return False
    # for most files comparing strings is enough
    if CHART_TEMPLATES not in (text := str(path)) and CHART_TEMPLATES not in working_directory:
        return False
    text = os.path.normpath(os.path.join(working_directory, text))
    if f"{os.sep}{CHART_TEMPLATES}{os.sep}" not in text:
        return False
    above = (
        folder
        for folder in folders_upwards(os.path.dirname(text))
        if os.path.basename(folder) == CHART_TEMPLATES
    )
    return any(os.path.isfile(os.path.join(os.path.dirname(folder), CHART_FILE)) for folder in above)
