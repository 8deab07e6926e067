"""The share of each container, and what becomes of it at other targets, above the container."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from lsprotocol import types

from gpuxlate.files.find import reader
from gpuxlate.locale import localize
from gpuxlate.lsp import hover
from gpuxlate.lsp.session import Here, OpenText
from gpuxlate.model.messages import msg
from gpuxlate.translation.items import Item
from gpuxlate.translation.options import Settings
from gpuxlate.translation.passes import Task, run_source
from gpuxlate.translation.read import READ
from gpuxlate.translation.translate import PLAN
from gpuxlate.yamltext.parse import NotYamlError, documents, locate

TRANSLATE = "gpuxlate.translate"
"""The command: arguments are the URI of a text and, optionally, the target."""
TARGETS = "gpuxlate.targets"
"""The command that returns the names of all targets."""
MOST_TARGETS = 4
"""Targets that are tried for each share; a line has room for no more."""

Where = tuple[int, tuple[object, ...], str]
"""A container: document, path of the pod, name."""


def lenses(text: OpenText, here: Here) -> list[types.CodeLens]:
    """One lens for each share, and one for each target beside it."""
    shares = _items(text, here, here.reading(), READ)
    if not any(one.share for one in shares):
        return []
    verdicts = {
        name: {_where(one): one for one in _items(text, here, settings, PLAN)}
        for name, settings in list(here.targets.items())[:MOST_TARGETS]
    }
    places = dict(_places(text, here))
    found: list[types.CodeLens] = []
    for one in shares:
        place = places.get(_where(one))
        if one.share is None or place is None:
            continue
        found.append(_lens(text, place, localize(hover.of_share(one.share)), None))
        for name, items in verdicts.items():
            there = items.get(_where(one))
            if there and there.source != there.target:
                found.append(
                    _lens(
                        text,
                        place,
                        localize(msg("on {target} {verdict}", target=name, verdict=msg(there.verdict))),
                        name,
                    )
                )
    return found


def _items(text: OpenText, here: Here, settings: Settings, task: Task) -> Sequence[Item]:
    read = reader(text.input, text.source)
    settings = replace(settings, claims=text.claims)
    return run_source(text.source, settings, task, read, here.lint.role).items if read is documents else ()


def _where(one: Item) -> Where:
    return one.document, one.pod, one.container


def _places(text: OpenText, here: Here) -> Iterator[tuple[Where, types.Range]]:
    """Where each container begins."""
    try:
        for document in documents(text.source):
            for laid in here.lint.role.pods(document) if document.root else ():
                for one in laid.pod.keys.all_containers() if laid.pod else ():
                    assert laid.pod is not None
                    assert document.root is not None
                    start, end = locate(document.root, one.path)
                    yield (document.index, laid.pod.keys.path, one.name), text.range_between(start, end)
    except NotYamlError:
        return


def _lens(text: OpenText, place: types.Range, title: str, target: str | None) -> types.CodeLens:
    arguments = [text.uri, target] if target else [text.uri]
    return types.CodeLens(place, types.Command(title, TRANSLATE, arguments=arguments))
