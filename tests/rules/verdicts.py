"""The three verdicts on one Pod: what the check, the JSON Schema and the CEL of a predicate say of it.

``object`` is a Pod as JSON has it. Quantities are those of ``gpuxlate.model.quantity``: the functions that
Kubernetes adds to CEL (apiserver/pkg/cel/library, quantity.go and lists.go) are given to it here, and
the two of strings that are used: ``indexOf`` of the extension for strings stands in the way of that of lists.
"""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import fields, is_dataclass
from typing import Any, NamedTuple

from cel_expr_python import cel
from cel_expr_python.ext import ext_optional
from jsonschema import Draft202012Validator

from gpuxlate.manifest.pods import Pod, pods_in
from gpuxlate.model import quantity
from gpuxlate.model.pod import PodKeys
from gpuxlate.rules.base import Context, Dialect, Rule
from gpuxlate.rules.predicates import cel as printer
from gpuxlate.rules.predicates import schema
from gpuxlate.rules.predicates.cel import VARIABLES
from gpuxlate.rules.predicates.conditions import AtLeast, AtMost, Condition, Divides, InList, Predicate
from gpuxlate.rules.predicates.schema import CARDS, ODD
from gpuxlate.yamltext.parse import documents
from gpuxlate.yamltext.plain import to_python
from gpuxlate.yamltext.source import Source

Object = dict[str, Any]

TYPES = cel.Type
QUANTITY = TYPES.Map(TYPES.STRING, TYPES.STRING)


def _function(name: str, overload: str, result: Any, argument: Any, run: Any, *more: Any) -> Any:
    member = name not in ("quantity", "isQuantity")
    given = [argument, *more]
    found = cel.Overload(overload, return_type=result, parameters=given, is_member=member, impl=run)
    return cel.FunctionDecl(name, [found])


def _place(names: list[str], name: str) -> int:
    return names.index(name) if name in names else -1


def _amount(text: str) -> dict[str, str]:
    return {"is": str(quantity.parse(text).amount)}


def _is(text: str) -> bool:
    try:
        quantity.parse(text)
    except quantity.QuantityError:
        return False
    return True


def functions() -> list[Any]:
    """What Kubernetes adds to CEL, as far as predicates use it."""
    return [
        _function("quantity", "string_to_quantity", QUANTITY, TYPES.STRING, _amount),
        _function("isQuantity", "is_quantity_string", TYPES.BOOL, TYPES.STRING, _is),
        _function("isInteger", "quantity_is_integer", TYPES.BOOL, QUANTITY, lambda one: "/" not in one["is"]),
        _function("asInteger", "quantity_get_int", TYPES.INT, QUANTITY, lambda one: int(one["is"])),
        _function("lowerAscii", "string_lower_ascii", TYPES.STRING, TYPES.STRING, str.lower),
        _function("split", "string_split", TYPES.List(TYPES.STRING), TYPES.STRING, str.split, TYPES.STRING),
        _function("indexOf", "list_index_of", TYPES.INT, TYPES.List(TYPES.STRING), _place, TYPES.STRING),
    ]


ENVIRONMENT = cel.NewEnv(
    variables={"object": TYPES.DYN, "variables": TYPES.DYN, "params": TYPES.DYN},
    extensions=[ext_optional.ExtOptional()],
    functions=functions(),
)


VARIABLE = {name: ENVIRONMENT.compile(text) for name, text in VARIABLES.items()}


class Verdicts(NamedTuple):
    """Whether a Pod keeps a predicate."""

    check: bool
    cel: bool
    schema: bool


class Judge:
    """A predicate in its three forms."""

    def __init__(self, predicate: Predicate) -> None:
        self.predicate = predicate
        self.text = printer.expression(predicate)
        self._lists = any(isinstance(part, InList) for part in parts_of(predicate))
        self._cel = ENVIRONMENT.compile(self.text)
        assert self._cel.return_type().name() == "BOOL", self.text  # the API server refuses dyn
        self._schema = Draft202012Validator(schema.of_pod(predicate))

    def __call__(self, one: Object) -> Verdicts:
        pod = keys_of(one).under({other: own for own, found in self.predicate.aliases for other in found})
        return Verdicts(not any(self.predicate.breaches(pod)), self.cel(one), self.schema(one))

    def cel(self, one: Object) -> bool:
        """Whether the expression is true. An error is an AssertionError."""
        data: dict[str, Any] = {"object": one, "variables": {}, "params": None}
        for name, compiled in VARIABLE.items():
            data["variables"][name] = compiled.eval(data=data).plain_value()
        found = self._cel.eval(data=data)
        assert found.type().name() == "BOOL", (str(found), self.text, one)
        result: bool = found.plain_value()
        return result

    def schema(self, one: Object) -> bool:
        return self._schema.is_valid(one)

    def agree(self, one: Object) -> None:
        """The three agree; where a schema cannot calculate, it keeps what the check keeps, or more."""
        if self._lists and keys_of(one).grows:
            return  # an API server sees it with the containers that are added
        if self._has_two_names(one):
            return  # which of them counts is not certain
        raw = self(one)
        assert raw.check == raw.cel, (raw, one, self.text)
        assert raw.schema or not raw.check, (raw, one, self.text)
        plain = in_digits(one)
        if self._is_exact_for(plain):
            found = self(plain)
            assert len(set(found)) == 1, (found, plain, self.text)

    def _has_two_names(self, one: Object) -> bool:
        """A container asks for a resource under two of its names."""
        asked = [{*each.limits, *each.requests} for each in keys_of(one).all_containers()]
        names = [{own, *found} for own, found in self.predicate.aliases]
        return any(len(there & each) > 1 for there in asked for each in names)

    def _is_exact_for(self, one: Object) -> bool:
        """Every number is in plain digits, and no share has more cards than a schema compares."""
        leaves = [*_leaves(one)]
        texts = [text for _, text in leaves if isinstance(text, str)]
        if any(re.search(ODD["pattern"], text) and not _PLAIN.fullmatch(text) for text in texts):
            return False
        if any(isinstance(getattr(part, "by", None), InList) for part in parts_of(self.predicate)):
            return False  # a schema does not say where in a list a container is
        bys = {
            getattr(part.by, "name", part.by)
            for part in parts_of(self.predicate.demand)
            if isinstance(part, Divides | AtLeast | AtMost)
        }
        # beyond what an API server counts too
        numbers = [str(value) for name, value in leaves if name in bys and _PLAIN.fullmatch(str(value))]
        return not any(int(number) > CARDS for number in numbers)


