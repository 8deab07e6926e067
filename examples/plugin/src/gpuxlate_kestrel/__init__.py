"""Kestrel Cloud (made up): a card has ten slices, and memory in GiB. All numbers are per card."""

from gpuxlate.backends.base import GIB, Absent, Backend, Range
from gpuxlate.backends.rows import cards, choice, cores, memory, written

CARDS = "gpu.kestrel.example/cards"


class Kestrel(Backend):
    name = "kestrel-slices"
    title = "Kestrel Cloud"
    aliases = ("kestrel",)
    rule_prefix = "KES"
    documents = {"GUIDE": 'Kestrel Cloud, "GPU slices" (2026-01)'}
    gpu_prefixes = ("gpu.kestrel.example/",)
    keys = (
        cards(CARDS, source="GUIDE"),
        cores(
            "gpu.kestrel.example/slices",
            unit=10,
            values=(Range(1, 10),),
            needs=(CARDS,),
            default=Absent.ALL,
            source="GUIDE",
        ),
        memory("gpu.kestrel.example/memory", unit=GIB, needs=(CARDS,), source="GUIDE"),
        choice("gpu.kestrel.example/model", meaning="card models", source="GUIDE"),
        written("gpu.kestrel.example/assigned", meaning="the cards of the pod", source="GUIDE"),
    )
