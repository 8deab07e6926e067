"""Amounts of quotas.

Each amount to each dialect: to those that count the same, number by number, and to no other one. At random:
what is exact comes back byte for byte, and nothing is ever below what was asked.
"""

from collections.abc import Iterator
from itertools import permutations
from typing import Any

import kubernetes_validate
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from gpuxlate.backends import registry
from gpuxlate.backends.base import Backend
from gpuxlate.backends.pod_writer import Accept
from gpuxlate.model.diagnostics import Severity
from gpuxlate.model.keys import Place
from gpuxlate.translation.options import Settings
from gpuxlate.translation.quotas.counting import row_of
from gpuxlate.translation.quotas.items import QuotaItem
from gpuxlate.translation.results import Result
from gpuxlate.translation.translate import translate_source
from gpuxlate.yamltext.source import Source
from tests.effort import tries, turn
from tests.tables import read_table

GROUPS: dict[str, dict[str, str]] = read_table(__file__, "../../fixtures/quotas/directions.yaml")
KEYS = sorted(
    {(dialect, entry.rsplit(": ", 1)[0]) for group in GROUPS.values() for dialect, entry in group.items()}
)
ANY = Accept()
TARGETS = [one.name for one in registry.pod_backends() if not one.read_only]
QUOTA = """\
apiVersion: v1
kind: ResourceQuota
metadata: {{name: gpus}}
spec:
  hard:
    requests.cpu: 64  # stays
    requests.{0}  # of the team
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


def translated(
    text: str, source: str | None, target: str, accept: Accept = ANY, *, allow_leftovers: bool = False
) -> Result:
    read_as = registry.get(source) if source else None
    settings = Settings(registry.get(target), read_as, accept, allow_leftovers=allow_leftovers)
    return translate_source(Source("quota.yaml", text), settings)


def missed(text: str, new: str | None, source: str, target: str, names: list[str]) -> str:
    """What is wrong with the translation of a quota: ``new`` is wanted, None where these names are left."""
    done = translated(text, source, target)
    outcomes = {str(one.outcome) for one in done.quotas}
    left = [one.key for one in done.leftovers]
    if new is None:
        errors = all(
            one.diagnostic.span and one.diagnostic.severity is Severity.ERROR for one in done.leftovers
        )
        right = errors and (left, outcomes, done.text) == (names, {"left"}, text)
        return "" if right else f"not left as it is: {left} {outcomes} {done.text}"
    if (left, outcomes, done.text) != ([], {"exact"}, new):
        return f"not exact: {left} {outcomes} {done.text}"
    there = registry.get(source)
    returns = source in TARGETS and not there.names_other_vendor(registry.get(target))
    back = translated(done.text, target, source).text if returns else text
    return "" if back == text else f"not the same on the way back: {back}"


@pytest.mark.parametrize("group", GROUPS)
def test_an_amount_goes_where_it_counts_the_same(group: str) -> None:
    """There and back; and it is left where the target has no such amount, or keys that say other cards. The
    API server takes all."""
    wrong: dict[tuple[str, str, str], str] = {}
    targets = [one for one in TARGETS if not registry.get(one).device_classes]  # those: below
    for source, entry in GROUPS[group].items():
        name = entry.rsplit(": ", 1)[0]
        for number, target in enumerate(targets):
            other_cards = registry.get(target).names_other_vendor(registry.get(source))
            wanted = None if other_cards else GROUPS[group].get(target)
            for form in turn((QUOTA.format, queue), number) if source != target else ():
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

    assert set(numbers()) <= set(KEYS)


# --- amounts of claims: a queue of Volcano and a ResourceQuota name device classes, each in its own way

HAMI = "hami-core-gpu.project-hami.io"
DEVICES, NVIDIA = f"deviceclass/{HAMI}", "deviceclass/gpu.nvidia.com"
COUNT = ".deviceclass.resource.k8s.io/devices"
VKE = "vke.volcengine.com/mgpu"
QUEUE = """\
apiVersion: scheduling.volcano.sh/v1beta1
kind: Queue
metadata: {{name: q}}
spec:
  capability:
    {0}  # at most
    cpu: 64
  deserved: {{ {0} }}
  guarantee:
    resource:
      {0}
"""
COUNTED = """\
apiVersion: v1
kind: ResourceQuota
metadata: {{name: q}}
spec:
  hard:
    cpu: 64
    {0}  # at most
