"""Policies as a person reads them: short lines, each condition in one of its own, and the rule above it."""

import re
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest
import yaml

from gpuxlate.backends import registry
from gpuxlate.lint.settings import everything
from gpuxlate.policy.documents import PolicyStyle
from gpuxlate.policy.generate import Format, PolicyOptions, PolicyScope, deny_policies, documents, enforcing
from gpuxlate.policy.layout import RepeatedParts, commented, lines, parsed
from gpuxlate.rules.predicates import cel
from gpuxlate.yamltext.plain import dump_yaml
from tests.policy.test_verdicts import BACKENDS

LONGEST = 160
"""Columns of a line (contract, section 10)."""

SETS = (
    *(
        f"{kind} {scope} {language}"
        for kind in ("rules", "forbid")
        for scope in PolicyScope
        for language in ("en", "zh")
    ),
    "kyverno",
)
"""Sets of options of the command."""


@cache
def printed(name: str) -> list[Any]:
    """The objects that ``policy`` prints with a set of options."""
    if name == "kyverno":
        made = [there for one in BACKENDS for there in enforcing([one], PolicyOptions(everything))]
        return [*documents(made, Format.KYVERNO)]
    kind, scope, language = name.split()
    custom = scope != PolicyScope.PODS
    wish = PolicyOptions(everything, PolicyStyle(language=language), PolicyScope(scope), custom)
    return [*documents([*(deny_policies if kind == "forbid" else enforcing)(BACKENDS, wish)], Format.VAP)]


def expressions(spec: Any) -> Iterator[tuple[Any, str, str]]:
    """Each expression of a policy: the part that it is of, its field, and itself."""
    for part in ("matchConditions", "variables", "validations"):
        for one in spec.get(part, ()):
            for field in ("expression", "messageExpression"):
                if field in one:
                    yield one, field, one[field]


@pytest.mark.parametrize("name", SETS)
def test_a_person_can_read_it(name: str) -> None:
    seen = 0
    for document in printed(name):
        if "Binding" in document["kind"]:
            continue
        for line in dump_yaml(document).splitlines():
            assert len(line) <= LONGEST or re.match(" +message: ", line), line
        for one, field, expression in expressions(document["spec"]):
            above, code = [], re.match("[A-Z]+[A-Z0-9]*[0-9]{3}", one.get("message", ""))
            for line in expression.splitlines():
                if line.startswith("// "):
                    above.append(line)
                # short terms of one number stay together: they are one condition
                bare = re.sub(r"'(?:\\.|[^'\\])*'", "''", line).strip()
                assert len(bare) < 100 or not re.search("[^ ] (&&|[|]{2}) ", bare), line
            if code and field == "expression":
                assert above, expression
                assert above[0].startswith(f"// {code[0]}: "), expression
                seen += 1
    assert seen


@pytest.mark.parametrize("name", SETS)
def test_what_is_written_twice_has_a_name(name: str) -> None:
    """A variable is defined before it is used, is used, and no key is looked up among annotations twice."""
    for document in printed(name):
        known = set[str]()
        spec, used = document["spec"], ""
        for one, _, expression in expressions(spec) if "Binding" not in document["kind"] else ():
            used += expression
            if one in spec["variables"]:
                needed = {*re.findall(r"\bvariables\.(\w+)", expression)}
                assert needed <= known, (one["name"], needed - known)
                assert one["name"] not in known
                known.add(one["name"])
        looked_up = re.findall(r"\['([^']+)'\]\s*\.filter\(k, k in variables\.annotations\)", used)
        assert len(looked_up) == len({*looked_up}), document["metadata"]["name"]


WRITTEN = [
    ("a&&b||!(c)", "a && b\n|| !c"),
    ("a && (b && (c || d))", "a\n&& b\n&& (c || d)"),
    ("x?y:(z ? 1:2)", "x ? y : (z ? 1 : 2)"),
    ("(a + b) * c - d - e", "(a + b) * c - d - e"),
    ("a - (b - c)", "a - (b - c)"),
    ("a.b[?'k'].orValue('')  ==  -1", "a.b[?'k'].orValue('') == -1"),
    ("[?a.?b, c].map(x, {'k': dyn((x)), ?'o': x})", "[?a.?b, c].map(x, {'k': dyn(x), ?'o': x})"),
    (r"'a\'b // no comment' in c", r"'a\'b // no comment' in c"),
    (
        f"'{'long text ' * 11}' + names",
        f"('{'long text ' * 9}long '\n  + 'text long text ')\n+ names",
    ),
]


@pytest.mark.parametrize(("expression", "text"), WRITTEN)
def test_lines(expression: str, text: str) -> None:
    assert lines(parsed(expression)) == text


def bare(text: str) -> str:
    """An expression without white space, brackets, and signs between the parts of a long string."""
    return re.sub(r"[\s()]", "", text).replace("'+'", "")


def test_lines_mean_the_same() -> None:
    for backend in BACKENDS:
        for predicate in (one for rule in backend.rules for one in rule.predicates):
            text = cel.expression(predicate)
            assert bare(lines(parsed(text))) == bare(text)


def test_names() -> None:
    """What is of a macro's variable has none, nor has an optional value, which no variable can be."""
    key = "['example.com/gpu-mode'].filter(k, k in variables.annotations).map(k, variables.annotations[k])"
    of_macro = "c.exists(k, k == 'a rather long text that is twice here') && d"
    optional = "variables.annotations[?'example.com/a-rather-long-key-of-annotations']"
    texts = [
        f"{key}.size() > 0",
        f"{key}.exists(v, v == 'on')",
        f"l.all(c, {of_macro})",
        f"m.all(c, {of_macro})",
    ]
    texts += [f"{optional}.hasValue()", f"{optional} == 1"]
    short = RepeatedParts(texts, ["gpuModeValues"])
    found = [short(one).flat for one in texts]
    assert [*short.new()] == [("gpuModeValues2", lines(parsed(key)))]
    assert found[:2] == [
        "variables.gpuModeValues2.size() > 0",
        "variables.gpuModeValues2.exists(v, v == 'on')",
    ]
    assert found[2:] == texts[2:]


def test_a_comment_is_one_of_cel() -> None:
    found = commented("TKE002", "words " * 30, "a || b")
    assert found.splitlines()[-1] == "a || b"
    assert all(one.startswith("// ") and len(one) <= 100 for one in found.splitlines()[:-1])


def test_kubectl_reads_blocks() -> None:
    """Lines are a block of YAML, not a text with escapes."""
    [policy, *_] = documents([*enforcing([registry.get("tke")], PolicyOptions(everything))], Format.VAP)
    text = dump_yaml(policy)
    assert "expression: |-\n" in text
    assert yaml.safe_load(text) == policy
