"""`harmony audit`: prove what a survey spends, or attack it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import HarmonyError, PrivacyError
from .audit_attack import attack_all, attack_one
from .loading import load_survey
from .options import Json
from .terminal import FAILED, columns, console, reporting, say_json

if TYPE_CHECKING:
    from fractions import Fraction

    from harmony_device.tables import Table


@dataclass(frozen=True)
class Proof:
    """What one table spends, beside what it may."""

    attribute: str
    tier: int
    promised: float
    epsilon: float
    passed: bool


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
    name, promised, epsilon, proofs = _audited(survey)
    passed = all(proof.passed for proof in proofs)
    if json:
        tables = [vars(proof) for proof in proofs]
        document = {"survey": name, "promised": promised, "epsilon": epsilon}
        say_json(document | {"passed": passed, "tables": tables})
    else:
        _print(name, promised, epsilon, proofs, passed)
    if not passed:
        raise typer.Exit(FAILED)


def _audited(path: Path) -> tuple[str, float, float | None, list[Proof]]:
    """Audit a survey; of one that cannot be loaded for that reason, audit the bare tables."""
    from ..mechanisms.audit import audit

    try:
        survey = load_survey(path)
    except PrivacyError:
        return _audited_tables(path)
    proofs = [
        _proof(attribute.name, tier, mechanism.table, mechanism.epsilon)
        for tier, mechanisms in enumerate(survey.mechanisms)
        for attribute, mechanism in zip(survey.attributes, mechanisms, strict=True)
    ]
    return survey.name, survey.epsilon, audit(survey).epsilon, proofs


def _audited_tables(path: Path) -> tuple[str, float, float | None, list[Proof]]:
    from fractions import Fraction

    from harmony_device.tables import table_from_document

    from ..files import read_structured

    document = read_structured(path)
    tiers = document.get("tiers") or [document["epsilon"]]
    tables = [table_from_document(one) for one in document["tables"]]
    proofs = [
        _proof(
            attribute["name"],
            tier,
            tables[attribute["mechanisms"][tier]["table"]],
            Fraction(epsilon) / document["answers"],
        )
        for tier, epsilon in enumerate(tiers)
        for attribute in document["attributes"]
    ]
    return document["name"], max(tiers), None, proofs


def _proof(attribute: str, tier: int, table: Table, promised: Fraction) -> Proof:
    """Check a table in integers, and say the epsilon that it spends, rounded up."""
    from harmony_device.errors import RefusedError
    from harmony_device.tables import check_table

    from ..mechanisms.audit import log_ceiling

    try:
        check_table(table, promised)
        passed = True
    except RefusedError:
        passed = False
    return Proof(attribute, tier, float(promised), log_ceiling(table.worst_ratio()), passed)


def _print(
    name: str, promised: float, epsilon: float | None, proofs: list[Proof], passed: bool
) -> None:
    from rich.text import Text

    screen = console()
    tiered = len({proof.tier for proof in proofs}) > 1
    table = columns("attribute", *((">tier",) if tiered else ()), ">may spend", ">spends", "")
    for proof in proofs:
        table.add_row(
            Text(proof.attribute, style="cyan"),
            *((str(proof.tier),) if tiered else ()),
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


def _verdict(passed: bool) -> Any:
    return "[green]PASS[/]" if passed else "[bold red]FAIL[/]"
