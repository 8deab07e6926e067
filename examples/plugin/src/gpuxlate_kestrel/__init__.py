"""Kestrel Cloud (made up): a card has ten slices, and memory in GiB. All numbers are per card."""

from gpuxlate.backends import target as t

CARDS = "gpu.kestrel.example/cards"


class Kestrel(t.Backend):
    name = "kestrel-slices"
    title = "Kestrel Cloud"
    aliases = ("kestrel",)
    rule_prefix = "KES"
    documents = {"GUIDE": 'Kestrel Cloud, "GPU slices" (2026-01)'}
    gpu_prefixes = ("gpu.kestrel.example/",)
    keys = (
        t.cards(CARDS),
        t.cores(
            "gpu.kestrel.example/slices",
            unit=10,
            values=(t.Range(1, 10),),
            needs=(CARDS,),
            default=t.Absent.ALL,
        ),
        t.memory("gpu.kestrel.example/memory", unit=t.GIB, needs=(CARDS,)),
        t.choice("gpu.kestrel.example/model", meaning="card models"),
        t.written("gpu.kestrel.example/assigned", meaning="the cards of the pod"),
    )
