"""From GPUShare documents to what is no manifest: parameters of jobs, values of forms."""

from __future__ import annotations

from pathlib import PurePath

from gpuxlate.backends.base import Backend, ContainerShare
from gpuxlate.backends.volcengine_emr.parameters.find import (
    SYNTAXES,
    json_object_of,
    keys_of,
    reader_of,
    target_of_keys,
    target_said,
)
from gpuxlate.backends.volcengine_emr.parameters.merge import MergeError, merge
from gpuxlate.backends.volcengine_emr.parameters.text import values_of
from gpuxlate.manifest.jobs import CONTAINER
from gpuxlate.model.diagnostics import ObjectRef
from gpuxlate.model.edits import Edit, Put
from gpuxlate.model.pod import PodKeys
from gpuxlate.rules.translation import text_is_editable
from gpuxlate.translation.fit import fit_pod
from gpuxlate.translation.item import Item
from gpuxlate.translation.render import Asked, Rendering
from gpuxlate.translation.translate import Settings, unique
from gpuxlate.yamltext.edit import EditError, apply, edit_document
from gpuxlate.yamltext.nodes import Mapping
from gpuxlate.yamltext.place import placed
from gpuxlate.yamltext.source import Source


class WrongFileError(ValueError):
    """The file that parameters should go into holds something else."""

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


def render_form(asked: Asked, settings: Settings, output: str, base: Source | None) -> Rendering:
    """A share as a text of its own, or put into the parameters of ``base``. Raises WrongFileError."""
    backend, share = settings.to, asked.share
    assert backend.form is not None
    one = ContainerShare(CONTAINER, 0, share=share.share, origins=share.origins, path=("spec",))
    fit = fit_pod([one], backend, settings.accept, settings.profile)
    found = [placed(asked.document, finding) for finding in unique(list(fit.findings()))]
    text = ""
    if fit.accepted:
        if base is None:
            text = backend.form.render(fit.keys, output)
        else:
            try:
                text = base.bom + _merged(base, backend, fit.keys)
            except (MergeError, EditError) as error:
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
    suffix = PurePath(base.name).suffix if base else ".json" if output == "json" else backend.form.suffix
    return Rendering(share.name, text, (item,), tuple(found), suffix)


def _merged(base: Source, backend: Backend, keys: PodKeys) -> str:
    """The text of ``base`` with the keys in it; every other byte stays."""
    wanted = {name: value.text for name, value in values_of(keys).items()}
    syntax = SYNTAXES.get(backend.name)
    if syntax is None:
        raise WrongFileError(
            f"{backend.name} is put into no file: its values are typed into a form", "leave --workload out"
        )
    if PurePath(base.name).suffix == ".json":
        return _merged_object(base, backend, wanted)
    if reader_of(base) is None:
        raise _no_job(base, backend)
    _judge_engine(base, target_said(base), backend)
    return merge(base, syntax, wanted)


def _merged_object(base: Source, backend: Backend, wanted: dict[str, str]) -> str:
    """The parameters in one JSON object."""
    document = json_object_of(base)
    if document is None or not isinstance(document.root, Mapping):
        raise _no_job(base, backend)
    _judge_engine(base, target_of_keys(keys_of(document.root)), backend)
    edits: list[Edit] = [Put((name,), text) for name, text in wanted.items()]
    return apply(base.text, edit_document(document, edits))


def _no_job(base: Source, backend: Backend) -> WrongFileError:
    return WrongFileError(
        f"{base.name} is a manifest or no JSON, and {backend.name} writes parameters of a job",
        "name a .conf, .properties, .sql or .json file of the job",
    )


def _judge_engine(base: Source, said: str | None, backend: Backend) -> None:
    if said not in (None, backend.name):
        raise WrongFileError(f"{base.name} holds parameters of {said}", f"pass --to {said}")
