"""The Python API: translate, render, parse, lint, targets. Examples are in docs/python.md.

Every function takes a text, or objects as ``json`` and YAML libraries load them, or a ``pathlib.Path``: of a
file or folder, which is read as the commands read it; of ``render``, of one file. A ``str`` is never a path:
one that names a file is a ValueError. No other file is read except a profile, and nothing is written.
Invalid arguments raise ValueError, or TypeError for those of another type.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from gpuxlate.backends import registry
from gpuxlate.backends.base import Backend
from gpuxlate.files.find import Input, InputError, document_reader, expand_paths
from gpuxlate.files.relevance import only_relevant
from gpuxlate.lint.check import lint_source
from gpuxlate.lint.files import CheckedFile, Mode, check
from gpuxlate.lint.fix import fix_source
from gpuxlate.lint.settings import RuleSelection
from gpuxlate.model.declarations import record
from gpuxlate.model.diagnostics import Diagnostic, Severity
from gpuxlate.model.kept import own_run
from gpuxlate.model.limits import MAX_NAME, cut
from gpuxlate.model.messages import message_of
from gpuxlate.model.profile import Profile
from gpuxlate.model.share import JSON_NAMES, Share
from gpuxlate.translation import run
from gpuxlate.translation.acceptance import build_accept
from gpuxlate.translation.api_results import Linted, Parsed, Refused, Rendering, Translation, UnreadableError
from gpuxlate.translation.items import Item
from gpuxlate.translation.options import Settings, relevant_to
from gpuxlate.translation.read import READ, read_source, share_documents
from gpuxlate.translation.results import Result, stream
from gpuxlate.translation.shares import refuses
from gpuxlate.translation.translate import translate_source
from gpuxlate.yamltext.parse import documents
from gpuxlate.yamltext.plain import dump_yaml, plain_text
from gpuxlate.yamltext.source import Source

if TYPE_CHECKING:
    from gpuxlate.translation.decisions import Decisions, JudgedObject

Manifests = str | Mapping[str, Any] | Sequence[Mapping[str, Any]]
"""A text of any number of documents, one object, or a list of objects."""
ProfileLike = Profile | Mapping[str, Any] | str | os.PathLike[str]
"""A profile, its fields as in a profile's file, or the path of the file."""
DecisionsLike = Mapping[str, Any] | Sequence[Mapping[str, Any]] | str | os.PathLike[str]
"""A document of decisions, its entries, or the path of a file."""

TEXT, OBJECTS, WORKLOAD = "<text>", "<objects>", "<workload>"
"""Names in diagnostics of inputs without a name."""


@record
class Target:
    """One target. ``fields``: its representation of each field, by JSON name; None: not supported.
    ``reads_only``: it can be translated from, not to."""

    name: str
    aliases: tuple[str, ...]
    title: str
    fields: Mapping[str, str | None]
    reads_only: bool = False


P = ParamSpec("P")
R = TypeVar("R")


def _apart(function: Callable[P, R]) -> Callable[P, R]:
    """Make each call of a function a run of its own: it reads files as they are now, and caches none of
    them."""

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        with own_run():
            return function(*args, **kwargs)

    return call


def targets() -> tuple[Target, ...]:
    """Every target, those that write manifests first."""
    return tuple(
        Target(
            b.name,
            registry.aliases(b.name),
            b.title,
            {n: b.field_docs.get(n) for n in JSON_NAMES.values()},
            b.read_only,
        )
        for b in registry.all_backends()
    )


