"""Write GPUShare documents as manifests: into a workload, or as a small probe Pod."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import PurePath
from typing import TYPE_CHECKING

from gpuxlate.backends import registry
from gpuxlate.backends.job_parameters import JobBackend, MergeError
from gpuxlate.backends.pod_reader import ContainerShare, PodReader
from gpuxlate.claims.findings import claimed_already
from gpuxlate.claims.templates import ClaimTemplate, clashes, with_templates
from gpuxlate.config.document import GPU_SHARE, ShareDocument, shares_in
from gpuxlate.manifest.jobs import JOB_CONTAINER
from gpuxlate.manifest.pods import Pod, pods_in, suffixes
from gpuxlate.model import limits
from gpuxlate.model.declarations import record
from gpuxlate.model.diagnostics import Diagnostic, ObjectRef, Path, Severity
from gpuxlate.model.messages import did_you_mean, message_of, msg
from gpuxlate.model.profile import renamed_by
from gpuxlate.overlays.run_claims import ClaimLookup
from gpuxlate.rules.source import invalid_yaml_finding
from gpuxlate.rules.translation import text_is_editable
from gpuxlate.translation.claims import Changes, template_changes
from gpuxlate.translation.edits import share_edits
from gpuxlate.translation.fit import Outcome, fit_pod
from gpuxlate.translation.items import Item
from gpuxlate.translation.notes import find_miscounted, other_cards
from gpuxlate.translation.obstacles import disagreements, find_obstacles
from gpuxlate.translation.options import Settings
from gpuxlate.translation.pod_run import PodRun
from gpuxlate.yamltext.edit import edit_document
from gpuxlate.yamltext.parse import Document, NotYamlError, documents, with_location
from gpuxlate.yamltext.plan import EditError
from gpuxlate.yamltext.source import Source
from gpuxlate.yamltext.splices import Splice, apply
from gpuxlate.yamltext.style import scalar

if TYPE_CHECKING:
    from gpuxlate.translation.decisions import DecidedPod, Decisions, JudgedObject

NVIDIA_PROBE = "nvidia/cuda:12.4.1-base-ubuntu22.04", '["nvidia-smi"]'
"""A small image with nvidia-smi, and the command."""
OTHER_PROBE = "busybox:1.36", '["sh", "-c", "env; ls -l /dev"]'
"""An image and command for cards of another vendor: they show the variables and devices of the container."""
PROBE_CONTAINER = "probe"
PROBE_FILE = "probe.yaml"
"""The container of a share without a workload."""
_PROBE = """\
apiVersion: v1
kind: Pod
metadata:
  name: {name}
spec:
  restartPolicy: Never
  containers:
  - name: {container}
    image: {image}
    command: {command}
