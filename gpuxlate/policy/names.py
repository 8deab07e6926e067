"""Policies on the names of keys: unknown ones, those where nothing reads them, and keys of two vendors.

A pod with such a key may speak no dialect, so these look at every pod with a key of a vendor's domain. What
they know of names is what lint knows; each is in a table once, with the places where something reads it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from gpuxlate import locale
from gpuxlate.backends import registry
from gpuxlate.backends.base import Backend
from gpuxlate.model.diagnostics import Severity
from gpuxlate.model.keys import Place, domain_of
from gpuxlate.model.messages import msg
from gpuxlate.model.pod import RESOURCE_FIELDS
from gpuxlate.policy.cel import cel_string
from gpuxlate.policy.demands import Selected
from gpuxlate.policy.documents import AdmissionPolicy, of_parts
from gpuxlate.policy.markers import (
    NODE_REQUIREMENTS,
    SELECTORS,
    DialectMarker,
    NamePatterns,
    has_dialect,
    is_recognized,
    list_in_cel,
)
from gpuxlate.policy.style import PolicyStyle
from gpuxlate.policy.subjects import PolicySubject
from gpuxlate.policy.validations import Validation, sentence
from gpuxlate.rules.base import Context, Dialect, Rule
from gpuxlate.rules.key_index import IGNORE, is_policy, key_index_of
from gpuxlate.rules.keys import key_is_known, key_is_where_it_takes_effect, of_annotation
from gpuxlate.rules.kubernetes import container_asks_one_vendor

NAME_LISTS = {
    "labels": "[variables.labelNames]",
    "annotations": "[variables.annotationNames]",
    "nodeSelector": SELECTORS,
}
"""The lists of names of a pod, by place."""
PLACES_OF_NAMES = {
    "limits": Place.RESOURCE,
    "labels": Place.LABEL,
    "annotations": Place.ANNOTATION,
    "nodeSelector": Place.NODE_SELECTOR,
}
"""Where names are looked at. Not in environments: these are long, and keys are rarely there."""
EVERY_PLACE = (*PLACES_OF_NAMES,)
UNKNOWN, WHOLE, OTHERS = ("unknown",), "whole cards", "another dialect"
"""What tables say in place of places, and beside dialects."""
READ_IN, OFFERED_BY, WRONG = "readIn", "offeredBy", "wrongKeys"
"""The variables with the tables, and with the keys of each pod that nothing reads where they are."""
Values = tuple[str, ...]


class KeyNames:
    """What lint knows of the names of keys, as far as it is about some dialects.

    ``others``: the names that resources have in their clusters, by dialect.
    """

    def __init__(self, backends: Sequence[Backend], others: Mapping[str, Sequence[str]]) -> None:
        dialects = registry.pod_backends()
        self.backends, self.others = backends, others
        self.words = key_index_of(Context(dialects=dialects))
        self.prefixes = _prefixes(backends)
        self._backend_names = {backend.name for backend in backends}
        self._complete = self._backend_names.issuperset(dialect.name for dialect in dialects)
        rows = (row for dialect in dialects for row in dialect.keys)
        self._known_names = [*dict.fromkeys(name for row in rows for name in (row.name, *row.aliases))]
        self._known_names += [IGNORE, *sorted(self.words.known_typos)]

    def _is_own(self, name: str) -> bool:
        return any(dialect.name in self._backend_names for dialect in self.words.owners(_some(name)))

    def looked_at(self) -> NamePatterns:
        """The names and the domains of keys with which one of the tables has something to find."""
        names = [name for name in self._known_names if self._is_own(name) and self._read(name) != EVERY_PLACE]
        domains = [f"{domain_of(prefix)}/" if "/" in prefix else prefix for prefix in self.prefixes]
        return NamePatterns.of(names, domains)

    def read_in(self) -> str:
        """The places where something reads a key of the dialects, as a table in CEL."""
        before = tuple(self.prefixes)
        places_by_name = {
            name: self._read(name) if self._is_own(name) else EVERY_PLACE for name in self._known_names
        }
        places_by_name |= {name: EVERY_PLACE for names in self.others.values() for name in names}
        places_by_name = {
            name: places
            for name, places in places_by_name.items()
            if places != EVERY_PLACE or name.startswith(before)
        }
        return _table(places_by_name, dict.fromkeys(self.prefixes, UNKNOWN))

    def _read(self, name: str) -> Values:
        words, key = self.words, _some(name)
        misplaced = words.written_by_scheduler(key) or words.is_vendors(key)
        places = [
            at for at, place in PLACES_OF_NAMES.items() if not (misplaced and words.is_misplaced(key, place))
        ]
        schedulers = dict.fromkeys(of_annotation(words.rows(key)))
        return (*places, *(_under("annotations", scheduler) for scheduler in schedulers))

    def offered_by(self) -> str:
        """The kinds of nodes that may offer a resource, as a table in CEL; none of what is no GPU's."""
        prefixes = [prefix for prefix in _prefixes(registry.pod_backends()) if "/" in prefix]
        names = {name: self._offered(name) for name in self._known_names}
        names |= {name: (dialect,) for dialect, theirs in self.others.items() for name in theirs}
        names = {name: kinds for name, kinds in names.items() if kinds or name.startswith(tuple(prefixes))}
        return _table(names, {prefix: self._offered(f"{prefix}?") for prefix in prefixes})

    def _offered(self, name: str) -> Values:
        words, key = self.words, _some(name)
        whole = words.counts_whole_cards(key)
        if not whole and not words.is_resource(key):
            return ()
        kinds = [kind for kind in sorted(words.offers(key)) if kind.partition(" ")[0] in self._backend_names]
        # whole cards go together, and so do the keys of other dialects, which are not judged
        apart = not self._complete and (whole or not self._is_own(name))
        return (*kinds, *([WHOLE] if whole else []), *([OTHERS] if apart else []))

    def joined(self) -> Iterator[tuple[NamePatterns, NamePatterns]]:
        """Resources that are one share with keys of another vendor in a container, and those keys."""
        for dialect in self.words.dialects:
            rows = (name for row in dialect.keys for name in (row.name, *row.aliases))
            names = [name for name in rows if dialect.owns(_some(name))]
            if dialect.companions and any(map(self._is_own, (*dialect.companions, *dialect.gpu_prefixes))):
                yield NamePatterns.of(dialect.companions), NamePatterns.of(names, dialect.gpu_prefixes)

    def policies_of_nodes(self) -> list[str]:
        """The labels of nodes whose value is their policy."""
        rows = (row for backend in self.backends for row in backend.keys)
        return [row.name for row in rows if is_policy(row)]


