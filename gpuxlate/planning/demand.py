"""The pods of manifests that request GPUs of a cluster."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from gpuxlate.backends import registry
from gpuxlate.claims.index import ClaimIndex, claim_text_of
from gpuxlate.config.document import is_share_document
from gpuxlate.manifest.pods import Pod, pods_in, replicas
from gpuxlate.model.diagnostics import Diagnostic, Severity
from gpuxlate.model.errors import Exit, UserError
from gpuxlate.model.keys import NVIDIA_GPU
from gpuxlate.model.messages import msg
from gpuxlate.model.pod import ObjectPlace
from gpuxlate.planning.problem import PodDemand
from gpuxlate.rules.base import Context
from gpuxlate.rules.source import unreadable_finding
from gpuxlate.translation.shares import read_pod
from gpuxlate.yamltext.parse import Document, NotYamlError, documents, with_location
from gpuxlate.yamltext.source import Source, Texts


@dataclass(slots=True)
class GpuDemand:
    """Pods that request GPUs, what is wrong with them, and what is not known of them."""

    demands: list[PodDemand] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    sources: Texts = field(default_factory=Texts)
    unclear: list[str] = field(default_factory=list)
    claims: set[ObjectPlace] = field(default_factory=set)  # ResourceClaims that a pod of these names


class DemandError(UserError, ValueError):
    """A manifest that is not written for one cluster; ``hint``: what to do."""

    exit_code = Exit.FINDINGS


def demand(sources: Iterable[Source]) -> GpuDemand:
    """The pods of some texts. Raises DemandError."""
    gpu_demand, texts = GpuDemand(), list(sources)
    index = ClaimIndex(map(claim_text_of, texts))
    for source in texts:
        gpu_demand.sources.add(source)
        try:
            for document in documents(source):
                if is_share_document(document):
                    raise DemandError(
                        msg("{name}: a GPUShare document is not a manifest for a cluster", name=source.name),
                        "write one: gpuxlate render FILE --to TARGET | kubectl gpuxlate capacity -f -",
                    )
                for pod in pods_in(document):
                    _pod(gpu_demand, document, index.resolved(pod, source.name))
        except NotYamlError as error:
            gpu_demand.diagnostics.append(unreadable_finding(source, error))
    return gpu_demand


def _pod(gpu_demand: GpuDemand, document: Document, pod: Pod) -> None:
    dialects = registry.backends_of(pod.keys)
    whole = any(NVIDIA_GPU in container.resources for container in pod.keys.all_containers())
    name = f"{pod.object.kind}/{pod.object.name}"
    if not dialects and not whole:
        missing = (claim.missing.message for claim in pod.keys.claims if claim.missing)
        gpu_demand.unclear += [msg("{name}: {message}", name=name, message=message) for message in missing]
        return
    foreign = next((dialect for dialect in dialects if not dialect.has_nodes), None)
    if foreign is not None or len(dialects) > 1:
        names = " and ".join(dialect.name for dialect in dialects)
        raise DemandError(
            msg(
                "{name}: {name_2} is written for {names}", name=document.source.name, name_2=name, names=names
            ),
            "write it for one: gpuxlate translate FILE --to TARGET | kubectl gpuxlate capacity -f -",
        )
    backend = dialects[0] if dialects else None
    if backend is not None:
        _, problems = read_pod(pod.keys, backend, Context(None, tuple(registry.pod_backends())))
        errors = [finding for finding in problems if finding.severity is Severity.ERROR]
        gpu_demand.diagnostics += [with_location(document, finding, pod.object) for finding in errors]
    count = replicas(document, pod)
    named = [claim for claim in pod.keys.claims if claim.resolved]
    if named and all(
        claim.claim for claim in named
    ):  # all of its pods, and others that name them, have these
        places = {claim.resolved.place for claim in named if claim.resolved}
        if places <= gpu_demand.claims:
            return
        gpu_demand.claims |= places
        count = 1
    if count is None:
        text = "{name}: its number of pods depends on the nodes of the cluster; 1 is counted"
        gpu_demand.unclear.append(msg(text, name=name))
    gpu_demand.demands.append(PodDemand(name, pod.keys, backend, 1 if count is None else count))
