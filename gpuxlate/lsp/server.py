"""The server: what an editor asks, and who answers it."""

from __future__ import annotations

import io
import logging
import sys
from collections.abc import Callable
from typing import Any, BinaryIO, cast

from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams

from gpuxlate.lsp import actions, completion, hover, lens
from gpuxlate.lsp.actions import targets_of_text, translate_in_editor
from gpuxlate.lsp.session import SERVER_NAME, Server, ServerOptions, log_internal_errors

WATCHED = ("**/*.{yaml,yml}", "**/.gpuxlate.{yaml,yml}", "**/pyproject.toml")
"""Files that change what is found in others: configurations, profiles, and the bases of patches."""


def started(ls: Server, params: types.InitializeParams) -> None:
    """The editor has started: its options become those of the server."""
    ls.configure(params.initialization_options, first=True)


def configured(ls: Server, params: types.DidChangeConfigurationParams) -> None:
    """Settings of the editor have changed: open texts are checked anew."""
    ls.configure(params.settings)


def initialized(ls: Server, _params: types.InitializedParams) -> None:
    """Ask for news of files that matter, where the editor gives such."""
    workspace = ls.client_capabilities.workspace
    watched = workspace.did_change_watched_files if workspace else None
    if watched and watched.dynamic_registration:
        patterns = [types.FileSystemWatcher(pattern) for pattern in WATCHED]
        registration = types.DidChangeWatchedFilesRegistrationOptions(patterns)
        method = types.WORKSPACE_DID_CHANGE_WATCHED_FILES
        ls.client_register_capability(
            types.RegistrationParams([types.Registration(SERVER_NAME, method, registration)])
        )


def opened(ls: Server, params: types.DidOpenTextDocumentParams) -> None:
    """A text was opened: it is checked."""
    ls.open(params.text_document.uri)


def changed(ls: Server, params: types.DidChangeTextDocumentParams) -> None:
    """A text was changed: it is checked once the typing pauses."""
    ls.show_soon(params.text_document.uri)


def changed_on_disk(ls: Server, _params: Any) -> None:
    """Files have changed on the disk: open texts are checked anew."""
    ls.show_again()


def closed(ls: Server, params: types.DidCloseTextDocumentParams) -> None:
    """A text was closed: its findings go."""
    ls.close(params.text_document.uri)


def code_actions(ls: Server, params: types.CodeActionParams) -> list[types.CodeAction] | None:
    """The fixes, acceptances and translations that a place offers."""
    check = ls.check(params.text_document.uri)
    return actions.build_actions(check, params.range, params.context.only) if check else None


def hovered(ls: Server, params: types.HoverParams) -> types.Hover | None:
    """What is at the cursor, in words."""
    check = ls.check(params.text_document.uri)
    return hover.hover(check, params.position) if check and not check.text.too_large else None


def completed(ls: Server, params: types.CompletionParams) -> list[types.CompletionItem] | None:
    """The keys or values that may be typed at the cursor."""
    check = ls.check(params.text_document.uri)
    if check is None or check.editor is None:
        return None
    snippets = completion.takes_snippets(ls.client_capabilities)
    return completion.completions(check.text, check.editor, params.position, snippets=snippets)


def lenses(ls: Server, params: types.CodeLensParams) -> list[types.CodeLens] | None:
    """The shares of a text, and what becomes of them, above their containers."""
    check = ls.check(params.text_document.uri)
    return lens.share_lenses(check.text, check.editor) if check and check.editor and check.shares else None


HANDLERS: dict[str, tuple[Callable[..., Any], Any]] = {
    types.INITIALIZE: (started, None),
    types.INITIALIZED: (initialized, None),
    types.WORKSPACE_DID_CHANGE_CONFIGURATION: (configured, None),
    types.TEXT_DOCUMENT_DID_OPEN: (opened, None),
    types.TEXT_DOCUMENT_DID_CHANGE: (changed, None),
    types.TEXT_DOCUMENT_DID_SAVE: (changed_on_disk, None),
    types.TEXT_DOCUMENT_DID_CLOSE: (closed, None),
    types.WORKSPACE_DID_CHANGE_WATCHED_FILES: (changed_on_disk, None),
    types.TEXT_DOCUMENT_CODE_ACTION: (code_actions, types.CodeActionOptions(actions.ACTION_KINDS)),
    types.TEXT_DOCUMENT_HOVER: (hovered, None),
    types.TEXT_DOCUMENT_COMPLETION: (completed, types.CompletionOptions(trigger_characters=["/", ".", "-"])),
    types.TEXT_DOCUMENT_CODE_LENS: (lenses, None),
}
"""What is answered, by method: by whom, and what the editor gets."""


def build_server(options: ServerOptions) -> Server:
    """The server with everything that it answers."""
    server = Server(options)
    for method, (function, registration) in HANDLERS.items():
        server.feature(method, registration)(log_internal_errors(function))

    # in a function: pygls reads the types of the arguments of a command, and any may come
    @server.command(lens.TRANSLATE_COMMAND)
    async def command(ls: Server, *arguments: Any) -> Any:
        uri, target = _fitting(arguments, ("uri", str), ("target", str | None))
        return await log_internal_errors(translate_in_editor)(ls, uri, target)

    @server.command(actions.ACCEPT)
    async def acceptance(ls: Server, *arguments: Any) -> Any:
        uri, file, entry = _fitting(arguments, ("uri", str), ("file", str), ("entry", dict))
        return await log_internal_errors(actions.accept)(ls, uri, file, entry)

    # for an editor that asks for the target itself
    @server.command(lens.TARGETS_COMMAND)
    def names(_ls: Server, *_arguments: Any) -> list[str]:
        return targets_of_text()

    return server


def _fitting(arguments: tuple[Any, ...], *parameters: tuple[str, Any]) -> list[Any]:
    """The arguments of a command, null where one that may be is not there. Raises JsonRpcInvalidParams."""
    values = [*arguments, *[None] * (len(parameters) - len(arguments))]
    if len(values) == len(parameters) and all(
        isinstance(value, type_) for value, (_, type_) in zip(values, parameters, strict=True)
    ):
        return values
    names = ", ".join(name for name, _ in parameters)
    raise JsonRpcInvalidParams(f"Invalid Params: the arguments are {names}")


class _Output(io.BufferedIOBase):
    """What goes to an editor. Nothing is written after the first error, which is kept."""

    def __init__(self, raw: BinaryIO) -> None:
        self._raw = raw
        self.error: OSError | None = None

    def write(self, data: Any) -> int:
        try:
            if self.error is None:
                self._raw.write(data)
                self._raw.flush()
        except OSError as error:
            self.error = error
        return len(data)


def serve(options: ServerOptions) -> None:
    """Serve on stdin and stdout until the editor ends it. Raises OSError where writing fails."""
    logging.getLogger("pygls").addHandler(logging.NullHandler())
    logging.getLogger("pygls").propagate = False
    stdout, sys.stdout = sys.stdout, sys.stderr  # nothing but the protocol goes to stdout
    output = _Output(stdout.buffer)
    build_server(options).start_io(sys.stdin.buffer, cast("BinaryIO", output))
    if output.error and not isinstance(output.error, BrokenPipeError):
        raise output.error
