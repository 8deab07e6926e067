"""How an extra of this package is installed: from where the package came, by the program that installed it.

pip notes where it came from (PEP 610). A bare name would be looked for on an index, where it may be somebody
else's. pipx leaves ``pipx_metadata.json`` in the environment of a program, and uv ``uv-receipt.toml``.
"""

from __future__ import annotations

import json
import os
import shlex
import sys
from importlib.metadata import Distribution, PackageNotFoundError
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from urllib.request import url2pathname

from gpuxlate.model.messages import Message, msg

DISTRIBUTION = "gpuxlate"


def install_hint(extra: str) -> Message:
    """How to get what an extra of the package brings."""
    return msg(
        "install gpuxlate with the extra {extra}: {command}", extra=extra, command=install_command(extra)
    )


def install_command(extra: str) -> str:
    """The command that adds an extra to the package that is installed."""
    try:
        distribution = Distribution.from_name(DISTRIBUTION)
    except PackageNotFoundError:  # run from a checkout
        return _command(f"{Path(__file__).parents[2]}[{extra}]")
    if sys.argv[0].endswith(".pyz"):  # nothing can be added to a zipapp; the wheel is beside it in a release
        wheel = f"{DISTRIBUTION}-{distribution.version}-py3-none-any.whl"
        return f"pipx install {shlex.quote(f'./{wheel}[{extra}]')}"
    origin: dict[str, Any] = json.loads(distribution.read_text("direct_url.json") or "{}")
    url = urlsplit(origin.get("url", ""))
    name = f"{DISTRIBUTION}[{extra}]"
    if "vcs_info" in origin:
        source = origin["vcs_info"]
        return _command(f"{name} @ {source['vcs']}+{url.geturl()}@{source['commit_id']}")
    if url.scheme != "file":
        return _command(f"{name} @ {url.geturl()}" if url.scheme else name)
    path = url2pathname(url.path)
    if not os.path.exists(path):  # a wheel that is gone: what the extra brings
        needed = (requirement.partition(";") for requirement in distribution.requires or ())
        return _command(*(package.strip() for package, _, when in needed if extra in when), alone=True)
    editable = origin.get("dir_info", {}).get("editable")
    return _command(*(["-e"] if editable else []), f"{path}[{extra}]")


def _command(*words: str, alone: bool = False) -> str:
    """``alone``: the words are packages that the extra brings, without this one."""
    prefix = Path(sys.prefix)
    if (prefix / "pipx_metadata.json").exists():
        program = f"pipx inject {DISTRIBUTION}" if alone else "pipx install --force"
    elif (prefix / "uv-receipt.toml").exists():
        program = (
            f"uv pip install --python {shlex.quote(str(prefix))}" if alone else "uv tool install --force"
        )
    else:
        program = "pip install"
    return f"{program} {shlex.join(words)}"
