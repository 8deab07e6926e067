"""The rules of a source text: files, templates, ignores and the numbers of a share (GX).

The caller finds the problem; each rule returns message and hint. The functions below the rules build the
findings for a source that is not a manifest: invalid YAML (GX001), a limit exceeded (GX025), or a Helm
template (GX012).
"""

from __future__ import annotations

import re

from gpuxlate.model import limits
from gpuxlate.model.declarations import regex
from gpuxlate.model.diagnostics import Diagnostic, Severity
from gpuxlate.model.messages import msg, suggest
from gpuxlate.model.share import ShareProblem
from gpuxlate.rules.base import Rule, Scope, rule
from gpuxlate.yamltext.nodes import Mapping, walk
from gpuxlate.yamltext.parse import Document, NotYamlError, TooMuchError, documents, placed_at_index
from gpuxlate.yamltext.source import Source

Finding = tuple[str, str]
"""Message and hint."""
HELM_TEMPLATE = "Helm template"
OTHER_TEMPLATE = "template"
"""Why a file was skipped, in summaries."""
TEMPLATE_TAG = "{{"
TAGS = (TEMPLATE_TAG, "{%")
"""How the tags of templates begin: of Helm and Handlebars, and of Jinja."""
_STATEMENT = regex(r"^[ \t]*(\{\{.*\}\}|\{[%#].*[%#]\})[ \t]*$", re.MULTILINE)
"""A line with nothing but a tag: ``{{- if .Values.x }}``, ``{{#if X}}``, ``{% for x in y %}``."""
NEAR_LINES = 3
"""Within this many lines of a template's ``{{`` a syntax error is probably caused by it."""


