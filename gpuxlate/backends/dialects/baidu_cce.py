"""Baidu CCE, cGPU and sGPU. The names of keys hold the card; numbers are totals over the cards."""

from gpuxlate.backends.base import GIB, Confidence, Per, Range
from gpuxlate.backends.sheet.rows import cards, cores, for_models, memory, percent
from gpuxlate.backends.sheet.sheet import Sheet
from gpuxlate.model.share import Isolation

NAME = "baidu-cce"
COUNT = "baidu.com/{model}_cgpu"
CORES, MEMORY, PERCENT = f"{COUNT}_core", f"{COUNT}_memory", f"{COUNT}_memory_percent"

SHEET = Sheet(
    name=NAME,
    title="Baidu CCE, cGPU",
    prefix="BAIDU",
    aliases=("baidu",),
    vendor="nvidia",
    isolation=Isolation.SOFT,  # "memory isolation" (USAGE)
    scheduler="volcano",
    documents={
        "USAGE": 'Baidu AI Cloud, CCE "GPU virtualization" (ykte5uvw6)',
        "SEVERAL": 'Baidu AI Cloud, CCE "single container, several cards" (gln2l2e6u, 2025-10-27)',
    },
    gpu_prefixes=("baidu.com/cgpu",),
    keys=tuple(
        row._replace(confidence=Confidence.MEDIUM)
        for row in for_models(
            NAME,
            cards(COUNT, source="USAGE, SEVERAL"),
            memory(MEMORY, unit=GIB, per=Per.TOTAL, needs=(COUNT,), source="USAGE, SEVERAL"),
            cores(
                CORES,
                per=Per.TOTAL,
                values=(Range(5, None, 5),),
                needs=(MEMORY, PERCENT),
                source="USAGE, SEVERAL",
            ),
            percent(PERCENT, needs=(COUNT,), excludes=(MEMORY,), source="USAGE"),
        )
    ),
)
BACKEND = SHEET.backend
