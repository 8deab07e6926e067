"""Moore Threads sGPU under HAMi: memory has legal sizes, compute sixteenths; several cards are whole."""

from fractions import Fraction

from gpuxlate.backends import target as t
from gpuxlate.backends.hami_family import HamiDialect, PodRecord, SummedNodes, in_int32
from gpuxlate.model.profile import all_cards

COUNT, MEMORY = "mthreads.com/vgpu", "mthreads.com/sgpu-memory"
UNIT = 512
"""MiB of one unit of memory (CODE)."""
SIZES = sorted({mib // UNIT for card in all_cards() if card.vendor == "mthreads" for mib in card.sizes_mib})
"""Units that the webhook takes, on one card or another; others are refused (CODE)."""
CARD = 96
"""Units of a card; releases up to 2.10.0 know none with more (CODE)."""


class HamiMthreads(HamiDialect):
    """Of one card units of 512 MiB and sixteenths of compute; several cards are whole (CODE)."""

    title = "Moore Threads sGPU under HAMi"
    aliases = ("mthreads",)
    vendor = "mthreads"
    several_cards = t.SeveralCards.WHOLE
    on_one_card = (COUNT,)  # (CODE, customFilterRule)
    pod_record = PodRecord("mthreads.com/gpu-index", of="last")  # (CODE)
    summed_nodes = SummedNodes(
        "hami.io/mthreads-vgpu-devices-allocated", id="{node}-mthreads-{index}"
    )  # (CODE)
    limits = t.Limits(per_card=100)
    documents = {
        "CODE": "Project-HAMi/HAMi, pkg/device/mthreads and its chart 2.10.0 (2026-08-21)",
    }
    gpu_prefixes = ("mthreads.com/vgpu", "mthreads.com/sgpu")
    rule_reasons = {
        t.RuleKind.NUMBERS: (
            "HAMi's webhook refuses memory that is not in its list, which has 128 and 160 in a release after "
            "2.10.0 only; compute has 16 parts."
        ),
        t.RuleKind.SEVERAL: (
            "HAMi's webhook writes the limits of whole cards, in a container with several cards and in one "
            "with compute and no memory, and leaves the requests: the API server refuses the pod where they "
            "differ."
        ),
    }
    keys = (
        t.cards(COUNT, values=in_int32()),
        t.memory(
            MEMORY,
            unit=UNIT,
            values=tuple(t.Range(n, n) for n in SIZES if n <= CARD),
            needs=(COUNT,),
            forced=CARD,
        ),
        t.cores(
            "mthreads.com/sgpu-core",
            unit=Fraction(100, 16),
            values=(t.Range(1, 16),),
            uncertain_values={
                "0": "the scheduler reserves no compute; no document says whether the driver caps it"
            },
            needs=(COUNT,),
            forced=16,
            forced_without=(MEMORY,),
        ),
        *t.choices("mthreads.ai/{no}use-gpuuuid", t.By.UUID),
        t.written("mthreads.com/request-gpu-num", meaning="cards, by the webhook"),
        t.written("mthreads.com/gpu-index", meaning="assigned cards"),
        t.written("mthreads.com/predicate-*", meaning="assigned node, scheduled"),
    )
