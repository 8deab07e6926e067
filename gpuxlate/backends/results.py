"""What a backend returns for a pod: shares, and choices that no share holds."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import NamedTuple

from gpuxlate.model.diagnostics import Diagnostic, Loss, LossKind, Severity
from gpuxlate.model.messages import Message, say
from gpuxlate.model.pod import Path
from gpuxlate.model.share import JSON_NAMES, Share
from gpuxlate.model.sheet import Chosen

NODE_SELECTOR = "node selector"


class Selector(NamedTuple):
    """A choice of nodes or cards that no share holds. ``chosen``: what it says, where it is of cards."""

    key: str
    text: str
    path: Path
    what: str = NODE_SELECTOR  # where it is set
    chosen: Chosen | None = None


def granted(
    attribute: str, code: str, why: Message, path: Path, *, asked: int | str, given: int | None
) -> Loss:
    """What the vendor gives of a field beyond what the keys ask for; ``why`` is a clause of its own.

    ``asked`` and ``given`` are totals over the cards; ``given`` None: all of them.
    """
    field = JSON_NAMES[attribute]
    gets = say("all of the card") if given is None else given
    message = say(
        "{field} {asked} is granted as {given}: {why}", field=field, asked=asked, given=gets, why=why
    )
    return Loss(LossKind.ROUNDED, field, code, message, asked=asked, given=given, accepted=True, path=path)


def rounded_up(attribute: str, code: str, path: Path, asked: Fraction | int, given: int) -> tuple[Loss, ...]:
    """``granted`` where a share cannot count what is asked: parts of one percent or MiB; else nothing."""
    if asked == given:
        return ()
    unit = "MiB" if attribute.endswith("_mib") else "%"
    why = say("a share counts whole {unit} of each card", unit=unit)
    return (granted(attribute, code, why, path, asked=f"{float(asked):.10g} {unit}", given=given),)


@dataclass(frozen=True, slots=True)
class ContainerShare:
    """One container of a pod and its share, None where it requests no GPU.

    ``origins``: where each field was read from, by attribute name. ``granted``: where the share is more than
    the keys ask for, since the vendor gives more; of the kind rounded, and accepted: nobody can choose.
    ``shared_with``: other containers of the pod that use the same devices, which are one share.
    ``allocation``: what identifies devices that other pods have too, such as those of a ResourceClaim; empty
    where each pod has its own.
    """

    name: str
    index: int
    init: bool = False
    share: Share | None = None
    origins: Mapping[str, Path] = field(default_factory=dict)
    path: Path = ()
    granted: tuple[Loss, ...] = ()
    shared_with: tuple[str, ...] = ()
    allocation: frozenset[Hashable] = frozenset()


@dataclass(frozen=True, slots=True)
class Reading:
    """What a backend read from a pod: its containers in their order, init containers first.

    What a manifest gets wrong is reported by rules. ``invalid`` is GX011 alone: numbers that only
    together are not a share, and partitions that no card has. ``notes``: what a translation cannot keep and
    lint does not report.
    """

    containers: tuple[ContainerShare, ...]
    selectors: tuple[Selector, ...] = ()
    isolation: str | None = None  # ACK's mode, which is not a field of the share
    invalid: tuple[Diagnostic, ...] = ()
    notes: tuple[Diagnostic, ...] = ()
    taken: frozenset[Path] = frozenset()

    @property
    def shares(self) -> tuple[ContainerShare, ...]:
        return tuple(container for container in self.containers if container.share)

    def invalid_beside(self, found: Iterable[Diagnostic]) -> Iterator[Diagnostic]:
        """``invalid``, without what a rule reports already, and without values that it reports as errors."""
        if not self.invalid:
            return iter(())
        reported = list(found)
        paths = {one.path for one in reported if one.severity is Severity.ERROR}
        messages = {one.message for one in reported}
        return (one for one in self.invalid if one.path not in paths and one.message not in messages)