def _some(name: str) -> str:
    """A key that has the name of a row, where this is that of many."""
    return name.replace("*", "x")


def _under(place: str, scheduler: str) -> str:
    return f"{place} under {scheduler}"


def _prefixes(dialects: Iterable[Dialect]) -> list[str]:
    return [*dict.fromkeys(prefix for dialect in dialects for prefix in dialect.gpu_prefixes)]


def _table(names: Mapping[str, Values], prefixes: Mapping[str, Values]) -> str:
    """Names with what they are, as a list of groups in CEL. The first group with a key counts: those of names
    are before those of patterns, and these before beginnings of names."""
    exact, patterns, beginnings = list[str](), list[str](), list[str]()
    for values in dict.fromkeys((*names.values(), *prefixes.values())):
        of_values, before = (
            [name for name, of in table.items() if of == values] for table in (names, prefixes)
        )
        other_names = [name for name in of_values if not name.startswith(tuple(before))]
        stars = [name for name in other_names if "*" in name]
        plain = NamePatterns.of(other_names).exact
        exact += [_group(values, names=plain)] if plain else []
        patterns += [_group(values, like=stars)] if stars else []
        beginnings += [_group(values, like=[f"{prefix}*" for prefix in before])] if before else []
    return f"[{', '.join((*exact, *patterns, *beginnings))}]"


def _group(values: Values, names: Iterable[str] = (), like: Iterable[str] = ()) -> str:
    return f"{{'is': {list_in_cel(values)}, 'names': {list_in_cel(names)}, 'like': {list_in_cel(like)}}}"


def _look_up(table: str, default: str) -> str:
    """What a table says of a key ``k``. A key has one slash at most, and so has what a star stands for."""
    like = "g.like.exists(s, k.startsWith(s.split('*')[0]) && k.endsWith(s.split('*')[1]))"
    return f"(variables.{table}.filter(g, k in g.names || {like}).map(g, g['is']) + [{default}])[0]"


def names_policy(
    subject: PolicySubject,
    backends: Sequence[Backend],
    others: Mapping[str, Sequence[str]],
    selected: Selected,
    style: PolicyStyle,
) -> AdmissionPolicy | None:
    """The policy on the names of keys of some dialects; None where no rule on names is selected."""
    names = KeyNames(backends, others)
    parts = [part for part in _parts(names, subject, style) if selected(part.rule.code)]
    if not parts:
        return None
    key = names.looked_at().to_cel()
    asks = " + ".join(f"c.?resources.?{field}.orValue({{}}).map(k, k)" for field in RESOURCE_FIELDS)
    lists = " + ".join((*NAME_LISTS.values(), f"variables.containers.map(c, {asks})"))
    match = ("has-keys", f"({lists}).exists(l, l.exists(k, {key}))")
    target = backends[0].name if len(backends) == 1 else ""
    used = " ".join(part.broken for part in parts)
    tables = [(OFFERED_BY, names.offered_by())] if OFFERED_BY in used else []
    if WRONG in used:
        tables += [(READ_IN, names.read_in()), (WRONG, _wrong(names, subject, style))]
    return of_parts(parts, subject, Severity.ERROR, style, match, dict(tables), target, "names-errors")


