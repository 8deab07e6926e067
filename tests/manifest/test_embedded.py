"""Keys in the text of a manifest that is in a string: which, and at which line and column."""

from gpuxlate.manifest.key_texts import EMBEDDED, named_in
from gpuxlate.manifest.named_keys import keys_named
from gpuxlate.yamltext.parse import documents
from gpuxlate.yamltext.source import Source

KEYS: list[tuple[str, list[str]]] = [
    ("limits: {vke.volcengine.com/mgpu-core: 30}", ["vke.volcengine.com/mgpu-core"]),
    ("limits:\n  aliyun.com/gpu-mem: 3\n  'aliyun.com/x' : 1", ["aliyun.com/gpu-mem", "aliyun.com/x"]),
    ('{"aliyun.com/gpu-mem":1,"a.b/c":"aliyun.com/gpu-mem.x"}', ["aliyun.com/gpu-mem", "a.b/c"]),
    ('{\\"aliyun.com/gpu-mem\\":1}', ["aliyun.com/gpu-mem"]),
    ("- - aliyun.com/gpu-mem: 1", ["aliyun.com/gpu-mem"]),
    # prose that mentions a key is no manifest
    ("Ask for aliyun.com/gpu-mem: it counts GiB.\nSee aliyun.com/gpu-count too.", []),
    ("/spec/limits/aliyun.com~1gpu-mem", []),
    ("--a.b/c ..d.e/f a/b .com/x x./y", []),
    ("a." * 50_000 + "\n/", []),
]


def test_keys_with_a_domain() -> None:
    assert {text: found for text, keys in KEYS if (found := EMBEDDED.findall(text)) != keys} == {}


def is_key(name: str) -> bool:
    return name.startswith("a.io/gpu") or name == "a.node.mode"


NAMED = [
    # YAML and JSON: keys, whole values, items; comments and parts of values are none
    ("x:\n- name: a.io/gpu\n", ["a.io/gpu"]),
    ("x: [cpu, a.io/gpu]\ny: {a.io/gpu-b: 1}\n", ["a.io/gpu", "a.io/gpu-b"]),
    ("x: 1 # a.io/gpu\n# a.io/gpu: 2\ny: of a.io/gpu\n", []),
    ("a.io/gpu: 1\n---\nrequests.a.io/gpu: 2\n", ["a.io/gpu", "a.io/gpu"]),
    ('{"k": "a.io/gpu", "l": "registry.a.io/gpu:1"}', ["a.io/gpu"]),
    ("data:\n  pod: |\n    limits:\n      a.io/gpu: 1\n", ["a.io/gpu"]),
    ('"a": "{\\"a.io/gpu\\": 1}"\nb: \'{}\'\n', ["a.io/gpu"]),
    # templates
    ("{{ if .x }}\nlimits:\n  a.io/gpu: {{ .y }}\n{{ end }}", ["a.io/gpu"]),
    # code
    ("x = {'a.io/gpu': 1,\n 'b': 2}\nx['a.io/gpu'] = 2\nf(x, \"a.io/gpu\")", ["a.io/gpu"] * 3),
    ('c.limits["a.io/gpu"] > 8', ["a.io/gpu"]),
    ("!('a.io/gpu' in c.resources.limits)", ["a.io/gpu"]),
    ('{{ request.limits."a.io/gpu" }}', ["a.io/gpu"]),
    ("spec.limits.[a.io/gpu]", ["a.io/gpu"]),
    ("--resource=a.io/gpu", ["a.io/gpu"]),
    ("kubectl get pods -l a.io/gpu=2,b=c", ["a.io/gpu"]),
    # paths of Helm, jsonpath and JSON pointers
    (r"resources.limits.a\.io/gpu", ["a.io/gpu"]),
    (r"--set nodeSelector.a\.node\.mode=x", ["a.node.mode"]),
    ("/spec/limits/a.io~1gpu", ["a.io/gpu"]),
    # anchors of Kyverno
    ("limits:\n  =(a.io/gpu): '<8'\n  (a.io/gpu-b): 1\n", ["a.io/gpu", "a.io/gpu-b"]),
    # prose
    ("the policy forbids a.io/gpu", []),
    ('"a.io/gpu" in GiB. Then more.', []),
    ("a.io/gpu: GiB of a card", []),
    ("Say a.io/gpu\nor (a.io/gpu), `a.io/gpu` and [a.io/gpu](x)\n", []),
    ("see https://a.io/gpu-sharing\nand https://a.io/gpu?x=1", []),
]