"""
LIMITS = "apiVersion: v1\nkind: LimitRange\nspec: {{limits: [{{type: Container, max: {{ {0} }} }}]}}\n"


MOVED: list[tuple[str, str, str, str, str | None]] = [
    (QUEUE, "hami", "nvidia.com/gpu: 8", "dra-hami", f"{DEVICES}: 8"),
    (QUEUE, "volcano-vgpu", "volcano.sh/vgpu-number: 8", "dra-hami", f"{DEVICES}: 8"),
    (QUEUE, "hami", 'nvidia.com/gpu: "8"', "dra-nvidia", f'{NVIDIA}: "8"'),
    (QUEUE, "dra-nvidia", f"{NVIDIA}: 8", "dra-hami", f"{DEVICES}: 8"),
    (QUEUE, "volcengine-mgpu", f"{VKE}-core: 800", "dra-hami", f"cores.{DEVICES}: 800"),
    (QUEUE, "volcengine-mgpu", f"{VKE}-memory: 4096", "dra-hami", f"memory.{DEVICES}: 4096Mi"),
    (QUEUE, "koordinator", "koordinator.sh/gpu-memory: 8Gi", "dra-nvidia", f"memory.{NVIDIA}: 8Gi"),
    (COUNTED, "hami", "requests.nvidia.com/gpu: 8", "dra-hami", f"{HAMI}{COUNT}: 8"),
    (COUNTED, "metax-sgpu", "requests.metax-tech.com/sgpu: 8", "dra-nvidia", f"gpu.nvidia.com{COUNT}: 8"),
    (COUNTED, "dra-nvidia", f"gpu.nvidia.com{COUNT}: 8", "dra-hami", f"{HAMI}{COUNT}: 8"),
    # what the quota controller does not count; a total for what is of each card; whole cards alone
    (COUNTED, "hami", "limits.nvidia.com/gpu: 8", "dra-hami", None),
    (COUNTED, "hami", "nvidia.com/gpu: 8", "dra-hami", None),
    (COUNTED, "volcengine-mgpu", f"requests.{VKE}-memory: 4096", "dra-hami", None),
    (QUEUE, "hami", "nvidia.com/gpumem: 4096", "dra-hami", None),
    (QUEUE, "dra-hami", f"cores.{DEVICES}: 800", "hami", None),
    (QUEUE, "dra-hami", f"cores.{DEVICES}: 800", "dra-nvidia", None),
    (QUEUE, "dra-hami", f"{DEVICES}: 8", "koordinator", None),
    (LIMITS, "hami", "nvidia.com/gpu: 8", "dra-hami", None),
]


@pytest.mark.parametrize(("text", "source", "entry", "target", "wanted"), MOVED)
def test_an_amount_of_claims(text: str, source: str, entry: str, target: str, wanted: str | None) -> None:
    """There, and back byte for byte; what has no counterpart is left with its number."""
    before = text.format(entry)
    done = translated(before, source, target)
    outcomes = {str(one.outcome) for one in done.quotas}
    if wanted is None:
        assert (done.text, outcomes) == (before, {"left"})
        assert all("decide about " in str(one.diagnostic.hint) for one in done.leftovers)
        assert len(done.leftovers) == len(done.quotas) == before.count(entry)
        return
    assert (done.leftovers, done.text, outcomes) == ([], text.format(wanted), {"exact"})
    assert translated(done.text, target, source).text == before
    if text is COUNTED:
        kubernetes_validate.validate(yaml.safe_load(done.text), "1.34", strict=True)


@pytest.mark.parametrize(("text", "name"), [(COUNTED, f"deviceclass/{HAMI}"), (QUEUE, f"{HAMI}{COUNT}")])
def test_a_name_of_another_kind_is_no_amount(text: str, name: str) -> None:
    """It has no effect there, and is listed."""
    done = translated(text.format(f"{name}: 8"), "dra-hami", "hami")
    assert not done.quotas
    assert {one.key for one in done.leftovers} == {name}


def test_two_names_that_would_be_one() -> None:
    """The count of devices and that of cards, in one ResourceQuota."""
    both = f"{HAMI}{COUNT}: 8\n    requests.volcano.sh/vgpu-number: 4"
    text = COUNTED.format(both)
    for target in ("hami", "metax-sgpu"):
        done = translated(text, None, target)
        assert (len(done.leftovers), done.text) == (2, text)
        assert all("would be in this object twice" in one.diagnostic.message for one in done.leftovers)
    done = translated(text, "volcano-vgpu", "dra-hami")
    assert (len(done.leftovers), done.text) == (1, text)
    assert "is in this object already" in done.leftovers[0].diagnostic.message


# --- at random ----------------------------------------------------------------------------------

NUMBERS = st.one_of(st.integers(0, 40), st.integers(0, 2**20), st.integers(0, 2**63 - 1)).map(str)
ODD_TEXTS = ["7.5", "64Gi", "100k", "3000m", "-4", "1e3", "0x10", "010", "~", "", "{}", "[4]", "four"]
ODD = st.sampled_from(ODD_TEXTS)
QUOTES = st.sampled_from(["{}", "'{}'", '"{}"'])
PREFIXES = st.sampled_from(["requests.", "limits.", ""])


@st.composite
def amounts(draw: st.DrawFn, dialect: str) -> list[tuple[str, str, str]]:
    """Resources of one dialect and more: prefix, name, the number as it is written."""
    own = [name for owner, name in KEYS if owner == dialect]
    names = st.one_of(st.sampled_from(own), st.sampled_from(sorted({name for _, name in KEYS} | {"pods"})))
    found = {}
    for _ in range(draw(st.integers(1, 5))):
        number = draw(QUOTES).format(draw(NUMBERS)) if draw(st.integers(0, 5)) else draw(ODD)
        found[draw(PREFIXES), draw(names)] = number
    return [(prefix, name, number) for (prefix, name), number in found.items()]


Entries = list[tuple[str, str, str]]


def quota(entries: Entries) -> str:
    numbered = enumerate(entries)
    lines = "".join(f"    {prefix}{name}: {number}  # {n}\n" for n, (prefix, name, number) in numbered)
    return f"apiVersion: v1\nkind: ResourceQuota\nmetadata: {{name: q}}\nspec:\n  hard:\n{lines}"


def limit_range(entries: Entries) -> str:
    numbers = {name: number for _, name, number in entries}
    lines = "".join(f"      {name}: {number}\n" for name, number in numbers.items())
    return (
        "apiVersion: v1\nkind: LimitRange\nmetadata: {name: l}\nspec:\n  limits:\n"
        f"  - type: Container\n    max:\n{lines}    default:\n{lines}"
    )


def leaves(data: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(data, dict):
        for name, value in data.items():
            yield name, value
            yield from leaves(value)
    elif isinstance(data, list):
        for one in data:
            yield from leaves(one)


def is_next(backend: Backend, one: QuotaItem) -> bool:
    """It is the next number of the key: of a sum by its unit, of a container one that it may have."""
    row = row_of(backend, bare(one.new_key or ""))
    assert row is not None
    assert one.given is not None
    assert one.asked is not None
    unit = backend.unit(row, None)
    if not one.each:
        return one.given - one.asked < max(unit, 1)
    number = one.given / unit
    legal = [each.least <= number and (each.most is None or number <= each.most) for each in row.ranges]
    return number == 0 or any(legal) or not legal


def bare(key: str) -> str:
    return key.removeprefix("requests.").removeprefix("limits.")


@tries(600)
@given(st.data())
def test_amounts_are_moved_or_left(data: st.DataObject) -> None:
    source = data.draw(st.sampled_from(sorted({dialect for dialect, _ in KEYS})))
    target = data.draw(st.sampled_from(TARGETS))
    make = data.draw(st.sampled_from([quota, limit_range]))
    chosen = data.draw(st.sampled_from([source, None]))
    text = make(data.draw(amounts(source)))
    accept = Accept(data.draw(st.booleans()))
    done = translated(text, chosen, target, accept, allow_leftovers=True)
    if any(one.severity is Severity.ERROR for one in done.diagnostics):
        assert done.text == text
        return
    new = dict(leaves(yaml.safe_load(done.text)))
    assert len(done.text.splitlines()) == len(text.splitlines())
    for one in done.quotas:
        if one.new_key is None:
            assert one.key in new
            continue
        assert one.given is not None
        assert one.asked is not None
        assert one.given >= one.asked
        assert (one.given == one.asked) == (one.outcome == "exact")
        assert is_next(registry.get(target), one)
    left = {one.key for one in done.leftovers}
    for one in done.quotas:  # nothing that is read stays without a word
        assert one.key not in new or bare(one.key) in left or one.new_key == one.key


@tries(400)
@given(st.data())
def test_what_is_exact_comes_back(data: st.DataObject) -> None:
    """Byte for byte, with one key of the source: a second one may be the only way to say the number."""
    group = data.draw(st.sampled_from([one for one in GROUPS.values() if len(one) > 1]))
    source, target = data.draw(st.permutations(sorted(group)).map(lambda names: names[:2]))
    if not {source, target} <= {*TARGETS}:
        return
    if any(one.names_other_vendor(two) for one, two in permutations(map(registry.get, (source, target)))):
        return
    name, number = group[source].rsplit(": ", 1)
    suffix = number.lstrip("0123456789")
    written = data.draw(QUOTES).format(f"{data.draw(st.integers(1, 2**40))}{suffix}")
    prefix = data.draw(PREFIXES)
    text = quota([(prefix, name, written)])
    there = translated(text, source, target, allow_leftovers=True)
    back = translated(there.text, target, source, allow_leftovers=True)
    if there.leftovers or there.text == text:
        assert there.text == text
        rounded = "rounded" in {str(one.outcome) for one in there.quotas}
        too_large = any("no number of" in one.diagnostic.message for one in there.leftovers)
        # with ``limits.`` HAMi's scheduler adds up what all cards give, and Volcano's does not
        keepers = {registry.get(dialect).scheduling.keeps_quotas for dialect in (source, target)}
        counts_otherwise = prefix == "limits." and len(keepers) == 2
        assert rounded or too_large or counts_otherwise or name == group[target].rsplit(": ", 1)[0]
    else:
        assert back.text == text
