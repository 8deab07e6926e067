"""The rule of quotas in a translation (GX030). No policy can enforce it: it compares two texts."""

from __future__ import annotations

from gpuxlate.model.diagnostics import Diagnostic, Severity
from gpuxlate.model.pod import Path
from gpuxlate.rules.base import Rule, Scope, rule


@rule("GX030", Severity.WARNING, scope=Scope.TRANSLATION)
def quota_limits_the_same(
    this: Rule, path: Path, message: str, hint: str | None, severity: Severity = Severity.WARNING
) -> Diagnostic:
    """A quota limits the same after a translation.

    ## What it does
    Reports amounts of a quota that `--round up` makes larger, and compute of a dialect that counts whole
    cards in it, to one that does not, or the other way.

    ## Why
    The numbers of a quota are translated by unit. A dialect that has whole cards under a key of their own
    does not count them as compute, so the same number limits more or less than before.

    ## Example
    A ResourceQuota with `requests.vke.volcengine.com/mgpu-core: 400` to `alibaba-gpushare`, where whole
    cards are `nvidia.com/gpu`.

    ## Use instead
    An amount for whole cards beside that of compute: `requests.nvidia.com/gpu: 2`.

    ## Source
    Contract of gpuxlate, "quotas"; the data sheets of the dialects.
    """
    return this.at(path, message, hint, severity=severity, on_key=True)
