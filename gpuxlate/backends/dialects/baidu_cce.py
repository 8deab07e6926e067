"""Baidu CCE, cGPU and sGPU. The names of keys hold the card; numbers are totals over the cards."""

from collections.abc import Iterator

from gpuxlate.backends import target as t

NAME = "baidu-cce"
COUNT = "baidu.com/{model}_cgpu"
CORES, MEMORY, PERCENT = f"{COUNT}_core", f"{COUNT}_memory", f"{COUNT}_memory_percent"
SEVERAL = "no document says whether a percentage of memory with several cards is of each or a total"
"""USAGE and SEVERAL give the numbers of the other keys for several cards, and not of this one."""


def _one_card(model: str) -> t.Constraint:
    count, part = (name.replace(t.MODEL, model) for name in (COUNT, PERCENT))
    return t.Constraint(t.Not(t.Requests(part) & t.InRange(count, t.Range(2))), keys=(part,))


@t.rule("BAIDU020", t.Severity.WARNING, constraint=tuple(_one_card(model) for model in t.names_of(NAME)))
def percent_is_of_one_card(
    this: t.Rule, violation: t.Violation, pod: t.PodKeys, context: t.Context
) -> Iterator[t.Diagnostic]:
    """`baidu.com/<card>_cgpu` is 1 beside `baidu.com/<card>_cgpu_memory_percent`.

    ## What it does
    Reports memory in percent beside several cards.

    ## Why
    No document says whether the number is of each card or a total. It is read as of each card.

    ## Source
    Baidu AI Cloud CCE, "GPU virtualization", ykte5uvw6.
    """
    message = t.msg(
        "{key} is {number}: {why}", key=violation.name, number=violation.value_at.text, why=SEVERAL
    )
    yield this.diagnostic(violation.value_at, message, "write memory in GiB, as the total over the cards")


CLOUD = t.Cloud("Baidu CCE", ("baidubce.com",), t.regex(r"(?:bcc|ebc|bbc)\..+"))
"""Labels of its nodes (``cce.baidubce.com/...``: baidubce/baiducloud-cce-cni-driver, CCEK8sAnnotationPrefix);
machine types: ``bcc.g5.c2m8``, ``bcc.hgn5IB.c116m978.8A100-80g`` (BCC, instance flavors, 2026-06-22). No page
says that nodes have the machine type as their label."""


class BaiduCce(t.Backend):
    """cGPU and sGPU: GiB or percent of memory and percent of compute, in total over the cards (USAGE)."""

    title = "Baidu CCE, cGPU"
    aliases = ("baidu",)
    vendor = "nvidia"
    sets_visible_devices = True
    cloud = CLOUD
    isolation = t.Isolation.SOFT  # "memory isolation" (USAGE)
    scheduler = "volcano"
    documents = {
        "USAGE": 'Baidu AI Cloud CCE, "GPU virtualization", ykte5uvw6',
        "SEVERAL": 'Baidu AI Cloud CCE, "single container, several cards", gln2l2e6u (2025-10-27)',
    }
    gpu_prefixes = ("baidu.com/cgpu",)
    keys = tuple(
        row._replace(confidence=t.Confidence.MEDIUM)
        for row in t.for_models(
            NAME,
            t.cards(COUNT, source="USAGE, SEVERAL"),
            t.memory(MEMORY, unit=t.GIB, per=t.Per.TOTAL, needs=(COUNT,), source="USAGE, SEVERAL"),
            t.cores(
                CORES,
                per=t.Per.TOTAL,
                values=(t.Range(5, None, 5),),
                needs=(MEMORY, PERCENT),
                source="USAGE, SEVERAL",
            ),
            t.percent(PERCENT, needs=(COUNT,), excludes=(MEMORY,), source="USAGE"),
        )
    )

    def before_write(self, placing: t.ShareWriter) -> frozenset[str]:
        """Memory in percent is written for one card alone."""
        if placing.cards > 1 and placing.peek("memory_percent") is not None:
            placing.refuse("memory_percent", "BAIDU020", SEVERAL, "set the memory in MiB")
        return frozenset()