def _wrong(names: KeyNames, subject: PolicySubject, style: PolicyStyle) -> str:
    """The keys of each pod that nothing reads where they are, by place."""
    container = cel_string(f"{locale.translator(style.language)(msg('container'))} ")
    lists = [f"({of}).map(l, {_at(cel_string(at), cel_string(at), 'l')})" for at, of in NAME_LISTS.items()]
    of_container = _at("'limits'", f"{container} + string(c.name) + ' limits'", "c.asks")
    lists.append(f"variables.asking.map(c, {of_container})")
    places = _look_up(READ_IN, "[string(m.at)]")
    keys = f"m.names{_meant(names)}.map(k, {{'name': dyn(k), 'read': dyn({places})}})"
    under = cel_string(_under("", ""))
    read = f"m.at in k.read || string(m.at) + {under} + variables.schedulerName in k.read"
    each = f"{{'where': dyn(m.where), 'keys': dyn({keys}.filter(k, !({read})))}}"
    return subject.of_pods(f"({' + '.join(lists)}).map(m, {each}).filter(m, m.keys.size() > 0)")


def _meant(names: KeyNames) -> str:
    """Without the names that could be anybody's, where a pod does not speak the dialect."""
    filters = ""
    for backend in names.backends:
        bare = NamePatterns(prefixes=tuple(prefix for prefix in backend.gpu_prefixes if "/" not in prefix))
        if bare:
            spoken = f" || {has_dialect(DialectMarker(backend))}" if is_recognized(backend) else ""
            filters += f".filter(k, !{bare.to_cel()}{spoken})"
    return filters


def _at(place: str, where: str, names: str) -> str:
    return f"{{'at': dyn({place}), 'where': dyn({where}), 'names': dyn({names})}}"


def _parts(names: KeyNames, subject: PolicySubject, style: PolicyStyle) -> Iterator[Validation]:
    tell = locale.translator(style.language)
    hint = msg("check the name: nothing reads this key")
    unknown = f"{cel_string(UNKNOWN[0])} in k.read"
    yield _of_keys(key_is_known, unknown, "string(k.name)", sentence(key_is_known, hint, style))
    rule = key_is_where_it_takes_effect
    read_in = cel_string(f" ({tell(msg('read in'))} ")
    read = f"(k.read.size() == 0 ? '' : {read_in} + k.read.join(', ') + ')')"
    yield _of_keys(rule, f"!({unknown})", f"string(k.name) + {read}", sentence(rule, "", style))
    policies = names.policies_of_nodes()
    if policies:
        hint = msg("write the policy of the nodes")
        holds = subject.kept(_no_true_policy(policies), rule.code)
        yield Validation(rule, f"({holds})", sentence(rule, hint, style))
    rule = container_asks_one_vendor
    hint = msg("keep the keys of one of them: gpuxlate translate writes a manifest for each")
    broken = subject.breakers({"": _one_vendor(names)}, rule.code)
    where = "" if subject.suffix else f"{tell(msg('container'))} "
    yield Validation(rule, _none_of(rule), sentence(rule, hint, style), rule.code, broken, where)


def _of_keys(rule: Rule, condition: str, text: str, words: str) -> Validation:
    """A rule on keys that nothing reads where they are. ``condition``: on such a key; ``text``: its text."""
    of_list = f"string(l.where) + ': ' + l.keys.filter(k, {condition}).map(k, {text}).join(', ')"
    of_pod = f"p.found.filter(l, l.keys.exists(k, {condition})).map(l, {of_list}).join('; ')"
    judged = f"variables.{WRONG}.filter(p, !({cel_string(rule.code)} in p.ignored))"
    broken = f"{judged}.map(p, {of_pod}).filter(t, t != '')"
    return Validation(rule, _none_of(rule), words, rule.code, broken)


def _none_of(rule: Rule) -> str:
    return f"variables.{rule.code}.size() == 0"


def _no_true_policy(policies: Sequence[str]) -> str:
    """No node selector asks for a policy with the value true, which no node has."""
    is_true = "lowerAscii() == 'true'"
    values = ", ".join(f"?variables.spec.?nodeSelector[?{cel_string(name)}]" for name in policies)
    joined = "r.?values.orValue([]).map(v, string(v)).join(',')"
    required = f"r.?key.orValue('') in {list_in_cel(policies)} && {joined}.{is_true}"
    chosen = f"[{values}].exists(v, string(v).{is_true})"
    return f"!({chosen} || {NODE_REQUIREMENTS}.exists(l, l.exists(r, {required})))"


def _one_vendor(names: KeyNames) -> str:
    """Some kind of nodes may offer all resources of a container ``c``."""
    whole = f"variables.{OFFERED_BY}.exists(g, {cel_string(WHOLE)} in g['is'] && k in g.names)"
    asks = f"c.asks.filter(k, !(c.numbers.exists(n, n.of == k && n.is == 0) && {whole}))"
    for companions, owner in names.joined():
        asks += f".filter(k, !({companions.to_cel()} && c.asks.exists(o, {owner.to_cel('o')})))"
    kinds = f"{asks}.map(k, {_look_up(OFFERED_BY, '[]')}).filter(o, o.size() > 0)"
    return f"[{kinds}].all(l, l.size() == 0 || l[0].exists(d, l.all(o, d in o)))"
