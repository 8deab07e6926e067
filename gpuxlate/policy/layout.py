"""CEL as a person reads it: short lines, a name for what is written twice, and the rule above a condition.

White space and comments mean nothing to CEL (cel-spec, langdef, "Syntax"), and a variable of a policy is
evaluated where it is used, once (kubernetes.io, ValidatingAdmissionPolicy, "Variable composition").
"""

from __future__ import annotations

import re
import textwrap
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from itertools import count

from gpuxlate.model.declarations import regex

WIDTH = 100
"""Columns that a line may have where there is a place to break it."""
MOST_TEXT = 96
"""Letters of a string; a longer one is a sum of several."""
LEAST_NAMED = 40
"""Letters of what gets a name where it is written twice."""
_TOKEN = regex(
    r"\s*(?:(?P<text>'(?:\\.|[^'\\])*'|\"(?:\\.|[^\"\\])*\")|(?P<word>[A-Za-z_]\w*|[0-9][\w.]*)"
    r"|(?P<sign>\|\||&&|[=!<>]=|\.\?|\[\?|[-+*/%<>!?:.,()\[\]{}]))"
)
_LEVELS = (("||",), ("&&",), ("==", "!=", "<=", ">=", "<", ">", "in"), ("+", "-"), ("*", "/", "%"))
"""Operators of two sides, the weakest first."""
_LEVEL = {sign: level for level, signs in enumerate(_LEVELS) for sign in signs}
_NESTED = ("||", "&&")
"""These of each other are one chain, in brackets or not; of ``+`` one that is read from the left is."""
_CLOSING = {"(": ")", "[": "]", "[?": "]", "{": "}"}
_MACROS = {"all", "exists", "exists_one", "filter", "map"}
_GLOBAL = {"variables", "object", "params", "true", "false", "null", "map", "string", "int", "double", "bool"}
_ENDINGS = {
    "map": "Values",
    "filter": "Found",
    "exists": "Exists",
    "all": "All",
    "orValue": "Value",
    "split": "Parts",
    "join": "Text",
}
"""How the name of a call's result ends. Others have none: an optional value is of no type of a variable."""


class Kind(StrEnum):
    """What a node is, by its parts."""

    ATOM = "atom"
    UNARY = "unary"
    BINARY = "binary"
    TERNARY = "ternary"
    BRACKETS = "brackets"
    POSTFIX = "postfix"


@dataclass(slots=True, eq=False)
class CelNode:
    """A part of an expression. ``sign``: an operator, an opening bracket, or ``.field``.

    ``flat``: in one line. ``free``: variables of macros that are bound outside.
    """

    kind: Kind
    sign: str
    parts: tuple[CelNode, ...]
    flat: str
    free: frozenset[str]


_NONE: frozenset[str] = frozenset()


@cache
def _atom(sign: str) -> CelNode:
    local = sign.isidentifier() and sign not in _GLOBAL
    return CelNode(Kind.ATOM, sign, (), sign, frozenset((sign,)) if local else _NONE)


def _node(kind: Kind, sign: str, parts: Sequence[CelNode]) -> CelNode:
    flats = [one.flat for one in parts]
    free = _NONE.union(*[one.free for one in parts])
    match kind:
        case Kind.UNARY:
            flat = sign + flats[0]
        case Kind.TERNARY:
            flat = f"{flats[0]} ? {flats[1]} : {flats[2]}"
        case Kind.BINARY:
            flat = f"{sign} ".join(flats) if sign == ":" else f" {sign} ".join(flats)
        case Kind.BRACKETS:
            flat = f"{sign}{', '.join(flats)}{_CLOSING[sign]}"
        case _:
            flat = flats[0] + (f"{sign}{', '.join(flats[1:])}{_CLOSING[sign]}" if sign in _CLOSING else sign)
            if sign == "(":
                free = _free_of_call(*parts)
    return CelNode(kind, sign, tuple(parts), flat, free)


