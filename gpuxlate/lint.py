"""Checking sources: every rule on every pod, and mending what can be mended."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from gpuxlate.backends import registry
from gpuxlate.claims import Edit, Path, PodClaims
from gpuxlate.diagnostics import Diagnostic
from gpuxlate.manifest.compose import Document, NotYamlError, documents
from gpuxlate.manifest.edit import EditError, Splice, apply, edit_document
from gpuxlate.manifest.place import placed
from gpuxlate.manifest.pods import Pod, document_claims, pods_in
from gpuxlate.manifest.source import Source
from gpuxlate.profile import Profile
from gpuxlate.rules import catalog
from gpuxlate.rules.base import Context, check_document, check_pod
from gpuxlate.suppress import Ignore, ignores_in_document, ignores_in_text, suppress
from gpuxlate.unreadable import no_yaml

MAX_ROUNDS = 10
"""Fixes of one place can wait for each other; more rounds than this do not happen."""


def everything(_code: str) -> bool:
    """All rules are selected."""
    return True


@dataclass(frozen=True, slots=True)
class LintSettings:
    """``selected`` says whether a code is wanted at all."""

    profile: Profile | None = None
    selected: Callable[[str], bool] = everything

    @property
    def context(self) -> Context:
        return Context(self.profile, tuple(registry.all_backends()))


@dataclass(slots=True)
class Linted:
    """What was found in one source."""

    source: Source
    diagnostics: list[Diagnostic] = field(default_factory=list)
    documents: int = 0
    shares: int = 0
    suppressed: int = 0
    skipped: str | None = None


def lint_source(source: Source, settings: LintSettings) -> Linted:
    """Every finding of a source, in the order of the text."""
    result = Linted(source)
    context = settings.context
    found: list[Diagnostic] = []
    ignores: list[Ignore] = list(ignores_in_text(source))
    try:
        for document in documents(source):
            result.documents += 1
            found.extend(_document(document, context, result, ignores))
    except NotYamlError as error:
        problem = no_yaml(source, error)
        found.append(problem)
        if problem.code == "GX012":
            result.skipped = problem.message
    wanted = [one for one in _once(found) if settings.selected(one.code)]
    left, result.suppressed = suppress(wanted, ignores, settings.selected)
    result.diagnostics = sorted(left, key=Diagnostic.sort_key)
    return result


def _once(found: Sequence[Diagnostic]) -> Iterator[Diagnostic]:
    """Findings of several pods about one workload, or of one anchor, come once."""
    seen: set[tuple[str, str, object, Path]] = set()
    for one in found:
        key = (one.code, one.message, one.span, one.path if one.span is None else ())
        if key not in seen:
            seen.add(key)
            yield one


def _document(
    document: Document, context: Context, result: Linted, ignores: list[Ignore]
) -> Iterator[Diagnostic]:
    if document.root is None:
        return
    if _says_it_is_a_share(document):
        from gpuxlate.specs import check_share_document

        share, problems = check_share_document(document)
        result.shares += share is not None
        yield from problems
        return
    pods = list(pods_in(document))
    ignores.extend(ignores_in_document(document, pods))
    facts = document_claims(document, pods, registry.is_gpu_key)
    for one in check_document(catalog.neutral_rules(), facts, context):
        if one.code != "GX002" or _asks_for_gpus(pods):
            yield placed(document, one)
    for pod in pods:
        for one in lint_pod(pod.claims, context):
            yield placed(document, one, pod.object)
        result.shares += sum(
            any(b.owns(name) for b in registry.all_backends() for name in container.resources)
            for container in pod.claims.all_containers()
        )


def _says_it_is_a_share(document: Document) -> bool:
    if "gpuxlate.io/" not in document.text and "GPUShare" not in document.text:
        return False
    from gpuxlate.specs import is_share_document

    return is_share_document(document)


def _asks_for_gpus(pods: Sequence[Pod]) -> bool:
    """Some pod of the document asks for a GPU in a known dialect."""
    return any(registry.spoken_in(pod.claims) for pod in pods)


def lint_pod(pod: PodClaims, context: Context) -> Iterator[Diagnostic]:
    """The rules of no vendor, then those of the vendors whose dialect the pod speaks."""
    yield from check_pod(catalog.neutral_rules(), pod, context)
    for backend in registry.spoken_in(pod):
        yield from check_pod(backend.rules, pod, context)


# --- fixing -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Fixed:
    """A source after its fixes: the new text, how many fixes were made, what is left."""

    text: str
    fixes: int
    linted: Linted


def fix_source(source: Source, settings: LintSettings, *, unsafe: bool) -> Fixed:
    """Make every fix that can be made, in rounds, until none is left. Each edit is checked."""
    linted = lint_source(source, settings)
    made = 0
    for _ in range(MAX_ROUNDS):
        wanted = [one for one in linted.diagnostics if one.fix and (one.fix.safe or unsafe)]
        splices, count = _splices(source, wanted)
        if not count:
            break
        made += count
        source = Source(source.name, ("\ufeff" if source.bom else "") + apply(source.text, splices))
        linted = lint_source(source, settings)
    return Fixed(source.text, made, linted)


def _splices(source: Source, wanted: Sequence[Diagnostic]) -> tuple[list[Splice], int]:
    by_document: dict[int, list[Diagnostic]] = {}
    for one in wanted:
        by_document.setdefault(one.document or 0, []).append(one)
    made: list[Splice] = []
    count = 0
    if not by_document:
        return made, count
    try:
        for document in documents(source):
            mine, fixes = _edit(document, by_document.get(document.index, []))
            made.extend(mine)
            count += fixes
    except NotYamlError:
        pass  # what stands before the break was mended; the break itself is reported
    return made, count


def _edit(document: Document, wanted: Sequence[Diagnostic]) -> tuple[list[Splice], int]:
    """As many fixes as go together; the others wait for the next round."""
    edits: list[Edit] = []
    made: list[Splice] = []
    count = 0
    taken: set[Path] = set()
    for one in wanted:
        assert one.fix is not None
        paths = {edit.path for edit in one.fix.edits}
        fresh = [edit for edit in one.fix.edits if edit not in edits]
        if not fresh:
            count += 1
            continue
        if paths & taken:
            continue
        try:
            made = edit_document(document, [*edits, *fresh])
        except EditError:
            continue
        edits.extend(fresh)
        taken |= paths
        count += 1
    return made, count


def fix_splices(document: Document, diagnostic: Diagnostic) -> list[Splice]:
    """The text changes of one fix alone, for formats that show fixes. Empty where it cannot be made."""
    if diagnostic.fix is None:
        return []
    try:
        return edit_document(document, diagnostic.fix.edits)
    except EditError:
        return []
