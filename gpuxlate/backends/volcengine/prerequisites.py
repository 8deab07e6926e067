"""What a VKE cluster needs for mGPU: versions and node images, each with its source.

Sources: S1 = "mGPU online/offline colocation" (2025-03-13), table of component versions;
R = docs 6460/159262, change log of the ``mgpu`` component.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from gpuxlate.backends.volcengine import keys as k
from gpuxlate.profile import CardProfile, Profile


@dataclass(frozen=True, slots=True)
class Need:
    """One component that must have a version: its name in a profile, in words, and the least."""

    component: str
    title: str
    least: str
    source: str


@dataclass(frozen=True, slots=True)
class Unmet:
    """One prerequisite that a cluster does not meet."""

    title: str
    found: str
    wanted: str
    source: str


COLOCATION: tuple[Need, ...] = (
    Need("mgpuDriver", "the mGPU driver", "0.07.35.23", "S1"),
    Need("mgpu", "the mgpu component", "v0.6.0", "S1"),
    Need("generalWebhook", "general-webhook", "v1.20.0", "S1"),
)
COLOCATION_KUBERNETES = ("v1.24.17-vke.38", "v1.26.15-vke.26", "v1.28.15-vke.19", "v1.30.4-vke.3")
"""The least version of each minor, and every minor after the last; the minors between have none (S1)."""
COLOCATION_NOT_ON = ("velinux2.0", "ubuntu22.04")
"""Node images without colocation (S1)."""
SEVERAL_CARDS = Need("mgpu", "the mgpu component", "v0.2.0", "R")
"""A container shares several cards (R)."""
LARGE_CARDS = Need("mgpu", "the mgpu component", "v0.6.1", "R")
"""Cards with much memory, "H20 and the like" (R)."""
LARGE_CARD_MODEL = "H20"
LARGE_CARD_ABOVE_MIB = k.MULTI_CARD_MAX_MIB
"""R names no size: the old bound of a card is taken for it (H20: about 96 GiB)."""

_VERSION = re.compile(r"v?(?P<release>[0-9]{1,9}(?:\.[0-9]{1,9})*)(?:-vke\.(?P<build>[0-9]{1,9}))?")


def parse_version(text: str) -> tuple[tuple[int, ...], int | None] | None:
    """``v1.28.15-vke.19`` to ((1, 28, 15), 19); the build None where absent; None where unreadable."""
    match = _VERSION.fullmatch(text.strip())
    if match is None:
        return None
    release = tuple(int(part) for part in match["release"].split("."))
    return release, int(match["build"]) if match["build"] else None


def at_least(found: str, least: str) -> bool | None:
    """Whether a version is ``least`` or later; None where the text does not tell."""
    here, there = parse_version(found), parse_version(least)
    if here is None or there is None:
        return None
    length = max(len(here[0]), len(there[0]))
    mine, wanted = (one + (0,) * (length - len(one)) for one in (here[0], there[0]))
    if mine != wanted:
        return mine > wanted
    if there[1] is None:
        return True
    return None if here[1] is None else here[1] >= there[1]


def kubernetes_can_colocate(found: str) -> bool | None:
    """Whether a Kubernetes version of VKE runs colocation; None where the text does not tell."""
    parsed = parse_version(found)
    if parsed is None or len(parsed[0]) < 3:
        return None
    minor = parsed[0][:2]
    listed = {version[0][:2]: text for text in COLOCATION_KUBERNETES if (version := parse_version(text))}
    if minor in listed:
        return at_least(found, listed[minor])
    return minor > max(listed)


def image_can_colocate(image: str) -> bool:
    """Whether a node image runs colocation, however it is spelled (``veLinux 2.0``)."""
    plain = letters(image)
    return not any(letters(one) in plain for one in COLOCATION_NOT_ON)


def letters(text: str) -> str:
    """Letters and digits alone, in lower case: ``veLinux 2.0`` is ``velinux20``."""
    return "".join(char for char in text.lower() if char.isalnum())


def unmet(profile: Profile, needs: Iterable[Need]) -> Iterator[Unmet]:
    """The components that the profile knows to be too old."""
    for need in needs:
        found = profile.components.get(need.component)
        if found is not None and at_least(found, need.least) is False:
            yield Unmet(need.title, found, f"{need.least} or later", need.source)


def unmet_for_colocation(profile: Profile) -> Iterator[Unmet]:
    """What keeps the cluster from colocation, as far as the profile tells."""
    kubernetes = profile.kubernetes_version
    if kubernetes is not None and kubernetes_can_colocate(kubernetes) is False:
        wanted = f"at least {', '.join(COLOCATION_KUBERNETES)}, each within its minor, or a later minor"
        yield Unmet("Kubernetes", kubernetes, wanted, "S1")
    yield from unmet(profile, COLOCATION)
    image = profile.node_image
    if image is not None and not image_can_colocate(image):
        yield Unmet("the node image", image, f"none of {', '.join(COLOCATION_NOT_ON)}", "S1")


def is_large(cards: CardProfile) -> bool:
    """Cards that need LARGE_CARDS, by their model or their memory."""
    by_model = cards.model is not None and LARGE_CARD_MODEL in re.split(r"[^A-Z0-9]+", cards.model.upper())
    return by_model or (cards.memory_mib is not None and cards.memory_mib > LARGE_CARD_ABOVE_MIB)
