"""Suppressing findings with a reason: comments, annotations, configuration; and GX009 for what is unused."""

import pytest

from tests.lint.conftest import lint, pod, write

pytestmark = pytest.mark.usefixtures("folder")
SUFFIX = "aliyun.com/gpu-mem: 2Gi"  # K8S002, line 11


def deployment(annotations: str = "", template: str = "", line: str = SUFFIX) -> str:
    """K8S002 in line 15, and K8S005 (a label on the workload alone) in line 5."""
    return (
        "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\n"
        '  labels: {aliyun.com/gpu-count: "2"}\n'
        f"  annotations: {{{annotations}}}\n"
        "spec:\n  template:\n    metadata:\n"
        f"      annotations: {{{template}}}\n"
        "    spec:\n      containers:\n      - name: web\n        resources: {limits: {\n"
        f"          {line}}}}}\n"
    )


ON, ABOVE = f"{SUFFIX} # gpuxlate: ignore", "# gpuxlate: ignore[K8S002]"
# what is written among the limits, from line 11 on; what is found; how many are suppressed
COMMENTS: dict[str, tuple[str, str, int]] = {
    "on the line": (f"{SUFFIX}  # gpuxlate: ignore[K8S002] the unit is right", "", 1),
    "above": (f"{ABOVE} so it is\n{SUFFIX}", "", 1),
    "above, with more comments": (f"{ABOVE} so\n#   it is\n{SUFFIX}", "", 1),
    "two above each other": (f"{ABOVE} one\n# gpuxlate: ignore[GX007] two\n{SUFFIX}", "12:9 GX009", 1),
    "tight": (f"{SUFFIX} #gpuxlate:ignore[K8S002]", "", 1),
    "in small letters": (f"{ON}[k8s002]", "", 1),
    "several codes": (f"{ON}[GX007, K8S002]", "11:33 GX009", 1),
    "after other words": (f"{SUFFIX} # see the wiki # gpuxlate: ignore[K8S002]", "", 1),
    "below": (f"{SUFFIX}\n{ABOVE}", "11:29 K8S002, 12:9 GX009", 0),
    "two lines above": (f"{ABOVE}\ncpu: 1\n{SUFFIX}", "11:9 GX009, 13:29 K8S002", 0),
    "on the line above, behind something": (f"cpu: 1 {ABOVE}\n{SUFFIX}", "11:16 GX009, 12:29 K8S002", 0),
    "of another rule": (f"{ON}[K8S001]", "11:29 K8S002, 11:33 GX009", 0),
    "of the beginning of codes": (f"{ON}[K8S]", "11:29 K8S002, 11:33 GX009", 0),
    "of nothing": (ON, "11:29 K8S002, 11:33 GX009", 0),
    "of an empty list": (f"{ON}[]", "11:29 K8S002, 11:33 GX009", 0),
    "that only looks alike": (f"{ON}d for years", "11:29 K8S002", 0),
    "that is none": (f'{SUFFIX}\na: "x#gpuxlate: ignore[K8S002]"', "11:29 K8S002", 0),
}


def at(places: str) -> list[str]:
    return [f"a.yaml:{one}" for one in places.split(", ") if one]


@pytest.mark.parametrize("name", COMMENTS)
def test_a_comment(name: str) -> None:
    text, findings, suppressed = COMMENTS[name]
    write({"a.yaml": pod(text)})
    said = lint("a.yaml")
    assert (said.findings, said.code) == (at(findings), 1 if "K8S" in findings else 0)
    assert said.json["summary"]["suppressed"] == suppressed


def test_a_comment_at_a_string_counts_for_its_text() -> None:
    """A comment inside of a string counts for its line; the finding is at the first key of the object."""
    text = "kind: ConfigMap\ndata:\n  %s\n  p: |\n    x:\n    %s\n    aliyun.com/gpu-mem: 1\n    %s\n"
    comment = "# gpuxlate: ignore[GX014] by hand"
    for above, inside, below, findings in (
        ("", "", "", "7:5 GX014"),
        (comment, "", "", ""),
        ("", comment, "", ""),
        ("", "", comment, "7:5 GX014, 8:5 GX009"),
    ):
        write({"a.yaml": text % (above, inside, below) + "    aliyun.com/gpu-count: 2\n"})
        assert lint("a.yaml", "--fail-on", "never").findings == at(findings)


