"""The open texts of an editor: their settings, what was found in them, and the server that holds them."""

from __future__ import annotations

import asyncio
import functools
import inspect
import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, TypeVar, cast

from lsprotocol import types
from pygls.exceptions import JsonRpcException, JsonRpcParseError
from pygls.lsp.server import LanguageServer
from pygls.uris import from_fs_path, to_fs_path

from gpuxlate import __version__, locale
from gpuxlate.backends import registry
from gpuxlate.backends.base import Backend
from gpuxlate.config.configuration import Config, config_for, find_profile
from gpuxlate.files.find import SUFFIXES, Input, InputError, is_blank
from gpuxlate.lint.files import Mode, check, each_change
from gpuxlate.lint.settings import LintResult, LintSettings, RuleSelection
from gpuxlate.locale import LANGUAGES, localize
from gpuxlate.lsp.protocol import Protocol, converter
from gpuxlate.lsp.refusals import TargetRefusal, decided_targets, refusals
from gpuxlate.model import site
from gpuxlate.model.declarations import record, regex
from gpuxlate.model.diagnostics import Diagnostic, FindingSubject, Severity, Span
from gpuxlate.model.kept import forget
from gpuxlate.model.messages import message_of, msg, titled
from gpuxlate.model.profile import Profile
from gpuxlate.model.windows import matching_lines
from gpuxlate.overlays.run_claims import Claims
from gpuxlate.translation.options import Settings
from gpuxlate.yamltext.plain import plain_text
from gpuxlate.yamltext.source import Source
from gpuxlate.yamltext.splices import Splice, sort_splices

MAX_OPEN_TEXT = 2 * 2**20
"""Characters of a text that is checked while it is typed; ``gpuxlate lint`` checks larger files."""
MAX_TRANSLATED = 2**18
"""Characters of a text that is translated while it is typed; ``gpuxlate sync`` translates larger files."""
_LINES = regex(r"[^\r\n]*(?:\r\n|\r|\n|$)")


def _utf8(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))


