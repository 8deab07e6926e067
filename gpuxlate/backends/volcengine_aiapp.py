"""The form for an AI app on mGPU: its fields, and how shares are read from it and written to it.

The console has labels and no field names: the names are this tool's.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cached_property

from gpuxlate.backends.job_parameters import JobBackend, WrongFileError, json_object, typed, values_of
from gpuxlate.backends.target import (
    ContainerShare,
    KeySpec,
    Place,
    PodReader,
    PodWriter,
    Reading,
    ShareWriter,
    key,
)
from gpuxlate.backends.volcengine import (
    DOCUMENTS,
    MAX_CARDS,
    MULTI_CARD_MAX_MIB,
    MULTI_CARD_MIN_MIB,
    POLICIES,
    POLICY_OF,
)
from gpuxlate.manifest.jobs import JobRow
from gpuxlate.model import quantity
from gpuxlate.model.declarations import regex
from gpuxlate.model.diagnostics import Path, Severity
from gpuxlate.model.messages import join_or, msg
from gpuxlate.model.pod import ContainerKeys, PodKeys, ScalarKind, Value, in_lists
from gpuxlate.model.profile import Profile
from gpuxlate.model.quantity import round_up
from gpuxlate.model.share import Policy
from gpuxlate.rules.catalog import Rules
from gpuxlate.yamltext.plain import dump_yaml
from gpuxlate.yamltext.source import Source

TARGET = "volcengine-aiapp"
RESOURCE_TYPE = "gpuResourceType"
ELASTIC = "elasticContainerInstance"
MULTI_CARD = "multiCardSharing"
COMPUTE = "gpuCompute"
"""In cards: 0.3 is 30 % of one card; total over the cards (S0, Q)."""
MEMORY = "gpuMemoryMiB"
"""Total over the cards (Q: the hint of the form gives the part of each)."""
POLICY = "computePolicy"
CARDS = "gpuCards"
MGPU = "mGPU"
POLICY_LABELS: dict[str, Policy] = {
    "固定配额": Policy.FIXED_SHARE,
    "固定争抢": Policy.BURST_SHARE,
    "争抢模式": Policy.BEST_EFFORT,
}
"""What the form shows for the policies of a node's label, in the order of S0."""
SEVERAL_BY_POLICY = (
    "several shared cards without policy best-effort (争抢模式): the form offers it, "
    "the vendor's scheduler code refuses it",
    "check it on the cluster, or use policy: best-effort",
)
"""What is said of several cards with another policy (VKE026), and what to do."""
SINGLE_CARD_MIN_MIB = 257
"""One card: "greater than 256 MiB" (S0)."""
KEYS: tuple[KeySpec, ...] = (
    key(RESOURCE_TYPE, Place.RESOURCE, meaning="kind of GPU resource", source="S0"),
    key(ELASTIC, Place.RESOURCE, meaning="elastic instance, which has no mGPU", source="S0"),
    key(MULTI_CARD, Place.RESOURCE, meaning="several cards shared", source="S0", no_op_values=("false",)),
    key(COMPUTE, Place.RESOURCE, sets="cores", meaning="compute, total", unit=100, source="S0, Q"),
    key(MEMORY, Place.RESOURCE, sets="memory_mib", meaning="GPU memory, total", unit=1, source="S0, Q"),
    key(POLICY, Place.RESOURCE, sets="policy", meaning="policy", source="S0"),
    key(CARDS, Place.RESOURCE, sets="cards", meaning="cards", unit=1, source="S0"),
)
GPU_PREFIXES = (RESOURCE_TYPE, "gpuCompute", "gpuMemory", "gpuCard")
_CARDS = regex(r"[0-9]{1,6}(\.[0-9]{1,2})?")


def percent_of_card(text: str) -> int | None:
    """``0.3`` cards as 30 percent, None where the form does not accept the number."""
    return int(Fraction(text) * 100) if _CARDS.fullmatch(text) else None


def in_cards(cores: int) -> str:
    """30 percent as ``0.3`` cards, without trailing zeros."""
    whole, part = divmod(cores, 100)
    return f"{whole}.{part:02d}".rstrip("0") if part else str(whole)


def next_on_form(cores: int, cards: int) -> int:
    """The least compute from ``cores`` upwards that the form accepts, in percent.

    It accepts two decimals below one card, and whole cards from there (S0), in total over the cards.
    """
    return cores if cores < 100 else round_up(cores, math.lcm(100, cards))


