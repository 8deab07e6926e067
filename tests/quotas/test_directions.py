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


def queue(entry: str) -> str:
    return KUEUE.format(*entry.rsplit(": ", 1))


def translated(text: str, source: str | None, target: str) -> Translation:
    settings = Settings(registry.get(target), registry.get(source) if source else None)
    return translate_source(Source("quota.yaml", text), settings)


def missed(text: str, new: str | None, source: str, target: str, names: list[str]) -> str:
    """What is wrong with the translation of a quota: ``new`` is wanted, None where these names are left."""
    done = translated(text, source, target)
    outcomes = {str(one.outcome) for one in done.quotas}
    left = [one.key for one in done.leftovers]
    if new is None:
        errors = all(one.found.span and one.found.severity is Severity.ERROR for one in done.leftovers)
        right = errors and (left, outcomes, done.text) == (names, {"left"}, text)
        return "" if right else f"not left as it is: {left} {outcomes} {done.text}"
    if (left, outcomes, done.text) != ([], {"exact"}, new):
        return f"not exact: {left} {outcomes} {done.text}"
    back = translated(done.text, target, source).text if source in TARGETS else text
    return "" if back == text else f"not the same on the way back: {back}"


@pytest.mark.parametrize("group", GROUPS)
def test_an_amount_goes_where_it_counts_the_same(group: str) -> None:
    """There and back; and it is left where the target has no such amount. The API server takes all."""
    wrong = {}
    targets = [one for one in TARGETS if not registry.get(one).device_classes]  # those: test_claims.py
    for source, entry in GROUPS[group].items():
        name = entry.rsplit(": ", 1)[0]
        for target in targets:
            wanted = GROUPS[group].get(target)
            for form in (QUOTA.format, queue) if source != target else ():
                names = [name] * form(entry).count(name)
                problem = missed(form(entry), wanted and form(wanted), source, target, names)
                wrong |= {(source, target, form(entry)): problem} if problem else {}
        kubernetes_validate.validate(yaml.safe_load(QUOTA.format(entry)), "1.31", strict=True)
    assert wrong == {}


def test_every_number_of_every_dialect_is_in_a_group() -> None:
    """But those with the model of a card in their name, which are alike."""

    def numbers() -> Iterator[tuple[str, str]]:
        for one in registry.pod_backends():
            for row in one.keys:
                if Place.RESOURCE in row.places and row.unit and not (row.model or row.is_pattern):
                    yield one.name, row.name

    there = {(name, entry.rsplit(": ", 1)[0]) for group in GROUPS.values() for name, entry in group.items()}
    assert set(numbers()) <= there
