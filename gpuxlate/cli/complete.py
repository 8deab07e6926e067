"""Completion of ``kubectl gpuxlate``: kubectl calls ``kubectl_complete-gpuxlate`` with the words so far.

The answer is ``value<TAB>description`` lines, then ``:4`` (no files), or ``:0`` where a file fits. No
server is contacted.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import Any

from gpuxlate.cli.kubectl import command_at
from gpuxlate.cli.process import ending_quietly
from gpuxlate.translation.acceptance import DROPPABLE

Candidate = tuple[str, str]
"""A value and what it is."""

NO_FILES, FILES = 4, 0
"""Directives of cobra's completion protocol."""
_FILE_OPTIONS = (
    *("--profile", "--report", "--config", "--stdin-filename", "--output-dir", "--kubeconfig"),
    *("--workload", "-f", "--filename"),
)
_SHARED: dict[str, Sequence[str]] = {
    "--round": ("up",),
    "--drop": DROPPABLE,
    "--fill": ("cores=", "memoryMiB="),
    "--dry-run": ("none", "server"),
}


def main() -> None:
    """Print what the last word could be."""
    with ending_quietly(whole_process=True):
        print(answer(sys.argv[1:]))


def answer(words: Sequence[str]) -> str:
    """The lines for the words so far, of which the last may be empty. An error gives no candidates."""
    try:
        found, directive = candidates(words)
    except Exception:  # an error message must not appear in a command line
        found, directive = [], NO_FILES
    lines = [f"{value}\t{text}" if text else value for value, text in found]
    return "\n".join([*lines, f":{directive}"])


def candidates(words: Sequence[str]) -> tuple[list[Candidate], int]:
    """What the last word could be, and whether it may be a file."""
    *before, last = words or [""]
    at = command_at(before)
    if at >= len(before):
        return _with_prefix(last, _first_words(before)), NO_FILES
    command = _command(before[at])
    if command is None:
        return [], NO_FILES
    name, equals, value = last.partition("=")
    if equals and name.startswith("--"):
        found, directive = _values(name, value, before, at)
        return [(f"{name}={one}", text) for one, text in found], directive
    option = before[-1] if len(before) > at + 1 else ""
    if _takes_value(command, option):
        return _values(option, last, before, at)
    if last.startswith("-"):
        return _with_prefix(last, _options(command)), NO_FILES
    return _arguments(before[at], last)


def _first_words(before: Sequence[str]) -> Iterator[Candidate]:
    """Commands; or the value of a flag before the command."""
    from gpuxlate.cli.app import LiveGroup

    if before and before[-1] in ("-n", "--namespace", "--context"):
        yield from _of_kubeconfig(before[-1], before)
        return
    if not before or before[-1] in ("-A", "--all-namespaces") or len(before) > 1:
        yield from LiveGroup.table.items()


def _command(name: str) -> Any:
    from gpuxlate.cli.app import build

    return build(live=True).get_command(None, name)


def _options(command: Any) -> Iterator[Candidate]:
    for one in command.params:
        if one.param_type_name == "option":
            for name in one.opts:
                yield name, one.help or ""
    yield "--help", "Show this message and exit."


def _takes_value(command: Any, word: str) -> bool:
    return any(
        word in one.opts and not one.is_flag
        for one in command.params
        if one.param_type_name == "option" and word.startswith("-")
    )


def _values(option: str, last: str, before: Sequence[str], at: int) -> tuple[list[Candidate], int]:
    if option in _FILE_OPTIONS:
        return [], FILES
    if option in ("--to", "--from"):
        return _with_prefix(last, _targets(written=option == "--to")), NO_FILES
    if option in ("--select", "--ignore"):
        done, comma, rest = last.rpartition(",")
        return [(done + comma + code, text) for code, text in _with_prefix(rest, _rules())], NO_FILES
    if option in ("-n", "--namespace", "--context"):
        return _with_prefix(last, _of_kubeconfig(option, before)), NO_FILES
    if option in _SHARED:
        return _with_prefix(last, ((value, "") for value in _SHARED[option])), NO_FILES
    found = [one for one in _command(before[at]).params if option in one.opts]
    values = [value for one in found for value in one.shell_complete(None, last)]
    return [(one.value, one.help or "") for one in values], NO_FILES


def _arguments(command: str, last: str) -> tuple[list[Candidate], int]:
    from gpuxlate.cli.app import LIVE_OBJECTS

    if command == "explain":
        return _with_prefix(last, _rules()), NO_FILES
    if command in ("schema", "completion"):
        (argument, *_) = _command(command).params
        return [(one.value, "") for one in argument.shell_complete(None, last)], NO_FILES
    if command in LIVE_OBJECTS:
        found = _with_prefix(last, _kinds())
        return found, NO_FILES if found else FILES
    return [], FILES


def _targets(*, written: bool) -> Iterator[Candidate]:
    """Built-in targets, then their other names; ``written``: without those that are only read."""
    from gpuxlate.backends import registry

    names = {*(registry.writable_names() if written else registry.target_names())}
    known = [registry.names_of(row) for row in registry.BUILT_IN if row.name in names]
    for name, *others in known:
        yield name, f"also {', '.join(others)}" if others else ""
    for name, *others in known:
        for alias in others:
            yield alias, name


def _rules() -> Iterator[Candidate]:
    from gpuxlate.backends import registry
    from gpuxlate.rules import catalog

    for code, rule in catalog.all_rules(registry.all_backends()).items():
        yield code, rule.summary


def _kinds() -> Iterator[Candidate]:
    from gpuxlate.cluster.resources import BUILT_IN, words_of

    for kind in BUILT_IN:
        for word in words_of(kind):
            yield word, kind.kind


def _of_kubeconfig(option: str, before: Sequence[str]) -> Iterator[Candidate]:
    """Contexts, or the namespaces that contexts name, of the current kubeconfig."""
    from gpuxlate.cluster.kubeconfig import Kubeconfig

    named = None
    for number, word in enumerate(before):
        if word == "--kubeconfig" and number + 1 < len(before):
            named = before[number + 1]
        elif word.startswith("--kubeconfig="):
            named = word.partition("=")[2]
    known = Kubeconfig(named)
    yield from ((name, "") for name in (known.contexts if option == "--context" else known.namespaces))


def _with_prefix(last: str, found: Iterator[Candidate]) -> list[Candidate]:
    """Candidates with this prefix, in their order; descriptions on one line."""
    return [(value, " ".join(text.split())) for value, text in found if value.startswith(last)]
