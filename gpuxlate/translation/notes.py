"""Findings about the shares of a pod that are not losses: cards that an operator counts otherwise, cards of
another vendor, selectors with values that the target does not know, whole cards by the key of every cloud."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from gpuxlate.backends import registry
from gpuxlate.backends.base import USUAL_VENDOR, Backend
from gpuxlate.backends.pod_reader import ContainerShare, Reading, Selector
from gpuxlate.manifest.pods import Pod, counted_numbers, counter_of
from gpuxlate.model.diagnostics import Diagnostic, Path
from gpuxlate.model.keys import Per
from gpuxlate.model.messages import join_and, join_or, msg
from gpuxlate.model.pod import PodKeys
from gpuxlate.rules.key_index import KeyIndex
from gpuxlate.rules.predicates import matches_word
from gpuxlate.rules.translation import (
    cards_are_of_one_vendor,
    containers_are_known,
    operator_knows_the_cards,
    share_is_expressible,
    unread_accelerators,
    whole_cards_have_a_dialect,
)
from gpuxlate.translation.fit import PodFit
from gpuxlate.yamltext.parse import Document


def find_miscounted(document: Document, pod: Pod, fit: PodFit) -> Iterator[Diagnostic]:
    """The operator of the pod's object counts another number than the cards of the share (GX028)."""
    counter = counter_of(document, pod)
    outcome = next(
        (outcome for outcome in fit.outcomes if outcome.container.index == 0 and not outcome.container.init),
        None,
    )
    if counter is None or outcome is None:  # KubeRay and Trainer count in the first container alone
        return
    keys = next((container for container in fit.keys.containers if container.index == 0), None)
    names = counted_numbers(counter, keys) if keys else frozenset()
    cards = outcome.granted.cards
    if names == {str(cards)}:
        return
    message = msg(
        "{operator} counts GPUs by the names of resources: it finds {found}, the share has {cards}",
        operator=counter.operator,
        found=join_or(sorted(names)) or msg("none"),
        cards=cards,
    )
    hint = msg("set {what}", what=counter.hint.format(cards=cards))
    yield operator_knows_the_cards(pod.keys.containers[0].path, message, hint)


def find_uncounted(pod: Pod, fit: PodFit, target: Backend) -> Iterator[Diagnostic]:
    """A key with a number for each container, for a pod whose containers the values do not show (GX030)."""
    for field, values in (("labels", fit.keys.labels), ("annotations", fit.keys.annotations)):
        for name in values if field not in pod.lacks else ():
            row = target.find(name)
            if row is not None and row.per is Per.CONTAINER:
                yield containers_are_known(pod.keys.path, name)


# --- choices that both dialects have --------------------------------------------------------------
def unknown_choices(selectors: Sequence[Selector], target: Backend) -> Iterator[Diagnostic]:
    """Selectors that are kept, with a value that the target does not know (GX023)."""
    for selector in selectors:
        row = target.find(selector.key) if target.chooses(selector.key) else None
        if row is not None and row.texts and not matches_word(selector.text, (*row.texts, *row.values)):
            message = msg(
                "{key} is {value!r}, which {title} does not know",
                key=selector.key,
                value=selector.text,
                title=target.title,
            )
            yield share_is_expressible(
                selector.path, message, msg("write one of {known}", known=", ".join(row.texts))
            )


# --- whole cards under the key that every cloud uses (GX016) ------------------------------------
def common_keys(pod: PodKeys, sources: Sequence[Backend], words: KeyIndex) -> dict[str, Path]:
    """The keys by which containers request whole cards that no dialect reads, each with its first path: keys
    that every cloud uses, and keys that gpuxlate does not read."""
    names = registry.whole_card_keys().difference(source.whole_card_key for source in sources)
    by_key: dict[str, Path] = {}
    for container in pod.all_containers():
        resources = container.resources
        for name, value in resources.items():
            alone = name in names and not any(source.owns(key) for source in sources for key in resources)
            if alone or words.unread(name) is not None:
                by_key.setdefault(name, value.path)
    return by_key


def left_alone(path: Path, key: str, written: str, words: KeyIndex) -> Diagnostic:
    """The finding that whole cards are left as they are; it names the dialects that write them by this key.

    ``written``: the name of the key in the text, which may differ from that on data sheets.
    """
    counts = words.unread(key)
    if counts is not None:
        return unread_accelerators(path, written, counts)
    readers = [backend.name for backend in registry.pod_backends() if backend.whole_card_key == key]
    finding: Diagnostic = whole_cards_have_a_dialect(
        path,
        msg("{name} alone is not a vendor's share: left as it is", name=written),
        msg(
            "pass --from {dialect} to read it as whole cards",
            dialect=readers[0] if len(readers) == 1 else msg("one of {names}", names=", ".join(readers)),
        ),
    )
    return finding


def written_without_a_dialect(fit: PodFit, target: Backend) -> Iterator[Diagnostic]:
    """Whole cards that the target writes by the common key alone: only ``--from`` reads them again."""
    written = [
        container for container in fit.keys.all_containers() if target.whole_card_key in container.resources
    ]
    if not written or not fit.accepted or target.is_used_by(fit.keys):
        return
    for outcome in fit.outcomes:
        message = msg(
            "written as {key} alone, which names no dialect: nothing reads it back without --from",
            key=target.whole_card_key,
        )
        hint = msg("pass --from {target} to read it again", target=target.name)
        where = outcome.container.origins.get("cards", outcome.container.path)
        yield whole_cards_have_a_dialect(where, message, hint)


def shared_in_pod(readings: Iterable[tuple[Backend, Reading]], target: Backend) -> Iterator[Diagnostic]:
    """Containers that share the devices of a claim, once for each share (GX023)."""
    for source, reading in readings:
        for container in reading.shares if source is not target else ():
            if container.shared_with:
                message = msg(
                    "containers {names} have one share together, by a claim; at {target} each has its own",
                    names=join_and((container.name, *container.shared_with), "{before} and {last}"),
                    target=target.name,
                )
                hint = msg("keep the pod on claims, or run the programs of these containers in one container")
                yield share_is_expressible(container.origins.get("cards", container.path), message, hint)


def other_cards(shares: Iterable[tuple[str | None, ContainerShare]], target: Backend) -> Iterator[Diagnostic]:
    """Cards of another vendor than the target's (GX029), once for the pod.

    ``shares``: each with the vendor of the cards of its dialect; None where these are of any vendor. The
    device of a share counts before it. Without either the vendor may be that of the target; it is usually
    NVIDIA.
    """
    for maker, container in shares:
        device = container.share.device if container.share else None
        if device is not None and device.vendor is None:
            continue  # models, whose maker the target compares
        maker = device.vendor if device else maker
        if target.vendor not in (None, maker or USUAL_VENDOR):
            yield cards_are_of_one_vendor(container.path, maker, target.vendor, target.name)
            return
