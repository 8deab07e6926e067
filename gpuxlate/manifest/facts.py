"""The facts that the rules of a document check: keys outside of pods, repeated keys, shared values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Set
from collections.abc import Sequence as Several
from typing import TYPE_CHECKING

from gpuxlate.manifest.claims import MARK, claims_of
from gpuxlate.manifest.hits import path_of, scalars_at
from gpuxlate.manifest.kinds import UNREAD_KINDS, kind_of
from gpuxlate.manifest.objects import objects_in
from gpuxlate.manifest.pods import Pod, chart_values, items, replicas
from gpuxlate.model.diagnostics import Path, prefixes
from gpuxlate.model.messages import msg
from gpuxlate.model.pod import DocumentKeys, Outside, UnreadAmounts, key_occurrences
from gpuxlate.model.share import LEAST_CLIENTS
from gpuxlate.yamltext.nodes import (
    AnchorUses,
    Node,
    Scalar,
    SharingError,
    deref,
    fields,
    get,
    get_text,
    resolve,
)
from gpuxlate.yamltext.parse import Document, NotYamlError, documents, locate
from gpuxlate.yamltext.source import Source

if TYPE_CHECKING:
    from gpuxlate.manifest.key_texts import IsKey
    from gpuxlate.manifest.named_keys import NamedKey

_SHARING = "sharing"
"""The field of a configuration of NVIDIA's device plug-in that says how cards are shared."""
_OF_STRATEGY = ("renameByDefault", "failRequestsGreaterThanOne")
"""Fields of timeSlicing and mps, which people write in flags too (k8s-device-plugin issue 1433)."""


def document_keys(
    document: Document,
    pods: list[Pod],
    is_gpu_key: IsKey,
    places: Several[int] | None = None,
    read: Set[Path] = frozenset(),
) -> DocumentKeys:
    """The facts of a document for its rules.

    ``places``: where it may name keys outside of its pods, None for anywhere. ``read``: the paths of names
    that are read there.
    """
    root = deref(document.root) if document.root else None
    outside: list[Outside] = []
    if places is None or places:  # most documents have none
        from gpuxlate.manifest.named_keys import keys_named

        inside = {spot.path for pod in pods for spot in key_occurrences(pod.keys)} | read
        keys = [key for key in keys_named(document, is_gpu_key, places) if key.path not in inside]
        charts = chart_values(document) if keys else frozenset()
        outside += (_outside(document, key, charts) for key in keys)
    kind = get_text(root, "kind")
    return DocumentKeys(
        api_version=get_text(root, "apiVersion"),
        kind=kind,
        pods=tuple(pod.keys for pod in pods),
        outside=tuple(outside),
        repeated=repeated_keys(document) if document.repeated else (),
        shared=tuple(_shared_paths(document.root, pods, is_gpu_key))
        if document.aliases and document.root
        else (),
        claims=tuple(claims_of(document)) if document.may_hold(MARK) else (),
        several=frozenset(
            pod.keys.path for pod in pods if pod.keys.claims and replicas(document, pod) not in (0, 1)
        ),
        unread=tuple(_unread(document))
        if kind in UNREAD_KINDS or kind == "List" or document.holds(_SHARING)
        else (),
        with_pods=frozenset(_with_pods(document)) if outside else frozenset(),
    )


def _outside(document: Document, key: NamedKey, charts: Set[Path]) -> Outside:
    name = key.text if key.on_key else key.name
    of_chart = bool(charts) and not charts.isdisjoint(prefixes(key.path))
    if key.at is not None:
        return Outside(name, key.path, key.at[0], document.source.span(*key.at), of_chart)
    start = locate(document.root, key.path, on_key=True)[0] if document.root else document.start
    return Outside(name, key.path, start, None, of_chart)


