"""The number of pods of a template, as far as its manifest gives it."""

from __future__ import annotations

import re

from gpuxlate.manifest.kinds import REPLICA_KEYS
from gpuxlate.manifest.pods import Pod
from gpuxlate.yamltext.compose import Document
from gpuxlate.yamltext.nodes import get, get_text

_COUNT = re.compile("[0-9]{1,9}")
PER_NODE = frozenset({"DaemonSet"})
"""Kinds with one pod a cluster node."""


def replicas(document: Document, pod: Pod) -> int | None:
    """The product of the replica counts on the path to the pod; None where it depends on the cluster."""
    if pod.object.kind in PER_NODE:
        return None
    count = 1
    path = pod.keys.path
    for depth in range(len(pod.object_path), len(path) + 1):
        node = get(document.root, *path[:depth])
        for name in REPLICA_KEYS:
            text = get_text(node, name)
            if text and _COUNT.fullmatch(text):
                count *= int(text)
                break
    return count
