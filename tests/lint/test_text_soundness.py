"""The test on the text of a file is sound: a text that it lets pass unread has no finding."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuxlate import backends
from gpuxlate.backends import registry
from gpuxlate.backends.job_parameters import JobBackend
from gpuxlate.files.find import Input
from gpuxlate.files.relevance import Search, might_have_gpu_keys
from gpuxlate.lint.check import lint_source
from gpuxlate.lint.files import Mode, check
from gpuxlate.lint.settings import LintSettings
from gpuxlate.manifest.pods import pods_in
from gpuxlate.model.pod import key_occurrences
from gpuxlate.rules import catalog
from gpuxlate.rules.catalog import check_pod
from gpuxlate.rules.key_index import KeyIndex, key_index_of, words
from gpuxlate.rules.unsupported_products import LOCAL_NAMES, PRODUCTS, has_gpu_name_without_domain
from gpuxlate.yamltext.parse import documents
from gpuxlate.yamltext.source import Source
from tests.effort import some, tries

BACKENDS = tuple(registry.pod_backends())
WORDS = KeyIndex(BACKENDS)
JOBS = [row for one in registry.job_backends() if isinstance(one, JobBackend) for row in one.job_rows]
ROWS = {row.template or row.name: row for backend in BACKENDS for row in backend.keys}
"""Of keys with the name of a card, those of one card."""
KEYS = sorted(
    {row.name.partition("*")[0] for row in ROWS.values()}
    | {prefix for backend in BACKENDS for prefix in backend.gpu_prefixes}
    | {name.replace("*", "a") for product in PRODUCTS for name in product.keys}
    | LOCAL_NAMES
    | {"gpuxlate.io/ignore", "aliyun.com/gpu-core"}
)

# the place of one key and its value: «»
PLACES = {
    "limits": "spec: {containers: [{name: a, resources: {limits: {«»}}}]}",
    "requests": "spec: {containers: [{name: a, resources: {requests: {«»}}}]}",
    "labels": "metadata: {labels: {«»}}\nspec: {containers: [{name: a}]}",
    "annotations": "metadata: {annotations: {«»}}\nspec: {containers: [{name: a}]}",
    "workload": "metadata: {annotations: {«»}}\nspec: {template: {spec: {containers: [{name: a}]}}}",
    "stray": "annotations: {«»}\nspec: {containers: [{name: a}]}",
    "selector": "spec: {nodeSelector: {«»}, containers: [{name: a}]}",
    "environment": "spec: {containers: [{name: a, env: [{name: ‹›, value: x}]}]}",
    "affinity": (
        "spec: {containers: [{name: a}], affinity: {nodeAffinity: "
        "{requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: "
        "[{matchExpressions: [{key: ‹›, operator: In, values: [x]}]}]}}}}"
    ),
    "data": "data: {«»}",
    "value": "data: {file: ‹›}",
}


def manifest(place: str, key: str, value: str) -> str:
    """``? key : value``, since a key over several lines must be said to be one."""
    body = PLACES[place].replace("«»", f"? {key} : {value}").replace("‹›", key)
    return f"apiVersion: v1\nkind: Pod\n{body}\n"


def has_findings(text: str) -> bool:
    # GX001 and GX012 speak of a text that is no manifest, whatever its keys
    found = lint_source(Source("a.yaml", text), LintSettings()).diagnostics
    return any(one.code not in ("GX001", "GX012") for one in found)


def is_sound(text: str) -> bool:
    return not has_findings(text) or might_have_gpu_keys(text.encode())


@st.composite
def misspelt(draw: st.DrawFn) -> str:
    """A known key with at most two letters put in, taken out or replaced."""
    key = draw(st.sampled_from(KEYS))
    for _ in range(draw(st.integers(0, 2))):
        at = draw(st.integers(0, len(key)))
        letter = draw(st.sampled_from(["", *'aegmopux-./_ 019AG"\\\té']))
        key = key[:at] + letter + key[at + draw(st.integers(0, 1)) :]
    return key


@st.composite
def quoted(draw: st.DrawFn, key: str) -> str:
    """A key in double quotes, some of its letters as escapes, broken over lines here and there."""
    escaped = draw(st.sets(st.integers(0, max(0, len(key) - 1)), max_size=4))
    parts = []
    for index, letter in enumerate(key):
        if index not in escaped:
            parts.append(json.dumps(letter, ensure_ascii=False)[1:-1])
            continue
        form = draw(st.sampled_from(["x", "u", "U", "/", "\n", "\r\n", "\x85", "\u2028"]))
        code = ord(letter)
        if form == "/":
            parts.append("\\/" if letter == "/" else f"\\x{code:02X}")
        elif form.isalpha():
            parts.append(f"\\{form}{code:0{ {'x': 2, 'u': 4, 'U': 8}[form] }x}")
        else:
            parts.append(f"\\{form} \t {letter}" if letter not in ' "\\\t' else f"\\x{code:02x}")
    return '"' + "".join(parts) + '"'


def test_the_words_are_those_of_the_data_sheets() -> None:
    assert words(tuple(registry.all_backends())) == backends.WORDS


TEMPLATE = "kind: Pod\nspec: {{ .Values.spec }}\n"


@pytest.mark.parametrize(
    "text",
    [
        "a: 1\n",
        "a: 1\n---\nb: [1]\n---\n# nothing\n",
        "apiVersion: v1\nkind: Pod\nspec: {containers: [{name: a, resources: {limits: {cpu: 1}}}]}\n",
        "a: &b [1]\nc: *b\n---\nd: *b\n",
        "a: {\n",
        "a: 1\n---\nb: {\n",
        TEMPLATE,
        f"a: 1\n---\n{TEMPLATE}---\nb: {{\n",
    ],
)
def test_a_named_text_without_words_is_checked_as_before(text: str) -> None:
    settings = LintSettings()
    assert not might_have_gpu_keys(text.encode())
    checked = check(Input("a.yaml", "a.yaml"), text.encode(), settings, Mode())
    assert checked.linted == lint_source(Source("a.yaml", text), settings)


def test_known_keys() -> None:
    texts = [manifest(place, json.dumps(key), "1") for key in KEYS for place in PLACES]
    assert [text for text in texts if not might_have_gpu_keys(text.encode()) and has_findings(text)] == []
    assert [text for text in some(texts) if not is_sound(text)] == []  # each is read, whatever it says


@tries(600)
@given(st.data())
def test_misspelt_and_hidden_keys(data: st.DataObject) -> None:
    key = data.draw(misspelt())
    hidden = data.draw(quoted(key))
    value = data.draw(st.sampled_from(["1", '"1"', "2Gi", "true", "null"]))
    assert is_sound(manifest(data.draw(st.sampled_from(sorted(PLACES))), hidden, value))


def test_every_way_to_hide_a_letter() -> None:
    """Each form of an escape in YAML 1.2.2, section 5.7, that can stand for a letter of a key."""
    for key in (
        r'"\x61liyun.com/gpu-mem"',
        r'"\u0061\u006ciyun.com\/gpu\x2dmem"',
        r'"aliyun.com\/gpu-me\U0000006d"',
        '"ali\\\n    yun.com/gpu\\\r\n\t-mem"',
        '"ali\\\x85yun.com/g\\\u2028pu-\\\u2029mem"',
    ):
        text = manifest("limits", key, "2Gi")
        assert (has_findings(text), might_have_gpu_keys(text.encode())) == (True, True), key


def test_most_texts_need_not_be_read() -> None:
    # a GPU of no vendor's share, a domain that looks alike, escapes that hide nothing
    for text in (
        "apiVersion: v1\nkind: ConfigMap\ndata: {policy: cards, cores: '8', a: \"b\\n\\u00e9\\x41\"}\n",
        "image: registry.example.com/team/server:1\n# https://kubernetes.io/docs/concepts/policy\n",
        "spec: {containers: [{name: a, resources: {limits: {cpu: 2, memory: 4Gi}}}]}\n",
        '{"editor.rulers": [110], "path": "C:\\\\users\\\\x"}\n',
    ):
        assert not might_have_gpu_keys(text.encode())


def test_other_encodings_and_the_keys_that_make_a_job_are_read() -> None:
    assert might_have_gpu_keys("kind: Pod".encode("utf-16-le"))
    assert all(might_have_gpu_keys(row.mark.encode()) for row in JOBS)


PIECES = ["a", "b", ".", "_", "/", "abc", "abcdefg", "com", "(", "*", "\n", "é"]


@tries(600)
@given(st.data())
def test_all_words_are_searched_for_at_once(data: st.DataObject) -> None:
    drawn = st.lists(st.sampled_from(PIECES), min_size=1, max_size=6).map("".join).map(str.encode)
    words = data.draw(st.lists(drawn, max_size=8))
    text = data.draw(st.lists(st.one_of(drawn, st.sampled_from(words or [b""])), max_size=8).map(b"".join))
    assert Search(words).finds(text) == any(word in text for word in words)


def test_escapes_far_from_each_other() -> None:
    plain = "a: b\n" * 9
    for key in (
        r'"\x61liyun.com/gpu-mem"',
        '"aliyun.com/g\\\r\n  pu-mem"',
        '"aliyun.com/g\\\r  pu-mem"',
        r'"n\x76idia.com\/x"',
    ):
        for before in ("", plain, f'{plain}c: "\\n"\n{plain}'):
            for behind in ("", plain, f'{plain}c: "\\n"'):
                assert might_have_gpu_keys(f"{before}{key}: 1\n{behind}".encode()), (before, key, behind)


def test_any_two_letters_of_a_key_may_be_wrong() -> None:
    keys = [name for name in WORDS.candidates if "/" in name]
    missed = []
    for key, first in some((one, first) for one in keys for first in range(len(one))):
        for second in range(first, len(key)):
            for letter in ("", "Q"):  # taken out, replaced
                text = key[:first] + letter + key[first + 1 : second] + letter + key[second + 1 :]
                if not might_have_gpu_keys(text.encode()) and WORDS.near_miss(text) is not None:
                    missed.append(text)
    assert missed == []


def concerns(words: KeyIndex, name: str) -> bool:
    """Some vendor-neutral rule may say something of the key: it is a vendor's, or looks like one."""
    known = words.rows(name) or words.is_read(name) or name in words.known_typos or name in LOCAL_NAMES
    return bool(known or words.near_miss(name) or words.product(name) or has_gpu_name_without_domain(name))


@tries(600)
@given(st.data())
def test_rules_of_no_vendor_are_looked_up_by_the_keys_of_a_pod(data: st.DataObject) -> None:
    """A pod without a key that concerns them has no finding of theirs: they are not tried on it."""
    key = data.draw(st.one_of(misspelt(), st.sampled_from(KEYS), st.text("abc./-", max_size=12)))
    value = data.draw(st.sampled_from(["1", '"1"', "2Gi", "0x1", "true", "null", "{}", "0.5"]))
    text = manifest(data.draw(st.sampled_from(sorted(PLACES))), json.dumps(key), value)
    context = LintSettings().context
    words = key_index_of(context)
    for document in documents(Source("a.yaml", text)):
        for pod in pods_in(document):
            if not any(concerns(words, one.name) for one in key_occurrences(pod.keys)):
                assert list(check_pod(catalog.neutral_pod_rules(), pod.keys, context)) == []