def test_what_a_text_names() -> None:
    wrong = {}
    for text, keys in NAMED:
        found = list(named_in(text, is_key))
        places = [not one.end or one.name[-3:] in text[one.start : one.end] for one in found]
        if [one.name for one in found] != keys or not all(places):
            wrong[text] = found
    assert wrong == {}


PLACES = [
    ("d:\n  p: |\n    limits:\n      a.io/gpu: 1\n    requests:\n      a.io/gpu: 1\n", ["4:7", "6:7"]),
    ("d:\n  p: |2-\n      limits: {a.io/gpu: 1}\n    # a.io/gpu\n    b: {'a.io/gpu': 2}\n", ["3:16", "5:10"]),
    ("d:\n  p: |4+\n      l:\n        a.io/gpu: 1\n", ["4:9"]),
    ("d:\r\n  p: |\r\n    l:\r\n      a.io/gpu: 1\r\n    a.io/gpu: 2\r\n", ["4:7", "5:5"]),
    ("d: >-\n  {l: {a.io/gpu: 1,\n  a.io/gpu-b: 2}}\n", ["2:8", "3:3"]),
    ("d: '{\"l\": {''a.io/gpu'': 1}}'\n", ["1:14"]),
    ('d: "{\\"l\\": {\\"a.io/gpu\\": 1}}"\n', ["1:16"]),
    ('d: "l:\\n  a.io/gpu: 1\\n"\n', ["1:11"]),
    ('d: "l:\\n\\\n  \\  a.io/gpu: 1\\n"\n', ["2:6"]),
    ('d: "l: {a.io\\/gpu: 1}"\n', ["the string"]),  # escapes hide the key
    ('d: "l: {a.io\\x2Fgpu: 1}"\n', ["the string"]),
    ("d: l={a.io/gpu}\nx: {y: &t '{\"a.io/gpu\": 1}', z: *t}\n", ["2:14"]),
    ("d: | # a.io/gpu: 1\n  a.io/gpu: 2\n", ["2:3"]),
    ("d: |\n  x: a.io/gpu.b a.io/gpu\n  y: a.io/gpu\n", ["3:6"]),
    ("- --set\n- resources.limits.a\\.io/gpu=3\n", ["2:20"]),
    ("- op: add\n  path: /limits/a.io~1gpu\n", ["2:17"]),
    ("d: 'x=\u00e9\U0001f600 --y=a.io/gpu'\n", ["1:14"]),
    ('{"d": "[{\\"path\\":\\"/limits/a.io~1gpu\\",\\"v\\":4}]"}', ["1:29"]),
    ("metadata: {annotations: {kubectl.kubernetes.io/last-applied-configuration: '{\"a.io/gpu\":1}'}}\n", []),
]


def test_at_which_line_and_column() -> None:
    wrong: dict[str, list[str]] = {}
    for text, at in PLACES:
        source = Source("f.yaml", text)
        named = [one for document in documents(source) for one in keys_named(document, is_key)]
        assert all(one.embedded for one in named), text
        found = ["{}:{}".format(*source.position(one.at[0])) if one.at else "the string" for one in named]
        wrong |= {text: found} if found != at else {}
    assert wrong == {}


def test_of_a_long_text_each_place_is_looked_up_once() -> None:
    """Its time grows with the text, not with its square."""
    keys = "".join(f"  a.io/gpu-{n}: 1\n" for n in range(20_000))
    text = "d: |\n  a.io/gpu: 1 # " + "\\" * 50 + "\n" + keys
    [document] = documents(Source("f.yaml", text))
    found = list(keys_named(document, is_key))
    assert [one.at is not None for one in found] == [True] * 20_001