@_apart
def translate(
    text: Manifests | os.PathLike[str],
    to: str,
    from_: str | None = None,
    round: str | None = None,  # noqa: A002 - the name of the option
    drop: Iterable[str] = (),
    fill: Mapping[str, int] | None = None,
    profile: ProfileLike | None = None,
    *,
    allow_leftovers: bool = False,
    decisions: DecisionsLike | None = None,
    name: str | None = None,
) -> Translation:
    """Translate manifests from any dialect to another; only GPU requests change.

    ``to``, ``from_``: names of targets; the dialect is found by its keys where ``from_`` is None.
    ``round``: ``"up"`` accepts rounding. ``drop``: fields that may be lost. ``fill``: values for
    unset fields, per card. ``allow_leftovers``: keys of the source may stay where they are not translated.
    ``decisions``: losses that are accepted one by one, as in a file of decisions.
    ``name``: the name of the text in diagnostics. Of a path, claims and patches of one file are read with the
    pods of the others, and ``files`` has the new text of each.
    Raises Refused, UnknownTargetError, ValueError for invalid options, and UnreadableError, an OSError, for
    files that cannot be read: it has what was found in the others.
    """
    source = _manifests(from_, "from_") if from_ else None
    accept = build_accept(round, fill, drop)
    target = _manifests(_writable(to).name, "to")
    settings = Settings(
        target,
        source,
        accept,
        _profile(profile),
        allow_leftovers=allow_leftovers,
        decisions=_decisions(decisions),
    )
    files: dict[str, str] = {}
    if isinstance(text, os.PathLike):
        with _readable():
            [result] = run.translate_to(expand_paths([os.fspath(text)]), [settings])
        _all_read(result)
        diagnostics, items = tuple(result.diagnostics), tuple(result.items)
        files = {file.name: file.new.decode() for file in result.files}
        new = b"".join(stream(result.files)).decode()
    else:
        source_input = _Input.of(text, name)
        result = translate_source(relevant_to([settings], source_input.source), settings)
        diagnostics, items = source_input.findings(result.diagnostics), source_input.items(result.items)
        new = _with_bom(source_input.source, result.text)
    diagnostics += _unmatched(settings, result.judged)
    if refuses(diagnostics):
        raise Refused(diagnostics, items)
    leftovers, quotas = tuple(result.leftovers), tuple(result.quotas)
    return Translation(new, items, diagnostics, result.changed, leftovers, quotas, files)


@_apart
def parse(
    text: Manifests | os.PathLike[str],
    from_: str | None = None,
    profile: ProfileLike | None = None,
    *,
    name: str | None = None,
) -> Parsed:
    """The shares of manifests as GPUShare documents; none where nothing requests GPUs.

    With ``from_`` a target of jobs, the shares of the parameters of a job; so too where ``name`` has the
    suffix of such a file. Of a path, a kustomization is counted as it is built.

    Raises Refused where a share cannot be read, UnknownTargetError, ValueError, and UnreadableError, an
    OSError, for files that cannot be read: it has what was found in the others.
    """
    source = registry.get(_name(from_, "from_")) if from_ else None
    settings = Settings.reading(source, _profile(profile))
    if isinstance(text, os.PathLike):
        with _readable():
            [counted] = run.count(expand_paths([os.fspath(text)]), [settings], READ)
        _all_read(counted)
        if counted.refused:
            raise Refused(counted.diagnostics, counted.items)
        return _parsed(tuple(counted.items), tuple(counted.diagnostics))
    source_input = _Input.of(text, name)
    read = document_reader(
        Input(source_input.source.name, None), source_input.source, source.name if source else None
    )
    relevant = relevant_to([settings], source_input.source) if read is documents else source_input.source
    reading = read_source(relevant, settings, read)
    diagnostics, items = source_input.findings(reading.diagnostics), source_input.items(reading.items)
    if reading.refused:
        raise Refused(diagnostics, items)
    return _parsed(items, diagnostics)


def _parsed(items: tuple[Item, ...], diagnostics: tuple[Diagnostic, ...]) -> Parsed:
    return Parsed("---\n".join(map(dump_yaml, share_documents(items))), items, diagnostics)


@_apart
def render(
    spec: Share | Manifests | os.PathLike[str],
    to: str,
    workload: Manifests | os.PathLike[str] | None = None,
    container: str | None = None,
    round: str | None = None,  # noqa: A002 - the name of the option
    drop: Iterable[str] = (),
    fill: Mapping[str, int] | None = None,
    profile: ProfileLike | None = None,
    *,
    decisions: DecisionsLike | None = None,
    name: str | None = None,
) -> Rendering:
    """Write a share, or GPUShare documents, in the terms of a target.

    With a ``workload`` the shares are written into it: into ``container``, else into the one that each
    document names, else into the only one. Without, each share gets a small Pod that runs
    ``nvidia-smi``. No file that a document names is read. Raises Refused, UnknownTargetError, ValueError.
    """
    from gpuxlate.translation.render import render_shares

    backend = _writable(to)
    settings = Settings(
        backend,
        accept=build_accept(round, fill, drop),
        profile=_profile(profile),
        decisions=_decisions(decisions),
    )
    if isinstance(spec, Share):
        from gpuxlate.config.document import to_document

        spec = to_document("share", spec)
    source_input = _Input.of(spec, name)
    base = _Input.of(workload, None, WORKLOAD) if workload is not None else None
    renderings = render_shares(source_input.source, base.source if base else None, container, settings)
    findings = [finding for part in renderings for finding in part.diagnostics]
    diagnostics = source_input.findings(base.findings(findings) if base else findings)
    diagnostics += _unmatched(settings, [judged for part in renderings for judged in part.judged])
    items = source_input.items([item for part in renderings for item in part.items])
    if any(finding.severity is Severity.ERROR for finding in diagnostics):
        raise Refused(diagnostics, items)
    texts = [part.text if part.text.endswith("\n") else part.text + "\n" for part in renderings]
    return Rendering("---\n".join(texts), items, diagnostics)


