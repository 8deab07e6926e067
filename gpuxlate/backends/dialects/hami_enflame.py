"""Enflame GCU under HAMi: memory or compute of one card, of which it gives the smallest profile."""

from gpuxlate.backends.base import Backend, SeveralCards
from gpuxlate.backends.hami_scheduler import DOCUMENTS, FROM_2_10, HAMI, PLACEMENT, SCHEDULER
from gpuxlate.backends.rows import choices, cores, memory, unread, whole, written
from gpuxlate.model.keys import By
from gpuxlate.model.share import Isolation


class HamiEnflame(Backend):
    name = "hami-enflame"
    title = "Enflame GCU under HAMi"
    rule_prefix = "ENFLAME"
    aliases = ("enflame",)
    vendor = "enflame"
    isolation = Isolation.SOFT  # by the vendor's driver (CODE)
    other_schedulers = (SCHEDULER,)
    components = (HAMI,)
    several_cards = SeveralCards.REFUSED
    documents = {
        "CODE": "Project-HAMi/HAMi, pkg/device/enflame (2026-08-21)",
        "RELEASED": "Project-HAMi/HAMi, charts/hami/values.yaml of v2.9.0, without these names (2026-05-19)",
        **DOCUMENTS,
    }
    gpu_prefixes = ("enflame.com/gcu", "enflame.com/drs-gcu")
    keys = (
        memory("enflame.com/gcu-memory", since=FROM_2_10, source="CODE, RELEASED"),
        cores("enflame.com/gcu-core", since=FROM_2_10, source="CODE, RELEASED"),
        whole("enflame.com/gcu", source="CODE"),
        unread("enflame.com/drs-gcu", "slices of a card, whose size the node sets", source="CODE"),
        *choices("enflame.com/{0}use-gpuuuid", By.UUID, source="CODE"),
        written("enflame.com/gcu-assigned*", meaning="assigned cards", source="CODE"),
        written("enflame.com/gcu-request-size", meaning="slices of a card", source="CODE"),
        *PLACEMENT,
    )


BACKEND = HamiEnflame()
