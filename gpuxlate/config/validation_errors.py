"""What does not fit a model, in words for people: pydantic's errors as findings, and what to write."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from fractions import Fraction
from itertools import islice
from typing import TYPE_CHECKING, Any, Union, get_args, get_origin

from gpuxlate.backends import registry
from gpuxlate.model import quantity
from gpuxlate.model.declarations import record, regex
from gpuxlate.model.diagnostics import Diagnostic, Path, Severity
from gpuxlate.model.limits import FULL_CARD_CORES, MAX_ENTRIES, MAX_PROBLEMS
from gpuxlate.model.messages import Message, join_and, msg, spelt_like, suggest
from gpuxlate.model.pod import dotted

if TYPE_CHECKING:
    from pydantic import BaseModel
    from pydantic.fields import FieldInfo

MAX_SHOWN_VALUE = 60
"""Characters of a value that a message shows."""
MIB = 2**20
PERCENT_FIELDS = ("cores", "memoryPercent")
"""Fields that count percent of one card."""
_PLAIN_TEXT = regex(r"[A-Za-z_./$][\w./${}-]*(?: [\w./-]+)*")
_NOT_TEXT = frozenset({"true", "false", "yes", "no", "on", "off", "null", "y", "n"})


def shown(value: object) -> str:
    """A value for people, never long."""
    if value is None:
        return "empty (null)"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int) and abs(value) > quantity.LIMIT:
        return msg("a number of more than {count} digits", count=len(str(quantity.LIMIT)) - 1)
    if isinstance(value, dict):
        return "a mapping"
    if isinstance(value, list | tuple | set):
        return "a list"
    if isinstance(value, int | float):
        return str(value)
    text = str(value)
    short = text if len(text) <= MAX_SHOWN_VALUE else text[:MAX_SHOWN_VALUE] + "..."
    return json.dumps(short, ensure_ascii=not short.isprintable())


def yaml_of(value: object, *, quoted: bool = False) -> str:
    """A small value as YAML on one line."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {yaml_of(entry)}" for key, entry in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(yaml_of, value)) + "]"
    if isinstance(value, str):
        plain = _PLAIN_TEXT.fullmatch(value) and value.lower() not in _NOT_TEXT and not quoted
        return value if plain else json.dumps(value, ensure_ascii=False)
    return json.dumps(value)


def number_hint(name: str, value: object) -> str | None:
    """What to write for a number that is not whole: the next whole number.

    None where it is not clear what was meant.
    """
    if isinstance(value, str):
        return _text_hint(name, value.strip())
    if isinstance(value, float) and math.isfinite(value) and value > 0:
        return _amount_hint(name, Fraction(str(value)))
    return None


def _text_hint(name: str, text: str) -> str | None:
    try:
        amount = quantity.parse(text.removesuffix("%").strip())
    except quantity.QuantityError:
        return None
    if amount.amount <= 0:
        return None
    if text.endswith("%"):
        if name not in PERCENT_FIELDS:
            return None
        example = f"{name}: {math.ceil(amount.amount)}"
        return msg("write {example}: {name} counts percent", example=example, name=name)
    if not amount.suffix:
        if amount.whole is None:
            return _amount_hint(name, amount.amount)
        return msg("write {example}, without quotes", example=f"{name}: {amount.whole}")
    if name.endswith("MiB") and amount.suffix in ("Ki", "Mi", "Gi", "Ti"):
        example = f"{name}: {math.ceil(amount.amount / MIB)}"
        return msg("write {example}: {name} counts MiB and takes no unit", example=example, name=name)
    return None


def _amount_hint(name: str, amount: Fraction) -> str:
    percent = amount * FULL_CARD_CORES
    if name in PERCENT_FIELDS and amount < 1 and percent.denominator == 1:
        return msg(
            "write {example} for {part} of a card: {name} counts percent of one card",
            example=f"{name}: {percent}",
            part=str(float(amount)),
            name=name,
        )
    return msg("write {example}", example=f"{name}: {math.ceil(amount)}")


# What does not fit a model, in words for people: pydantic's errors as Diagnostics.
# Every message names the field, its value and what is wrong with it; every hint says what to write. The
# examples and descriptions of the fields are the models' own.
WORD, NUMBER = "(word)", "(number)"
"""Tags of the kinds of value of a field that takes either."""


