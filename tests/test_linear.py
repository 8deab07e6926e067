"""Work grows with the input, and no faster. Counted in calls and in the characters that are searched, since
clocks differ from run to run; ``python -m bench.growth`` measures every command in seconds.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from types import FrameType

import pytest

import gpuxlate
from gpuxlate.backends import registry
from gpuxlate.inputs import claims
from gpuxlate.lint.check import LintSettings, lint_source
from gpuxlate.lint.fix import fix_source
from gpuxlate.translation.parse import names
from gpuxlate.translation.pods.fit import Accept
from gpuxlate.translation.settings import Settings
from gpuxlate.translation.translate import translate_source
from gpuxlate.yamltext import compose
from gpuxlate.yamltext.events import EventParser
from gpuxlate.yamltext.source import Source
from tests.counting import Watched, lines

ROUNDED = Accept(round_up=True)
CONTAINER = """\
  - name: c{n}
    env:
    - {{name: SETTING_{n}, value: v{n}}}
    resources:
      limits: {{vke.volcengine.com/mgpu-core: {cores}, vke.volcengine.com/mgpu-memory: {memory}}}
"""
POD = """\
apiVersion: v1
kind: Pod
metadata:
  name: p{n}
  annotations: {{example.com/note-{n}: changed-{n}}}
spec:
  containers:
"""


def pod(n: int, memory: str = "4096") -> str:
    return POD.format(n=n) + CONTAINER.format(n=n, cores=5 + n % 90, memory=memory)


def documents(count: int) -> str:
    """Many documents, none like another."""
    return "---\n".join(pod(n) for n in range(count))


def one_list(count: int) -> str:
    """One document of many objects."""
    items = "".join("- " + pod(n).replace("\n", "\n  ").rstrip() + "\n" for n in range(count))
    return f"apiVersion: v1\nkind: List\nitems:\n{items}"


def one_pod(count: int) -> str:
    """One pod of many containers."""
    return POD.format(n=1) + "".join(CONTAINER.format(n=n, cores=1, memory="1024") for n in range(count))


def mistakes(count: int) -> str:
    """A finding with a fix in each document, and in each object of the last one."""
    return "---\n".join(pod(n, memory="4Gi") for n in range(count))


def mistakes_in_a_list(count: int) -> str:
    return one_list(count).replace("mgpu-memory: 4096", "mgpu-memory: 4Gi")


def lint(text: str) -> object:
    return lint_source(Source("f.yaml", text), LintSettings())


def translate(text: str) -> object:
    settings = Settings(to=registry.get("tke"))
    return translate_source(Source("f.yaml", text), settings)


def fix(text: str) -> object:
    return fix_source(Source("f.yaml", text), LintSettings(), unsafe=True)


def one_name(count: int) -> str:
    """Objects and containers of one name, in one document."""
    return re.sub("name: ([pc])[0-9]+", r"name: \1", one_list(count))


TEMPLATE = """\
apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {name: gpu}
spec:
  spec:
    devices:
      requests:
      - name: gpu
        exactly: {deviceClassName: hami-core-gpu.project-hami.io, capacity: {requests: {cores: 30}}}
"""
CLAIMING = """\
apiVersion: v1
kind: Pod
metadata: {{name: p{n}}}
spec:
  resourceClaims: [{{name: gpu, resourceClaimTemplateName: gpu}}]
  containers:
  - {{name: c{n}, resources: {{claims: [{{name: gpu}}]}}}}
"""


def one_template(count: int) -> str:
    """Pods that all name one template of claims."""
    return "---\n".join([TEMPLATE, *(CLAIMING.format(n=n) for n in range(count))])


def one_line(count: int) -> str:
    """One line of JSON."""
    items = ", ".join(
        f'{{"apiVersion": "v1", "kind": "Pod", "metadata": {{"name": "p{n}"}}, "spec": {{"containers": '
        f'[{{"name": "c", "resources": {{"limits": {{"vke.volcengine.com/mgpu-core": "{5 + n % 90}", '
        '"vke.volcengine.com/mgpu-memory": "4096"}}]}}'
        for n in range(count)
    )
    return f'{{"apiVersion": "v1", "kind": "List", "items": [{items}]}}'


def calls(work: Callable[[str], object], text: str) -> int:
    """Calls of functions, Python's and C's, that the work takes."""
    counted = 0

    def count(_frame: FrameType, event: str, _argument: object) -> None:
        nonlocal counted
        counted += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        work(text)
    finally:
        sys.setprofile(before)
    return counted


@pytest.mark.parametrize(
    ("work", "made"),
    [
        (lint, documents),
        (lint, one_list),
        (lint, one_pod),
        (lint, mistakes),
        (translate, documents),
        (translate, one_list),
        (lint, one_template),
        (translate, one_template),
        (fix, mistakes),
        (fix, mistakes_in_a_list),
    ],
    ids=lambda one: one.__name__,
)
def test_twice_the_input_is_twice_the_work(work: Callable[[str], object], made: Callable[[int], str]) -> None:
    work(made(8))  # what is loaded and remembered once
    small, double, fourfold = (calls(work, made(count)) for count in (24, 48, 96))
    assert fourfold - double <= 1.15 * 2 * (double - small), (small, double, fourfold)


def test_one_name_for_many_shares() -> None:
    """Each gets a number; looking for a free one begins where the last search ended."""
    items = gpuxlate.parse(one_name(96)).items
    small, double, fourfold = (lines(lambda few=items[:n]: names(few)) for n in (24, 48, 96))
    assert fourfold - double <= 1.15 * 2 * (double - small), (small, double, fourfold)
    assert names(items[:3]) == ["p-c", "p-c-2", "p-c-3"]


@pytest.mark.parametrize("made", [documents, one_list, one_line, one_template], ids=lambda one: one.__name__)
@pytest.mark.parametrize(
    "work",
    [
        lambda source: lint_source(source, LintSettings()),
        lambda source: translate_source(source, Settings(to=registry.get("tke"), accept=ROUNDED)),
    ],
    ids=["lint", "translate"],
)
def test_a_text_is_not_searched_for_each_of_its_documents(
    work: Callable[[Source], object], made: Callable[[int], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        compose, "EventParser", lambda text: EventParser(str(text))
    )  # a parser of C takes str

    def looked(count: int) -> int:
        source = Source("f.yaml", made(count))
        text = source.text = Watched(source.text)
        work(source)
        return text.looked

    small, double, fourfold = (looked(count) for count in (24, 48, 96))
    assert fourfold - double <= 1.15 * 2 * (double - small), (small, double, fourfold)


def test_claims_are_read_once_in_a_source(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    text_of = claims.text_of
    monkeypatch.setattr(claims, "text_of", lambda source: read.append(source.name) or text_of(source))
    lint(one_template(20))
    translate(one_template(20))
    assert read == ["f.yaml"] * 2
