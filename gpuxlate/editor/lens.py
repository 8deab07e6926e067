"""The share of each container, and what becomes of it at other targets, above the container."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from lsprotocol import types

from gpuxlate.editor import words
from gpuxlate.editor.settings import Here
from gpuxlate.editor.texts import Text
from gpuxlate.inputs.files import reader
from gpuxlate.locale import tell
from gpuxlate.model.messages import say
from gpuxlate.translation.passes import Task, run_source
from gpuxlate.translation.pods.item import Item
from gpuxlate.translation.read import READ
from gpuxlate.translation.settings import Settings
from gpuxlate.translation.translate import ASSESS
from gpuxlate.yamltext.compose import NotYamlError, documents
from gpuxlate.yamltext.place import locate

TRANSLATE = "gpuxlate.translate"
"""The command: arguments are the URI of a text and, optionally, the target."""
TARGETS = "gpuxlate.targets"
"""The command that returns the names of all targets."""
MOST_TARGETS = 4
"""Targets that are tried for each share; a line has room for no more."""

Where = tuple[int, tuple[object, ...], str]
"""A container: document, path of the pod, name."""


def lenses(text: Text, here: Here) -> list[types.CodeLens]:
    """One lens for each share, and one for each target beside it."""
    shares = _items(text, here, here.reading(), READ)
    if not any(one.share for one in shares):
        return []
    verdicts = {
        name: {_where(one): one for one in _items(text, here, settings, ASSESS)}
        for name, settings in list(here.targets.items())[:MOST_TARGETS]
    }
    places = dict(_places(text, here))
    found: list[types.CodeLens] = []
    for one in shares:
        place = places.get(_where(one))
        if one.share is None or place is None:
            continue
        found.append(_lens(text, place, tell(words.of_share(one.share)), None))
        for name, items in verdicts.items():
            there = items.get(_where(one))
            if there and there.source != there.target:
                found.append(
                    _lens(
                        text,
                        place,
                        tell(say("on {target} {verdict}", target=name, verdict=say(there.verdict))),
                        name,
                    )
                )
    return found


def _items(text: Text, here: Here, settings: Settings, task: Task) -> Sequence[Item]:
    read = reader(text.input, text.source)
    settings = replace(settings, claims=text.claims)
    return run_source(text.source, settings, task, read, here.lint.layer).items if read is documents else ()


def _where(one: Item) -> Where:
    return one.document, one.pod, one.container


def _places(text: Text, here: Here) -> Iterator[tuple[Where, types.Range]]:
    """Where each container begins."""
    try:
        for document in documents(text.source):
            for laid in here.lint.layer.pods(document) if document.root else ():
                for one in laid.pod.keys.all_containers() if laid.pod else ():
                    assert laid.pod is not None
                    assert document.root is not None
                    start, end = locate(document.root, one.path)
                    yield (document.index, laid.pod.keys.path, one.name), text.range_between(start, end)
    except NotYamlError:
        return


def _lens(text: Text, place: types.Range, title: str, target: str | None) -> types.CodeLens:
    arguments = [text.uri, target] if target else [text.uri]
    return types.CodeLens(place, types.Command(title, TRANSLATE, arguments=arguments))
