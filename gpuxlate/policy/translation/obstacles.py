"""What keeps a pod from being translated, beside the numbers of its shares, in the words of ``translate``.

Each is a list of names in CEL that is empty where there is no such thing. A pod with one is not translated,
and refused for it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from gpuxlate.backends import registry
from gpuxlate.backends.base import INSTANCE_TYPES, VIRTUAL_NODES, Cloud, Key, Place
from gpuxlate.model.messages import Message, either, say
from gpuxlate.model.sheet import ANY
from gpuxlate.policy.forbidden import CODE
from gpuxlate.policy.names import Names, listed
from gpuxlate.policy.translation.around import (
    LIMITS,
    NODE_SELECTOR,
    PREFERRED,
    TERMS,
    Around,
    all_names,
    names_of,
)
from gpuxlate.policy.translation.reading import OF_POD, named
from gpuxlate.rules.predicates.cel import said, text
from gpuxlate.rules.predicates.conditions import Condition
from gpuxlate.rules.products import PRODUCTS
from gpuxlate.translation import leftovers
from gpuxlate.translation.pods import scheduling

MOST_CONTAINERS = 16
DEFAULT_SCHEDULER = scheduling.DEFAULT
MARK = "{names}"
"""In a message, where the names go."""
RUN = "run gpuxlate translate --to {target}"
NOT_TRANSLATED = "no policy translates it"
_IN = {
    Place.LABEL: "variables.labelNames",
    Place.ANNOTATION: "variables.annotationNames",
    Place.NODE_SELECTOR: "variables.nodeNames",
    Place.ENV: "variables.envNames",
}
_MAPPINGS = {
    "labels": "variables.labels",
    "annotations": "variables.annotations",
    "nodeSelector": NODE_SELECTOR,
}
_TOPOLOGY = (
    ("topologySpreadConstraints", "topologyKey"),
    *(
        (f"affinity.?{kind}.?{when}", key)
        for kind in ("podAffinity", "podAntiAffinity")
        for when, key in (
            ("requiredDuringSchedulingIgnoredDuringExecution", "topologyKey"),
            ("preferredDuringSchedulingIgnoredDuringExecution", "podAffinityTerm.?topologyKey"),
        )
    ),
)


class Obstacle(NamedTuple):
    """One of them. ``names``: a list of texts in CEL. ``message``: with MARK for the names."""

    variable: str
    names: str
    code: str
    message: Message
    hint: Message | str = ""


def _flat(lists: str) -> str:
    """Several lists of names as one: names have no commas, and ``flatten`` came with 1.34."""
    return f"{lists}.map(l, l.join(',')).join(',').split(',').filter(k, k != '')"


_KEYS = "matchExpressions.orValue([]).map(r, string(r.?key.orValue('')))"
_OF_TERMS = (_flat(f"{TERMS}.map(t, t.?{_KEYS})"), _flat(f"{PREFERRED}.map(t, t.?preference.?{_KEYS})"))
_PAIRS = (
    "matchExpressions.orValue([]).map(r, (r.?values.orValue([]) + ['']).map(v, string(r.?key.orValue('')) + "
    "'=' + string(v)).join(','))"
)
_CHOICES = (
    f"{NODE_SELECTOR}.map(k, k + '=' + string({NODE_SELECTOR}[k]))",
    _flat(f"{TERMS}.map(t, t.?{_PAIRS})"),
    _flat(f"{PREFERRED}.map(t, t.?preference.?{_PAIRS})"),
    "variables.spec.?tolerations.orValue([])"
    ".map(r, string(r.?key.orValue('')) + '=' + string(r.?value.orValue('')))",
    *(
        f"variables.spec.?{path}.orValue([]).map(r, string(r.?{name}.orValue('')) + '=')"
        for path, name in _TOPOLOGY
    ),
)


def lists(around: Around) -> dict[str, str]:
    """Variables: all names in a place of the pod, and what it has of other dialects than the source."""
    known = names_of(around.source.backend) | names_of(around.target)
    theirs = f"{LIMITS}.filter(k, {around.theirs.said()}).map(k, string(k))"
    shown = "string(c.of.?name.orValue('')) + ' (' + c.theirs.join(', ') + ')'"
    mine = f"{LIMITS}.exists(k, {around.asking.said()})"
    return {
        "affinityNames": " + ".join(_OF_TERMS),
        "nodeNames": f"{NODE_SELECTOR}.map(k, k) + variables.affinityNames",
        "envNames": _flat(
            "variables.containers.map(c, c.?env.orValue([]).map(e, string(e.?name.orValue(''))))"
        ),
        "podNames": " + ".join(_IN.values()),
        "resourceNames": _flat(f"variables.containers.map(c, {LIMITS}.map(k, k))"),
        # labels and taints of nodes that no dialect of these has, each as name=value
        "choices": f"({' + '.join(_CHOICES)}).filter(x, ![x.split('=')[0]].exists(k, {known.said()}))",
        "withTheirs": f"variables.containers.map(c, {{'of': dyn(c), 'theirs': dyn({theirs}), "
        f"'mine': dyn({mine})}}).filter(c, c.theirs.size() > 0).map(c, {{'name': dyn({shown}), "
        "'theirs': dyn(c.theirs), 'mine': dyn(c.mine)})",
    }


def obstacles(around: Around) -> Iterator[Obstacle]:
    """In the order in which they count."""
    yield _sizes(around)
    yield from _of_source(around)
    yield from _of_words(around)
    yield from _of_target(around)
    yield from _of_others(around)
    yield _unread(around)
    yield from _machines(around)
    if around.target.schedulers:
        yield _scheduler(around)


def _left(around: Around, variable: str, names: str, why: str, hint: str = RUN) -> Obstacle:
    message = say(leftovers.LEFT, name=MARK, why=say(why))
    return Obstacle(variable, names, CODE, message, say(hint, target=around.target.name))


def _sizes(around: Around) -> Obstacle:
    counts = {
        "containers": "variables.spec.?containers.orValue([])",
        "initContainers": "variables.spec.?initContainers.orValue([])",
        "nodeSelectorTerms": TERMS,
    }
    names = (f"[{text(name)}].filter(k, {of}.size() > {MOST_CONTAINERS})" for name, of in counts.items())
    message = say("a policy translates at most {most} of each: {names}", most=MOST_CONTAINERS, names=MARK)
    hint = say(RUN, target=around.target.name)
    return Obstacle("tooMany", " + ".join(names), CODE, message, hint)


def _filtered(names: Names, *, env: bool) -> str:
    """The names on a pod that are some of these; ``env``: those of variables too."""
    places = [one for place, one in _IN.items() if env or place is not Place.ENV]
    return " + ".join(f"{one}.filter(k, {names.said()})" for one in places)


def _of_source(around: Around) -> Iterator[Obstacle]:
    """Keys of the source on a pod that no share of it has."""
    env = bool(around.env)
    if around.words or env:
        names = f"variables.asked.size() > 0 ? [] : {_filtered(around.words, env=env)}"
        yield _left(around, "withoutShare", names, leftovers.NO_SHARE, leftovers.BY_HAND)
    words = {place: {word.key for word in around.source.words if word.place == place} for place in _MAPPINGS}
    every = names_of(around.source.backend)
    parts = []
    for place, field in ((Place.LABEL, "labels"), (Place.ANNOTATION, "annotations")):
        taken = f" && !(k in {listed(sorted(words[field]))})" if words[field] else ""
        parts.append(f"{_IN[place]}.filter(k, {every.said()}{taken})")
    taken = f" && !(k in {listed(sorted(words['nodeSelector']))})" if words["nodeSelector"] else ""
    parts.append(f"{NODE_SELECTOR}.filter(k, {every.said()}{taken})")
    parts.append(f"variables.affinityNames.filter(k, {every.said()})")
    if env:
        parts.append(f"{_IN[Place.ENV]}.filter(k, k in {listed(around.env)})")
    yield _left(
        around, "untranslated", f"variables.asked.size() == 0 ? [] : {' + '.join(parts)}", NOT_TRANSLATED
    )


def _of_words(around: Around) -> Iterator[Obstacle]:
    """Words of the source that are none of its values, and those that say the same twice."""
    texts: dict[tuple[str, str], list[str]] = {}
    for word in around.source.words:
        texts.setdefault((word.place, word.key), []).extend(one for one, _ in word.texts)
    odd = [
        f"[{text(key)}].filter(k, k in {_MAPPINGS[place]})"
        f".filter(k, !({_MAPPINGS[place]}[k] in {listed(dict.fromkeys(found))}))"
        for (place, key), found in texts.items()
    ]
    if odd:
        names = f"variables.asked.size() == 0 ? [] : {' + '.join(odd)}"
        yield _left(around, "unknown", names, "no policy translates its value")
    twice = []
    for field in OF_POD:
        words = {(one.place, one.key): one for one in around.source.words if one.field == field}
        if len(words) > 1:
            given = " + ".join(f"[{text(one.key)}].filter(k, {named(one)} != '')" for one in words.values())
            twice.append(f"[{given}].filter(l, l.size() > 1).map(l, l.join(', '))")
    counts = {word.key for word in around.source.words if word.field == "cards"}
    twice += [
        f"[{text(key)}].filter(k, variables.asked.size() > 1 && {around.source.word('cards')} != '')"
        for key in sorted(counts)
    ]
    if twice:
        yield _left(around, "together", " + ".join(twice), "no policy translates these together")


def _of_target(around: Around) -> Iterator[Obstacle]:
    """Keys of the target that were there before (translation/leftovers.py, ``_of_the_target``)."""
    source, target = around.source.backend, around.target

    def counts(row: Key, place: Place) -> bool:
        by_itself = Place.SCHEDULER not in row.places and ANY not in row.idle
        needs_place = row.is_word or place is Place.ENV
        return by_itself and (not needs_place or place in row.places)

    parts = []
    for place, names in _IN.items():
        rows = [row for row in target.keys if counts(row, place)]
        here = (name for row in rows for name in (row.name, *row.aliases))
        found = Names.of(one for one in here if one != target.whole_card_key and not source.owns(one))
        if found:
            parts.append(f"{names}.filter(k, {found.said()})")
    if parts:
        names = " + ".join(parts)
        names = f"variables.foreign ? {names} : []" if around.shared else names
        message = say(leftovers.BEFORE, name=MARK, target=target.name)
        yield Obstacle("before", names, CODE, message, say(leftovers.REMOVE))


def _of_others(around: Around) -> Iterator[Obstacle]:
    """Keys of other dialects."""
    others = [one for one in registry.pod_backends() if one not in (around.source.backend, around.target)]
    names = all_names(one for one in others if not one.read_only)
    known = names_of(around.source.backend) | names_of(around.target)
    there = f"variables.podNames.filter(k, {names.said()} && !({known.said()}))"
    yield _left(around, "others", there, leftovers.NO_SHARE, leftovers.BY_HAND)
    whole = sorted({one.whole_card_key for one in registry.pod_backends() if one.whole_card_key})
    alone = f"!c.mine && c.theirs.all(k, k in {listed(whole)})"
    message = say("keys of two dialects: {names}", names=MARK)
    mixed = f"variables.withTheirs.filter(c, !({alone})).map(c, string(c.name))"
    yield Obstacle("mixed", mixed, "K8S007", message)
    beside = f"variables.withTheirs.filter(c, {alone}).map(c, string(c.name))"
    yield _left(around, "beside", beside, NOT_TRANSLATED)
    spoken = [
        f"[{text(one.title)}].filter(k, {said(one.detector)})"
        for one in others
        if isinstance(one.detector, Condition)
    ]
    message = say(
        "the pod is to be read as {chosen}, and has keys of {other}",
        chosen=around.source.backend.name,
        other=MARK,
    )
    yield Obstacle("spoken", " + ".join(spoken), "K8S007", message)


def _unread(around: Around) -> Obstacle:
    """Keys of products that are known by name."""
    dialects = [one for one in registry.pod_backends() if not one.read_only or one is around.source.backend]
    products = (*PRODUCTS, *(product for one in registry.pod_backends() for product in one.similar_products))
    keys = Names.of(key for product in products for key in product.keys)
    read = all_names(dialects)
    every = "(variables.podNames + variables.resourceNames)"
    parts = [f"{every}.filter(k, {keys.said()} && !({read.said()}))"]
    for place, one in _IN.items():
        local = sorted({name for product in products for name in product.local.get(place, ())})
        parts += [f"{one}.filter(k, k in {listed(local)})"] if local else []
    message = say("{names} is a key of a product that gpuxlate does not read", names=MARK)
    return Obstacle("unread", " + ".join(parts), "GX027", message, say(leftovers.UNREAD))


def _machines(around: Around) -> Iterator[Obstacle]:
    """Choices of machines of another cloud than the target's."""
    source, target = around.source.backend, around.target
    clouds = [one for one in registry.pod_backends() if one.cloud and one is not target]
    for one in clouds if target.cloud else [one for one in clouds if one is source]:
        assert one.cloud is not None
        own = target.cloud if one is not source else None  # two clouds have machines of one name
        name = f"machinesOf{one.name.title().replace('-', '')}"
        message = say("{name} is left behind: it chooses machines of {title}", name=MARK, title=one.title)
        yield Obstacle(name, _chosen(one.cloud, own), CODE, message, say(leftovers.MACHINES))