def _free_of_call(of: CelNode, *arguments: CelNode) -> frozenset[str]:
    inside: frozenset[str] = frozenset().union(*(one.free for one in arguments))
    if of.kind is Kind.ATOM:
        return inside
    return of.free | (inside - arguments[0].free if of.sign[1:] in _MACROS else inside)


def _inside(node: CelNode) -> CelNode:
    """What is in brackets around all of it."""
    while node.kind is Kind.BRACKETS and node.sign == "(":
        node = node.parts[0]
    return node


def _same(node: CelNode, sign: str) -> tuple[CelNode, ...]:
    """The parts of a chain of an operator; none of anything else."""
    return node.parts if node.kind is Kind.BINARY and node.sign == sign else ()


class _Parser:
    """Tokens of an expression as nodes. Brackets that change nothing are left out."""

    def __init__(self, expression: str) -> None:
        self.tokens = [match[match.lastgroup or 0] for match in _TOKEN.finditer(expression.strip())]
        self.tokens.append("")
        self.at = 0

    def take(self, *signs: str) -> str:
        found = self.tokens[self.at]
        if found not in signs:
            return ""
        self.at += 1
        return found

    def next(self) -> str:
        self.at += 1
        return self.tokens[self.at - 1]

    def whole(self) -> CelNode:
        found = self.expression()
        assert not self.tokens[self.at], self.tokens[self.at :]
        return found

    def expression(self) -> CelNode:
        found = self.binary(0)
        if not self.take("?"):
            return found
        chosen = self.expression()
        self.take(":")
        return _node(Kind.TERNARY, "?", (found, chosen, self.expression()))

    def binary(self, least: int) -> CelNode:
        """Operators of a level, or of stronger ones."""
        found = self.unary()
        while (level := _LEVEL.get(sign := self.tokens[self.at], -1)) >= least:
            parts = [found]
            while self.take(sign):
                parts.append(self.binary(level + 1))
                if sign not in _NESTED and sign != "+":
                    break
            if sign in _NESTED:
                parts = [there for one in parts for there in _same(_inside(one), sign) or (one,)]
            elif sign == "+":
                parts[:1] = _same(found, sign) or (found,)
            found = _node(Kind.BINARY, sign, parts)
        return found

    def unary(self) -> CelNode:
        sign = self.take("!", "-")
        return _node(Kind.UNARY, sign, [self.unary()]) if sign else self.postfix()

    def postfix(self) -> CelNode:
        found = self.primary()
        while sign := self.take(".", ".?", "(", "[", "[?", "{"):
            if sign in _CLOSING:
                found = _node(Kind.POSTFIX, sign, [found, *self.listed(_CLOSING[sign])])
            else:
                found = _node(Kind.POSTFIX, sign + self.next(), [found])
        return found

    def primary(self) -> CelNode:
        sign = self.next()
        if sign == "[?":
            first = _node(Kind.UNARY, "?", [self.expression()])
            self.take(",")
            return _node(Kind.BRACKETS, "[", [first, *self.listed("]")])
        if sign not in _CLOSING:
            return _atom(sign)
        parts = self.listed(_CLOSING[sign])
        plain = sign == "(" and parts[0].kind in (Kind.ATOM, Kind.BRACKETS, Kind.POSTFIX)
        return parts[0] if plain else _node(Kind.BRACKETS, sign, parts)

    def listed(self, closing: str) -> list[CelNode]:
        found: list[CelNode] = []
        while not self.take(closing):
            found.append(self.entry())
            assert self.take(",") or self.tokens[self.at] == closing, self.tokens[self.at :]
        return found

    def entry(self) -> CelNode:
        """An element, or a key with its value; either may be optional."""
        optional = self.take("?")
        found = _inside(self.expression())
        found = _node(Kind.UNARY, optional, [found]) if optional else found
        return _node(Kind.BINARY, ":", (found, _inside(self.expression()))) if self.take(":") else found


@cache
def parsed(expression: str) -> CelNode:
    """An expression as a tree."""
    return _Parser(expression).whole()


# --- lines ----------------------------------------------------------------------------------------


def lines(node: CelNode) -> str:
    """An expression in lines. Each condition of the whole begins its own."""
    node = _inside(node)
    return _chain(node, 0) if node.sign in ("||", "&&") else _laid(node, 0, 0)


