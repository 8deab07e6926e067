"""Choices of cards: annotations and models as selectors of claims, and back."""

import json
import re
from typing import Any

import pytest

import gpuxlate
from tests.test_kubernetes_schemas import refusal

DRIVERS = {"dra-hami": "hami-core-gpu.project-hami.io", "dra-nvidia": "gpu.nvidia.com"}
PROFILE = {
    "dra": {"nvidiaConsumableShares": "memory"},
    "catalogue": [{"name": "A40", "vendor": "nvidia", "productName": "NVIDIA A40"}],
}
POD = """\
apiVersion: v1
kind: Pod
metadata:
  name: web
  annotations:
{}spec:
  containers:
{}"""
CONTAINER = (
    "    - name: {0}\n      image: {0}\n      resources:\n        limits:\n          {1}\n          {2}{3}\n"
)
SHARES = {
    "hami": ("nvidia.com/gpu: 1", "nvidia.com/gpumem: "),
    "volcano-vgpu": ("volcano.sh/vgpu-number: 1", "volcano.sh/vgpu-memory: "),
    "neutral": ("gpuxlate.io/cores: 30", "gpuxlate.io/memory-mib: "),
}


def pod(dialect: str, *annotations: str) -> str:
    containers = "".join(
        CONTAINER.format(name, *SHARES[dialect], mib) for name, mib in (("web", 2048), ("side", 1024))
    )
    text = POD.format("".join(f"    {one}\n" for one in annotations), containers)
    return text + ("  schedulerName: volcano\n" if dialect == "volcano-vgpu" else "")


def translate(text: str, target: str, **more: Any) -> gpuxlate.Translation:
    return gpuxlate.translate(text, target, profile={"target": target, **PROFILE}, **more)


def selectors(made: gpuxlate.Translation) -> list[list[str]]:
    """The expressions of each claim."""
    templates = [one["spec"]["spec"] for one in made.objects if one["kind"] == "ResourceClaimTemplate"]
    exactly = [request["exactly"] for one in templates for request in one["devices"]["requests"]]
    return [[each["cel"]["expression"] for each in one.get("selectors", [])] for one in exactly]


USE, AVOID, A100 = "nvidia.com/use-", "nvidia.com/nouse-", "NVIDIA A100-SXM4-80GB"
T4_MODEL, NO_T4 = '@.productName in ["Tesla T4"]', '!(@.productName in ["Tesla T4"])'
MODELS = ["gpuxlate.io/device-vendor: nvidia", 'gpuxlate.io/device-models: "T4-16GB,A10-24GB"']
ALL = [f"{USE}gputype: Tesla T4", f"{AVOID}gputype: {A100}", f"{USE}gpuuuid: GPU-a", f"{AVOID}gpuuuid: GPU-b"]
ALL_CHOSEN = ['@.uuid in ["GPU-a"]', '!(@.uuid in ["GPU-b"])', f'!(@.productName in ["{A100}"])', T4_MODEL]
A40_T4, L4_L40 = f'{USE}gputype: "NVIDIA A40,Tesla T4"', f'{USE}gputype: "NVIDIA L4,NVIDIA L40"'
OF_VOLCANO = ["volcano.sh/vgpu-use-gpuuuid: GPU-a", f"{AVOID}gputype: Tesla T4"]
# annotations of a dialect, and the expressions of each claim, where @ is the device's attributes
BOTH_WAYS = {
    "a UUID": ("hami", [f"{USE}gpuuuid: GPU-a"], ['@.uuid in ["GPU-a"]']),
    "UUIDs": ("hami", [f'{USE}gpuuuid: "GPU-b,GPU-a"'], ['@.uuid in ["GPU-b", "GPU-a"]']),
    "UUIDs to avoid": ("hami", [f'{AVOID}gpuuuid: "GPU-a,b"'], ['!(@.uuid in ["GPU-a", "b"])']),
    "a model": ("hami", [f"{USE}gputype: Tesla T4"], [T4_MODEL]),
    "models, of a profile too": ("hami", [A40_T4], ['@.productName in ["NVIDIA A40", "Tesla T4"]']),
    "a list that has all that match": ("hami", [L4_L40], ['@.productName in ["NVIDIA L4", "NVIDIA L40"]']),
    "a model to avoid": ("hami", [f"{AVOID}gputype: Tesla T4"], [NO_T4]),
    "all of them": ("hami", ALL, ALL_CHOSEN),
    "Volcano": ("volcano-vgpu", OF_VOLCANO, ['@.uuid in ["GPU-a"]', NO_T4]),
    "models of a share": ("neutral", MODELS, ['@.productName in ["Tesla T4", "NVIDIA A10"]']),
}


@pytest.mark.parametrize("target", DRIVERS)
@pytest.mark.parametrize("title", BOTH_WAYS)
def test_there_and_back(title: str, target: str) -> None:
    """Byte for byte, at each claim of the pod."""
    dialect, annotations, expected = BOTH_WAYS[title]
    more = ["cores"] if (dialect, target) == ("neutral", "dra-nvidia") else []
    there = translate(pod(dialect, *annotations), target, drop=more)
    wanted = [one.replace("@", f'device.attributes["{DRIVERS[target]}"]') for one in expected]
    assert [sorted(one) for one in selectors(there)] == [sorted(wanted)] * 2
    assert "DRA012" not in {one.code for one in there.diagnostics}
    assert all(refusal(one, "1.36") is None for one in there.objects)
    back = translate(there.text, dialect)
    # annotations are put back in the order of the dialect
    lines = [one for one in pod(dialect, *annotations).splitlines() if not (more and "cores" in one)]
    assert sorted(back.text.splitlines()) == sorted(lines)


