"""Ascend vNPU under HAMi: parts by template or, with ``vnpu-mode: hami-core``, by memory and compute.

Shares are written for hami-core, which takes numbers; both ways are read.
"""

from dataclasses import replace

from gpuxlate.backends.base import Absent, Backend, Placing, RuleKind, Taking
from gpuxlate.backends.hami_scheduler import DOCUMENTS, PLACEMENT, SCHEDULER, by_uuid
from gpuxlate.backends.results import granted
from gpuxlate.backends.rows import Fields, cards, choice, cores, for_models, memory
from gpuxlate.model.catalogue import Card, card_named, names_of
from gpuxlate.model.messages import say
from gpuxlate.model.share import Isolation
from gpuxlate.rules.predicates.conditions import Annotated

NAME = "hami-ascend"
COUNT = "huawei.com/Ascend{model}"
MODE, HAMI_CORE = "huawei.com/vnpu-mode", "hami-core"


def most_mib(card: Card) -> int:
    """MiB above which the webhook refuses (CODE)."""
    return card.nominal_mib or card.memory_mib or 0


class HamiAscend(Backend):
    name = NAME
    title = "Ascend vNPU under HAMi"
    rule_prefix = "ASCEND"
    aliases = ("ascend",)
    vendor = "huawei"
    isolation = Isolation.SOFT  # hami-core is a library (CODE)
    other_schedulers = (SCHEDULER, "volcano")  # Volcano reads the same keys in its mode for HAMi (VNPU)
    extra_annotations = {MODE: HAMI_CORE}
    compute_when = Annotated(MODE, HAMI_CORE)
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
            cores(f"{COUNT}-core", needs=(COUNT,), absent=Absent.ALL, source="CODE"),
            *by_uuid("Ascend{model}"),
        ),
        choice(MODE, meaning="parts by numbers", values=(HAMI_CORE,), idle=(HAMI_CORE,), source="CODE"),
        *PLACEMENT,
    )

    def normalize(self, pod: Taking, found: Fields) -> Fields:
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
        one = next((one for one in card.templates if one.least_mib >= found.memory_mib), None)
        cores = None if one is None else card.cores_of(one)
        mib, why = card.memory_mib, say("no template of the card has as much")
        given = replace(found, cores=None, memory_mib=None)
        if one is not None and cores is not None:
            mib, given = one.memory_mib, replace(found, memory_mib=one.memory_mib, cores=cores)
            why = say("the container gets {name} with {cores} % of compute", name=one.name, cores=cores)
        if mib is None or found.memory_mib >= mib:
            return given
        path = found.origins["memory_mib"]
        more = granted("memory_mib", "ASCEND022", why, path, asked=found.memory_mib, given=given.memory_mib)
        return replace(given, granted=(more,))

    def before_write(self, placing: Placing) -> frozenset[str]:
        """No card gives more than it has (CODE)."""
        device, memory = placing.peek("device"), placing.peek("memory_mib")
        card = card_named(device.models[0])
        most = 0 if card is None else most_mib(card)
        if most and memory is not None and memory > most * placing.cards:
            each = -(-memory // placing.cards)
            message = say(
                "{key} {number} is above the {most} MiB of the card", key="memoryMiB", number=each, most=most
            )
            placing.refuse("memory_mib", "ASCEND023", message, "request less, or whole cards")
        return frozenset()


BACKEND = HamiAscend()
