"""Rules of ACK about compute, decided from the manifest alone."""

from __future__ import annotations

from gpuxlate.backends.alibaba import keys as k
from gpuxlate.backends.alibaba.facts import cards_of
from gpuxlate.backends.alibaba.rules.examples import part, shown
from gpuxlate.backends.numbers import both_places, off_step, outside, put_number
from gpuxlate.model import quantity
from gpuxlate.model.diagnostics import Diagnostic, Fix, Severity
from gpuxlate.model.edits import Remove, Rename
from gpuxlate.model.messages import say
from gpuxlate.model.pod import ContainerKeys, PodKeys, Value
from gpuxlate.model.sheet import Range
from gpuxlate.rules.base import Context, Page, Rule, rule
from gpuxlate.rules.predicates.conditions import NEVER, Amount, Asks, Labelled
from gpuxlate.rules.predicates.predicate import Breach, Predicate

ON_ONE_CARD = Predicate(~Labelled(k.COUNT, k.SEVERAL), at=(k.CORE,))
ON_GRID = Predicate(Amount(k.CORE, Range(k.CORE_MIN, k.CORE_MAX, k.CORE_STEP)), Amount(k.CORE), (k.CORE,))


@rule(
    "ACK005",
    Severity.ERROR,
    fix="unsafe",
    predicate=ON_ONE_CARD,
    page=Page(shown(part(8, 30), count=2, mode="core_mem"), shown(part(8), count=2, mode="cgpu")),
)
def compute_on_one_card(this: Rule, breach: Breach, pod: PodKeys, context: Context) -> Diagnostic:
    """A pod that shares several cards sets no `aliyun.com/gpu-core.percentage`.

    ## What it does
    Reports compute in a pod whose label `aliyun.com/gpu-count` is above 1.

    ## Why
    Multi-card sharing supports memory isolation with shared compute only.

    ## Fix
    Removes the compute. Unsafe: compute is no longer capped.

    ## Source
    ACK, page multi-card-sharing-through-shared-gpu-scheduling, 2025-04-19.
    """
    edits = tuple(Remove(value.path) for value in both_places(breach.inside, k.CORE))
    text = "{key} supports one card; {count} is {cards}"
    hint = say("remove {key}, since several cards share their compute, or request one card", key=k.CORE)
    message = say(text, key=k.CORE, count=k.COUNT, cards=cards_of(pod))
    fix = Fix(say("remove {core}", core=k.CORE), edits, safe=False)
    return this.at(breach.there, message, hint, on_key=True, fix=fix)


@rule(
    "ACK006",
    Severity.ERROR,
    fix="unsafe",
    predicate=ON_GRID,
    page=Page(shown(part(2, 33), mode="core_mem"), shown(part(2, 35), mode="core_mem")),
)
def compute_on_grid(this: Rule, breach: Breach, pod: PodKeys, context: Context) -> Diagnostic:
    """`aliyun.com/gpu-core.percentage` is 5 to 100, in multiples of 5.

    ## What it does
    Reports other whole numbers. K8S001 reports values that are not whole numbers.

    ## Why
    The unit is one percent of one card. A job with another number cannot be submitted.

    ## Fix
    Raises the number to the next multiple of 5. Unsafe: the pod requests more.

    ## Source
    ACK, page use-cgpu-to-allocate-computing-power, 2026-03-26.
    """
    percent = breach.number
    if percent > k.CORE_MAX:
        hint = say("the key counts percent of one card; for whole cards request {key} alone", key=k.WHOLE)
        return this.at(breach.there, outside(k.CORE, percent, k.CORE_MIN, k.CORE_MAX), hint)
    near = max(quantity.round_up(percent, k.CORE_STEP), k.CORE_MIN)
    low = percent < k.CORE_MIN
    message = outside(k.CORE, percent, k.CORE_MIN) if low else off_step(k.CORE, percent, k.CORE_STEP)
    fix = Fix(say("raise it to {near}", near=near), put_number(breach.inside, k.CORE, near), safe=False)
    # zero and less are not a small share
    found = fix if percent > 0 else None
    return this.at(breach.there, message, say("write {number}", number=near), fix=found)


@rule(
    "ACK007",
    Severity.ERROR,
    missing=True,
    predicate=Predicate(Asks(k.MEMORY), at=(k.CORE,)),
    page=Page(shown(part(cores=30), mode="core_mem"), shown(part(2, 30), mode="core_mem")),
)
def compute_goes_with_memory(this: Rule, breach: Breach, pod: PodKeys, context: Context) -> Diagnostic:
    """A container with `aliyun.com/gpu-core.percentage` also sets `aliyun.com/gpu-mem`.

    ## What it does
    Reports compute without memory in the same container.

    ## Why
    ACK shares cards by memory, or by memory and compute; compute alone is not supported.

    ## Source
    ACK, page use-cgpu-to-allocate-computing-power, 2026-03-26.
    """
    message = say("{key} is set without {other}", key=k.CORE, other=k.MEMORY)
    hint = say("add {other} to the limits of this container", other=k.MEMORY)
    return this.at(breach.there, message, hint, on_key=True)


@rule(
    "ACK010",
    Severity.ERROR,
    fix="safe",
    predicate=Predicate(NEVER, at=(k.NO_CORE,)),
    page=Page(
        shown({**part(2), k.NO_CORE: Value.of(30)}, mode="core_mem"), shown(part(2, 30), mode="core_mem")
    ),
)
def compute_key_is_spelled_out(this: Rule, breach: Breach, pod: PodKeys, context: Context) -> Diagnostic:
    """Compute is requested with `aliyun.com/gpu-core.percentage`, not `aliyun.com/gpu-core`.

    ## What it does
    Reports the key without `.percentage`.

    ## Why
    No node advertises `aliyun.com/gpu-core`: the pod is never scheduled.

    ## Fix
    Renames the key. Safe where the container has memory and the number is valid for the right key, unsafe
    otherwise; none where the right key is there too.

    ## Source
    ACK, page use-cgpu-to-allocate-computing-power, 2026-03-26.
    """
    message = say("{key} is not a key of ACK; no node advertises it", key=k.NO_CORE)
    hint = say("did you mean {key}?", key=k.CORE)
    return this.at(breach.there, message, hint, on_key=True, fix=_rename(breach.inside))


def _rename(container: ContainerKeys) -> Fix | None:
    places = both_places(container, k.NO_CORE)
    if k.CORE in container.resources or not all(quantity.is_plain(one.text) for one in places):
        return None
    safe = k.MEMORY in container.resources and all(_on_grid(one) for one in places)
    edits = tuple(Rename(one.path, k.CORE, one.plain) for one in places)
    return Fix(say("rename it to {core}", core=k.CORE), edits, safe=safe)


def _on_grid(value: Value) -> bool:
    number = int(value.text)
    return k.CORE_MIN <= number <= k.CORE_MAX and number % k.CORE_STEP == 0