# The form for an AI app on mGPU: reading and writing shares. The app runs on VKE, whose rules apply.
# Labels: Volcengine, docs 6461/1581673 "AI apps on shared GPUs" (2025-06-04).
_POLICY_OF = {**POLICY_OF, **POLICY_LABELS}


def _read_form(pod: PodReader, form: ContainerKeys) -> ContainerShare:
    values = {row.name: value for row in KEYS if (value := pod.resource(form, row.name))}
    if not values:
        return pod.none(form)
    notes_before = len(pod.notes)  # those of the forms before this one
    _resource_type(pod, values, form)
    cores = _compute(pod, values, form)
    memory = _memory(pod, values)
    cards = _cards(pod, values, cores)
    policy = _policy(pod, values)
    if len(pod.notes) > notes_before or cores is None or cards is None:
        return pod.none(form)
    multi = _is_on(values.get(MULTI_CARD))
    if multi and not _judge_compute(pod, values[COMPUTE], cores, cards):
        return pod.none(form)
    attributes = {"cores": COMPUTE, "memory_mib": MEMORY, "policy": POLICY, "cards": CARDS}
    origins: dict[str, Path] = {
        attribute: values[name].path for attribute, name in attributes.items() if name in values
    }
    origins.setdefault("cards", values[COMPUTE].path)
    _judge_memory(pod, values.get(MEMORY), memory, cards, cores, multi)
    if multi and cards > 1 and cores < 100 * cards and policy is not Policy.BEST_EFFORT:
        message, hint = SEVERAL_BY_POLICY
        where = values.get(POLICY) or values[CARDS]
        pod.note("VKE026", message, where.path, hint, Severity.WARNING)
    return pod.share(form, cards=cards, cores=cores, memory_mib=memory, policy=policy, origins=origins)


def _resource_type(pod: PodReader, values: dict[str, Value], form: ContainerKeys) -> None:
    kind = values.get(RESOURCE_TYPE)
    if kind is None or kind.text.lower() != MGPU.lower():
        where = kind.path if kind else form.path
        message = msg("{key} is {value}: only mGPU shares cards", key=RESOURCE_TYPE, value=_shown(kind))
        pod.report("GX023", message, where, msg("write {value}", value=MGPU))
    elastic = values.get(ELASTIC)
    if elastic is not None and elastic.text.lower() != "false":
        pod.report("VKE006", "elastic container instances have no mGPU", elastic.path, "write false")


def _compute(pod: PodReader, values: dict[str, Value], form: ContainerKeys) -> int | None:
    value = values.get(COMPUTE)
    if value is None:
        missing = msg("{key} is missing", key=COMPUTE)
        pod.report("VKE011", missing, form.path, "write it in cards: 0.3 is 30 %")
        return None
    cores = percent_of_card(value.text)
    if not cores:
        message = msg(
            "{key} is {value}: the form accepts whole cards, or two decimals from 0.01",
            key=COMPUTE,
            value=_shown(value),
        )
        pod.report("VKE025", message, value.path, "write it in cards: 0.3 is 30 %")
        return None
    return cores


def _judge_compute(pod: PodReader, value: Value, cores: int, cards: int) -> bool:
    """Whether the form accepts the compute for several cards: an equal part of each, and one decimal above
    one card (Q)."""
    step = math.lcm(10 if cores > 100 else 1, cards)
    low, maximum = cores // step * step, 100 * cards
    if low == cores <= maximum:
        return True
    numbers = [number for number in (low, low + step) if 0 < number <= maximum] or [maximum]
    code = "GX011" if cores > maximum or cores % cards else "VKE025"
    message = msg(
        "{key} is {value} for {cards} cards: at most {most}, an equal part of each, and one decimal above 1",
        key=COMPUTE,
        value=_shown(value),
        cards=cards,
        most=cards,
    )
    pod.report(code, message, value.path, msg("write {numbers}", numbers=join_or(map(in_cards, numbers))))
    return False


def _memory(pod: PodReader, values: dict[str, Value]) -> int | None:
    value = values.get(MEMORY)
    if value is None:
        return None
    if not quantity.is_plain(value.text):
        message = msg("{key} is {value}, not a whole number of MiB", key=MEMORY, value=_shown(value))
        pod.report("VKE012", message, value.path)
        return None
    return int(value.text)


def _shown(value: Value | None) -> str:
    return repr(value.text) if value else "missing"


def _is_on(value: Value | None) -> bool:
    return value is not None and value.text.lower() == "true"


