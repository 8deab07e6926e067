"""The share of each container, and what becomes of it at other targets, above the container."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from lsprotocol import types

from gpuxlate.files.find import document_reader
from gpuxlate.locale import localize
from gpuxlate.lsp import hover
from gpuxlate.lsp.session import EditorSettings, OpenText
from gpuxlate.model.messages import msg
from gpuxlate.translation.items import Item
from gpuxlate.translation.options import Settings
from gpuxlate.translation.passes import Task, run_source
from gpuxlate.translation.read import READ
from gpuxlate.translation.translate import PLAN
from gpuxlate.yamltext.parse import NotYamlError, documents, locate

TRANSLATE_COMMAND = "gpuxlate.translate"
"""The command: arguments are the URI of a text and, optionally, the target."""
TARGETS_COMMAND = "gpuxlate.targets"
"""The command that returns the names of all targets."""
MOST_TARGETS = 4
"""Targets that are tried for each share; a line has room for no more."""

Where = tuple[int, tuple[object, ...], str]
"""A container: document, path of the pod, name."""


def share_lenses(text: OpenText, editor: EditorSettings) -> list[types.CodeLens]:
    """One lens for each share, and one for each target beside it."""
    shares = _items(text, editor, editor.reading(), READ)
    if not any(item.share for item in shares):
        return []
    verdicts = {
        name: {_where(item): item for item in _items(text, editor, settings, PLAN)}
        for name, settings in list(editor.targets.items())[:MOST_TARGETS]
    }
    places = dict(_places(text, editor))
    lenses: list[types.CodeLens] = []
    for item in shares:
        place = places.get(_where(item))
        if item.share is None or place is None:
            continue
        lenses.append(_lens(text, place, localize(hover.describe_share(item.share)), None))
        for name, items in verdicts.items():
            planned = items.get(_where(item))
            if planned and planned.source != planned.target:
                lenses.append(
                    _lens(
                        text,
                        place,
                        localize(msg("on {target} {verdict}", target=name, verdict=msg(planned.verdict))),
                        name,
                    )
                )
    return lenses


def _items(text: OpenText, editor: EditorSettings, settings: Settings, task: Task) -> Sequence[Item]:
    read = document_reader(text.input, text.source)
    settings = replace(settings, claims=text.claims)
    return run_source(text.source, settings, task, read, editor.lint.role).items if read is documents else ()


def _where(item: Item) -> Where:
    return item.document, item.pod, item.container


def _places(text: OpenText, editor: EditorSettings) -> Iterator[tuple[Where, types.Range]]:
    """Where each container begins."""
    try:
        for document in documents(text.source):
            for laid in editor.lint.role.pods(document) if document.root else ():
                for container in laid.pod.keys.all_containers() if laid.pod else ():
                    assert laid.pod is not None
                    assert document.root is not None
                    start, end = locate(document.root, container.path)
                    yield (document.index, laid.pod.keys.path, container.name), text.range_between(start, end)
    except NotYamlError:
        return


def _lens(text: OpenText, place: types.Range, title: str, target: str | None) -> types.CodeLens:
    arguments = [text.uri, target] if target else [text.uri]
    return types.CodeLens(place, types.Command(title, TRANSLATE_COMMAND, arguments=arguments))
