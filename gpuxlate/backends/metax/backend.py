"""MetaX sGPU, under HAMi: the three policies and both classes. Everything is per card."""

from dataclasses import replace

from gpuxlate.backends.base import GIB, Absent, Backend, Limits, Place, Placing, Taking, key
from gpuxlate.backends.hami_scheduler import DOCUMENTS, PLACEMENT, SCHEDULER
from gpuxlate.backends.rows import Fields, cards, choice, choices, cores, memory, whole, written
from gpuxlate.model.share import Isolation, Policy, Qos, Share
from gpuxlate.model.sheet import By
from gpuxlate.rules.predicates.conditions import Annotated, Not

COUNT, MEMORY, CORES = "metax-tech.com/sgpu", "metax-tech.com/vmemory", "metax-tech.com/vcore"
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
    limits = Limits(source="CODE", card_mode=card_mode)
    compute_when = Not(Annotated(APP_CLASS, "online"))
    node_annotations = {"metax-tech.com/node-gpu-devices": "hami.io/metax-sgpu-devices-allocated"}  # (CODE)
    documents = {
        "CODE": "Project-HAMi/HAMi, pkg/device/metax (2026-08-21)",
        "EXAMPLES": "Project-HAMi/HAMi, examples/metax/sgpu (2026-08-21)",
        **DOCUMENTS,
    }
    gpu_prefixes = ("metax-tech.com/sgpu", "metax-tech.com/vcore", "metax-tech.com/vmemory")
    keys = (
        cards(COUNT, source="CODE"),
        memory(MEMORY, unit=GIB, quantity=True, needs=(COUNT,), source="CODE, EXAMPLES"),
        cores(CORES, needs=(COUNT,), absent=Absent.ALL, source="CODE, EXAMPLES"),
        whole("metax-tech.com/gpu", source="CODE"),
        key(
            POLICY,
            Place.ANNOTATION,
            says="policy",
            meaning="how compute is divided; best-effort unless the cluster has another default",
            words={str(one): one for one in Policy},
            source="CODE",
        ),
        key(
            APP_CLASS,
            Place.ANNOTATION,
            says="qos",
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

    def normalize(self, pod: Taking, found: Fields) -> Fields:
        """An online pod competes for compute, whatever its keys say (CODE; METAX021)."""
        return replace(found, cores=None) if found.others.get("qos") is Qos.ONLINE else found

    def before_write(self, placing: Placing) -> frozenset[str]:
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
