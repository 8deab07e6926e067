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
    digests: dict[str, str] = {}
    by_path = {file.path: file.digest for file in tree.files}
    every = bool(settings.to.device_classes)  # new templates of claims must not clash
    group = [(path, digest) for path, digest in by_path.items() if every or path in tree.together]
    of_group = sha256(json.dumps(group).encode())
    for file in tree.files:
        parts: list[object] = [file.digest]
        if file.is_translated:
            together = every or file.path in tree.together
            if together and not tree.complete:
                continue
            shares = tree.shares.get(file.path, ())
            parts += [of_group if together else "", under_chart_templates(file.place, os.getcwd())]
            parts += [sha256(document.source.text.encode()) for document, _ in shares]
        digests[file.path] = sha256(json.dumps(parts).encode())
    return digests


def _plugins() -> list[str]:
    if not plugins.has_plugins():
        return []
    from importlib.metadata import entry_points

    plug_ins = entry_points(group=plugins.ENTRY_POINT_GROUP)
    return sorted(
        f"{entry_point.name} {entry_point.value} {entry_point.dist.version if entry_point.dist else ''}"
        for entry_point in plug_ins
    )
