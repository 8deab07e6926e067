"""MetaX sGPU, under HAMi: the three policies and both classes. Everything is per card."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from gpuxlate.backends.base import GIB, Absent, Backend, Limits, Place, PodReader, RuleKind, ShareWriter, key
from gpuxlate.backends.hami_scheduler import DOCUMENTS, PLACEMENT, SCHEDULER, SCHEDULING, in_int32
from gpuxlate.backends.pod_reader import whole_numbers
from gpuxlate.backends.rows import Fields, cards, choice, choices, cores, memory, whole, written
from gpuxlate.model.diagnostics import Diagnostic, Severity
from gpuxlate.model.keys import By, Range
from gpuxlate.model.messages import msg
from gpuxlate.model.pod import PodKeys
from gpuxlate.model.share import Isolation, Policy, Qos, Share
from gpuxlate.rules.base import Context, Rule, rule
from gpuxlate.rules.predicates.conditions import InRange, IsAnnotated, Not, Predicate, Violation

COUNT, MEMORY, CORES = "metax-tech.com/sgpu", "metax-tech.com/vmemory", "metax-tech.com/vcore"
WHOLE = "metax-tech.com/gpu"
APP_CLASS = "metax-tech.com/sgpu-app-class"
POLICY = "metax-tech.com/sgpu-qos-policy"


def card_mode(share: Share) -> str:
    """A card has pods of one policy; whole cards have no other pod (CODE)."""
    return str(share.policy or Policy.BEST_EFFORT)


class MetaxSgpu(Backend):
    name = "metax-sgpu"
    title = "MetaX sGPU"
    rule_prefix = "METAX"
    aliases = ("metax",)
    vendor = "metax"
    isolation = Isolation.SOFT  # by the vendor's driver (CODE)
    other_schedulers = (SCHEDULER,)
    scheduling = SCHEDULING
    several_doubt = "HAMi's and Koordinator's pages share one card only, and HAMi's code takes several"
    rule_reasons = {RuleKind.SEVERAL: f"{several_doubt}."}
    limits = Limits(source="CODE", card_mode=card_mode)
    on_one_card = (WHOLE,)  # (CODE, customFilterRule)
    compute_when = Not(IsAnnotated(APP_CLASS, "online"))
    node_annotations = {"metax-tech.com/node-gpu-devices": "hami.io/metax-sgpu-devices-allocated"}  # (CODE)
    documents = {
        "CODE": "Project-HAMi/HAMi, pkg/device/metax (2026-08-21)",
        "EXAMPLES": "Project-HAMi/HAMi, examples/metax/sgpu (2026-08-21)",
        "KOORDINATOR": "koordinator-sh/website, device-scheduling-metax-gpu.md (2026-08)",
        **DOCUMENTS,
    }
    gpu_prefixes = ("metax-tech.com/sgpu", "metax-tech.com/vcore", "metax-tech.com/vmemory")
    keys = (
        cards(COUNT, values=in_int32(), source="CODE, KOORDINATOR"),
        memory(MEMORY, unit=GIB, quantity=True, needs=(COUNT,), source="CODE, EXAMPLES"),
        cores(
            CORES,
            uncertain_values={
                "0": "the scheduler reserves no compute; no document says whether the driver caps it"
            },
            needs=(COUNT,),
            default=Absent.ALL,
            source="CODE, EXAMPLES",
        ),
        whole(WHOLE, source="CODE"),
        key(
            POLICY,
            Place.ANNOTATION,
            sets="policy",
            meaning="how compute is divided; best-effort unless the cluster has another default",
            words={str(one): one for one in Policy},
            source="CODE",
        ),
        key(
            APP_CLASS,
            Place.ANNOTATION,
            sets="qos",
            meaning="colocation class; with one card only",
            words={str(one): one for one in Qos},
            source="CODE, EXAMPLES",
        ),
        choice("metax-tech.com/sgpu-topology-aware", meaning="whole cards of one group", source="CODE"),
        *choices("metax-tech.com/{0}use-gpuuuid", By.UUID, source="CODE"),
        written("metax-tech.com/gpu-devices-allocated", meaning="assigned cards", source="CODE"),
        written("metax-tech.com/predicate-time", meaning="scheduled", source="CODE"),
        *PLACEMENT,
    )

    def normalize(self, pod: PodReader, found: Fields) -> Fields:
        """An online pod competes for compute, whatever its keys say (CODE; METAX021). Class and policy are
        those of sGPUs: HAMi does not look at them for whole cards (CODE)."""
        if found.origins["cards"][-1:] == (WHOLE,):
            return replace(found, others={})
        return replace(found, cores=None) if found.others.get("qos") is Qos.ONLINE else found

    def before_write(self, placing: ShareWriter) -> frozenset[str]:
        """Online pods set no compute and no policy; a class is for one card (CODE)."""
        qos = placing.peek("qos")
        if qos is Qos.ONLINE:
            for attribute in ("cores", "policy"):
                placing.drop(attribute, "METAX021", "online pods of MetaX compete for compute")
        if qos is not None and placing.cards > 1:
            placing.refuse(
                "cards", "METAX020", "online and offline pods of MetaX share one card", "request one card"
            )
        return frozenset({"cores"} if qos is Qos.ONLINE else ())


BACKEND = MetaxSgpu()

# The rules of MetaX that no row says: METAX020 to METAX022.
MOST_GIB = 256
"""No card has more, so a bare number above it is hardly one of GiB."""


@rule(
    "METAX020",
    Severity.ERROR,
    predicate=Predicate(Not(InRange(COUNT, Range(2))), IsAnnotated(APP_CLASS), (COUNT,)),
)
def class_is_for_one_card(
    this: Rule, breach: Violation, pod: PodKeys, context: Context
) -> Iterator[Diagnostic]:
    """A pod with `metax-tech.com/sgpu-app-class` requests one card a container.

    ## What it does
    Reports `metax-tech.com/sgpu` above 1 in a pod with the annotation.

    ## Why
    Online and offline pods share single cards: the webhook refuses several.

    ## Example
    ```yaml
    metadata: {annotations: {metax-tech.com/sgpu-app-class: offline}}
    spec:
      containers:
        - name: web
          image: web
          resources: {limits: {metax-tech.com/sgpu: 2, metax-tech.com/vmemory: 4Gi, metax-tech.com/vcore: 60}}
    ```

    ## Use instead
    ```yaml
    metadata: {annotations: {metax-tech.com/sgpu-app-class: offline}}
    spec:
      containers:
        - name: web
          image: web
          resources: {limits: {metax-tech.com/sgpu: 1, metax-tech.com/vmemory: 4Gi, metax-tech.com/vcore: 60}}
    ```

    ## Source
    Project-HAMi/HAMi, pkg/device/metax (2026-08-21).
    """
    if breach.value is not None:
        message = msg(
            "{key} {count} in a pod with {label}, which is for one card",
            key=COUNT,
            count=breach.value.text,
            label=APP_CLASS,
        )
        yield this.diagnostic(breach.value, message, "request one card, or remove the annotation")


@rule(
    "METAX021",
    Severity.WARNING,
    predicate=(
        Predicate(Not(IsAnnotated(APP_CLASS, "online")), keys=(CORES,)),
        Predicate(Not(IsAnnotated(APP_CLASS, "online")), IsAnnotated(POLICY), (POLICY,), per_container=False),
    ),
)
def online_pods_compete(
    this: Rule, breach: Violation, pod: PodKeys, context: Context
) -> Iterator[Diagnostic]:
    """An online pod of MetaX sets no compute and no policy.

    ## What it does
    Reports `metax-tech.com/vcore` and `metax-tech.com/sgpu-qos-policy` in a pod whose
    `metax-tech.com/sgpu-app-class` is `online`.

    ## Why
    Online pods take what compute they need: both keys are ignored.

    ## Example
    ```yaml
    metadata: {annotations: {metax-tech.com/sgpu-app-class: online}}
    spec:
      containers:
        - name: web
          image: web
          resources: {limits: {metax-tech.com/sgpu: 1, metax-tech.com/vmemory: 4Gi, metax-tech.com/vcore: 60}}
    ```

    ## Use instead
    ```yaml
    metadata: {annotations: {metax-tech.com/sgpu-app-class: online}}
    spec:
      containers:
        - name: web
          image: web
          resources: {limits: {metax-tech.com/sgpu: 1, metax-tech.com/vmemory: 4Gi}}
    ```

    ## Source
    Project-HAMi/HAMi, pkg/device/metax, examples/metax/sgpu/online.yaml (2026-08-21).
    """
    if breach.value is not None:
        message = msg("{key} is ignored: online pods compete for compute", key=breach.name)
        yield this.diagnostic(breach.value, message, "remove it", on_key=True)


@rule("METAX022", Severity.WARNING, no_policy="an amount has a unit, and no schema compares those")
def memory_has_a_unit(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """`metax-tech.com/vmemory` without a unit is a plausible number of GiB.

    ## What it does
    Reports a number without a unit above 256.

    ## Why
    It counts GiB, so 4096 is 4 TiB; and the server stores 1000 as `1k`, which is read as bytes.

    ## Example
    ```yaml
    resources: {limits: {metax-tech.com/sgpu: 1, metax-tech.com/vmemory: 512, metax-tech.com/vcore: 60}}
    ```

    ## Use instead
    ```yaml
    resources: {limits: {metax-tech.com/sgpu: 1, metax-tech.com/vmemory: 512Mi, metax-tech.com/vcore: 60}}
    ```

    ## Source
    Project-HAMi/HAMi, pkg/device/metax (2026-08-21).
    """
    for _, value, number in whole_numbers(pod, MEMORY):
        if value.text.isdigit() and MOST_GIB < number <= MOST_GIB * 4:
            message = msg(
                "{key} {number} without a unit counts GiB, this looks like MiB", key=MEMORY, number=number
            )
            yield this.diagnostic(value, message, msg("write {number}Mi", number=number))
