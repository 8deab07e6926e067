"""Whole Ascend cards of MindCluster. The names are those of families: nodes say which cards they are."""

from dataclasses import replace

from gpuxlate.backends.base import Backend, Place, PodReader, key
from gpuxlate.backends.rows import Fields, cards, for_models
from gpuxlate.model.messages import msg

NAME = "mindcluster"
SOFT = tuple(f"huawei.com/scheduler.softShareDev.{name}" for name in ("aicoreQuota", "hbmQuota", "policy"))
"""Labels of a soft share of one card: the number in resources is then its percent (SOFT)."""


class MindCluster(Backend):
    name = NAME
    title = "Ascend cards under MindCluster"
    rule_prefix = "MIND"
    vendor = "huawei"
    names_vendor = True
    documents = {
        "PLUGIN": "Ascend/ascend-device-plugin, pkg/common/constants.go (2023-12-15)",
        "GUIDE": 'MindCluster 7.3.0, "Cluster Scheduling", YAML of whole cards (2026)',
        "SOFT": "Ascend/mind-cluster, docs/zh/scheduling, 01_soft_allocation_scheduling_inference.md (2026)",
    }
    keys = (
        cards("huawei.com/Ascend910", source="PLUGIN, GUIDE"),
        *for_models(NAME, cards("huawei.com/Ascend{model}", source="PLUGIN")),
        *(key(name, Place.LABEL, meaning="a soft share of one card", source="SOFT") for name in SOFT),
    )

    def normalize(self, pod: PodReader, found: Fields) -> Fields:
        """A soft share is no number of cards, and is not read."""
        labels = [value for name in SOFT if (value := pod.label(name)) is not None]
        if not labels:
            return found
        message = msg(
            "{key} {text} is not translated: it counts {what}",
            key=labels[0].path[-1],
            text=labels[0].text,
            what=msg("a soft share, and the number of cards is percent of one"),
        )
        pod.note("GX023", message, labels[0].path, "write the share in keys of hami-ascend")
        return replace(found, cards=0)


BACKEND = MindCluster()
