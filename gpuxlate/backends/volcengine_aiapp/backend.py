"""The form for an AI app on mGPU: reading and writing shares. The app runs on VKE, whose rules apply.

Labels: Volcengine, docs 6461/1581673 "AI apps on shared GPUs" (2025-06-04).
"""

from __future__ import annotations

from functools import cached_property
from importlib import import_module

from gpuxlate.backends.base import ContainerShare, JobBackend, Placing, PodPlacing, Reading, Taking
from gpuxlate.backends.form import WrongFileError, json_object, typed, values_of
from gpuxlate.backends.volcengine_aiapp import keys as k
from gpuxlate.manifest.jobs import JobRow
from gpuxlate.model import quantity
from gpuxlate.model.messages import say
from gpuxlate.model.pod import ContainerKeys, Kind, Path, PodKeys, Value, in_lists
from gpuxlate.model.profile import Profile
from gpuxlate.model.share import Policy
from gpuxlate.rules.index import Rules
from gpuxlate.yamltext.plain import fresh
from gpuxlate.yamltext.source import Source

_POLICY_OF = {**{text: policy for policy, text in k.POLICIES.items()}, **k.POLICY_LABELS}


def _read_form(pod: Taking, form: ContainerKeys) -> ContainerShare:
    values = {row.name: value for row in k.KEYS if (value := pod.resource(form, row.name))}
    if not values:
        return pod.none(form)
    _resource_type(pod, values, form)
    cores = _compute(pod, values, form)
    memory = _memory(pod, values)
    cards = _cards(pod, values, cores)
    policy = _policy(pod, values)
    if pod.notes or cores is None or cards is None:
        return pod.none(form)
    attributes = {"cores": k.COMPUTE, "memory_mib": k.MEMORY, "policy": k.POLICY, "cards": k.CARDS}
    origins: dict[str, Path] = {
        attribute: values[name].path for attribute, name in attributes.items() if name in values
    }
    origins.setdefault("cards", values[k.COMPUTE].path)
    _judge_memory(pod, values.get(k.MEMORY), memory, cards, cores, _is_on(values.get(k.MULTI_CARD)))
    return pod.share(form, cards=cards, cores=cores, memory_mib=memory, policy=policy, origins=origins)


def _resource_type(pod: Taking, values: dict[str, Value], form: ContainerKeys) -> None:
    kind = values.get(k.RESOURCE_TYPE)
    if kind is None or kind.text.lower() != k.MGPU.lower():
        where = kind.path if kind else form.path
        message = say("{key} is {value}: only mGPU shares cards", key=k.RESOURCE_TYPE, value=_shown(kind))
        pod.problem("GX023", message, where, say("write {value}", value=k.MGPU))
    elastic = values.get(k.ELASTIC)
    if elastic is not None and elastic.text.lower() != "false":
        pod.problem("VKE006", "elastic container instances have no mGPU", elastic.path, "write false")


def _compute(pod: Taking, values: dict[str, Value], form: ContainerKeys) -> int | None:
    value = values.get(k.COMPUTE)
    if value is None:
        missing = say("{key} is missing", key=k.COMPUTE)
        pod.problem("VKE011", missing, form.path, "write it in cards: 0.3 is 30 %")
        return None
    cores = k.percent(value.text)
    if not cores:
        message = say(
            "{key} is {value}: the form accepts whole cards, or two decimals from 0.01",
            key=k.COMPUTE,
            value=_shown(value),
        )
        pod.problem("VKE025", message, value.path, "write it in cards: 0.3 is 30 %")
        return None
    return cores


def _memory(pod: Taking, values: dict[str, Value]) -> int | None:
    value = values.get(k.MEMORY)
    if value is None:
        return None
    if not quantity.is_plain(value.text):
        message = say("{key} is {value}, not a whole number of MiB", key=k.MEMORY, value=_shown(value))
        pod.problem("VKE012", message, value.path)
        return None
    return int(value.text)


def _shown(value: Value | None) -> str:
    return repr(value.text) if value else "missing"


def _is_on(value: Value | None) -> bool:
    return value is not None and value.text.lower() == "true"


