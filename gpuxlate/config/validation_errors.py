"""What does not fit a model, in words for people: pydantic's errors as findings, and what to write."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import TYPE_CHECKING, Any, Union, get_args, get_origin

from gpuxlate.backends import registry
from gpuxlate.config.shown_values import MAX_SHOWN_VALUE, number_hint, show_value, yaml_of
from gpuxlate.model.declarations import record
from gpuxlate.model.diagnostics import Diagnostic, Path, Severity
from gpuxlate.model.limits import MAX_ENTRIES, MAX_PROBLEMS
from gpuxlate.model.messages import Message, join_and, msg, spelt_like, suggest
from gpuxlate.model.pod import dotted

if TYPE_CHECKING:
    from pydantic import BaseModel
    from pydantic.fields import FieldInfo

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
        """The name of the field for messages."""
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
        """The field of the model that the place belongs to, of an item that of its list; entries of mappings
        have none."""
        return _field_at(self.root, self.loc)

    @property
    def field_of_mapping(self) -> FieldInfo | None:
        """The field whose mapping has the place as an entry."""
        return _field_at(self.root, self.loc[:-1])

    @property
    def in_list(self) -> bool:
        """It is about an item of a list."""
        return bool(self.loc) and isinstance(self.loc[-1], int)

    @property
    def of_key(self) -> bool:
        """It is about a key, not about its value."""
        return self.loc[-1:] == ("[key]",)


def check_model(
    model: type[BaseModel], data: object, code: str, *, base: Path = (), maximum: int = MAX_ENTRIES
) -> tuple[dict[str, Any] | None, list[Diagnostic]]:
    """The fields that ``data`` gives, by attribute, or every reason why it does not fit the model.

    ``base`` is the path of ``data`` in its document; ``maximum``: of its keys and items together.
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
    """The path of an error, without the tags that stand for the members of a union."""
    return tuple(step for step in loc if step not in (WORD, NUMBER))


def _larger(data: object, maximum: int) -> bool:
    """Plain data has more than ``maximum`` entries, in all its mappings and lists together."""
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


def _field_at(root: type[BaseModel], loc: Path) -> FieldInfo | None:
    end = len(loc)
    while end and not isinstance(loc[end - 1], str):
        end -= 1
    owner = _model_at(root, loc[: end - 1]) if end else None
    return fields_of(owner).get(str(loc[end - 1])) if owner else None


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
    message, hint = _saying(problem)
    path, on_key = problem.loc, False
    if problem.kind == "missing":
        # The key that should hold it; the document as a whole has none.
        path, on_key = path[:-1], len(problem.base) + len(path) > 1
    elif problem.kind in ("extra_forbidden", "invalid_key"):
        on_key = True
    elif problem.of_key:
        path, on_key = path[:-1], True
    return Diagnostic(code, Severity.ERROR, message, hint, (*problem.base, *path), on_key)


# --- what to say, by pydantic's type of error -------------------------------------------------------
# Its own sentences (of 35 wrong documents) show no value and have no Chinese, and show regular expressions
# and names of our classes.
Saying = tuple[str, str | None]
_TYPES = {
    "int_type": "a whole number",
    "float_type": "a number",
    "string_type": "text",
    "bool_type": "true or false",
    "list_type": "a list",
    "dict_type": "a mapping",
    "model_type": "a mapping",
}
_EMPTY = ("string_too_short", "too_short")
_MESSAGES = {
    "missing": "{label} is missing",
    **dict.fromkeys(_EMPTY, "{label} is empty"),
    "string_too_long": "{label} has {length} characters, at most {most} are allowed",
    "greater_than_equal": "{label} is {value}, it must be at least {least}",
    "less_than_equal": "{label} is {value}, which is larger than Kubernetes can hold",
}


