"""The rule on names of cards on their way into claims: DRA012."""

from __future__ import annotations

from collections.abc import Sequence

from gpuxlate.model.diagnostics import Diagnostic, Severity
from gpuxlate.model.messages import say
from gpuxlate.model.pod import Path
from gpuxlate.rules.base import Rule, Scope, rule


@rule("DRA012", Severity.INFO, scope=Scope.TRANSLATION)
def names_are_whole(
    this: Rule, path: Path, key: str, unknown: Sequence[str], others: Sequence[str], target: str
) -> Diagnostic:
    """Card models for a claim are whole product names.

    ## What it does
    Reports `use-gputype` and `nouse-gputype` with text that is not a product name in the catalogue of cards,
    or that is a part of other product names too, in a translation to claims.

    ## Why
    HAMi's scheduler looks for the text anywhere in the name of a card, in any case: `A100` are all A100. A
    driver compares whole names, as `nvidia-smi` prints them: a claim for `A100` fits no card.

    ## Example
    `nvidia.com/use-gputype: A100` to `dra-hami`.

    ## Use instead
    `nvidia.com/use-gputype: NVIDIA A100-SXM4-80GB`, which is a whole name. Names that the catalogue does not
    have, a profile adds: `catalogue: [{name: A40, vendor: nvidia, productName: NVIDIA A40}]`. Where no name
    is certain, `--drop selector` leaves the choice out.

    ## Source
    Project-HAMi/HAMi-DRA, pkg/webhook/dra/mutating.go (2026-08): names are compared exactly.
    """
    if unknown:
        message = say(
            "{key}: {names} is not a whole product name in the catalogue of cards, and {target} compares "
            "whole names",
            key=key,
            names=", ".join(unknown),
            target=target,
        )
        hint = say(
            "write the names that nvidia-smi prints, such as {example}; a profile adds others "
            "(catalogue: productName)",
            example=", ".join(others) or "NVIDIA A100-SXM4-80GB",
        )
        return this.at(path, message, hint)
    message = say(
        "{key} is about {names} too, and {target} compares whole names",
        key=key,
        names=", ".join(others),
        target=target,
    )
    return this.at(path, message, say("write all of these names, or choose the cards by UUID"))
