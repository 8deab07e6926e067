"""How nodes of NVIDIA's device plugin divide and share cards, by a profile and by the labels of nodes.

The labels are those of GPU feature discovery: pods choose nodes by the product of their cards.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, NamedTuple

from gpuxlate.backends.pod_reader import PodReader
from gpuxlate.backends.pod_writer import PodWriter, ShareWriter
from gpuxlate.model import quantity
from gpuxlate.model.amounts import Part, amount_of, card_of_share, known_replica, partitions_of
from gpuxlate.model.declarations import record, regex
from gpuxlate.model.diagnostics import Path
from gpuxlate.model.keys import NVIDIA_GPU, By
from gpuxlate.model.messages import msg
from gpuxlate.model.pod import NodeRequirement, Value
from gpuxlate.model.profile import (
    Extension,
    Profile,
    Setting,
    all_cards,
    card_named,
    products,
    products_with,
    unknown_partition,
)
from gpuxlate.model.share import (
    LEAST_CLIENTS,
    Device,
    Isolation,
    Partition,
    Policy,
    Replica,
    Share,
    Strategy,
    in_resource,
    of_resource,
)

if TYPE_CHECKING:
    from gpuxlate.backends.cluster_nodes import Containers, LiveNode, MergeNodeValues, NodeView

MIG = "nvidia.com/mig-"
"""The prefix of the resources of partitions with the strategy mixed; the profile follows it."""


@record
class Sharing(Extension):
    """How clients share a card."""

    strategy: Annotated[
        Literal["none", "time-slicing", "mps"],
        Setting("strategy", "timeSlicing or mps of the configuration."),
    ] = "none"
    replicas: Annotated[int, Setting("replicas", "Clients of one card.")] = 1
    renames: Annotated[
        bool, Setting("renamed", "renameByDefault: the resource is nvidia.com/gpu.shared.")
    ] = True
    refuses: Annotated[
        bool,
        Setting(
            "failRequestsGreaterThanOne", "Pods with more than one are refused. With MPS they always are."
        ),
    ] = False


@record
class NvidiaProfile(Extension):
    """How NVIDIA's device plugin is configured."""

    key: ClassVar[str] = "nvidia"

    mig_strategy: Annotated[
        Literal["mixed", "single", "none"],
        Setting("migStrategy", "mixed: nvidia.com/mig-PROFILE; single: nvidia.com/gpu counts partitions."),
    ] = "mixed"
    sharing: Annotated[Sharing, Setting("sharing", "How clients share a card of the nodes.")] = field(
        default_factory=Sharing
    )

    @property
    def replica(self) -> Replica | None:
        """The replica that one client of a card is; None where the nodes do not share cards."""
        sharing = self.sharing
        if sharing.strategy == "none":
            return None
        return Replica(sharing.replicas if sharing.replicas > 1 else None, Strategy(sharing.strategy))


def partitions_for(share: Share, profile: Profile | None) -> tuple[Part, ...]:
    """The partitions of the card that the share or the profile names; empty where no card is known."""
    card = card_of_share(share, profile)
    return partitions_of(card) if card is not None else ()


CARD_NEEDED = (
    "pass a profile with the card of the nodes (cards.model; of several sizes, cards.memoryMiB), "
    "or name it in device.models"
)
"""The hint where the partitions are not known."""


def divided_alike(shares: Sequence[Share], profile: Profile | None) -> str:
    """The mode of a node for a pod with these shares: how all its cards are divided or shared."""
    share = next((share for share in shares if share.is_part), None)
    if share is None:
        return "whole cards"
    partition = share.partition and replace(share.partition, count=1)
    replica = share.replica and replace(known_replica(share.replica, profile), count=1)
    return replace(share, partition=partition, replica=replica).part