def _saying(problem: ModelError) -> Saying:
    kind, context = problem.kind, problem.context
    if kind == "extra_forbidden":
        return _unknown(problem)
    if kind == "invalid_key" or (problem.of_key and (kind in _TYPES or kind in _EMPTY)):
        return _bad_key(problem)
    if kind in ("literal_error", "enum"):
        return _choice(problem)
    label, value = problem.label, show_value(problem.value)
    if kind in _TYPES:
        template, noun = "{label} is {value}, it must be {noun}", msg(_TYPES[kind])
        return msg(template, label=label, value=value, noun=noun), _type_hint(problem)
    message = msg(
        _MESSAGES.get(kind, "{label} is {value}, which is not allowed"),
        label=label,
        value=value,
        length=len(problem.value) if isinstance(problem.value, str) else None,
        most=context.get("max_length"),
        least=f"{least:g}" if (least := context.get("ge", 1)) >= 0 else "1",
    )
    return message, _hint(problem)


def _hint(problem: ModelError) -> str | None:
    match problem.kind:
        case "missing" if parent := problem.dotted(problem.loc[:-1]):
            return msg("write {example} under {parent}", example=_example(problem), parent=parent)
        case "string_too_long":
            return "write a shorter name"
        case "string_pattern_mismatch":
            return _corrected(problem)
        case kind if kind in _MESSAGES:
            return msg("write {example}", example=_example(problem))
    return problem.field.description if problem.field else None


def _unknown(problem: ModelError) -> Saying:
    *parents, name = problem.loc
    parent = problem.dotted(tuple(parents))
    model = _model_at(problem.root, tuple(parents))
    allowed = list(fields_of(model)) if model else []
    message = (
        msg("unknown field {name} in {parent}", name=show_value(name), parent=parent)
        if parent
        else msg("unknown field {name}", name=show_value(name))
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
    is_entry = problem.kind == "invalid_key"
    key = problem.loc[-1] if is_entry else problem.value
    where = problem.dotted(problem.loc[: -1 if is_entry else -2])
    if key == "":
        return msg("a key of {name} is empty", name=where), "give it a name"
    message = (
        msg("a key of {where} is {value}, it must be text", where=where, value=show_value(key))
        if where
        else msg("a key is {value}, it must be text", value=show_value(key))
    )
    return message, "put the key in quotes"


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
    return msg("write {example}", example=_example(problem)) if info or problem.field_of_mapping else None


def _write_or_remove(template: str, problem: ModelError, **values: str) -> Message:
    """What to write. An empty line may go too, unless its field is needed."""
    hint = msg(template, **values)
    needed = problem.field is not None and problem.field.is_required() and not problem.in_list
    if problem.value is not None or needed:
        return hint
    return msg("{hint}, or remove the line", hint=hint)


def _example(problem: ModelError) -> str:
    """What the place may hold, as documents have it: of a list, an item; of a mapping, a value."""
    info = problem.field or problem.field_of_mapping
    example = info.examples[0] if info and info.examples else None
    if problem.in_list and isinstance(example, list):
        return yaml_of(example[0])
    if problem.field is None and isinstance(example, dict):
        example = next(iter(example.values()))
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
    label, value = problem.label, show_value(problem.value)
    if len(choices) == 1:
        message = msg("{label} is {value}, it must be {only}", label=label, value=value, only=choices[0])
        return message, msg("write {example}", example=f"{problem.name}: {choices[0]}")
    text = problem.value[:MAX_SHOWN_VALUE] if isinstance(problem.value, str) else ""
    # what a vendor calls a value: close in letters is not close in meaning
    correct = registry.neutral_word(problem.name, text.strip().lower())
    near = [correct] if correct else spelt_like(text.lower().replace("_", "-"), choices)
    if near:
        hint = _write_or_remove("write {example}", problem, example=f"{problem.name}: {near[0]}")
    else:
        hint = _write_or_remove("write one of {names}", problem, names=join_and(choices))
    template = "{label} is {value}, it must be one of {choices}"
    return msg(template, label=label, value=value, choices=join_and(choices)), hint


def _corrected(problem: ModelError) -> Message:
    """The same text in a form that the pattern allows, else the example of the field."""
    text = str(problem.value)[:MAX_SHOWN_VALUE]
    kebab = re.sub(r"[^a-z0-9.]+", "-", text.lower()).strip("-.")
    example = _example(problem)
    for fixed in (text.strip(), text.upper(), kebab):
        if fixed != text and re.search(problem.context["pattern"], fixed):
            example = fixed if problem.in_list else f"{problem.name}: {fixed}"
            break
    return msg("write {example}. {rule}", example=example, rule=problem.field and problem.field.description)
