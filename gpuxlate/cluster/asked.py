"""The pods of manifests that ask for GPUs: what is to find room."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from gpuxlate.backends import registry
from gpuxlate.cluster.live import WHOLE_KEY
from gpuxlate.cluster.problem import Wanted
from gpuxlate.cluster.server import ObjectError
from gpuxlate.config.specs import is_share_document
from gpuxlate.inputs.files import Input
from gpuxlate.manifest.pods import Pod, pods_in
from gpuxlate.manifest.replicas import replicas
from gpuxlate.model.diagnostics import Diagnostic, Severity
from gpuxlate.rules.base import Context
from gpuxlate.rules.unreadable import no_yaml
from gpuxlate.translation.reader import read_pod
from gpuxlate.yamltext.compose import Document, NotYamlError, documents
from gpuxlate.yamltext.place import placed
from gpuxlate.yamltext.source import Texts


@dataclass(slots=True)
class Asked:
    """Pods that ask for GPUs, what is wrong with them, and what nobody knows of them."""

    wanted: list[Wanted] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    sources: Texts = field(default_factory=Texts)
    unclear: list[str] = field(default_factory=list)


def asked(inputs: Iterable[Input]) -> Asked:
    """The pods of some inputs. Raises InputError, and ObjectError for shares in no cluster's dialect."""
    found = Asked()
    for one in inputs:
        source = one.source()
        found.sources.add(source)
        try:
            for document in documents(source):
                if is_share_document(document):
                    raise ObjectError(
                        f"{source.name}: a GPUShare document is in no cluster's dialect",
                        "gpuxlate render writes it: gpuxlate render FILE --to TARGET | ... -f -",
                    )
                for pod in pods_in(document):
                    _pod(found, document, pod)
        except NotYamlError as error:
            found.diagnostics.append(no_yaml(source, error))
    return found


def _pod(found: Asked, document: Document, pod: Pod) -> None:
    spoken = registry.spoken_in(pod.keys)
    whole = any(WHOLE_KEY in one.resources for one in pod.keys.containers)
    if not spoken and not whole:
        return
    name = f"{pod.object.kind}/{pod.object.name}"
    foreign = next((one for one in spoken if one.live is None), None)
    if foreign is not None or len(spoken) > 1:
        said = " and ".join(one.name for one in spoken)
        raise ObjectError(
            f"{document.source.name}: {name} is written for {said}",
            "gpuxlate translate writes it for one: gpuxlate translate FILE --to TARGET | ... -f -",
        )
    backend = spoken[0] if spoken else None
    if backend is not None:
        _, problems = read_pod(pod.keys, backend, Context(None, tuple(registry.pod_backends())))
        errors = [one for one in problems if one.severity is Severity.ERROR]
        found.diagnostics += [placed(document, one, pod.object) for one in errors]
    count = replicas(document, pod)
    if count is None:
        found.unclear.append(
            f"{name}: how many pods it has is for the cluster's nodes to say; one was counted"
        )
    found.wanted.append(Wanted(name, pod.keys, backend, 1 if count is None else count))