"""


@record
class RenderRequest:
    """A GPUShare document, where it was read, and the container it is for (None: the only one)."""

    share: ShareDocument
    document: Document
    container: str | None = None


@record
class RenderResult:
    """A rendered text, with its file name and findings. ``text`` is valid only where nothing was refused;
    ``splices`` change the workload to it."""

    name: str
    text: str
    items: tuple[Item, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    suffix: str = ".yaml"
    judged: tuple[JudgedObject, ...] = ()
    splices: Sequence[Splice] = ()

    @property
    def refused(self) -> bool:
        """Whether any of its findings is an error."""
        return any(finding.severity is Severity.ERROR for finding in self.diagnostics)


def render_probe(request: RenderRequest, settings: Settings) -> RenderResult:
    """Render a Pod that runs nvidia-smi with the share, or shows the devices of cards of another vendor."""
    image, command = NVIDIA_PROBE if settings.to.vendor in (None, "nvidia") else OTHER_PROBE
    name = scalar(request.share.name, None)
    text = _PROBE.format(name=name, container=PROBE_CONTAINER, image=image, command=command)
    return render_on(Source(PROBE_FILE, text), [replace(request, container=PROBE_CONTAINER)], settings)


def render_on(workload: Source, requests: Sequence[RenderRequest], settings: Settings) -> RenderResult:
    """Write shares into the containers of a workload, all of them or none."""
    run = _Render(workload, requests, settings)
    return run.run()


@record
class _ContainerSpot:
    """A container of the workload. ``suffix``: distinguishes its pod from the other pods of its object."""

    document: Document
    pod: Pod
    suffix: str
    init: bool
    index: int
    name: str


class _Render:
    def __init__(self, workload: Source, requests: Sequence[RenderRequest], settings: Settings) -> None:
        self.workload = workload
        self.requests = requests
        self.settings = settings
        self.items: list[Item] = []
        self.diagnostics: list[Diagnostic] = []
        self.judged: list[JudgedObject] = []
        self._by_name: dict[str, list[_ContainerSpot]] = {}
        self._main: list[_ContainerSpot] = []

    def run(self) -> RenderResult:
        name = self.requests[0].share.name
        try:
            read = list(documents(self.workload))
        except NotYamlError as error:
            self.diagnostics.append(invalid_yaml_finding(self.workload, error))
            return RenderResult(name, "", (), tuple(self.diagnostics))
        for document in read:
            pods = [pod.under(renamed_by(self.settings.profile)) for pod in pods_in(document)]
            for pod, suffix in zip(pods, suffixes(pods), strict=True):
                for container in pod.keys.all_containers():
                    spot = _ContainerSpot(
                        document, pod, suffix, container.init, container.index, container.name
                    )
                    self._by_name.setdefault(container.name, []).append(spot)
                    if not container.init:
                        self._main.append(spot)
        chosen = [(request, self._choose(request)) for request in self.requests]
        splices = (
            self._put([(request, spot) for request, spot in chosen if spot])
            if all(spot for _, spot in chosen)
            else []
        )
        text = apply(self.workload.text, splices)
        items, problems = tuple(self.items), tuple(self.diagnostics)
        return RenderResult(name, text, items, problems, judged=tuple(self.judged), splices=splices)

    @cached_property
    def _names(self) -> str:
        names = ", ".join(name or "(unnamed)" for name in self._by_name)
        return limits.cut(names, 2 * limits.MAX_MESSAGE)  # each message is cut again

    def _choose(self, request: RenderRequest) -> _ContainerSpot | None:
        """The container that a share is for. No match and several matches are errors."""
        name = request.container
        candidates = self._by_name.get(name, []) if name else self._main
        if len(candidates) == 1:
            return candidates[0]
        of_document = request.share.workload.container if request.share.workload else None
        # a name from the command line is wrong about the file, not in the document
        path: Path = ("spec", "workload", "container" if name and name == of_document else "file")
        where = self.workload.name
        if not self._by_name:
            message = msg("{file} has no pod", file=where)
            hint = "name a file with a workload that has a pod template"
        elif name and not candidates:
            message = msg("{file} has no container {name!r}", file=where, name=name)
            hint = did_you_mean(
                name, filter(None, self._by_name), msg("containers: {names}", names=self._names)
            )
        elif name:
            message = msg(
                "{file} has {count} containers named {name!r}", file=where, count=len(candidates), name=name
            )
            hint = "put each workload in a separate file"
        else:
            message = msg(
                "{file} has {count} containers, and the share names none", file=where, count=len(candidates)
            )
            hint = msg(
                "set spec.workload.container, or pass --workload and --container: {names}", names=self._names
            )
        self.diagnostics.append(
            with_location(request.document, Diagnostic("GX010", Severity.ERROR, message, hint, path))
        )
        return None

    def _put(self, chosen: list[tuple[RenderRequest, _ContainerSpot]]) -> list[Splice]:
        splices: list[Splice] = []
        by_document: dict[int, tuple[Document, list[PodRun]]] = {}
        pods: dict[tuple[int, Path], list[tuple[RenderRequest, _ContainerSpot]]] = {}
        for request, spot in chosen:
            pods.setdefault((spot.document.index, spot.pod.keys.path), []).append((request, spot))
        for pod_requests in pods.values():
            spot = pod_requests[0][1]
            written = self._pod(spot, pod_requests)
            by_document.setdefault(spot.document.index, (spot.document, []))[1].append(written)
        for document, all_written in by_document.values():
            self._judge_shared(document, all_written)
        if any(finding.severity is Severity.ERROR for finding in self.diagnostics):
            return []
        claims = self.settings.claims.beside(self.workload)
        for document, all_written in by_document.values():
            try:
                edits = [edit for written in all_written for edit in written.edits]
                templates = [template for written in all_written for template in written.templates]
                changes = self._beside(document, templates, claims)
                splices.extend(edit_document(document, [*edits, *changes.edits]))
                splices.extend(changes.splices)
            except EditError as error:
                finding = text_is_editable(error.path, error.message, error.code)
                self.diagnostics.append(with_location(document, finding))
        return splices

    def _beside(self, document: Document, templates: list[ClaimTemplate], claims: ClaimLookup) -> Changes:
        """The documents that are added beside the workload."""
        changes = template_changes(document, templates, claims, lambda _: (), self.settings.scope)
        self.diagnostics += [*changes.findings, *(template.finding for template in clashes(changes.named))]
        return changes

    def _judge_shared(self, document: Document, written: list[PodRun]) -> None:
        """Report pods of an object that share metadata, which an operator copies, and need different
        values."""
        pod_paths = {run.pod.keys.path for run in written}
        others = [
            PodRun(pod, new_keys=pod.keys)
            for pod in pods_in(document)
            if pod.keys.path not in pod_paths and self.settings.to.is_used_by(pod.keys)
        ]
        for pod, finding in disagreements([*written, *others]):
            self.diagnostics.append(with_location(document, finding, pod.object))

    def _pod(self, spot: _ContainerSpot, requests: list[tuple[RenderRequest, _ContainerSpot]]) -> PodRun:
        """The pod with its old and new shares in the dialect of the target. Adds their items and findings."""
        target, pod = self.settings.to, spot.pod
        documents_of = {(s.init, s.index): request for request, s in requests}
        self._refuse_other_dialects(spot)
        reading = target.read(PodReader(pod.keys, self.settings.profile), self.settings.profile)
        containers: list[ContainerShare] = []
        for container in reading.containers:
            request = documents_of.get((container.init, container.index))
            if request is not None:
                origins = request.share.origins
                container = replace(container, share=request.share.share, origins=origins, path=("spec",))
            containers.append(container)
        decided = self._decided(spot, requests[0][0]) if self.settings.decisions else None
        accept = decided.accept if decided else self.settings.accept
        fit = fit_pod(containers, target, accept, self.settings.profile)
        if decided:
            self.judged.append(decided.judge(fit))
        for outcome in fit.outcomes:
            request = documents_of.get((outcome.container.init, outcome.container.index))
            where = request.document if request else spot.document
            findings = tuple(with_location(where, finding) for finding in outcome.findings())
            if request:
                cards = other_cards([(None, outcome.container)], target)
                findings += tuple(with_location(where, finding) for finding in cards)
            self.diagnostics.extend(findings)
            if request:
                self.items.append(self._item(request, spot, outcome, findings))
        self.diagnostics.extend(
            with_location(spot.document, finding, pod.object)
            for finding in (
                *find_obstacles(pod, fit, (target,), target, self.settings.context),
                *find_miscounted(spot.document, pod, fit),
            )
        )
        writing = with_templates(spot.document, pod, fit.keys, spot.suffix, ())
        claimed = (claim for claim in pod.keys.claims if registry.has_devices_of(claim, (target,)))
        problems = (*writing.findings, *map(claimed_already, claimed))
        self.diagnostics.extend(with_location(spot.document, finding, pod.object) for finding in problems)
        edits = share_edits(pod, writing.keys, (target,), target, mirror_requests=False)
        return PodRun(pod, new_keys=fit.keys, edits=edits, templates=writing.templates)

    def _decided(self, spot: _ContainerSpot, request: RenderRequest) -> DecidedPod:
        """The decisions about the pod; for a probe Pod they name the GPUShare document."""
        decisions, target = self.settings.decisions, self.settings.to.name
        assert decisions is not None
        if self.workload.name == PROBE_FILE:
            return decisions.decide_object(self.settings.accept, _object_of(decisions, request), target)
        return decisions.decide_pod(self.settings.accept, spot.document, spot.pod, target, by_file=False)

    def _item(
        self, request: RenderRequest, spot: _ContainerSpot, outcome: Outcome, findings: tuple[Diagnostic, ...]
    ) -> Item:
        ref = ObjectRef("gpuxlate.io/v1alpha1", "GPUShare", None, request.share.name)
        return Item(
            file=request.document.source.name,
            document=request.document.index,
            object=ref,
            container=spot.name,
            source="spec",
            target=self.settings.to.name,
            share=request.share.share,
            verdict=outcome.verdict,
            losses=outcome.losses,
            diagnostics=findings,
            derived=outcome.derived,
        )

    def _refuse_other_dialects(self, spot: _ContainerSpot) -> None:
        """Refuse a workload with keys of another dialect: ``translate`` changes these."""
        target = self.settings.to
        for backend in self.settings.context.dialects:
            if backend.name == target.name:
                continue
            for container in spot.pod.keys.all_containers():
                for name, value in container.resources.items():
                    if backend.owns(name):
                        finding = Diagnostic(
                            "K8S007",
                            Severity.ERROR,
                            msg("{name} is set already: a pod requests GPUs of one vendor only", name=name),
                            msg(
                                "gpuxlate translate {name} --to {name_2}",
                                name=self.workload.name,
                                name_2=target.name,
                            ),
                            value.path,
                            on_key=True,
                        )
                        self.diagnostics.append(with_location(spot.document, finding, spot.pod.object))


# GPUShare documents of one text for one target, without reading files.
def render_shares(
    spec: Source, workload: Source | None, container: str | None, settings: Settings
) -> list[RenderResult]:
    """Render each share for a target, or all of them on one workload. Raises ValueError without a share."""
    shares, problems = shares_in(spec, settings.profile)
    if any(problem.severity is Severity.ERROR for problem in problems):
        return [RenderResult("", "", (), tuple(problems))]
    if not shares:
        raise ValueError(f"{spec.name}: no GPUShare document")
    first, *others = _rendered(shares, workload, container, settings)
    return [replace(first, diagnostics=(*problems, *first.diagnostics)), *others]


def _rendered(
    shares: Sequence[tuple[Document, ShareDocument]],
    workload: Source | None,
    container: str | None,
    settings: Settings,
) -> list[RenderResult]:
    if container and workload is None:
        raise ValueError("container needs workload: the text of the manifest with that container")
    requests = [RenderRequest(share, document, _container(share, container)) for document, share in shares]
    if not settings.to.writes_pods:
        return _forms(requests, workload, settings)
    if workload is not None:
        return [render_on(workload, requests, settings)]
    named = list(_for_a_file(requests))
    if named:
        return [RenderResult("", "", (), tuple(named))]
    return [render_probe(request, settings) for request in requests]


def _container(share: ShareDocument, container: str | None) -> str | None:
    return container or (share.workload.container if share.workload else None)


def _forms(
    requests: Sequence[RenderRequest], workload: Source | None, settings: Settings
) -> list[RenderResult]:
    if len(requests) > 1:
        raise ValueError(f"{len(requests)} shares for {settings.to.name}, which takes one share a text")
    return [render_form(requests[0], settings, "text", workload)]


def _for_a_file(requests: Sequence[RenderRequest]) -> Iterator[Diagnostic]:
    """Refuse documents that name a manifest: these are not rendered as a probe Pod instead."""
    for request in requests:
        if request.share.workload:
            finding = Diagnostic(
                "GX010",
                Severity.ERROR,
                msg("the share is for {file}, and files are not read here", file=request.share.workload.file),
                "pass the text of that manifest as workload",
                ("spec", "workload", "file"),
            )
            yield with_location(request.document, finding)


def render_form(request: RenderRequest, settings: Settings, output: str, base: Source | None) -> RenderResult:
    """Render a share as parameters of a job, or put it into the parameters in ``base``. Raises
    WrongFileError."""
    backend, share = settings.to, request.share
    assert isinstance(backend, JobBackend)
    container = share.of_container(JOB_CONTAINER)
    decided = None
    if settings.decisions is not None:
        named = _object_of(settings.decisions, request)
        decided = settings.decisions.decide_object(settings.accept, named, backend.name)
    fit = fit_pod([container], backend, decided.accept if decided else settings.accept, settings.profile)
    findings = [with_location(request.document, finding) for finding in fit.findings()]
    text = ""
    if fit.accepted:
        if base is None:
            text = backend.render(fit.keys, output)
        else:
            try:
                text = base.bom + backend.merge(base, fit.keys)
            except MergeError as error:
                findings.append(text_is_editable((), message_of(error)).located(file=base.name))
    outcome = fit.outcomes[0]
    item = Item(
        file=request.document.source.name,
        document=request.document.index,
        object=ObjectRef("gpuxlate.io/v1alpha1", "GPUShare", None, share.name),
        container=JOB_CONTAINER,
        source="spec",
        target=backend.name,
        share=share.share,
        verdict=outcome.verdict,
        losses=outcome.losses,
        diagnostics=tuple(findings),
        derived=outcome.derived,
    )
    suffix = PurePath(base.name).suffix if base else ".json" if output == "json" else backend.suffix
    judged = (decided.judge(fit),) if decided else ()
    return RenderResult(share.name, text, (item,), tuple(findings), suffix, judged)


def _object_of(decisions: Decisions, request: RenderRequest) -> str:
    ref = ObjectRef(None, GPU_SHARE, request.share.namespace, request.share.name)
    return decisions.object(ref, request.document.source.name)
