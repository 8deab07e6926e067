"""The rule of Kubernetes that a container has the keys of one vendor (K8S007)."""

from __future__ import annotations

from collections.abc import Iterator

from gpuxlate.model import quantity
from gpuxlate.model.diagnostics import Diagnostic, Severity
from gpuxlate.model.messages import say
from gpuxlate.model.pod import ContainerKeys, PodKeys, Value
from gpuxlate.rules.base import Context, Dialect, Rule, Subject, rule
from gpuxlate.rules.vocabulary import Vocabulary, vocabulary_of


@rule(
    "K8S007",
    Severity.ERROR,
    about=Subject.RESOURCE,
    no_policy="a predicate names its keys; this compares each key with the vendors that know it",
)
def container_asks_one_vendor(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """One container requests GPUs of one vendor: a share or whole cards.

    ## What it does
    Reports keys of two vendors in one container, and a vendor's share next to `nvidia.com/gpu`.

    ## Why
    No node offers both: a node belongs to one vendor and runs one device plugin, so the pod never
    schedules.

    ## Example
    ```yaml
    resources:
      limits: {vke.volcengine.com/mgpu-core: 30, vke.volcengine.com/mgpu-memory: 4096, nvidia.com/gpu: 1}
    ```

    ## Use instead
    ```yaml
    resources: {limits: {vke.volcengine.com/mgpu-core: 30, vke.volcengine.com/mgpu-memory: 4096}}
    ```

    ## Source
    Alibaba Cloud, ACK "enable scheduling" (2026-01-12): one mode a node; Tencent: node pools apart.
    """
    words = vocabulary_of(context)
    for container in pod.all_containers():
        whole, shares = _kinds(container, words)
        if not shares or len(whole) + len(shares) < 2:
            continue
        for name, value in whole:
            if _counts_cards(name, words.owners(shares[0][0])):
                continue
            yield this.at(
                value,
                say(
                    "{name} and {share} in one container: no node offers both", name=name, share=shares[0][0]
                ),
                say("keep {name} for whole cards, or {share} for a share", name=name, share=shares[0][0]),
                on_key=True,
            )
        common = words.owners(shares[0][0])
        for name, value in shares[1:]:
            found = tuple(one for one in words.owners(name) if one in common)
            if not found:
                yield this.at(
                    value,
                    say(
                        "one container requests GPUs of two vendors: {first} ({share}) and {second} ({name})",
                        first=common[0].title,
                        share=shares[0][0],
                        second=words.owners(name)[0].title,
                        name=name,
                    ),
                    "keep the keys of one of them: gpuxlate translate writes a manifest for each",
                    on_key=True,
                )
                break
            common = found


def other_dialect(pod: PodKeys, chosen: Dialect, other: Dialect) -> Diagnostic:
    """A pod that is to be read in one dialect, and has keys of another (K8S007)."""
    resources = ((n, v) for one in pod.all_containers() for n, v in one.resources.items())
    path = next((value.path for name, value in resources if other.owns(name)), pod.path)
    message = say(
        "the pod is to be read as {chosen}, and has keys of {other}", chosen=chosen.name, other=other.name
    )
    hint = say(
        "leave out --from {chosen}, or remove the keys of {other}", chosen=chosen.name, other=other.name
    )
    return container_asks_one_vendor.at(path, message, hint, on_key=True)


def _counts_cards(name: str, dialects: tuple[Dialect, ...]) -> bool:
    """Some of the dialects count the cards of a share with the common key."""
    rows = (one.find(name) for one in dialects)
    return any(row is not None and not row.meaning.startswith("whole cards") for row in rows)


Named = list[tuple[str, Value]]


def _kinds(container: ContainerKeys, words: Vocabulary) -> tuple[Named, Named]:
    """The keys that count whole cards and nothing else, and the vendors' other keys."""
    whole: Named = []
    shares: Named = []
    for name, value in container.resources.items():
        if words.counts_whole_cards(name):
            if quantity.whole(value.text) != 0:
                whole.append((name, value))
        elif words.is_resource(name):
            shares.append((name, value))
    return whole, shares