def _chosen(cloud: Cloud, own: Cloud | None) -> str:
    """The labels and taints of nodes that choose machines of a cloud, each as name=value."""
    types = "|".join(one.replace(".", "\\.") for one in INSTANCE_TYPES)
    domains = "|".join(one.replace(".", "\\.") for one in cloud.domains)
    terms = [f"x.matches({text(f'^([^/=]*[.])?({domains})/')})"]
    machine = f"x.matches({text(f'^({types})=(?:{cloud.machine_type.pattern})$')})"
    if own:
        machine = f"({machine} && !x.matches({text(f'^({types})=(?:{own.machine_type.pattern})$')}))"
    terms.append(machine)
    if cloud.provider:
        terms.append(f"x == {text(f'{VIRTUAL_NODES}={cloud.provider}')}")
    return f"variables.choices.filter(x, {' || '.join(terms)})"


def _scheduler(around: Around) -> Obstacle:
    source, target = around.source.backend, around.target
    known = listed(dict.fromkeys(("", DEFAULT_SCHEDULER, *target.schedulers, *source.schedulers)))
    message = say(scheduling.NO_EFFECT, name=MARK, target=target.name, allowed=either(target.schedulers))
    names = f"[variables.schedulerName].filter(k, !(k in {known}))"
    return Obstacle("scheduler", names, "GX023", message, say(scheduling.CHANGE))
