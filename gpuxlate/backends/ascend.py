"""Ascend vNPU under HAMi: parts by template or, with ``vnpu-mode: hami-core``, by memory and compute.

Shares are written for hami-core, which takes numbers; both ways are read.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from gpuxlate.backends.base import Absent, Backend, PodReader, RuleKind, ShareWriter
from gpuxlate.backends.hami_scheduler import DOCUMENTS, PLACEMENT, SCHEDULER, by_uuid
from gpuxlate.backends.pod_reader import granted
from gpuxlate.backends.row_reader import sized
from gpuxlate.backends.rows import Fields, Size, cards, choice, cores, for_models, memory
from gpuxlate.model import quantity
from gpuxlate.model.diagnostics import Diagnostic, Severity
from gpuxlate.model.keys import KeySpec, Range
from gpuxlate.model.messages import msg
from gpuxlate.model.pod import PodKeys
from gpuxlate.model.profile import Card, card_named, names_of
from gpuxlate.model.share import Isolation
from gpuxlate.rules.base import Context, Rule, rule
from gpuxlate.rules.predicates.conditions import InRange, IsAnnotated, Not, Predicate, Requests, Violation

NAME = "hami-ascend"
COUNT = "huawei.com/Ascend{model}"
MODE, HAMI_CORE = "huawei.com/vnpu-mode", "hami-core"


def most_mib(card: Card) -> int:
    """MiB above which the webhook refuses (CODE)."""
    return card.nominal_mib or card.memory_mib or 0


def sizes_of(card: Card) -> tuple[Size, ...]:
    """The templates of a card, the smallest first."""
    found = ((one, card.cores_of(one)) for one in card.templates)
    return tuple(Size(one.least_mib, cores, one.name) for one, cores in found if cores is not None)


class HamiAscend(Backend):
    name = NAME
    title = "Ascend vNPU under HAMi"
    rule_prefix = "ASCEND"
    aliases = ("ascend",)
    vendor = "huawei"
    isolation = Isolation.SOFT  # hami-core is a library (CODE)
    other_schedulers = (SCHEDULER, "volcano")  # Volcano reads the same keys in its mode for HAMi (VNPU)
    extra_annotations = {MODE: HAMI_CORE}
    compute_when = IsAnnotated(MODE, HAMI_CORE)
    node_annotations = {
        f"hami.io/node-register-Ascend{name}": f"hami.io/Ascend{name}-devices-allocated"
        for name in names_of(NAME)
    }  # (CODE)
    documents = {
        "CODE": "Project-HAMi/HAMi, pkg/device/ascend (2026-08-21)",
        "TEMPLATES": "Project-HAMi/HAMi, charts/hami/templates/scheduler/device-configmap.yaml (2026-08-21)",
        "VNPU": "volcano-sh/volcano, docs/user-guide/how_to_use_vnpu.md (2026-08)",
        **DOCUMENTS,
    }
    gpu_prefixes = ("huawei.com/vnpu-",)
    rule_reasons = {
        RuleKind.COMPUTE: (
            "No document says that missing compute is not capped, so all of the card is assumed."
        )
    }
    keys = (
        *for_models(
            NAME,
            cards(COUNT, source="CODE"),
            memory(f"{COUNT}-memory", needs=(COUNT,), source="CODE, TEMPLATES"),
            cores(f"{COUNT}-core", needs=(COUNT,), default=Absent.ALL, source="CODE"),
            *by_uuid("Ascend{model}"),
        ),
        choice(
            MODE, meaning="parts by numbers", values=(HAMI_CORE,), no_op_values=(HAMI_CORE,), source="CODE"
        ),
        *PLACEMENT,
    )

    def normalize(self, pod: PodReader, found: Fields) -> Fields:
        """Without hami-core, the container gets the first template with the memory, else the whole card.

        Compute and parts of several cards go with hami-core only, which the base of a patch may have (CODE).
        """
        mode = pod.pod.annotations.get(MODE)
        device = found.others["device"]
        card = card_named(device.models[0])
        by_numbers = mode is not None and mode.text == HAMI_CORE
        by_numbers = by_numbers or "cores" in found.origins or (found.cards or 1) > 1
        if card is None or found.memory_mib is None or by_numbers:
            return found
        given = sized(replace(found, cores=None), sizes_of(card), "ASCEND022")
        if given.memory_mib or found.memory_mib >= (card.memory_mib or 0):
            return given
        path, why = found.origins["memory_mib"], msg("no template of the card has as much")
        more = granted("memory_mib", "ASCEND022", why, path, asked=found.memory_mib, given=None)
        return replace(given, granted=(more,))

    def before_write(self, placing: ShareWriter) -> frozenset[str]:
        """No card gives more than it has (CODE)."""
        device, memory = placing.peek("device"), placing.peek("memory_mib")
        card = card_named(device.models[0])
        most = 0 if card is None else most_mib(card)
        if most and memory is not None and memory > most * placing.cards:
            each = -(-memory // placing.cards)
            message = msg(
                "{key} {number} is above the {most} MiB of the card", key="memoryMiB", number=each, most=most
            )
            placing.refuse("memory_mib", "ASCEND023", message, "request less, or whole cards")
        return frozenset()


BACKEND = HamiAscend()

# The rules of Ascend vNPU that no row says: ASCEND020 to ASCEND024. Templates are those of the catalogue.
BY_NUMBERS = IsAnnotated(MODE, HAMI_CORE)
PAIRED = "huawei.com/Ascend910C"


def _memory() -> Iterator[tuple[KeySpec, KeySpec, Card]]:
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
        Predicate(BY_NUMBERS, keys=(rows.cores.name,)) for rows in BACKEND.keys_by_model if rows.cores
    ),
)
def compute_needs_hami_core(
    this: Rule, breach: Violation, pod: PodKeys, context: Context
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
        message = msg("{key} is refused without {mode}: {value}", key=breach.name, mode=MODE, value=HAMI_CORE)
        yield this.diagnostic(
            breach.value, message, "add the annotation to the pod, or remove the key", on_key=True
        )


@rule(
    "ASCEND021",
    Severity.ERROR,
    missing=True,
    predicate=tuple(
        Predicate(Not(InRange(count.name, Range(2))), Not(BY_NUMBERS), (memory.name,))
        for count, memory, _ in _memory()
    ),
)
def template_is_of_one_card(
    this: Rule, breach: Violation, pod: PodKeys, context: Context
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
        message = msg("{key} is for one card; several have no templates", key=breach.name)
        yield this.diagnostic(
            breach.value, message, "request one card, or whole cards without memory", on_key=True
        )


@rule(
    "ASCEND022",
    Severity.INFO,
    missing=True,
    predicate=tuple(
        Predicate(
            InRange(
                memory.name,
                *(Range(one.least_mib, one.least_mib) for one in card.templates),
                Range(most_mib(card)),
            ),
            InRange(memory.name, Range(1)) & Not(BY_NUMBERS),
            (memory.name,),
        )
        for _, memory, card in _memory()
    ),
)
def memory_is_a_template(
    this: Rule, breach: Violation, pod: PodKeys, context: Context
) -> Iterator[Diagnostic]:
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
        msg(
            "{name}, {memory} MiB and {cores} of {all} AI cores",
            name=one.name,
            memory=one.memory_mib,
            cores=one.ai_cores,
            all=card.ai_cores,
        )
        if one
        else "the whole card"
    )
    message = msg("{key} {number}: the container gets {what}", key=breach.name, number=number, what=gets)
    yield this.diagnostic(
        breach.value, message, msg("write {number}", number=one.memory_mib if one else most_mib(card))
    )


@rule(
    "ASCEND023",
    Severity.ERROR,
    predicate=tuple(
        Predicate(Not(InRange(memory.name, Range(most_mib(card) + 1))), keys=(memory.name,))
        for _, memory, card in _memory()
    ),
)
def memory_is_within_the_card(
    this: Rule, breach: Violation, pod: PodKeys, context: Context
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
        message = msg(
            "{key} {number} is above the {most} MiB of the card",
            key=breach.name,
            number=breach.value.text,
            most=most_mib(card),
        )
        yield this.diagnostic(breach.value, message, msg("write {most} or less", most=most_mib(card)))


@rule(
    "ASCEND024",
    Severity.WARNING,
    predicate=Predicate(
        InRange(PAIRED, Range(2, None, 2)) | (InRange(PAIRED, Range(1, 1)) & Requests(f"{PAIRED}-memory")),
        InRange(PAIRED, Range(1)),
        (PAIRED,),
    ),
)
def devices_come_in_pairs(
    this: Rule, breach: Violation, pod: PodKeys, context: Context
) -> Iterator[Diagnostic]:
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
        message = msg("{key} {number}: devices come in pairs", key=breach.name, number=number)
        hint = msg("write {even}", even=number + 1)
        yield this.diagnostic(
            breach.value, message, hint, missing=number == 1
        )  # with memory it is a template
