"""From GPUShare documents to manifests: in a workload, or as a small probe Pod."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from gpuxlate.backends.base import ContainerShare, Taking
from gpuxlate.config.document import ShareDocument
from gpuxlate.manifest.pods import Pod, pods_in
from gpuxlate.model import limits
from gpuxlate.model.diagnostics import Diagnostic, ObjectRef, Severity
from gpuxlate.model.messages import say
from gpuxlate.model.pod import Path
from gpuxlate.model.profile import renamed_by
from gpuxlate.overlays.claims import ClaimLookup
from gpuxlate.rules.source import broken
from gpuxlate.rules.translation import text_is_editable
from gpuxlate.translation.claims import (
    Changes,
    Template,
    changes,
    claimed_already,
    clashes,
    goes,
    with_templates,
)
from gpuxlate.translation.numbered import Numbered
from gpuxlate.translation.pods.fit import Outcome, fit_pod
from gpuxlate.translation.pods.item import Item
from gpuxlate.translation.pods.placement import Written, disagreements, share_edits, writable
from gpuxlate.translation.pods.remarks import miscounted
from gpuxlate.translation.pods.scheduling import rescheduled
from gpuxlate.translation.settings import Settings
from gpuxlate.yamltext.compose import Document, NotYamlError, documents
from gpuxlate.yamltext.edit import EditError, Splice, apply, edit_document
from gpuxlate.yamltext.place import placed
from gpuxlate.yamltext.source import Source
from gpuxlate.yamltext.style import scalar

PROBE_IMAGE = "nvidia/cuda:12.4.1-base-ubuntu22.04"
"""A small image with nvidia-smi."""
PROBE = "probe"
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
    command: ["nvidia-smi"]
"""


@dataclass(frozen=True, slots=True)
class Asked:
    """A GPUShare document, where it was read, and the container it is for (None: the only one)."""

    share: ShareDocument
    document: Document
    container: str | None = None