def most_of_a_card(partition: Partition, profile: Profile | None) -> int:
    """The most instances of a partition on the card of the profile, or on any card that has such
    partitions."""
    card = card_of_share(Share(), profile)
    templates = [
        row for each in ([card] if card else all_cards(profile)) if (row := each.template(partition.profile))
    ]
    return min((row.most for row in templates if row.most), default=partition.count)


def why_no_card_fits(
    partition: Partition,
    profile: Profile | None,
    targets: Sequence[str],
    vendor: str = "nvidia",
    codes: tuple[str, str] = ("NVIDIA003", "NVIDIA005"),
) -> tuple[str, str, str] | None:
    """Code, message and hint where no card has a partition, or the card of the profile does not; None where
    one has it.

    ``targets``: the names of the target. ``vendor``: of the cards. ``codes``: the rules on a partition that
    no card has, and on more than a card has.
    """
    cluster = profile if profile and profile.target in targets else None
    card = card_of_share(Share(), cluster)
    if cluster is None or card is None or not card.templates:
        unknown = unknown_partition(partition.profile, profile, vendor=vendor)
        return (codes[0], unknown.message, unknown.hint) if unknown and unknown.certain else None
    template = card.template(partition.profile)
    if template is None:
        profiles = ", ".join(each.name for each in card.templates)
        message = msg("{profile} is not a profile of {card}", profile=partition.profile, card=card.name)
        hint = msg("profiles of the card: {known}", known=profiles)
        of_package = card_named(card.name)
        if of_package is not None and of_package.template(partition.profile):
            message = msg(
                "nodes in this profile have no {profile} on {card}", profile=partition.profile, card=card.name
            )
            hint = msg("partitions of the nodes: {known}", known=profiles)
        return codes[0], message, hint
    maximum = (template.most or 0) * (cluster.cards.per_node or 0)
    if maximum and partition.count > maximum:
        message = msg(
            "requests {count} of {profile}; a node of this profile has at most {most}",
            count=partition.count,
            profile=partition.profile,
            most=maximum,
        )
        return codes[1], message, msg("request at most {most}, or a larger profile", most=maximum)
    return None


def clients_in(texts: Sequence[str]) -> int | None:
    """The number of clients of a card in the values of a label; None where they are not one number."""
    number = quantity.parse_plain(texts[0]) if len(texts) == 1 else None
    return number if number is not None and number >= LEAST_CLIENTS else None


def most_clients(containers: Containers) -> int:
    """The most clients that one container of a pod requests; 1 where none requests any."""
    return max(
        (
            container.share.replica.count
            for container in containers
            if container.share and container.share.replica
        ),
        default=1,
    )


def sharing_data(views: Sequence[NodeView], merge: MergeNodeValues) -> dict[str, Any]:
    """The part ``nvidia`` of the profile of live nodes: the strategy of partitions, and how clients share
    cards."""
    extensions = [(view, view.extension) for view in views if isinstance(view.extension, NvidiaProfile)]
    divided = [part.mig_strategy for view, part in extensions if any(row.partition for row in view.parts)]
    data: dict[str, Any] = {"migStrategy": merge("nvidia.migStrategy", iter(divided))}
    strategy = merge("nvidia.sharing.strategy", (part.sharing.strategy for _, part in extensions))
    if strategy not in (None, "none"):
        sharing = {
            "strategy": strategy,
            "replicas": merge("nvidia.sharing.replicas", (part.sharing.replicas for _, part in extensions)),
            "renamed": merge("nvidia.sharing.renamed", (part.sharing.renames for _, part in extensions)),
        }
        data["sharing"] = {name: value for name, value in sharing.items() if value is not None}
    return data


def take_client_isolation(placing: ShareWriter, replica: Replica) -> None:
    """Take ``isolation`` where it is met: a client of MPS is limited to its part, a time-sliced one is
    not."""
    if replica.strategy is Strategy.MPS:
        placing.take_isolation_if_covered(Isolation.SOFT)
        placing.take_policy_if_same(Policy.FIXED_SHARE)
    else:
        placing.take_isolation_if_covered(Isolation.NONE)


