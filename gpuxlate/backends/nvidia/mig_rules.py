"""The rules of MIG: NVIDIA002 to NVIDIA005, NVIDIA007."""

from __future__ import annotations

from collections.abc import Iterator

from gpuxlate.backends.device_plugin import DIVIDED, PRODUCT, NvidiaProfile, Product, unfit
from gpuxlate.backends.numbers import number
from gpuxlate.backends.nvidia import keys as k
from gpuxlate.backends.nvidia.mig import NAMES, profile_of
from gpuxlate.model.catalogue import ALIASES, unknown_partition
from gpuxlate.model.diagnostics import Diagnostic, Severity
from gpuxlate.model.messages import say
from gpuxlate.model.parts import Partition, of_resource
from gpuxlate.model.pod import NodeRequirement, PodKeys, Value
from gpuxlate.rules.base import Context, Rule, rule

NO_POLICY = "the names of the resources are patterns, and the profiles are those of a card"


def _partitions(pod: PodKeys) -> Iterator[tuple[Value, str, str]]:
    """Each resource of a container that counts partitions: its value, its name, the profile in it."""
    for container in pod.all_containers():
        for name in k.partitions(container):
            text = name.removeprefix(k.BEFORE).removesuffix(k.OF_SHARED)
            yield container.resources[name], name, of_resource(text)


def _chosen(pod: PodKeys) -> Iterator[tuple[NodeRequirement, str]]:
    """Each choice of nodes whose cards are all divided alike, and the profile that it names."""
    for choice in pod.choices(k.CONFIG):
        for text in filter(k.ALL_OF_ONE.fullmatch, choice.values):
            yield choice, profile_of(text.removeprefix(k.ALL))
    for choice in pod.choices(PRODUCT):
        for text in filter(DIVIDED.fullmatch, choice.values):
            yield choice, Product.of(text).profile or text


