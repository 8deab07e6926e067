"""From GPUShare documents to parameters of jobs and values of forms."""

from __future__ import annotations

from pathlib import PurePath

from gpuxlate.backends.base import ContainerShare
from gpuxlate.backends.form import MergeError
from gpuxlate.manifest.jobs import CONTAINER
from gpuxlate.model.diagnostics import ObjectRef
from gpuxlate.rules.translation import text_is_editable
from gpuxlate.translation.fit import fit_pod
from gpuxlate.translation.item import Item
from gpuxlate.translation.render import Asked, Rendering
from gpuxlate.translation.translate import Settings
from gpuxlate.yamltext.place import placed
from gpuxlate.yamltext.source import Source


def render_form(asked: Asked, settings: Settings, output: str, base: Source | None) -> Rendering:
    """A share as a text of its own, or put into the parameters of ``base``. Raises WrongFileError."""
    backend, share, form = settings.to, asked.share, settings.to.form
    assert form is not None
    one = ContainerShare(CONTAINER, 0, share=share.share, origins=share.origins, path=("spec",))
    fit = fit_pod([one], backend, settings.accept, settings.profile)
    found = [placed(asked.document, finding) for finding in fit.findings()]
    text = ""
    if fit.accepted:
        if base is None:
            text = form.render(fit.keys, output)
        else:
            try:
                text = base.bom + form.merge(base, fit.keys)
            except MergeError as error:
                found.append(text_is_editable((), str(error)).located(file=base.name))
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
    )
    suffix = PurePath(base.name).suffix if base else ".json" if output == "json" else form.suffix
    return Rendering(share.name, text, (item,), tuple(found), suffix)
