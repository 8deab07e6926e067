"""How an extra of this package is installed: from where the package came, as pip notes it (PEP 610).

A bare name would be looked for on an index, where it may be somebody else's.
"""

from __future__ import annotations

import json
import os
import shlex
from importlib.metadata import Distribution, PackageNotFoundError
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from urllib.request import url2pathname

from gpuxlate.model.messages import Message, msg

NAME = "gpuxlate"


def install_hint(extra: str) -> Message:
    """How to get what an extra of the package brings."""
    return msg("install gpuxlate with the extra {extra}: {command}", extra=extra, command=pip_install(extra))


def pip_install(extra: str) -> str:
    """The command that adds an extra to the package that is installed."""
    try:
        found = Distribution.from_name(NAME)
    except PackageNotFoundError:  # run from a checkout
        return _command(f"{Path(__file__).parents[2]}[{extra}]")
    origin: dict[str, Any] = json.loads(found.read_text("direct_url.json") or "{}")
    url = urlsplit(origin.get("url", ""))
    name = f"{NAME}[{extra}]"
    if "vcs_info" in origin:
        source = origin["vcs_info"]
        return _command(f"{name} @ {source['vcs']}+{url.geturl()}@{source['commit_id']}")
    if url.scheme != "file":
        return _command(f"{name} @ {url.geturl()}" if url.scheme else name)
    path = url2pathname(url.path)
    if not os.path.exists(path):  # a wheel that is gone: what the extra brings
        needed = (one.partition(";") for one in found.requires or ())
        return _command(*(package.strip() for package, _, when in needed if extra in when))
    editable = origin.get("dir_info", {}).get("editable")
    return _command(*(["-e"] if editable else []), f"{path}[{extra}]")


def _command(*words: str) -> str:
    return f"pip install {shlex.join(words)}"
