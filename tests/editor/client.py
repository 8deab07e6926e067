"""An editor for tests: pygls' client over stdio, with what the server asks of it answered."""

import asyncio
import sys
from ast import literal_eval
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any

from lsprotocol import types
from pygls.lsp.client import LanguageClient

QUIET = 10.0
"""Seconds to wait for what the server sends by itself."""

_ANNOTATIONS = types.ChangeAnnotationsSupportOptions(groups_on_label=True)
_EDITS = types.WorkspaceEditClientCapabilities(True, change_annotation_support=_ANNOTATIONS)
_SNIPPETS = types.CompletionClientCapabilities(
    completion_item=types.ClientCompletionItemOptions(snippet_support=True)
)
EVERYTHING = types.ClientCapabilities(
    workspace=types.WorkspaceClientCapabilities(apply_edit=True, workspace_edit=_EDITS),
    text_document=types.TextDocumentClientCapabilities(completion=_SNIPPETS),
    window=types.WindowClientCapabilities(show_document=types.ShowDocumentClientCapabilities(support=True)),
)
"""An editor that shows changes before they are made, and expands snippets."""
PLAIN = types.ClientCapabilities()
"""One that does not."""


class Editor:
    """A client with open texts. ``answers``: what the user chooses in the server's questions, in order."""

    def __init__(self, client: LanguageClient, folder: Path = Path("/")) -> None:
        self.client = client
        self.folder = folder
        self.texts: dict[str, str] = {}
        self.versions: dict[str, int] = {}
        self.messages: list[str] = []
        self.questions: list[types.ShowMessageRequestParams] = []
        self.answers: list[str] = []
        self.applied: list[types.WorkspaceEdit] = []
        self.pointed: list[types.ShowDocumentParams] = []
        self.shown: dict[str, types.PublishDiagnosticsParams] = {}
        self._news = asyncio.Event()
        client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)(lambda params: self._published(params))
        for message in (types.WINDOW_SHOW_MESSAGE, types.WINDOW_LOG_MESSAGE):
            client.feature(message)(lambda params: self.messages.append(params.message))
        client.feature(types.WINDOW_SHOW_MESSAGE_REQUEST)(lambda params: self._asked(params))
        client.feature(types.WINDOW_SHOW_DOCUMENT)(lambda params: self._point(params))
        client.feature(types.WORKSPACE_APPLY_EDIT)(lambda params: self._apply(params))

    def uri(self, name: str) -> str:
        """Of a file in the folder of the server."""
        return (self.folder / name).as_uri()

    def _published(self, params: types.PublishDiagnosticsParams) -> None:
        self.shown[params.uri] = params
        self._news.set()

    def _asked(self, params: types.ShowMessageRequestParams) -> types.MessageActionItem | None:
        self.questions.append(params)
        return types.MessageActionItem(self.answers.pop(0)) if self.answers else None

    def _point(self, params: types.ShowDocumentParams) -> types.ShowDocumentResult:
        self.pointed.append(params)
        return types.ShowDocumentResult(success=True)

    def _apply(self, params: types.ApplyWorkspaceEditParams) -> types.ApplyWorkspaceEditResult:
        self.applied.append(params.edit)
        self.make(params.edit)
        return types.ApplyWorkspaceEditResult(applied=True)

    async def open(self, uri: str, text: str) -> list[types.Diagnostic]:
        """Open a text; what is found in it."""
        self.texts[uri], self.versions[uri] = text, 1
        self.shown.pop(uri, None)
        item = types.TextDocumentItem(uri, "yaml", 1, text)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(item))
        return await self.found(uri)

    async def type(self, uri: str, text: str) -> list[types.Diagnostic]:
        """Replace a text; what is found in it then."""
        self.send(uri, text)
        return await self.found(uri)

    def send(self, uri: str, text: str) -> None:
        """Replace a text."""
        self.texts[uri] = text
        self.versions[uri] += 1
        which = types.VersionedTextDocumentIdentifier(self.versions[uri], uri)
        change = types.TextDocumentContentChangeWholeDocument(text)
        self.client.text_document_did_change(types.DidChangeTextDocumentParams(which, [change]))

    def close(self, uri: str) -> None:
        which = types.TextDocumentIdentifier(uri)
        self.client.text_document_did_close(types.DidCloseTextDocumentParams(which))

    async def found(self, uri: str) -> list[types.Diagnostic]:
        """What the server says of the version of a text that is open."""
        async with asyncio.timeout(QUIET):
            while uri not in self.shown or self.shown[uri].version not in (None, self.versions[uri]):
                self._news.clear()
                await self._news.wait()
        return list(self.shown[uri].diagnostics)

    async def actions(self, uri: str, place: types.Range, *only: str) -> list[types.CodeAction]:
        context = types.CodeActionContext([], list(only) or None)
        asked = types.CodeActionParams(types.TextDocumentIdentifier(uri), place, context)
        found = await self.client.text_document_code_action_async(asked)
        return [_action(one) for one in found or []]

    async def hover(self, uri: str, word: str) -> str | None:
        """What is shown over a word of a text; None for nothing."""
        params = types.HoverParams(types.TextDocumentIdentifier(uri), self.position(uri, word))
        found = await self.client.text_document_hover_async(params)
        assert found is None or isinstance(found.contents, types.MarkupContent)
        return found.contents.value if found else None

    async def completions(self, uri: str, position: types.Position) -> list[types.CompletionItem]:
        params = types.CompletionParams(types.TextDocumentIdentifier(uri), position)
        found = await self.client.text_document_completion_async(params)
        return list(found.items if isinstance(found, types.CompletionList) else found or [])

    async def lenses(self, uri: str) -> list[str]:
        params = types.CodeLensParams(types.TextDocumentIdentifier(uri))
        found = await self.client.text_document_code_lens_async(params)
        return [f"{one.range.start.line + 1}: {one.command.title}" for one in found or [] if one.command]

    async def configure(self, settings: object) -> None:
        """Send settings, as an editor does when the user changes them."""
        self.shown.clear()
        self.client.workspace_did_change_configuration(types.DidChangeConfigurationParams(settings))

    async def command(self, name: str, *arguments: Any) -> Any:
        params = types.ExecuteCommandParams(name, list(arguments))
        return await self.client.workspace_execute_command_async(params)

    def position(self, uri: str, word: str) -> types.Position:
        """Behind the first character of a word, in UTF-16 units."""
        return utf16(self.texts[uri], self.texts[uri].index(word) + 1)

    def make(self, edit: types.WorkspaceEdit) -> None:
        """Make a change of open texts and of new files, as an editor does."""
        for one in edit.document_changes or ():
            if isinstance(one, types.CreateFile):
                self.texts[one.uri] = ""
                continue
            assert isinstance(one, types.TextDocumentEdit)
            uri = one.text_document.uri
            assert one.text_document.version == self.versions.get(uri)
            self._make(uri, one.edits)
        for uri, edits in (edit.changes or {}).items():
            self._make(uri, edits)

    def _make(self, uri: str, edits: Any) -> None:
        text = edited(self.texts[uri], edits)
        if uri in self.versions:
            self.send(uri, text)
        self.texts[uri] = text