@_apart
def lint(
    text: Manifests | os.PathLike[str],
    profile: ProfileLike | None = None,
    select: Iterable[str] = (),
    ignore: Iterable[str] = (),
    *,
    fix: bool = False,
    unsafe_fixes: bool = False,
    name: str | None = None,
) -> Linted:
    """Check manifests and GPUShare documents: every finding. Raises nothing for their content.

    ``select``, ``ignore``: codes of rules, or prefixes of codes; one that no rule has is a ValueError.
    ``fix``: apply the safe fixes to ``text`` of the result; ``unsafe_fixes``: all fixes. Of a path, the texts
    of all files are together in ``text``.
    Raises ValueError, and UnreadableError, an OSError, for files that cannot be read: it has what was found
    in the others.
    """
    selection = RuleSelection.of(_texts(select, "select"), _texts(ignore, "ignore"), None, _profile(profile))
    if isinstance(text, os.PathLike):
        return _lint_files(text, selection, Mode(fix or unsafe_fixes, unsafe_fixes))
    source_input = _Input.of(text, name)
    settings = selection.for_file(None)
    new, fixes = source_input.source.text, 0
    source = only_relevant(source_input.source, settings.profile)
    if fix or unsafe_fixes:
        fixed = fix_source(source, settings, unsafe=unsafe_fixes)
        new, fixes, linted = fixed.text, fixed.fixes, fixed.linted
    else:
        linted = lint_source(source, settings)
    return Linted(
        _with_bom(source_input.source, new),
        source_input.findings(linted.diagnostics),
        linted.documents,
        linted.shares,
        linted.suppressed,
        fixes,
    )


def _lint_files(path: os.PathLike[str], selection: RuleSelection, mode: Mode) -> Linted:
    """The findings in a file, or in all files of a folder. Raises UnreadableError."""
    checked: list[CheckedFile] = []
    unreadable: list[InputError] = []
    with _readable():
        for file in expand_paths([os.fspath(path)]):
            settings = selection.for_file(file.place)
            try:
                data, manifests = settings.role.read(file)
                checked.append(check(file, data, settings, mode, manifests))
            except InputError as error:
                unreadable.append(error)
    findings = tuple(finding for checked_file in checked for finding in checked_file.linted.diagnostics)
    if unreadable:
        raise UnreadableError(unreadable, findings, ())
    linted = [checked_file.linted for checked_file in checked]
    return Linted(
        b"".join(
            checked_file.new if checked_file.changes else checked_file.old for checked_file in checked
        ).decode(),
        findings,
        sum(linted_text.documents for linted_text in linted),
        sum(linted_text.shares for linted_text in linted),
        sum(linted_text.suppressed for linted_text in linted),
        sum(checked_file.changes for checked_file in checked),
    )


# --- inputs -------------------------------------------------------------------------------------


