"""Compiles the catalogues of ``gpuxlate/locale`` where the package is built or installed.

``python hatch_build.py`` does it in the tree (``make messages``). ``DOCS_URL`` in the environment is the
address of the pages, if somebody hosts them: ``gpuxlate/model/site.py`` reads it.
"""

from __future__ import annotations

import io
import os
from pathlib import Path
from typing import Any

from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from hatchling.builders.hooks.plugin.interface import BuildHookInterface

ROOT = Path(__file__).resolve().parent


DOCS_URL = ROOT / "gpuxlate/model/docs_url.txt"


class Catalogues(BuildHookInterface[Any]):
    """A step of hatchling's build, named in pyproject.toml."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002
        compile_all()
        write_address(os.environ.get("DOCS_URL", ""))


def write_address(address: str) -> None:
    """Write the address of the pages, or nothing where there is none."""
    if address:
        DOCS_URL.write_text(f"{address}\n", encoding="utf-8")
    else:
        DOCS_URL.unlink(missing_ok=True)


def compile_all() -> None:
    """Write the ``.mo`` file beside each ``.po`` file."""
    for source in ROOT.glob("gpuxlate/locale/*/LC_MESSAGES/*.po"):
        source.with_suffix(".mo").write_bytes(compiled(source))


def compiled(source: Path) -> bytes:
    """A catalogue as programs read it."""
    out = io.BytesIO()
    with source.open("rb") as text:
        write_mo(out, read_po(text, abort_invalid=True))
    return out.getvalue()


if __name__ == "__main__":
    compile_all()
    write_address(os.environ.get("DOCS_URL", ""))
