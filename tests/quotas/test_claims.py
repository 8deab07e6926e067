"""Amounts of claims: a queue of Volcano and a ResourceQuota name device classes, each in its own way."""

from __future__ import annotations

import kubernetes_validate
import pytest
import yaml

from tests.quotas.test_directions import translated

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
QUOTA = """\
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
    (QUOTA, "hami", "requests.nvidia.com/gpu: 8", "dra-hami", f"{HAMI}{COUNT}: 8"),
    (QUOTA, "metax-sgpu", "requests.metax-tech.com/sgpu: 8", "dra-nvidia", f"gpu.nvidia.com{COUNT}: 8"),
    (QUOTA, "dra-nvidia", f"gpu.nvidia.com{COUNT}: 8", "dra-hami", f"{HAMI}{COUNT}: 8"),
    # what the quota controller does not count; a total for what is of each card; whole cards alone
    (QUOTA, "hami", "limits.nvidia.com/gpu: 8", "dra-hami", None),
    (QUOTA, "hami", "nvidia.com/gpu: 8", "dra-hami", None),
    (QUOTA, "volcengine-mgpu", f"requests.{VKE}-memory: 4096", "dra-hami", None),
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
        assert all("decide about " in str(one.found.hint) for one in done.leftovers)
        assert len(done.leftovers) == len(done.quotas) == before.count(entry)
        return
    assert (done.leftovers, done.text, outcomes) == ((), text.format(wanted), {"exact"})
    assert translated(done.text, target, source).text == before
    if text is QUOTA:
        kubernetes_validate.validate(yaml.safe_load(done.text), "1.34", strict=True)


@pytest.mark.parametrize(("text", "name"), [(QUOTA, f"deviceclass/{HAMI}"), (QUEUE, f"{HAMI}{COUNT}")])
def test_a_name_of_another_kind_is_no_amount(text: str, name: str) -> None:
    """It has no effect there, and is listed."""
    done = translated(text.format(f"{name}: 8"), "dra-hami", "hami")
    assert not done.quotas
    assert {one.key for one in done.leftovers} == {name}


def test_two_names_that_would_be_one() -> None:
    """The count of devices and that of cards, in one ResourceQuota."""
    both = f"{HAMI}{COUNT}: 8\n    requests.volcano.sh/vgpu-number: 4"
    text = QUOTA.format(both)
    for target in ("hami", "metax-sgpu"):
        done = translated(text, None, target)
        assert (len(done.leftovers), done.text) == (2, text)
        assert all("would be in this object twice" in one.found.message for one in done.leftovers)
    done = translated(text, "volcano-vgpu", "dra-hami")
    assert (len(done.leftovers), done.text) == (1, text)
    assert "is in this object already" in done.leftovers[0].found.message
