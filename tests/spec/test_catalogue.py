"""The catalogue of cards: its data, the names in it, and what a profile adds."""

import json
import pickle
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

import gpuxlate
from gpuxlate.config.configuration import load_profile
from gpuxlate.model.profile import (
    Card,
    Profile,
    Template,
    all_cards,
    card_by_short_name,
    card_meant,
    card_name,
    card_named,
    names_of,
    nearest_cards,
)
from tests.schemas import validator
from tests.spec.test_config import refused

DATA = json.loads((Path(gpuxlate.__file__).parent / "model/cards.json").read_text(encoding="utf-8"))


# --- the data ---------------------------------------------------------------------------------------


def test_the_data_keep_their_schema_and_names_are_unique() -> None:
    validator("catalogue").validate(DATA)
    names = Counter(card.name.casefold() for card in all_cards())
    texts = Counter((dialect, text) for card in all_cards() for dialect, text in card.names.items())
    assert [name for name, count in names.items() if count > 1] == []
    assert [text for text, count in texts.items() if count > 1] == []


def wrong_of(card: Card) -> Iterator[str]:
    """What is wrong with a card."""
    # a name that ends in a size says the nominal one
    size = re.search(r"-(\d+)GB$", card.name)
    if size and card.nominal_mib != int(size[1]) * 1024:
        yield "its name"
    most = card.nominal_mib or card.memory_mib or 0
    parts = [one.least_mib for one in card.templates] + list(card.sizes_mib)
    if (card.memory_mib or 0) > most or not all(0 < part <= most for part in parts if most):
        yield "its memory"
    if len({one.name for one in card.templates}) < len(card.templates):
        yield "a template twice"
    for one in card.templates:
        if not 0 < (card.cores_of(one) or 0) <= 100 or (one.most_mib or 0) < one.least_mib:
            yield f"the numbers of {one.name}"
        # as many as fit have no more than the card: memory where a document gives it
        if (one.most or 1) * (one.memory_mib or 0) > (card.nominal_mib or 2**31):
            yield f"too many of {one.name}"
    if not card.source:
        yield "no source"


def test_cards_are_sound() -> None:
    assert {card.name: wrong for card in all_cards() if (wrong := [*wrong_of(card)])} == {}


def test_partitions_have_what_was_measured() -> None:
    """KEP-4815: 1g.5gb of an A100 is 4864 MiB and 14 of 108 multiprocessors; mig-parted: 7 on a card."""
    card = known("A100-40GB")
    one = card.template("1g.5gb")
    assert one is not None
    assert (one.memory_mib, one.most_mib, one.most, card.cores_of(one)) == (4864, 4864, 7, 13)
    assert card.template("1g.5gb+me") == one
    # 40 GB of 3 slices and no document: 88 % of the GB are there, and 3/7 of compute at most
    unmeasured = Card("X", "nvidia", templates=(Template("3g.40gb"), Template("7g.80gb")))
    assert [one.least_mib for one in unmeasured.templates] == [36044, 72089]
    assert [one.most_mib for one in unmeasured.templates] == [40960, 81920]
    assert [unmeasured.cores_of(one) for one in unmeasured.templates] == [43, 100]


def known(name: str | None, own: Profile | None = None) -> Card:
    found = card_named(name or "", own)
    assert found is not None
    return found


def test_cards_with_the_partitions_of_another() -> None:
    for card in map(known, ("A800-40GB", "A100-SXM4-80GB", "H20-96GB")):
        assert card.templates == known(card.templates_of).templates != ()


def test_what_a_product_name_means() -> None:
    for model, memory_mib, name in (
        ("A100", None, None),  # 40 or 80 GB
        ("A100", 40536, "A100-40GB"),
        ("A100", 81251, "A100-80GB"),
        ("NVIDIA-A100-SXM4-40GB", None, "A100-40GB"),
        ("NVIDIA-A100-SXM4-80GB", None, "A100-SXM4-80GB"),
        ("NVIDIA-A100-SXM4-40GB-MIG-1g.5gb", None, "A100-40GB"),
        ("NVIDIA-H100-80GB-HBM3", None, "H100-80GB"),
        ("NVIDIA-A30", None, "A30-24GB"),
        ("Tesla-T4", None, "T4-16GB"),
        ("a10-24gb", None, "A10-24GB"),
        ("X1", None, None),
        ("", None, None),
    ):
        found = card_meant(model, memory_mib)
        assert (found.name if found else None) == name, model


def test_the_loader_reads_every_field() -> None:
    """Project-HAMi/HAMi, device-configmap.yaml: 24576 MiB of which 21527 are allocatable, 8 AI cores."""
    parts = (Template("vir01", 3072, 1), Template("vir02", 6144, 2), Template("vir04", 12288, 4))
    names, source = {"hami-ascend": "310P"}, "Project-HAMi/HAMi, device-configmap.yaml"
    there = Card("Ascend310P", "huawei", 21527, 24576, 8, names, parts, source=source)
    assert card_named("Ascend310P") == there
    # 512-MiB units 2, 4, 8, 16, 32, 64 and 96, which is the card (the same)
    assert known("S4000").sizes_mib == (1024, 2048, 4096, 8192, 16384, 32768, 49152)


