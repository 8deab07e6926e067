"""What does not fit a model, in words for people: pydantic's errors as Diagnostics.

Every message names the field, its value and what is wrong with it; every hint says what to write.
The examples and descriptions of the fields are the models' own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import islice
from typing import TYPE_CHECKING, Any, Union, get_args, get_origin

from gpuxlate.backends import registry
from gpuxlate.config.wording import LONGEST, number_hint, shown, yaml_of
from gpuxlate.model.diagnostics import Diagnostic, Severity
from gpuxlate.model.limits import MAX_ENTRIES, MAX_PROBLEMS
from gpuxlate.model.messages import Message, say
from gpuxlate.model.pod import Path, dotted

if TYPE_CHECKING:
    from pydantic import BaseModel
    from pydantic.fields import FieldInfo


WORD, NUMBER = "(word)", "(number)"
"""Tags of the kinds of value of a field that takes either."""


@dataclass(frozen=True, slots=True)
class Problem:
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
        return self.dotted(self.loc) or "the document"

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


def check(
    model: type[BaseModel], data: object, code: str, *, base: Path = ()
) -> tuple[dict[str, Any] | None, list[Diagnostic]]:
    """The fields that ``data`` gives, by attribute, or every reason why it does not fit the model.

    ``base`` is the path of ``data`` in its document.
    """
    from pydantic import ValidationError

    if _larger(data, MAX_ENTRIES):
        what = f"{dotted(base) or 'the document'} has more than {MAX_ENTRIES} entries"
        return None, [Diagnostic(code, Severity.ERROR, what, "leave out what gpuxlate does not know", base)]
    try:
        return model.model_validate(data).model_dump(exclude_unset=True), []
    except ValidationError as error:
        found = [
            Problem(model, one["type"], _place(one["loc"]), one["input"], one.get("ctx", {}), base)
            for one in error.errors(include_url=False)
        ]
        problems = [_diagnostic(one, code) for one in found[:MAX_PROBLEMS]]
        if len(found) > MAX_PROBLEMS:
            more = f"there are {len(found) - MAX_PROBLEMS} more problems"
            problems.append(Diagnostic(code, Severity.ERROR, more, "fix these first", base))
        return None, problems


def _place(loc: Iterable[str | int]) -> Path:
    """The place of an error, without the kind of value that was taken for meant there."""
    return tuple(step for step in loc if step not in (WORD, NUMBER))


def _larger(data: object, most: int) -> bool:
    """Plain data has more than ``most`` entries, in all its mappings and lists together."""
    pending, count = [data], 0
    while pending and count <= most:
        one = pending.pop()
        if isinstance(one, dict | list):
            count += len(one)
            pending.extend(islice(one.values() if isinstance(one, dict) else one, most + 1))
    return count > most


def fields_of(model: type[BaseModel]) -> dict[str, FieldInfo]:
    """The fields of a model by the name they have in documents."""
    return {info.alias or name: info for name, info in model.model_fields.items()}


def _inner(annotation: Any) -> type[BaseModel] | None:
    """The model in an annotation such as ``list[Model]``."""
    if hasattr(annotation, "model_fields"):
        found: type[BaseModel] = annotation
        return found
    return next((inner for inner in map(_inner, get_args(annotation)) if inner), None)


def _model_at(model: type[BaseModel], path: Path) -> type[BaseModel] | None:
    """The model that describes the mapping at a path."""
    current: type[BaseModel] | None = model
    for step in path:
        if current is not None and not isinstance(step, int):
            info = fields_of(current).get(step)
            current = _inner(info.annotation) if info else None
    return current


def _diagnostic(problem: Problem, code: str) -> Diagnostic:
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


def _unknown(problem: Problem) -> Saying:
    *parents, name = problem.loc
    parent = problem.dotted(tuple(parents))
    model = _model_at(problem.root, tuple(parents))
    allowed = list(fields_of(model)) if model else []
    message = (
        say("unknown field {name} in {parent}", name=shown(name), parent=parent)
        if parent
        else say("unknown field {name}", name=shown(name))
    )
    return message, _nearest_field(problem, str(name), allowed)


def _nearest_field(problem: Problem, name: str, allowed: list[str]) -> str:
    plain = {_plain(one): one for one in allowed}
    if _plain(name) in plain:
        return say("did you mean {name}?", name=plain[_plain(name)])
    for path in _all_fields(problem.root):
        if path[-1] == name and len(path) > 1:
            return f"{name} belongs under {problem.dotted(path[:-1])}: move it there"
    near = get_close_matches(_plain(name[:LONGEST]), list(plain), 1, 0.6)
    if near:
        return say("did you mean {name}?", name=plain[near[0]])
    return say("fields here: {names}", names=", ".join(allowed))


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())


def _all_fields(model: type[BaseModel], path: Path = ()) -> Iterator[Path]:
    for name, info in fields_of(model).items():
        yield (*path, name)
        inner = _inner(info.annotation)
        if inner:
            yield from _all_fields(inner, (*path, name))


def _bad_key(problem: Problem) -> Saying:
    entry = problem.kind == "invalid_key"
    key = problem.loc[-1] if entry else problem.value
    where = problem.dotted(problem.loc[: -1 if entry else -2])
    return f"a key{f' of {where}' if where else ''} is {shown(key)}, it must be text", "put the key in quotes"


def _missing(problem: Problem) -> Saying:
    parent = problem.dotted(problem.loc[:-1])
    example = _example(problem)
    under = say("write {example} under {parent}", example=example, parent=parent)
    hint = under if parent else say("write {example}", example=example)
    return say("{label} is missing", label=problem.label), hint


def _wrong_type(noun: str) -> Callable[[Problem], Saying]:
    def saying(problem: Problem) -> Saying:
        if problem.loc[-1:] == ("[key]",):
            return _bad_key(problem)
        message = "{label} is {value}, it must be {noun}"
        value = shown(problem.value)
        return say(message, label=problem.label, value=value, noun=say(noun)), _type_hint(problem)

    return saying


def _type_hint(problem: Problem) -> str | None:
    value, info = problem.value, problem.field
    if not problem.loc:
        return say("write a mapping with the fields {names}", names=", ".join(fields_of(problem.root)))
    if value is None:
        return say("write {example}", example=f"{_example(problem)}{_way_out(problem)}")
    if problem.kind == "int_type":
        return number_hint(problem.name, value) or say("write {example}", example=_example(problem))
    if problem.kind == "string_type" and isinstance(value, bool | int):
        text = yaml_of(str(value).lower() if isinstance(value, bool) else str(value), quoted=True)
        return say("write {example}", example=text if problem.in_list else f"{problem.name}: {text}")
    if problem.kind == "string_type" and isinstance(value, float):
        return "put the value in quotes, or digits of it are lost"
    if problem.kind == "list_type" and isinstance(value, str):
        return say("write {example}", example=f"{problem.name}: [{yaml_of(value)}]")
    return say("write {example}", example=_example(problem)) if info else None


def _way_out(problem: Problem) -> str:
    """An empty line may go, unless its field is needed."""
    needed = problem.field is not None and problem.field.is_required() and not problem.in_list
    return ", or take the line out" if problem.value is None and not needed else ""


def _example(problem: Problem) -> str:
    info = problem.field
    example = info.examples[0] if info and info.examples else None
    if problem.in_list and isinstance(example, list):
        return yaml_of(example[0])
    return f"{problem.name}: {yaml_of(example)}" if example is not None else problem.name


def _choices(kind: Any) -> list[str]:
    """The values of a list of words, or of one of words and a number."""
    if get_origin(kind) is Union:
        return [one for part in get_args(kind) for one in _choices(get_args(part)[0])]
    return [say("a whole number")] if kind is int else [str(one) for one in get_args(kind) or kind or ()]


def _choice(problem: Problem) -> Saying:
    info = problem.field
    choices = _choices(info.annotation) if info else []
    label, value = problem.label, shown(problem.value)
    if len(choices) == 1:
        message = say("{label} is {value}, it must be {only}", label=label, value=value, only=choices[0])
        return message, say("write {example}", example=f"{problem.name}: {choices[0]}")
    text = problem.value[:LONGEST] if isinstance(problem.value, str) else ""
    # what a vendor calls a value: close in letters is not close in meaning
    known = registry.word(problem.name, text.strip().lower())
    near = [known] if known else get_close_matches(text.lower().replace("_", "-"), choices, 1, 0.5)
    if near:
        hint = say("write {example}", example=f"{problem.name}: {near[0]}{_way_out(problem)}")
    else:
        hint = say("write one of {names}", names=", ".join(choices) + _way_out(problem))
    what = "{label} is {value}, it must be one of {choices}"
    return say(what, label=label, value=value, choices=", ".join(choices)), hint


def _pattern(problem: Problem) -> Saying:
    message = _of("{label} is {value}, which is not allowed", problem)
    rule = problem.field.description if problem.field else None
    text = str(problem.value)[:LONGEST]
    kebab = re.sub(r"[^a-z0-9.]+", "-", text.lower()).strip("-.")
    for fixed in (text.strip(), text.upper(), kebab):
        if fixed != text and re.search(problem.context["pattern"], fixed):
            example = fixed if problem.in_list else f"{problem.name}: {fixed}"
            return message, say("write {example}. {rule}", example=example, rule=rule)
    return message, say("write {example}. {rule}", example=_example(problem), rule=rule)


def _too_long(problem: Problem) -> Saying:
    longest = problem.context["max_length"]
    what = "{label} has {length} characters, at most {most} are allowed"
    message = say(what, label=problem.label, length=len(str(problem.value)), most=longest)
    return message, "write a shorter name"


def _empty(problem: Problem) -> Saying:
    if problem.loc[-1:] == ("[key]",):
        return say("a key of {name} is empty", name=problem.dotted(problem.loc[:-2])), "give it a name"
    return say("{label} is empty", label=problem.label), say("write {example}", example=_example(problem))


def _too_small(problem: Problem) -> Saying:
    message = _of("{label} is {value}, it must be at least 1", problem)
    return message, say("write {example}", example=_example(problem))


def _too_large(problem: Problem) -> Saying:
    message = _of("{label} is {value}, which is larger than Kubernetes can hold", problem)
    return message, say("write {example}", example=_example(problem))


def _not_allowed(problem: Problem) -> Saying:
    rule = problem.field.description if problem.field else None
    return _of("{label} is {value}, which is not allowed", problem), rule


def _of(template: str, problem: Problem) -> Message:
    return say(template, label=problem.label, value=shown(problem.value))


_SAYINGS: Mapping[str, Callable[[Problem], Saying]] = {
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
