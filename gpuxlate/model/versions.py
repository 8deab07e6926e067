"""Versions of Kubernetes and of components, compared exactly; None where the text is not enough.

Forms: ``v1.28.15``, ``v1.28.15-vendor.19`` (a vendor's own build), ``v0.6.0``, ``0.07.35.23``. Standard
library only.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

_VERSION = re.compile(
    r"v?(?P<release>[0-9]{1,9}(?:\.[0-9]{1,9})*)"
    r"(?:-(?!(?:alpha|beta|rc|pre|dev)\.)(?P<vendor>[a-z]{1,32})\.(?P<build>[0-9]{1,9}))?"
)


@dataclass(frozen=True, slots=True)
class Version:
    """A version: its numbers, and a vendor's own build of them where the text gives one."""

    release: tuple[int, ...]
    vendor: str | None = None
    build: int | None = None

    @property
    def minor(self) -> tuple[int, ...]:
        return self.release[:2]


def parse(text: str) -> Version | None:
    """``v1.28.15-vendor.19`` to its numbers; None for every other form, such as ``1.1.1-rc.1``."""
    match = _VERSION.fullmatch(text.strip())
    if match is None:
        return None
    release = tuple(int(part) for part in match["release"].split("."))
    return Version(release, match["vendor"], int(match["build"]) if match["build"] else None)


def at_least(found: str, least: str) -> bool | None:
    """Whether a version is ``least`` or later; None where the text is not enough.

    Builds are compared where the releases are the same; builds of other vendors cannot be compared.
    """
    here, there = parse(found), parse(least)
    if here is None or there is None or (here.vendor and there.vendor and here.vendor != there.vendor):
        return None
    length = max(len(here.release), len(there.release))
    mine, wanted = (one.release + (0,) * (length - len(one.release)) for one in (here, there))
    if mine != wanted:
        return mine > wanted
    if there.build is None:
        return True
    return None if here.build is None else here.build >= there.build


def at_least_in_minor(found: str, firsts: Sequence[str]) -> bool | None:
    """Whether a version is at least the first of its own minor, or of a minor after the last.

    A minor between those listed has no such version. None where the text has no patch number.
    """
    here = parse(found)
    listed = {one.minor: (one, text) for text in firsts if (one := parse(text))}
    if here is None or len(here.release) < 3:
        return None
    if here.vendor and any(one.vendor != here.vendor for one, _ in listed.values()):
        return None
    if here.minor in listed:
        return at_least(found, listed[here.minor][1])
    return here.minor > max(listed)
