"""Each amount to each dialect: to those that count the same, number by number, and to no other one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import kubernetes_validate
import pytest
import yaml

from gpuxlate.backends import registry
from gpuxlate.model.diagnostics import Severity
from gpuxlate.model.sheet import Place
from gpuxlate.translation.settings import Settings
from gpuxlate.translation.translate import Translation, translate_source
from gpuxlate.yamltext.source import Source

GROUPS: dict[str, dict[str, str]] = yaml.safe_load(
    (Path(__file__).parents[2] / "fixtures" / "quotas" / "directions.yaml").read_text(encoding="utf-8")
)
TARGETS = [one.name for one in registry.pod_backends() if not one.reads_only]
QUOTA = """\
apiVersion: v1
kind: ResourceQuota
metadata: {{name: gpus}}
spec:
  hard:
    requests.cpu: 64  # stays
    requests.{0}  # of the team
    limits.{0}
"""
KUEUE = """\
apiVersion: kueue.x-k8s.io/v1beta1
kind: ClusterQueue
metadata: {{name: gpus}}
spec:
  resourceGroups:
  - coveredResources: [cpu, {0}, memory]  # in this order
    flavors:
    - name: a10
      resources:
      - {{name: cpu, nominalQuota: 64}}
      - {{name: "{0}", nominalQuota: {1}}}
      - {{name: memory, nominalQuota: 1Ti}}
    - name: t4
      resources:
      - name: cpu
        nominalQuota: 9
      - name: {0}
        nominalQuota: 0
        lendingLimit: 0
      - name: memory
        nominalQuota: 36Gi
"""
PAIRS = [
    (group, source, target)
    for group, amounts in GROUPS.items()
    for source in amounts
    for target in TARGETS
    if source != target and not registry.get(target).device_classes  # those: test_claims.py
]


def queue(entry: str) -> str:
    return KUEUE.format(*entry.rsplit(": ", 1))


def translated(text: str, source: str | None, target: str) -> Translation:
    settings = Settings(registry.get(target), registry.get(source) if source else None)
    return translate_source(Source("quota.yaml", text), settings)


@pytest.mark.parametrize(("group", "source", "target"), PAIRS)
def test_an_amount_goes_where_it_counts_the_same(group: str, source: str, target: str) -> None:
    entry, wanted = GROUPS[group][source], GROUPS[group].get(target)
    for text, new in (
        (QUOTA.format(entry), wanted and QUOTA.format(wanted)),
        (queue(entry), wanted and queue(wanted)),
    ):
        done = translated(text, source, target)
        if new is None:
            name = entry.rsplit(": ", 1)[0]
            assert [one.key for one in done.leftovers] == [name] * text.count(name)
            assert all(one.found.span and one.found.severity is Severity.ERROR for one in done.leftovers)
            assert {str(one.outcome) for one in done.quotas} == {"left"}
            assert done.text == text
            continue
        assert (done.leftovers, done.text) == ((), new)
        assert {str(one.outcome) for one in done.quotas} == {"exact"}
        back = translated(done.text, target, source) if source in TARGETS else None
        assert back is None or back.text == text


@pytest.mark.parametrize("group", GROUPS)
def test_the_api_server_takes_it(group: str) -> None:
    for entry in GROUPS[group].values():
        kubernetes_validate.validate(yaml.safe_load(QUOTA.format(entry)), "1.31", strict=True)


def test_every_number_of_every_dialect_is_in_a_group() -> None:
    """But those with the model of a card in their name, which are alike."""

    def numbers() -> Iterator[tuple[str, str]]:
        for one in registry.pod_backends():
            for row in one.keys:
                if Place.RESOURCE in row.places and row.unit and not (row.model or row.is_pattern):
                    yield one.name, row.name

    there = {(name, entry.rsplit(": ", 1)[0]) for group in GROUPS.values() for name, entry in group.items()}
    assert set(numbers()) <= there
