"""KAI Scheduler and Run:ai as a target: the sheet, with a reader and a writer of its own."""

from __future__ import annotations

from gpuxlate.backends.kai import keys as k
from gpuxlate.backends.kai.profile import KaiProfile
from gpuxlate.backends.kai.reading import SPEAKS, read
from gpuxlate.backends.kai.writing import NAMES, write
from gpuxlate.backends.sheet.kinds_of_keys import Words
from gpuxlate.backends.sheet.kinds_of_pods import Scheduler
from gpuxlate.backends.sheet.rules import RuleRow
from gpuxlate.backends.sheet.sheet import Sheet

SHEET = Sheet(
    name=NAMES[0],
    title="KAI Scheduler",
    prefix="KAI",
    aliases=NAMES[1:],
    vendor="nvidia",
    scheduler=k.SCHEDULER,
    schedulers=(k.RUNAI_SCHEDULER,),
    whole_card_key=k.WHOLE,
    one_share=True,
    documents={
        "CODE": "kai-scheduler/KAI-Scheduler, gpu_request_validator.go and constants.go (2026-08-07)",
        "README": "kai-scheduler/KAI-Scheduler docs/gpu-sharing/README.md (2026-08-07)",
        "NVFRACTIONS": "kai-scheduler/KAI-Scheduler docs/gpu-sharing/nv-fraction (2026-09)",
        "RUNAI": "NVIDIA Run:ai documentation, GPU fractions (2026)",
    },
    gpu_prefixes=(k.OF_CONTAINERS, "kai.scheduler/gpu-", k.FRACTION),
    keys=k.KEYS,
    read=read,
    write=write,
    says={
        "cards": f"annotation {k.DEVICES}; whole cards: {k.WHOLE}",
        "memoryMiB": f"annotation {k.MEMORY}, MiB of each card",
        "memoryPercent": f"annotation {k.FRACTION}: 0.25",
        "memoryLimitMiB": "annotation nvidia.com/container.NAME.gpu-memory.limit, of each card",
        "isolation": "by the mode of the cluster: soft with HamiCore and NvFractions",
    },
    also_speaks=SPEAKS,
    wrong_names=frozenset(k.MISTAKEN),
    extension=KaiProfile,
    why={"SCHEDULER": "Only KAI's binder reads the annotations: with another scheduler they have no effect."},
    rules=(
        RuleRow(Scheduler, "KAI010", keys=(k.FRACTION, k.MEMORY, k.REQUEST, k.LIMIT)),
        RuleRow(Words, "KAI014"),
    ),
    more_rules="gpuxlate.backends.kai.rules",
    needs_module="gpuxlate.backends.kai.prerequisites",
)
BACKEND = SHEET.backend
