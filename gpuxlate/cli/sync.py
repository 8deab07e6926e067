"""``gpuxlate sync``: one source tree, and a tree for each target that is always in step with it."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import typer

from gpuxlate.cli import lookup, options, outputs, printing
from gpuxlate.cli.decisions import DecisionFiles, decision_files
from gpuxlate.cli.inputs import exclusion_of
from gpuxlate.cli.terminal import progress
from gpuxlate.cli.translations import accepting_options, files_written, note_source, translate_to_each
from gpuxlate.config.configuration import Config, SyncEntry, SyncTarget
from gpuxlate.files.find import InputError, system_message
from gpuxlate.files.read import folders_upwards, is_inside, read_content, repository_of
from gpuxlate.files.write import wait_for_folder
from gpuxlate.locale import localize
from gpuxlate.model.declarations import Output, Printed, Sometimes, record
from gpuxlate.model.diagnostics import Diagnostic, Severity
from gpuxlate.model.errors import Exit, UserError
from gpuxlate.model.messages import join_and, msg, plural
from gpuxlate.sync.by_hand import changed_lines, line_writers
from gpuxlate.sync.errors import SyncError
from gpuxlate.sync.files import file_bytes, tree_files
from gpuxlate.sync.fill import fill_trees
from gpuxlate.sync.fingerprints import file_fingerprints, options_fingerprint
from gpuxlate.sync.lock import LOCK, read_lock, sha256
from gpuxlate.sync.settings import target_settings
from gpuxlate.sync.source import SourceTree
from gpuxlate.sync.target import TargetTree, WantedFile
from gpuxlate.translation.acceptance import AcceptError
from gpuxlate.translation.hints import without_options
from gpuxlate.yamltext.source import Texts, WordSearch

if TYPE_CHECKING:
    from gpuxlate.backends.base import Backend

SYNC_HINT = msg(
    "write {example} into .gpuxlate.yaml", example="sync: [{source: base/, targets: {TARGET: clusters/a/}}]"
)

OUTSIDE_GIT_HINT = msg("name a folder of this repository, beside those of git")


@dataclass
class PlannedTree:
    """One source with its targets, and the decisions of each by its folder: a target may have several.

    ``configured``: as the configuration has them; ``commons``: what all files of each target depend on,
    by its decisions as they are now.
    """

    tree: SourceTree
    targets: list[TargetTree]
    decided: dict[str, DecisionFiles]
    configured: dict[str, SyncTarget]
    commons: dict[str, Callable[[], str]]

    def find_keys(self) -> None:
        """Set the digest of what each file depends on, for every target."""
        for target in self.targets:
            target.options = options_fingerprint(target.settings, self.commons[target.folder]())
            target.keys = file_fingerprints(self.tree, target.settings)


@record
class SyncRequest:
    """What a run of sync is asked for. ``targets``: the names of those that it is for; the rest are its
    options."""

    config: Config
    targets: frozenset[str]
    accepted: options.DecisionOptions
    check: bool
    diff: bool
    overwrite: bool

    @property
    def writes(self) -> bool:
        """Folders and files of decisions may change."""
        return not (self.check or self.diff)

    @property
    def prunes(self) -> bool:
        """Entries of decisions that match nothing go."""
        return self.accepted.prune_decisions and self.writes


def command(
    to: Annotated[
        list[str],
        typer.Option(
            "--to",
            help="Only these targets of the configuration.",
            metavar="TARGET[,TARGET]",
            autocompletion=options.complete_written,
        ),
    ] = [],
    check: Annotated[
        bool, typer.Option("--check", help="Write nothing; exit 1 if a folder is not in step.")
    ] = False,
    diff: Annotated[
        bool,
        typer.Option(
            "--diff", help="Print what would change, with the line that it comes from; write nothing."
        ),
    ] = False,
    overwrite: Annotated[
        bool,
        typer.Option(
            "--overwrite", help="Replace files that sync did not write, and files that were changed by hand."
        ),
    ] = False,
    *,
    accepted: options.DecisionOptions,
    output: options.TextOutput = "text",
) -> int:
    """Keep a tree for each target in step with one source tree, as `sync` of the configuration says.

    Each file of the source is written to the same path in the folder of each target, YAML and JSON
    translated. Only files that sync wrote are changed or removed. Exit 1 if a loss is not accepted, if a
    share is refused, or if a target is not in step (--check).
    """
    config = lookup.config()
    if config is None or not config.sync:
        raise UserError("the configuration has no sync", SYNC_HINT)
    targets = _chosen(config, to)
    request = SyncRequest(config, targets, accepted, check, diff, overwrite)
    lock = wait_for_folder(_home(config), _note_waiting)
    try:
        return _run(request, output)
    finally:
        if lock is not None:
            os.close(lock)


def _note_waiting() -> None:
    printing.info("note: another gpuxlate sync is at work in this repository; waiting until it ends")


def _run(request: SyncRequest, output: str) -> int:
    """Do what the command asks for, while no other run is at work."""
    trees = _trees(request)
    undecided = _decide(trees, request)
    for planned in trees if request.prunes else ():
        planned.find_keys()
    targets = [(planned, target) for planned in trees for target in planned.targets]
    for planned, target in targets:
        _judge(target, overwrite=request.overwrite)
        if target.refused and request.accepted.write_decisions is None:
            _offer(planned, target)
    if output == "json":
        printing.json_out(SyncOutput([_printed(planned, target) for planned, target in targets]).to_json())
    elif request.diff:
        printing.diffs_out((_diff(planned, target) for planned, target in targets), exact=False)
    elif request.check:
        printing.out("".join(_listed(target) for _, target in targets))
    for _, target in targets:
        if request.writes and not target.writes_nothing:
            _write(target)
        _sum_up(target, wrote=request.writes)
    _note_former(request.config)
    behind = any(target.writes_nothing or (target.is_behind and not request.writes) for _, target in targets)
    return Exit.FINDINGS if behind or undecided else Exit.CLEAN


def _trees(request: SyncRequest) -> list[PlannedTree]:
    """The sources with what the folders of their targets are to hold. Raises UserError."""
    _judge_folders(request.config)
    not_copied = _not_copied(request)
    trees = [_planned(request, entry, not_copied) for entry in request.config.sync]
    for planned in trees:
        _fill(planned)
    return trees


def _fill(planned: PlannedTree) -> None:
    """Make what the folders are to hold. A wrong ``from`` is noted where every file was looked at."""
    fill_trees(planned.tree, planned.targets, translate_to_each, partial(_watched, "rendering"))
    for each in planned.targets[:1]:
        if len(each.result.files) == sum(file.is_translated for file in planned.tree.files):
            note_source(each.result, each.settings.from_)


def _watched(title: str, items: Sequence[Any]) -> Iterator[Any]:
    return progress(items, len(items), title)


def _counted(each: TargetTree, paths: Sequence[str]) -> Iterator[str]:
    """The files of a target, each counted once it is written."""
    for path in _watched("writing", paths):
        with outputs.count_write(each.place(path), each.new_files[path].data or b""):
            yield path


# --- what is asked for ------------------------------------------------------------------------------------
def _chosen(config: Config, to: Sequence[str]) -> frozenset[str]:
    """The names of the targets to keep in step."""
    targets = {_backend(target.name).name: target.name for entry in config.sync for target in entry.targets}
    named = {lookup.written_target(name.strip()).name for text in to for name in text.split(",")}
    for name in named - targets.keys():
        raise UserError(
            msg("{name} is not a target of sync", name=name),
            msg("targets of sync: {names}", names=", ".join(targets.values())),
        )
    return frozenset(named or targets)


def _backend(name: str) -> Backend:
    backend = lookup.written_target(name)
    if not backend.writes_pods:
        raise UserError(
            msg("invalid target {name!r} for sync: it is not for manifests", name=name),
            "gpuxlate render --to TARGET writes it",
        )
    return backend


def _folder(config: Config, name: str) -> str:
    """A folder that the configuration names, from the working folder."""
    return os.path.relpath(os.path.join(_home(config), name))


def _home(config: Config) -> str:
    return os.path.dirname(os.path.abspath(config.path or os.curdir))


def _judge_folders(config: Config) -> None:
    """Raises SyncError for folders inside each other, or outside of the repository."""
    top = repository_of(_home(config))
    roles: dict[str, tuple[str | None, str]] = {}  # by real path: the name of a target, None of a source
    for entry in config.sync:
        source = _folder(config, entry.source)
        if not os.path.isdir(source):
            raise InputError(msg("{name}: no such folder", name=source), "sync names it as source")
        title = msg("the source {source}", source=source)
        _judge_place(source, title, top)
        roles[os.path.realpath(source)] = (None, source)
    for entry in config.sync:
        for target in entry.targets:
            folder = _folder(config, target.dir)
            title = msg("the folder {folder} of {name}", name=target.name, folder=folder)
            _judge_place(folder, title, top)
            real = os.path.realpath(folder)
            if real in roles:
                raise _overlap((target.name, folder), roles[real])
            roles[real] = (target.name, folder)
    for real, (name, folder) in roles.items():
        for over in folders_upwards(os.path.dirname(real)):
            if over in roles and (name, roles[over][0]) != (None, None):
                raise _overlap((name, folder), roles[over])


def _judge_place(folder: str, title: str, top: str) -> None:
    """Raises SyncError for a folder that is not of this repository, or of git itself."""
    if not is_inside(folder, top):
        message = msg("{what} is outside of the repository {top}", what=title, top=top)
        raise SyncError(message, "name a folder of this repository")
    real = os.path.realpath(folder)
    for over in folders_upwards(real):
        if os.path.basename(over).casefold() == ".git" or _is_of_git(over):
            raise SyncError(
                msg("{what} is inside a folder of git, {over}", what=title, over=over), OUTSIDE_GIT_HINT
            )
        if over == top:
            return
        if os.path.lexists(os.path.join(over, ".git")):
            message = msg("{what} is in another repository, {over}", what=title, over=over)
            raise SyncError(message, OUTSIDE_GIT_HINT)


def _is_of_git(folder: str) -> bool:
    """Whether a folder is the data of a git repository, whatever its name is."""
    return all(os.path.exists(os.path.join(folder, name)) for name in ("HEAD", "objects", "refs"))


def _overlap(first: tuple[str | None, str], other: tuple[str | None, str]) -> SyncError:
    """The error for a target's folder that is inside a source or another target's, or around it."""
    (name, folder), (second_name, second) = (first, other) if first[0] is not None else (other, first)
    if second_name is None:
        message = msg(
            "the folder of {name}, {folder}, and the source {source} are inside each other",
            name=name,
            folder=folder,
            source=second,
        )
        return SyncError(message, "name a folder beside the source")
    message = msg(
        "the folders of {name} and {other} are inside each other: {folder}, {second}",
        name=name,
        other=second_name,
        folder=folder,
        second=second,
    )
    return SyncError(message, "give each target a folder of its own")


def _not_copied(request: SyncRequest) -> frozenset[str]:
    """The real paths of the configuration and of all decisions."""
    config = request.config
    named = [
        target.options["decisions"]
        for entry in config.sync
        for target in entry.targets
        if "decisions" in target.options
    ]
    paths = [
        *(_folder(config, name) for name in dict.fromkeys(named)),
        *request.accepted.decisions,
        request.accepted.write_decisions,
        config.path,
        config.decisions,
    ]
    return frozenset(os.path.realpath(path) for path in paths if path)


def _planned(request: SyncRequest, entry: SyncEntry, not_copied: frozenset[str]) -> PlannedTree:
    """A source and its targets. Raises SyncError, InputError, UserError."""
    source = _folder(request.config, entry.source)
    targets: list[TargetTree] = []
    decided: dict[str, DecisionFiles] = {}
    configured: dict[str, SyncTarget] = {}
    commons: dict[str, Callable[[], str]] = {}
    for sync_target in entry.targets:
        if _backend(sync_target.name).name in request.targets:
            target, files, common_ = _target(request, entry, sync_target)
            targets.append(target)
            commons[target.folder] = common_
            configured[target.folder] = sync_target
            if files is not None:
                decided[target.folder] = files
    files_ = tree_files(source, exclusion_of(options.invocation(), request.config), not_copied)
    tree = SourceTree.of(source, files_)
    if tree.alone:
        shares = plural(tree.alone, "{count} GPUShare document", "{count} GPUShare documents")
        printing.info(
            msg("note: left out of {source}, without a workload: {shares}", source=source, shares=shares)
        )
    planned = PlannedTree(tree, targets, decided, configured, commons)
    planned.find_keys()
    return planned


def _judge_file(config: Config, name: str) -> None:
    """A file that the configuration names is a file of its repository: an error may show what is in it.

    Raises SyncError.
    """
    top = repository_of(_home(config))
    if not is_inside(name, top):
        message = msg("{name} is outside of the repository {top}", name=name, top=top)
        raise SyncError(message, "put the file into the repository")
    if os.path.exists(name) and not os.path.isfile(name):
        raise SyncError(msg("{name} is not a regular file", name=name), "name a file")


def _target(
    request: SyncRequest, entry: SyncEntry, sync_target: SyncTarget
) -> tuple[TargetTree, DecisionFiles | None, Callable[[], str]]:
    """A target as its mapping says, and what all of its files depend on, once it is asked."""
    config, more, write = request.config, request.accepted.decisions, request.accepted.write_decisions
    choices = sync_target.options
    named = [_folder(config, choices["decisions"])] if "decisions" in choices else []
    named += [os.path.relpath(config.decisions)] if config.decisions else []
    for name in named:
        _judge_file(config, name)
    files = [name for name in named if write is None or os.path.exists(name)]  # --write-decisions makes it
    accepted = options.DecisionOptions([*files, *more], write, request.prunes and bool(files or more))
    decided = decision_files(accepted, _home(config))
    if decided is not None:
        decided.writes = None  # those of all targets are written together
    profile = choices.get("profile")
    if profile is not None and profile not in config.profiles:
        profile = _folder(config, profile)
    source = lookup.target(entry.from_) if entry.from_ else None
    if profile is not None and profile not in config.profiles:
        _judge_file(config, profile)
    target_profile = lookup.profile(profile)
    try:
        settings = target_settings(
            sync_target, source, target_profile, decided.decisions if decided else None
        )
    except AcceptError as error:
        where = msg("sync targets {name}", name=sync_target.name)
        raise UserError(msg("{where}: {message}", where=where, message=error.message), error.hint) from None
    paths = [str(path) for path in (config.path, profile) if path and os.path.isfile(path)]
    paths += [str(each) for each in config.profiles.values() if isinstance(each, Path)]
    digests = [sha256(read_content(path)) for path in paths]

    def common_() -> str:
        accepted = decided.decisions.accepted(settings.to.name) if decided else []
        return json.dumps([entry.from_, sync_target.name, dict(choices), accepted, digests], sort_keys=True)

    folder = _folder(config, sync_target.dir)
    anew = decided is not None and decided.prunes  # an entry matches nothing where every loss is known
    lock = read_lock(folder)
    tree = TargetTree(settings.to.name, folder, os.path.normpath(entry.source), settings, lock, anew)
    return tree, decided, common_


# --- decisions ----------------------------------------------------------------------------------------------
def _decide(trees: Sequence[PlannedTree], request: SyncRequest) -> bool:
    """Report entries of decisions that match nothing, and write missing entries of all targets into one file.
    Whether a decision is still open."""
    readers: dict[str, list[tuple[PlannedTree, TargetTree]]] = {}
    for planned in trees:
        for target in planned.targets:
            decided = planned.decided.get(target.folder)
            for name in decided.sources if decided else ():
                readers.setdefault(name, []).append((planned, target))
    limited = request.targets != _chosen(request.config, ())
    wrong = False
    for name, of_file in readers.items():
        wrong |= _settle_file(name, of_file, limited=limited)
    if request.accepted.write_decisions is None:
        return wrong
    from gpuxlate.translation.decisions import Decisions

    files = decision_files(replace(request.accepted, prune_decisions=False))
    assert files is not None
    entries = [
        entry for planned in trees for each in planned.decided.values() for entry in each.decisions.entries
    ]
    files.decisions = Decisions((*files.decisions.entries, *entries), files.decisions.base)
    files.findings = []
    judged = [each for planned in trees for target in planned.targets for each in target.result.judged]
    return files.settle(judged, remark=False) or wrong


def _settle_file(name: str, readers: Sequence[tuple[PlannedTree, TargetTree]], *, limited: bool) -> bool:
    """Settle the decisions of one file by all targets that read it: an entry may match at any of them.

    ``limited``: some targets were not looked at, where an entry for any target may match.
    """
    read = [planned.decided[target.folder] for planned, target in readers]
    file = read[0].of_file(name)
    judged = [each for _, target in readers for each in target.result.judged]
    seen = {each.object for each in judged} & {entry.object for entry in file.decisions.entries}
    in_part = {
        name_of_object
        for planned, target in readers
        for name_of_object in _named_in_skipped(planned.tree, target, seen)
    }
    if limited:
        in_part |= {entry.object for entry in file.decisions.entries if entry.to is None}
    wrong = file.settle(each._replace(whole=each.whole and each.object not in in_part) for each in judged)
    kept = {entry._replace(document=None) for entry in file.decisions.entries}
    for decided in read:
        entries = (
            entry
            for entry in decided.decisions.entries
            if entry.document is None
            or entry.document.source is not decided.sources[name]
            or entry._replace(document=None) in kept
        )
        decided.decisions = replace(decided.decisions, entries=tuple(entries))
    return wrong


def _named_in_skipped(tree: SourceTree, target: TargetTree, objects: Collection[str]) -> Iterator[str]:
    """The objects that may be in a file that did not change, too: their losses there are not known."""
    for file in tree.files if objects else ():
        new_file = target.new_files.get(file.path)
        if new_file is not None and new_file.data is None and file.is_translated:
            words = WordSearch(file_bytes(file.place).decode(errors="replace"))
            yield from (name for name in objects if words.may_hold(name.rpartition("/")[2]))


# --- what is said -------------------------------------------------------------------------------------------
def _judge(each: TargetTree, *, overwrite: bool) -> None:
    """Print the findings of a target and what keeps it from being written."""
    least = Severity.INFO if options.invocation().verbose else Severity.WARNING
    findings = each.result.diagnostics
    if any(finding.severity.rank <= least.rank for finding in findings):
        printing.info(msg("{target}:", target=each.name))
        printing.show(
            [without_options(finding) for finding in findings], Texts(*each.result.sources), least=least
        )
    if not each.refused:
        each.compare(overwrite=overwrite)
    for message in [*each.blocked, *each.conflicts]:
        printing.alert("error", msg("{target}: {message}", target=each.name, message=message))
    for path in each.by_hand:
        message = msg("{target}: {place} was changed by hand", target=each.name, place=each.place(path))
        printing.alert("error", message)
    if each.by_hand:
        hint = "gpuxlate sync --diff shows what to change in the source; --overwrite takes the text of sync"
        printing.alert("help", hint)
    elif each.blocked:
        printing.alert("help", "move it away")
    elif each.conflicts:
        printing.alert("help", "move it away, or pass --overwrite")


def _offer(planned: PlannedTree, each: TargetTree) -> None:
    """Print what accepts the losses for which a target is refused, if anything does."""
    accepted = accepting_options(each.result)
    if accepted:
        more: dict[str, object] = {**accepted, "allow-leftovers": "true"}
        more["drop"] = f"[{', '.join(accepted.get('drop', ()))}]"
        more["fill"] = (
            f"{{{', '.join(f'{name}: {value}' for name, value in accepted.get('fill', {}).items())}}}"
        )
        target = planned.configured[each.folder]
        decided = planned.decided.get(each.folder)
        file = next(iter(decided.sources), "FILE") if decided else "FILE"
        message = msg(
            "to accept all: add {options} beside dir: {dir}, the folder of {target} in the configuration; "
            "to decide each: {command}",
            options=", ".join(f"{name}: {more[name]}" for name in accepted),
            dir=target.dir,
            target=target.name,
            command=f"gpuxlate sync --to {target.name} --write-decisions {file}",
        )
        printing.alert("help", message)


@record
class SyncedTarget(Printed):
    """One target and its folder. Paths are from there."""

    target: str
    """Name of the target."""
    dir: str
    """Its folder, as the configuration has it."""
    written: Sequence[str]
    """Files that are written, or would be with --check and --diff."""
    removed: Sequence[str]
    """Files that go, since their source is gone."""
    unchanged: Sequence[str]
    """Files that are in step."""
    refused: bool
    """Nothing of it is written: a loss, a conflict or a change by hand."""
    changed_by_hand: Sometimes[Sequence[str]]
    """Files that somebody changed since sync wrote them."""
    conflicts: Sometimes[Sequence[str]]
    """What stands in the way, in sentences."""
    diagnostics: Sometimes[Sequence[Diagnostic]]
    """The errors of its translation."""


@record
class SyncOutput(Output):
    """What sync -o json prints, on a refusal too."""

    KIND: ClassVar[str] = "sync"
    targets: Sequence[SyncedTarget]
    """The targets, in the order of the configuration."""


def _printed(planned: PlannedTree, each: TargetTree) -> SyncedTarget:
    return SyncedTarget(
        each.name,
        planned.configured[each.folder].dir,
        _written(each),
        each.removed,
        each.unchanged,
        each.writes_nothing,
        each.by_hand,
        [*each.blocked, *each.conflicts],
        _errors(each),
    )


def _errors(each: TargetTree) -> list[Diagnostic]:
    return [finding for finding in each.result.diagnostics if finding.severity is Severity.ERROR]


def _listed(each: TargetTree) -> str:
    """What is not in step, a line each."""
    from gpuxlate.report.characters import text_of

    lines = [msg("{place}: would be written", place=each.place(path)) for path in _written(each)]
    lines += [msg("{place}: would be removed", place=each.place(path)) for path in each.removed]
    lines += [msg("{place}: changed by hand", place=each.place(path)) for path in each.by_hand]
    return text_of(map(localize, lines))


def _written(each: TargetTree) -> list[str]:
    """The files that are written; the lock, where nothing else is out of step."""
    is_lock_alone = not each.owns and not (each.written or each.removed or each.writes_nothing)
    return [LOCK] if is_lock_alone else each.written


def _diff(planned: PlannedTree, each: TargetTree) -> str:
    """What would change in a folder; of what somebody changed there, which lines of the source wrote it."""
    from gpuxlate.report.characters import text_of, unified_diff

    text = ""
    for path in sorted([*each.written, *each.removed, *each.by_hand]):
        current, rendered = each.current_text(path), each.new_text(path)
        changed = unified_diff(current, rendered, each.place(path).lstrip("/"))
        if not changed and path in each.new_files:
            mode = each.new_files[path].source.mode
            changed = text_of(
                [f"# {localize(msg('{place}: mode {mode}', place=each.place(path), mode=f'{mode:o}'))}"]
            )
        text += changed
        if path in each.by_hand and path in each.new_files:
            text += "".join(_back(planned.tree, each, each.new_files[path], rendered, current))
    return text


def _back(tree: SourceTree, each: TargetTree, file: WantedFile, rendered: str, current: str) -> Iterator[str]:
    """Where a change of a target's file belongs in the source."""
    writers = line_writers(tree, file, rendered)
    for number, old, new in changed_lines(rendered, current):
        for place, line, text in writers(number):
            message = msg(
                "{place}:{line} wrote {target}:{number}",
                place=place,
                line=line,
                target=each.place(file.source.path),
                number=number,
            )
            yield f"# {localize(message)}\n"
            yield f"#     {text.strip()}\n"
        yield from (f"#   - {removed.strip()}\n" for removed in old)
        yield from (f"#   + {added.strip()}\n" for added in new)


