"""KAI: writing the share of one container of a pod, or whole cards of several."""

from __future__ import annotations

from gpuxlate.backends.base import Placing, PodPlacing
from gpuxlate.backends.kai import keys as k
from gpuxlate.backends.kai.profile import NV_FRACTIONS, isolation, mode_of, reads
from gpuxlate.model.messages import say
from gpuxlate.model.pod import ContainerKeys, PodKeys, Value, in_lists
from gpuxlate.model.profile import Profile, card_of
from gpuxlate.model.share import Isolation

NAMES = ("kai", "runai")
"""What a profile may call this target."""
ONE_SHARE = "a pod of {target} has one share, and {count} containers request GPUs"


def write(pod: PodPlacing, profile: Profile | None) -> PodKeys:
    """Shares to keys. The queue is not invented: a warning says that the pod needs one."""
    annotations: dict[str, Value] = {}
    containers = []
    for placing in pod.placings:
        limits = {}
        if placing.whole_cards or _only_compute(placing):
            limits = {k.WHOLE: Value.of(int(placing.take("cards")))}
            if placing.asked.whole_cards:
                placing.isolated(Isolation.HARDWARE)  # nobody else is on the card
        else:
            annotations |= _share(pod, placing, mode_of(profile))
        placing.on_nodes(card_of(profile, NAMES), "KAI015", "KAI015")
        containers.append(ContainerKeys(placing.name, placing.index, placing.init, limits, limits))
    if annotations and len(pod.placings) > 1:
        for placing in pod.placings:
            message = say(ONE_SHARE, target="kai", count=len(pod.placings))
            placing.refuse("cards", "GX022", message, "use a separate pod for each container")
    if pod.placings:
        pod.placings[0].warn(
            "KAI011",
            say("a pod without a queue is not scheduled, and no share names one"),
            say("add the label {key} with a queue of the cluster, unless it is there", key=k.QUEUE),
        )
    return PodKeys(
        *in_lists(containers),
        annotations=annotations,
        scheduler_name=Value.of(k.SCHEDULER) if containers else None,
    )


def _only_compute(placing: Placing) -> bool:
    """Without its compute, which has no key, the share is whole cards."""
    return placing.peek("memory_mib") is None and placing.peek("memory_percent") is None


def _share(pod: PodPlacing, placing: Placing, mode: str | None) -> dict[str, Value]:
    cards = int(placing.take("cards"))
    memory, percent = placing.take("memory_mib"), placing.take("memory_percent")
    limit = placing.peek("memory_limit_mib")
    by_amounts = memory is not None and (mode == NV_FRACTIONS or (limit is not None and mode is None))
    if not reads(mode, by_amounts=by_amounts):
        message = say("the cluster of the profile shares no cards: its sharingMode is {mode}", mode=mode)
        placing.refuse("cards", "KAI012", message, "choose another mode, or request whole cards")
    placing.isolated(isolation(mode, by_amounts=by_amounts))
    values: dict[str, str] = {}
    if by_amounts:
        values = _amounts(placing, memory // cards, mode)
    elif memory is not None:
        values[k.MEMORY] = str(memory // cards)
    else:
        values[k.FRACTION] = f"0.{percent:02d}"
    if cards > 1:
        values[k.DEVICES] = str(cards)
    if not by_amounts and (placing.init or len(pod.containers) > 1):
        values[k.CONTAINER] = placing.name
        if not placing.name:
            _refuse_name(placing, say("a pod of several containers names the one with the share"))
    return {name: Value.of(text) for name, text in values.items()}


def _amounts(placing: Placing, each_mib: int, mode: str | None) -> dict[str, str]:
    """NvFractions' keys, which name the container."""
    limit = placing.take("memory_limit_mib")
    request, most = (k.key_of(row, placing.name) for row in (k.REQUEST, k.LIMIT))
    values = {request: f"{each_mib}Mi"}
    if limit is not None:
        values[most] = f"{int(limit) // placing.cards}Mi"
    if not placing.name or len(request.partition("/")[2]) > k.NAME_LENGTH:
        message = say("the name {name!r} does not fit in a key that names the container", name=placing.name)
        _refuse_name(placing, message)
    if mode is None:
        placing.note(
            "KAI012",
            say("{key} has effect where the cluster shares cards as {mode}", key=request, mode=NV_FRACTIONS),
            say("say so in a profile: kai: {{sharingMode: {mode}}}", mode=NV_FRACTIONS),
            attribute="memory_limit_mib",
        )
    return values


def _refuse_name(placing: Placing, message: str) -> None:
    most = k.NAME_LENGTH - len(k.REQUEST.partition("/")[2]) + 1
    hint = say("give the container a name of at most {most} letters", most=most)
    placing.refuse("memory_mib", "GX023", message, hint)
