"""``gpuxlate parse``: vendor manifests to GPUShare documents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, ClassVar

from gpuxlate.cli import lookup, options, printing
from gpuxlate.cli.inputs import Inputs
from gpuxlate.cli.render import join_documents
from gpuxlate.cli.translations import count_to_each, show_findings
from gpuxlate.files.find import InputError
from gpuxlate.model.declarations import Output, record
from gpuxlate.model.errors import Exit
from gpuxlate.model.messages import msg
from gpuxlate.translation.items import Item
from gpuxlate.translation.options import Settings
from gpuxlate.translation.read import READ, share_documents


class _OfSpec:
    """To pydantic, a GPUShare document."""

    def __get_pydantic_core_schema__(self, kind: Any, handler: Any) -> Any:
        from gpuxlate.config.document_model import DocumentModel

        return handler.generate_schema(DocumentModel)


@record
class SharesOutput(Output):
    """What parse -o json prints."""

    KIND: ClassVar[str] = "shares"
    items: Sequence[Annotated[Mapping[str, Any], _OfSpec()]]
    """A GPUShare document for each share."""


def command(
    paths: options.Paths,
    from_: options.From = None,
    profile: options.ProfileFile = None,
    output: options.YamlOutput = "yaml",
) -> int:
    """Write the shares of vendors' manifests as GPUShare documents, one for each container with a share."""
    source = lookup.target(from_) if from_ else None
    settings = Settings.reading(source, lookup.profile(profile))
    (run,) = count_to_each(Inputs(paths).some(or_excluded=True), [settings], READ)
    show_findings(run, run.diagnostics)
    if run.refused:
        return Exit.INPUT if run.unreadable else Exit.FINDINGS
    if not run.items and run.files:
        raise InputError(
            msg("{paths}: no container requests a GPU in a known dialect", paths=str(Inputs(paths))),
            "gpuxlate targets shows the keys of each dialect",
        )
    printing.data_out(_rendered(run.items, output))
    return Exit.CLEAN


def _rendered(items: list[Item], output: str) -> str:
    from gpuxlate.config.schemas import editor_line
    from gpuxlate.report.characters import text_of
    from gpuxlate.report.json import to_json_text
    from gpuxlate.yamltext.plain import dump_yaml

    lookup.config()  # has the address of schemas, if there is one
    documents = share_documents(items)
    if output == "json":
        return to_json_text(SharesOutput(documents).to_json())
    shares = (item for item in items if item.share)
    return join_documents(
        [
            editor_line("spec")
            + (text_of([f"# derived: {item.derived.text}"]) if item.derived else "")
            + dump_yaml(document)
            for item, document in zip(shares, documents, strict=True)
        ]
    )
