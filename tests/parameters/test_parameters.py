"""Each syntax of parameters: what is read, where it stands, and what is passed over.

Putting parameters into a text that somebody wrote: our lines change, every other byte stays.
"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuxlate.backends import job_targets
from gpuxlate.backends import volcengine_emr as emr
from gpuxlate.backends.job_parameters import MergeError
from gpuxlate.backends.volcengine_emr import engines as k
from gpuxlate.backends.volcengine_emr.merge import merge_parameters
from gpuxlate.backends.volcengine_emr.syntax import Syntax
from gpuxlate.yamltext.source import Source
from tests.effort import tries

SPARK, RAY, SET = emr.EmrSpark.syntax, emr.EmrRay.syntax, emr.EmrCustomjob.syntax

# Java, Properties.load: its own documentation gives most of these lines
Rows = list[tuple[str, list[tuple[str, str]]]]
PROPERTIES: Rows = [
    ("a=1", [("a", "1")]),
    ("a = 1\n", [("a", "1")]),
    ("a: 1\nb:2\n", [("a", "1"), ("b", "2")]),
    ("a 1\nb\t2\r\nc\f3", [("a", "1"), ("b", "2"), ("c", "3")]),
    ("a  =  1  \n", [("a", "1")]),
    ("# a=1\n  ! b=2\n\n  \nc=3", [("c", "3")]),
    ("a", [("a", "")]),
    ("a=\nb=1", [("a", ""), ("b", "1")]),
    ("=1", [("", "1")]),
    ("a==1", [("a", "=1")]),
    ("a=1=2:3", [("a", "1=2:3")]),
    ("a=1 # no comment", [("a", "1 # no comment")]),
    ("a=x,\\\n   y\nb=1", [("a", "x,y"), ("b", "1")]),
    ("a=x,\\\r\n   y\r\nb=1", [("a", "x,y"), ("b", "1")]),
    ("a=x\\\\\nb=1", [("a", "x\\"), ("b", "1")]),
    ("a\\=b\\:c\\ d=1", [("a=b:c d", "1")]),
    ("a=\\u0041\\t\\q", [("a", "A\tq")]),
    ("# c \\\na=1", [("a", "1")]),
    ("a=1\\", [("a", "1")]),
    ("a=1\nb=2\na=3", [("a", "1"), ("b", "2"), ("a", "3")]),
    ("a=1\rb=2", [("a", "1"), ("b", "2")]),
    # the example of Volcengine's page on EMR Serverless "mGPU"
    ("'a.b': '1', #GPU 卡数量\n'c': '0.1'\n", [("a.b", "1"), ("c", "0.1")]),
    ('  "a": "/opt/x.sh" ,\n', [("a", "/opt/x.sh")]),
    ("'a': 1,", [("'a'", "1,")]),
    ("'a'='1'", [("'a'", "'1'")]),
]
RAYS: Rows = [
    ("a=1;", [("a", "1")]),
    ("a=1;b=2; c = 3 ;\nd=4", [("a", "1"), ("b", "2"), ("c", "3"), ("d", "4")]),
    # Volcengine, EMR Serverless "mGPU": comments stand between the parameters
    ("# gpu相关参数\na=1;\n#mgpu\nb=2;", [("a", "1"), ("b", "2")]),
    ("a=1; # b=2;\nc=3;", [("a", "1"), ("c", "3")]),
    ("a=1\nb=2;", [("a", "1"), ("b", "2")]),
    ("a='x;y';b=\"p\n;q\";", [("a", "x;y"), ("b", "p\n;q")]),
    ("a=it's;b=2;", [("a", "it's"), ("b", "2")]),
    ("a='x' y;b=2;", [("a", "'x' y"), ("b", "2")]),
    ("a='open;b=2;", [("a", "'open"), ("b", "2")]),
    (";;a;=1;b c=2;", []),
    ("a=;", [("a", "")]),
]
SETS: Rows = [
    ("set a=1;", [("a", "1")]),
    ("set a = 1;\nSET b=2", [("a", "1"), ("b", "2")]),
    ("-- set a=1;\nset b=2; -- c\n/* set c=3; */ set d=4;", [("b", "2"), ("d", "4")]),
    ("SELECT ';set a=1;' FROM t; set b=2;", [("b", "2")]),
    ("SELECT 'it''s;set a=1;', \"x;\", `y;`; set b=2;", [("b", "2")]),
    ("UPDATE t SET a=1; set b=2;", [("b", "2")]),
    ("set; set -v; settle a=1; set a b=1;", []),
    ("set a='x;y';", [("a", "x;y")]),
    ("set a=1 -- why\n;set b=2;", [("a", "1"), ("b", "2")]),
    ("set a=x--y;", [("a", "x--y")]),
    ("set\n a\n=\n1\n;", [("a", "1")]),
    ("/* open", []),
    ("SELECT 'open; set a=1;", []),
]
CASES = [
    *((SPARK, text, pairs) for text, pairs in PROPERTIES),
    *((RAY, text, pairs) for text, pairs in RAYS),
    *((SET, text, pairs) for text, pairs in SETS),
]


def test_what_is_read() -> None:
    found = [
        (text, [(one.key, one.value) for one in syntax.read(text)], pairs) for syntax, text, pairs in CASES
    ]
    assert {text: read for text, read, pairs in found if read != pairs} == {}


PLACES = [
    (SPARK, "#\n  spark.a \t=  4g  \r\nb=1", "spark.a", "4g"),
    (SPARK, "b=1\na.b x,\\\n  y\n", "a.b", "x,\\\n  y"),
    (RAY, "a=1; b.c = 'x;y' ;", "b.c", "'x;y'"),
    (SET, "-- c\nset  b.c =  30 ; SELECT 1", "b.c", "30"),
]


@pytest.mark.parametrize(("syntax", "text", "key", "value"), PLACES)
def test_where_it_stands(syntax: Syntax, text: str, key: str, value: str) -> None:
    [one] = [one for one in syntax.read(text) if one.key == key]
    assert text[one.key_start : one.key_end] == key
    assert text[one.value_start : one.value_end] == value
    assert text[: one.end].rstrip(" ;").endswith(value)


KEYS = st.from_regex(r"[a-z]{1,5}(\.[a-zA-Z]{1,6}){0,3}", fullmatch=True)
VALUES = st.from_regex(r"[A-Za-z0-9/.,_:-]{1,12}", fullmatch=True)
HOSTILE = st.text(st.sampled_from("ab=:;#!\\'\"`-*/ \t\f\r\n{}set\x00é\U0001f600"), max_size=60)


@given(st.sampled_from((SPARK, RAY, SET)), st.lists(st.tuples(KEYS, VALUES), max_size=8))
def test_what_is_written_reads_back(syntax: Syntax, pairs: list[tuple[str, str]]) -> None:
    text = "\n".join(syntax.write(key, value) for key, value in pairs)
    assert [(one.key, one.value) for one in syntax.read(text)] == pairs


@given(HOSTILE, HOSTILE)
def test_any_property_reads_back(key: str, value: str) -> None:
    one = SPARK.read(SPARK.write(key, value))
    assert [(p.key, p.value) for p in one] == [(key, value.strip())]


@tries(300)
@given(st.sampled_from((SPARK, RAY, SET)), HOSTILE)
def test_hostile_texts_are_read_in_order(syntax: Syntax, text: str) -> None:
    at = 0
    for one in syntax.read(text):
        assert at <= one.key_start <= one.key_end <= one.value_start <= one.value_end <= one.end <= len(text)
        at = one.end


@pytest.mark.parametrize("syntax", [SPARK, RAY, SET])
def test_long_texts_take_no_square_of_time(syntax: Syntax) -> None:
    for piece in ("a", "\\", "\\\n", ";", "'", '"', "=", "=' ", "/*", "--\n", "set ", "set a='x' ", "#\n"):
        syntax.read(piece * (200_000 // len(piece)))  # a square of it would take minutes


ENGINES: list[tuple[str, str, k.Engine | None]] = [
    ("j.conf", "spark.a=1", k.SPARK_ENGINE),
    ("j.conf", "emr.serverless.mgpu.core=30", None),
    ("j.conf", "emr.serverless.mgpu.core=30;", k.RAY_ENGINE),
    ("j.conf", "# serverless.ray.worker.gpu.amount=1\nspark.a=1", k.SPARK_ENGINE),
    ("j.properties", "serverless.ray.worker.gpu.amount=1;", k.RAY_ENGINE),
    ("j.conf", "set emr.serverless.mgpu.core=30;", k.CUSTOMJOB_ENGINE),
    ("j.conf", "set serverless.custom.job.task.gpus=1;", k.CUSTOMJOB_ENGINE),
    ("j.sql", "", k.CUSTOMJOB_ENGINE),
    ("j.conf", "", None),
    ("nginx.conf", "server { listen 80; }", None),
]
TARGETS = [
    ("j.json", '{"spark.a": "1", "emr.serverless.mgpu.core": "30"}', k.SPARK_ENGINE.target),
    ("j.json", '{"emr.serverless.mgpu.core": "30"}', k.SPARK_ENGINE.target),
    ("j.json", '{"serverless.ray.worker.gpu.amount": "1"}', k.RAY_ENGINE.target),
    ("j.json", '{"serverless.custom.job.task.gpus": 1}', k.CUSTOMJOB_ENGINE.target),
    ("pod.json", '{"kind": "Pod", "emr.serverless.mgpu.core": "30"}', None),
    ("package.json", '{"name": "web"}', None),
    ("list.json", "[1]", None),
    ("broken.json", '{"spark.a": ', None),
    ("empty.json", "", None),
    ("pod.conf", "apiVersion: v1\nkind: Pod\n", None),
    ("j.conf", "a=1", k.SPARK_ENGINE.target),
]


def test_which_engine_a_text_is_for() -> None:
    found = [(name, text, emr.engine_in(Source(name, text)), engine) for name, text, engine in ENGINES]
    assert {(name, text): said for name, text, said, engine in found if said is not engine} == {}


def test_which_files_hold_parameters() -> None:
    wrong = {}
    for name, text, target in TARGETS:
        source = Source(name, text)
        read = job_targets.reader_of(source)
        job = next(iter(read(source))).job if read else None
        if job != target:
            wrong[name, text] = job
    assert wrong == {}


# --- into a text that somebody wrote ------------------------------------------------------------

WANTED = {"m.core": "30", "m.memory": "4096"}

MERGED: list[tuple[Syntax, str, str]] = [
    (SPARK, "", "m.core=30\nm.memory=4096\n"),
    (SPARK, "a=1\n", "a=1\nm.core=30\nm.memory=4096\n"),
    (SPARK, "a=1", "a=1\nm.core=30\nm.memory=4096\n"),
    (SPARK, "a=1\r\n# c", "a=1\r\n# c\r\nm.core=30\r\nm.memory=4096\r\n"),
    (SPARK, "m.core : 10  \nm.memory\t1\nb 2", "m.core : 30  \nm.memory\t4096\nb 2"),
    (SPARK, "m.memory=4096\nz=1\n", "m.memory=4096\nm.core=30\nz=1\n"),
    (SPARK, "m.core=10\nm.core=20\nz=1", "m.core=30\nm.core=30\nm.memory=4096\nz=1"),
    (SPARK, "m.core=1\\\n  0\nz=1", "m.core=30\nm.memory=4096\nz=1"),
    (SPARK, "m.core\nm.memory=1", "m.core=30\nm.memory=4096"),
    (SPARK, "m.core=\nm.memory:", "m.core=30\nm.memory:4096"),
    (SPARK, "m.core=30\nm.memory=4096", "m.core=30\nm.memory=4096"),
    (SPARK, "# m.core=10\n", "# m.core=10\nm.core=30\nm.memory=4096\n"),
    (RAY, "", "m.core=30;\nm.memory=4096;\n"),
    (RAY, "a=1", "a=1;\nm.core=30;\nm.memory=4096;\n"),
    (RAY, "a=1;m.core=10; b=2;\n", "a=1;m.core=30;\nm.memory=4096; b=2;\n"),
    (RAY, "m.core = 10 ; # c\nb=2;", "m.core = 30 ; # c\nm.memory=4096;\nb=2;"),
    (RAY, "m.core=10\n", "m.core=30;\nm.memory=4096;\n"),
    (RAY, "a='x;\ny';m.core='10';m.memory=1", "a='x;\ny';m.core=30;m.memory=4096"),
    (SET, "", "set m.core=30;\nset m.memory=4096;\n"),
    (SET, "SELECT 1;\n", "set m.core=30;\nset m.memory=4096;\nSELECT 1;\n"),
    (SET, "-- c\nSELECT 1;\n", "set m.core=30;\nset m.memory=4096;\n-- c\nSELECT 1;\n"),
    (
        SET,
        "-- c\nset a = 1; -- d\r\nSELECT 'x;\nset m.core=1;';",
        "-- c\nset a = 1; -- d\nset m.core=30;\nset m.memory=4096;\r\nSELECT 'x;\nset m.core=1;';",
    ),
    (SET, "set a=1", "set a=1;\nset m.core=30;\nset m.memory=4096;\n"),
    (SET, "SET m.core = 10; SELECT 1", "SET m.core = 30;\nset m.memory=4096; SELECT 1"),
]


@pytest.mark.parametrize(("syntax", "text", "expected"), MERGED)
def test_a_merge(syntax: Syntax, text: str, expected: str) -> None:
    """Once more, it changes nothing."""
    assert merge_parameters(Source("job", text), syntax, WANTED) == expected
    assert merge_parameters(Source("job", expected), syntax, WANTED) == expected


def test_a_line_that_goes_on_takes_nothing_in() -> None:
    """Below it our line would be part of its value: nothing is written."""
    with pytest.raises(MergeError):
        merge_parameters(Source("job", "a=1\\"), SPARK, WANTED)


SIGNS = ("=", ":", " = ", ";", "\n", "\r\n", "\n\n", " ", "\t", "\\", "#", "--", "/*", "*/", "'", '"')
WORDS = ("m.core", "m.memory", "a", "set ", "SET ", "SELECT 1", "10", "x", "é")
PIECES = st.one_of(st.sampled_from((*SIGNS, *WORDS)), st.text(max_size=3))
PIECED = st.lists(PIECES, max_size=25).map("".join)


@tries(600)
@given(st.sampled_from((SPARK, RAY, SET)), PIECED)
def test_every_other_byte_stays(syntax: Syntax, text: str) -> None:
    """Without our values and our lines, the text before and after is the same, character by character."""
    source = Source("job", text)
    before = syntax.read(source.text)
    try:
        result = merge_parameters(source, syntax, WANTED)
    except MergeError:
        return  # nothing is written
    after = syntax.read(result)
    others = [(one.key, one.value) for one in before if one.key not in WANTED]
    assert [(one.key, one.value) for one in after if one.key not in WANTED] == others
    assert {key: value for one in after if (key := one.key) in WANTED for value in [one.value]} == WANTED
    kept, at = "", 0
    for one in before:
        if one.key in WANTED and one.value != WANTED[one.key]:
            kept += source.text[at : one.value_start]
            at = one.value_end
    at_result = 0
    for letter in kept + source.text[at:]:  # an insertion may stand between any two of them
        found = result.find(letter, at_result)
        assert found >= 0, (text, result, letter)
        at_result = found + 1


NAMES, NUMBERS = st.sampled_from(("a", "b.c", "m.core", "m.memory")), st.sampled_from(("1", "30", "x"))
PAIRS = st.lists(st.tuples(NAMES, NUMBERS), max_size=6)


@tries(300)
@given(st.sampled_from((SPARK, RAY, SET)), PAIRS, st.sampled_from(("\n", "\r\n")), st.booleans())
def test_ordinary_files_are_never_refused(
    syntax: Syntax, pairs: list[tuple[str, str]], newline: str, ends: bool
) -> None:
    text = newline.join(syntax.write(key, value) for key, value in pairs) + (newline if ends else "")
    result = merge_parameters(Source("job", text), syntax, WANTED)
    wanted = [(key, WANTED.get(key, value)) for key, value in pairs]
    read = [(one.key, one.value) for one in syntax.read(result)]
    there = {key for key, _ in pairs}
    assert [pair for pair in read if pair[0] in there] == wanted
    assert {pair for pair in read if pair[0] not in there} == {p for p in WANTED.items() if p[0] not in there}
    without_breaks = not pairs or (len(pairs) == 1 and not ends)
    assert "\n" not in result.replace("\r\n", "") or newline == "\n" or without_breaks