@record
class _Input:
    """An input as text. Positions in the text of objects are omitted: the caller has no such text."""

    source: Source
    objects: bool

    @classmethod
    def of(cls, text: Manifests | os.PathLike[str], name: str | None, unnamed: str | None = None) -> _Input:
        if isinstance(text, str):
            _not_a_path(text)
            return cls(Source(name or unnamed or TEXT, text), False)
        if isinstance(text, os.PathLike):
            with _readable():
                return cls(Input(os.fspath(text), text).source(), False)
        if not isinstance(text, Mapping | Iterable):
            raise TypeError(f"invalid text of type {type(text).__name__}: {_FORMS}")
        objects = [text] if isinstance(text, Mapping) else list(text)
        if not all(isinstance(data, Mapping) for data in objects):
            raise TypeError("objects are mappings, as a YAML or JSON library loads them, or a list of such")
        try:
            stream_text = "---\n".join(dump_yaml(_plain(data)) for data in objects)
        except RecursionError:
            raise ValueError("an object is nested too deeply, or holds itself") from None
        return cls(Source(name or unnamed or OBJECTS, stream_text), True)

    def findings(self, diagnostics: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
        """The findings, without positions in the text of objects."""
        if not self.objects:
            return tuple(diagnostics)
        name = self.source.name
        return tuple(
            replace(finding, span=None) if finding.file == name else finding for finding in diagnostics
        )

    def items(self, items: Iterable[Item]) -> tuple[Item, ...]:
        if not self.objects:
            return tuple(items)
        return tuple(replace(item, diagnostics=self.findings(item.diagnostics)) for item in items)


_FORMS = "it is a text, objects, or a pathlib.Path"


def _not_a_path(text: str) -> None:
    """Raise ValueError for the name of a file, which would be a document of one word."""
    if "\n" in text or not text:
        return
    named = text.endswith((".yaml", ".yml", ".json")) and "{" not in text
    with suppress(OSError, ValueError):  # a name that no file has
        named = named or os.path.exists(text)
    if named:
        shown = cut(text, MAX_NAME)
        raise ValueError(f"{shown!r} names a file, and a str is a text: pass pathlib.Path({shown!r})")


def _texts(texts: Iterable[str], option: str) -> tuple[str, ...]:
    """The texts of an option. Raises ValueError for a single str, whose letters would be the texts."""
    if isinstance(texts, str):
        raise ValueError(f"{option} is {texts!r}: write [{texts!r}]")
    return tuple(texts)


@contextmanager
def _readable() -> Iterator[None]:
    """Raise OSError in place of InputError, for files that cannot be read."""
    try:
        yield
    except InputError as error:
        raise OSError(message_of(error)) from None


def _all_read(result: Result) -> None:
    """Raise UnreadableError where files of a path could not be read; it has the results of the others."""
    if result.unreadable:
        raise UnreadableError(result.unreadable, result.diagnostics, result.items)


def _plain(value: Any) -> Any:
    """A value as JSON data; dates, which YAML libraries make of timestamps, as ISO 8601."""
    match value:
        case Mapping():
            return {str(key): _plain(inner) for key, inner in value.items()}
        case str() | bool() | int() | float() | None:
            return value
        case list() | tuple():
            return [_plain(inner) for inner in value]
        case _ if hasattr(value, "isoformat"):
            return value.isoformat()
    raise TypeError(f"a manifest cannot contain a value of type {type(value).__name__}")


def _with_bom(source: Source, text: str) -> str:
    return source.encode(text).decode()


def _name(name: object, option: str) -> str:
    """The name of a target. Raises ValueError for anything else."""
    if not isinstance(name, str):
        raise ValueError(f"{option} is {name!r}: write the name of one target")
    return name


def _writable(to: str) -> Backend:
    return registry.writable_backend(_name(to, "to"))


def _manifests(name: str, option: str) -> Backend:
    """A target whose shares are in manifests."""
    backend = registry.get(_name(name, option))
    if not backend.writes_pods:
        raise ValueError(f"{backend.name} is not for manifests: parse reads its share, render writes it")
    return backend


def _decisions(decisions: DecisionsLike | None) -> Decisions | None:
    """The decisions of an argument. Raises ValueError for invalid entries, OSError for a file that cannot be
    read."""
    if decisions is None:
        return None
    from gpuxlate.translation.decisions import load_decisions, read_decisions

    if isinstance(decisions, str | os.PathLike):
        with _readable():
            return read_decisions([Input(os.fspath(decisions), decisions).source()], os.curdir)[0]
    return load_decisions(_plain(decisions), os.curdir)[0]


def _unmatched(settings: Settings, judged: Sequence[JudgedObject]) -> tuple[Diagnostic, ...]:
    """The findings about decisions that match nothing, and about those that accept a refusal."""
    return tuple(settings.decisions.remarks(judged)[0]) if settings.decisions else ()


def _profile(profile: ProfileLike | None) -> Profile | None:
    if profile is None or isinstance(profile, Profile):
        return profile
    from gpuxlate.config.configuration import load_profile, load_profile_file

    if isinstance(profile, Mapping):
        return load_profile(dict(profile))
    return load_profile_file(Path(profile), plain_text, named=True)
