"""``gpuxlate policy --translate``: a cluster that turns the keys of pods into its own when they are made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gpuxlate.cli import common
from gpuxlate.cli.errors import CliError
from gpuxlate.cli.tables import table
from gpuxlate.model import versions
from gpuxlate.model.messages import say
from gpuxlate.policy.generate import Format, Scope, Wish
from gpuxlate.policy.translation.laws import Grid, Listed
from gpuxlate.policy.translation.learn import Branch, Found
from gpuxlate.policy.translation.policies import BETA, CannotError, Translating
from gpuxlate.policy.translation.probe import FULL
from gpuxlate.policy.translation.shares import Tables

SOURCE = "neutral"
"""What pods come in by default."""


@dataclass(frozen=True)
class Asked:
    """The options of a translation, as they were given."""

    translate: bool
    to: Sequence[str]
    from_: str | None
    round_: str | None
    forbid: Sequence[str]
    select: Sequence[str]
    ignore: Sequence[str]

    def translating(self, wish: Wish, form: Format, version: str | None = None) -> Translating:
        """What is written. ``version``: of the API, where the server is known. Raises CliError."""
        self._check(wish, form)
        source = common.target(self.from_ or SOURCE)
        target = common.written_target(self.to[0])
        profile = wish.profile_of(target)
        made = Translating(
            source,
            target,
            common.accept(self.round_, (), ()).round_up,
            wish.profiles,
            wish.style,
            version or _version(profile.kubernetes_version if profile else None),
        )
        try:
            _ = made.tables
        except CannotError as error:
            raise CliError(error.message, error.hint) from error
        return made

    def _check(self, wish: Wish, form: Format) -> None:
        if not self.translate:
            option = "--from" if self.from_ is not None else "--round"
            raise CliError(
                say("{option} is about a translation", option=option), "add --translate --to TARGET"
            )
        if len(self.to) != 1:
            raise CliError(
                "--translate needs one target", "write --translate --to TARGET: the dialect of this cluster"
            )
        others = {
            "--forbid": bool(self.forbid),
            "--select": bool(self.select),
            "--ignore": bool(self.ignore),
            "--scope": wish.scope is not Scope.PODS,
            "--action": wish.style.action is not None,
            "--parameters": wish.parameters,
            "--format kyverno": form is Format.KYVERNO,
        }
        for option, given in others.items():
            if given:
                raise CliError(
                    say("--translate and {option} exclude each other", option=option),
                    "pods are translated or refused, by policies of Kubernetes itself; run gpuxlate policy "
                    "without --translate for the rules",
                )


def _version(kubernetes: str | None) -> str:
    """The version of the API that a cluster of a profile has. Raises CliError where it has none."""
    found = versions.parse(kubernetes) if kubernetes else None
    if found is None or found.minor >= (1, 36):
        return "v1"
    if found.minor >= (1, 34):
        return BETA
    raise CliError(
        say("Kubernetes {version} of the profile has no MutatingAdmissionPolicy", version=kubernetes),
        "it is there from 1.34 (v1beta1) and 1.36 (v1) on; translate the manifests: gpuxlate translate",
    )


def shapes(tables: Tables) -> str:
    """Which shares are translated, and which are refused, as a table."""
    rows = []
    every: list[Found] = [*tables.branches, *tables.refused]
    for one in every:
        qos, cores, memory = one.shape
        numbers = {"cores": cores and ("1-99" if cores == "part" else str(FULL)), memory: say("any")}
        codes = ""
        if isinstance(one, Branch):
            numbers |= {name: _numbers(grid, tables.round_up) for name, grid in one.grids.items()}
        else:
            codes = ", ".join(dict.fromkeys(why.code or "GX026" for _, why in one.whys))
        said = [numbers.get(name) or "-" for name in ("cores", "mib", "percent")]
        cards = f"{one.cards[0]}-{one.cards[-1]}" if len(one.cards) > 1 else str(one.cards[0])
        verdict = say("refused: {codes}", codes=codes) if codes else say("translated")
        rows.append([qos or "-", cards, *said, verdict])
    return table(["QOS", "CARDS", "CORES", "MEMORY MIB", "MEMORY %", "RESULT"], rows)


def _numbers(grid: Grid, rounds: bool) -> str:
    """The numbers of a grid, of each card."""
    if isinstance(grid, Listed):
        return ", ".join(map(str, grid.values))
    least = grid.low if rounds else grid.least
    if grid.step == 1 or rounds:
        return f"{least}-{grid.most}"
    return say("{least}-{most} by {step}", least=least, most=grid.most, step=grid.step)