def _with_pods(document: Document) -> Iterator[Path]:
    """The objects whose fields are known to hold pods."""
    for ref, path, _ in objects_in(document):
        kind = kind_of(ref.api_version, ref.kind)
        if kind.templates or kind.pods:
            yield path


def _unread(document: Document) -> Iterator[UnreadAmounts]:
    """The objects whose kinds say that their amounts are not read, and configurations of device plug-ins."""
    for ref, path, node in objects_in(document):
        object_kind = kind_of(ref.api_version, ref.kind)
        if object_kind.unread:
            yield UnreadAmounts(object_kind.kind, (*path, "kind"), msg(object_kind.unread))
        elif (ref.api_version, ref.kind) == ("v1", "ConfigMap"):
            for name, value in fields(get(node, "data")).items():
                if isinstance(value, Scalar) and _SHARING in value.text:
                    yield from _shared_cards(value.text, (*path, "data", name))


def _shared_cards(text: str, path: Path) -> Iterator[UnreadAmounts]:
    """The sharing of cards in a configuration of NVIDIA's device plug-in.

    NVIDIA/k8s-device-plugin, README, "Shared access to GPUs", and api/config/v1/replicas.go (2026-08-19).
    """
    try:
        roots = [document.root for document in documents(Source("", text))]
    except NotYamlError:
        return
    for root in roots:
        for field, strategy in (("timeSlicing", "time-slicing"), ("mps", "mps")):
            renamed = get_text(root, _SHARING, field, "renameByDefault") == "true"
            misplaced = next((name for name in _OF_STRATEGY if get(root, "flags", name) is not None), None)
            for item in items(get(root, _SHARING, field, "resources")):
                name, count = get_text(item, "name"), get_text(item, "replicas")
                if name and count:
                    amount = msg(
                        "{count} {name} for each card ({field})", count=count, name=name, field=field
                    )
                    of = f"{{strategy: {strategy}, replicas: {count}, renamed: {str(renamed).lower()}}}"
                    sharing = f"target: nvidia-shared, nvidia: {{sharing: {of}}}"
                    hint = msg("--from nvidia-shared reads them with a profile: {sharing}", sharing=sharing)
                    if count.isdecimal() and int(count) < LEAST_CLIENTS:
                        hint = msg(
                            "the plug-in does not start with fewer than {least} replicas: write more, or "
                            "leave the resource out",
                            least=LEAST_CLIENTS,
                        )
                    elif misplaced is not None:
                        hint = msg(
                            "the plug-in does not read {name} in flags: write it in {place}",
                            name=misplaced,
                            place=f"{_SHARING}.{field}",
                        )
                    elif field == "timeSlicing":
                        hint = msg(
                            "each client can use all memory and compute of its card; {reading}", reading=hint
                        )
                    yield UnreadAmounts("ConfigMap", path, amount, hint)


def repeated_keys(document: Document) -> tuple[Path, ...]:
    """The paths of the keys that a mapping sets again."""
    if not document.repeated:
        return ()
    again = {key for _, key in document.repeated}
    named = scalars_at(document, sorted(key.start for key in again))
    return tuple(path_of(steps) for steps, scalar, on_key in named if on_key and scalar in again)


def _shared_paths(root: Node, pods: list[Pod], is_gpu_key: IsKey) -> Iterator[Path]:
    """GPU values that are used outside of their container too: by anchor, alias or merge key."""

    sharing = AnchorUses(root)
    for pod in pods:
        for container in pod.keys.all_containers():
            spots = [
                (value.path, resolve(root, value.path))
                for values in (container.limits, container.requests)
                for name, value in values.items()
                if is_gpu_key(name)
            ]
            in_container = Counter((entry[0], entry[1]) for _, entry in spots if entry)
            for path, entry in spots:
                if entry is None:
                    continue
                try:
                    alone = sharing.ways(entry[0], path[-1]) <= in_container[entry[0], entry[1]]
                except SharingError:
                    alone = False
                if not alone:
                    yield path
