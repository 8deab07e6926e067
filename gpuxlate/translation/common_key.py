"""Whole cards under the key that every cloud uses: it names no dialect (GX016)."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace

from gpuxlate.backends import registry
from gpuxlate.backends.base import Backend
from gpuxlate.model.diagnostics import Diagnostic
from gpuxlate.model.messages import say
from gpuxlate.model.pod import Path, PodKeys
from gpuxlate.rules.translation import whole_cards_have_a_dialect
from gpuxlate.translation.fit import PodFit


def common_key(pod: PodKeys) -> Path | None:
    """Where a pod requests whole cards by a key that every cloud uses."""
    names = {one.whole_card_key for one in registry.pod_backends()}
    resources = (found for one in pod.all_containers() for found in one.resources.items())
    return next((value.path for name, value in resources if name in names), None)


def left_alone(path: Path) -> Diagnostic:
    """Whole cards that are left as they are; ``named_by_others`` says which dialect may be meant."""
    found: Diagnostic = whole_cards_have_a_dialect(
        path, say("{name} alone is not a vendor's share: left as it is", name=path[-1])
    )
    return found


def named_by_others(found: Diagnostic, spoken: Collection[str]) -> Diagnostic:
    """With the dialects that whole cards which are left may be of, as a hint.

    ``spoken``: those of the other pods of the input. Where there are none, every dialect that reads the
    key may be meant; where there are and none of them reads it, no ``--from`` is of use.
    """
    if found.code != whole_cards_have_a_dialect.code or found.hint is not None or not found.path:
        return found
    readers = [one.name for one in registry.pod_backends() if one.whole_card_key == found.path[-1]]
    names = [name for name in readers if name in spoken] if spoken else readers
    if not names:
        return found
    listed = " or ".join(f"--from {name}" for name in names)
    return replace(found, hint=say("pass {options} to read it as whole cards", options=listed))


def written_without_a_dialect(fit: PodFit, target: Backend) -> Iterator[Diagnostic]:
    """Whole cards that a target writes under the common key alone: only ``--from`` reads them again."""
    written = [one for one in fit.keys.all_containers() if target.whole_card_key in one.resources]
    if not written or not fit.accepted or target.speaks_in(fit.keys):
        return
    for one in fit.outcomes:
        message = say(
            "written as {key} alone, which names no dialect: nothing reads it back without --from",
            key=target.whole_card_key,
        )
        hint = say("pass --from {target} to read it again", target=target.name)
        where = one.container.origins.get("cards", one.container.path)
        yield whole_cards_have_a_dialect(where, message, hint)
