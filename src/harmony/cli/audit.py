"""`harmony audit`: prove what a survey spends, or attack it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from ..errors import HarmonyError, PrivacyError
from .audit_attack import attack_all, attack_one
from .loading import load_survey
from .options import Json
from .terminal import FAILED, columns, console, reporting, say_json

if TYPE_CHECKING:
    from fractions import Fraction

    from harmony_device.tables import ReplaceTable, Table

    from ..survey import Survey


@dataclass(frozen=True)
class Proof:
    """What one table spends, beside what it may."""

    attribute: str
    tier: int
    promised: float
    epsilon: float
    passed: bool
    of: str = "epsilon"


@reporting
def audit(
    survey: Annotated[
        Path | None,
        typer.Argument(metavar="SURVEY", help="Survey file (.yaml, .json)", show_default=False),
    ] = None,
    attack: Annotated[
        bool, typer.Option("--attack", help="Attack instead; without SURVEY, all that ships.")
    ] = False,
    samples: Annotated[int, typer.Option(help="Reports of each value, to attack with.")] = 20_000,
    confidence: Annotated[float, typer.Option(help="How sure an attack's bound is.")] = 0.9999,
    device: Annotated[
        str | None,
        typer.Option(
            help="Attack this device program, a command, instead of the Python SDK.",
            show_default=False,
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Prove the epsilon of every table exactly, in integers: no sampling, no floats.

    With --attack, look at the devices' reports alone and bound epsilon from below: without a
    survey, of everything that ships, beside a method that was published broken.

    The exit code is 0 if all tables keep their promise and 1 if one does not.

    [bold]Examples[/bold]
    \b
    harmony audit phones.yaml
    harmony audit downloaded.json --json
    harmony audit --attack
    harmony audit phones.yaml --attack --device "node device.js"
    """
    if attack and survey is None:
        if device is not None:
            raise HarmonyError("--device needs a SURVEY to answer")
        attack_all(samples, confidence, json)
        return
    if survey is None:
        raise HarmonyError("give a SURVEY to audit, or --attack to attack all that ships")
    if attack:
        attack_one(load_survey(survey), samples, confidence, device, json)
        return
    name, promised, epsilon, proofs, lines = _audited(survey)
    passed = all(proof.passed for proof in proofs)
    if json:
        tables = [vars(proof) for proof in proofs]
        document = {"survey": name, "promised": promised, "epsilon": epsilon}
        say_json(document | {"passed": passed, "tables": tables})
    else:
        _print(name, promised, epsilon, proofs, passed, lines)
    if not passed:
        raise typer.Exit(FAILED)


def _audited(path: Path) -> tuple[str, float, float | None, list[Proof], list[str]]:
    """Audit a survey; of one that cannot be loaded for that reason, audit the bare tables."""
    from ..mechanisms.audit import audit

    try:
        survey = load_survey(path)
    except PrivacyError:
        return _audited_tables(path)
    promises = Promises.of(survey.memory, survey.change, survey.answers)
    proofs = [
        proof
        for tier, mechanisms in enumerate(survey.mechanisms)
        for attribute, one in zip(survey.attributes, mechanisms, strict=True)
        for proof in promises.proved(
            attribute.name,
            tier,
            one.epsilon,
            one.table,
            None if one.memo is None else one.memo.replace,
        )
    ]
    return survey.name, survey.epsilon, audit(survey).epsilon, proofs, _over_time(survey)


class Promises(NamedTuple):
    """What a survey with memory promises for one answer, beside its epsilon."""

    memory: Fraction | None
    change: Fraction | None

    @classmethod
    def of(cls, memory: float | None, change: float | None, answers: int) -> Promises:
        """Divide what a report may spend among its answers."""
        from fractions import Fraction

        return cls(*(None if one is None else Fraction(one) / answers for one in (memory, change)))

    def proved(
        self,
        attribute: str,
        tier: int,
        epsilon: Fraction,
        table: Table,
        replace: ReplaceTable | None,
    ) -> list[Proof]:
        """Prove what a mechanism promises: one bound, or with memory three."""
        if self.memory is None or self.change is None or replace is None:
            return [_proof(attribute, tier, table, epsilon)]
        return [
            _proof(attribute, tier, table, epsilon, "epsilon", replace),
            _proof(attribute, tier, table, self.memory, "memory"),
            _proof(attribute, tier, replace, self.change, "change"),
        ]


