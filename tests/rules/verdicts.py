"""The two verdicts on one Pod: what the check and the CEL of a predicate say of it.

``object`` is a Pod as JSON has it. Quantities are those of ``gpuxlate.model.quantity``: the functions that
Kubernetes adds to CEL (apiserver/pkg/cel/library, quantity.go and lists.go) are given to it here, and
the two of strings that are used: ``indexOf`` of the extension for strings stands in the way of that of lists.
"""

import json
from collections.abc import Iterable, Iterator
from dataclasses import fields, is_dataclass
from typing import Any, NamedTuple

from cel_expr_python import cel
from cel_expr_python.ext import ext_optional

from gpuxlate.manifest.pods import Pod, pods_in
from gpuxlate.model import quantity
from gpuxlate.model.pod import PodKeys
from gpuxlate.policy import cel as printer
from gpuxlate.policy.cel import VARIABLES
from gpuxlate.rules.base import Context, Dialect, Rule
from gpuxlate.rules.predicates import Constraint, PerContainerList, Predicate
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


class Judge:
    """A predicate in its two forms."""

    def __init__(self, constraint: Constraint) -> None:
        self.constraint = constraint
        self.text = printer.expression(constraint)
        self._lists = any(isinstance(part, PerContainerList) for part in parts_of(constraint))
        self._cel = ENVIRONMENT.compile(self.text)
        assert self._cel.return_type().name() == "BOOL", self.text  # the API server refuses dyn

    def __call__(self, one: Object) -> Verdicts:
        pod = keys_of(one).under({other: own for own, found in self.constraint.aliases for other in found})
        return Verdicts(not any(self.constraint.violations(pod)), self.cel(one))

    def cel(self, one: Object) -> bool:
        """Whether the expression is true. An error is an AssertionError."""
        return self.cel_of(bound(one))

    def cel_of(self, data: Object) -> bool:
        """The same of what was bound once for several expressions."""
        found = self._cel.eval(data=data)
        assert found.type().name() == "BOOL", (str(found), self.text, data["object"])
        result: bool = found.plain_value()
        return result

    def agree(self, one: Object) -> None:
        """Both say the same, of the Pod as it is written and as the API server has it."""
        if self._lists and keys_of(one).grows:
            return  # an API server sees it with the containers that are added
        if self._has_two_names(one):
            return  # which of them counts is not certain
        plain = in_digits(one)
        for each in (one, plain) if repr(plain) != repr(one) else (one,):
            verdicts = self(each)
            assert verdicts.check == verdicts.cel, (verdicts, each, self.text)

    def _has_two_names(self, one: Object) -> bool:
        """A container asks for a resource under two of its names."""
        asked = [{*each.limits, *each.requests} for each in keys_of(one).all_containers()]
        names = [{own, *found} for own, found in self.constraint.aliases]
        return any(len(there & each) > 1 for there in asked for each in names)


def bound(one: Object) -> Object:
    """What an expression is evaluated with: the Pod, and the variables of the policy."""
    data: dict[str, Any] = {"object": one, "variables": {}, "params": None}
    for name, compiled in VARIABLE.items():
        data["variables"][name] = compiled.eval(data=data).plain_value()
    return data


class JudgeOfDialects:
    """A rule over the keys of all dialects: its own function, and the policy of its predicates."""

    def __init__(self, rule: Rule, dialects: tuple[Dialect, ...]) -> None:
        assert rule.constraints_of is not None
        self._rule, self._context = rule, Context(dialects=dialects)
        self._judges = [Judge(constraint) for constraint in rule.constraints_of(dialects, None)]

    def agrees(self, one: Object) -> bool:
        """Whether a Pod keeps the rule: the function and the policy say the same of it as the API has it."""
        plain = in_digits(one)
        kept = not any(self._rule(keys_of(plain), self._context))
        data = bound(plain)
        assert all(judge.cel_of(data) for judge in self._judges) == kept, plain
        return kept


def parts_of(one: object) -> Iterator[object]:
    """Everything in a predicate: conditions, words, numbers."""
    yield one
    if is_dataclass(one):
        for field in fields(one):
            yield from parts_of(getattr(one, field.name))
    elif isinstance(one, tuple) and not hasattr(one, "_fields"):
        for part in one:
            yield from parts_of(part)


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
    number = quantity.parse_integer(text)
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


def of_container(condition: Predicate) -> Constraint:
    """A predicate that demands a condition of every container, or of a pod where it is one of pods."""
    return Constraint(condition, per_container=not condition.of_pod)
