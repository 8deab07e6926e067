"""``inspect``, ``assess`` and ``translate`` count the same shares and the same leftovers, of any document.

What the target alone decides is apart: amounts of quotas, which ``inspect`` lists beside the leftovers, and
keys that count once a pod has its new share. So the target is one that no text here is written for, and of
no cloud.
"""

from pathlib import Path

import pytest
import yaml

from gpuxlate.backends import registry
from gpuxlate.manifest.key_texts import resource_of
from gpuxlate.translation.items import Item
from gpuxlate.translation.options import Settings
from gpuxlate.translation.passes import run_source
from gpuxlate.translation.read import READ
from gpuxlate.translation.results import Result
from gpuxlate.translation.translate import ASSESS, TRANSLATE
from gpuxlate.yamltext.source import Source
from tests.effort import some
from tests.properties.mutated import BASES
from tests.properties.sets import drawn

FIXTURES = Path(__file__).parents[2] / "fixtures"
TARGET = registry.get("metax-sgpu")
OF_TARGET = "metax-tech.com"


def rules() -> list[str]:
    """The manifests that break and keep rules."""
    files = sorted((FIXTURES / "lint").glob("*.yaml"))
    cases = [case for file in files for case in yaml.safe_load(file.read_text(encoding="utf-8"))["cases"]]
    return [case["manifest"] for case in cases if isinstance(case.get("manifest"), str)]


def fixtures() -> list[str]:
    """The manifests of vendors' documents."""
    return [path.read_text(encoding="utf-8") for path in sorted(FIXTURES.glob("*/*/input.yaml"))]


def quotas() -> list[str]:
    cases = yaml.safe_load((FIXTURES / "quotas" / "cases.yaml").read_text(encoding="utf-8"))
    return [case["text"] for case in cases]


def sets() -> list[str]:
    return ["---\n".join(drawn(seed).documents) for seed in range(200)]


TEXTS = {"rules": rules, "fixtures": fixtures, "quotas": quotas, "sets": sets, "bases": lambda: list(BASES)}


def share_of(item: Item) -> tuple[object, ...]:
    share = item.share and item.share.to_json()
    numbers = {name: share[name] for name in share if name != "device"} if share else None  # the vendor's
    return item.document, item.pod, item.init, item.index, item.source, str(numbers)


def shares(made: Result) -> list[tuple[object, ...]]:
    return sorted((share_of(item) for item in made.items), key=str)


def left(made: Result) -> list[tuple[object, ...]]:
    amounts = {(one.document, resource_of(one.key)) for one in made.quotas}
    places = [
        (one.diagnostic.document, one.key, one.diagnostic.span)
        for one in made.leftovers
        if "counts the same" not in one.diagnostic.message  # a resource that is listed, without an amount
    ]
    return sorted((place for place in places if place[:2] not in amounts), key=str)


def of(text: str) -> tuple[Result, Result, Result]:
    source, settings = Source("a.yaml", text), Settings(TARGET)
    return (
        run_source(source, Settings.reading(), READ),
        run_source(source, settings, ASSESS),
        run_source(source, settings, TRANSLATE),
    )


@pytest.mark.parametrize("title", TEXTS)
def test_each_command_counts_the_same(title: str) -> None:
    for text in some(TEXTS[title]()):
        if OF_TARGET in text:
            continue
        inspected, assessed, translated = of(text)
        assert shares(inspected) == shares(assessed) == shares(translated), text
        assert left(inspected) == left(assessed) == left(translated), text
        verdicts = [item.verdict for item in translated.items]
        assert [item.verdict for item in assessed.items] == verdicts, text
