"""Files that a command writes, new or in place; each has its old or its new content, never a part."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, ClassVar

from gpuxlate.cli.options import invocation
from gpuxlate.cli.printing import ignored_variable, info
from gpuxlate.files.find import InputError, system_message
from gpuxlate.files.read import StrPath, is_inside, read_content
from gpuxlate.model.declarations import Output, record
from gpuxlate.model.errors import Exit, UserError
from gpuxlate.model.messages import Message, message_of, msg, plural

if TYPE_CHECKING:
    from pathlib import Path

    from gpuxlate.cli.inputs import Inputs
    from gpuxlate.translation.items import Item
    from gpuxlate.translation.leftovers import Leftover
    from gpuxlate.translation.quotas.items import QuotaItem
    from gpuxlate.translation.results import Result


EPOCH = "SOURCE_DATE_EPOCH"
"""The variable with the seconds since 1970 of what is built again the same; reproducible-builds.org."""


def output_path(folder: str, *parts: str) -> Path:
    """A path inside ``--output-dir``. Raises UserError for parts that lead out of it."""
    from pathlib import Path  # needed only where something is written

    base = Path(folder)
    path = base.joinpath(*parts)
    if not is_inside(path, base):
        raise UserError(
            msg("{names} would be written outside {folder}", names="/".join(parts), folder=folder)
        )
    return path


def page_heading(inputs: Inputs) -> Message:
    """The heading of a page: the inputs, and the date (that of the variable EPOCH, if it is set)."""
    import os
    import time
    from datetime import UTC, datetime

    moment = datetime.fromtimestamp(time.time(), UTC)
    if epoch := os.environ.get(EPOCH):
        try:
            moment = datetime.fromtimestamp(int(epoch), UTC)
        except (ValueError, OverflowError, OSError):  # no number, or no date of this platform
            ignored_variable(EPOCH, "the date is that of today")
    return msg("From {names}, {date}", names=str(inputs), date=moment.date().isoformat())


def page_footer() -> Message:
    """The footer of a page: the version and the command that wrote it."""
    from gpuxlate import __version__

    return msg("gpuxlate {version}: {command}", version=__version__, command=invocation().command)


def as_json(texts: Iterable[str]) -> str:
    """The objects of manifests as kubectl prints them: one alone, or a List. Raises UserError."""
    from gpuxlate.yamltext.parse import NotYamlError, documents
    from gpuxlate.yamltext.plain import to_python
    from gpuxlate.yamltext.source import Source

    try:
        roots = [document.root for text in texts for document in documents(Source("", text))]
    except NotYamlError as error:
        raise UserError(
            msg("-o json: invalid YAML: {error}", error=message_of(error)), "leave -o json out", Exit.FINDINGS
        ) from None
    return objects_as_json([to_python(root) for root in roots if root is not None])


def objects_as_json(bodies: Sequence[Any]) -> str:
    """Objects as kubectl prints them: one alone, or a List."""
    from gpuxlate.report.json import to_json_text

    return to_json_text(
        bodies[0] if len(bodies) == 1 else {"apiVersion": "v1", "kind": "List", "items": bodies}
    )


def write_files(files: dict[Path, bytes]) -> None:
    """Write new files, making their folders. Raises UserError where a folder is a file."""
    for path, data in files.items():
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except (FileExistsError, NotADirectoryError):
            raise UserError(
                msg("{path} cannot be written: {parent} is not a folder", path=path, parent=path.parent),
                "choose another path",
                Exit.INPUT,
            ) from None
        _write(path, data)


def change_file(path: StrPath, data: bytes, expected: bytes, action: str) -> None:
    """Change an input in place, if its content is still ``expected``. Raises InputError, which says that the
    ``action``, such as "translated", did not happen."""
    try:
        _write(path, data, expected)
    except OSError as error:
        raise InputError(
            msg("{path}: not {done}: {error}", path=path, done=action, error=system_message(error))
        ) from None


def _write(path: StrPath, data: bytes, expected: bytes | None = None) -> None:
    """Write a file, and note its hard links. Raises OSError."""
    from pathlib import Path

    from gpuxlate.files.write import write_atomically

    with count_write(path, data):
        others = write_atomically(Path(path), data, expected)
    if others:
        names = plural(others, "another name, which keeps", "{count} other names, which keep")
        info(msg("note: {name}: the file had {names} the old text (hard links)", name=path, names=names))


@contextmanager
def count_write(path: StrPath, data: bytes) -> Iterator[None]:
    """Count the file that the block writes among those of the run."""
    run = invocation()
    run.writing = path, data
    yield
    run.writing, run.files_written = None, run.files_written + 1


def interrupted_text() -> Message:
    """That somebody ended the run, and the number of files that it has written until then."""
    run = invocation()
    count = run.files_written
    if run.writing is not None:
        path, data = run.writing
        with suppress(OSError):
            count += read_content(path) == data  # it may have its name already
    files = (
        plural(count, "{count} file written", "{count} files written") if count else msg("no file written")
    )
    return msg("interrupted: {done}", done=files)


@record
class Results(Output):
    """What commands print, or write as a report, for several targets."""

    KIND: ClassVar[str] = "results"
    targets: Sequence[Mapping[str, Any]]
    """What is printed for each of them alone, with its name."""


def of_targets(results: Mapping[str, dict[str, Any]]) -> dict[str, Any]:
    """The results for targets by name as one: that of a single target as it is, several in a list."""
    if len(results) == 1:
        (only,) = results.values()
        return only
    targets = [{"target": name, **result} for name, result in results.items()]
    return Results(targets).to_json()


def report_json(
    items: Sequence[Item], leftovers: Sequence[Leftover] = (), quotas: Sequence[QuotaItem] = ()
) -> dict[str, Any]:
    """The JSON report of a translation: its items, quotas and leftovers in the order of the run."""
    from collections import Counter

    from gpuxlate.translation.fit import Verdict
    from gpuxlate.translation.report import TranslationReport, VerdictCounts

    counts = Counter(item.verdict for item in items)
    summary = VerdictCounts(*(counts[verdict] for verdict in Verdict))
    return TranslationReport(items, quotas, leftovers, summary).to_json()


def json_reports(runs: Mapping[str, Result]) -> dict[str, dict[str, Any]]:
    """The JSON report of each run, by its target."""
    return {name: report_json(run.items, run.leftovers, run.quotas) for name, run in runs.items()}


def write_report(path: Path, report: dict[str, Any]) -> None:
    """Write a report, of one target or of several, to a file."""
    from gpuxlate.report.json import to_json_text

    write_files({path: to_json_text(report).encode()})