def _action(one: types.Command | types.CodeAction) -> types.CodeAction:
    """lsprotocol takes an action that has a command for that command, with the rest as its name."""
    if isinstance(one, types.CodeAction):
        return one
    given = literal_eval(one.command)
    command = types.Command(given["title"], given["command"], None, given["arguments"])
    return types.CodeAction(one.title, command=command)


def utf16(text: str, index: int) -> types.Position:
    """The position of a character."""
    line = text.count("\n", 0, index)
    before = text[text.rfind("\n", 0, index) + 1 : index]
    return types.Position(line, len(before.encode("utf-16-le")) // 2)


def at(text: str, position: types.Position) -> int:
    """The character at a position."""
    lines = text.split("\n")
    before = lines[position.line].encode("utf-16-le")[: 2 * position.character].decode("utf-16-le")
    return sum(len(line) + 1 for line in lines[: position.line]) + len(before)


def edited(text: str, edits: Any) -> str:
    """A text after edits, which do not overlap."""
    spans = sorted(
        (at(text, one.range.start), at(text, one.range.end), n, one.new_text) for n, one in enumerate(edits)
    )
    assert all(one[1] <= other[0] for one, other in pairwise(spans)), "edits overlap"
    for start, end, _, new in reversed(spans):
        text = text[:start] + new + text[end:]
    return text


@asynccontextmanager
async def editor(
    folder: Path, *options: str, capabilities: types.ClientCapabilities = EVERYTHING, settings: object = None
) -> AsyncIterator[Editor]:
    """A server in a folder, and an editor that speaks to it. The server must end well, without a word.

    ``settings``: with which the editor starts it.
    """
    client = LanguageClient("tests", "0")
    found = Editor(client, folder)
    await client.start_io(sys.executable, "-m", "gpuxlate", "server", *options, cwd=folder)
    asked = types.InitializeParams(capabilities, root_uri=folder.as_uri(), initialization_options=settings)
    await client.initialize_async(asked)
    client.initialized(types.InitializedParams())
    yield found
    await client.shutdown_async(None)
    client.exit(None)
    process = client._server
    assert process is not None
    assert process.stderr is not None
    assert await asyncio.wait_for(process.wait(), QUIET) == 0
    assert await process.stderr.read() == b""
    await client.stop()
