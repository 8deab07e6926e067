"""What commands print: results on stdout, and messages, notes and findings on stderr."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, TextIO

from gpuxlate import locale
from gpuxlate.cli.options import invocation
from gpuxlate.cli.terminal import color_wanted, is_terminal
from gpuxlate.model.diagnostics import Diagnostic, Severity
from gpuxlate.model.errors import Exit, UserError
from gpuxlate.model.limits import MAX_MESSAGE, MAX_NAME, cut
from gpuxlate.model.messages import Lines, msg, titled
from gpuxlate.yamltext.source import Texts


def show_error(error: UserError) -> None:
    """Print an error on stderr, and what to do about it."""
    alert("error", error.message)
    if error.hint:
        alert("help", error.hint)


def alert(title: str, text: str) -> None:
    """Print a message on stderr under its title: error, help, note, try, warning."""
    from gpuxlate.report.characters import width

    head, *rest = map(locale.localize, text.parts if isinstance(text, Lines) else [text])
    title = locale.localize(msg("{title}: ", title=msg(title)))
    for line in (title + head, *(" " * width(title) + line for line in rest)):
        stderr_line(line)


def stderr_line(text: str) -> None:
    """Print one line on stderr."""
    from gpuxlate.report.characters import text_of

    data_err(text_of([cut(locale.localize(text), 2 * MAX_MESSAGE)]))


def info(text: str) -> None:
    """Print one line on stderr, unless the run is quiet."""
    if not invocation().quiet:
        stderr_line(text)


def ignored_variable(name: str, default: str) -> None:
    """Note, once in a run, that the value of an environment variable is invalid, and what counts instead."""
    run = invocation()
    if name not in run.ignored_variables:
        run.ignored_variables.add(name)
        value = cut(os.environ[name], MAX_NAME)
        template = "invalid value {value!r} of {name} in the environment is ignored: {default}"
        info(titled("note", msg(template, value=value, name=name, default=msg(default))))


def verbose(text: str) -> None:
    """Print one line on stderr, if the run is verbose."""
    if invocation().verbose:
        stderr_line(text)


def dialects_used(name: str, dialects: Iterable[str]) -> None:
    """Print the dialects of an input on stderr, if the run is verbose and there are any."""
    if invocation().verbose and (names := sorted(set(dialects))):
        verbose(msg("dialects of {name}: {dialects}", name=name, dialects=", ".join(names)))


def documents_out(parts: Iterable[bytes]) -> None:
    """Print manifests and other texts on stdout byte for byte; control characters show on a terminal."""
    if is_terminal(sys.stdout):
        from gpuxlate.report.characters import visible_lines

        parts = (visible_lines(part.decode(errors="replace")).encode(errors="replace") for part in parts)
    out_parts(parts)


def diffs_out(diffs: Iterable[str], *, exact: bool = True) -> None:
    """Diffs on stdout, in colours where they are wanted; ``exact``: else byte for byte, for patch."""
    from gpuxlate.report.characters import coloured_diff

    if color_wanted(sys.stdout):
        out_parts(coloured_diff(diff).encode() for diff in diffs)
    elif exact:
        documents_out(diff.encode() for diff in diffs)
    else:
        out("".join(diffs))


def out(text: str) -> None:
    """Print a text for people on stdout, with its control characters made visible."""
    from gpuxlate.report.characters import visible_lines

    data_out(visible_lines(text, colours=True))


def json_out(data: dict[str, Any]) -> None:
    """Print JSON on stdout, as every command does."""
    from gpuxlate.report.json import to_json_text

    data_out(to_json_text(data))


def data_out(text: str) -> None:
    """Print a text for programs on stdout as it is: its format escapes what is in it."""
    if text:
        out_parts([text.encode("utf-8", "surrogateescape")])


def out_parts(parts: Iterable[bytes]) -> None:
    """Print bytes on stdout, part by part. A closed pipe (``| head``) does not change the exit code.

    Raises UserError where stdout is closed.
    """
    if sys.stdout is None:
        raise UserError("stdout is closed", "to discard the result, redirect it to /dev/null", Exit.INPUT)
    stream = sys.stdout.buffer
    with allow_closed_pipe(sys.stdout):
        sys.stdout.flush()
        for part in parts:
            stream.write(part)
        stream.flush()


@contextmanager
def allow_closed_pipe(stream: TextIO) -> Iterator[None]:
    """Discard what nobody reads any more; other errors of the stream are raised."""
    try:
        yield
    except OSError as error:
        # discard the rest of the buffer, which the interpreter flushes at its end
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
        invocation().unread |= stream is sys.stdout
        if not isinstance(error, BrokenPipeError):
            raise


def show(diagnostics: Sequence[Diagnostic], texts: Texts, *, least: Severity = Severity.INFO) -> None:
    """Print findings as text on stderr, in their order; ``least``: only those of this severity or above."""
    from gpuxlate.report import text

    shown = sorted((d for d in diagnostics if d.severity.rank <= least.rank), key=Diagnostic.sort_key)
    if shown:
        color = color_wanted(sys.stderr)
        data_err(text.findings_text(shown, texts.line, color, every=invocation().verbose))


def data_err(text: str) -> None:
    """Print a text, which is escaped already, on stderr. Errors of stderr are ignored."""
    with suppress(OSError), allow_closed_pipe(sys.stderr):
        sys.stderr.write(text)
        sys.stderr.flush()
