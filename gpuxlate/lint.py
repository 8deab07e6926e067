"""Checking sources: every rule on every pod, and mending what can be mended."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from itertools import islice
from typing import TYPE_CHECKING

from gpuxlate import limits
from gpuxlate.backends import registry
from gpuxlate.backends.base import Backend, Taking
from gpuxlate.claims import Path, PodClaims, Value
from gpuxlate.diagnostics import Diagnostic, Severity
from gpuxlate.manifest.compose import Document, NotYamlError, Reader, documents
from gpuxlate.manifest.jobs import Job, jobs_in
from gpuxlate.manifest.place import placed
from gpuxlate.manifest.pods import Pod, document_claims, pods_in
from gpuxlate.manifest.source import Source
from gpuxlate.profile import Profile
from gpuxlate.rules import catalog
from gpuxlate.rules.base import Context, check_document, check_pod
from gpuxlate.rules.vocabulary import WHOLE_CARD, Vocabulary
from gpuxlate.suppress import Ignore, ignores_in_document, ignores_in_text, suppress
from gpuxlate.unreadable import HELM_TEMPLATE, no_yaml, template_in, too_many, too_much, unrendered

if TYPE_CHECKING:
    from gpuxlate.manifest.edit import Splice

_is_gpu_key = lru_cache(maxsize=4096)(registry.is_gpu_key)

SHORT_DOMAIN = 8
"""Domains with fewer letters are not cut."""
MAX_ROUNDS = 10
"""Fixes of one place can wait for each other; more rounds than this do not happen."""


@cache
def text_marks() -> re.Pattern[bytes]:
    """What a text must hold for any rule to find something in it, misspelt keys included.

    Sound: a key that is at most two edits from a known one (GX003) keeps one of any three pieces of
    it unharmed. ``nvidia.com/gpu`` alone is nobody's share, and no rule looks at it.
    """
    backends = _dialects()
    texts = {"gpuxlate", "GPUShare", *(mark for row in registry.BUILT_IN if row.form for mark in row.marks)}
    for backend in backends:
        texts.update(backend.gpu_prefixes)
        texts.update(name.rstrip("*") for name in backend.look_alikes)
        texts.update(row.name.rstrip("*") for row in backend.keys if row.name != WHOLE_CARD)
    for name in Vocabulary(backends).candidates:
        if "/" in name:
            texts.update(_three_pieces(name))
    # a text that holds another one of the set is found by that one
    short = [one for one in texts if not any(other != one and other in one for other in texts)]
    return re.compile(b"|".join(re.escape(one.encode()) for one in sorted(short)))


def _three_pieces(name: str) -> tuple[str, str, str]:
    """A key in three: the last piece keeps a letter of the domain, since names alone are common words.

    A short domain stays whole, since two letters of it are in every text.
    """
    last = name.index("/") - 1
    if last < SHORT_DOMAIN:
        third = len(name) // 3
        return name[:third], name[third : 2 * third], name[2 * third :]
    middle = (last - 1) // 2
    return name[:middle], name[middle:last], name[last:]


def everything(_code: str) -> bool:
    """All rules are selected."""
    return True


def nothing(_code: str) -> bool:
    """No rule is excused."""
    return False


@cache
def _dialects() -> tuple[Backend, ...]:
    return registry.pod_backends()


@dataclass(frozen=True, slots=True)
class LintSettings:
    """``selected`` says whether a code is wanted at all, ``excused`` whether the source may break it."""

    profile: Profile | None = None
    selected: Callable[[str], bool] = everything
    excused: Callable[[str], bool] = nothing

    @property
    def context(self) -> Context:
        return Context(self.profile, _dialects())


@dataclass(slots=True)
class Linted:
    """What was found in one source."""

    source: Source
    diagnostics: list[Diagnostic] = field(default_factory=list)
    documents: int = 0
    shares: int = 0
    suppressed: int = 0
    skipped: str | None = None


def lint_source(source: Source, settings: LintSettings, read: Reader = documents) -> Linted:
    """Every finding of a source, in the order of the text. ``read`` gives its documents."""
    result = Linted(source)
    context = settings.context
    found: list[Diagnostic] = []
    ignores: list[Ignore] = list(islice(ignores_in_text(source), limits.MAX_IGNORES + 1))
    if len(ignores) > limits.MAX_IGNORES:
        what = f"more than {limits.MAX_IGNORES} comments that ignore findings"
        found.append(too_much(source, what, "ignore in the configuration: per-file-ignores", 0))
        ignores.clear()
    try:
        for document in read(source):
            result.documents += 1
            template = template_in(document)
            if template is not None:
                found.append(unrendered(source, template))
                result.skipped = HELM_TEMPLATE
            else:
                here = (d for d in _document(document, context, result, ignores) if settings.selected(d.code))
                found.extend(islice(here, limits.MAX_FINDINGS + 1 - len(found)))
            if len(found) > limits.MAX_FINDINGS:
                # what stands behind is not looked at: its ignores cannot be judged
                found[-1] = too_many(source, found[-1])
                ignores.clear()
                break
    except NotYamlError as error:
        problem = no_yaml(source, error)
        found.append(problem)
        if problem.code == "GX012":
            result.skipped = HELM_TEMPLATE
    wanted = [one for one in _once(found) if settings.selected(one.code)]
    left, result.suppressed = suppress(wanted, ignores, settings.selected)
    kept = [one for one in left if not settings.excused(one.code)]
    result.suppressed += len(left) - len(kept)
    result.diagnostics = sorted(kept, key=Diagnostic.sort_key)
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
    if document.job is None and _says_it_is_a_share(document):
        from gpuxlate.specs import check_share_document

        ignores.extend(ignores_in_document(document, ()))
        share, problems = check_share_document(document)
        result.shares += share is not None
        yield from problems
        return
    jobs = list(jobs_in(document))
    pods = [] if document.job else list(pods_in(document))
    ignores.extend(ignores_in_document(document, pods))
    facts = document_claims(document, pods, _is_gpu_key)
    for one in check_document(catalog.neutral_rules(), facts, context):
        if one.code != "GX002" or jobs or _asks_for_gpus(pods):
            yield placed(document, one)
    for job in jobs:
        backend = registry.get(job.target)
        result.shares += any(name.startswith(backend.gpu_prefixes) for name in limits_of(job))
        for one in lint_job(job, backend, context):
            yield placed(document, one, job.pod.object if document.job is None else None)
    for pod in pods:
        for one in lint_pod(pod.claims, context):
            yield placed(document, one, pod.object)
        result.shares += sum(
            any(b.owns(name) for b in registry.pod_backends() for name in container.resources)
            for container in pod.claims.all_containers()
        )


def _says_it_is_a_share(document: Document) -> bool:
    if not any(mark in document.text for mark in ("gpuxlate.io/", "GPUShare", "\\")):
        return False
    from gpuxlate.specs import is_share_document

    return is_share_document(document)


def _asks_for_gpus(pods: Sequence[Pod]) -> bool:
    """Some pod of the document asks for a GPU in a known dialect."""
    return any(registry.spoken_in(pod.claims) for pod in pods)


READ_CODES = frozenset({"GX010", "GX011"})
"""What reading finds and no rule of a vendor says."""


def lint_pod(pod: PodClaims, context: Context) -> Iterator[Diagnostic]:
    """The rules of no vendor, then those of the vendors whose dialect the pod speaks."""
    yield from check_pod(catalog.neutral_rules(), pod, context)
    for backend in registry.spoken_in(pod):
        of_vendor = list(islice(check_pod(backend.rules, pod, context), limits.MAX_FINDINGS + 1))
        yield from of_vendor
        # what only shows when the numbers are put together, and no rule has said so
        complained = {one.path for one in of_vendor if one.severity is Severity.ERROR}
        for one in backend.read(Taking(pod), context.profile).diagnostics:
            if one.code in READ_CODES and one.path not in complained:
                yield one


def limits_of(job: Job) -> Mapping[str, Value]:
    """The parameters of a job."""
    return job.pod.claims.containers[0].limits


def lint_job(job: Job, backend: Backend, context: Context) -> Iterator[Diagnostic]:
    """The rules of a target whose shares stand in no pod, and what reading finds. Nothing is mended."""
    claims = job.pod.claims
    here = Context(context.profile, (backend,))
    found = list(check_pod((*catalog.rules_beside(backend), *backend.rules), claims, here))
    yield from (one.located(fix=None) for one in found)
    said = {one.path for one in found if one.severity is Severity.ERROR}
    if any(name.startswith(backend.gpu_prefixes) for name in limits_of(job)):
        reading = backend.read(Taking(claims), context.profile)
        yield from (one for one in reading.diagnostics if one.path not in said)


# --- fixing -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Fixed:
    """A source after its fixes: the new text, how many fixes were made, what is left."""

    text: str
    fixes: int
    linted: Linted


def fix_source(source: Source, settings: LintSettings, *, unsafe: bool) -> Fixed:
    """Make every fix that can be made, in rounds, until none is left. Each edit is checked."""
    from gpuxlate.manifest.edit import apply  # not loaded by runs that mend nothing

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
    from gpuxlate.fixing import Batch

    try:
        for document in documents(source):
            batch = Batch(document)
            batch.add(by_document.get(document.index, []))
            made.extend(batch.made)
            count += len(batch.taken)
    except NotYamlError:
        pass  # what stands before the break was mended; the break itself is reported
    return made, count
