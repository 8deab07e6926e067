"""Kestrel Edge (made up): one annotation is the share of the first container: ``30 % 4096 MiB``."""

import re
from collections.abc import Iterator

from gpuxlate.backends import target as t

SHARE = "edge.kestrel.example/share"
FORM = re.compile(r"([1-9]\d?|100) % ([1-9]\d{0,6}) MiB")


def _text(placing: t.ShareWriter) -> str:
    cards = placing.take("cards")
    if placing.init or placing.index or cards > 1:
        message = t.msg("{key} is a part of one card for the first container", key=SHARE)
        placing.refuse("cards", "EDGE001", message, "request one card, in the first container")
    cores = placing.need("cores", "EDGE001", t.msg("{key} has both numbers", key=SHARE))
    memory = placing.need("memory_mib", "EDGE001", t.msg("{key} has both numbers", key=SHARE))
    return f"{cores} % {memory} MiB"


@t.rule("EDGE001", t.Severity.ERROR, no_policy="it is about a text with two numbers")
def share_is_two_numbers(this: t.Rule, pod: t.PodKeys, context: t.Context) -> Iterator[t.Diagnostic]:
    """The share of Kestrel Edge is percent and MiB.

    ## What it does
    Reports other values of `edge.kestrel.example/share`.

    ## Why
    The pod is refused.

    ## Example
    ```yaml
    metadata: {annotations: {edge.kestrel.example/share: 30%}}
    spec: {containers: [{name: web}]}
    ```

    ## Use instead
    ```yaml
    metadata: {annotations: {edge.kestrel.example/share: 30 % 4096 MiB}}
    spec: {containers: [{name: web}]}
    ```

    ## Source
    Kestrel Cloud, "GPUs at the edge" (2026-01).
    """
    value = pod.annotations.get(SHARE)
    if value and not FORM.fullmatch(value.text):
        message = t.msg("{key} is {value!r}", key=SHARE, value=value.text)
        yield this.diagnostic(value, message, "write percent and MiB: 30 % 4096 MiB")


class KestrelEdge(t.Backend):
    name = "kestrel-edge"
    title = "Kestrel Edge"
    rule_prefix = "EDGE"
    row_rules = ()  # its row has no numbers
    keys = (t.key(SHARE, t.Place.ANNOTATION, meaning="percent and MiB of one card", source="EDGE"),)
    gpu_prefixes = ("edge.kestrel.example/",)
    field_docs = {"cores": f"annotation {SHARE}", "memoryMiB": f"annotation {SHARE}"}

    def detect(self, pod: t.PodKeys) -> bool:
        """No key in resources tells it."""
        return SHARE in pod.annotations

    def read(self, pod: t.PodReader, profile: t.Profile | None) -> t.Reading:
        """Keys that are not taken from ``pod`` are reported; what is wrong with a value, the rule says."""
        value = pod.annotation(SHARE)
        found = FORM.fullmatch(value.text) if value else None
        containers = [pod.none(one) for one in pod.pod.all_containers()]
        for number, one in enumerate(containers):
            if value and found and not one.init and one.index == 0:
                origins = {"cores": value.path, "memory_mib": value.path}
                cores, memory_mib = int(found[1]), int(found[2])
                first = pod.pod.containers[0]
                containers[number] = pod.share(first, cores=cores, memory_mib=memory_mib, origins=origins)
        return pod.reading(containers)

    def write(self, pod: t.PodWriter, profile: t.Profile | None) -> t.PodKeys:
        """Fields that are not taken from their placing are refused."""
        texts = [_text(placing) for placing in pod.placings]
        return t.PodKeys(
            containers=tuple(t.ContainerKeys(one.name, one.index) for one in pod.placings if not one.init),
            annotations={SHARE: t.Value.of(texts[0])} if texts else {},
        )
