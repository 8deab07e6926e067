"""What a translated file depends on, as a digest: with the same one, it is not translated again."""

from __future__ import annotations

import json
import os

from gpuxlate import __version__
from gpuxlate.backends import plugins
from gpuxlate.files.find import under_chart_templates
from gpuxlate.sync.lock import sha256
from gpuxlate.sync.source import SourceTree
from gpuxlate.translation.options import Settings


def options_fingerprint(settings: Settings, common: str) -> str:
    """What the results of all files of a target depend on: ``common`` is the text of its options, profile,
    decisions and configuration."""
    return sha256(json.dumps([__version__, _plugins(), settings.to.name, common]).encode())


def file_fingerprints(tree: SourceTree, settings: Settings) -> dict[str, str]:
    """What the result of each file depends on beside that; no key where it is not known."""
    made: dict[str, str] = {}
    by_path = {one.path: one.digest for one in tree.files}
    every = bool(settings.to.device_classes)  # new templates of claims must not clash
    group = [(path, digest) for path, digest in by_path.items() if every or path in tree.together]
    of_group = sha256(json.dumps(group).encode())
    for one in tree.files:
        parts: list[object] = [one.digest]
        if one.is_translated:
            together = every or one.path in tree.together
            if together and not tree.known:
                continue
            shares = tree.shares.get(one.path, ())
            parts += [of_group if together else "", under_chart_templates(one.place, os.getcwd())]
            parts += [sha256(document.source.text.encode()) for document, _ in shares]
        made[one.path] = sha256(json.dumps(parts).encode())
    return made


def _plugins() -> list[str]:
    if not plugins.installed():
        return []
    from importlib.metadata import entry_points

    found = entry_points(group=plugins.GROUP)
    return sorted(f"{one.name} {one.value} {one.dist.version if one.dist else ''}" for one in found)
