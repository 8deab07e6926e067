"""``gpuxlate help terms``: what the words of the help and of messages mean."""

from __future__ import annotations

from gpuxlate.cli.tables import fold
from gpuxlate.locale import localize
from gpuxlate.model.messages import msg

TERM_TEXTS = {
    "share": msg("What one container requests of GPUs: cards, compute, memory, policy."),
    "target": msg("A scheduler or a cloud to write for, such as tke: gpuxlate targets lists them."),
    "dialect": msg("The keys in which a target, or a manifest, writes a share."),
    "profile": msg("A file that describes a cluster: its target, cards, versions and policy."),
    "loss": msg(
        "A change that the target needs: rounded, filled or dropped. Nothing is written until it is accepted."
    ),
    "refused": msg(
        "The target cannot express the share. No flag and no decision accepts this: change the share."
    ),
    "decision": msg("An entry in a file that accepts one loss of one container, with a reason."),
    "leftover": msg("A key of the source dialect that is not translated: --allow-leftovers keeps it."),
    "finding": msg("What lint reports: a rule, its place, and what to write instead."),
}
"""Each word with what it means, in the order in which one meets them."""

_INDENT = 12
_COLUMNS = 80


def terms_text() -> str:
    """The words with their meanings, in the language of this process."""
    lines = [
        line
        for word, meaning in TERM_TEXTS.items()
        for line in fold(localize(meaning), _COLUMNS, f"  {word.ljust(_INDENT - 2)}", " " * _INDENT)
    ]
    return "\n".join(lines)