def _laid(node: CelNode, indent: int, column: int) -> str:
    """A node that begins at a column; its further lines are indented."""
    if node.kind is Kind.ATOM:
        return _text(node.flat, indent) if len(node.flat) > MOST_TEXT else node.flat
    if column + len(node.flat) <= WIDTH and "\n" not in node.flat:
        return node.flat
    match node.kind:
        case Kind.UNARY:
            return node.sign + _laid(node.parts[0], indent, column + 1)
        case Kind.TERNARY:
            step = " " * indent
            condition, chosen, other = (_laid(one, indent + 2, indent + 2) for one in node.parts)
            return f"{condition}\n{step}? {chosen}\n{step}: {other}"
        case Kind.BINARY if node.sign in ("||", "&&", "+", "-", "*", "/", "%"):
            return _chain(node, indent)
        case Kind.BINARY:
            left, right = node.parts
            found = _laid(left, indent, column) + (": " if node.sign == ":" else f" {node.sign} ")
            return found + _laid(right, indent, _column(found, column))
        case Kind.BRACKETS:
            return _bracketed(node.sign, node.parts, indent)
    return _called(node, indent, column)


def _chain(node: CelNode, indent: int) -> str:
    step, sign = f"\n{' ' * indent}", node.sign
    first, *rest = node.parts
    found = [_laid(first, indent, indent)]
    found += [f"{sign} {_laid(one, indent, indent + len(sign) + 1)}" for one in rest]
    return step.join(found)


def _column(found: str, column: int) -> int:
    """Where a text ends that begins at a column."""
    return len(found.rpartition("\n")[2]) + (0 if "\n" in found else column)


def _bracketed(sign: str, parts: Sequence[CelNode], indent: int, head: str = "") -> str:
    """Brackets with their parts in lines of their own: names together, others one in each."""
    inner = " " * (indent + 2)
    if all(one.kind is Kind.ATOM and len(one.flat) <= MOST_TEXT for one in parts):
        body = textwrap.fill(
            ", ".join(one.flat.replace(" ", "\0") for one in parts),
            WIDTH,
            initial_indent=inner,
            subsequent_indent=inner,
            break_long_words=False,
            break_on_hyphens=False,
        ).replace("\0", " ")
    else:
        body = ",\n".join(inner + _laid(one, indent + 2, indent + 2) for one in parts)
    return f"{sign}{head}\n{body}\n{' ' * indent}{_CLOSING[sign]}"


def _called(node: CelNode, indent: int, column: int) -> str:
    """A value with fields and calls behind it: each call of several begins a line."""
    steps: list[CelNode] = []
    while node.kind is Kind.POSTFIX:
        steps.append(node)
        node = node.parts[0]
    found = _laid(node, indent, column)
    calls = 0
    while steps:
        one = steps.pop()
        name = one.sign if one.sign not in _CLOSING else ""
        if name and steps and steps[-1].sign == "(":
            one = steps.pop()
        flat = name if one.sign not in _CLOSING else name + one.flat[len(one.parts[0].flat) :]
        if name and one.sign == "(":
            calls += 1
            if (calls > 1 or "\n" in found) and _column(found, column) + len(flat) > WIDTH:
                found += f"\n{' ' * (indent + 2)}"
        here = _column(found, column)
        if here + len(flat) <= WIDTH or one.sign not in _CLOSING:
            found += flat
            continue
        inside = indent + 2 if found.endswith(" ") or calls > 1 else indent
        first, rest = one.parts[1], one.parts[2:]
        if rest and name[1:] in _MACROS:  # the variable of a macro stays with its name
            found += name + _bracketed(one.sign, rest, inside, f"{first.flat},")
        else:
            found += name + _bracketed(one.sign, one.parts[1:], inside)
    return found