@dataclass(frozen=True, slots=True)
class Rendering:
    """The result. ``text`` is valid only where nothing was refused."""

    name: str
    text: str
    items: tuple[Item, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    suffix: str = ".yaml"

    @property
    def refused(self) -> bool:
        return any(one.severity is Severity.ERROR for one in self.diagnostics)


def render_probe(asked: Asked, settings: Settings) -> Rendering:
    """A Pod that runs nvidia-smi under the share."""
    text = _PROBE.format(name=scalar(asked.share.name, None), container=PROBE, image=PROBE_IMAGE)
    return render_on(Source("probe.yaml", text), [replace(asked, container=PROBE)], settings)


def render_on(workload: Source, asked: Sequence[Asked], settings: Settings) -> Rendering:
    """Write shares into the containers of a workload, all of them or none."""
    run = _Render(workload, asked, settings)
    return run.run()


@dataclass(frozen=True, slots=True)
class _Spot:
    """A container of the workload."""

    document: Document
    pod: Pod
    init: bool
    index: int
    name: str


class _Render:
    def __init__(self, workload: Source, asked: Sequence[Asked], settings: Settings) -> None:
        self.workload = workload
        self.asked = asked
        self.settings = settings
        self.items: list[Item] = []
        self.diagnostics: list[Diagnostic] = []
        self._by_name: dict[str, list[_Spot]] = {}
        self._main: list[_Spot] = []
        self._numbered: dict[int, Numbered] = {}
        self.templates: dict[int, tuple[Template, ...]] = {}

    def run(self) -> Rendering:
        name = self.asked[0].share.name
        try:
            found = list(documents(self.workload))
        except NotYamlError as error:
            self.diagnostics.append(broken(self.workload, error))
            return Rendering(name, "", (), tuple(self.diagnostics))
        for document in found:
            pods = [one.under(renamed_by(self.settings.profile)) for one in pods_in(document)]
            self._numbered[document.index] = Numbered(pods)
            for pod in pods:
                for one in pod.keys.all_containers():
                    spot = _Spot(document, pod, one.init, one.index, one.name)
                    self._by_name.setdefault(one.name, []).append(spot)
                    if not one.init:
                        self._main.append(spot)
        chosen = [(one, self._choose(one)) for one in self.asked]
        text = self.workload.text
        if all(spot for _, spot in chosen):
            made = self._put([(one, spot) for one, spot in chosen if spot])
            text = apply(text, made)
        return Rendering(name, text, tuple(self.items), tuple(self.diagnostics))

    @cached_property
    def _names(self) -> str:
        names = ", ".join(name or "(unnamed)" for name in self._by_name)
        return limits.cut(names, 2 * limits.MAX_MESSAGE)  # each message is cut again

    def _choose(self, asked: Asked) -> _Spot | None:
        """The container that a share is for. No match and several matches are errors."""
        wanted = asked.container
        candidates = self._by_name.get(wanted, []) if wanted else self._main
        if len(candidates) == 1:
            return candidates[0]
        path: Path = ("spec", "workload", "container" if wanted else "file")
        where = self.workload.name
        if not self._by_name:
            message = say("{file} has no pod", file=where)
            hint = "name a file with a workload that has a pod template"
        elif wanted and not candidates:
            message = say("{file} has no container {name!r}", file=where, name=wanted)
            hint = say("containers: {names}", names=self._names)
        elif wanted:
            message = say(
                "{file} has {count} containers named {name!r}", file=where, count=len(candidates), name=wanted
            )
            hint = "put each workload in a separate file"
        else:
            message = say(
                "{file} has {count} containers, and the share names none", file=where, count=len(candidates)
            )
            hint = say("set spec.workload.container, or pass --container: {names}", names=self._names)
        self.diagnostics.append(
            placed(asked.document, Diagnostic("GX010", Severity.ERROR, message, hint, path))
        )
        return None

    def _put(self, chosen: list[tuple[Asked, _Spot]]) -> list[Splice]:
        made: list[Splice] = []
        by_document: dict[int, tuple[Document, list[Written]]] = {}
        pods: dict[int, list[tuple[Asked, _Spot]]] = {}
        for one, spot in chosen:
            pods.setdefault(id(spot.pod), []).append((one, spot))
        for mine in pods.values():
            spot = mine[0][1]
            written = self._pod(spot, mine)
            by_document.setdefault(spot.document.index, (spot.document, []))[1].append(written)
        for document, all_written in by_document.values():
            self._judge_shared(document, all_written)
        if any(one.severity is Severity.ERROR for one in self.diagnostics):
            return []
        known = self.settings.claims.beside(self.workload)
        for document, all_written in by_document.values():
            try:
                edits = [edit for written in all_written for edit in written.edits]
                templates = [one for written in all_written for one in self.templates[id(written.pod)]]
                beside = self._beside(document, templates, known)
                made.extend(edit_document(document, [*edits, *beside.edits]))
                made.extend(beside.splices)
            except EditError as error:
                found = text_is_editable(error.path, error.message)
                self.diagnostics.append(placed(document, replace(found, code=error.code or found.code)))
        return made

    def _beside(self, document: Document, templates: list[Template], known: ClaimLookup) -> Changes:
        """The documents that are added beside the workload."""
        found = changes(document, templates, known, lambda _: (), self.settings.scope)
        self.diagnostics += [*found.found, *clashes(found.named)]
        return found

    def _judge_shared(self, document: Document, written: list[Written]) -> None:
        """What an operator copies from the object is of its other pods too."""
        mine = {one.pod.keys.path for one in written}
        others = [
            Written(pod, pod.keys, [])
            for pod in pods_in(document)
            if pod.keys.path not in mine and self.settings.to.is_used_by(pod.keys)
        ]
        for pod, found in disagreements([*written, *others]):
            self.diagnostics.append(placed(document, found, pod.object))

    def _pod(self, spot: _Spot, mine: list[tuple[Asked, _Spot]]) -> Written:
        """The pod's shares in the target's dialect: those it has, and the new ones."""
        target, pod = self.settings.to, spot.pod
        documents_of = {(s.init, s.index): asked for asked, s in mine}
        self._refuse_other_dialects(spot)
        reading = target.read(Taking(pod.keys), self.settings.profile)
        containers: list[ContainerShare] = []
        for one in reading.containers:
            asked = documents_of.get((one.init, one.index))
            if asked is not None:
                origins = asked.share.origins
                one = replace(one, share=asked.share.share, origins=origins, path=("spec",))
            containers.append(one)
        fit = fit_pod(containers, target, self.settings.accept, self.settings.profile)
        for outcome in fit.outcomes:
            asked = documents_of.get((outcome.container.init, outcome.container.index))
            where = asked.document if asked else spot.document
            found = tuple(placed(where, one) for one in outcome.findings())
            self.diagnostics.extend(found)
            if asked:
                self.items.append(self._item(asked, spot, outcome, found))
        self.diagnostics.extend(
            placed(spot.document, one, pod.object)
            for one in (
                *writable(pod, fit, (target,), target),
                *rescheduled(pod, fit, (target,), target),
                *miscounted(spot.document, pod, fit),
            )
        )
        numbered = self._numbered[spot.document.index]
        writing = with_templates(spot.document, pod, fit.keys, numbered, ())
        claimed = (one for one in pod.keys.claims if goes(one, (target,)))
        found_ = (*writing.found, *map(claimed_already, claimed))
        self.diagnostics.extend(placed(spot.document, one, pod.object) for one in found_)
        self.templates[id(pod)] = writing.templates
        edits = share_edits(pod, writing.keys, (target,), target, mirror_requests=False)
        return Written(pod, fit.keys, edits)

    def _item(self, asked: Asked, spot: _Spot, outcome: Outcome, found: tuple[Diagnostic, ...]) -> Item:
        ref = ObjectRef("gpuxlate.io/v1alpha1", "GPUShare", None, asked.share.name)
        return Item(
            asked.document.source.name,
            asked.document.index,
            ref,
            spot.name,
            "spec",
            self.settings.to.name,
            asked.share.share,
            outcome.verdict,
            outcome.losses,
            found,
            derived=outcome.derived,
        )

    def _refuse_other_dialects(self, spot: _Spot) -> None:
        """A workload with another vendor's keys is for translate, not for render."""
        target = self.settings.to
        for backend in self.settings.context.dialects:
            if backend.name == target.name:
                continue
            for container in spot.pod.keys.all_containers():
                for name, value in container.resources.items():
                    if backend.owns(name):
                        found = Diagnostic(
                            "K8S007",
                            Severity.ERROR,
                            say("{name} is set already: a pod requests GPUs of one vendor only", name=name),
                            say(
                                "gpuxlate translate {name} --to {name_2}",
                                name=self.workload.name,
                                name_2=target.name,
                            ),
                            value.path,
                            on_key=True,
                        )
                        self.diagnostics.append(placed(spot.document, found, spot.pod.object))
