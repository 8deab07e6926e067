"""The address of the pages of the documentation, if somebody hosts them: without one, nothing has a link.

It is given where a distribution is built (``DOCS_URL``, see ``hatch_build.py``), or by ``docs-url`` of a
configuration.
"""

from __future__ import annotations

from functools import cache

_configured: str | None = None
"""The address that this process was configured with, as it has one language: a program that imports the
package has that of the distribution."""


def use_site(address: str | None) -> None:
    """Take the address of a configuration; None: that of the distribution."""
    global _configured
    _configured = address


def page(inside: str) -> str | None:
    """The address of a page or file of the site, such as ``rules/GX001``; None where there is no site."""
    address = _configured or _built_with()
    return f"{address.rstrip('/')}/{inside}" if address else None


def rule_page(code: str) -> str | None:
    """The address of the page of a rule."""
    return page(f"rules/{code}")


def rule_help(code: str) -> str:
    """Where a rule is explained, for people: its page, or the command that prints the same."""
    return rule_page(code) or f"gpuxlate explain {code}"


@cache
def _built_with() -> str:
    """The address that the distribution was built with; an ordinary one has no such file."""
    from pathlib import Path

    try:
        return Path(__file__).with_name("docs_url.txt").read_text(encoding="utf-8").strip()
    except OSError:
        return ""
