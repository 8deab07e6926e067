"""``gpuxlate parse``: vendor manifests to GPUShare documents."""

from __future__ import annotations

from gpuxlate.cli import common, options
from gpuxlate.cli.errors import Exit
from gpuxlate.cli.render import joined
from gpuxlate.cli.translations import count_to_each, show_findings
from gpuxlate.files.find import InputError
from gpuxlate.model.messages import msg
from gpuxlate.translation.options import Settings
from gpuxlate.translation.read import READ, share_documents
from gpuxlate.translation.results import Item


def command(
    paths: options.Paths,
    from_: options.From = None,
    profile: options.ProfileFile = None,
    output: options.YamlOutput = "yaml",
) -> int:
    """Write the shares of vendors' manifests as GPUShare documents, one for each container with a share."""
    source = common.target(from_) if from_ else None
    settings = Settings.reading(source, common.profile(profile))
    (run,) = count_to_each(common.some_inputs(paths, or_excluded=True), [settings], READ)
    show_findings(run, run.diagnostics)
    if run.refused:
        return Exit.INPUT if run.unreadable else Exit.FINDINGS
    if not run.items and run.files:
        raise InputError(
            msg("{paths}: no container requests a GPU in a known dialect", paths=common.names_of(paths)),
            "gpuxlate targets shows the keys of each dialect",
        )
    common.data_out(_rendered(run.items, output))
    return Exit.CLEAN


def _rendered(items: list[Item], output: str) -> str:
    from gpuxlate.cli.schemas import editor_line
    from gpuxlate.report.characters import text_of
    from gpuxlate.report.json import dump
    from gpuxlate.yamltext.plain import dump_yaml

    made = share_documents(items)
    if output == "json":
        return dump({"format": "gpuxlate-shares/v1", "items": made})
    shares = (one for one in items if one.share)
    return joined(
        [
            editor_line("spec")
            + (text_of([f"# derived: {one.derived.text}"]) if one.derived else "")
            + dump_yaml(document)
            for one, document in zip(shares, made, strict=True)
        ]
    )