def test_the_words_of_an_unused_ignore() -> None:
    for codes, message, hint in (
        ("K8S001", "ignore of K8S001 matches no finding", "remove the ignore"),
        ("K8S02", "ignore of K8S02, which is not a rule", "did you mean K8S002?"),
        ("VKE999", "ignore of VKE999, which is not a rule", "did you mean VKE009?"),
        ("", "this ignore names no rule", "write the codes in brackets: ignore[GX007] and a reason"),
    ):
        comment = f"# gpuxlate: ignore[{codes}]"
        write({"a.yaml": pod(f"aliyun.com/gpu-mem: 2  {comment}")})
        (one,) = lint("a.yaml").diagnostics
        assert (one["code"], one["severity"], one["message"]) == ("GX009", "warning", message)
        assert one["hint"] in (hint, "gpuxlate rules lists them")
        assert (one["line"], one["column"], one["endColumn"]) == (11, 32, 32 + len(comment))


REASON = 'gpuxlate.io/ignore: "K8S002, K8S005: the webhook mends both, see PR123"'
# the annotations of the object, those of the pod template, what is found
ANNOTATIONS = {
    "on the object": ("gpuxlate.io/ignore: 'K8S002,K8S005'", "", ""),
    "on the object, with a reason": (REASON, "", ""),
    "on the pod template": ("", "gpuxlate.io/ignore: K8S002", "5:12 K8S005"),
    "on the pod template, for the workload": (
        *("", "gpuxlate.io/ignore: K8S005", "5:12 K8S005, 10:41 GX009, 15:31 K8S002"),
    ),
    "on both": ("gpuxlate.io/ignore: K8S005", "gpuxlate.io/ignore: K8S002", ""),
    "unused": ("gpuxlate.io/ignore: 'VKE012 K8S002'", "", "5:12 K8S005, 6:37 GX009"),
    "empty": ("gpuxlate.io/ignore: ''", "", "5:12 K8S005, 6:37 GX009, 15:31 K8S002"),
    "words alone": ("gpuxlate.io/ignore: everything", "", "5:12 K8S005, 6:37 GX009, 15:31 K8S002"),
}


@pytest.mark.parametrize("name", ANNOTATIONS)
def test_an_annotation(name: str) -> None:
    owner, template, findings = ANNOTATIONS[name]
    write({"a.yaml": deployment(owner, template)})
    assert lint("a.yaml").findings == at(findings)


def test_an_annotation_counts_for_its_own_object() -> None:
    one = deployment("gpuxlate.io/ignore: 'K8S002,K8S005'")
    write({"a.yaml": f"{one}---\n{deployment()}"})
    assert lint("a.yaml").codes == ["K8S005", "K8S002"]
    items = "\n".join(f"- {text.replace(chr(10), chr(10) + '  ').rstrip()}" for text in (one, deployment()))
    write({"b.yaml": f"apiVersion: v1\nkind: List\nitems:\n{items}\n"})
    said = lint("b.yaml")
    assert [d["path"][1] for d in said.diagnostics] == [1, 1]


def test_an_annotation_of_a_component_counts_for_it_alone() -> None:
    component = "{{annotations: {{{0}}}, containers: [{{name: c, resources: {{limits: {{{1}}}}}}}]}}"
    ignored = component.format("gpuxlate.io/ignore: K8S002", "aliyun.com/gpu-mem: 2Gi")
    other = component.format("", "aliyun.com/gpu-mem: 3Gi")
    head = "apiVersion: serving.kserve.io/v1beta1\nkind: InferenceService\nmetadata: {name: a}\nspec:\n"
    write({"a.yaml": f"{head}  predictor: {ignored}\n  transformer: {other}\n"})
    found = lint("a.yaml", "--select", "K8S002,GX009").findings
    assert [one.split(":")[1] for one in found] == ["6"]


def test_an_annotation_of_a_share_document() -> None:
    text = (
        "apiVersion: gpuxlate.io/v1alpha1\nkind: GPUShare\n"
        "metadata: {name: a, annotations: {gpuxlate.io/ignore: «»}}\nspec: {cards: 2, cores: 75}\n"
    )
    write({"a.yaml": text.replace("«»", "GX011"), "b.yaml": text.replace("«»", "GX010")})
    assert lint("a.yaml").codes == []
    assert lint("b.yaml").codes == ["GX009", "GX011"]


def test_a_comment_beside_broken_yaml() -> None:
    write({"a.yaml": "a: b: c # gpuxlate: ignore[GX001] sent upstream\n"})
    assert lint("a.yaml").codes == []


def test_with_a_selection() -> None:
    write({"a.yaml": pod("aliyun.com/gpu-mem: 2Gi # gpuxlate: ignore[K8S002] x # gpuxlate: ignore[GX007]")})
    for arguments, findings in (
        ("--select GX", "11:62 GX009"),  # of a rule that is off nobody can say that it is unused
        ("--select GX009,K8S002", ""),
        ("--select GX009,GX007", "11:62 GX009"),
        ("--ignore GX009", ""),
        ("--ignore K8S002", "11:62 GX009"),
        ("--select ACK", ""),
    ):
        assert lint("a.yaml", *arguments.split()).findings == at(findings), arguments
