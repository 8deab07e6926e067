"""The rules of a translation on what is around the shares: operators, cards, containers, quotas (from GX028).

No admission policy can enforce them: they compare a manifest with its translation.
"""

from __future__ import annotations

from gpuxlate.model.diagnostics import Diagnostic, Severity
from gpuxlate.model.messages import say
from gpuxlate.model.pod import Path
from gpuxlate.rules.base import Rule, Scope, rule


@rule("GX028", Severity.WARNING, scope=Scope.TRANSLATION)
def operator_knows_the_cards(this: Rule, path: Path, message: str, hint: str) -> Diagnostic:
    """An operator that counts GPUs by the names of resources is told their number.

    ## What it does
    Reports a pod of a kind whose operator counts GPUs by the names of resources, where it would count
    another number than the cards of the share under the keys of the target.

    ## Why
    KubeRay tells Ray of the GPUs of resources that end in `gpu`. Of any other Ray sees none, and
    actors that need one wait for ever. Kubeflow Trainer starts as many processes as the first resource
    with `gpu` in its name says.

    ## Example
    A RayCluster with `nvidia.com/gpu: 1` and `nvidia.com/gpumem: 8000`, to `tencent-qgpu`.

    ## Use instead
    The number in the operator's own field: `rayStartParams: {num-gpus: "1"}` of the group.

    ## Source
    ray-project/kuberay `ray-operator/controllers/ray/utils/resources.go` and `common/pod.go`;
    kubeflow/trainer `pkg/runtime/runtime.go`, 2026-08.
    """
    return this.at(path, message, hint)


@rule("GX029", Severity.WARNING, scope=Scope.TRANSLATION)
def cards_are_of_one_vendor(this: Rule, path: Path, old: str, new: str, target: str) -> Diagnostic:
    """The cards of the target are made by the vendor of those of the source.

    ## What it does
    Reports a pod whose cards at the target are of another vendor than those that it requests now.

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
    message = say(
        "the cards of {target} are made by {new}, those of the source by {old}",
        target=target,
        new=new,
        old=old,
    )
    return this.at(path, message, say("use an image that is built for cards of {vendor}", vendor=new))


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
    message = say("{key} has one number for each container: values show one container alone", key=key)
    return this.at(path, message, "compare it with the containers that helm template CHART prints")


@rule("GX031", Severity.WARNING, scope=Scope.TRANSLATION)
def quota_limits_the_same(
    this: Rule, path: Path, message: str, hint: str | None, severity: Severity = Severity.WARNING
) -> Diagnostic:
    """A quota limits the same after a translation.

    ## What it does
    Reports amounts of a quota that `--round up` makes larger, and compute of a dialect that counts whole
    cards in it, to one that does not, or the other way.

    ## Why
    The numbers of a quota are translated by unit. A dialect that has whole cards under a key of their own
    does not count them as compute, so the same number limits more or less than before.

    ## Example
    A ResourceQuota with `requests.vke.volcengine.com/mgpu-core: 400` to `alibaba-gpushare`, where whole
    cards are `nvidia.com/gpu`.

    ## Use instead
    An amount for whole cards beside that of compute: `requests.nvidia.com/gpu: 2`.

    ## Source
    Contract of gpuxlate, "quotas"; the data sheets of the dialects.
    """
    return this.at(path, message, hint, severity=severity, on_key=True)
