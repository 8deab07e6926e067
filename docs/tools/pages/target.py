"""A page for each target, from its data sheet: fields, keys, rules, prerequisites, an example."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path

from docs.tools.markdown import code, fenced, filled, rule_link, table
from docs.tools.pages import documents
from docs.tools.pages.support_matrix import cells
from gpuxlate.backends import registry
from gpuxlate.backends.base import Backend
from gpuxlate.backends.hami_family import HamiDialect
from gpuxlate.backends.pod_writer import Accept
from gpuxlate.backends.row_rules.examples import RULE_EXAMPLE_SHARES
from gpuxlate.backends.row_writer import sizes_text
from gpuxlate.backends.rows import SeveralCards, changes_of
from gpuxlate.backends.scheduling_limits import Limits
from gpuxlate.config.document import to_document
from gpuxlate.model.keys import ANY, Confidence, KeySpec, Place
from gpuxlate.model.profile import ChangeKind
from gpuxlate.model.share import JSON_NAMES, Device, Share
from gpuxlate.translation.fit import Verdict
from gpuxlate.translation.options import Settings
from gpuxlate.translation.render import render_shares
from gpuxlate.yamltext.plain import dump_yaml
from gpuxlate.yamltext.source import Source

DOCS = Path(__file__).parents[2]
MODEL = "{model}"

READ_ONLY = "**Read only**: manifests are translated from it, never to it."
RESULTS = "*Results* are those of many shares: see the [support matrix](../support-matrix.md)."
MISSING = "not supported"
NEEDS = "Prerequisites of the nodes, as [`gpuxlate nodepool --check`](../node-pools.md) compares them:"
LIVE = """\
`kubectl gpuxlate nodes`, `capacity`, `preflight` and `verify` read the nodes of this target and what its
scheduler writes on pods: see [kubectl](../kubectl.md)."""
TELLS = "What nodes do not show, and where it is:"


def pages() -> Iterator[tuple[str, str]]:
    for backend in registry.all_backends():
        yield f"targets/{backend.name}.md", "\n\n".join(_page(backend)) + "\n"


def navigation() -> list[str]:
    return [f"targets/{backend.name}.md" for backend in registry.all_backends()]


def _page(backend: Backend) -> Iterator[str]:
    yield f"# {backend.name}"
    yield " ".join(_about(backend))
    others = _written_by_hand().get(backend.name)
    if others:
        yield f"More about it: {', '.join(others)}."
    yield from ("## Fields of a share", _fields(backend))
    yield from ("## Keys", _keys(backend))
    if backend.rules:
        head = ["code", "severity", "fix", "requirement"]
        rows = [
            [rule_link(rule.code), str(rule.severity), rule.fix or "", rule.summary] for rule in backend.rules
        ]
        yield from ("## Rules", "\n".join(filled(head, rows)))
    yield from _cluster(backend)
    yield from _example(backend)


# --- what it is -----------------------------------------------------------------------------------


def _about(backend: Backend) -> Iterator[str]:
    aliases = ", ".join(f"`{alias}`" for alias in registry.aliases(backend.name))
    yield f"{backend.title}." + (f" Also called {aliases}." if aliases else "")
    if backend.read_only:
        yield READ_ONLY
    if backend.vendor:
        yield f"For cards of `{backend.vendor}`."
    if backend.documents:
        yield from _of_rows(backend)
    elif backend.schedulers:
        yield _schedulers(backend.schedulers)


def _schedulers(names: Iterable[str]) -> str:
    return f"Its keys have effect with the default scheduler and {', '.join(f'`{name}`' for name in names)}."


def _of_rows(backend: Backend) -> Iterator[str]:
    if backend.scheduler:
        yield f"A pod names `schedulerName: {backend.scheduler}`."
    elif backend.schedulers:
        yield _schedulers(backend.schedulers)
    if backend.sizes:
        yield f"A part of a card is one of: {sizes_text(backend.sizes)}."
    counts = [rows.cards for rows in backend.keys_by_model if rows.cards]
    if counts and backend.has_parts and not any(row.repeats for row in counts):
        gets = str(backend.several_cards)
        forced = any(rows.cores and rows.cores.forced for rows in backend.keys_by_model)
        if forced and backend.several_cards is SeveralCards.SHARED:
            gets += ", with all of their compute"
        yield f"A container that requests a part of several cards gets {gets}."
        if isinstance(backend, HamiDialect) and backend.several_doubt:
            yield f"That is not certain: {backend.several_doubt}."
    if isinstance(backend, HamiDialect) and backend.pod_record:
        name, of = backend.pod_record
        yield f"`{name}` on a pod has the cards of its {of} container alone."
    if backend.cards_in_cores:
        yield "100 units of compute and their multiples are whole cards."
    if backend.one_share_per_pod:
        yield "The containers of a pod have one share together."
    if not backend.init_containers:
        yield "An init container has no share."
    if backend.isolation:
        yield f"The isolation of a part is `{backend.isolation}`."


@cache
def _written_by_hand() -> dict[str, list[str]]:
    """By target, the pages that people write and that link to its page."""
    groups: dict[str, list[str]] = {}
    for path in sorted(DOCS.glob("*.md")):
        text = path.read_text(encoding="utf-8")
        title = re.match(r"# (.+)", text)
        if title and "." not in path.stem:
            for name in dict.fromkeys(re.findall(r"\]\(reference/targets\.md#([\w-]+)\)", text)):
                groups.setdefault(name, []).append(f"[{title[1]}](../{path.name})")
    return groups


# --- fields and keys ------------------------------------------------------------------------------


def _fields(backend: Backend) -> str:
    said = {name: backend.field_docs.get(name, MISSING) for name in JSON_NAMES.values()}
    if backend.read_only:
        return "\n".join(table(["field", "representation"], [[f"`{n}`", text] for n, text in said.items()]))
    results = cells(backend)
    for name, text in said.items():
        if text == MISSING and str(Verdict.EXACT) in results[name].met:
            said[name] = "no key"  # some values are those that every share of the target has
    rows = [[f"`{name}`", text, "\n".join(results[name].with_rules())] for name, text in said.items()]
    return "\n".join([*table(["field", "representation", "results"], rows), "", RESULTS])


def _keys(backend: Backend) -> str:
    head = ["key", "place", "meaning", "unit", "values", "beside", "without it", "written by", "source"]
    of_models = {row.template for row in backend.keys if row.model}
    rows = {
        row.template or row.name: _named_by_template(row)
        for row in backend.keys
        if row.model or row.template not in of_models  # else it is for a card that nobody knows
    }
    lines = filled(head, [_key(backend, row) for row in rows.values()])
    models = _models(backend)
    if models:
        lines += ["", f"`{MODEL}` is the card, by its [name](../cards.md): {', '.join(models)}."]
    return "\n".join(lines)


def _named_by_template(row: KeySpec) -> KeySpec:
    """A row of one card under the name that all have in common."""
    if not row.model:
        return row
    text = _model_in(row)
    names = {
        name: tuple(name_with_model.replace(text, MODEL) for name_with_model in getattr(row, name))
        for name in LISTS
    }
    return row._replace(name=row.template, **names)


LISTS = ("needs", "excludes", "aliases")
"""Fields of a row that hold names of keys."""


def _model_in(row: KeySpec) -> str:
    before, _, behind = row.template.partition(MODEL)
    return row.name[len(before) : len(row.name) - len(behind)]


def _models(backend: Backend) -> list[str]:
    models = {_model_in(row): row.model for row in backend.keys if row.model}
    return [f"`{text}` ({model})" for text, model in models.items()]


def _key(backend: Backend, row: KeySpec) -> list[str]:
    names = [f"`{row.name}`", *(f"also `{alias}`" for alias in row.aliases)]
    places = (
        ["parameter"]
        if not backend.writes_pods
        else sorted(map(str, row.places - {Place.WRITTEN_BY_SCHEDULER}))
    )
    return [
        "\n".join([*names, *_versions(row)]),
        ", ".join(places),
        row.meaning,
        row.unit_text,
        "\n".join(_values(row)),
        "\n".join(_beside(row)),
        str(row.default or ""),
        _writer(row),
        documents.links(backend, row.source)
        + (" (medium confidence)" if row.confidence is Confidence.MEDIUM else ""),
    ]


def _versions(row: KeySpec) -> Iterator[str]:
    words = {
        ChangeKind.NEW: "since {0}",
        ChangeKind.REMOVED: "until {0}",
        ChangeKind.RENAMED: "{1} since {0}",
    }
    for change in changes_of(row):
        if change.change in words:
            yield words[change.change].format(change.release, change.replacement)


def _values(row: KeySpec) -> Iterator[str]:
    """What may be valid, and what is doubtful or changes nothing."""
    if row.ranges:
        yield row.legal.text
    words = {text: str(row.words.get(text, text)) for text in row.texts}
    if words:
        yield ", ".join(
            f"`{word}`" if word == value else f"`{word}` ({value})" for word, value in words.items()
        )
    patterns = (pattern.pattern for pattern in row.values if isinstance(pattern, re.Pattern))
    yield from map(code, patterns)
    if ANY in row.no_op_values:
        yield "no value changes what a pod requests"
    elif row.no_op_values:
        idle = (f"`{value}`" if value else "the empty text" for value in row.no_op_values)
        yield f"as without the key: {', '.join(idle)}"
    yield from (f"doubtful: `{value}`: {why}" for value, why in row.uncertain_values.items())


def _beside(row: KeySpec) -> Iterator[str]:
    if row.needs:
        yield f"needs {' or '.join(f'`{name}`' for name in row.needs)}"
    if row.excludes:
        yield f"not with {', '.join(f'`{name}`' for name in row.excludes)}"


def _writer(row: KeySpec) -> str:
    return "the scheduler" if Place.WRITTEN_BY_SCHEDULER in row.places else ""


# --- the cluster, an example ----------------------------------------------------------------------


def _cluster(backend: Backend) -> Iterator[str]:
    needs = [
        [
            requirement.title,
            str(requirement.bound),
            requirement.when or "every share",
            str(requirement.severity),
            str(requirement.source),
        ]
        for requirement in backend.requirements
    ]
    if not (needs or backend.has_nodes):
        return
    yield "## On a cluster"
    if needs:
        head = ["prerequisite", "required", "for", "severity", "source"]
        yield "\n".join([NEEDS, "", *table(head, needs)])
    if backend.has_nodes:
        yield f"{LIVE}{_instances(backend.limits)}" if backend.has_parts else LIVE
        tells = [[f"`{fact}`", how] for fact, how in backend.fact_commands.items()]
        if tells:
            yield "\n".join([TELLS, "", *table(["fact of a profile", "where"], tells)])


def _instances(limits: Limits) -> str:
    doubt = "" if limits.certain else ", though its documents differ"
    maximum = None if limits.default else limits.per_card
    count = f"{maximum} containers{doubt}" if maximum else "as many containers as the node says"
    return f" A card has at most {count}."


def _example(backend: Backend) -> Iterator[str]:
    """The first share that it can express exactly, else the first that can be rounded."""
    shares = (Share(1, 30, 4096), *RULE_EXAMPLE_SHARES, Share())
    model = next((row.model for row in backend.keys if row.model), None)
    named = [replace(share, device=Device(models=(model,))) for share in shares] if model else []
    tried = (_rendered(backend, share) for share in (*shares, *named))
    examples = [example for example in tried if example is not None]
    if not examples:
        return
    document, verdict, text = next(
        (example for example in examples if example[1] is Verdict.EXACT), examples[0]
    )
    rounded = "" if verdict is Verdict.EXACT else ", rounded up"
    kind = "yaml" if backend.writes_pods or text.startswith("apiVersion") else "text"
    yield f"## Example\n\n{fenced('yaml', document)}"
    yield f"The same in a manifest{rounded}:\n\n{fenced(kind, text)}"


def _rendered(backend: Backend, share: Share) -> tuple[str, Verdict, str] | None:
    """The document of a share, its verdict and the text at a target; None where it is refused."""
    document = dump_yaml(to_document("bert", share))
    [document_rendered] = render_shares(
        Source("share.yaml", document), None, None, Settings(backend, accept=Accept(True))
    )
    if (
        document_rendered.refused or "*" in document_rendered.text
    ):  # the row of a key that is read is no name to write
        return None
    return document, document_rendered.items[0].verdict, document_rendered.text
