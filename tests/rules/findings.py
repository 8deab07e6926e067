"""Linting of small texts with the rules of no vendor, over the vocabularies of all targets.

A text marks where its finding must stand with guillemets: ``mgpu-memory: «4Gi»``.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from gpuxlate.backends import registry
from gpuxlate.backends.alibaba.profile import AlibabaProfile
from gpuxlate.inputs.claims import Claims
from gpuxlate.manifest.pods import document_keys, pods_in
from gpuxlate.model.diagnostics import Diagnostic
from gpuxlate.model.edits import Put, Remove, Rename
from gpuxlate.model.pod import dotted
from gpuxlate.model.profile import Profile
from gpuxlate.rules.base import Context, check_document, check_pod
from gpuxlate.rules.catalog import neutral_rules
from gpuxlate.yamltext.compose import documents
from gpuxlate.yamltext.place import placed
from gpuxlate.yamltext.source import Source

Place = tuple[int, int, int, int]
DIALECTS = tuple(registry.all_backends())
HEAD = "apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec:\n  containers:\n"

PARTS = ("limits", "requests", "env", "spec", "affinity", "metadata", "top", "owner")


@dataclass(frozen=True)
class Found:
    """The findings of one text, and the places that the text marks."""

    diagnostics: list[Diagnostic]
    marked: list[Place]

    def of(self, code: str) -> list[Diagnostic]:
        return [one for one in self.diagnostics if one.code == code]

    def places(self, code: str) -> list[Place]:
        spans = [one.span for one in self.of(code)]
        return sorted((s.line, s.column, s.end_line, s.end_column) for s in spans if s)

    @property
    def codes(self) -> list[str]:
        return sorted(one.code for one in self.diagnostics)


def lint(text: str, profile: Profile | None = None) -> Found:
    bare, marked = _unmarked(text)
    context = Context(profile, DIALECTS)
    found: list[Diagnostic] = []
    source = Source("<test>", bare)
    claims = Claims().beside(source)
    for document in documents(source):
        pods = [claims.resolved(one) for one in pods_in(document)]
        for pod in pods:
            found += [
                placed(document, one, pod.object) for one in check_pod(neutral_rules(), pod.keys, context)
            ]
        keys = document_keys(document, pods, registry.is_gpu_key)
        found += [placed(document, one) for one in check_document(neutral_rules(), keys, context)]
    return Found(sorted(found, key=Diagnostic.sort_key), marked)


def _unmarked(text: str) -> tuple[str, list[Place]]:
    places: list[Place] = []
    lines = text.split("\n")
    for number, line in enumerate(lines, 1):
        for nth, match in enumerate(re.finditer("«(.*?)»", line)):
            start = match.start() - 2 * nth + 1
            places.append((number, start, number, start + len(match[1])))
        lines[number - 1] = line.replace("«", "").replace("»", "")
    return "\n".join(lines), places


def manifest(
    limits: str = "vke.volcengine.com/mgpu-memory: 4096",
    requests: str | None = None,
    *,
    env: str = "",
    spec: str = "restartPolicy: Never",
    affinity: str = "",
    metadata: str = "",
    top: str = "",
    owner: str | None = None,
) -> str:
    """A Pod of one container, each part in flow style; in a Deployment, if there is metadata of its owner."""
    if affinity:
        spec = (
            "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: "
            f"[{{matchExpressions: [{affinity}]}}]}}}}}}"
        )
    asked = "" if requests is None else f"\n      requests: {{{requests}}}"
    pod = (
        f"metadata: {{{metadata}}}\nspec:\n  {spec}\n  containers:\n  - name: web\n    env: [{env}]\n"
        f"    resources:\n      limits: {{{limits}}}{asked}\n"
    )
    if owner is None:
        return f"apiVersion: v1\nkind: Pod\n{top}\n{pod}"
    template = "".join(f"    {line}\n" for line in pod.splitlines())
    return f"apiVersion: apps/v1\nkind: Deployment\nmetadata: {{{owner}}}\nspec:\n  template:\n{template}"


def rows() -> dict[str, list[dict[str, Any]]]:
    """The rows of cases.yaml, by code and severity."""
    text = (Path(__file__).parent / "cases.yaml").read_text(encoding="utf-8")
    for short, key in yaml.safe_load(text)["names"].items():
        text = re.sub(rf"\b{short}\b", key, text)
    return {code: listed for code, listed in yaml.safe_load(text).items() if code != "names"}


def found_in(row: dict[str, Any]) -> Found:
    """The findings of a row."""
    parts = {name: text for name, text in row.items() if name in PARTS}
    text = HEAD + row["containers"] if "containers" in row else row.get("text") or manifest(**parts)
    unit = (AlibabaProfile(memory_unit_mib=row["unit"]),) if row.get("unit") else ()
    return lint(text, Profile("alibaba-gpushare", extensions=unit) if "unit" in row else None)


def fix_of(one: Diagnostic) -> str | None:
    """Its fix as a row says it."""

    def said(edit: object) -> str:
        assert isinstance(edit, Put | Remove | Rename)
        place = "" if edit.path == one.path else f" {dotted(edit.path)}"
        new = "" if isinstance(edit, Remove) else f" {json.dumps(edit.value)}"
        if isinstance(edit, Rename):
            new = f" {edit.key}{new}"
        return f"{type(edit).__name__.lower()}{place}{new}"

    return one.fix and f"{'safe' if one.fix.safe else 'unsafe'} {', '.join(map(said, one.fix.edits))}"
