"""The catalogue of cards: its data, the names in it, and what a profile adds."""

from __future__ import annotations

import json
import pickle
import re
from collections import Counter
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

import gpuxlate
from gpuxlate.config.configuration import ConfigError, load_profile
from gpuxlate.config.schemas import schema
from gpuxlate.model.catalogue import Card, Template, card_meant, card_named, cards, names_of, nearest
from gpuxlate.model.profile import Profile

DATA = json.loads((Path(gpuxlate.__file__).parent / "model/cards.json").read_text(encoding="utf-8"))


# --- the data ---------------------------------------------------------------------------------------


def test_the_data_keep_their_schema() -> None:
    Draft202012Validator(schema("catalogue")).validate(DATA)


def test_names_are_unique() -> None:
    names = Counter(card.name.casefold() for card in cards())
    texts = Counter((dialect, text) for card in cards() for dialect, text in card.names.items())
    assert [name for name, count in names.items() if count > 1] == []
    assert [text for text, count in texts.items() if count > 1] == []


@pytest.mark.parametrize("card", cards(), ids=lambda card: card.name)
def test_a_card_is_sound(card: Card) -> None:
    assert card.source
    # a name that ends in a size says the nominal one
    size = re.search(r"-(\d+)GB$", card.name)
    assert card.nominal_mib == int(size[1]) * 1024 if size else True
    most = card.nominal_mib or card.memory_mib or 0
    assert (card.memory_mib or 0) <= most
    parts = [one.least_mib for one in card.templates] + list(card.sizes_mib)
    assert all(0 < part <= most for part in parts if most)
    names = Counter(one.name for one in card.templates)
    assert [name for name, count in names.items() if count > 1] == []
    for one in card.templates:
        assert 0 < (card.cores_of(one) or 0) <= 100
        assert (one.most_mib or 0) >= one.least_mib
        # as many as fit have no more than the card: memory where a document gives it
        assert (one.most or 1) * (one.memory_mib or 0) <= (card.nominal_mib or 2**31)


def test_partitions_have_what_was_measured() -> None:
    """KEP-4815: 1g.5gb of an A100 is 4864 MiB and 14 of 108 multiprocessors; mig-parted: 7 on a card."""
    card = card_named("A100-40GB")
    assert card is not None
    one = card.template("1g.5gb")
    assert one is not None
    assert (one.memory_mib, one.most_mib, one.most, card.cores_of(one)) == (4864, 4864, 7, 13)
    assert card.template("1g.5gb+me") == one
    # 40 GB of 3 slices and no document: 88 % of the GB are there, and 3/7 of compute at most
    unmeasured = Card("X", "nvidia", templates=(Template("3g.40gb"), Template("7g.80gb")))
    assert [one.least_mib for one in unmeasured.templates] == [36044, 72089]
    assert [one.most_mib for one in unmeasured.templates] == [40960, 81920]
    assert [unmeasured.cores_of(one) for one in unmeasured.templates] == [43, 100]


@pytest.mark.parametrize("name", ["A800-40GB", "A100-SXM4-80GB", "H20-96GB"])
def test_cards_with_the_partitions_of_another(name: str) -> None:
    card = card_named(name)
    assert card is not None
    other = card_named(card.templates_of or "")
    assert other is not None
    assert card.templates == other.templates != ()


@pytest.mark.parametrize(
    ("model", "memory_mib", "name"),
    [
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
    ],
)
def test_what_a_product_name_means(model: str, memory_mib: int | None, name: str | None) -> None:
    found = card_meant(model, memory_mib)
    assert (found.name if found else None) == name


def test_the_loader_reads_every_field() -> None:
    """Project-HAMi/HAMi, device-configmap.yaml: 24576 MiB of which 21527 are allocatable, 8 AI cores."""
    assert card_named("Ascend310P") == Card(
        "Ascend310P",
        "huawei",
        21527,
        24576,
        8,
        {"hami-ascend": "310P"},
        (Template("vir01", 3072, 1), Template("vir02", 6144, 2), Template("vir04", 12288, 4)),
        source="Project-HAMi/HAMi, device-configmap.yaml",
    )
    # 512-MiB units 2, 4, 8, 16, 32, 64 and 96, which is the card (the same)
    moore = card_named("S4000")
    assert moore is not None
    assert moore.sizes_mib == (1024, 2048, 4096, 8192, 16384, 32768, 49152)


# --- names ------------------------------------------------------------------------------------------


def test_names_of_a_dialect() -> None:
    """Baidu AI Cloud CCE: v100_32g is the card of its TF-Serving sample."""
    baidu = names_of("baidu-cce")
    assert baidu["v100_32g"] == "V100-32GB"
    # its documents list eight models; the others were seen
    documented = {text for card in cards() if card.confidence == "documented" for text in card.names.values()}
    assert {*baidu} & documented == {
        *("v100_16g", "v100_32g", "t4_16g", "a10_24g", "a30_24g", "a100_40g", "a100_80g", "a800_80g"),
    }
    assert names_of("nobody") == {}


