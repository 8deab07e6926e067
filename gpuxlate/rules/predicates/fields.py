"""JSON Schemas of fields and values, and how they are put together."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from gpuxlate.model import quantity
from gpuxlate.model.sheet import Range
from gpuxlate.rules.predicates.conditions import Word
from gpuxlate.rules.predicates.numerals import LOWEST, as_integer, as_string

Schema = dict[str, Any]

EVERYTHING: Schema = {}
NOTHING: Schema = {"not": {}}
SCALAR: Schema = {"type": ["string", "number", "boolean"]}
WHOLE = Range(LOWEST)
"""Any whole number."""
_MULTIPLES = f"[eE][+-]?[0-9]+|[{quantity.LARGE}]|[{quantity.BINARY}]i"
ODD: Schema = {
    "type": "string",
    "pattern": f"^[+-]?([0-9]+[.]?0*|[0-9.]+({_MULTIPLES})|(0+|[0-9]*000)[.0]*[{quantity.SMALL}])$",
    "not": {"pattern": "^(0|-?[1-9][0-9]*)$"},
}
"""What may be a whole number in other than plain digits; of the others, hardly any."""


# --- schemas --------------------------------------------------------------------------------------


def all_of(parts: list[Schema]) -> Schema:
    some = [one for one in parts if one != EVERYTHING]
    if NOTHING in some:
        return NOTHING
    return EVERYTHING if not some else some[0] if len(some) == 1 else {"allOf": some}


def any_of(parts: list[Schema]) -> Schema:
    some = [one for one in parts if one != NOTHING]
    if EVERYTHING in some:
        return EVERYTHING
    return NOTHING if not some else some[0] if len(some) == 1 else {"anyOf": some}


def not_(one: Schema) -> Schema:
    if one == EVERYTHING:
        return NOTHING
    return one["not"] if set(one) == {"not"} else {"not": one}


def field(path: tuple[str, ...], schema: Schema) -> Schema:
    """There is a field, and it keeps the schema."""
    if schema == NOTHING:
        return NOTHING
    for step in reversed(path):
        below = {"properties": {step: schema}} if schema != EVERYTHING else {}
        schema = {"type": "object", "required": [step], **below}
    return schema


def below(path: tuple[str, ...], schema: Schema) -> Schema:
    """The field keeps the schema where there is one."""
    for step in reversed(path):
        schema = {"properties": {step: schema}}
    return schema


def shared(schema: Schema) -> Schema:
    """The same schema, with the larger parts that are in it more than once in ``$defs``."""
    texts = Counter(json.dumps(one) for one in _parts(schema))
    names = {
        text: f"part{n}" for n, text in enumerate(t for t, n in texts.items() if n > 1 and len(t) > LARGE)
    }
    parts = {name: _with_names(json.loads(text), names, outermost=True) for text, name in names.items()}
    return {**_with_names(schema, names), **({"$defs": parts} if parts else {})}


LARGE = 120
"""Characters of a part that is worth a name."""
_LISTS, _MAPPINGS, _SINGLE = ("allOf", "anyOf"), ("properties",), ("not", "items", "contains")
"""Keywords that hold schemas."""


def _parts(schema: Schema) -> Iterator[Schema]:
    yield schema
    for word, below in schema.items():
        inner = below if word in _LISTS else below.values() if word in _MAPPINGS else [below]
        if word in (*_LISTS, *_MAPPINGS, *_SINGLE):
            for one in inner:
                yield from _parts(one)


def _with_names(schema: Schema, names: Mapping[str, str], outermost: bool = False) -> Schema:
    name = None if outermost else names.get(json.dumps(schema))
    if name is not None:
        return {"$ref": f"#/$defs/{name}"}
    found = dict(schema)
    for word, below in schema.items():
        if word in _LISTS:
            found[word] = [_with_names(one, names) for one in below]
        elif word in _MAPPINGS:
            found[word] = {field: _with_names(one, names) for field, one in below.items()}
        elif word in _SINGLE:
            found[word] = _with_names(below, names)
    return found


# --- values ---------------------------------------------------------------------------------------


def numbers(ranges: tuple[Range, ...], sure: bool) -> Schema:
    """A whole number in one of the ranges, bare or quoted."""
    found = []
    for one in ranges:
        found.append(as_integer(one))
        try:
            found.append(as_string(one))
        except ValueError:
            if not sure:
                found.append(as_string(WHOLE))
    return any_of([*found, *([] if sure else [ODD])])


def words(listed: tuple[Word, ...], sure: bool, any_case: bool = False) -> Schema:
    """A value that is one of the words; a bare number or boolean is the text of it."""
    if not listed:
        return EVERYTHING
    found: list[Schema] = []
    texts = [one for one in listed if isinstance(one, str)]
    if texts and any_case:
        spelled = "|".join(map(_any_case, texts))
        found.append({"type": "string", "pattern": f"^({spelled})$"})
    elif texts:
        found.append({"enum": texts})
    bare = [_bare(one) for one in texts]
    if any(one is not None for one in bare):
        found.append({"enum": [one for one in bare if one is not None]})
    patterns = [one.pattern for one in listed if isinstance(one, re.Pattern)]
    if patterns:
        found.append({"type": "string", "pattern": f"^({'|'.join(patterns)})$"})
        if not sure:
            found.append({"type": ["number", "boolean"]})
    ranges = tuple(one for one in listed if isinstance(one, Range))
    if ranges:
        found.append(numbers(ranges, sure))
    return any_of(found)


def _bare(word: str) -> int | bool | None:
    if word in ("true", "false"):
        return word == "true"
    return int(word) if re.fullmatch("0|-?[1-9][0-9]*", word) else None


def _any_case(word: str) -> str:
    return "".join(f"[{one.lower()}{one.upper()}]" if one.isalpha() else re.escape(one) for one in word)