# --- names ------------------------------------------------------------------------------------------


def test_names_of_a_dialect() -> None:
    """Baidu AI Cloud CCE: v100_32g is the card of its TF-Serving sample."""
    baidu = names_of("baidu-cce")
    assert baidu["v100_32g"] == "V100-32GB"
    # its documents list eight models; the others were seen
    documented = {
        text for card in all_cards() if card.confidence == "documented" for text in card.names.values()
    }
    assert {*baidu} & documented == {
        *("v100_16g", "v100_32g", "t4_16g", "a10_24g", "a30_24g", "a100_40g", "a100_80g", "a800_80g"),
    }
    assert names_of("nobody") == {}


def test_near_names() -> None:
    assert known("a10-24gb").name == "A10-24GB"  # case does not matter
    assert card_named("A10") is None
    for name, first, others in (
        ("A10", "A10-24GB", set()),
        ("a10_24g", "A10-24GB", set()),
        ("NVIDIA-A10", "A10-24GB", set()),
        ("A100", "A100-80GB", {"A100-40GB", "A100-SXM4-80GB"}),
        ("910B3", "Ascend910B3", set()),
        ("MR-V1000", "MR-V100", {"MR-V50"}),
        ("L40T-48GB", "L40", {"L40S-48GB"}),  # by the model, not by letters: no P4-8GB
    ):
        found = nearest_cards(name)
        assert (found[0], others <= {*found}, len(found) <= 3) == (first, True, True), name


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("A10", "A10-24GB"),
        ("a10-24gb", "A10-24GB"),
        ("A100-SXM4", "A100-SXM4-80GB"),
        ("L40", "L40"),
        ("V100", None),  # of 16 and of 32 GB
        ("H100", None),
        ("A1", None),
        ("", None),
    ],
)
def test_the_card_that_a_name_means(text: str, name: str | None) -> None:
    meant = card_by_short_name(text)
    assert (meant.name if meant else None) == name
    assert card_name(text) == (name or text)


# --- a profile --------------------------------------------------------------------------------------


def profile(*catalogue: dict[str, object]) -> Profile:
    return load_profile({"target": "baidu-cce", "catalogue": list(catalogue)})


def test_a_profile_adds_a_card() -> None:
    own = profile({"name": "X1", "vendor": "acme", "memoryMiB": 16384, "names": {"baidu-cce": "x1_16g"}})
    assert all_cards(own) == (*all_cards(), Card("X1", "acme", 16384, names={"baidu-cce": "x1_16g"}))
    assert names_of("baidu-cce", own) == {**names_of("baidu-cce"), "x1_16g": "X1"}
    assert nearest_cards("X-1", own) == ("X1",)
    assert pickle.loads(pickle.dumps(own)) == own  # it is sent to workers


def test_a_profile_says_more_of_a_card() -> None:
    """What it says counts; the names of the dialects and the rest stay."""
    own = profile({"name": "a10-24gb", "vendor": "nvidia", "memoryMiB": 23028, "names": {"mine": "a10"}})
    before = known("A10-24GB")
    more = before._replace(memory_mib=23028, names={**before.names, "mine": "a10"})
    assert known("A10-24GB", own) == more
    assert len(all_cards(own)) == len(all_cards())
    assert known("A10-24GB") == before


def test_parts_of_a_card_ascend() -> None:
    parts = [{"name": name, "memoryMiB": mib, "aiCores": 1} for name, mib in (("b", 2048), ("a", 1024))]
    [card] = profile({"name": "X1", "vendor": "acme", "templates": parts, "sizesMiB": [2, 1]}).catalogue
    assert [one.name for one in card.templates] == ["a", "b"]
    assert card.sizes_mib == (1, 2)


def test_bad_cards() -> None:
    cases: list[tuple[dict[str, object], tuple[str, ...], str]] = [
        ({"name": "X1"}, (), "catalogue[0].vendor is missing"),
        ({"name": "X 1", "vendor": "acme"}, ("name",), 'catalogue[0].name is "X 1"'),
        ({"name": "X1", "vendor": "acme", "memoryMiB": 0}, ("memoryMiB",), "catalogue[0].memoryMiB is 0"),
        ({"name": "X1", "vendor": "acme", "memoryMib": 1}, ("memoryMib",), '"memoryMib" in catalogue[0]'),
        ({"name": "X1", "vendor": "acme", "confidence": "sure"}, ("confidence",), 'confidence is "sure"'),
    ]
    for card, path, message in cases:
        found = refused(lambda one=card: profile(one))  # type: ignore[misc]
        assert found.path == ("catalogue", 0, *path)
        assert message in found.message
        data = {"target": "baidu-cce", "catalogue": [card]}
        assert not validator("profile").is_valid(data), card


def test_the_templates_of_a_card_that_is_not_there() -> None:
    found = refused(lambda: profile({"name": "X1", "vendor": "nvidia", "templatesOf": "A100"}))
    assert (found.path, found.hint) == (("catalogue", 0, "templatesOf"), "did you mean A100-80GB?")
    own = profile({"name": "X1", "vendor": "nvidia", "templatesOf": "a100-80gb"})
    assert known("X1", own).templates == known("A100-80GB").templates