def _cards(pod: Taking, values: dict[str, Value], cores: int | None) -> int | None:
    """The cards that the numbers are spread over; without multi-card sharing 2 is two whole cards."""
    given, multi = values.get(k.CARDS), values.get(k.MULTI_CARD)
    if multi is not None and multi.text.lower() not in ("true", "false"):
        message = say("{key} is {value}", key=k.MULTI_CARD, value=_shown(multi))
        pod.problem("GX023", message, multi.path, "write true or false")
        return None
    if not _is_on(multi):
        if cores is not None and cores > 100 and cores % 100:
            message = say(
                "{key} above one card is whole cards, unless {multi} is true",
                key=k.COMPUTE,
                multi=k.MULTI_CARD,
            )
            pod.problem("VKE013", message, values[k.COMPUTE].path)
            return None
        cards = max(1, cores // 100) if cores else 1
        if given is not None and given.text != str(cards):
            message = say("{key} has no effect without {multi}: true", key=k.CARDS, multi=k.MULTI_CARD)
            pod.problem("GX013", message, given.path, say("remove {key}", key=k.CARDS))
        return cards
    number = int(given.text) if given and quantity.is_plain(given.text) and len(given.text) < 4 else 0
    if not 1 <= number <= k.MAX_CARDS:
        where = given.path if given else values[k.MULTI_CARD].path
        message = say(
            "{key} is {value}, it must be 1 to {most}", key=k.CARDS, value=_shown(given), most=k.MAX_CARDS
        )
        pod.problem("VKE019", message, where)
        return None
    return number


def _policy(pod: Taking, values: dict[str, Value]) -> Policy | None:
    value = values.get(k.POLICY)
    if value is None:
        return None
    policy = _POLICY_OF.get(value.text)
    if policy is None:
        names = ", ".join(k.POLICIES.values())
        message = say("{key} is {value}, not a policy", key=k.POLICY, value=_shown(value))
        pod.problem("VKE004", message, value.path, say("write one of {names}", names=names))
    return policy


def _judge_memory(
    pod: Taking, value: Value | None, memory: int | None, cards: int, cores: int, multi: bool
) -> None:
    """Whether the form accepts the memory with this compute."""
    whole = cores == 100 * cards
    if value is None or memory is None:
        if not whole:
            code = "VKE024" if multi else "VKE012"
            message = say("a part of a card needs {key}", key=k.MEMORY)
            pod.problem(code, message, pod.pod.path, "add it, in MiB")
    elif whole:
        message = say("{key} is set with whole cards: these come with all of their memory", key=k.MEMORY)
        pod.problem("VKE014", message, value.path, "remove it, or ask for less compute")
    elif multi and memory < k.MULTI_CARD_MIN_MIB * cards:
        least = k.MULTI_CARD_MIN_MIB
        message = say(
            "{key} is {memory}: the minimum on each of {cards} cards is {least}",
            key=k.MEMORY,
            memory=memory,
            cards=cards,
            least=least,
        )
        pod.problem("VKE024", message, value.path, say("write {value}", value=least * cards))
    elif not multi and memory < k.SINGLE_CARD_MIN_MIB:
        least = k.SINGLE_CARD_MIN_MIB
        message = say(
            "{key} is {memory}: the minimum on one card is {least}", key=k.MEMORY, memory=memory, least=least
        )
        pod.problem("VKE012", message, value.path, say("write {value}", value=least))


def _write_form(placing: Placing) -> ContainerKeys:
    if not placing.whole_cards and placing.peek("cores") is None:
        placing.need("cores", "VKE011", "the form asks for compute")
    _round_compute(placing)
    placing.whole_when_full("VKE014")
    cards, whole = placing.take("cards"), placing.whole_cards
    multi = cards > 1 and not whole
    memory = None if whole else _part_of_memory(placing, multi)
    cores = placing.take("cores")
    placing.take("memory_mib")
    if multi:
        _judge_several(placing, cards, memory)
    compute = str(cards) if whole else k.in_cards(cores) if cores is not None else None
    policy = placing.take("policy")
    values = {
        k.RESOURCE_TYPE: Value.of(k.MGPU),
        k.ELASTIC: Value("false", Kind.BOOL),
        k.MULTI_CARD: Value("true" if multi else "false", Kind.BOOL),
        k.COMPUTE: Value(compute, Kind.FLOAT if "." in compute else Kind.INT) if compute else None,
        k.MEMORY: Value.of(memory) if memory is not None else None,
        k.POLICY: Value.of(k.POLICIES[policy]) if policy else None,
        k.CARDS: Value.of(cards) if multi else None,
    }
    limits = {name: value for name, value in values.items() if value is not None}
    return ContainerKeys(placing.name, placing.index, placing.init, limits)


def _round_compute(placing: Placing) -> None:
    """Above one card the form takes whole cards only, as a total over the cards."""
    cores = placing.peek("cores")
    given = None if cores is None else k.next_on_form(cores, placing.cards)
    if given != cores:
        why = "from one card upwards the form takes whole numbers of cards, in total"
        placing.round("cores", given, "VKE025", why)


def _part_of_memory(placing: Placing, multi: bool) -> int | None:
    code, low = ("VKE024", k.MULTI_CARD_MIN_MIB) if multi else ("VKE012", k.SINGLE_CARD_MIN_MIB)
    if placing.peek("memory_mib") is None:
        placing.need("memory_mib", code, "a part of a card needs GPU memory")
    return placing.on_grid("memory_mib", code, low=low, unit="MiB")


def _judge_several(placing: Placing, cards: int, memory: int | None) -> None:
    if cards > k.MAX_CARDS:
        message = say("{cards} cards: an instance shares {most} at most", cards=cards, most=k.MAX_CARDS)
        placing.refuse("cards", "VKE019", message, "ask for fewer")
    if placing.peek("policy") is not Policy.BEST_EFFORT:
        placing.warn(
            "VKE026",
            "several shared cards without policy best-effort (争抢模式): the form offers it, "
            "the vendor's scheduler code refuses it",
            "check it on the cluster, or use policy: best-effort",
            "policy",
        )
    if memory is not None and memory // cards > k.MULTI_CARD_MAX_MIB:
        placing.warn(
            "VKE024",
            say(
                "{each} MiB on each card is above the documented {most}",
                each=memory // cards,
                most=k.MULTI_CARD_MAX_MIB,
            ),
            "newer components may allow it: check on the cluster",
            "memory_mib",
        )


LABELS = {
    k.RESOURCE_TYPE: "GPU 资源类型",
    k.ELASTIC: "弹性容器实例",
    k.MULTI_CARD: "多卡共享配置",
    k.COMPUTE: "GPU 算力",
    k.MEMORY: "GPU 显存",
    k.POLICY: "算力分配策略",
    k.CARDS: "GPU 卡数",
}
CHOICES = {
    (k.ELASTIC, "false"): "不勾选",
    (k.MULTI_CARD, "false"): "不开启",
    (k.MULTI_CARD, "true"): "开启",
    **{(k.POLICY, k.POLICIES[policy]): label for label, policy in k.POLICY_LABELS.items()},
}
"""What to choose in the form for a value that it shows under another name."""
UNITS = {k.COMPUTE: "卡", k.MEMORY: "MiB", k.CARDS: "卡"}


class VolcengineAiapp(JobBackend):
    name = k.TARGET
    aliases = ("aiapp",)
    title = "Volcengine AI app on mGPU, values of the console form"
    keys = k.KEYS
    gpu_prefixes = k.GPU_PREFIXES
    field_docs = {
        "cards": f"{k.CARDS}: 1..{k.MAX_CARDS} with {k.MULTI_CARD}; whole cards by {k.COMPUTE}",
        "cores": f"{k.COMPUTE}, in cards: 0.01..0.99 or whole numbers, total over the cards; required",
        "memoryMiB": f"{k.MEMORY}: MiB, total; above 256 on one card, at least 1024 on each of several",
        "policy": f"{k.POLICY}",
    }
    row_rules = ()
    suffix = ".yaml"
    job_rows = (JobRow((None,), (), k.TARGET, k.RESOURCE_TYPE),)

    @cached_property
    def rules(self) -> Rules:
        """Its pods are VKE's."""
        found: Rules = import_module("gpuxlate.backends.volcengine").BACKEND.rules
        return found

    def read(self, pod: Taking, profile: Profile | None) -> Reading:
        """Values of the form to a share. Values that the form does not accept are reported, never guessed."""
        return pod.reading([_read_form(pod, form) for form in pod.pod.all_containers()])

    def write(self, pod: PodPlacing, profile: Profile | None) -> PodKeys:
        """Shares to the values of one form each."""
        forms = [_write_form(placing) for placing in pod.placings]
        return PodKeys(
            *in_lists(forms),
        )

    def merge(self, _base: Source, _keys: PodKeys) -> str:
        raise WrongFileError(
            say("{target} cannot be merged into a file: its values are typed into a form", target=k.TARGET),
            "leave --workload out",
        )

    def render(self, keys: PodKeys, output: str) -> str:
        values = values_of(keys)
        data = {name: typed(value) for name, value in values.items()}
        if output == "json":
            return json_object(data)
        return fresh(data, {name: _label(name, value.text) for name, value in values.items()})


def _label(name: str, text: str) -> str:
    label = LABELS[name] + (f"（{UNITS[name]}）" if name in UNITS else "")
    choice = CHOICES.get((name, text))
    return f"{label}：{choice}" if choice else label


BACKEND = VolcengineAiapp()