@rule("GX001", Severity.ERROR, scope=Scope.SOURCE)
def file_parses(this: Rule, problem: str, near_template: bool = False) -> Finding:
    """The file parses as YAML or JSON.

    ## What it does
    Reports where a file stops being valid YAML, and whether `{{` of a template is near.

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
            msg("invalid YAML near a template's {{{{: {problem}", problem=problem),
            "render the template first, then lint the result",
        )
    return msg("invalid YAML: {problem}", problem=problem), "fix the syntax here"


@rule("GX025", Severity.ERROR, scope=Scope.SOURCE)
def file_keeps_the_limits(this: Rule, limit: str, hint: str) -> Finding:
    """The file keeps within the limits.

    ## What it does
    Reports where a file exceeds a limit: nesting, aliases and what they expand to, the size and the
    number of documents, the length of a key, the number of findings, what the patches of a repository
    change together. The rest is not read.

    ## Why
    A few lines of YAML can expand to more than any memory holds; no manifest comes near the limits.

    ## Example
    `a: &a [x, x, x]`, `b: &b [*a, *a, *a]`, and so on: each line three times as large as the last.

    ## Use instead
    The values in place of the aliases, in several files.

    ## Source
    docs/security.md, "Limits".
    """
    return msg("limit exceeded: {what}", what=limit), hint


@rule("GX012", Severity.INFO, scope=Scope.SOURCE)
def template_is_rendered(this: Rule, in_chart: bool, tag: str = TEMPLATE_TAG) -> Finding:
    """Files are rendered manifests, not templates of Helm, Jinja or Handlebars.

    ## What it does
    Reports a file that was skipped as a template: it is in the `templates/` folder of a chart, or it is
    valid YAML only without its tags, such as `{{ .Values.cores }}`, `{{#if X}}` and `{% if x %}`.

    ## Why
    The values are not known before the template is rendered.

    ## Example
    `vke.volcengine.com/mgpu-core: {{ .Values.cores }}`

    ## Use instead
    `helm template CHART | gpuxlate lint -`

    ## Source
    Helm, "Charts", chart file structure; Jinja, "Template Designer Documentation"; Handlebars, "Language
    guide".
    """
    if tag != TEMPLATE_TAG:
        return msg("skipped as a template: a line contains {tag}", tag=tag), "lint what the template renders"
    where = "it is in the templates folder of a chart" if in_chart else "a line contains {{"
    return (
        msg("skipped as a Helm template: {where}", where=where),
        "check what it renders: helm template CHART | gpuxlate lint -",
    )


@rule("GX009", Severity.WARNING, scope=Scope.SOURCE)
def ignore_matches(this: Rule, code: str, nearest: str | None = None, where: str = "") -> Finding:
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
        return (
            msg("ignore of {code}, which is not a rule", code=code),
            suggest(nearest),
        )
    place = msg(" in {where}", where=where) if where else ""
    return msg("ignore of {code}{place} matches no finding", code=code, place=place), "remove the ignore"


@rule("GX011", Severity.ERROR, scope=Scope.SOURCE)
def numbers_are_a_share(this: Rule, problem: ShareProblem) -> Finding:
    """`cards`, `cores`, `memoryMiB` and `partition` of a share fit each other and the cards that exist.

    ## What it does
    Reports `cores` above 100 x `cards`, numbers below 1, and `cores` or `memoryMiB` that are not
    multiples of `cards`; and a `partition` that no card of the catalogue has, as a warning where a profile
    names or adds a card without a list of its partitions. More memory per card than any card of the catalogue
    has is a warning. The hint gives the nearest valid values.

    ## Why
    A share takes an equal part of each card, in whole percent and whole MiB.

    ## Example
    `spec: {cards: 2, cores: 75, memoryMiB: 8192}`

    ## Use instead
    `spec: {cards: 2, cores: 76, memoryMiB: 8192}`

    ## Source
    Contract of gpuxlate, "the share".
    """
    return problem.message, problem.hint


@rule("GX034", Severity.WARNING, scope=Scope.TRANSLATION)
def decision_matches(this: Rule, decided: str) -> Finding:
    """Every decision matches a loss.

    ## What it does
    Reports an entry of a decisions file about an object and a target that were looked at, where no loss has
    its container, field, code, asked and given.

    ## Why
    A decision that outlived its loss accepts it again when somebody writes the old number back.

    ## Example
    `asked: 4000` where the workload asks for 4096 by now.

    ## Use instead
    No entry: `--prune-decisions` removes those that match nothing.

    ## Source
    Contract of gpuxlate, "Decisions".
    """
    return (
        msg("the decision on {decided} is no longer needed: it matches no loss", decided=decided),
        "remove it, or run the command again with --prune-decisions",
    )


@rule("GX035", Severity.WARNING, scope=Scope.SOURCE)
def decision_has_a_reason(this: Rule) -> Finding:
    """Every loss that is accepted with `accept: true` has a reason.

    ## What it does
    Reports an entry of a decisions file with `accept: true` and no reason.

    ## Why
    Whoever reviews the number next year has nothing else to go by.

    ## Example
    `accept: true` beside `reason: ""`.

    ## Use instead
    `reason: qGPU counts whole GiB`

    ## Source
    Contract of gpuxlate, "Decisions".
    """
    return msg("the decision has no reason"), "write reason: WHY"


# --- a source that is not a manifest ----------------------------------------------------------------


def chart_template_finding(name: str) -> Diagnostic:
    """GX012 for a file in the templates folder of a chart, which is skipped."""
    message, hint = template_is_rendered(True)
    return Diagnostic("GX012", Severity.INFO, message, hint, file=name)


def unreadable_finding(source: Source, error: NotYamlError) -> Diagnostic:
    """The finding for a source that cannot be read: GX012 if only tags of a template make it invalid YAML,
    GX025 at a limit, else GX001."""
    if isinstance(error, TooMuchError):
        return limit_finding(source, error.message, error.hint, error.index)
    index = _tag_that_fails(source, error)
    return invalid_yaml_finding(source, error) if index is None else template_finding(source, index)


def invalid_yaml_finding(source: Source, error: NotYamlError) -> Diagnostic:
    """GX001 for a source that must be read, even if it is a template."""
    message, hint = file_parses(error.message, _near_template(source, error))
    return placed_at_index(source, Diagnostic("GX001", Severity.ERROR, message, hint), error.index)


def limit_finding(source: Source, limit: str, hint: str, index: int) -> Diagnostic:
    """GX025 at the character ``index``, where a limit is exceeded."""
    message, hint = file_keeps_the_limits(limit, hint)
    return placed_at_index(source, Diagnostic("GX025", Severity.ERROR, message, hint), index)


def are_too_many(source: Source, findings: list[Diagnostic], maximum: int) -> bool:
    """Whether a source has more findings than the limit. Then GX025 replaces those above the limit in place.

    ``maximum``: how many of ``findings`` are within the limit, which other findings may use up in part.
    """
    above = findings[maximum:]
    if not above:
        return False
    message = msg("more than {number} findings", number=limits.MAX_FINDINGS)
    finding = limit_finding(source, message, "fix these first: the rest was not checked", 0)
    findings[maximum:] = [finding.located(document=above[0].document, span=above[0].span)]
    return True


def template_finding(source: Source, index: int) -> Diagnostic:
    """GX012 at the tag of a template that begins at the character ``index``."""
    message, hint = template_is_rendered(False, source.foreign_tag or TEMPLATE_TAG)
    span = source.span(index, index + len(TEMPLATE_TAG))
    return Diagnostic("GX012", Severity.INFO, message, hint, file=source.name, span=span)


def skip_reason(source: Source) -> str:
    """Why a template is skipped, in summaries."""
    return OTHER_TEMPLATE if source.foreign_tag else HELM_TEMPLATE


def template_start(document: Document) -> int | None:
    """The index of the first unquoted ``{{ .Values.cores }}`` of a document; None without one.

    YAML reads it as a mapping whose key is a mapping. No manifest has such a key, so the document is a
    template that has not been rendered.
    """
    if not document.holds(TEMPLATE_TAG):
        return None
    mappings = (node for node in walk([document.root] if document.root else []) if isinstance(node, Mapping))
    places = (node.start for node in mappings if any(isinstance(key, Mapping) for key, _ in node.entries))
    return min((at for at in places if document.source.text.startswith(TEMPLATE_TAG, at)), default=None)


def _tag_that_fails(source: Source, error: NotYamlError) -> int | None:
    """The index of the tag that makes a source invalid YAML, None if it is invalid without tags too.

    It is the first tag of the line where reading fails; else the first line with nothing but a tag, if the
    source is valid without such lines. A ConfigMap with a template in a string may have another mistake.
    """
    at = _tag_in_line(source, error)
    statement = _STATEMENT.search(source.text)
    if at is not None or statement is None:
        return at
    without = source.changed(_STATEMENT.sub(lambda match: " " * len(match[0]), source.text))
    try:
        for _ in documents(without):
            pass
    except NotYamlError as other:
        if _tag_in_line(without, other) is None:
            return None
    return statement.start(1)


def _tag_in_line(source: Source, error: NotYamlError) -> int | None:
    """The index of the first tag in the line where reading fails, None without one."""
    spot = error.index
    line, column = source.position(spot)
    columns = [at for tag in TAGS if (at := source.line_text(line).find(tag)) >= 0]
    return spot - (column - 1) + min(columns) if columns else None


def _near_template(source: Source, error: NotYamlError) -> bool:
    line, _ = source.position(error.index)
    return any(TEMPLATE_TAG in source.line_text(line + step) for step in range(-NEAR_LINES, NEAR_LINES + 1))
