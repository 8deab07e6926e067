"""GPUShare documents of one text at one target, without looking at the disk."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gpuxlate.config.document import ShareDocument
from gpuxlate.config.specs import shares_in
from gpuxlate.model.diagnostics import Diagnostic, Severity
from gpuxlate.translation.render import Asked, Rendering, render_on, render_probe
from gpuxlate.translation.translate import Settings
from gpuxlate.yamltext.place import placed
from gpuxlate.yamltext.source import Source


def rendered(
    spec: Source, workload: Source | None, container: str | None, settings: Settings
) -> list[Rendering]:
    """What a target makes of each share, or of all on one workload. Raises ValueError without a share."""
    found, problems = shares_in(spec)
    if problems:
        return [Rendering("", "", (), tuple(problems))]
    if not found:
        raise ValueError(f"{spec.name}: no GPUShare document")
    if container and workload is None:
        raise ValueError("container needs a workload: the manifest that has it")
    asked = [Asked(share, document, _container(share, container)) for document, share in found]
    if settings.to.form_module:
        return _forms(asked, workload, settings)
    if workload is not None:
        return [render_on(workload, asked, settings)]
    unread = list(_unread(asked))
    if unread:
        return [Rendering("", "", (), tuple(unread))]
    return [render_probe(one, settings) for one in asked]


def _container(share: ShareDocument, container: str | None) -> str | None:
    return container or (share.workload.container if share.workload else None)


def _forms(asked: Sequence[Asked], workload: Source | None, settings: Settings) -> list[Rendering]:
    from gpuxlate.translation.forms import render_form

    if len(asked) > 1:
        raise ValueError(f"{len(asked)} shares to {settings.to.name}: a text of it holds one share")
    return [render_form(asked[0], settings, "text", workload)]


def _unread(asked: Sequence[Asked]) -> Iterator[Diagnostic]:
    """A document that names a manifest is not put on a Pod of our own instead."""
    for one in asked:
        if one.share.workload:
            found = Diagnostic(
                "GX010",
                Severity.ERROR,
                f"the share is for {one.share.workload.file}, which is not read here",
                "pass the text of that manifest as workload",
                ("spec", "workload", "file"),
            )
            yield placed(one.document, found)
