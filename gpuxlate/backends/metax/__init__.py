"""MetaX sGPU, under HAMi: the three policies and both classes. Everything is per card."""

from __future__ import annotations

from dataclasses import replace

from gpuxlate.backends.hami_family import HamiDialect, in_int32
from gpuxlate.backends.rows import ShareFields, cards, choice, choices, cores, memory, whole, written
from gpuxlate.backends.target import GIB, Absent, Limits, Place, PodReader, RuleKind, ShareWriter, key
from gpuxlate.model.keys import By
from gpuxlate.model.share import Policy, Qos, Share

COUNT, MEMORY, CORES = "metax-tech.com/sgpu", "metax-tech.com/vmemory", "metax-tech.com/vcore"
WHOLE = "metax-tech.com/gpu"
APP_CLASS = "metax-tech.com/sgpu-app-class"
POLICY = "metax-tech.com/sgpu-qos-policy"


def card_mode(share: Share) -> str:
    """A card has pods of one policy; whole cards have no other pod (CODE)."""
    return str(share.policy or Policy.BEST_EFFORT)


class MetaxSgpu(HamiDialect):
    """Parts of MetaX cards (CODE): cards, and GiB and percent of compute of each; the policy and the
    class are annotations."""

    name = "metax-sgpu"
    title = "MetaX sGPU"
    rule_module = "gpuxlate.backends.metax.rules"
    row_rule_module = "gpuxlate.backends.metax.row_rules"
    aliases = ("metax",)
    vendor = "metax"
    several_doubt = "HAMi's and Koordinator's pages share one card only, and HAMi's code takes several"
    rule_reasons = {RuleKind.SEVERAL: f"{several_doubt}."}
    limits = Limits(source="CODE", card_mode=card_mode)
    on_one_card = (WHOLE,)  # (CODE, customFilterRule)
    node_annotations = {"metax-tech.com/node-gpu-devices": "hami.io/metax-sgpu-devices-allocated"}  # (CODE)
    documents = {
        "CODE": "Project-HAMi/HAMi, pkg/device/metax (2026-08-21)",
        "EXAMPLES": "Project-HAMi/HAMi, examples/metax/sgpu (2026-08-21)",
        "KOORDINATOR": "koordinator-sh/website, device-scheduling-metax-gpu.md (2026-08)",
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
            words={str(policy): policy for policy in Policy},
            source="CODE",
        ),
        key(
            APP_CLASS,
            Place.ANNOTATION,
            sets="qos",
            meaning="colocation class; with one card only",
            words={str(qos): qos for qos in Qos},
            source="CODE, EXAMPLES",
        ),
        choice("metax-tech.com/sgpu-topology-aware", meaning="whole cards of one group", source="CODE"),
        *choices("metax-tech.com/{no}use-gpuuuid", By.UUID, source="CODE"),
        written("metax-tech.com/gpu-devices-allocated", meaning="assigned cards", source="CODE"),
        written("metax-tech.com/predicate-time", meaning="scheduled", source="CODE"),
    )

    def normalize(self, pod: PodReader, fields: ShareFields) -> ShareFields:
        """Remove the compute of an online pod, which competes for it (CODE; METAX021). Class and policy are
        those of sGPUs: HAMi does not look at them for whole cards (CODE)."""
        if fields.origins["cards"][-1:] == (WHOLE,):
            return replace(fields, others={})
        return replace(fields, cores=None) if fields.others.get("qos") is Qos.ONLINE else fields

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
        return super().before_write(placing) | ({"cores"} if qos is Qos.ONLINE else frozenset())
