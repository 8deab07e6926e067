"""Findings about the resources of a quota: remarks on those that are translated, and leftovers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gpuxlate.model.diagnostics import Diagnostic, LossKind, Path
from gpuxlate.model.messages import join_and, msg
from gpuxlate.rules.translation import (
    cards_are_of_one_vendor,
    nothing_is_left_behind,
    quota_limits_the_same,
)
from gpuxlate.translation.leftovers import BY_HAND, DECIDE, Leftover
from gpuxlate.translation.options import Settings
from gpuxlate.translation.quotas.counting import has_whole_cards_in_cores, row_of
from gpuxlate.translation.quotas.resources import QuotaNumber, QuotaResource, written_at_target
from gpuxlate.yamltext.parse import Document, with_location


def remarks_on(resource: QuotaResource, settings: Settings) -> Iterator[Diagnostic]:
    """Remarks on a translated resource: what changes, and how far the target counts the same."""
    path, source, target = resource.quota.names[0], resource.source, settings.to
    assert resource.key is not None
    assert resource.counted is not None
    yield from (loss.diagnostic() for loss in resource.losses)
    if resource.prefix:
        message = msg(
            "{key} is kept by the scheduler of {source}, and {new} by Kubernetes, as containers write it",
            key=resource.quota.written,
            source=source.name,
            new=written_at_target(resource, settings),
        )
        yield quota_limits_the_same(path, message, "compare it with the pods that it is for")
    in_source, in_target = map(has_whole_cards_in_cores, (source, target))
    if resource.counted.field == "cores" and not resource.counted.offline and in_source != in_target:
        names = (resource.quota.resource, resource.key.name)
        more, less = names if in_source else names[::-1]
        message = msg("{more} counts whole cards too, and {less} does not", more=more, less=less)
        hint = (
            "set an amount of whole cards beside it, if they are to be limited"
            if in_source
            else "add 100 for each whole card that is to be allowed"
        )
        yield quota_limits_the_same(path, message, hint)
    read = row_of(source, settings.renamed.get(resource.quota.resource, resource.quota.resource))
    for row in (read, resource.key):
        if row is not None and row.repeats:  # its number is that key's in pods that have it
            message = msg(
                "{key} counts cards, and percent in pods that have {other}: a quota adds both",
                key=row.name,
                other=row.repeats,
            )
            yield quota_limits_the_same(path, message, "compare it with the pods that it is for")
    if source.vendor and target.vendor not in (None, source.vendor):
        yield cards_are_of_one_vendor(path, source.vendor, target.vendor, target.name)


def leftovers_of(document: Document, resource: QuotaResource, settings: Settings) -> Iterator[Leftover]:
    """A leftover for each place where the resource is named, with the number to decide about."""
    numbers: dict[Path, list[QuotaNumber]] = {}
    for number in resource.numbers:
        numbers.setdefault(number.written.name, []).append(number)
    for path in resource.quota.names:
        why, hint = _reason(resource, numbers.get(path, []), settings)
        message = msg("{name} is not translated: {why}", name=resource.quota.resource, why=why)
        on_key = path[-1] == resource.quota.written
        finding = nothing_is_left_behind.diagnostic(path, message, hint, on_key=on_key)
        yield Leftover(resource.quota.resource, with_location(document, finding, resource.quota.object))


def _reason(
    resource: QuotaResource, numbers: Sequence[QuotaNumber], settings: Settings
) -> tuple[str, str | None]:
    """Why the resource is left in one place, with its numbers there, and what to do."""
    amounts = (
        join_and(
            resource.counted.text(number.amount, each=resource.quota.each)
            for number in numbers
            if number.amount is not None
        )
        if resource.counted
        else ""
    )
    places = {number.value.path for number in numbers}
    rounded = next((loss for loss in resource.losses if loss.path in places), None)
    if rounded is not None and not resource.refused:
        key = written_at_target(resource, settings)
        return msg("{key} has no number for {amount}", key=key, amount=amounts), rounded.hint
    why = resource.why or next((number.why for number in numbers if number.why), None)
    why = why or msg("it changes together with amounts that cannot be translated")
    dropped = next((loss for loss in resource.losses if loss.kind is LossKind.DROPPED), None)
    if dropped is not None:
        return why, dropped.hint
    if not amounts:
        return why, msg(BY_HAND, target=settings.to.name)
    hint = msg(
        DECIDE,
        amount=amounts,
        target=settings.to.name,
    )
    return why, hint
