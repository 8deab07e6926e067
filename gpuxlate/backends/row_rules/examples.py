"""The manifests on the pages of rules that follow from rows: a share of the dialect, and changes of it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import field, replace

from gpuxlate.backends.pod_writer import Accept, PodWriter, ShareWriter
from gpuxlate.backends.rows import KeyTable
from gpuxlate.model.declarations import record
from gpuxlate.model.keys import Place
from gpuxlate.model.pod import ScalarKind as ValueKind
from gpuxlate.model.pod import Value
from gpuxlate.model.share import JSON_NAMES, Device, Isolation, Share

SHARES = (Share(1, 50, 8192), Share(1, 25, 24576), Share(1, None, 8192), Share(1, 50))
"""What the example asks for: the first that the dialect can express, rounded where it must be."""


ANYTHING = Accept(True, {"cores": 50, "memoryMiB": 8192}, frozenset(JSON_NAMES.values()))


@record
class RowExample:
    """A pod: its limits by container, and what is on the pod."""

    limits: tuple[Mapping[str, Value], ...]
    annotations: Mapping[str, Value] = field(default_factory=dict)
    labels: Mapping[str, Value] = field(default_factory=dict)
    scheduler: str = ""
    init: Mapping[str, Value] = field(default_factory=dict)
    profile: str = ""
    selector: Mapping[str, Value] = field(default_factory=dict)

    def setting(self, name: str, value: int | str) -> RowExample:
        """With a resource of the first container set."""
        first, *rest = self.limits
        return replace(self, limits=({**first, name: Value.of(value)}, *rest))

    def without(self, *names: str) -> RowExample:
        """Without resources of the first container."""
        first, *rest = self.limits
        return replace(self, limits=({k: v for k, v in first.items() if k not in names}, *rest))

    @property
    def text(self) -> str:
        """The inside of a Pod, in YAML."""
        on_pod = [
            f"{what}: {_mapping(values)}"
            for what, values in (("annotations", self.annotations), ("labels", self.labels))
            if values
        ]
        lines = [f"metadata: {{{', '.join(on_pod)}}}"] if on_pod else []
        lines += ["spec:", *([f"  schedulerName: {self.scheduler}"] if self.scheduler else [])]
        if self.selector:
            lines.append(f"  nodeSelector: {_mapping(self.selector)}")
        if self.init:
            lines += ["  initContainers:", *_container("init", self.init)]
        lines.append("  containers:")
        for name, values in zip(("web", "api"), self.limits, strict=False):
            lines += _container(name, values)
        return "\n".join(lines)


def _container(name: str, limits: Mapping[str, Value]) -> Iterable[str]:
    yield from (f"    - name: {name}", f"      image: {name}")
    if limits:
        yield f"      resources: {{limits: {_mapping(limits)}}}"


def _mapping(values: Mapping[str, Value]) -> str:
    def text(one: Value) -> str:
        quoted = one.kind is ValueKind.STR and not one.text[:1].isalpha() and not one.text[-1:].isalpha()
        return json.dumps(one.text) if quoted or one.text in ("true", "false") else one.text

    return f"{{{', '.join(f'{name}: {text(value)}' for name, value in values.items())}}}"


def share(table: KeyTable) -> RowExample:
    """A part of one card as the dialect writes it; a whole one, where it has no other."""
    rows = (row for row in table.keys if row.unit and row.sets not in (None, "cards"))
    parts = {row.name for row in rows if Place.LABEL not in row.places}
    one_card = None if parts else _written(table, Share(1))
    if one_card is not None:
        return one_card
    tried = (_written(table, one) for one in SHARES)
    found = next((one for one in tried if one and parts & {*one.limits[0], *one.annotations}), None)
    if found is None:
        raise ValueError(f"{table.name} can express no part of a card")
    return found


def whole_card(table: KeyTable) -> RowExample:
    """One whole card as the dialect writes it."""
    return _written(table, Share(1)) or share(table)


def _written(table: KeyTable, asked: Share) -> RowExample | None:
    model = table.keys_by_model[0].model
    device = Device(table.vendor, (model,)) if model else None
    isolation = Isolation.SOFT if table.of_pod("isolation") and not asked.whole_cards else None
    asked = replace(asked, device=device, isolation=isolation)
    placing = ShareWriter(asked, ANYTHING, target=table.name, name="web")
    keys = table.write(PodWriter((placing,), ("web",)), None)
    scheduler = keys.scheduler_name.text if keys.scheduler_name else ""
    limits = keys.containers[0].limits
    return None if placing.refused else RowExample((limits,), keys.annotations, keys.labels, scheduler)
