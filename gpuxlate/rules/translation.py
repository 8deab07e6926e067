"""The rules of a translation that belong to no vendor (GX).

No admission policy can enforce them: they compare a manifest with its translation.
Those of losses (GX020 to GX023) return texts, since a ``Loss`` has more fields than a finding.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gpuxlate.model.diagnostics import Diagnostic, Path, Severity
from gpuxlate.model.messages import Message, join_and, msg
from gpuxlate.model.pod import ClaimObject, PodKeys
from gpuxlate.rules.base import Context, Rule, Scope, rule
from gpuxlate.rules.key_index import key_index_of
from gpuxlate.rules.unsupported_products import is_of_other_devices

ON_POD_TEMPLATE = "put the share on a pod template, or leave out the field that needs it"


@rule("GX015", Severity.INFO, scope=Scope.TRANSLATION)
def isolation_is_the_same(this: Rule, old: str, target: str, path: Path) -> Diagnostic:
    """The `isolation` of the share is the same at the target.

    ## What it does
    Reports that the nodes of the target isolate GPU memory in another way than those of the source, or
    not at all.

    ## Why
    The isolation mode is a choice of nodes and not a field of the share, so it is not translated. A
    program that relies on a hard cap, or on none, may behave differently.

    ## Example
    ACK pods with nodeSelector `ack.node.gpu.schedule: share` (no isolation) to `volcengine-mgpu`,
    which always isolates memory.

    ## Use instead
    Nothing to change: check that the program keeps within its share.

    ## Source
    ACK, enable-scheduling (2026-01-12).
    """
    message = "the isolation mode changes from {old} to that of {target}: it is not a field of the share"
    return this.diagnostic(path, msg(message, old=old, target=target))


SEE_TARGETS = "it is neither checked nor translated: see gpuxlate targets for what is read"


@rule("GX016", Severity.INFO, scope=Scope.TRANSLATION)
def whole_cards_have_a_dialect(this: Rule, path: Path, message: str, hint: str | None = None) -> Diagnostic:
    """Whole cards are requested in a vendor's dialect, or the dialect is named.

    ## What it does
    Reports that a pod requests whole cards under the common key alone, and is left as it is; and that a
    translation writes whole cards under that key alone. Also reports whole accelerators that gpuxlate does
    not read, resources whose names read like one, and device classes of other drivers, once for each key of
    an object.

    ## Why
    Every cloud uses `nvidia.com/gpu`, so it does not identify a dialect, and nothing reads it without
    `--from`. Some targets use it for whole cards. Without a word, a pod whose accelerators are not read
    would seem to be translated.

    ## Example
    A Deployment with `nvidia.com/gpu: 1` and no other GPU key, given to `translate --to vke`; whole cards
    of VKE, given to `translate --to ack`; a Job with `birentech.com/gpu: 8`.

    ## Use instead
    Nothing, if it is to stay as it is; else `--from` and a dialect: the hint lists those that write the key.

    ## Source
    Contract of gpuxlate, "exact, rounded, filled, dropped, refused".
    """
    return this.diagnostic(path, message, hint, on_key=True)


def unread_accelerators(path: Path, name: str, counts: str, *, on_key: bool = True) -> Diagnostic:
    """GX016 about a resource of whole accelerators that no dialect reads.

    ``counts``: the accelerators; empty if they are unknown.
    """
    return whole_cards_have_a_dialect.diagnostic(
        path,
        msg("{name} counts {product}, which gpuxlate does not read: left as it is", name=name, product=counts)
        if counts
        else msg("{name} reads like an accelerator, which gpuxlate does not know: left as it is", name=name),
        SEE_TARGETS,
        on_key=on_key,
    )


def unread_resources(pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """GX016 about whole accelerators that no dialect reads: the first place of each resource."""
    index = key_index_of(context)
    paths: dict[str, Path] = {}
    for container in pod.all_containers():
        for name, value in container.resources.items():
            if index.unread(name) is not None:
                paths.setdefault(name, value.path)
    return (unread_accelerators(path, name, index.unread(name) or "") for name, path in paths.items())


def unread_classes(claims: Iterable[ClaimObject], context: Context) -> dict[str, Diagnostic]:
    """GX016 about device classes of drivers that no dialect reads: the first place of each."""
    read = {name for dialect in context.dialects for name in dialect.device_classes}
    findings: dict[str, Diagnostic] = {}
    for claim in claims:
        for way in (way for request in claim.devices.requests for way in request.ways()):
            value = way.device_class
            if value is not None and value.text not in read and not is_of_other_devices(value.text):
                message = msg(
                    "gpuxlate reads no driver of device class {name}: left as it is", name=value.text
                )
                finding = whole_cards_have_a_dialect.diagnostic(value, message, SEE_TARGETS)
                findings.setdefault(value.text, finding)
    return findings


@rule("GX017", Severity.INFO, scope=Scope.TRANSLATION)
def percent_stays_percent(this: Rule, percent: int, memory_mib: int, card_mib: int) -> Message:
    """Memory in percent (`memoryPercent`) stays in percent, where the target has it.

    ## What it does
    Reports that a profile turned `memoryPercent` into `memoryMiB` for a target that counts MiB, rounded
    up to the next MiB. The verdict is rounded, and the number is among the changes.

    ## Why
    A percentage fits every card, a number of MiB is right for the card of the profile.

    ## Example
    `memoryPercent: 50` to `volcengine-mgpu` with a profile of cards of 22731 MiB: `memoryMiB: 11366`.

    ## Use instead
    Nothing to change: check that the nodes have the card of the profile. Without a profile such a share
    is refused (GX020).

    ## Source
    Contract of gpuxlate, "Units are never guessed".
    """
    return msg(
        "memoryPercent {percent} becomes memoryMiB {given}: GPUs in this profile have {card} MiB, "
        "on other cards it is another part",
        percent=percent,
        given=memory_mib,
        card=card_mib,
    )


@rule("GX033", Severity.ERROR, scope=Scope.TRANSLATION)
def part_stays_a_part(this: Rule, name: str, part: str, target: str, numbers: str, row: str) -> Message:
    """A partition of a card stays a partition, and numbers stay numbers.

    ## What it does
    Reports that a translation turns a partition or a replica into numbers, for a target that has none, or
    numbers into the smallest part of the profile's card that holds them, for a target that has nothing else.

    ## Why
    What a partition amounts to is derived from the catalogue of cards, and a part has more than was asked:
    what is wasted is reported.

    ## Example
    `nvidia.com/mig-1g.5gb: 1` to `tencent-qgpu`; `aliyun.com/gpu-mem: 6` to `nvidia-mig`.

    ## Use instead
    Write the numbers, or the part, that the message names; or accept them with `--round up`.

    ## Source
    Contract of gpuxlate, "the share".
    """
    return msg(
        "{name} {part} is not supported by {target}: it becomes {given}, derived from {row}",
        name=name,
        part=part,
        target=target,
        given=numbers,
        row=row,
    )


@rule("GX018", Severity.INFO, scope=Scope.TRANSLATION)
def scheduler_is_the_same(this: Rule, old: str, new: str | None, path: Path) -> Diagnostic:
    """The pod keeps its `schedulerName`.

    ## What it does
    Reports that a translation removes `schedulerName`, because it belongs to the source's dialect, or
    replaces it, because the keys of the target have effect with one scheduler only.

    ## Why
    A pod that names a scheduler which a cluster does not run stays Pending, without any event.

    ## Example
    A pod with `schedulerName: volcano` and `volcano.sh/vgpu-number: 1` to `tencent-qgpu`.

    ## Use instead
    Nothing to change. Where the cluster runs that scheduler for another reason, such as gang scheduling,
    write the name again.

    ## Source
    volcano-sh/volcano, docs/user-guide/how_to_use_volcano_vgpu.md: the scheduler is part of the dialect
    (2026-08-20).
    """
    if new is None:
        return this.diagnostic(path, msg("schedulerName {old} is removed: it belongs to the source", old=old))
    return this.diagnostic(path, msg("schedulerName {old} becomes {new}", old=old, new=new))


@rule("GX020", Severity.ERROR, scope=Scope.TRANSLATION)
def field_is_supported(this: Rule, field: str, target: str) -> Message:
    """The target supports the field.

    ## What it does
    Refuses a translation that would lose a field of the share: a policy or a QoS class that the target
    has no key for, a card or an isolation that it does not have, or a node selector of the source that has
    no counterpart.

    ## Why
    A dropped field changes what the workload gets, and the manifest does not show it.

    ## Example
    A share with `policy: fixed-share` to `alibaba-gpushare`: the policy there is a setting of the
    whole cluster.

    ## Use instead
    Remove the field from the share, or accept the loss with `--drop policy`.

    ## Source
    Contract of gpuxlate, "exact, rounded, filled, dropped, refused".
    """
    return msg("{what} is not supported by {target}", what=field, target=target)


@rule("GX021", Severity.ERROR, scope=Scope.TRANSLATION)
def needed_field_is_set(this: Rule, field: str, why: str) -> Message:
    """The share sets every field that the target needs.

    ## What it does
    Refuses a translation to a target that needs a field which the share does not set.

    ## Why
    Any number written there would be a guess.

    ## Example
    A share of memory alone to `tencent-qgpu`: an ordinary qGPU pod requests compute and memory.

    ## Use instead
    Add the field to the share, or fill it for the run: `--fill cores=30` (percent of each card),
    `--fill memoryMiB=8192` (on each card).

    ## Source
    Contract of gpuxlate, "exact, rounded, filled, dropped, refused".
    """
    return msg("{field} is not set: {why}", field=field, why=why)


@rule("GX022", Severity.ERROR, scope=Scope.TRANSLATION)
def shares_of_a_pod_agree(this: Rule, field: str, values: Iterable[str]) -> tuple[Message, Message]:
    """`policy`, `qos`, `device` and `isolation` of the shares of a pod agree where the target has one value
    for the pod.

    ## What it does
    Refuses two containers of a pod that differ in `policy`, `qos`, `device` or `isolation`, and several
    shares in a pod where the target counts cards on the pod (ACK's label `aliyun.com/gpu-count`).

    ## Why
    The pod has one annotation or label for all of its containers.

    ## Example
    Two GPUShare documents that put `qos: online` and `qos: offline` on two containers of one file.

    ## Use instead
    Give all containers of the pod the same value, or use separate pods.

    ## Source
    Contract of gpuxlate, "exact, rounded, filled, dropped, refused".
    """
    return (
        msg(
            "shares of one pod differ in {field} ({values}), which belongs to the pod",
            field=field,
            values=join_and(values),
        ),
        msg("give all containers of the pod the same {field}, or put them in separate pods", field=field),
    )


@rule("GX023", Severity.ERROR, scope=Scope.TRANSLATION)
def share_is_expressible(this: Rule, path: Path, message: str, hint: str) -> Diagnostic:
    """The target can express the share.

    ## What it does
    Refuses a share that the target cannot express, whatever is rounded, filled or dropped.

    ## Why
    Anything written would be less than was requested, or something else.

    ## Example
    Offline whole cards, to any target; two shared cards of an EMR Serverless job.

    ## Use instead
    Request another share, or choose another target: `gpuxlate compare SPEC` compares them.

    ## Source
    Contract of gpuxlate, "exact, rounded, filled, dropped, refused".
    """
    return this.diagnostic(path, message, hint)


@rule("GX024", Severity.ERROR, scope=Scope.TRANSLATION)
def text_is_editable(
    this: Rule, path: Path, why: str, code: str | None = None, hint: str = "change these lines by hand"
) -> Diagnostic:
    """The text can be edited here without changing anything else.

    ## What it does
    Refuses an edit that the text does not allow: a comment inside braces that would have to go, an
    entry that shares its line with another, or a result that would differ elsewhere too.

    ## Why
    Every edit is checked by reading the result again. What cannot be checked is not written.

    ## Example
    `limits: {aliyun.com/gpu-mem: 8, # memory` over two lines, where the first entry is removed.

    ## Use instead
    Write the entries on lines of their own, or change them by hand.

    ## Source
    Contract of gpuxlate, "touch nothing else".
    """
    # ``code``: the rule that the text breaks, where there is one
    return Diagnostic(code or this.code, this.severity, msg("cannot edit: {why}", why=why), hint, path)


@rule("GX026", Severity.ERROR, scope=Scope.TRANSLATION)
def nothing_is_left_behind(this: Rule, path: Path, message: str, hint: str) -> Diagnostic:
    """Everything of the source dialect is translated.

    ## What it does
    Refuses a translation that leaves keys of the source: in a Helm template, in the values of a chart, a
    patch, a quota or a ConfigMap, on a pod without a share; and node selectors that choose machines of
    the source's cloud. A label that a selector of the same object matches is never removed alone: no
    option accepts that.

    ## Why
    What is left does nothing at the target, or keeps pods Pending; a folder is migrated only when each
    such place was looked at.

    ## Example
    A ResourceQuota with `requests.aliyun.com/gpu-mem: 64`, a total over the cards, to `hami`, whose numbers
    are of each card.

    ## Use instead
    Change these places by hand, or accept them with `--allow-leftovers`: what can be translated is
    written, and they are warnings.

    ## Source
    Contract of gpuxlate, "leftovers".
    """
    return this.diagnostic(path, message, hint, on_key=True)


# Rules on what is around the shares: operators, cards, containers, quotas (from GX028).
@rule("GX028", Severity.WARNING, scope=Scope.TRANSLATION)
def operator_knows_the_cards(this: Rule, path: Path, message: str, hint: str) -> Diagnostic:
    """An operator that counts GPUs by the names of resources is given their number.

    ## What it does
    Reports a pod of a kind whose operator counts GPUs by the names of resources, where it would count
    another number than the cards of the share under the keys of the target. In manifests as they are it is an
    info, where the operator finds none, and a warning where KubeRay is told a number that is not whole.

    ## Why
    KubeRay tells Ray of the GPUs of resources that end in `gpu`. Of any other Ray sees none, and
    actors that need one wait for ever. Kubeflow Trainer starts as many processes as the first resource
    with `gpu` in its name says. KServe takes four names for GPUs, and others that an annotation lists.
    `num-gpus: "0.5"` becomes `ray start --num-gpus=0.5`, which ends with an error.

    ## Example
    A RayCluster with `nvidia.com/gpu: 1` and `nvidia.com/gpumem: 8000`, to `tencent-qgpu`.

    ## Use instead
    The number in the operator's own field: `rayStartParams: {num-gpus: "1"}` of the group.

    ## Source
    ray-project/kuberay, `ray-operator/controllers/ray/utils/resources.go` and `common/pod.go`;
    kubeflow/trainer, `pkg/runtime/runtime.go` (2026-08); kserve/kserve, `pkg/constants/constants.go`,
    DefaultGPUResourceTypeList, issues 4505 and 4776; ray-project/ray, issue 55661.
    """
    return this.diagnostic(path, message, hint)


@rule("GX038", Severity.WARNING, scope=Scope.TRANSLATION)
def upgrade_changes_nothing(this: Rule, path: Path, message: str, hint: str | None) -> Diagnostic:
    """A newer release of a component treats the keys of a pod, and the values of its chart, as the older
    one does.

    ## What it does
    With `lint --upgrade hami=2.10..2.11`, reports what differs between the two releases, and nothing else:
    keys that only one of them reads, amounts that change, those of quotas too, and, as an error, what the
    newer one refuses. In a file of values, and in what a HelmRelease or an Application of Argo CD has for the
    chart of the component, it reports values that the newer chart has under another name, or is not rendered
    with.

    ## Why
    A pod that runs today may get a whole card after the upgrade, or be refused. What a release changes is in
    `rules/releases.yaml`, each row with its source; a profile may add rows (`releases`).

    ## Example
    A pod with `hygon.com/dcunum: 1`, from HAMi 2.10 to 2.11.

    ## Use instead
    `hygon.com/hcunum: 1`, when the cluster is upgraded.

    ## Source
    Contract of gpuxlate, "Releases".
    """
    return this.diagnostic(path, message, hint, on_key=True)


@rule("GX029", Severity.WARNING, scope=Scope.TRANSLATION)
def cards_are_of_one_vendor(this: Rule, path: Path, old: str | None, new: str, target: str) -> Diagnostic:
    """The cards of the target are of the same vendor as those of the source.

    ## What it does
    Reports a pod whose cards at the target are of another vendor than those that it requests now. It is an
    info where the share does not say whose cards it requests, and those of the target are not NVIDIA's.

    ## Why
    An image is built for the runtime of one vendor. Its programs do not find, or cannot use, the cards of
    another one, and the manifest does not show it.

    ## Example
    A pod with `nvidia.com/gpumem` (HAMi, NVIDIA cards) to a target of MetaX cards.

    ## Use instead
    An image that is built for the cards of the target.

    ## Source
    Contract of gpuxlate, "what each target writes".
    """
    hint = msg("use an image that is built for cards of {vendor}", vendor=new)
    if old is not None:
        return this.diagnostic(path, made_by_another(target, new, old), hint)
    text = "the cards of {target} are made by {new}, and the share does not say whose cards it requests"
    return this.diagnostic(path, msg(text, target=target, new=new), hint, severity=Severity.INFO)


def made_by_another(target: str, new: str | None, old: str | None) -> Message:
    """The cards of the target are of another vendor than those of the source."""
    text = "the cards of {target} are made by {new}, those of the source by {old}"
    return msg(text, target=target, new=new, old=old)


@rule("GX030", Severity.WARNING, scope=Scope.TRANSLATION)
def containers_are_known(this: Rule, path: Path, key: str) -> Diagnostic:
    """The pod of a chart's values has one container where the target counts containers.

    ## What it does
    Reports that a key with one number for each container of the pod is written into the values of a chart.

    ## Why
    Values show the resources of one container. A template may put others beside it, such as a proxy, and a
    list with too few numbers is refused or counts for another container.

    ## Example
    A chart with two cards in `resources`, to `volcengine-mgpu`: `container-multiple-gpu: "2"`.

    ## Use instead
    One number for each container that the template renders, in their order, 0 for one without a share:
    `helm template CHART` shows them.

    ## Source
    Contract of gpuxlate, "chart values".
    """
    message = msg("{key} has one number for each container: values show only one container", key=key)
    return this.diagnostic(path, message, "compare it with the containers that helm template CHART prints")


@rule("GX031", Severity.WARNING, scope=Scope.TRANSLATION)
def quota_limits_the_same(
    this: Rule, path: Path, message: str, hint: str | None, severity: Severity = Severity.WARNING
) -> Diagnostic:
    """A quota limits the same after a translation.

    ## What it does
    Reports amounts of a quota that `--round up` makes larger, and compute of a dialect that counts whole
    cards in it, to one that does not, or the other way; and resources that are cards in some pods and percent
    in others.

    ## Why
    The numbers of a quota are translated by unit. A dialect that has whole cards under a key of their own
    does not count them as compute, so the same number limits more or less than before.

    ## Example
    A ResourceQuota with `requests.vke.volcengine.com/mgpu-core: 400` to `alibaba-gpushare`, where whole
    cards are `nvidia.com/gpu`.

    ## Use instead
    An amount for whole cards beside that of compute: `requests.nvidia.com/gpu: 2`.

    ## Source
    Contract of gpuxlate, "quotas"; The data sheets of the vendors' keys.
    """
    return this.diagnostic(path, message, hint, severity=severity, on_key=True)