@rule("NVIDIA002", Severity.ERROR, no_policy=NO_POLICY)
def container_has_one_kind_of_device(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """A container requests partitions of one profile, or cards.

    ## What it does
    Reports a second `nvidia.com/mig-*` in a container, and one beside `nvidia.com/gpu`.

    ## Why
    CUDA uses one MIG instance of a process, and no card beside it: the others are allocated and idle.

    ## Example
    ```yaml
    spec:
      containers:
        - name: web
          image: web
          resources: {limits: {nvidia.com/mig-1g.5gb: 1, nvidia.com/mig-2g.10gb: 1}}
    ```

    ## Use instead
    ```yaml
    spec:
      containers:
        - name: web
          image: web
          resources: {limits: {nvidia.com/mig-2g.10gb: 1}}
    ```

    ## Source
    NVIDIA, Multi-Instance GPU user guide; NVIDIA/k8s-device-plugin (2026-08-19).
    """
    for container in pod.all_containers():
        first, *others = [
            *k.partitions(container),
            *([k.WHOLE] if k.WHOLE in container.resources else []),
        ] or [""]
        for name in others:
            message = say(
                "{key} is requested beside {first}: a container uses one of them", key=name, first=first
            )
            hint = "keep one of them, or use a separate container for each"
            yield this.at(container.resources[name], message, hint, on_key=True)


@rule("NVIDIA003", Severity.ERROR, no_policy=NO_POLICY)
def profile_is_one_of_a_card(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """The profile of a partition is one that a card has.

    ## What it does
    Reports a profile that no card of the catalogue has; with the card of a profile for `nvidia-mig`, one
    that this card does not have. A warning where a profile names or adds a card without a list of its
    partitions, which may have the profile.

    ## Why
    No node has the resource, so the pod stays Pending.

    ## Example
    ```yaml
    spec:
      containers:
        - name: web
          image: web
          resources: {limits: {nvidia.com/mig-1g.5gb: 1}}
    ```
    ```yaml profile
    target: nvidia-mig
    cards: {model: H100-80GB, perNode: 8}
    ```

    ## Use instead
    ```yaml
    spec:
      containers:
        - name: web
          image: web
          resources: {limits: {nvidia.com/mig-1g.10gb: 1}}
    ```

    ## Source
    NVIDIA/mig-parted, config-default.yaml (2026).
    """
    for value, _, profile in _partitions(pod):
        found = unfit(Partition(ALIASES.get(profile, profile)), context.profile, NAMES)
        if found is not None:
            yield this.at(value, found[1], found[2], on_key=True)
        elif unknown := unknown_partition(profile, context.profile, mig=True):
            yield this.at(value, unknown.message, unknown.hint, severity=unknown.severity, on_key=True)
    for choice, profile in _chosen(pod):
        if unknown := unknown_partition(profile, context.profile, mig=True):
            yield this.at(choice, unknown.message, unknown.hint, severity=unknown.severity)


@rule("NVIDIA004", Severity.INFO, no_policy=NO_POLICY)
def profile_has_its_name_of_today(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """A profile has the name that drivers give it today.

    ## What it does
    Reports `3g.21gb` and `7g.79gb`, and reads them as `3g.20gb` and `7g.80gb`.

    ## Why
    Nodes with a driver of today have no resource of that name.

    ## Example
    ```yaml
    spec:
      containers:
        - name: web
          image: web
          resources: {limits: {nvidia.com/mig-3g.21gb: 1}}
    ```

    ## Use instead
    ```yaml
    spec:
      containers:
        - name: web
          image: web
          resources: {limits: {nvidia.com/mig-3g.20gb: 1}}
    ```

    ## Source
    NVIDIA, Multi-Instance GPU user guide.
    """
    for value, name, profile in _partitions(pod):
        new = profile_of(name.removeprefix(k.BEFORE).removesuffix(k.OF_SHARED))
        if new != profile:
            message = say("{old} is called {new} by drivers of today", old=profile, new=new)
            yield this.at(value, message, say("write {key}", key=k.BEFORE + new), on_key=True)


@rule("NVIDIA005", Severity.ERROR, no_policy=NO_POLICY)
def partitions_fit_on_a_node(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """A node has as many partitions as a container requests.

    ## What it does
    Reports a number of partitions below 1; with the cards of a profile for `nvidia-mig`, one above what all
    cards of a node have together.

    ## Why
    All partitions of a container are on one node: the pod stays Pending.

    ## Example
    ```yaml
    spec:
      containers:
        - name: web
          image: web
          resources: {limits: {nvidia.com/mig-3g.20gb: 9}}
    ```
    ```yaml profile
    target: nvidia-mig
    cards: {model: A100-40GB, perNode: 4}
    ```

    ## Use instead
    ```yaml
    spec:
      containers:
        - name: web
          image: web
          resources: {limits: {nvidia.com/mig-3g.20gb: 8}}
    ```

    ## Source
    NVIDIA/mig-parted, config-default.yaml (2026).
    """
    for value, name, profile in _partitions(pod):
        count = number(value)
        if count is None:
            continue
        if count < 1:
            message = say("{key} is {count}: a container has at least one partition", key=name, count=count)
            yield this.at(value, message, "write 1 or more, or remove the key")
            continue
        found = unfit(Partition(ALIASES.get(profile, profile), count), context.profile, NAMES)
        if found is not None and found[0] == this.code:
            yield this.at(value, found[1], found[2])


@rule("NVIDIA007", Severity.ERROR, no_policy=NO_POLICY)
def strategy_has_the_resource(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """The resource is one of the strategy that the nodes have.

    ## What it does
    Reports `nvidia.com/mig-*` where the profile says `migStrategy: single` or `none`; and beside a choice of
    nodes by `nvidia.com/mig.strategy`, one that is not of that strategy.

    ## Why
    With `single` the resource of partitions is `nvidia.com/gpu`, with `mixed` it has the profile in its name,
    with `none` there is no resource: the pod stays Pending.

    ## Example
    ```yaml
    spec:
      nodeSelector: {nvidia.com/mig.strategy: single}
      containers:
        - name: web
          image: web
          resources: {limits: {nvidia.com/mig-1g.5gb: 1}}
    ```

    ## Use instead
    ```yaml
    spec:
      nodeSelector: {nvidia.com/mig.config: all-1g.5gb}
      containers:
        - name: web
          image: web
          resources: {limits: {nvidia.com/gpu: 1}}
    ```

    ## Source
    NVIDIA/k8s-device-plugin, README, flag migStrategy (2026-08-19).
    """
    profile = context.profile
    own = NvidiaProfile.of(profile).mig_strategy if profile and profile.target in NAMES else "mixed"
    chosen = {text for text, _ in pod.allowed("nvidia.com/mig.strategy")} or {own}
    for value, name, text in _partitions(pod):
        if "mixed" not in chosen:
            strategy = " or ".join(sorted(chosen))
            message = say(
                "{key} is a resource of strategy mixed; the nodes have {strategy}",
                key=name,
                strategy=strategy,
            )
            hint = say(
                "write {key} and the nodeSelector {config}: {all}{profile}, or choose mixed nodes",
                key=k.WHOLE,
                config=k.CONFIG,
                all=k.ALL,
                profile=text,
            )
            yield this.at(value, message, hint, on_key=True)
