"""The open texts of one editor, and what is known of each."""

from __future__ import annotations

import asyncio
import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from gpuxlate import __version__, locale
from gpuxlate.editor.checks import Check, with_hint
from gpuxlate.editor.settings import NAME, Options
from gpuxlate.editor.texts import Text, plain
from gpuxlate.inputs.bounded import forget

DELAY = 0.2
"""Seconds without a key stroke after which a text is checked."""

F = TypeVar("F", bound=Callable[..., Any])


class Server(LanguageServer):
    """The open texts, and what was found in each."""

    def __init__(self, options: Options) -> None:
        super().__init__(NAME, __version__, types.TextDocumentSyncKind.Full, max_workers=2)
        self.options = self._started = options
        self._open: set[str] = set()  # pygls makes one of two URIs that differ in escapes
        self._checks: dict[str, Check] = {}
        self._waiting: dict[str, asyncio.TimerHandle] = {}

    def configure(self, given: object, *, first: bool = False) -> None:
        """Take the settings of the editor; those that cannot be used are reported, and change nothing.

        ``first``: those that it started the server with, which later ones do not take back.
        """
        try:
            self.options = self._started.over(given)
        except (ValueError, LookupError) as error:
            self.say(with_hint(error))
            return
        self._started = self.options if first else self._started
        locale.use(self.options.lang)
        self.show_again()

    def check(self, uri: str) -> Check | None:
        """What is found in the text as it is now; None where it is not open."""
        if uri not in self._open:
            return None
        document = self.workspace.get_text_document(uri)
        known = self._checks.get(uri)
        if known is None or known.text.version != document.version or known.text.text != document.source:
            encoding = plain(self.workspace.position_encoding or "utf-16")
            text = Text(uri, document.version, document.source, encoding)
            known = self._checks[uri] = Check.of(text, self.options)
        return known

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
        """Send it when the user stops typing."""
        self._stop_waiting(uri)
        loop = asyncio.get_running_loop()
        self._waiting[uri] = loop.call_later(DELAY, functools.partial(guarded(Server.show), self, uri))

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
        self.window_show_message(types.ShowMessageParams(kind, locale.tell(message)))

    def report_server_error(self, error: Exception, source: Any) -> None:  # noqa: ARG002 - that of pygls
        """A message that is not one of the protocol, say: it is logged, and the next one is read."""
        self.window_log_message(types.LogMessageParams(types.MessageType.Error, f"{NAME}: {_brief(error)}"))


def guarded(function: F) -> F:
    """An internal error answers nothing, and is logged in the editor; the server goes on."""

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
