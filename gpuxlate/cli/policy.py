"""``gpuxlate policy``: the rules as admission policies of a cluster."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Annotated, Any

import typer

from gpuxlate import locale
from gpuxlate.backends import registry
from gpuxlate.backends.base import Backend
from gpuxlate.cli import common, options
from gpuxlate.cli.errors import CliError, Exit
from gpuxlate.cli.policy_translate import Asked, shapes
from gpuxlate.cli.tables import table
from gpuxlate.lint.select import Selection
from gpuxlate.model.messages import Lines, say, titled
from gpuxlate.model.profile import Profile
from gpuxlate.policy.documents import Action, Object, Policy, Style
from gpuxlate.policy.explained import Enforced, explain, explained
from gpuxlate.policy.generate import Format, Scope, Wish, documents, enforcing, freezing
from gpuxlate.policy.translation.policies import Translating
from gpuxlate.rules import catalog
from gpuxlate.yamltext.plain import fresh

Targets = Annotated[
    list[str],
    typer.Option(
        "--to",
        help="The rules of this dialect; may be repeated. All that are read by default.",
        metavar="TARGET",
        autocompletion=options.complete_target,
    ),
]
Forbid = Annotated[
    list[str],
    typer.Option(
        "--forbid",
        help="Deny every key of this dialect, in place of the rules; may be repeated.",
        metavar="TARGET",
        autocompletion=options.complete_target,
    ),
]
ScopeOf = Annotated[
    str,
    typer.Option(
        "--scope",
        help="pods (default), workloads or all. Pods are judged when they are made.",
        metavar="SCOPE",
        autocompletion=options.completing(*Scope),
    ),
]
ActionOf = Annotated[
    str | None,
    typer.Option(
        "--action",
        help="deny, warn or audit. By default errors of pods are denied; the rest is a warning.",
        metavar="ACTION",
        autocompletion=options.completing(*Action),
    ),
]
Namespaces = Annotated[
    str | None,
    typer.Option(
        "--namespace-selector",
        help="Only in namespaces with these labels: team=ml,stage!=test,gpu,!system.",
        metavar="SELECTOR",
    ),
]
Custom = Annotated[
    bool, typer.Option("--crds", help="Workloads that are custom resources too; with --scope.")
]
Select = Annotated[
    list[str],
    typer.Option(
        "--select", help="Only these rules.", metavar="CODE[,CODE]", autocompletion=options.complete_code
    ),
]
Ignore = Annotated[
    list[str],
    typer.Option(
        "--ignore", help="Not these rules.", metavar="CODE[,CODE]", autocompletion=options.complete_code
    ),
]
Profiles = Annotated[
    list[str],
    typer.Option("--profile", help="A cluster profile (YAML); one for each target.", metavar="FILE"),
]
Parameters = Annotated[
    bool,
    typer.Option(
        "--parameters",
        help="Numbers of the profile in a ConfigMap that policies read, not in their expressions.",
    ),
]
FormatOf = Annotated[
    str,
    typer.Option(
        "--format",
        "-o",
        "--output",
        help="vap (ValidatingAdmissionPolicy) or kyverno.",
        metavar="FORMAT",
        autocompletion=options.completing(*Format),
    ),
]
Translate = Annotated[
    bool,
    typer.Option("--translate", help="The cluster translates pods to --to TARGET when they are made."),
]
From = Annotated[
    str | None,
    typer.Option(
        "--from",
        help="The keys that pods come with; with --translate. Those of gpuxlate by default.",
        metavar="TARGET",
        autocompletion=options.complete_target,
    ),
]
Explain = Annotated[
    bool, typer.Option("--explain", help="Print which rules a cluster can enforce, and why not the others.")
]


def command(
    to: Targets = [],  # noqa: B006 - typer copies it
    forbid: Forbid = [],  # noqa: B006
    translate: Translate = False,
    from_: From = None,
    round_: options.Round = None,
    scope: ScopeOf = Scope.PODS,
    action: ActionOf = None,
    namespace_selector: Namespaces = None,
    crds: Custom = False,
    select: Select = [],  # noqa: B006
    ignore: Ignore = [],  # noqa: B006
    profile: Profiles = [],  # noqa: B006
    parameters: Parameters = False,
    format_: FormatOf = Format.VAP,
    explain_: Explain = False,
) -> int:
    """Admission policies from the rules: what lint finds in files, the API server refuses.

    For Kubernetes 1.30 and later, without any engine: gpuxlate policy --to TARGET | kubectl apply -f -
    """
    known = [there for one in profile if (there := common.profile(one)) is not None]
    form: Format = one_of(format_, Format, "--format")
    wish = wish_of(scope, action, namespace_selector, crds, select, ignore, known, read_by(parameters, form))
    made: Sequence[Policy | Translating]
    if translate or from_ is not None or round_ is not None:
        asked = Asked(translate, to, from_, round_, forbid=forbid, select=select, ignore=ignore)
        translating = asked.translating(wish, form)
        if explain_:
            common.out(shapes(translating.tables))
            return Exit.CLEAN
        made = [translating]
    else:
        chosen = targets(to)
        if explain_:
            common.out(explanation(chosen))
            return Exit.CLEAN
        made = policies(chosen, forbid, select, wish)
    common.data_out(written(made, form))
    return Exit.CLEAN


def targets(names: Sequence[str]) -> list[Backend]:
    """The dialects of ``--to``; all whose shares are in pods by default."""
    found = [common.target(one) for one in names] or [*registry.pod_backends()]
    for one in found:
        if one.form_module:
            raise CliError(
                say("{name} has no pods", name=one.name),
                "choose a target whose shares are in pods: gpuxlate targets",
            )
    return list({one.name: one for one in found}.values())


def wish_of(
    scope: str,
    action: str | None,
    namespaces: str | None,
    custom: bool,
    select: Sequence[str],
    ignore: Sequence[str],
    profiles: Sequence[Profile],
    parameters: bool,
) -> Wish:
    """The options as a wish. Raises CliError."""
    wanted: Scope = one_of(scope, Scope, "--scope")
    if custom and wanted is Scope.PODS:
        raise CliError("--crds is about workloads", "add --scope workloads or --scope all")
    selection = Selection.of(select, ignore, None, None)
    style = Style(
        None if action is None else one_of(action, Action, "--action"),
        None if namespaces is None else selector(namespaces),
        locale.current(),
    )
    return Wish(selection.selected, style, wanted, custom, tuple(profiles), parameters)


def read_by(parameters: bool, form: Format) -> bool:
    """``--parameters``, which only policies of Kubernetes have. Raises CliError."""
    if parameters and form is Format.KYVERNO:
        raise CliError(
            "--parameters and --format kyverno exclude each other",
            "leave out --parameters: the numbers are in the expressions",
        )
    return parameters


def policies(
    chosen: Sequence[Backend], forbid: Sequence[str], select: Sequence[str], wish: Wish
) -> list[Policy]:
    """The policies, at least one. Rules that were asked for and are in none are said. Raises CliError."""
    if forbid:
        if select:
            raise CliError(
                "--forbid and --select exclude each other", "--forbid denies all keys of a dialect"
            )
        by_target = {one.name: [*freezing([one], wish)] for one in targets(forbid)}
        for name, made in by_target.items():
            if not made:  # a policy that denies nothing would be taken for one that does
                raise CliError(
                    say("no key is of {name} alone", name=name), "other software reads its keys too"
                )
        return [one for made in by_target.values() for one in made]
    found = [*enforcing(chosen, wish)]
    left = [*_left_out(chosen, select, {code for one in found for code in one.codes})]
    if not found:
        names = ", ".join(one.name for one in chosen)
        said = (
            Lines(left) if left else say("no rule of {names} that is selected can be enforced", names=names)
        )
        raise CliError(said, "gpuxlate policy --explain says which can")
    for one in left:
        common.remark(titled("note", one))
    return found


def _left_out(chosen: Sequence[Backend], select: Sequence[str], there: set[str]) -> Iterator[str]:
    """Each rule that was asked for by its code and is in no policy, with the reason."""
    rules = catalog.all_rules(chosen)
    for name in (part.strip().upper() for text in select for part in text.split(",")):
        rule = catalog.find(name, registry.all_backends())
        if rule is None or name in there:
            continue
        about = explain(rule)
        why = about.why or "no policy of these options has it"
        if name not in rules:
            why = "it is not a rule of these targets"
        elif about.enforced is Enforced.WORKLOADS:
            why = "it compares workloads with their pods: add --scope workloads"
        yield say("{name} is in no policy: {why}", name=name, why=why)


def written(found: Sequence[Policy | Translating], form: Format) -> str:
    """The objects as one stream of YAML."""
    return "---\n".join(map(fresh, documents(found, form)))


def explanation(chosen: Sequence[Backend]) -> str:
    """The rules as a table."""
    rows = [
        [one.rule.code, say(one.rule.severity), say(one.enforced), locale.tell(one.why)]
        for one in explained(chosen)
    ]
    return table(["CODE", "SEVERITY", "ENFORCED", "WHY"], rows)


_NAME = r"(?:[a-z0-9A-Z.-]{1,253}/)?[A-Za-z0-9](?:[A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?"
_TERM = re.compile(rf"(?P<not>!?)(?P<key>{_NAME})(?:(?P<is>==?|!=)(?P<value>[A-Za-z0-9_.-]{{0,63}}))?")


def selector(text: str) -> Object:
    """``--namespace-selector`` as a LabelSelector: equality and existence. Raises CliError."""
    terms: list[Object] = []
    for part in text.split(","):
        match = _TERM.fullmatch(part.strip())
        if match is None or (match["not"] and match["is"]):
            raise CliError(
                say("invalid value {text!r} for --namespace-selector", text=text),
                "write team=ml, stage!=test, gpu or !system",
            )
        if match["is"] is None:
            terms.append({"key": match["key"], "operator": "DoesNotExist" if match["not"] else "Exists"})
        else:
            operator = "NotIn" if match["is"] == "!=" else "In"
            terms.append({"key": match["key"], "operator": operator, "values": [match["value"]]})
    return {"matchExpressions": terms}


def one_of(text: str, words: Any, option: str) -> Any:
    if text not in [*words]:
        raise CliError(
            say("invalid value {text!r} for {option}", text=text, option=option),
            say("values: {names}", names=", ".join(words)),
        )
    return words(text)
