"""AMD GPUs under HAMi. Everything is per card."""

from gpuxlate.backends.base import Absent
from gpuxlate.backends.hami_scheduler import DOCUMENTS, PLACEMENT, SCHEDULER
from gpuxlate.backends.sheet.rows import cards, cores, memory
from gpuxlate.backends.sheet.sheet import Sheet
from gpuxlate.model.share import Isolation

COUNT = "amd.com/gpu"

SHEET = Sheet(
    name="hami-amd",
    title="AMD GPUs under HAMi",
    prefix="AMD",
    aliases=("amd",),
    vendor="amd",
    isolation=Isolation.SOFT,  # by a library (CODE)
    schedulers=(SCHEDULER,),
    registers={"hami.io/node-amd-register": "hami.io/amd-devices-allocated"},  # (CODE)
    documents={"CODE": "Project-HAMi/HAMi, pkg/device/amd (2026-08-21)", **DOCUMENTS},
    gpu_prefixes=("amd.com/gpumem", "amd.com/gpucore"),
    whole_card_key=COUNT,  # every cluster with AMD's own plug-in has it
    keys=(
        cards(COUNT, source="CODE"),
        memory("amd.com/gpumem", needs=(COUNT,), source="CODE"),
        cores("amd.com/gpucores", needs=(COUNT,), absent=Absent.ALL, source="CODE"),
        *PLACEMENT,
    ),
)
BACKEND = SHEET.backend