def _utf16(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


_UNITS: dict[str, Callable[[str], int]] = {"utf-8": _utf8, "utf-16": _utf16, "utf-32": len}


def protocol_word(word: str) -> str:
    """A word as the protocol counts it: the value of a member of an enumeration, else the word itself."""
    return str(getattr(word, "value", word))


@record
class OpenText:
    """An open text. ``encoding``: in which units the editor counts columns."""

    uri: str
    version: int | None
    text: str
    encoding: str = "utf-16"

    @cached_property
    def path(self) -> str | None:
        """The file of the text; None where it is not one of this machine, or not saved yet."""
        path = to_fs_path(self.uri) if self.uri.startswith("file:") else None
        return path if path and "\0" not in path and os.path.isabs(path) else None

    @cached_property
    def input(self) -> Input:
        """The text as the input of a command."""
        return Input(self.path or self.uri, self.path)

    @cached_property
    def data(self) -> bytes:
        """The text in UTF-8."""
        return self.text.encode("utf-8", "surrogatepass")

    @cached_property
    def source(self) -> Source:
        """The text as the source that is parsed."""
        return Source(self.input.name, self.text)

    @cached_property
    def claims(self) -> Claims:
        """The claims of the files in its folder."""
        if self.path is None:
            return Claims()
        folder = os.path.dirname(self.path)
        try:
            names = sorted(name for name in os.listdir(folder) if name.endswith(SUFFIXES))
        except OSError:
            return Claims()
        paths = [os.path.join(folder, name) for name in names]
        return Claims([Input(path, path, named=False) for path in paths if path != self.path])

    @property
    def too_large(self) -> bool:
        """Whether the text is longer than texts that are checked while they are typed."""
        return len(self.text) > MAX_OPEN_TEXT

    @property
    def _count(self) -> Callable[[str], int]:
        return _UNITS.get(self.encoding, _utf16)

    def _units(self, line: int, column: int) -> int:
        """Units before a column of a line, both from 1; the first line has the byte order mark."""
        before = self.source.bom if line == 1 else ""
        return self._count(before + self.source.line_text(line)[: column - 1])

    def range_of(self, span: Span | None) -> types.Range:
        """A span as the editor counts it; the first character where there is none."""
        if span is None:
            return types.Range(types.Position(0, 0), types.Position(0, 0))
        ends = ((span.line, span.column), (span.end_line, span.end_column))
        start, end = (types.Position(line - 1, self._units(line, column)) for line, column in ends)
        return types.Range(start, end)

    def range_between(self, start: int, end: int) -> types.Range:
        """The range of characters of the source."""
        return self.range_of(self.source.span(start, end))

    def offset(self, position: types.Position) -> int:
        """The character of the source at a position; the nearest one where there is none."""
        line = min(max(position.line, 0) + 1, self.source.lines)
        text = self.source.line_text(line)
        units = position.character - (self._count(self.source.bom) if line == 1 else 0)
        low, high = 0, len(text)
        while low < high:
            middle = (low + high + 1) // 2
            low, high = (middle, high) if self._count(text[:middle]) <= units else (low, middle - 1)
        return self.source.line_start(line) + low

    def edits(self, splices: list[Splice]) -> list[types.TextEdit]:
        """Splices of the source as edits."""
        return [
            types.TextEdit(self.range_between(splice.start, splice.end), splice.text)
            for splice in sort_splices(splices)
        ]

    def edits_to(self, new: str) -> list[types.TextEdit]:
        """Edits, by whole lines, that make another text of the source."""
        old_lines, new_lines = (_LINES.findall(text)[:-1] or [""] for text in (self.source.text, new))
        starts = [0]
        for line in old_lines:
            starts.append(starts[-1] + len(line))
        splices: list[Splice] = []
        old_at = new_at = 0
        for at, new_line, size in (
            *matching_lines(old_lines, new_lines),
            (len(old_lines), len(new_lines), 0),
        ):
            if old_at < at or new_at < new_line:
                splices.append(Splice(starts[old_at], starts[at], "".join(new_lines[new_at:new_line])))
            old_at, new_at = at + size, new_line + size
        return self.edits(splices)


# What applies to a file: the configuration above it, the profile, and the targets of interest.
@record
class ServerOptions:
    """The options of the command. ``targets``: in place of those of the configuration's profiles.

    ``config``: a configuration for all files; ``isolated``: none for any. ``lang``: of messages.
    """

    profile: str | None = None
    targets: tuple[str, ...] = ()
    config: str | None = None
    isolated: bool = False
    lang: str = "en"

    def over(self, settings: object) -> ServerOptions:
        """With those of an editor in place of these (EDITOR_SETTINGS), on their own or below ``gpuxlate``.

        Raises ValueError for a setting that cannot be used, UnknownTargetError, ReadOnlyTargetError.
        """
        settings = settings.get(SERVER_NAME, settings) if isinstance(settings, dict) else settings
        if settings is None:
            return self
        if not isinstance(settings, dict):
            raise ValueError(msg("settings are a mapping of {names}", names=", ".join(EDITOR_SETTINGS)))
        options = self
        for name, value in settings.items():
            if name not in OF_CLIENTS and value not in (None, "", []):
                options = replace(options, **_setting(name, value))
        return options


SERVER_NAME = "gpuxlate"
"""The section of an editor's settings."""
EDITOR_SETTINGS = ("lang", "profile", "to", "config")
"""What an editor may set, named as the options of the command."""
OF_CLIENTS = ("command", "trace")
"""Settings of the extension that starts the server."""


def _setting(name: str, value: object) -> dict[str, Any]:
    """A setting of an editor as fields of ServerOptions. Raises ValueError where it is not valid."""
    if name == "to":
        names = [value] if isinstance(value, str) else value
        if isinstance(names, list) and all(isinstance(name, str) for name in names):
            if all(writes_pods(registry.writable_backend(name)) for name in names):
                return {"targets": tuple(names)}
            raise ValueError(msg("invalid target {name!r} for --to: it is not for manifests", name=value))
    elif name not in EDITOR_SETTINGS:
        raise ValueError(
            msg("no setting {name!r}; settings: {names}", name=name, names=", ".join(EDITOR_SETTINGS))
        )
    elif isinstance(value, str) and (name != "lang" or value in LANGUAGES):
        return {name: value}
    allowed = ", ".join(LANGUAGES) if name == "lang" else msg("a text")
    raise ValueError(
        msg("invalid value {value!r} for {name}; write {allowed}", value=value, name=name, allowed=allowed)
    )


@record
class EditorSettings:
    """What applies to one file. ``targets``: each by the name that the user gave it, with its profile.

    ``excluded``: the configuration leaves the file out. ``config``: that of the file.
    """

    lint: LintSettings
    targets: dict[str, Settings]
    excluded: bool = False
    config: Config | None = None

    @property
    def profile(self) -> Profile | None:
        """The profile of the file, if the configuration has one."""
        return self.lint.profile

    def reading(self) -> Settings:
        """To read the shares alone."""
        return Settings.reading(profile=self.profile)

    def to(self, target: str) -> Settings:
        """To translate. Raises UnknownTargetError, ReadOnlyTargetError."""
        return self.targets.get(target) or Settings(registry.writable_backend(target), profile=self.profile)


def settings_for(path: str | None, options: ServerOptions) -> EditorSettings:
    """Read what applies to a file now.

    Raises ConfigError, TwoFilesError, UnknownRuleError, UnknownTargetError, ReadOnlyTargetError.
    """
    config = None if options.isolated else config_for(path or os.getcwd(), options.config, plain_text)
    site.use_site(config.docs_url if config else None)
    profile = find_profile(options.profile, config, plain_text) if options.profile else None
    profiles = _profiles(config, profile)
    names = options.targets or tuple(
        dict.fromkeys(profile.target for profile in profiles if _writes_pods(profile))
    )
    targets = {}
    for name in names:
        backend = registry.writable_backend(name)
        profile_of_target = next(
            (candidate for candidate in profiles if registry.get(candidate.target) is backend), profile
        )
        targets[name] = Settings(backend, profile=profile_of_target)
    excludes = config.excludes() if config and path else None
    excluded = bool(excludes and path and excludes.covers(path))
    return EditorSettings(RuleSelection.of((), (), config, profile).for_file(path), targets, excluded, config)


def _profiles(config: Config | None, chosen: Profile | None) -> list[Profile]:
    """The chosen profile, and all of the configuration."""
    names = config.profiles if config else ()
    return [*([chosen] if chosen else ()), *(find_profile(name, config, plain_text) for name in names)]


def _writes_pods(profile: Profile) -> bool:
    return writes_pods(registry.get(profile.target))


def writes_pods(backend: Backend) -> bool:
    """Whether manifests can be translated to the target."""
    return not backend.read_only and backend.writes_pods


# What is known of an open text: its findings, and the changes that fix them.
MAX_SHOWN_FINDINGS = 1000
"""Findings of one text that are sent; the rest appears when these are fixed."""
SEVERITIES = {
    Severity.ERROR: types.DiagnosticSeverity.Error,
    Severity.WARNING: types.DiagnosticSeverity.Warning,
    Severity.INFO: types.DiagnosticSeverity.Information,
}


def with_hint(error: Exception) -> str:
    """The message of an error, with what to do."""
    hint, message = getattr(error, "hint", None), message_of(error)
    return msg("{message}; {hint}", message=message, hint=hint) if hint else message


@record
class CheckedText:
    """A text and what was found in it. ``problem``: why it was not checked; then ``editor`` may be None."""

    text: OpenText
    editor: EditorSettings | None = None
    linted: LintResult | None = None
    problem: str | None = None

    @classmethod
    def of(cls, text: OpenText, options: ServerOptions) -> CheckedText:
        """Check a text, whatever it is."""
        if text.too_large:
            size = MAX_OPEN_TEXT // 2**20
            return cls(
                text,
                problem=msg("larger than {size} MiB: gpuxlate lint checks it, not the editor", size=size),
            )
        try:
            editor = settings_for(text.path, options)
        except (ValueError, LookupError) as error:  # of the configuration, a profile or a name in them
            return cls(text, problem=with_hint(error))
        if editor.excluded:
            return cls(text, editor)
        try:
            checked = check(text.input, text.data, editor.lint, Mode())
        except InputError as error:  # a new file is empty for a while
            return cls(text, editor, problem=None if is_blank(text.data) else message_of(error))
        return cls(text, editor, checked.linted)

    @property
    def findings(self) -> list[Diagnostic]:
        """The findings of lint; none where the text was not checked."""
        return self.linted.diagnostics if self.linted else []

    @property
    def shares(self) -> int:
        """The number of shares that lint read; 0 where the text was not checked."""
        return self.linted.shares if self.linted else 0

    @cached_property
    def pairs(self) -> list[tuple[Diagnostic, types.Diagnostic]]:
        """The findings, and each as the editor shows it."""
        return [(finding, self._shown(finding)) for finding in self.findings[:MAX_SHOWN_FINDINGS]]

    @cached_property
    def _refused(self) -> tuple[list[TargetRefusal], str | None]:
        """What the targets of the configuration refuse; and why that is not known."""
        refused: list[TargetRefusal] = []
        if self.editor is None or self.linted is None or len(self.text.text) > MAX_TRANSLATED:
            return refused, None
        text, editor = self.text, self.editor
        try:
            targets = list(decided_targets(editor.config, text.path, editor.targets))
        except (ValueError, LookupError, InputError) as error:
            return refused, with_hint(error)
        for target in targets:
            refused += refusals(text.source, target, text.claims, editor.lint.role, self.findings)
        return refused[:MAX_SHOWN_FINDINGS], None

    @cached_property
    def refused(self) -> list[tuple[TargetRefusal, types.Diagnostic]]:
        """What the targets of the configuration refuse, and each as the editor shows it."""
        return [(refusal, self._shown(refusal.shown)) for refusal in self._refused[0]]

    @cached_property
    def shown(self) -> list[types.Diagnostic]:
        """What the editor shows."""
        shown_diagnostics = [shown for _, shown in (*self.pairs, *self.refused)]
        problem = self.problem or self._refused[1]
        if len(self.findings) > MAX_SHOWN_FINDINGS:
            more = len(self.findings) - MAX_SHOWN_FINDINGS
            problem = msg("{count} more findings: gpuxlate lint shows them all", count=more)
        if problem:
            place = self.text.range_of(None)
            shown_diagnostics.insert(
                0,
                types.Diagnostic(
                    place, localize(problem), types.DiagnosticSeverity.Warning, source=SERVER_NAME
                ),
            )
        return shown_diagnostics

    def _shown(self, diagnostic: Diagnostic) -> types.Diagnostic:
        return types.Diagnostic(
            self.text.range_of(diagnostic.span),
            localize(
                msg("{message}\n{help}", message=diagnostic.message, help=titled("help", diagnostic.hint))
            )
            if diagnostic.hint
            else localize(diagnostic.message),
            SEVERITIES[diagnostic.severity],
            diagnostic.code,
            types.CodeDescription(address) if (address := site.rule_page(diagnostic.code)) else None,
            SERVER_NAME,
        )

    @cached_property
    def changes(self) -> dict[FindingSubject, list[Splice]]:
        """The changes of each fix on its own, by its finding."""
        return each_change(self.text.source, self.findings)

    def fixed(self) -> str:
        """The text after all safe fixes."""
        assert self.editor is not None
        checked = check(self.text.input, self.text.data, self.editor.lint, Mode(fix=True))
        return checked.new.decode("utf-8", "surrogatepass").removeprefix(self.text.source.bom)

    @cached_property
    def safe_edits(self) -> list[types.TextEdit]:
        """The edits of all safe fixes together; none where there is nothing to fix."""
        if not any(finding.fix and finding.fix.safe for finding in self.findings):
            return []
        return self.text.edits_to(self.fixed())


# The open texts of one editor, and what is known of each.
DELAY = 0.2
"""Seconds without a key stroke after which a text is checked."""
HandlerT = TypeVar("HandlerT", bound=Callable[..., Any])


class Server(LanguageServer):
    """The open texts, and what was found in each."""

    def __init__(self, options: ServerOptions) -> None:
        super().__init__(
            SERVER_NAME,
            __version__,
            types.TextDocumentSyncKind.Full,
            protocol_cls=Protocol,
            converter_factory=converter,
            max_workers=2,
        )
        self.options = self._started = options
        self._open: set[str] = set()  # pygls makes one of two URIs that differ in escapes
        self._checks: dict[str, CheckedText] = {}
        self._waiting: dict[str, asyncio.TimerHandle] = {}

    def configure(self, settings: object, *, first: bool = False) -> None:
        """Take the settings of the editor; those that cannot be used are reported, and change nothing.

        ``first``: those that it started the server with, which later ones do not take back.
        """
        try:
            self.options = self._started.over(settings)
        except (ValueError, LookupError) as error:
            self.say(with_hint(error))
            return
        self._started = self.options if first else self._started
        locale.use(self.options.lang)
        self.show_again()

    def check(self, uri: str) -> CheckedText | None:
        """What is found in the text as it is now; None where it is not open."""
        if uri not in self._open:
            return None
        document = self.workspace.get_text_document(uri)
        check = self._checks.get(uri)
        if check is None or check.text.version != document.version or check.text.text != document.source:
            encoding = protocol_word(self.workspace.position_encoding or "utf-16")
            text = OpenText(uri, document.version, document.source, encoding)
            check = self._checks[uri] = CheckedText.of(text, self.options)
        return check

    def text_of(self, path: str) -> OpenText:
        """The text of a file, as it is in the editor where it is open there; empty without a file.

        Raises InputError, and UnicodeDecodeError.
        """
        encoding = protocol_word(self.workspace.position_encoding or "utf-16")
        for uri in self._open:
            document = self.workspace.get_text_document(uri)
            open_text = OpenText(uri, document.version, document.source, encoding)
            if open_text.path and os.path.realpath(open_text.path) == os.path.realpath(path):
                return open_text
        text = Input(path, path).read_bytes().decode() if os.path.exists(path) else ""
        return OpenText(from_fs_path(path) or path, None, text, encoding)

    def open(self, uri: str) -> None:
        """A text is open: what is beside it is read anew."""
        forget()
        self._open.add(uri)
        self.show(uri)

    def show(self, uri: str) -> None:
        """Send what is found in a text."""
        self._stop_waiting(uri)
        check = self.check(uri)
        if check is not None:
            self._publish(uri, check.shown, check.text.version)

    def show_soon(self, uri: str) -> None:
        """Send what is found in a text when the user stops typing."""
        self._stop_waiting(uri)
        loop = asyncio.get_running_loop()
        self._waiting[uri] = loop.call_later(
            DELAY, functools.partial(log_internal_errors(Server.show), self, uri)
        )

    def show_again(self) -> None:
        """Check every open text again: a file beside it may have changed."""
        forget()
        self._checks.clear()
        for uri in self._open:
            self.show_soon(uri)
        workspace = self.client_capabilities.workspace
        if self._open and workspace and workspace.code_lens and workspace.code_lens.refresh_support:
            self.workspace_code_lens_refresh(None)

    def close(self, uri: str) -> None:
        """A text is closed: nothing is known of it, and nothing shown."""
        self._stop_waiting(uri)
        self._open.discard(uri)
        self._checks.pop(uri, None)
        self._publish(uri, [], None)

    def _stop_waiting(self, uri: str) -> None:
        waiting = self._waiting.pop(uri, None)
        if waiting:
            waiting.cancel()

    def _publish(self, uri: str, shown: Sequence[types.Diagnostic], version: int | None) -> None:
        self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, shown, version))

    def say(self, message: str, kind: types.MessageType = types.MessageType.Error) -> None:
        """A message for the user."""
        self.window_show_message(types.ShowMessageParams(kind, locale.localize(message)))

    def report_server_error(self, error: Exception, source: Any) -> None:
        """Log an error in the editor, such as a message that is not of the protocol; the server goes on."""
        if source is JsonRpcException and not isinstance(error, JsonRpcException):  # it is no JSON
            cast("Protocol", self.protocol).refuse(None, JsonRpcParseError.of(error))
        self.window_log_message(
            types.LogMessageParams(types.MessageType.Error, f"{SERVER_NAME}: {_brief(error)}")
        )


def log_internal_errors(function: HandlerT) -> HandlerT:
    """A handler whose internal errors are logged in the editor, without an answer; the server goes on."""

    def failed(ls: Server, error: Exception) -> None:
        ls.report_server_error(RuntimeError(f"internal error ({_brief(error)}); please report it"), None)

    @functools.wraps(function)
    def called(ls: Server, *arguments: Any) -> Any:
        try:
            return function(ls, *arguments)
        except Exception as error:
            return failed(ls, error)

    @functools.wraps(function)
    async def awaited(ls: Server, *arguments: Any) -> Any:
        try:
            return await function(ls, *arguments)
        except Exception as error:
            return failed(ls, error)

    return awaited if inspect.iscoroutinefunction(function) else called  # type: ignore[return-value]


def _brief(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"[:500]
