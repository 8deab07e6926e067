"""Whole Ascend cards of MindCluster. The names are those of families: nodes say which cards they are."""

from gpuxlate.backends.base import Backend
from gpuxlate.backends.rows import cards, for_models

NAME = "mindcluster"


class MindCluster(Backend):
    name = NAME
    title = "Ascend cards under MindCluster"
    rule_prefix = "MIND"
    vendor = "huawei"
    names_vendor = True
    documents = {
        "PLUGIN": "Ascend/ascend-device-plugin, pkg/common/constants.go (2023-12-15)",
        "GUIDE": 'MindCluster 7.3.0, "Cluster Scheduling", YAML of whole cards (2026)',
    }
    keys = (
        cards("huawei.com/Ascend910", source="PLUGIN, GUIDE"),
        *for_models(NAME, cards("huawei.com/Ascend{model}", source="PLUGIN")),
    )


BACKEND = MindCluster()
