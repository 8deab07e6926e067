"""``gpuxlate krm``: a KRM function for kpt and kustomize."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from gpuxlate.cli import options, printing
from gpuxlate.files.find import STDIN, Input, InputError
from gpuxlate.model.errors import Exit, UserError
from gpuxlate.model.messages import message_of, msg
from gpuxlate.translation.krm import FunctionConfigError, field_path, for_stderr, run_list
from gpuxlate.translation.krm_config import BadConfigError, settings_of
from gpuxlate.translation.options import Settings, relevant_to
from gpuxlate.translation.results import Result
from gpuxlate.translation.translate import translate_source
from gpuxlate.yamltext.plain import plain_document
from gpuxlate.yamltext.source import Source, Texts


def command(
    config_file: Annotated[
        str | None,
        typer.Argument(
            help="The configuration file, as an exec plug-in of kustomize; resources are on stdin.",
            metavar="[CONFIGFILE]",
            show_default=False,
        ),
    ] = None,
    output: Annotated[  # noqa: ARG001 - there is no other
        Literal["yaml"], typer.Option(*options.FORMAT_FLAGS, help="Output format.", metavar="FORMAT")
    ] = "yaml",
) -> int:
    """Run as a KRM function: read a ResourceList from stdin, and write it to stdout, translated.

    The functionConfig is of kind Translate (apiVersion gpuxlate.io/v1alpha1, spec: to, from, round, drop,
    fill, profile, allowLeftovers, decisions), or a ConfigMap with the same keys in data.
    """
    settings = None if config_file is None else _settings(config_file)
    source = Input(STDIN, None).source()
    if not source.text.strip():
        raise InputError(msg("{name}: it is empty", name=STDIN))
    # a plain stream of resources is what older plug-ins of kustomize get
    result = (
        _of_list(source) if settings is None else translate_source(relevant_to([settings], source), settings)
    )
    printing.show(for_stderr(result.diagnostics), Texts(source))
    if settings is None or not result.refused:
        printing.documents_out([source.encode(result.text)])
    return Exit.FINDINGS if result.refused else Exit.CLEAN


def _of_list(source: Source) -> Result:
    try:
        return run_list(source)
    except FunctionConfigError as error:
        printing.documents_out([source.encode(error.text)])
        wrong = error.finding
        where = f"{field_path(wrong.path)}: " if wrong.path else ""
        raise UserError(msg("{where}{message}", where=where, message=wrong.message), wrong.hint) from None


def _settings(file: str) -> Settings:
    try:
        return settings_of(plain_document(Input(file, Path(file)).source()))
    except BadConfigError as error:
        raise UserError(msg("{file}: {message}", file=file, message=error.message), error.hint) from None
    except ValueError as error:
        raise UserError(msg("{file}: invalid YAML: {error}", file=file, error=message_of(error))) from None
