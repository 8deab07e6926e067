"""Without PyYAML's C extension: the same manifests are accepted, with the same values and places."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from yaml._yaml import CParser
from yaml.error import YAMLError

from gpuxlate.yamltext import parse
from gpuxlate.yamltext.events import EventParser, PythonParser
from gpuxlate.yamltext.parse import NotYamlError, documents
from gpuxlate.yamltext.source import Source
from tests.lint.cases import Case

ROOT = Path(__file__).resolve().parents[2]
MARKED = {"ScalarEvent", "AliasEvent", "MappingEndEvent", "SequenceEndEvent"}
"""Events whose end is looked at."""


def events(parser: Any, text: str) -> list[tuple[Any, ...]]:
    """What is read of the events; the last is the place of the error, if there is one."""
    found: list[tuple[Any, ...]] = []
    try:
        made = parser(text)
        while (event := made.get_event()) is not None:
            name = type(event).__name__
            if name == "StreamEndEvent":
                break
            facts = [getattr(event, one, None) or None for one in ("anchor", "tag", "value", "flow_style")]
            style = getattr(event, "style", None)
            plain = style in (None, "", "plain")
            start = 0 if name == "StreamStartEvent" else event.start_mark.index
            end = event.end_mark.index if name in MARKED else None
            found.append((name, start, end, *facts, None if plain else style))
    except YAMLError as error:
        mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
        found.append(("error", mark.index if mark else getattr(error, "position", None)))
    return found


def test_libyaml_is_used_where_it_is() -> None:
    assert issubclass(EventParser, CParser)


@pytest.mark.parametrize("folder", ["fixtures", "examples"])
def test_all_fixtures_are_read_alike(folder: str) -> None:
    paths = [one for one in (ROOT / folder).rglob("*") if one.suffix in (".yaml", ".yml", ".json")]
    assert len(paths) > 5
    for path in paths:
        text = path.read_bytes().decode(errors="replace")
        assert events(PythonParser, text) == events(CParser, text), path


def both_parsers_read_alike(case: Case) -> None:
    assert events(PythonParser, case.text) == events(CParser, case.text)


# libyaml 0.1 refuses the first; the last has no character of YAML
TEXTS = [
    *("{image: nginx:1.25}\n", '{"a":b}\n', "a: &x 1\nb: *x\n", "a: !!str 1\nb: !t {}\n", "a: [\n"),
    *("a: |+\n  x\n\nb: >-\n  y\n", "%YAML 1.1\n---\na\n...\n---\nb\n", "a: 'é\u2028'\n", "a: b: c\n"),
    "a: é\nb: \x07\n",
]


@pytest.mark.parametrize("text", TEXTS)
def test_texts_are_read_alike(text: str) -> None:
    # what libyaml read of a text before a character it refuses is not looked at
    assert events(PythonParser, text)[-1] == events(CParser, text)[-1]
    if "\x07" not in text:
        assert events(PythonParser, text) == events(CParser, text)


def test_oddities_that_one_refuses() -> None:
    """What the module's text says of the differences."""
    for refusing, texts in (
        (PythonParser, ("{a\t: b}\n", "a: {b? c: d}\n", "a: b\n\ufeff")),
        (CParser, ("[a:]\n",)),
    ):
        for text in texts:
            refused = [one for one in (CParser, PythonParser) if events(one, text)[-1][0] == "error"]
            assert refused == [refusing], text


@pytest.mark.parametrize("text", ["ä: b: c\n", "ä: \x07\n", "a: \ud800\n"])
def test_a_complaint_has_its_place(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    places = []
    for parser in (CParser, PythonParser):
        monkeypatch.setattr(parse, "EventParser", parser)
        with pytest.raises(NotYamlError) as caught:
            list(documents(Source("f", text)))
        places.append(caught.value.index)
    assert places[0] == places[1]


def test_a_pyyaml_without_its_extension_does() -> None:
    program = """
import sys
sys.modules["yaml._yaml"] = None
import gpuxlate
text = '''apiVersion: v1
kind: Pod
metadata: {name: web}
spec: {containers: [{name: web, image: nginx:1.25, resources: {limits: {aliyun.com/gpu-mem: 4}}}]}
'''
print(gpuxlate.translate(text, "volcengine-mgpu", fill={"cores": 30}).text)
print([one.code for one in gpuxlate.lint(text.replace("4}", "4Gi}")).diagnostics])

from gpuxlate.yamltext import events
print(events.EventParser is events.PythonParser)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert "vke.volcengine.com/mgpu-memory: 4096, vke.volcengine.com/mgpu-core: 30" in done.stdout
    assert done.stdout.endswith("['K8S002']\nTrue\n")
