"""Source-package lines for apt, made from the machine's own binary-package lines."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

APT = Path("/etc/apt")
_ONE_LINE = re.compile(
    r"deb(?:-src)?\s+(?:\[(?P<options>[^\]]*)\]\s+)?(?P<uri>\S+)\s+(?P<suite>\S+)\s+(?P<rest>.*)"
)


class SourcesError(Exception):
    """Why no source line could be made."""


def source_lines(apt: Path = APT, codename: str | None = None) -> list[str]:
    """``deb-src`` lines for the distribution's own archives; those of others (other suites) are left out."""
    codename = codename or _codename()
    suites = {codename, f"{codename}-updates", f"{codename}-security", f"{codename}/updates"}
    found: dict[str, None] = {}
    for uri, suite, components, keyring in [*_old_style(apt), *_deb822(apt)]:
        if suite in suites and "main" in components:
            signed = f"[signed-by={keyring}] " if keyring else ""
            found[f"deb-src {signed}{uri} {suite} main"] = None
    if not found:
        raise SourcesError(f"{apt} names no mirror of {codename} to take the source package from")
    return list(found)


def _codename() -> str:
    try:
        text = Path("/etc/os-release").read_text()
    except OSError:
        text = ""
    named = re.search(r'^VERSION_CODENAME="?([^"\n]+)', text, re.MULTILINE)
    if named is None:
        raise SourcesError("this machine names no Debian (VERSION_CODENAME in /etc/os-release)")
    return named[1]


_Entry = tuple[str, str, list[str], str | None]


def _old_style(apt: Path) -> Iterator[_Entry]:
    for path in [apt / "sources.list", *sorted((apt / "sources.list.d").glob("*.list"))]:
        for line in path.read_text().splitlines() if path.is_file() else ():
            match = _ONE_LINE.match(line.split("#")[0].strip())
            if match:
                options = dict(pair.split("=", 1) for pair in (match["options"] or "").split() if "=" in pair)
                yield match["uri"], match["suite"], match["rest"].split(), options.get("signed-by")


def _deb822(apt: Path) -> Iterator[_Entry]:
    for path in sorted((apt / "sources.list.d").glob("*.sources")):
        for stanza in re.split(r"\n\s*\n", path.read_text()):
            fields = _fields(stanza)
            if fields.get("enabled", "yes").lower() in ("no", "false", "0"):
                continue
            # A key written into the stanza itself has no path to name; the archive keyrings know it anyway.
            keyring = fields.get("signed-by", "")
            named = keyring if keyring.startswith("/") else None
            for uri in fields.get("uris", "").split():
                for suite in fields.get("suites", "").split():
                    yield uri, suite, fields.get("components", "").split(), named


def _fields(stanza: str) -> dict[str, str]:
    text = "".join(line for line in stanza.splitlines(keepends=True) if not line.startswith("#"))
    found = re.findall(r"^(\S[^:\n]*):(.*(?:\n\s.*)*)", text, re.MULTILINE)
    return {name.strip().lower(): value.strip() for name, value in found}
