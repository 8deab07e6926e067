"""The pods of manifests that request GPUs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from gpuxlate.backends import registry
from gpuxlate.config.specs import is_share_document
from gpuxlate.inputs.claims import ClaimIndex, text_of
from gpuxlate.manifest.pods import Pod, pods_in, replicas
from gpuxlate.model.claims import Place
from gpuxlate.model.diagnostics import Diagnostic, Severity
from gpuxlate.model.messages import say
from gpuxlate.planning.nodes import WHOLE_KEY
from gpuxlate.planning.problem import Wanted
from gpuxlate.rules.base import Context
from gpuxlate.rules.source import no_yaml
from gpuxlate.translation.pods.reader import read_pod
from gpuxlate.yamltext.compose import Document, NotYamlError, documents
from gpuxlate.yamltext.place import placed
from gpuxlate.yamltext.source import Source, Texts


@dataclass(slots=True)
class Demand:
    """Pods that request GPUs, what is wrong with them, and what is not known of them."""

    wanted: list[Wanted] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    sources: Texts = field(default_factory=Texts)
    unclear: list[str] = field(default_factory=list)
    claims: set[Place] = field(default_factory=set)  # ResourceClaims that a pod of these names


class DemandError(ValueError):
    """A manifest that is not written for one cluster; ``hint``: what to do."""

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message)
        self.hint = hint


def demand(sources: Iterable[Source]) -> Demand:
    """The pods of some texts. Raises DemandError."""
    found, texts = Demand(), list(sources)
    index = ClaimIndex(map(text_of, texts))
    for source in texts:
        found.sources.add(source)
        try:
            for document in documents(source):
                if is_share_document(document):
                    raise DemandError(
                        say("{name}: a GPUShare document is not a manifest for a cluster", name=source.name),
                        "write one: gpuxlate render FILE --to TARGET | kubectl gpuxlate capacity -f -",
                    )
                for pod in pods_in(document):
                    _pod(found, document, index.resolved(pod, source.name))
        except NotYamlError as error:
            found.diagnostics.append(no_yaml(source, error))
    return found


def _pod(found: Demand, document: Document, pod: Pod) -> None:
    dialects = registry.backends_of(pod.keys)
    whole = any(WHOLE_KEY in one.resources for one in pod.keys.all_containers())
    name = f"{pod.object.kind}/{pod.object.name}"
    if not dialects and not whole:
        missing = (claim.missing.message for claim in pod.keys.claims if claim.missing)
        found.unclear += [say("{name}: {message}", name=name, message=message) for message in missing]
        return
    foreign = next((one for one in dialects if not one.has_nodes), None)
    if foreign is not None or len(dialects) > 1:
        names = " and ".join(one.name for one in dialects)
        raise DemandError(
            say(
                "{name}: {name_2} is written for {names}", name=document.source.name, name_2=name, names=names
            ),
            "write it for one: gpuxlate translate FILE --to TARGET | kubectl gpuxlate capacity -f -",
        )
    backend = dialects[0] if dialects else None
    if backend is not None:
        _, problems = read_pod(pod.keys, backend, Context(None, tuple(registry.pod_backends())))
        errors = [one for one in problems if one.severity is Severity.ERROR]
        found.diagnostics += [placed(document, one, pod.object) for one in errors]
    count = replicas(document, pod)
    named = [one for one in pod.keys.claims if one.found]
    if named and all(one.claim for one in named):  # all of its pods, and others that name them, have these
        places = {one.found.place for one in named if one.found}
        if places <= found.claims:
            return
        found.claims |= places
        count = 1
    if count is None:
        text = "{name}: its number of pods depends on the nodes of the cluster; 1 is counted"
        found.unclear.append(say(text, name=name))
    found.wanted.append(Wanted(name, pod.keys, backend, 1 if count is None else count))
