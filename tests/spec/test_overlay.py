"""The schema over Kubernetes manifests, on every manifest that a rule is tested with."""

import re
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from gpuxlate.config.number_schema import LOWEST, as_integer, as_string
from gpuxlate.model.keys import Range
from gpuxlate.translation.api_results import load_documents
from gpuxlate.yamltext.parse import NotYamlError
from tests.lint.cases import SERVED, Case
from tests.lint.conftest import pod
from tests.schemas import validator

ROOT = Path(__file__).parents[2]
OVERLAY = validator("kubernetes-overlay")

SAYABLE = {
    *("ACK001", "ACK006", "ACK007", "ACK010", "ACK017"),
    *("GX003", "GX013", "K8S001", "K8S002", "K8S004", "K8S006", "K8S007", "K8S008"),
    *("TKE001", "TKE002", "TKE005", "TKE014"),
    *("VKE003", "VKE004", "VKE011", "VKE016", "VKE028"),
}
"""Rules of one value, one container or one pod template that the data sheets hold: all of them."""
ALSO = {
    *("ACK002/bad-text.yaml", "ACK002/bad-zero.yaml", "TKE010/bad.yaml", "TKE012/bad-class.yaml"),
    "VKE012/bad.yaml",
}
"""Bad cases of rules that a schema can say in part."""
NOT = {
    "GX013/bad-partition.yaml",  # an annotation of a family of names
    "K8S007/bad-topology.yaml",  # two keys of one vendor
    *("K8S001/bad-below-zero.yaml", "K8S002/bad-whole-cards.yaml"),  # the common key, which is no vendor's
    # names under no prefix of a vendor's own, which the schema cannot know
    *(f"GX003/bad-{case}.yaml" for case in ("other-separator", "other-domain", "volcengine-domain")),
    "GX003/bad-name-of-a-scheduler.yaml",
    *(f"{code}/bad-quota.yaml" for code in ("GX003", "K8S001", "K8S002")),  # the schema is one of pods
}
EXCUSED = {"GX009/good.yaml"} | SERVED
"""What a comment excuses, or a server wrote; a schema reads neither."""


def flagged(text: str) -> list[tuple[str | int, ...]]:
    """Where the schema has something against a text."""
    found = [one for one in load_documents(text) if isinstance(one, dict) and "kind" in one]
    places = [tuple(error.absolute_path) for one in found for error in OVERLAY.iter_errors(one)]
    return list(dict.fromkeys(places))  # a value may be wrong in two ways


def the_schema_agrees(case: Case) -> None:
    """It flags what it can say of a case, and nothing that keeps the rules."""
    if case.is_bad and case.id not in NOT and (case.code in SAYABLE or case.id in ALSO):
        assert flagged(case.text)
    elif not (case.is_bad or case.id in EXCUSED or any(one.split()[1] in SAYABLE for one in case.findings)):
        try:
            assert flagged(case.text) == []
        except NotYamlError:
            assert "{{" in case.text


OTHERS = [
    path.relative_to(ROOT)
    for pattern in ("fixtures/clean/*.yaml", "fixtures/*/*/*.yaml", "examples/**/*.yaml")
    for path in ROOT.glob(pattern)
]
WRONG = {("fixtures", "lint"), ("examples", "pending")}
"""What is there to be found fault with."""
FOLDERS = sorted({path.parts[:2] for path in OTHERS} - WRONG)


@pytest.mark.parametrize("folder", FOLDERS, ids="/".join)
def test_golden_and_clean_files_pass(folder: tuple[str, ...]) -> None:
    wrong = {}
    for path in OTHERS:
        # templates are no YAML
        if path.parts[:2] == folder and not {"lint", "templates"} & {*path.parts}:
            wrong[path] = flagged((ROOT / path).read_text(encoding="utf-8"))
    assert {path: places for path, places in wrong.items() if places} == {}


def test_the_schema_keeps_its_own_example() -> None:
    for one in OVERLAY.schema["examples"]:
        OVERLAY.validate(one)


def test_the_place_of_a_finding() -> None:
    [place] = flagged(pod("tke.cloud.tencent.com/qgpu-core: 33\ntke.cloud.tencent.com/qgpu-memory: 4"))
    assert place == ("spec", "containers", 0, "resources", "limits", "tke.cloud.tencent.com/qgpu-core")


TEMPLATE = (
    "metadata: {labels: {aliyun.com/gpu-count: %s}}, "
    "spec: {containers: [{name: a, resources: {limits: {aliyun.com/gpu-mem: %s}}}]}"
)


