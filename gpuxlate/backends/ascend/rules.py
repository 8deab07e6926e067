"""The rules of Ascend vNPU that no row says: ASCEND020 to ASCEND024. Templates are those of the catalogue."""

from __future__ import annotations

from collections.abc import Iterator

from gpuxlate.backends.ascend.backend import BACKEND, HAMI_CORE, MODE, most_mib
from gpuxlate.model import quantity
from gpuxlate.model.catalogue import Card, card_named
from gpuxlate.model.diagnostics import Diagnostic, Severity
from gpuxlate.model.messages import say
from gpuxlate.model.pod import PodKeys
from gpuxlate.model.sheet import Key, Range
from gpuxlate.rules.base import Context, Rule, rule
from gpuxlate.rules.predicates.conditions import Amount, Annotated, Asks, Not
from gpuxlate.rules.predicates.predicate import Breach, Predicate

BY_NUMBERS = Annotated(MODE, HAMI_CORE)
PAIRED = "huawei.com/Ascend910C"


def _memory() -> Iterator[tuple[Key, Key, Card]]:
    """The rows of count and memory of each card, with the card."""
    for rows in BACKEND.keys_by_model:
        card = card_named(rows.model)
        if rows.cards is not None and rows.memory is not None and card is not None:
            yield rows.cards, rows.memory, card


@rule(
    "ASCEND020",
    Severity.ERROR,
    missing=True,
    predicate=tuple(
        Predicate(BY_NUMBERS, at=(rows.cores.name,)) for rows in BACKEND.keys_by_model if rows.cores
    ),
)
def compute_needs_hami_core(
    this: Rule, breach: Breach, pod: PodKeys, context: Context
) -> Iterator[Diagnostic]:
    """Compute in percent goes with `huawei.com/vnpu-mode: hami-core`.

    ## What it does
    Reports `huawei.com/<card>-core` in a pod without the annotation.

    ## Why
    Templates bring their own AI cores: the webhook refuses a percentage beside them.

    ## Example
    ```yaml
    resources:
      limits: {huawei.com/Ascend310P: 1, huawei.com/Ascend310P-memory: 6144, huawei.com/Ascend310P-core: 50}
    ```

    ## Use instead
    ```yaml
    metadata: {annotations: {huawei.com/vnpu-mode: hami-core}}
    spec:
      containers:
        - name: web
          image: web
          resources:
            limits:
              {huawei.com/Ascend310P: 1, huawei.com/Ascend310P-memory: 6144, huawei.com/Ascend310P-core: 50}
    ```

    ## Source
    Project-HAMi/HAMi, pkg/device/ascend (2026-08-21).
    """
    if breach.value is not None:
        message = say("{key} is refused without {mode}: {value}", key=breach.name, mode=MODE, value=HAMI_CORE)
        yield this.at(breach.value, message, "add the annotation to the pod, or remove the key", on_key=True)


@rule(
    "ASCEND021",
    Severity.ERROR,
    missing=True,
    predicate=tuple(
        Predicate(Not(Amount(count.name, Range(2))), Not(BY_NUMBERS), (memory.name,))
        for count, memory, _ in _memory()
    ),
)
def template_is_of_one_card(
    this: Rule, breach: Breach, pod: PodKeys, context: Context
) -> Iterator[Diagnostic]:
    """A template is a part of one card.

    ## What it does
    Reports `huawei.com/<card>-memory` in a container with several cards, without
    `huawei.com/vnpu-mode: hami-core`.

    ## Why
    The webhook refuses it: "vNPU not supported for multiple devices".

    ## Example
    ```yaml
    resources: {limits: {huawei.com/Ascend310P: 2, huawei.com/Ascend310P-memory: 6144}}
    ```

    ## Use instead
    ```yaml
    resources: {limits: {huawei.com/Ascend310P: 1, huawei.com/Ascend310P-memory: 6144}}
    ```

    ## Source
    Project-HAMi/HAMi, pkg/device/ascend (2026-08-21).
    """
    if breach.value is not None:
        message = say("{key} is for one card; several have no templates", key=breach.name)
        yield this.at(breach.value, message, "request one card, or whole cards without memory", on_key=True)


