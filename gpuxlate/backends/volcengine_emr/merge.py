"""Putting parameters into a text that somebody wrote: our lines change, every other byte stays."""

from __future__ import annotations

from collections.abc import Mapping as AbcMapping
from collections.abc import Sequence

from gpuxlate.backends.job_parameters import MergeError
from gpuxlate.backends.volcengine_emr.syntax import Parameter, Syntax, past_line
from gpuxlate.model.declarations import record
from gpuxlate.model.messages import msg
from gpuxlate.yamltext.source import Source


@record
class _TextChange:
    """The text from ``start`` up to ``end`` becomes ``text``."""

    start: int
    end: int
    text: str


def merge_parameters(source: Source, syntax: Syntax, values: AbcMapping[str, str]) -> str:
    """The text with the new parameters. Raises MergeError.

    An existing key gets its value in place, wherever it is set; new keys come after the last of our keys,
    else where the syntax puts them.
    """
    text = source.text
    parameters = syntax.read(text)
    changes = [
        _TextChange(
            parameter.value_start, parameter.value_end, _as_value(syntax, parameter, values[parameter.key])
        )
        for parameter in parameters
        if parameter.key in values and parameter.value != values[parameter.key]
    ]
    present = {parameter.key for parameter in parameters}
    missing = {key: value for key, value in values.items() if key not in present}
    if missing:
        if any(parameter.quoted for parameter in parameters):
            raise MergeError(
                msg(
                    "{name} has the lines of a program; {names} cannot be added to them",
                    name=source.name,
                    names=", ".join(missing),
                )
            )
        lines = [syntax.write(key, value) for key, value in missing.items()]
        changes += _added(source, syntax, parameters, values, lines)
    result = _applied(text, changes)
    _verify(syntax, parameters, syntax.read(result), values, missing)
    return result


def _as_value(syntax: Syntax, replaced: Parameter, value: str) -> str:
    """The value as the syntax writes it; a key without a sign gets its sign first."""
    line = syntax.write(replaced.key, value)
    parameter = syntax.read(line)[0]
    start = parameter.key_end if replaced.value_start == replaced.key_end else parameter.value_start
    return line[start : parameter.value_end]


def _added(
    source: Source,
    syntax: Syntax,
    parameters: Sequence[Parameter],
    values: AbcMapping[str, str],
    lines: list[str],
) -> list[_TextChange]:
    text, newline = source.text, source.newline()
    ours = [parameter for parameter in parameters if parameter.key in values]
    after = max(ours, key=lambda parameter: parameter.end, default=None)
    at = after.end if after else syntax.place(text, parameters)
    block = newline.join(lines)
    if at == 0:
        return [_TextChange(0, 0, block + newline)]
    if at is None:
        at = len(text)
        after = parameters[-1] if parameters else None
        changes = [] if after is None or after.closed else [_TextChange(after.end, after.end, ";")]
        begun = bool(text) and text[-1] not in "\r\n"
        return [*changes, _TextChange(at, at, (newline if begun else "") + block + newline)]
    last = after or next(parameter for parameter in parameters if parameter.end == at)
    changes = [] if last.closed else [_TextChange(at, at, ";")]
    place = _line_end(text, at, syntax)
    ending = newline if place == len(text) else ""
    return [*changes, _TextChange(place, place, newline + block + ending)]


def _line_end(text: str, at: int, syntax: Syntax) -> int:
    """The end of the line where nothing but a comment follows a statement, else its own end."""
    end = past_line(text, at)
    rest = text[at:end].strip()
    return end if not rest or rest.startswith(syntax.comments) else at


def _applied(text: str, changes: Sequence[_TextChange]) -> str:
    parts: list[str] = []
    at = 0
    for change in sorted(changes, key=lambda change: (change.start, change.end)):
        parts += [text[at : change.start], change.text]
        at = change.end
    return "".join([*parts, text[at:]])


def _verify(
    syntax: Syntax,
    before: Sequence[Parameter],
    after: Sequence[Parameter],
    values: AbcMapping[str, str],
    missing: AbcMapping[str, str],
) -> None:
    """Raise MergeError unless the result reads as the old parameters with the new values, and the missing
    ones."""
    kept = [(parameter.key, values.get(parameter.key, parameter.value)) for parameter in before]
    after_pairs = [(parameter.key, parameter.value) for parameter in after]
    added = [pair for pair in after_pairs if pair[0] in missing]
    if added != list(missing.items()) or [pair for pair in after_pairs if pair[0] not in missing] != kept:
        raise MergeError(
            msg("the parameters would not read as intended in {suffix} syntax", suffix=syntax.suffix)
        )