def refuse_other_replicas(placing: ShareWriter, replica: Replica, on_nodes: Replica | None) -> None:
    """Refuse a share whose replica differs from those of the nodes of the profile."""
    if on_nodes is None:
        return
    differs = (replica.of and on_nodes.of and replica.of != on_nodes.of) or (
        replica.strategy and replica.strategy is not on_nodes.strategy
    )
    if differs:
        message = msg("requests {asked}; nodes in this profile have {known}", asked=replica, known=on_nodes)
        placing.refuse(
            "replica", "GX023", message, "request what the nodes have, or change their configuration"
        )


def clients(share: Share, profile: Profile | None) -> tuple[Part, ...]:
    """The client of a card on the nodes of the profile, as a part; empty where it has no part of its own."""
    replica = NvidiaProfile.of(profile).replica
    amount = amount_of(Share(replica=replica, device=share.device), profile) if replica else None
    return (Part(amount, Isolation.SOFT, replica=replica),) if amount else ()


# --- the product of cards, by which pods choose nodes -------------------------------------------------
PRODUCT = "nvidia.com/gpu.product"
"""The label of GPU feature discovery."""
SHARED = "-SHARED"
"""The suffix of a product whose clients are counted by the resource of whole cards."""
INVALID = "INVALID"
"""In place of a profile: the cards are not all divided alike, as the strategy single requires."""
_PRODUCT = regex(r"(?P<model>.+?)(?:-MIG-(?P<part>.+?))?(?P<shared>-SHARED)?")


class ProductName(NamedTuple):
    """The parts of a product's name: the model of the card, the profile of its partitions, and whether
    clients are counted in place of cards."""

    model: str
    profile: str | None = None
    shared: bool = False

    @classmethod
    def of(cls, text: str) -> ProductName:
        """Parse a label such as ``NVIDIA-A100-SXM4-40GB-MIG-1g.5gb-SHARED``: spaces are dashes."""
        match = _PRODUCT.fullmatch(text)
        if match is None:
            return cls(text)
        return cls(
            match["model"], of_resource(match["part"]) if match["part"] else None, bool(match["shared"])
        )


DIVIDED = re.compile(r".+-MIG-(?:[1-9]c\.)?[1-9]g\.[0-9]+gb(?:[.+][a-z.]+)?(?:-SHARED)?")
_NO_MIG = "(?:|M|MI|[^-M][^-]*|M[^-I][^-]*|MI[^-G][^-]*|MIG[^-]+)"
CLIENTS = re.compile(rf"[^-]+(?:-{_NO_MIG})*{SHARED}")
"""Products of clients of whole cards: no part between dashes is MIG. CEL has no patterns that look ahead."""


class Products(NamedTuple):
    """The products that a pod chooses. ``device``: their models in the catalogue, if all are known.
    ``profile``, ``shared``: the suffixes that all of them have."""

    texts: tuple[str, ...] = ()
    device: Device | None = None
    profile: str | None = None
    shared: bool = False
    path: Path = ()

    @property
    def origins(self) -> dict[str, Path]:
        """The path of the choice, as the origin of the device; empty where the device is not known."""
        return {"device": self.path} if self.device else {}


def products_chosen(pod: PodReader, profile: Profile | None) -> Products:
    """The products that a pod chooses; empty where their suffixes differ."""
    texts = pod.node_values(PRODUCT)
    names = [ProductName.of(text) for text in texts]
    if len({name._replace(model="") for name in names}) != 1:
        return Products()
    model_of = _models(profile)
    models = tuple(model_of.get(name.model, "") for name in names)
    path = next(requirement.path for requirement in pod.pod.choices(PRODUCT))
    return Products(texts, Device(None, models) if all(models) else None, *names[0][1:], path)