@rule(
    "ASCEND022",
    Severity.INFO,
    missing=True,
    predicate=tuple(
        Predicate(
            Amount(
                memory.name,
                *(Range(one.least_mib, one.least_mib) for one in card.templates),
                Range(most_mib(card)),
            ),
            Amount(memory.name, Range(1)) & Not(BY_NUMBERS),
            (memory.name,),
        )
        for _, memory, card in _memory()
    ),
)
def memory_is_a_template(this: Rule, breach: Breach, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """Memory without `huawei.com/vnpu-mode: hami-core` is that of a template.

    ## What it does
    Reports an amount between two templates: the container gets the next larger one, with its AI cores.

    ## Why
    The hardware divides a card into templates. Where none is large enough, the container gets the card.

    ## Example
    ```yaml
    resources: {limits: {huawei.com/Ascend310P: 1, huawei.com/Ascend310P-memory: 2000}}
    ```

    ## Use instead
    ```yaml
    resources: {limits: {huawei.com/Ascend310P: 1, huawei.com/Ascend310P-memory: 3072}}
    ```

    ## Source
    Project-HAMi/HAMi, charts/hami/templates/scheduler/device-configmap.yaml (2026-08-21).
    """
    number = None if breach.value is None else quantity.whole(breach.value.text)
    card = next((card for _, memory, card in _memory() if memory.name == breach.name), None)
    if breach.value is None or number is None or card is None:
        return
    one = next((one for one in card.templates if one.least_mib >= number), None)
    gets = (
        say(
            "{name}, {memory} MiB and {cores} of {all} AI cores",
            name=one.name,
            memory=one.memory_mib,
            cores=one.ai_cores,
            all=card.ai_cores,
        )
        if one
        else "the whole card"
    )
    message = say("{key} {number}: the container gets {what}", key=breach.name, number=number, what=gets)
    yield this.at(
        breach.value, message, say("write {number}", number=one.memory_mib if one else most_mib(card))
    )


@rule(
    "ASCEND023",
    Severity.ERROR,
    predicate=tuple(
        Predicate(Not(Amount(memory.name, Range(most_mib(card) + 1))), at=(memory.name,))
        for _, memory, card in _memory()
    ),
)
def memory_is_within_the_card(
    this: Rule, breach: Breach, pod: PodKeys, context: Context
) -> Iterator[Diagnostic]:
    """Memory is no more than the card has.

    ## What it does
    Reports `huawei.com/<card>-memory` above the memory of the card that its name says.

    ## Why
    The webhook refuses it.

    ## Example
    ```yaml
    resources: {limits: {huawei.com/Ascend910B4: 1, huawei.com/Ascend910B4-memory: 65536}}
    ```

    ## Use instead
    ```yaml
    resources: {limits: {huawei.com/Ascend910B4: 1, huawei.com/Ascend910B4-memory: 16384}}
    ```

    ## Source
    Project-HAMi/HAMi, charts/hami/templates/scheduler/device-configmap.yaml (2026-08-21).
    """
    card = next((card for _, memory, card in _memory() if memory.name == breach.name), None)
    if breach.value is not None and card is not None:
        message = say(
            "{key} {number} is above the {most} MiB of the card",
            key=breach.name,
            number=breach.value.text,
            most=most_mib(card),
        )
        yield this.at(breach.value, message, say("write {most} or less", most=most_mib(card)))


@rule(
    "ASCEND024",
    Severity.WARNING,
    predicate=Predicate(
        Amount(PAIRED, Range(2, None, 2)) | (Amount(PAIRED, Range(1, 1)) & Asks(f"{PAIRED}-memory")),
        Amount(PAIRED, Range(1)),
        (PAIRED,),
    ),
)
def devices_come_in_pairs(this: Rule, breach: Breach, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """An even number of Ascend 910C devices is requested.

    ## What it does
    Reports an odd `huawei.com/Ascend910C`; not one with memory, which is a template.

    ## Why
    The devices of a 910C come in pairs: one becomes two.

    ## Example
    ```yaml
    resources: {limits: {huawei.com/Ascend910C: 1}}
    ```

    ## Use instead
    ```yaml
    resources: {limits: {huawei.com/Ascend910C: 2}}
    ```

    ## Source
    Project-HAMi/HAMi, pkg/device/ascend, examples/ascend/job-910C.yaml (2026-08-21).
    """
    number = None if breach.value is None else quantity.whole(breach.value.text)
    if breach.value is not None and number is not None:
        message = say("{key} {number}: devices come in pairs", key=breach.name, number=number)
        hint = say("write {even}", even=number + 1)
        yield this.at(breach.value, message, hint, missing=number == 1)  # with memory it is a template