def _cards(pod: PodReader, values: dict[str, Value], cores: int | None) -> int | None:
    """The cards that the numbers are spread over; without multi-card sharing 2 is two whole cards."""
    value, multi = values.get(CARDS), values.get(MULTI_CARD)
    if multi is not None and multi.text.lower() not in ("true", "false"):
        message = msg("{key} is {value}", key=MULTI_CARD, value=_shown(multi))
        pod.report("GX023", message, multi.path, "write true or false")
        return None
    if not _is_on(multi):
        if cores is not None and cores > 100 and cores % 100:
            message = msg(
                "{key} above one card is whole cards, unless {multi} is true",
                key=COMPUTE,
                multi=MULTI_CARD,
            )
            pod.report("VKE013", message, values[COMPUTE].path)
            return None
        cards = max(1, cores // 100) if cores else 1
        if value is not None and value.text != str(cards):
            message = msg("{key} has no effect without {multi}: true", key=CARDS, multi=MULTI_CARD)
            pod.report("GX013", message, value.path, msg("remove {key}", key=CARDS))
        return cards
    number = int(value.text) if value and quantity.is_plain(value.text) and len(value.text) < 4 else 0
    if not 1 <= number <= MAX_CARDS:
        where = value.path if value else values[MULTI_CARD].path
        message = msg(
            "{key} is {value}, it must be 1 to {most}", key=CARDS, value=_shown(value), most=MAX_CARDS
        )
        pod.report("VKE019", message, where)
        return None
    return number


def _policy(pod: PodReader, values: dict[str, Value]) -> Policy | None:
    value = values.get(POLICY)
    if value is None:
        return None
    policy = _POLICY_OF.get(value.text)
    if policy is None:
        names = ", ".join(POLICIES.values())
        message = msg("{key} is {value}, not a policy", key=POLICY, value=_shown(value))
        pod.report("VKE004", message, value.path, msg("write one of {names}", names=names))
    return policy


def _judge_memory(
    pod: PodReader, value: Value | None, memory: int | None, cards: int, cores: int, multi: bool
) -> None:
    """Whether the form accepts the memory with this compute."""
    whole = cores == 100 * cards
    if value is None or memory is None:
        if not whole:
            code = "VKE024" if multi else "VKE012"
            message = msg("a part of a card needs {key}", key=MEMORY)
            pod.report(code, message, pod.pod.path, "add it, in MiB")
    elif whole:
        message = msg("{key} is set with whole cards: these come with all of their memory", key=MEMORY)
        pod.report("VKE014", message, value.path, "remove it, or ask for less compute")
    elif multi and memory < MULTI_CARD_MIN_MIB * cards:
        least = MULTI_CARD_MIN_MIB
        message = msg(
            "{key} is {memory}: the minimum on each of {cards} cards is {least}",
            key=MEMORY,
            memory=memory,
            cards=cards,
            least=least,
        )
        pod.report("VKE024", message, value.path, msg("write {value}", value=least * cards))
    elif not multi and memory < SINGLE_CARD_MIN_MIB:
        least = SINGLE_CARD_MIN_MIB
        message = msg(
            "{key} is {memory}: the minimum on one card is {least}", key=MEMORY, memory=memory, least=least
        )
        pod.report("VKE012", message, value.path, msg("write {value}", value=least))


def _write_form(placing: ShareWriter) -> ContainerKeys:
    if not placing.whole_cards and placing.peek("cores") is None:
        placing.need("cores", "VKE011", "the form requires compute")
    _round_compute(placing)
    placing.whole_when_full("VKE014")
    cards, whole = placing.take("cards"), placing.whole_cards
    multi = cards > 1 and not whole
    memory = None if whole else _part_of_memory(placing, multi)
    cores = placing.take("cores")
    placing.take("memory_mib")
    if multi:
        _judge_several(placing, cards, memory)
    compute = str(cards) if whole else in_cards(cores) if cores is not None else None
    policy = placing.take("policy")
    values = {
        RESOURCE_TYPE: Value.of(MGPU),
        ELASTIC: Value("false", ScalarKind.BOOL),
        MULTI_CARD: Value("true" if multi else "false", ScalarKind.BOOL),
        COMPUTE: Value(compute, ScalarKind.FLOAT if "." in compute else ScalarKind.INT) if compute else None,
        MEMORY: Value.of(memory) if memory is not None else None,
        POLICY: Value.of(POLICIES[policy]) if policy else None,
        CARDS: Value.of(cards) if multi else None,
    }
    limits = {name: value for name, value in values.items() if value is not None}
    return ContainerKeys(placing.name, placing.index, placing.init, limits)


def _round_compute(placing: ShareWriter) -> None:
    """Above one card the form takes whole cards only, as a total over the cards."""
    cores = placing.peek("cores")
    cores_on_form = None if cores is None else next_on_form(cores, placing.cards)
    if cores_on_form != cores:
        why = "from one card on, the form accepts only whole numbers of cards, in total"
        placing.round("cores", cores_on_form, "VKE025", why)


def _part_of_memory(placing: ShareWriter, multi: bool) -> int | None:
    code, low = ("VKE024", MULTI_CARD_MIN_MIB) if multi else ("VKE012", SINGLE_CARD_MIN_MIB)
    if placing.peek("memory_mib") is None:
        placing.need("memory_mib", code, "a part of a card needs GPU memory")
    return placing.on_grid("memory_mib", code, low=low, unit="MiB")


def _judge_several(placing: ShareWriter, cards: int, memory: int | None) -> None:
    if cards > MAX_CARDS:
        message = msg("{cards} cards: an instance shares {most} at most", cards=cards, most=MAX_CARDS)
        placing.refuse("cards", "VKE019", message, "request fewer")
    if placing.peek("policy") is not Policy.BEST_EFFORT:
        placing.warn("VKE026", *SEVERAL_BY_POLICY, "policy")
    if memory is not None and memory // cards > MULTI_CARD_MAX_MIB:
        placing.warn(
            "VKE024",
            msg(
                "{each} MiB on each card is above the documented {most}",
                each=memory // cards,
                most=MULTI_CARD_MAX_MIB,
            ),
            "newer components may allow it: check on the cluster",
            "memory_mib",
        )


LABELS = {
    RESOURCE_TYPE: "GPU 资源类型",
    ELASTIC: "弹性容器实例",
    MULTI_CARD: "多卡共享配置",
    COMPUTE: "GPU 算力",
    MEMORY: "GPU 显存",
    POLICY: "算力分配策略",
    CARDS: "GPU 卡数",
}
CHOICES = {
    (ELASTIC, "false"): "不勾选",
    (MULTI_CARD, "false"): "不开启",
    (MULTI_CARD, "true"): "开启",
    **{(POLICY, POLICIES[policy]): label for label, policy in POLICY_LABELS.items()},
}
"""What to choose in the form for a value that it shows under another name."""
UNITS = {COMPUTE: "卡", MEMORY: "MiB", CARDS: "卡"}


class VolcengineAiapp(JobBackend):
    """The console's form (S0, Q): compute in cards, MiB in total, and from 1 to 8 cards that are shared."""

    name = TARGET
    aliases = ("aiapp",)
    title = "Volcengine AI app on mGPU, values of the console form"
    documents = {tag: DOCUMENTS[tag] for tag in ("S0", "Q")}
    keys = KEYS
    gpu_prefixes = GPU_PREFIXES
    field_docs = {
        "cards": f"{CARDS}: 1..{MAX_CARDS} with {MULTI_CARD}; whole cards by {COMPUTE}",
        "cores": f"{COMPUTE}, in cards: 0.01..0.99 or whole numbers, total over the cards; required",
        "memoryMiB": f"{MEMORY}: MiB, total; above 256 on one card, at least 1024 on each of several",
        "policy": f"{POLICY}",
    }
    row_rules = ()
    suffix = ".yaml"
    job_rows = (JobRow((None,), (), TARGET, RESOURCE_TYPE),)

    @cached_property
    def rules(self) -> Rules:
        """Its pods are VKE's."""
        from gpuxlate.backends import registry

        return registry.get("volcengine-mgpu").rules

    def read(self, pod: PodReader, profile: Profile | None) -> Reading:
        """Values of the form to a share. Values that the form does not accept are reported, never guessed."""
        return pod.reading([_read_form(pod, form) for form in pod.pod.all_containers()])

    def write(self, pod: PodWriter, profile: Profile | None) -> PodKeys:
        """Shares to the values of one form each."""
        forms = [_write_form(placing) for placing in pod.placings]
        return PodKeys(
            *in_lists(forms),
        )

    def merge(self, _base: Source, _keys: PodKeys) -> str:
        raise WrongFileError(
            msg("{target} cannot be merged into a file: its values are typed into a form", target=TARGET),
            "leave --workload out",
        )

    def render(self, keys: PodKeys, output: str) -> str:
        values = values_of(keys)
        data = {name: typed(value) for name, value in values.items()}
        if output == "json":
            return json_object(data)
        return dump_yaml(data, {name: _label(name, value.text) for name, value in values.items()})


def _label(name: str, text: str) -> str:
    label = LABELS[name] + (f"（{UNITS[name]}）" if name in UNITS else "")
    choice = CHOICES.get((name, text))
    return f"{label}：{choice}" if choice else label
