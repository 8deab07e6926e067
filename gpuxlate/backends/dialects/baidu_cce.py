"""Baidu CCE, cGPU and sGPU. The names of keys hold the card; numbers are totals over the cards."""

from collections.abc import Iterator

from gpuxlate.backends.base import GIB, Backend, Cloud, Confidence, Per, Range, ShareWriter
from gpuxlate.backends.rows import MODEL, cards, cores, for_models, memory, percent
from gpuxlate.model.declarations import regex
from gpuxlate.model.diagnostics import Diagnostic, Severity
from gpuxlate.model.messages import msg
from gpuxlate.model.pod import PodKeys
from gpuxlate.model.profile import names_of
from gpuxlate.model.share import Isolation
from gpuxlate.rules.base import Context, Rule, rule
from gpuxlate.rules.predicates import Constraint, InRange, Not, Requests, Violation

NAME = "baidu-cce"
COUNT = "baidu.com/{model}_cgpu"
CORES, MEMORY, PERCENT = f"{COUNT}_core", f"{COUNT}_memory", f"{COUNT}_memory_percent"
SEVERAL = "no document says whether a percentage of memory with several cards is of each or a total"
"""USAGE and SEVERAL give the numbers of the other keys for several cards, and not of this one."""


def _one_card(model: str) -> Constraint:
    count, part = (name.replace(MODEL, model) for name in (COUNT, PERCENT))
    return Constraint(Not(Requests(part) & InRange(count, Range(2))), keys=(part,))


@rule("BAIDU020", Severity.WARNING, constraint=tuple(_one_card(model) for model in names_of(NAME)))
def percent_is_of_one_card(
    this: Rule, violation: Violation, pod: PodKeys, context: Context
) -> Iterator[Diagnostic]:
    """Memory in percent is of one card.

    ## What it does
    Reports memory in percent beside several cards.

    ## Why
    No document says whether the number is of each card or a total. It is read as of each card.

    ## Example
    ```yaml
    spec:
      schedulerName: volcano
      containers:
        - name: web
          image: web
          resources: {limits: {baidu.com/v100_16g_cgpu: 2, baidu.com/v100_16g_cgpu_memory_percent: 50}}
    ```

    ## Use instead
    ```yaml
    spec:
      schedulerName: volcano
      containers:
        - name: web
          image: web
          resources: {limits: {baidu.com/v100_16g_cgpu: 2, baidu.com/v100_16g_cgpu_memory: 16}}
    ```

    ## Source
    Baidu AI Cloud, CCE "GPU virtualization" (ykte5uvw6).
    """
    message = msg("{key} is {number}: {why}", key=violation.name, number=violation.value_at.text, why=SEVERAL)
    yield this.diagnostic(violation.value_at, message, "write memory in GiB, as the total over the cards")


CLOUD = Cloud("Baidu CCE", ("baidubce.com",), regex(r"(?:bcc|ebc|bbc)\..+"))
"""Labels of its nodes (``cce.baidubce.com/...``: baidubce/baiducloud-cce-cni-driver, CCEK8sAnnotationPrefix);
machine types: ``bcc.g5.c2m8``, ``bcc.hgn5IB.c116m978.8A100-80g`` (BCC, instance flavors, 2026-06-22). No page
says that nodes have the machine type as their label."""


class BaiduCce(Backend):
    name = NAME
    title = "Baidu CCE, cGPU"
    rule_prefix = "BAIDU"
    aliases = ("baidu",)
    vendor = "nvidia"
    sets_visible_devices = True
    cloud = CLOUD
    isolation = Isolation.SOFT  # "memory isolation" (USAGE)
    scheduler = "volcano"
    documents = {
        "USAGE": 'Baidu AI Cloud, CCE "GPU virtualization" (ykte5uvw6)',
        "SEVERAL": 'Baidu AI Cloud, CCE "single container, several cards" (gln2l2e6u, 2025-10-27)',
    }
    gpu_prefixes = ("baidu.com/cgpu",)
    keys = tuple(
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
    )

    def before_write(self, placing: ShareWriter) -> frozenset[str]:
        """Memory in percent is written for one card alone."""
        if placing.cards > 1 and placing.peek("memory_percent") is not None:
            placing.refuse("memory_percent", "BAIDU020", SEVERAL, "set the memory in MiB")
        return frozenset()


BACKEND = BaiduCce()