def take_products(pod: PodReader, products: Products, *, profile: str | None, shared: bool) -> Products:
    """Take the product choice of a pod whose shares are partitions of a profile, or clients. It is a
    selector, which another target may lose, unless the shares have everything that it says."""
    held = products.device is not None and (products.profile, products.shared) == (profile, shared)
    pod.read_selector(PRODUCT, products.texts if held else ())
    return products if held else Products()


def products_written(
    pod: PodWriter, profile: Profile | None, *, part: str | None = None, shared: bool = False
) -> tuple[dict[str, Value], tuple[tuple[NodeRequirement, ...], ...]]:
    """The product choice for the models of the shares, or for a choice of another dialect, as
    ``nodeSelector`` (one product) or node affinity (several)."""
    labels = {model: text for text, model in _models(profile).items()}
    device, selector = pod.peek("device"), pod.chosen(By.MODEL, allow=True)
    names: tuple[str, ...] = ()
    if part is not None and in_resource(part) != part:
        return {}, ()  # how its label is written is not documented
    if device is not None and device.vendor is None and device.models and labels.keys() >= {*device.models}:
        pod.device()
        names = tuple(labels[model] for model in device.models)
    elif selector is not None and selector.chosen is not None:
        whole = selector.chosen.names
        # parts of names are whole ones where they are in no other name
        alone = {*products_with(whole, profile)} == {*whole} or not selector.chosen.choice.parts
        if alone and products(profile).keys() >= {*whole}:
            pod.taken.add(selector.chosen)
            names = tuple(map(_label, whole))
    ending = (f"-MIG-{part}" if part else "") + (SHARED if shared else "")
    texts = tuple(name + ending for name in names)
    if len(texts) == 1:
        return {PRODUCT: Value.of(texts[0])}, ()
    return {}, ((NodeRequirement(PRODUCT, "In", texts),),) if texts else ()


def _models(profile: Profile | None) -> Mapping[str, str]:
    """The names of cards in the catalogue by their names in the label."""
    return {_label(name): model for name, model in products(profile).items()}


def _label(product: str) -> str:
    return product.replace(" ", "-")


# Labels of GPU feature discovery: what it shows of the cards of a node, or of one kind of their parts.
# Source: NVIDIA/k8s-device-plugin, internal/lm/resource.go and mig-strategy.go (2026-08-19).


class CardLabels(NamedTuple):
    """The values of the labels of a resource; None: there is no such label.

    ``number``: of cards, or partitions; ``memory_mib``, ``multiprocessors``: of one of them. ``replicas``:
    clients of each; 0 for cards that are all divided.
    """

    product: ProductName | None
    number: int | None
    memory_mib: int | None
    multiprocessors: int | None
    replicas: int | None
    strategy: str | None

    @property
    def model(self) -> str | None:
        """The model of the card in the product label."""
        return self.product.model if self.product else None

    @property
    def replica(self) -> Replica | None:
        """The replica that a client of one is; None where the labels do not say that they are shared."""
        of = self.replicas if self.replicas and self.replicas >= LEAST_CLIENTS else None
        if of is None and not (self.product and self.product.shared):
            return None
        return Replica(of, Strategy(self.strategy) if self.strategy in set(Strategy) else None)


def card_labels(node: LiveNode, resource: str = NVIDIA_GPU) -> CardLabels:
    """Read the labels of a resource."""
    label = f"{resource}."
    product = node.labels.get(label + "product")
    numbers = (
        _number(node.labels, label + name) for name in ("count", "memory", "multiprocessors", "replicas")
    )
    count, memory, processors, replicas = numbers
    return CardLabels(
        ProductName.of(product) if product else None,
        count,
        memory or None,
        processors or None,
        replicas,
        node.labels.get(label + "sharing-strategy"),
    )


def has_card_labels(node: LiveNode) -> bool:
    """Whether the node has labels about its cards."""
    return any(name.startswith(f"{NVIDIA_GPU}.") for name in node.labels)


def _number(labels: Mapping[str, str], name: str) -> int | None:
    return quantity.parse_plain(labels.get(name, ""))