def test_kinds() -> None:
    for whole in (
        "{kind: Deployment, spec: {template: {TEMPLATE}}}",
        "{kind: CronJob, spec: {jobTemplate: {spec: {template: {TEMPLATE}}}}}",
        "{kind: List, items: [{kind: StatefulSet, spec: {template: {TEMPLATE}}}]}",
        "{kind: PodList, items: [{kind: Pod, TEMPLATE}]}",
        "{kind: PodTemplate, template: {TEMPLATE}}",
    ):
        assert flagged(whole.replace("TEMPLATE", TEMPLATE % ('"2"', "4"))) == [], whole
        assert len(flagged(whole.replace("TEMPLATE", TEMPLATE % ("2", "0.5")))) == 2, whole


def test_any_kind_that_holds_containers() -> None:
    for kind in ("Rollout", "Workflow", "InferenceService"):
        text = (
            f"{{kind: {kind}, spec: {{a: [{{b: {{resources: {{limits: {{aliyun.com/gpu-mem: %s}}}}}}}}]}}}}"
        )
        assert (flagged(text % "4"), len(flagged(text % "4Gi"))) == ([], 1), kind
    for kind in ("ConfigMap", "CustomResourceDefinition", "ResourceQuota"):  # without pods
        text = f"{{kind: {kind}, spec: {{resources: {{limits: {{aliyun.com/gpu-mem: x}}}}}}}}"
        assert flagged(text) == [], kind


AMOUNTS = [  # the key and its number, and what an editor says of it (D26)
    ("aliyun.com/gpu-core.percentage: 100", ""),
    ("aliyun.com/gpu-core.percentage: 105", "write 5 to 100 in multiples of 5"),
    ("nvidia.com/gpu.shared: 2", ""),
    ("nvidia.com/gpu.shared: 0", "write 1 or more"),
    ("enflame.com/drs-gcu: 3", ""),
    ('enflame.com/drs-gcu: "2"', "write 1, 3, 6"),
    ("koordinator.sh/gpu-core: 200", ""),  # of two cards
]


@pytest.mark.parametrize(("line", "says"), AMOUNTS, ids=[line for line, _ in AMOUNTS])
def test_what_is_said_of_an_amount(line: str, says: str) -> None:
    [given] = load_documents(pod(f"{line}\naliyun.com/gpu-mem: 8" if line.startswith("aliyun") else line))
    name = line.split(":")[0]
    found = [one for one in OVERLAY.iter_errors(given) if name in one.absolute_path]
    assert [one.schema.get("errorMessage") for one in found] == ([says] if says else [])


RANGES = (
    *(Range(), Range(0), Range(5, 100, 5), Range(101, 200), Range(100, None, 100), Range(256), Range(999)),
    *(Range(7, 1234), Range(5, None, 5), Range(0, None, 2), Range(0, 12345, 10), Range(1000, 1400000, 100)),
    *(Range(LOWEST, 123), Range(LOWEST, None, 5), Range(LOWEST)),
)


@pytest.mark.parametrize("one", RANGES, ids=str)
def test_numbers_bare_and_quoted(one: Range) -> None:
    bare, quoted = Draft202012Validator(as_integer(one)), Draft202012Validator(as_string(one))
    for number in [*range(-3, 1500), 2559, 2560, 9999, 10000, 123456]:
        right = number >= one.least and (one.most is None or number <= one.most) and number % one.step == 0
        assert bare.is_valid(number) is right, number
        assert quoted.is_valid(str(number)) is right, number
    assert not any(quoted.is_valid(text) for text in ("", "05", "5.0", "5 ", "+5", "five", "5Gi"))


def test_a_range_that_no_pattern_can_say() -> None:
    for one in (Range(7, None, 7), Range(256, 1_000_000, 256), Range(-5, None, 5), Range(-9)):
        with pytest.raises(ValueError, match="cannot be expressed"):
            as_string(one)


def test_patterns_are_those_that_editors_know() -> None:
    """ECMA 262 and Python read these alike: no named groups, no \\A, \\Z, \\h, possessive or atomic ones."""
    text = (ROOT / "schemas" / "kubernetes-overlay.json").read_text()
    assert not re.search(r"\(\?[P<>]|\\\\[AZh]|[*+?}]\+", text)


def test_no_message_names_a_range_of_one_number() -> None:
    """D26: it said "write 1 to 1" for nvidia.com/gpu.shared."""
    properties = OVERLAY.schema["$defs"]["Limits"]["properties"]
    assert properties["nvidia.com/gpu.shared"]["errorMessage"] == "write 1 or more"
    told = {name: one.get("errorMessage", "") for name, one in properties.items()}
    assert not {name for name, text in told.items() if re.search(r"\b(\d+) to \1\b", text)}
