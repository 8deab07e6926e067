"""Run a command again whenever a file changes that its result depends on: ``lint --watch``."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence

from gpuxlate.cli import app, printing
from gpuxlate.cli.inputs import exclusion_of
from gpuxlate.cli.lookup import find_configuration
from gpuxlate.cli.options import invocation
from gpuxlate.cli.terminal import Terminated, end_if_signalled, is_terminal
from gpuxlate.config.find import CONFIG_NAMES, PYPROJECT
from gpuxlate.files.find import CHART_FILE, GITIGNORE, Exclusion, expand_paths
from gpuxlate.files.read import folders_upwards, repository_of
from gpuxlate.model.declarations import record
from gpuxlate.model.errors import Exit, UserError
from gpuxlate.model.kept import forget
from gpuxlate.model.messages import join_and, msg
from gpuxlate.overlays.kustomization import KUSTOMIZATIONS

SETTINGS_FILES = frozenset({*CONFIG_NAMES, PYPROJECT, GITIGNORE, *KUSTOMIZATIONS, CHART_FILE})
"""Names of files that change which files are read, or how, wherever they are."""
TURN = 100
"""Milliseconds after which a watcher is known to have started."""
MAX_NAMED_FILES = 3
"""Changed files that a note names."""
CLEAR = b"\x1b[H\x1b[2J\x1b[3J"


@record
class WatchedPaths:
    """The real paths that the result of a run depends on.

    ``folders``: those that are watched, each without those in it, since some of them may be left out.
    ``read``: those whose files are read; others may have SETTINGS_FILES. ``files``: what else is read.
    """

    folders: frozenset[str]
    read: frozenset[str]
    files: frozenset[str]

    def may_concern(self, path: str) -> bool:
        """Whether the run reads the path, or may read it: it is in a folder that the run reads."""
        return self.concerns(path) or os.path.dirname(path) in self.read

    def concerns(self, path: str) -> bool:
        """Whether the run reads the path, or what is read depends on it, wherever it is."""
        return path in self.files or os.path.basename(path) in SETTINGS_FILES


def find_watched_paths(paths: Sequence[str], profile: str | None) -> WatchedPaths:
    """What there is to watch now, for PATH arguments and ``--profile``. Everything is read anew."""
    forget()
    run = invocation()
    run.found_config = None
    left_out, config, expanded = Exclusion(), None, []
    try:
        config = None if run.isolated else find_configuration(run.config)
        left_out = exclusion_of(run, config)
        expanded = expand_paths(paths, left_out)
    except UserError:  # the run reports it
        pass
    profiles = [profile, *(config.profiles.values() if config else ())]
    named_paths = [*paths, *(path for path in (run.config, *profiles) if isinstance(path, str | os.PathLike))]
    files = {os.path.realpath(path) for path in named_paths} | {
        os.path.realpath(path.name) for path in expanded
    }
    folders = {*left_out.folders, *map(os.path.dirname, files)}
    for folder in {os.path.realpath(os.curdir), *(os.path.dirname(os.path.realpath(path)) for path in paths)}:
        top = repository_of(folder)
        git = os.path.join(top, ".git", "info")
        files.add(os.path.join(git, "exclude"))
        folders |= {
            git,
            *(above for above in folders_upwards(folder) if top == folder or above.startswith(top)),
        }
    return WatchedPaths(
        frozenset(filter(os.path.isdir, folders)), frozenset(left_out.folders), frozenset(files)
    )


def run_again(run: Callable[[], int], paths: Sequence[str], profile: str | None) -> int:
    """Run now, and again after each change, until the user or the reader of the results ends it.

    Raises UserError where it cannot be done.
    """
    invocation().in_one_process = True  # the watcher has a thread
    changes = _changes(paths, profile)
    try:
        while True:
            changed = next(changes)
            if is_terminal(sys.stdout):
                printing.out_parts([CLEAR])
            if changed:
                names = sorted(map(os.path.relpath, changed))
                more = (
                    [msg("and {count} more", count=len(names) - MAX_NAMED_FILES)]
                    if names[MAX_NAMED_FILES:]
                    else []
                )
                printing.info(msg("changed: {names}", names=join_and([*names[:MAX_NAMED_FILES], *more])))
            code = app.guarded(run)
            if code >= Exit.INTERRUPTED or invocation().unread:
                return code
            printing.info("watching for changes; Ctrl-C ends")
    except Terminated as ended:
        return 128 + ended.number


def _changes(paths: Sequence[str], profile: str | None) -> Iterator[set[str]]:
    """The changed paths that matter, each time there are some; first none, once the watcher has started.

    Folders come and go: then there is a new watcher, which may know nothing of what changed meanwhile.
    """
    try:
        from watchfiles import watch
    except ModuleNotFoundError as error:
        from gpuxlate.files.extras import install_hint

        problem = msg("--watch needs watchfiles: {name} is missing", name=error.name)
        raise UserError(problem, install_hint("watch")) from None
    before: set[str] = set()
    while True:
        watching, started = find_watched_paths(paths, profile), False
        try:
            for events in watch(
                *watching.folders,
                watch_filter=None,
                rust_timeout=TURN,
                yield_on_timeout=True,
                recursive=False,
                ignore_permission_denied=True,
            ):
                if started:
                    now = (
                        find_watched_paths(paths, profile)
                        if any(watching.may_concern(path) for _, path in events)
                        else watching
                    )
                    changed = {path for _, path in events if watching.concerns(path) or now.concerns(path)}
                    if watching.folders != now.folders:
                        before = changed | (watching.folders ^ now.folders)
                        break
                    watching = now
                    if not changed:
                        continue
                    before = changed
                started = True
                yield before
                before = set()
        except KeyboardInterrupt:  # which the watcher makes of any signal
            end_if_signalled()
            raise
        except FileNotFoundError:  # of a folder that was removed meanwhile
            continue
        except (OSError, RuntimeError) as error:
            raise UserError(
                msg("the folders cannot be watched: {error}", error=error),
                "name fewer folders, or set WATCHFILES_FORCE_POLLING=1",
                Exit.INPUT,
            ) from None