class JudgeOfDialects:
    """A rule over the keys of all dialects: its own function, and the policy of its predicates."""

    def __init__(self, rule: Rule, dialects: tuple[Dialect, ...]) -> None:
        assert rule.predicates_of is not None
        self._rule, self._context = rule, Context(dialects=dialects)
        self._judges = [Judge(predicate) for predicate in rule.predicates_of(dialects, None)]

    def agrees(self, one: Object) -> bool:
        """Whether a Pod keeps the rule: the function and the policy say the same of it as the API has it."""
        plain = in_digits(one)
        kept = not any(self._rule(keys_of(plain), self._context))
        for said in (Judge.cel, Judge.schema):
            assert all(said(judge, plain) for judge in self._judges) == kept, (said, plain)
        return kept


_PLAIN = re.compile("0|-?[1-9][0-9]*")


def parts_of(one: object) -> Iterator[object]:
    """Everything in a predicate: conditions, words, numbers."""
    yield one
    if is_dataclass(one):
        for field in fields(one):
            yield from parts_of(getattr(one, field.name))
    elif isinstance(one, tuple) and not hasattr(one, "_fields"):
        for part in one:
            yield from parts_of(part)


def _leaves(one: object, key: object = None) -> Iterator[tuple[object, object]]:
    """The values that hold no others, each with the key that it is below."""
    if isinstance(one, dict):
        for name, value in one.items():
            yield from _leaves(value, name)
    elif isinstance(one, list):
        for value in one:
            yield from _leaves(value, key)
    else:
        yield key, one


def in_digits(one: Any, below: str = "") -> Any:
    """The same Pod as the API has it: whole numbers in plain digits, bare in resources, all others quoted."""
    if isinstance(one, dict):
        return {
            name: in_digits(part, name if isinstance(part, dict) else below) for name, part in one.items()
        }
    if isinstance(one, list):
        return [in_digits(part, below) for part in one]
    if one is None or below == "securityContext":
        return one
    text = str(one).lower() if isinstance(one, bool) else str(one)
    number = quantity.whole(text)
    if number is None:
        return one if below in _RESOURCES else text
    return number if below in _RESOURCES else str(number)


_RESOURCES = ("limits", "requests")


# --- Pods -----------------------------------------------------------------------------------------


def pods_of(text: str) -> Iterator[Object]:
    """The pods of a manifest, each as a Pod: its labels and annotations, and its spec."""
    for document in documents(Source("manifest.yaml", text)):
        assert document.root is not None
        root = to_python(document.root)
        for pod in pods_in(document):
            found = _as_pod(root, pod)
            if "containers" in found["spec"]:  # Argo has one container in their place
                yield found


def _as_pod(root: Any, pod: Pod) -> Object:
    metadata = _at(root, pod.keys.metadata_path) or {}
    named = {key: metadata[key] for key in ("labels", "annotations") if key in metadata}
    found = {"apiVersion": "v1", "kind": "Pod", "metadata": named, "spec": _at(root, pod.keys.path)}
    return json.loads(json.dumps(found, default=str))  # type: ignore[no-any-return]


def _at(one: Any, path: Iterable[str | int]) -> Any:
    for step in path:
        if isinstance(one, dict) and step not in one:
            return None
        one = one[step]
    return one


def keys_of(one: Object) -> PodKeys:
    """The keys of a Pod, by the reader of manifests."""
    [document] = documents(Source("pod.json", json.dumps(one, ensure_ascii=False)))
    [pod] = pods_in(document)
    return pod.keys


def of_container(condition: Condition) -> Predicate:
    """A predicate that demands a condition of every container, or of a pod where it is one of pods."""
    return Predicate(condition, per_container=not condition.of_pod)