def _sum_up(each: TargetTree, *, wrote: bool) -> None:
    parts = [
        files_written(len(each.written)) if each.written else "",
        plural(len(each.removed), "{count} removed", "{count} removed") if each.removed else "",
        plural(len(each.unchanged), "{count} unchanged", "{count} unchanged") if each.unchanged else "",
    ]
    if each.writes_nothing:
        text = (
            "{target}: {errors}; {folder} was not changed"
            if each.refused
            else "{target}: {folder} was not changed"
        )
        errors = plural(len(_errors(each)), "{count} error", "{count} errors")
        printing.info(msg(text, target=each.name, errors=errors, folder=each.folder))
    elif wrote:
        changes = join_and([part for part in parts if part]) or msg("nothing to write")
        printing.info(msg("{target}: {done}", target=each.name, done=changes))


def _note_former(config: Config) -> None:
    """Folders of targets that left the configuration keep what is in them."""
    folders = {
        os.path.realpath(_folder(config, target.dir)) for entry in config.sync for target in entry.targets
    }
    for parent in sorted({os.path.dirname(folder) for folder in folders}):
        try:
            names = sorted(os.listdir(parent))
        except OSError:
            continue
        for name in names:
            place = os.path.join(parent, name)
            if os.path.realpath(place) not in folders and os.path.isfile(os.path.join(place, LOCK)):
                printing.info(
                    msg(
                        "note: {folder} stays as it is: no target of sync has it",
                        folder=os.path.relpath(place),
                    )
                )


# --- what is written ----------------------------------------------------------------------------------
def _write(each: TargetTree) -> None:
    """Every file old or new, then the lock: a run that was killed is finished by the next one."""
    try:
        each.write(partial(_counted, each))
    except OSError as error:
        name = error.filename or each.folder
        raise InputError(msg("{name}: {error}", name=name, error=system_message(error))) from None
