"""GPUShare documents of one text for one target, without reading files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import PurePath

from gpuxlate.backends.base import ContainerShare, JobBackend
from gpuxlate.backends.form import MergeError
from gpuxlate.config.document import ShareDocument
from gpuxlate.config.specs import shares_in
from gpuxlate.manifest.jobs import CONTAINER
from gpuxlate.model.diagnostics import Diagnostic, ObjectRef, Severity
from gpuxlate.model.messages import message_of, say
from gpuxlate.rules.translation import text_is_editable
from gpuxlate.translation.pods.fit import fit_pod
from gpuxlate.translation.pods.item import Item
from gpuxlate.translation.render import Asked, Rendering, render_on, render_probe
from gpuxlate.translation.settings import Settings
from gpuxlate.yamltext.place import placed
from gpuxlate.yamltext.source import Source


def rendered(
    spec: Source, workload: Source | None, container: str | None, settings: Settings
) -> list[Rendering]:
    """Each share for a target, or all of them on one workload. Raises ValueError without a share."""
    found, problems = shares_in(spec, settings.profile)
    if problems:
        return [Rendering("", "", (), tuple(problems))]
    if not found:
        raise ValueError(f"{spec.name}: no GPUShare document")
    if container and workload is None:
        raise ValueError("container needs workload: the text of the manifest with that container")
    asked = [Asked(share, document, _container(share, container)) for document, share in found]
    if not settings.to.writes_pods:
        return _forms(asked, workload, settings)
    if workload is not None:
        return [render_on(workload, asked, settings)]
    named = list(_for_a_file(asked))
    if named:
        return [Rendering("", "", (), tuple(named))]
    return [render_probe(one, settings) for one in asked]


def _container(share: ShareDocument, container: str | None) -> str | None:
    return container or (share.workload.container if share.workload else None)


def _forms(asked: Sequence[Asked], workload: Source | None, settings: Settings) -> list[Rendering]:
    if len(asked) > 1:
        raise ValueError(f"{len(asked)} shares for {settings.to.name}, which takes one share a text")
    return [render_form(asked[0], settings, "text", workload)]


def _for_a_file(asked: Sequence[Asked]) -> Iterator[Diagnostic]:
    """A document that names a manifest is not rendered as a probe Pod instead."""
    for one in asked:
        if one.share.workload:
            found = Diagnostic(
                "GX010",
                Severity.ERROR,
                say("the share is for {file}, and files are not read here", file=one.share.workload.file),
                "pass the text of that manifest as workload",
                ("spec", "workload", "file"),
            )
            yield placed(one.document, found)


def render_form(asked: Asked, settings: Settings, output: str, base: Source | None) -> Rendering:
    """A share as a text of its own, or put into the parameters of ``base``. Raises WrongFileError."""
    backend, share = settings.to, asked.share
    assert isinstance(backend, JobBackend)
    one = ContainerShare(CONTAINER, 0, share=share.share, origins=share.origins, path=("spec",))
    fit = fit_pod([one], backend, settings.accept, settings.profile)
    found = [placed(asked.document, finding) for finding in fit.findings()]
    text = ""
    if fit.accepted:
        if base is None:
            text = backend.render(fit.keys, output)
        else:
            try:
                text = base.bom + backend.merge(base, fit.keys)
            except MergeError as error:
                found.append(text_is_editable((), message_of(error)).located(file=base.name))
    outcome = fit.outcomes[0]
    item = Item(
        asked.document.source.name,
        asked.document.index,
        ObjectRef("gpuxlate.io/v1alpha1", "GPUShare", None, share.name),
        CONTAINER,
        "spec",
        backend.name,
        share.share,
        outcome.verdict,
        outcome.losses,
        tuple(found),
        derived=outcome.derived,
    )
    suffix = PurePath(base.name).suffix if base else ".json" if output == "json" else backend.suffix
    return Rendering(share.name, text, (item,), tuple(found), suffix)
