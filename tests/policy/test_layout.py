"""Policies as a person reads them: short lines, each condition in one of its own, and the rule above it."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
import yaml

from gpuxlate.backends import registry
from gpuxlate.lint.settings import everything
from gpuxlate.policy import cel
from gpuxlate.policy.generate import (
    PolicyEngine,
    PolicyOptions,
    PolicyScope,
    deny_policies,
    enforcement_policies,
    policy_documents,
)
from gpuxlate.policy.layout import add_comment, break_lines, text_in_lines
from gpuxlate.policy.style import PolicyStyle
from gpuxlate.yamltext.plain import dump_yaml
from tests.effort import some
from tests.policy.engine import compiled
from tests.policy.test_verdicts import BACKENDS

LONGEST = 160
"""Columns of a line (contract, section 10)."""

SETS = (*(f"{kind} {language}" for kind in ("rules", "forbid") for language in ("en", "zh")), "kyverno")
"""Sets of options of the command. Scope ``all`` prints each object of the other scopes."""


def printed(name: str) -> list[Any]:
    """The objects that ``policy`` prints with a set of options."""
    if name == "kyverno":
        made = [there for one in BACKENDS for there in enforcement_policies([one], PolicyOptions(everything))]
        return [*policy_documents(made, PolicyEngine.KYVERNO)]
    kind, language = name.split()
    wish = PolicyOptions(everything, PolicyStyle(language=language), PolicyScope.ALL, True)
    return [
        *policy_documents(
            [*(deny_policies if kind == "forbid" else enforcement_policies)(BACKENDS, wish)], PolicyEngine.VAP
        )
    ]


def expressions(spec: Any) -> Iterator[tuple[Any, str, str]]:
    """Each expression of a policy: the part that it is of, its field, and itself."""
    for part in ("matchConditions", "variables", "validations"):
        for one in spec.get(part, ()):
            for field in ("expression", "messageExpression"):
                if field in one:
                    yield one, field, one[field]


@pytest.mark.parametrize("name", some(SETS))
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
        variables_are_defined_before_they_are_used(document["spec"])
    assert seen


def variables_are_defined_before_they_are_used(spec: Any) -> None:
    defined = set[str]()
    for part, _, expression in expressions(spec):
        needed = {*re.findall(r"\bvariables\.(\w+)", expression)}
        assert needed <= defined or part in spec["matchConditions"], (part["name"], needed - defined)
        if part in spec["variables"]:
            assert part["name"] not in defined
            defined.add(part["name"])


NAMES = ", ".join(f"'example.com/name-{n}'" for n in range(8))
WRITTEN = [
    ("a && b || !(c)", "a && b\n|| !(c)"),
    ("a && (b && (c || d))", "a\n&& (b && (c || d))"),
    ("x ? y : z", "x ? y : z"),
    ("'a || b' in c && '(' in d", "'a || b' in c\n&& '(' in d"),
    (r"'it\'s || (' in c", r"'it\'s || (' in c"),
    (
        f"variables.containers.exists(c, c.name in [{NAMES}] && c.image != '')",
        "variables.containers.exists(c,\n"
        "  c.name in [\n"
        "    'example.com/name-0', 'example.com/name-1', 'example.com/name-2', 'example.com/name-3',\n"
        "    'example.com/name-4', 'example.com/name-5', 'example.com/name-6', 'example.com/name-7'\n"
        "  ]\n"
        "  && c.image != ''\n"
        ")",
    ),
    (
        f"a.filter(x, {' || '.join(['x.is'] * 15)}).map(x, x.name)",
        "a.filter(x,\n  x.is\n" + "  || x.is\n" * 14 + ").map(x, x.name)",
    ),
]


@pytest.mark.parametrize(("expression", "text"), WRITTEN)
def test_lines(expression: str, text: str) -> None:
    assert break_lines(expression) == text


def tokens(text: str) -> list[str]:
    """Texts, and the signs that are no white space."""
    return re.findall(r"'(?:\\.|[^'\\])*'|\S", text)


def test_lines_mean_the_same() -> None:
    for backend in BACKENDS:
        for constraint in (one for rule in backend.rules for one in rule.constraints):
            text = cel.expression(constraint)
            assert tokens(break_lines(text)) == tokens(text)


@pytest.mark.parametrize("words", ["", "short", "long text " * 30, "容器" * 90, "it's " * 60])
def test_a_long_text_is_a_sum(words: str) -> None:
    found = text_in_lines(words)
    assert compiled(found or "''").eval(data={}).plain_value() == words
    assert all(len(one) < LONGEST for one in break_lines(found).splitlines())


def test_a_comment_is_one_of_cel() -> None:
    found = add_comment("TKE002", "words " * 30, "a || b")
    assert found.splitlines()[-1] == "a || b"
    assert all(one.startswith("// ") and len(one) <= 100 for one in found.splitlines()[:-1])


def test_kubectl_reads_blocks() -> None:
    """Lines are a block of YAML, not a text with escapes."""
    [policy, *_] = policy_documents(
        [*enforcement_policies([registry.get("tke")], PolicyOptions(everything))], PolicyEngine.VAP
    )
    text = dump_yaml(policy)
    assert "expression: |-\n" in text
    assert yaml.safe_load(text) == policy