def test_byte_for_byte() -> None:
    """In the order of the dialect; by way of the other driver; and with a comment, to another plug-in."""
    text = pod("hami", 'nvidia.com/use-gputype: "NVIDIA A40,Tesla T4"', "nvidia.com/nouse-gpuuuid: GPU-b")
    there = translate(text, "dra-hami").text
    assert translate(there, "hami").text == text
    other = translate(there, "dra-nvidia").text
    assert other.count('device.attributes["gpu.nvidia.com"]') == 4
    assert translate(translate(other, "dra-hami").text, "hami").text == text
    text = pod("hami", "nvidia.com/use-gpuuuid: GPU-a # the new one")
    made = translate(text, "volcano-vgpu").text
    assert "    volcano.sh/vgpu-use-gpuuuid: GPU-a # the new one\n" in made
    assert translate(made, "hami").text == text


REFUSED = {
    "a part of a name": (["nvidia.com/use-gputype: A100"], "A100 is not a whole product name"),
    "another case": (["nvidia.com/nouse-gputype: tesla t4"], "tesla t4 is not a whole product name"),
    "one of several": (['nvidia.com/use-gputype: "Tesla T4,V100"'], ": V100 is not a whole product name"),
    "a name in others": (["nvidia.com/use-gputype: NVIDIA A10"], "is about NVIDIA A100-SXM4-80GB too"),
    "spaces": (['nvidia.com/use-gpuuuid: "GPU-a, GPU-b"'], ""),
    "an empty name": (['nvidia.com/use-gputype: "Tesla T4,"'], ""),
    "quotes": (["nvidia.com/use-gpuuuid: 'a\"b'"], ""),
    "too long": ([f"nvidia.com/use-gpuuuid: {'a' * 10240}"], ""),
}


@pytest.mark.parametrize("title", REFUSED)
def test_not_in_a_claim(title: str) -> None:
    """A loss, with DRA012 where the names are why."""
    annotations, reason = REFUSED[title]
    with pytest.raises(gpuxlate.Refused) as error:
        translate(pod("hami", *annotations), "dra-hami")
    found = error.value.diagnostics
    assert {one.code for one in found} == {"GX020", *(["DRA012"] if reason else [])}
    assert all(reason in one.message for one in found if one.code == "DRA012")
    assert selectors(translate(pod("hami", *annotations), "dra-hami", drop=["selector"])) == [[], []]


CLAIMS = translate(pod("hami", "nvidia.com/use-gpuuuid: GPU-a"), "dra-hami").text
AT = 'device.attributes["hami-core-gpu.project-hami.io"]'
READ = {
    f'{AT}.uuid == "GPU-b"': "nvidia.com/use-gpuuuid: GPU-b",
    "device.attributes['hami-core-gpu.project-hami.io'].uuid in ['GPU-b']": "nvidia.com/use-gpuuuid: GPU-b",
    f" ! ( {AT} . uuid in [ 'a' ,\"b\" ] ) ": 'nvidia.com/nouse-gpuuuid: "a,b"',
    f"{AT}.productName == 'Tesla T4'": "nvidia.com/use-gputype: Tesla T4",
    f"{AT}.productName == 'NVIDIA A10'": None,  # of a device that HAMi cannot name alone
    f"{AT}.productName == 'Unknown'": None,
    f"{AT}.uuid in []": None,
    f"{AT}.uuid in ['a,b']": None,
    f"{AT}.uuid != 'a'": None,
    f"{AT}.uuid in ['a'] || true": None,
    f"({AT}.uuid in ['a'])": None,
    f"!({AT}.uuid in ['a']": None,
    f"{AT}.brand == 'Tesla'": None,
    'device.attributes["gpu.nvidia.com"].uuid in ["GPU-a"]': None,
}


def written(*expressions: str) -> str:
    """The claims of the pod, one expression for each."""
    given = iter(expressions)
    return re.sub(r"expression: .*", lambda _: f"expression: {json.dumps(next(given))}", CLAIMS)


@pytest.mark.parametrize("expression", READ)
def test_expressions(expression: str) -> None:
    annotation = READ[expression]
    text = written(expression, expression)
    if annotation is not None:
        assert translate(text, "hami").text == pod("hami", annotation)
        return
    with pytest.raises(gpuxlate.Refused) as error:
        translate(text, "hami")
    assert {one.code for one in error.value.diagnostics} == {"GX020"}
    assert "annotations" not in translate(text, "hami", drop=["selector", "device"]).text


def test_what_is_refused_of_models_and_claims() -> None:
    """A choice of one container is not that of its pod; a model without a name is in no claim."""
    differ = written(f"{AT}.uuid == 'a'", f"{AT}.uuid == 'b'")
    unnamed = pod("neutral", "gpuxlate.io/device-models: A100-80GB")
    why = "GX020 device A100-80GB is not supported by dra-hami"
    for text, target, message in ((differ, "hami", "GX020"), (unnamed, "dra-hami", why)):
        with pytest.raises(gpuxlate.Refused, match=message):
            translate(text, target)
    text = written(*[f"{AT}.productName in ['NVIDIA A10']"] * 2)
    assert [one.share.device.models for one in translate(text, "neutral").items] == [("A10-24GB",)] * 2
