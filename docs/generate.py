"""Writes what is generated of the documentation: ``python docs/generate.py``, or ``--check`` to compare.

``targets.md`` and ``rules.md`` are made from the data sheets and the docstrings, ``errors.md`` from the
table of errors in ``tests/errors``. In README.md and the other pages, every ``console`` block is run: the
lines after a ``$`` are what the command prints. Those of ``console live`` need clusters:
``tests/e2e/pages.py`` runs them.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import groupby

import errors
import matrix
from console import ROOT, with_output

from gpuxlate.backends import registry
from gpuxlate.backends.base import Backend
from gpuxlate.rules.base import Rule
from gpuxlate.rules.catalog import all_rules
from gpuxlate.share import JSON_NAMES

WRITTEN_BY_HAND = (
    "README.md",
    "docs/share.md",
    "docs/translate.md",
    "docs/lint.md",
    "docs/node-pools.md",
    "docs/volcengine-colocation.md",
    "docs/alibaba-multi-card.md",
    "docs/tencent-qgpu.md",
    "docs/emr.md",
    "docs/ai-app.md",
    "docs/kubectl.md",
    "docs/hami.md",
    "docs/volcano-vgpu.md",
    "docs/writing-a-target.md",
)
NOTE = "<!-- written by docs/generate.py; change the code it is made from -->\n\n"

PREFIXES = {
    "K8S": "Kubernetes itself",
    "GX": "gpuxlate",
    "VKE": "Volcengine mGPU",
    "ACK": "Alibaba Cloud gpushare",
    "TKE": "Tencent Cloud qGPU",
    "EMR": "Volcengine EMR Serverless",
}


def pages() -> Iterator[tuple[str, str]]:
    """Every page that holds something generated, as it should be."""
    yield "docs/targets.md", targets()
    yield "docs/rules.md", rules()
    yield "docs/support-matrix.md", support_matrix()
    yield "docs/errors.md", NOTE.replace("the code it is made from", "tests/errors") + errors.page()
    for name in WRITTEN_BY_HAND:
        yield name, with_output((ROOT / name).read_text(encoding="utf-8"))


# --- targets ----------------------------------------------------------------------------------


def targets() -> str:
    parts = [f"{NOTE}# Targets\n\nWhat each target can say, and the keys it says it with.\n"]
    parts += [target(backend) for backend in registry.all_backends()]
    return "\n".join(parts)


def target(backend: Backend) -> str:
    others = ", ".join(f"`{alias}`" for alias in registry.aliases(backend.name))
    lines = [f"## {backend.name}", "", backend.title + (f". Also called {others}." if others else "."), ""]
    fields = [[f"`{name}`", backend.says.get(name, "no place")] for name in JSON_NAMES.values()]
    lines += [*table(["field", "how it is said"], fields), ""]
    keys = [
        [f"`{row.name}`", ", ".join(sorted(map(str, row.places))), row.meaning, row.unit, row.source]
        for row in backend.keys
    ]
    lines += table(["key", "stands in", "meaning", "unit", "source"], keys)
    return "\n".join(lines) + "\n"


# --- support matrix ---------------------------------------------------------------------------


def support_matrix() -> str:
    """Target by field, then each target with the rules behind its cells and its prerequisites."""
    rows = [(backend, matrix.cells(backend)) for backend in registry.all_backends()]
    fields = list(JSON_NAMES.values())
    head = ["target", *(f"`{name}`" for name in fields)]
    cells = [
        [f"[{backend.name}](#{backend.name})", *(", ".join(row[name].words()) for name in fields)]
        for backend, row in rows
    ]
    lines = [f"{NOTE}# Support matrix", "", matrix.INTRODUCTION, "", *table(head, cells), ""]
    parts = [supported(backend, row) for backend, row in rows]
    return "\n".join(["\n".join(lines), *parts])


def supported(backend: Backend, row: dict[str, matrix.Cell]) -> str:
    fields = [
        [f"`{name}`", backend.says.get(name, "no place"), "<br>".join(with_rules(cell))]
        for name, cell in row.items()
    ]
    lines = [f"## {backend.name}", "", *table(["field", "how it is said", "what it meets"], fields)]
    needs = [
        [one.what, str(one.bound), one.when or "every share", str(one.severity), str(one.source)]
        for one in backend.requirements
    ]
    if needs:
        lines += ["", "Prerequisites, as `gpuxlate nodepool --check` compares them:", ""]
        lines += table(["what", "wanted", "for", "severity", "source"], needs)
    return "\n".join(lines) + "\n"


def with_rules(cell: matrix.Cell) -> list[str]:
    """``rounded: ACK006``, each code a link."""
    found = []
    for word in cell.words():
        codes = ", ".join(f"[{code}](rules.md#{code.lower()})" for code in sorted(cell.met[word]))
        found.append(f"{word}: {codes}" if codes else word)
    return found


# --- rules ------------------------------------------------------------------------------------


def prefix(rule: Rule) -> str:
    return rule.code[:-3]


def rules() -> str:
    known = sorted(all_rules(registry.all_backends()).values(), key=lambda one: (order(one), one.code))
    lines = [f"{NOTE}# Rules", "", "The same text as `gpuxlate explain CODE`.", ""]
    for start, group in groupby(known, prefix):
        lines += [f"**{PREFIXES.get(start, start)}**", ""]
        rows = [[f"[{r.code}](#{r.code.lower()})", str(r.severity), r.fix or "", r.summary] for r in group]
        lines += [*table(["code", "severity", "fix", "what it holds"], rows), ""]
    return "\n".join(lines) + "\n" + "\n".join(map(one_rule, known))


def order(rule: Rule) -> int:
    known = list(PREFIXES)
    return known.index(prefix(rule)) if prefix(rule) in known else len(known)


def one_rule(rule: Rule) -> str:
    fix = f", fix: {rule.fix}" if rule.fix else ""
    parts = [f"## {rule.code}", f"`{rule.name}` ({rule.severity}{fix})", rule.summary]
    for title, body in rule.sections.items():
        parts += [f"### {title}", body]
    return "\n\n".join(parts) + "\n"


# --- pages -------------------------------------------------------------------------------------


def table(head: list[str], rows: list[list[str]]) -> list[str]:
    cells = [[cell.replace("|", "\\|") for cell in row] for row in rows]
    return ["| " + " | ".join(row) + " |" for row in [head, ["---"] * len(head), *cells]]


def main() -> int:
    check = sys.argv[1:] == ["--check"]
    stale = 0
    for name, text in pages():
        path = ROOT / name
        if path.exists() and path.read_text(encoding="utf-8") == text:
            continue
        stale += 1
        if check:
            print(f"{name} is not current: run make docs")
        else:
            path.write_text(text, encoding="utf-8")
            print(f"wrote {name}")
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