def _over_time(survey: Survey) -> list[str]:
    """Say what many rounds cost, of a survey that has a way to make them cost less."""
    if survey.every is None and survey.memory is None:
        return []
    lines = []
    if survey.every is not None:
        lines.append(f"any {survey.every} rounds cost one epsilon: a device answers one of them")
    if survey.memory is not None:
        lines.append(
            f"all rounds together cost {survey.memory:g} while an answer stays; "
            f"each report {survey.change:g} at most, whatever the answers do"
        )
    return [*lines, f"a year of weekly rounds: {survey.cost(rounds=52)}"]


def _audited_tables(path: Path) -> tuple[str, float, float | None, list[Proof], list[str]]:
    from fractions import Fraction

    from harmony_device.tables import table_from_document

    from ..files import read_structured

    document = read_structured(path)
    tiers = document.get("tiers") or [document["epsilon"]]
    tables = [table_from_document(one) for one in document["tables"]]
    answers = document["answers"]
    promises = Promises.of(document.get("memory"), document.get("change"), answers)
    proofs = []
    for tier, epsilon in enumerate(tiers):
        for attribute in document["attributes"]:
            one = attribute["mechanisms"][tier]
            replace = tables[one["replace"]] if one.get("replace") is not None else None
            proofs += promises.proved(
                attribute["name"], tier, Fraction(epsilon) / answers, tables[one["table"]], replace
            )
    return document["name"], max(tiers), None, proofs, []


def _proof(
    attribute: str,
    tier: int,
    table: Table | ReplaceTable,
    promised: Fraction,
    of: str = "epsilon",
    replace: ReplaceTable | None = None,
) -> Proof:
    """Check a table, or two in a row, in integers, and say what is spent, rounded up."""
    from harmony_device.errors import RefusedError
    from harmony_device.tables import Promise, worst_ratio_of

    from ..mechanisms.audit import log_ceiling

    extremes = table.extremes() if replace is None else replace.after(table)  # type: ignore[arg-type]
    spent = log_ceiling(worst_ratio_of(extremes))
    try:
        Promise(promised).check(table, replace)
        passed = True
    except RefusedError:
        passed = False
    return Proof(attribute, tier, float(promised), spent, passed, of)


def _print(
    name: str,
    promised: float,
    epsilon: float | None,
    proofs: list[Proof],
    passed: bool,
    lines: list[str],
) -> None:
    from rich.text import Text

    screen = console()
    tiered = len({proof.tier for proof in proofs}) > 1
    remembers = len({proof.of for proof in proofs}) > 1
    extra = (*((">tier",) if tiered else ()), *(("of",) if remembers else ()))
    table = columns("attribute", *extra, ">may spend", ">spends", "")
    for proof in proofs:
        table.add_row(
            Text(proof.attribute, style="cyan"),
            *((str(proof.tier),) if tiered else ()),
            *((proof.of,) if remembers else ()),
            f"{proof.promised:g}",
            f"{proof.epsilon:.16f}",
            _verdict(proof.passed),
        )
    screen.print(table)
    report = (
        "a table spends more than it may"
        if epsilon is None
        else (f"a report spends {epsilon:.16f} at most")
    )
    screen.print(f"\n{_verdict(passed)}  {name}: {report}; promised {promised:g}")
    for line in lines:
        screen.print(line)


def _verdict(passed: bool) -> Any:
    return "[green]PASS[/]" if passed else "[bold red]FAIL[/]"