@record
class ModelError:
    """One error of pydantic: its type, place, value, and the model's own view of it."""

    root: type[BaseModel]
    kind: str
    loc: Path
    value: object
    context: Mapping[str, Any]
    base: Path

    @property
    def label(self) -> str:
        """The field as people would call it."""
        return self.dotted(self.loc) or msg("the document")

    def dotted(self, loc: Path) -> str:
        """A place for people, from the root of the document: ``profiles.beijing.cards``."""
        return dotted((*self.base, *loc))

    @property
    def name(self) -> str:
        """The nearest key above: the field's own name, or that of the list it is in."""
        return next((str(step) for step in reversed(self.loc) if isinstance(step, str)), "")

    @property
    def field(self) -> FieldInfo | None:
        """The field of the model that the place belongs to; entries of lists and mappings have none."""
        end = len(self.loc)
        while end and not isinstance(self.loc[end - 1], str):
            end -= 1
        owner = _model_at(self.root, self.loc[: end - 1]) if end else None
        return fields_of(owner).get(str(self.loc[end - 1])) if owner else None

    @property
    def in_list(self) -> bool:
        return bool(self.loc) and isinstance(self.loc[-1], int)


def check_model(
    model: type[BaseModel], data: object, code: str, *, base: Path = (), maximum: int = MAX_ENTRIES
) -> tuple[dict[str, Any] | None, list[Diagnostic]]:
    """The fields that ``data`` gives, by attribute, or every reason why it does not fit the model.

    ``base`` is the path of ``data`` in its document; ``most``: its keys and items.
    """
    from pydantic import ValidationError

    if _larger(data, maximum):
        too_many = msg(
            "{label} has more than {most} entries",
            label=dotted(base) or msg("the document"),
            most=maximum,
        )
        return None, [
            Diagnostic(code, Severity.ERROR, too_many, "leave out what gpuxlate does not know", base)
        ]
    try:
        return model.model_validate(data).model_dump(exclude_unset=True), []
    except ValidationError as error:
        errors = [
            ModelError(
                model, details["type"], _place(details["loc"]), details["input"], details.get("ctx", {}), base
            )
            for details in error.errors(include_url=False)
        ]
        problems = [_diagnostic(details, code) for details in errors[:MAX_PROBLEMS]]
        if len(errors) > MAX_PROBLEMS:
            more = msg("there are {count} more problems", count=len(errors) - MAX_PROBLEMS)
            problems.append(Diagnostic(code, Severity.ERROR, more, "fix these first", base))
        return None, problems


def _place(loc: Iterable[str | int]) -> Path:
    """The place of an error, without the kind of value that was taken for meant there."""
    return tuple(step for step in loc if step not in (WORD, NUMBER))


def _larger(data: object, maximum: int) -> bool:
    """Plain data has more than ``most`` entries, in all its mappings and lists together."""
    pending, count = [data], 0
    while pending and count <= maximum:
        value = pending.pop()
        if isinstance(value, dict | list):
            count += len(value)
            pending.extend(islice(value.values() if isinstance(value, dict) else value, maximum + 1))
    return count > maximum


def fields_of(model: type[BaseModel]) -> dict[str, FieldInfo]:
    """The fields of a model by the name they have in documents."""
    return {info.alias or name: info for name, info in model.model_fields.items()}


def _inner(annotation: Any) -> type[BaseModel] | None:
    """The model in an annotation such as ``list[Model]``."""
    if hasattr(annotation, "model_fields"):
        model: type[BaseModel] = annotation
        return model
    return next((inner for inner in map(_inner, get_args(annotation)) if inner), None)


def _model_at(model: type[BaseModel], path: Path) -> type[BaseModel] | None:
    """The model that describes the mapping at a path."""
    current: type[BaseModel] | None = model
    for step in path:
        if current is not None and not isinstance(step, int):
            info = fields_of(current).get(step)
            current = _inner(info.annotation) if info else None
    return current


