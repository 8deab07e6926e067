"""``gpuxlate.io/ignore`` is no key of a share: every translation keeps it as it is, both ways."""

from functools import cache
from itertools import permutations

import pytest

from gpuxlate.backends import registry
from gpuxlate.backends.pod_writer import Accept
from gpuxlate.lint.check import lint_source
from gpuxlate.lint.settings import LintSettings
from gpuxlate.translation.options import Settings
from gpuxlate.translation.translate import translate_source
from gpuxlate.yamltext.source import Source
from tests.effort import some

NEUTRAL = """\
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  annotations: {{{owner}}}
spec:
  template:
    metadata: {{annotations: {{example.com/a: b{pod}}}}}
    spec:
      containers:
      - name: c
        resources:
          limits: {{gpuxlate.io/cores: 30, gpuxlate.io/memory-mib: 4096}}
"""
IGNORE = 'gpuxlate.io/ignore: "TKE002 until June"  # as agreed'
PLACES = {
    "on the pod": NEUTRAL.format(
        owner="", pod=',\n      gpuxlate.io/ignore: "TKE002 until June"  # as agreed\n     '
    ),
    "on the object": NEUTRAL.format(owner=f"\n    {IGNORE}\n  ", pod=""),
}
ACCEPT = Accept(True, {"cores": 60, "memoryMiB": 8192}, frozenset({"cores", "policy", "qos", "selector"}))
TARGETS = [one.name for one in registry.pod_backends() if not one.read_only]


@cache
def translated(text: str, source: str, target: str) -> str:
    settings = Settings(registry.get(target), registry.get(source), ACCEPT)
    made = translate_source(Source("f.yaml", text), settings)
    assert not [found for found in made.diagnostics if "gpuxlate.io/ignore" in found.message]
    return made.text  # as it was, where the target cannot express the share


@pytest.mark.parametrize("place", PLACES)
def test_the_ignore_stays(place: str) -> None:
    """Once, with the comment behind the last entry of its line; and it is no key of a share."""
    gone = {}
    for one, other in some(permutations(TARGETS, 2)):
        text = PLACES[place] if one == "neutral" else translated(PLACES[place], "neutral", one)
        there = translated(text, one, other)
        for made in (text, there, translated(there, other, one)):
            if {made.count('gpuxlate.io/ignore: "TKE002 until June"'), made.count("# as agreed")} != {1}:
                gone[one, other] = made
    assert gone == {}
    found = lint_source(Source("f.yaml", PLACES[place]), LintSettings()).diagnostics
    assert {one.code for one in found} <= {"GX009"}, "lint says of it only that it matches nothing"