def _text(flat: str, indent: int) -> str:
    """A long string as a sum; broken behind a space where there is one."""
    letters = re.findall(r"\\u[0-9a-fA-F]{4}|\\x[0-9a-fA-F]{2}|\\.|[^\\]", flat[1:-1])
    rows: list[str] = []
    while letters:
        row = letters[:MOST_TEXT]
        size = next(n for n in range(len(row), 0, -1) if len("".join(row[:n])) <= MOST_TEXT)
        if size < len(letters):
            spaces = [n for n in range(size // 2, size) if letters[n] == " "]
            size = spaces[-1] + 1 if spaces else size
        rows.append("".join(letters[:size]))
        letters = letters[size:]
    step = f"\n{' ' * (indent + 2)}+ "
    return f"({step.join(f'{flat[0]}{row}{flat[0]}' for row in rows)})" if len(rows) > 1 else flat


# --- names ----------------------------------------------------------------------------------------


def _may_be_named(node: CelNode) -> bool:
    """It is of no macro's variable, long, and of a type that a variable can have."""
    if node.free or len(node.flat) < LEAST_NAMED:
        return False
    if node.kind is Kind.BRACKETS:
        return node.sign == "[" and all(one.kind is Kind.ATOM for one in node.parts)
    return node.kind is Kind.POSTFIX and node.sign == "(" and node.parts[0].sign[1:] in _ENDINGS


class RepeatedParts:
    """Names for what some expressions say several times."""

    def __init__(self, expressions: Iterable[str], taken: Iterable[str]) -> None:
        self.taken = {*taken}
        self._seen = Counter[str]()
        self._names: dict[str, str] = {}
        self._made: list[tuple[str, str]] = []
        for one in expressions:
            self._count(parsed(one))

    def _count(self, node: CelNode) -> None:
        """What is inside something that gets a name counts once."""
        if len(node.flat) < LEAST_NAMED:  # and nothing in it is longer
            return
        if _may_be_named(node):
            self._seen[node.flat] += 1
            if self._seen[node.flat] > 1:
                return
        for one in node.parts:
            self._count(one)

    def __call__(self, expression: str) -> CelNode:
        """The expression with the names; those that it needs first are then in ``new``."""
        return self._named(parsed(expression), outermost=True)

    def new(self) -> Iterator[tuple[str, str]]:
        """Names with what they are, since the last time, in an order in which each is defined before."""
        yield from self._made
        self._made.clear()

    def _named(self, node: CelNode, *, outermost: bool = False) -> CelNode:
        if not node.parts or len(node.flat) < LEAST_NAMED:
            return node
        named = not outermost and self._seen[node.flat] > 1 and _may_be_named(node)
        if not named or node.flat not in self._names:
            known = [self._named(one) for one in node.parts]
            changed = any(one is not other for one, other in zip(known, node.parts, strict=True))
            short = _node(node.kind, node.sign, known) if changed else node
            if not named:
                return short
            self._names[node.flat] = self._name(node)
            self._made.append((self._names[node.flat], lines(short)))
        return _atom(f"variables.{self._names[node.flat]}")

    def _name(self, node: CelNode) -> str:
        """After the first key or word in it, and what is done with it."""
        words = re.findall(r"'([\w./-]*[A-Za-z][\w./-]*)'", node.flat) or re.findall(r"\.\??(\w+)", node.flat)
        words = words or ["all"]  # a list of numbers
        parts = re.findall("[A-Za-z0-9]+", words[0].rstrip("/").rpartition("/")[2])
        stem = "".join(one[0].upper() + one[1:] for one in parts)
        stem = (stem[0].lower() if stem[0].isalpha() else f"of{stem[0]}") + stem[1:]
        stem += "Names" if node.kind is Kind.BRACKETS else _ENDINGS[node.parts[0].sign[1:]]
        every = (f"{stem}{n}" if n > 1 else stem for n in count(1))
        name = next(one for one in every if one not in self.taken)
        self.taken.add(name)
        return name


def commented(code: str, summary: str, expression: str) -> str:
    """An expression below the code of a rule and what it demands."""
    prefix = "// "
    above = textwrap.fill(
        f"{code}: {summary}", WIDTH, initial_indent=prefix, subsequent_indent=prefix, break_on_hyphens=False
    )
    return f"{above}\n{expression}"