def _diagnostic(problem: ModelError, code: str) -> Diagnostic:
    message, hint = _SAYINGS.get(problem.kind, _not_allowed)(problem)
    path, on_key = problem.loc, False
    if problem.kind == "missing":
        # The key that should hold it; the document as a whole has none.
        path, on_key = path[:-1], len(problem.base) + len(path) > 1
    elif problem.kind in ("extra_forbidden", "invalid_key"):
        on_key = True
    elif path[-1:] == ("[key]",):
        path, on_key = path[:-1], True
    return Diagnostic(code, Severity.ERROR, message, hint, (*problem.base, *path), on_key)


# --- what to say, by pydantic's type of error -------------------------------------------------------
Saying = tuple[str, str | None]


def _unknown(problem: ModelError) -> Saying:
    *parents, name = problem.loc
    parent = problem.dotted(tuple(parents))
    model = _model_at(problem.root, tuple(parents))
    allowed = list(fields_of(model)) if model else []
    message = (
        msg("unknown field {name} in {parent}", name=shown(name), parent=parent)
        if parent
        else msg("unknown field {name}", name=shown(name))
    )
    return message, _nearest_field(problem, str(name), allowed)


def _nearest_field(problem: ModelError, name: str, allowed: list[str]) -> str:
    plain = {_plain(word): word for word in allowed}
    if _plain(name) in plain:
        return suggest(plain[_plain(name)])
    for path in _all_fields(problem.root):
        if path[-1] == name and len(path) > 1:
            return msg("move {name} under {parent}", name=name, parent=problem.dotted(path[:-1]))
    near = spelt_like(_plain(name[:MAX_SHOWN_VALUE]), plain)
    if near:
        return suggest(plain[near[0]])
    return msg("fields here: {names}", names=", ".join(allowed))


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())


def _all_fields(model: type[BaseModel], path: Path = ()) -> Iterator[Path]:
    for name, info in fields_of(model).items():
        yield (*path, name)
        inner = _inner(info.annotation)
        if inner:
            yield from _all_fields(inner, (*path, name))


def _bad_key(problem: ModelError) -> Saying:
    entry = problem.kind == "invalid_key"
    key = problem.loc[-1] if entry else problem.value
    where = problem.dotted(problem.loc[: -1 if entry else -2])
    message = (
        msg("a key of {where} is {value}, it must be text", where=where, value=shown(key))
        if where
        else msg("a key is {value}, it must be text", value=shown(key))
    )
    return message, "put the key in quotes"


def _missing(problem: ModelError) -> Saying:
    parent = problem.dotted(problem.loc[:-1])
    example = _example(problem)
    under = msg("write {example} under {parent}", example=example, parent=parent)
    hint = under if parent else msg("write {example}", example=example)
    return msg("{label} is missing", label=problem.label), hint


def _wrong_type(noun: str) -> Callable[[ModelError], Saying]:
    def saying(problem: ModelError) -> Saying:
        if problem.loc[-1:] == ("[key]",):
            return _bad_key(problem)
        message = "{label} is {value}, it must be {noun}"
        value = shown(problem.value)
        return msg(message, label=problem.label, value=value, noun=msg(noun)), _type_hint(problem)

    return saying


def _type_hint(problem: ModelError) -> str | None:
    value, info = problem.value, problem.field
    if not problem.loc:
        return msg("write a mapping with the fields {names}", names=", ".join(fields_of(problem.root)))
    if value is None:
        return _write_or_remove("write {example}", problem, example=_example(problem))
    if problem.kind == "int_type":
        return number_hint(problem.name, value) or msg("write {example}", example=_example(problem))
    if problem.kind == "string_type" and isinstance(value, bool | int):
        text = yaml_of(str(value).lower() if isinstance(value, bool) else str(value), quoted=True)
        return msg("write {example}", example=text if problem.in_list else f"{problem.name}: {text}")
    if problem.kind == "string_type" and isinstance(value, float):
        return "put the value in quotes: without them digits are lost"
    if problem.kind == "list_type" and isinstance(value, str):
        return msg("write {example}", example=f"{problem.name}: [{yaml_of(value)}]")
    return msg("write {example}", example=_example(problem)) if info else None


def _write_or_remove(template: str, problem: ModelError, **values: str) -> Message:
    """What to write. An empty line may go too, unless its field is needed."""
    hint = msg(template, **values)
    needed = problem.field is not None and problem.field.is_required() and not problem.in_list
    if problem.value is not None or needed:
        return hint
    return msg("{hint}, or remove the line", hint=hint)


