"""Kestrel Cloud (made up): a card has ten slices, and memory in GiB. All numbers are per card."""

from gpuxlate.backends.base import GIB, Absent, Range
from gpuxlate.backends.sheet.rows import cards, choice, cores, memory, written
from gpuxlate.backends.sheet.sheet import Sheet

CARDS = "gpu.kestrel.example/cards"

SHEET = Sheet(
    name="kestrel-slices",
    title="Kestrel Cloud",
    prefix="KES",
    aliases=("kestrel",),
    documents={"GUIDE": 'Kestrel Cloud, "GPU slices" (2026-01)'},
    gpu_prefixes=("gpu.kestrel.example/",),
    keys=(
        cards(CARDS, source="GUIDE"),
        cores(
            "gpu.kestrel.example/slices",
            unit=10,
            values=(Range(1, 10),),
            needs=(CARDS,),
            absent=Absent.ALL,
            source="GUIDE",
        ),
        memory("gpu.kestrel.example/memory", unit=GIB, needs=(CARDS,), source="GUIDE"),
        choice("gpu.kestrel.example/model", meaning="card models", source="GUIDE"),
        written("gpu.kestrel.example/assigned", meaning="the cards of the pod", source="GUIDE"),
    ),
)
BACKEND = SHEET.backend
