"""Rules on the names of HAMi's resources, which its chart lets operators change: HAMI013 and HAMI014."""

from __future__ import annotations

from collections.abc import Iterator

from gpuxlate.backends.hami import keys as k
from gpuxlate.backends.hami.profile import HamiProfile
from gpuxlate.backends.numbers import named_twice, requesting, second_names
from gpuxlate.model.diagnostics import Diagnostic, Severity
from gpuxlate.model.messages import say
from gpuxlate.model.pod import PodKeys
from gpuxlate.model.sheet import other_names
from gpuxlate.rules.base import Context, Rule, rule
from gpuxlate.rules.predicates.conditions import Asks
from gpuxlate.rules.predicates.predicate import Breach, Predicate
from gpuxlate.rules.vocabulary import vocabulary_of


@rule(
    "HAMI013",
    Severity.ERROR,
    missing=True,
    no_policy="it compares an unknown name with all known ones, letter by letter",
)
def count_has_a_known_name(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """The number of cards has a name that is known.

    ## What it does
    Reports an unknown resource of `nvidia.com`, or one with `gpu` in its name, in a container with HAMi's
    memory or compute and without a known count. Known are `nvidia.com/gpu`, `nvidia.com/vgpu`,
    `nvidia.com/gpualloc`, and the name in a profile.

    ## Why
    HAMi's chart lets operators rename the count. Without one the share is on one card: where the unknown
    resource is the count, it may be on several.

    ## Example
    ```yaml
    resources: {limits: {nvidia.com/cards: 2, nvidia.com/gpumem: 3000}}
    ```

    ## Use instead
    ```yaml
    resources: {limits: {nvidia.com/gpu: 2, nvidia.com/gpumem: 3000}}
    ```

    ## Source
    Project-HAMi/HAMi, charts/hami/values.yaml, `resourceName` (2026-08-21).
    """
    words = vocabulary_of(context)
    for container in requesting(pod, *k.SHARE_KEYS):
        if k.COUNT in container.resources or any(
            name in container.resources for name in _other_names(context)
        ):
            continue  # under two names: HAMI014
        for name, value in container.resources.items():
            if _may_count(name) and not words.rows(name) and words.near_miss(name) is None:
                yield this.at(
                    value,
                    say(
                        "{name} is unknown and {count} is not set: the number of cards is not certain",
                        name=name,
                        count=k.COUNT,
                    ),
                    say(
                        "write {count}, or set hami.resourceNames.count in a profile where the cluster has "
                        "that name for it",
                        count=k.COUNT,
                    ),
                    on_key=True,
                )


def _may_count(name: str) -> bool:
    domain, _, own = name.partition("/")
    return bool(own) and (f".{domain}".endswith(".nvidia.com") or "gpu" in own.lower())


def _other_names(context: Context) -> dict[str, str]:
    renamed = HamiProfile.of(context.profile).renamed
    return {**{name: _ALIASES.get(known, known) for name, known in renamed.items()}, **_ALIASES}


_ALIASES = other_names(k.KEYS)


def _beside(alias: str) -> Predicate:
    names = {_ALIASES[alias], *(other for other, own in _ALIASES.items() if own == _ALIASES[alias])}
    return Predicate(~Asks(*sorted(names - {alias})), at=(alias,))


def named_by_a_profile(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """A resource beside its name in the profile's cluster."""
    known = {value.path for value, _, _ in second_names(pod, _ALIASES)}
    for value, name, own in second_names(pod, _other_names(context)):
        if value.path not in known:
            yield this.at(value, *named_twice(name, own), on_key=True)


@rule("HAMI014", Severity.ERROR, predicate=tuple(map(_beside, _ALIASES)), also=named_by_a_profile)
def resource_has_one_name(this: Rule, breach: Breach, pod: PodKeys, context: Context) -> Diagnostic:
    """A container requests each of HAMi's resources under one name.

    ## What it does
    Reports another name of a resource, such as `nvidia.com/vgpu`, beside the resource itself.

    ## Why
    A cluster has one name for each, which its chart sets. The pod never schedules on the other.

    ## Example
    ```yaml
    resources: {limits: {nvidia.com/gpu: 1, nvidia.com/vgpu: 2, nvidia.com/gpumem: 3000}}
    ```

    ## Use instead
    ```yaml
    resources: {limits: {nvidia.com/vgpu: 2, nvidia.com/gpumem: 3000}}
    ```

    ## Source
    Project-HAMi/HAMi, charts/hami/values.yaml, `resourceName` and the like (2026-08-21).
    """
    return this.at(breach.there, *named_twice(breach.name, _ALIASES[breach.name]), on_key=True)
