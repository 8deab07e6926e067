"""Judging pods: those that look the same as a clean one are clean."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable
from functools import lru_cache
from itertools import islice

from gpuxlate.lint.lint_marks import text_marks
from gpuxlate.model.diagnostics import Diagnostic
from gpuxlate.model.limits import MAX_FINDINGS
from gpuxlate.model.pod import PodKeys
from gpuxlate.rules.base import Context
from gpuxlate.rules.seen import seen

NAMES = frozenset({"app", "component", "k8s-app", "name", "pod-template-hash", "release", "team", "version"})
"""Labels without a domain that say what a workload is called: no rule looks at their values."""
STEERS = ("GPU", "CUDA", "NVIDIA", "QOS")
"""Words of variables that say something of GPUs."""
_VARIABLE = re.compile("[A-Z][A-Z0-9_]*")

CLEAN = 4096
"""So many looks of clean pods are remembered. Workloads of one chart, or of many environments, look alike."""
FEW = 8
"""So many pods are judged sooner than it is known which keys are foreign."""


class _Looks:
    """How the clean pods look that one judged, and how many pods that were."""

    __slots__ = ("clean", "judged")

    def __init__(self) -> None:
        self.clean: set[Hashable] = set()
        self.judged = 0


_known: tuple[Context | None, dict[str, _Looks]] = (None, {})
"""In which context, by whom they were judged, and how they look."""


def judged(
    pod: PodKeys, context: Context, by: str, judge: Callable[[PodKeys, Context], Iterable[Diagnostic]]
) -> list[Diagnostic]:
    """What ``judge`` says of a pod; nothing where it said nothing of one that looks the same.

    ``by`` names the judge, which looks at the pod and the context alone.
    """
    global _known
    before, by_whom = _known
    if before is None or before.profile is not context.profile or before.dialects is not context.dialects:
        by_whom = {}
        _known = context, by_whom
    looks = by_whom.setdefault(by, _Looks())
    looks.judged += 1
    look = look_of(pod) if looks.judged > FEW else None
    if look is not None and look in looks.clean:
        return []
    found = list(islice(judge(pod, context), MAX_FINDINGS + 1))
    if look is not None and not found and len(looks.clean) < CLEAN:
        looks.clean.add(look)
    return found


def look_of(pod: PodKeys) -> Hashable:
    """All that any rule can see of a pod."""
    return seen(pod, _foreign)


@lru_cache(maxsize=4096)
def _foreign(name: str) -> bool:
    """No rule looks at the key: it is a name, a variable, or of a domain that has nothing to do with GPUs."""
    if text_marks().search(name.encode("utf-8", "replace")) is not None:
        return False
    is_variable = _VARIABLE.fullmatch(name) is not None
    return name in NAMES or "/" in name or (is_variable and not any(word in name for word in STEERS))
