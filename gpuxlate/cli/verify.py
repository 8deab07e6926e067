"""``gpuxlate verify``: compare what nvidia-smi prints in a container with the share."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, ClassVar

import typer

from gpuxlate.backends.base import Backend
from gpuxlate.cli import live, lookup, options, printing
from gpuxlate.cli.inputs import Inputs
from gpuxlate.cli.options import invocation
from gpuxlate.cli.tables import table
from gpuxlate.cluster.running import find_running_container, nvidia_smi_output
from gpuxlate.config.document import ShareDocument, ShareDocuments, read_specs
from gpuxlate.files.find import STDIN, Input, InputError
from gpuxlate.locale import localize
from gpuxlate.model.declarations import Count, Output, Printed, record
from gpuxlate.model.errors import Exit, UserError
from gpuxlate.model.messages import Message, join_and, message_of, msg, plural, titled
from gpuxlate.model.profile import Profile
from gpuxlate.planning import nvidia_smi
from gpuxlate.planning.nvidia_smi import NvidiaSmiError, ShownCards
from gpuxlate.planning.verify import Verification, expected_values, mib_text, verify
from gpuxlate.report.characters import text_of
from gpuxlate.yamltext.parse import Document, with_location

Name = Annotated[
    str | None, typer.Option("--name", help="The name of the document, if there are several.", metavar="NAME")
]


def command(
    specs: options.Specs,
    printed: Annotated[
        str,
        typer.Option(
            "--nvidia-smi", help="The file with the output of nvidia-smi, or - for stdin.", metavar="FILE"
        ),
    ],
    name: Name = None,
    to: Annotated[
        str | None,
        typer.Option(
            "--to",
            help="The target that the container runs at.",
            metavar="TARGET",
            autocompletion=options.complete_target,
        ),
    ] = None,
    profile: options.ProfileFile = None,
    card_memory: options.CardMemory = None,
    output: options.TableOutput = "table",
) -> int:
    """Compare the output of nvidia-smi in a container with the share: cards, and the memory of each."""
    if printed == "-" and "-" in specs:
        raise UserError("stdin can be read once only", "give SPEC or --nvidia-smi as a file")
    target_profile = lookup.profile(profile)
    backend = _target(to, target_profile)
    documents = read_specs(Inputs(specs).some(), target_profile)
    printing.show(documents.diagnostics, documents.sources)
    if documents.broken:
        return Exit.FINDINGS
    document, share = _choose_share(documents, name)
    wanted_cards, refused = expected_values(share.share, backend, target_profile, card_memory)
    if refused:
        printing.show([with_location(document, finding) for finding in refused], documents.sources)
        return Exit.FINDINGS
    return print_verification(share.name, backend, verify(wanted_cards, _seen(printed)), output)


def print_verification(name: str, backend: Backend | None, verification: Verification, output: str) -> int:
    """Print the result for a share, and return the exit code."""
    for note in verification.notes:
        printing.info(titled("note", note))
    if output == "json":
        printing.json_out(_json(name, backend, verification))
    else:
        printing.out(_text(name, verification))
    return Exit.CLEAN if verification.match else Exit.FINDINGS


def _target(to: str | None, target_profile: Profile | None) -> Backend | None:
    """The target of ``--to``, else that of the profile; the two may not differ."""
    backend = lookup.target(to) if to else None
    if target_profile is None:
        return backend
    of_profile = lookup.target(target_profile.target)
    if backend is not None and backend.name != of_profile.name:
        raise UserError(
            msg("--to is {name}, but the profile is for {name_2}", name=backend.name, name_2=of_profile.name),
            "omit --to or --profile",
        )
    return of_profile


def _choose_share(documents: ShareDocuments, name: str | None) -> tuple[Document, ShareDocument]:
    """The GPUShare document of a name, or the only one. Raises UserError where it is not one document."""
    shares = [(document, share) for _, document, share in documents.shares if name in (None, share.name)]
    if len(shares) == 1:
        return shares[0]
    names = ", ".join(share.name for _, _, share in documents.shares)
    if not shares:
        raise UserError(
            msg("no GPUShare document is named {name!r}", name=name), msg("names: {names}", names=names)
        )
    if name is not None:
        raise UserError(
            msg("{count} GPUShare documents are named {name!r}", count=len(shares), name=name),
            "give one file",
        )
    raise UserError(
        msg("{count} GPUShare documents, and --name is not set", count=len(shares)),
        msg("names: {names}", names=names),
    )


def _seen(printed: str) -> ShownCards:
    """The output of nvidia-smi. Raises InputError where it is empty, UserError where it is not valid."""
    file = Input(STDIN, None) if printed == "-" else Input(printed, Path(printed))
    text = file.source().text
    if not text.strip():
        raise InputError(msg("{name}: it is empty", name=file.name), nvidia_smi.EXPECTED)
    try:
        return nvidia_smi.read_nvidia_smi(text)
    except NvidiaSmiError as error:
        raise UserError(
            msg("{name}: {error}", name=file.name, error=error.message), error.hint, error.exit_code
        ) from None


def _text(name: str, verification: Verification) -> str:
    """The result as a table, and the verdict below it."""
    expectation = verification.expected
    requested = msg("all") if expectation.asked_mib is None else str(expectation.asked_mib)
    head = ["CARD", "NAME", "REQUESTED MiB", "EXPECTED MiB", "FOUND MiB", "WITHIN BOUNDS"]
    rows = [
        [
            str(card.seen.index),
            card.seen.name or "",
            requested,
            "" if expectation.figure_mib is None else str(expectation.figure_mib),
            "?" if card.seen.total_mib is None else str(card.seen.total_mib),
            msg({True: "yes", False: "no", None: "not checked"}[card.within]),
        ]
        for card in verification.cards
    ]
    if expectation.figure_mib is None:
        head, rows = _without(head, 3), [_without(row, 3) for row in rows]
    verdict = "match" if verification.match else "mismatch"
    detail = join_and(verification.problems, "{before}; {last}") or _match_text(verification)
    return text_of([name, ""]) + table(head, rows) + text_of(["", localize(titled(verdict, detail))])


def _without(row: list[str], column: int) -> list[str]:
    """A row of the table without one of its columns."""
    return row[:column] + row[column + 1 :]


def _match_text(verification: Verification) -> Message:
    """The sentence of a result without a problem: how many cards, and the bounds of their memory in MiB."""
    count = len(verification.cards)
    cards = plural(count, "{count} card", "{count} cards")
    least, maximum = verification.expected.minimum, verification.expected.maximum
    if least is None or maximum is None:
        return msg("{cards} as requested; the memory was not checked", cards=cards)
    single = "{cards} as requested, within {least} to {most} MiB"
    each = "{cards} as requested, each within {least} to {most} MiB"
    return msg(single if count == 1 else each, cards=cards, least=mib_text(least), most=mib_text(maximum))


@record
class VerifiedCard(Printed):
    """One card that nvidia-smi printed."""

    index: Count
    """Its index."""
    name: str | None
    """Its name; null: nvidia-smi did not print it."""
    asked_mib: int | float | None
    """The memory of the request; null: all of the card."""
    expected_mib: int | float | None
    """What the target makes of it; null: it is not known."""
    found_mib: int | float | None
    """What the card has for the container; null: it is not known."""
    used_mib: int | float | None
    """What of it is in use; null: nvidia-smi did not print it."""
    within: bool | None
    """It is within the bounds; null: there are none."""


@record
class MemoryBounds(Printed):
    """From where to where the memory of a card is right."""

    least_mib: float
    """The least."""
    most_mib: float
    """The most."""


@record
class VerifyOutput(Output):
    """What verify -o json prints."""

    KIND: ClassVar[str] = "verify"
    name: str
    """Name of the share."""
    target: str | None
    """The target that the container runs at; null: it was not named."""
    match: bool
    """The cards are as requested."""
    cards_asked: Count | None
    """Cards of the share; null: its parts may be of one card or of several."""
    cards_found: Count
    """Cards that were printed."""
    bounds: MemoryBounds | None
    """From where to where the memory of a card is right; null: any will do."""
    cards: Sequence[VerifiedCard]
    """Every card."""
    problems: Sequence[str]
    """What is not as requested."""
    notes: Sequence[str]
    """What could not be checked."""


def _json(name: str, backend: Backend | None, verification: Verification) -> dict[str, Any]:
    """The result as it is printed with ``-o json``."""
    expectation = verification.expected
    bounds = (
        None
        if expectation.minimum is None or expectation.maximum is None
        else MemoryBounds(float(expectation.minimum), float(expectation.maximum))
    )
    return VerifyOutput(
        name,
        backend.name if backend else None,
        verification.match,
        expectation.cards,
        len(verification.cards),
        bounds,
        [
            VerifiedCard(
                card.seen.index,
                card.seen.name,
                expectation.asked_mib,
                expectation.figure_mib,
                card.seen.total_mib,
                card.seen.used_mib,
                card.within,
            )
            for card in verification.cards
        ],
        verification.problems,
        verification.notes,
    ).to_json()


def on_cluster(
    specs: Annotated[
        list[str],
        typer.Argument(help="A running pod; with --nvidia-smi, GPUShare documents.", metavar="POD|SPEC..."),
    ],
    container: Annotated[
        str | None, typer.Option("-c", "--container", help="The container of the pod.", metavar="NAME")
    ] = None,
    output_of: Annotated[
        str | None,
        typer.Option(
            "--nvidia-smi", help="The file with the output of nvidia-smi, or - for stdin.", metavar="FILE"
        ),
    ] = None,
    name: Name = None,
    to: Annotated[
        str | None,
        typer.Option(
            "--to",
            help="The target that the container of a document runs at.",
            metavar="TARGET",
            autocompletion=options.complete_target,
        ),
    ] = None,
    profile: options.ProfileFile = None,
    card_memory: options.CardMemory = None,
    output: options.TableOutput = "table",
) -> int:
    """Run nvidia-smi in a container, and compare the cards and the memory of each with the share.

    With --nvidia-smi, nothing is run: this output is compared with a GPUShare document.
    """
    if output_of is not None:
        return command(specs, output_of, name, to, profile, card_memory, output)
    if name is not None or to is not None:
        raise UserError("--name and --to need --nvidia-smi", "a pod is in the dialect of its cluster")
    if len(specs) != 1:
        raise UserError(msg("{count} pods given", count=len(specs)), "pass one")
    user_profile = lookup.profile(profile)
    server = live.cluster_of_flags()
    running_container = find_running_container(
        server, specs[0], invocation().namespace or server.namespace, container
    )
    about = _profile_of_pod(user_profile, running_container.profile)
    # it runs, so the target takes the share: refusals do not matter
    expectation, _ = expected_values(
        running_container.share, running_container.backend, about, card_memory or running_container.card_mib
    )
    name_of_container = f"{running_container.namespace}/{running_container.pod} {running_container.container}"
    try:
        seen = nvidia_smi.read_nvidia_smi(nvidia_smi_output(server, running_container))
    except NvidiaSmiError as error:
        hint = error.hint
        if hint == nvidia_smi.EXPECTED:  # it is from the container, not from the user
            flags = (
                f"-n {running_container.namespace} {running_container.pod} -c {running_container.container}"
            )
            by_hand = f"kubectl exec {flags} -- nvidia-smi"
            hint = msg("run it yourself: {on_cluster}", on_cluster=by_hand)
        raise UserError(
            msg("{who}: {error}", who=name_of_container, error=message_of(error)), hint, Exit.FINDINGS
        ) from None
    return print_verification(name_of_container, running_container.backend, verify(expectation, seen), output)


def _profile_of_pod(user_profile: Profile | None, live: Profile | None) -> Profile | None:
    """The profile of the user, else that of the node."""
    if user_profile is None or live is None:
        return user_profile or live
    if lookup.target(user_profile.target).name != live.target:
        raise UserError(
            msg(
                "the profile is for {target}, but the pod runs on {target_2}",
                target=user_profile.target,
                target_2=live.target,
            ),
            "omit --profile, or pass one for the target of the pod",
        )
    return user_profile