def _example(problem: ModelError) -> str:
    info = problem.field
    example = info.examples[0] if info and info.examples else None
    if problem.in_list and isinstance(example, list):
        return yaml_of(example[0])
    return f"{problem.name}: {yaml_of(example)}" if example is not None else problem.name


def _choices(kind: Any) -> list[str]:
    """The values of a list of words, or of one of words and a number."""
    if get_origin(kind) is Union:
        return [choice for part in get_args(kind) for choice in _choices(get_args(part)[0])]
    return (
        [msg("a whole number")] if kind is int else [str(choice) for choice in get_args(kind) or kind or ()]
    )


def _choice(problem: ModelError) -> Saying:
    info = problem.field
    choices = _choices(info.annotation) if info else []
    label, value = problem.label, shown(problem.value)
    if len(choices) == 1:
        message = msg("{label} is {value}, it must be {only}", label=label, value=value, only=choices[0])
        return message, msg("write {example}", example=f"{problem.name}: {choices[0]}")
    text = problem.value[:MAX_SHOWN_VALUE] if isinstance(problem.value, str) else ""
    # what a vendor calls a value: close in letters is not close in meaning
    correct = registry.word(problem.name, text.strip().lower())
    near = [correct] if correct else spelt_like(text.lower().replace("_", "-"), choices)
    if near:
        hint = _write_or_remove("write {example}", problem, example=f"{problem.name}: {near[0]}")
    else:
        hint = _write_or_remove("write one of {names}", problem, names=join_and(choices))
    template = "{label} is {value}, it must be one of {choices}"
    return msg(template, label=label, value=value, choices=join_and(choices)), hint


def _pattern(problem: ModelError) -> Saying:
    message = _of("{label} is {value}, which is not allowed", problem)
    rule = problem.field.description if problem.field else None
    text = str(problem.value)[:MAX_SHOWN_VALUE]
    kebab = re.sub(r"[^a-z0-9.]+", "-", text.lower()).strip("-.")
    for fixed in (text.strip(), text.upper(), kebab):
        if fixed != text and re.search(problem.context["pattern"], fixed):
            example = fixed if problem.in_list else f"{problem.name}: {fixed}"
            return message, msg("write {example}. {rule}", example=example, rule=rule)
    return message, msg("write {example}. {rule}", example=_example(problem), rule=rule)


def _too_long(problem: ModelError) -> Saying:
    longest = problem.context["max_length"]
    template = "{label} has {length} characters, at most {most} are allowed"
    message = msg(template, label=problem.label, length=len(str(problem.value)), most=longest)
    return message, "write a shorter name"


def _empty(problem: ModelError) -> Saying:
    if problem.loc[-1:] == ("[key]",):
        return msg("a key of {name} is empty", name=problem.dotted(problem.loc[:-2])), "give it a name"
    return msg("{label} is empty", label=problem.label), msg("write {example}", example=_example(problem))


def _too_small(problem: ModelError) -> Saying:
    message = _of("{label} is {value}, it must be at least 1", problem)
    return message, msg("write {example}", example=_example(problem))


def _too_large(problem: ModelError) -> Saying:
    message = _of("{label} is {value}, which is larger than Kubernetes can hold", problem)
    return message, msg("write {example}", example=_example(problem))


def _not_allowed(problem: ModelError) -> Saying:
    rule = problem.field.description if problem.field else None
    return _of("{label} is {value}, which is not allowed", problem), rule


def _of(template: str, problem: ModelError) -> Message:
    return msg(template, label=problem.label, value=shown(problem.value))


_SAYINGS: Mapping[str, Callable[[ModelError], Saying]] = {
    "extra_forbidden": _unknown,
    "invalid_key": _bad_key,
    "missing": _missing,
    "int_type": _wrong_type("a whole number"),
    "string_type": _wrong_type("text"),
    "bool_type": _wrong_type("true or false"),
    "list_type": _wrong_type("a list"),
    "dict_type": _wrong_type("a mapping"),
    "model_type": _wrong_type("a mapping"),
    "literal_error": _choice,
    "enum": _choice,
    "string_pattern_mismatch": _pattern,
    "string_too_long": _too_long,
    "string_too_short": _empty,
    "too_short": _empty,
    "greater_than_equal": _too_small,
    "less_than_equal": _too_large,
}
