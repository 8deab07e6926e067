"""The search for keys finds each that a walk over the document finds: where it has none, no key is.

A walk asks every scalar; what is looked up from places of the text has to be the same, in the same order.
"""

from collections.abc import Iterator
from itertools import product

from hypothesis import example, given, reject
from hypothesis import strategies as st

from gpuxlate.backends import registry
from gpuxlate.manifest.hits import KeySearch, places_beside
from gpuxlate.manifest.key_texts import IsKey
from gpuxlate.manifest.named_keys import NamedKey, keys_named
from gpuxlate.manifest.pods import pods_in
from gpuxlate.model.pod import PodKeys, key_occurrences
from gpuxlate.rules.key_index import key_index_of
from gpuxlate.translation.options import Settings
from gpuxlate.yamltext.parse import Document, NotYamlError, documents
from gpuxlate.yamltext.source import Source
from tests.effort import some, tries
from tests.properties.mutated import BASES, documents_of_any_dialect

SOURCES = (None, "kai")
TARGETS = ("volcengine-mgpu", "neutral")
OF_A_CLUSTER = ("my.org/card", "cards")
"""Names that a cluster has for resources."""
KEYS = (
    "vke.volcengine.com/mgpu-core",
    "aliyun.com/gpu-mem",
    "nvidia.com/gpumem",
    "nvidia.com/GRID_A100-4C",
    "huawei.com/ascend-1980",
    "example.com/some-gpu",
    "example.com/npu.x",
    "gpu-fraction",
    "gpu-fraction-of-mine",
    "CGPU_DISABLE",
    "kubernetes.io/hostname",
    *OF_A_CLUSTER,
)
# fmt: off
BEFORE = (
    "", "requests.", "limits.", "spark.kubernetes.driver.label.", "x.", "x-", "x_", "q", "\n", "\t", "\u3000",
    "\u4e2d", "--resource=", "/limits/", "(", "{", "{\"", "a: {", "- ", "a: 1\n", "\ufeff", "\u2028",
)
# fmt: on
BEHIND = ("", ": 1", '": 1}', ": 1}", "=3", " x", "/y", "\u4e2d", ")", "\n", "\\", "\u2029")


NOTHING = st.just("")


@st.composite
def spellings(draw: st.DrawFn) -> str:
    """A key in a text, spelt in one way or another."""
    before, behind = NOTHING | st.sampled_from(BEFORE), NOTHING | st.sampled_from(BEHIND)
    text = draw(before) + draw(st.sampled_from(KEYS)) + draw(behind)
    for way in draw(st.lists(st.sampled_from(WAYS), max_size=2)):
        text = way(draw, text)
    return text


def _as_pointer(_draw: st.DrawFn, text: str) -> str:
    return "/limits/" + text.replace("~", "~0").replace("/", "~1")


def _with_dots_escaped(draw: st.DrawFn, text: str) -> str:
    return text.replace(".", draw(st.sampled_from(("\\.", "\\\\."))))


def _in_double_quotes(draw: st.DrawFn, text: str) -> str:
    """Of YAML, with an escape of a character, or a line break before it that is none."""
    plain = {"\n": "\\n", "\t": "\\t", '"': '\\"', "\\": "\\\\"}
    written = [plain.get(character, character) for character in text]
    at = draw(st.integers(0, len(text) - 1) | st.just(text.find("/") % len(text)))
    code = ord(text[at])
    ways = [written[at], f"\\u{code:04x}", f"\\U{code:08x}", f"\\\n  {written[at]}", f"\\\r\n  {written[at]}"]
    ways += [f"\\x{code:02x}"] if code < 256 else []
    ways += ["\\/"] if text[at] == "/" else []
    written[at] = draw(st.sampled_from(ways))
    return f'"{"".join(written)}"'


def _as_flow(draw: st.DrawFn, text: str) -> str:
    quoted = "'" + text.replace("'", "''") + "'"
    return "{" + draw(st.sampled_from((quoted, text))) + ": 1}"


WAYS = (_as_pointer, _with_dots_escaped, _in_double_quotes, _as_flow)
POD = """\
kind: Pod
spec:
  containers:
  - name: c
    resources: {{limits: {{nvidia.com/gpumem: 1}}}}
    args: [{}]
"""
PLACES = (
    POD,
    "data: {{x: {}}}\n",
    "{}: 1\n",
    "nodeSelector: {{{}: '1'}}\n",
    "<<: {{{}: 1}}\na: b\n",
    "a: &x {}\nb: *x\n",
    "? {}\n: - {}\n",
    "# {}\na: 1 # {}\n",
    "status: {{{}: 1}}\nmetadata: {{annotations: {{{}: x}}}}\n",
)


@st.composite
def texts(draw: st.DrawFn) -> str:
    """A document with such a text in some place of it."""
    text = draw(spellings())
    if draw(st.booleans()):
        text = _in_double_quotes(draw, text)
    elif draw(st.booleans()):
        lines = (text + "\n").splitlines(keepends=True)
        return f"data:\n  x: {draw(st.sampled_from('|>'))}\n" + "".join(f"    {line}" for line in lines)
    place = draw(st.sampled_from(PLACES))
    return place.format(*[text] * place.count("{}"))


def named(
    document: Document, pods: list[PodKeys], is_key: IsKey, search: KeySearch, *, bare: bool
) -> tuple[list[NamedKey], list[NamedKey]]:
    """What a document names outside of its pods: by a walk over it, and at the places of its text."""
    in_pods = {spot.path for pod in pods for spot in key_occurrences(pod)}
    places = places_beside(document, pods, search)
    walked = keys_named(document, is_key, bare=bare)
    looked_up = keys_named(document, is_key, places, bare=bare) if places else ()
    return (
        [found for found in walked if found.path not in in_pods],
        [found for found in looked_up if found.path not in in_pods],
    )


def asked() -> Iterator[tuple[IsKey, KeySearch, bool]]:
    """What a translation asks of names, and what lint does."""
    for source, target in product(SOURCES, TARGETS):
        settings = Settings(registry.get(target), registry.get(source) if source else None)
        words = key_index_of(settings.context)
        yield settings.scope.is_left, words.search(), True
    yield OF_A_CLUSTER.__contains__, words.search(*OF_A_CLUSTER), True
    yield lambda name: registry.is_gpu_key(name) or bool(words.unread(name)), words.search(), False


ASKED = list(asked())


def assert_same(text: str) -> None:
    for document in documents(Source("f.yaml", text)):
        pods = [pod.keys for pod in pods_in(document)]
        for is_key, search, bare in ASKED:
            walked, looked_up = named(document, pods, is_key, search, bare=bare)
            assert looked_up == walked


@tries(2400)
@given(texts())
@example('data: {x: "a: 1\\nhuawei.com/ascend-1980: 1\\n"}\n')  # behind the letter of an escape
@example('data: {x: "a: 1\\u2028huawei.com/ascend-1980: 1\\n"}\n')
def test_a_spelt_key_is_found(text: str) -> None:
    try:
        assert_same(text)
    except NotYamlError:
        reject()


@tries(300)
@given(documents_of_any_dialect())
def test_keys_of_manifests_are_found(text: str) -> None:
    assert_same(text)


def test_keys_of_fixtures_are_found() -> None:
    for text in some(BASES):
        assert_same(text)
