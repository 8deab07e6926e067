"""What a translation says of the maker of the cards, of isolation and of fields that are lost, it says by
gpuxlate's own keys too, and by a GPUShare document: whoever stores shares and translates them later hears the
same (docs/share.md, "Cards and isolation")."""

from collections.abc import Callable
from functools import partial
from itertools import permutations

import pytest

import gpuxlate
from gpuxlate.backends import registry
from gpuxlate.backends.base import USUAL_VENDOR, Backend
from gpuxlate.backends.pod_reader import ContainerShare
from gpuxlate.backends.pod_writer import Accept
from gpuxlate.model.share import Device, Share
from gpuxlate.testing.strategies import naming_a_card
from tests.checks import each_holds
from tests.effort import some

from .sources import PODS, Question, manifest

NEUTRAL = registry.get("neutral")
SHARES = (
    Share(1, 50, 8192),
    Share(1, 25, 24576),
    Share(1, None, 8192),
    Share(1, None, 16384),
    Share(1, 50),
    Share(1),
    Share(2),
)
"""Parts, and whole cards."""
DIALECTS = [one for one in PODS if one is not NEUTRAL]
PAIRS = some(permutations(DIALECTS, 2))


def texts(backend: Backend) -> list[str]:
    """Manifests of a dialect: the first part of a card that it has, else a whole card, and two cards."""
    found: list[str] = []
    for share in SHARES:
        container = ContainerShare("main-0", 0, share=naming_a_card(share, backend))
        made = manifest(Question([container], "both", 1, Accept(), None), backend)
        found += [made.text] if made else []
    return list(dict.fromkeys((*found[:1], *found[-1:])))


def said(run: Callable[[], gpuxlate.Translation | gpuxlate.Rendering]) -> dict[str, set[str]]:
    """What is reported of the cards (GX029), and what of each field that is not kept."""
    try:
        done = run()
    except gpuxlate.Refused as refused:
        diagnostics, items = refused.diagnostics, refused.items
    else:
        diagnostics, items = done.diagnostics, done.items
    lost = {loss.field for one in items for loss in one.losses if loss.code == "GX020"}
    return {"cards": {one.code for one in diagnostics if one.code == "GX029"}, "lost": lost - {"device"}}


@pytest.mark.parametrize("source", DIALECTS, ids=lambda one: one.name)
def test_by_neutral_and_by_document(source: Backend) -> None:
    written = texts(source)
    assert written, "else nothing is said about this dialect"
    ways = []
    for text in written:
        neutral = gpuxlate.translate(text, "neutral", source.name).text
        ways.append((text, neutral, gpuxlate.parse(text, source.name).text))

    def holds(target: Backend) -> None:
        for text, neutral, document in ways:
            direct = said(lambda: gpuxlate.translate(text, target.name, source.name))  # noqa: B023 - called here
            stored = said(lambda: gpuxlate.translate(neutral, target.name, "neutral"))  # noqa: B023
            rendered = said(lambda: gpuxlate.render(document, target.name))  # noqa: B023
            assert direct == stored == rendered, text
            other = source.vendor and target.vendor not in (None, source.vendor)
            assert bool(direct["cards"]) or not other, text

    each_holds({target.name: partial(holds, target) for start, target in PAIRS if start is source})


@pytest.mark.parametrize("source", DIALECTS, ids=lambda one: one.name)
def test_the_maker_is_written(source: Backend) -> None:
    if source.vendor in (None, USUAL_VENDOR):
        return
    for text in texts(source):
        neutral = gpuxlate.translate(text, "neutral", source.name).text
        assert f"gpuxlate.io/device-vendor: {source.vendor}" in neutral
        [share] = gpuxlate.parse(text, source.name).shares
        assert share.device is not None
        assert share.device.vendor == source.vendor
        # there and back loses nothing, and says nothing
        back = gpuxlate.translate(neutral, source.name, "neutral")
        assert not [one for one in back.diagnostics if one.code == "GX029"]


def test_a_share_without_a_maker() -> None:
    """NVIDIA's cards as a rule need no word; of others it is an info, and a maker or a model settles it."""
    share = Share(1, 50, 8192)
    assert said(lambda: gpuxlate.render(share, "hami"))["cards"] == set()
    made = gpuxlate.render(share, "hami-hygon")
    assert [(one.code, one.severity) for one in made.diagnostics] == [("GX029", "info")]
    for device, target in ((Device("hygon"), "hami-hygon"), (Device(None, ("BI-V150",)), "hami-iluvatar")):
        assert said(partial(gpuxlate.render, Share(1, 50, 8192, device=device), target))["cards"] == set()
