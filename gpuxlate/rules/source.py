"""The rules of a source text: files, templates, ignores and the numbers of a share (GX).

Each gives message and hint from what its caller found.
"""

from __future__ import annotations

from gpuxlate.model.diagnostics import Severity
from gpuxlate.model.share import ShareProblem
from gpuxlate.rules.base import Rule, Scope, rule

Finding = tuple[str, str]
"""Message and hint."""


@rule("GX001", Severity.ERROR, scope=Scope.SOURCE)
def file_parses(this: Rule, problem: str, near_template: bool = False) -> Finding:
    """The file parses as YAML or JSON.

    ## What it does
    Reports where a file ends to be YAML, and says so if `{{` of a template is near.

    ## Why
    Nothing in the rest of the file can be checked.

    ## Example
    `limits: {vke.volcengine.com/mgpu-core: 30` without the closing brace.

    ## Use instead
    `limits: {vke.volcengine.com/mgpu-core: 30}`. Of a Helm chart, lint what `helm template` prints.

    ## Source
    YAML 1.2.2 (2021).
    """
    if near_template:
        return (
            f"this is no YAML near a template's {{{{: {problem}",
            "render the template first, then lint that",
        )
    return f"this is no YAML: {problem}", "mend the syntax at this place"


@rule("GX025", Severity.ERROR, scope=Scope.SOURCE)
def file_keeps_the_limits(this: Rule, what: str, hint: str) -> Finding:
    """The file keeps the limits of reading.

    ## What it does
    Reports where a file goes beyond what is read: nesting, aliases and what they stand for, the size
    and the number of documents, the length of a key, the number of findings. What follows is not read.

    ## Why
    A few lines of YAML can stand for more than any memory holds; no manifest comes near the limits.

    ## Example
    `a: &a [x, x, x]`, `b: &b [*a, *a, *a]`, and so on: each line three times as large as the last.

    ## Use instead
    What the aliases stand for, in several files.

    ## Source
    docs/security.md, "Limits".
    """
    return f"this is too much: {what}", hint


@rule("GX012", Severity.INFO, scope=Scope.SOURCE)
def template_is_rendered(this: Rule, in_chart: bool) -> Finding:
    """Files are rendered manifests, not Helm templates.

    ## What it does
    Names a file that was skipped as a Helm template: it is in the `templates/` folder of a chart,
    or it ends to be YAML on a line that holds `{{`.

    ## Why
    The values are not known before the chart is rendered.

    ## Example
    `vke.volcengine.com/mgpu-core: {{ .Values.cores }}`

    ## Use instead
    `helm template CHART | gpuxlate lint -`

    ## Source
    Helm, "Charts" (chart file structure).
    """
    where = "it is in the templates folder of a chart" if in_chart else "a line holds {{"
    return (
        f"skipped as a Helm template: {where}",
        "lint what helm template prints: helm template CHART | gpuxlate lint -",
    )


@rule("GX009", Severity.WARNING, scope=Scope.SOURCE)
def ignore_matches(this: Rule, code: str, nearest: str | None = None) -> Finding:
    """Every ignore matches a finding.

    ## What it does
    Reports a comment, annotation or configured path that ignores a rule which finds nothing there.

    ## Why
    An ignore that outlived its finding hides the next one.

    ## Example
    `vke.volcengine.com/mgpu-core: 30  # gpuxlate: ignore[VKE013] being moved`

    ## Use instead
    `vke.volcengine.com/mgpu-core: 30`

    ## Source
    Contract of gpuxlate, "Diagnostics".
    """
    if nearest and nearest != code:
        return f"{code} is ignored here, and is no rule", f"did you mean {nearest}?"
    return f"{code} is ignored here, and nothing is found", "remove the ignore"


@rule("GX011", Severity.ERROR, scope=Scope.SOURCE)
def numbers_are_a_share(this: Rule, problem: ShareProblem) -> Finding:
    """The numbers of a share fit each other.

    ## What it does
    Reports `cores` above 100 x `cards`, numbers below 1, and `cores` or `memoryMiB` that do not
    divide by `cards`. The hint gives the nearest that do.

    ## Why
    A share takes an equal part of each card, in whole percent and whole MiB.

    ## Example
    `spec: {cards: 2, cores: 75, memoryMiB: 8192}`

    ## Use instead
    `spec: {cards: 2, cores: 76, memoryMiB: 8192}`

    ## Source
    Contract of gpuxlate, "The share".
    """
    return problem.message, problem.hint