def test_case_does_not_matter() -> None:
    found = card_named("a10-24gb")
    assert found is not None
    assert found.name == "A10-24GB"
    assert card_named("A10") is None


@pytest.mark.parametrize(
    ("name", "first", "others"),
    [
        ("A10", "A10-24GB", set()),
        ("a10_24g", "A10-24GB", set()),
        ("NVIDIA-A10", "A10-24GB", set()),
        ("A100", "A100-80GB", {"A100-40GB", "A100-SXM4-80GB"}),
        ("910B3", "Ascend910B3", set()),
        ("MR-V1000", "MR-V100", {"MR-V50"}),
    ],
)
def test_nearest_names(name: str, first: str, others: set[str]) -> None:
    found = nearest(name)
    assert found[0] == first
    assert others <= {*found}
    assert len(found) <= 3


# --- a profile --------------------------------------------------------------------------------------


def profile(*catalogue: dict[str, object]) -> Profile:
    return load_profile({"target": "baidu-cce", "catalogue": list(catalogue)})


def test_a_profile_adds_a_card() -> None:
    own = profile({"name": "X1", "vendor": "acme", "memoryMiB": 16384, "names": {"baidu-cce": "x1_16g"}})
    assert cards(own) == (*cards(), Card("X1", "acme", 16384, names={"baidu-cce": "x1_16g"}))
    assert names_of("baidu-cce", own) == {**names_of("baidu-cce"), "x1_16g": "X1"}
    assert nearest("X-1", own) == ("X1",)


def test_a_profile_says_more_of_a_card() -> None:
    """What it says counts; the names of the dialects and the rest stay."""
    own = profile({"name": "a10-24gb", "vendor": "nvidia", "memoryMiB": 23028, "names": {"mine": "a10"}})
    known, more = card_named("A10-24GB"), card_named("A10-24GB", own)
    assert known is not None
    assert more == known._replace(memory_mib=23028, names={"baidu-cce": "a10_24g", "mine": "a10"})
    assert len(cards(own)) == len(cards())
    assert card_named("A10-24GB") == known


def test_parts_of_a_card_ascend() -> None:
    parts = [{"name": name, "memoryMiB": mib, "aiCores": 1} for name, mib in (("b", 2048), ("a", 1024))]
    [card] = profile({"name": "X1", "vendor": "acme", "templates": parts, "sizesMiB": [2, 1]}).catalogue
    assert [one.name for one in card.templates] == ["a", "b"]
    assert card.sizes_mib == (1, 2)


def test_a_profile_with_cards_is_sent_to_workers() -> None:
    own = profile({"name": "X1", "vendor": "acme"})
    assert pickle.loads(pickle.dumps(own)) == own


@pytest.mark.parametrize(
    ("card", "path", "message"),
    [
        ({"name": "X1"}, (), "catalogue[0].vendor is missing"),
        ({"name": "X 1", "vendor": "acme"}, ("name",), 'catalogue[0].name is "X 1"'),
        ({"name": "X1", "vendor": "acme", "memoryMiB": 0}, ("memoryMiB",), "catalogue[0].memoryMiB is 0"),
        ({"name": "X1", "vendor": "acme", "memoryMib": 1}, ("memoryMib",), '"memoryMib" in catalogue[0]'),
        ({"name": "X1", "vendor": "acme", "confidence": "sure"}, ("confidence",), 'confidence is "sure"'),
    ],
)
def test_bad_cards(card: dict[str, object], path: tuple[str, ...], message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        profile(card)
    [found] = caught.value.diagnostics
    assert found.path == ("catalogue", 0, *path)
    assert message in found.message
    data = {"target": "baidu-cce", "catalogue": [card]}
    assert not Draft202012Validator(schema("profile")).is_valid(data)


def test_a_card_stands_once_in_a_profile() -> None:
    with pytest.raises(ConfigError) as caught:
        profile({"name": "X1", "vendor": "acme"}, {"name": "x1", "vendor": "acme"})
    assert [one.path for one in caught.value.diagnostics] == [("catalogue", 1, "name")]


def test_the_templates_of_a_card_that_is_not_there() -> None:
    with pytest.raises(ConfigError) as caught:
        profile({"name": "X1", "vendor": "nvidia", "templatesOf": "A100"})
    [found] = caught.value.diagnostics
    assert found.path == ("catalogue", 0, "templatesOf")
    assert found.hint == "did you mean A100-80GB?"
    own = profile({"name": "X1", "vendor": "nvidia", "templatesOf": "a100-80gb"})
    assert card_named("X1", own).templates == card_named("A100-80GB").templates  # type: ignore[union-attr]
