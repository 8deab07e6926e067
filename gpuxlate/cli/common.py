"""Common to commands: what errors print, inputs, the configuration, and output."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO, cast

from gpuxlate import locale
from gpuxlate.cli.options import EVERY, Invocation, invocation
from gpuxlate.cli.process import Terminated, is_terminal
from gpuxlate.files.find import (
    STDIN,
    SUFFIXES,
    ExcludePatterns,
    Exclusion,
    Input,
    InputError,
    Patterns,
    expand,
    reason,
)
from gpuxlate.model import site
from gpuxlate.model.diagnostics import Diagnostic, Severity
from gpuxlate.model.errors import Exit, UserError
from gpuxlate.model.limits import MAX_MESSAGE, MAX_NAME, cut
from gpuxlate.model.messages import Lines, message_of, msg, titled
from gpuxlate.yamltext.source import Texts

if TYPE_CHECKING:
    from gpuxlate.backends.base import Backend
    from gpuxlate.config.configuration import Config, ConfigError
    from gpuxlate.model.profile import Profile


class AllExcludedError(Exception):
    """There is nothing to do, since every file is excluded (exit 0)."""


ALL_EXCLUDED = titled("note", msg("all files are excluded"))


def guarded(command: Callable[[], object]) -> int:
    """Run a command and return its exit code; every error ends in one line on stderr."""
    if sys.stderr is None:  # closed by the caller: only the messages are lost
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    try:
        result = command()
        if sys.stdout is not None:
            with _allow_closed_pipe(sys.stdout):
                sys.stdout.flush()
        return result if isinstance(result, int) else 0
    except UserError as error:
        show_error(error)
        return error.exit_code
    except AllExcludedError:
        info(ALL_EXCLUDED)
        return Exit.CLEAN
    except KeyboardInterrupt:
        return Exit.INTERRUPTED
    except Terminated as asked:
        return 128 + asked.number
    except OSError as error:
        with suppress(OSError, AttributeError), _allow_closed_pipe(sys.stdout):
            sys.stdout.flush()  # the error may be that of stdout
        why = reason(error)
        alert("error", msg("{name}: {why}", name=error.filename, why=why) if error.filename else why)
        return Exit.INPUT
    except Exception as error:
        what = f"{type(error).__name__}: {error}"
        alert("error", msg("internal error ({what}); please report it with the input", what=what))
        if os.environ.get("GPUXLATE_DEBUG"):
            raise
        return Exit.INTERNAL


def install(extra: str) -> str:
    """How to get what an extra of the package brings."""
    from gpuxlate.files.extras import pip_install

    return msg("install gpuxlate with the extra {extra}: {command}", extra=extra, command=pip_install(extra))


def show_error(error: UserError) -> None:
    """What went wrong, and what to do, on stderr."""
    alert("error", error.message)
    if error.hint:
        alert("help", error.hint)


def alert(title: str, text: str) -> None:
    """A message on stderr under its title: error, help, note, try, warning."""
    from gpuxlate.report.characters import width

    head, *rest = map(locale.localize, text.parts if isinstance(text, Lines) else [text])
    title = locale.localize(msg("{title}: ", title=msg(title)))
    for line in (title + head, *(" " * width(title) + line for line in rest)):
        stderr_line(line)


def stderr_line(text: str) -> None:
    """One line on stderr."""
    from gpuxlate.report.characters import text_of

    data_err(text_of([cut(locale.localize(text), 2 * MAX_MESSAGE)]))


def info(text: str) -> None:
    """One line on stderr of what was done, unless the run is quiet."""
    if not invocation().quiet:
        stderr_line(text)


def ignored_variable(name: str, default: str) -> None:
    """A note, once a run, that the value of a variable of the environment means nothing, and what counts."""
    run = invocation()
    if name not in run.ignored_variables:
        run.ignored_variables.add(name)
        value = cut(os.environ[name], MAX_NAME)
        template = "invalid value {value!r} of {name} in the environment is ignored: {default}"
        info(titled("note", msg(template, value=value, name=name, default=msg(default))))


def verbose(text: str) -> None:
    """One line on stderr of what is used, where the run is verbose."""
    if invocation().verbose:
        stderr_line(text)


def documents_out(parts: Iterable[bytes]) -> None:
    """Manifests and other texts on stdout, byte for byte; control characters are visible on a terminal."""
    if is_terminal(sys.stdout):
        from gpuxlate.report.characters import visible_lines

        parts = (visible_lines(one.decode(errors="replace")).encode(errors="replace") for one in parts)
    out_parts(parts)


def diffs_out(diffs: Iterable[str], *, exact: bool = True) -> None:
    """Diffs on stdout, in colours where they are wanted; ``exact``: else byte for byte, for patch."""
    from gpuxlate.cli.process import color_wanted
    from gpuxlate.report.characters import coloured_diff

    if color_wanted(sys.stdout):
        out_parts(coloured_diff(diff).encode() for diff in diffs)
    elif exact:
        documents_out(diff.encode() for diff in diffs)
    else:
        out("".join(diffs))


def out(text: str) -> None:
    """A text for people on stdout: it only shows something, whatever is in it."""
    from gpuxlate.report.characters import visible_lines

    data_out(visible_lines(text, colours=True))


def json_out(data: dict[str, Any]) -> None:
    """JSON on stdout, as every command prints it."""
    from gpuxlate.report.json import dump

    data_out(dump(data))


def data_out(text: str) -> None:
    """A text for programs on stdout, as it is: a format that escapes by itself what is in it."""
    if text:
        out_parts([text.encode("utf-8", "surrogateescape")])


def out_parts(parts: Iterable[bytes]) -> None:
    """The same, part by part. A closed pipe (``| head``) does not change the exit code."""
    if sys.stdout is None:
        raise UserError("stdout is closed", "to discard the result, redirect it to /dev/null", Exit.INPUT)
    stream = sys.stdout.buffer
    with _allow_closed_pipe(sys.stdout):
        sys.stdout.flush()
        for part in parts:
            stream.write(part)
        stream.flush()


@contextmanager
def _allow_closed_pipe(stream: TextIO) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        # discard the rest of the buffer, which the interpreter flushes at its end
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
        invocation().unread |= stream is sys.stdout
        if not isinstance(error, BrokenPipeError):
            raise


def target(name: str) -> Backend:
    """The backend of a name; an unknown one is a usage error with "did you mean"."""
    from gpuxlate.backends import registry

    try:
        return registry.get(name)
    except registry.UnknownTargetError:
        if "," in name or name == EVERY:
            hint = "run it once for each target"
            raise UserError(msg("invalid target {name!r}: one target is needed", name=name), hint) from None
        raise


def written_target(name: str) -> Backend:
    """The backend of a name that shares are to be written for; one that is only read is a usage error."""
    from gpuxlate.backends import registry

    return registry.writable(target(name).name)


def targets(
    names: Iterable[str],
    every: Callable[[], Iterable[Backend]],
    named: Callable[[str], Backend] = written_target,
) -> list[Backend]:
    """The targets of an option that takes several, each once: names, lists of them with commas, and ``all``,
    which is ``every``. Raises UserError."""
    found: list[Backend] = []
    for name in (part.strip() for text in names for part in text.split(",")):
        found += every() if name == EVERY else [named(name)]
    return list({one.name: one for one in found}.values())


def targets_at_hand(dialects: Iterable[str] = ()) -> list[Backend]:
    """The targets of the configuration; without, the clouds that come first and the dialects of the input."""
    from gpuxlate.backends import registry

    known = config()
    names = known.targets if known and known.targets else (*registry.CLOUDS, *dialects)
    found = dict.fromkeys(map(registry.get, names))
    return [one for one in found if not one.read_only]


def some_of(possible: Iterable[Backend]) -> str:
    """The targets that a hint lists: of those that are possible the ones at hand, else all."""
    every = [*possible]
    near = [one for one in targets_at_hand() if one in every]
    return msg("targets: {names}", names=", ".join(one.name for one in near or every))


def inputs(paths: Sequence[str] | Iterable[Input]) -> Iterable[Input]:
    """The files of PATH arguments; none where folders have no YAML. Raises InputError.

    Inputs that are not files, such as live objects, are returned as they are.
    """
    if not isinstance(paths, list):
        return cast("Iterable[Input]", paths)
    if paths.count("-") > 1:
        raise UserError("stdin can be read once only", "give - once")
    if "" in paths:
        raise UserError("a PATH is empty", "write . for this folder, - for stdin")
    if "-" in paths and sys.stdin is None:
        raise InputError(msg("{name}: it is closed", name=STDIN), "pipe a text to it, or name a file")
    run = invocation()
    run.exclusion = Exclusion()
    if run.exclude or run.force_exclude or any(map(os.path.isdir, paths)):  # nothing else is left out
        run.exclusion = exclusion_of(run, config())
    found = expand(paths, run.exclusion, run.stdin_filename)
    for one in found:
        verbose(msg("file: {name}", name=one.name))
    for name, why in run.exclusion.left_out:
        verbose(msg("left out: {name} ({why})", name=name, why=why))
    return found


def all_excluded() -> bool:
    """No input is left, since all that was there is excluded."""
    exclusion = invocation().exclusion
    return exclusion is not None and exclusion.all_that_was_there(SUFFIXES)


def some_inputs(paths: Sequence[str] | Iterable[Input], *, or_excluded: bool = False) -> Iterable[Input]:
    """The files of PATH arguments, at least one; other inputs as they are. Raises InputError.

    Where all files are excluded it raises AllExcludedError, or returns none with ``or_excluded``.
    """
    found = inputs(paths)
    if not found and all_excluded():
        if not or_excluded:
            raise AllExcludedError
        info(ALL_EXCLUDED)
    elif not found:
        raise InputError(
            msg("{paths}: no file ends in {names}", paths=names_of(paths), names=", ".join(SUFFIXES)),
            "name the file itself if it has another suffix",
        )
    return found


def names_of(paths: Sequence[str] | Iterable[Input]) -> str:
    """The PATH arguments, or the words for live objects, as messages show them."""
    return ", ".join(paths) if isinstance(paths, list) else str(paths)


def config() -> Config | None:
    """That of --config, or of this folder or the nearest one above it; None without one.

    Raises ConfigError, TwoFilesError.
    """
    run = invocation()
    if run.found_config is None:
        run.found_config = (None if run.isolated else load_config(run.config),)
        (found,) = run.found_config
        verbose(msg("configuration: {value}", value=found.path if found else "none"))
        site.use(found.docs_url if found else None)
        if found and found.path and run.config is None:
            _note_owner(found.path)
    return run.found_config[0]


def _note_owner(path: Path) -> None:
    from gpuxlate.config.find import is_of_another

    if is_of_another(path):
        info(
            msg(
                "note: {path}, above this folder, belongs to another user; --isolated leaves it out",
                path=path,
            )
        )


def exclusion_of(run: Invocation, known: Config | None) -> Exclusion:
    """What ``exclude`` of a configuration and of this run leave out. Raises UserError."""
    always = []
    if run.exclude:
        texts = [one for text in run.exclude for one in text.split(",") if one]
        try:
            always.append(ExcludePatterns(os.path.realpath(os.curdir), Patterns(texts), "--exclude"))
        except ValueError as error:
            raise UserError(
                msg(
                    "invalid value {names!r} for --exclude: {error}",
                    names=",".join(texts),
                    error=message_of(error),
                ),
                "write patterns as in .gitignore",
            ) from None
    if known is not None and (configured := known.excludes()):
        always.append(configured)
    return Exclusion(always, run.force_exclude)


def load_config(named: str | None) -> Config | None:
    """The configuration in a file that the user named, or that is found upwards.

    Raises ConfigError, TwoFilesError.
    """
    from gpuxlate.config.find import find_config

    if named is None and find_config(os.getcwd()) is None:
        return None  # most runs have none: the models are not loaded
    from gpuxlate.config.configuration import ConfigError, config_for
    from gpuxlate.yamltext.plain import plain_text

    try:
        return config_for(os.getcwd(), named, plain_text)
    except ConfigError as error:
        raise _with_lines(error, "gpuxlate schema config prints every field") from None


def _with_lines(error: ConfigError, fields: str) -> ConfigError:
    """The error with the line of each finding, where its file is YAML; ``fields`` says what may be in it."""
    from gpuxlate.yamltext.parse import documents, with_location

    found: list[Diagnostic] = []
    for one in error.diagnostics:
        if one.path and one.file and one.file.endswith(SUFFIXES):
            source = Input(one.file, Path(one.file)).source()
            document = next((each for each in documents(source) if each.root is not None), None)
            found.append(with_location(document, one) if document else one)
        else:
            found.append(one)
    return type(error)(found, fields if error.read else None, read=error.read)


def profile(name: str | None, known: Config | None = None) -> Profile | None:
    """The profile of ``--profile``: the name of one in the configuration, or a file."""
    if name is None:
        verbose("profile: none")
        return None
    from gpuxlate.config.configuration import ConfigError, find_profile
    from gpuxlate.yamltext.plain import plain_text

    try:
        found = find_profile(name, known or config(), plain_text)
        verbose(msg("profile: {name} ({target})", name=name, target=found.target))
        return found
    except ConfigError as error:
        raise _with_lines(error, "gpuxlate schema profile prints every field") from None


def show(diagnostics: Sequence[Diagnostic], texts: Texts, *, least: Severity = Severity.INFO) -> None:
    """Findings as text on stderr, in order."""
    from gpuxlate.cli.process import color_wanted
    from gpuxlate.report import text

    shown = sorted((d for d in diagnostics if d.severity.rank <= least.rank), key=Diagnostic.sort_key)
    if shown:
        color = color_wanted(sys.stderr)
        data_err(text.findings(shown, texts.line, color, every=invocation().verbose))


def data_err(text: str) -> None:
    """A text on stderr, as it is: what is in it is escaped before. Errors of stderr are ignored."""
    with suppress(OSError), _allow_closed_pipe(sys.stderr):
        sys.stderr.write(text)
        sys.stderr.flush()
